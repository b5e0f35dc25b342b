"""The error for problems that the user can fix; its message says how."""

from __future__ import annotations


class CourseError(Exception):
    """A problem the user can fix; the command prints the message and exits with its status."""

    status = 1


class TookTooLong(Exception):
    """A step of the grader's own took more time than it may."""


class Stopped(CourseError):
    """The user pressed ctrl-C; the message says what is kept. The exit status is a shell's."""

    status = 130
