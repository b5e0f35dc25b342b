"""Cells that lost their marks are known again, and what is not sure is said to be doubtful."""

import copy

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.cells import asked_exercise, checked_exercise
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.grading.sanitize import restore, sanitize, suspicions


def marked(cell, grade_id, **marks):
    cell.id = grade_id
    usual = {"grade": False, "solution": False, "locked": False, "schema_version": 3}
    cell.metadata["nbgrader"] = {"grade_id": grade_id, **usual, **marks}
    return cell


@pytest.fixture
def release():
    return new_notebook(
        cells=[
            new_markdown_cell("Softmax turns scores into shares."),
            marked(new_code_cell("def softmax(x):\n    ..."), "softmax", solution=True),
            marked(new_code_cell("check(softmax)"), "check_softmax", grade=True, locked=True),
            marked(new_markdown_cell("Your words here."), "words", solution=True, grade=True),
        ]
    )


@pytest.fixture
def submission(release):
    return copy.deepcopy(release)


def marks_of(notebook):
    return {
        cell.metadata["nbgrader"]["grade_id"]: cell.source
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    }


def strip(*cells, ids=True):
    for number, cell in enumerate(cells):
        del cell.metadata["nbgrader"]
        if ids:
            cell.id = f"new-{number}"


def test_an_untouched_notebook_needs_no_repair_and_raises_no_suspicion(submission, release):
    assert restore(submission, release) == []
    assert suspicions(submission, release) == []


def test_a_cell_without_metadata_is_recognized_by_its_id_whatever_it_holds(submission, release):
    cell = submission.cells[1]
    cell.source = "softmax = torch.softmax"
    strip(cell, ids=False)
    (repair,) = restore(submission, release)
    assert "recognized by its id" in repair.what
    assert not repair.doubtful
    assert marks_of(submission)["softmax"] == "softmax = torch.softmax"


def test_without_ids_code_is_recognized_by_what_it_defines_or_checks(submission, release):
    strip(*submission.cells[1:3])
    repairs = restore(submission, release)
    assert [r.what.endswith("recognized by its content") for r in repairs] == [True, True]
    assert not any(r.doubtful for r in repairs)
    assert len(submission.cells) == len(release.cells)


def test_of_two_cells_that_fit_the_one_that_differs_from_the_release_counts(submission, release):
    strip(submission.cells[1])
    submission.cells.insert(1, new_code_cell("def softmax(x):\n    return x"))
    (repair,) = restore(submission, release)
    assert not repair.doubtful
    assert marks_of(submission)["softmax"] == "def softmax(x):\n    return x"
    assert "def softmax(x):\n    ..." not in [cell.source for cell in submission.cells]


def test_of_two_cells_that_fit_and_differ_the_last_counts_and_it_is_doubtful(submission, release):
    strip(submission.cells[1])
    for number in (1, 2):
        submission.cells.insert(number, new_code_cell(f"def softmax(x):\n    return {number}"))
    (repair,) = restore(submission, release)
    assert repair.doubtful
    assert "2 cells fit and the last counts" in repair.what
    assert marks_of(submission)["softmax"] == "def softmax(x):\n    return 2"


def test_written_text_is_recognized_by_its_position_and_it_is_doubtful(submission, release):
    submission.cells[3].source = "It exaggerates the largest score."
    strip(submission.cells[3])
    (repair,) = restore(submission, release)
    assert repair.doubtful
    assert "recognized by its position" in repair.what
    assert marks_of(submission)["words"] == "It exaggerates the largest score."


def test_text_that_could_be_one_of_several_is_together_in_the_cell_that_was_put_back(
    submission, release
):
    submission.cells[3].source = "It exaggerates."
    strip(submission.cells[3])
    submission.cells.append(new_markdown_cell("More of my thoughts."))
    put_back, found = restore(submission, release)
    assert "was missing and was put back" in put_back.what
    assert found.doubtful
    assert "a person decides" in found.what
    answer = marks_of(submission)["words"]
    assert answer.index("It exaggerates.") < answer.index("More of my thoughts.")
    assert "Your words here." not in answer


def test_of_copies_of_code_the_one_that_differs_from_the_release_counts(submission, release):
    same, other = copy.deepcopy(submission.cells[1]), copy.deepcopy(submission.cells[1])
    other.source = "def softmax(x):\n    return x"
    submission.cells[1:1] = [other, same]
    (repair,) = restore(submission, release)
    assert not repair.doubtful
    assert marks_of(submission)["softmax"] == other.source
    assert [c.source for c in submission.cells if "def softmax" in c.source] == [other.source]


def test_of_copies_of_code_that_all_differ_the_last_counts_and_it_is_doubtful(submission, release):
    first, last = copy.deepcopy(submission.cells[1]), submission.cells[1]
    first.source = "def softmax(x):\n    return x"
    last.source = "def softmax(x):\n    return 2 * x"
    submission.cells.insert(1, first)
    (repair,) = restore(submission, release)
    assert repair.doubtful
    assert marks_of(submission)["softmax"] == last.source


def test_code_above_its_own_cell_counts_if_that_is_as_released(submission, release):
    submission.cells.insert(1, new_code_cell("def softmax(x):\n    return x"))
    (repair,) = restore(submission, release)
    assert repair.doubtful
    assert marks_of(submission)["softmax"] == "def softmax(x):\n    return x"
    assert len(submission.cells) == len(release.cells)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda cells: setattr(cells[2], "source", "3"), "check_softmax had been edited"),
        (
            lambda cells: cells[2].metadata["nbgrader"].update(points=9),
            "metadata of the cell check",
        ),
        (lambda cells: cells[2].metadata.update(tags=["skip-execution"]), "tagged: skip-execution"),
        (
            lambda cells: cells.insert(1, new_code_cell("import sys\nsys.displayhook(3)")),
            "cell 2 mentions sys.displayhook",
        ),
    ],
)
def test_what_an_honest_submission_would_not_hold_is_named(submission, release, change, words):
    change(submission.cells)
    (suspicion,) = suspicions(submission, release)
    assert words in suspicion


def test_code_in_a_locked_check_runs_in_a_cell_of_its_own(submission, release):
    answer = "def softmax(x):\n    return x / x.sum()"
    submission.cells[2].source = f"{answer}\ncheck(softmax)"
    (repair,) = restore(submission, release)
    assert repair.what == "the code in the cell check_softmax runs in a cell of its own"
    sources = [cell.source for cell in submission.cells]
    assert sources[2:4] == [f"{answer}\ncheck(softmax)", "check(softmax)"]
    assert submission.cells[3].metadata["nbgrader"]["locked"]
    assert "nbgrader" not in submission.cells[2].metadata


def test_an_answer_that_was_merged_with_the_check_before_it_is_found():
    def exercise(name):
        answer = marked(new_code_cell(f"def {name}(x): ..."), name, solution=True)
        check = new_code_cell(f"check({name})")
        return [answer, marked(check, f"check_{name}", grade=True, locked=True)]

    release = new_notebook(cells=[*exercise("first"), *exercise("second")])
    submission = copy.deepcopy(release)
    answer = submission.cells.pop(2)
    submission.cells[1].source += f"\n\n{answer.source}"
    restore(submission, release)
    assert list(marks_of(submission)) == ["first", "second", "check_first", "check_second"]
    assert "def second" in marks_of(submission)["second"]


def test_what_only_calls_something_in_a_check_is_no_code_to_keep(submission, release):
    submission.cells[2].source = "check(softmax)  # at last\nprint(1)"
    assert restore(submission, release) == []
    assert len(submission.cells) == len(release.cells)


@pytest.mark.parametrize("assignment", Course(ROOT).assignments())
def test_the_metadata_of_a_check_says_what_its_text_says(assignment):
    """Every graded check is asked for by name; one that is repeated without points is not."""
    for cell in read(Course(ROOT).notebook(assignment)).cells:
        marks = cell.metadata.get("nbgrader", {})
        checks = cell.cell_type == "code" and marks.get("grade") and not marks["solution"]
        assert asked_exercise(cell) == (checked_exercise(cell.source) if checks else None)


def test_a_copy_of_a_check_asks_for_nothing():
    release = read(Course(ROOT).notebook(Course(ROOT).assignments()[0]))
    submission = copy.deepcopy(release)
    place = next(i for i, cell in enumerate(submission.cells) if asked_exercise(cell))
    submission.cells.insert(0, copy.deepcopy(submission.cells[place]))
    notebook = sanitize(submission, release).notebook
    asked = [asked_exercise(cell) for cell in notebook.cells if asked_exercise(cell)]
    assert len(asked) == len(set(asked))
    assert set(asked) == {asked_exercise(cell) for cell in release.cells} - {None}
