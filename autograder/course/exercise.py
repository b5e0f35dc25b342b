"""An exercise as its author writes it: cases, wrong answers, other right answers.

They are in `exercises/NN_topic/EXERCISE.py`, a module with four names: `POINTS`,
`cases`, `WRONG` and `RIGHT`, and optionally `FURTHER`, `FURTHER_FOR`, `EQUIVALENT` and `FORBIDDEN`. The
reference is loaded from the solution notebook.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.course.apply_edit import EditError, apply_edit, is_edit
from autograder.errors import CourseError
from coursekit.checking import codec
from coursekit.checking.gradients import ALL
from coursekit.checking.recording_format import DrawnCase, Rules
from coursekit.forbidden import HELPERS

#: The hint of a misconception whose hint is still to be written; a release refuses it.
UNWRITTEN_HINT = "TODO: write the hint."
#: How a reason in `EQUIVALENT` begins that is still to be written; a release refuses it.
UNWRITTEN_REASON = "TODO: write why"
#: In `EQUIVALENT`: all edits of some operators of the audit.
_EVERY_EDIT = re.compile(r"every edit: ([a-z, ]+)")
_RAISES = re.compile(r"raises (\w+)")


@dataclass
class Case:
    """One input on which reference and student are compared.

    Parameters
    ----------
    group : str
        The group that carries the points.
    args, kwargs : sequence and dict
        The inputs: Python values, arrays, tensors, or `coursekit.checking.codec.Source` for a
        function.
    title : str
        A few words on what is special about this input, shown when the case fails.
    state : dict of str to value
        For a class: attributes and parameters to set after the object is made, by path.
    then : list of tuple
        For a class or a function that returns functions: the calls on the result, each
        ``(method, *args)`` with ``"__call__"`` for the object itself and ``".name"`` to read an
        attribute. Several outputs are compared as a tuple.
    gradient : str
        The name of an input, a float tensor. Instead of the result, the case compares the
        gradient of 1 * y[0] + 2 * y[1] + ..., over all floats y in the result, with respect to
        this input. This exposes a NaN that occurs only in the backward pass. With "all", the
        gradients of every float input and, for a class, of every parameter: this exposes detached
        values, and tensors and layers that the module does not register.
    judge : dict of str to value
        How to compare, see `coursekit.checking.comparison`: ``kind``, ``rtol``, ``atol``,
        ``dtype``, ``order``, ``properties`` and whatever else the kind needs. ``raises`` names the
        exception that this input should raise; a tensor of floats must have the expected dtype, other
        numbers one of the same family (``dtype``: "exact" or "family" changes that);
        ``may_change_inputs`` allows in-place changes of the
        inputs; ``keeps_generators`` forbids use of the global random generators.
    undefined : tuple of str
        The misconceptions whose output on this input depends on rounding alone and so
        differs between processors; nothing is recorded for them here.
    """

    group: str
    args: tuple[Any, ...] | list[Any] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    title: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    then: list[tuple[Any, ...]] = field(default_factory=list)
    gradient: str = ""
    judge: Rules = field(default_factory=Rules)
    undefined: tuple[str, ...] = ()

    def encode(self, seed: int, names: list[str]) -> DrawnCase:
        """Return the case as plain data; `seed` seeds the global random generators for its call."""
        data: DrawnCase = {
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
            if self.gradient not in (ALL, *data["names"], *self.kwargs):
                raise CourseError(
                    f"a case asks for the gradient of {self.gradient!r}, but no input has that name."
                )
            data["gradient"] = self.gradient
        if self.title:
            data["title"] = self.title
        if self.judge:
            data["judge"] = self.judge
        if self.undefined:
            data["undefined"] = list(self.undefined)
        return data


@dataclass(frozen=True)
class Answer:
    """An answer to an exercise other than the reference, as text.

    Attributes
    ----------
    text : str
        An edit of the reference, or a whole answer in Python.
    """

    exercise: str
    name: str
    text: str

    def source(self, reference: str) -> str:
        """Return the answer as a student would have typed it.

        Parameters
        ----------
        reference : str
            The text of the exercise's reference.

        Raises
        ------
        EditError
            The edit does not apply to the reference.
        """
        if not is_edit(self.text):
            return self.text
        try:
            return apply_edit(reference, self.text)
        except EditError as error:
            raise EditError(f"{self.exercise}, {self.name}: {error}") from None


@dataclass(frozen=True)
class Misconception(Answer):
    """A plausible wrong answer, its name, and the hint shown to the student.

    Attributes
    ----------
    hint : str
        What a student with this answer is told.
    raises : str
        The exception it raises in every case that it fails; "" if it returns values.
    """

    hint: str
    raises: str = ""


@dataclass(frozen=True, eq=False)
class Exercise:
    """One function or class that students write.

    Attributes
    ----------
    name : str
        Its name in the notebook, unique in the course.
    points : dict of str to float
        Points per group of cases; the check cell carries their sum.
    cases : callable
        Yields the cases, given a seeded random generator. Grading draws fresh ones with another
        seed, so numbers and sizes should depend on it.
    misconceptions, alternatives : tuple of Answer
        Wrong answers with their hints, and right answers in another style, which must pass.
    equivalents : tuple of Answer
        Edits of the reference that are right although they change it, each named by its reason:
        what `autograder audit` need not report.
    exempt : dict of str to str
        Operators of the audit all of whose edits are right, with the reason.
    forbidden : tuple of str
        Functions and classes of coursekit that an answer must not call, since they are what it
        should write; they raise while its cases run.
    further : str
        A hint that `check` offers after some failed tries, or "".
    further_for : tuple of str
        The groups of points that the further hint is about; all if empty.
    """

    name: str
    points: dict[str, float]
    cases: Callable[[np.random.Generator], Iterable[Case]]
    misconceptions: tuple[Misconception, ...] = ()
    alternatives: tuple[Answer, ...] = ()
    equivalents: tuple[Answer, ...] = ()
    exempt: dict[str, str] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    further: str = ""
    further_for: tuple[str, ...] = ()


def read_exercise(name: str, module: Any) -> Exercise:
    """Read an exercise from its module: `POINTS`, `cases`, `WRONG`, `RIGHT` and the optional names.

    Raises
    ------
    CourseError
        One of them is missing or malformed.
    """
    for what in ("POINTS", "cases", "WRONG", "RIGHT"):
        if not hasattr(module, what):
            raise CourseError(f"{name}.py defines no {what}.")
    points = module.POINTS
    numbers = isinstance(points, dict) and all(
        isinstance(p, (int, float)) and p > 0 for p in points.values()
    )
    if not numbers or not points:
        raise CourseError(
            f'{name}: POINTS must give each group a number above 0, as in {{"values": 2}}.'
        )
    wrong = tuple(_misconception(name, key, text) for key, text in module.WRONG.items())
    right = tuple(Answer(name, key, _clean(text)) for key, text in module.RIGHT.items())
    equivalents: list[Answer] = []
    exempt: dict[str, str] = {}
    for reason, text in getattr(module, "EQUIVALENT", {}).items():
        if every := _EVERY_EDIT.fullmatch(text.strip()):
            exempt |= {operator.strip(): reason for operator in every[1].split(",")}
        else:
            edits = re.split(r"\n\s*\n", _clean(text))
            equivalents += [_equivalent(name, reason, edit) for edit in edits]
    forbidden = _forbidden(name, getattr(module, "FORBIDDEN", ()))
    further = " ".join(getattr(module, "FURTHER", "").split())
    equals = tuple(equivalents)
    groups = tuple(getattr(module, "FURTHER_FOR", ()))
    if unknown := set(groups) - set(points):
        raise CourseError(
            f"{name}: FURTHER_FOR names {sorted(unknown)[0]}, which is no group of POINTS."
        )
    return Exercise(
        name, points, module.cases, wrong, right, equals, exempt, forbidden, further, groups
    )


def _forbidden(exercise: str, names: Any) -> tuple[str, ...]:
    """Validate the names in `FORBIDDEN`: each must be a helper of coursekit that can be forbidden."""
    if not isinstance(names, tuple):
        raise CourseError(f'{exercise}: FORBIDDEN must be a tuple of names, as in ("a.b",).')
    for name in names:
        if name not in HELPERS:
            raise CourseError(
                f"{exercise}: FORBIDDEN has {name!r}, but only {' and '.join(HELPERS)} can be"
                " forbidden."
            )
    return names


def _equivalent(exercise: str, reason: str, edit: str) -> Answer:
    """Return one of the edits, separated by blank lines, of an entry of `EQUIVALENT`."""
    if not is_edit(edit):
        raise CourseError(
            f"{exercise}: EQUIVALENT maps a reason to edits of the solution, with - and + lines, or"
            f" to `every edit: ` and operators of the audit; {reason!r} has neither."
        )
    return Answer(exercise, reason, edit)


def _misconception(exercise: str, name: str, text: str) -> Misconception:
    """Parse an entry of `WRONG`: a hint, an optional line ``raises NameOfError``, the answer."""
    hint, _, answer = _clean(text).partition("\n\n")
    raises = _RAISES.fullmatch(answer.partition("\n")[0])
    if raises:
        answer = answer.partition("\n\n")[2]
    hint = " ".join(hint.split())
    if not answer.strip() or hint.startswith(("def ", "class ", "- ", "+ ")):
        raise CourseError(
            f"{exercise}, {name}: write the hint, a blank line, then the edit or the whole answer."
        )
    return Misconception(exercise, name, answer, hint, raises[1] if raises else "")


def _clean(text: str) -> str:
    return textwrap.dedent(text).strip("\n").rstrip() + "\n"
