"""The points that a wrong helper costs in the exercises that call it, before and after help.

Each exercise that others call, pasted ones included, is replaced by each of its misconceptions in turn;
all others are the references. Counted are the points of *other* exercises that are lost, with the
student's helpers and then with right ones in their place. Then each is replaced by each of its right
answers: none may cost a point, since what passes its own check is not replaced when an exercise that
calls it is judged again. The cases are the recorded ones, and all is judged in this process with the
functions of grading: no kernel is started, and stand-ins ask the references directly.
"""

from __future__ import annotations

import json
import linecache
import types
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from tqdm.auto import tqdm

from autograder.course.assignment import Assignment, find
from autograder.course.cells import checked_exercise, defined_names, kept_definitions
from autograder.course.helpers import Helpers
from autograder.course.typed_answers import typed_answers
from autograder.grading.callable_kinds import kind_of
from coursekit.checking import stored_recordings
from coursekit.checking.right_helpers import Grader, stand_in
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge


class Replaced:
    """The exercises of one assignment with another answer to one of them."""

    def __init__(self, assignment: Assignment, wrong: str, source: str) -> None:
        self.assignment, self.wrong, self.source = assignment, wrong, source
        self.helpers = Helpers(assignment)
        self.definitions = assignment.solution.definitions

    def verdicts(self, exercises: list[str], right: dict[str, list[str]]) -> dict[str, Verdict]:
        """Return the verdicts on some exercises, each with right helpers in the place of some."""
        scope = types.ModuleType("__main__").__dict__
        own: dict[str, Any] = {}
        names = {name for found in right.values() for name in found}
        closed = {name for name in self.helpers.pasted if name in names}
        stand_ins = {name: self._stand_in(name) for name in names}
        found = {}
        for cell in self.assignment.solution.code:
            self._define(cell.source, scope)
            name = checked_exercise(cell.source)
            if name in exercises:
                helpers = right.get(name, [])
                self._put(scope, own, {n: stand_ins[n] for n in helpers if n in closed}, closed)
                recorded = stored_recordings.find(name)
                found[name] = judge(recorded, run_cases(scope[name], recorded["cases"]))
            if name in names:
                closed.add(name)
            self._put(scope, own, {n: stand_ins[n] for n in closed}, closed)
        return found

    def lost_with_own_helpers(self) -> tuple[dict[str, Verdict], float]:
        """Return the verdicts on other exercises that lose points, and how many points these are."""
        callers = [e for e in self.assignment.exercises if self.wrong in self.helpers.of(e)]
        verdicts = self.verdicts(callers, {})
        lost = {name: one for name, one in verdicts.items() if not one.passed}
        return lost, sum(one.max_points - one.points for one in lost.values())

    def lost_with_right_helpers(self, lost: dict[str, Verdict]) -> list[str]:
        """Judge exercises again with right helpers; return what is still lost, in words."""
        if not lost:
            return []
        bad = {self.wrong, *lost, *self.helpers.pasted}
        right = {
            e: [
                helper
                for helper in self.helpers.of(e)
                if helper in bad and kind_of(self.definitions[helper]) is not None
            ]
            for e in lost
        }
        found = []
        for name, again in self.verdicts(list(lost), right).items():
            best = max(again.points, lost[name].points)
            if best < again.max_points:
                found.append(f"{name} {best:g} of {again.max_points:g}, {again.headline[:160]}")
        return found

    def passes(self) -> bool:
        """Tell whether the one that was replaced passes its own check in this notebook."""
        scope = types.ModuleType("__main__").__dict__
        for cell in self.assignment.solution.code:
            self._define(cell.source, scope)
        recorded = stored_recordings.find(self.wrong)
        return judge(recorded, run_cases(scope[self.wrong], recorded["cases"])).passed

    def _put(
        self, scope: dict[str, Any], own: dict[str, Any], new: dict[str, Any], closed: set[str]
    ) -> None:
        for name in closed:
            if name in scope and not hasattr(scope[name], "coursekit_stand_in"):
                own[name] = scope[name]
            if name in new or name in own:
                scope[name] = new.get(name, own.get(name))

    def _define(self, source: str, scope: dict[str, Any]) -> None:
        exec(compile(kept_definitions(source), "<cell>", "exec"), scope)
        if self.wrong in defined_names(source):
            filename = "<wrong>"
            linecache.cache[filename] = (0, None, self.source.splitlines(True), filename)
            exec(compile(self.source, filename, "exec"), scope)

    def _stand_in(self, name: str) -> Any:
        kind = kind_of(self.definitions[name])
        assert kind is not None  # only such helpers are replaced
        return stand_in(name, kind, self._grader)

    @cached_property
    def _grader(self) -> Grader:
        from autograder.grading.reference_calls import References  # imports torch

        references = References(self.definitions)
        return Grader(lambda call: json.dumps(references.answer(json.loads(call))))


def measure_helpers(assignment: Assignment) -> dict[str, Any]:
    """Measure the points of other exercises that answers to exercises cost which these call.

    Returns
    -------
    dict of str to object
        How many misconceptions and right answers were tried as helpers, how many points the
        misconceptions cost with the student's own helpers, and, in words, each point that is lost
        with right helpers or because of a right answer.
    """
    helpers = Helpers(assignment)
    lost_before = 0.0
    hurt = 0
    left: list[str] = []
    wrong = list(_misconceptions(assignment))
    right = list(_right_answers(assignment))
    with tqdm(
        total=len(wrong) + len(right), desc=f"{assignment.name}: helpers", disable=None
    ) as bar:
        for name, misconception, source in wrong:
            measured = Replaced(assignment, name, source)
            lost, points = measured.lost_with_own_helpers()
            hurt += bool(lost)
            lost_before += points
            left += [
                f"{name}, {misconception}: {one}" for one in measured.lost_with_right_helpers(lost)
            ]
            bar.update()
        incomplete, costly = [], []
        for name, words, source in right:
            measured = Replaced(assignment, name, source)
            callers = [e for e in assignment.exercises if name in helpers.of(e)]
            failed = [one for one in measured.verdicts(callers, {}).values() if not one.passed]
            if failed and not measured.passes():
                incomplete.append(f"{name}, {words}")  # pasted without all that it needs
            else:
                costly += [
                    f"{name}, {words}: {one.exercise}, {one.headline[:160]}" for one in failed
                ]
            bar.update()
    return {
        "misconceptions of exercises that others call": len(wrong),
        "of which cost points elsewhere": hurt,
        "points lost elsewhere, own helpers": lost_before,
        "points lost elsewhere, right helpers": left,
        "right answers to exercises that others call": len(right),
        "of which need more than was pasted": incomplete,
        "points lost elsewhere, right answers": costly,
    }


def called_exercises(assignment: Assignment) -> Iterator[tuple[str, Assignment]]:
    """Yield the exercises that others may call, pasted ones included, each with its assignment."""
    helpers = Helpers(assignment)
    called = {name for exercise in assignment.exercises for name in helpers.of(exercise)}
    for name in sorted(called):
        if name in assignment.exercises:
            yield name, assignment
        elif name in stored_recordings.names():
            yield name, find(assignment.course, name)


def _misconceptions(assignment: Assignment) -> Iterator[tuple[str, str, str]]:
    """Yield exercise, misconception and source of every wrong answer that another may call."""
    for name, origin in called_exercises(assignment):
        for one in origin.exercises[name].misconceptions:
            yield name, one.name, origin.typed(one)


def _right_answers(assignment: Assignment) -> Iterator[tuple[str, str, str]]:
    """Yield exercise, words and source of every right answer that another may call."""
    for name, origin in called_exercises(assignment):
        for one in origin.exercises[name].alternatives:
            yield name, one.name, origin.typed(one)
        for answer in typed_answers(origin, "right"):
            if answer.exercise == name:
                yield name, answer.words, answer.source
