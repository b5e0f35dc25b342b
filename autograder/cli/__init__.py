"""The command `autograder`; heavy imports wait until a command needs them.

A module per family of commands: `author_commands` (build and prove a course), `grading_commands`
(grade and explain), `class_commands` (a class and its LMS), `term_commands` (who takes the course,
when work is due, and what counts), `publishing_commands` (figures and slides), `talk_commands`
(questions about a student's own work), `guide_commands` (what an instructor reads before a lecture).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from autograder.cli import (
    author_commands,
    class_commands,
    grading_commands,
    guide_commands,
    publishing_commands,
    talk_commands,
    term_commands,
)
from autograder.errors import CourseError, GraderFault, MachineError, Stopped
from autograder.escaping import for_terminal


class _Group(click.Group):
    """Click group that turns an error into a message and an exit status: 1 the user's, 2 ours."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command; on an error, print its message and exit with its status."""
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            error: CourseError | GraderFault = Stopped("stopped.")
        except (CourseError, GraderFault) as found:
            error = found
        except Exception as found:
            from autograder.gradebook.retry import is_of_this_machine, machine_problem

            if not is_of_this_machine(found):
                raise
            problem = machine_problem(found)
            error = MachineError(f"{problem}; when that is over, run the command again.")
        click.echo(for_terminal(f"autograder: {error}"), err=True)
        sys.exit(error.status)


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="coursekit-autograder")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what is being done.")
@click.pass_context
def main(context: click.Context, verbose: bool) -> None:
    """Build, release, collect and grade the assignments of a course."""
    if (
        context.invoked_subcommand
        not in author_commands.FOR_OTHERS | publishing_commands.FOR_OTHERS
    ):
        before = os.umask(0o077)  # what is about students is for its owner only
        context.call_on_close(lambda: os.umask(before))
    if verbose:
        import logging

        shown = logging.StreamHandler()
        shown.setFormatter(logging.Formatter("%(asctime)s %(name)s: %(message)s"))
        logger = logging.getLogger("autograder")
        logger.addHandler(shown)
        logger.setLevel(logging.DEBUG)
        context.call_on_close(lambda: logger.removeHandler(shown))


for _command in (
    *author_commands.COMMANDS,
    *grading_commands.COMMANDS,
    *class_commands.COMMANDS,
    *term_commands.COMMANDS,
    *publishing_commands.COMMANDS,
    *talk_commands.COMMANDS,
    *guide_commands.COMMANDS,
):
    main.add_command(_command)
