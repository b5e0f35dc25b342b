"""Overview of the points of every exercise of a notebook: `check.all()`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from coursekit.checking import stored_recordings, version_check
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge


class Overview:
    """Verdicts on a notebook's exercises; displays as a table with the sum of the points.

    Parameters
    ----------
    verdicts : sequence of Verdict
        One per exercise, in the order of the notebook.
    """

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self.verdicts = list(verdicts)

    @property
    def points(self) -> float:
        """Points that the recorded cases give."""
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def max_points(self) -> float:
        """Points of all exercises."""
        return sum(verdict.max_points for verdict in self.verdicts)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Return the rows of the table."""
        return [
            (
                "✓" if verdict.passed else "✗",
                verdict.exercise,
                f"{verdict.points:g} of {verdict.max_points:g}",
                "" if verdict.passed else verdict.headline,
            )
            for verdict in self.verdicts
        ]

    def _total(self) -> str:
        """Return the line with the sum of the points."""
        return f"{self.points:g} of {self.max_points:g} points in the checks"

    def __repr__(self) -> str:
        """Return the table as plain text."""
        rows = self._rows()
        names, points = (max((len(row[i]) for row in rows), default=0) for i in (1, 2))
        lines = [f"{mark} {n:<{names}}  {p:<{points}}  {why}".rstrip() for mark, n, p, why in rows]
        return "\n".join([*lines, self._total()])

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        cells = "".join(
            f'<tr><td>{mark}</td><td style="text-align:left"><b>{escape(name)}</b></td>'
            f'<td style="white-space:nowrap">{points}</td>'
            f'<td style="text-align:left">{escape(why)}</td></tr>'
            for mark, name, points, why in self._rows()
        )
        return f"<table>{cells}</table><div><b>{self._total()}</b></div>"


def exercises_of_the_notebook() -> list[str]:
    """Return the exercises of the assignments whose set-up cells have run; [] if none has."""
    wanted = version_check.assignments()
    return [name for name, assignment in stored_recordings.index().items() if assignment in wanted]


def overview(names: Sequence[str], scope: Mapping[str, Any]) -> Overview:
    """Check the exercises as a namespace defines them, and return the verdicts.

    Parameters
    ----------
    names : sequence of str
        The exercises.
    scope : mapping
        The namespace of the notebook; a name that it lacks has no points.
    """
    return Overview([_verdict(name, scope) for name in names])


def notebook_names() -> dict[str, Any]:
    """Return the namespace of the notebook, or of the script that is run."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell.user_ns if shell is not None else vars(sys.modules["__main__"])


def _verdict(name: str, scope: Mapping[str, Any]) -> Verdict:
    """Return the verdict on one exercise."""
    exercise = stored_recordings.find(name)
    if not callable(scope.get(name)):
        points = float(sum(exercise["groups"].values()))
        message = "not defined: run its cell first"
        return Verdict(name, 0.0, points, groups=[], headline=message, stage="missing")
    outcomes = run_cases(scope[name], exercise["cases"], name=name)
    with DefinedState():
        return judge(exercise, outcomes)
