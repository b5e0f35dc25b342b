"""`autograder audit --compounds`: which two misconceptions in one answer get a hint."""

from __future__ import annotations

from collections import Counter

import click
from rich.console import Console
from rich.table import Table
from tqdm.auto import tqdm

from autograder.authoring.audit.audit_course import chosen
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED
from autograder.grading.combined_misconceptions import Compound, compounds
from autograder.grading.record_misconceptions import record

_STATUSES = ("explained", "named", "unnamed")


def audit_pairs(course: Course, names: list[str]) -> dict[str, list[Compound]]:
    """Return the pairs of misconceptions that can be in one answer, by exercise.

    Parameters
    ----------
    names : list of str
        Assignments or exercises; none stands for the whole course.
    """
    found: dict[str, list[Compound]] = {}
    for assignment, name in tqdm(chosen(course, names), unit="exercise", disable=None):
        recorded = record(assignment, name, RECORDING_SEED)
        found |= compounds(assignment, {name: recorded})
    return found


def show_pairs(pairs: dict[str, list[Compound]]) -> None:
    """Print how many pairs of each exercise get a hint, then those that get none."""
    table = Table(title="two misconceptions in one answer")
    table.add_column("exercise", no_wrap=True)
    for column in ("pairs", "explained by one", "recorded", "without a hint"):
        table.add_column(column, justify="right")
    for name, found in [*pairs.items(), ("all", [c for own in pairs.values() for c in own])]:
        counts = Counter(compound.status for compound in found)
        table.add_row(name, str(len(found)), *(str(counts[status]) for status in _STATUSES))
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)
    for name, found in pairs.items():
        for compound in found:
            if compound.status == "unnamed":
                click.echo(f"{name}: {' + '.join(compound.names)}")
