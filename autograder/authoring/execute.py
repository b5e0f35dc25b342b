"""Runs a solution notebook and stores its outputs."""

from __future__ import annotations

import json
import os
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from tqdm.auto import tqdm

from autograder.course.layout import Course
from autograder.course.reference import checked_names, read
from autograder.errors import CourseError

#: Wall time for one cell, in seconds.
_CELL_SECONDS = 600


def execute_solution(course: Course, assignment: str) -> float:
    """Run the solution notebook of an assignment; return the seconds it took.

    Raises
    ------
    CourseError
        An exercise is not recorded yet, or a cell raises an error; the file is left unchanged.
    """
    path = course.solution(assignment)
    notebook = read(path)
    index = course.recordings / "index.json"
    recorded = json.loads(index.read_text("utf-8")) if index.exists() else {}
    if missing := [name for name in checked_names(path) if name not in recorded]:
        raise CourseError(
            f"check does not know {missing[0]} yet; run `autograder release {assignment}` first."
        )
    cells = sum(cell.cell_type == "code" for cell in notebook.cells)
    start = time.monotonic()
    with tqdm(total=cells, desc=assignment, unit="cell", disable=None) as bar:
        client = NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            record_timing=False,
            coalesce_streams=True,  # a progress bar becomes one line, its last
            kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
            on_cell_executed=lambda **_: bar.update(),
        )
        try:
            client.execute(env={**os.environ, **course.environment()})
        except CellExecutionError as error:
            raise CourseError(f"{assignment}: {error}") from None
    nbformat.write(notebook, path)
    return time.monotonic() - start
