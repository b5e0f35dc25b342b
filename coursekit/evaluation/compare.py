"""Is one model really better than another, on the same examples?"""

from collections.abc import Mapping
from typing import Any

from coursekit.evaluation.inputs import EvaluationError, classes
from coursekit.evaluation.scores import Scores, score
from coursekit.evaluation.tables import interval, percent


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
        first = self.rows[0]
        header = ["model", "accuracy", "interval", f"against {first.name}", "p"]
        rows = []
        for row in self.rows:
            cells = [row.name, percent(row.accuracy), interval(row.low, row.high), "", ""]
            if row.name in self.p_values:
                p_value = self.p_values[row.name]
                difference = (row.correct - first.correct) / row.n
                cells[3] = f"{100 * difference:+.1f}"
                cells[4] = "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"
            rows.append(cells)
        return header, rows


def compare_models(predictions: Mapping[str, Any], labels: Any) -> Comparison:
    """Put several models' accuracies side by side, each compared with the first.

    Only the examples on which one model is right and the other wrong can tell the two apart. How
    they are split is tested with the exact form of McNemar's test (McNemar 1947), which is a
    binomial test.

    Parameters
    ----------
    predictions : mapping of str to object
        For each model's name its predicted classes, of length n; the first is the one to beat.
    labels : array_like
        The true classes, of length n.

    Returns
    -------
    Comparison
        Prints as a table: accuracy, Wilson interval, difference to the first model in percentage
        points, and the p-value of the test: the probability of a split at least this uneven if
        both models are equally good.

    Raises
    ------
    EvaluationError
        If there is no model, or as in `accuracy`.
    """
    from scipy.stats import binomtest

    if not predictions:
        raise EvaluationError("compare_models needs the predictions of at least one model.")
    truth = classes(labels, "labels")
    rows = [score(str(name), values, truth) for name, values in predictions.items()]
    right = {str(name): classes(v, "predictions") == truth for name, v in predictions.items()}
    first, *others = right.values()
    p_values = {}
    for row, other in zip(rows[1:], others):
        only_first, only_other = int((first & ~other).sum()), int((other & ~first).sum())
        disagree = only_first + only_other
        p_values[row.name] = float(binomtest(only_other, disagree).pvalue) if disagree else 1.0
    return Comparison(rows, p_values)
