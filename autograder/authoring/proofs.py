"""Proofs that a release makes before an assignment is handed out.

Each `prove_...` raises `CourseError` with a message that says where the problem is and what to do.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring.shown_cells import KEEP
from autograder.course.apply_edit import is_edit
from autograder.course.assignment import Assignment, every_assignment
from autograder.course.cells import checked_exercise, is_delimiter, parse, reused_from
from autograder.course.exercise import UNWRITTEN_HINT, UNWRITTEN_REASON, Exercise, Misconception
from autograder.course.layout import Course
from autograder.course.reference import Solution
from autograder.errors import CourseError
from autograder.grading.answer_runs import run_answers
from autograder.grading.cell_skipping import TAG
from coursekit.checking.hints import UNDEFINED
from coursekit.checking.recording_format import Outcome, RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge

#: The least number of misconceptions, and of alternatives, of every exercise.
MISCONCEPTIONS, ALTERNATIVES = 3, 2
#: The least number of cells of a solution notebook whose outputs nbval compares.
COMPARED_CELLS = 3
#: Solution lines of this length must not occur in the student notebook; shorter ones may be common.
_TELLING = 20
#: A whole answer that differs from the solution in at most this many lines must be an edit.
_NEAR_COPY = 2


def exercise_owners(course: Course) -> dict[str, str]:
    """Return the assignment of every exercise of the course, by the exercise's name.

    Raises
    ------
    CourseError
        Two assignments have an exercise of one name.
    """
    owners: dict[str, str] = {}
    for assignment in every_assignment(course):
        for name in assignment.exercises:
            if name in owners:
                raise CourseError(
                    f"{owners[name]} and {assignment.name} both have an exercise called {name}; names"
                    " must be unique in the course."
                )
            owners[name] = assignment.name
    return owners


def prove_source_files(assignment: Assignment) -> None:
    """Prove that the modules of cases pass ruff, and that the solution notebook stores no errors."""
    course, name = assignment.course, assignment.name
    folder = course.cases(name)
    for command, tip in (
        (
            ["check", "--quiet", "--output-format=concise"],
            "fix it, or run `ruff check --fix` on it",
        ),
        (["format", "--check", "--quiet"], "run `ruff format` on it"),
    ):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", str(folder)]
        done = subprocess.run(ruff, cwd=course.root, capture_output=True, text=True)
        if done.returncode:
            output = (done.stdout + done.stderr).strip()[:500]
            raise CourseError(f"exercises/{folder.name} does not pass ruff; {tip}:\n{output}")
    cells = assignment.solution.code
    if not any(cell.outputs for cell in cells):
        return  # not executed yet: a first draft
    for number, cell in enumerate(cells, 1):
        if any(o.output_type == "error" or o.get("name") == "stderr" for o in cell.outputs):
            raise CourseError(
                f"{name}, code cell {number} stores an error or a warning; run"
                f" `autograder execute {name}` once it is fixed."
            )
    for number, cell in enumerate(cells, 1):
        if "nbval-check-output" in cell.metadata.get("tags", []) and _shows_a_figure(cell):
            raise CourseError(
                f"{name}, code cell {number} is tagged nbval-check-output and shows a figure, which"
                " no other machine draws to the same byte; print what is compared in a cell of its own."
            )
    compared = [c for c in cells if "nbval-check-output" in c.metadata.get("tags", [])]
    fewest = course.config.verify.get("compared-cells", COMPARED_CELLS)
    if len(compared) < fewest:
        raise CourseError(
            f"{name}: add the tag nbval-check-output to at least {fewest:g} cells with"
            f" deterministic output (there are {len(compared)})."
        )


def _shows_a_figure(cell: nbformat.NotebookNode) -> bool:
    shown = [output.get("data", {}) for output in cell.outputs]
    kinds = {kind.partition("/")[0] for data in shown for kind in data}
    return "image" in kinds or any("<img" in data.get("text/html", "") for data in shown)


def prove_written(assignment: Assignment) -> None:
    """Prove that every exercise has enough answers, with hints and reasons; none of them is run."""
    for exercise in assignment.exercises.values():
        _require_enough(exercise)


def prove_answers(assignment: Assignment, recorded: dict[str, RecordedExercise]) -> None:
    """Prove that every misconception gets its own hint, and that alternatives and equivalents pass."""
    solution = assignment.solution
    for name, exercise in assignment.exercises.items():
        reference = solution.bare_sources[name]
        for answer in (*exercise.misconceptions, *exercise.alternatives):
            if not is_edit(answer.text):
                _refuse_near_copy(name, answer.name, answer.text, reference)
        for misconception, entry in zip(
            exercise.misconceptions, recorded[name]["misconceptions"], strict=True
        ):
            _require_declared(misconception, entry["outcomes"])
        _prove_misconceptions(name, recorded[name])
    exercises = assignment.exercises.values()
    right = [answer for exercise in exercises for answer in exercise.alternatives]
    equal = [answer for exercise in exercises for answer in exercise.equivalents]
    cases = {name: exercise["cases"] for name, exercise in recorded.items()}
    answers = [*right, *equal]
    for answer, outcomes in zip(answers, run_answers(assignment, answers, cases)):
        verdict = judge(recorded[answer.exercise], outcomes)
        if verdict.passed:
            continue
        if answer in right:
            raise CourseError(
                f"{answer.exercise}: the alternative {answer.name} in RIGHT loses points:"
                f" {verdict.headline}."
            )
        raise CourseError(
            f"{answer.exercise}: an edit in EQUIVALENT ({answer.name}) loses points:"
            f" {verdict.headline}.\n{answer.text}"
        )


def _require_enough(exercise: Exercise) -> None:
    for what, given, needed in (
        ("misconceptions", len(exercise.misconceptions), MISCONCEPTIONS),
        ("alternatives", len(exercise.alternatives), ALTERNATIVES),
    ):
        if given < needed:
            what = what.removesuffix("s") if given == 1 else what
            raise CourseError(f"{exercise.name} has {given} {what}; write at least {needed}.")
    hints = [m.hint for m in exercise.misconceptions]
    if UNWRITTEN_HINT in hints:
        name = exercise.misconceptions[hints.index(UNWRITTEN_HINT)].name
        raise CourseError(f"{exercise.name}, {name}: write its hint, and give it a telling name.")
    reasons = [*(answer.name for answer in exercise.equivalents), *exercise.exempt.values()]
    if unwritten := next((r for r in reasons if r.startswith(UNWRITTEN_REASON)), None):
        raise CourseError(
            f'{exercise.name}: replace "{unwritten}" in EQUIVALENT by the reason why these edits'
            " are right."
        )
    if twice := next((hint for hint in hints if hints.count(hint) > 1), None):
        raise CourseError(f"{exercise.name} has the same hint twice: {twice}")


def _refuse_near_copy(exercise: str, name: str, text: str, reference: str) -> None:
    """Reject a whole answer that is nearly the solution: an edit shows what differs."""
    ours, theirs = _normal(reference), _normal(text)
    if len(theirs) <= 2 * _NEAR_COPY or len(ours) <= 2 * _NEAR_COPY:
        return  # short answers are as easy to read as edits
    changed = [line for line in difflib.ndiff(ours, theirs) if line[0] in "+-"]
    if len(changed) <= 2 * _NEAR_COPY:
        raise CourseError(
            f"{exercise}, {name}: this answer differs from the solution in at most {_NEAR_COPY}"
            " lines; write it as an edit, with - and + lines."
        )


def _normal(text: str) -> list[str]:
    """Return the lines of an answer in normalized formatting, without annotations and docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                del node.body[0]
    return ast.unparse(tree).splitlines()


def _prove_misconceptions(name: str, exercise: RecordedExercise) -> None:
    for misconception in exercise["misconceptions"]:
        outcomes = [
            case["expected"] if theirs is None or theirs == UNDEFINED else theirs
            for theirs, case in zip(misconception["outcomes"], exercise["cases"])
        ]
        verdict = judge(exercise, outcomes)
        if verdict.passed:
            raise CourseError(
                f"{name}: the misconception {misconception['name']} passes every case; add a"
                " case that distinguishes it from the reference."
            )
        if verdict.misconception != misconception["name"]:
            shown = f"the hint of {verdict.misconception}" if verdict.misconception else "no hint"
            raise CourseError(
                f"{name}: the misconception {misconception['name']} gets {shown}; add a case that"
                " distinguishes the two."
            )


def _require_declared(misconception: Misconception, outcomes: list[Outcome | None]) -> None:
    """Reject undeclared exceptions: a misconception that only raises must say which one."""
    where = f"{misconception.exercise}, {misconception.name}"
    wrong = [one for one in outcomes if one is not None and one != UNDEFINED]
    raised = {outcome["type"] if outcome["status"] == "error" else "" for outcome in wrong}
    if misconception.raises:
        if raised != {misconception.raises}:
            seen = ", ".join(sorted(kind or "a value" for kind in raised)) or "only right answers"
            raise CourseError(
                f"{where} declares `raises {misconception.raises}`, but gives {seen}."
            )
    elif wrong and "" not in raised:
        raise CourseError(
            f"{where} only raises ({', '.join(sorted(raised))}): a typo (`autograder try` shows the"
            " line)? If students make this"
            f" mistake, add a line `raises {min(raised)}` below its hint."
        )


def prove_shown_cells(assignment: str, stamped: str, recorded: dict[str, RecordedExercise]) -> None:
    """Prove that the solution passes every case without the cells that grading skips."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(nbformat.reads(stamped, as_version=4).cells):
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code" or TAG in tags or checked_exercise(cell.source):
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(parse(cell.source), f"cell {number + 1}", "exec"), scope)  # our own
        except Exception as error:
            raise CourseError(
                f"{assignment}, cell {number + 1} needs a cell that grading skips"
                f" ({type(error).__name__}: {error}); tag that cell `{KEEP}`."
            ) from error
    for name, exercise in recorded.items():
        verdict = judge(exercise, run_cases(scope[name], exercise["cases"]))
        if not verdict.passed:
            raise CourseError(
                f"{assignment}: {name} needs a cell that grading skips ({verdict.headline});"
                f" tag that cell `{KEEP}`."
            )


def prove_student_notebook(
    course: Course,
    assignment: str,
    stamped: str,
    student: str,
    recorded: dict[str, RecordedExercise],
) -> None:
    """Prove that it has no line of a solution, and that every check fails with "not written yet"."""
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
        what = leaked[0] if leaked else "a solution delimiter"
        raise CourseError(
            f"{assignment}: the student notebook still contains solution text: {what}"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{assignment}.ipynb"
        path.write_text(student, "utf-8")
        scope = Solution(path).definitions
    for name, exercise in recorded.items():
        verdict = judge(exercise, run_cases(scope[name], exercise["cases"]))
        if verdict.stage != "missing" or verdict.points:
            raise CourseError(
                f"{assignment}: {name} as released should fail with 'not written yet', but"
                f" {verdict.headline}; put the whole body between the solution delimiters."
            )


def _solution_lines(notebook: nbformat.NotebookNode, course: Course) -> tuple[set[str], set[str]]:
    """Return the secret lines, inside solution blocks, and the public lines, outside.

    Of code reused from an earlier assignment, only the solutions of that assignment are secret, not
    its signatures and docstrings.
    """
    secret: set[str] = set()
    public: set[str] = set()
    for cell in notebook.cells:
        source = reused_from(cell)
        earlier = (
            _solution_lines(Solution(course.solution(source)).notebook, course)[0]
            if source
            else None
        )
        inside = False
        for line in map(str.strip, cell.source.splitlines()):
            if is_delimiter(line):
                inside = "BEGIN SOLUTION" in line
            elif inside and (earlier is None or line in earlier):
                secret.add(line)
            elif not inside:
                public.add(line)
    return {line for line in secret if len(line) > 3}, public
