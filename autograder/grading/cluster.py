"""Runs submissions on the workers of an existing Dask scheduler.

Workers are trusted like the grader: they have the same version of the course and run submissions in
a sandbox. A worker receives a notebook and the inputs of the cases and returns the answers; it has no
access to the gradebook. Losing a worker, or all of them, loses no submission.
"""

from __future__ import annotations

import json
import logging
import socket
import time
import traceback
from dataclasses import dataclass
from typing import Any

import nbformat
from distributed import Client, Future
from distributed import TimeoutError as DaskTimeout
from nbformat import NotebookNode
from tqdm.auto import tqdm

from autograder.errors import CourseError, GraderFault, MachineError
from autograder.grading.grader_digest import grader_digest
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers, Questions, without_expected
from autograder.grading.reference_desk import Carried
from autograder.sandbox.doctor import missing

_log = logging.getLogger(__name__)
_LOOK_EVERY = 3.0  # seconds between checks while waiting for an answer
_FROZEN_AFTER = 30.0  # seconds without a heartbeat
_JOIN_SECONDS = 30.0


@dataclass
class _Sent:
    """A notebook that was submitted to the cluster."""

    cluster: Cluster
    notebook: NotebookNode
    limits: Limits
    carried: Carried | None
    future: Future[tuple[str, Answers]]

    def result(self) -> tuple[NotebookNode, Answers]:
        return self.cluster.result(self)


class Cluster:
    """Runs notebooks on a Dask cluster.

    Parameters
    ----------
    address : str
        The scheduler's address, such as ``tcp://10.0.0.5:8786``.
    questions : Questions
        Exercise -> its cases, the same for every notebook.

    Raises
    ------
    CourseError
        No scheduler answers at the address, or it has no workers.
    """

    def __init__(self, address: str, questions: Questions) -> None:
        for name in ("distributed", "distributed.client", "distributed.core"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # reported by our own messages
        self.address, self.questions = address, without_expected(questions)
        self._text = json.dumps(self.questions)
        self._digest = grader_digest()
        self._count = 0
        self._warned = False
        self._no_workers_since: float | None = None
        #: worker -> its last heartbeat in the scheduler's time, and our time when we first saw it
        self._heartbeats: dict[str, tuple[float, float]] = {}
        try:
            self.client = Client(address, timeout=10, set_as_default=False)
        except (OSError, DaskTimeout, ValueError) as error:
            raise MachineError(
                f"no Dask scheduler answers at {address} ({type(error).__name__}): start one with"
                " `dask scheduler`, or omit --scheduler to grade on this machine."
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=_JOIN_SECONDS)
        except DaskTimeout:
            self.client.close()
            raise MachineError(
                f"the scheduler at {address} has no workers: start some with"
                f" `dask worker {address}` in an environment with this course installed."
            ) from None

    @property
    def slots(self) -> int:
        """The number of notebooks that run in parallel."""
        return max(1, sum(self._workers().values()))

    def _workers(self) -> dict[str, int]:
        return dict(self.client.nthreads())

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> _Sent:
        """Queue a notebook; it runs as soon as a slot is free."""
        self._count += 1
        future = self.client.submit(
            run_here,
            json.dumps(notebook),
            self._text,
            limits,
            self._digest,
            carried,
            key=f"submission-{self._count}-{time.time_ns()}",
            priority=-self._count,
            pure=False,
        )
        return _Sent(self, notebook, limits, carried, future)

    def result(self, sent: _Sent) -> tuple[NotebookNode, Answers]:
        """Wait for the notebook with its outputs, and its answers.

        A frozen worker is removed, and its notebooks go to the others. If no worker is left, the
        notebook runs on this machine.

        Raises
        ------
        CourseError
            A worker has another version of the course, or cannot run a sandbox.
        GraderFault
            The grader has failed on the worker, and again here.
        """
        while True:
            try:
                text, answers = sent.future.result(timeout=_LOOK_EVERY)
                return nbformat.from_dict(json.loads(text)), answers
            except DaskTimeout:
                pass
            except CourseError:
                raise
            except GraderFault as fault:
                return self._once_more(sent, fault)
            except Exception as error:  # lost the worker, the scheduler or the connection
                return self._run_locally(sent, type(error).__name__)
            if self.client.status != "running":
                return self._run_locally(sent, "connection lost")
            self._remove_frozen()
            if self._workers():
                self._no_workers_since = None
            elif self._no_workers_since is None:
                self._no_workers_since = time.monotonic()
            elif time.monotonic() - self._no_workers_since > _JOIN_SECONDS:
                return self._run_locally(sent, "no workers left")

    def _once_more(self, sent: _Sent, fault: GraderFault) -> tuple[NotebookNode, Answers]:
        """Run a notebook here on which the grader has failed on a worker, which may lack something.

        Raises
        ------
        GraderFault
            This machine cannot run it; the worker's traceback is in the message.
        Exception
            The grader fails here, too; the fault on the worker is its cause.
        """
        _log.debug("the grader has failed on a worker", exc_info=fault)
        if missing():
            raise fault
        try:
            return self._run_locally(sent, "the grader failed there")
        except Exception as error:
            raise error from fault

    def _run_locally(self, sent: _Sent, why: str) -> tuple[NotebookNode, Answers]:
        if problem := missing():
            raise MachineError(
                f"lost the workers of {self.address} ({why}), and this machine cannot run submissions"
                f" in a sandbox ({problem}); start workers and run the command again. Grades so far"
                " are saved."
            )
        if not self._warned:
            tqdm.write(
                f"lost a submission on the cluster ({why}); running it on this machine instead."
            )
            self._warned = True
        answers = run_notebook(sent.notebook, self.questions, sent.limits, sent.carried)
        return sent.notebook, answers

    def _remove_frozen(self) -> None:
        """Unregister workers without a heartbeat; the scheduler itself would wait for minutes."""
        scheduler, now = self.client.scheduler, time.monotonic()
        assert scheduler is not None  # until the client is closed
        try:
            workers = self.client.sync(scheduler.identity, callback_timeout=10)["workers"]
            for address, worker in workers.items():
                heartbeat, since = self._heartbeats.get(address, (None, now))
                if worker["last_seen"] != heartbeat:
                    self._heartbeats[address] = (worker["last_seen"], now)
                elif now - since > _FROZEN_AFTER:
                    self.client.sync(
                        scheduler.unregister,
                        address=address,
                        stimulus_id=f"frozen-{now}",
                        callback_timeout=10,
                    )
        except (OSError, DaskTimeout):
            return  # checked again at the next poll

    def close(self, abrupt: bool) -> None:
        """Disconnect from the cluster; tasks that still run there are abandoned."""
        self.client.close(timeout=1 if abrupt else 10)


def run_here(
    text: str, questions: str, limits: Limits, digest: str, carried: Carried | None = None
) -> tuple[str, Answers]:
    """The task of a worker: run one notebook in its own sandbox.

    Parameters
    ----------
    text, questions : str
        The notebook and the questions as JSON.
    digest : str
        The grader's `grader_digest`; the worker's must be the same.
    carried : Carried, optional
        To judge exercises again with right helpers.

    Raises
    ------
    CourseError
        The version differs, or this machine cannot run a sandbox.
    GraderFault
        The grader fails; the message has the traceback, since an exception loses it on its way.
    """
    if digest != grader_digest():
        raise MachineError(
            f"the worker on {socket.gethostname()} has another version of the course than this"
            " machine: install the same version there and restart the worker."
        )
    if limits.sandbox and (problem := missing()):
        raise MachineError(
            f"the worker on {socket.gethostname()} cannot run submissions in a sandbox"
            f" ({problem}): run `autograder doctor` there to see how to fix it."
        )
    try:
        notebook: Any = nbformat.from_dict(json.loads(text))
        answers = run_notebook(notebook, json.loads(questions), limits, carried)
        return json.dumps(notebook), answers
    except CourseError:
        raise
    except Exception:
        raise GraderFault(
            f"the worker on {socket.gethostname()} failed:\n\n{traceback.format_exc()}"
        ) from None
