"""What several commands of `autograder` share."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from autograder.escaping import for_terminal


def with_course(command: Callable[..., None]) -> Callable[..., None]:
    """Passes the course that contains the current folder as the first argument.

    A class's folder, if the command has one, is closed to other users before.
    """

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        from autograder.course.layout import find_course

        course = find_course()
        if "folder" in kwargs:
            from autograder.gradebook.permissions import close_class

            close_class(kwargs["folder"] or course.root)
        command(course, *args, **kwargs)

    return wrapped


folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder of the class (default: the course's own folder).",
)


def output_option(help: str) -> Callable[[Any], Any]:
    """Return the option `--output` of a command that writes one file."""
    return click.option(
        "--output", type=click.Path(path_type=Path, dir_okay=False), default=None, help=help
    )


def say(text: str) -> None:
    """Print text that may come from students."""
    click.echo(for_terminal(text))


def on_one_line(several: list[str]) -> str:
    """Names on one line."""
    return ", ".join(for_terminal(name, lines=False) for name in several)
