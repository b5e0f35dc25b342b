"""Verdicts in the form that Gradescope shows: `results.json`, a test per group of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.escaping import for_terminal
from coursekit.checking.verdict import GroupResult, Verdict


def results(verdicts: Sequence[Verdict], note: str = "", penalty: float = 0.0) -> dict[str, Any]:
    """What Gradescope reads from an autograder, as described in its documentation.

    Parameters
    ----------
    note : str
        One sentence for the student, above all tests, or "".
    penalty : float
        Points subtracted for lateness.
    """
    score = max(0.0, sum(verdict.points for verdict in verdicts) - penalty)
    return {
        "score": round(score, 4),
        "output": for_terminal(note),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "visibility": "visible",
        "tests": [_test(verdict, group) for verdict in verdicts for group in verdict.groups],
    }


def _test(verdict: Verdict, group: GroupResult) -> dict[str, Any]:
    return {
        "name": f"{verdict.exercise}: {group.name}",
        "score": group.points,
        "max_score": group.max_points,
        "status": "failed" if group.reason else "passed",
        "output": for_terminal(_explained(verdict, group)),
        "output_format": "text",
        "visibility": "visible",
    }


def _explained(verdict: Verdict, group: GroupResult) -> str:
    """Why the group lost points; the first such group has the hint and the failing case as well."""
    if not group.reason:
        return ""
    lines = [group.reason]
    if group is next(one for one in verdict.groups if one.reason):
        lines += [f"Hint: {verdict.hint}"] if verdict.hint else []
        lines += [f"A second mistake: {verdict.next_hint}"] if verdict.next_hint else []
        lines += [f"{label}: {text}" for label, text in verdict.detail]
    return "\n".join(lines)
