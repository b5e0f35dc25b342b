"""Commands for talks with students about their own work. Heavy imports wait until a command needs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import folder_option, output_option, say, with_course
from autograder.extras import require


@click.command()
@click.argument("assignment")
@click.argument("students", nargs=-1, metavar="[STUDENT]...")
@click.option(
    "--count",
    type=click.IntRange(1, 20),
    default=4,
    show_default=True,
    help="Questions per student.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Another number draws other questions."
)
@click.option(
    "--mark",
    "handed_in",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=None,
    help="Mark the quiz notebooks in this folder (STUDENT.ipynb or STUDENT/NAME.ipynb) instead.",
)
@output_option(
    "Folder to write to (default: reports/questions/ASSIGNMENT in the folder of the class).",
    folder=True,
)
@folder_option
@with_course
def questions(
    course: Any,
    assignment: str,
    students: tuple[str, ...],
    count: int,
    seed: int,
    handed_in: Path | None,
    output: Path | None,
    folder: Path | None,
) -> None:
    """Draw questions for each student about their own passing answers to ASSIGNMENT.

    Per student a sheet for a talk of five minutes, and the same questions as a quiz notebook; for
    graders a key. What is right was found by running each student's code, and edits of it, in the
    sandbox. Exit status 1 if somebody gets fewer questions than wanted, or a quiz is not marked.
    """
    require("guide")
    assignment = course.require(assignment)
    if handed_in is not None:
        _mark(course, assignment, handed_in, output, folder)
        return
    from autograder.own_code.question_sheets import write_questions

    place, sheets = write_questions(course, assignment, students, folder, output, count, seed)
    drawn = [sheet for sheet in sheets if sheet.questions]
    few = [sheet for sheet in sheets if len(sheet.questions) < count]
    for sheet in few:
        say(f"{sheet.student}: {len(sheet.questions)} of {count} questions: {sheet.problem}.")
    key = "key-STUDENT.html" if students else "key.html"
    say(f"written for {len(drawn)} of {len(sheets)} students: {place}, with {key} for graders.")
    if few:
        click.get_current_context().exit(1)


def _mark(
    course: Any, assignment: str, handed_in: Path, output: Path | None, folder: Path | None
) -> None:
    """Mark the quiz notebooks in a folder and print each student's result."""
    from autograder.gradebook.class_folder import Classroom
    from autograder.own_code.quiz_marking import mark

    place = output or Classroom(course, folder).folder / "reports" / "questions" / assignment
    path, marked = mark(place, handed_in)
    for one in marked:
        text = one.problem or f"{one.right} of {one.of} ({one.answers})"
        say(f"{one.student}: {text}{'.' if one.problem else ''}")
    say(f"written: {path}")
    if any(one.problem for one in marked):
        click.get_current_context().exit(1)


COMMANDS = (questions,)
