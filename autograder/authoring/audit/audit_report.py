"""The output of `autograder audit`."""

from __future__ import annotations

import textwrap

import click
from rich.console import Console
from rich.table import Table

from autograder.authoring.audit.audit_results import Audit
from autograder.course.apply_edit import is_edit
from autograder.course.assignment import Assignment
from autograder.course.exercise import UNWRITTEN_REASON
from autograder.course.layout import Course


def show(course: Course, audits: list[Audit]) -> None:
    """Print a table per assignment, every survivor and inconsistency, then what may be pasted."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    for assignment in dict.fromkeys(audit.assignment for audit in audits):
        own = [audit for audit in audits if audit.assignment == assignment]
        console.print(table(assignment, own))
        for audit in own:
            if not audit.passed:
                click.echo(details(audit))
    for audit in audits:
        if entries := unwritten_entries(audit.survivors):
            click.echo(to_paste(course, audit, entries))


def table(assignment: str, audits: list[Audit]) -> Table:
    """Return a table with one row per exercise: its mutants, and what became of them."""
    found = Table(title=f"{assignment}: mutants of the references")
    columns = ("mutants", "killed", "with a hint", "equivalent", "survived", "inconsistent")
    found.add_column("exercise", no_wrap=True)
    for column in columns:
        found.add_column(column, justify="right")
    rows = [(audit.exercise, _numbers([audit])) for audit in audits]
    rows.append(("all", _numbers(audits)))
    for name, numbers in rows:
        found.add_row(name, *numbers, end_section=name == audits[-1].exercise)
    return found


def _numbers(audits: list[Audit]) -> list[str]:
    killed = sum(audit.killed for audit in audits)
    with_hint = sum(audit.with_hint for audit in audits) / max(1, killed)
    return [
        str(sum(audit.mutants for audit in audits)),
        str(killed),
        f"{with_hint:.0%}",
        str(sum(audit.equivalent for audit in audits)),
        str(sum(len(audit.survivors) for audit in audits)),
        str(sum(len(audit.inconsistent) for audit in audits)),
    ]


def details(audit: Audit) -> str:
    """Return the survivors and inconsistencies of an exercise as edits, and problems with its list."""
    lines = []
    for mutant in audit.survivors:
        lines += [f"{audit.exercise} survives: {mutant['operator']}", mutant["edit"]]
    for mutant in audit.inconsistent:
        lost, kept = (_seeds(mutant[key]) for key in ("lost with", "kept with"))
        what = f"{audit.exercise} is inconsistent: {mutant['operator']}"
        lines += [f"{what}; points are lost with {lost}, not with {kept}", mutant["edit"]]
    return "\n".join([*lines, *audit.wrongly_listed])


def to_paste(course: Course, audit: Audit, entries: str) -> str:
    """Return the entries of `EQUIVALENT` to paste if the survivors are right, and where to."""
    path = course.cases(audit.assignment) / f"{audit.exercise}.py"
    exercise = Assignment(course, audit.assignment).exercises[audit.exercise]
    name = path.relative_to(course.root) if path.is_relative_to(course.root) else path
    if exercise.equivalents or exercise.exempt:
        return f"Which of these edits are right? Add them to EQUIVALENT in {name}:\n\n{entries}"
    head = f"Which of these edits are right? Paste them at the end of {name}:"
    return f"{head}\n\nEQUIVALENT = {{\n{entries}}}\n"


def unwritten_entries(survivors: list[dict[str, str]]) -> str:
    """Return entries of `EQUIVALENT` for survivors, one per operator, whose reasons are to be written.

    "" if there are none. An edit that cannot be written as lines with - and + is left out.
    """
    edits: dict[str, list[str]] = {}
    for mutant in survivors:
        if is_edit(mutant["edit"]):
            edits.setdefault(mutant["operator"], []).append(mutant["edit"].strip("\n"))
    entries = ""
    for operator, own in edits.items():
        text = "\n\n".join(own).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        body = textwrap.indent(text, 8 * " ")
        entries += f'    "{UNWRITTEN_REASON} ({operator}).": """\n{body}\n        """,\n'
    return entries


def _seeds(seeds: list[int]) -> str:
    names = ["the recording"] * (0 in seeds)
    others = [str(seed) for seed in seeds if seed]
    names += [f"seed{'s' * (len(others) > 1)} {', '.join(others)}"] if others else []
    return " and ".join(names)
