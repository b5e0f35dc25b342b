"""Explanations of the mutants that survive: an input that tells them, or a reason why none does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.authoring.audit.differing_inputs import Probe, find_differences, make_probes, shown
from autograder.authoring.audit.equal_by_algebra import reason
from autograder.authoring.audit.input_facts import Facts
from autograder.authoring.audit.mutants import Mutant
from autograder.authoring.audit.one_place_edits import Reference
from autograder.course.assignment import Assignment
from coursekit.checking.format import show_call

#: Operators all of whose edits only cut gradients.
_CUT_GRADIENTS = ("detached", "without gradient")


def explain(
    assignment: Assignment,
    reference: Reference,
    name: str,
    survivors: list[Mutant],
    seeds: int,
    progress: Callable[[], None] = lambda: None,
) -> list[dict[str, Any]]:
    """Explain each surviving mutant.

    Parameters
    ----------
    seeds : int
        The last class seed that they have been judged with.

    Returns
    -------
    list of dict of str to object
        One of "differs" (the input as text, what is expected and what the mutant gives there, and the
        seed that draws it, if one does), "reason" (why it is equal), "no gradient" (True if it cuts
        gradients, which no case asks for); all absent if nothing is known.

    Raises
    ------
    CourseError
        The reference fails one of the cases of a further seed.
    """
    if not survivors:
        return []
    probes = make_probes(assignment, name, seeds)
    has_gradients = any("gradient" in probe.case for probe in probes)
    unasked = [not has_gradients and _cuts_gradients(mutant) for mutant in survivors]
    compared = [mutant for mutant, is_unasked in zip(survivors, unasked) if not is_unasked]
    sources = [mutant.source for mutant in compared]
    found = iter(find_differences(assignment.solution, name, probes, sources, progress))
    facts = Facts([probe.case for probe in probes if probe.seed is not None])
    explained: list[dict[str, Any]] = []
    for mutant, is_unasked in zip(survivors, unasked):
        if is_unasked:
            explained.append({"no gradient": True})
            progress()
        elif (difference := next(found)) is not None:
            explained.append({"differs": _evidence(name, probes, difference)})
        else:
            because = reason(reference, mutant, facts)
            explained.append({"reason": because} if because else {})
    return explained


def _cuts_gradients(mutant: Mutant) -> bool:
    is_corner = mutant.operator == "constant corner" and ".detach()" in mutant.edits[0][1]
    return mutant.operator in _CUT_GRADIENTS or is_corner


def _evidence(name: str, probes: list[Probe], difference: dict[str, Any]) -> dict[str, Any]:
    """Return an input that tells a mutant from the reference, as texts."""
    if difference["input"] is None:
        return {"input": "", "expected": "", "got": difference["got"], "seed": None, "after": False}
    probe = probes[difference["input"]]
    return {
        "input": show_call(
            {"name": name, "groups": {}, "cases": [], "misconceptions": []}, probe.case
        ),
        "expected": shown(probe.case["expected"]),
        "got": difference["got"],
        "seed": probe.seed,
        "after": difference["after"],
    }
