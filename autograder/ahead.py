"""Runs submissions ahead of nbgrader: several boxes side by side, while one process keeps the books.

nbgrader sanitizes, scores and saves one submission after another. What takes time is running the
students' cells; that needs no gradebook. So the submissions that come next are put in order and
run by a few threads already, and when nbgrader arrives at one, its answers are there. A submission
that nbgrader presents in another form than was run is run again: the answers are always those of
the notebook that is scored.
"""

from __future__ import annotations

import hashlib
import json
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from nbformat import NotebookNode

from autograder.run import Answers, Limits, run_notebook
from autograder.sandbox.provisioner import start_server, stop_server

Questions = dict[str, list[dict[str, Any]]]


class Ahead:
    """Runs notebooks in `jobs` boxes at a time. Use it in a `with` block: then no box is left.

    Parameters
    ----------
    questions : exercise -> its cases, for every notebook the same.
    """

    def __init__(self, questions: Questions, limits: Limits, jobs: int) -> None:
        self.questions = questions
        self.limits = limits
        self.jobs = jobs
        self._pool = ThreadPoolExecutor(jobs)
        # several, since submissions may be alike: the notebook as released, for one
        self._running: dict[str, list[Future[tuple[NotebookNode, Answers]]]] = {}

    def __enter__(self) -> Ahead:
        global _current
        start_server()
        _current = self
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        global _current
        _current = None
        self._pool.shutdown(wait=False, cancel_futures=True)
        if kind is not None:
            stop_server()  # the boxes end, and with them the threads that wait for them
        self._pool.shutdown(wait=True)

    def start(self, notebook: NotebookNode) -> None:
        """Begin to run a sanitized notebook, as soon as there is a free place."""
        future = self._pool.submit(self._run, notebook)
        self._running.setdefault(_fingerprint(notebook, self.limits), []).append(future)

    def _run(self, notebook: NotebookNode) -> tuple[NotebookNode, Answers]:
        return notebook, run_notebook(notebook, self.questions, self.limits)

    def take(self, notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
        """The answers of a notebook, its outputs filled in: those of the run ahead, or of a new one."""
        key = _fingerprint(notebook, limits)
        started = self._running.pop(key, [])
        if not started or questions != self.questions:
            return run_notebook(notebook, questions, limits)
        ran, answers = started.pop(0).result()
        if started:
            self._running[key] = started
        for cell, done in zip(notebook.cells, ran.cells, strict=True):
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = done.outputs, done.get("execution_count")
        return answers


_current: Ahead | None = None


def answers_of(notebook: NotebookNode, questions: Questions, limits: Limits) -> Answers:
    """Run the notebook, or take the answers if it was run ahead."""
    if _current is None:
        return run_notebook(notebook, questions, limits)
    return _current.take(notebook, questions, limits)


def _fingerprint(notebook: NotebookNode, limits: Limits) -> str:
    """What decides how a notebook runs: its cells, which of them are graded, and the limits."""
    cells = [
        [cell.cell_type, cell.source, bool(cell.metadata.get("nbgrader", {}).get("grade"))]
        for cell in notebook.cells
    ]
    return hashlib.sha256(json.dumps([cells, repr(limits)]).encode()).hexdigest()
