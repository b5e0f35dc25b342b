"""The command of the instructor's guide. Heavy imports wait until a command needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import folder_option, output_option, say, with_course
from autograder.extras import require


@click.command()
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...")
@output_option(
    "Folder to write to (default: reports/guide in the folder of the class).", folder=True
)
@click.option("--pdf/--no-pdf", default=True, show_default=True, help="Print a PDF, too.")
@folder_option
@with_course
def guide(
    course: Any, assignments: tuple[str, ...], output: Path | None, pdf: bool, folder: Path | None
) -> None:
    """Write the instructor's guide to ASSIGNMENTS (default: all). It holds solutions.

    HTML pages, and one PDF where Chromium or Chrome can print it. Misconceptions are those of the
    class in --folder, if it is graded.
    """
    require("guide")
    from tqdm.auto import tqdm

    from autograder.guide.write_guide import write_guide

    chosen = course.chosen(assignments)
    with tqdm(total=len(chosen), desc="guide", unit="assignment", disable=None) as bar:

        def one_more(name: str) -> None:
            bar.update()

        made = write_guide(course, chosen, folder, output, pdf, one_more)
    if made.checks:
        say(f"{made.checks} answers of the exam bank were computed again and agree.")
    say(f"written: {made.pages[0]} and {len(made.pages) - 1} more pages")
    if made.pdf:
        say(f"written: {made.pdf}")
    elif pdf:
        say("only HTML was written: no Chromium or Chrome was found that could print a PDF.")
    say("it holds solutions: give it to no student, and put it on no public page.")


COMMANDS = (guide,)
