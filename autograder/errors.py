"""The one kind of error that a user caused and can mend: its text says how."""

from __future__ import annotations


class CourseError(Exception):
    """Something the user can mend; the command prints the sentence and exits with status 1."""
