"""Where submissions run: one after another, or several side by side on this machine.

`cluster` has the third way, with the same two methods: the workers of a Dask scheduler.
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
    """Runs sanitized notebooks and asks each the same questions."""

    @property
    def slots(self) -> int:
        """How many notebooks run at a time."""

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        """Begin to run a notebook as soon as a slot is free; with right helpers if given."""

    def close(self, abrupt: bool) -> None:
        """End; if `abrupt`, stop what still runs."""


class Serial:
    """Runs each notebook when it is started, in this process's own thread."""

    slots = 1

    def __init__(self, questions: Questions) -> None:
        self.questions = questions

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        done: Future[tuple[NotebookNode, Answers]] = Future()
        done.set_result((notebook, run_notebook(notebook, self.questions, limits, carried)))
        return done

    def close(self, abrupt: bool) -> None:
        pass


class Pool:
    """Runs notebooks in `slots` sandboxes at a time on this machine."""

    def __init__(self, questions: Questions, slots: int) -> None:
        self.questions, self.slots = questions, slots
        self._threads = ThreadPoolExecutor(slots)
        start_server(PRELOAD)

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> Running:
        return self._threads.submit(self._run, notebook, limits, carried)

    def _run(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None
    ) -> tuple[NotebookNode, Answers]:
        return notebook, run_notebook(notebook, self.questions, limits, carried)

    def close(self, abrupt: bool) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if abrupt:
            stop_server()  # the sandboxes end, and with them the threads that wait for them
        self._threads.shutdown(wait=True)
