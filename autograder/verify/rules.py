"""A rule, the registry of all rules, and an assignment under verification."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.publishing.chapter import chapter
from autograder.publishing.slides import as_html
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.stored_recordings import read

#: Advances a progress bar by one step.
Progress = Callable[[], object]


@dataclass
class Subject:
    """An assignment under verification; what several rules read of it is read once.

    Attributes
    ----------
    assignment : Assignment
        The assignment.
    thresholds : mapping of str to float
        Every threshold of every rule: the course's own, else the rule's default.
    student_environment : Path or str
        A folder with a Python in which students' wheels are installed, or why there is none.
    """

    assignment: Assignment
    thresholds: Mapping[str, float]
    student_environment: Path | str = ""

    @property
    def course(self) -> Course:
        """The assignment's course."""
        return self.assignment.course

    @property
    def name(self) -> str:
        """The assignment's name."""
        return self.assignment.name

    @cached_property
    def recorded(self) -> dict[str, RecordedExercise]:
        """The recorded exercises by name.

        Raises
        ------
        CourseError
            The assignment has not been released.
        """
        path = self.course.recordings / f"{self.name}.json"
        try:
            return read(path)["exercises"]
        except (OSError, ValueError, KeyError) as error:
            raise CourseError(
                f"{path.relative_to(self.course.root)} is missing or damaged; run"
                f" `autograder release {self.name}`."
            ) from error

    @cached_property
    def chapter(self) -> NotebookNode:
        """The site's chapter of the assignment."""
        return chapter(self.assignment)

    @cached_property
    def slides(self) -> str:
        """The assignment's slides, a page of HTML."""
        return as_html(self.assignment)


@dataclass(frozen=True)
class Rule:
    """One thing that an assignment owes.

    Attributes
    ----------
    name : str
        The rule's name, for `--rule`.
    sentence : str
        What holds if the rule does.
    family : str
        The module in which it stands, without `_rules`.
    check : callable
        Subject -> problems, each one sentence; none if the rule holds.
    thresholds : mapping of str to float
        Name -> default; a course sets others in `[tool.autograder.verify]`.
    applies : callable
        Course -> whether the course has what the rule is about.
    stale : callable
        Subject -> the command that brings the stored results up to date which the rule reads; "" if
        they are.
    measure : callable or None
        Measures and stores these results; None if another command does.
    """

    name: str
    sentence: str
    family: str
    check: Callable[[Subject], Iterable[str]]
    thresholds: Mapping[str, float] = field(default_factory=dict)
    applies: Callable[[Course], bool] = lambda course: True
    stale: Callable[[Subject], str] = lambda subject: ""
    measure: Callable[[Subject], None] | None = None


#: Name -> rule, in the order in which they are checked.
RULES: dict[str, Rule] = {}


def rule(
    *,
    thresholds: Mapping[str, float] | None = None,
    applies: Callable[[Course], bool] = lambda course: True,
    stale: Callable[[Subject], str] = lambda subject: "",
    measure: Callable[[Subject], None] | None = None,
) -> Callable[[Callable[[Subject], Iterable[str]]], Callable[[Subject], Iterable[str]]]:
    """Return a decorator that registers a function as a rule.

    The rule's name is the function's with hyphens, its sentence the first paragraph of its docstring without
    "Require that".
    """

    def register(check: Callable[[Subject], Iterable[str]]) -> Callable[[Subject], Iterable[str]]:
        name = check.__name__.replace("_", "-")
        said = " ".join((check.__doc__ or "").split("\n\n")[0].split())
        said = said.removeprefix("Require that ")
        sentence = said[:1].upper() + said[1:]
        family = check.__module__.rpartition(".")[2].removesuffix("_rules")
        RULES[name] = Rule(name, sentence, family, check, thresholds or {}, applies, stale, measure)
        return check

    return register


def chosen_rules(names: Iterable[str]) -> list[Rule]:
    """Return the rules of these names; all of them if none is given.

    Raises
    ------
    CourseError
        There is no such rule; the message names the closest match.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in RULES:
            near = difflib.get_close_matches(name, RULES, n=1, cutoff=0.4)
            tip = f"did you mean {near[0]}?" if near else f"there are {', '.join(RULES)}."
            raise CourseError(f"there is no rule called {name}; {tip}")
    return [found for found in RULES.values() if not wanted or found.name in wanted]


def thresholds(course: Course) -> dict[str, float]:
    """Return every threshold: the course's own from `[tool.autograder.verify]`, else the default.

    Raises
    ------
    CourseError
        The course sets one that no rule has.
    """
    known = {name: value for one in RULES.values() for name, value in one.thresholds.items()}
    for name in course.config.verify:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
            tip = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
            raise CourseError(
                f"pyproject.toml: [tool.autograder.verify] sets {name}, which no rule has; {tip}"
            )
    return {**known, **course.config.verify}


@contextlib.contextmanager
def as_problem(found: list[str]) -> Iterator[None]:
    """Turn an error that the course's author can fix into a problem of the rule."""
    try:
        yield
    except CourseError as error:
        found.append(str(error))
