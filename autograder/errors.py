"""The error for problems that the user can fix; its message says how."""

from __future__ import annotations


class CourseError(Exception):
    """A problem the user can fix; the command prints the message and exits with status 1."""
