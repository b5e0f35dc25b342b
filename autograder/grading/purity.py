"""A check that calls of a cell's functions leave no trace that another call could read."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable

from autograder.grading.global_names import (
    COMPREHENSIONS,
    FUNCTIONS,
    Known,
    Unsure,
    bindings,
    in_scope,
    is_constant,
)
from autograder.grading.pure_functions import BUILTINS, DYNAMIC, OF_SYS, is_stateless

_DECORATORS = {"staticmethod", "property"}
#: Special attributes that give no access to other objects.
_SPECIAL = {"__init__", "__call__", "__len__", "__getitem__", "__name__", "__doc__", "__version__"}
_FRAMES = {"f_globals", "f_locals", "f_builtins", "f_back", "gi_frame", "tb_frame", "cr_frame"}
#: Attributes that may be assigned on layers and tensors.
_OF_TENSORS = {"data", "grad", "weight", "bias", "requires_grad"}


class Traces:
    """A check that refuses functions and classes whose calls could leave a trace for others."""

    def __init__(self, known: Known) -> None:
        self.known = known

    def check(self, tree: ast.Module) -> None:
        """Check a cell; refuse little of its top level, which runs the same way both times."""
        for statement in tree.body:
            self._outside(statement)

    def _outside(self, node: ast.AST) -> None:
        if isinstance(node, FUNCTIONS):
            self._function(node, frozenset(), method=False)
            return
        if isinstance(node, ast.ClassDef):
            self._class(node)
            return
        if isinstance(node, ast.Attribute):
            self._require_plain(node.attr)
            if not isinstance(node.ctx, ast.Load):
                raise Unsure(f"something is assigned to {node.attr}")
            for path in self.known.paths(node):
                if path.startswith("sys.") and ".".join(path.split(".")[:2]) not in OF_SYS:
                    raise Unsure(f"{path} is used")
        if isinstance(node, ast.Name) and node.id in DYNAMIC:
            raise Unsure(f"{node.id} is used")
        if isinstance(node, ast.Call) and (name := _line_magic(node)):
            if name not in ("pip", "conda", "matplotlib", "config"):
                raise Unsure(f"%{name} is used")
            return
        for child in ast.iter_child_nodes(node):
            self._outside(child)

    def _class(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            own = isinstance(base, ast.Name) and self.known.kinds(base.id) <= {"own"}
            if not own and not any(map(is_stateless, self.known.paths(base))):
                raise Unsure(f"the base class of {node.name}")
        decorated = [
            d for d in node.decorator_list if self.known.paths(d) != {"dataclasses.dataclass"}
        ]
        if decorated or node.keywords:
            raise Unsure(f"the class {node.name} is decorated")
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                self._function(statement, frozenset(), method=True)
            elif not (
                (
                    isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign))
                    and is_constant(statement.value)
                )
                or isinstance(statement, ast.Pass)
            ):
                raise Unsure(f"{node.name} has attributes that its objects share")

    def _function(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        outer: frozenset[str],
        method: bool,
    ) -> None:
        if isinstance(node, ast.AsyncFunctionDef):
            raise Unsure("a function is asynchronous")
        bare = isinstance(node, ast.FunctionDef) and not node.decorator_list
        for decorator in getattr(node, "decorator_list", []):
            self._decorator(decorator)
        given = node.args
        for default in (*given.defaults, *given.kw_defaults):
            if not is_constant(default):
                if not isinstance(default, (ast.Name, ast.Attribute)):
                    raise Unsure("a default value can change")
                self._inside(default, outer, "")
        arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        names = {argument.arg for argument in arguments if argument is not None}
        body = node.body if isinstance(node.body, list) else [node.body]
        stored = {name for part in body for n in in_scope(part) for name in bindings(n)}
        first = [*given.posonlyargs, *given.args][:1]
        me = first[0].arg if method and bare and first and first[0].arg not in stored else ""
        if getattr(node, "name", "") in ("__new__", "__init_subclass__", "__class_getitem__"):
            me = ""
        for part in body:
            self._inside(part, outer | names | stored, me)

    def _decorator(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name) and node.id in _DECORATORS and not self.known.kinds(node.id):
            return
        called = node.func if isinstance(node, ast.Call) else node
        if not self.known.paths(called) & {"torch.no_grad", "torch.inference_mode"}:
            raise Unsure("a function is decorated")

    def _inside(self, node: ast.AST, local: frozenset[str], me: str) -> None:
        """Check a function's body; `me` is the name of the object whose method it is, or ""."""
        if isinstance(node, FUNCTIONS):
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                raise Unsure("an inner function is decorated")
            self._function(node, local, method=False)
            return
        if isinstance(node, COMPREHENSIONS):
            targets = {n for g in node.generators for t in ast.walk(g.target) for n in bindings(t)}
            local = local | targets
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.ClassDef, ast.Await)):
            raise Unsure(f"a function has {type(node).__name__.lower()}")
        if isinstance(node, ast.With) and any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(node)
        ):
            raise Unsure("a generator holds a context")
        if isinstance(node, ast.Attribute):
            self._attribute(node, local, me)
            return
        if isinstance(node, ast.Name):
            self._name(node, local)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            rest: Iterable[ast.AST] = ast.iter_child_nodes(node)
            if node.func.id == "getattr":
                rest = self._parts_of_getattr(node, local)
        elif isinstance(node, ast.withitem):
            rest = self._parts_of_context(node, local)
        elif isinstance(node, (ast.AnnAssign, ast.arg)):  # annotations inside are not evaluated
            rest = [n for n in (getattr(node, "target", None), getattr(node, "value", None)) if n]
        else:
            rest = ast.iter_child_nodes(node)
        for child in rest:
            self._inside(child, local, me)

    def _parts_of_context(self, node: ast.withitem, local: Collection[str]) -> Iterable[ast.AST]:
        """Return what is left to check of a context; one that switches gradients is safe."""
        given = node.context_expr
        if not isinstance(given, ast.Call):
            return ast.iter_child_nodes(node)
        if self.known.paths(given.func, local) != {"torch.set_grad_enabled"}:
            return ast.iter_child_nodes(node)
        return [*given.args, *given.keywords]

    def _parts_of_getattr(self, node: ast.Call, local: Collection[str]) -> list[ast.expr]:
        """Return what is left to check of a `getattr` that could be written with a dot."""
        if node.keywords or len(node.args) < 2:
            raise Unsure("getattr is used")
        of, name, *rest = node.args
        if self.known.paths(of, local) == {"torch.nn"}:  # one of its layers
            return [name, *rest]
        first = name.values[0] if isinstance(name, ast.JoinedStr) and name.values else name
        if not isinstance(first, ast.Constant) or self.known.paths(of, local):
            raise Unsure("getattr is used")
        self._require_plain(str(first.value))
        return [of, name, *rest]

    def _attribute(self, node: ast.Attribute, local: frozenset[str], me: str) -> None:
        self._require_plain(node.attr)
        paths = self.known.paths(node, local)
        if not isinstance(node.ctx, ast.Load):
            mine = isinstance(node.value, ast.Name) and node.value.id == me
            of_tensor = node.attr in _OF_TENSORS and not isinstance(node.value, ast.Call)
            if paths or not (mine or of_tensor):
                raise Unsure(f"something is assigned to {node.attr}")
        if paths:
            if unknown := [path for path in paths if not is_stateless(path)]:
                raise Unsure(f"{unknown[0]} is used")
            return
        of = node.value
        if isinstance(of, ast.Name) and of.id not in local and "own" in self.known.kinds(of.id):
            raise Unsure(f"an attribute of {of.id} is used")
        self._inside(node.value, local, me)

    def _name(self, node: ast.Name, local: frozenset[str]) -> None:
        kinds = self.known.kinds(node.id)
        if node.id in local or isinstance(node.ctx, ast.Store):
            return
        if not kinds:
            if (hasattr(builtins, node.id) and node.id not in BUILTINS) or node.id in DYNAMIC:
                raise Unsure(f"{node.id} is used")
            return
        if "other" in kinds:
            raise Unsure(f"the global {node.id} is read")
        for path in self.known.imported.get(node.id, ()):
            if not is_stateless(path):
                raise Unsure(f"{path} is used")

    def _require_plain(self, name: str) -> None:
        if (name.startswith("__") and name not in _SPECIAL) or name in _FRAMES:
            raise Unsure(f"{name} is used")


def _line_magic(node: ast.Call) -> str:
    """Return the name of the magic that a call runs, "pip" for shell commands, "" for no magic."""
    func = node.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
        return ""
    if not isinstance(func.value.func, ast.Name) or func.value.func.id != "get_ipython":
        return ""
    if func.attr in ("system", "getoutput"):
        return "pip"
    first = node.args[0] if node.args else None
    name = first.value if isinstance(first, ast.Constant) else ""
    return str(name) if func.attr == "run_line_magic" and name else "?"
