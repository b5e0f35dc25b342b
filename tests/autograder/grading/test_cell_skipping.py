"""Leaving out the cells that only show something never costs a point, whatever a student writes."""

import nbformat
import pytest
from checkout import ROOT

from autograder.authoring.release import release
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.grading import worker_pool
from autograder.grading.cell_skipping import (
    TAG,
    _may_define,
    mark_left_out,
    needs_every_cell,
    shown_cells,
)
from autograder.grading.grade_submission import (
    BRIEFLY,
    Task,
    _better,
    _replaced,
    finish,
    run_and_judge,
)
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers
from autograder.grading.sanitize import sanitize
from coursekit.checking.verdict import Verdict

FIRST, *REST = Course(ROOT).assignments()
NAME = "07_topic"
EXERCISE = "average_topic"
SHOWS = "print(average_topic(torch.ones(1, 2), torch.ones(1, 2, dtype=torch.bool)))"


@pytest.fixture(scope="module")
def course(make_small_course, tmp_path_factory):
    """A course whose notebook calls the student's function in a cell that only shows the result."""
    course = make_small_course(tmp_path_factory.mktemp("left_out"))
    path = course.solution(NAME)
    notebook = read(path)
    place = next(i for i, c in enumerate(notebook.cells) if c.source.startswith("check("))
    notebook.cells.insert(place, nbformat.v4.new_code_cell(SHOWS))
    nbformat.write(notebook, path)
    release(course, [NAME])
    return course


@pytest.fixture(scope="module")
def task(course):
    return Task.of(Assignment(course, NAME), 1, Limits(cell_seconds=30))


@pytest.fixture
def grade(course, task, monkeypatch):
    """Grades a notebook; the verdict, and whether cells were left out in each of its runs."""
    runs = []
    original = worker_pool.run_notebook

    def counted(notebook, *rest):
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        runs.append(any(cell.metadata.get("coursekit_left_out") for cell in code))
        return original(notebook, *rest)

    monkeypatch.setattr(worker_pool, "run_notebook", counted)

    def grade(submission):
        notebook, _ = sanitize(submission, task.release)
        run = worker_pool.Serial(task.questions).start
        notebook, (verdict,), _ = finish(run_and_judge(notebook, task, run))
        return verdict, runs, notebook

    return grade


RIGHT = "(scores * mask).sum(1) / mask.sum(1).clamp(min=1)"
#: Answers that are right only after the cell between answer and check has called them once.
DEPENDENT = {
    "registry": ("seen = {}", "seen.setdefault('calls', []).append(1)", "len(seen['calls']) > 1"),
    "folder": (
        "from pathlib import Path",
        "ready = Path('cache').exists(); Path('cache').mkdir(exist_ok=True)",
        "ready",
    ),
    "logger": (
        "import logging\nlog = logging.getLogger('mine')",
        "ready = bool(log.handlers); log.addHandler(logging.NullHandler())",
        "ready",
    ),
    "attrgetter": (
        "from operator import attrgetter",
        "ready = hasattr(average_topic, 'calls'); setattr(average_topic, 'calls', 1)",
        "ready and attrgetter('calls')(average_topic)",
    ),
    "atexit": (
        "import atexit",
        "ready = atexit._ncallbacks() > average_topic.before; atexit.register(print)",
        "ready",
    ),
}


@pytest.mark.parametrize("kind", DEPENDENT)
def test_an_answer_that_depends_on_a_cell_left_out_gets_every_point(course, grade, kind):
    before, during, ready = DEPENDENT[kind]
    source = (
        f"{before}\ndef average_topic(scores, mask):\n    {during}\n"
        f"    return {RIGHT} if {ready} else scores\n"
    )
    if kind == "atexit":
        source += "average_topic.before = atexit._ncallbacks()"
    verdict, runs, _ = grade(filled(Assignment(course, NAME), {EXERCISE: source}))
    assert verdict.passed, verdict.headline
    assert runs == [True, False]


def test_a_right_answer_runs_once_and_its_page_says_which_cell_was_not_run(course, grade):
    verdict, runs, notebook = grade(filled(Assignment(course, NAME)))
    assert verdict.passed
    assert runs == [True]
    cell = next(cell for cell in notebook.cells if cell.source == SHOWS)
    assert "Not run while grading" in cell.outputs[0].text


def test_a_wrong_answer_that_no_cell_left_out_can_change_is_not_run_again(course, grade):
    assignment = Assignment(course, NAME)
    wrong = assignment.exercises[EXERCISE].misconceptions[0]
    verdict, runs, _ = grade(filled(assignment, {EXERCISE: assignment.typed(wrong)}))
    assert verdict.misconception == wrong.name
    assert runs == [True]


def test_a_wrong_answer_that_may_depend_on_a_cell_left_out_runs_again_and_stays_wrong(
    course, grade
):
    assignment = Assignment(course, NAME)
    wrong = assignment.exercises[EXERCISE].misconceptions[0]
    answer = f"counts = {{}}\n{assignment.typed(wrong)}\n    counts['calls'] = 1\n"
    verdict, runs, notebook = grade(filled(assignment, {EXERCISE: answer}))
    assert verdict.misconception == wrong.name
    assert runs == [True, False]
    cell = next(cell for cell in notebook.cells if cell.source == SHOWS)
    assert "Not run while grading" in cell.outputs[0].text  # its brief output would mislead


LARGE = """
from coursekit.checking import codec
seen = {}
def average_topic(scores, mask):
    codec.Encoder.__init__.__defaults__ = (2**40, 2**40)
    seen["calls"] = 1
    return [[1.5] * 1000] * 1000
"""


def test_an_answer_larger_than_any_right_one_is_not_run_again(course, grade):
    verdict, runs, _ = grade(filled(Assignment(course, NAME), {EXERCISE: LARGE}))
    assert verdict.headline == (
        "no points, because what it returned is many times larger than any right answer"
    )
    assert runs == [True]


#: The cell that only shows something calls this with one row, the check with more.
SLOW = """
import time
seen = []
def average_topic(scores, mask):
    if scores.shape == (1, 2):
        {before}
        end = time.process_time() + 1
        while time.process_time() < end:
            pass
        {after}
    return (scores * mask).sum(1) / mask.sum(1).clamp(min=1) if seen else scores
"""


@pytest.fixture
def a_fifth_of_a_second(monkeypatch):
    monkeypatch.setitem(BRIEFLY, "shown_seconds", 0.2)


def test_a_slow_cell_that_only_shows_is_cut_off_and_what_it_had_done_counts(
    course, grade, a_fifth_of_a_second
):
    answer = SLOW.format(before="seen.append(1)", after="")
    verdict, runs, notebook = grade(filled(Assignment(course, NAME), {EXERCISE: answer}))
    assert verdict.passed, verdict.headline
    assert runs == [True, False]
    cell = next(cell for cell in notebook.cells if cell.source == SHOWS)
    assert "stopped after 0.2 seconds of processor time" in cell.outputs[-1].text


def test_an_answer_that_needs_the_rest_of_a_cell_that_was_cut_off_gets_every_point(
    course, grade, a_fifth_of_a_second
):
    answer = SLOW.format(before="", after="seen.append(1)")
    verdict, runs, _ = grade(filled(Assignment(course, NAME), {EXERCISE: answer}))
    assert verdict.passed, verdict.headline
    assert runs == [True, False, False]


@pytest.mark.parametrize(
    ("before", "now", "came_back", "counts"),
    [(2, 1, True, 2), (1, 2, True, 2), (1, 1, True, 1), (1, 0, False, 1), (0, 0, False, 0)],
)
def test_the_better_verdict_of_two_runs_counts(before, now, came_back, counts):
    first, second = (Verdict("f", points, 3.0, []) for points in (before, now))
    answers = Answers({"f": [] if came_back else None})
    (verdict,) = _replaced([first], _better([first], [second], answers))
    assert verdict.points == counts
    assert (verdict is second) == (came_back and now >= before)


def test_a_todo_as_released_is_not_run_again(course, grade):
    verdict, runs, _ = grade(filled(Assignment(course, NAME), {EXERCISE: None}))
    assert verdict.stage == "missing"
    assert runs == [True]


def test_an_answer_in_another_cell_that_needs_a_cell_left_out_is_found(course, grade):
    notebook = filled(Assignment(course, NAME), {EXERCISE: None})
    own = f"torch.float32\naverage_topic = lambda scores, mask: {RIGHT} if Path else None"
    place = next(i for i, c in enumerate(notebook.cells) if c.source.startswith("check("))
    notebook.cells.insert(place, nbformat.v4.new_code_cell(own))
    verdict, runs, _ = grade(notebook)
    assert verdict.passed, verdict.headline  # `Path` is imported by the set-up cell only
    assert runs == [True, False]


def test_a_cell_that_a_student_changed_is_always_run(course, task):
    notebook, _ = sanitize(filled(Assignment(course, NAME)), task.release)
    cell = next(cell for cell in notebook.cells if cell.source == SHOWS)
    cell.source += "  # mine"
    mark_left_out(notebook, task.release)
    assert "coursekit_left_out" not in cell.metadata


def test_a_student_cannot_have_cells_left_out(course, task):
    notebook, _ = sanitize(filled(Assignment(course, NAME)), task.release)
    for cell in notebook.cells:
        cell.metadata["tags"] = [TAG]
        cell.metadata["coursekit_left_out"] = True
    mark_left_out(notebook, task.release)
    answer = next(c for c in notebook.cells if c.source.startswith("def average_topic"))
    assert "coursekit_left_out" not in answer.metadata


@pytest.mark.parametrize(("new", "whole"), [("markdown", False), ("code", True)])
def test_only_code_that_is_graded_by_hand_may_need_every_cell(course, task, new, whole):
    notebook, _ = sanitize(filled(Assignment(course, NAME)), task.release)
    cell = getattr(nbformat.v4, f"new_{new}_cell")("mine")
    cell.metadata["nbgrader"] = {"grade": True, "solution": True, "grade_id": "why"}
    notebook.cells.append(cell)
    mark_left_out(notebook, task.release)
    shows = next(cell for cell in notebook.cells if cell.source == SHOWS)
    assert ("coursekit_left_out" not in shows.metadata) == whole


@pytest.mark.parametrize("assignment", Course(ROOT).assignments())
def test_cells_of_every_assignment_are_left_out(assignment):
    shared = read(Course(ROOT).notebook(assignment))
    mark_left_out(shared, shared)
    assert sum(cell.metadata.get("coursekit_left_out", False) for cell in shared.cells) > 0


def test_nothing_wrong_or_nothing_left_out_needs_no_second_run(course, task):
    notebook, _ = sanitize(filled(Assignment(course, NAME)), task.release)
    mark_left_out(notebook, task.release)
    shown = shown_cells(notebook)
    assert needs_every_cell(notebook, task.release, [], Answers(), shown) is None


@pytest.mark.parametrize("word", ["for ", "def softmax ", "\n", " "])
def test_looking_for_a_definition_takes_time_in_proportion_to_the_text(word):
    assert not _may_define(word * 300_000, "average_topic")


@pytest.mark.parametrize(
    "assignment",
    # nbval runs the cells of every notebook with all data and little training
    [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)],
)
def test_every_cell_runs_with_little_data_and_training(assignment):
    """Otherwise a second run would lack what a cell defines that stops half-way."""
    course = Course(ROOT)
    notebook = filled(Assignment(course, assignment))
    for cell in notebook.cells:
        cell.metadata["coursekit_left_out"] = bool(cell.metadata.get("nbgrader", {}).get("grade"))
    # on a busy machine a cell may take more than a minute
    limits = Limits(cell_seconds=600, notebook_seconds=1200, **BRIEFLY)
    worker_pool.run_notebook(notebook, {}, limits)
    stopped = [
        (cell.source, output.evalue)
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    ]
    assert stopped == []
