"""Seeded random generators around the call of a student's function, and whether it seeds them again."""

from __future__ import annotations

import contextlib
import functools
import importlib
import random
import sys
import time
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

#: Not `np.random`, which a student may have replaced.
_numpy_random = importlib.import_module("numpy.random")
_read_python, _read_numpy, _Twister = (
    random.getstate,
    _numpy_random.get_state,
    _numpy_random.MT19937,
)
#: So many numbers tell whether two sequences are one.
_COMPARED = 16
#: To see whether generators move by themselves: a state that nobody else sets, for so long.
_LOOK_SEED, _LOOK_SECONDS = 1_894_623_517, 0.05
#: So many at most are drawn in a second, and in a call.
_PER_SECOND, _MOST = 4e8, 2e8


@contextlib.contextmanager
def random_state(seed: int) -> Iterator[list[str]]:
    """Seeds the global generators, restores them at the end, and lists those that were used."""
    before = _states()
    seeded = _seeded(seed, sys.modules.get("torch") is not None)
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
    return random.getstate(), _numpy_random.get_state(), torch and torch.get_rng_state()


def _restore(states: tuple[Any, Any, Any]) -> None:
    random.setstate(states[0])
    _numpy_random.set_state(states[1])
    if states[2] is not None:
        sys.modules["torch"].set_rng_state(states[2])


@functools.lru_cache(maxsize=128)
def _seeded(seed: int, with_torch: bool) -> tuple[Any, Any, Any]:
    """The states right after seeding; kept, since seeding takes longer than setting a state."""
    random.seed(seed)
    _numpy_random.seed(seed)
    if with_torch:
        sys.modules["torch"].default_generator.manual_seed(seed)
    return _states()


def move_by_themselves() -> bool:
    """Whether something draws from the global generators or seeds them all the time."""
    with random_state(_LOOK_SEED) as moved:
        time.sleep(_LOOK_SECONDS)
    return bool(moved)


#: What a Mersenne Twister is made of: its numbers, and how many of them have been used.
Twister: TypeAlias = tuple[Any, int]


def twisters() -> dict[str, Twister]:
    """The states of the global generators of Python and NumPy, both of which are Mersenne Twisters."""
    numbers = _read_python()[1]
    found = {"python_seed": (np.array(numbers[:-1], dtype=np.uint32), numbers[-1])}
    state = _read_numpy()
    if state[0] == "MT19937":
        found["numpy_seed"] = (state[1], state[2])
    return found


def is_seeded(before: Twister, after: Twister, seconds: float) -> bool:
    """Whether a generator was set to another state: one that drawing cannot have led to in this time."""
    if before[1] == after[1] and np.array_equal(before[0], after[0]):
        return False
    drawn, wanted = _from(before), _from(after).random_raw(_COMPARED)
    left, count = int(min(seconds * _PER_SECOND, _MOST)) + 2 * _COMPARED, 1024
    numbers = drawn.random_raw(_COMPARED - 1)
    while left > 0:
        numbers = np.concatenate([numbers[1 - _COMPARED :], drawn.random_raw(min(left, count))])
        starts = np.flatnonzero(numbers[: 1 - _COMPARED] == wanted[0])
        if any(np.array_equal(numbers[i : i + _COMPARED], wanted) for i in starts):
            return False
        left, count = left - count, min(2 * count, 2**20)
    return True


def _from(state: Twister) -> Any:
    twister = _Twister(0)
    twister.state = {"bit_generator": "MT19937", "state": {"key": state[0], "pos": state[1]}}
    return twister
