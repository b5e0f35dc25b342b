"""Commands between a class and its LMS, and about a class as a whole. Heavy imports wait until a command needs them."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Any

import click

from autograder.cli.options import (
    folder_option,
    on_one_line,
    output_option,
    say,
    say_waiting,
    settle_penalties,
    with_course,
)
from autograder.errors import CourseError
from autograder.escaping import for_terminal


@click.command()
@click.argument("assignment")
@click.argument("source", type=click.Path(path_type=Path))
@folder_option
@click.option(
    "--layout",
    default=None,
    help="File naming scheme: canvas, moodle, blackboard, gradescope, brightspace, sakai or folder"
    " (default: auto-detect).",
)
@click.option(
    "--zone",
    default=None,
    help="Time zone of the LMS, such as Europe/Berlin (default: this machine's).",
)
@click.option(
    "--times",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="CSV of the LMS with the time of each submission, where the download does not give it.",
)
@click.option(
    "--groups",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="CSV with a column 'group': one submission is for all students of a group.",
)
@click.option("--json", is_flag=True, help="As JSON.")
@with_course
def collect(
    course: Any,
    assignment: str,
    source: Path,
    folder: Path | None,
    layout: str | None,
    zone: str | None,
    times: Path | None,
    groups: Path | None,
    json: bool,
) -> None:
    """Import submissions into submitted/ from an LMS download: an archive or a folder.

    Exit status 0 if every file was imported, 1 if some could not be matched or were refused.
    """
    from autograder.classroom.collect import collect as gather

    collected = gather(
        course, course.require(assignment), source, folder, layout, zone, times, groups
    )
    if json:
        click.echo(json_module.dumps(collected.to_dict(), indent=1))
    else:
        from autograder.classroom.console_tables import collected_lines

        say("\n".join(collected_lines(collected)))
    sys.exit(1 if collected.unmatched or collected.refused else 0)


@click.command()
@click.argument("assignment")
@output_option("CSV file to write (default: exports/ASSIGNMENT.csv in the folder of the class).")
@click.option(
    "--into",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="Gradebook exported from the LMS; its rows and columns are kept.",
)
@click.option(
    "--column",
    default=None,
    help="Column of that gradebook to fill (default: the one that is called like ASSIGNMENT).",
)
@click.option("--who", default=None, help="Column of that gradebook that identifies the students.")
@click.option(
    "--missing",
    type=click.Choice(["empty", "0"]),
    default="empty",
    show_default=True,
    help="The score of students who have not handed in.",
)
@click.option(
    "--points",
    type=click.Choice(["wide", "long"]),
    default=None,
    help="Instead, the points of each exercise and question: a row per student, or one for each.",
)
@folder_option
@with_course
def export(
    course: Any,
    assignment: str,
    output: Path | None,
    into: Path | None,
    column: str | None,
    who: str | None,
    missing: str,
    points: str | None,
    folder: Path | None,
) -> None:
    """Write the grades of ASSIGNMENT as a CSV file that an LMS can import."""
    from autograder.classroom.console_tables import filled_lines, rows_filled
    from autograder.classroom.export import as_csv, fill_in, grades, not_graded, not_handed_in
    from autograder.gradebook.class_folder import Classroom

    assignment = course.require(assignment)
    in_lms = into is not None or column is not None or who is not None or missing != "empty"
    if points is not None and in_lms:
        raise click.UsageError("--points writes a table of its own, from --output alone.")
    settle_penalties(Classroom(course, folder), assignment)
    if points is not None:
        _export_points(Classroom(course, folder), assignment, points, output)
        return
    found = grades(course, assignment, folder)
    output = output or (folder or course.root) / "exports" / f"{assignment}.csv"
    without = not_graded(course, assignment, folder, found)
    absent = not_handed_in(course, assignment, folder)
    zero = missing == "0"
    rows = len({*(grade.student for grade in found), *without, *absent})
    scores = len(found) + (len(absent) if zero else 0)
    last = f"{rows} rows, {scores} with a score"
    if into is None:
        content = as_csv(found, without, absent, "0" if zero else "").encode()
    else:
        people = Classroom(course, folder).people().values()
        filled = fill_in(found, into, assignment, column, who, people, absent if zero else ())
        content, last = filled.content, rows_filled(filled)
        for line in filled_lines(filled, max(grade.max_score for grade in found)):
            say(line)
    if without:
        say(f"not graded, {len(without)}: {on_one_line(without)}")
    if absent:
        score = "get 0" if zero else "no score; --missing 0 gives them 0"
        say(f"not handed in, {len(absent)}: {on_one_line(absent)} ({score})")
    say_waiting(Classroom(course, folder), assignment)
    _write(output, content)
    say(f"written: {output}, {last}")


def _export_points(classroom: Any, assignment: str, form: str, output: Path | None) -> None:
    """Write the points of each exercise and question as CSV."""
    from autograder.classroom.points_table import as_csv, read_points

    output = output or classroom.folder / "exports" / f"{assignment}-points-{form}.csv"
    table = read_points(classroom, assignment)
    _write(output, as_csv(table, form).encode())
    say(f"written: {output}, {len(table.rows)} students, {len(table.exercises)} exercises")


def _write(output: Path, content: bytes) -> None:
    """Write a private file; raise `CourseError` if that fails."""
    from coursekit.data.paths import write_atomically

    try:
        write_atomically(output, content, private=True)
    except OSError as error:
        raise CourseError(f"{output} cannot be written: {error.strerror}.") from error


@click.command()
@click.argument("assignment")
@output_option("HTML file to write (default: reports/ASSIGNMENT.html in the folder of the class).")
@folder_option
@with_course
def report(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """Write an HTML report on the class: scores, exercises, misconceptions, who needs help."""
    from autograder.classroom.report import write_report
    from autograder.gradebook.class_folder import Classroom

    assignment = course.require(assignment)
    settle_penalties(Classroom(course, folder), assignment)
    say(f"written: {write_report(course, assignment, folder, output)}")
    say_waiting(Classroom(course, folder), assignment)


@click.command()
@output_option("HTML file to write; the CSV file goes beside it (default: reports/gradebook.html).")
@folder_option
@with_course
def gradebook(course: Any, output: Path | None, folder: Path | None) -> None:
    """Write the points of all assignments: a page with trends and late work, and a CSV file."""
    from autograder.classroom.term_gradebook import write_term
    from autograder.gradebook.class_folder import Classroom

    settle_penalties(Classroom(course, folder))
    for path in write_term(course, folder, output):
        click.echo(for_terminal(f"written: {path}"))


@click.command()
@click.argument("assignment")
@output_option("HTML file to write (default: reports/ASSIGNMENT-similar.html).")
@folder_option
@with_course
def similar(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """List pairs of submissions of ASSIGNMENT that are more alike than chance allows."""
    from autograder.classroom.similarity import write_similar

    path, pairs = write_similar(course, course.require(assignment), folder, output)
    for pair in pairs:
        names = ", ".join(one.name for one in pair.exercises)
        who = " and ".join(for_terminal(one, lines=False) for one in pair.students)
        click.echo(f"{who}: did they work together on {names}?")
    if not pairs:
        click.echo("no two submissions are more alike than chance allows")
    click.echo(for_terminal(f"written: {path}"))


@click.command()
@click.argument("assignment")
@click.argument("graders", nargs=-1, required=True)
@folder_option
@with_course
def share(course: Any, assignment: str, graders: tuple[str, ...], folder: Path | None) -> None:
    """Divide the submissions of ASSIGNMENT that a person has to grade among GRADERS."""
    from autograder.classroom.grading_shares import share_out
    from autograder.gradebook.class_folder import Classroom

    shares, path = share_out(Classroom(course, folder), course.require(assignment), graders)
    for grader, students in shares.items():
        say(f"{grader}, {len(students)}: {on_one_line(students)}")
    say(f"written: {path}")


@click.command()
@click.argument("gradebooks", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@folder_option
@with_course
def merge(course: Any, gradebooks: tuple[Path, ...], folder: Path | None) -> None:
    """Take points and comments given by hand from copies of the gradebook: GRADEBOOKS.

    Exit status 1 if two graders have given different points for one answer: those here stay.
    """
    from autograder.classroom.console_tables import settled_lines
    from autograder.gradebook.class_folder import Classroom
    from autograder.gradebook.merge_gradebooks import merge as bring_together

    merged = bring_together(Classroom(course, folder), gradebooks)
    for title, found in (
        ("different points, decide in formgrader", merged.conflicts),
        ("not in this gradebook", merged.missing),
    ):
        if found:
            say(f"{title}, {len(found)}:")
            for one in found:
                say(f"  {on_one_line([one])}")
    for line in settled_lines(merged.settled):
        say(line)
    scores = "1 score" if merged.scores == 1 else f"{merged.scores} scores"
    comments = "1 comment" if merged.comments == 1 else f"{merged.comments} comments"
    say(f"taken over: {scores}, {comments}")
    sys.exit(1 if merged.conflicts else 0)


@click.command()
@click.argument("which", required=False)
@folder_option
def restore(which: str | None, folder: Path | None) -> None:
    """List the backups of the gradebook, or restore one.

    WHICH is the number of a backup, from 1 for the latest, or the file of a gradebook. The gradebook
    that it replaces, unless it is damaged, becomes the latest backup: `autograder restore 1` undoes this.
    """
    from autograder.course.layout import find_course
    from autograder.gradebook.backup_files import FOLDER
    from autograder.gradebook.backups import NAME, backups
    from autograder.gradebook.backups import restore as take_back
    from autograder.gradebook.permissions import close_class

    home = (folder or find_course().root).resolve()
    close_class(home)
    if which is not None:
        kept = take_back(home, which)
        say(f"restored: {home / NAME}; what was there is kept in {kept}")
        say("next: `autograder grade` for each assignment; scores that are older are graded again.")
        return
    found = backups(home)
    number = 0
    for backup in found:
        number += not backup.problem
        say(
            f"{number:2}  {backup.words}"
            if not backup.problem
            else f" -  {backup.words}: {backup.path}"
        )
    say(
        "`autograder restore NUMBER` takes one back."
        if number
        else f"there is no usable backup of a gradebook in {home / FOLDER} yet"
    )


@click.command()
@click.argument("assignment")
@output_option(
    "Folder to write to (default: reports/solutions/ASSIGNMENT in the folder of the class).",
    folder=True,
)
@folder_option
@with_course
def solutions(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """Write the solution of ASSIGNMENT for students, once nobody has time left to hand in.

    A page and a notebook: the solution with its outputs, other right answers, and the most common
    misconceptions of the class with their hints. It names no student.
    """
    from autograder.classroom.solution_page import write_solutions

    paths, warnings = write_solutions(course, course.require(assignment), folder, output)
    for path in paths:
        say(f"written: {path}")
    for warning in warnings:
        say(f"warning: {warning}")


COMMANDS = (collect, export, report, gradebook, similar, share, merge, restore, solutions)
