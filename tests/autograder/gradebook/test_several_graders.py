"""Several graders: equal shares, and their gradebooks brought together without a loss."""

import shutil

import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook

from autograder.classroom.grading_shares import share_out
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import ClassError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.merge_gradebooks import merge
from autograder.gradebook.own_tables import GradedAnswer
from autograder.gradebook.withdraw import reinstate, withdraw

NAME, EXERCISE = "07_topic", "average_topic"


@pytest.fixture
def room(graded_class, tmp_path):
    """A class of three; each answer waits for a person."""
    course = Course(shutil.copytree(graded_class.root, tmp_path / "course"))
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        for student in ("ada", "bob", "cem"):
            book.find_grade(f"check_{EXERCISE}", NAME, NAME, student).needs_manual_grade = True
        book.db.commit()
    return Classroom(course)


@pytest.fixture
def copy(room, tmp_path):
    """A grader's copy of the gradebook, by name."""
    return lambda who: shutil.copy(room.database, tmp_path / f"{who}.db")


def grade(database, student, points=None, comment=None, extra=None):
    with Gradebook(f"sqlite:///{database}") as book:
        row = book.find_grade(f"check_{EXERCISE}", NAME, NAME, student)
        if points is not None:
            row.manual_score, row.needs_manual_grade = points, False
        row.extra_credit = extra
        book.find_comment(EXERCISE, NAME, NAME, student).manual_comment = comment
        book.db.commit()


def found(room, student):
    with Gradebook(f"sqlite:///{room.database}") as book:
        row = book.find_grade(f"check_{EXERCISE}", NAME, NAME, student)
        comment = book.find_comment(EXERCISE, NAME, NAME, student).manual_comment
        return row.manual_score, row.extra_credit, row.needs_manual_grade, comment


def test_the_points_and_comments_of_all_graders_come_together(room, copy, tmp_path):
    one, two = copy("one"), copy("two")
    grade(one, "ada", 2, "Good.")
    grade(two, "bob", 1, "See me.", extra=0.5)
    grade(room.database, "cem", 0, "Nothing here.")
    merged = merge(room, [one, two])
    assert (merged.scores, merged.comments, merged.conflicts) == (3, 2, [])
    assert found(room, "ada") == (2, None, False, "Good.")
    assert found(room, "bob") == (1, 0.5, False, "See me.")
    assert found(room, "cem") == (0, None, False, "Nothing here.")
    again = merge(room, [one, two])
    assert (again.scores, again.comments) == (0, 0)


def test_different_points_are_a_conflict_and_two_comments_are_both_kept(room, copy, monkeypatch):
    one = copy("one")
    grade(one, "ada", 2, "Good.")
    grade(room.database, "ada", 3, "Very good.")
    monkeypatch.chdir(room.course.root)
    result = CliRunner().invoke(main, ["merge", str(one)])
    assert result.exit_code == 1
    assert "3 points here, 2 in" in result.output
    assert found(room, "ada") == (3, None, False, "Very good.\n\nGood.")


def test_points_for_an_answer_that_has_changed_since_wait_for_a_person(room, copy):
    one = copy("one")
    grade(one, "ada", 2)
    with Gradebook(f"sqlite:///{room.database}") as book:
        row = book.find_grade(f"check_{EXERCISE}", NAME, NAME, "ada")
        book.db.get(GradedAnswer, row.id).digest = "another"
        book.db.commit()
    merge(room, [one])
    assert found(room, "ada") == (2, None, True, None)


def test_points_for_what_is_withdrawn_here_come_back_with_it(room, copy):
    one = copy("one")
    grade(one, "ada", 2)
    withdraw(room, EXERCISE, "flawed")
    assert merge(room, [one]).scores == 1
    assert found(room, "ada")[0] == 0
    reinstate(room, EXERCISE)
    assert found(room, "ada")[0] == 2


def test_no_gradebook_and_the_own_one_are_refused(room, tmp_path):
    with pytest.raises(ClassError, match="there is no gradebook"):
        merge(room, [tmp_path])
    with pytest.raises(ClassError, match="own gradebook"):
        merge(room, [room.folder])


def test_shares_are_equal_and_stay_when_more_is_handed_in(room):
    first, path = share_out(room, NAME, ["kim", "lee"])
    assert sorted(map(len, first.values())) == [1, 2]
    grade(room.database, "ada", 2)
    second, _ = share_out(room, NAME, ["kim", "lee"])
    assert second == first
    alone, _ = share_out(room, NAME, ["lee"])
    assert alone == {"lee": ["ada", "bob", "cem"]}
    assert path.read_text().startswith("student,grader\n")
