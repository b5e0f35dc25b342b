"""Threads of a notebook that still run its code beside a check.

They share the random generators and all settings with the answer that is checked.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import time

#: How long to wait for the end of a thread, and how often to ask for it meanwhile.
_SECONDS, _TICK = 2.0, 0.02
#: The threads that were waited for once: one may sleep for an hour.
_waited_for: set[int] = set()


def of_the_notebook() -> list[int]:
    """Return the ids of the other threads that run code of the notebook."""
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
    """Raise `SystemExit` in these threads and wait a moment; a thread that catches it goes on."""
    until = time.monotonic() + _SECONDS
    while (numbers := set(of_the_notebook())) - _waited_for and time.monotonic() < until:
        for number in numbers:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(number), ctypes.py_object(SystemExit)
            )
        time.sleep(_TICK)
    _waited_for.update(numbers)
