"""Creates a new assignment, ready to release: a solution notebook and one exercise."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.layout import NAME, Course
from autograder.errors import CourseError

_TEMPLATES = Path(__file__).parent / "templates"


def new_assignment(course: Course, assignment: str) -> list[Path]:
    """Write the two files of a new assignment; return their paths.

    Raises
    ------
    CourseError
        The name is not of the form NN_topic, or the assignment or its cases already exist.
    """
    if not NAME.fullmatch(assignment):
        raise CourseError(
            f"{assignment} is not an assignment name: use two digits, an underscore and a topic in"
            " lower case, such as 07_language_models."
        )
    notebook, folder = course.solution(assignment), course.cases(assignment)
    for path in (notebook, folder):
        if path.exists():
            raise CourseError(
                f"{path.relative_to(course.root)} already exists; nothing was changed."
            )
    taken = [name for name in course.assignments() if name[:2] == assignment[:2]]
    if taken:
        raise CourseError(f"the number {assignment[:2]} is taken by {taken[0]}; choose another.")
    topic = assignment[3:]
    words = {
        "TOPIC": topic,
        "TITLE": topic.replace("_", " ").capitalize(),
        "NUMBER": assignment[:2],
    }
    exercise = folder / f"average_{topic}.py"
    for path in (notebook, exercise):
        path.parent.mkdir(parents=True)
    nbformat.write(_notebook(_fill("assignment.py", words)), notebook)
    exercise.write_text(_fill("exercise.py", words), "utf-8")
    return [notebook, exercise]


def _fill(template: str, words: dict[str, str]) -> str:
    text = (_TEMPLATES / template).read_text("utf-8")
    for name, word in words.items():
        text = text.replace(f"__{name}__", word)
    return text


def _notebook(text: str) -> nbformat.NotebookNode:
    """A notebook from a script: ``# %%`` starts a code cell, ``# %% [markdown]`` a text cell.

    Any other word in brackets becomes a tag of the code cell.
    """
    cells = []
    for block in text.split("# %%")[1:]:
        head, _, body = block.partition("\n")
        if "[markdown]" in head:
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            cells.append(new_markdown_cell("\n".join(lines)))
        else:
            cells.append(new_code_cell(body.strip()))
            if tags := re.findall(r"\[([\w-]+)\]", head):
                cells[-1].metadata["tags"] = tags
    return new_notebook(cells=cells)
