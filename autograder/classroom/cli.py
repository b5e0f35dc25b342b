"""Commands about a class as a whole. Heavy imports wait until a command needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.cli_options import folder_option, output_option, with_course
from autograder.escaping import for_terminal


@click.command()
@output_option("HTML file to write; the CSV file goes beside it (default: reports/gradebook.html).")
@folder_option
@with_course
def gradebook(course: Any, output: Path | None, folder: Path | None) -> None:
    """Write the points of all assignments: a page with trends and late work, and a CSV file."""
    from autograder.classroom.term import write_term

    for path in write_term(course, folder, output):
        click.echo(for_terminal(f"written: {path}"))


@click.command()
@click.argument("assignment")
@output_option("HTML file to write (default: reports/ASSIGNMENT-similar.html).")
@folder_option
@with_course
def similar(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """List pairs of submissions of ASSIGNMENT that are more alike than chance allows."""
    from autograder.classroom.similar import write_similar

    path, pairs = write_similar(course, course.require(assignment), folder, output)
    for pair in pairs:
        names = ", ".join(one.name for one in pair.exercises)
        who = " and ".join(for_terminal(one, lines=False) for one in pair.students)
        click.echo(f"{who}: did they work together on {names}?")
    if not pairs:
        click.echo("no two submissions are more alike than chance allows")
    click.echo(for_terminal(f"written: {path}"))


COMMANDS = (gradebook, similar)
