"""Is one model really better than another, judged on the same examples?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coursekit.evaluation.inputs import EvaluationError, classes, pair
from coursekit.evaluation.scoring import Score, Scores, score
from coursekit.evaluation.tables import interval, percent

_RESAMPLES = 10_000


@dataclass(frozen=True)
class PairedComparison:
    """Two models on the same n examples.

    Attributes
    ----------
    n : int
        Examples.
    only_first, only_second : int
        Examples that only this model gets right.
    difference, low, high : float
        Accuracy of the second minus that of the first, and the ends of its bootstrap interval.
    p_value : float
        How likely a split of the disagreements at least this uneven is when both models are
        equally good.
    """

    n: int
    only_first: int
    only_second: int
    difference: float
    low: float
    high: float
    p_value: float

    def __str__(self) -> str:
        return (
            f"{_points(self.difference)} points ({_points(self.low)} to {_points(self.high)}), "
            f"p {_p(self.p_value)}: of {self.n:,} examples the first alone gets "
            f"{self.only_first:,} right, the second alone {self.only_second:,}."
        )


def paired_comparison(
    first: Any, second: Any, labels: Any, *, level: float = 0.95, seed: int = 0
) -> PairedComparison:
    """Compare two models' predictions for the same examples.

    Only the examples on which one is right and the other wrong can tell them apart. Their split
    is tested with the exact form of McNemar's test (McNemar 1947); the interval of the difference
    is the percentile bootstrap over examples (Efron 1979), 10,000 draws.

    Parameters
    ----------
    first, second, labels
        One class per example, each of length n.
    level
        Of the interval.
    seed
        Of the bootstrap; the same seed gives the same interval.

    Returns
    -------
    PairedComparison

    Raises
    ------
    EvaluationError
        As in `accuracy`.
    """
    from scipy.stats import binomtest

    first, truth = pair(first, labels)
    second, _ = pair(second, labels)
    if not 0 < level < 1:
        raise EvaluationError(f"level must lie between 0 and 1, for example 0.95, but is {level}.")
    n = len(truth)
    only_first = int(((first == truth) & (second != truth)).sum())
    only_second = int(((second == truth) & (first != truth)).sum())
    disagree = only_first + only_second
    # Resampling examples changes only how many of each kind are drawn, so the kinds' numbers can
    # be drawn at once.
    shares = np.array([only_first, only_second, n - disagree]) / n
    drawn = np.random.default_rng(seed).multinomial(n, shares, size=_RESAMPLES)
    differences = (drawn[:, 1] - drawn[:, 0]) / n
    low, high = np.quantile(differences, [(1 - level) / 2, (1 + level) / 2])
    p_value = binomtest(only_second, disagree).pvalue if disagree else 1.0
    return PairedComparison(
        n,
        only_first,
        only_second,
        (only_second - only_first) / n,
        float(low),
        float(high),
        float(p_value),
    )


class Comparison(Scores):
    """Scores of several models, each compared with the first.

    Attributes
    ----------
    rows : list of Score
        One per model.
    against_first : dict of str to PairedComparison
        The comparison of every model but the first with the first.
    """

    def __init__(self, rows: Sequence[Score], against_first: dict[str, PairedComparison]) -> None:
        super().__init__(rows, kind="model")
        self.against_first = against_first

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["model", "accuracy", "interval", f"against {self.rows[0].name}", "p"]
        rows = []
        for row in self.rows:
            cells = [row.name, percent(row.accuracy), interval(row.low, row.high)]
            paired = self.against_first.get(row.name)
            cells += (
                ["", ""] if paired is None else [_points(paired.difference), _p(paired.p_value)]
            )
            rows.append(cells)
        return header, rows


def compare_models(
    predictions: Mapping[str, Any], labels: Any, *, level: float = 0.95, seed: int = 0
) -> Comparison:
    """Put several models' accuracies side by side, each compared with the first.

    Parameters
    ----------
    predictions
        For each model's name its predicted classes, of length n; the first is the one to beat.
    labels
        The true classes, of length n.
    level, seed
        As in `paired_comparison`.

    Returns
    -------
    Comparison
        Prints as a table: accuracy, Wilson interval, difference to the first model in percentage
        points, and the p-value of the exact McNemar test.

    Raises
    ------
    EvaluationError
        When there is no model, or as in `accuracy`.
    """
    if not predictions:
        raise EvaluationError("compare_models needs the predictions of at least one model.")
    labels = classes(labels, "labels")
    rows = [score(str(name), values, labels, level=level) for name, values in predictions.items()]
    first, *others = predictions
    against_first = {
        str(name): paired_comparison(
            predictions[first], predictions[name], labels, level=level, seed=seed
        )
        for name in others
    }
    return Comparison(rows, against_first)


def _points(difference: float) -> str:
    return f"{100 * difference:+.1f}"


def _p(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
