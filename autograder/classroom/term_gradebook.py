"""The gradebook of a term: all assignments on one page and in one CSV file.

All numbers come from nbgrader's gradebook.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from autograder.classroom.export import Grade, grades
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.escaping import for_spreadsheet
from autograder.gradebook.class_folder import Classroom
from autograder.pages.templating import environment, number
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"
#: A student has fallen behind who lies this far below their own earlier share of the points, ...
_DROP = 0.2
#: ... or has not handed in so many of the last assignments, or has less than this share of all.
_MISSED, _LOW = 2, 0.5


@dataclass(frozen=True)
class Row:
    """One student's term.

    Attributes
    ----------
    grades : tuple of (Grade or None)
        One per assignment, in order; None for what was not handed in or has no score.
    max_scores : tuple of float
        What each assignment is worth for the class; less for a student with a withdrawn exercise.
    not_graded : frozenset of int
        Numbers of the assignments that were handed in and have no score; they do not count.
    """

    student: str
    grades: tuple[Grade | None, ...]
    max_scores: tuple[float, ...]
    not_graded: frozenset[int] = frozenset()

    @property
    def points(self) -> float:
        """Sum of the scores."""
        return sum(grade.score for grade in self.grades if grade)

    @property
    def share(self) -> float:
        """Share of the points of all assignments; what was not handed in counts as 0."""
        return self.points / self.most if self.most else 0.0

    @property
    def most(self) -> float:
        """The points possible in all assignments, without those that have no score yet."""
        return sum(most for i, most in enumerate(self.own_most) if i not in self.not_graded)

    @property
    def own_most(self) -> tuple[float, ...]:
        """The points possible for this student, by assignment."""
        return tuple(
            grade.max_score if grade else most for grade, most in zip(self.grades, self.max_scores)
        )

    @cached_property
    def shares(self) -> tuple[float | None, ...]:
        """Share of the points by assignment; None for what has no score."""
        return tuple(
            grade.score / most if grade and most else None
            for grade, most in zip(self.grades, self.own_most)
        )

    @property
    def known(self) -> list[tuple[int, float]]:
        """Number of the assignment and share, for what was handed in."""
        return [(i, share) for i, share in enumerate(self.shares) if share is not None]

    @property
    def late(self) -> int:
        """Number of late submissions."""
        return sum(bool(grade and grade.late) for grade in self.grades)

    @property
    def missing(self) -> int:
        """Number of assignments that were not handed in."""
        return sum(grade is None for grade in self.grades) - len(self.not_graded)

    @property
    def trend(self) -> float | None:
        """The last share minus the mean of the earlier ones; None with less than two."""
        known = [share for _, share in self.known]
        return known[-1] - float(np.mean(known[:-1])) if len(known) > 1 else None

    def behind(self) -> str:
        """Say why the student may have fallen behind, in a few words, or ""."""
        missing = [
            grade is None and i not in self.not_graded for i, grade in enumerate(self.grades)
        ]
        if missing and all(missing):
            return "has not handed in anything"
        if len(missing) >= _MISSED and all(missing[-_MISSED:]):
            return f"has not handed in the last {_MISSED} assignments"
        if self.trend is not None and self.trend <= -_DROP:
            return f"is {round(-100 * self.trend)}% below the earlier assignments"
        if self.share < _LOW and len(self.not_graded) < len(self.grades):
            return f"has {round(100 * self.share)}% of all points"
        return ""


@dataclass
class Term:
    """All graded assignments of a class.

    Attributes
    ----------
    assignments : list of str
        Those that have grades, in order.
    rows : list of Row
        One per student, by name.
    """

    assignments: list[str]
    rows: list[Row] = field(default_factory=list)

    @property
    def max_scores(self) -> tuple[float, ...]:
        """The points possible for the class, by assignment."""
        return self.rows[0].max_scores

    def means(self) -> list[float | None]:
        """Return the mean share of the points by assignment, of those who handed it in."""
        found: list[float | None] = []
        for index in range(len(self.assignments)):
            own = [row.shares[index] for row in self.rows]
            known = [share for share in own if share is not None]
            found.append(float(np.mean(known)) if known else None)
        return found

    def behind(self) -> list[Row]:
        """Return the students who may have fallen behind, the lowest share first."""
        return sorted((row for row in self.rows if row.behind()), key=lambda row: row.share)


def read_term(course: Course, folder: Path | None = None) -> Term:
    """Read the term of a class from its gradebook.

    Raises
    ------
    ClassError
        Nothing is graded yet.
    """
    found: dict[str, dict[str, Grade]] = {}
    waiting: list[set[str]] = []
    classroom = Classroom(course, folder)
    students = set(classroom.members())
    for assignment in course.assignments():
        try:
            given = grades(course, assignment, folder)
        except ClassError:  # nothing of it is graded yet
            continue
        found[assignment] = {grade.student: grade for grade in given}
        waiting.append(set(classroom.students(assignment)) - found[assignment].keys())
    if not found:
        raise ClassError(
            f"nothing is graded yet; run {classroom.command('grade ASSIGNMENT')} first."
        )
    most = tuple(max(grade.max_score for grade in own.values()) for own in found.values())
    rows = [
        Row(
            student,
            tuple(own.get(student) for own in found.values()),
            most,
            frozenset(i for i, those in enumerate(waiting) if student in those),
        )
        for student in sorted(students, key=str.casefold)
    ]
    return Term(list(found), rows)


def write_term(
    course: Course, folder: Path | None = None, output: Path | None = None
) -> tuple[Path, Path]:
    """Write the page and, beside it, the CSV file; return their paths.

    Parameters
    ----------
    output : Path, optional
        The page; reports/gradebook.html in the class's folder if None.

    Raises
    ------
    CourseError
        Nothing is graded yet, or a file cannot be written.
    """
    term = read_term(course, folder)
    page = output or Classroom(course, folder).folder / "reports" / "gradebook.html"
    table = page.with_suffix(".csv")
    try:
        write_atomically(page, as_html(term).encode(), private=True)
        write_atomically(table, as_csv(term).encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {page.parent}: {error.strerror}.") from error
    return page, table


def as_html(term: Term) -> str:
    """Return the page as a single file, without scripts or external resources."""
    return environment(_TEMPLATES).get_template("gradebook.html").render(term=term)


def as_csv(term: Term) -> str:
    """Return a CSV row per student: points by assignment, total, late and missing submissions."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", *term.assignments, "total", "max", "late", "missing"])
    for row in term.rows:
        points = ["" if grade is None else number(grade.score) for grade in row.grades]
        for index in row.not_graded:
            points[index] = "not graded"
        total = [number(row.points), number(row.most), row.late, row.missing]
        writer.writerow([for_spreadsheet(row.student), *points, *total])
    return out.getvalue()
