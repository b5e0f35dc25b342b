"""Measures what a helper costs in the exercises that call it, before and after help.

    python benchmarks/carried.py 04_attention 09_translation
    python benchmarks/carried.py --right    # about a minute, for all assignments

Each exercise, pasted ones included, is replaced by each of its misconceptions in turn; all others
are the references. Counted are the points of *other* exercises that are lost, with the student's
helpers and then with right ones in their place. Then each is replaced by each of its right answers,
as students type them: none may cost a point, since what passes its own check is not replaced when
an exercise that calls it is judged again. The cases are the recorded ones, and all is judged in
this process with the functions of grading: no kernel is started, and stand-ins ask the references
directly. Writes `data/results/carried.json`, assignment by assignment.
"""

from __future__ import annotations

import argparse
import json
import linecache
import time
import types
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from _results import results, store

from autograder.course.assignment import Assignment, every_assignment, find
from autograder.course.cells import checked_exercise, defined_names, kept_definitions
from autograder.course.helpers import Helpers
from autograder.course.layout import Course
from autograder.course.record_cases import one_thread
from autograder.course.typed_answers import typed_answers
from autograder.grading.callable_kinds import kind_of
from autograder.grading.reference_calls import References
from coursekit.checking import stored_recordings
from coursekit.checking.right_helpers import Grader, stand_in
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge

COURSE = Course(Path(__file__).parent.parent)


class Measured:
    """The exercises of one assignment with one of them wrong."""

    def __init__(self, assignment: Assignment, wrong: str, source: str) -> None:
        self.assignment, self.wrong, self.source = assignment, wrong, source
        self.helpers = Helpers(assignment)
        self.definitions = assignment.solution.definitions

    def verdicts(self, exercises: list[str], right: dict[str, list[str]]) -> dict[str, Verdict]:
        """The verdicts on some exercises, each with right helpers in the place of some."""
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

    def passes(self) -> bool:
        """Whether the one that was replaced passes its own check in this notebook."""
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
        references = References(self.definitions)
        return Grader(lambda call: json.dumps(references.answer(json.loads(call))))


def _called(assignment: Assignment) -> Iterator[tuple[str, Assignment]]:
    """The exercises that others may call, pasted ones included, and the assignment of each."""
    helpers = Helpers(assignment)
    called = {name for exercise in assignment.exercises for name in helpers.of(exercise)}
    for name in sorted(called):
        if name in assignment.exercises:
            yield name, assignment
        elif name in stored_recordings.names():
            yield name, find(COURSE, name)


def misconceptions(assignment: Assignment) -> Iterator[tuple[str, str, str]]:
    """Exercise, misconception and source of every wrong answer that another exercise may call."""
    for name, origin in _called(assignment):
        for one in origin.exercises[name].misconceptions:
            yield name, one.name, origin.typed(one)


def right_answers(assignment: Assignment) -> Iterator[tuple[str, str, str]]:
    """Exercise, words and source of every right answer that another exercise may call."""
    for name, origin in _called(assignment):
        for one in origin.exercises[name].alternatives:
            yield name, one.name, origin.typed(one)
        for answer in typed_answers(origin, "right"):
            if answer.exercise == name:
                yield name, answer.words, answer.source


def lost_with_right_helpers(assignment: Assignment) -> dict[str, Any]:
    """How many right answers were tried as helpers, and which exercises lose points with them.

    Pasted without what it needs, an answer is not right here: it fails its own check, too.
    """
    helpers = Helpers(assignment)
    tried, lost, incomplete = 0, [], []
    for name, words, source in right_answers(assignment):
        tried += 1
        callers = [e for e in assignment.exercises if name in helpers.of(e)]
        measured = Measured(assignment, name, source)
        failed = [one for one in measured.verdicts(callers, {}).values() if not one.passed]
        if failed and not measured.passes():
            incomplete.append(f"{name}, {words}")
            continue
        lost += [f"{name}, {words}: {one.exercise}, {one.headline[:160]}" for one in failed]
    return {
        "right answers to exercises that others call": tried,
        "of which need more than was pasted": incomplete,
        "points lost elsewhere, right answers": lost,
    }


def measure(assignment: Assignment) -> dict[str, Any]:
    """The points of other exercises that each misconception costs, and which remain lost."""
    helpers = Helpers(assignment)
    before = after = 0.0
    tried = hurt = 0
    left = []
    begun = time.monotonic()
    for name, misconception, source in misconceptions(assignment):
        tried += 1
        measured = Measured(assignment, name, source)
        callers = [e for e in assignment.exercises if name in helpers.of(e)]
        verdicts = measured.verdicts(callers, {})
        lost = [e for e in callers if not verdicts[e].passed]
        if not lost:
            continue
        hurt += 1
        before += sum(verdicts[e].max_points - verdicts[e].points for e in lost)
        bad = {name, *lost, *helpers.pasted}
        right = {
            e: [
                h
                for h in helpers.of(e)
                if h in bad and kind_of(measured.definitions[h]) is not None
            ]
            for e in lost
        }
        again = measured.verdicts(lost, right)
        for e in lost:
            best = max(again[e].points, verdicts[e].points)
            if best < again[e].max_points:
                after += again[e].max_points - best
                left.append(
                    f"{name}, {misconception}: {e} {best:g} of {again[e].max_points:g},"
                    f" {again[e].headline[:160]}"
                )
    return {
        "misconceptions of exercises that others call": tried,
        "of which cost points elsewhere": hurt,
        "points lost elsewhere, own helpers": before,
        "points lost elsewhere, right helpers": after,
        "left": left,
        "seconds": time.monotonic() - begun,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("assignments", nargs="*", help="all if none is named")
    parser.add_argument("--right", action="store_true", help="measure right answers only")
    options = parser.parse_args()
    found = {}
    for assignment in every_assignment(COURSE):
        if options.assignments and assignment.name not in options.assignments:
            continue
        with one_thread():
            wrong = results("carried")[assignment.name] if options.right else measure(assignment)
            found[assignment.name] = {**wrong, **lost_with_right_helpers(assignment)}
        print(assignment.name, json.dumps(found[assignment.name], indent=1), flush=True)
        store("carried", dict(sorted({**results("carried"), **found}.items())))


if __name__ == "__main__":
    main()
