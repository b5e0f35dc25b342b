"""This checkout, for all tests."""

from __future__ import annotations

import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def shared_assignment(name):
    """An assignment of this course, which all tests of a process share: none may change it."""
    from autograder.course.assignment import Assignment
    from autograder.course.layout import Course

    return Assignment(Course(ROOT), name)
