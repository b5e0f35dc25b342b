"""Limit on the time that a block of code takes, independent of how busy the machine is.

Processor time decides. What waits without computing (a lock, `input`, a long sleep) has a limit of
its own, on the time in which it had nothing to do: time in which it waited for a processor does not
count.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: A block that waits may be idle for this many times its processor time.
PATIENCE = 3
#: Seconds between two looks at the clocks.
_TICK = 0.25
_THREADS = Path("/proc/self/task")


class TimeUp(BaseException):
    """Exception raised in a block that ran out of time.

    No `Exception`, so that a broad ``except Exception`` in a student's code does not catch it.
    """


def _waited_for_a_processor() -> float:
    """Return the seconds that this process's threads were ready but had no core; Linux only."""
    total = 0
    with contextlib.suppress(OSError, ValueError):
        for thread in _THREADS.iterdir():
            with contextlib.suppress(OSError, IndexError):  # a thread may just have ended
                total += int((thread / "schedstat").read_text().split()[1])
    return total / 1e9


@dataclass(frozen=True)
class Clocks:
    """Clocks that a limit reads, each a function without arguments that returns seconds.

    Attributes
    ----------
    thread : callable
        The processor time of the calling thread.
    process : callable
        The processor time of all threads together.
    queued : callable
        The time that these threads waited for a processor; always 0 where the system does not say.
    wall : callable
        The time on the wall, from any start.
    """

    thread: Callable[[], float] = time.thread_time
    process: Callable[[], float] = time.process_time
    queued: Callable[[], float] = _waited_for_a_processor
    wall: Callable[[], float] = time.monotonic


class Watch:
    """Stopwatch that polls the clocks, and tells when a block's time is up.

    Between two looks the block was idle for the time on the wall less the time in which a thread of
    the process computed or waited for a processor. A look that comes much too late counts as one in
    time: then the process was stopped, or starved on a system that does not measure it.

    Parameters
    ----------
    seconds : float
        The processor time that the calling thread may take.
    tick : float
        The seconds between two looks.
    clocks : Clocks
        What it reads.
    """

    def __init__(self, seconds: float, tick: float, clocks: Clocks) -> None:
        self._seconds, self._tick, self._clocks = seconds, tick, clocks
        self._end = clocks.thread() + seconds
        self._idle = 0.0
        self._last: tuple[float, float] | None = None

    def look(self) -> str:
        """Return the reason why the time is up, or "" if it is not."""
        clocks = self._clocks
        if clocks.thread() >= self._end:
            return f"no answer after {self._seconds:g} seconds of computing"
        wall, busy = clocks.wall(), clocks.process() + clocks.queued()
        if self._last is not None:
            passed = min(wall - self._last[0], 2 * self._tick)
            self._idle += max(0.0, passed - (busy - self._last[1]))
        self._last = wall, busy
        patience = PATIENCE * self._seconds
        return f"no answer after {patience:g} seconds" if self._idle >= patience else ""


@contextlib.contextmanager
def time_limit(
    seconds: float, error: type[BaseException] = TimeUp, clocks: Clocks | None = None
) -> Iterator[None]:
    """Raise `error` in the block after `seconds` of this thread's processor time.

    It is also raised when the process was idle for three times as long. It interrupts Python code,
    not a single call of a library's compiled code. Off the main thread, and on a system without
    Unix's interval timers, nothing is limited. While a limit in a block of another one runs, only
    the inner one counts.

    Parameters
    ----------
    seconds : float
        The processor time.
    error : type of BaseException
        The exception, made with one sentence.
    clocks : Clocks, optional
        What to measure with; the system's clocks if left out.

    Raises
    ------
    BaseException
        An `error`, when the time is up.
    """
    possible = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not possible:
        yield
        return
    tick = min(_TICK, seconds / 4)
    watch = Watch(seconds, tick, clocks or Clocks())

    def on_alarm(number: int, frame: object) -> None:
        if reason := watch.look():
            raise error(reason)

    mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    before = signal.signal(signal.SIGALRM, on_alarm)
    # The signal repeats after the end, too: a broad `except` in the block may swallow one.
    timer = signal.setitimer(signal.ITIMER_REAL, tick, tick)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
