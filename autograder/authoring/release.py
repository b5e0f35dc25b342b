"""Builds and verifies everything that is generated from the solution notebooks.

Generated: the recordings (`coursekit/recordings/`), the student notebooks (`notebooks/`), and
the stamped parts of the solution notebooks themselves.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring.proofs import (
    prove_answers,
    prove_fresh_cases,
    prove_groups_vary,
    prove_shown_cells,
    prove_source_files,
    prove_student_notebook,
    require_unique_names,
)
from autograder.authoring.stamp import stamp
from autograder.authoring.stored_outputs import is_executed
from autograder.course import catalog
from autograder.course.compounds import record_pairs
from autograder.course.layout import Course
from autograder.course.recording import RECORDING_SEED, record_assignment, record_reference
from autograder.course.reference import read
from autograder.errors import CourseError
from coursekit import __version__
from coursekit.checking.judge_case import agrees, same_outcome
from coursekit.checking.recordings import FORMAT

#: The parts of a recorded exercise that are lists, with a line for each element.
_LISTS = ("cases", "misconceptions", "pairs")


@dataclass
class Report:
    """What a release did: files written, or (with check) files found stale.

    Attributes
    ----------
    drafts : assignments whose solution notebooks were never executed.
    """

    stale: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)


def release(
    course: Course,
    assignments: list[str],
    check: bool = False,
    progress: Callable[[str], None] = lambda name: None,
) -> Report:
    """Build and verify the assignments; with `check`, write nothing and report what is stale.

    Raises
    ------
    CourseError
        A proof fails (see `proofs`): the solution fails its own check, the student notebook
        contains solution text, a misconception is not caught or gets another one's hint, an
        alternative fails, the stored outputs are those of other code, a group's cases are the same for every seed, a module fails ruff.
    """
    report = Report()
    require_unique_names(course)
    for assignment in assignments:
        progress(assignment)
        prove_source_files(course, assignment)
        exercises = catalog.exercises(course, assignment)
        path = course.solution(assignment)
        notebook = stamp(read(path), course, assignment, exercises)
        if not is_executed(assignment, notebook):
            report.drafts.append(assignment)
        stamped = nbformat.writes(notebook) + "\n"
        _put(report, course, path, stamped, check)
        recorded = record_assignment(course, assignment, RECORDING_SEED)
        prove_answers(course, assignment, recorded)
        prove_shown_cells(assignment, stamped, recorded)
        fresh = {name: record_reference(course, assignment, name, seed=1) for name in exercises}
        prove_fresh_cases(recorded, fresh)
        prove_groups_vary(recorded, fresh)
        recording = _recording(course, assignment, recorded)
        _put(report, course, course.recordings / f"{assignment}.json", recording, check)
        student = _student_notebook(course, assignment, stamped)
        prove_student_notebook(course, assignment, stamped, student, recorded)
        _put(report, course, course.notebook(assignment), student, check)
    _put(report, course, course.recordings / "index.json", _index(course), check)
    return report


def _index(course: Course) -> str:
    names = {
        name: assignment
        for assignment in course.assignments()
        for name in catalog.exercises(course, assignment)
    }
    return json.dumps(names, indent=1) + "\n"


def _put(report: Report, course: Course, path: Path, text: str, check: bool) -> None:
    """Write the file if its content differs; with `check`, report it as stale instead."""
    name = str(path.relative_to(course.root))
    if path.exists() and path.read_text("utf-8") == text:
        return
    if check:
        report.stale.append(name)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    report.written.append(name)


def _recording(course: Course, assignment: str, recorded: dict[str, Any]) -> str:
    """The text of the recording. An exercise that is still fresh keeps its stored outcomes.

    Their last digits differ between processors, thread counts and versions of torch.
    """
    head = {"format": FORMAT, "coursekit": __version__, "assignment": assignment}
    text, old = "", {}
    try:
        text = (course.recordings / f"{assignment}.json").read_text("utf-8")
        old = json.loads(text)["exercises"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing or damaged: record everything again
    new = json.loads(json.dumps(recorded))
    exercises = {}
    for name, exercise in new.items():
        if name in old and is_fresh(old[name], exercise):
            exercises[name] = old[name]
        else:
            pairs = record_pairs(course, assignment, name, recorded[name])
            exercises[name] = exercise | {"pairs": json.loads(json.dumps(pairs))}
    recording = {**head, "exercises": exercises}
    return text if old and json.loads(text) == recording else _dump(recording)


def is_fresh(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Whether a recorded exercise is still valid.

    Its cases are equal, and every stored outcome, of the reference and of the misconceptions,
    agrees with the new one under the rules of its case.
    """
    try:
        return (
            "pairs" in old
            and _without_outcomes(old) == _without_outcomes(new)
            and all(
                agrees(case, case["expected"], again["expected"])
                and all(
                    _agree(case, one["outcomes"][i], two["outcomes"][i])
                    for one, two in zip(old["misconceptions"], new["misconceptions"], strict=True)
                )
                for i, (case, again) in enumerate(zip(old["cases"], new["cases"], strict=True))
            )
        )
    except (KeyError, TypeError, ValueError, IndexError):
        return False


def _agree(case: dict[str, Any], one: Any, two: Any) -> bool:
    if one is None or two is None:
        return one is two
    if one["status"] == two["status"] == "error":  # versions of torch word messages differently
        return (one["type"], one.get("place")) == (two["type"], two.get("place"))
    return same_outcome(case, one, two)


def _without_outcomes(exercise: dict[str, Any]) -> Any:
    return [
        {k: v for k, v in exercise.items() if k not in _LISTS},
        [{k: v for k, v in case.items() if k != "expected"} for case in exercise["cases"]],
        [(m["name"], m["hint"]) for m in exercise["misconceptions"]],
    ]


def _dump(recording: dict[str, Any]) -> str:
    """JSON with one line per case, so that diffs are readable."""
    head = {key: value for key, value in recording.items() if key != "exercises"}
    lines = [json.dumps(head, indent=1)[:-2] + ',\n "exercises": {']
    for number, (name, exercise) in enumerate(recording["exercises"].items()):
        cases = ",\n   ".join(json.dumps(case) for case in exercise["cases"])
        wrong = ",\n   ".join(json.dumps(m) for m in exercise["misconceptions"])
        pairs = ",\n   ".join(json.dumps(pair) for pair in exercise["pairs"])
        rest = {k: v for k, v in exercise.items() if k not in _LISTS}
        end = "" if number == len(recording["exercises"]) - 1 else ","
        lines.append(
            f'  "{name}": {json.dumps(rest)[:-1]},\n   "cases": [\n   {cases}],\n'
            f'   "misconceptions": [\n   {wrong}],\n   "pairs": [\n   {pairs}]}}{end}'
        )
    return "\n".join([*lines, " }\n}\n"])


def _student_notebook(course: Course, assignment: str, stamped: str) -> str:
    """The student notebook that nbgrader generates from the stamped solution notebook."""
    from autograder.gradebook.class_folder import Classroom, generate

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "solutions" / assignment / f"{assignment}.ipynb"
        source.parent.mkdir(parents=True)
        source.write_text(stamped, "utf-8")
        config = Classroom(course).config()
        config.CourseDirectory.source_directory = str(Path(folder) / "solutions")
        generate(config, assignment, Path(folder) / "notebooks", database=False)
        text = (Path(folder) / "notebooks" / assignment / f"{assignment}.ipynb").read_text("utf-8")
    return text.rstrip("\n") + "\n"


def require_fresh(report: Report) -> None:
    """Raise an error if a generated file is stale.

    Raises
    ------
    CourseError
        Some files are stale; the message names them.
    """
    if report.stale:
        names = "\n  ".join(report.stale)
        raise CourseError(f"these files are stale; run `autograder release`:\n  {names}")
