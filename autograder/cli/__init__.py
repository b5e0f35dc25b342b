"""The command `autograder`; heavy imports wait until a command needs them.

A module per family of commands: `author_commands` (build and prove a course), `grading_commands`
(grade and explain), `class_commands` (a class and its LMS).
"""

from __future__ import annotations

import sys
from typing import Any

import click

from autograder.cli import author_commands, class_commands, grading_commands
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
            from autograder.gradebook.patience import is_of_this_machine, machine_problem

            if not is_of_this_machine(found):
                raise
            problem = machine_problem(found)
            error = CourseError(f"{problem}; when that is over, run the command again.")
        click.echo(for_terminal(f"autograder: {error}"), err=True)
        sys.exit(error.status)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="coursekit-autograder")
def main() -> None:
    """Build, release, collect and grade the assignments of a course."""


for _command in (
    *author_commands.COMMANDS,
    *grading_commands.COMMANDS,
    *class_commands.COMMANDS,
):
    main.add_command(_command)
