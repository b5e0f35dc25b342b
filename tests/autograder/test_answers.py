"""Answers as students would type them, written from the student notebooks alone.

They are in `exercises/NN_topic/answers/`; `autograder.course.typed_answers` says how they are written.
`python benchmarks/answers.py` judges them with class seeds and stores how many there are.
"""

import json
import re
from collections import Counter

import pytest
from checkout import ROOT, shared_assignment

from autograder.course.assignment import Assignment
from autograder.course.assignment import find as find_assignment
from autograder.course.helpers import Helpers
from autograder.course.layout import Course
from autograder.course.record_cases import record_reference
from autograder.course.typed_answers import typed_answers, verdict_on
from autograder.errors import CourseError
from coursekit.checking.stored_recordings import find, names

COURSE = Course(ROOT)
STYLES = 3  # right answers to each exercise, at least: typed here, or an alternative in its module
RESULTS = ROOT / "data" / "results" / "answers.json"


#: The typed answers of one assignment show that the checker works, those of all that they are right.
EACH = [
    pytest.param(name, marks=[] if name == "04_attention" else pytest.mark.proof)
    for name in COURSE.assignments()
]


@pytest.mark.parametrize("assignment", EACH)
def test_right_answers_in_any_style_pass_the_check(assignment):
    for answer in typed_answers(shared_assignment(assignment), "right"):
        verdict = verdict_on(shared_assignment(assignment), find(answer.exercise), answer.source)
        assert verdict.passed, (answer, verdict.headline, verdict.detail)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_right_answers_in_any_style_earn_full_points(assignment, seed):
    recorded = {}
    for answer in typed_answers(shared_assignment(assignment), "right"):
        name = answer.exercise
        if name not in recorded:
            recorded[name] = record_reference(shared_assignment(assignment), name, seed)
        verdict = verdict_on(shared_assignment(assignment), recorded[name], answer.source)
        assert verdict.passed, (answer, verdict.headline, verdict.detail)


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_every_exercise_has_right_answers_in_several_styles(assignment):
    found = typed_answers(shared_assignment(assignment), "right")
    styles = Counter(answer.exercise for answer in found)
    assert set(styles) == set(shared_assignment(assignment).exercises)
    for name, exercise in shared_assignment(assignment).exercises.items():
        assert styles[name] + len(exercise.alternatives) >= STYLES, name
    assert len({answer.source for answer in found}) == len(found)
    assert len({(answer.exercise, answer.words) for answer in found}) == len(found)


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_the_verdict_on_no_answer_depends_on_the_class_seed(assignment):
    stored = json.loads(RESULTS.read_text("utf-8"))[assignment]
    for kind in ("right", "wrong"):
        assert stored[kind] == len(typed_answers(shared_assignment(assignment), kind)), kind
    assert stored["seeds"] >= 3
    assert stored["right ones that lose points"] == []
    assert stored["wrong ones that lose none"] == []


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_no_right_answer_costs_a_point_in_the_exercises_that_call_it(assignment):
    stored = json.loads((RESULTS.parent / "carried.json").read_text("utf-8"))[assignment]
    helpers = Helpers(shared_assignment(assignment))
    called = {name for one in helpers.assignment.exercises for name in helpers.of(one)}
    origins = {name: find_assignment(COURSE, name).name for name in called & set(names())}
    assert stored["right answers to exercises that others call"] == sum(
        len(shared_assignment(origin).exercises[name].alternatives)
        + sum(one.exercise == name for one in typed_answers(shared_assignment(origin), "right"))
        for name, origin in origins.items()
    )
    assert stored["points lost elsewhere, right answers"] == []
    assert stored["points lost elsewhere, right helpers"] == 0


@pytest.mark.parametrize("assignment", EACH)
def test_wrong_answers_lose_points_and_get_the_hint_that_names_the_mistake(assignment):
    for answer in typed_answers(shared_assignment(assignment), "wrong"):
        verdict = verdict_on(shared_assignment(assignment), find(answer.exercise), answer.source)
        assert not verdict.passed, answer
        assert verdict.misconception == answer.misconception, (answer, verdict.headline)


@pytest.fixture
def answers_of(small_course):
    """Writes a file of typed answers to the exercise of the small course, and reads the wrong ones."""
    folder = small_course.cases("07_topic") / "answers"

    def read(**files):
        folder.mkdir(exist_ok=True)
        for kind, text in files.items():
            (folder / f"{kind}.py").write_text(text, "utf-8")
        return typed_answers(Assignment(small_course, "07_topic"), "wrong")

    return read


def test_a_wrong_answer_can_be_an_edit_of_a_right_one(answers_of):
    right = (
        "# %% average_topic: by hand\ndef average_topic(scores, mask):\n    return scores.sum()\n"
    )
    wrong = "# %% average_topic: twice\n# edits: by hand\n# - return scores.sum()\n# + return 2 * scores"
    (answer,) = answers_of(right=right, wrong=wrong)
    assert answer.source == "def average_topic(scores, mask):\n    return 2 * scores\n"
    with pytest.raises(CourseError, match="average_topic: twice: there is no right answer called"):
        answers_of(wrong=wrong.replace("by hand", "by heart"))
    with pytest.raises(
        CourseError, match=r"twice: `return scores.mean\(\)` is not in the solution"
    ):
        answers_of(wrong=wrong.replace("sum()", "mean()"))


def test_answers_that_are_missing_or_malformed_are_a_sentence(answers_of, small_course):
    (small_course.cases("07_topic") / "answers" / "wrong.py").unlink()
    with pytest.raises(CourseError, match=r"there is no exercises/07_topic/answers/wrong\.py"):
        answers_of()
    with pytest.raises(CourseError, match="begin every cell with `# %% EXERCISE: in words`"):
        answers_of(wrong="# %% average_topic\nx = 1\n")
    bars = (
        "`# %% average_topic: divides by {}`: a bar separates the words from the name of the miscon"
    )
    for title in ("the size of |V|", "|V|, twice | doubles", "twice the size|doubles"):
        with pytest.raises(CourseError, match=re.escape(bars.format(title))):
            answers_of(wrong=f"# %% average_topic: divides by {title}\nx = 1\n")
    (answer,) = answers_of(wrong="# %% average_topic: twice | doubles\nx = 1\n")
    assert (answer.words, answer.misconception) == ("twice", "doubles")
    with pytest.raises(CourseError, match="`averages: twice` answers no exercise of 07_topic"):
        answers_of(wrong="# %% averages: twice\nx = 1\n")
