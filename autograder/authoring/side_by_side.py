"""Work on several assignments at once, each in a process of its own."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, TypeVar

from autograder.course.layout import Course

_Result = TypeVar("_Result")


def side_by_side(
    course: Course, names: list[str], jobs: int, work: Callable[..., _Result], *arguments: Any
) -> Iterator[_Result]:
    """Call ``work(course, name, *arguments)`` for every assignment; yield results as they are done.

    The longest notebooks come first. With one job, or one assignment, no process is started.
    """
    if jobs == 1 or len(names) < 2:
        for name in names:
            yield work(course, name, *arguments)
        return
    names = sorted(names, key=lambda name: -course.solution(name).stat().st_size)
    # not forked: torch may run threads here already
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(names)), context, _end_at_once) as pool:
        try:
            for done in as_completed([pool.submit(work, course, n, *arguments) for n in names]):
                yield done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_at_once() -> None:
    """Let ctrl-C end this process without a traceback; the one that started it says so."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
