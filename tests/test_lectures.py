"""The index of the lectures points to sections that the notebooks have."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "LECTURES.md").read_text("utf-8")
# an assignment, and every section that is named after it
CITED = re.findall(r"`(\d\d)`((?:(?:,| and)? §\d+)+)", INDEX)


def sections(number: str) -> set[str]:
    """The numbers of a notebook's sections."""
    (path,) = ROOT.glob(f"solutions/{number}_*/*.ipynb")
    cells = nbformat.read(path, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return set(re.findall(r"^## (\d+)\. ", text, re.MULTILINE))


@pytest.mark.parametrize("number", sorted({number for number, _ in CITED}))
def test_every_section_that_the_index_of_the_lectures_names_exists(number):
    named = {part for other, text in CITED if other == number for part in re.findall(r"\d+", text)}
    assert named <= sections(number)


def test_the_readme_links_to_the_index_of_the_lectures():
    assert "(LECTURES.md)" in (ROOT / "README.md").read_text("utf-8")
