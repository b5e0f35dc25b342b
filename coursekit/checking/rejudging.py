"""Code in the submission's kernel that judges an exercise again with right helpers.

Like `kernel_side` it runs in the student's kernel and is not trusted. It puts stand-ins in the place
of helpers (`right_helpers`) and asks the grader for each of their calls, by Jupyter's way of asking
for input. Whoever asks without them learns what a stand-in would: the grader decides what it answers.
"""

from __future__ import annotations

import functools
import itertools
import json
from types import CodeType, FunctionType
from typing import Any

from coursekit.checking.kernel_side import answer
from coursekit.checking.right_helpers import Grader, stand_in

#: Helper -> its stand-in.
stand_ins: dict[str, Any] = {}
#: Those in whose place the stand-in is.
_replaced: dict[str, _Replaced] = {}
_numbers = itertools.count()


class _Replaced:
    """A helper of the student that a stand-in replaces, under every name that refers to it.

    What refers to the student's function itself, such as a default argument or an attribute of a
    class, finds it, and it passes every call on to the stand-in.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        #: What the student has under each name that stands for the helper.
        self._names: dict[str, Any] = {}
        self._own: list[Any] = []
        self._before: dict[Any, tuple[CodeType, Any, Any]] = {}

    def put_in(self, scope: dict[str, Any]) -> None:
        """Put the stand-in in place of the student's current definition."""
        right = stand_ins[self._name]
        if (found := scope.get(self._name, right)) is not right:
            self._names[self._name] = found
            if _is_own(found) and not any(found is one for one in self._own):
                self._own.append(found)
        for other, value in list(scope.items()):
            if any(value is one for one in self._own):
                self._names[other] = value
                scope[other] = right
        scope[self._name] = right
        for own in self._own:
            if isinstance(own, FunctionType) and own not in self._before:
                self._pass_on(own)
            elif isinstance(own, type) and "__new__" not in vars(own):
                own.__new__ = _makes(own, right)  # type: ignore[method-assign]

    def take_out(self, scope: dict[str, Any]) -> None:
        """Restore the student's definitions."""
        for name in {self._name, *self._names}:
            if scope.get(name) is stand_ins[self._name]:
                del scope[name]
                if name in self._names:
                    scope[name] = self._names[name]
        for own, parts in self._before.items():
            own.__code__, own.__defaults__, own.__kwdefaults__ = parts
        self._before.clear()
        for own in self._own:
            if isinstance(own, type) and hasattr(vars(own).get("__new__"), "coursekit_stand_in"):
                del own.__new__

    def _pass_on(self, own: FunctionType) -> None:
        """Make the student's function pass every call on to the stand-in."""
        text = (
            "def passed_on(*args, **kwargs):\n"
            f"    from {__name__} import stand_ins\n"
            f"    return stand_ins[{self._name!r}](*args, **kwargs)"
        )
        names: dict[str, Any] = {}
        exec(text, names)
        free = own.__code__.co_freevars
        code = names["passed_on"].__code__.replace(co_freevars=free)
        self._before[own] = own.__code__, own.__defaults__, own.__kwdefaults__
        own.__code__, own.__defaults__, own.__kwdefaults__ = code, None, None


def _is_own(thing: Any) -> bool:
    """Tell whether the student defined it: an object of a library may be used for itself."""
    of_notebook = getattr(thing, "__module__", None) == "__main__"
    return callable(thing) and (of_notebook or isinstance(thing, functools.partial))


def _makes(own: Any, right: Any) -> Any:
    """Return a `__new__` for the student's class that creates an object of the stand-in."""

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return right(*args, **kwargs) if cls is own else own.__mro__[1].__new__(cls)

    new.__dict__["coursekit_stand_in"] = True
    return staticmethod(new)


def begin(kinds: str) -> None:
    """Create the stand-ins; put those in use in place again after every cell.

    Parameters
    ----------
    kinds : str
        JSON: helper -> how it is called, see `right_helpers.stand_in`.
    """
    from IPython import get_ipython

    shell = get_ipython()
    grader = Grader(functools.partial(_ask, shell.kernel))
    for name, kind in json.loads(kinds).items():
        stand_ins[name] = stand_in(name, kind, grader)
    shell.events.register("post_run_cell", lambda _: _put_in(shell.user_ns))


def _ask(kernel: Any, call: str) -> str:
    """Ask the grader for the answer to a call."""
    while True:
        number = str(next(_numbers))
        found, _, answer = str(kernel.raw_input(f"{number} {call}")).partition(" ")
        if found == number:  # else it is late, the answer to a call that was given up
            return answer


def replace(names: str) -> None:
    """Replace these helpers from now on, wherever a cell defines or uses them.

    Parameters
    ----------
    names : str
        JSON: their names.
    """
    for name in json.loads(names):
        _replaced.setdefault(name, _Replaced(name))


def _put_in(scope: dict[str, Any]) -> None:
    """Put all stand-ins in use in place."""
    for one in _replaced.values():
        one.put_in(scope)


def answer_again(name: str, helpers: str) -> None:
    """Answer as `kernel_side.answer` does, with right helpers.

    Parameters
    ----------
    name : str
        The exercise.
    helpers : str
        JSON: the names of the helpers that are right for it; any other is the student's.
    """
    from IPython import get_ipython

    scope = get_ipython().user_ns
    _put_in(scope)
    for other in _replaced.keys() - set(json.loads(helpers)):
        _replaced[other].take_out(scope)
    answer(name)
