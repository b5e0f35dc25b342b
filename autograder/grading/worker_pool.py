"""The runners of submissions on this machine: one after another, or several side by side.

`cluster` has the third runner, with the same interface: the workers of a Dask scheduler.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from nbformat import NotebookNode

from autograder.grading.grade_submission import Running
from autograder.grading.isolated_run import PRELOAD, run_notebook
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers, Questions
from autograder.grading.reference_rpc import Carried
from autograder.sandbox.launch import start_server, stop_server


class Runner(Protocol):
    """A runner of sanitized notebooks, which asks each the same questions."""

    @property
    def slots(self) -> int:
        """The number of notebooks that run at a time."""

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        """Run a notebook as soon as a slot is free, with right helpers if given."""

    def close(self, abrupt: bool) -> None:
        """Close the runner; if `abrupt`, stop what still runs."""


class Serial:
    """A runner that runs each notebook when it is started, in the calling thread."""

    slots = 1

    def __init__(self, questions: Questions) -> None:
        self.questions = questions

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        """Run a notebook to its end."""
        done: Future[tuple[NotebookNode, Answers]] = Future()
        done.set_result((notebook, run_notebook(notebook, self.questions, limits, carried)))
        return done

    def close(self, abrupt: bool) -> None:
        """Do nothing, as nothing runs any more."""


class Pool:
    """A runner of `slots` sandboxes at a time on this machine."""

    def __init__(self, questions: Questions, slots: int) -> None:
        self.questions, self.slots = questions, slots
        self._threads = ThreadPoolExecutor(slots)
        start_server(PRELOAD)

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        """Queue a notebook; it runs as soon as a sandbox is free."""
        return self._threads.submit(self._run, notebook, limits, carried)

    def _run(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None
    ) -> tuple[NotebookNode, Answers]:
        return notebook, run_notebook(notebook, self.questions, limits, carried)

    def close(self, abrupt: bool) -> None:
        """Wait for the notebooks that run, or stop them if `abrupt`; start no others."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        if abrupt:
            stop_server()  # the sandboxes end, and with them the threads that wait for them
        self._threads.shutdown(wait=True)
