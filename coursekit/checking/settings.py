"""Settings of the whole process that a call must leave as they were.

Gradients that a function switches off and never on again are off in every later cell, where nobody
looks for the reason.
"""

from __future__ import annotations

import os
import sys
from typing import Any

#: What is said of a call that left a setting changed, by the setting's name.
WORDS = {
    "gradients": "it leaves gradients switched off for everything that runs after it; use"
    " `with torch.no_grad():`, which switches them on again",
    "dtype": "it leaves another default dtype for everything that runs after it; give the dtype to"
    " the tensors that need it",
    "device": "it leaves another default device for everything that runs after it; give the device"
    " to the tensors that need it",
    "seed": "it seeds the global random generator of torch, so everything that runs after it draws"
    " the same numbers each time; draw without seeding",
    "folder": "it leaves another current folder for everything that runs after it",
}


class Settings:
    """The settings before a call, to compare with those after it."""

    def __init__(self) -> None:
        self._before: dict[str, Any] = {}

    def note(self) -> None:
        """Note how everything is now."""
        self._before = _current()

    def note_seed(self) -> None:
        """Note the seed of torch's generator anew: what was done to it until now is allowed."""
        self._before |= {name: one for name, one in _current().items() if name == "seed"}

    def changed(self) -> list[str]:
        """The names of the settings that have changed."""
        now, before = _current(), self._before
        return [name for name in WORDS if name in before and now[name] != before[name]]


def _current() -> dict[str, Any]:
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
    """The current folder, or "" if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
