"""Verdicts in the form that Gradescope shows: `results.json`, a test per group of cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.escaping import for_terminal
from coursekit.checking.verdict import GroupResult, Verdict

#: The rows of a failing case that tell no input and no expected value.
_WITHOUT_VALUES = ("case", "right", "fails only where")


def results(
    verdicts: Sequence[Verdict], note: str = "", penalty: float = 0.0, values: bool = True
) -> dict[str, Any]:
    """Return the results in the format that Gradescope's documentation gives for an autograder.

    Parameters
    ----------
    note : str
        One sentence for the student, above all tests, or "".
    penalty : float
        Points subtracted for lateness.
    values : bool
        Whether to tell inputs and expected values of the cases. Where students can submit again,
        a table of them would earn points.
    """
    score = max(0.0, sum(verdict.points for verdict in verdicts) - penalty)
    return {
        "score": round(score, 4),
        "output": for_terminal(note),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "visibility": "visible",
        "tests": [
            _test(verdict, group, values) for verdict in verdicts for group in verdict.groups
        ],
    }


def _test(verdict: Verdict, group: GroupResult, values: bool) -> dict[str, Any]:
    """Return the test of a group of cases."""
    return {
        "name": f"{verdict.exercise}: {group.name}",
        "score": group.points,
        "max_score": group.max_points,
        "status": "failed" if group.reason else "passed",
        "output": for_terminal(_explained(verdict, group, values)),
        "output_format": "text",
        "visibility": "visible",
    }


def _explained(verdict: Verdict, group: GroupResult, values: bool) -> str:
    """Explain a group's lost points; the first such group also has hint and failing case."""
    if not group.reason:
        return ""
    lines = [group.reason if values else group.outline or group.reason]
    if group is next(one for one in verdict.groups if one.reason):
        lines += [f"Hint: {verdict.hint}"] if verdict.hint else []
        lines += [f"A second mistake: {verdict.next_hint}"] if verdict.next_hint else []
        lines += [
            f"{label}: {text}"
            for label, text in verdict.detail
            if values or label in _WITHOUT_VALUES
        ]
        if not values and verdict.detail:
            lines.append(
                f"`check({verdict.exercise})` in your notebook shows a case with its values."
            )
    return "\n".join(lines)
