"""The ways in which a reference can be called from the kernel in place of a wrong helper."""

from __future__ import annotations

import sys
from typing import Any


def kind_of(thing: Any) -> dict[str, Any] | None:
    """Return how a reference can be called from another process; None if it cannot.

    Returns
    -------
    dict or None
        ``{}`` for a function, for a module ``{"methods": [...]}`` with the names of its own methods.
        None also in a course without torch, whose tensors carry what is passed on.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    if isinstance(thing, type):
        return {"methods": methods_of(thing)} if issubclass(thing, torch.nn.Module) else None
    return {} if callable(thing) else None


def methods_of(kind: type[Any]) -> list[str]:
    """Return the names of a module's own public methods, without torch's and `forward`."""
    own = [base for base in kind.__mro__ if not _is_of_torch(base) and base is not object]
    names = {name for base in own for name, value in vars(base).items() if callable(value)}
    return sorted(name for name in names if not name.startswith("_") and name != "forward")


def _is_of_torch(kind: type[Any]) -> bool:
    return kind.__module__.split(".")[0] == "torch"
