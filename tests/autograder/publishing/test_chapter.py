"""A chapter shows what a notebook shows, and nothing that a student is to write or find out."""

from types import SimpleNamespace

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.course.layout import Course
from autograder.publishing.chapter import is_imports
from autograder.publishing.secrets import answering_cells, secrets

COURSE = Course(ROOT)
SOLUTION = """\
class Adder:
    ### BEGIN SOLUTION: adds what it was given
    def __call__(self, number):
        return self.first + number
    ### END SOLUTION
"""
STUB = "class Adder:\n    raise NotImplementedError\n"


def made_up(source="print(1)", output="", html="", before="## 2. After the exercise", tags=()):
    """An assignment with one exercise, a text, and a given cell that shows `output` or `html`."""
    notebooks = []
    for text in (SOLUTION, STUB):
        given = new_code_cell(source, id="given", metadata={"tags": list(tags)})
        written = new_code_cell(text, id="Adder", metadata={"nbgrader": {"solution": True}})
        check = new_code_cell("check(Adder)", id="check")
        check.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": "check_Adder"}
        cells = [written, check, new_markdown_cell(before), given]
        notebooks.append(new_notebook(cells=cells))
    data = {"text/html": html, "text/plain": "a table"}
    shown = new_output("display_data", data) if html else new_output("stream", text=output)
    notebooks[0].cells[-1].outputs = [shown]
    solution = SimpleNamespace(
        notebook=notebooks[0],
        code=[cell for cell in notebooks[0].cells if cell.cell_type == "code"],
        checked_names=["Adder"],
    )
    return SimpleNamespace(release=notebooks[1], solution=solution)


def is_withheld(assignment):
    """Whether `chapter` would withhold what the given cell shows."""
    (output,) = assignment.solution.code[-1].outputs
    hidden = "given" in answering_cells(assignment.release)
    return hidden or secrets(assignment).in_output(output)


@pytest.mark.parametrize(
    "shown",
    [
        {"output": "accuracy 83.6%\n"},
        {"html": '<img alt="Accuracy on the test texts" src="data:image/png;base64,iVBO">'},
        {"output": "1\n", "before": "**Question 1 (2 points).** What does the last cell show?"},
    ],
)
def test_an_output_that_reveals_nothing_is_shown(shown):
    assert not is_withheld(made_up(**shown))


@pytest.mark.parametrize(
    "shown",
    [
        {"output": "def __call__(self, number):\n    return self.first + number\n"},
        {"html": "<pre>return <b>self</b>.first + number</pre>"},
        {"html": '<img alt="return self.first + number" src="data:image/png;base64,iVBO">'},
        {"output": "Adder(\n  (first): Linear(in_features=2)\n)\n"},
        {"output": "0.7\n", "before": "**Question 1.** What will the next cell show?"},
        {"output": "0.7\n", "before": "**Question 2.** Write a number down *before you run* it."},
        {"output": "0.7\n", "tags": ["remove-output"]},
    ],
)
def test_an_output_that_reveals_a_solution_or_answers_a_question_is_withheld(shown):
    assert is_withheld(made_up(**shown))


def test_a_heading_after_a_question_ends_what_is_withheld():
    assignment = made_up(before="**Question 1.** Predict before you run the next cell.")
    assignment.release.cells.insert(3, new_markdown_cell("### BEGIN SOLUTION: question_guess"))
    assert is_withheld(assignment)
    assignment.release.cells.insert(4, new_markdown_cell("### Exercise 2. Another one"))
    assert not is_withheld(assignment)


def test_a_cell_that_computes_or_defines_is_no_cell_of_imports():
    assert is_imports("import math\nfrom torch import nn\n\nset_threads(1)")
    assert not is_imports("import math\n\n\ndef area(r):\n    return math.pi * r**2")
    assert not is_imports("import math\nx = math.pi\nprint(x)")
