"""A chapter shows what a notebook shows, and nothing that a student is to write or find out."""

import json
import re
from types import SimpleNamespace

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.cells import asked_exercise
from autograder.course.layout import Course
from autograder.publishing.chapter import WITHHELD, chapter, is_imports
from autograder.publishing.failing_check import failing_verdict
from autograder.publishing.secrets import answering_cells, secrets
from coursekit.checking.stored_recordings import read

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


@pytest.fixture(scope="module", params=COURSE.assignments())
def pair(request):
    """An assignment of this course, and its chapter."""
    assignment = Assignment(COURSE, request.param)
    return assignment, chapter(assignment)


def test_a_chapter_is_the_student_notebook_with_outputs(pair):
    assignment, made = pair
    assert [cell.source for cell in made.cells] == [c.source for c in assignment.release.cells]
    solved = {cell.id: cell for cell in assignment.solution.code}
    shown, withheld = 0, 0
    for cell in made.cells:
        if cell.cell_type != "code" or cell.metadata.get("nbgrader"):
            continue
        expected = solved[cell.id].outputs
        if cell.outputs and WITHHELD in str(cell.outputs):
            withheld += 1
        else:
            assert cell.outputs == expected, cell.id
            shown += bool(expected)
    # half of the results of 15 follow a prediction
    fewest, share = (10, 2) if assignment.name.startswith("15") else (15, 3)
    assert shown >= fewest
    assert withheld <= shown // share


def test_no_output_of_a_chapter_has_a_line_that_students_write(pair):
    assignment, made = pair
    given = "\n".join(cell.source for cell in assignment.release.cells)
    written = set()
    for cell in assignment.solution.notebook.cells:
        inside = False
        for line in cell.source.splitlines():
            if line.strip().startswith("### "):
                inside = line.strip().startswith("### BEGIN SOLUTION")
            elif inside and len(line.strip()) > 7 and line.strip() not in given:
                written.add(line.strip())
    assert len(written) > 20
    for cell in made.cells:
        text = json.dumps(cell.get("outputs", []), ensure_ascii=False)
        text = re.sub(r"base64,[\w+/=\\]+", "", text).replace('\\"', '"')
        assert [line for line in written if line in text] == [], cell.id


def test_every_check_of_a_chapter_shows_a_real_mistake_with_its_hint(pair):
    assignment, made = pair
    recorded = read(COURSE.recordings / f"{assignment.name}.json")["exercises"]
    checks = [cell for cell in made.cells if cell.cell_type == "code" and asked_exercise(cell)]
    assert len(checks) == len(recorded)
    for cell in checks:
        exercise = recorded[asked_exercise(cell)]
        verdict = failing_verdict(exercise)
        hints = {one["name"]: one["hint"] for one in exercise["misconceptions"]}
        assert verdict.points < verdict.max_points
        assert verdict.hint == hints[verdict.misconception]
        (output,) = cell.outputs
        assert output.data["text/html"].startswith('<details class="check-says">')
        assert exercise["name"] in output.data["text/html"]


def test_the_setup_and_the_imports_are_folded_and_nothing_else(pair):
    _, made = pair
    folded = [c.source for c in made.cells if "hide-input" in c.metadata.get("tags", [])]
    assert folded[0].startswith("# Set-up")
    assert all(is_imports(source) for source in folded[1:])
    assert 2 <= len(folded) <= 3


def test_a_cell_that_computes_or_defines_is_no_cell_of_imports():
    assert is_imports("import math\nfrom torch import nn\n\nset_threads(1)")
    assert not is_imports("import math\n\n\ndef area(r):\n    return math.pi * r**2")
    assert not is_imports("import math\nx = math.pi\nprint(x)")


def test_all_assignments_of_the_course_have_a_chapter():
    assert [one.name for one in every_assignment(COURSE)] == COURSE.assignments()
