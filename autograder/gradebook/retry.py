"""Retries while this machine cannot store grades, as its disk is full or the gradebook locked.

No submission loses points for that, and a class that is graded overnight goes on afterwards.
"""

from __future__ import annotations

import errno
import sqlite3
import sys
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying
from tenacity.retry import retry_if_exception
from tenacity.stop import stop_after_delay
from tenacity.wait import wait_exponential
from tqdm.auto import tqdm

from autograder.errors import MachineError

_Result = TypeVar("_Result")

PATIENCE_SECONDS = 600.0
_MAX_PAUSE = 15.0
_NUMBERS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS),
    *(errno.ENFILE, errno.EMFILE, errno.ENOMEM),
}
#: Words of SQLite's messages on states that may pass; its other errors do not.
_WORDS = ("locked", "full", "disk I/O", "unable to open", "readonly")


def is_of_this_machine(error: BaseException) -> bool:
    """Tell whether an error comes from the state of this machine, not from a submission."""
    origin = getattr(error, "orig", error)  # SQLAlchemy wraps SQLite's errors
    if isinstance(origin, sqlite3.OperationalError):
        return any(word in str(origin) for word in _WORDS)
    return isinstance(origin, OSError) and origin.errno in _NUMBERS


def machine_error(error: BaseException | None) -> BaseException | None:
    """Return the error of this machine that led to `error`, which nbgrader hides; None if none."""
    while error is not None and not is_of_this_machine(error):
        error = error.__cause__ or error.__context__
    return error


def machine_problem(error: BaseException) -> str:
    """Return the message of the system or of SQLite on an error of this machine."""
    return str(getattr(error, "strerror", None) or getattr(error, "orig", error))


def patiently(action: Callable[[], _Result], seconds: float | None = None) -> _Result:
    """Call a function that stores grades; call it again while this machine cannot.

    Parameters
    ----------
    seconds : float, optional
        The time limit; None for `PATIENCE_SECONDS`.

    Raises
    ------
    MachineError
        Grades could not be stored within the time limit.
    """
    seconds = PATIENCE_SECONDS if seconds is None else seconds

    def say(state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        if error and state.attempt_number == 1:
            reason = machine_problem(error)
            tqdm.write(f"grades cannot be stored ({reason}); waiting ...", file=sys.stderr)

    try:
        return Retrying(
            retry=retry_if_exception(is_of_this_machine),
            wait=wait_exponential(max=_MAX_PAUSE),
            stop=stop_after_delay(seconds),
            before_sleep=say,
            reraise=True,
        )(action)
    except Exception as error:
        if not is_of_this_machine(error):
            raise
        raise MachineError(
            f"grades could not be stored for {seconds / 60:.0f} minutes ({machine_problem(error)}):"
            " free disk space, or close what locks the gradebook, and run the command again; it goes"
            " on from there."
        ) from error
