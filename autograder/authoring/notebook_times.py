"""The times that a solution notebook states: of the whole, and of each exercise."""

from __future__ import annotations

import re

from autograder.course.assignment import Assignment
from autograder.course.cells import checked_exercise

_TIME = re.compile(r"\*\*Time\.?\*\* [Aa]bout ([\d¼½¾]+ (?:hours?|minutes))")
#: Minutes and level of an exercise, below its heading.
ABOUT = re.compile(r"\*(?:[^*\n]*· )?about (\d+) minutes · (\w+)[^*\n]*\*")


def stated_hours(assignment: Assignment) -> str:
    """Return the time that the first cells state, such as "5½ hours"; "" if they state none."""
    cells = assignment.solution.notebook.cells[:3]
    found = _TIME.search("\n".join(cell.source for cell in cells))
    return found[1] if found else ""


def exercise_minutes(assignment: Assignment) -> dict[str, int | None]:
    """Return the minutes that stand above each exercise; None where none do."""
    found: dict[str, int | None] = {}
    text = ""
    for cell in assignment.solution.notebook.cells:
        if cell.cell_type == "markdown":
            text += f"\n\n{cell.source}"
        elif (name := checked_exercise(cell.source)) in assignment.exercises:
            about = ABOUT.findall(text)
            found[str(name)] = int(about[-1][0]) if about else None
            text = ""
    return found
