"""Accuracy, for all examples and by group, with its uncertainty."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from coursekit.evaluation import tables
from coursekit.evaluation.inputs import EvaluationError, pair, same_length
from coursekit.forbidden import require_allowed

#: Takes the numbers of correct and of all answers, and returns both ends of an interval.
Interval = Callable[[int, int], tuple[float, float]]


def accuracy(predictions: Any, labels: Any) -> float:
    """Return the fraction of examples whose predicted class is the true one.

    Parameters
    ----------
    predictions, labels : array_like
        One class per example: lists, arrays or tensors of length n.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    EvaluationError
        If the lengths differ, there are no examples, or these are logits instead of classes.
    """
    predictions, labels = pair(predictions, labels)
    return float((predictions == labels).mean())


def wilson_interval(correct: int, n: int) -> tuple[float, float]:
    """Return the 95% confidence interval of an accuracy (Wilson 1927).

    It stays within 0 and 1 and makes sense for few examples and for none wrong, where the usual
    "plus or minus two standard errors" does not. Without any answer it is 0 to 1: nothing is known.

    Parameters
    ----------
    correct, n : int
        The number of correct answers, and of all answers.

    Returns
    -------
    low, high : float

    Raises
    ------
    EvaluationError
        If the numbers are impossible.
    """
    require_allowed("coursekit.evaluation.wilson_interval")
    from scipy.stats import binomtest

    if not 0 <= correct <= n:
        raise EvaluationError(
            f"An interval needs 0 <= correct <= n, but correct is {correct} and n is {n}."
        )
    if n == 0:
        return 0.0, 1.0
    low, high = binomtest(correct, n).proportion_ci(0.95, method="wilson")
    return float(low), float(high)


class Score(NamedTuple):
    """An accuracy and its uncertainty.

    Attributes
    ----------
    name : str
        What was evaluated: a model, a phenomenon.
    n, correct : int
        The number of examples, and of correct answers.
    accuracy, low, high : float
        The fraction of correct answers, and the ends of its 95% Wilson interval.
    """

    name: str
    n: int
    correct: int
    accuracy: float
    low: float
    high: float


class Scores(Sequence[Score]):
    """A list of `Score` that prints as a table; `scores["negation"]` finds one by name."""

    def __init__(self, rows: Sequence[Score], kind: str = "group") -> None:
        self.rows = list(rows)
        self.kind = kind

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __iter__(self) -> Iterator[Score]:
        """Iterate over the rows."""
        return iter(self.rows)

    def __getitem__(self, key: Any) -> Any:
        """Return the row of a name, or those at an index or slice."""
        if not isinstance(key, str):
            return self.rows[key]
        for row in self.rows:
            if row.name == key:
                return row
        raise KeyError(f"There is no {self.kind} {key!r}; there are {', '.join(self.names)}.")

    @property
    def names(self) -> list[str]:
        """Names of the rows, in order."""
        return [row.name for row in self.rows]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the table's header and rows."""
        header = [self.kind, "n", "correct", "accuracy", "interval"]
        rows = [
            [
                r.name,
                f"{r.n:,}",
                f"{r.correct:,}",
                tables.percent(r.accuracy),
                tables.interval(r.low, r.high),
            ]
            for r in self.rows
        ]
        return header, rows

    def __repr__(self) -> str:
        """Return the table as plain text."""
        return tables.text_table(*self._table())

    def _repr_html_(self) -> str:
        """Return the table as HTML."""
        return tables.html_table(*self._table())


def score(
    name: str, predictions: Any, labels: Any, *, interval: Interval = wilson_interval
) -> Score:
    """Return a named accuracy with its 95% interval.

    Parameters
    ----------
    name : str
        What is evaluated.
    predictions, labels : array_like
        One class per example, each of length n.
    interval : callable, optional
        ``interval(correct, n)`` returns both ends; the default is `wilson_interval`.

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
    low, high = interval(correct, n)
    return Score(name, n, correct, correct / n, float(low), float(high))


def accuracy_by(
    groups: Sequence[str] | None,
    predictions: Any,
    labels: Any,
    *,
    interval: Interval = wilson_interval,
) -> Scores:
    """Return the accuracy on each group of examples, such as each phenomenon.

    Parameters
    ----------
    groups : sequence of str or None
        The group of each example, of length n, for instance `dataset.phenomena`.
    predictions, labels : array_like
        One class per example, each of length n.
    interval : callable, optional
        As in `score`.

    Returns
    -------
    Scores
        One row per group, in the order in which the groups first appear.

    Raises
    ------
    EvaluationError
        If there are no groups, or as in `accuracy`.
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
        score(group, predictions[positions], labels[positions], interval=interval)
        for group, positions in members.items()
    ]
    return Scores(rows)
