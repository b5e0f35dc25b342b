"""Tracing of the exercises that a function calls, and what this kernel knows about them.

A wrong helper makes every function that calls it fail. Before a failure is explained, `explain` looks
at the exercises that were called: one that fails its own check is named, and no misconception of the
function itself, which may be right.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import CodeType, FrameType
from typing import Any

from coursekit.checking import stored_recordings
from coursekit.checking.recording_format import Case, Outcome, RecordedExercise
from coursekit.checking.run_cases import run_case
from coursekit.checking.verdict import Verdict, judge

#: Processor time of one case, and time of all, for the silent check of a helper.
_CASE_SECONDS, _SECONDS = 1.0, 5.0
#: So many failing cases are run again to see what they call.
_WATCHED = 3
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_UNWRITTEN = re.compile(r"it needs (\w+), which is not written yet")
#: What of this kernel was checked: exercise -> what was checked, and whether it passed.
_checked: dict[str, tuple[Any, bool]] = {}


def remember(name: str, thing: Any, passed: bool) -> None:
    """Remember the verdict on an exercise until it is defined again.

    Parameters
    ----------
    name : str
        The exercise's name.
    thing : object
        The function or class that was checked.
    """
    _checked[name] = (thing, passed)


def explain(
    thing: Any,
    exercise: RecordedExercise,
    outcomes: Sequence[Outcome],
    verdict: Verdict,
    failing: Sequence[Case],
) -> Verdict:
    """Return the verdict, which first names a wrong helper if the function calls one.

    Parameters
    ----------
    thing : callable
        The function or class that was checked.
    exercise : RecordedExercise
        The exercise that it answers.
    outcomes : sequence of Outcome
        What it gave.
    verdict : Verdict
        The verdict on that.
    failing : sequence of Case
        The cases that fail, that which is shown first.
    """
    if verdict.passed or verdict.case < 0 or verdict.stage == "missing":
        return verdict
    sentence = _missing(exercise["name"], outcomes[verdict.case])
    if not sentence:
        sentence = _wrong(thing, exercise["name"], failing[:_WATCHED])
    if not sentence:
        return verdict
    here = [["in this one", verdict.headline]] if verdict.headline != sentence else []
    return replace(
        verdict,
        headline=sentence,
        detail=[*here, *verdict.detail],
        misconception="",
        hint="",
        next_hint="",
        of_helper=True,
    )


def _missing(name: str, outcome: Outcome) -> str:
    """Explain that an exercise which was called is not defined or not written; "" if none is."""
    message = outcome.get("message", "")
    if outcome.get("type") == "NotImplementedError" and (found := _UNWRITTEN.fullmatch(message)):
        return message if found[1] in stored_recordings.index() else ""
    found = _UNDEFINED.match(message) if outcome.get("type") == "NameError" else None
    if found is None or found[1] not in stored_recordings.index():
        return ""
    helper, assignments = found[1], stored_recordings.index()
    if assignments[helper] == assignments.get(name):
        return f"it calls your `{helper}`, which is not defined yet: run its cell"
    number = assignments[helper].partition("_")[0]
    return (
        f"it calls your `{helper}` of assignment {number}, which is not defined here: paste it into"
        " the cell for it, and run that cell"
    )


def _wrong(thing: Any, name: str, cases: Sequence[Case]) -> str:
    """Explain that an exercise which was called is wrong or unchecked; "" if all are right."""
    found, before = calls(thing, name, cases), dict(_checked)
    statuses = {
        helper: _status(helper, own, time.monotonic() + _SECONDS) for helper, own in found.items()
    }
    red = [helper for helper, status in statuses.items() if status is False]
    if red:
        culprit = _deepest(red, thing)
        own = f"your `{culprit}`{_place(culprit, name)}"
        earlier, passed = before.get(culprit, (None, False))
        if passed and earlier is not found[culprit]:
            own += " was defined again after its check had passed, and now"
        elif passed:
            own += " passed its check, but something that it uses was changed since, and now it"
        return f"{own} fails its own check; this one may be right"
    unknown = [helper for helper, status in statuses.items() if status is None]
    if unknown:
        where = _place(unknown[0], name)
        return f"your `{unknown[0]}`{where}, which it calls, has not been checked: check that first"
    return ""


def _place(helper: str, name: str) -> str:
    """Return " of assignment 03" for a helper of another assignment, else ""."""
    index = stored_recordings.index()
    if index.get(helper) == index.get(name):
        return ""
    return f" of assignment {index[helper].partition('_')[0]}"


def _deepest(red: Sequence[str], thing: Any) -> str:
    """Return one of several wrong helpers that calls no other wrong one."""
    scope = _scope(thing)
    for helper in red:
        cases = stored_recordings.find(helper)["cases"][:_WATCHED]
        if not set(calls(scope[helper], helper, cases)) & set(red):
            return helper
    return red[0]


def _status(name: str, thing: Any, until: float) -> bool | None:
    """Tell whether an exercise passes its own check now; None if that takes too long.

    If it takes too long, an earlier verdict on the same function counts; else the check runs again,
    since a function that the exercise uses may have changed.
    """
    known = _checked.get(name, (None, False))
    exercise = stored_recordings.find(name)
    outcomes: list[Outcome] = []
    for case in exercise["cases"]:
        if time.monotonic() <= until:
            outcomes.append(run_case(thing, case, _CASE_SECONDS))
        if time.monotonic() > until or outcomes[-1]["status"] == "timeout":
            return known[1] if known[0] is thing else None
    passed = judge(exercise, outcomes).passed
    if passed:
        remember(name, thing, passed)
    return passed


def calls(thing: Any, name: str, cases: Sequence[Case]) -> dict[str, Any]:
    """Return the exercises that a function calls on some cases, directly or not, by name.

    Parameters
    ----------
    thing : callable
        The function or class.
    name : str
        The exercise that it answers.
    cases : sequence of Case
        What it is run on.
    """
    scope = _scope(thing)
    codes = {
        code: other
        for other in stored_recordings.names()
        if other != name and other in scope and _is_answer(other, scope[other], name)
        for code in _codes(scope[other])
    }
    if not codes:
        return {}
    seen: dict[str, Any] = {}
    with _watching(codes, lambda other: seen.setdefault(other, scope[other])):
        for case in cases:
            run_case(inspect.unwrap(thing), case, _CASE_SECONDS)  # a cache would call nothing
    return seen


def _scope(thing: Any) -> dict[str, Any]:
    """Return the globals of the notebook in which a function or class is defined."""
    functions = [thing, *vars(thing).values()] if inspect.isclass(thing) else [thing]
    for function in functions:
        while hasattr(function, "__wrapped__") or hasattr(function, "func"):
            function = getattr(function, "__wrapped__", None) or function.func
        if isinstance(found := getattr(function, "__globals__", None), dict):
            return found
    return {}


def _is_answer(name: str, thing: Any, checked: str) -> bool:
    """Tell whether a global is the student's answer to the exercise of its name.

    A notebook may give a function of its own that has the name of another assignment's exercise;
    its parameters have other names.
    """
    if not callable(thing) or str(getattr(thing, "__module__", "")).startswith("coursekit"):
        return False
    if stored_recordings.index()[name] == stored_recordings.index()[checked]:
        return True
    try:
        parameters = list(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return False
    names = stored_recordings.find(name)["cases"][0]["names"]
    return parameters[: len(names)] == names


def _codes(thing: Any) -> Iterator[CodeType]:
    """Yield the code of a function, or of the functions in a class."""
    for one in vars(thing).values() if inspect.isclass(thing) else [thing]:
        if isinstance(code := getattr(inspect.unwrap(one), "__code__", None), CodeType):
            yield code


@contextlib.contextmanager
def _watching(codes: dict[CodeType, str], tell: Callable[[str], Any]) -> Iterator[None]:
    """Report the name of each of these code objects that is called in the block."""

    def on_event(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code in codes:
            tell(codes[frame.f_code])

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        yield
    finally:
        sys.setprofile(before)
