"""Figures of the ladder: each model's accuracy, and its growth with the number of labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

from coursekit.figures.bars import model_bars
from coursekit.figures.style import COLORS, FigureError, axes_of, style

_LINES = ("-", "--", ":", "-.")


def ladder_figure(
    results: Mapping[str, Any],
    rungs: Sequence[str] | None = None,
    *,
    size: str = "all",
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one dot per rung at its accuracy, with its 95% interval.

    Parameters
    ----------
    results : mapping of str to object
        What `load_results("ladder_sst2")` or another ladder's name returns.
    rungs : sequence of str, optional
        Which ones, from the top; all that were measured when left out.
    size : str
        The number of labels they learned from, as a word: "100", "1000", "10000" or "all".
    title : str, optional
        Best a statement.
    ax : Axes, optional
        Axes to draw on; new ones when left out.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    FigureError
        If these are no results of the ladder, or a rung or size is not among them.
    """
    measured = {
        rung: sizes[size] for rung, sizes in _rungs(results, rungs).items() if size in sizes
    }
    if not measured:
        raise FigureError(f"No rung was measured with the size {size!r}.")
    scores = {
        rung: (found["accuracy"], found["low"], found["high"]) for rung, found in measured.items()
    }
    return model_bars(scores, title=title, ax=ax)


def labels_figure(
    results: Mapping[str, Any],
    rungs: Sequence[str] | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw each rung's accuracy over the number of labels it learned from, which is a log axis.

    Parameters
    ----------
    results : mapping of str to object
        As in `ladder_figure`.
    rungs : sequence of str, optional
        Which ones, in the order of the colors; all that were measured when left out. Six or seven
        can be told apart well.
    title, ax : str and Axes, optional
        As in `ladder_figure`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    FigureError
        As in `ladder_figure`.
    """
    measured = _rungs(results, rungs)
    numbers: dict[int, str] = {}
    with style():
        ax = axes_of(ax, 7, 4.2)
        for place, (rung, sizes) in enumerate(measured.items()):
            points = sorted(sizes.values(), key=lambda found: found["labels"])
            labels = [found["labels"] for found in points]
            values = np.array([found["accuracy"] for found in points])
            ends = np.array([[found["low"], found["high"]] for found in points])
            color = COLORS[place % len(COLORS)]
            line = _LINES[place // len(COLORS) % len(_LINES)]
            ax.plot(labels, values, line, color=color, marker="o", markersize=5, label=rung)
            ax.fill_between(labels, *ends.T, color=color, alpha=0.08, linewidth=0)
            numbers |= {found["labels"]: f"{found['labels']:,}" for found in points}
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(FixedLocator(sorted(numbers)))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.set_xticklabels([numbers[number] for number in sorted(numbers)])
        ax.set(xlabel="labels to learn from", ylabel="accuracy")
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        # The best one first, as the lines end at the right.
        handles, names = ax.get_legend_handles_labels()
        order = sorted(range(len(names)), key=lambda i: -_last_value(handles[i]))
        ax.legend(
            [handles[i] for i in order],
            [names[i] for i in order],
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0,
        )
        if title:
            ax.set_title(title)
    return ax


def _rungs(results: Any, rungs: Sequence[str] | None) -> dict[str, Mapping[str, Any]]:
    """Return the results of the chosen rungs, in that order."""
    measured = results.get("rungs") if isinstance(results, Mapping) else None
    if not isinstance(measured, Mapping) or not measured:
        raise FigureError(
            "These are no results of the ladder; take, for example, load_results('ladder_sst2')."
        )
    for rung in rungs or ():
        if rung not in measured:
            raise FigureError(
                f"The rung {rung!r} was not measured; measured are {'; '.join(measured)}."
            )
    return {rung: measured[rung] for rung in (measured if rungs is None else rungs)}


def _last_value(handle: Artist) -> float:
    """Return a line's last y value; 0 for any other artist."""
    return float(np.asarray(handle.get_ydata())[-1]) if isinstance(handle, Line2D) else 0.0
