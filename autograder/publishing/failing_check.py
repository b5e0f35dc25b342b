"""Verdict of a check on a common mistake, from the recordings: nothing runs, no answer is shown."""

from __future__ import annotations

from coursekit.checking.html import VerdictView
from coursekit.checking.recording_format import Outcome, RecordedExercise, RecordedMisconception
from coursekit.checking.verdict import Verdict, judge

#: A failing case is easily read up to so many characters.
_SHORT = 400
#: So many mistakes are looked at.
_TRIED = 3


def failing_verdict(exercise: RecordedExercise) -> Verdict | None:
    """Return the verdict on a recorded misconception with its own hint; None if there is none.

    It is one of the first that keep some of the points and fail in a short case, else the first.
    """
    found: Verdict | None = None
    tried = 0
    for misconception in exercise["misconceptions"]:
        verdict = judge(exercise, _outcomes(exercise, misconception))
        if verdict.passed or verdict.misconception != misconception["name"]:
            continue
        if verdict.points and sum(len(text) for row in verdict.detail for text in row) <= _SHORT:
            return verdict
        found = found or verdict
        tried += 1
        if tried == _TRIED:
            break
    return found


def as_details(verdict: Verdict) -> str:
    """Return a verdict as a folded piece of HTML, with the display of `check` inside."""
    return (
        '<details class="check-says"><summary>What the check says to a common mistake</summary>'
        f"{VerdictView(verdict)._repr_html_()}</details>"
    )


def _outcomes(exercise: RecordedExercise, misconception: RecordedMisconception) -> list[Outcome]:
    """Return a misconception's outcome in each case; where none is recorded, the expected one."""
    return [
        case["expected"] if outcome is None or outcome["status"] == "undefined" else outcome
        for case, outcome in zip(exercise["cases"], misconception["outcomes"])
    ]
