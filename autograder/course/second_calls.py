"""Cases with a second call, with other input, which shows state kept from the first call.

A case calls a function, or makes an object and calls it, once. An answer that keeps what belongs to
one call (a state in `self`, a cache, an object that it returns again and again) passes all of them.
So recording adds to each group a case with two calls, of two of its cases or of one and the same
case drawn a second time. Where the reference itself remembers, as one that trains does, it adds none.

The inputs of these two calls may differ in shape, or some may not differ at all, and then an answer
that keeps such an input passes still. So a group gets up to two more cases, whose second call has
inputs of the same shapes or leaves optional ones out (see `stale_input_cases`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from autograder.course.stale_input_cases import (
    Input,
    array_counts,
    arrays_of,
    caught,
    form,
    opened,
    replaced,
    turned,
    without_optional,
)
from coursekit.checking import codec
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.hints import leaves
from coursekit.checking.judge_case import judge_case
from coursekit.checking.recording_format import SECOND_CALL, Case, DrawnCase, Outcome, Plain
from coursekit.checking.run_cases import run_case

#: Rules of a judge that says whether parts of a result are right.
_RULES = {"rtol", "atol", "dtype", "order", "properties", "counters", "draws", "keeps_generators"}
#: How often the cases are drawn again: with a few, there are objects of equal sizes.
TURNS = 4
#: So many pairs of a group are tried; of most groups, the first one will do.
_PAIRS = 40
#: So many cases a group gets at most whose two calls have the same shapes.
_FURTHER = 2
#: Of the pairs that may catch the use of an earlier input, so many are tried.
_COMPARED = 12


def second_calls(
    reference: Callable[..., Any], cases: Sequence[Case], others: Sequence[DrawnCase]
) -> list[DrawnCase]:
    """Return the cases with two calls, at most three for each group.

    Parameters
    ----------
    reference : callable
        The reference, which decides whether it may remember.
    cases : sequence of Case
        The cases of the exercise with the reference's outcomes.
    others : sequence of DrawnCase
        The cases drawn again, a few times, from other random numbers.
    """
    found: list[DrawnCase] = []
    further: list[DrawnCase] = []
    with DefinedState():  # once, which saves time
        for group in dict.fromkeys(case["group"] for case in cases):
            own = [case for case in cases if case["group"] == group and _has_one_call(case)]
            rest = [case for case in (*others, *cases) if case["group"] == group]
            for _, pair in zip(range(_PAIRS), _pairs(own, rest)):
                twice = _twice(*pair)
                if _is_forgotten(reference, twice, pair[1]):
                    found.append(twice)
                    further += _same_shapes(reference, [*own, twice], own, rest)
                    break
    for number, twice in enumerate([*found, *further], len(cases)):
        twice["seed"] = number
    return [*found, *further]


def _same_shapes(
    reference: Callable[..., Any],
    present: Sequence[DrawnCase],
    own: Sequence[Case],
    rest: Sequence[DrawnCase],
) -> Iterator[DrawnCase]:
    """Yield cases that catch the use of an earlier call's input where no present case does."""
    shorter = ((case, without_optional(reference, case)) for case in own)
    without = [(case, _expecting(reference, less)) for case, less in shorter if less is not None]
    wanted = {one for case in own for one in arrays_of(case)}
    wanted |= {one for pair in without for one in replaced(_twice(*pair))}
    for case in present:
        wanted -= caught(reference, case)
    pairs = [*_alike(own, rest), *without]
    for _ in range(_FURTHER):
        best = _best(reference, pairs, wanted)
        if best is None:
            return
        wanted -= caught(reference, best)
        yield best


def _expecting(reference: Callable[..., Any], case: DrawnCase) -> Case:
    """Return a case with the outcome of the reference as the expected one."""
    return {**case, "expected": run_case(reference, case)}


def _alike(own: Sequence[Case], rest: Sequence[DrawnCase]) -> list[tuple[DrawnCase, Case]]:
    """Return pairs of a first and a second call with inputs of equal shapes, drawn or made up."""
    pairs = [(first, case) for case in own for first in rest if _fit(first, case)]
    drawn = [pair for pair in pairs if _form(pair[0]) == _form(pair[1])]
    made = [(first, case) for case in own if (first := turned(case)) is not None]
    pairs = [*drawn, *made, *((case, case) for case in own)]
    with_masks = [(opened(first), case) for first, case in pairs if "then" in case]
    return [*drawn, *made, *with_masks]


def _best(
    reference: Callable[..., Any], pairs: Sequence[tuple[DrawnCase, Case]], wanted: set[Input]
) -> DrawnCase | None:
    """Return the case of the pair that catches most of the wanted inputs; None if there is none."""
    found = [(_twice(*pair), pair[1]) for pair in pairs]
    possible = [len(wanted & replaced(twice)) for twice, _ in found]
    best, most = None, 0
    for number in sorted(range(len(found)), key=lambda n: -possible[n])[:_COMPARED]:
        if possible[number] <= most:
            break
        twice, second = found[number]
        if _is_forgotten(reference, twice, second) and _is_defined(reference, twice):
            count = len(wanted & caught(reference, twice))
            if count > most:
                best, most = twice, count
    return best


def _is_defined(reference: Callable[..., Any], case: DrawnCase) -> bool:
    """Tell whether no number of the result is NaN, as it may be for an input that was made up."""
    outcome = run_case(reference, case)
    numbers = leaves(codec.decode_views(outcome["value"]))
    return not any(isinstance(number, float) and math.isnan(number) for number in numbers)


def _has_one_call(case: DrawnCase) -> bool:
    """Tell whether the case compares the result of calls that return."""
    rules = case.get("judge", {})
    is_compared = "gradient" not in case and set(rules) <= _RULES
    steps = case.get("then", [])
    return is_compared and (not steps or any(not step[0].startswith(".") for step in steps))


def _pairs(own: Sequence[Case], rest: Sequence[DrawnCase]) -> Iterator[tuple[DrawnCase, Case]]:
    """Yield pairs of a first and a second call: equal shapes first, one case twice last."""
    pairs = [(first, case) for case in own for first in rest if _fit(first, case)]
    yield from (pair for pair in pairs if _form(pair[0]) == _form(pair[1]))
    yield from (pair for pair in pairs if _form(pair[0]) != _form(pair[1]))
    objects = [case for case in own if case.get("then")]
    yield from (
        (first, case) for case in objects for first in rest if _fit(first, case, alike=False)
    )
    yield from ((case, case) for case in objects)


def _fit(first: DrawnCase, second: Case, alike: bool = True) -> bool:
    """Tell whether two calls have different inputs and, for an object, one that is made `alike`.

    On one that is made in another way, both call the same methods with as many arrays: of a list that
    has some for each layer, what more there are may be returned or not.
    """
    keys = ("args", "kwargs", "then") if "then" not in second else ("then",)
    made = ("args", "kwargs", "judge") if "then" in second and alike else ("judge",)
    return (
        _has_one_call(first)
        and ("then" in first) == ("then" in second)
        and ("state" in first) == ("state" in second)
        and any(first.get(key) != second.get(key) for key in keys)
        and all(first.get(key) == second.get(key) for key in made)
        and (alike or array_counts(first) == array_counts(second))
    )


def _twice(first: DrawnCase, second: Case) -> DrawnCase:
    """Return one case with the calls of both."""
    group: DrawnCase = {"group": second["group"], "args": [], "names": second["names"], "seed": 0}
    for key in ("state", "judge", "forbidden"):
        if key in second:
            group[key] = second[key]
    undefined = [*first.get("undefined", []), *second.get("undefined", [])]
    if undefined:
        group["undefined"] = undefined
    group["title"] = SECOND_CALL
    if "then" in second:
        group |= {key: second[key] for key in ("args", "kwargs") if key in second}  # type: ignore[typeddict-item]
        group["then"] = [*first["then"], *second["then"]]
        return group
    group["args"] = first["args"]
    if "kwargs" in first:
        group["kwargs"] = first["kwargs"]
    group["again"] = [(second["args"], second.get("kwargs", {}))]
    return group


def _is_forgotten(reference: Callable[..., Any], twice: DrawnCase, second: Case) -> bool:
    """Tell whether the reference's second call gives what it gives alone."""
    outcome = run_case(reference, twice)
    if outcome["status"] != "value" or outcome.get("changed") or outcome.get("left"):
        return False
    results: Any = outcome["value"]
    count = max(1, len(second.get("then", [])))
    last = results["$tuple"][-count:]
    alone: Outcome = {"status": "value", "value": last[0] if count == 1 else {"$tuple": last}}
    return second["expected"]["status"] == "value" and judge_case(second, alone) is None


def _form(case: DrawnCase) -> Plain:
    """Return the inputs of the calls without their numbers and words: types, shapes and names."""
    return form([case["args"], case.get("kwargs", {}), [list(s) for s in case.get("then", [])]])
