"""A syllabus to edit, from a term plan, the student notebooks and the class's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from nbformat import NotebookNode

from autograder.classroom.term_plan import Plan
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.late_policy import DailyPenalty
from autograder.grading.answer_recovery import is_by_hand
from coursekit.data.paths import write_atomically

#: What a part of the grade is worth, in percent, as the syllabus proposes it.
_WEIGHTS = {
    "assignments": 50,
    "questions about the student's own code, in person": 10,
    "project": 15,
    "examination": 25,
}


def write_syllabus(
    path: Path, course: Course, plan: Plan, due: Mapping[str, datetime], folder: Path | None = None
) -> None:
    """Write the syllabus of a term as Markdown; a file that is there is not overwritten.

    Parameters
    ----------
    due : mapping of str to datetime
        Assignment -> when it is due, with its zone; may lack assignments.
    folder : Path, optional
        The class's folder, whose rule for late work is stated; the course's own if None.

    Raises
    ------
    CourseError
        The file is there already, or cannot be written.
    """
    if path.exists():
        raise CourseError(f"{path} is there already; name another file, or move it away.")
    try:
        write_atomically(path, as_markdown(course, plan, due, folder).encode())
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from error


def as_markdown(
    course: Course, plan: Plan, due: Mapping[str, datetime], folder: Path | None = None
) -> str:
    """Return the syllabus; parts that a lecturer has to write stand in square brackets."""
    releases = {one.assignment: Assignment(course, one.assignment) for one in plan.entries}
    points = {name: points_of(of.release) for name, of in releases.items()}
    written, total = (sum(part) for part in zip(*points.values(), strict=True))
    rows = []
    for one in plan.entries:
        when = f"{due[one.assignment]:%a %Y-%m-%d %H:%M %Z}" if due else f"{one.due:%a %Y-%m-%d}"
        needs = ", ".join(name[:2] for name in one.needs)
        rows.append(
            f"| {one.week} | {when} | {one.assignment[:2]} {releases[one.assignment].title} |"
            f" {one.hours:g} | {points[one.assignment][1]:g} | {needs} |"
        )
    goals = [f"- {of.goal}" for of in releases.values() if of.goal]
    weights = [f"| {what} | {percent}% |" for what, percent in _WEIGHTS.items()]
    lines = [
        f"# {course.config.title}: syllabus",
        f"[term], [lecturer, office hours], [time and room of the lecture]. {plan.track.title},"
        f" {plan.weeks} weeks, {plan.credits} ECTS credits.",
        "## What you learn",
        "\n".join(goals),
        "## Work",
        f"{plan.credits} credits stand for {plan.credit_hours:g} hours. The assignments take about"
        f" {plan.hours:g} of them, {plan.hours / plan.weeks:.1f} a week; the rest is for lectures,"
        " reading, [project] and examination. Every assignment names the textbook's chapters to read"
        " with it.",
        "## Assignments",
        "| week | due | assignment | hours | points | reuses your code of |\n"
        "| --- | --- | --- | --: | --: | --- |\n" + "\n".join(rows),
        f"Of the {total:g} points, {written:g} ({written / total:.0%}) are for answers in words, which"
        " a person grades. The others are for functions that you write: a check tells you at once"
        " what is wrong, and grading asks the same with other inputs. What passes its check counts"
        " in full, unless it only knows the inputs that the check shows.",
        _late(DailyPenalty(config=Classroom(course, folder).config())),
        "## Your grade",
        "| part | weight |\n| --- | --: |\n" + "\n".join(weights),
        "Among the assignments, each counts by its points. [Which may be missed? What is needed to"
        " pass?]",
        "## Working together, and AI assistants",
        "[Your policy. docs/assistants.md in the course's folder has one to paste.] Submissions are"
        " compared with each other, and you may be asked about your own code.",
        "## Help",
        "[Forum, tutorials, whom to write to about illness, disability or an extension.]",
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def points_of(release: NotebookNode) -> tuple[float, float]:
    """Return the points of a released notebook: those that a person gives, and all."""
    graded = [cell for cell in release.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    by_hand = [cell for cell in graded if is_by_hand(cell)]
    written, total = (
        sum(float(cell.metadata["nbgrader"]["points"]) for cell in cells)
        for cells in (by_hand, graded)
    )
    return written, total


def _late(rule: DailyPenalty) -> str:
    """Say what late work costs, by the class's configuration."""
    if not rule.percent_per_day:
        return "Late work: [your rule; nbgrader_config.py has none yet]."
    grace = f" Up to {rule.grace_minutes:g} minutes cost nothing." if rule.grace_minutes else ""
    days = f"{rule.grace_days} late day{'s' * (rule.grace_days != 1)}"
    free = f" Everybody has {days} in the term that cost nothing." if rule.grace_days else ""
    most = f", at most {rule.most_percent:g}%" if rule.most_percent < 100 else ""
    return (
        f"Late work loses {rule.percent_per_day:g}% of its score per day begun{most}.{grace}{free}"
    )
