"""A second call, with other input: what an answer remembers of the first one shows in its result.

A case calls a function, or makes an object and calls it, once. An answer that keeps what belongs to
one call (a state in `self`, a cache, an object that it returns again and again) passes all of them.
So recording adds to each group a case with two calls, of two of its cases or of one and the same
case drawn a second time. Where the reference itself remembers, as one that trains does, it adds none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from coursekit.checking.judge_case import judge_case
from coursekit.checking.records import SECOND_CALL, Case, DrawnCase, Outcome, Plain
from coursekit.checking.run_cases import run_case

#: Rules of a judge that says whether parts of a result are right.
_RULES = {"rtol", "atol", "dtype", "order", "properties", "counters", "draws", "keeps_generators"}
#: How often the cases are drawn again: with a few, there are objects of equal sizes.
TURNS = 4
#: So many pairs of a group are tried; of most groups, the first one will do.
_PAIRS = 40


def second_calls(
    reference: Callable[..., Any], cases: Sequence[Case], others: Sequence[DrawnCase]
) -> list[DrawnCase]:
    """The cases with two calls, at most one for each group.

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
    for group in dict.fromkeys(case["group"] for case in cases):
        own = [case for case in cases if case["group"] == group and _has_one_call(case)]
        rest = [case for case in (*others, *cases) if case["group"] == group]
        for _, pair in zip(range(_PAIRS), _pairs(own, rest)):
            twice = _twice(*pair)
            if _is_forgotten(reference, twice, pair[1]):
                twice["seed"] = len(cases) + len(found)
                found.append(twice)
                break
    return found


def _has_one_call(case: DrawnCase) -> bool:
    """Whether the case compares the result of calls that return."""
    rules = case.get("judge", {})
    is_compared = "gradient" not in case and set(rules) <= _RULES
    steps = case.get("then", [])
    return is_compared and (not steps or any(not step[0].startswith(".") for step in steps))


def _pairs(own: Sequence[Case], rest: Sequence[DrawnCase]) -> Iterator[tuple[DrawnCase, Case]]:
    """A first call and a second one; those of the same shapes come first, one case twice last."""
    pairs = [(first, case) for case in own for first in rest if _fit(first, case)]
    yield from (pair for pair in pairs if _form(pair[0]) == _form(pair[1]))
    yield from (pair for pair in pairs if _form(pair[0]) != _form(pair[1]))
    objects = [case for case in own if case.get("then")]
    yield from (
        (first, case) for case in objects for first in rest if _fit(first, case, alike=False)
    )
    yield from ((case, case) for case in objects)


def _fit(first: DrawnCase, second: Case, alike: bool = True) -> bool:
    """Whether the two are calls with different inputs, for an object, on one that is made `alike`."""
    keys = ("args", "kwargs", "then") if "then" not in second else ("then",)
    made = ("args", "kwargs", "judge") if "then" in second and alike else ("judge",)
    return (
        _has_one_call(first)
        and ("then" in first) == ("then" in second)
        and ("state" in first) == ("state" in second)
        and any(first.get(key) != second.get(key) for key in keys)
        and all(first.get(key) == second.get(key) for key in made)
    )


def _twice(first: DrawnCase, second: Case) -> DrawnCase:
    """One case with the calls of both."""
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
    """Whether the reference's second call gives what it gives alone."""
    outcome = run_case(reference, twice)
    if outcome["status"] != "value" or outcome.get("changed") or outcome.get("left"):
        return False
    results: Any = outcome["value"]
    count = max(1, len(second.get("then", [])))
    last = results["$tuple"][-count:]
    alone: Outcome = {"status": "value", "value": last[0] if count == 1 else {"$tuple": last}}
    return second["expected"]["status"] == "value" and judge_case(second, alone) is None


def _form(case: DrawnCase) -> Plain:
    """The inputs of the calls without their numbers and words: types, shapes and names."""
    return _shape([case["args"], case.get("kwargs", {}), [list(s) for s in case.get("then", [])]])


def _shape(value: Any) -> Plain:
    if isinstance(value, list):
        return [_shape(item) for item in value]
    if isinstance(value, dict):
        if "data" in value:
            return [value["dtype"], *value["shape"]]
        return {key: _shape(item) for key, item in value.items()}
    return type(value).__name__
