"""The command `autograder audit`. Heavy imports wait until it runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("names", nargs=-1, metavar="[ASSIGNMENT | EXERCISE]...")
@click.option(
    "--json",
    "output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="JSON file to write; what it says of other exercises is kept.",
)
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of class seeds that each mutant is judged with, besides the recording.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Exercises to audit in parallel (default: number of cores).",
)
@click.option("--again", is_flag=True, help="Audit exercises whose sources did not change, too.")
@click.option(
    "--compounds",
    is_flag=True,
    help="Instead, apply each two misconceptions together, and list the pairs without a hint.",
)
def audit(
    names: tuple[str, ...],
    output: Path | None,
    seeds: int,
    jobs: int | None,
    again: bool,
    compounds: bool,
) -> None:
    """Edit each reference at one place in every way, and list the edits that lose no points.

    Exit status 0 if every mutant loses points with every seed or is listed as right in the
    exercise's EQUIVALENT, 1 otherwise.
    """
    from autograder.authoring.audit.command import audit as run
    from autograder.authoring.audit.report import show
    from autograder.course.layout import find_course

    course = find_course()
    if compounds:
        from autograder.authoring.audit.pairs import audit_pairs, show_pairs

        pairs = audit_pairs(course, list(names))
        show_pairs(pairs)
        if output:
            from autograder.authoring.audit.pairs import write_pairs

            write_pairs(output, pairs)
            click.echo(f"written: {output}")
        return
    audits = run(course, list(names), seeds, jobs, again)
    show(audits)
    if output:
        from autograder.authoring.audit.results import write

        write(course, output, audits, seeds)
        click.echo(f"written: {output}")
    sys.exit(0 if all(found.passed for found in audits) else 1)
