"""Options and output helpers that several commands of `autograder` share."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from autograder.escaping import for_terminal

if TYPE_CHECKING:
    from autograder.gradebook.class_folder import Classroom


#: A line names so many students who need nothing done one by one.
_MAX_NAMED = 10


def with_course(command: Callable[..., None]) -> Callable[..., None]:
    """Pass the course that contains the current folder to a command as its first argument.

    A class's folder, if the command has one, is closed to other users before; its gradebook is
    looked at, so that no command works with a damaged one, and a backup is kept.
    """

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        from autograder.course.layout import find_course

        course = find_course()
        if "folder" in kwargs:
            secure_class(kwargs["folder"] or course.root)
        command(course, *args, **kwargs)

    return wrapped


def secure_class(folder: Path) -> None:
    """Close a class's folder to other users, see that its gradebook is whole, and keep a backup."""
    import sqlite3

    from autograder.gradebook.backup_files import CHANGES
    from autograder.gradebook.backups import conflicts, keep_backup, require_whole
    from autograder.gradebook.permissions import close_class
    from autograder.gradebook.retry import is_of_this_machine, machine_problem

    close_class(folder)
    require_whole(folder)
    for path in conflicts(folder):
        click.echo(
            for_terminal(
                f"warning: {path.name} is another version of the gradebook, as a synchronization"
                f" program makes it: `autograder restore {shlex.quote(str(path))}` takes it instead;"
                " else delete it."
            ),
            err=True,
        )
    try:
        command = click.get_current_context().info_name or ""
        keep_backup(folder, command if command in CHANGES else "")
    except (OSError, sqlite3.Error) as error:
        if not is_of_this_machine(error):
            raise
        problem = machine_problem(error)
        if "locked" in problem:
            return  # the command itself waits, or says so
        click.echo(f"warning: there is no backup of the gradebook as it is: {problem}.", err=True)


folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder of the class (default: the course's own folder).",
)


def output_option(help: str, folder: bool = False) -> Callable[[Any], Any]:
    """Return the option `--output` of a command that writes one file, or into one folder."""
    kind = click.Path(path_type=Path, dir_okay=folder, file_okay=not folder)
    return click.option("--output", type=kind, default=None, help=help)


def say(text: str) -> None:
    """Print text that may come from students."""
    click.echo(for_terminal(text))


def on_one_line(several: list[str]) -> str:
    """Join names with commas, each escaped for the terminal."""
    return ", ".join(for_terminal(name, lines=False) for name in several)


def some_on_one_line(several: list[str]) -> str:
    """Join the first names with commas as `on_one_line` does, and count the others."""
    more = len(several) - _MAX_NAMED
    return on_one_line(several[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def settle_penalties(classroom: Classroom, assignment: str | None = None) -> None:
    """Bring late penalties up to date, and print those that changed: formgrader leaves them as they are."""
    from autograder.classroom.console_tables import settled_lines
    from autograder.gradebook.deadlines import settle_penalties as settle
    from autograder.gradebook.retry import patiently

    for line in settled_lines(patiently(lambda: settle(classroom, assignment))):
        click.echo(line)


def say_waiting(classroom: Classroom, assignment: str) -> None:
    """Count the students with answers that a person still has to grade, and name some."""
    dropped, scores = classroom.dropped(), classroom.scores(assignment)
    waiting = [name for name, score in scores.items() if score.waiting and name not in dropped]
    if waiting:
        count = "1 submission needs" if len(waiting) == 1 else f"{len(waiting)} submissions need"
        say(f"{count} manual grading: {some_on_one_line(waiting)}")
