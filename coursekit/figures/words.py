"""Display of a text with each word colored by its weight."""

from collections.abc import Sequence
from html import escape
from typing import Any

from coursekit.figures.style import FigureError, numbers

# Text stays dark on every shade between white and these two, with a contrast above 7 to 1.
_FOR, _AGAINST = (86, 180, 233), (230, 159, 0)
_FOR_LINE, _AGAINST_LINE = "#0072B2", "#B34700"


class WordWeights:
    """Words and their weights; a notebook shows colors, everything else shows numbers.

    Attributes
    ----------
    tokens : list of str
        The words, in order.
    weights : list of float
        One number per word, for the positive class above 0.
    """

    def __init__(
        self, tokens: list[str], weights: list[float], limit: float, title: str | None, label: str
    ) -> None:
        self.tokens = tokens
        self.weights = weights
        self._limit = limit
        self._title = title
        self._label = label
        self._signed = any(weight < 0 for weight in weights)

    def __repr__(self) -> str:
        """Return the words with their numbers as plain text."""
        text = " ".join(
            f"{token}({self._number(weight)})" for token, weight in zip(self.tokens, self.weights)
        )
        return f"{self._title}\n{text}" if self._title else text

    def _repr_html_(self) -> str:
        """Return the colored words, with the scale of colors, as HTML."""
        words = " ".join(
            self._word(token, weight) for token, weight in zip(self.tokens, self.weights)
        )
        title = ""
        if self._title:
            title = f'<div style="font-weight: bold">{escape(self._title)}</div>'
        return (
            # Its own background, so that the colors mean the same in a dark theme.
            '<div style="background: #ffffff; color: #111111; padding: 8px 10px; '
            f'line-height: 2.1; max-width: 60em">{title}<div>{words}</div>{self._scale()}</div>'
        )

    def _word(self, token: str, weight: float) -> str:
        """Return a word as HTML."""
        number = self._number(weight)
        return f'<span title="{number}" style="{self._look(weight)}">{escape(token)}</span>'

    def _look(self, weight: float) -> str:
        """Return the CSS of a weight: its background and, for signed weights, a line."""
        share = min(1.0, abs(weight) / self._limit)
        full = _FOR if weight >= 0 else _AGAINST
        red, green, blue = (round(255 + share * (end - 255)) for end in full)
        look = f"background: rgb({red}, {green}, {blue}); padding: 2px 4px; border-radius: 3px"
        if self._signed and share >= 0.1:
            # Which side a word is on must not hang on color alone.
            line = f"solid {_FOR_LINE}" if weight > 0 else f"dashed {_AGAINST_LINE}"
            look += f"; border-bottom: 2px {line}"
        return look

    def _scale(self) -> str:
        """Return the scale that explains the colors, as HTML."""
        ends = [-self._limit, 0.0, self._limit] if self._signed else [0.0, self._limit]
        cells = " ".join(
            f'<span style="{self._look(end)}">{self._number(end)}</span>' for end in ends
        )
        look = "font-size: 80%; color: #444444"
        return f'<div style="{look}">{escape(self._label)}: {cells}</div>'

    def _number(self, weight: float) -> str:
        """Format a weight, with a sign if there are negative ones."""
        return f"{weight:+.2f}" if self._signed and weight else f"{weight:.2f}"


def word_weights(
    tokens: Sequence[str],
    weights: Any,
    *,
    limit: float | None = None,
    title: str | None = None,
    label: str = "weight",
) -> WordWeights:
    """Show a text with each word colored by its weight.

    Positive weights are blue (with a solid line when there are negative ones too), negative ones
    orange with a dashed line; pointing at a word tells its number.

    Parameters
    ----------
    tokens : sequence of str
        The L words.
    weights : array_like
        One number per word: a model's weights, or attention without the places of padding.
    limit : float, optional
        The size of weight that gets the full color, the largest one when left out. Give the same
        to several texts to compare them.
    title : str, optional
        Stands above the text.
    label : str
        What the numbers are; stands before the scale of colors, below the text.

    Returns
    -------
    WordWeights
        Shown by a notebook when it is the last line of a cell, or by `display`.

    Raises
    ------
    FigureError
        If the numbers of words and weights differ, or a weight is not finite.
    """
    tokens, weights = [str(token) for token in tokens], numbers(weights, "weights", 1)
    if len(tokens) != len(weights):
        raise FigureError(
            f"There are {len(tokens)} words but {len(weights)} weights; leave out the weights of "
            "padding."
        )
    if limit is None:
        limit = float(abs(weights).max()) or 1.0
    if not limit > 0:
        raise FigureError(f"limit must be greater than 0, but is {limit}.")
    return WordWeights(tokens, weights.tolist(), float(limit), title, label)
