"""Version check of a notebook: its recordings must be at least as new as itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from coursekit.checking import (
    monkeypatch_guard,  # noqa: F401  # holds what libraries contain, before code of a student runs
    stored_recordings,
)

_PACKAGE = Path(__file__).parents[1]
#: Seconds after which an installation is given up.
_PATIENCE = 600
#: What the notebooks of this kernel need, by assignment.
_needed: dict[str, int] = {}


class Outdated(ImportError):
    """Error for a coursekit older than the notebook; the message says what to do."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        return [f"Outdated: {self}"]


def require(assignment: str, revision: int, wheels: Sequence[str | Path] = ()) -> None:
    """Install coursekit again if it is older than the notebook; else do nothing.

    Parameters
    ----------
    assignment : str
        The assignment of the notebook, ``NN_topic``.
    revision : int
        The revision of its recording that the notebook was released with.
    wheels : sequence of str or Path
        Where newer versions may be: files or addresses, tried in this order.

    Raises
    ------
    Outdated
        coursekit was older. If it is up to date now, the kernel must be restarted, since it has
        imported the old one.
    """
    _needed[assignment] = revision
    if not is_outdated() or os.environ.get("NBGRADER_EXECUTION"):
        return
    print("This notebook is newer than the coursekit that is installed; updating it ...")
    for wheel in wheels:
        _install(str(wheel))
        if not is_outdated():
            raise Outdated(
                "coursekit is up to date now: restart the kernel (in Colab: Runtime > Restart"
                " session), then run this cell again."
            )
    raise Outdated(
        "this notebook is newer than your coursekit, which could not be updated. Upload the newest"
        " coursekit wheel from the course's handout next to this notebook (in Colab: Files, on the"
        " left), and run this cell again."
    )


def assignments() -> list[str]:
    """Return the assignments of the notebooks whose set-up cells ran in this kernel."""
    return list(_needed)


def is_outdated() -> bool:
    """Tell whether a notebook of this kernel needs newer recordings than there are."""
    return any(stored_recordings.revision(name) < number for name, number in _needed.items())


def _install(wheel: str) -> None:
    """Install the wheel in place of the current version, unless that is a checkout."""
    if (_PACKAGE.parent / "pyproject.toml").exists():
        return
    # the version is that of the last release, which is no reason for pip to install it again
    options = ["--quiet", "--retries=1", "--force-reinstall", "--no-deps"]
    command = [sys.executable, "-m", "pip", "install", *options, wheel]
    subprocess.run(command, check=False, timeout=_PATIENCE)
