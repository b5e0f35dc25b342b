"""Landing page: the assignments of a course as linked cards, with their hours."""

from __future__ import annotations

import html
import re

from autograder.classroom.term_plan import read_plans
from autograder.course.assignment import Assignment, every_assignment
from autograder.course.cells import asked_exercise
from autograder.course.layout import Course
from coursekit.checking.stored_recordings import read


def cards(course: Course, address: str) -> str:
    """Return an HTML list with a card per assignment: title, goal, hours, number of exercises.

    Parameters
    ----------
    address : str
        The address of a chapter, with `{name}` for the assignment's name.
    """
    hours = _planned(course)
    items = []
    for assignment in every_assignment(course):
        name = assignment.name
        count = sum(asked_exercise(cell) is not None for cell in assignment.release.cells)
        facts = [_hours(hours[name[:2]])] if name[:2] in hours else []
        facts.append(f"{count} exercise{'s' * (count != 1)}")
        items.append(
            f'<li><a href="{html.escape(address.format(name=name))}"><b>{name[:2]}</b>'
            f" {html.escape(assignment.title)}</a><p>{goal_of(assignment)}</p>"
            f'<p class="facts">{" · ".join(facts)}</p></li>'
        )
    return f'<ul class="cards">{"".join(items)}</ul>'


def all_hours(course: Course) -> float:
    """Return the hours of all assignments that the course has, as its `plans.toml` states them."""
    hours = _planned(course)
    return sum(hours.get(name[:2], 0) for name in course.assignments())


def counts(course: Course) -> dict[str, int]:
    """Return the numbers of assignments, exercises and misconceptions of the course."""
    recorded = [read(course.recordings / f"{name}.json") for name in course.assignments()]
    exercises = [one for recording in recorded for one in recording["exercises"].values()]
    mistakes = sum(len(exercise["misconceptions"]) for exercise in exercises)
    return {"assignments": len(recorded), "exercises": len(exercises), "misconceptions": mistakes}


def goal_of(assignment: Assignment) -> str:
    """Return the goal that a notebook's first cell states, as HTML; "" if it states none."""
    text = html.escape(assignment.goal)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def _planned(course: Course) -> dict[str, float]:
    """Map each assignment's number to its hours; {} for a course without plans."""
    return read_plans(course).hours if (course.root / "plans.toml").exists() else {}


def _hours(hours: float) -> str:
    """Format hours, with a half."""
    whole, half = int(hours), hours % 1 >= 0.25
    return f"{whole}{'½' * half} hour{'s' * (hours != 1)}"
