"""Writer of a class's questions: a sheet and a quiz notebook for each student, and one key."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from tqdm.auto import tqdm

from autograder.classroom.report import Submission, read_class
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import draw
from autograder.errors import ClassError, CourseError, TookTooLong
from autograder.gradebook.class_folder import Classroom
from autograder.grading.limits import Limits, hidden_folders
from autograder.grading.verdicts import class_seed
from autograder.own_code import traced_calls
from autograder.own_code.question_kinds import LETTERS, OwnCodeQuestion, choose
from autograder.pages.templating import environment
from autograder.sandbox.doctor import is_available
from coursekit.checking.time_limit import time_limit
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"
#: Answers are tried in this number at once, until there are enough questions.
_EXERCISES_AT_ONCE = 3
#: How often an exercise's cases are drawn: many are too long to be read.
_DRAWS = 3
#: Processor time of drawing one student's, without that of the sandbox; three times as long it waits.
_STUDENT_SECONDS = 60.0
#: The folder of what students get; nothing else is in it, whatever their names are.
HANDED_OUT = "students"
#: The key of a quiz notebook's metadata that says whose questions it holds.
MARK = "coursekit_questions"


@dataclass
class Sheet:
    """Questions for one student.

    Attributes
    ----------
    problem : str
        Why there are none, or fewer than wanted: one sentence, or "".
    sources : dict of str to str
        Exercise -> the student's answer, of those that questions are about.
    """

    student: str
    questions: list[OwnCodeQuestion] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    @property
    def digest(self) -> str:
        """Digest that tells these questions from all others.

        The quiz notebook contains it, so it covers only text that the notebook shows: a digest of the key
        could be inverted by trying each combination of letters.
        """
        shown = [(one.exercise, one.text, one.calls, one.options) for one in self.questions]
        told = json.dumps([self.student, self.sources, shown]).encode()
        return hashlib.sha256(told).hexdigest()[:24]

    @property
    def sections(self) -> list[tuple[str, list[str], list[tuple[int, OwnCodeQuestion]]]]:
        """Exercises, each with the lines of its answer and its numbered questions."""
        numbered = list(enumerate(self.questions, 1))
        return [
            (name, source.splitlines(), [pair for pair in numbered if pair[1].exercise == name])
            for name, source in self.sources.items()
        ]


def write_questions(
    course: Course,
    assignment: str,
    students: Sequence[str] = (),
    folder: Path | None = None,
    output: Path | None = None,
    count: int = 4,
    seed: int = 0,
) -> tuple[Path, list[Sheet]]:
    """Write each student's questions on their own passing answers; return folder and sheets.

    Parameters
    ----------
    students : sequence of str, optional
        Only these; all whose submissions are graded if empty.
    folder : Path, optional
        The class's folder; the course's own if None.
    output : Path, optional
        The folder to write to; reports/questions/ASSIGNMENT in the class's if None.
    count : int, optional
        How many questions each student gets.
    seed : int, optional
        Another seed gives other questions; the same one, of the same submissions, the same.

    Raises
    ------
    ClassError
        A student has no graded submission, or there is no sandbox to run the answers in.
    CourseError
        Nothing is graded, or a file cannot be written.
    """
    classroom = Classroom(course, folder)
    if not is_available():
        raise ClassError(
            "questions are drawn by running students' code with edits, which needs the sandbox;"
            " `autograder doctor` says what is missing."
        )
    graded = {one.student: one for one in read_class(classroom, assignment)}
    for student in students:
        if student not in graded:
            raise ClassError(f"{student} has no graded submission of {assignment}.")
    of = Assignment(course, assignment)
    limits = traced_calls.limits_for(
        Limits(
            hidden=hidden_folders(course.root, classroom.folder),
            visible=course.visible,
            preload=course.preload,
        )
    )
    place = output or classroom.folder / "reports" / "questions" / assignment
    sheets = []
    chosen, of_class = sorted(students) or sorted(graded), class_seed(classroom.folder)
    for student in tqdm(chosen, desc="questions", unit="student", disable=None):
        told = f"{of_class} {assignment} {student} {seed}"
        try:
            with time_limit(_STUDENT_SECONDS, TookTooLong):
                rng = random.Random(told)
                sheet = draw_sheet(classroom, of, graded[student], count, rng, limits)
        except (TookTooLong, RecursionError, MemoryError):
            sheet = Sheet(student, problem="the answers take too long to be run with edits")
        sheets.append(sheet)
    try:
        _write(place, assignment, sheets, whole=not students)
    except OSError as error:
        raise CourseError(f"cannot write {place}: {error.strerror}.") from error
    return place, sheets


def draw_sheet(
    classroom: Classroom,
    of: Assignment,
    submission: Submission,
    count: int,
    rng: random.Random,
    limits: Limits,
) -> Sheet:
    """Draw a student's questions from the answers that have all their points."""
    sheet = Sheet(submission.student)
    passing = [
        name
        for name, verdict in submission.verdicts.items()
        if verdict.points == verdict.max_points and name in submission.answers
    ]
    if not passing:
        sheet.problem = submission.problem or "no answer has all its points"
        return sheet
    path = classroom.autograded(submission.student, of.name)
    notebook = nbformat.from_dict(json.loads(path.read_bytes()))
    rng.shuffle(passing)
    seeds = [rng.randrange(2**31) for _ in range(_DRAWS)]
    found: list[traced_calls.Material] = []
    while passing:
        some, passing = passing[:_EXERCISES_AT_ONCE], passing[_EXERCISES_AT_ONCE:]
        scope = of.solution.definitions
        cases = {
            name: [case for seed in seeds for case in draw(of.exercise(name), scope[name], seed)]
            for name in some
        }
        planned = traced_calls.plan({name: submission.answers[name] for name in some}, cases, rng)
        if not planned:
            continue
        traced_calls.run(notebook, planned, limits)
        found += [one for one in planned if one.calls]
        sheet.questions = choose(found, count, rng)
        if len(sheet.questions) == count:
            break
    asked = list(dict.fromkeys(question.exercise for question in sheet.questions))
    sheet.questions.sort(key=lambda question: asked.index(question.exercise))
    sources = {one.exercise: one.source for one in found}
    sheet.sources = {name: sources[name] for name in asked}
    if len(sheet.questions) < count:
        sheet.problem = "too few short functions among the answers that have all their points"
    return sheet


def _write(place: Path, assignment: str, sheets: Iterable[Sheet], whole: bool = True) -> None:
    """Write sheets, quizzes and the key: one page for a whole class, else one per student."""
    templates = environment(_TEMPLATES)
    context = {"assignment": assignment}
    written = [sheet for sheet in sheets if sheet.questions]
    for sheet in written:
        page = templates.get_template("questions.html").render(sheet=sheet, **context)
        quiz = f"{nbformat.writes(quiz_notebook(assignment, sheet))}\n"
        for ending, content in (("html", page), ("ipynb", quiz)):
            path = place / HANDED_OUT / f"{sheet.student}.{ending}"
            write_atomically(path, content.encode("utf-8", "replace"), private=True)
    path = place / "key.json"
    known: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    known |= {
        sheet.student: {
            "questions": sheet.digest,
            "right": "".join(question.letter for question in sheet.questions),
        }
        for sheet in written
    }
    text = f"{json.dumps(known, indent=1, sort_keys=True)}\n"
    write_atomically(path, text.encode(), private=True)
    pages = {"key": written} if whole else {f"key-{one.student}": [one] for one in written}
    for name, of in pages.items():
        key = templates.get_template("key.html").render(sheets=of, **context)
        write_atomically(place / f"{name}.html", key.encode(), private=True)


def quiz_notebook(assignment: str, sheet: Sheet) -> NotebookNode:
    """Return the questions as a notebook in which a student writes letters."""
    cells = [
        new_markdown_cell(
            f"# {assignment}: questions about your own code\n\nEach question has one right answer."
            " Write its letter, `A`, `B`, `C` or `D`, between the quotes below it. Read your code and"
            " work the answer out; nothing here needs to be run."
        )
    ]
    for name, lines, questions in sheet.sections:
        listing = "\n".join(f"{number:3}  {line}" for number, line in enumerate(lines, 1))
        cells.append(new_markdown_cell(f"## Your `{name}`\n\n{_block(listing)}"))
        for number, question in questions:
            options = "\n".join(
                f"{letter}  {option}" for letter, option in zip(LETTERS, question.options)
            )
            calls = f"\n\n{_block(chr(10).join(question.calls))}" if question.calls else ""
            text = f"**{number}.** {question.text}{calls}\n\n{_block(options)}"
            cells += [new_markdown_cell(text), new_code_cell(f'answer_{number} = ""')]
    for number, cell in enumerate(cells):
        cell.id = f"question-{number}"
    made: NotebookNode = new_notebook(cells=cells)
    made.metadata[MARK] = {"student": sheet.student, "questions": sheet.digest}
    return made


def _block(text: str) -> str:
    """Return a code block in Markdown with a fence that the text does not contain."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
