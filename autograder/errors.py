"""The tool's exceptions, by who can do something about them; a caller catches what it can handle.

The messages of `CourseError` and its kinds say how to fix the problem. What is none of them is a fault
of this tool: see `GraderFault`.
"""

from __future__ import annotations

import queue
import traceback
from pathlib import Path


class CourseError(Exception):
    """Error that the user can fix; the command prints the message and exits with its status."""

    status = 1


class AuthorError(CourseError):
    """Error in a course's files that do not fit together: a notebook, an exercise, an edit."""


class AnswerError(AuthorError):
    """Error in an answer in the course's files: it cannot be run, or its edit does not apply."""


class ClassError(CourseError):
    """Error of a class's folder that lacks something, such as submissions or grades."""


class MachineError(CourseError):
    """Error in the state of this machine or one it uses: no sandbox, a full disk, a lost worker."""


class TookTooLong(Exception):
    """Timeout of one of the grader's own steps."""


class Stopped(CourseError):
    """Interruption by ctrl-C; the message says what is kept. The exit status is a shell's."""

    status = 130


class GraderFault(Exception):
    """A fault of this tool, which costs no student a point; the message says where its traceback is."""

    status = 2


#: What a line of this tool also raises, or lets through, because of a machine, a kernel or a user.
_OF_OTHERS = (CourseError, OSError, EOFError, MemoryError, RuntimeError, queue.Empty)


def is_own(error: BaseException) -> bool:
    """Tell whether an exception is a fault in a line of this tool, not in a library that it calls.

    For where a library raises many types because of what a student has handed in.
    """
    if isinstance(error, _OF_OTHERS):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and Path(__file__).parent in Path(frames[-1].filename).parents
