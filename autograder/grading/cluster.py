"""Runs submissions on the workers of an existing Dask scheduler.

A worker is trusted like the grader: it has the same version of the course and boxes what it runs.
It gets a notebook and the inputs of the cases, and sends answers back; it sees no gradebook.
Losing a worker, or all of them, loses no submission.
"""

from __future__ import annotations

import json
import logging
import socket
import time
from dataclasses import dataclass
from typing import Any

import nbformat
from distributed import Client, Future
from distributed import TimeoutError as DaskTimeout
from nbformat import NotebookNode
from tqdm.auto import tqdm

from autograder.errors import CourseError
from autograder.grading.answers import Answers, Questions, without_expected
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.grading.regrade_cache import grader_digest
from autograder.sandbox.doctor import missing

_LOOK_EVERY = 3.0  # seconds, while an answer is waited for
_FROZEN_AFTER = 30.0  # seconds without a sign of life
_JOIN_SECONDS = 30.0


@dataclass
class _Sent:
    """A notebook on its way."""

    cluster: Cluster
    notebook: NotebookNode
    limits: Limits
    future: Future

    def result(self) -> tuple[NotebookNode, Answers]:
        return self.cluster.result(self)


class Cluster:
    """Runs notebooks on a Dask cluster.

    Parameters
    ----------
    address : the scheduler's, such as ``tcp://10.0.0.5:8786``.
    questions : exercise -> its cases, for every notebook the same.

    Raises
    ------
    CourseError
        No scheduler answers there, or it has no workers.
    """

    def __init__(self, address: str, questions: Questions) -> None:
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # it is said here in other words
        self.address, self.questions = address, without_expected(questions)
        self._text = json.dumps(self.questions)
        self._digest = grader_digest()
        self._count = 0
        self._told = False
        self._alone_since: float | None = None
        #: worker -> the scheduler's time of its last sign of life, and our time when that came up
        self._signs: dict[str, tuple[float, float]] = {}
        try:
            self.client = Client(address, timeout=10, set_as_default=False)
        except (OSError, DaskTimeout, ValueError) as error:
            raise CourseError(
                f"no Dask scheduler answers at {address} ({type(error).__name__}): start one with"
                " `dask scheduler`, or leave out --scheduler to grade on this machine."
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=_JOIN_SECONDS)
        except DaskTimeout:
            self.client.close()
            raise CourseError(
                f"the scheduler at {address} has no workers: start some with"
                f" `dask worker {address}` in an environment that has this course."
            ) from None

    @property
    def slots(self) -> int:
        """How many notebooks run at a time."""
        return max(1, sum(self._workers().values()))

    def _workers(self) -> dict[str, int]:
        return dict(self.client.nthreads())

    def start(self, notebook: NotebookNode, limits: Limits) -> _Sent:
        """Begin to run a notebook as soon as a slot is free."""
        self._count += 1
        future = self.client.submit(
            run_here,
            json.dumps(notebook),
            self._text,
            limits,
            self._digest,
            key=f"submission-{self._count}-{time.time_ns()}",
            priority=-self._count,
            pure=False,
        )
        return _Sent(self, notebook, limits, future)

    def result(self, sent: _Sent) -> tuple[NotebookNode, Answers]:
        """The notebook with its outputs, and its answers.

        A worker that shows no life is taken out, and what it had goes to the others. When no
        worker is left, the notebook runs on this machine.

        Raises
        ------
        CourseError
            A worker has another version of the course, or cannot box submissions.
        """
        while True:
            try:
                text, answers = sent.future.result(timeout=_LOOK_EVERY)
                return nbformat.from_dict(json.loads(text)), answers
            except DaskTimeout:
                pass
            except CourseError:
                raise
            except Exception as error:  # the worker, the scheduler or the way there is gone
                return self._run_alone(sent, type(error).__name__)
            if self.client.status != "running":
                return self._run_alone(sent, "no connection")
            self._remove_frozen()
            if self._workers():
                self._alone_since = None
            elif self._alone_since is None:
                self._alone_since = time.monotonic()
            elif time.monotonic() - self._alone_since > _JOIN_SECONDS:
                return self._run_alone(sent, "no worker is left")

    def _run_alone(self, sent: _Sent, why: str) -> tuple[NotebookNode, Answers]:
        if problem := missing():
            raise CourseError(
                f"the workers of {self.address} are lost ({why}), and this machine cannot box"
                f" submissions ({problem}); start workers and run the command again: what is"
                " graded is kept."
            )
        if not self._told:
            tqdm.write(f"a submission was lost on the cluster ({why}); it runs here instead.")
            self._told = True
        return sent.notebook, run_notebook(sent.notebook, self.questions, sent.limits)

    def _remove_frozen(self) -> None:
        """Take out workers that are silent; the scheduler itself would wait for minutes."""
        scheduler, now = self.client.scheduler, time.monotonic()
        try:
            workers = self.client.sync(scheduler.identity, callback_timeout=10)["workers"]
            for address, worker in workers.items():
                sign, since = self._signs.get(address, (None, now))
                if worker["last_seen"] != sign:
                    self._signs[address] = (worker["last_seen"], now)
                elif now - since > _FROZEN_AFTER:
                    self.client.sync(
                        scheduler.unregister,
                        address=address,
                        stimulus_id=f"frozen-{now}",
                        callback_timeout=10,
                    )
        except (OSError, DaskTimeout):
            return  # the next look tells more

    def close(self, abrupt: bool) -> None:
        """Let go of the cluster; what still runs there ends unheard."""
        self.client.close(timeout=1 if abrupt else 10)


def run_here(text: str, questions: str, limits: Limits, digest: str) -> tuple[str, Answers]:
    """What a worker does: run one notebook in a box of its own.

    Parameters
    ----------
    text, questions : the notebook and the questions as JSON.
    digest : the grader's version; only a worker of the same version may answer.

    Raises
    ------
    CourseError
        The version differs, or this machine cannot box submissions.
    """
    if digest != grader_digest():
        raise CourseError(
            f"the worker on {socket.gethostname()} has another version of the course than this"
            " machine: install the same one there and start the worker again."
        )
    if limits.sandbox and (problem := missing()):
        raise CourseError(
            f"the worker on {socket.gethostname()} cannot box submissions ({problem});"
            " `autograder doctor` there says how to mend it."
        )
    notebook: Any = nbformat.from_dict(json.loads(text))
    answers = run_notebook(notebook, json.loads(questions), limits)
    return json.dumps(notebook), answers
