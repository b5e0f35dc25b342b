"""Seeded random generators around the call of a student's function; detection of reseeding."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import random
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from coursekit.checking.running_threads import time_of_other_threads
from coursekit.checking.time_limit import Clocks, Watch

#: The global generators themselves: a student may have replaced the functions that stand for them.
_python = random._inst
_numpy = importlib.import_module("numpy.random.mtrand")._rand
#: Not `np.random`, which may be replaced as well.
_numpy_random = importlib.import_module("numpy.random")
_read_python, _write_python, _seed_python = _python.getstate, _python.setstate, _python.seed
_read_numpy, _write_numpy, _seed_numpy = _numpy.get_state, _numpy.set_state, _numpy.seed
_Twister = _numpy_random.MT19937
_bit_generator, _set_bit_generator = (
    _numpy_random.get_bit_generator,
    _numpy_random.set_bit_generator,
)
#: From which NumPy draws while a case runs, whatever a notebook has put in its place.
_own = _bit_generator() if type(_bit_generator()) is _Twister else _Twister()
#: The memory of NumPy's: 624 numbers of four bytes, and how many of them have been used.
_BYTES = 4 * (624 + 1)
#: So many numbers tell whether two sequences are one.
_COMPARED = 16
#: To see whether generators move by themselves: a state that nobody else sets, until other threads
#: have computed for so long or all were idle for three times as long, looking each so many seconds.
_LOOK_SEED, _LOOK_SECONDS, _LOOK_TICK = 1_894_623_517, 0.02, 0.01
#: What torch says of a generator that nobody has seeded: a function cannot restart the one of a case
#: with `torch.initial_seed()`, as if it had not drawn from it.
_UNSEEDED = 67_280_421_310_721
#: So many at most are drawn in a second, and in a call.
_DRAWS_PER_SECOND, _MAX_DRAWS = 4e8, 2e8


class _States(NamedTuple):
    """States of the global generators of Python, NumPy and torch (None if not imported).

    Attributes
    ----------
    python, numpy, torch : object
        As the generators' own functions return them.
    bit_generator : numpy.random.BitGenerator
        The one that NumPy's draws from.
    bytes : bytes or None
        What `_bytes_of_numpy` returns.
    """

    python: Any
    numpy: Any
    torch: Any
    bit_generator: Any
    bytes: bytes | None


@contextlib.contextmanager
def random_state(seed: int) -> Iterator[list[str]]:
    """Seed the global generators, list those that the block uses, and restore them at its end."""
    with kept_generators(), seeded(seed) as used:
        yield used


@contextlib.contextmanager
def kept_generators() -> Iterator[None]:
    """Restore the global generators at the end of the block."""
    before = _states()
    try:
        yield
    finally:
        _restore(before)


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[list[str]]:
    """Seed the global generators, and list at the end those that the block used.

    For use in a block of `kept_generators`: reading NumPy's state takes longer than many a case.
    """
    torch = _torch_generator()
    start = _seeded(seed, torch is not None)
    _restore(start)
    used: list[str] = []
    try:
        yield used
    finally:
        if _read_python() != start.python:
            used.append("random")
        now = _bytes_of_numpy()
        if now != start.bytes or (now is None and not _is_same(_numpy_state(), start.numpy)):
            used.append("numpy.random")
        if torch is not None and not torch.get_state().equal(start.torch):
            used.append("torch")


def _states() -> _States:
    """Return the states of the global generators."""
    torch = _torch_generator()
    state = None if torch is None else torch.get_state()
    return _States(_read_python(), _numpy_state(), state, _bit_generator(), _bytes_of_numpy())


def _torch_generator() -> Any:
    """Return torch's default generator; None if torch is not imported."""
    torch = sys.modules.get("torch")
    return None if torch is None else torch._C.default_generator


def _numpy_state() -> Any:
    """Return the state of NumPy's global generator."""
    generator = _bit_generator()
    return _read_numpy() if type(generator) is _Twister else generator.state


def _is_same(one: Any, two: Any) -> bool:
    """Tell whether two states of NumPy's generator are equal; an unusual one's is a dictionary."""
    if isinstance(one, dict) or isinstance(two, dict):
        return repr(one) == repr(two)
    rest = one[0] == two[0] and one[2:] == two[2:]
    return bool(rest and np.array_equal(one[1], two[1]))


def _restore(states: _States) -> None:
    """Set the global generators to these states."""
    _write_python(states.python)
    is_another = _bit_generator() is not states.bit_generator
    if is_another:
        _set_bit_generator(states.bit_generator)
    if type(states.numpy) is dict:
        states.bit_generator.state = states.numpy
    elif (  # a normal number that is kept for the next draw is not among the bytes
        is_another
        or states.bytes is None
        or states.bytes != _bytes_of_numpy()
        or states.numpy[3:] != (0, 0.0)
    ):
        _write_numpy(states.numpy)
    if states.torch is not None:
        _torch_generator().set_state(states.torch)


@functools.lru_cache(maxsize=128)
def _seeded(seed: int, with_torch: bool) -> _States:
    """Return the states right after seeding; cached, since seeding takes longer than restoring."""
    _seed_python(seed)
    _set_bit_generator(_own)
    _seed_numpy(seed)
    if with_torch:
        state = _torch_generator().manual_seed(seed).get_state()
        # the state begins with the seed in eight bytes, of which no number that is drawn depends
        state.numpy()[:8] = np.frombuffer(_UNSEEDED.to_bytes(8, sys.byteorder), np.uint8)
        _torch_generator().set_state(state)
    return _states()


def _bytes_of_numpy() -> bytes | None:
    """Return the memory of NumPy's global generator; None if it is no Mersenne Twister.

    NumPy gives its address for functions of C. Reading it is a hundred times as fast as `get_state`,
    which makes an object of each number.
    """
    generator = _bit_generator()
    if type(generator) is not _Twister or not _can_be_read():
        return None
    return ctypes.string_at(generator.ctypes.state_address, _BYTES)


@functools.cache
def _can_be_read() -> bool:
    """Tell whether a generator's memory has the layout that this module expects."""
    generator = _Twister(_LOOK_SEED)
    state = generator.state["state"]
    found = ctypes.string_at(generator.ctypes.state_address, _BYTES)
    position = np.array(state["pos"], dtype=np.int32)
    return bool(found == state["key"].tobytes() + position.tobytes())


def move_by_themselves() -> bool:
    """Tell whether something draws from the global generators or seeds them all the time."""
    watch = Watch(_LOOK_SECONDS, _LOOK_TICK, Clocks(thread=time_of_other_threads))
    with random_state(_LOOK_SEED) as moved:
        while not watch.look():
            time.sleep(_LOOK_TICK)
    return bool(moved)


#: What a Mersenne Twister is made of: its numbers, as Python's integers or in memory, and how many of
#: them have been used.
Twister: TypeAlias = tuple[tuple[int, ...] | bytes, int]


def twisters() -> dict[str, Twister]:
    """Return the states of the global Mersenne Twisters of Python and NumPy."""
    numbers = _read_python()[1]
    found: dict[str, Twister] = {"python_seed": (numbers[:-1], numbers[-1])}
    if (memory := _bytes_of_numpy()) is not None:
        found["numpy_seed"] = (memory[:-4], int.from_bytes(memory[-4:], sys.byteorder))
    elif type(_bit_generator()) is _Twister:
        state = _read_numpy()
        found["numpy_seed"] = (state[1].tobytes(), state[2])
    return found


def is_seeded(before: Twister, after: Twister, seconds: float) -> bool:
    """Tell whether a generator's new state cannot come from drawing numbers in this time."""
    if before == after:
        return False
    drawn, wanted = _from(before), _from(after).random_raw(_COMPARED)
    left, count = int(min(seconds * _DRAWS_PER_SECOND, _MAX_DRAWS)) + 2 * _COMPARED, 1024
    numbers = drawn.random_raw(_COMPARED - 1)
    while left > 0:
        numbers = np.concatenate([numbers[1 - _COMPARED :], drawn.random_raw(min(left, count))])
        starts = np.flatnonzero(numbers[: 1 - _COMPARED] == wanted[0])
        if any(np.array_equal(numbers[i : i + _COMPARED], wanted) for i in starts):
            return False
        left, count = left - count, min(2 * count, 2**20)
    return True


def _from(state: Twister) -> Any:
    """Return a Mersenne Twister in a given state."""
    twister = _Twister(0)
    numbers = state[0]
    key = np.frombuffer(numbers, np.uint32) if isinstance(numbers, bytes) else np.array(numbers)
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": key.astype(np.uint32), "pos": state[1]},
    }
    return twister
