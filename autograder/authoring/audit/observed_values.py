"""The values that a reference's expressions take while it runs the recorded cases."""

from __future__ import annotations

import ast
import contextlib
import copy
import sys
from typing import Any

from autograder.authoring.audit.one_place_edits import FUNCTIONS, Key, Reference, Seen, key
from autograder.course.reference import Solution
from coursekit.checking.recording_format import Case
from coursekit.checking.run_cases import run_cases

_OBSERVED = (
    *(ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare),
    *(ast.BoolOp, ast.IfExp, ast.Tuple, ast.List, ast.ListComp, ast.Dict, ast.DictComp),
)
_SCALARS = (bool, int, float, str, type(None))
#: Only this many values of an expression are kept.
_KEPT = 500


def observe(solution: Solution, name: str, source: str, cases: list[Case]) -> dict[Key, Seen]:
    """Record what each expression of the reference evaluates to on the cases.

    It runs twice: as it is, and with every float tensor that a function is given requiring a
    gradient, to see which values a gradient reaches.
    """
    seen: dict[Key, Seen] = {}
    for with_gradients in (False, True):
        observer = _Observer(seen, with_gradients)
        scope = {**solution.definitions, "__seen__": observer.value, "__given__": observer.given}
        scope["__result__"] = observer.result
        exec(compile(_instrumented(source, observer.keys), "<observed>", "exec"), scope)
        for case in cases:
            run_cases(scope[name], [case])
            observer.differentiate()
    return seen


class _Observer:
    """Called by the instrumented reference with every value."""

    def __init__(self, seen: dict[Key, Seen], with_gradients: bool) -> None:
        self.seen, self.with_gradients = seen, with_gradients
        self.keys: list[Key] = []
        self.results: list[Any] = []

    def given(self, value: Any) -> Any:
        """Return an input of a function; a float tensor requires a gradient from here on."""
        torch = sys.modules.get("torch")
        if (
            self.with_gradients
            and torch is not None
            and isinstance(value, torch.Tensor)
            and value.is_floating_point()
            and not value.requires_grad
        ):
            return value.clone().requires_grad_().clone()
        return value

    def value(self, index: int, value: Any) -> Any:
        torch = sys.modules.get("torch")
        is_tensor = torch is not None and isinstance(value, torch.Tensor)
        found = self.seen.setdefault(self.keys[index], Seen())
        if self.with_gradients:
            if torch is not None and is_tensor and value.requires_grad:
                if not isinstance(value, torch.nn.Parameter):
                    value = value.view_as(value)  # each use has its own gradient
                value.register_hook(lambda gradient: setattr(found, "differentiable", True))
            return value
        found.kinds.add(type(value).__name__)
        if is_tensor:
            found.dtypes.add(str(value.dtype).removeprefix("torch."))
            found.ndims.add(value.ndim)
            found.shapes.add(tuple(value.shape))
        elif type(value) in _SCALARS and len(found.scalars) < _KEPT:
            found.scalars.append(value)
        return value

    def result(self, value: Any) -> Any:
        """Note and return what a function returns."""
        torch = sys.modules.get("torch")
        for part in value if isinstance(value, tuple) else [value]:
            if torch is not None and isinstance(part, torch.Tensor) and part.requires_grad:
                self.results.append(part.sum())
        return value

    def differentiate(self) -> None:
        """Propagate gradients back from all results, and forget them."""
        results, self.results = self.results, []
        if results:
            with contextlib.suppress(RuntimeError):  # a value changed in place
                sum(results).backward()


def _instrumented(source: str, keys: list[Key]) -> ast.Module:
    """Return the reference with each expression wrapped in a call; `keys` gets their places."""
    reference = Reference(source)
    wanted = {
        key(node)
        for node in reference.nodes()
        if isinstance(node, _OBSERVED)
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and not _is_part_of_call(reference, node)
    }
    tree: ast.Module = _Wrapper(wanted, keys).visit(copy.deepcopy(reference.tree))
    return ast.fix_missing_locations(tree)


def _is_part_of_call(reference: Reference, node: ast.AST) -> bool:
    """Tell whether it is what is called, or ``super()``, which must be called in the method itself."""
    parent = reference.parent(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    return called or (isinstance(node, ast.Call) and reference.text(node) == "super()")


class _Wrapper(ast.NodeTransformer):
    def __init__(self, wanted: set[Key], keys: list[Key]) -> None:
        self.wanted, self.keys = wanted, keys

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        place = key(node) if isinstance(node, _OBSERVED) else None
        annotation = getattr(node, "returns", None)
        if isinstance(node, FUNCTIONS):
            node.returns = None
        node = super().generic_visit(node)
        if isinstance(node, FUNCTIONS):
            node.returns = annotation
            arguments = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            given = [f"{a} = __given__({a})" for a in arguments if a != "self"]
            node.body = [*ast.parse("\n".join(given)).body, *node.body]
        if isinstance(node, ast.Return) and node.value is not None:
            node.value = ast.Call(ast.Name("__result__", ast.Load()), [node.value], [])
        if place in self.wanted and isinstance(node, _OBSERVED):
            self.keys.append(place)
            number = ast.Constant(len(self.keys) - 1)
            return ast.Call(ast.Name("__seen__", ast.Load()), [number, node], [])
        return node
