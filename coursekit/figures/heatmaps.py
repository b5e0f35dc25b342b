"""Heat maps: attention, phenomena by model, position encodings."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from coursekit.figures.bars import by_model, phenomenon_labels
from coursekit.figures.style import FigureError, axes_of, numbers, style

# Up to this many cells in a row each cell also says its number.
_WITH_NUMBERS = 10


def attention_map(
    weights: Any,
    query_words: Sequence[str],
    key_words: Sequence[str] | None = None,
    *,
    titles: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes | np.ndarray:
    """Draw which tokens each token attends to: one row per query, one column per key.

    Parameters
    ----------
    weights : array_like
        Attention weights of shape (L_q, L_k), or of several heads, (heads, L_q, L_k), which are
        drawn side by side on one scale. Leave out the positions of padding.
    query_words : sequence of str
        The L_q tokens of the queries, at the left.
    key_words : sequence of str, optional
        The L_k tokens of the keys, on top; the query words when left out.
    titles : sequence of str, optional
        One title per head; "head 1", "head 2", ... when left out.
    ax : Axes, optional
        Axes to draw one map on; new ones when left out.

    Returns
    -------
    matplotlib Axes, or an array of them, one per head

    Raises
    ------
    FigureError
        If the weights' shape does not fit the words.
    """
    single = getattr(weights, "ndim", np.ndim(weights)) == 2
    weights = numbers(weights, "attention weights", 2 if single else 3)
    weights = weights[None] if single else weights
    query_words = list(query_words)
    key_words = query_words if key_words is None else list(key_words)
    heads = len(weights)
    if weights.shape[1:] != (len(query_words), len(key_words)):
        raise FigureError(
            f"For {len(query_words)} query words and {len(key_words)} key words the attention "
            f"weights must have the shape ({len(query_words)}, {len(key_words)}), but have "
            f"{weights.shape[1:]}."
        )
    if titles is not None and isinstance(titles, str):
        titles = [titles]
    if titles is not None and len(titles) != heads:
        raise FigureError(f"There are {heads} maps but {len(titles)} titles.")
    if titles is None:
        titles = [""] if single else [f"head {head + 1}" for head in range(heads)]
    if ax is not None and heads > 1:
        raise FigureError(f"One axes cannot hold {heads} heads; leave ax out.")
    with style():
        axes = [ax] if ax is not None else _grid(heads, query_words, key_words)
        top = max(float(weights.max()), 1e-12)
        for panel, head, title in zip(axes, weights, titles):
            image = panel.imshow(head, cmap="Blues", vmin=0, vmax=top, aspect="auto")
            # First to the top, then turned: the labels at the top are other objects.
            panel.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0)
            # Many narrow columns leave room for upright words only.
            upright = len(key_words) > 10
            panel.set_xticks(range(len(key_words)), key_words, parse_math=False)
            plt.setp(
                panel.get_xticklabels(),
                rotation=90 if upright else 55,
                rotation_mode="anchor",
                ha="left",
                va="center" if upright else "baseline",
            )
            panel.set_yticks(range(len(query_words)), query_words, parse_math=False)
            panel.set_xlabel("key")
            spot = panel.get_subplotspec()
            if spot is None or spot.is_first_col():
                panel.set_ylabel("query")
            _grid_lines(panel, head.shape)
            if max(head.shape) <= _WITH_NUMBERS:
                _write_numbers(panel, head, "{:.2f}", lambda value: value > 0.6 * top)
            if title:
                panel.set_title(title)
        # Beside the first row only: a bar as tall as many rows would be the loudest thing here.
        row = [other for other in axes if other.get_subplotspec() is None or _in_first_row(other)]
        bar = panel.figure.colorbar(image, ax=row, fraction=0.03, pad=0.02)
        bar.set_label("attention weight")
        bar.outline.set_visible(False)
    return axes[0] if single else np.array(axes, dtype=object)


def phenomenon_heatmap(results: Any, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of each model (row) on each phenomenon (column).

    Parameters
    ----------
    results : object
        A dictionary from the model's name to what `accuracy_by` returns.
    title : str, optional
        Best a statement.
    ax : Axes, optional
        Axes to draw on; new ones when left out.

    Returns
    -------
    matplotlib Axes
        White is guessing between two classes; blue is better, red is worse.

    Raises
    ------
    FigureError
        If the models were not evaluated on the same phenomena.
    """
    models = by_model(results)
    first = next(iter(models.values()))
    table = np.array([[score.accuracy for score in scores] for scores in models.values()])
    with style():
        ax = axes_of(ax, 2.6 + 0.72 * len(first), 1.6 + 0.46 * len(models))
        image = ax.imshow(table, cmap="RdBu", vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(first)), phenomenon_labels(models), rotation=40, parse_math=False)
        plt.setp(ax.get_xticklabels(), ha="right", rotation_mode="anchor")
        ax.set_yticks(range(len(models)), list(models), parse_math=False)
        ax.tick_params(length=0)
        _grid_lines(ax, table.shape)
        _write_numbers(ax, 100 * table, "{:.0f}", lambda value: abs(value - 50) > 30)
        bar = ax.figure.colorbar(image, ax=ax, fraction=0.04, pad=0.02, ticks=[0, 0.5, 1])
        bar.set_ticklabels(["0%", "50%", "100%"])
        bar.set_label("accuracy")
        bar.outline.set_visible(False)
        if title:
            ax.set_title(title)
    return ax


def position_heatmap(encodings: Any, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw position encodings: one row per position, one column per dimension.

    Parameters
    ----------
    encodings : array_like
        Numbers of shape (positions, d).
    title : str, optional
        Best a statement.
    ax : Axes, optional
        Axes to draw on; new ones when left out.

    Returns
    -------
    matplotlib Axes
        White is zero.

    Raises
    ------
    FigureError
        If the shape is different.
    """
    encodings = numbers(encodings, "position encodings, of shape (positions, d),", 2)
    with style():
        ax = axes_of(ax, 7.5, 4.2)
        reach = max(float(np.abs(encodings).max()), 1e-12)
        # Without smoothing, because a picture that mixes neighbors would show waves that are
        # not there.
        image = ax.imshow(
            encodings, cmap="RdBu", vmin=-reach, vmax=reach, aspect="auto", interpolation="nearest"
        )
        ax.set(xlabel="dimension", ylabel="position")
        bar = ax.figure.colorbar(image, ax=ax, fraction=0.04, pad=0.02)
        bar.set_label("value")
        bar.outline.set_visible(False)
        if title:
            ax.set_title(title)
    return ax


def _grid(heads: int, query_words: Sequence[str], key_words: Sequence[str]) -> list[Axes]:
    """Return new axes, up to four in a row, large enough for the words and at most a page wide."""
    columns = min(heads, 4 if len(key_words) <= 8 else 2)
    rows = -(-heads // columns)
    longest = 0.085 * max(len(str(word)) for word in [*query_words, *key_words])
    cell = (11 / columns - longest) / len(key_words)
    cell = min(0.42, max(0.25, cell))
    _, axes = plt.subplots(
        rows,
        columns,
        figsize=(
            (longest + cell * max(3, len(key_words))) * columns + 0.9,
            (0.9 * longest + 0.85 * cell * max(2, len(query_words)) + 0.3) * rows,
        ),
        layout="constrained",
        squeeze=False,
    )
    axes = axes.ravel()
    for spare in axes[heads:]:
        spare.set_axis_off()
    return list(axes[:heads])


def _in_first_row(ax: Axes) -> bool:
    """Tell whether the axes are in the first row of their grid."""
    place = ax.get_subplotspec()
    return place is not None and place.is_first_row()


def _grid_lines(ax: Axes, shape: tuple[int, ...]) -> None:
    """Draw white lines between the cells, so that rows and columns can be followed."""
    ax.set_xticks(np.arange(shape[1] + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(shape[0] + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="minor", length=0)
    ax.spines[:].set_visible(False)


def _write_numbers(ax: Axes, table: np.ndarray, form: str, on_dark: Any) -> None:
    """Write each cell's number, white where the cell is dark."""
    for (row, column), value in np.ndenumerate(table):
        color = "white" if on_dark(value) else "#222222"
        ax.text(column, row, form.format(value), ha="center", va="center", color=color, fontsize=9)
