"""What an author writes beside a solution notebook: cases, misconceptions and alternatives.

A module in `autograder/exercises/` makes one `Exercise` per function or class that students
write. Its reference is the solution notebook's; nobody types it here a second time.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.errors import CourseError
from coursekit.checking import codec


@dataclass
class Case:
    """One input on which reference and student are compared.

    Parameters
    ----------
    group : the group that carries the points.
    args, kwargs : the inputs: plain values, arrays, tensors, or `codec.Source` for a function.
    title : a few words that say what is special about this input, shown when it fails.
    state : for a class: attributes and parameters to set after the object is made, by path.
    then : for a class or a function that returns functions: the calls on the result, each
        ``(method, *args)`` with ``"__call__"`` for the object itself and ``".name"`` to read an
        attribute. The outputs are compared together, a single one as it is.
    gradient : the name of an input, a float tensor. What is compared is then not the result but
        the gradient of this input, where the sum 1 * y[0] + 2 * y[1] + ... over all floats y in
        the result is differentiated. NaN that hides on the way back shows up here.
    judge : how to compare, see `coursekit.checking.compare`: ``kind``, ``rtol``, ``atol``, ``dtype``,
        ``order``, ``properties`` and what else the kind needs. ``raises`` names the exception
        that this input should raise; ``may_change_inputs`` and ``keeps_generators`` say what the
        call may do to its inputs and must not do to the shared random generators.
    """

    group: str
    args: tuple[Any, ...] | list[Any] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    then: list[tuple[Any, ...]] = field(default_factory=list)
    gradient: str = ""
    judge: dict[str, Any] = field(default_factory=dict)

    def to_plain(self, seed: int, names: list[str]) -> dict[str, Any]:
        """The case as plain data; `seed` seeds the random generators for its call."""
        data: dict[str, Any] = {
            "group": self.group,
            "args": [codec.encode(a) for a in self.args],
            "names": names[: len(self.args)],
            "seed": seed,
        }
        if self.kwargs:
            data["kwargs"] = {k: codec.encode(v) for k, v in self.kwargs.items()}
        if self.state:
            data["state"] = {k: codec.encode(v) for k, v in self.state.items()}
        if self.then:
            data["then"] = [
                [step[0], [codec.encode(a) for a in step[1:]], {}] for step in self.then
            ]
        if self.gradient:
            if self.gradient not in (*data["names"], *self.kwargs):
                raise CourseError(
                    f"a case asks for the gradient of {self.gradient!r}, but no input has that name."
                )
            data["gradient"] = self.gradient
        if self.title:
            data["title"] = self.title
        if self.judge:
            data["judge"] = self.judge
        return data


@dataclass(frozen=True)
class Misconception:
    """A plausible wrong implementation, its name, and the hint that a student is shown."""

    name: str
    hint: str
    implementation: Callable[..., Any]


@dataclass
class Exercise:
    """One function or class that students write.

    Parameters
    ----------
    name : its name in the notebook, unique in the course.
    points : points per group of cases; the check cell carries their sum.
    cases : a generator of cases from a seeded random generator. Grading draws fresh ones with
        another seed, so let numbers and sizes depend on it.
    """

    name: str
    points: dict[str, float]
    cases: Callable[[np.random.Generator], Iterable[Case]]
    misconceptions: list[Misconception] = field(default_factory=list)
    alternatives: list[Callable[..., Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        numbers = isinstance(self.points, dict) and all(
            isinstance(p, (int, float)) and p > 0 for p in self.points.values()
        )
        if not numbers or not self.points:
            raise CourseError(
                f'{self.name}: points must give each group a number above 0, as in {{"values": 2}}.'
            )

    def misconception(self, hint: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator: registers a wrong implementation under the function's own name."""
        if not isinstance(hint, str) or not hint.strip():
            raise CourseError(
                f'{self.name}: a misconception needs a hint: @{self.name}.misconception("...").'
            )

        def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
            name = implementation.__name__
            if name in [other.name for other in self.misconceptions]:
                raise CourseError(f"{self.name} has two misconceptions called {name}; rename one.")
            self.misconceptions.append(Misconception(name, hint, implementation))
            return implementation

        return register

    def alternative(self, implementation: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: registers a correct implementation in another style, which must pass."""
        self.alternatives.append(implementation)
        return implementation


def source_of(implementation: Callable[..., Any], name: str) -> str:
    """The implementation's text under another name, with its module's imports before it.

    What a student would have typed: used to judge misconceptions and alternatives in the same
    way as submissions.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(implementation)))
    definition = tree.body[0]
    assert isinstance(definition, (ast.FunctionDef, ast.ClassDef))
    definition.name, definition.decorator_list = name, []
    module = inspect.getsource(inspect.getmodule(implementation))
    return ast.unparse(ast.Module([*_students_imports(module), definition], []))


@functools.lru_cache(maxsize=16)
def _students_imports(source: str) -> tuple[ast.stmt, ...]:
    return tuple(node for node in ast.parse(source).body if _is_students_import(node))


def _is_students_import(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module != "__future__" and not (node.module or "").startswith("autograder")
    return isinstance(node, ast.Import)
