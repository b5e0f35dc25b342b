"""Decides which calls of right helpers are answered, and passes them on to the references.

The calls come from a submission's kernel, which may ask anything. While an exercise is judged again,
it may call the helpers that its own reference calls, if their verdicts are fixed; how often, with how
many bytes and for how long is limited. The references run in a process of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from autograder.grading.limits import slowdown
from autograder.grading.questions import Questions
from coursekit.checking.right_helpers import CALL_LENGTH

#: What one exercise may ask for: calls, characters both ways, and processor time of answering.
CALLS, CHARACTERS, SECONDS = 20_000, 128 * 2**20, 60.0
#: Processor time of one call.
CALL_SECONDS = 10.0
_ANSWER_LENGTH = 2 * CALL_LENGTH
#: Seconds on the wall that one answer may take, and the start of the process.
_PATIENCE, _START_SECONDS = 60.0, 120.0
#: The process's first line.
READY = "ready"


@dataclass(frozen=True)
class Carried:
    """What a run needs to judge exercises again with right helpers. Only for trusted processes.

    Attributes
    ----------
    helpers : dict of str to list of str
        Exercise that is judged again -> the helpers that it may call.
    kinds : dict of str to dict
        Helper -> how it is called, see `helper_kinds.kind_of`.
    pasted : tuple of str
        The helpers that are no exercises of the assignment.
    questions : dict of str to list of Question
        What was pasted -> its own cases, which tell whether it is right.
    cells : tuple of str
        The code cells of the solution.
    """

    helpers: dict[str, list[str]]
    kinds: dict[str, dict[str, Any]]
    pasted: tuple[str, ...] = ()
    questions: Questions = field(default_factory=dict, repr=False)
    cells: tuple[str, ...] = field(default=(), repr=False)

    @property
    def judged(self) -> list[str]:
        """The exercises that are judged again; what was pasted carries no points."""
        return [name for name in self.helpers if name not in self.pasted]


class ReferenceDesk:
    """Answers the calls of one submission's run. Use it in a ``with`` block.

    Attributes
    ----------
    called : dict of str to list of str
        Exercise -> the helpers that it has called and got an answer of.
    """

    def __init__(self, carried: Carried) -> None:
        self.carried = carried
        self.called: dict[str, list[str]] = {}
        self._calls: Counter[str] = Counter()
        self._characters: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._process: subprocess.Popen[str] | None = None
        self._reading: threading.Thread | None = None
        self._answers: queue.Queue[str] = queue.Queue()
        self._ready = self._ended = False
        self._lock = threading.Lock()

    def __enter__(self) -> ReferenceDesk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def answer(self, exercise: str, text: str, fixed: Collection[str]) -> str:
        """The answer to a call, JSON: what the reference returns, or why there is no answer.

        Parameters
        ----------
        exercise : str
            The exercise that is being judged.
        text : str
            The call, as it came from the submission; "" to wait until calls can be answered.
        fixed : collection of str
            The exercises whose answers have come back in this run.
        """
        with self._lock:  # a call that was given up may still be answered
            if not text:
                return self._wait()
            return self._answer(exercise, text, fixed)

    def _answer(self, exercise: str, text: str, fixed: Collection[str]) -> str:
        if reason := self._excess(exercise, len(text)):
            return _refusal(reason)
        self._characters[exercise] += len(text)
        try:
            request = json.loads(text) if len(text) <= CALL_LENGTH else None
        except (ValueError, RecursionError):
            request = None
        name = request.get("name") if isinstance(request, dict) else None
        if not isinstance(name, str) or name not in self.carried.helpers.get(exercise, ()):
            return _refusal("only the helpers of the exercise that is judged can be called")
        if exercise in fixed:
            return _refusal("the exercise has been judged")
        if name in self.carried.judged and name not in fixed:
            return _refusal("this helper has yet to be judged itself")
        seconds, _, found = self._ask(json.dumps(request)).partition(" ")
        self._seconds[exercise] += float(seconds)
        self._characters[exercise] += len(found)
        if len(found) > _ANSWER_LENGTH:
            return _refusal("what the helper returns is too large to be passed on")
        if name not in self.called.setdefault(exercise, []):
            self.called[exercise].append(name)
        return found

    def _excess(self, exercise: str, length: int) -> str:
        """Which limit another call would exceed, or ""."""
        self._calls[exercise] += 1
        if self._calls[exercise] > CALLS:
            return f"one exercise may call its helpers {CALLS} times"
        if self._characters[exercise] + length > CHARACTERS:
            return f"one exercise may pass {CHARACTERS // 2**20} MiB to its helpers and back"
        if self._seconds[exercise] > SECONDS:
            return f"the helpers of one exercise may compute for {SECONDS:g} seconds"
        return ""

    def start(self) -> None:
        """Start the process with the references, which takes seconds, unless it runs."""
        if self._process is not None or self._ended:
            return
        kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "SYSTEMROOT", "COURSEKIT_CACHE", "HOME")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf-8"}
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "autograder.grading.reference_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        task = {
            "cells": self.carried.cells,
            "names": list(self.carried.kinds),
            "seconds": CALL_SECONDS,
        }
        self._reading = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reading.start()
        self._write(json.dumps(task))

    def _wait(self) -> str:
        """Wait until the references are loaded."""
        self.start()
        if not self._ready and not self._ended:
            with contextlib.suppress(queue.Empty):
                self._ready = self._answers.get(timeout=_START_SECONDS * slowdown()) == READY
            if not self._ready:
                self._end()
        return ""

    def _ask(self, line: str) -> str:
        self._wait()
        if not self._ended and self._write(line):
            with contextlib.suppress(queue.Empty):
                if found := self._answers.get(timeout=_PATIENCE * slowdown()):
                    return found
        self._end()  # an answer that came too late would be taken for the next one's
        return f"0 {_refusal('the helper has not answered in time')}"

    def _write(self, line: str) -> bool:
        assert self._process is not None  # it was started
        assert self._process.stdin is not None  # it is a pipe
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None  # it is a pipe
        for line in process.stdout:
            self._answers.put(line.rstrip("\n"))
        self._answers.put("")  # it has ended

    def _end(self) -> None:
        self._ended = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._reading is not None:
                self._reading.join(_PATIENCE)
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            self._process = None


def _refusal(reason: str) -> str:
    return json.dumps({"error": "RuntimeError", "message": reason})
