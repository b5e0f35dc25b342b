"""The submission's side of judging an exercise again with right helpers.

Like `kernel_side` it runs in the student's kernel and is not trusted. It puts stand-ins in the place
of helpers (`right_helpers`) and asks the grader for each of their calls, by Jupyter's way of asking
for input. Whoever asks without them learns what a stand-in would: the grader decides what it answers.
"""

from __future__ import annotations

import itertools
import json
from functools import partial
from typing import Any

from coursekit.checking.kernel_side import answer
from coursekit.checking.right_helpers import stand_in

#: Helper -> its stand-in.
_stand_ins: dict[str, Any] = {}
#: Those in whose place the stand-in is, and what the student has there; absent if nothing.
_replaced: set[str] = set()
_own: dict[str, Any] = {}
_numbers = itertools.count()


def begin(kinds: str) -> None:
    """Make the stand-ins, and keep those that are put in there after every cell.

    Parameters
    ----------
    kinds : str
        JSON: helper -> how it is called, see `right_helpers.stand_in`.
    """
    from IPython import get_ipython

    shell = get_ipython()
    for name, kind in json.loads(kinds).items():
        _stand_ins[name] = stand_in(name, kind, partial(_ask, shell.kernel))
    shell.events.register("post_run_cell", lambda _: _put_in(shell.user_ns))


def _ask(kernel: Any, call: str) -> str:
    """Ask the grader for the answer to a call."""
    while True:
        number = str(next(_numbers))
        found, _, answer = str(kernel.raw_input(f"{number} {call}")).partition(" ")
        if found == number:  # else it is late, the answer to a call that was given up
            return answer


def replace(names: str) -> None:
    """From now on, these helpers are replaced wherever a cell defines or uses them.

    Parameters
    ----------
    names : str
        JSON: their names.
    """
    _replaced.update(json.loads(names))


def _put_in(scope: dict[str, Any]) -> None:
    for name in _replaced:
        if scope.get(name) is not _stand_ins[name]:
            if name in scope:
                _own[name] = scope[name]
            scope[name] = _stand_ins[name]


def answer_again(name: str, request: str, helpers: str) -> None:
    """What `kernel_side.answer` does, with right helpers.

    Parameters
    ----------
    name : str
        The exercise.
    request : str
        JSON: its cases.
    helpers : str
        JSON: the names of the helpers that are right for it; any other is the student's.
    """
    from IPython import get_ipython

    scope = get_ipython().user_ns
    right = set(json.loads(helpers))
    _put_in(scope)
    for other in _replaced - right:
        scope.pop(other)
        if other in _own:
            scope[other] = _own[other]
    answer(name, request)
