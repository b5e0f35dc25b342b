"""Evaluation of predictions: accuracy with intervals, by group, and comparisons of models.

Nothing here imports torch; predictions and labels may be lists, NumPy arrays or tensors.
"""

from coursekit.evaluation.compare import Comparison, compare_models, mcnemar
from coursekit.evaluation.inputs import EvaluationError
from coursekit.evaluation.scores import (
    Score,
    Scores,
    accuracy,
    accuracy_by,
    score,
    wilson_interval,
)

__all__ = [
    "Comparison",
    "EvaluationError",
    "Score",
    "Scores",
    "accuracy",
    "accuracy_by",
    "compare_models",
    "mcnemar",
    "score",
    "wilson_interval",
]
