"""Figures of loss and accuracy over the epochs."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from coursekit.figures.style import COLORS, GRAY, FigureError, style


def learning_curves(
    histories: Any, *, title: str | None = None, ax: Axes | Sequence[Axes] | None = None
) -> np.ndarray:
    """Draw how loss and accuracy changed over the epochs.

    Solid lines are validation, dashed ones training; a dot marks the epoch whose weights were
    kept.

    Parameters
    ----------
    histories : object
        A `History` from `fit` (or its `to_dict()`), or a dictionary of them by the model's name.
    title : str, optional
        Stands above the first panel; best a statement, such as "It overfits after epoch 3".
    ax : Axes or sequence of Axes, optional
        One axes, for the loss alone, or two, for loss and accuracy; new ones when left out.

    Returns
    -------
    array of matplotlib Axes
        The loss's, then the accuracy's.

    Raises
    ------
    FigureError
        If a history is empty or is not one.
    """
    named = _named(histories)
    axes: np.ndarray
    with style():
        if ax is None:
            _, axes = plt.subplots(1, 2, figsize=(9.6, 3.5), layout="constrained")
        else:
            axes = np.atleast_1d(np.asarray(ax, dtype=object))
        for panel, key in zip(axes, ["loss", "accuracy"]):
            for color, history in zip(_colors(len(named)), named.values()):
                _draw(panel, history, key, color)
            panel.set_xlabel("epoch")
            panel.set_ylabel(key)
            panel.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        if title:
            axes[0].set_title(title)
        _legend(axes[-1], named)
    return axes


def _draw(panel: Axes, history: Mapping[str, Any], key: str, color: str) -> None:
    """Draw the training and validation curves of one model in one panel."""
    train, validation = history[f"train_{key}"], history[f"validation_{key}"]
    epochs = np.arange(1, len(train) + 1)
    # A curve of one epoch is a point, which a line alone would not show.
    marker = "o" if len(epochs) == 1 else None
    if train:
        panel.plot(epochs, train, color=color, linestyle="--", linewidth=1.5, marker=marker)
    if validation:
        panel.plot(epochs, validation, color=color, linewidth=2.2)
        best = history.get("best_epoch")
        if best:
            panel.plot(best, validation[best - 1], "o", color=color, markersize=7)


def _legend(panel: Axes, named: Mapping[str, Mapping[str, Any]]) -> None:
    """Add a legend: one entry per model (by color), then the kinds of line."""
    several = len(named) > 1
    entries = []
    if several:
        entries += [
            Line2D([], [], color=color, linewidth=3, label=name)
            for color, name in zip(_colors(len(named)), named)
        ]
    plain = GRAY if several else COLORS[0]
    entries.append(Line2D([], [], color=plain, linestyle="--", linewidth=1.5, label="training"))
    if any(history["validation_loss"] for history in named.values()):
        entries += [
            Line2D([], [], color=plain, linewidth=2.2, label="validation"),
            Line2D([], [], color=plain, linestyle="", marker="o", label="weights kept"),
        ]
    # Beside the panel, where no curve can run through it.
    panel.legend(handles=entries, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)


def _colors(n: int) -> list[str]:
    """Return `n` colors, repeated if there are not enough."""
    return [COLORS[i % len(COLORS)] for i in range(n)]


def _named(histories: Any) -> dict[str, Mapping[str, Any]]:
    """Return the histories by the model's name, after checking them."""
    if hasattr(histories, "to_dict") or (
        isinstance(histories, Mapping) and "train_loss" in histories
    ):
        histories = {"model": histories}
    if not isinstance(histories, Mapping) or not histories:
        raise FigureError(
            "learning_curves needs the History that fit returns, or a dictionary of them by name, "
            f"but got {type(histories).__name__}."
        )
    named: dict[str, Mapping[str, Any]] = {}
    for name, history in histories.items():
        history = history.to_dict() if hasattr(history, "to_dict") else history
        if not isinstance(history, Mapping) or "train_loss" not in history:
            raise FigureError(f"{name!r} is not a History, as fit returns it.")
        if not history["train_loss"]:
            raise FigureError(f"The history of {name!r} has no complete epoch to draw.")
        named[str(name)] = history
    return named
