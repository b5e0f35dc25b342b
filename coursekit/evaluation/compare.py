"""Comparison of several models on the same examples, with a test of the difference."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from coursekit.evaluation import tables
from coursekit.evaluation.inputs import EvaluationError, classes, same_length
from coursekit.evaluation.scores import Interval, Scores, score, wilson_interval
from coursekit.forbidden import require_allowed

#: Takes, for each example, whether the one and whether the other model is right; returns a p-value.
Test = Callable[[list[bool], list[bool]], float]


class Comparison(Scores):
    """Scores of several models, each compared with the first.

    Attributes
    ----------
    rows : list of Score
        One per model.
    p_values : dict of str to float
        For every model but the first, the p-value of its comparison with the first.
    """

    def __init__(self, rows: list[Any], p_values: dict[str, float]) -> None:
        super().__init__(rows, kind="model")
        self.p_values = p_values

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the table's header and rows."""
        first = self.rows[0]
        header = ["model", "accuracy", "interval", f"against {first.name}", "p"]
        rows = []
        for row in self.rows:
            share, ends = tables.percent(row.accuracy), tables.interval(row.low, row.high)
            cells = [row.name, share, ends, "", ""]
            if row.name in self.p_values:
                p_value = self.p_values[row.name]
                difference = (row.correct - first.correct) / row.n
                cells[3] = f"{100 * difference:+.1f}"
                cells[4] = "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
            rows.append(cells)
        return header, rows


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Return the p-value of McNemar's exact test for two models on the same examples.

    Only the examples on which one model is right and the other wrong can tell the two apart. How
    they are split is tested as a fair coin is, by the two-sided binomial test (McNemar 1947).

    Parameters
    ----------
    first, second : sequence of bool
        For each example, whether the one and whether the other model is right; of length n.

    Returns
    -------
    float
        The probability of a split at least this uneven if both models are equally good; 1 if they
        are right on the same examples.

    Raises
    ------
    EvaluationError
        If the lengths differ.
    """
    require_allowed("coursekit.evaluation.mcnemar")
    from scipy.stats import binomtest

    same_length(len(first), "answers of the first model", len(second), "of the second")
    only_first = sum(bool(a) and not b for a, b in zip(first, second))
    only_second = sum(bool(b) and not a for a, b in zip(first, second))
    disagree = only_first + only_second
    return float(binomtest(only_second, disagree).pvalue) if disagree else 1.0


def compare_models(
    predictions: Mapping[str, Any],
    labels: Any,
    *,
    interval: Interval = wilson_interval,
    test: Test = mcnemar,
) -> Comparison:
    """Put several models' accuracies side by side, each compared with the first.

    Parameters
    ----------
    predictions : mapping of str to object
        For each model's name its predicted classes, of length n; the first is the one to beat.
    labels : array_like
        The true classes, of length n.
    interval : callable, optional
        As in `score`.
    test : callable, optional
        ``test(first, second)`` takes two lists that say for each example whether a model is right,
        and returns a p-value; the default is `mcnemar`.

    Returns
    -------
    Comparison
        Prints as a table: accuracy, interval, difference to the first model in percentage points,
        and the p-value of the test against the first.

    Raises
    ------
    EvaluationError
        If there is no model, or as in `accuracy`.
    """
    if not predictions:
        raise EvaluationError("compare_models needs the predictions of at least one model.")
    truth = classes(labels, "labels")
    rows = [
        score(str(name), values, truth, interval=interval) for name, values in predictions.items()
    ]
    first, *others = (
        (classes(values, "predictions") == truth).tolist() for values in predictions.values()
    )
    p_values = {row.name: float(test(first, other)) for row, other in zip(rows[1:], others)}
    return Comparison(rows, p_values)
