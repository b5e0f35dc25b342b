"""Execution of a solution notebook, with its outputs stored."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from tqdm.auto import tqdm

from autograder.authoring.setup_cell import stored_revision
from autograder.authoring.stamp import stamp
from autograder.authoring.stored_outputs import mark_executed
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import RECORDING_SEED, record_reference
from autograder.errors import CourseError
from autograder.escaping import without_colors
from coursekit.checking.stored_recordings import FORMAT, VARIABLE

#: Wall time for one cell, in seconds.
_CELL_SECONDS = 600
_SHOWN = 60


def execute_solution(course: Course, assignment: str) -> float:
    """Run the solution notebook of an assignment; return the seconds it took.

    The notebook is stamped first, and its checks use the cases as they are now: it need not be
    released before.

    Raises
    ------
    CourseError
        The notebook and its cases do not match, or a cell raises an error or takes too long; the
        file is left unchanged.
    """
    own = Assignment(course, assignment)
    notebook = stamp(own)
    start = time.monotonic()
    run_cells(own, notebook)
    mark_executed(notebook)
    nbformat.write(notebook, own.solution.path)
    return time.monotonic() - start


def run_cells(assignment: Assignment, notebook: NotebookNode) -> None:
    """Run all cells of a notebook of an assignment, and store their outputs in it.

    Raises
    ------
    CourseError
        A cell raises an error or takes too long.
    """
    course, path = assignment.course, assignment.solution.path
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell in cells:
        cell.outputs, cell.execution_count = [], None
    with (
        tempfile.TemporaryDirectory() as recordings,
        tqdm(total=len(cells), desc=assignment.name, unit="cell", disable=None) as bar,
    ):
        _record(assignment, Path(recordings))
        environment = course.environment()
        environment[VARIABLE] = os.pathsep.join([recordings, environment[VARIABLE]])
        client = NotebookClient(
            notebook,
            timeout=_CELL_SECONDS,
            record_timing=False,
            coalesce_streams=True,  # a progress bar becomes one line, its last
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(path.parent)}},
            on_cell_executed=lambda **_: bar.update(),
        )
        try:
            client.execute(env={**os.environ, **environment})
        except CellExecutionError as error:
            what = f"{error.ename}: {error.evalue}"
            raise _stopped(assignment.name, notebook, what) from None
        except DeadKernelError:
            raise _stopped(assignment.name, notebook, "the kernel died") from None
        except CellControlSignal:  # nbclient's time limit
            what = f"it takes more than {_CELL_SECONDS} seconds"
            raise _stopped(assignment.name, notebook, what) from None


def _record(assignment: Assignment, folder: Path) -> None:
    """Write the recording that `check` needs while the assignment's own notebook runs."""
    exercises = {
        name: {**record_reference(assignment, name, RECORDING_SEED), "pairs": []}
        for name in assignment.exercises
    }
    recording = {
        "format": FORMAT,
        "assignment": assignment.name,
        "revision": stored_revision(assignment),
        "exercises": exercises,
        "layers": assignment.solution.layers,
    }
    (folder / f"{assignment.name}.json").write_text(json.dumps(recording), "utf-8")
    names = dict.fromkeys(exercises, assignment.name)
    (folder / "index.json").write_text(json.dumps(names), "utf-8")


def _stopped(assignment: str, notebook: NotebookNode, what: str) -> CourseError:
    """Return an error that names the cell at which a run ended, with its first line of code."""
    begun = [n for n, cell in enumerate(notebook.cells) if cell.get("execution_count")]
    number = next(
        (n for n, cell in enumerate(notebook.cells) if _has_error(cell)), begun[-1] if begun else 0
    )
    lines = notebook.cells[number].source.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    first = first if len(first) <= _SHOWN else f"{first[:_SHOWN]}..."
    return CourseError(f"{assignment}, cell {number + 1} (`{first}`): {without_colors(what)}")


def _has_error(cell: NotebookNode) -> bool:
    """Tell whether a cell has raised an error."""
    return any(output.output_type == "error" for output in cell.get("outputs", []))
