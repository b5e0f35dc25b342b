"""Runs submissions ahead of nbgrader: several boxes side by side, while one process keeps the books.

nbgrader sanitizes, scores and saves one submission after another. What takes time is running the
students' cells; that needs no gradebook. So the submissions that come next are put in order and
run already, by a few threads here or on a Dask cluster, and when nbgrader arrives at one, its
answers are there. A submission that nbgrader presents in another form than was run is run again:
the answers are always those of the notebook that is scored.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from nbformat import NotebookNode

from autograder.errors import CourseError
from autograder.grading.isolated_run import run_notebook
from autograder.grading.run import ONLY_SHOWS, Answers, Limits, Questions, asked
from autograder.sandbox.provisioner import start_server, stop_server


class Runner(Protocol):
    """Where notebooks run: `submit` begins, `result` waits for the notebook and its answers."""

    @property
    def places(self) -> int: ...

    def submit(self, notebook: NotebookNode) -> Any: ...

    def result(self, sent: Any) -> tuple[NotebookNode, Answers]: ...

    def close(self, abrupt: bool) -> None: ...


class Pool:
    """Runs notebooks in `places` boxes at a time on this machine."""

    def __init__(self, questions: Questions, limits: Limits, places: int) -> None:
        self.questions, self.limits, self.places = questions, limits, places
        self._threads = ThreadPoolExecutor(places)
        start_server()

    def submit(self, notebook: NotebookNode) -> Future[tuple[NotebookNode, Answers]]:
        return self._threads.submit(self._run, notebook)

    def _run(self, notebook: NotebookNode) -> tuple[NotebookNode, Answers]:
        return notebook, run_notebook(notebook, self.questions, self.limits)

    def result(self, sent: Future[tuple[NotebookNode, Answers]]) -> tuple[NotebookNode, Answers]:
        return sent.result()

    def close(self, abrupt: bool) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        if abrupt:
            stop_server()  # the boxes end, and with them the threads that wait for them
        self._threads.shutdown(wait=True)


class Ahead:
    """Keeps notebooks running ahead. Use it in a `with` block: then no box is left.

    Parameters
    ----------
    questions : exercise -> its cases, for every notebook the same.
    """

    def __init__(self, runner: Runner, questions: Questions, limits: Limits) -> None:
        self.runner, self.limits = runner, limits
        self.questions = asked(questions)
        self._sent: dict[str, tuple[str, Any]] = {}
        # several, since submissions may be alike: the notebook as released, for one
        self._done: dict[str, list[tuple[NotebookNode, Answers]]] = {}
        #: Why a notebook could not be run, which is not the submission's fault.
        self.failure: CourseError | None = None

    def __enter__(self) -> Ahead:
        global _current
        _current = self
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        global _current
        _current = None
        self.runner.close(abrupt=kind is not None)

    def start(self, student: str, notebook: NotebookNode) -> None:
        """Begin to run a student's sanitized notebook, as soon as there is a free place."""
        key = _fingerprint(notebook, self.limits)
        self._sent[student] = key, self.runner.submit(notebook)

    def settle(self, student: str) -> None:
        """Wait until the student's notebook has run, if it was started.

        Raises
        ------
        CourseError
            It could not be run, through no fault of its own: a cluster is gone, for one.
        """
        if student in self._sent:
            key, sent = self._sent.pop(student)
            self._done.setdefault(key, []).append(self.runner.result(sent))

    def take(self, notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
        """The answers of a notebook, its outputs filled in: those of the run ahead, or of a new one."""
        if asked(questions) != self.questions:
            return run_notebook(notebook, questions, limits)
        done = self._done.get(_fingerprint(notebook, limits))
        try:
            ran, answers = done.pop(0) if done else self.runner.result(self.runner.submit(notebook))
        except CourseError as error:
            self.failure = error
            raise
        for cell, after in zip(notebook.cells, ran.cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = after.outputs, after.get("execution_count")
        return answers


_current: Ahead | None = None


def answers_of(notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
    """Run the notebook, or take the answers if it was run ahead."""
    if _current is None:
        return run_notebook(notebook, questions, limits)
    return _current.take(notebook, questions, limits)


def _fingerprint(notebook: NotebookNode, limits: Limits) -> str:
    """What decides how a notebook runs: its cells, which of them are graded or left out, and the limits."""
    cells = [
        [
            *(cell.cell_type, cell.source),
            bool(cell.metadata.get("nbgrader", {}).get("grade")),
            bool(cell.metadata.get(ONLY_SHOWS)),
        ]
        for cell in notebook.cells
    ]
    return hashlib.sha256(json.dumps([cells, repr(limits)]).encode()).hexdigest()
