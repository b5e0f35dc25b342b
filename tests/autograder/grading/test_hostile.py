"""One class of hostile, damaged and honest submissions: each gets what it earned, and the reason."""

from __future__ import annotations

import re

import nbformat
import pytest
from hostile import (
    ANSWERS,
    CALLS,
    DAMAGED,
    EDITED,
    FATAL,
    PATCHES,
    RESTARTED,
    SURVIVED,
    hostile_submissions,
)

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.fault_log import FOLDER
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading.grading_log import read_notes
from autograder.grading.verdicts import read_verdicts
from autograder.pages.feedback import write_feedback
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
FILES = (
    *(
        "empty_folder",
        "cut",
        "no_bytes",
        "no_cells",
        "no_notebook",
        "merge_conflict",
        "web_page",
        "bracket_bomb",
        "array_bomb",
        "format_5",
    ),
    *("other_name", "a_folder", "a_link", "files_beside"),
)
ALL = [*PATCHES, *ANSWERS, *SURVIVED, *RESTARTED, *FATAL, *CALLS, *EDITED, *DAMAGED, *FILES]
#: One for each way to lie, to harm and to be damaged; the rest varies them.
FEW = (
    *("patched_answer", "forged_verdict", "equals_everything", "recorded_answers"),
    *("print_flood", "kills_everybody", "takes_all_memory", "endless_call"),
    *("skipped_checks", "replaced_checks", "raised_points"),
    *("markup_in_its_error", "merged", "cut", "a_link", "files_beside"),
)
REST = [name for name in ALL if name not in FEW]

pytestmark = pytest.mark.skipif(
    not is_available(), reason="this machine cannot box processes; see `autograder doctor`"
)


@pytest.fixture(scope="module")
def make_room(make_small_course, tmp_path_factory):
    """Makes a graded class: the course, its hostile submissions and what grading gave."""

    def make(names):
        course = make_small_course(tmp_path_factory.mktemp("hostile"))
        catalogue = hostile_submissions(course, NAME)
        hostile = {name: catalogue[name] for name in names}
        for number, (name, submission) in enumerate(hostile.items()):
            submission.write(course.root / "submitted" / name / NAME)
            if number % 5 == 0:
                path = course.root / "submitted" / f"{name}_honest" / NAME / f"{NAME}.ipynb"
                path.parent.mkdir(parents=True)
                nbformat.write(filled(Assignment(course, NAME)), path)
        graded = grade_class(course, NAME, options=Options(cell_seconds=5))
        assert not (course.root / FOLDER).exists()  # what they do is no fault of the grader's
        return course, hostile, graded

    return make


@pytest.fixture(scope="module")
def few(make_room):
    return make_room(FEW)


@pytest.fixture(scope="module")
def rest(make_room):
    return make_room(REST)


@pytest.fixture(params=["few", pytest.param("rest", marks=pytest.mark.slow)])
def room(request):
    return request.getfixturevalue(request.param)


def scores(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)}


def autograded(course, student):
    return nbformat.read(
        course.root / "autograded" / student / NAME / f"{NAME}.ipynb", as_version=4
    )


def test_the_list_names_the_whole_catalogue(small_course):
    assert sorted(ALL) == sorted(hostile_submissions(small_course, NAME))


@pytest.mark.parametrize("name", FEW)
def test_it_gets_what_it_earned_and_the_reason(few, name):
    require_what_it_earned(few, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", REST)
def test_each_variant_gets_what_it_earned_and_the_reason(rest, name):
    require_what_it_earned(rest, name)


def require_what_it_earned(room, name):
    course, hostile, graded = room
    submission = hostile[name]
    (verdict,) = graded.verdicts[name]
    words = " ".join([verdict.headline, *(group.reason for group in verdict.groups)])
    assert verdict.points == submission.earned, words
    assert scores(course)[name] == submission.earned
    assert re.search(submission.reason, words)
    assert verdict.passed or verdict.headline
    notebook = autograded(course, name)
    assert read_verdicts(notebook) == [verdict]
    if submission.repaired:
        repairs = [repair.what for repair in read_notes(notebook).repairs]
        assert any(submission.repaired in what for what in repairs), repairs


def test_the_rest_of_the_class_is_untouched(room):
    course, _, graded = room
    honest = {student: 3 for student in graded.verdicts if student.endswith("_honest")}
    assert len(honest) >= 4
    assert {s: p for s, p in scores(course).items() if s in honest} == honest


def test_nothing_of_the_machine_is_copied_by_a_link(few):
    course = few[0]
    copied = {path.name for path in (course.root / "autograded" / "files_beside").rglob("*")}
    assert {"torch.py", "gradebook.db"} <= copied
    assert not {"link", "class", "dangling", "timestamp.txt"} & copied


def test_every_submission_gets_a_feedback_page_which_runs_none_of_its_markup(few):
    course, hostile, _ = few
    assert len(write_feedback(course, NAME)) >= len(hostile)
    page = course.root / "feedback" / "markup_in_its_error" / NAME / f"{NAME}.html"
    verdict = page.read_text().partition("ValueError")[2]
    assert "<script>alert(1)" not in verdict
    page = course.root / "feedback" / "cut" / NAME / f"{NAME}.html"
    assert "cut off or damaged" in page.read_text()


@pytest.mark.slow
def test_each_variant_gets_a_feedback_page(rest):
    course, hostile, _ = rest
    assert len(write_feedback(course, NAME)) >= len(hostile)


def test_no_output_is_larger_than_allowed(room):
    for student in {"display_flood", "print_flood", "json_bomb"} & set(room[1]):
        notebook = autograded(room[0], student)
        assert "OutputLimit" in str(notebook)
        assert len(str(notebook)) < 30 * 2**20


@pytest.mark.slow
def test_a_long_reply_adds_little_to_a_notebook(rest):
    assert len(str(autograded(rest[0], "long_reply"))) < 2**20


def test_tricks_are_noted_for_whoever_reads_the_notebook(few):
    course = few[0]
    noted = {
        name: " ".join(read_notes(autograded(course, name)).suspicions)
        for name in ("patched_answer", "skipped_checks", "raised_points", "replaced_checks")
    }
    assert "coursekit.checking" in noted["patched_answer"]
    assert "skip-execution" in noted["skipped_checks"]
    assert "had been changed" in noted["raised_points"]
    assert "had been edited" in noted["replaced_checks"]
