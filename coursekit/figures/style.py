"""Parts shared by all figures: colors, style, new axes, checked numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.rcsetup import cycler

# The palette of Okabe and Ito (2008), which stays distinct in every common color blindness; its
# yellow is left out, because it is too faint for lines on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
FOR, AGAINST = "#0072B2", "#D55E00"
GRAY = "#666666"


class FigureError(ValueError):
    """Error for input that cannot be drawn; the message is one sentence."""


@contextmanager
def style() -> Iterator[None]:
    """Draw in the course's style inside the block; outside nothing changes."""
    import seaborn as sns  # with the first figure: it takes more than a second

    look = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("notebook"),
        "figure.dpi": 110,
        "axes.prop_cycle": cycler(color=COLORS),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 13,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 10,
        "axes.labelsize": 11,
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 10.5,
        "legend.fontsize": 10.5,
        "legend.frameon": False,
    }
    # Not plt.rc_context: the first figure of a notebook loads its backend, which turns on showing
    # figures after each cell, and rc_context would turn that off again with all other settings.
    before = {name: plt.rcParams[name] for name in look}
    plt.rcParams.update(look)
    try:
        yield
    finally:
        plt.rcParams.update(before)


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the caller's axes, or new ones of this size in inches."""
    if ax is not None:
        return ax
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def numbers(values: Any, name: str, dimensions: int) -> np.ndarray:
    """Turn a list, array or tensor into finite numbers with so many axes."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().float().numpy()
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise FigureError(f"The {name} must be numbers, all rows of one length.") from None
    if array.ndim != dimensions or array.size == 0:
        raise FigureError(
            f"The {name} must have {dimensions} "
            f"{'axis' if dimensions == 1 else 'axes'} and not be empty, but got the shape "
            f"{array.shape}."
        )
    if not np.isfinite(array).all():
        raise FigureError(f"The {name} must be finite, but hold nan or inf.")
    return array
