"""Building and proving of everything that is generated from the solution notebooks.

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

from autograder.authoring import release_digest
from autograder.authoring.lookup_tables import SEEDS, prove_fresh_cases, prove_groups_vary
from autograder.authoring.notebook_consistency import prove_consistent
from autograder.authoring.proofs import (
    exercise_owners,
    prove_answers,
    prove_shown_cells,
    prove_source_files,
    prove_student_notebook,
    prove_written,
)
from autograder.authoring.setup_cell import stored_revision
from autograder.authoring.side_by_side import side_by_side
from autograder.authoring.stamp import stamp
from autograder.authoring.stored_outputs import is_executed
from autograder.course import verified
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED, record_first_calls
from autograder.errors import CourseError
from autograder.grading.combined_misconceptions import record_pairs
from autograder.grading.record_misconceptions import record_assignment
from coursekit import __version__
from coursekit.checking.judge_case import agrees, same_outcome
from coursekit.checking.recording_format import Case, Outcome, RecordedExercise, Recording
from coursekit.checking.stored_recordings import FORMAT

#: The parts of a recorded exercise that are lists, with a line for each element.
_LISTS = ("cases", "misconceptions", "pairs")


@dataclass
class Report:
    """Files that a release wrote or found stale, and assignments that it left alone.

    Attributes
    ----------
    written, stale : list[str]
        Files that were written, or, with `check`, would have been.
    unchanged : list[str]
        Assignments that were proved before and have not changed since.
    drafts : list[str]
        Assignments whose solution notebooks were never executed.
    """

    stale: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)

    def __iadd__(self, other: Report) -> Report:
        """Add what another release did."""
        self.stale += other.stale
        self.written += other.written
        self.unchanged += other.unchanged
        self.drafts += other.drafts
        return self


def release(
    course: Course,
    names: list[str],
    check: bool = False,
    again: bool = False,
    jobs: int = 1,
    progress: Callable[[], object] = lambda: None,
) -> Report:
    """Build and verify assignments.

    Parameters
    ----------
    course : Course
        The course's folder.
    names : list[str]
        The assignments.
    check : bool
        Write nothing, report what is stale, and prove everything.
    again : bool
        Prove also what was proved before and has not changed since (see `release_digest`).
    jobs : int
        How many assignments to release at a time, each in a process of its own.
    progress : callable
        Called when an assignment is done.

    Raises
    ------
    CourseError
        A proof fails (see `proofs`): the solution fails its own check, the student notebook
        contains solution text, a misconception is not caught or gets another one's hint, an
        alternative fails, the stored outputs are those of other code, a group's cases are the same
        for every seed, a module fails ruff. Or an assignment was edited while it was released; if
        these were its modules, what was proved of the others is kept.
    """
    owners = exercise_owners(course)
    left = [
        name for name in names if check or again or not release_digest.is_released(course, name)
    ]
    report = Report(unchanged=[name for name in names if name not in left])
    report.drafts += [name for name in report.unchanged if release_digest.is_draft(course, name)]
    for _ in report.unchanged:
        progress()
    before = {name: release_digest.modules(course, name) for name in left}
    for one in side_by_side(course, left, jobs, _release, check):
        report += one
        progress()
    _put(report, course, course.recordings / "index.json", _lines(owners), check)
    edited = [name for name in left if release_digest.modules(course, name) != before[name]]
    if not report.stale:  # else the digests are those of stale files
        for name in left:
            if name not in edited:
                _put_digest(report, course, name, check)
    if edited:
        raise _edited(edited[0])
    return report


def _put_digest(report: Report, course: Course, name: str, check: bool) -> None:
    """Store that an assignment was released as it is now; with `check`, report a stale digest."""
    digest = release_digest.digest(course, name)
    path = str((course.cases(name) / verified.FILE).relative_to(course.root))
    if check:
        if verified.read(course, name).get("released") != digest:
            report.stale.append(path)
    elif verified.update(course, name, lambda stored: stored.update(released=digest)):
        report.written.append(path)


def _edited(name: str) -> CourseError:
    return CourseError(
        f"{name} was edited while it was being released; run `autograder release` again."
    )


def _release(course: Course, name: str, check: bool) -> Report:
    """Build and verify one assignment."""
    read = course.solution(name).read_text("utf-8") if course.solution(name).exists() else ""
    report, assignment = Report(), Assignment(course, name)
    prove_source_files(assignment)
    prove_written(assignment)
    notebook = stamp(assignment)
    prove_consistent(name, notebook.cells, len(assignment.exercises))
    if not is_executed(name, notebook):
        report.drafts.append(name)
    stamped = nbformat.writes(notebook) + "\n"
    _put_solution(report, assignment, read, stamped, check)
    read = read if check else stamped
    recorded = record_assignment(assignment, RECORDING_SEED)
    prove_answers(assignment, recorded)
    prove_shown_cells(name, stamped, recorded)
    for seed in SEEDS:
        fresh = {
            exercise: record_first_calls(assignment, exercise, seed)
            for exercise in assignment.exercises
        }
        prove_fresh_cases(recorded, fresh)
        prove_groups_vary(recorded, fresh)
    recording = _recording(assignment, recorded)
    _put(report, course, course.recordings / f"{name}.json", recording, check)
    # the set-up cell names the revision of the recording, which may be a new one
    stamped = nbformat.writes(stamp(assignment)) + "\n"
    _put_solution(report, assignment, read, stamped, check)
    student = _student_notebook(course, name, stamped)
    prove_student_notebook(course, name, stamped, student, recorded)
    _put(report, course, course.notebook(name), student, check)
    return report


def _put_solution(report: Report, of: Assignment, read: str, text: str, check: bool) -> None:
    """`_put` the solution notebook, unless its author saved it after the release had `read` it."""
    path = of.course.solution(of.name)
    if path.read_text("utf-8") != read:
        raise _edited(of.name)
    _put(report, of.course, path, text, check)


def _lines(names: dict[str, str]) -> str:
    return json.dumps(names, indent=1) + "\n"


def _put(report: Report, course: Course, path: Path, text: str, check: bool) -> None:
    """Write the file if its content differs; with `check`, report it as stale instead."""
    name = str(path.relative_to(course.root))
    if path.exists() and path.read_text("utf-8") == text:
        return
    if check:
        if name not in report.stale:
            report.stale.append(name)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    if name not in report.written:
        report.written.append(name)


def _recording(assignment: Assignment, recorded: dict[str, RecordedExercise]) -> str:
    """Return the text of the recording. An exercise that is still fresh keeps its stored outcomes.

    Their last digits differ between processors, thread counts and versions of torch.
    """
    text, revision = "", stored_revision(assignment)
    old: dict[str, RecordedExercise] = {}
    layers: dict[str, list[str]] = {}
    try:
        text = (assignment.course.recordings / f"{assignment.name}.json").read_text("utf-8")
        stored = json.loads(text)
        old, layers = stored["exercises"], stored["layers"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass  # missing or damaged: record everything again
    new: dict[str, RecordedExercise] = json.loads(json.dumps(recorded))
    exercises: dict[str, RecordedExercise] = {}
    stale = [name for name in new if name not in old or not is_fresh(old[name], new[name])]
    pairs = json.loads(
        json.dumps(record_pairs(assignment, {name: recorded[name] for name in stale}))
    )
    for name, exercise in new.items():
        exercises[name] = {**exercise, "pairs": pairs[name]} if name in stale else old[name]
    recording: Recording = {
        "format": FORMAT,
        "coursekit": __version__,
        "assignment": assignment.name,
        "revision": revision + ((exercises, assignment.solution.layers) != (old, layers)),
        "exercises": exercises,
        "layers": assignment.solution.layers,
    }
    return text if old and json.loads(text) == recording else _dump(recording)


def is_fresh(old: RecordedExercise, new: RecordedExercise) -> bool:
    """Tell whether a recorded exercise is still valid.

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


def _agree(case: Case, one: Outcome | None, two: Outcome | None) -> bool:
    if one is None or two is None:
        return one is two
    if one["status"] == two["status"] == "error":  # versions of torch word messages differently
        keys = ("type", "place", "raised")
        return all(one.get(key) == two.get(key) for key in keys)
    return same_outcome(case, one, two)


def _without_outcomes(exercise: RecordedExercise) -> list[Any]:
    return [
        {k: v for k, v in exercise.items() if k not in _LISTS},
        [{k: v for k, v in case.items() if k != "expected"} for case in exercise["cases"]],
        [(m["name"], m["hint"]) for m in exercise["misconceptions"]],
    ]


def _dump(recording: Recording) -> str:
    """Return JSON with one line per case, so that diffs are readable."""
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
    """Return the student notebook that nbgrader generates from the stamped solution notebook."""
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
