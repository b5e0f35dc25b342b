"""The search for an input on which a surviving mutant and its reference differ.

The recorded cases and ten class seeds show no difference. So both run on the cases of many further
seeds, and on inputs made from drawn ones by small changes, the smallest first.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.authoring.audit.input_facts import Facts, as_array, read_inputs
from autograder.authoring.audit.judge_mutants import CASE_SECONDS, run_apart
from autograder.authoring.audit.perturbed_inputs import perturbed
from autograder.course.assignment import Assignment
from autograder.course.record_cases import essence, record_first_calls
from autograder.course.reference import Solution
from autograder.errors import AnswerError
from coursekit.checking import codec
from coursekit.checking.codec import ArrayView, SetView
from coursekit.checking.comparison import ATOL, RTOL
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.format import show
from coursekit.checking.gradients import ALL
from coursekit.checking.judge_case import judge_case
from coursekit.checking.recording_format import Case, DrawnCase, Outcome
from coursekit.checking.run_cases import run_case

#: Further seeds whose cases are drawn.
SEEDS = 100
#: Processor seconds that the reference may take on drawn and on changed inputs: fewer are tried then.
SECONDS = 3.0
#: Cases that are changed, of different seeds, and inputs that come of it, at most.
_CHANGED, _MAX_INPUTS = 40, 700
#: Cases whose gradients are compared if the author compares none.
_FOR_GRADIENTS = 4
#: On a changed input, numbers may differ by more than on a drawn one, whose size the author chose: by
#: these fractions of themselves, of the largest one in the result, and of the largest input.
_RTOL, _OF_RESULT, _OF_INPUTS = 1e-3, 1e-4, 1e-5


@dataclass(frozen=True)
class Probe:
    """An input with the reference's outcome.

    Attributes
    ----------
    case : Case
        The input as a case that expects the outcome.
    seed : int or None
        The class seed that draws it; None if it was made by a change.
    """

    case: Case
    seed: int | None


def make_probes(assignment: Assignment, name: str, after: int) -> list[Probe]:
    """Return the inputs on which survivors are compared, the smallest first.

    Parameters
    ----------
    after : int
        The last seed that mutants were judged with; the further ones follow.

    Raises
    ------
    CourseError
        The reference fails one of the cases of a further seed.
    """
    drawn: list[Probe] = []
    begin = time.process_time()
    for seed in range(after + 1, after + 1 + SEEDS):
        drawn += [Probe(c, seed) for c in record_first_calls(assignment, name, seed)["cases"]]
        if time.process_time() - begin > SECONDS:
            break
    reference = assignment.solution.definitions[name]
    made = list(_changed(reference, [probe.case for probe in drawn]))
    return sorted(drawn, key=_length) + sorted(made, key=_length)


def find_differences(
    solution: Solution,
    name: str,
    probes: list[Probe],
    sources: list[str],
    progress: Callable[[], None] = lambda: None,
) -> list[dict[str, Any] | None]:
    """Find for each source an input on which it differs from the reference.

    An input that has told one of them is tried first on the next ones: few inputs tell them all.

    Returns
    -------
    list of (dict of str to object, or None)
        None where no input tells the two apart; else "input", the number of the probe, "got", what
        the mutant gives there, and "after", True if it differs only after other calls.
    """
    order = list(range(len(probes)))

    def compare(source: str) -> dict[str, Any]:
        return _difference(solution, name, probes, order, source)

    found: list[dict[str, Any] | None] = []

    def note(result: dict[str, Any] | None) -> None:
        result = {"input": None, "got": "it ends its process"} if result is None else result
        if result and result["input"] is not None:
            order.remove(result["input"])
            order.insert(0, result["input"])
        found.append(result or None)
        progress()

    run_apart(compare, sources, note, per_process=1)
    return found


def _difference(
    solution: Solution, name: str, probes: list[Probe], order: list[int], source: str
) -> dict[str, Any]:
    try:
        answer = solution.run_answer(name, source)
    except AnswerError as error:
        return {"input": None, "got": str(error).partition("\n")[0]}
    with DefinedState():
        for number in order:
            case = probes[number].case
            outcome = run_case(answer, case, CASE_SECONDS)
            if judge_case(case, outcome) is not None:
                alone = run_case(solution.run_answer(name, source), case, CASE_SECONDS)
                after = judge_case(case, alone) is None
                return {"input": number, "got": shown(outcome), "after": after}
    return {}


def shown(outcome: Outcome) -> str:
    """Return an outcome as a short text."""
    if outcome["status"] == "value":
        return show(codec.decode_views(outcome["value"]), 160)
    return outcome.get("type") or outcome.get("message", "") or outcome["status"]


def _changed(reference: Any, drawn: list[Case]) -> Iterator[Probe]:
    """Yield inputs made by changes, with the outcomes of the reference, if it has one."""
    facts = Facts(drawn)
    may_be_infinite = not all(_is_finite(case["expected"]) for case in drawn)
    begin, n = time.process_time(), 0
    rng = np.random.default_rng(len(drawn))
    known = {json.dumps({**_bare(case), "seed": 0}) for case in drawn}
    with DefinedState():
        for case in [*_with_gradients(reference, drawn), *drawn[:_CHANGED]]:
            bare = _bare(case)
            for changed in (bare, *perturbed(bare, facts, reference, rng)):
                text = json.dumps({**changed, "seed": 0})
                if text in known:
                    continue
                known.add(text)
                probe = _probe(reference, changed, may_be_infinite)
                if probe is not None:
                    n += 1
                    yield probe
                if n >= _MAX_INPUTS or time.process_time() - begin > SECONDS:
                    return


def _bare(case: Case) -> Any:
    """Return a case without what changes with its inputs."""
    return {key: value for key, value in case.items() if key not in ("expected", "title")}


def _with_gradients(reference: Any, drawn: list[Case]) -> list[Case]:
    """Return cases for the gradients of a module, if no drawn case has any: it is to be trained."""
    is_module = isinstance(reference, type) and hasattr(reference, "register_parameter")
    if not is_module or any("gradient" in case for case in drawn):
        return []
    return [{**case, "gradient": ALL} for case in drawn[:_FOR_GRADIENTS]]


def _probe(reference: Any, changed: DrawnCase, may_be_infinite: bool) -> Probe | None:
    """Return a changed input with the reference's outcome; None if it is not meant for it."""
    outcome = run_case(reference, changed, CASE_SECONDS)
    rules: Any = {**changed.get("judge", {})}
    rules.pop("raises", None)
    if outcome["status"] == "error" and outcome.get("raised"):
        case: Case = {**changed, "expected": {"status": "error", "type": outcome["type"]}}
        return Probe(case, None)
    if outcome["status"] != "value" or not (may_be_infinite or _is_finite(outcome)):
        return None
    if rules.get("kind", "close") == "close":
        of_result = _OF_RESULT * _largest(codec.decode_views(outcome["value"]))
        of_inputs = _OF_INPUTS * _largest([as_array(v) for v in read_inputs(changed).values()])
        rules["rtol"] = max(rules.get("rtol", RTOL), _RTOL)
        rules["atol"] = max(rules.get("atol", ATOL), of_result, of_inputs)
    case = {**changed, "judge": rules, "expected": essence(changed, outcome)}
    again = run_case(reference, changed, CASE_SECONDS)
    return Probe(case, None) if judge_case(case, again) is None else None


def _is_finite(outcome: Outcome) -> bool:
    return "value" not in outcome or bool(
        np.isfinite(_largest(codec.decode_views(outcome["value"])))
    )


def _largest(view: Any) -> float:
    """Return the largest absolute value of the numbers in a result; NaN if one is NaN."""
    if isinstance(view, (ArrayView, np.ndarray)):
        values = view.values if isinstance(view, ArrayView) else view
        return float(np.abs(values).max()) if values.size and values.dtype.kind != "b" else 0.0
    if isinstance(view, (int, float)):
        return abs(float(view))
    if isinstance(view, dict):
        return _largest(list(view.values()))
    if isinstance(view, SetView):
        return _largest(list(view.items))
    if isinstance(view, (list, tuple)):
        return float(np.max([_largest(one) for one in view], initial=0.0))
    return 0.0


def _length(probe: Probe) -> int:
    return len(json.dumps({**probe.case, "expected": None, "judge": None}))
