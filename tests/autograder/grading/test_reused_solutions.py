"""What was pasted from an earlier assignment: asked its own cases, replaced only where it fails."""

import pytest
from checkout import shared_assignment
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.filled_notebooks import filled
from autograder.course.helpers import Helpers
from autograder.grading import worker_pool
from autograder.grading.error_carried_forward import plan
from autograder.grading.grading_task import Task
from autograder.grading.isolated_run import run_notebook
from autograder.grading.judge_again import judge_again
from autograder.grading.judge_pool import judge_here
from autograder.grading.limits import Limits
from autograder.grading.reused_solutions import PASTED, mark_pasted, pasted_names, recorded_pasted
from autograder.grading.run_and_judge import run_and_judge
from autograder.grading.sanitize import sanitize
from autograder.grading.stages import checks_in, finish
from autograder.sandbox.doctor import is_available
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import Verdict

NAME = "08_sentence_encoders"
POOL = "from_03_deep_averaging"
SOFTMAX = "from_04_attention"
WRONG_SOFTMAX = "def masked_softmax(scores, mask):\n    return torch.softmax(scores, -1)"
WRONG_POOL = "def self_attention_pool(H, mask, W_1, W_2):\n    return H, H"

sandboxed = pytest.mark.skipif(
    not is_available(), reason="this machine cannot box processes; see `autograder doctor`"
)


@pytest.fixture(scope="module")
def task():
    """The assignment with one exercise, and the cases of its check."""
    assignment = shared_assignment(NAME)
    helpers = Helpers(assignment)
    recorded = {"self_attention_pool": find("self_attention_pool")}
    pasted = recorded_pasted(helpers)
    return Task(assignment.release, recorded, Limits(), helpers=helpers, pasted=pasted)


@pytest.fixture
def grade(task, monkeypatch):
    """Grades a notebook with some answers: the verdict, and the right helpers of each of its runs."""
    runs = []
    original = worker_pool.run_notebook

    def counted(notebook, questions, limits, carried=None):
        runs.append(carried and sorted(carried.kinds))
        return original(notebook, questions, limits, carried)

    monkeypatch.setattr(worker_pool, "run_notebook", counted)

    def grade(changed):
        sanitized = sanitize(filled(task.helpers.assignment, changed), task.release)
        run = worker_pool.Serial(task.questions).start
        notebook, judged = finish(run_and_judge(sanitized, task, run, judge_here))
        again = judge_again(notebook, sanitized.checks, judged, task, run, judge_here)
        (verdict,) = finish(again).verdicts
        return verdict, runs

    return grade


def test_only_what_the_exercises_call_is_asked(task):
    assignment = task.helpers.assignment
    assert set(task.pasted) == {"masked_softmax", "mean_pool", "max_pool"}
    notebook = filled(assignment)
    mark_pasted(notebook, assignment, ["masked_softmax", "mean_pool"])
    asked = {
        cell.metadata["nbgrader"]["grade_id"]: pasted_names(cell)
        for cell in notebook.cells
        if PASTED in cell.metadata
    }
    assert asked == {POOL: ["mean_pool"], SOFTMAX: ["masked_softmax"]}


def test_a_mark_that_a_submission_brings_is_taken_away(task):
    notebook = new_notebook(cells=[new_code_cell("1", metadata={PASTED: ["csls"]})])
    mark_pasted(notebook, task.helpers.assignment, task.pasted)
    assert pasted_names(notebook.cells[0]) == []


@sandboxed
@pytest.mark.slow
def test_with_a_right_pasted_helper_an_answer_is_run_once_and_with_a_wrong_one_again(grade):
    verdict, runs = grade({"self_attention_pool": WRONG_POOL})
    assert not verdict.passed
    assert runs == [None]
    runs.clear()
    verdict, runs = grade({SOFTMAX: WRONG_SOFTMAX})
    assert verdict.passed
    assert verdict.judged_with == ["masked_softmax"]
    assert runs[-1] == ["masked_softmax"]


def of(name, passed):
    return Verdict(name, float(passed), 1.0, [])


def test_a_right_pasted_helper_that_a_later_cell_changes_is_replaced(task):
    assignment, failed = task.helpers.assignment, [of("self_attention_pool", False)]
    notebook = filled(assignment)
    mark_pasted(notebook, assignment, task.pasted)
    right = [of(name, True) for name in task.pasted]
    given = task.release, task.helpers, failed, right
    assert plan(notebook, checks_in(notebook), *given) is None
    place = next(i for i, c in enumerate(notebook.cells) if "masked_softmax" in pasted_names(c))
    notebook.cells.insert(place + 1, new_code_cell("masked_softmax = torch.softmax"))
    found = plan(notebook, checks_in(notebook), *given)
    assert found.carried.helpers["self_attention_pool"] == ["masked_softmax"]
    assert found.changed == {"masked_softmax"}


@sandboxed
@pytest.mark.parametrize("body", ["return scores", "import os; os._exit(1)", "while True: pass"])
def test_a_pasted_helper_is_asked_once_whatever_it_does(body):
    pasted = new_code_cell(f"def masked_softmax(scores, mask):\n    {body}")
    pasted.metadata[PASTED] = ["masked_softmax"]
    answer = new_code_cell("def double(X):\n    return 2 * X")
    check = new_code_cell("check(double)")
    check.metadata["nbgrader"] = {"grade": True, "grade_id": "check_double"}
    questions = {
        "double": [{"args": [4]}],
        "masked_softmax": find("masked_softmax")["cases"][:1],
    }
    cells = [new_code_cell("import torch"), pasted, answer, check]
    answers = run_notebook(new_notebook(cells=cells), questions, Limits(cell_seconds=2))
    assert answers.outcomes["double"][0]["value"] == 8
    asked = answers.outcomes["masked_softmax"]
    assert (asked is None or asked[0]["status"] == "timeout") == (body != "return scores")
