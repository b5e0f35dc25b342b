"""Failing cases of a check as objects: `check.last` and `check.failures`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from coursekit.checking import codec
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.recording_format import Case, Outcome, Plain
from coursekit.checking.run_cases import call
from coursekit.checking.seeded_generators import random_state


class LastCase:
    """A failing case of the last check, with copies of its inputs.

    Attributes
    ----------
    group : str
        The group of points that it belongs to.
    title : str
        What is special about it, or "".
    message : str
        What is wrong with it.
    args : list
        The positional inputs of the function or of the class.
    kwargs : dict of str to object
        The named inputs.
    state : dict of str to object
        For a class: the attributes and parameters that were set, by path.
    steps : list of tuple
        For a class: the calls on the object, each ``(method, args, kwargs)``.
    again : list of tuple
        For a function: the inputs of its further calls, each ``(args, kwargs)``.
    expected, actual : object
        The results; the name of the exception where there is none.
    """

    def __init__(
        self,
        thing: Callable[..., Any],
        case: Case,
        outcome: Outcome,
        name: str,
        message: str = "",
    ) -> None:
        self._thing, self._case, self._name = thing, case, name
        self.group, self.title, self.message = case["group"], case.get("title", ""), message
        self.args = [codec.decode(value) for value in case.get("args", [])]
        self.kwargs = _decoded(case.get("kwargs", {}))
        self.state = _decoded(case.get("state", {}))
        self.steps = [
            (method, [codec.decode(value) for value in args], _decoded(kwargs))
            for method, args, kwargs in case.get("then", [])
        ]
        self.again = [
            ([codec.decode(value) for value in args], _decoded(kwargs))
            for args, kwargs in case.get("again", [])
        ]
        self.expected, self.actual = _result(case["expected"]), _result(outcome)

    def run(self, thing: Callable[..., Any] | None = None) -> Any:
        """Run the case again and return the result.

        Parameters
        ----------
        thing : callable, optional
            The function or class to run it on; the one that was checked if None.

        Raises
        ------
        Exception
            Whatever your code raises: with ``%debug`` you can look around where it happened.
        """
        with DefinedState(), random_state(self._case.get("seed", 0)):
            return call(thing or self._thing, self._case)

    def __repr__(self) -> str:
        """Return the case's message, inputs and results as text."""
        names = ("args", "kwargs", "state", "steps", "again", "expected", "actual")
        lines = [f"  {name} = {getattr(self, name)!r}" for name in names if self._has(name)]
        title = f" ({self.title})" if self.title else ""
        what = f": {self.message}" if self.message else ""
        return "\n".join([f"{self._name}, a case of {self.group}{title}{what}", *lines])

    def _has(self, name: str) -> bool:
        """Tell whether an attribute is worth showing."""
        return name in ("expected", "actual") or bool(getattr(self, name))


def _decoded(values: dict[str, Plain]) -> dict[str, Any]:
    """Return a mapping with its values decoded."""
    return {name: codec.decode(value) for name, value in values.items()}


def _result(outcome: Outcome) -> Any:
    """Return the value of an outcome, or the name of its exception."""
    if outcome["status"] != "value":
        return outcome.get("type", outcome["status"])
    try:
        return codec.decode(outcome["value"])
    except codec.PlainDataError:  # an object of another type
        return codec.decode_views(outcome["value"])
