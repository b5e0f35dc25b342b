"""Rules on what an author writes and what a release generates from it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from autograder.authoring.notebook_times import exercise_minutes, stated_hours
from autograder.authoring.proofs import COMPARED_CELLS
from autograder.authoring.release_digest import is_released
from autograder.authoring.stored_outputs import is_executed
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.verify.rules import Subject, rule

_ROW = re.compile(r"^\| `(\w+)` \|.*\| ([\d¼½¾]+ (?:hours?|minutes))[^|]*\|$", re.M)
#: Home folders, whose names say on whose machine a notebook ran.
_HOMES = ("/home/", "/Users/", "C:\\\\Users")


def _release(subject: Subject) -> str:
    return "" if is_released(subject.course, subject.name) else f"autograder release {subject.name}"


def _execute(subject: Subject) -> str:
    try:
        executed = is_executed(subject.name, subject.assignment.solution.notebook)
    except CourseError:
        executed = False
    return "" if executed else f"autograder execute {subject.name}"


@rule(stale=_release)
def released(subject: Subject) -> Iterator[str]:
    """Require that the student notebook and the recording are those that a release of these sources wrote.

    A release proves that the solution passes its own checks, that the student notebook has no line of
    a solution and fails every check with "not written yet", and that each misconception is caught and
    gets its own hint.
    """
    return iter(())


@rule(stale=_execute)
def executed(subject: Subject) -> Iterator[str]:
    """Require that the stored outputs of the solution notebook are those of its code as it is now."""
    return iter(())


@rule(thresholds={"compared-cells": COMPARED_CELLS})
def stored_outputs(subject: Subject) -> Iterator[str]:
    """Require that no cell stores an error, a warning or a path of this machine, and some are compared by nbval."""
    cells = subject.assignment.solution.code
    for number, cell in enumerate(cells, 1):
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"code cell {number} stores an error or a warning; mend it and execute again."
    text = subject.assignment.solution.path.read_text("utf-8")
    for place in (str(subject.course.root), *_HOMES):
        if place in text:
            yield f"the solution notebook has the path {place}, which is this machine's own."
    compared = sum("nbval-check-output" in c.metadata.get("tags", []) for c in cells)
    fewest = subject.thresholds["compared-cells"]
    if compared < fewest:
        yield (
            f"{compared} cells have the tag nbval-check-output; give it to at least {fewest:g} whose"
            " outputs are the same everywhere."
        )


@rule()
def headings(subject: Subject) -> Iterator[str]:
    """Require that the text begins with a heading of level 1, and no heading skips a level."""
    cells = subject.assignment.solution.notebook.cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    text = re.sub(r"^```.*?^```", "", "\n".join(texts), flags=re.M | re.S)
    found = re.findall(r"^(#+) (?!BEGIN SOLUTION|END SOLUTION)(.+)$", text, re.M)
    if not found or found[0][0] != "#":
        yield "the first heading is not of level 1."
    for (before, _), (after, title) in itertools.pairwise(found):
        if len(after) > len(before) + 1:
            yield f"the heading {title!r} is of level {len(after)} below one of level {len(before)}."


def _has_list(course: Course) -> bool:
    return _list_of(course) is not None


def _list_of(course: Course) -> str | None:
    """Return the page with the list of assignments; None if the course has no such page."""
    for path in (course.root / "README.md", *sorted(course.root.glob("docs/*.md"))):
        if path.exists() and "<!-- end of assignments -->" in (text := path.read_text("utf-8")):
            return text
    return None


@rule(applies=_has_list)
def listed(subject: Subject) -> Iterator[str]:
    """Require that the course's list of assignments has a row for it, with the time that its notebook states."""
    rows = dict(_ROW.findall(_list_of(subject.course) or ""))
    said = stated_hours(subject.assignment)
    if subject.name not in rows:
        yield f"README.md has no row `{subject.name}` with a time in its list of assignments."
    elif said and rows[subject.name] != said:
        yield f"its row in README.md says {rows[subject.name]}, the notebook {said}; make them one."


@rule()
def times(subject: Subject) -> Iterator[str]:
    """Require that the notebook states its time, each exercise its minutes, and these do not add up to more."""
    minutes = exercise_minutes(subject.assignment)
    for name, own in minutes.items():
        if own is None:
            yield f"{name}: write *about N minutes · easy* (medium, hard) below its heading."
    said = stated_hours(subject.assignment)
    if not said:
        yield "the first cell does not say `**Time** about N hours`."
        return
    number, unit = said.split()
    parts = {"¼": 0.25, "½": 0.5, "¾": 0.75}
    value = sum(parts.get(letter, 0.0) for letter in number)
    value += float(re.sub(r"\D", "", number) or 0)
    stated = value * (60 if unit.startswith("hour") else 1)
    needed = sum(own or 0 for own in minutes.values())
    if needed > stated:
        yield f"the exercises take {needed} minutes together, and the notebook states {said}."


@rule()
def recording_format(subject: Subject) -> Iterator[str]:
    """Require that every exercise is recorded, with a hint of more than a few words for each misconception."""
    for name in subject.assignment.exercises:
        if name not in subject.recorded:
            yield f"{name} is not in the recording; release again."
            continue
        for one in subject.recorded[name]["misconceptions"]:
            if len(one["hint"]) <= 20:
                yield f"{name}: the hint of {one['name']} is too short to help: {one['hint']!r}."
