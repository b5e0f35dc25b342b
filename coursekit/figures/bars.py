"""Figures of accuracies with intervals, of models and on phenomena, and of decisive words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from coursekit.evaluation import Score
from coursekit.figures.style import AGAINST, COLORS, FOR, GRAY, FigureError, axes_of, numbers, style

# How opaque the bars are that the text discusses, and all others.
_FULL, _PALE = 0.85, 0.25


def model_bars(
    results: Any,
    *,
    chance: float | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one dot per model at its accuracy, with its interval, on an axis that is zoomed in.

    A dot shows its value by its position, so unlike a bar it needs no axis that starts at 0: the
    axis holds every interval and `chance`, and differences of a point or two can be seen.

    Parameters
    ----------
    results : object
        What `compare_models` or `accuracy_by` returns, a list of `Score`, or a dictionary from a
        name to a `Score`, to (accuracy, low, high), or to an accuracy without interval; all are
        fractions from 0 to 1. Drawn from the top in this order.
    chance : float, optional
        Draw a dotted line at this accuracy, for example that of guessing.
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
        If there is nothing to draw or a value is not a fraction.
    """
    scores = read_scores(results)
    with style():
        ax = axes_of(ax, 7, 0.9 + 0.42 * len(scores))
        _dots(ax, scores)
        _finish(ax, [score.name for score in scores], chance, title)
        _zoom(ax, scores, chance)
    return ax


def phenomenon_bars(
    results: Any,
    *,
    chance: float | None = 0.5,
    title: str | None = None,
    ax: Axes | None = None,
    highlight: str | Sequence[str] | None = None,
) -> Axes:
    """Draw the accuracy on each phenomenon, for one model or a few side by side.

    For more than three models `phenomenon_heatmap` reads better.

    Parameters
    ----------
    results : object
        What `accuracy_by` returns, or a dictionary of that by the model's name.
    chance : float or None
        Draw a dotted line at this accuracy; None for no line.
    title, ax : str and Axes, optional
        As in `model_bars`.
    highlight : str or sequence of str, optional
        The phenomenon, or phenomena, that the text discusses: the bars of all others are pale.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    FigureError
        If the models were not evaluated on the same phenomena, or not on a highlighted one.
    """
    models = by_model(results)
    names = [score.name for score in next(iter(models.values()))]
    full = _highlighted(names, highlight)
    n = len(names)
    height = 0.8 / len(models)
    with style():
        ax = axes_of(ax, 7, 1.0 + (0.28 * len(models) + 0.18) * n)
        for i, (model, scores) in enumerate(models.items()):
            places = np.arange(n) + (i - (len(models) - 1) / 2) * height
            _bars(ax, scores, places, height * 0.86, COLORS[i % len(COLORS)], model, full)
        _finish(ax, phenomenon_labels(models), chance, title)
        for name, tick in zip(names, ax.get_yticklabels()):
            tick.set_fontweight("bold" if highlight and name in full else "normal")
        if len(models) > 1:
            legend = ax.legend(
                loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(models), borderaxespad=0.2
            )
            for handle in legend.legend_handles:
                if handle is not None:
                    handle.set_alpha(_FULL)
            # The legend takes the title's place, so the title moves up.
            ax.set_title(title or "", pad=32)
    return ax


def decisive_words(
    words: Sequence[str],
    weights: Any,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw words by their weights: for the positive class to the right, against it to the left.

    Parameters
    ----------
    words : sequence of str
        The words to draw, at most 60; which ones decide is for the caller to find.
    weights : array_like
        One number per word.
    title, ax : str and Axes, optional
        As in `model_bars`.

    Returns
    -------
    matplotlib Axes
        The largest weight is at the top.

    Raises
    ------
    FigureError
        If the numbers of words and weights differ, or there are too many to read.
    """
    words, weights = list(words), numbers(weights, "weights", 1)
    if len(words) != len(weights):
        raise FigureError(f"There are {len(words)} words but {len(weights)} weights.")
    if len(words) > 60:
        raise FigureError(
            f"{len(words)} words do not fit into one figure; choose at most 60, the ones that "
            "decide most."
        )
    order = np.argsort(-weights, kind="stable")
    weights = weights[order]
    with style():
        ax = axes_of(ax, 6.2, 0.9 + 0.27 * len(words))
        places = np.arange(len(words))
        ax.barh(places, weights, 0.72, color=np.where(weights > 0, FOR, AGAINST))
        ax.axvline(0, color=GRAY, linewidth=1)
        # Each word is written beside its bar, on the empty side, as in a butterfly chart.
        gap = 0.015 * np.abs(weights).max()
        for place, (weight, index) in enumerate(zip(weights, order)):
            right = weight <= 0
            ax.text(
                gap if right else -gap,
                place,
                words[index],
                ha="left" if right else "right",
                va="center",
                fontsize=10.5,
                parse_math=False,
            )
            ax.text(
                weight - gap if right else weight + gap,
                place,
                f"{weight:+.2f}".replace("-", "\N{MINUS SIGN}"),
                ha="right" if right else "left",
                va="center",
                fontsize=9,
                color=GRAY,
            )
        reach = 1.22 * np.abs(weights).max() or 1.0
        ax.set(xlim=(-reach, reach), ylim=(len(words) - 0.4, -0.6), yticks=[])
        ax.set_xlabel("weight   (against the positive class  ←  0  →  for it)")
        ax.spines["left"].set_visible(False)
        if title:
            ax.set_title(title)
    return ax


def read_scores(results: Any) -> list[Score]:
    """Return scores given as `Score` objects, as numbers, or as a dictionary of these."""
    if isinstance(results, Mapping):
        scores = [_score(str(name), value) for name, value in results.items()]
    elif isinstance(results, Iterable) and not isinstance(results, str):
        scores = [_score(getattr(value, "name", "?"), value) for value in results]
    else:
        scores = []
    if not scores:
        raise FigureError(
            "There are no results to draw; give what compare_models returns, or a dictionary from "
            "a model's name to (accuracy, low, high)."
        )
    return scores


def by_model(results: Any) -> dict[str, list[Score]]:
    """Return scores by model, from those of one model or of several on the same phenomena."""
    if not isinstance(results, Mapping):
        results = {"model": results}
    models = {str(name): read_scores(scores) for name, scores in results.items()}
    if not models:
        raise FigureError("There are no results to draw.")
    first, *others = models
    names = [score.name for score in models[first]]
    for other in others:
        if [score.name for score in models[other]] != names:
            raise FigureError(
                f"{first} and {other} must be evaluated on the same phenomena in the same order, but "
                f"one has {', '.join(names)} and the other "
                f"{', '.join(score.name for score in models[other])}."
            )
    return models


def phenomenon_labels(models: Mapping[str, Sequence[Score]]) -> list[str]:
    """Return readable names of the phenomena, with the number of examples of each."""
    scores = next(iter(models.values()))
    return [score.name.replace("_", " ") + (f" ({score.n})" if score.n else "") for score in scores]


def _score(name: str, value: Any) -> Score:
    """Return a `Score` from any accepted form, after checking its values."""
    if isinstance(value, Score):
        score = value._replace(name=name)
    else:
        parts = np.atleast_1d(np.asarray(value, dtype=float)) if _numeric(value) else np.empty(0)
        if parts.shape == (1,):
            parts = np.repeat(parts, 3)
        if parts.shape != (3,):
            raise FigureError(
                f"The result of {name!r} must be a Score, (accuracy, low, high) or an accuracy, "
                f"but is {value!r}."
            )
        score = Score(name, 0, 0, *parts.tolist())
    if not 0 <= score.low <= score.accuracy <= score.high <= 1:
        raise FigureError(
            f"The result of {name!r} must be fractions with 0 <= low <= accuracy <= high <= 1, but "
            f"is {(score.accuracy, score.low, score.high)}."
        )
    return score


def _numeric(value: Any) -> bool:
    """Tell whether a value is a number or a sequence of numbers."""
    parts = value if isinstance(value, (tuple, list, np.ndarray)) else [value]
    return all(isinstance(part, (int, float, np.number)) for part in parts)


def _highlighted(names: Sequence[str], highlight: str | Sequence[str] | None) -> set[str]:
    """Return the names whose bars get the full color: all of them if none is highlighted."""
    chosen = {highlight} if isinstance(highlight, str) else set(highlight or names)
    for name in sorted(chosen.difference(names)):
        raise FigureError(f"There is no phenomenon {name!r} to highlight: {', '.join(names)}.")
    return chosen


def _dots(ax: Axes, scores: Sequence[Score]) -> None:
    """Draw a dot and an interval for each score."""
    places = np.arange(len(scores))
    ax.plot([score.accuracy for score in scores], places, "o", color=COLORS[0], markersize=8)
    _intervals(ax, scores, places, COLORS[0], 2.2)


def _bars(
    ax: Axes,
    scores: Sequence[Score],
    places: np.ndarray,
    height: float,
    color: str,
    label: str | None,
    full: set[str],
) -> None:
    """Draw bars, in full color for the names in `full` and pale for the others."""
    bars = ax.barh(places, [score.accuracy for score in scores], height, color=color, label=label)
    for bar, score in zip(bars, scores):
        bar.set_alpha(_FULL if score.name in full else _PALE)
    _intervals(ax, scores, places, "#222222", 1.4)


def _intervals(
    ax: Axes, scores: Sequence[Score], places: np.ndarray, color: str, width: float
) -> None:
    """Draw each score's interval as a line, and write its accuracy to the right of it."""
    values = [score.accuracy for score in scores]
    ends = np.array([[s.accuracy - s.low, s.high - s.accuracy] for s in scores]).T
    if ends.any():
        ax.errorbar(
            values, places, xerr=ends, fmt="none", ecolor=color, elinewidth=width, capsize=3
        )
    for place, score in zip(places, scores):
        ax.annotate(
            f"{100 * score.accuracy:.1f}%",
            (score.high, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=10,
            # So that the line of chance does not run through the number.
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.9},
        )


def _zoom(ax: Axes, scores: Sequence[Score], chance: float | None) -> None:
    """Show all intervals and the line of chance, and at least ten points of accuracy."""
    shown = [end for score in scores for end in (score.low, score.high)]
    shown += [] if chance is None else [chance]
    low, high = min(shown), max(shown)
    low, high = (min(low, max(high - 0.1, 0)), max(high, min(low + 0.1, 1)))
    step = next(step for step in (0.02, 0.05, 0.1, 0.2) if high - low <= 8 * step)
    first, last = int(np.floor(low / step + 1e-9)), int(np.ceil(high / step - 1e-9))
    ticks = step * np.arange(first, last + 1)
    margin = 0.03 * (ticks[-1] - ticks[0])
    # Room at the right end for the numbers.
    ax.set_xlim(ticks[0] - margin, ticks[-1] + 4 * margin)
    ax.set_xticks(ticks)
    ax.spines["bottom"].set_bounds(ticks[0], ticks[-1])


def _finish(ax: Axes, names: Sequence[str], chance: float | None, title: str | None) -> None:
    """Label the axes of a bar chart, and draw the line of chance and the title."""
    end = len(names) - 0.4
    if chance is not None:
        # A little room under the last bar, where the line can say what it is.
        end += 0.35
        ax.axvline(chance, color=GRAY, linestyle=":", linewidth=1.5, zorder=1)
        ax.text(chance, end - 0.06, " chance", color=GRAY, fontsize=9, va="bottom", ha="left")
    ax.set_yticks(np.arange(len(names)), names, parse_math=False)
    # Bars tell by their length, so they start at 0; room at the right end for the values.
    ax.set(xlim=(0, 1.12), ylim=(end, -0.6), xlabel="accuracy")
    ax.set_xticks(np.linspace(0, 1, 6))
    ax.spines["bottom"].set_bounds(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    ax.tick_params(axis="y", length=0)
    if title:
        ax.set_title(title)
