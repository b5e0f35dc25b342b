"""The figures of a course: drawings as vectors, results as they are stored, all with a license."""

import re
from xml.etree import ElementTree

import pytest
from checkout import ROOT
from click.testing import CliRunner
from nbformat.v4 import new_output

from autograder.authoring.canvas import Canvas
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.publishing.chapter import WITHHELD, chapter
from autograder.publishing.figures import figures_of, write_figures

COURSE = Course(ROOT)
NAME = "10_contextual_vectors"  # some of its outputs answer questions
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    return folder, write_figures(COURSE, ["00_setup", NAME], folder)


def drawing() -> Canvas:
    canvas = Canvas(200, 100)
    canvas.box(10, 10, 80, 40, "$x_i$")
    return canvas


def test_a_drawing_is_an_svg_file_with_outlines_title_and_license():
    text = drawing().vector("svg", "A box", "CC BY 4.0, somebody").decode()
    root = ElementTree.fromstring(text)
    assert root.get("viewBox") == "0 0 144 72"
    assert "A box" in text
    assert "CC BY 4.0, somebody" in text
    assert "<text" not in text
    assert "font-family" not in text
    assert text.encode() == drawing().vector("svg", "A box", "CC BY 4.0, somebody")


def test_a_drawing_is_a_pdf_file_with_title_and_license():
    made = drawing().vector("pdf", "A box", "CC BY 4.0, somebody")
    assert made.startswith(b"%PDF-")
    assert b"A box" in made
    assert b"CC BY 4.0, somebody" in made
    assert made == drawing().vector("pdf", "A box", "CC BY 4.0, somebody")


def test_every_drawing_is_written_as_svg_and_as_pdf(written):
    folder, _ = written
    for name in ("00_setup", NAME):
        drawn = {path.stem for path in COURSE.drawings(name).glob("*.py")}
        assert drawn
        for kind in ("svg", "pdf"):
            assert {path.stem for path in (folder / name).glob(f"*.{kind}")} == drawn


def test_every_figure_that_a_chapter_shows_is_written_and_no_other(written):
    folder, _ = written
    assignment = Assignment(COURSE, NAME)
    shown = [
        figure.png
        for cell in chapter(assignment).cells
        for output in cell.get("outputs", [])
        for figure in figures_of(output)
    ]
    stored = {
        figure.png
        for cell in assignment.solution.code
        for output in cell.outputs
        for figure in figures_of(output)
    }
    files = sorted((folder / NAME).glob("result-*.png"))
    assert [path.read_bytes() for path in files] == shown
    assert all(png.startswith(PNG) for png in shown)
    assert WITHHELD in str(chapter(assignment).cells)
    assert set(shown) < stored, "a figure that answers a question"


def test_a_list_describes_every_file_and_names_the_license(written):
    folder, paths = written
    text = (folder / "README.md").read_text("utf-8")
    assert COURSE.config.license in text
    for path in paths[:-1]:
        (line,) = re.findall(rf"^- `{path.parent.name}/{path.name}`: (.+)$", text, re.MULTILINE)
        assert len(line) > 20


def test_a_picture_of_an_output_is_found_in_html_and_alone():
    html = '<p>a</p><img alt="Two &amp; two" src="data:image/png;base64,iVBORw0KGgo=" width="3">'
    (found,) = figures_of(new_output("display_data", {"text/html": html}))
    assert (found.png, found.alt) == (PNG, "Two & two")
    (found,) = figures_of(new_output("display_data", {"image/png": "iVBORw0KGgo=\n"}))
    assert found.png == PNG
    assert not list(figures_of(new_output("stream", text="img src=")))


def test_the_command_writes_a_folder_that_others_can_read(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, ["figures", "00", "--output", str(tmp_path / "made")])
    assert done.exit_code == 0, done.output
    assert "2 figures of results" in done.output
    assert (tmp_path / "made" / "00_setup" / "broadcasting.svg").stat().st_mode & 0o044 == 0o044


def test_an_unknown_assignment_is_one_sentence(monkeypatch):
    monkeypatch.chdir(ROOT)
    for command in ("figures", "slides"):
        done = CliRunner().invoke(main, [command, "98"])
        assert done.exit_code == 1
        assert "there is no assignment called 98" in done.output
