"""What surrounds the call of a student's function: a time limit, seeded random generators."""

from __future__ import annotations

import contextlib
import functools
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

#: A call that waits instead of computing ends after this many times its processor time.
_PATIENCE = 3
#: Seconds between two looks at the clock.
_TICK = 0.25


class TimeUp(BaseException):
    """Raised inside the student's code when a case runs out of time."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` after `seconds` of processor time, or three times as much wall time.

    Only the calling thread's processor time counts: an honest answer is not slower on a busy
    machine. Nothing is limited off the main thread or on a system without Unix's interval timers.
    """
    possible = hasattr(signal, "setitimer") and (
        threading.current_thread() is threading.main_thread()
    )
    if not possible:
        yield
        return
    worked_until = time.thread_time() + seconds
    waits_until = time.monotonic() + _PATIENCE * seconds

    def on_alarm(signum: int, frame: Any) -> None:
        if time.thread_time() >= worked_until:
            raise TimeUp(f"no answer after {seconds:g} seconds of computing")
        if time.monotonic() >= waits_until:
            raise TimeUp(f"no answer after {_PATIENCE * seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, on_alarm)
    # The signal repeats after the end, too: a broad `except` in the student's code may swallow one.
    tick = min(_TICK, seconds / 4)
    signal.setitimer(signal.ITIMER_REAL, tick, tick)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def random_state(seed: int) -> Iterator[list[str]]:
    """Seeds the global generators, restores them at the end, and lists those that were used."""
    before = _states()
    seeded = _seeded(seed, "torch" in sys.modules)
    _restore(seeded)
    used: list[str] = []
    try:
        yield used
    finally:
        now = _states()
        if now[0] != seeded[0]:
            used.append("random")
        if not all(map(np.array_equal, now[1], seeded[1])):
            used.append("numpy.random")
        if now[2] is not None and seeded[2] is not None and not now[2].equal(seeded[2]):
            used.append("torch")
        _restore(before)


def _states() -> tuple[Any, Any, Any]:
    """The states of the generators of Python, NumPy and, if it is imported, torch."""
    torch = sys.modules.get("torch")
    return random.getstate(), np.random.get_state(), torch and torch.get_rng_state()


def _restore(states: tuple[Any, Any, Any]) -> None:
    random.setstate(states[0])
    np.random.set_state(states[1])
    if states[2] is not None:
        sys.modules["torch"].set_rng_state(states[2])


@functools.lru_cache(maxsize=128)
def _seeded(seed: int, with_torch: bool) -> tuple[Any, Any, Any]:
    """The states right after seeding; kept, since seeding takes longer than setting a state."""
    random.seed(seed)
    np.random.seed(seed)
    if with_torch:
        sys.modules["torch"].default_generator.manual_seed(seed)
    return _states()
