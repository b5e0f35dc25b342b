"""Processes with limits of their own that judge answers beside the process that writes grades.

Answers can be large or odd. If judging one takes too much time or memory, only that exercise of
that submission is lost, and the others go on meanwhile.

Judges are forked by the fork server (`autograder.sandbox.fork_server`), and exchange JSON with it.
"""

from __future__ import annotations

import contextlib
import queue
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from autograder.errors import GraderFault, MachineError
from autograder.grading.questions import Answers
from autograder.grading.verdicts import decide, without_answer
from autograder.sandbox.launch import has_server, start_server
from autograder.sandbox.messages import Connection
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.verdict import Verdict

#: Memory that a judge may allocate beyond what it has at its start.
_MEMORY_BYTES = 2**30
#: Time limit on the wait for a verdict; a judge stops by itself long before (see `verdicts`).
_WAIT_SECONDS = 300.0
_TRIES = 2


class Judging(Protocol):
    """A judgement in progress."""

    def done(self) -> bool:
        """Tell whether the verdicts are ready."""

    def result(self) -> list[Verdict]:
        """Wait for the verdicts and return them."""


#: A callable that starts to judge answers.
Judge = Callable[[dict[str, RecordedExercise], Answers], Judging]


def judge_here(recorded: dict[str, RecordedExercise], answers: Answers) -> Judging:
    """Judge in this process, for a single submission or where no other process can be started."""
    done: Future[list[Verdict]] = Future()
    done.set_result(decide(recorded, answers))
    return done


class Judges:
    """A pool of processes that judge the answers to one assignment.

    Parameters
    ----------
    recorded : dict of str to RecordedExercise
        Exercise -> its cases with the reference's outcomes.
    count : int
        The number of processes.
    preload : tuple of str
        Modules that the fork server imports, if it is not running yet.
    """

    def __init__(
        self, recorded: dict[str, RecordedExercise], count: int, preload: tuple[str, ...]
    ) -> None:
        self._recorded, self._preload = recorded, preload
        self._threads = ThreadPoolExecutor(count)
        self._free: queue.SimpleQueue[Connection | None] = queue.SimpleQueue()
        for _ in range(count):
            self._free.put(None)  # started when it is needed

    def start(self, recorded: dict[str, RecordedExercise], answers: Answers) -> Judging:
        """Start to judge answers to `recorded`, exercises that these judges were made for.

        Pairs of misconceptions may have been added to the exercises since.

        Raises
        ------
        GraderFault
            From `result`: a judge failed, or ended twice over the same answers.
        """
        return self._threads.submit(self._judge, recorded, answers)

    def close(self) -> None:
        """End all judge processes."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(queue.Empty):
            while True:
                if (judge := self._free.get_nowait()) is not None:
                    judge.close()

    def _judge(self, recorded: dict[str, RecordedExercise], answers: Answers) -> list[Verdict]:
        """Judge answers with the next free process; a missing answer needs none."""
        judge = self._free.get()
        verdicts = []
        try:
            for name, exercise in recorded.items():
                if answers.outcomes[name] is None:
                    verdicts.append(without_answer(exercise, answers.ends.get(name, "")))
                    continue
                judge, verdict = self._ask(judge, exercise, answers)
                verdicts.append(verdict)
        finally:
            self._free.put(judge)
        return verdicts

    def _ask(
        self, judge: Connection | None, exercise: RecordedExercise, answers: Answers
    ) -> tuple[Connection, Verdict]:
        """Send an answer to a judge, a new one if it ended; return the judge and its verdict."""
        name, pairs = exercise["name"], exercise.get("pairs", [])
        for _ in range(_TRIES):
            try:
                judge = judge or self._new()
                judge.send(exercise=name, outcomes=answers.outcomes[name], pairs=pairs)
                reply = judge.receive()
            except (EOFError, OSError):
                if judge is not None:
                    judge.close()
                judge = None
                continue
            if "fault" in reply:
                judge.close()
                raise GraderFault(f"judging {name} failed:\n\n{reply['fault']}")
            return judge, Verdict.from_dict(reply["verdict"])
        if not has_server():
            raise MachineError("grading was interrupted; run the command again.")
        raise GraderFault(f"judging {name} ended its process, or did not end itself.")

    def _new(self) -> Connection:
        """Fork a judge and send it the recorded exercises."""
        judge = Connection.open(start_server(*self._preload))
        judge.socket.settimeout(_WAIT_SECONDS)
        judge.send(run=f"{__name__}:{judge_requests.__name__}", recorded=self._recorded)
        return judge


def judge_requests(connection: Connection, request: dict[str, Any]) -> None:
    """Run as a judge process: answer each request until the grader closes the connection.

    Parameters
    ----------
    connection : Connection
        The connection to the grader: a request is an exercise, its outcomes and its pairs; the
        reply is a verdict or the traceback of a fault.
    request : dict of str to object
        The first message of `Judges`: the recorded exercises.
    """
    _limit_memory()
    recorded: dict[str, RecordedExercise] = request["recorded"]
    for message in connection:
        name = message["exercise"]
        try:
            answers = Answers({name: message["outcomes"]})
            recorded[name]["pairs"] = message["pairs"]
            (verdict,) = decide({name: recorded[name]}, answers)
        except Exception:
            connection.send(fault=traceback.format_exc())
        else:
            connection.send(verdict=verdict.to_dict())


def _limit_memory() -> None:
    """Limit the memory of this process to what it has plus `_MEMORY_BYTES`; dump no core."""
    import resource  # only where it is used: Windows has no such module

    status = Path("/proc/self/status").read_text()
    allocated = 1024 * int(status.partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (allocated + _MEMORY_BYTES,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
