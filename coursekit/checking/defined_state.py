"""Defined state in which every case runs, whatever a notebook has set elsewhere.

A default dtype, gradients left off, warnings as errors or another folder decide about no answer:
`DefinedState` sets all of it to one value for a case, on a student's machine, in a release and while
grading, and back afterwards. What a library contains is put back with it (`monkeypatch_guard`).
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from coursekit.checking.monkeypatch_guard import Change, put_back, undo
from coursekit.checking.process_settings import current_folder
from coursekit.checking.torch_state import Modes, is_of_the_compiler, settings_of_torch

T = TypeVar("T")
_RECURSION_LIMIT = 3000
_FILTERS = [
    *(("ignore", None, kind, None, 0) for kind in (DeprecationWarning, PendingDeprecationWarning)),
    *(("ignore", None, kind, None, 0) for kind in (ImportWarning, ResourceWarning, FutureWarning)),
    ("default", None, Warning, None, 0),
]
#: What answers may cause; libraries make errors of rarer ones.
_WARNINGS = (Warning, UserWarning, RuntimeWarning)
_NUMPY_ERRORS = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_NUMPY_PRINTING = {
    "precision": 8,
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 75,
    "suppress": False,
    "nanstr": "nan",
    "infstr": "inf",
    "sign": "-",
    "formatter": None,
    "floatmode": "maxprec",
    "legacy": False,
}


class Setting(NamedTuple):
    """A process-wide setting that code can change.

    Attributes
    ----------
    words : str
        The clause that tells a student of another value, for `str.format`; "" if it never matters.
    read : callable
        Returns the value.
    write : callable
        Sets it.
    value : object
        What it is while a case runs.
    is_usual : callable
        Whether a value needs no word although it is another one.
    """

    words: str
    read: Callable[[], Any]
    write: Callable[[Any], object]
    value: Any
    is_usual: Callable[[Any], bool] = lambda value: False


_start: dict[str, Any] = {}
#: Held: a notebook may assign where it means to call.
_environ = os.environ
_set_time_zone = getattr(time, "tzset", None)  # of Unix
_read_limit, _write_limit = sys.getrecursionlimit, sys.setrecursionlimit


def begin() -> None:
    """Take the current folder, environment and time zone as those of every case."""
    _start.update(folder=current_folder(), environment=_environment(), zone=time.tzname)
    _cached.clear()


def _go_to(folder: str) -> None:
    """Change to a folder if it still exists."""
    with contextlib.suppress(OSError):
        os.chdir(folder)


def _environment() -> dict[Any, Any]:
    """Return the environment variables undecoded, as the system has them: decoding is slow."""
    return dict(_environ._data)  # type: ignore[attr-defined]  # of all versions of Python


def _set_environment(values: dict[Any, Any]) -> None:
    """Set the environment variables to these values, and the time zone with them."""
    decoded = {_environ.decodekey(k): _environ.decodevalue(v) for k, v in values.items()}
    zone = _environ.get("TZ")
    for name in _environ.keys() - decoded.keys():
        del _environ[name]
    for name, value in decoded.items():
        if _environ.get(name) != value:
            _environ[name] = value
    if _set_time_zone is not None and _environ.get("TZ") != zone:
        _set_time_zone()


def _set_filters(filters: list[Any]) -> None:
    """Set the filters of `warnings`."""
    warnings.resetwarnings()  # so that what was shown already is shown again
    warnings.filters[:] = filters  # type: ignore[index]  # a list, though typeshed promises less


def _settings_of_python() -> list[Setting]:
    """Return the settings of Python and its standard library."""
    found = [
        Setting(
            "the recursion limit is {}",
            _read_limit,
            _write_limit,
            _RECURSION_LIMIT,
            lambda value: 1000 <= value <= _RECURSION_LIMIT,
        ),
        Setting("the current folder is {}", current_folder, _go_to, _start["folder"]),
        Setting("", _environment, _set_environment, _start["environment"]),
        Setting(
            "warnings are errors",
            lambda: list(warnings.filters),
            _set_filters,
            _FILTERS,
            lambda filters: not any(one[0] == "error" and one[2] in _WARNINGS for one in filters),
        ),
    ]
    if (set_zone := _set_time_zone) is not None:  # after the environment, which has the zone's name
        found.append(Setting("", lambda: time.tzname, lambda _: set_zone(), _start["zone"]))
    if hasattr(sys, "set_int_max_str_digits"):  # since Python 3.10.7
        read, write = sys.get_int_max_str_digits, sys.set_int_max_str_digits
        found.append(Setting("the longest integer has {} digits", read, write, 4300))
    if decimal := sys.modules.get("decimal"):
        found.append(Setting("decimal numbers have another context", *_decimals(decimal)))
    return found


def _decimals(decimal: Any) -> tuple[Any, Any, Any]:
    """Return reader, writer and value of the context of `decimal`: precision, rounding, traps."""
    names = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")
    current = decimal.getcontext

    def of(context: Any) -> tuple[Any, ...]:
        return *(getattr(context, one) for one in names), dict(context.traps), dict(context.flags)

    def write(values: tuple[Any, ...]) -> None:
        context = current()
        for name, value in zip(names, values):
            setattr(context, name, value)
        context.traps, context.flags = dict(values[-2]), dict(values[-1])

    traps = [decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow]
    usual = decimal.Context(28, decimal.ROUND_HALF_EVEN, -999_999, 999_999, 1, 0, [], traps)
    return lambda: of(current()), write, of(usual)


def _settings_of_numpy(np: Any) -> list[Setting]:
    """Return the settings of NumPy."""
    usual = dict(_NUMPY_PRINTING)
    if "override_repr" in np.get_printoptions():  # since NumPy 2.1
        usual["override_repr"] = None

    def printing() -> dict[str, Any]:
        options = np.get_printoptions()
        return {name: options.get(name, False) for name in usual}

    def print_like(options: dict[str, Any]) -> None:
        np.set_printoptions(**options)

    return [
        Setting("NumPy's errors are set with np.seterr", np.geterr, _seterr(np), _NUMPY_ERRORS),
        Setting("NumPy's errors call a function", np.geterrcall, np.seterrcall, None),
        Setting("NumPy prints numbers in another way", printing, print_like, usual),
        Setting("NumPy's buffer has {} elements", np.getbufsize, np.setbufsize, 8192),
    ]


def _seterr(np: Any) -> Callable[[dict[str, str]], object]:
    """Return a function that sets NumPy's handling of floating-point errors."""
    return lambda errors: np.seterr(**errors)


_cached: dict[tuple[bool, ...], list[Setting]] = {}


def _settings() -> list[Setting]:
    """Return the settings of all libraries that are imported by now."""
    known = ("decimal", "numpy", "torch", "torch._dynamo.eval_frame")
    loaded = tuple(sys.modules.get(name) is not None for name in known)
    if loaded not in _cached:
        found = _settings_of_python()
        if loaded[1]:
            found += _settings_of_numpy(sys.modules["numpy"])
        if loaded[2]:
            found += [Setting(*one) for one in settings_of_torch(sys.modules["torch"])]
        _cached[loaded] = found
    return _cached[loaded]


class DefinedState:
    """Context manager for the defined state; at its end the earlier state is restored.

    What the code in the block sets does not outlive it either.
    """

    #: How many blocks are open, and whether no code of a student has run since the last definition.
    _open, _untouched = 0, False

    def __init__(self) -> None:
        self._libraries: list[Change] = []
        self._settings: list[Setting] = []
        self._before: list[Any] = []
        self._modes = Modes(True, False)

    def __enter__(self) -> DefinedState:
        """Put the libraries back and set every setting to its defined value."""
        if not (DefinedState._open and DefinedState._untouched):
            self._libraries = put_back()
        DefinedState._open += 1
        DefinedState._untouched = True
        try:
            self._settings = _settings()
            self._modes = Modes.of_now()
            self._modes.define()
            for setting in self._settings:
                self._before.append(setting.read())
            for setting, before in zip(self._settings, self._before):
                if before != setting.value:
                    setting.write(setting.value)
        except BaseException:  # the notebook has what it had, and the next check begins anew
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the libraries and settings that the notebook had before the block."""
        DefinedState._open -= 1
        if not (DefinedState._open and DefinedState._untouched):
            put_back()
            DefinedState._untouched = True
        self._leave()
        self._modes.leave()
        undo(self._libraries)
        DefinedState._untouched &= not self._libraries

    def _leave(self) -> None:
        """Restore the earlier values of all settings."""
        for setting, before in reversed(list(zip(self._settings, self._before))):
            if setting.read() != before:
                setting.write(before)

    def runs(self, call: Callable[[], T]) -> T:
        """Call a student's code, which may change anything, and return its result."""
        DefinedState._untouched = False
        return call()

    def define_again(self) -> None:
        """Undo every change that a call in the block made."""
        put_back(after_a_case=True)
        DefinedState._untouched = True
        self._modes.define()
        for setting in self._settings:
            if setting.read() != setting.value:
                setting.write(setting.value)

    def as_it_was(self, call: Callable[[], T]) -> T:
        """Make a call in the state before the block, and return its result."""
        self._leave()
        self._modes.resume()
        undo(self._libraries)
        try:
            return self.runs(call)
        finally:
            self.define_again()

    def differences(self) -> list[str]:
        """Describe how the state before the block differed, one clause per setting."""
        found = [
            setting.words.format(before)
            for setting, before in zip(self._settings, self._before)
            if setting.words and before != setting.value and not setting.is_usual(before)
        ]
        replaced = [
            f"{change.path} is replaced"
            for change in self._libraries
            if not is_of_the_compiler(change.now)
        ]
        return [*self._modes.differences(), *found, *replaced]


begin()
