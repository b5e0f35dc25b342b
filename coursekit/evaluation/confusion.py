"""Which class is taken for which."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from coursekit.evaluation.inputs import EvaluationError, pair
from coursekit.evaluation.tables import html_table, text_table


class Confusion:
    """How often each class was predicted for each true class; prints as a table.

    Attributes
    ----------
    counts : integer array of shape (K, K)
        `counts[i, j]` examples of class i were predicted to be j.
    names : list of str
        The K classes.
    """

    def __init__(self, counts: np.ndarray, names: list[str]) -> None:
        self.counts = counts
        self.names = names

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["", *(f"predicted {name}" for name in self.names)]
        rows = [
            [f"really {name}", *(f"{count:,}" for count in row)]
            for name, row in zip(self.names, self.counts.tolist())
        ]
        return header, rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())


def confusion(
    predictions: Any, labels: Any, names: Sequence[str] = ("negative", "positive")
) -> Confusion:
    """Count how often each class is predicted for each true class.

    Parameters
    ----------
    predictions, labels
        One class per example, from 0 to K - 1, each of length n.
    names
        The K classes by number.

    Returns
    -------
    Confusion
        Rows are the true classes, columns the predicted ones.

    Raises
    ------
    EvaluationError
        When a class has no name, or as in `accuracy`.
    """
    predictions, labels = pair(predictions, labels)
    names = [str(name) for name in names]
    for values, what in ((predictions, "predictions"), (labels, "labels")):
        low, high = values.min(), values.max()
        if low < 0 or high >= len(names):
            raise EvaluationError(
                f"The {what} hold the class {low if low < 0 else high}, but there are names only "
                f"for 0 to {len(names) - 1}: {', '.join(names)}."
            )
    counts = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(counts, (labels, predictions), 1)
    return Confusion(counts, names)
