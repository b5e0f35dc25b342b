"""Formgrader's page begins with what a person has to grade."""

import re

import nbformat
from checkout import ROOT
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from traitlets.config.loader import PyFileConfigLoader

from autograder.grading.run import NOT_RUN


def marked(cell, grade_id, **kind):
    marks = {"grade": False, "solution": False, "task": False, "locked": False, "points": 2}
    cell.metadata["nbgrader"] = {"grade_id": grade_id, "schema_version": 3, **marks, **kind}
    return cell


def shown(*cells):
    """The page's text, as the exporter writes it that formgrader configures."""
    config = PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config()
    html, _ = HTMLExporter(config=config).from_notebook_node(new_notebook(cells=list(cells)))
    return re.sub(r"<[^>]*>", "", html[html.index("<body") :])


def test_questions_with_their_answers_come_first_and_nothing_is_lost():
    cells = [
        new_markdown_cell("the beginning"),
        marked(new_code_cell("def first(): pass"), "first", solution=True),
        new_markdown_cell("**Question 1 (2 points, graded by hand).** Why alpha?"),
        new_markdown_cell("a note of the student"),
        marked(new_markdown_cell("because beta"), "question_alpha", solution=True, grade=True),
        new_markdown_cell("the end"),
        marked(new_markdown_cell("a task gamma"), "task_gamma", task=True),
    ]
    text = shown(*cells)
    words = ["Why alpha", "a note of", "because beta", "the end", "gamma", "the beginning", "first"]
    places = [text.index(word) for word in ["To grade by hand", *words]]
    assert places == sorted(places)
    assert all(text.count(word) == 1 for word in words[:-1])


def test_a_notebook_that_no_person_grades_keeps_its_order():
    text = shown(new_markdown_cell("alpha"), new_markdown_cell("beta"))
    assert "To grade by hand" not in text
    assert text.index("alpha") < text.index("beta")


def test_cells_that_were_not_run_are_not_said_to_be():
    cells = [
        new_code_cell("show()", outputs=[new_output("stream", text=NOT_RUN)]),
        new_code_cell("print(1)", outputs=[new_output("stream", text="printed\n")]),
    ]
    text = shown(*cells)
    assert "Not run" not in text
    assert "printed" in text


def test_the_notebook_itself_stays_as_it_is(tmp_path):
    cells = [
        new_markdown_cell("alpha"),
        marked(new_markdown_cell("beta"), "question", solution=True, grade=True),
    ]
    path = tmp_path / "a.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    before = path.read_bytes()
    config = PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config()
    HTMLExporter(config=config).from_filename(str(path))
    assert path.read_bytes() == before
