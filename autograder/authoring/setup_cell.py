"""Set-up cell of a notebook: it installs whatever is missing or older than the notebook."""

from __future__ import annotations

import json
import re

from autograder.authoring.wheels import wheel_names
from autograder.course.assignment import Assignment
from autograder.course.layout import Course

#: The branch of the students' repository that badges and set-up cells lead to.
BRANCH = "main"
_SETUP = """\
# Set-up. Where coursekit is missing (in Colab, say) or older than this notebook, this installs it.
import importlib.util
from pathlib import Path

wheels = [*Path().glob("coursekit-*.whl"), *Path("../..").glob("coursekit-*.whl")]
wheels.append("{address}")
if importlib.util.find_spec("coursekit") is None:
    %pip install --quiet --retries 1 {{wheels[0]}}
    importlib.invalidate_caches()
    if importlib.util.find_spec("coursekit") is None:
        raise ModuleNotFoundError(
            "coursekit could not be installed. Upload {wheel} from the course's"
            " handout next to this notebook (in Colab: Files, on the left), and run this cell again."
        )

{last}

coursekit.require("{assignment}", revision={revision}, wheels=wheels)"""
#: The cell of a course that has a package of its own, besides coursekit.
_OWN_PACKAGE = """\
# Set-up. Where a package is missing (in Colab, say) or older than this notebook, this installs it.
import importlib.util
from pathlib import Path

for package, wheel in (
{wheels}):
    found = [path for path in (Path(wheel), Path("../..", wheel)) if path.exists()]{online}
    if found and importlib.util.find_spec(package) is None:
        %pip install --quiet --retries 1 {{found[0]}}
        importlib.invalidate_caches()
    if importlib.util.find_spec(package) is None:
        raise ModuleNotFoundError(
            f"{{package}} could not be installed. Upload {{wheel}} from the course's handout"
            " next to this notebook (in Colab: Files, on the left), and run this cell again."
        )

import coursekit

{last}
coursekit.require("{assignment}", revision={revision}, wheels=found)"""
_ONLINE = """
    found.append(f"ADDRESS/{wheel}")"""


def setup_cell(assignment: Assignment) -> str:
    """Return the source of the cell that installs what is missing or older than the notebook.

    If possible it does so from wheels beside the notebook.
    """
    course, revision = assignment.course, stored_revision(assignment)
    students = course.config.students
    address = f"{students}/raw/{BRANCH}" if students else ""
    if course.config.has_own_package:
        return _of_own_package(course, address, assignment.name, revision)
    (wheel,) = wheel_names(course)
    return _SETUP.format(
        address=f"{address}/{wheel}",
        wheel=wheel,
        last=course.config.setup,
        assignment=assignment.name,
        revision=revision,
    )


def stored_revision(assignment: Assignment) -> int:
    """Return the revision of the assignment's stored recording.

    Where that is missing or damaged, it is the one that the set-up cell asks for, so that a
    recording made again is newer than any that students have; 0 if there is none.
    """
    try:
        path = assignment.course.recordings / f"{assignment.name}.json"
        return int(json.loads(path.read_text("utf-8"))["revision"])
    except (OSError, ValueError, KeyError, TypeError):
        sources = (cell.source for cell in assignment.solution.notebook.cells)
        asked = (re.search(r"^coursekit\.require\(.*revision=(\d+)", s, re.M) for s in sources)
        return next((int(found[1]) for found in asked if found), 0)


def _of_own_package(course: Course, address: str, assignment: str, revision: int) -> str:
    """Return the source of the cell for a course with a package of its own.

    Parameters
    ----------
    course : Course
        The course, which has a package of its own.
    address : str
        Where the wheels are that are not beside the notebook; "" if they are nowhere else.
    assignment : str
        The name of the notebook's assignment.
    revision : int
        The revision of its recording.
    """
    config = course.config
    rows = zip(("coursekit", config.package), wheel_names(course))
    return _OWN_PACKAGE.format(
        wheels="".join(f'    ("{package}", "{wheel}"),\n' for package, wheel in rows),
        online=_ONLINE.replace("ADDRESS", address) if address else "",
        last=config.setup,
        assignment=assignment,
        revision=revision,
    )
