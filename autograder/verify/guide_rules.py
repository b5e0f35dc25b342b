"""Rules on the instructor's guide: the sheet, the marking guides and the exam questions."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from autograder.course.layout import Course
from autograder.gradebook.class_folder import Classroom
from autograder.guide import write_guide
from autograder.guide.exam_bank import ExamQuestion, prove_bank, read_bank
from autograder.guide.lesson_facts import LessonFacts, reused_names
from autograder.guide.written_sheets import read_sheet, text_outputs
from autograder.verify.rules import Subject, as_problem, rule

#: The sections of every sheet, by the beginning of their headings.
SECTIONS = ("On the board", "The drawing", "What goes wrong", "Expected numbers", "What to cut")
_ASSERTS = ("says(", "assert ", "states(")


def _has_guide(course: Course) -> bool:
    return course.guide is not None


def _exam(subject: Subject) -> list[ExamQuestion]:
    assert subject.course.guide is not None  # else no rule here applies
    return read_bank(subject.course.guide).get(subject.name, [])


@functools.cache
def _reused(course: Course) -> dict[str, dict[str, list[str]]]:
    """Return what later assignments paste, for which the notebooks of all are read."""
    return reused_names(course)


def _sheet(subject: Subject) -> write_guide.Sheet:
    course = subject.course
    reused = _reused(course)
    return write_guide.read(course, Classroom(course), subject.name, _exam(subject), reused)


@rule(applies=_has_guide)
def guide_sheet(subject: Subject) -> Iterator[str]:
    """Require that the guide's sheet has its five sections, and a question for the room from the notebook."""
    sheet = _sheet(subject)
    file = f"{subject.course.config.guide}/{subject.name}.md"
    for wanted in SECTIONS:
        if not any(title.startswith(wanted) for title in sheet.written.sections):
            yield f"{file} has no section ## {wanted}."
    for word in ("Goal", "Time"):
        if not sheet.facts.opening(word):
            yield f"the notebook's first cells have no paragraph **{word}.**"
    for task in sheet.facts.tasks:
        if not (task.minutes and task.level and task.title):
            yield f"{task.name} needs a heading, and below it *about N minutes · easy*."
    if not sheet.facts.guesses:
        yield "the notebook asks for no guess before a run, which the room could answer, too."
    pictures = any("attachment:" in c.source for c in subject.assignment.solution.notebook.cells)
    drawing = next((t for n, t in sheet.written.sections.items() if "drawing" in n.lower()), "")
    if pictures and "attachment:" not in drawing:
        yield f"{file}: show a picture of the notebook, attachment:NAME.png, under ## The drawing."


@rule(applies=_has_guide, thresholds={"cuts": 3})
def guide_cuts(subject: Subject) -> Iterator[str]:
    """Require that the sheet says what may be cut, and what becomes of everything that needs it."""
    found: list[str] = []
    with as_problem(found):
        cuts = len(_sheet(subject).cuts())
        fewest = min(subject.thresholds["cuts"], len(subject.assignment.exercises))
        if cuts < fewest:
            found.append(f"its sheet has {cuts} items under ## What to cut; write {fewest:g}.")
    yield from found


@rule(applies=_has_guide)
def guide_numbers(subject: Subject) -> Iterator[str]:
    """Require that every number of the sheet is in the notebook, in an exam answer, or was computed by its check."""
    assert subject.course.guide is not None
    notebook = subject.assignment.solution.notebook
    path = subject.course.guide / f"{subject.name}.md"
    found = read_sheet(path, notebook)
    known = "\n".join(
        [cell.source for cell in notebook.cells]
        + [line for cell in notebook.cells for line in text_outputs(cell)]
        + found.proved
        + [one.answer for one in _exam(subject)]
    )
    text = re.sub(r"```.*?```|\(\d+ min\)", "", "\n".join(found.sections.values()), flags=re.S)
    for number in re.findall(r"\d[\d,]*\.\d+|\d[\d,.]*%|\d{1,3}(?:,\d{3})+", text):
        if number.rstrip("%.,") not in known:
            yield f"the sheet says {number}, which nothing prints; quote an output, or compute it."


@rule(applies=_has_guide)
def marking(subject: Subject) -> Iterator[str]:
    """Require that every question that a person grades has a marking guide; samples go from no to all points."""
    asked = [
        cell
        for cell in subject.assignment.release.cells
        if "graded by hand" in cell.source.partition("\n")[0]
    ]
    marked = LessonFacts(subject.assignment, {}).marked
    if len(marked) != len(asked):
        yield f"of {len(asked)} questions graded by hand, {len(marked)} have a **Marking guide**."
    for one in marked:
        if not one.guide:
            yield f"{one.title}: the marking guide is empty."
        points = [text.split()[0] for text, _ in one.samples]
        if points and (len(points) != 3 or points[0] != "0" or points[-1] != one.points.split()[0]):
            yield f"{one.title}: give sample answers with no, some and all of its points."


@rule(applies=_has_guide, thresholds={"exam-questions": 2})
def exam(subject: Subject) -> Iterator[str]:
    """Require that the exam bank has questions on it, whose answers are computed again by their checks."""
    questions = _exam(subject)
    fewest = subject.thresholds["exam-questions"]
    if len(questions) < fewest:
        yield f"guide/exam/{subject.name}.md has {len(questions)} questions; write {fewest:g}."
    found: list[str] = []
    with as_problem(found):
        prove_bank({subject.name: questions})
    yield from found
    for one in questions:
        if not any(word in one.check for word in _ASSERTS):
            yield f"{one.title}: its ### Check proves nothing; use says, states or assert."
        if not 3 <= one.points <= 10:
            yield f"{one.title}: give it 3 to 10 points."
