"""The desk that decides which calls of right helpers are answered and passes them on.

The calls come from a submission's kernel, which may ask anything. While an exercise is judged again,
it may call the helpers that its own reference calls, if their verdicts are fixed; how often, with how
many bytes and for how long is limited. The references run in a process of their own.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from autograder.grading.limits import slowdown
from autograder.grading.reference_transport import Forked, Link, Started
from coursekit.checking.right_helpers import CALL_LENGTH

#: Limits per exercise: calls, characters both ways, and processor time of answering.
CALLS, CHARACTERS, SECONDS = 20_000, 128 * 2**20, 60.0
#: Processor time of one call.
CALL_SECONDS = 10.0
_ANSWER_LENGTH = 2 * CALL_LENGTH
#: Wall time that one answer may take, and the start of the process.
_PATIENCE, _START_SECONDS = 60.0, 120.0
#: The process's first line.
READY = "ready"


@dataclass(frozen=True)
class Carried:
    """The data to judge exercises again with right helpers; only for trusted processes.

    Attributes
    ----------
    helpers : dict of str to list of str
        Exercise that is judged again -> the helpers that it may call.
    kinds : dict of str to dict
        Helper -> how it is called; see `callable_kinds.kind_of`.
    pasted : tuple of str
        The helpers that come from earlier assignments.
    cells : tuple of str
        The code cells of the solution.
    """

    helpers: dict[str, list[str]]
    kinds: dict[str, dict[str, Any]]
    pasted: tuple[str, ...] = ()
    cells: tuple[str, ...] = field(default=(), repr=False)

    @property
    def judged(self) -> list[str]:
        """The exercises that are judged again; pasted helpers carry no points."""
        return [name for name in self.helpers if name not in self.pasted]


class ReferenceDesk:
    """The desk that answers the calls of one submission's run, as a context manager.

    Parameters
    ----------
    carried : Carried
        The helpers that may be called, and the solution's cells.
    address : str
        The fork server that forks the process with the references; "" to start a new process.

    Attributes
    ----------
    called : dict of str to list of str
        Exercise -> the helpers that it has called and that have answered.
    """

    def __init__(self, carried: Carried, address: str = "") -> None:
        self.carried = carried
        self._address = address
        self.called: dict[str, list[str]] = {}
        self._calls: Counter[str] = Counter()
        self._characters: Counter[str] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._link: Link | None = None
        self._ready = self._ended = False
        self._lock = threading.Lock()

    def __enter__(self) -> ReferenceDesk:
        """Return the desk."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process with the references."""
        self._end()

    def answer(self, exercise: str, text: str, fixed: Collection[str]) -> str:
        """Return the answer to a call as JSON: the reference's result, or why there is none.

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
        """Count a call; return the limit that it would exceed, or ""."""
        self._calls[exercise] += 1
        if self._calls[exercise] > CALLS:
            return f"one exercise may call its helpers {CALLS} times"
        if self._characters[exercise] + length > CHARACTERS:
            return f"one exercise may pass {CHARACTERS // 2**20} MiB to its helpers and back"
        if self._seconds[exercise] > SECONDS:
            return f"the helpers of one exercise may compute for {SECONDS:g} seconds"
        return ""

    def start(self) -> None:
        """Start the process with the references, unless it runs."""
        if self._link is not None or self._ended:
            return
        task = {
            "cells": self.carried.cells,
            "names": list(self.carried.kinds),
            "seconds": CALL_SECONDS,
        }
        try:
            self._link = Forked(self._address, task) if self._address else Started(task)
        except OSError:  # the fork server may end at any time
            self._end()

    def _wait(self) -> str:
        """Wait until the references are loaded."""
        self.start()
        if self._link is not None and not self._ready:
            self._ready = self._link.receive(_START_SECONDS * slowdown()) == READY
            if not self._ready:
                self._end()
        return ""

    def _ask(self, call: str) -> str:
        self._wait()
        if self._link is not None:
            with contextlib.suppress(OSError):
                self._link.send(call)
                if found := self._link.receive(_PATIENCE * slowdown()):
                    return found
        self._end()  # an answer that came too late would be taken for the next one's
        return f"0 {_refusal('the helper has not answered in time')}"

    def _end(self) -> None:
        self._ended = True
        if self._link is not None:
            self._link.close()
            self._link = None


def _refusal(reason: str) -> str:
    return json.dumps({"error": "RuntimeError", "message": reason})
