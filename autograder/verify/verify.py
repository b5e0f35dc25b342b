"""Verification of assignments: every rule, on every assignment that is asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.authoring.side_by_side import side_by_side
from autograder.course import verified
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.verify import (  # noqa: F401  (importing a family registers its rules)
    answer_rules,
    case_rules,
    guide_rules,
    notebook_rules,
    page_rules,
    source_rules,
)
from autograder.verify.rules import Rule, Subject, chosen_rules, thresholds


@dataclass
class Verification:
    """Findings of the verification of one assignment.

    Attributes
    ----------
    assignment : str
        Its name.
    held : list of str
        Names of the rules that hold.
    stale : dict of str to str
        Rule -> the command that brings the stored results up to date which it reads.
    owed : dict of str to str
        The same of rules that the assignment's `verified.json` lists under "owed".
    problems : dict of str to list of str
        Rule -> problems.
    skipped : list of str
        Names of the rules on parts that the course does not have.
    """

    assignment: str
    held: list[str] = field(default_factory=list)
    stale: dict[str, str] = field(default_factory=dict)
    owed: dict[str, str] = field(default_factory=dict)
    problems: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if every rule holds; False if one is broken or could not be judged."""
        return not (self.stale or self.problems)


def verify(
    course: Course,
    assignments: list[str],
    names: list[str],
    measure: bool = False,
    jobs: int = 1,
    progress: Callable[[], object] = lambda: None,
) -> list[Verification]:
    """Verify assignments.

    Parameters
    ----------
    course : Course
        The course.
    assignments : list of str
        Names of assignments.
    names : list of str
        Names of rules; none stands for all.
    measure : bool
        Measure what is stale first, and store it.
    jobs : int
        Assignments to verify at a time, each in a process of its own.
    progress : callable
        Called when an assignment is done.

    Returns
    -------
    list of Verification
        One for each assignment, in the order of their names.

    Raises
    ------
    CourseError
        There is no rule of a name, the course sets a threshold that no rule has, an assignment cannot
        be read, or another process measures one.
    """
    rules = chosen_rules(names)
    values = thresholds(course)
    os.environ.update(course.environment())
    if measure:
        for assignment in assignments:
            _measure(Subject(Assignment(course, assignment), values), rules)
    with tempfile.TemporaryDirectory(prefix="verify-") as folder:
        place: Path | str = Path(folder)
        if any(one.check is notebook_rules.runs_from_wheel for one in rules):
            try:
                notebook_rules.make_student_environment(course, Path(folder))
            except CourseError as error:
                place = str(error)
        found = []
        for one in side_by_side(course, assignments, jobs, verify_one, names, values, place):
            found.append(one)
            progress()
    return sorted(found, key=lambda one: one.assignment)


def _measure(subject: Subject, rules: list[Rule]) -> None:
    """Measure what is stale of an assignment, and store it."""
    stale = [one for one in rules if one.measure and one.applies(subject.course)]
    stale = [one for one in stale if one.stale(subject)]
    if not stale:
        return
    with verified.sole_measurement(subject.course, subject.name):
        for one in stale:
            assert one.measure is not None  # chosen so
            one.measure(subject)
            verified.pay(subject.course, subject.name, one.name)


def verify_one(
    course: Course, name: str, names: list[str], values: dict[str, float], place: Path | str
) -> Verification:
    """Verify one assignment; an error that its author can fix is a problem of the rule that meets it."""
    subject = Subject(Assignment(course, name), values, place)
    found = Verification(name)
    for one in chosen_rules(names):
        if not one.applies(course):
            found.skipped.append(one.name)
            continue
        try:
            if command := one.stale(subject):
                owed = one.name in verified.owed(course, name)
                (found.owed if owed else found.stale)[one.name] = command
                continue
            problems = list(one.check(subject))
            if one.name in verified.owed(course, name):
                problems.append('it is owed no longer: take it out of "owed" in verified.json.')
        except CourseError as error:
            problems = [str(error)]
        if problems:
            found.problems[one.name] = problems
        else:
            found.held.append(one.name)
    return found
