"""The supervisor of one sandbox, forked by the fork server, and the sandbox's first process.

The supervisor shares the sandbox's mounts, but none of its processes can see or signal it. It
starts the sandbox, delivers signals, kills it when its processes together use too much memory or
keep more than their share of the processors, and reports how it ended.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from autograder.sandbox import isolation, linux
from autograder.sandbox.kernel import start_kernel
from autograder.sandbox.messages import Connection

_CHECK_EVERY = 0.2  # seconds between two looks at the memory
#: Limit on the buffers of one socket, which keep their first size (see `seccomp` and `isolation`).
_SOCKET_BYTES = 2**18
#: Threads that may be busy at a time: the kernel's own, and one worker per processor. Linux shares
#: the processors between threads or sessions, so that a hundred would leave others little.
_MAX_BUSY = 4 + (os.cpu_count() or 1)
_BUSY_LOOKS, _BUSY_SECONDS = 3, 2.0  # after both, in a row, the sandbox is killed
_CONNECTION_FILE = "/run/kernel.json"


def supervise(connection: Connection, request: dict[str, Any]) -> NoReturn:
    """Start the sandbox of a request and wait until it has ended.

    Parameters
    ----------
    connection : Connection
        The connection to the grader. The supervisor answers ``{"started": true}`` or
        ``{"failed": "..."}``, accepts ``{"signal": 2}`` at any time, and ends with
        ``{"ended": code, "reason": "...", "cpu_seconds": 1.5, "memory_bytes": 400000000}``. It
        kills the sandbox when the connection is closed.
    request : dict of str to object
        The message of `provisioner.SandboxProvisioner`.
    """
    code = 1
    try:
        limits = isolation.SandboxLimits(**request["limits"])
        ready, report = os.pipe()
        isolation.give_ownership(request["sockets"])
        isolation.unshare_namespaces()
        linux.die_with_parent()  # new privileges have reset it
        child = os.fork()
        if child == 0:
            os.close(ready)
            _run_kernel(request, limits, report, connection)
        os.close(report)
        failed = os.read(ready, 4096).decode()  # "" if the kernel has closed it: it is ready
        if not failed:
            # a folder of the host: the sandbox must not store files there
            linux.make_read_only(isolation.SOCKETS)
        _send(connection, **({"failed": failed} if failed else {"started": True}))
        code, reason = _watch(connection, child, limits)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        _send(
            connection,
            ended=code,
            reason=reason,
            cpu_seconds=used.ru_utime + used.ru_stime,
            memory_bytes=1024 * used.ru_maxrss,
        )
    except BaseException as error:
        _send(connection, failed=f"{type(error).__name__}: {error}")
    finally:
        os._exit(code if 0 <= code < 256 else 1)


def _send(connection: Connection, **message: Any) -> None:
    """Send a message; ignore a closed connection."""
    with contextlib.suppress(OSError):
        connection.send(**message)


def _run_kernel(
    request: dict[str, Any], limits: isolation.SandboxLimits, report: int, connection: Connection
) -> NoReturn:
    """Enter the sandbox as its first process and become the kernel.

    Parameters
    ----------
    report : int
        A pipe for the reason if the kernel does not start; closed when it does.
    connection : Connection
        The supervisor's connection; closed here.
    """
    try:
        linux.die_with_parent()
        os.setsid()  # signals to the whole process group stay in the sandbox
        isolation.enter_sandbox(request["root"], request["sockets"], request["read_only"], limits)
        Path(_CONNECTION_FILE).write_text(json.dumps(request["connection"]))
        connection.close()
        null = os.open("/dev/null", os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.closerange(3, report)
        os.closerange(report + 1, 1024)
        os.environ.clear()
        os.environ.update(request["env"])
        sys.path[:] = [p for p in sys.path if os.path.isdir(p)]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        isolation.restrict(limits)
        kernel = start_kernel(_CONNECTION_FILE, limits.output_bytes)
        for name in [n for n in sys.modules if n.partition(".")[0] == "autograder"]:
            del sys.modules[name]
    except BaseException as error:
        os.write(report, f"{type(error).__name__}: {error}".encode()[:4000] or b"unknown")
        os._exit(1)
    os.close(report)
    code = 1
    try:
        kernel.start()
        code = 0
    finally:
        os._exit(code)


def _watch(connection: Connection, child: int, limits: isolation.SandboxLimits) -> tuple[int, str]:
    """Wait for the end of the sandbox's first process.

    Returns
    -------
    tuple of (int, str)
        The exit code, and the reason if the supervisor killed it.
    """
    handle = os.pidfd_open(child)
    watched: list[int | Connection] = [handle, connection]
    at_start = _memory()
    reason, busy_looks, busy_since = "", 0, 0.0
    while True:
        try:
            while (message := connection.poll()) is not None:
                os.kill(child, message["signal"])
        except EOFError:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -9, "the grader disconnected"
        readable, _, _ = select.select(watched, [], [], _CHECK_EVERY)
        if handle in readable:
            _, status = os.waitpid(child, 0)
            return os.waitstatus_to_exitcode(status), reason
        if readable or reason:
            continue
        busy_looks = busy_looks + 1 if _busy() > _MAX_BUSY else 0
        busy_since = busy_since if busy_looks > 1 else time.monotonic()
        if _exceeds(limits.memory_bytes, at_start):
            reason = f"it used more than {limits.memory_bytes / 2**30:g} GiB of memory"
        elif busy_looks >= _BUSY_LOOKS and time.monotonic() - busy_since > _BUSY_SECONDS:
            reason = f"it kept more than {_MAX_BUSY} processes or threads busy"
        if reason:
            os.kill(child, signal.SIGKILL)


def _busy() -> int:
    """Return the number of threads in the sandbox that run or wait for a processor."""
    total = 0
    for task in Path("/proc").glob("[0-9]*/task/*/stat"):
        with contextlib.suppress(OSError):
            total += task.read_bytes().rpartition(b")")[2].startswith(b" R")
    return total


def _exceeds(allowed: int, at_start: int) -> bool:
    """Tell whether the sandbox uses more memory than allowed, shared pages counted once."""
    return _memory() - at_start > allowed and _memory(shared=False) > allowed


def _memory(shared: bool = True) -> int:
    """Return the resident memory of all processes in the sandbox, which are all that /proc shows.

    Parameters
    ----------
    shared : bool
        Count a page once for each process that shares it: fast, and never too low.
    """
    total = 0
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += _resident(entry) if shared else _proportional(entry)
    return total + _in_sockets()


def _in_sockets() -> int:
    """Return the most memory that the buffers of the sandbox's sockets can take."""
    total = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/1/net/protocols").read_text().splitlines()[1:]:
            name, _, sockets, *_ = line.split()
            directions = 2 if name.startswith("TCP") else 1
            total += directions * int(sockets) * _SOCKET_BYTES
    return total


def _resident(process: Path) -> int:
    return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _proportional(process: Path) -> int:
    try:
        rollup = (process / "smaps_rollup").read_text()
    except PermissionError:  # a process may hide this, but not its resident memory
        return _resident(process)
    return 1024 * int(rollup.partition("Pss:")[2].split()[0])
