"""Judgment of outcomes: pure functions from plain data to a verdict.

`check` calls them on the student's machine, the grader outside the student's process. Neither
trusts the outcomes: they are plain data, compared with those of the reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from coursekit.checking import codec
from coursekit.checking.comparison import Finding
from coursekit.checking.comparison_cost import cost
from coursekit.checking.hints import choose, choose_pair, digest
from coursekit.checking.judge_case import judge_cases
from coursekit.checking.process_settings import WORDS
from coursekit.checking.recording_format import SECOND_CALL, Case, Outcome, RecordedExercise

#: The stages in the order in which they are checked; the first that fails is reported.
STAGES = ("missing", "error", "type", "shape", "dtype", "property", "value")


@dataclass
class GroupResult:
    """Points that one group of cases earned, and why it lost any.

    Attributes
    ----------
    reason : str
        Why it lost points, with the numbers that differ; "" if it lost none.
    outline : str
        The same without any expected value.
    """

    name: str
    points: float
    max_points: float
    passed: int
    total: int
    reason: str = ""
    outline: str = ""


@dataclass
class Verdict:
    """Points and explanation for one exercise.

    Attributes
    ----------
    headline : str
        One sentence: what is right or what went wrong first.
    misconception : str
        The name of the recorded misconception that gives the same outputs, or "".
    hint : str
        Its hint, or "".
    next_hint : str
        The hint of a second misconception, which changes the same outputs, or "".
    detail : list of list of str
        The failing case as lines of text: inputs, expected, actual, and where they differ.
    printed : str
        What the failing case printed.
    case : int
        The index of the failing case that is shown, or -1.
    digest : str
        Equal for answers with the same wrong outputs, up to rounding; "" if all are right.
    judged_with : list of str
        The exercises that this one calls and that grading replaced by right ones, since the
        student's are wrong.
    changed : bool
        Whether the student's passed their own checks, and were changed after these.
    of_helper : bool
        Whether the headline is about another exercise, which this one calls.
    """

    exercise: str
    points: float
    max_points: float
    groups: list[GroupResult]
    headline: str = ""
    stage: str = ""
    misconception: str = ""
    hint: str = ""
    next_hint: str = ""
    detail: list[list[str]] = field(default_factory=list)
    printed: str = ""
    case: int = -1
    digest: str = ""
    judged_with: list[str] = field(default_factory=list)
    changed: bool = False
    of_helper: bool = False

    @property
    def passed(self) -> bool:
        """True if all points are earned."""
        return self.points >= self.max_points

    @property
    def help(self) -> str:
        """Clause that names the right helpers it was judged with; "" if with the student's own."""
        if not self.judged_with:
            return ""
        *others, last = [f"`{name}`" for name in self.judged_with]
        names = f"{', '.join(others)} and {last}" if others else last
        if self.changed:
            checks = "their checks" if others else "its check"
            return f"judged with a right {names}, since yours changed after {checks} had passed"
        be = "are" if others else "is"
        return f"judged with a right {names}, since yours {be} wrong or missing"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        """Return the verdict that `to_dict` wrote."""
        groups = [GroupResult(**group) for group in data["groups"]]
        return cls(**{**data, "groups": groups})


#: The rows of a failing case that are made of what was answered.
YOURS, DIFFERENCE = "yours", "largest difference"
#: What is told of wrong values where the expected ones are not.
_OTHER_VALUES = "the values are not the expected ones"

_Text = Literal["type", "bases", "message", "line", "place", "keeps", "shadows", "printed"]
#: The texts in an outcome, and their greatest lengths.
_TEXTS: dict[_Text, int] = {
    "type": 80,
    "bases": 200,
    "message": 500,
    "line": 300,
    "place": 200,
    "keeps": 100,
    "shadows": 200,
    "printed": 2_000,
}
#: What a submission can say; it has no say in what is undefined.
_STATUSES = ("value", "error", "unwritten", "timeout", "unreadable")
#: Control characters, which a terminal would interpret instead of showing.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


#: What an outcome may cost (see `comparison_cost`) for every case, and times the recorded ones of its case.
_ANY_COST, _TIMES = 2**16, 8


def room(exercise: RecordedExercise) -> list[int]:
    """Return each case's limit on an outcome's cost: a few times that of the recorded outcomes.

    A larger one is wrong whatever is in it, and could take the judge minutes.
    """
    return [_room(exercise, i) for i in range(len(exercise["cases"]))]


def _room(exercise: RecordedExercise, i: int) -> int:
    """Return the limit on an outcome's cost for one case."""
    wrong = exercise.get("misconceptions", [])
    recorded = [exercise["cases"][i]["expected"], *(m["outcomes"][i] for m in wrong)]
    return _ANY_COST + _TIMES * max(cost(one, 2**30) for one in recorded)


def too_large(outcome: Any, most: int) -> Outcome | None:
    """Return the outcome to judge in place of one that costs more than `most`, else None."""
    if cost(outcome, most) <= most:
        return None
    message = "it is many times larger than the expected one"
    return {"status": "unreadable", "message": message}


def _refused(exercise: RecordedExercise, i: int, outcome: Any) -> Outcome | None:
    """Return `too_large` for a case's outcome; measure the recorded ones only for a large one."""
    return too_large(outcome, _ANY_COST) and too_large(outcome, _room(exercise, i))


def judge(exercise: RecordedExercise, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict on one exercise; decode each value once, and only if it is small enough.

    Parameters
    ----------
    exercise : RecordedExercise
        A recorded exercise: its groups with points, cases with expected outcomes, and
        misconceptions with theirs.
    outcomes : sequence of Outcome
        One per case, in order; a missing one counts as unanswered.
    """
    with codec.decoded_once():
        return _judge(exercise, outcomes)


def _judge(exercise: RecordedExercise, outcomes: Sequence[Outcome]) -> Verdict:
    """Return the verdict, inside a block of `decoded_once`."""
    cases = exercise["cases"]
    missing: Outcome = {"status": "unreadable", "message": "no answer came back"}
    outcomes = [
        _refused(exercise, i, outcome) or clean(outcome)
        for i, outcome in enumerate(outcomes[: len(cases)])
    ]
    outcomes += [missing] * (len(cases) - len(outcomes))
    findings = judge_cases(cases, outcomes)
    groups = [_group(name, points, cases, findings) for name, points in exercise["groups"].items()]
    verdict = Verdict(
        exercise=exercise["name"],
        points=sum(group.points for group in groups),
        max_points=float(sum(exercise["groups"].values())),
        groups=groups,
    )
    wrong = {i: finding for i, finding in enumerate(findings) if finding is not None}
    failing = list(wrong)
    if not failing:
        verdict.headline = "every case matches the reference"
        return verdict
    position = {group: number for number, group in enumerate(exercise["groups"])}
    named, explained = choose(exercise, outcomes, failing) or (None, failing)
    pair, both = (named is None and choose_pair(exercise, outcomes, failing)) or (None, explained)
    worst = min(
        both,  # the case shown must be one that the hint explains
        key=lambda i: (
            position[cases[i]["group"]],
            *_rank(cases[i], wrong[i]),
            _size(cases[i]),
        ),
    )
    finding = wrong[worst]
    verdict.stage = finding.stage
    verdict.headline = finding.message + _on_memory(cases, outcomes, wrong, worst)
    verdict.detail = _detail(exercise, cases[worst], outcomes[worst], finding)
    verdict.printed = _printed(outcomes[worst])
    verdict.case = worst
    verdict.digest = digest({i: outcomes[i] for i in failing})
    if named is not None:
        verdict.misconception, verdict.hint = named["name"], named["hint"]
    elif pair is not None:
        hints = {m["name"]: m["hint"] for m in exercise["misconceptions"]}
        verdict.misconception = pair["names"][0]
        verdict.hint, verdict.next_hint = (hints[name] for name in pair["names"])
    elif all(o["status"] == "value" and o["value"] is None for o in outcomes):
        verdict.hint = "Every call returned None, as a function without `return` does."
    elif finding.stage != "missing":
        verdict.detail += _comparison(cases, failing, worst)
    return verdict


def _on_memory(
    cases: Sequence[Case], outcomes: Sequence[Outcome], wrong: dict[int, Finding], shown: int
) -> str:
    """Say that an answer keeps state between calls; "" if nothing points to that."""
    words = "; its result {} on an earlier call: {}"
    if place := next((outcome["keeps"] for outcome in outcomes if outcome.get("keeps")), ""):
        return words.format("may depend", f"it keeps something in {place}")
    if not all(cases[i].get("title") == SECOND_CALL for i in wrong):
        return ""
    look = "look for a default value that can change, an attribute, or a cache"
    part = re.match(r"in result\[(\d+)\]", wrong[shown].message)
    if part is None:
        return words.format("may depend", look)
    of_second = 2 * int(part[1]) >= len(cases[shown].get("then", [0, 0]))
    return words.format("depends", look) if of_second else ""


def clean(outcome: Any) -> Outcome:
    """Return the outcome with only valid fields: it comes from an untrusted process."""
    if not isinstance(outcome, dict) or outcome.get("status") not in _STATUSES:
        return {"status": "unreadable", "message": "the answer is malformed"}
    clean: Outcome = {"status": outcome["status"], "value": outcome.get("value")}
    for key, limit in _TEXTS.items():
        if isinstance(outcome.get(key), str):
            clean[key] = _CONTROLS.sub("", outcome[key][:limit])
    if isinstance(outcome.get("changed"), list):
        clean["changed"] = [str(name)[:80] for name in outcome["changed"][:20]]
    if isinstance(outcome.get("drew_from"), list):
        clean["drew_from"] = [str(name)[:40] for name in outcome["drew_from"][:5]]
    if isinstance(outcome.get("next_draws"), list):
        clean["next_draws"] = [n for n in outcome["next_draws"][:20] if isinstance(n, float)]
    if outcome.get("constant") is True:
        clean["constant"] = True
    if outcome.get("raised") is True:
        clean["raised"] = True
    if isinstance(outcome.get("left"), list):
        clean["left"] = [name for name in WORDS if name in outcome["left"]]
    if isinstance(outcome.get("printed_characters"), int):
        clean["printed_characters"] = outcome["printed_characters"]
    if clean["status"] == "value":
        try:
            codec.decode_views(clean["value"])
        except (codec.PlainDataError, RecursionError):
            return {"status": "unreadable", "message": "the answer is malformed"}
    return clean


def _group(
    name: str, points: float, cases: Sequence[Case], findings: list[Finding | None]
) -> GroupResult:
    """Return a group's result: all of its points, or none and the reason."""
    own = [(case, finding) for case, finding in zip(cases, findings) if case["group"] == name]
    wrong = [(case, finding) for case, finding in own if finding is not None]
    result = GroupResult(name, float(points), float(points), len(own) - len(wrong), len(own))
    if wrong:
        _, first = min(wrong, key=lambda pair: _rank(*pair))
        where = f" ({first.where})" if first.where else ""
        result.points, result.reason = 0.0, first.message + where
        result.outline = _OTHER_VALUES if first.stage == "value" else first.message
    return result


def _rank(case: Case, finding: Finding) -> tuple[bool, int]:
    """Return a sort key: gradients last, since wrong values have wrong gradients; then by stage."""
    return "gradient" in case, STAGES.index(finding.stage)


def _size(case: Case) -> int:
    """Return the length of a case's inputs as text."""
    return sum(len(str(case.get(key))) for key in ("args", "kwargs", "then", "again"))


def _detail(
    exercise: RecordedExercise, case: Case, outcome: Outcome, finding: Finding
) -> list[list[str]]:
    """Return rows of label and text that show the failing case."""
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
        rows.append([YOURS, show(codec.decode_views(outcome["value"]))])
    if finding.where:
        rows.append([DIFFERENCE, finding.where])
    return rows


def _comparison(cases: Sequence[Case], failing: list[int], shown: int) -> list[list[str]]:
    """Return rows on the passing cases, and on inputs that only the failing cases have."""
    from coursekit.checking.failure_patterns import distinguish, passing

    rows = [["right", passing(cases, failing)]]
    if not cases[shown].get("title"):
        rows.append(["fails only where", distinguish(cases, failing)])
    return [row for row in rows if row[1]]


def _printed(outcome: Outcome) -> str:
    """Return the first lines that the failing case printed, and how many characters it printed."""
    text, count = outcome.get("printed", ""), outcome.get("printed_characters", 0)
    lines = text[:300].splitlines()[:5]
    shown = "\n".join(lines)
    if count > len(shown) + 1:
        shown += f"\n... ({count} characters in all)"
    return shown
