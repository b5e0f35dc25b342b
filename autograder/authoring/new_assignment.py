"""Creation of a new assignment: all files that `autograder verify` demands, with one small exercise."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.course.layout import NAME, Course
from autograder.errors import CourseError

_TEMPLATES = Path(__file__).parent / "templates"
#: Where a list of the assignments ends, in the README or another page: a new one gets a row.
_LIST_END = "<!-- end of assignments -->"


def new_assignment(course: Course, assignment: str) -> list[Path]:
    """Write the files of a new assignment; return the paths of those that an author edits.

    These are the solution notebook, the module of cases, the typed answers, and, if the course has
    them, the sheet and the exam questions of the instructor's guide and the list of assignments.

    Raises
    ------
    CourseError
        The name is not of the form NN_topic, the assignment or its cases already exist, or the
        course's configuration asks for a template that does not exist.
    """
    if not NAME.fullmatch(assignment):
        raise CourseError(
            f"{assignment} is not an assignment name: use two digits, an underscore and a topic in"
            " lower case, such as 07_language_models."
        )
    notebook, folder = course.solution(assignment), course.cases(assignment)
    guide = [course.guide / f"{assignment}.md"] if course.guide is not None else []
    for path in (notebook, folder, *guide):
        if path.exists():
            raise CourseError(
                f"{path.relative_to(course.root)} already exists; nothing was changed."
            )
    taken = [name for name in course.assignments() if name[:2] == assignment[:2]]
    if taken:
        raise CourseError(f"the number {assignment[:2]} is taken by {taken[0]}; choose another.")
    template = _template(course)
    topic = assignment[3:]
    words = {
        "TOPIC": topic,
        "TITLE": topic.replace("_", " ").capitalize(),
        "NUMBER": assignment[:2],
    }
    written = {
        folder / f"average_{topic}.py": template / "exercise.py",
        folder / "answers" / "right.py": template / "answers" / "right.py",
        folder / "answers" / "wrong.py": template / "answers" / "wrong.py",
    }
    if course.guide is not None:
        written[course.guide / f"{assignment}.md"] = _TEMPLATES / "guide" / "sheet.md"
        written[course.guide / "exam" / f"{assignment}.md"] = _TEMPLATES / "guide" / "exam.md"
    notebook.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(_notebook(_fill(template / "assignment.py", words)), notebook)
    for path, name in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_fill(name, words), "utf-8")
    return [notebook, *written, *_add_row(course, assignment)]


def _template(course: Course) -> Path:
    """Return the folder of the templates of the kind that the course's configuration names."""
    kinds = sorted(path.parent.name for path in _TEMPLATES.glob("*/assignment.py"))
    if course.config.template not in kinds:
        raise CourseError(
            f"pyproject.toml asks for the template {course.config.template!r}; choose"
            f" {' or '.join(kinds)}."
        )
    return _TEMPLATES / course.config.template


def _add_row(course: Course, assignment: str) -> list[Path]:
    """Add the assignment to the list of assignments; return the page that has it, if one does."""
    for path in (course.root / "README.md", *sorted(course.root.glob("docs/*.md"))):
        if not path.exists() or f"\n{_LIST_END}" not in (text := path.read_text("utf-8")):
            continue
        head, _, rest = text.partition(f"\n{_LIST_END}")
        lines = [*head.split("\n"), f"| `{assignment}` | averages of what counts | 10 minutes |"]
        place = len(lines) - 1
        while lines[place - 1].startswith("| `") and lines[place - 1] > lines[place]:
            lines[place - 1], lines[place] = lines[place], lines[place - 1]
            place -= 1
        path.write_text("\n".join(lines) + f"\n{_LIST_END}{rest}", "utf-8")
        return [path]
    return []


def _fill(template: Path, words: dict[str, str]) -> str:
    text = template.read_text("utf-8")
    for name, word in words.items():
        text = text.replace(f"__{name}__", word)
    return text


def _notebook(text: str) -> nbformat.NotebookNode:
    """Return a notebook made from a script: ``# %%`` starts a code cell, ``# %% [markdown]`` a text cell.

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
    notebook: nbformat.NotebookNode = new_notebook(cells=cells)
    return notebook
