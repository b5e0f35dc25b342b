"""Processes that tests start: which ones are left, and when something has happened in them.

Nothing here waits for a fixed time or gives up after one: what never happens never ends, and the job
that runs the tests has a limit.
"""

import ctypes
import os
import select
from contextlib import suppress
from pathlib import Path

#: Of inotify(7): a file was closed after it was written, created, moved here or deleted, or the folder
#: itself was.
_CHANGES = 0x8 | 0x100 | 0x80 | 0x200 | 0x400 | 0x800


def processes_of(folder):
    """Return the numbers of all processes whose command line names something below `folder`."""
    found = set()
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if str(folder).encode() in command.read_bytes():
                found.add(int(command.parent.name))
    return found


def wait_for_end(numbers):
    """Wait until each of these processes has ended, whosever children they are."""
    for number in numbers:
        with suppress(ProcessLookupError):
            end = os.pidfd_open(number)
            try:
                select.select([end], [], [])
            finally:
                os.close(end)


def wait_for(path, process, holds=Path.exists):
    """Wait until something holds of a file, or the process that is to make it so has ended.

    It is looked at each time that a file is made, written or moved in the folder of the file or,
    until there is one, in the nearest folder above it.

    Returns
    -------
    bool
        Whether it holds.
    """
    end = os.pidfd_open(process.pid)
    try:
        while not holds(path):
            folder = next(parent for parent in path.parents if parent.is_dir())
            watch = ctypes.CDLL(None).inotify_init()
            try:
                added = ctypes.CDLL(None).inotify_add_watch(watch, bytes(folder), _CHANGES)
                # what was there before the watch is not told
                if added >= 0 and not holds(path) and _is_nearest(folder, path):
                    ended = end in select.select([watch, end], [], [])[0]
                    if ended:
                        return holds(path)
            finally:
                os.close(watch)
        return True
    finally:
        os.close(end)


def _is_nearest(folder, path):
    return folder == next(parent for parent in path.parents if parent.is_dir())


#: Python code after which a grader prints each cell of a submission before it runs, as a literal.
TELLS_CELLS = """\
from autograder.grading import isolated_run

class Telling:
    def __init__(self, connection, notebook):
        self.connection, self.notebook, self.send = connection, notebook, connection.send

    def __iter__(self):
        for message in self.connection:
            if "begun" in message:
                print(repr(self.notebook.cells[message["begun"]].source), flush=True)
            yield message

receive = isolated_run._receive
isolated_run._receive = lambda connection, notebook, *rest: receive(
    Telling(connection, notebook), notebook, *rest
)
"""


def wait_for_line(stream, line):
    """Read lines of a process until `line`; return whether it came before the end."""
    return any(read.strip() == line for read in stream)
