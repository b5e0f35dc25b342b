"""The limits of a submission's run: the one place where they are set."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

#: The user that runs submissions where there is no sandbox, as in Gradescope's containers.
USER = "submission"


@dataclass(frozen=True)
class Limits:
    """The limits of a submission's run.

    `nbgrader_config.py` sets them for a course (``c.Grade.cell_seconds = 120``). The grader counts
    time and output; the operating system enforces memory, disk, processes and processor time, which
    `autograder.grading.kernels` passes on as `autograder.sandbox.isolation.SandboxLimits`.

    Attributes
    ----------
    cell_seconds, notebook_seconds : float
        Wall time for one cell and for the whole notebook, on a machine that has a core for every
        process; see `slowdown`. Each cell that is stopped halves it for the next ones, down to 5
        seconds.
    kernels : int
        How many kernels the cells of a notebook may end, one after another. After a cell that ended its
        kernel, the cells before it run again in a new one, of that cell only what it defines.
        Answers that end one do not count: each is asked once.
    output_bytes : int
        Output of one cell; the rest is dropped and the cell interrupted.
    notebook_output_bytes : int
        Output of all cells that is kept; cells go on without the rest.
    all_cells : bool
        Always run the cells that only show something, for their figures.
    figures : bool
        Draw the figures that cells make; without, they are made but not rendered.
    training_steps : int or None
        Optimizer steps that one `coursekit.fit` takes; None for `fit`'s own limit while grading. No
        exercise is judged by them: the cells between the checks only show.
    data_rows : int or None
        Rows of a data set that `coursekit.load` draws; None for all.
    shown_seconds : float or None
        Processor time of a cell that only shows something, where it is run; it is then cut off.
        None for no limit of its own.
    memory_bytes, disk_bytes, processes : int
        Limits on everything that the submission starts, together.
    reader_bytes : int
        Memory of the process that reads what the submission's kernel sends.
    sandbox : bool
        Run it in a sandbox; without one it is a process of the instructor's user.
    user : str
        The system user that runs it where there is no sandbox; "" for the grader's own. Only root
        can choose another.
    hidden : tuple of str
        Folders that it must not see, wherever they lie; see `hidden_folders`.
    visible : tuple of str
        Folders that it may see although a hidden one is around them.
    preload : tuple of str
        Statements that the process runs from which kernels are forked: imports.
    """

    cell_seconds: float = 60.0
    notebook_seconds: float = 300.0
    kernels: int = 8
    output_bytes: int = 10 * 2**20
    notebook_output_bytes: int = 32 * 2**20
    all_cells: bool = False
    figures: bool = True
    training_steps: int | None = None
    data_rows: int | None = None
    shown_seconds: float | None = None
    memory_bytes: int = 3 * 2**30
    disk_bytes: int = 256 * 2**20
    processes: int = 128
    reader_bytes: int = 3 * 2**29
    sandbox: bool = True
    user: str = ""
    #: not part of what determines a score: moving a class does not grade it again
    hidden: tuple[str, ...] = field(default=(), repr=False, compare=False)
    visible: tuple[str, ...] = field(default=(), repr=False, compare=False)
    preload: tuple[str, ...] = field(default=(), repr=False, compare=False)


def slowdown() -> float:
    """Return the factor by which to wait longer as processes share the cores: 1 to 4, by load.

    Processor time would be fairer, but a cell that only sleeps uses none.
    """
    if not hasattr(os, "getloadavg"):  # Windows
        return 1.0
    return min(4.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def hidden_folders(course: Path, classroom: Path) -> tuple[str, ...]:
    """Return the folders that no submission may see: the course, the class, the user's home."""
    home = os.path.expanduser("~")
    return tuple(path for path in (str(course), str(classroom), home) if os.path.isabs(path))
