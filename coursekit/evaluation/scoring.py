"""Accuracy, for all examples and by group, with its uncertainty."""

import math
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from coursekit.evaluation.inputs import EvaluationError, pair, same_length
from coursekit.evaluation.tables import html_table, interval, percent, text_table


def accuracy(predictions: Any, labels: Any) -> float:
    """Give the share of examples whose predicted class is the true one.

    Parameters
    ----------
    predictions, labels
        One class per example: lists, arrays or tensors of length n.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    EvaluationError
        When the lengths differ, there is nothing, or these are logits instead of classes.
    """
    predictions, labels = pair(predictions, labels)
    return float((predictions == labels).mean())


def wilson_interval(correct: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Give the range in which the true accuracy plausibly lies (Wilson 1927).

    It stays within 0 and 1 and makes sense for few examples and for none wrong, where the usual
    "plus or minus two standard errors" does not.

    Parameters
    ----------
    correct, n
        Right answers among n.
    level
        How often such a range holds the true value, between 0 and 1.

    Returns
    -------
    low, high : float

    Raises
    ------
    EvaluationError
        When the numbers are impossible.
    """
    if n < 1 or not 0 <= correct <= n:
        raise EvaluationError(
            f"An interval needs 0 <= correct <= n and n >= 1, but correct is {correct} and n is {n}."
        )
    if not 0 < level < 1:
        raise EvaluationError(f"level must lie between 0 and 1, for example 0.95, but is {level}.")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = correct / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # With all right or all wrong the end is exactly 1 or 0; rounding must not miss it.
    low = 0.0 if correct == 0 else max(0.0, middle - half)
    high = 1.0 if correct == n else min(1.0, middle + half)
    return low, high


class Score(NamedTuple):
    """An accuracy and how sure it is.

    Attributes
    ----------
    name : str
        What was judged: a model, a phenomenon.
    n, correct : int
        Examples, and right answers among them.
    accuracy, low, high : float
        The share of right answers, and the ends of its Wilson interval.
    """

    name: str
    n: int
    correct: int
    accuracy: float
    low: float
    high: float


class Scores(Sequence[Score]):
    """Several scores, in order; `scores["negation"]` finds one by name.

    Prints as a table. `rows` is the list of `Score`.
    """

    def __init__(self, rows: Sequence[Score], kind: str = "group") -> None:
        self.rows = list(rows)
        self.kind = kind

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Score]:
        return iter(self.rows)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self.rows[key]
        for row in self.rows:
            if row.name == key:
                return row
        raise KeyError(f"There is no {self.kind} {key!r}; there are {', '.join(self.names)}.")

    @property
    def names(self) -> list[str]:
        """The names in order."""
        return [row.name for row in self.rows]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Give the scores as plain numbers by name, ready for JSON."""
        return {row.name: {k: v for k, v in row._asdict().items() if k != "name"} for row in self}

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = [self.kind, "n", "correct", "accuracy", "interval"]
        rows = [
            [r.name, f"{r.n:,}", f"{r.correct:,}", percent(r.accuracy), interval(r.low, r.high)]
            for r in self.rows
        ]
        return header, rows

    def __repr__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())


def score(name: str, predictions: Any, labels: Any, *, level: float = 0.95) -> Score:
    """Give a named accuracy with its interval.

    Parameters
    ----------
    name
        What is judged.
    predictions, labels
        One class per example, each of length n.
    level
        Of the Wilson interval.

    Returns
    -------
    Score

    Raises
    ------
    EvaluationError
        As in `accuracy`.
    """
    predictions, labels = pair(predictions, labels)
    n, correct = len(labels), int((predictions == labels).sum())
    return Score(name, n, correct, correct / n, *wilson_interval(correct, n, level))


def accuracy_by(
    groups: Sequence[str] | None, predictions: Any, labels: Any, *, level: float = 0.95
) -> Scores:
    """Give the accuracy of each group of examples, such as each phenomenon.

    Parameters
    ----------
    groups
        The group of each example, of length n, for instance `dataset.phenomena`.
    predictions, labels
        One class per example, each of length n.
    level
        Of the Wilson intervals.

    Returns
    -------
    Scores
        One row per group, in the order in which the groups first appear.

    Raises
    ------
    EvaluationError
        When there are no groups, or as in `accuracy`.
    """
    if groups is None:
        raise EvaluationError(
            "These examples have no groups (groups is None); of the shipped data, the challenge "
            'set has them: load("reviews", "challenge").phenomena.'
        )
    predictions, labels = pair(predictions, labels)
    groups = list(groups)
    same_length(len(groups), "groups", len(labels), "labels")
    members: dict[str, list[int]] = {}
    for position, group in enumerate(groups):
        members.setdefault(str(group), []).append(position)
    rows = [
        score(group, predictions[positions], labels[positions], level=level)
        for group, positions in members.items()
    ]
    return Scores(rows)
