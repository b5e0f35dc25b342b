"""Progress bar of long computations, as text that looks right live and when reopened."""

from __future__ import annotations

import os
import sys
from typing import Any


def progress_bar(total: int, unit: str, **options: Any) -> Any:
    """Return a tqdm bar; hidden unless a person may be watching, in a terminal or a notebook.

    In a notebook it is text on standard output: Jupyter shows standard error in red, and a widget is
    gone when the notebook is opened again.

    Parameters
    ----------
    total : int
        The number of steps.
    unit : str
        What a step is, for the rate.
    options : object
        More of tqdm's.
    """
    from tqdm import tqdm

    if _in_notebook():
        options = {"file": sys.stdout, "ncols": 70, "mininterval": 0.5, **options}
    else:
        options = {"dynamic_ncols": True, **options}
    return tqdm(total=total, unit=unit, disable=not _is_watched(), **options)


def _is_watched() -> bool:
    """Tell whether the output goes to a terminal or a notebook."""
    if os.environ.get("NBGRADER_EXECUTION") or os.environ.get("TQDM_DISABLE"):
        return False
    return _in_notebook() or sys.stderr.isatty()


def _in_notebook() -> bool:
    """Tell whether the code runs in a notebook."""
    shell: Any = None
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
    return hasattr(shell, "kernel")
