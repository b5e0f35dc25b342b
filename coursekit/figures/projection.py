"""Figure of word vectors, projected to a plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from coursekit.figures.style import COLORS, FigureError, axes_of, numbers, style

_MARKERS = "osD^vPX"
# Where a label may stand beside its point: direction, and how its text is anchored there.
_PLACES = [
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (0.8, 0.8, "left", "bottom"),
    (-0.8, 0.8, "right", "bottom"),
    (0.8, -0.8, "left", "top"),
    (-0.8, -0.8, "right", "top"),
]


def project_words(
    vectors: Any,
    words: Sequence[str],
    groups: Sequence[str] | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw word vectors in the plane in which they differ most (their first two principal axes).

    Parameters
    ----------
    vectors : array_like
        One vector per word, of shape (n, d) with n >= 2 and d >= 2.
    words : sequence of str
        The n words.
    groups : sequence of str, optional
        A group for each word, which gets its own color and marker.
    title : str, optional
        Best a statement.
    ax : Axes, optional
        Axes to draw on; new ones when left out.

    Returns
    -------
    matplotlib Axes
        Each axis says which share of the vectors' variance it shows: far apart here is far apart
        there, but close here may still be far apart when the shares are small.

    Raises
    ------
    FigureError
        If shapes or numbers do not fit.
    """
    vectors, words = numbers(vectors, "word vectors", 2), [str(word) for word in words]
    n, d = vectors.shape
    if n < 2 or d < 2:
        raise FigureError(
            f"A plane needs at least 2 vectors of at least 2 numbers, but got the shape {(n, d)}."
        )
    if len(words) != n:
        raise FigureError(f"There are {n} word vectors but {len(words)} words.")
    if groups is not None and len(groups) != n:
        raise FigureError(f"There are {n} words but {len(groups)} groups.")
    points, shares = _plane(vectors)
    with style():
        ax = axes_of(ax, 7, 5.4)
        kinds = [None] * n if groups is None else [str(group) for group in groups]
        colors = {}
        for i, kind in enumerate(dict.fromkeys(kinds)):
            xs, ys = points[[k == kind for k in kinds]].T
            colors[kind] = COLORS[i % len(COLORS)]
            marker = _MARKERS[i % len(_MARKERS)]
            ax.scatter(xs, ys, s=30, color=colors[kind], marker=marker, label=kind, zorder=3)
        ax.set_xlabel(f"first principal axis ({_percent(shares[0])} of the variance)")
        ax.set_ylabel(f"second principal axis ({_percent(shares[1])})")
        ax.set(xticks=[], yticks=[])
        # Room for the words at the edge.
        ax.margins(0.14, 0.09)
        if groups is not None:
            ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        if title:
            ax.set_title(title)
        label_points(ax, points, words, [colors[kind] for kind in kinds])
    return ax


def _percent(share: float) -> str:
    """Format a share as a percentage."""
    return "<1%" if 0 < share < 0.01 else f"{100 * share:.0f}%"


def _plane(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first two principal components, (n, 2), and their shares of the variance."""
    centered = vectors - vectors.mean(axis=0)
    left, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    # The sign of an axis is arbitrary; fix it so that every machine draws the same picture.
    signs = np.sign(axes[[0, 1], np.abs(axes[:2]).argmax(axis=1)])
    total = (sizes**2).sum()
    shares = sizes[:2] ** 2 / total if total > 0 else np.zeros(2)
    return left[:, :2] * sizes[:2] * signs, shares


def label_points(ax: Axes, points: np.ndarray, words: Sequence[str], colors: Sequence[str]) -> None:
    """Put each word beside its point, covering as little as possible of other points and words.

    Parameters
    ----------
    ax : Axes
        The axes, with the points drawn and the limits final.
    points : numpy.ndarray
        The points in data coordinates, of shape (n, 2).
    words, colors : sequence of str
        The n words, and the color of each.
    """
    ax.figure.figure.draw_without_rendering()  # of the whole figure, if it has parts
    pixels = ax.transData.transform(points)
    unit = ax.figure.dpi / 72
    dots = [Bbox.from_bounds(x - 4 * unit, y - 4 * unit, 8 * unit, 8 * unit) for x, y in pixels]
    frame = ax.get_window_extent()
    taken: list[Bbox] = []
    # Words in the thick of it choose first, those with room around them can go anywhere.
    crowd = [np.sum(np.hypot(*(pixels - own).T) < 60 * unit) for own in pixels]
    for i in sorted(range(len(words)), key=lambda i: (-crowd[i], i)):
        choices = []
        for rank, (dx, dy, ha, va) in enumerate(_PLACES):
            text = ax.annotate(
                words[i],
                points[i],
                xytext=(6 * dx, 6 * dy),
                textcoords="offset points",
                ha=ha,
                va=va,
                fontsize=10,
                color=colors[i],
                parse_math=False,
            )
            box = text.get_window_extent()
            others = [dot for j, dot in enumerate(dots) if j != i]
            cost = sum(_shared(box, other) for other in [*taken, *others])
            cost += box.width * box.height - _shared(box, frame)
            choices.append((cost, rank, text, box))
        choices.sort(key=lambda choice: choice[:2])
        for _, _, text, _ in choices[1:]:
            text.remove()
        taken.append(choices[0][3])


def _shared(one: Bbox, other: Bbox) -> float:
    """Return the area that two boxes share, in square pixels."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return float(max(0.0, width) * max(0.0, height))
