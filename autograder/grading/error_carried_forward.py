"""The second judgement of exercises that fail with the student's own helpers, with right ones.

A wrong helper costs its points once. After all verdicts are in, an exercise that lost points and
whose reference calls helpers that are wrong, missing, changed after their check or not judged here
runs once more, in a new kernel, in which these helpers are answered by their references
(`reference_rpc`). The better verdict counts. Which helpers an exercise may call is read from its
reference, not from the submission: so nothing can be asked that it would not have to call anyway.

A helper that is an exercise itself has seen its own graded inputs in that kernel, and what is judged
after it can ask for their right outputs. That earns nothing, since the helper has been judged; and
nobody reads the answers, since no such verdict quotes what the submission returned, raised or
printed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from autograder.course.cells import asked_exercise
from autograder.course.helpers import Helpers
from autograder.grading.callable_kinds import kind_of
from autograder.grading.cell_skipping import LEFT_OUT
from autograder.grading.questions import Answers
from autograder.grading.redefinition import may_have_changed
from autograder.grading.reference_rpc import Carried
from coursekit.checking import stored_recordings
from coursekit.checking.verdict import DIFFERENCE, YOURS, Verdict, judge

#: Failing stage -> the reason in the verdict on an answer that is wrong with right helpers, too.
_WITHOUT_ANSWER = {
    "error": "it raises an error",
    "type": "it returns another type",
    "shape": "it returns another shape",
    "dtype": "it returns another dtype",
    "value": "it returns other values",
}
_OTHERWISE = "it does not do what its text asks for"


@dataclass(frozen=True)
class Plan:
    """A plan of what to judge again.

    Attributes
    ----------
    notebook : NotebookNode
        The submission, in which only the checks of the exercises to judge again are asked.
    carried : Carried
        The data that the run needs.
    changed : frozenset of str
        The helpers that passed their own check, but may have been changed after it.
    """

    notebook: NotebookNode
    carried: Carried
    changed: frozenset[str] = frozenset()


def plan(
    notebook: NotebookNode,
    release: NotebookNode,
    helpers: Helpers,
    verdicts: Sequence[Verdict],
    others: Sequence[Verdict] = (),
) -> Plan | None:
    """Return a plan of what to judge again; None if no wrong helper can have cost points.

    Parameters
    ----------
    notebook : NotebookNode
        A sanitized submission that has run.
    release : NotebookNode
        The assignment as it was released.
    helpers : Helpers
        The helpers that the assignment's references call.
    verdicts : sequence of Verdict
        The verdicts that may become better.
    others : sequence of Verdict
        Other verdicts on the submission: earlier ones, and those on pasted helpers.
    """
    passed = {verdict.exercise for verdict in (*verdicts, *others) if verdict.passed}
    asked = {name for cell in notebook.cells if (name := asked_exercise(cell)) is not None}
    released = {cell.source.strip() for cell in release.cells}
    todo = {
        cell.metadata["nbgrader"]["grade_id"]
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.source.strip() in released
    }
    right: dict[str, list[str]] = {}
    changed: set[str] = set()
    for name in (verdict.exercise for verdict in verdicts if not verdict.passed):
        if name not in asked or name in todo:
            continue
        later = {
            helper
            for helper in passed & set(helpers.of(name))
            if may_have_changed(notebook, released, helper, name)
        }
        if found := _replaceable(helpers, name, passed - later):
            right[name] = found
            changed |= later
    if not right:
        return None
    definitions = helpers.assignment.solution.definitions
    used = {name for found in right.values() for name in found}
    pasted = [name for name in helpers.pasted if name in used]
    for name in pasted:  # to find out whether it is wrong
        right[name] = _replaceable(helpers, name, passed)
        used |= set(right[name])
    kinds = {
        name: kind for name in sorted(used) if (kind := kind_of(definitions[name])) is not None
    }
    cells = tuple(cell.source for cell in helpers.assignment.solution.code)
    carried = Carried(right, kinds, tuple(sorted(pasted)), cells)
    return Plan(_asking_only(notebook, set(right)), carried, frozenset(changed))


def _replaceable(helpers: Helpers, name: str, passed: Collection[str]) -> list[str]:
    """Return an exercise's helpers that are not known to be right and can be called."""
    definitions = helpers.assignment.solution.definitions
    return [
        helper
        for helper in helpers.of(name)
        if helper not in passed and kind_of(definitions[helper]) is not None
    ]


def _asking_only(notebook: NotebookNode, exercises: Collection[str]) -> NotebookNode:
    """Return a copy of a notebook up to the last check of `exercises`, which asks only these."""
    last = max(i for i, c in enumerate(notebook.cells) if asked_exercise(c) in exercises)
    cells = []
    for cell in notebook.cells[: last + 1]:
        copy = NotebookNode(cell, metadata=NotebookNode(cell.metadata))
        if cell.cell_type == "code":
            copy.outputs, copy.execution_count = [], None
            if (asked := asked_exercise(cell)) is not None:
                copy.metadata[LEFT_OUT] = asked not in exercises
        cells.append(copy)
    return NotebookNode(notebook, cells=cells)


def with_right_helpers(
    before: Sequence[Verdict], again: Iterable[Verdict], answers: Answers, plan: Plan
) -> list[Verdict]:
    """Return the better verdicts, which name the right helpers that they were made with.

    Parameters
    ----------
    before : sequence of Verdict
        The verdicts with the student's own helpers.
    again : iterable of Verdict
        The verdicts of the run with right helpers.
    answers : Answers
        The answers of that run.
    plan : Plan
        The plan of that run.
    """
    new = {verdict.exercise: verdict for verdict in again}
    wrong = {name for name in plan.carried.pasted if not _is_right(name, answers)}
    named: dict[str, list[str]] = {}
    found = []
    for old in before:
        name = old.exercise
        called = answers.called.get(name, [])
        answered = answers.outcomes.get(name) is not None
        verdict = old
        wrong_ones = [helper for helper in called if helper not in plan.changed]
        if called and answered and not wrong_ones and _is_same(old, new[name]):
            pass  # its helpers are those that passed: the mistake is its own
        elif called and answered and new[name].points >= old.points:
            named[name] = _culprits(wrong_ones or called, named, wrong, plan)
            verdict = replace(
                _without_answer(new[name]), judged_with=named[name], changed=not wrong_ones
            )
        elif name in plan.carried.helpers and (called or not answered):
            # what went wrong may be a helper's mistake, which a hint would put on this exercise
            verdict = replace(old, misconception="", hint="", next_hint="")
        found.append(verdict)
    return found


def _is_same(old: Verdict, new: Verdict) -> bool:
    """Tell whether both runs gave the same wrong results, as far as is known."""
    return (old.points, old.digest) == (new.points, new.digest)


def _without_answer(verdict: Verdict) -> Verdict:
    """Return the verdict without anything that the submission could have written into it."""
    if verdict.passed:
        return verdict
    groups = [
        replace(group, reason=_OTHERWISE, outline=_OTHERWISE) if group.reason else group
        for group in verdict.groups
    ]
    return replace(
        verdict,
        groups=groups,
        headline=f"{_WITHOUT_ANSWER.get(verdict.stage, _OTHERWISE)}, with right helpers, too",
        detail=[row for row in verdict.detail if row[0] not in (YOURS, DIFFERENCE)],
        printed="",
    )


def _culprits(
    called: Iterable[str], named: Mapping[str, list[str]], wrong: Collection[str], plan: Plan
) -> list[str]:
    """Return the helpers that were wrong, of those that were called.

    One that is right but for its own helper is not wrong: that helper is named in its place.
    """
    called = list(called)
    culprits: list[str] = []
    for name in called:
        if name in plan.carried.pasted and name not in wrong:
            continue
        culprits += named.get(name) or [name]
    return list(dict.fromkeys(culprits or called))


def _is_right(name: str, answers: Answers) -> bool:
    """Tell whether a pasted helper passes its own check, as far as is known."""
    outcomes = answers.outcomes.get(name)
    return outcomes is not None and judge(stored_recordings.find(name), outcomes).passed
