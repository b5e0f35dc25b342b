"""Seeded random generators around the call of a student's function."""

from __future__ import annotations

import contextlib
import functools
import importlib
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

#: Not `np.random`, which a student may have replaced.
_numpy_random = importlib.import_module("numpy.random")


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
