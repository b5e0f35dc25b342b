"""The output of `autograder audit`."""

from __future__ import annotations

import textwrap
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from autograder.authoring.audit.audit_results import Audit
from autograder.course.apply_edit import is_edit
from autograder.course.assignment import Assignment
from autograder.course.exercise import UNWRITTEN_REASON
from autograder.course.layout import Course


def show(course: Course, audits: list[Audit]) -> None:
    """Print a table per assignment, what is to be looked at, then what may be pasted."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    for assignment in dict.fromkeys(audit.assignment for audit in audits):
        own = [audit for audit in audits if audit.assignment == assignment]
        console.print(table(assignment, own))
        for audit in own:
            if text := details(audit):
                click.echo(text)
    for audit in audits:
        if entries := unwritten_entries(audit.survivors):
            click.echo(to_paste(course, audit, entries))


def table(assignment: str, audits: list[Audit]) -> Table:
    """Return a table with one row per exercise: its mutants, and what became of them."""
    found = Table(title=f"{assignment}: mutants of the references")
    columns = ["mutants", "killed", "with a hint", "listed", "recognized", "probably equal"]
    columns += ["survived", "inconsistent"]
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
        str(sum(audit.recognized for audit in audits)),
        str(sum(len(audit.probably_equal) + audit.without_gradient for audit in audits)),
        str(sum(len(audit.survivors) for audit in audits)),
        str(sum(len(audit.inconsistent) for audit in audits)),
    ]


def details(audit: Audit) -> str:
    """Return what is to be looked at: edits by the input that tells them, and those none tells."""
    lines: list[str] = []
    for told in _by_input(audit.survivors):
        lines += [_input(audit, told)]
        for mutant in told:
            got = f"; it gives {mutant['got']}" if mutant["got"] else ""
            lines += [f"{audit.exercise} survives: {mutant['operator']}{got}", mutant["edit"]]
    for mutant in audit.inconsistent:
        lost, kept = (_seeds(mutant[key]) for key in ("lost with", "kept with"))
        what = f"{audit.exercise} is inconsistent: {mutant['operator']}"
        lines += [f"{what}; points are lost with {lost}, not with {kept}", mutant["edit"]]
    lines += audit.wrongly_listed
    if audit.without_gradient:
        edits = _edits(audit.without_gradient)
        lines += [
            f"{audit.exercise}: {edits} that only cut gradients lose no points, since no case asks for"
            ' one. If a model is trained through it, add a case with gradient="all".'
        ]
    if audit.probably_equal:
        edits = _edits(len(audit.probably_equal))
        lines += [f"{audit.exercise}: {edits} probably right; no input was found that tells:"]
        lines += [f"  {m['operator']}: {_changed_lines(m['edit'])}" for m in audit.probably_equal]
    return "\n".join(lines)


def _by_input(survivors: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return survivors by the input that tells them, those first of which there are most."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for mutant in survivors:
        groups.setdefault(mutant["input"], []).append(mutant)
    return sorted(groups.values(), key=len, reverse=True)


def _input(audit: Audit, told: list[dict[str, Any]]) -> str:
    """Return the input that tells some survivors from the reference, and where it comes from."""
    first = told[0]
    if not first["input"]:
        return f"{audit.exercise}: {_edits(len(told))} cannot be run on other inputs."
    drawn = f" (drawn with seed {first['seed']})" if first["seed"] is not None else ""
    after = " after calls with other inputs" if any(mutant["after"] for mutant in told) else ""
    return (
        f"{audit.exercise}: add a case like this one{drawn}, which tells {_edits(len(told))}{after}:\n"
        f"    {first['input']}  # {first['expected']}"
    )


def _edits(n: int) -> str:
    return f"{n} edit{'s' * (n != 1)}"


def _changed_lines(edit: str) -> str:
    """Return the new lines of an edit as one; the old ones if it only drops some."""
    lines = edit.splitlines()
    new = [line[1:].strip() for line in lines if line.startswith("+")]
    old = [line[1:].strip() for line in lines if line.startswith("-")]
    return " ".join(new) or f"without {' '.join(old)}"


def to_paste(course: Course, audit: Audit, entries: str) -> str:
    """Return the entries of `EQUIVALENT` to paste if the survivors are right, and where to."""
    path = course.cases(audit.assignment) / f"{audit.exercise}.py"
    exercise = Assignment(course, audit.assignment).exercises[audit.exercise]
    name = path.relative_to(course.root) if path.is_relative_to(course.root) else path
    if exercise.equivalents or exercise.exempt:
        return f"If the text rules such an input out, the edit is right: add it to EQUIVALENT in {name}:\n\n{entries}"
    head = f"If the text rules such an input out, the edit is right: paste it at the end of {name}:"
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
