"""Typed answers: how they are written, and what an author is told about malformed ones."""

import re

import pytest

from autograder.course.assignment import Assignment
from autograder.course.typed_answers import typed_answers
from autograder.errors import CourseError


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
