"""The commands of public material: figures and slides. Heavy imports wait until needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import output_option, with_course
from autograder.extras import require


@click.command()
@click.argument("assignments", nargs=-1)
@output_option("Folder to write to (default: figures).", folder=True)
@with_course
def figures(course: Any, assignments: tuple[str, ...], output: Path | None) -> None:
    """Write the drawings of ASSIGNMENTS (default: all) as SVG and PDF, and the figures of results.

    Result figures are PNG files, as the notebooks stored them. README.md in the folder lists
    everything with its description and the license.
    """
    require("site")
    from autograder.publishing.figures import write_figures

    chosen = course.chosen(assignments)
    folder = output or Path("figures")
    written = write_figures(course, chosen, folder)
    for kind, what in (("svg", "drawings"), ("png", "figures of results")):
        click.echo(f"{sum(path.suffix == f'.{kind}' for path in written)} {what}")
    click.echo(f"written: {folder}")


@click.command()
@click.argument("assignment")
@output_option("HTML file to write (default: slides/ASSIGNMENT.html).")
@with_course
def slides(course: Any, assignment: str, output: Path | None) -> None:
    """Write slides for ASSIGNMENT: one HTML file, which any browser shows without a network.

    It has the headings, formulas, drawings and results of the student notebook, and no solution.
    """
    require("site")
    from autograder.course.assignment import Assignment
    from autograder.publishing.slides import write_slides

    name = course.require(assignment)
    path = output or Path("slides") / f"{name}.html"
    count = write_slides(Assignment(course, name), path)
    click.echo(f"{count} slides; for a PDF, open FILE?print-pdf in Chromium and print.")
    click.echo(f"written: {path}")


COMMANDS = (figures, slides)
#: What they write is for others, whose files have the usual permissions.
FOR_OTHERS = frozenset(str(command.name) for command in COMMANDS)
