"""Commands that grade submissions and explain the grades. Heavy imports wait until a command needs them."""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import asdict
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
from autograder.extras import require


@click.command()
@click.argument("assignment")
@click.option("--student", "students", multiple=True, help="Grade only this student (repeatable).")
@folder_option
@click.option(
    "--cell-seconds",
    type=click.FloatRange(min=1),
    default=None,
    help="Time limit for one cell, in seconds.",
)
@click.option(
    "--no-sandbox", is_flag=True, help="Run submissions without isolation; only for code you trust."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Submissions to run in parallel (default: number of cores + 1).",
)
@click.option(
    "--scheduler",
    default=None,
    metavar="ADDRESS",
    help="Run submissions on the workers of a Dask scheduler, e.g. tls://10.0.0.5:8786.",
)
@click.option("--regrade", is_flag=True, help="Regrade unchanged submissions too.")
@click.option(
    "--exercise",
    default=None,
    help="Regrade only this exercise, of all graded submissions, and list whose points change.",
)
@click.option(
    "--all-cells",
    is_flag=True,
    help="Also run ungraded cells, so that their figures appear in the feedback.",
)
@click.option(
    "--new-cells",
    is_flag=True,
    help="Count graded cells that the release has added; submissions without them get 0 there.",
)
@click.option("--json", is_flag=True, help="The verdicts as JSON.")
@with_course
def grade(
    course: Any,
    assignment: str,
    students: tuple[str, ...],
    folder: Path | None,
    cell_seconds: float | None,
    no_sandbox: bool,
    jobs: int | None,
    scheduler: str | None,
    regrade: bool,
    exercise: str | None,
    all_cells: bool,
    new_cells: bool,
    json: bool,
) -> None:
    """Autograde the submissions of ASSIGNMENT with nbgrader, and print every point lost.

    Exit status 2 if the autograder itself failed on a submission, which costs nobody a point.
    """
    if scheduler and (no_sandbox or jobs):
        raise click.UsageError(
            "--scheduler cannot be combined with --jobs or --no-sandbox: the workers decide how many"
            " submissions run in parallel, and always use a sandbox."
        )
    if scheduler:
        require("cluster")
    from autograder.classroom.console_tables import (
        changes_table,
        settled_lines,
        show,
        summary_table,
        verdict_tables,
        withdrawn_lines,
    )
    from autograder.gradebook.grade_class import Options, grade_class
    from autograder.gradebook.permissions import open_to_others

    options = Options(
        cell_seconds,
        not no_sandbox,
        jobs,
        regrade,
        scheduler,
        all_cells,
        exercise,
        new_cells,
    )
    for opening in open_to_others(course, folder or course.root):
        click.echo(for_terminal(f"warning: {opening.what}; to mend it: {opening.remedy}"), err=True)
    graded = grade_class(course, course.require(assignment), folder, list(students), options)
    if json:
        # equal verdicts are the same object: converting each once saves memory in a large class
        as_dict = {id(v): v.to_dict() for verdicts in graded.verdicts.values() for v in verdicts}
        data = {s: [as_dict[id(v)] for v in verdicts] for s, verdicts in graded.verdicts.items()}
        changes = [
            {"student": s, "exercise": now.exercise, "before": before.points, "now": now.points}
            for s, before, now in graded.changes()
        ]
        faults = {student: str(path) for student, path in graded.faults.items()}
        penalties = [asdict(one) for one in graded.settled]
        scores = {
            student: {**asdict(score), "score": score.final}
            for student, score in graded.scores.items()
            if student in graded.verdicts
        }
        rest = {
            "scores": scores,
            "unread": graded.unread,
            "kept": graded.kept,
            "changes": changes,
            "penalties": penalties,
        }
        json_module.dump({"verdicts": data, **rest, "faults": faults}, sys.stdout, indent=1)
        click.echo()
        graded.require_no_fault()
        return
    if exercise is None:
        tables = verdict_tables(graded, perfect=False, kept=bool(students))
        show(*tables, summary_table(graded))
    if exercise is not None or graded.changes():
        show(changes_table(graded))
    for line in (*settled_lines(graded.settled), *withdrawn_lines(graded.withdrawn)):
        say(line)
    if graded.kept:
        click.echo(
            f"{len(graded.kept)} of {len(graded.verdicts)} submissions are unchanged since they were"
            " graded and kept their scores; --student NAME explains them, --regrade grades them again."
        )
    graded.require_no_fault()


@click.command()
@click.argument("assignment")
@click.option(
    "--for",
    "lms",
    type=click.Choice(["canvas", "moodle", "gradescope"]),
    default=None,
    help="Also pack the pages in the form that this LMS takes back.",
)
@click.option(
    "--upload",
    default=None,
    metavar="ADDRESS",
    help="With --for canvas: attach the pages to the submissions of the assignment at this address.",
)
@output_option("Archive to write with --for (default: in exports/ in the folder of the class).")
@folder_option
@with_course
def feedback(
    course: Any,
    assignment: str,
    lms: str | None,
    upload: str | None,
    output: Path | None,
    folder: Path | None,
) -> None:
    """Write a feedback page for every graded submission of ASSIGNMENT."""
    if output is not None and lms is None:
        raise click.UsageError("--output needs --for: it names the archive for the LMS.")
    if upload is not None and (lms != "canvas" or output is not None):
        raise click.UsageError("--upload needs --for canvas, and writes no archive.")
    from autograder.gradebook.class_folder import Classroom

    assignment = course.require(assignment)
    settle_penalties(Classroom(course, folder), assignment)
    if upload is not None:
        from autograder.classroom.canvas_comments import send_comments

        sent = send_comments(course, assignment, upload, folder)
        if sent.left_out:
            say(f"not from Canvas, {len(sent.left_out)}: {on_one_line(sent.left_out)}")
        say(f"sent to Canvas, {len(sent.students)} students")
        return
    if lms is not None:
        from autograder.classroom.return_feedback import send_back

        packed = send_back(course, assignment, lms, folder, output)
        if packed.left_out:
            say(
                f"not from {lms.capitalize()}, {len(packed.left_out)}: {on_one_line(packed.left_out)}"
            )
        if lms == "canvas":
            say(
                "Canvas will call each page like the file that was handed in, so that it opens as no"
                " page: save it as .html, or send it with --upload ADDRESS."
            )
        say(f"written: {packed.output}, {len(packed.students)} students")
        return
    from autograder.pages.feedback import write_feedback

    pages = write_feedback(course, assignment, folder)
    count = f"{len(pages)} feedback page{'s' * (len(pages) != 1)}"
    say(f"written: {count}, as {pages[0].parents[2]}/STUDENT/{assignment}/{pages[0].name}")
    say_waiting(Classroom(course, folder), assignment)


@click.command()
@folder_option
def doctor(folder: Path | None) -> None:
    """Check that submissions can run in a sandbox here; if not, say why, with exit status 1.

    In a course's folder, say also whether the gradebook is whole, what other users of this machine
    can read of course and class, and what keeps a JupyterHub here from knowing the course.
    """
    from autograder.sandbox.doctor import examine

    findings = examine()
    for finding in findings:
        say(f"{'✓' if finding.works else '✗'} {finding.what}")
        if not finding.works:
            say(f"    {finding.problem or 'check failed'}\n    to fix: {finding.remedy}")
    _say_of_class(folder)
    sys.exit(0 if all(finding.works for finding in findings) else 1)


def _say_of_class(folder: Path | None) -> None:
    """Print the findings of `doctor` about the course and the class in a folder."""
    from autograder.course.layout import find_course
    from autograder.gradebook.backups import require_whole
    from autograder.gradebook.hub import problems_on_hub
    from autograder.gradebook.permissions import open_to_others

    try:
        course = find_course()
    except CourseError:
        course = None
    home = folder or (course.root if course else None)
    if home is None:
        return
    looked_at = home.resolve()
    if course is not None:
        say(
            f"  nbgrader_config.py and exercises/ in {course.root} are code that runs as you, also by"
            " this command: of a course that is not yours, read them before you work in its folder"
        )
    try:
        require_whole(looked_at)
    except CourseError as error:
        say(f"! {error}")
    openings = open_to_others(course, looked_at)
    for opening in [*openings, *(problems_on_hub(course) if course else [])]:
        say(f"! {opening.what}\n    to fix: {opening.remedy}")
    if not openings:
        say(f"✓ other users of this machine cannot read the class in {looked_at}")


@click.command()
@click.argument("assignment", required=False)
@with_course
def demo(course: Any, assignment: str | None) -> None:
    """Grade a small made-up class, to see what grading looks like.

    For ASSIGNMENT; default: the course's first.
    """
    from autograder.classroom.demo import run_demo

    run_demo(course, course.require(assignment) if assignment else course.first())


COMMANDS = (grade, feedback, doctor, demo)
