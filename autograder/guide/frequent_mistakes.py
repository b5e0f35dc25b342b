"""Frequency of misconceptions: in a graded class, else in the answers typed for the tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from autograder.classroom.report import NothingGraded, Report, read_class
from autograder.course.assignment import Assignment
from autograder.course.typed_answers import typed_answers
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom


@dataclass(frozen=True)
class Frequent:
    """Misconception with the number of times that it was seen."""

    exercise: str
    name: str
    hint: str
    count: int


@dataclass(frozen=True)
class Mistakes:
    """Misconceptions of an assignment, most frequent first.

    Attributes
    ----------
    source : str
        One sentence on who made them.
    """

    source: str
    frequent: list[Frequent]


def frequent_mistakes(assignment: Assignment, classroom: Classroom, most: int) -> Mistakes:
    """Return the most frequent misconceptions of a graded class, else of the typed answers."""
    hints = {
        (exercise.name, one.name): one.hint
        for exercise in assignment.exercises.values()
        for one in exercise.misconceptions
    }
    try:
        report = Report(assignment.name, read_class(classroom, assignment.name))
        found = Counter(
            {
                (exercise.name, one.name): len(one.students)
                for exercise in report.exercises
                for one in exercise.mistakes
            }
        )
        source = f"Students of this class who made it, of {len(report.ran)} whose work was run."
    except NothingGraded:
        try:
            wrong = typed_answers(assignment, "wrong")
        except CourseError:
            wrong = []
        found = Counter((one.exercise, one.misconception) for one in wrong if one.misconception)
        source = (
            f"No class is graded here: these are counts among {len(wrong)} wrong answers that were"
            " written from the student notebook for the course's tests, not by students."
        )
    frequent = [
        Frequent(exercise, name, hints.get((exercise, name), ""), count)
        for (exercise, name), count in found.most_common()
    ]
    return Mistakes(source, _spread(frequent, list(assignment.exercises))[:most])


def _spread(frequent: list[Frequent], exercises: list[str]) -> list[Frequent]:
    """Sort by frequency; among equals, take one of each exercise before a second of any."""
    seen: Counter[tuple[int, str]] = Counter()
    keyed = []
    for one in frequent:
        nth = seen[one.count, one.exercise]
        seen[one.count, one.exercise] += 1
        place = exercises.index(one.exercise) if one.exercise in exercises else len(exercises)
        keyed.append(((-one.count, nth, place), one))
    return [one for _, one in sorted(keyed, key=lambda pair: pair[0])]
