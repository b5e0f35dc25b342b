"""Choice between a student's own function and the given one, with a printed reason."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from coursekit.checking import dependency_trace, stored_recordings
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

#: The modules with given functions; a function has the name of the exercise whose place it takes.
_MODULES = ("evaluation", "pooling", "attention", "translation")


def own_or_given(namespace: dict[str, Any], *names: str) -> None:
    """Put given functions in the place of those that are missing in a notebook or fail their check.

    Prints which functions are the student's own and which are given, and why. What passes its check
    stays as it is. Each function is checked with those before it as they are then, so a function
    that calls another comes after it.

    Parameters
    ----------
    namespace : dict
        The notebook's names, ``globals()``.
    *names : str
        The names of exercises of earlier assignments.

    Raises
    ------
    ValueError
        There is no given function of that name.
    """
    own: list[str] = []
    given: list[str] = []
    for name in names:
        found = _given(name)
        why = _why_not(name, namespace.get(name))
        if why:
            namespace[name] = found
            given.append(f"  {name}: {why}")
        else:
            own.append(name)
    if own:
        print(f"Your own: {', '.join(own)}.")
    if given:
        print("Given, and worth no points in the assignment that asks for them:", *given, sep="\n")


def _given(name: str) -> Any:
    """Return the given function or class of this name."""
    for module in _MODULES:
        found = getattr(import_module(f"coursekit.given.{module}"), name, None)
        if found is not None:
            return found
    raise ValueError(f"there is no given {name}: write it yourself")


def _why_not(name: str, own: Any) -> str:
    """Return the reason why a student's own function is not used; "" if it is right."""
    number = stored_recordings.index()[name].partition("_")[0]
    missing = f"yours of assignment {number} is not here"
    if own is None or str(getattr(own, "__module__", "")).startswith("coursekit."):
        return missing
    exercise = stored_recordings.find(name)
    verdict = judge(exercise, run_cases(own, exercise["cases"], name=name))
    dependency_trace.remember(name, own, verdict.passed)
    if verdict.passed:
        return ""
    if verdict.stage == "missing":
        return missing
    reason = (verdict.hint or verdict.headline).rstrip(".")
    return (
        f"yours of assignment {number} earns {verdict.points:g} of {verdict.max_points:g} points."
        f" {reason[0].upper()}{reason[1:]}. (Repair it, and run its cell and this one again.)"
    )
