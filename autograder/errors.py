"""What can go wrong, by who can do something about it; a caller catches the kind that it can handle.

The messages of `CourseError` and its kinds say how to fix the problem. What is none of them is a fault
of this tool: see `GraderFault`.
"""

from __future__ import annotations

import queue
import traceback
from pathlib import Path


class CourseError(Exception):
    """A problem the user can fix; the command prints the message and exits with its status."""

    status = 1


class AuthorError(CourseError):
    """The files of a course do not fit together: a notebook, an exercise, an edit."""


class AnswerError(AuthorError):
    """An answer in the course's files cannot be run, or an edit does not apply to its reference."""


class ClassError(CourseError):
    """The folder of a class lacks something, such as submissions or grades."""


class MachineError(CourseError):
    """The state of this machine, or of one it uses: no sandbox, a full disk, a lost worker."""


class TookTooLong(Exception):
    """A step of the grader's own took more time than it may."""


class Stopped(CourseError):
    """The user pressed ctrl-C; the message says what is kept. The exit status is a shell's."""

    status = 130


class GraderFault(Exception):
    """A fault of this tool, which costs no student a point; the message says where its traceback is."""

    status = 2


#: What a line of this tool also raises, or lets through, because of a machine, a kernel or a user.
_OF_OTHERS = (CourseError, OSError, EOFError, MemoryError, RuntimeError, queue.Empty)


def is_own(error: BaseException) -> bool:
    """Whether an exception is a fault in a line of this tool, not in a library that it calls.

    For where a library raises many types because of what a student has handed in.
    """
    if isinstance(error, _OF_OTHERS):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(__file__).parent in Path(frames[-1].filename).parents
