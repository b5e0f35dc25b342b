"""A limit for the grader's own work on one submission, which a submission might make endless."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

_AGAIN_SECONDS = 5.0  # if a library has swallowed the exception


class TookTooLong(Exception):
    """A step took more processor time than it may."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` in the block after `seconds` of this thread's processor time.

    It interrupts Python code, not a single call of a library's compiled code. Only the main thread
    has the limit, and only on Unix. Limits do not nest.
    """
    if not hasattr(signal, "setitimer") or (  # Windows has none
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    end = time.thread_time() + seconds

    def on_time(number: int, frame: object) -> None:
        left = end - time.thread_time()
        if left > 0:  # other threads have used the processor, too
            signal.setitimer(signal.ITIMER_PROF, max(left, 0.01), _AGAIN_SECONDS)
        else:
            _raise(seconds)

    before = signal.signal(signal.SIGPROF, on_time)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _raise(seconds: float) -> NoReturn:
    raise TookTooLong(f"it took more than {seconds:g} seconds of processor time")
