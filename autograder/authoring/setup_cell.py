"""The set-up cell of a course that has a package of its own, besides coursekit."""

from __future__ import annotations

from autograder.authoring.wheels import wheel_names
from autograder.course.layout import Course

_SETUP = """\
# Set-up. Where a package is missing (in Colab, say) this installs it; otherwise it does nothing.
import importlib.util
from pathlib import Path

for package, wheel in (
{wheels}):
    if importlib.util.find_spec(package) is None:
        near = [path for path in (Path(wheel), Path("../..", wheel)) if path.exists()]
{install}
        importlib.invalidate_caches()
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(
                f"{{package}} could not be installed. Upload {{wheel}} from the course's handout"
                " next to this notebook (in Colab: Files, on the left), and run this cell again."
            )

{last}"""
_FROM_FILE = """\
        if near:
            %pip install --quiet --retries 1 {near[0]}"""
_FROM_REPOSITORY = """\
        source = near[0] if near else f"ADDRESS/{wheel}"
        %pip install --quiet --retries 1 {source}"""


def setup_of_own_package(course: Course, address: str) -> str:
    """The source of the cell.

    Parameters
    ----------
    address : where the wheels are that are not beside the notebook; "" if they are nowhere else.
    """
    config = course.config
    rows = zip(("coursekit", config.package), wheel_names(course))
    return _SETUP.format(
        wheels="".join(f'    ("{package}", "{wheel}"),\n' for package, wheel in rows),
        install=_FROM_REPOSITORY.replace("ADDRESS", address) if address else _FROM_FILE,
        last=config.setup,
    )
