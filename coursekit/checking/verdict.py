"""Judges outcomes: pure functions from plain data to a verdict.

`check` calls them on the student's machine, the grader outside the student's process. Neither
trusts the outcomes: they are plain data, compared with those of the reference.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from coursekit.checking import codec
from coursekit.checking.compare import JUDGES, Finding, same

#: A misconception's outcome where it follows from rounding or chance alone: it matches any.
UNDEFINED = {"status": "undefined"}
#: The stages in the order in which they are checked; the first that fails is reported.
STAGES = ("missing", "error", "type", "shape", "dtype", "property", "value")


@dataclass
class GroupResult:
    """The points that one group of cases earned, and why it lost any."""

    name: str
    points: float
    max_points: float
    passed: int
    total: int
    reason: str = ""


@dataclass
class Verdict:
    """Points and explanation for one exercise.

    Attributes
    ----------
    headline : one sentence: what is right or what went wrong first.
    misconception : the name of the recorded misconception that gives the same outputs, or "".
    hint : its hint, or "".
    detail : the failing case as lines of text: inputs, expected, actual, and where they differ.
    """

    exercise: str
    points: float
    max_points: float
    groups: list[GroupResult]
    headline: str = ""
    stage: str = ""
    misconception: str = ""
    hint: str = ""
    detail: list[list[str]] = field(default_factory=list)
    printed: str = ""

    @property
    def passed(self) -> bool:
        return self.points >= self.max_points

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        groups = [GroupResult(**group) for group in data["groups"]]
        return cls(**{**data, "groups": groups})


#: Control characters, which a terminal would interpret instead of showing.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def judge(exercise: dict[str, Any], outcomes: list[dict[str, Any]]) -> Verdict:
    """The verdict on one exercise.

    Parameters
    ----------
    exercise : a recorded exercise: its groups with points, cases with expected outcomes, and
        misconceptions with theirs.
    outcomes : one per case, in order; a missing one counts as unanswered.
    """
    cases = exercise["cases"]
    missing = {"status": "unreadable", "message": "no answer came back"}
    outcomes = [_clean(outcome) for outcome in outcomes[: len(cases)]]
    outcomes += [missing] * (len(cases) - len(outcomes))
    findings = judge_cases(cases, outcomes)
    groups = [_group(name, points, cases, findings) for name, points in exercise["groups"].items()]
    verdict = Verdict(
        exercise=exercise["name"],
        points=sum(group.points for group in groups),
        max_points=float(sum(exercise["groups"].values())),
        groups=groups,
    )
    failing = [i for i, finding in enumerate(findings) if finding is not None]
    if not failing:
        verdict.headline = "every case matches the reference"
        return verdict
    position = {group: number for number, group in enumerate(exercise["groups"])}
    first = min(position[cases[i]["group"]] for i in failing)
    named = _misconception(exercise, outcomes, failing)
    if named and all(position[cases[i]["group"]] > first for i in _explained(named, failing)):
        named = None  # it explains only special cases, but an ordinary one already fails
    worst = min(
        failing
        if named is None
        else _wrong(named),  # the case shown must be one that the hint explains
        key=lambda i: (
            position[cases[i]["group"]],
            STAGES.index(findings[i].stage),
            _size(cases[i]),
        ),
    )
    finding = findings[worst]
    verdict.stage = finding.stage
    verdict.headline = finding.message
    verdict.detail = _detail(exercise, cases[worst], outcomes[worst], finding)
    verdict.printed = _printed(outcomes[worst])
    if named is not None:
        verdict.misconception, verdict.hint = named["name"], named["hint"]
    return verdict


def judge_cases(
    cases: list[dict[str, Any]], outcomes: list[dict[str, Any]]
) -> list[Finding | None]:
    """What is wrong with each outcome, or None; shuffled orders are also compared with each other."""
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


def _without_generators(inputs: Any) -> tuple[Any, list[Any]]:
    """Encoded inputs without the seeds of their generators, and these seeds."""
    if isinstance(inputs, list):
        pairs = [_without_generators(item) for item in inputs]
        return [rest for rest, _ in pairs], [seed for _, seeds in pairs for seed in seeds]
    if isinstance(inputs, dict):
        if "$generator" in inputs:
            return "$generator", [inputs["$generator"]]
        rest, seeds = _without_generators(list(inputs.values()))
        return [list(inputs), rest], seeds
    return inputs, []


def judge_case(case: dict[str, Any], outcome: dict[str, Any]) -> Finding | None:
    """What is wrong with one outcome, or None."""
    status = outcome.get("status")
    expected = case["expected"]
    if status == "unwritten":
        message = outcome.get("message", "")
        todo = f": {message}" if message else ""
        return Finding("missing", f"not written yet{todo}")
    if status == "timeout":
        return Finding("error", f"it does not finish: {outcome.get('message', '')}")
    if status == "error":
        if expected["status"] == "error" and expected["type"] == outcome.get("type"):
            return None
        return _error_finding(outcome)
    if status != "value":
        return Finding("error", f"its result cannot be read: {outcome.get('message', '')}")
    if expected["status"] == "error":
        return Finding("value", f"this input should raise {expected['type']}")
    rules = case.get("judge", {})
    misbehaved = _misbehavior(outcome, rules)
    kind: Callable[..., Finding | None] = JUDGES[rules.get("kind", "close")]
    views = codec.decode_views(expected["value"]), codec.decode_views(outcome["value"])
    try:
        finding = kind(*views, rules)
    except (ArithmeticError, TypeError, ValueError):  # a value no judge was written for
        finding = Finding("type", "its result cannot be compared with the expected one")
    if misbehaved and (finding is None or finding.stage == "value"):
        return misbehaved
    return finding


def _misbehavior(outcome: dict[str, Any], rules: dict[str, Any]) -> Finding | None:
    """Side effects of the call: it changed an input, or used a global random generator."""
    if outcome.get("changed") and not rules.get("may_change_inputs"):
        names = ", ".join(outcome["changed"])
        return Finding("property", f"it changes its input {names} in place; work on a copy")
    if outcome.get("drew_from") and rules.get("keeps_generators"):
        names = " and ".join(outcome["drew_from"])
        message = f"it uses or reseeds the global random generator ({names})"
        return Finding("property", message)
    return None


def _clean(outcome: Any) -> dict[str, Any]:
    """The outcome with only valid fields: it comes from an untrusted process."""
    if not isinstance(outcome, dict) or not isinstance(outcome.get("status"), str):
        return {"status": "unreadable", "message": "the answer is malformed"}
    clean = {"status": outcome["status"], "value": outcome.get("value")}
    for key, limit in (("type", 80), ("message", 500), ("line", 300), ("printed", 2_000)):
        if isinstance(outcome.get(key), str):
            clean[key] = _CONTROLS.sub("", outcome[key][:limit])
    if isinstance(outcome.get("changed"), list):
        clean["changed"] = [str(name)[:80] for name in outcome["changed"][:20]]
    if isinstance(outcome.get("drew_from"), list):
        clean["drew_from"] = [str(name)[:40] for name in outcome["drew_from"][:5]]
    if isinstance(outcome.get("printed_characters"), int):
        clean["printed_characters"] = outcome["printed_characters"]
    if clean["status"] == "value":
        try:
            codec.decode_views(clean["value"])
        except (codec.PlainDataError, RecursionError):
            return {"status": "unreadable", "message": "the answer is malformed"}
    return clean


def _error_finding(outcome: dict[str, Any]) -> Finding:
    kind, message = outcome.get("type", "Error"), outcome.get("message", "")
    line = outcome.get("line", "")
    where = f" ({line})" if line else ""
    tip = next((f"; {tip}" for words, tip in _TIPS.items() if words in message), "")
    if kind == "NotImplementedError" and message.endswith("not written yet"):
        return Finding("error", message)
    return Finding("error", f"it raises {kind}: {message}{where}{tip}")


#: Tips for errors of Python and torch that beginners often see.
_TIPS = {
    "Boolean value of Tensor": "`if`, `and` and `max` need one truth value; use a tensor operation"
    " such as torch.where or clamp",
    "required positional argument": "keep the parameters that the exercise gives the function",
    "positional arguments but": "keep the parameters that the exercise gives the function",
    "unexpected keyword argument": "keep the parameters that the exercise gives the function",
    "shapes cannot be multiplied": "print both shapes: the two inner sizes must be equal",
    "must match the size of tensor": "print both shapes: axes are aligned from the last one",
    "raw_input was called": "it calls input(), which is not available while checking",
}


def _group(
    name: str, points: float, cases: list[dict[str, Any]], findings: list[Finding | None]
) -> GroupResult:
    """All of the group's points, or none and the reason."""
    own = [finding for case, finding in zip(cases, findings) if case["group"] == name]
    wrong = [finding for finding in own if finding is not None]
    result = GroupResult(name, float(points), float(points), len(own) - len(wrong), len(own))
    if wrong:
        first = min(wrong, key=lambda finding: STAGES.index(finding.stage))
        where = f" ({first.where})" if first.where else ""
        result.points, result.reason = 0.0, first.message + where
    return result


def _misconception(
    exercise: dict[str, Any], outcomes: list[dict[str, Any]], failing: list[int]
) -> dict[str, Any] | None:
    """The misconception whose wrong outputs all equal the student's, if any.

    If there are several, the one that explains the most failing cases.
    """
    best, explained = None, 0
    for misconception in exercise.get("misconceptions", []):
        theirs, wrong = misconception["outcomes"], _wrong(misconception)
        if not wrong or not set(wrong) <= set(failing) or len(wrong) <= explained:
            continue
        if all(same_outcome(exercise["cases"][i], theirs[i], outcomes[i]) for i in wrong):
            best, explained = misconception, len(wrong)
    return best


def _wrong(misconception: dict[str, Any]) -> list[int]:
    """The cases that the misconception gets wrong in a way that can be compared."""
    outcomes = misconception["outcomes"]
    return [i for i, o in enumerate(outcomes) if o is not None and o != UNDEFINED]


def _explained(misconception: dict[str, Any], failing: list[int]) -> list[int]:
    """The failing cases that the misconception explains, those included where it is undefined."""
    return [i for i in failing if misconception["outcomes"][i] is not None]


def agrees(case: dict[str, Any], one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Whether each of two outcomes passes the case if the other is the expected one."""
    pairs = ((one, two), (two, one))
    return all(judge_case({**case, "expected": a}, b) is None for a, b in pairs)


def same_outcome(case: dict[str, Any], theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether two outcomes of a case are the same, right or wrong, under the case's rules."""
    if theirs["status"] != ours.get("status"):
        return False
    if theirs["status"] == "error":
        return theirs["type"] == ours.get("type")
    if theirs["status"] != "value":
        return True
    rules = case.get("judge", {})
    if _misbehavior(theirs, rules) != _misbehavior(ours, rules):
        return False
    views = codec.decode_views(theirs["value"]), codec.decode_views(ours["value"])
    return same(*views, rules)


def _size(case: dict[str, Any]) -> int:
    return len(str(case.get("args"))) + len(str(case.get("kwargs"))) + len(str(case.get("then")))


def _detail(
    exercise: dict[str, Any], case: dict[str, Any], outcome: dict[str, Any], finding: Finding
) -> list[list[str]]:
    """Rows of label and text that show the failing case."""
    from coursekit.checking.format import show, show_call

    if finding.stage == "missing":
        return []
    rows = [["case", case["title"]]] if case.get("title") else []
    rows.append(["call", show_call(exercise, case)])
    if finding.stage == "error":
        return rows
    if case["expected"]["status"] == "value":
        rows.append(["expected", show(codec.decode_views(case["expected"]["value"]))])
    if outcome.get("status") == "value":
        rows.append(["yours", show(codec.decode_views(outcome["value"]))])
    if finding.where:
        rows.append(["largest difference", finding.where])
    return rows


def _printed(outcome: dict[str, Any]) -> str:
    """The first lines that the failing case printed, and how many characters there were in all."""
    text, count = outcome.get("printed", ""), outcome.get("printed_characters", 0)
    lines = text[:300].splitlines()[:5]
    shown = "\n".join(lines)
    if count > len(shown) + 1:
        shown += f"\n... ({count} characters in all)"
    return shown
