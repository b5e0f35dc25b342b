"""The commands of authors. Heavy imports wait until a command needs them."""

from __future__ import annotations

import json as json_module
import os
import sys
from pathlib import Path
from typing import Any

import click

from autograder.cli.options import folder_option, output_option, with_course
from autograder.extras import require

#: So many exercises are named in one line.
_FEW = 8


@click.command()
@click.argument("assignments", nargs=-1)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing, prove everything, and fail if a generated file is stale.",
)
@click.option("--again", is_flag=True, help="Prove also what has not changed since it was proved.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Assignments to release in parallel (default: number of cores).",
)
@with_course
def release(
    course: Any, assignments: tuple[str, ...], check: bool, again: bool, jobs: int | None
) -> None:
    """Build recordings and student notebooks from the solution notebooks, and verify them.

    An assignment that was proved and has not changed since is left alone.
    """
    from tqdm.auto import tqdm

    from autograder.authoring.audit.audit_results import stale
    from autograder.authoring.release import release as build
    from autograder.authoring.release import require_fresh
    from autograder.authoring.release_digest import pasted_since

    chosen = course.chosen(assignments)
    with tqdm(total=len(chosen), desc="release", unit="assignment", disable=None) as bar:
        report = build(course, chosen, check, again, jobs or os.cpu_count() or 1, bar.update)
    require_fresh(report)
    for written in report.written:
        click.echo(f"written: {written}")
    left_alone = f" ({len(report.unchanged)} unchanged since)" if report.unchanged else ""
    click.echo(
        f"{len(chosen)} assignment{'s' * (len(chosen) != 1)} up to date and verified{left_alone}."
    )
    if pasting := pasted_since(course, chosen):
        names = " ".join(pasting)
        click.echo(f"also changed, or pasting what has changed: `autograder release {names}`")
    for assignment in chosen:
        _say_what_changed(course, assignment)
    if report.drafts:
        names = " ".join(report.drafts)
        click.echo(f"not executed yet: `autograder execute {names}` runs every cell.")
    if changed := stale(course, chosen):
        named = ", ".join(changed) if len(changed) <= _FEW else f"{len(changed)} exercises"
        command = f"autograder verify {' '.join(_owners(course, chosen, changed))} --measure"
        click.echo(f"new or changed: {named}; `{command}` audits them and judges their answers.")


def _owners(course: Any, assignments: list[str], exercises: list[str]) -> list[str]:
    """Return the names of the assignments that have some of these exercises."""
    from autograder.course.assignment import Assignment

    return [
        name for name in assignments if set(exercises) & set(Assignment(course, name).exercises)
    ]


def _say_what_changed(course: Any, assignment: str) -> None:
    """Print a notice if the gradebook's submissions have other graded cells than the release."""
    from autograder.gradebook.class_folder import Classroom
    from autograder.gradebook.withdraw import cells_changed

    changed = cells_changed(Classroom(course), assignment)
    if changed.removed or changed.added:
        click.echo(f"before you grade: {changed.sentence(assignment)}")


@click.command()
@click.argument("assignments", nargs=-1)
@with_course
def execute(course: Any, assignments: tuple[str, ...]) -> None:
    """Run the solution notebooks of ASSIGNMENTS (default: all) and store their outputs."""
    from autograder.authoring.execute import execute_solution

    for name in [course.require(name) for name in assignments] or course.assignments():
        seconds = execute_solution(course, name)
        click.echo(f"{name}: executed in {seconds:.0f} s")


@click.command("try")
@click.argument("exercise")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--seed", default=1, show_default=True, help="Seed of the fresh cases.")
@click.option("--json", is_flag=True, help="As JSON.")
@with_course
def try_(course: Any, exercise: str, file: Path, seed: int, json: bool) -> None:
    """Judge the implementation of EXERCISE in FILE like a submission.

    Exit status 0 for full points, 1 otherwise.
    """
    from autograder.authoring.try_answer import try_file

    verdict = try_file(course, exercise, file, seed)
    if json:
        click.echo(json_module.dumps(verdict.to_dict(), indent=1))
    else:
        from coursekit.checking.html import VerdictView

        click.echo(repr(VerdictView(verdict)))
        if verdict.misconception:
            click.echo(f"  misconception: {verdict.misconception}")
    sys.exit(0 if verdict.passed else 1)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", default=None, help="The course's title (default: the folder's name).")
def init(folder: Path, title: str | None) -> None:
    """Make FOLDER an empty course, with its configuration and a package for students."""
    from autograder.authoring.init_course import init_course

    for path in init_course(folder, title):
        click.echo(f"written: {path}")
    click.echo(f"next: cd {folder}; README.md says how to go on.")


@click.command()
@click.argument("assignment")
@with_course
def new(course: Any, assignment: str) -> None:
    """Create a new assignment, such as 10_topic, with one small exercise.

    It is executed, released and measured, so that `autograder verify` passes.
    """
    require("author")
    from autograder.authoring.execute import execute_solution
    from autograder.authoring.new_assignment import new_assignment
    from autograder.authoring.release import release as build

    paths = new_assignment(course, assignment)
    written = build(course, [assignment]).written
    execute_solution(course, assignment)
    written += build(course, [assignment]).written
    edited = [str(path.relative_to(course.root)) for path in paths]
    for name in edited:
        click.echo(f"edit: {name}")
    for name in dict.fromkeys(written):
        if name not in edited:
            click.echo(f"generated: {name}")
    _verify(course, [assignment], (), True, 1)


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default="bundle",
    show_default=True,
    help="Folder or .zip file to write.",
)
@click.option(
    "--repository",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Write the students' repository instead: a new folder, or a clone of it.",
)
@with_course
def bundle(course: Any, output: Path, repository: Path | None) -> None:
    """Pack the student handout: notebooks, wheel, environment files and a short README.

    With --repository also a workflow that runs the checks on GitHub (for GitHub Classroom).
    """
    require("author")
    from autograder.authoring.bundle import make_bundle, make_repository

    names = make_repository(course, repository) if repository else make_bundle(course, output)
    for name in names:
        click.echo(f"  {name}")
    click.echo(f"written: {repository or output}")
    if repository:
        click.echo(f"Commit it and push it to {course.config.students}.")


@click.command()
@click.argument("assignment")
@output_option("Archive to write (default: in exports/ in the folder of the class).")
@folder_option
@with_course
def gradescope(course: Any, assignment: str, output: Path | None, folder: Path | None) -> None:
    """Write the archive with which Gradescope grades ASSIGNMENT. It holds the solution."""
    require("author")
    from autograder.authoring.gradescope_archive import write_autograder

    path = write_autograder(course, course.require(assignment), folder, output)
    click.echo(f"written: {path}")


@click.command()
@click.option("--json", is_flag=True, help="As JSON.")
@with_course
def exercises(course: Any, json: bool) -> None:
    """List every exercise with its assignment, points, groups and misconceptions."""
    from autograder.course.assignment import every_assignment

    rows = [
        {
            "assignment": assignment.name,
            "exercise": name,
            "points": sum(exercise.points.values()),
            "groups": exercise.points,
            "misconceptions": {m.name: m.hint for m in exercise.misconceptions},
        }
        for assignment in every_assignment(course)
        for name, exercise in assignment.exercises.items()
    ]
    if json:
        click.echo(json_module.dumps(rows, indent=1))
        return
    from autograder.classroom.console_tables import exercise_table, show

    show(exercise_table(rows))


@click.command()
@click.argument("exercise")
@click.argument("student")
@folder_option
@with_course
def adopt(course: Any, exercise: str, student: str, folder: Path | None) -> None:
    """Add a student's wrong answer to the misconceptions of an exercise."""
    from autograder.authoring.adopt import adopt

    path, name = adopt(course, exercise, student, folder)
    click.echo(f"{path}: added {name}. A release runs it as your own code: read it first.")


@click.command()
@click.argument("names", nargs=-1, metavar="[ASSIGNMENT | EXERCISE]...")
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
    names: tuple[str, ...], seeds: int, jobs: int | None, again: bool, compounds: bool
) -> None:
    """Edit each reference at one place in every way, and list the edits that lose no points.

    The results are stored in the `verified.json` of the assignments. Exit status 0 if every mutant
    loses points with every seed or is listed as right in the exercise's EQUIVALENT, 1 otherwise.
    """
    from autograder.authoring.audit.audit_course import audit as run
    from autograder.authoring.audit.audit_report import show
    from autograder.authoring.audit.audit_results import write
    from autograder.course.assignment import Assignment
    from autograder.course.layout import find_course

    course = find_course()
    if compounds:
        from autograder.authoring.audit.misconception_pairs import audit_pairs, show_pairs

        show_pairs(audit_pairs(course, list(names)))
        return
    audits = run(course, list(names), seeds, jobs, again)
    show(course, audits)
    for assignment in dict.fromkeys(found.assignment for found in audits):
        own = [found for found in audits if found.assignment == assignment]
        write(Assignment(course, assignment), own, seeds)
    sys.exit(0 if all(found.passed for found in audits) else 1)


@click.command()
@click.argument("assignments", nargs=-1)
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME", help="Check only this rule; may be repeated."
)
@click.option(
    "--measure",
    is_flag=True,
    help="First measure what is stale: the audit, typed answers with many seeds, wrong helpers.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="Assignments to verify in parallel (default: number of cores).",
)
@with_course
def verify(
    course: Any,
    assignments: tuple[str, ...],
    rules: tuple[str, ...],
    measure: bool,
    jobs: int | None,
) -> None:
    """Say everything that ASSIGNMENTS (default: all) owe, rule by rule; what is stale comes first.

    Exit status 0 if every rule holds, 1 otherwise.
    """
    passed = _verify(
        course, course.chosen(assignments), rules, measure, jobs or os.cpu_count() or 1
    )
    sys.exit(0 if passed else 1)


def _verify(
    course: Any, assignments: list[str], rules: tuple[str, ...], measure: bool, jobs: int
) -> bool:
    """Verify assignments and print what is found; return whether every rule holds."""
    require("author")
    from tqdm.auto import tqdm

    from autograder.verify.verify import verify as run

    with tqdm(total=len(assignments), desc="verify", unit="assignment", disable=None) as bar:
        found = run(course, assignments, list(rules), measure, jobs, bar.update)
    commands = dict.fromkeys(command for one in found for command in one.stale.values())
    for command in commands:
        stale = [
            f"{name} of {one.assignment}"
            for one in found
            for name, mending in one.stale.items()
            if mending == command
        ]
        click.echo(f"stale, and not judged: {', '.join(stale)}; run `{command}`")
    for one in found:
        for name, problems in one.problems.items():
            for problem in problems:
                click.echo(f"{one.assignment}, {name}: {problem}")
    for one in found:
        for name, command in one.owed.items():
            click.echo(f"{one.assignment}: {name} is owed: `{command}`")
    for one in found:
        skipped = f" ({len(one.skipped)} do not apply)" if one.skipped else ""
        broken = f", {len(one.problems)} broken" if one.problems else ""
        waiting = f", {len(one.stale)} stale" if one.stale else ""
        count = len(one.held)
        click.echo(
            f"{one.assignment}: {count} rule{'s' * (count != 1)} hold{'s' * (count == 1)}"
            f"{broken}{waiting}{skipped}"
        )
    return all(one.passed for one in found)


#: What they write is for others, or part of a repository, whose files have the usual permissions.
FOR_OTHERS = frozenset(
    command.name for command in (init, release, execute, new, bundle, audit, verify)
)
COMMANDS = (init, release, execute, try_, new, bundle, gradescope, exercises, adopt, audit, verify)
