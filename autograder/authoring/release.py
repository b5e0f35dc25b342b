"""Builds what is generated from the solution notebooks, and proves that it is right.

Generated: the recordings (`coursekit/recordings/`), the student notebooks (`notebooks/`), and
the stamped parts of the solution notebooks themselves.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring.stamp import stamp, taken_over
from autograder.course import catalog
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record_assignment
from autograder.course.reference import definitions, read
from autograder.errors import CourseError
from coursekit import __version__
from coursekit.checking import codec
from coursekit.checking.compare import same
from coursekit.checking.recordings import FORMAT
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

#: A line of a solution this long must not stand anywhere else; shorter ones may be commonplace.
_TELLING = 20


@dataclass
class Report:
    """What a release did: files written, or (with check) files found stale."""

    stale: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


def release(
    course: Course,
    assignments: list[str],
    check: bool = False,
    progress: Callable[[str], None] = lambda name: None,
) -> Report:
    """Build and prove the given assignments; with `check` write nothing and report what is stale.

    Raises
    ------
    CourseError
        A proof fails: the solution fails its own check, the student notebook is not empty of
        solutions, a misconception is not caught or another's hint is shown, an alternative fails,
        a group's cases are the same for every seed, an exercise's name is used twice in the course.
    """
    report = Report()
    _require_unique_names(course)
    for assignment in assignments:
        progress(assignment)
        own = catalog.exercises(course, assignment)
        path = course.solution(assignment)
        solution = read(path)
        stamped = nbformat.writes(stamp(solution, course, assignment, own)) + "\n"
        _put(report, course, path, stamped, check)
        recorded = record_assignment(course, assignment, RECORDING_SEED)
        _require_enough(own)
        _prove_misconceptions(recorded)
        _prove_alternatives(own, recorded)
        _prove_fresh_cases(recorded, record_assignment(course, assignment, seed=1))
        _put_recording(report, course, assignment, recorded, check)
        student = _student_notebook(course, assignment, stamped)
        _prove_student_notebook(course, assignment, stamped, student, recorded)
        _put(report, course, course.notebook(assignment), student, check)
    _put(report, course, course.recordings / "index.json", _index(course), check)
    return report


def _require_unique_names(course: Course) -> None:
    owners: dict[str, str] = {}
    for assignment in course.assignments():
        for name in catalog.exercises(course, assignment):
            if name in owners:
                raise CourseError(
                    f"{owners[name]} and {assignment} both have an exercise called {name}; a name"
                    " is used once in the course."
                )
            owners[name] = assignment


def _require_enough(own: dict[str, Any]) -> None:
    for name, exercise in own.items():
        for what, given, needed in (
            ("misconceptions", len(exercise.misconceptions), 3),
            ("alternatives", len(exercise.alternatives), 2),
        ):
            if given < needed:
                raise CourseError(f"{name} has {given} {what}; write at least {needed}.")


def _index(course: Course) -> str:
    names = {
        name: assignment
        for assignment in course.assignments()
        for name in catalog.exercises(course, assignment)
    }
    return json.dumps(names, indent=1) + "\n"


def _put(report: Report, course: Course, path: Path, text: str, check: bool) -> None:
    """Write the file if its content differs, or note that it does."""
    name = str(path.relative_to(course.root))
    if path.exists() and path.read_text("utf-8") == text:
        return
    if check:
        report.stale.append(name)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    report.written.append(name)


def _put_recording(
    report: Report, course: Course, assignment: str, recorded: dict[str, Any], check: bool
) -> None:
    """As `_put`, but numbers may differ in their last digits, as they do between machines."""
    path = course.recordings / f"{assignment}.json"
    fresh = {
        "format": FORMAT,
        "coursekit": __version__,
        "assignment": assignment,
        "exercises": recorded,
    }
    text = _dump(fresh)
    if path.exists():
        try:
            if _alike(json.loads(path.read_text("utf-8")), json.loads(text)):
                return
        except ValueError:
            pass  # a damaged recording is simply stale
    _put(report, course, path, text, check)


def _dump(recording: dict[str, Any]) -> str:
    """JSON with a line per case, so that a change shows as the lines it changes."""
    head = {key: value for key, value in recording.items() if key != "exercises"}
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "exercises": {']
    for number, (name, exercise) in enumerate(recording["exercises"].items()):
        cases = ",\n   ".join(json.dumps(case) for case in exercise["cases"])
        wrong = ",\n   ".join(json.dumps(m) for m in exercise["misconceptions"])
        rest = {k: v for k, v in exercise.items() if k not in ("cases", "misconceptions")}
        end = "" if number == len(recording["exercises"]) - 1 else ","
        lines.append(
            f'  "{name}": {json.dumps(rest)[:-1]},\n   "cases": [\n   {cases}],\n'
            f'   "misconceptions": [\n   {wrong}]}}{end}'
        )
    return "\n".join([*lines, " }\n}\n"])


def _alike(old: Any, new: Any) -> bool:
    """Equal, except that arrays and numbers only need to be close."""
    if isinstance(new, dict) and isinstance(old, dict):
        tag = next(iter(new), "")
        if tag in ("$tensor", "$array", "$scalar") and tag in old:
            return same(codec.decode_views(old), codec.decode_views(new), {"dtype": "exact"})
        return old.keys() == new.keys() and all(_alike(old[k], new[k]) for k in new)
    if isinstance(new, list) and isinstance(old, list):
        return len(old) == len(new) and all(map(_alike, old, new))
    if isinstance(new, float) and isinstance(old, float):
        return math.isclose(old, new, rel_tol=1e-4, abs_tol=1e-6)
    return old == new


def _prove_misconceptions(recorded: dict[str, Any]) -> None:
    for name, exercise in recorded.items():
        for misconception in exercise["misconceptions"]:
            outcomes = [
                theirs or case["expected"]
                for theirs, case in zip(misconception["outcomes"], exercise["cases"])
            ]
            verdict = judge(exercise, outcomes)
            if verdict.passed:
                raise CourseError(
                    f"{name}: the misconception {misconception['name']} passes every case; add a"
                    " case that tells it from the reference."
                )
            if verdict.misconception != misconception["name"]:
                shown = verdict.misconception or "no hint at all"
                raise CourseError(
                    f"{name}: the misconception {misconception['name']} is answered with"
                    f" {shown}; add a case that tells the two apart."
                )


def _prove_alternatives(own: dict[str, Any], recorded: dict[str, Any]) -> None:
    for name, exercise in own.items():
        for alternative in exercise.alternatives:
            verdict = judge(recorded[name], run_cases(alternative, recorded[name]["cases"]))
            if not verdict.passed:
                raise CourseError(
                    f"{name}: the correct answer {alternative.__name__} loses points:"
                    f" {verdict.headline}."
                )


def _prove_fresh_cases(recorded: dict[str, Any], fresh: dict[str, Any]) -> None:
    """Every group must hold a case that another seed changes, so that a lookup table earns none."""
    for name, exercise in recorded.items():
        known = {_inputs(case) for case in exercise["cases"]}
        for group in exercise["groups"]:
            cases = [case for case in fresh[name]["cases"] if case["group"] == group]
            if all(_inputs(case) in known for case in cases):
                raise CourseError(
                    f"{name}: the cases of group {group} are the same for every seed; draw"
                    " something in them from rng."
                )


def _inputs(case: dict[str, Any]) -> str:
    keys = ("args", "kwargs", "state", "then")
    return json.dumps([case.get(key) for key in keys], sort_keys=True)


def _student_notebook(course: Course, assignment: str, stamped: str) -> str:
    """The student notebook that nbgrader makes of the stamped solution notebook."""
    from autograder.grading.gradebook import Classroom, generate

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "solutions" / assignment / f"{assignment}.ipynb"
        source.parent.mkdir(parents=True)
        source.write_text(stamped, "utf-8")
        config = Classroom(course).config()
        config.CourseDirectory.source_directory = str(Path(folder) / "solutions")
        generate(config, assignment, Path(folder) / "notebooks", database=False)
        text = (Path(folder) / "notebooks" / assignment / f"{assignment}.ipynb").read_text("utf-8")
    return text.rstrip("\n") + "\n"


def _prove_student_notebook(
    course: Course, assignment: str, stamped: str, student: str, recorded: dict[str, Any]
) -> None:
    secret, public = _solution_lines(nbformat.reads(stamped, as_version=4), course)
    given = {
        line.strip()
        for cell in nbformat.reads(student, as_version=4).cells
        for line in cell.source.splitlines()
    }
    telling = {line for line in secret if line not in public or len(line) >= _TELLING}
    text = "\n".join(given)
    leaked = sorted(
        line for line in telling if line in given or (len(line) >= _TELLING and line in text)
    )
    if leaked or "BEGIN SOLUTION" in student or "END SOLUTION" in student:
        what = leaked[0] if leaked else "a solution mark"
        raise CourseError(f"{assignment}: the student notebook still holds solution text: {what}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{assignment}.ipynb"
        path.write_text(student, "utf-8")
        scope = definitions(path)
    for name, exercise in recorded.items():
        verdict = judge(exercise, run_cases(scope[name], exercise["cases"]))
        if verdict.stage != "missing" or verdict.points:
            raise CourseError(
                f"{assignment}: {name} as released should fail with 'not written yet', but"
                f" {verdict.headline}; put the whole body between the solution marks."
            )


def _solution_lines(notebook: nbformat.NotebookNode, course: Course) -> tuple[set[str], set[str]]:
    """The lines inside solution blocks that give something away, and the lines outside.

    Of what is taken over from an earlier assignment only that one's solutions are secret, not its
    signatures and descriptions.
    """
    secret: set[str] = set()
    public: set[str] = set()
    for cell in notebook.cells:
        source = taken_over(cell)
        earlier = _solution_lines(read(course.solution(source)), course)[0] if source else None
        inside = False
        for line in map(str.strip, cell.source.splitlines()):
            if "BEGIN SOLUTION" in line or "END SOLUTION" in line:
                inside = "BEGIN SOLUTION" in line
            elif inside and (earlier is None or line in earlier):
                secret.add(line)
            elif not inside:
                public.add(line)
    return {line for line in secret if len(line) > 3}, public
