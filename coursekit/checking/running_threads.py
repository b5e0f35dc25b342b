"""Threads of a notebook that still run its code beside a check.

They share the random generators and all settings with the answer that is checked.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from time import process_time, sleep, thread_time  # a notebook may replace those of the module

from coursekit.checking.time_limit import Clocks, Watch

#: How long to try to end a thread: seconds in which other threads compute, or, three times as many,
#: in which all of them are idle. And how often to look meanwhile.
_SECONDS, _TICK = 0.7, 0.02
#: The threads that were waited for once: one may sleep for an hour. The number of a thread that has
#: ended may belong to another one later; it stands for those that have no object only.
_waited_for: set[threading.Thread | int] = set()


def of_the_notebook() -> list[int]:
    """Return the numbers of the other threads in whose stack code of the notebook is."""
    own = {threading.get_ident(), threading.main_thread().ident}
    if threading.active_count() == 1:
        return []
    found = []
    for number, top in sys._current_frames().items():
        frame = None if number in own else top
        while frame is not None and frame.f_globals.get("__name__") != "__main__":
            frame = frame.f_back
        if frame is not None:
            found.append(number)
    return found


def end_those_of_the_notebook() -> None:
    """End these threads, as far as they do not catch what ends them.

    A thread may still be about to end when this returns, but runs no more code of the notebook.
    """
    watch = Watch(_SECONDS, _TICK, Clocks(thread=time_of_other_threads))
    while set(running := _running()) - _waited_for and not watch.look():
        for number in running.values():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(number), ctypes.py_object(SystemExit)
            )
        sleep(_TICK)
    _waited_for.update(running)


def time_of_other_threads() -> float:
    """Return the processor time that all threads but the calling one have taken."""
    return process_time() - thread_time()


def _running() -> dict[threading.Thread | int, int]:
    """Return the threads of the notebook, by their objects where they have one, and their numbers."""
    objects = {thread.ident: thread for thread in threading.enumerate()}
    return {objects.get(number, number): number for number in of_the_notebook()}
