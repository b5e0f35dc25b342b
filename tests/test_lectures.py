"""The index of the lectures points to sections that the notebooks have."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "LECTURES.md").read_text("utf-8")
# an assignment, and every section that is named after it
CITED = re.findall(r"\[(\d\d)\]((?:(?:,| and| to)? §\d+(?: \([`\w, ]+\))?)+)", INDEX)


def sections(number: str) -> dict[str, set[str]]:
    """The numbers of a notebook's sections, each with the exercises that are checked there."""
    (path,) = ROOT.glob(f"solutions/{number}_*/*.ipynb")
    found: dict[str, set[str]] = {}
    section = ""
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "markdown":
            for section in re.findall(r"^## (\d+)\. ", cell.source, re.MULTILINE):
                found[section] = set()
        elif match := re.fullmatch(r"check\((\w+)\)", cell.source.strip()):
            found[section].add(match[1])
    return found


@pytest.mark.parametrize("number", sorted({number for number, _ in CITED}))
def test_the_sections_and_exercises_that_the_index_of_the_lectures_names_exist(number):
    known = sections(number)
    for other, text in CITED:
        if other != number:
            continue
        for section, names in re.findall(r"§(\d+)(?: \(([^)]+)\))?", text):
            assert set(re.findall(r"`(\w+)`", names)) <= known[section], text


def test_every_assignment_of_the_index_of_the_lectures_is_a_link_to_its_notebook():
    for number in {number for number, _ in CITED}:
        (link,) = re.findall(rf"^\[{number}\]: (\S+)$", INDEX, re.MULTILINE)
        assert (ROOT / link).is_file()


def test_the_readme_links_to_the_index_of_the_lectures():
    assert "(LECTURES.md)" in (ROOT / "README.md").read_text("utf-8")
