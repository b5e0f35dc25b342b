"""The `autograder` command. Heavy imports wait until a command needs them."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Any

import click

import autograder.without_iri_grammar  # noqa: F401  before anything imports nbformat
from autograder.authoring import cli as authoring
from autograder.authoring.audit.cli import audit
from autograder.classroom import cli as classroom
from autograder.cli_options import folder_option, output_option, with_course
from autograder.errors import CourseError, Stopped
from autograder.escaping import for_terminal


class _Group(click.Group):
    """Turns an error the user can fix, or ctrl-C, into a message and an exit status."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            error: CourseError = Stopped("stopped.")
        except CourseError as found:
            error = found
        except Exception as found:
            from autograder.grading.patience import is_of_this_machine, machine_problem

            if not is_of_this_machine(found):
                raise
            problem = machine_problem(found)
            error = CourseError(f"{problem}; when that is over, run the command again.")
        click.echo(for_terminal(f"autograder: {error}"), err=True)
        sys.exit(error.status)


def _say(text: str) -> None:
    """Print text that may come from students."""
    click.echo(for_terminal(text))


def _names(names: list[str]) -> str:
    """Names on one line."""
    return ", ".join(for_terminal(name, lines=False) for name in names)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="coursekit")
def main() -> None:
    """Build, release, collect and grade the assignments of the course."""


for _command in (*authoring.COMMANDS, audit, *classroom.COMMANDS):
    main.add_command(_command)


@main.command()
@click.option("--json", is_flag=True, help="As JSON.")
@with_course
def exercises(course: Any, json: bool) -> None:
    """List every exercise with its assignment, points, groups and misconceptions."""
    from autograder.course import catalog

    rows = [
        {
            "assignment": assignment,
            "exercise": name,
            "points": sum(exercise.points.values()),
            "groups": exercise.points,
            "misconceptions": {m.name: m.hint for m in exercise.misconceptions},
        }
        for assignment in course.assignments()
        for name, exercise in catalog.exercises(course, assignment).items()
    ]
    if json:
        click.echo(json_module.dumps(rows, indent=1))
        return
    from autograder.classroom.tables import exercise_table, show

    show(exercise_table(rows))


@main.command()
@click.argument("assignment")
@click.argument("source", type=click.Path(path_type=Path))
@folder_option
@click.option(
    "--layout",
    default=None,
    help="File naming scheme: canvas, moodle, blackboard, gradescope or folder (default:"
    " auto-detect).",
)
@click.option("--json", is_flag=True, help="As JSON.")
@with_course
def collect(
    course: Any, assignment: str, source: Path, folder: Path | None, layout: str | None, json: bool
) -> None:
    """Import submissions into submitted/ from an LMS download: an archive or a folder.

    Exit status 0 if every file was imported, 1 if some could not be matched or were refused.
    """
    from autograder.classroom.collect import collect as gather

    collected = gather(course, course.require(assignment), source, folder, layout)
    if json:
        click.echo(json_module.dumps(collected.to_dict(), indent=1))
    else:
        from autograder.classroom.tables import collected_lines

        _say("\n".join(collected_lines(collected)))
    sys.exit(1 if collected.unmatched or collected.refused else 0)


@main.command()
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
    help="Run submissions on the workers of a Dask scheduler, e.g. tcp://10.0.0.5:8786.",
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
    json: bool,
) -> None:
    """Autograde the submissions of ASSIGNMENT with nbgrader, and print every point lost."""
    if scheduler and (no_sandbox or jobs):
        raise click.UsageError(
            "--scheduler cannot be combined with --jobs or --no-sandbox: the workers decide how many"
            " submissions run in parallel, and always use a sandbox."
        )
    from autograder.classroom.tables import changes_table, show, summary_table, verdict_tables
    from autograder.grading.grade_class import Options, grade_class

    options = Options(cell_seconds, not no_sandbox, jobs, regrade, scheduler, all_cells, exercise)
    graded = grade_class(course, course.require(assignment), folder, list(students), options)
    if json:
        # equal verdicts are the same object: converting each once saves memory in a large class
        as_dict = {id(v): v.to_dict() for verdicts in graded.verdicts.values() for v in verdicts}
        data = {s: [as_dict[id(v)] for v in verdicts] for s, verdicts in graded.verdicts.items()}
        changes = [
            {"student": s, "exercise": now.exercise, "before": before.points, "now": now.points}
            for s, before, now in graded.changes()
        ]
        rest = {"unread": graded.unread, "kept": graded.kept, "changes": changes}
        json_module.dump({"verdicts": data, **rest}, sys.stdout, indent=1)
        click.echo()
        return
    if exercise is None:
        show(*verdict_tables(graded, perfect=False), summary_table(graded))
    if exercise is not None or graded.changes():
        show(changes_table(graded))
    if graded.kept:
        click.echo(
            f"{len(graded.kept)} of {len(graded.verdicts)} submissions are unchanged since they were"
            " graded and kept their scores; --regrade grades them again."
        )


@main.command()
@click.argument("assignment")
@click.option(
    "--for",
    "lms",
    type=click.Choice(["canvas", "moodle", "gradescope"]),
    default=None,
    help="Also pack the pages in the form that this LMS takes back.",
)
@output_option("Archive to write with --for (default: in exports/ in the folder of the class).")
@folder_option
@with_course
def feedback(
    course: Any, assignment: str, lms: str | None, output: Path | None, folder: Path | None
) -> None:
    """Write a feedback page for every graded submission of ASSIGNMENT."""
    if output is not None and lms is None:
        raise click.UsageError("--output needs --for: it names the archive for the LMS.")
    assignment = course.require(assignment)
    if lms is not None:
        from autograder.classroom.send_back import send_back

        packed = send_back(course, assignment, lms, folder, output)
        if packed.left_out:
            _say(f"not from {lms.capitalize()}, {len(packed.left_out)}: {_names(packed.left_out)}")
        _say(f"written: {packed.output}, {len(packed.students)} students")
        return
    from autograder.grading.feedback import write_feedback

    for page in write_feedback(course, assignment, folder):
        _say(f"  {_names([str(page)])}")


@main.command()
@click.argument("assignment")
@output_option("CSV file to write (default: exports/ASSIGNMENT.csv in the folder of the class).")
@click.option(
    "--into",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="Gradebook exported from the LMS; its rows and columns are kept.",
)
@click.option(
    "--column", default=None, help="Column of that gradebook to fill (default: ASSIGNMENT)."
)
@click.option("--who", default=None, help="Column of that gradebook that identifies the students.")
@folder_option
@with_course
def export(
    course: Any,
    assignment: str,
    output: Path | None,
    into: Path | None,
    column: str | None,
    who: str | None,
    folder: Path | None,
) -> None:
    """Write the grades of ASSIGNMENT as a CSV file that an LMS can import."""
    from autograder.classroom.export import as_csv, fill_in, grades
    from coursekit.data.paths import write_atomically

    assignment = course.require(assignment)
    found = grades(course, assignment, folder)
    output = output or (folder or course.root) / "exports" / f"{assignment}.csv"
    text = as_csv(found)
    if into is not None:
        filled = fill_in(found, into, column or assignment, who)
        text = filled.text
        for title, names in (
            ("graded, but not in the LMS gradebook", filled.unknown),
            ("in the LMS gradebook, but not graded", filled.ungraded),
            ("not filled in: several rows or students fit, try --who", filled.ambiguous),
        ):
            if names:
                _say(f"{title}, {len(names)}: {_names(names)}")
    waiting = [grade.student for grade in found if grade.note]
    if waiting:
        count = "1 submission needs" if len(waiting) == 1 else f"{len(waiting)} submissions need"
        _say(f"{count} manual grading: {_names(waiting)}")
    try:
        write_atomically(output, text.encode(), private=True)
    except OSError as error:
        raise CourseError(f"{output} cannot be written: {error.strerror}.") from error
    _say(f"written: {output}, {len(found)} students")


@main.command()
@click.argument("assignment")
@output_option("HTML file to write (default: reports/ASSIGNMENT.html in the folder of the class).")
@folder_option
@with_course
def report(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """Write an HTML report on the class: scores, exercises, misconceptions, who needs help."""
    from autograder.classroom.report import write_report

    _say(f"written: {write_report(course, course.require(assignment), folder, output)}")


@main.command()
@click.argument("exercise")
@click.argument("student")
@folder_option
@with_course
def adopt(course: Any, exercise: str, student: str, folder: Path | None) -> None:
    """Add a student's wrong answer to the misconceptions of an exercise."""
    from autograder.classroom.adopt import adopt

    path, name = adopt(course, exercise, student, folder)
    click.echo(f"{path}: added {name}. A release runs it as your own code: read it first.")


@main.command()
def doctor() -> None:
    """Check that submissions can run in a sandbox here; if not, say why, with exit status 1."""
    from autograder.sandbox.doctor import examine

    findings = examine()
    for finding in findings:
        _say(f"{'✓' if finding.works else '✗'} {finding.what}")
        if not finding.works:
            _say(f"    {finding.problem or 'check failed'}\n    to fix: {finding.remedy}")
    sys.exit(0 if all(finding.works for finding in findings) else 1)


@main.command()
@click.argument("assignment", default="00_setup")
@with_course
def demo(course: Any, assignment: str) -> None:
    """Grade a small made-up class for ASSIGNMENT, to see what grading looks like."""
    from autograder.classroom.demo import run_demo

    run_demo(course, course.require(assignment))


if __name__ == "__main__":
    main()
