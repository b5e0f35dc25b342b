"""Restoring of library functions and classes that a student's code has replaced.

Whoever types ``random.seed = 42`` in place of ``random.seed(42)``, or replaces ``Tensor.__repr__``,
changes a module that everybody shares: `check`, torch itself, and every later answer. What the
modules below contain is therefore held when they are first imported, and put back while a check
runs. A notebook's first cell imports this module, before any code of a student; a watcher holds
NumPy and torch when their import ends. Nothing heavy is imported here.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from itertools import chain
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple

#: What differs from a fresh copy of these is taken from there: code may have run before this module
#: was imported.
_RENEWED = ("json", "math", "random", "time")
_STANDARD = (
    *("base64", "codecs", "collections", "contextlib", "copy", "functools", "io", "itertools"),
    *("json.decoder", "json.encoder", "operator", "os", "os.path", "re", "signal"),
    *("string", "threading", "traceback", "warnings"),
)
#: Held when their import ends; what a package imports itself, when that of the package does.
_LIBRARIES = {
    "statistics": ("statistics",),
    "matplotlib": ("matplotlib", "matplotlib.pyplot"),
    "numpy": ("numpy", "numpy.linalg", "numpy.random"),
    "torch": (
        *("torch", "torch.autograd", "torch.linalg", "torch.nn", "torch.nn.functional"),
        *("torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn", "torch.optim", "torch.random"),
        *("torch.special", "torch.utils.data"),
    ),
}
#: Where functions of a library are besides: what is no function before its import is watched.
_HOMES = {
    "numpy.random": ("numpy.random.mtrand",),
    "torch": ("torch._C", "torch._C._VariableFunctions", "torch.random", "torch.functional"),
}
#: Classes of these packages are held with their methods.
_WITH_CLASSES = ("collections", "json", "random", "torch")
#: Names of `builtins` that a kernel sets itself.
_SET_BY_KERNELS = {"_", "input", "display", "get_ipython", "exit", "quit", "__import__"}
#: In classes: what Python sets itself.
_SET_BY_PYTHON = {
    *("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__abstractmethods__"),
    *("_abc_impl", "__parameters__", "__orig_bases__", "__annotate_func__", "__annotate__"),
    *("__annotations_cache__", "__static_attributes__", "__firstlineno__"),
}
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)
#: Equal ones do the same.
_INTERCHANGEABLE = (
    *_FUNCTIONS,
    *(type, ModuleType, property, staticmethod, classmethod, str, bytes, int, float, type(None)),
    *(WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType),
)
_MISSING: Any = object()


class Change(NamedTuple):
    """A name of a library that was bound to another object.

    Attributes
    ----------
    owner : module or type
        Where the name is.
    name : str
        The name.
    original : object
        What it stood for.
    now : object
        What it stands for.
    """

    owner: Any
    name: str
    original: Any
    now: Any

    @property
    def path(self) -> str:
        """The dotted name, such as ``"random.seed"``."""
        owner = self.owner
        if isinstance(owner, ModuleType):
            return f"{owner.__name__}.{self.name}"
        return f"{owner.__module__}.{owner.__qualname__}.{self.name}"


class _Held:
    """The original contents of a module or class."""

    def __init__(self, owner: Any, originals: dict[str, Any]) -> None:
        self._owner, self.originals = owner, originals
        self._names = set(vars(owner))

    def changes(self) -> list[Change]:
        """Return the names that are bound to other objects by now."""
        space = vars(self._owner)
        found = [
            Change(self._owner, name, original, space.get(name, _MISSING))
            for name, original in self.originals.items()
            if space.get(name, _MISSING) is not original
        ]
        if isinstance(self._owner, type):  # a new method may hide an inherited one
            for name in space.keys() - self._names - _SET_BY_PYTHON:
                if any(name in vars(base) for base in self._owner.__mro__[1:]):
                    found.append(Change(self._owner, name, _MISSING, space[name]))
        return found


class _Group:
    """Modules and classes that are compared together, which is faster than one by one."""

    def __init__(self) -> None:
        self._held: dict[Any, _Held] = {}
        self._views: list[Any] = []
        #: All values when nothing was found changed for the last time.
        self._seen: list[Any] = []
        #: Where among them those are that a case sets itself.
        self._free: list[int] = []
        #: And those of which another one can be equal, such as the dictionary `os.environ`.
        self._comparable: list[int] = []

    def add(self, owner: Any, originals: dict[str, Any]) -> None:
        """Hold the contents of a module or class."""
        self._held[owner] = _Held(owner, originals)
        self._views = [vars(owner).values() for owner in self._held]
        self._seen = []

    def add_name(self, owner: Any, name: str, value: Any) -> None:
        """Hold another name of a module or class."""
        self._held[owner].originals[name] = value
        self._seen = []

    def has(self, owner: Any) -> bool:
        """Tell whether a module or class is held."""
        return owner in self._held

    def changes(self) -> list[Change]:
        """Return the changes in all modules and classes of the group."""
        now = [*chain.from_iterable(self._views)]
        if len(now) == len(self._seen):
            for i in self._free:
                now[i] = self._seen[i]
            if _is_equal(now, self._seen):
                others = (now[i] is not self._seen[i] for i in self._comparable)
                if not any(others):
                    return []
        found = [change for held in self._held.values() for change in held.changes()]
        if not found:
            self._seen = list(chain.from_iterable(self._views))
            names = (
                (getattr(owner, "__name__", ""), name)
                for owner in self._held
                for name in vars(owner)
            )
            self._free = [i for i, (of, name) in enumerate(names) if name in _NOT_HELD.get(of, ())]
            self._comparable = [
                i for i, value in enumerate(self._seen) if not isinstance(value, _INTERCHANGEABLE)
            ]
        return found


def _is_equal(now: list[Any], seen: list[Any]) -> bool:
    """Tell whether two lists have the same objects, or equal ones, at each position.

    Comparing lists looks at identity first, so it is as fast as it can be where nothing has changed.
    """
    try:
        return now == seen
    except Exception:  # objects that cannot be compared are others
        return False


#: A module that changes in every case (`torch.compile`), the other modules with the classes that every
#: case uses, and what few cases use: Matplotlib, and the many other classes.
_large, _others, _seldom = _Group(), _Group(), _Group()
_LARGE = ("torch",)
_USED_BY_CASES = ("Tensor", "Module", "Parameter", "Random", "JSONEncoder", "JSONDecoder")
#: What a case sets itself, and what `time.tzset` does.
_NOT_HELD = {
    "torch": {"compile"},
    "time": {"altzone", "daylight", "timezone", "tzname"},
    "warnings": {"filters", "showwarning"},
}
#: The libraries whose import has ended.
_complete: set[str] = set()
#: Of `sys`, most of which changes all the time.
_of_sys = {name: getattr(sys, name) for name in ("getrecursionlimit", "setrecursionlimit")}
_space = vars(builtins)
_builtins = {
    name: value
    for name, value in _space.items()
    if name not in _SET_BY_KERNELS and (name == "__build_class__" or not name.startswith("__"))
}


def put_back(after_a_case: bool = False) -> list[Change]:
    """Restore every changed name, and return the changes.

    Parameters
    ----------
    after_a_case : bool
        Do without the many classes that few cases use: looking at them takes longer than a case.
    """
    # no name of `builtins` is read before they are back, since any of them may have changed
    theirs = {**_space}
    _space.update(_builtins)
    changes = [
        Change(builtins, name, value, theirs.get(name, _MISSING))
        for name, value in _builtins.items()
        if theirs.get(name, _MISSING) is not value
    ]
    classes = () if after_a_case else _seldom.changes()
    now = vars(sys)
    of_sys = [
        Change(sys, name, value, now.get(name, _MISSING))
        for name, value in _of_sys.items()
        if now.get(name) is not value
    ]
    for change in (*of_sys, *_large.changes(), *_others.changes(), *classes):
        _put(change.owner, change.name, change.original)
        changes.append(change)
    return changes


def undo(changes: list[Change]) -> None:
    """Make the changes again; those of `builtins` last, since this function needs them."""
    own = [change for change in changes if change.owner is builtins]
    for change in changes:
        if change.owner is not builtins:
            _put(change.owner, change.name, change.now)
    deleted = [change.name for change in own if change.now is _MISSING]
    theirs = {change.name: change.now for change in own if change.now is not _MISSING}
    for name in deleted:
        del _space[name]
    _space.update(theirs)


def _put(owner: Any, name: str, value: Any) -> None:
    """Set an attribute, or delete it if it was missing."""
    if value is not _MISSING:
        setattr(owner, name, value)
    elif name in vars(owner):
        delattr(owner, name)


def _hold_module(name: str) -> None:
    """Hold a module's public names and, for some packages, the contents of its classes."""
    module = sys.modules.get(name)
    if module is None:
        return
    free = _NOT_HELD.get(name, ())
    originals = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_") and key not in free
    }
    if name in _RENEWED:
        originals |= {k: v for k, v in _renewed(module).items() if k not in free}
    for home in _HOMES.get(name, ()):
        originals |= _at_home(originals, home)
    package, _, inner = name.rpartition(".")
    in_cases = "matplotlib" not in (name, package)
    (_large if name in _LARGE else _others if in_cases else _seldom).add(module, originals)
    if package in _LIBRARIES and _others.has(sys.modules[package]):
        # NumPy imports its submodules when they are first asked for
        _others.add_name(sys.modules[package], inner, module)
    if name.partition(".")[0] not in _WITH_CLASSES:
        return
    for value in originals.values():
        if isinstance(value, type) and _is_of(value, name):
            group = _others if value.__name__ in _USED_BY_CASES else _seldom
            if not group.has(value):
                own = {key: one for key, one in vars(value).items() if key not in _SET_BY_PYTHON}
                group.add(value, own)


def _is_of(kind: type, module: str) -> bool:
    """Tell whether a class belongs to a package and is a mutable type."""
    heap_type = bool(kind.__flags__ & (1 << 9)) and not kind.__flags__ & (1 << 8)
    return heap_type and kind.__module__.partition(".")[0] == module.partition(".")[0]


def _renewed(module: ModuleType) -> dict[str, Any]:
    """Return the names of a fresh copy of a module that code has replaced in the module."""
    spec = importlib.util.find_spec(module.__name__)
    if spec is None or spec.loader is None:
        return {}
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return {
        name: _rebound(value, module)
        for name, value in vars(copy).items()
        if not name.startswith("_") and _is_replaced(vars(module).get(name, _MISSING), value)
    }


def _is_replaced(now: Any, fresh: Any) -> bool:
    """Tell whether a value differs from that in a fresh copy of its module."""
    if isinstance(fresh, _FUNCTIONS):
        known = ("__module__", "__qualname__")
        return any(getattr(now, key, None) != getattr(fresh, key) for key in known)
    return type(fresh) in (int, float, str) and repr(now) != repr(fresh)


def _at_home(names: dict[str, Any], home: str) -> dict[str, Any]:
    """Return functions from the module that defines them, for names that are not callable here."""
    package, _, inner = home.rpartition(".")
    found = sys.modules.get(home) or getattr(sys.modules.get(package), inner, None)
    return {
        name: vars(found)[name]
        for name, value in names.items()
        if not callable(value) and callable(getattr(found, name, None)) and name in vars(found)
    }


def _rebound(value: Any, module: ModuleType) -> Any:
    """Bind a method of the copy's random generator to the shared generator instead."""
    generator = getattr(value, "__self__", None)
    if getattr(type(generator), "__name__", "") == "Random":
        return getattr(vars(module)["_inst"], value.__name__)
    return value


class _Watcher(importlib.abc.MetaPathFinder):
    """Import hook that holds a library's modules when their import ends."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the usual spec, with a loader that holds the module after its import."""
        package = name.partition(".")[0]
        watched = name == package or package in _complete
        if not watched or name not in _LIBRARIES.get(package, ()) or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, name)
        return spec


class _Loader(importlib.abc.Loader):
    """Loader that wraps a library's own, and holds the module after its import."""

    def __init__(self, loader: importlib.abc.Loader, name: str) -> None:
        self._loader, self._name = loader, name

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped loader."""
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Create the module as the wrapped loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, then hold its contents."""
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        if self._name in _LIBRARIES:
            _hold_library(self._name)
        else:
            _hold_module(self._name)


def _hold_library(name: str) -> None:
    """Hold all watched modules of a library."""
    for part in _LIBRARIES[name]:
        _hold_module(part)
    _complete.add(name)


def _begin() -> None:
    """Hold the modules that are imported by now, and watch for later imports."""
    for name in _RENEWED:
        __import__(name)
    for name in (*_RENEWED, *_STANDARD):
        _hold_module(name)
    for name in _LIBRARIES:
        if name in sys.modules:
            _hold_library(name)
    sys.meta_path.insert(0, _Watcher())


_begin()
