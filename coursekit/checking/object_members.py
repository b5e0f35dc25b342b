"""Access to the parts of a student's object that a case sets, reads or calls."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

#: What a class of torch has in the place of `forward` until one is defined.
_NO_FORWARD = "_forward_unimplemented"


def attribute(thing: Any, path: str) -> Any:
    """Return the attribute at a dotted path, such as ``lstm.weight_ih_l0``.

    Raises
    ------
    AttributeError
        The object has none; the message says where its name is to be found.
    """
    owner = "self"
    for name in path.split("."):
        try:
            thing = getattr(thing, name)
        except AttributeError:
            if isinstance(getattr(type(thing), name, None), property):
                raise  # the property is there; an error in it is the student's own
            raise AttributeError(_absent_attribute(thing, owner, name)) from None
        owner += f".{name}"
    return thing


def method(thing: Any, name: str) -> Callable[..., Any]:
    """Return the method at a dotted path, or the object itself for ``"__call__"``.

    Raises
    ------
    AttributeError
        The class does not define it; the message names one that is spelled nearly so.
    """
    if "." in name:  # of a part
        return attribute(thing, name)  # type: ignore[no-any-return]  # called next
    wanted = "forward" if _lacks_forward(thing) and name == "__call__" else name
    if name == "__call__" and wanted == name and callable(thing):
        return thing  # type: ignore[no-any-return]  # anything callable
    if wanted == "forward" or not hasattr(thing, wanted):
        raise AttributeError(_absent_method(thing, wanted))
    return getattr(thing, wanted)  # type: ignore[no-any-return]


def _lacks_forward(thing: Any) -> bool:
    """Tell whether a module of torch is called through `forward`, but has none."""
    is_called = getattr(type(thing).__call__, "__module__", None) or ""
    name = getattr(getattr(thing, "forward", None), "__name__", "")
    return is_called.startswith("torch.") and name == _NO_FORWARD


def _absent_attribute(thing: Any, owner: str, name: str) -> str:
    """Explain that an attribute is missing."""
    if thing is None:
        return f"{owner} is None: make it as the docstring's Attributes say"
    if owner != "self":  # a part that is there, but made in another way
        return (
            f"{owner}, of type {type(thing).__name__}, has no {name}: make it as the docstring's"
            " Attributes say"
        )
    own = [n for n in vars(thing) if not n.startswith("_")]
    for kind in ("_parameters", "_buffers", "_modules"):  # where torch keeps them
        own += getattr(thing, kind, {})
    near = difflib.get_close_matches(name, own, n=1)
    tip = f" (it has {near[0]})" if near else ""
    return (
        f"{type(thing).__name__} has no attribute {name}{tip}: keep the names that the docstring"
        " lists under Attributes"
    )


def _absent_method(thing: Any, name: str) -> str:
    """Explain that a method is missing, with the closest name."""
    kind = type(thing)
    near = difflib.get_close_matches(name, _defined_methods(kind), n=1)
    if near:
        tip = f"; did you mean {name} where you wrote {near[0]}?"
    else:
        tip = ": its `def` must be in the class, indented like that of __init__ (not in it)"
    return f"{kind.__name__} has no method {name}{tip}"


def _defined_methods(kind: type) -> list[str]:
    """Return the methods of a class that its own module, or a notebook, defines."""
    return [name for name, value in vars(kind).items() if callable(value) and name[:2] != "__"]
