"""Process-wide settings that a call must leave unchanged.

Gradients that a function switches off and never on again are off in every later cell, where nobody
looks for the reason.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter
from typing import Any

from coursekit.checking.seeded_generators import Twister, is_seeded, twisters

#: The settings that are seeds of global generators.
SEEDS = ("seed", "numpy_seed", "python_seed")
_OF_A_SEED = (
    "it seeds the global random generator of {}, so everything that runs after it draws the same"
    " numbers each time; draw without seeding"
)
#: What is said of a call that left a setting changed, by the setting's name.
WORDS = {
    "gradients": "it leaves gradients switched off for everything that runs after it; use"
    " `with torch.no_grad():`, which switches them on again",
    "dtype": "it leaves another default dtype for everything that runs after it; give the dtype to"
    " the tensors that need it",
    "device": "it leaves another default device for everything that runs after it; give the device"
    " to the tensors that need it",
    "seed": _OF_A_SEED.format("torch"),
    "numpy_seed": _OF_A_SEED.format("NumPy"),
    "python_seed": _OF_A_SEED.format("Python"),
    "folder": "it leaves another current folder for everything that runs after it",
}


class Settings:
    """The settings before a call, to compare with those after it."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}
        self._twisters: dict[str, Twister] = {}
        self._after: tuple[dict[str, Any], dict[str, Twister]] = {}, {}
        self._since = self._seconds = 0.0

    def note(self) -> None:
        """Record the current settings, before the call."""
        self._before = _current()
        self._twisters, self._since = twisters(), perf_counter()

    def note_seed(self) -> None:
        """Record the random generators again, so that changes until now are allowed."""
        self._before |= {name: one for name, one in _current().items() if name == "seed"}
        self._twisters = twisters()

    def note_end(self) -> None:
        """Record the settings at the end of the call."""
        self._seconds = perf_counter() - self._since
        self._after = _current(), twisters()

    def changed(self) -> list[str]:
        """Return the names of the settings that the call changed.

        Of a random generator: whether it was seeded. It may have been drawn from.
        """
        now, after = self._after
        found = {name for name in now if now[name] != self._before.get(name, now[name])}
        for name in self._twisters.keys() & after.keys():
            if is_seeded(self._twisters[name], after[name], self._seconds):
                found.add(name)
        return [name for name in WORDS if name in found]


def _current() -> dict[str, Any]:
    """Return the current settings."""
    found: dict[str, Any] = {"folder": current_folder()}
    torch = sys.modules.get("torch")
    if torch is not None:
        found |= {
            "gradients": torch.is_grad_enabled(),
            "dtype": torch.get_default_dtype(),
            "device": str(torch.get_default_device()),
            "seed": torch.initial_seed(),
        }
    return found


def current_folder() -> str:
    """Return the current folder, or "" if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
