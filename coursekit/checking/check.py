"""`check(thing)`: compares what a student wrote with the recording of the reference.

For a student it displays the verdict and raises `CheckFailed` if points are lost. While nbgrader
autogrades (`NBGRADER_EXECUTION=autograde`) it returns the points instead, which nbgrader reads as
partial credit.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import sys
from typing import Any

from coursekit.checking import called, needed, recordings
from coursekit.checking.last_case import LastCase
from coursekit.checking.records import RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge


class CheckFailed(AssertionError):
    """A check failed; the message says why.

    Notebooks show the message without a traceback, which would point away from the student's cell.
    """

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


def check(thing: Any) -> float | None:
    """Check an exercise: pass the function or class that you wrote, ``check(softmax)``.

    Afterwards `check.last` is the failing case that was shown, as objects, or None: ``.args``,
    ``.kwargs``, ``.state``, ``.expected``, ``.actual``, and ``.run()`` runs it again. From the third
    failure on, some exercises offer a further hint.

    Parameters
    ----------
    thing : object
        The function or class itself, with the name that the exercise gives it.

    Returns
    -------
    float or None
        None if every case passes; while nbgrader autogrades, the points earned.

    Raises
    ------
    CheckFailed
        Something is missing or wrong. The stages are checked in order (missing, error, type, shape,
        dtype and device, properties, values) and the first failure is explained.
    coursekit.checking.recordings.RecordingError
        The recording is damaged or belongs to another version of coursekit.
    """
    grading = os.environ.get("NBGRADER_EXECUTION") == "autograde"
    exercise = _find(thing)
    outcomes = run_cases(thing, exercise["cases"])
    verdict = judge(exercise, outcomes)
    called.remember(exercise["name"], thing, verdict.passed)
    verdict = called.explain(thing, exercise, outcomes, verdict)
    last = None
    if verdict.case >= 0 and verdict.stage != "missing":
        last = LastCase(thing, exercise["cases"][verdict.case], outcomes[verdict.case])
    _remember(last)
    if grading:
        _display(verdict)
        return verdict.points
    _display(verdict, _NOTE if last else "", _further(exercise, verdict))
    if not verdict.passed:
        raise CheckFailed(summary(verdict), verdict)
    return None


def summary(verdict: Verdict) -> str:
    """The verdict in one line, the hint first if there is one: some tools show only the start."""
    headline = verdict.headline
    if verdict.hint:
        return f"{verdict.exercise}: {verdict.hint} ({headline})"
    stop = "" if headline.endswith((".", "?", "!")) else "."
    return f"{verdict.exercise}: {headline}{stop}"


def _find(thing: Any) -> RecordedExercise:
    """The recorded exercise that `thing` answers, or `CheckFailed` saying what to do instead."""
    known = recordings.names()
    if isinstance(thing, str):
        tip = f": check({thing})" if thing in known else ""
        raise CheckFailed(f"pass the function itself to check, not its name in quotes{tip}.")
    if thing is None or not callable(thing) or _is_instance_of_exercise(thing, known):
        raise CheckFailed(_not_a_function(thing, known))
    name = getattr(thing, "__name__", "")
    if name in known:
        return recordings.find(name)
    if isinstance(thing, functools.partial) or not name or name == "<lambda>":
        raise CheckFailed("check needs a function defined with `def` under the exercise's name.")
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        raise CheckFailed(f"`{name}` is not a function that you wrote; define it with `def` first.")
    raise CheckFailed(_unknown(name, known))


def _is_instance_of_exercise(thing: Any, known: list[str]) -> bool:
    return not inspect.isclass(thing) and type(thing).__name__ in known


def _not_a_function(thing: Any, known: list[str]) -> str:
    kind = type(thing).__name__
    if kind in known:
        return f"check({kind}) takes the class itself; you passed an instance of it."
    what = "None" if thing is None else f"a result (of type {kind})"
    return (
        f"you passed {what} to check, not a function: pass just its name, as in"
        " check(softmax), without parentheses or inputs after it."
    )


_FIRST_CELL = "run the first cell, which updates it"


def _unknown(name: str, known: list[str]) -> str:
    guesses = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    if needed.is_outdated():
        return f"this notebook is newer than your coursekit, which does not know {name}: {_FIRST_CELL}."
    start = f"there is no exercise called {name}"
    if guesses:
        names = " or ".join(guesses)
        return f"{start}; did you mean {names}? Keep the name given after `def`."
    return (
        f"{start}. Keep the name given after `def`; if you did, this notebook is newer than your"
        f" coursekit: {_FIRST_CELL}."
    )


def _remember(case: LastCase | None) -> None:
    """Set `check.last`: the failing case of the last check, or None if it passed."""
    check.last = case  # type: ignore[attr-defined]  # mypy knows no attributes of functions


_remember(None)
#: How often each exercise's check has failed since it last passed.
_failures: dict[str, int] = {}
#: A further hint is offered from this failure on.
_TRIES = 3
_NOTE = "`check.last` has this case as objects (`.args`, `.expected`, ...); `.run()` runs it again."


def _further(exercise: RecordedExercise, verdict: Verdict) -> str:
    """The exercise's further hint after so many failed tries, else ""."""
    name = verdict.exercise
    if verdict.of_helper:
        return ""
    if verdict.passed or verdict.stage == "missing":
        _failures.pop(name, None)
        return ""
    _failures[name] = _failures.get(name, 0) + 1
    return exercise.get("further", "") if _failures[name] >= _TRIES else ""


def _display(verdict: Verdict, note: str = "", further: str = "") -> None:
    """Show the verdict as HTML in a notebook, as text elsewhere."""
    from coursekit.checking.html import VerdictView

    view = VerdictView(verdict, note, further)
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        display(view)
    else:
        print(view)
