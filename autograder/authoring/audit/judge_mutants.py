"""The judging of one exercise's mutants, as submissions would be judged, with several seeds.

A mutant runs in a process of its own class: forked with the cases already drawn, with limits on
time, memory and output. One process judges many mutants; if one ends it, the next process goes on.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.course.record_cases import RECORDING_SEED
from autograder.course.reference import Solution
from autograder.errors import AnswerError
from coursekit.checking.judge_case import judge_case, judge_cases
from coursekit.checking.recording_format import Case, RecordedExercise
from coursekit.checking.run_cases import run_case, run_cases
from coursekit.checking.verdict import judge

#: Seconds for one case; the reference takes milliseconds.
CASE_SECONDS = 2.0
#: Processor seconds and real seconds for one mutant with all seeds.
PROCESSOR_SECONDS, SECONDS = 40, 240
#: Memory that a mutant may use beyond what its process starts with.
_MEMORY = 2 * 2**30
#: Mutants that one process judges, so that what one leaves behind reaches few others.
_PER_PROCESS = 25


@dataclass
class Judged:
    """The verdicts on one mutant.

    Attributes
    ----------
    lost : dict of int to bool
        By seed, whether the mutant lost points.
    misconception : str
        The misconception whose hint it was shown, or "".
    headline : str
        The first sentence of its verdict on the recorded cases.
    """

    lost: dict[int, bool] = field(default_factory=dict)
    misconception: str = ""
    headline: str = ""

    @property
    def status(self) -> str:
        """The status "killed", "survived", or "inconsistent" if only some seeds take points off."""
        if all(self.lost.values()):
            return "killed"
        return "inconsistent" if any(self.lost.values()) else "survived"


def judge_all(
    solution: Solution,
    recorded: dict[int, RecordedExercise],
    sources: list[str],
    progress: Callable[[], None] = lambda: None,
) -> list[Judged]:
    """Judge every source.

    Parameters
    ----------
    recorded : dict of int to RecordedExercise
        The exercise with its cases, by seed; first the recording, with misconceptions.
    progress : callable
        Called after each source.
    """
    found: list[Judged] = []

    def note(data: dict[str, Any] | None) -> None:
        if data is None:  # it ended its process, as it would end a kernel
            found.append(Judged({RECORDING_SEED: True}, headline="it ends its process"))
        else:
            data["lost"] = {int(seed): lost for seed, lost in data["lost"].items()}
            found.append(Judged(**data))
        progress()

    run_apart(lambda source: judge_one(solution, recorded, source).__dict__, sources, note)
    return found


def run_apart(
    judge_source: Callable[[str], dict[str, Any]],
    sources: list[str],
    note: Callable[[dict[str, Any] | None], None],
    per_process: int = _PER_PROCESS,
) -> None:
    """Judge sources in forked processes, one after the other.

    Parameters
    ----------
    judge_source : callable
        Returns what it finds as data that JSON can hold.
    note : callable
        Called with that for each source; with None if the source ended its process.
    per_process : int
        The number of sources that one process judges.
    """
    done = 0
    while done < len(sources):
        chunk = sources[done : done + per_process]
        answers = 0
        for data in _in_new_process(judge_source, chunk):
            answers += 1
            note(data)
        if answers < len(chunk):
            answers += 1
            note(None)
        done += answers


def judge_one(solution: Solution, recorded: dict[int, RecordedExercise], source: str) -> Judged:
    """Judge a source in this process."""
    judged = Judged()
    name = recorded[RECORDING_SEED]["name"]
    try:
        answer = solution.run_answer(name, source)
    except AnswerError as error:
        return Judged({RECORDING_SEED: True}, headline=str(error).partition("\n")[0])
    suspect = 0
    for seed, exercise in recorded.items():
        if seed != RECORDING_SEED:
            suspect = _first_wrong(answer, exercise["cases"], suspect)
            judged.lost[seed] = suspect >= 0
            suspect = max(suspect, 0)
            continue
        outcomes = run_cases(answer, exercise["cases"], CASE_SECONDS)
        verdict = judge(exercise, outcomes)
        judged.lost[seed] = not verdict.passed
        judged.misconception, judged.headline = verdict.misconception, verdict.headline
        if any(outcome["status"] == "timeout" for outcome in outcomes):
            return judged  # it would take as long with every other seed
        if not verdict.passed:
            findings = judge_cases(exercise["cases"], outcomes)
            suspect = next(i for i, finding in enumerate(findings) if finding is not None)
    return judged


def _first_wrong(answer: Any, cases: list[Case], suspect: int) -> int:
    """Return the number of a case that the answer gets wrong, or -1; `suspect` is tried first."""
    outcomes = {}
    for i in sorted(range(len(cases)), key=lambda i: i != suspect):
        outcomes[i] = run_case(answer, cases[i], CASE_SECONDS)
        if judge_case(cases[i], outcomes[i]) is not None:
            return i
    together = judge_cases(cases, [outcomes[i] for i in range(len(cases))])
    return next((i for i, finding in enumerate(together) if finding is not None), -1)


def _in_new_process(
    judge_source: Callable[[str], dict[str, Any]], sources: list[str]
) -> Iterator[dict[str, Any]]:
    """Judge sources in a forked process; yields fewer if one of them ends the process."""
    reading, writing = os.pipe()
    gc.freeze()  # the pages of what exists now stay shared with the new process
    child = os.fork()
    if child == 0:
        os.close(reading)
        _judge_and_exit(judge_source, sources, writing)
    os.close(writing)
    try:
        for line in _lines(reading, SECONDS):
            yield json.loads(line)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _lines(descriptor: int, seconds: float) -> Iterator[bytes]:
    """Yield the lines that a process writes, until it ends or is silent for so long."""
    buffer = b""
    while select.select([descriptor], [], [], seconds)[0]:
        data = os.read(descriptor, 65536)
        if not data:
            return
        *lines, buffer = (buffer + data).split(b"\n")
        yield from lines


def _judge_and_exit(
    judge_source: Callable[[str], dict[str, Any]], sources: list[str], writing: int
) -> None:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, size + _MEMORY))
        for source in sources:
            used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
            limit = (used + PROCESSOR_SECONDS, resource.RLIM_INFINITY)
            resource.setrlimit(resource.RLIMIT_CPU, limit)
            judged = judge_source(source)
            if "torch" in sys.modules:
                sys.modules["torch"].set_grad_enabled(True)  # a mutant may have left it off
            os.write(writing, json.dumps(judged).encode() + b"\n")
    finally:
        os._exit(0)
