"""Results of an audit: a cache per exercise, the listed equivalents, and the stored numbers."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.metadata
import json
import platform
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograder.authoring.audit.mutants import Mutant, as_edit, form
from autograder.course import verified
from autograder.course.assignment import SHARED, Assignment
from autograder.course.canonical_source import judged, without
from autograder.course.exercise import Exercise
from autograder.course.layout import Course
from autograder.course.reference import Solution
from autograder.errors import AnswerError

_PACKAGE = Path(__file__).parent
#: What judges a mutant: the same text must give the same verdict.
_MECHANISM = (
    *sorted(_PACKAGE.parents[2].joinpath("coursekit", "checking").glob("*.py")),
    *sorted(_PACKAGE.glob("*_operators.py")),
    *(
        _PACKAGE / f"{name}.py"
        for name in (
            "tensor_axes",
            "differing_inputs",
            "equal_by_algebra",
            "equivalent_mutants",
            "explain_survivors",
            "input_facts",
            "judge_mutants",
            "mutants",
            "observed_values",
            "one_place_edits",
            "perturbed_inputs",
        )
    ),
    *(_PACKAGE.parents[1] / "course" / f"{name}.py" for name in ("exercise", "record_cases")),
)


@dataclass
class Audit:
    """The audit of one exercise.

    Attributes
    ----------
    digest : str
        Of the exercise's sources; another digest means that it must be audited again.
    killed, with_hint, equivalent : int
        Numbers of mutants that lose points; of these, that are shown a hint; that lose none and are
        listed as right.
    recognized : int
        The number of those that lose none, are not listed, and are equal for a known reason.
    survivors : list of dict of str to object
        The mutants that lose no points, are not listed and differ from the reference on some input:
        "operator", "edit" and what `explain` says of that input.
    probably_equal : list of dict of str to object
        Those that lose no points, with no input known that tells them: "operator" and "edit".
    without_gradient : int
        The number of those that only cut gradients, in an exercise without a case that asks for any.
    inconsistent : list of dict of str to object
        Those that lose points with some seeds only, also with "lost with" and "kept with", lists of
        seeds; 0 is the recording.
    wrongly_listed : list of str
        Problems with the exercise's `EQUIVALENT`, as sentences.
    seconds : float
        Processor time.
    """

    assignment: str
    exercise: str
    digest: str
    mutants: int = 0
    killed: int = 0
    with_hint: int = 0
    equivalent: int = 0
    recognized: int = 0
    without_gradient: int = 0
    survivors: list[dict[str, Any]] = field(default_factory=list)
    inconsistent: list[dict[str, Any]] = field(default_factory=list)
    probably_equal: list[dict[str, Any]] = field(default_factory=list)
    wrongly_listed: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True if no mutant is known that differs from the reference and loses no points."""
        return not (self.survivors or self.inconsistent or self.wrongly_listed)


def summarize(assignment: Assignment, name: str, result: dict[str, Any]) -> Audit:
    """Sum up the result of `audit_exercise`, with the survivors that are listed set apart."""
    exercise = assignment.exercises[name]
    reference = assignment.solution.bare_sources[name]
    audit = Audit(assignment.name, name, digest(assignment, name), seconds=result["seconds"])
    listed, audit.wrongly_listed = _listed(exercise, reference)
    audit.mutants = len(result["mutants"])
    statuses: dict[str, str] = {}
    for mutant in result["mutants"]:
        own, status = mutant["form"], mutant["status"]
        statuses[own] = status
        if status == "killed":
            audit.killed += 1
            audit.with_hint += bool(mutant["misconception"])
            continue
        if status == "survived" and (own in listed or mutant["operator"] in exercise.exempt):
            audit.equivalent += 1
            continue
        shown = {"operator": mutant["operator"], "edit": as_edit(reference, mutant["source"])}
        if status == "inconsistent":
            for key, lost in (("lost with", True), ("kept with", False)):
                shown[key] = [int(seed) for seed, other in mutant["lost"].items() if other == lost]
            audit.inconsistent.append(shown)
        else:
            _add_survivor(audit, shown, mutant["explained"] or {})
    survived = {m["operator"] for m in result["mutants"] if m["status"] == "survived"}
    for operator, reason in exercise.exempt.items():
        if operator not in survived:
            problem = f"has `every edit: {operator}` ({reason}), but no such edit survives"
            audit.wrongly_listed.append(f"{name}: EQUIVALENT {problem}; remove it.")
    for own, (reason, edit) in listed.items():
        status = statuses.get(own, "not a mutant of the reference")
        if status != "survived":
            problem = "loses points" if status in ("killed", "inconsistent") else f"is {status}"
            audit.wrongly_listed.append(
                f"{name}: an edit in EQUIVALENT ({reason}) {problem}; remove it:\n{edit}"
            )
    return audit


def _add_survivor(audit: Audit, shown: dict[str, Any], explained: dict[str, Any]) -> None:
    if "differs" in explained:
        audit.survivors.append({**shown, **explained["differs"]})
    elif "reason" in explained:
        audit.recognized += 1
    elif "no gradient" in explained:
        audit.without_gradient += 1
    else:
        audit.probably_equal.append(shown)


def is_listed(exercise: Exercise, reference: str, mutant: Mutant) -> bool:
    """Tell whether the author has listed a mutant as right."""
    return mutant.operator in exercise.exempt or mutant.form in _listed(exercise, reference)[0]


def _listed(exercise: Exercise, reference: str) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return the reason and edit of each listed equivalent, by the form of its text, and problems."""
    found: dict[str, tuple[str, str]] = {}
    problems = []
    for answer in exercise.equivalents:
        try:
            found[form(answer.source(reference))] = answer.name, answer.text
        except (AnswerError, SyntaxError, ValueError) as error:
            problems.append(str(error))
    return found, problems


def digest(assignment: Assignment, name: str) -> str:
    """Return a digest of an exercise's sources: its modules, its reference and what that uses."""
    course = assignment.course
    folder = course.cases(assignment.name)
    modules = [folder / f"{name}.py", folder / f"{SHARED}.py", *course.shared_cases()]
    texts = [_judged(path.read_text("utf-8")) for path in modules if path.exists()]
    wrong = assignment.exercises[name].misconceptions
    texts += [f"{misconception.name}\n{misconception.text}" for misconception in wrong]
    texts += _used(assignment.solution, " ".join([name, *texts]))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def stale(course: Course, assignments: list[str]) -> list[str]:
    """Return the exercises whose audit is not stored, or is that of other sources."""
    return [
        name
        for assignment in (Assignment(course, own) for own in assignments)
        for name in assignment.exercises
        if stored(assignment).get(name, {}).get("digest") != digest(assignment, name)
    ]


def stored(assignment: Assignment) -> dict[str, Any]:
    """Return the stored audit of each exercise of an assignment, as `Audit` has it."""
    found = verified.read(assignment.course, assignment.name).get("audit", {})
    exercises = found.get("exercises", {}) if isinstance(found, dict) else {}
    return exercises if isinstance(exercises, dict) else {}


@functools.lru_cache(maxsize=1)
def mechanism() -> str:
    """Return a digest of what judges mutants."""
    texts = (path.read_bytes() for path in _MECHANISM)
    return hashlib.sha256(b"\n".join(texts)).hexdigest()[:16]


def _judged(module: str) -> str:
    """Return a module of cases without comments, imports and what no verdict depends on."""
    bare = without(judged(module), lambda node: isinstance(node, (ast.Import, ast.ImportFrom)))
    lines = bare.splitlines()
    return "\n".join(line for line in lines if line.strip() and line.lstrip()[0] != "#")


def _used(solution: Solution, around: str) -> list[str]:
    """Return the notebook's definitions and imports whose names occur in the text or in each other."""
    definitions = solution.definition_texts
    found: list[str] = []
    words = set(re.findall(r"\w+", around))
    while new := [defined for defined in definitions if defined in words and defined not in found]:
        found += new
        words |= {word for defined in new for word in re.findall(r"\w+", definitions[defined])}
    return [definitions[defined] for defined in sorted(found)]


def cached(assignment: Assignment, name: str, seeds: int) -> dict[str, Any] | None:
    """Return the stored result of an exercise, or None if anything that it depends on has changed."""
    try:
        stored = json.loads(_cache(assignment.course, name).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if stored.get("key") != _key(assignment, name, seeds):
        return None
    exercise, reference = assignment.exercises[name], assignment.solution.bare_sources[name]
    listed, _ = _listed(exercise, reference)
    unexplained = (
        mutant["status"] == "survived" and mutant["explained"] is None
        for mutant in stored["mutants"]
        if mutant["form"] not in listed and mutant["operator"] not in exercise.exempt
    )
    return None if any(unexplained) else stored


def store(assignment: Assignment, name: str, seeds: int, result: dict[str, Any]) -> None:
    """Keep the result of an exercise until something that it depends on changes."""
    path = _cache(assignment.course, name)
    path.parent.mkdir(exist_ok=True)
    stored = {"key": _key(assignment, name, seeds), **result}
    path.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def _cache(course: Course, name: str) -> Path:
    return course.root / ".audit" / f"{name}.json"


def _key(assignment: Assignment, name: str, seeds: int) -> list[Any]:
    return [digest(assignment, name), mechanism(), torch_version(), seeds]


def torch_version() -> str:
    """Return the version of torch, or "" if it is not installed."""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return ""


def write(assignment: Assignment, audits: list[Audit], seeds: int) -> None:
    """Store audits of exercises of an assignment; those of its other exercises are kept.

    Raises
    ------
    CourseError
        The file cannot be written.
    """
    measured_with = {
        "python": platform.python_version(),
        "torch": torch_version(),
        "class seeds": seeds,
    }
    fresh = {
        audit.exercise: {
            key: value
            for key, value in asdict(audit).items()
            if key not in ("assignment", "exercise")
        }
        for audit in audits
    }

    def change(results: dict[str, Any]) -> None:
        known = {**stored(assignment), **fresh}
        exercises = {name: known[name] for name in assignment.exercises if name in known}
        results["audit"] = {"measured_with": measured_with, "exercises": exercises}

    verified.update(assignment.course, assignment.name, change)
