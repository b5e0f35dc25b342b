"""Judges answers beside the process that writes grades, in processes with limits of their own.

What a submission answers can be large or odd. A judge that takes too much time or memory over it costs
that submission its exercise, and the others go on meanwhile.

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

#: What a judge may allocate.
_MEMORY_BYTES = 2**30
#: How long to wait for a verdict: a judge stops by itself long before, see `verdicts`.
_WAIT_SECONDS = 300.0
_TRIES = 2


class Judging(Protocol):
    """Verdicts that are being found; `result` waits for them."""

    def done(self) -> bool: ...

    def result(self) -> list[Verdict]: ...


#: Begins to judge answers.
Judge = Callable[[dict[str, RecordedExercise], Answers], Judging]


def judge_here(recorded: dict[str, RecordedExercise], answers: Answers) -> Judging:
    """Judge in this process: where it grades one submission, or cannot start others."""
    done: Future[list[Verdict]] = Future()
    done.set_result(decide(recorded, answers))
    return done


class Judges:
    """Processes that judge the answers to one assignment.

    Parameters
    ----------
    recorded : dict of str to RecordedExercise
        Exercise -> its cases with the reference's outcomes.
    count : int
        How many judge at a time.
    preload : str
        What the fork server imports, if it does not run yet.
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
        """Begin to judge answers to `recorded`: exercises that these judges were made for.

        Their pairs of misconceptions may have been added since.

        Raises
        ------
        GraderFault
            Of `result`: a judge failed, or ended twice over the same answers.
        """
        return self._threads.submit(self._judge, recorded, answers)

    def close(self) -> None:
        """End all judges."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(queue.Empty):
            while True:
                if (judge := self._free.get_nowait()) is not None:
                    judge.close()

    def _judge(self, recorded: dict[str, RecordedExercise], answers: Answers) -> list[Verdict]:
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
        judge = Connection.open(start_server(*self._preload))
        judge.socket.settimeout(_WAIT_SECONDS)
        judge.send(run=f"{__name__}:{judge_requests.__name__}", recorded=self._recorded)
        return judge


def judge_requests(connection: Connection, request: dict[str, Any]) -> None:
    """Judge what the grader sends, until it closes the connection; what a judge does.

    Parameters
    ----------
    connection : Connection
        To the grader: it sends an exercise, its outcomes and its pairs, and gets a verdict.
    request : dict of str to object
        What `Judges` sends first: the recorded exercises.
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
    import resource  # only where it is used: Windows has no such module

    status = Path("/proc/self/status").read_text()
    allocated = 1024 * int(status.partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (allocated + _MEMORY_BYTES,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
