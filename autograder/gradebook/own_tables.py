"""The tool's own tables in nbgrader's gradebook, which nbgrader leaves alone.

They are created when a gradebook is opened, and go with it into every copy. One that only nbgrader
has opened has none of them.
"""

from __future__ import annotations

import sqlite3

from nbgrader.api import Base, Boolean, Column, Float, String


class GradedAnswer(Base):
    """The digest of the answer that a score belongs to.

    Attributes
    ----------
    grade : str
        The id of nbgrader's grade.
    digest : str
        The digest of the answer when it was last graded.
    """

    __tablename__ = "coursekit_graded_answer"

    grade = Column(String(32), primary_key=True)
    digest = Column(String(64), nullable=False)


class Withdrawal(Base):
    """A graded cell that does not count as usual, for everyone or for one student.

    Attributes
    ----------
    assignment, cell : str
        The names of the assignment and of the graded cell.
    student : str
        The student whom it concerns; "" for everyone.
    full_points : bool
        Whether it gives full points; otherwise it is out of the total.
    points : float
        The points of the cell in the release.
    reason : str
        The reason, as students read it.
    since : str
        The time of the withdrawal, in UTC.
    """

    __tablename__ = "coursekit_withdrawal"

    assignment = Column(String(128), primary_key=True)
    cell = Column(String(128), primary_key=True)
    student = Column(String(128), primary_key=True)
    full_points = Column(Boolean, nullable=False)
    points = Column(Float, nullable=False)
    reason = Column(String(1_000), nullable=False)
    since = Column(String(32), nullable=False)


class SetAside(Base):
    """An instructor's grade that is set aside while a withdrawal decides the points.

    Attributes
    ----------
    grade : str
        The id of nbgrader's grade.
    manual_score : float or None
        The points given by hand.
    needs_manual_grade : bool
        Whether the points are still to be given by hand.
    given : float
        The points that the withdrawal has given instead.
    """

    __tablename__ = "coursekit_set_aside"

    grade = Column(String(32), primary_key=True)
    manual_score = Column(Float)
    needs_manual_grade = Column(Boolean, nullable=False)
    given = Column(Float, nullable=False)


#: The names of these tables.
OWN_TABLES = frozenset(table.__tablename__ for table in (GradedAnswer, Withdrawal, SetAside))


def ask_points_by_hand(database: sqlite3.Connection) -> str:
    """Return the query for the number of points given by hand, without those of withdrawals."""
    name = SetAside.__tablename__
    query = "SELECT count(*) FROM grade WHERE manual_score IS NOT NULL"
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone():
        return query
    withdrawn = (
        f"SELECT grade FROM {name} WHERE manual_score IS NULL AND given = grade.manual_score"
    )
    return f"{query} AND id NOT IN ({withdrawn})"
