"""The set-up cell of a course that has a package of its own, besides coursekit."""

from __future__ import annotations

from autograder.authoring.wheels import wheel_names
from autograder.course.layout import Course

_SETUP = """\
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


def setup_of_own_package(course: Course, address: str, assignment: str, revision: int) -> str:
    """The source of the cell.

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
    return _SETUP.format(
        wheels="".join(f'    ("{package}", "{wheel}"),\n' for package, wheel in rows),
        online=_ONLINE.replace("ADDRESS", address) if address else "",
        last=config.setup,
        assignment=assignment,
        revision=revision,
    )
