"""The runner of submissions on the workers of an existing Dask scheduler.

A worker receives a notebook and the inputs of the cases and returns the answers as JSON; it has no
access to the gradebook. An answer that is not in order, or late, or does not come, costs its submission
another run on this machine. Losing a worker, or all of them, loses no submission.
"""

from __future__ import annotations

import contextlib
import copy
import json
import logging
import secrets
import socket
import threading
import time
import traceback
from dataclasses import asdict, dataclass, field
from typing import Any

import nbformat
from distributed import Future
from distributed import TimeoutError as DaskTimeout
from nbformat import NotebookNode
from tqdm.auto import tqdm

from autograder.errors import GraderFault, MachineError
from autograder.grading.cluster_answers import Odd, Problem, read_answer
from autograder.grading.dask_client import connect, only_reading, require_safe
from autograder.grading.grader_digest import grader_digest
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers, Questions, without_expected
from autograder.grading.reference_rpc import Carried
from autograder.sandbox.doctor import missing

_log = logging.getLogger(__name__)
_LOOK_EVERY = 3.0  # seconds between checks while waiting for an answer
_FROZEN_AFTER = 30.0  # seconds without a heartbeat
_JOIN_SECONDS = 30.0
_FETCH_SECONDS = 120.0  # for an answer that a worker says it has
#: A worker is late if it has answered nothing for as long as a notebook may take on a busy machine.
_MAX_SLOWDOWN, _GRACE_SECONDS = 4.0, 300.0
_MAX_SLOTS, _MAX_THREADS = 1024, 256


@dataclass
class _Sent:
    """A notebook that was submitted to the cluster.

    Attributes
    ----------
    nonce : str
        A random text that was sent with the notebook and must come back with the answer.
    future : Future or None
        The Dask future; None if no worker may have the notebook.
    lost : str
        The reason why no answer will come, or "".
    late : str
        The address of the worker that does not answer, or "".
    """

    cluster: Cluster
    notebook: NotebookNode
    limits: Limits
    nonce: str
    future: Future[str] | None
    since: float
    carried: Carried | None = None
    arrived: threading.Event = field(default_factory=threading.Event)
    looked: float = 0.0
    lost: str = ""
    late: str = ""

    def done(self) -> bool:
        """Tell whether an answer has come, or none will."""
        return self.cluster.settled(self)

    def result(self) -> tuple[NotebookNode, Answers]:
        """Wait for the notebook with its outputs, and its answers."""
        return self.cluster.result(self)


class Cluster:
    """A runner of notebooks on a Dask cluster.

    Parameters
    ----------
    address : str
        The scheduler's address, such as ``tls://10.0.0.5:8786``; one without TLS must be on this
        machine.
    questions : Questions
        Exercise -> its cases, the same for every notebook.

    Raises
    ------
    CourseError
        No scheduler answers at the address, it has no workers, or others could send answers.
    """

    def __init__(self, address: str, questions: Questions) -> None:
        for name in ("", ".client", ".core", ".protocol.core", ".protocol.pickle"):
            # reported by our own messages
            logging.getLogger(f"distributed{name}").setLevel(logging.CRITICAL + 1)
        self.address, self.questions = address, without_expected(questions)
        self._text = json.dumps(self.questions)
        self._digest = grader_digest()
        self._count = 0
        self._warned = False
        self._no_workers_since: float | None = None
        self._looked = 0.0
        #: worker -> its last heartbeat in the scheduler's time, and our time when we first saw it
        self._heartbeats: dict[str, tuple[float, float]] = {}
        #: worker -> when it last answered
        self._answered: dict[str, float] = {}
        #: workers that get nothing more, and what the last one that cannot work has said
        self._left_out: set[str] = set()
        self._problem = ""
        with contextlib.ExitStack() as opened:
            opened.enter_context(only_reading())
            self.client = connect(address, timeout=10)
            opened.callback(self.client.close, timeout=10)
            try:
                self.client.wait_for_workers(1, timeout=_JOIN_SECONDS)
            except DaskTimeout:
                raise MachineError(
                    f"the scheduler at {address} has no workers: start some with"
                    f" `dask worker {address}` in an environment with this course installed."
                ) from None
            if not address.startswith("tls:"):
                for worker in self._workers():
                    require_safe(worker, "the worker at")
            self._opened = opened.pop_all()

    @property
    def slots(self) -> int:
        """The number of notebooks that run in parallel."""
        return min(_MAX_SLOTS, max(1, sum(self._workers().values())))

    def _workers(self) -> dict[str, int]:
        """Return worker -> how many notebooks it gets at a time."""
        return {
            worker: max(1, min(int(threads), _MAX_THREADS))
            for worker, threads in self.client.nthreads().items()
            if worker not in self._left_out
        }

    def start(
        self, notebook: NotebookNode, limits: Limits, carried: Carried | None = None
    ) -> _Sent:
        """Queue a notebook; it runs as soon as a slot is free."""
        self._count += 1
        nonce, future = secrets.token_hex(16), None
        if carried is not None:  # what answers calls of right helpers stays on this machine
            return _Sent(self, notebook, limits, nonce, None, time.monotonic(), carried)
        workers = list(self._workers()) if self._left_out else None
        if workers != []:
            future = self.client.submit(
                run_here,
                json.dumps(notebook),
                self._text,
                limits,
                self._digest,
                nonce,
                key=f"submission-{self._count}-{secrets.token_hex(16)}",
                priority=-self._count,
                workers=workers,
                pure=False,
            )
        sent = _Sent(self, notebook, limits, nonce, future, time.monotonic())
        if future is not None:
            future.add_done_callback(lambda _: sent.arrived.set())
        return sent

    def settled(self, sent: _Sent) -> bool:
        """Tell whether an answer has come, or none will; look after the workers now and then.

        A frozen worker is removed, and its notebooks go to the others.
        """
        if sent.carried is not None or sent.future is None or sent.arrived.is_set():
            return True
        now = time.monotonic()
        if now - sent.looked >= _LOOK_EVERY:
            sent.looked = now
            try:
                self._look_after(sent, now)
            except (OSError, DaskTimeout) as error:
                sent.lost = type(error).__name__
        return bool(sent.lost)

    def _look_after(self, sent: _Sent, now: float) -> None:
        """Note that no answer will come for a notebook, if its worker or all workers are lost."""
        if self.client.status != "running":
            sent.lost = "connection lost"
            return
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            self._remove_frozen()
        if late := self._late(sent):
            sent.lost, sent.late = "its worker does not answer", late
        elif self._workers():
            self._no_workers_since = None
        elif self._no_workers_since is None:
            self._no_workers_since = now
        elif now - self._no_workers_since > _JOIN_SECONDS:
            sent.lost = "no workers left"

    def result(self, sent: _Sent) -> tuple[NotebookNode, Answers]:
        """Wait for the notebook with its outputs, and its answers.

        If no worker is left, or what comes back is not in order, the notebook runs on this machine.

        Raises
        ------
        CourseError
            Every worker has another version of the course, or cannot run a sandbox.
        GraderFault
            The grader has failed on the worker, and again here.
        """
        if sent.carried is not None:
            return self._judge_again(sent, sent.carried)
        while True:
            while not self.settled(sent):
                sent.arrived.wait(_LOOK_EVERY)
            if sent.future is None:
                if self._problem:
                    raise MachineError(self._problem)
                return self._run_locally(sent, "no worker is left that answers in order")
            if sent.late:
                return self._do_without(sent.late, sent, sent.lost)
            if sent.lost:
                return self._run_locally(sent, sent.lost)
            worker = self._holder(sent)
            try:
                answer = sent.future.result(timeout=_FETCH_SECONDS)
                self._answered[worker] = time.monotonic()
                notebook = copy.deepcopy(sent.notebook)
                return notebook, read_answer(answer, sent.nonce, notebook, self.questions)
            except (Odd, TypeError) as error:  # Dask's for what is no MessagePack
                why = str(error) if isinstance(error, Odd) else "an answer cannot be read"
                return self._do_without(worker, sent, why)
            except Problem as problem:
                if problem.kind == "fault":
                    return self._once_more(sent, GraderFault(str(problem)))
                self._left_out.add(worker)
                self._problem = str(problem)
                sent = self.start(sent.notebook, sent.limits)
            except DaskTimeout:
                return self._do_without(worker, sent, "an answer did not arrive")
            except Exception as error:  # lost the worker, the scheduler or the connection
                return self._run_locally(sent, type(error).__name__)

    def _holder(self, sent: _Sent) -> str:
        """Return the worker that says it has the answer, or ""."""
        with contextlib.suppress(OSError, DaskTimeout, TypeError, AttributeError):
            holders = self.client.who_has([sent.future])
            return next((str(one) for several in holders.values() for one in several), "")
        return ""

    def _late(self, sent: _Sent) -> str:
        """Return the worker that has had a notebook for too long without any answer, or ""."""
        patience = _MAX_SLOWDOWN * sent.limits.notebook_seconds + _GRACE_SECONDS
        now = time.monotonic()
        if sent.future is None or now - sent.since < patience:
            return ""
        with contextlib.suppress(OSError, DaskTimeout):
            for worker, keys in self.client.processing().items():
                if sent.future.key in keys:
                    return worker if now - self._answered.get(worker, 0.0) > patience else ""
        return ""

    def _do_without(self, worker: str, sent: _Sent, why: str) -> tuple[NotebookNode, Answers]:
        """Give a worker nothing more, and run its notebook on this machine."""
        self._left_out.add(worker)
        return self._run_locally(sent, why)

    def _once_more(self, sent: _Sent, fault: GraderFault) -> tuple[NotebookNode, Answers]:
        """Run a notebook on this machine after the grader has failed on its worker.

        Raises
        ------
        GraderFault
            This machine cannot run it; the message has the worker's traceback.
        Exception
            The grader fails on this machine, too; the fault on the worker is the cause.
        """
        _log.debug("the grader has failed on a worker", exc_info=fault)
        if missing():
            raise fault
        try:
            return self._run_locally(sent, "the grader failed there")
        except Exception as error:
            raise error from fault

    def _run_locally(self, sent: _Sent, why: str) -> tuple[NotebookNode, Answers]:
        """Run a notebook on this machine; raise a `MachineError` if it cannot."""
        if sent.future is not None:
            with contextlib.suppress(OSError, DaskTimeout):
                sent.future.cancel()
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
        return sent.notebook, run_notebook(sent.notebook, self.questions, sent.limits)

    def _judge_again(self, sent: _Sent, carried: Carried) -> tuple[NotebookNode, Answers]:
        """Run a notebook with right helpers on this machine; return no answers if it cannot."""
        if not (problem := missing()):
            return sent.notebook, run_notebook(sent.notebook, self.questions, sent.limits, carried)
        if not self._warned:
            tqdm.write(
                f"this machine cannot run submissions in a sandbox ({problem}), so what calls a wrong"
                " helper is not judged again with a right one."
            )
            self._warned = True
        answers = Answers()
        answers.complete(self.questions, "")
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
        self._opened.close()


def run_here(text: str, questions: str, limits: Limits, digest: str, nonce: str) -> str:
    """Run one notebook in its own sandbox, as the task of a worker.

    Parameters
    ----------
    text, questions : str
        The notebook and the questions as JSON.
    digest : str
        The grader's `grader_digest`; the worker's must be the same.
    nonce : str
        The text to send back with the answer.

    Returns
    -------
    str
        JSON for `read_answer`: the answers and outputs of the run, or why there are none.
    """
    host = socket.gethostname()
    if digest != grader_digest():
        return _no_answer(
            nonce,
            "version",
            f"the worker on {host} has another version of the course than this machine: install the"
            " same version there and restart the worker.",
        )
    if limits.sandbox and (problem := missing()):
        return _no_answer(
            nonce,
            "sandbox",
            f"the worker on {host} cannot run submissions in a sandbox ({problem}): run `autograder"
            " doctor` there to see how to fix it.",
        )
    try:
        notebook: Any = nbformat.from_dict(json.loads(text))
        answers = run_notebook(notebook, json.loads(questions), limits)
        cells = [
            [number, cell.outputs, cell.execution_count]
            for number, cell in enumerate(notebook.cells)
            if cell.cell_type == "code"
        ]
        return json.dumps({"nonce": nonce, "cells": cells, **asdict(answers)})
    except MachineError as error:
        return _no_answer(nonce, "sandbox", str(error))
    except Exception:
        return _no_answer(
            nonce, "fault", f"the worker on {host} failed:\n\n{traceback.format_exc()}"
        )


def _no_answer(nonce: str, kind: str, problem: str) -> str:
    return json.dumps({"nonce": nonce, "kind": kind, "problem": problem})
