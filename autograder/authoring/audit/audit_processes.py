"""The audit of several exercises side by side, one process each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from autograder.authoring.audit.audit_results import is_listed
from autograder.authoring.audit.explain_survivors import explain
from autograder.authoring.audit.judge_mutants import judge_all
from autograder.authoring.audit.mutants import mutants
from autograder.authoring.audit.observed_values import observe
from autograder.authoring.audit.one_place_edits import Reference
from autograder.course.assignment import Assignment
from autograder.course.record_cases import RECORDING_SEED, record_reference
from autograder.errors import CourseError
from autograder.grading.record_misconceptions import record

#: Called with the numbers of mutants found and judged since the last call.
Progress = Callable[[int, int], None]


def audit_exercise(
    assignment: Assignment,
    name: str,
    seeds: int,
    progress: Progress = lambda found, judged: None,
) -> dict[str, Any]:
    """Judge all mutants of one exercise with the recorded cases and with those of class seeds.

    Parameters
    ----------
    seeds : int
        How many class seeds, from 1 up.

    Returns
    -------
    dict of str to object
        "mutants", a list with each mutant's operator, source, form, status, misconception, headline,
        by seed, whether it lost points, and, for a survivor that is not listed, its explanation (see
        `explain`); "seconds", the processor time.

    Raises
    ------
    CourseError
        The exercise cannot be recorded.
    """
    _use_one_thread()
    begin = _processor_seconds()
    solution = assignment.solution
    source = solution.bare_sources[name]
    recorded = {RECORDING_SEED: record(assignment, name, RECORDING_SEED)}
    for seed in range(1, seeds + 1):
        recorded[seed] = record_reference(assignment, name, seed)
    seen = observe(solution, name, source, recorded[RECORDING_SEED]["cases"])
    reference = Reference(source, seen)
    found = mutants(reference)
    progress(len(found), 0)
    judged = judge_all(solution, recorded, [m.source for m in found], lambda: progress(0, 1))
    exercise = assignment.exercise(name)
    unlisted = [
        mutant
        for mutant, verdict in zip(found, judged, strict=True)
        if verdict.status == "survived" and not is_listed(exercise, source, mutant)
    ]
    progress(len(unlisted), 0)
    explained = explain(assignment, reference, name, unlisted, seeds, lambda: progress(0, 1))
    explanations = dict(zip((mutant.form for mutant in unlisted), explained, strict=True))
    return {
        "mutants": [
            {
                "operator": mutant.operator,
                "source": mutant.source,
                "form": mutant.form,
                "status": verdict.status,
                "misconception": verdict.misconception,
                "headline": verdict.headline,
                "lost": {str(seed): lost for seed, lost in verdict.lost.items()},
                "explained": explanations.get(mutant.form),
            }
            for mutant, verdict in zip(found, judged, strict=True)
        ],
        "seconds": round(_processor_seconds() - begin, 1),
    }


def audit_exercises(
    wanted: list[tuple[Assignment, str]],
    seeds: int,
    jobs: int,
    progress: Progress = lambda found, judged: None,
) -> Generator[tuple[Assignment, str, dict[str, Any]], None, None]:
    """Audit several exercises, `jobs` at a time; yields assignment, exercise and result.

    Parameters
    ----------
    wanted : list of tuple of (Assignment, str)
        Assignments and names of exercises.

    Raises
    ------
    CourseError
        An exercise cannot be recorded, or its process was killed.
    """
    _use_one_thread()
    for assignment in {assignment for assignment, _ in wanted}:
        _ = assignment.exercises, assignment.solution.definitions  # loaded once, for all processes
    waiting = list(reversed(wanted))
    running: dict[Connection, tuple[Assignment, str, BaseProcess]] = {}
    context = multiprocessing.get_context("fork")
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                assignment, name = waiting.pop()
                ours, theirs = context.Pipe(duplex=False)
                started = context.Process(target=_work, args=(theirs, assignment, name, seeds))
                started.start()
                theirs.close()
                running[ours] = assignment, name, started
            ready = wait(list(running))
            for pipe in [own for own in running if own in ready]:
                assignment, name, process = running[pipe]
                try:
                    kind, *data = pipe.recv()
                except EOFError:
                    raise CourseError(f"the audit of {name} was killed; is memory short?") from None
                if kind == "progress":
                    progress(*data)
                    continue
                process.join()
                del running[pipe]
                if kind == "error":
                    raise CourseError(data[0])
                yield assignment, name, data[0]
    finally:
        for _, _, process in running.values():
            process.terminate()
            process.join()


def _work(pipe: Connection, assignment: Assignment, name: str, seeds: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # torch cannot be forked once it uses a GPU
    waiting, last = [0, 0], time.monotonic()

    def progress(found: int, judged: int) -> None:
        nonlocal last
        waiting[0] += found
        waiting[1] += judged
        if time.monotonic() - last > 0.2:
            pipe.send(("progress", *waiting))
            waiting[:], last = [0, 0], time.monotonic()

    try:
        result = audit_exercise(assignment, name, seeds, progress)
        pipe.send(("progress", *waiting))
        pipe.send(("result", result))
    except CourseError as error:
        pipe.send(("error", str(error)))


def _use_one_thread() -> None:
    """Keep torch, if it is installed, from starting threads: then no process can be forked safely."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
