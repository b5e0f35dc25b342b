"""Comparison of a student's function or class with the recording of the reference: `check(thing)`.

For a student it displays the verdict and raises `CheckFailed` if points are lost. While nbgrader
autogrades (`NBGRADER_EXECUTION=autograde`) it returns the points instead, which nbgrader reads as
partial credit.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import inspect
import linecache
import os
import sys
from types import FrameType
from typing import Any

from coursekit.checking import dependency_trace, stored_recordings, version_check
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.failed_cases import LastCase
from coursekit.checking.judge_case import judge_cases
from coursekit.checking.overview import (
    Overview,
    exercises_of_the_notebook,
    notebook_names,
    overview,
)
from coursekit.checking.recording_format import Outcome, RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.running_threads import of_the_notebook
from coursekit.checking.torch_state import is_compiled
from coursekit.checking.verdict import Verdict, judge


class CheckFailed(AssertionError):
    """Failure of a check; the message gives the reason.

    Notebooks show the message without a traceback, which would point away from the student's cell.
    """

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [f"CheckFailed: {self}"]


def check(thing: Any) -> float | None:
    """Check an exercise: pass the function or class that you wrote, ``check(softmax)``.

    It runs in a defined state, whatever the notebook has set: float32 on the CPU with gradients,
    fresh seeds, libraries as they were imported. All of it is restored afterwards.

    Afterwards `check.failures` has all failing cases, as objects: ``.args``, ``.kwargs``, ``.state``,
    ``.expected``, ``.actual``, ``.message``, and ``.run()`` runs it again. The first, which is also
    `check.last`, is the one that was shown; `check.last` is None if every case passes. From the third
    wrong result on, some exercises offer a further hint. ``check.all()`` shows the points of all
    exercises of the notebook.

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
    coursekit.checking.stored_recordings.RecordingError
        The recording is damaged or belongs to another version of coursekit.
    """
    caller = sys._getframe(1)
    grading = os.environ.get("NBGRADER_EXECUTION") == "autograde"
    with DefinedState() as state:
        exercise = _find(thing, caller)
        name, cases = exercise["name"], exercise["cases"]
        differences = state.differences()
    outcomes = run_cases(thing, cases, name=name)
    theirs = None
    if differences and not grading:
        with contextlib.suppress(Exception):  # what is replaced may be what running a case needs
            theirs = run_cases(thing, cases, name=name, as_it_was=True)
    with DefinedState():
        verdict = judge(exercise, outcomes)
        dependency_trace.remember(name, thing, verdict.passed)
        failing = _failing(exercise, outcomes, verdict)
        shown = [cases[i] for i in failing]
        verdict = dependency_trace.explain(thing, exercise, outcomes, verdict, shown)
        if grading:
            _display(verdict)
            return verdict.points
        failures = [
            LastCase(thing, cases[i], outcomes[i], name, message) for i, message in failing.items()
        ]
        _remember(failures)
        notes = [
            _on_state(verdict, judge(exercise, theirs), differences) if theirs else "",
            _COMPILED if is_compiled(thing) else "",
            _THREAD if failures and of_the_notebook() else "",
            _NOTE if failures else "",
        ]
        _display(verdict, " ".join(filter(None, notes)), _further(exercise, verdict))
    if not verdict.passed:
        raise CheckFailed(summary(verdict), verdict)
    return None


def _on_state(verdict: Verdict, theirs: Verdict, differences: list[str]) -> str:
    """Explain how the notebook's own settings change the points; "" if they do not."""
    if theirs.points == verdict.points:
        return ""
    more = f" (and {len(differences) - 3} more)" if len(differences) > 3 else ""
    return (
        f"In this notebook {' and '.join(differences[:3])}{more}: with that it would earn"
        f" {theirs.points:g} of {theirs.max_points:g} points. A check sets it back for a moment, as"
        " grading does; your other cells run with it."
    )


def summary(verdict: Verdict) -> str:
    """Summarize the verdict in one line, the hint first: some tools show only the start."""
    headline = verdict.headline
    if verdict.hint:
        return f"{verdict.exercise}: {verdict.hint} ({headline})"
    stop = "" if headline.endswith((".", "?", "!")) else "."
    return f"{verdict.exercise}: {headline}{stop}"


def _find(thing: Any, caller: FrameType) -> RecordedExercise:
    """Return the recorded exercise that `thing` answers; raise `CheckFailed` if there is none."""
    known = stored_recordings.names()
    if isinstance(thing, str):
        tip = f": check({thing})" if thing in known else ""
        raise CheckFailed(f"pass the function itself to check, not its name in quotes{tip}.")
    if thing is None or not callable(thing) or _is_instance_of_exercise(thing, known):
        raise CheckFailed(_not_a_function(thing, known))
    own = getattr(thing, "__name__", "")
    for name in (_name_in_call(caller), own, *_names_of(thing, caller)):
        if name in known and (name == own or _value(name, caller) is thing):
            return stored_recordings.find(name)
    if not own or own == "<lambda>":
        raise CheckFailed(
            "check needs a function under the exercise's name: define it with `def`, or give it that"
            " name, then pass it."
        )
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        raise CheckFailed(f"`{own}` is not a function that you wrote; define it with `def` first.")
    raise CheckFailed(_unknown(own, known))


def _name_in_call(caller: FrameType) -> str:
    """Return the name between the parentheses of ``check(...)`` in the calling line."""
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno).strip()
    try:
        nodes = list(ast.walk(ast.parse(line)))
    except SyntaxError:
        return ""
    names = [
        call.args[0].id
        for call in nodes
        if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Name)
    ]
    return names[0] if names else ""


def _names_of(thing: Any, caller: FrameType) -> list[str]:
    """Return the global names that refer to an object, such as an alias or a decorated function."""
    return [name for name, value in caller.f_globals.items() if value is thing]


def _value(name: str, caller: FrameType) -> Any:
    """Look a name up in the locals, then in the globals of the calling frame."""
    return caller.f_locals.get(name, caller.f_globals.get(name))


def _is_instance_of_exercise(thing: Any, known: list[str]) -> bool:
    """Tell whether the object is an instance of an exercise's class, where the class is needed."""
    name = type(thing).__name__
    if inspect.isclass(thing) or name not in known:
        return False
    return any("then" in case or "state" in case for case in stored_recordings.find(name)["cases"])


def _not_a_function(thing: Any, known: list[str]) -> str:
    """Explain what to pass to `check` in place of a value that is not a function."""
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
    """Explain that there is no exercise of this name, with the closest names."""
    guesses = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
    if version_check.is_outdated():
        return f"this notebook is newer than your coursekit, which does not know {name}: {_FIRST_CELL}."
    start = f"there is no exercise called {name}"
    if guesses:
        names = " or ".join(guesses)
        return f"{start}; did you mean {names}? Keep the name given after `def`."
    return (
        f"{start}. Keep the name given after `def`; if you did, this notebook is newer than your"
        f" coursekit: {_FIRST_CELL}."
    )


def check_all() -> Overview | None:
    """Show the points that the checks of this notebook give: ``check.all()``.

    What is checked are the exercises of the notebook whose set-up cell has run, with what is defined
    now. Grading uses other cases, and adds the questions that are graded by hand.

    Returns
    -------
    Overview or None
        The verdicts; None while nbgrader autogrades.

    Raises
    ------
    CheckFailed
        No set-up cell has run, so the assignment is not known.
    """
    if os.environ.get("NBGRADER_EXECUTION"):
        return None  # every check cell gives its own points
    names = exercises_of_the_notebook()
    if not names:
        raise CheckFailed("run the first cell, which says which assignment this is; then again.")
    return overview(names, notebook_names())


def _failing(
    exercise: RecordedExercise, outcomes: list[Outcome], verdict: Verdict
) -> dict[int, str]:
    """Map each failing case to its message, the displayed one first; {} for unwritten code."""
    if verdict.passed or verdict.stage == "missing":
        return {}
    findings = judge_cases(exercise["cases"], outcomes)
    failing = [(i, finding.message) for i, finding in enumerate(findings) if finding is not None]
    return dict(sorted(failing, key=lambda one: one[0] != verdict.case))


def _remember(failures: list[LastCase]) -> None:
    """Set `check.failures`, and `check.last` to the first of them or None."""
    check.failures = failures  # type: ignore[attr-defined]  # mypy knows no attributes of functions
    check.last = failures[0] if failures else None  # type: ignore[attr-defined]


_remember([])
check.all = check_all  # type: ignore[attr-defined]
#: How often each exercise's results have been wrong since its check last passed.
_failures: dict[str, int] = {}
#: A further hint is offered from this failure on.
_TRIES = 3
_COMPILED = "`torch.compile` is switched off while a check runs."
_THREAD = (
    "A thread of this notebook runs beside the check, and what it draws or sets may change the result:"
    " end it, and check again."
)
_NOTE = (
    "`check.failures` has all failing cases as objects (`.args`, `.expected`, ...), this one first;"
    " `check.failures[0].run()` runs it again."
)
#: What the messages of these stages say has to be put right before a further hint can help.
_TOO_EARLY = ("error", "type")


def _further(exercise: RecordedExercise, verdict: Verdict) -> str:
    """Return the exercise's further hint after enough wrong results, else ""."""
    name = verdict.exercise
    if verdict.of_helper:
        return ""
    if verdict.passed or verdict.stage == "missing":
        _failures.pop(name, None)
        return ""
    about = exercise.get("further_for") or list(exercise["groups"])
    shown = exercise["cases"][verdict.case]["group"]
    if verdict.stage in _TOO_EARLY or shown not in about:
        return ""  # it would not help with this failure
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
