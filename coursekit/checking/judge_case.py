"""Judgment of one case: pure functions of a case and an outcome, both plain data."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coursekit.checking import codec
from coursekit.checking.codec import ArrayView
from coursekit.checking.comparison import ATOL, JUDGES, Finding, same
from coursekit.checking.gradients import ALL
from coursekit.checking.process_settings import WORDS
from coursekit.checking.recording_format import Case, Outcome, Plain, Rules


def judge_cases(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> list[Finding | None]:
    """Return each outcome's finding or None; compare shuffled orders with each other, too."""
    findings = [judge_case(case, outcome) for case, outcome in zip(cases, outcomes)]
    shuffled = [
        (i, *_without_generators([case.get("args"), case.get("kwargs")]))
        for i, case in enumerate(cases)
        if case.get("judge", {}).get("must_shuffle") and findings[i] is None
    ]
    for (i, inputs, seeds), (j, *others) in itertools.combinations(shuffled, 2):
        equal = outcomes[i]["value"] == outcomes[j]["value"]
        if seeds and inputs == others[0] and (seeds == others[1]) != equal:
            message = (
                "two different generators give the same order"
                if equal
                else "the same state of the generator gives different orders"
            )
            message += "; draw it from the one you are given"
            findings[i] = findings[j] = Finding("value", message)
    return findings


def _without_generators(inputs: Plain) -> tuple[Plain, list[Plain]]:
    """Separate encoded inputs from the seeds of their generators, and return both."""
    if isinstance(inputs, list):
        pairs = [_without_generators(item) for item in inputs]
        return [rest for rest, _ in pairs], [seed for _, seeds in pairs for seed in seeds]
    if isinstance(inputs, dict):
        if "$generator" in inputs:
            return "$generator", [inputs["$generator"]]
        rest, seeds = _without_generators(list(inputs.values()))
        return [list(inputs), rest], seeds
    return inputs, []


#: Of gradients, relative to the largest of a case: sums of many products in single precision.
_GRADIENT_TOLERANCE = 1e-4
#: What rounding may leave of one input's gradient where large terms cancel, relative to the largest.
_CANCELLATION = 1e-5


def judge_case(case: Case, outcome: Outcome) -> Finding | None:
    """Return the finding on one outcome, or None if it is right."""
    finding = _finding(case, outcome)
    if finding is None or finding.stage == "missing" or not outcome.get("shadows"):
        return finding
    return replace(finding, message=f"{finding.message}; {outcome['shadows']}")


def _finding(case: Case, outcome: Outcome) -> Finding | None:
    """Return the finding on an outcome, without the note on shadowed built-in names."""
    status = outcome.get("status")
    expected = case["expected"]
    if status == "unwritten":
        message = outcome.get("message", "")
        todo = f": {message}" if message else ""
        return Finding("missing", f"not written yet{todo}")
    if status == "timeout":
        return Finding("error", f"it does not finish: {outcome.get('message', '')}")
    if status == "error":
        raised = [outcome.get("type"), *outcome.get("bases", "").split()]
        if expected["status"] == "error" and expected["type"] in raised:
            return None
        return _error_finding(outcome, expected)
    if status != "value":
        return Finding("error", f"its result cannot be read: {outcome.get('message', '')}")
    if expected["status"] == "error":
        return Finding("value", f"this input should raise {expected['type']}")
    misbehaved = _misbehavior(outcome, case.get("judge", {}), expected)
    finding = _difference(case, outcome)
    if misbehaved and (finding is None or finding.stage == "value"):
        return misbehaved
    return finding and _naming_the_attribute(case, finding)


def _difference(case: Case, outcome: Outcome) -> Finding | None:
    """Return the finding on the value that a call returned, or on its gradients."""
    rules, expected = case.get("judge", {}), case["expected"]
    kind = JUDGES[rules.get("kind", "close")]
    views = codec.decode_views(expected["value"]), codec.decode_views(outcome["value"])
    if case.get("gradient") == ALL and all(map(_are_gradients, views)):
        return _gradient_finding(*views, rules)
    if case.get("gradient") and isinstance(views[0], ArrayView):
        least = _CANCELLATION * _largest([views[0]])
        rules = {**rules, "atol": max(rules.get("atol", ATOL), least)}
    try:
        finding = kind(*views, rules)
    except (ArithmeticError, TypeError, ValueError):  # a value no judge was written for
        finding = Finding("type", "its result cannot be compared with the expected one")
    if finding is None and rules.get("counters"):
        finding = _counter_finding(expected["value"], outcome["value"])
    is_drawn = outcome.get("next_draws") == expected.get("next_draws")
    if finding is None and rules.get("draws") and not is_drawn:
        message = "it draws more or fewer numbers from its generator than the text says"
        finding = Finding("property", f"{message}, so whoever draws next gets others")
    return finding


_PART = re.compile(r"in result\[(\d+)\]")


def _naming_the_attribute(case: Case, finding: Finding) -> Finding:
    """Rename the part of the result in a finding to the attribute that the case reads."""
    steps = [step[0] for step in case.get("then", [])]
    part = _PART.match(finding.message)
    if part is None or len(steps) < 2 or not steps[int(part[1])].startswith("."):
        return finding
    message = f"in obj{steps[int(part[1])]}{finding.message[part.end() :]}"
    return replace(finding, message=message.replace(": it returns ", ": it is ", 1))


def _gradient_finding(
    expected: dict[str, Any], actual: dict[str, Any], rules: Rules
) -> Finding | None:
    """Return the finding on the gradients of a case that asks for all of them, by name."""
    least = _gradient_rules(expected, {})["atol"]
    for name, gradient in expected.items():
        if name not in actual:
            return Finding("property", f"{name} is not a parameter that training would change")
        if not actual[name].values.any() and (np.abs(gradient.values) > least).any():
            return Finding("property", f"no gradient reaches {name}, so it would not be trained")
    for name, gradient in actual.items():
        is_large = (np.abs(gradient.values) > least).any()
        if name not in expected and is_large and not _is_another_name(gradient, expected, actual):
            message = f"{name} would be trained, but should be frozen, or not be there at all"
            return Finding("property", message)
    same_names = {name: actual[name] for name in expected}
    finding = JUDGES["close"](expected, same_names, _gradient_rules(expected, rules))
    if finding is not None:
        finding = replace(finding, message=f"its gradient differs: {finding.message}")
    return finding


def _are_gradients(view: Any) -> bool:
    """Tell whether a view is a dictionary of tensors of numbers; a submission can send anything."""
    return isinstance(view, dict) and all(
        isinstance(g, ArrayView) and g.values.dtype.kind in "fiub" for g in view.values()
    )


def _gradient_rules(gradients: dict[str, Any], rules: Rules) -> Rules:
    """Return the tolerances of gradients; `atol` allows for rounding in a gradient of 0."""
    tolerance = rules.get("rtol", _GRADIENT_TOLERANCE)
    return {"rtol": tolerance, "atol": tolerance * _largest(gradients.values())}


def _largest(arrays: Iterable[ArrayView]) -> float:
    """Return the largest absolute value that is finite; 0 if there is none."""
    finite = (np.abs(array.values[np.isfinite(array.values)]) for array in arrays)
    return float(max((values.max(initial=0) for values in finite), default=0))


def _is_another_name(gradient: Any, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """Tell whether a gradient equals that of a parameter with an expected name."""
    return any(np.array_equal(gradient.values, actual[name].values) for name in expected)


def _misbehavior(outcome: Outcome, rules: Rules, expected: Outcome) -> Finding | None:
    """Return the finding on side effects: changed inputs, random generators or settings."""
    if outcome.get("changed") and not rules.get("may_change_inputs"):
        names = ", ".join(outcome["changed"])
        return Finding("property", f"it changes its input {names} in place; work on a copy")
    if outcome.get("drew_from") and rules.get("keeps_generators"):
        names = " and ".join(outcome["drew_from"])
        message = f"it uses or reseeds the global random generator ({names})"
        return Finding("property", message)
    if outcome.get("constant") and not expected.get("constant"):
        message = (
            "its result has no gradient, so `backward()` raises an error; compute it from the inputs,"
            " not as a constant such as torch.tensor(0.0), and without .item()"
        )
        return Finding("property", message)
    for setting in outcome.get("left", ()):
        if setting not in expected.get("left", ()):
            return Finding("property", WORDS[setting])
    return None


def _counter_finding(expected: Any, actual: Any) -> Finding | None:
    """Return a finding where a `Counter` is expected and another mapping has equal values."""
    if not (isinstance(expected, dict) and isinstance(actual, dict)):
        return None
    ours, theirs = expected.get("$dict"), actual.get("$dict")
    if not (isinstance(ours, list) and isinstance(theirs, list)):
        return None
    if expected.get("type") == "Counter" != actual.get("type"):
        message = (
            f"it contains an object of type {str(actual.get('type'))[:40]} instead of a Counter,"
            " which answers 0 for what it has not counted"
        )
        return Finding("type", message)
    pairs = dict(zip(map(str, (key for key, _ in theirs)), (value for _, value in theirs)))
    found = (_counter_finding(value, pairs.get(str(key))) for key, value in ours)
    return next((finding for finding in found if finding is not None), None)


def _error_finding(outcome: Outcome, expected: Outcome) -> Finding:
    """Return the finding on an exception, with a tip for common ones."""
    kind, message = outcome.get("type", "Error"), outcome.get("message", "")
    line = outcome.get("line", "")
    where = f" ({line})" if line else ""
    if kind == "NotImplementedError" and message.endswith("not written yet"):
        return Finding("error", message)
    if kind == "NotAllowed":
        return Finding("error", f"{message}{where}")
    if kind == "StdinNotImplementedError":  # Jupyter's
        return Finding("error", f"it calls input(), which is not available while checking{where}")
    if expected["status"] == "error":  # a tip would help to get rid of the error, not to raise one
        wanted = f"this input should raise {expected['type']}"
        return Finding(
            "error", f"{wanted}; it raises {kind}{f': {message}' if message else ''}{where}"
        )
    if not outcome.get("place") and "docstring" in message:  # ours, of a part that is missing
        return Finding("error", message)
    tips = _TIPS if outcome.get("place") else {**_TIPS, **_TIPS_FOR_THE_CALL}
    tip = next((f"; {tip}" for words, tip in tips.items() if words in message), "")
    what = f"{kind}: {message}" if message else kind
    return Finding("error", f"it raises {what}{where}{tip}")


#: Tips for errors of Python and torch that beginners often see.
_TIPS = {
    "Boolean value of Tensor": "`if`, `and` and `max` need one truth value; use a tensor operation"
    " such as torch.where or clamp",
    "shapes cannot be multiplied": "print both shapes: the two inner sizes must be equal",
    "must match the size of tensor": "print both shapes: axes are aligned from the last one",
}
#: Tips for errors that are raised before the first line of the student's code.
_TIPS_FOR_THE_CALL = dict.fromkeys(
    ("positional argument", "unexpected keyword argument"),
    "keep the parameters that the exercise gives the function",
)


def agrees(case: Case, one: Outcome, two: Outcome) -> bool:
    """Tell whether each of two outcomes passes the case if the other is the expected one."""
    pairs = ((one, two), (two, one))
    return all(judge_case({**case, "expected": a}, b) is None for a, b in pairs)


def same_outcome(case: Case, theirs: Outcome, ours: Outcome) -> bool:
    """Tell whether two outcomes of a case are equal under its rules, be they right or wrong."""
    if theirs["status"] != ours.get("status"):
        return False
    if theirs["status"] == "error":
        return _same_error(theirs, ours)
    if theirs["status"] != "value":
        return True
    rules = case.get("judge", {})
    expected = case["expected"]
    if _misbehavior(theirs, rules, expected) != _misbehavior(ours, rules, expected):
        return False
    views = codec.decode_views(theirs["value"]), codec.decode_views(ours["value"])
    if case.get("gradient") == ALL and all(map(_are_gradients, views)):
        rules = _gradient_rules(views[0], rules)
    return same(*views, rules)


def _same_error(theirs: Outcome, ours: Outcome) -> bool:
    """Tell whether two exceptions are the same: type, place and message.

    The sizes in a message may be in another order (``a + b`` and ``b + a``), and versions of Python
    and torch word a message differently; everything in quotes is compared exactly. Of two that an
    answer's own ``raise`` has raised, the message does not matter: everybody words it differently.
    """
    if theirs.get("raised") and ours.get("raised"):
        return all(theirs.get(key) == ours.get(key) for key in ("type", "place"))
    if not _same_kind_of_error(theirs, ours):
        return False
    (words, quoted), (our_words, our_quoted) = _words(theirs), _words(ours)
    alike = len(words & our_words) >= _ALIKE * len(words | our_words)
    return alike and quoted == our_quoted


def _same_kind_of_error(one: Outcome, two: Outcome) -> bool:
    """Tell whether two exceptions agree in type, place and the numbers of their messages."""
    keys = ("type", "place")
    return all(one.get(key) == two.get(key) for key in keys) and _numbers(one) == _numbers(two)


#: The share of the words that two wordings of a message have in common.
_ALIKE = 0.5
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
#: Sizes such as 2x3, names such as float32, numbers.
_TOKEN = re.compile(r"(\d+)x(\d+)|([A-Za-z_]\w*)|(\d+)")


def _words(error: Outcome) -> tuple[set[str], list[str]]:
    """Return the words of an error message, and its quoted parts."""
    message = error.get("message", "")
    bare = _QUOTED.sub(" ", message)
    return {word.lower() for _, _, word, _ in _TOKEN.findall(bare) if word}, _QUOTED.findall(
        message
    )


def _numbers(error: Outcome) -> list[str]:
    """Return the numbers in an error message, sorted."""
    found = _TOKEN.findall(error.get("message", ""))
    return sorted(number for a, b, _, n in found for number in (a, b, n) if number)
