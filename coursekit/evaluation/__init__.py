"""Judging predictions: accuracy with intervals, confusion, groups, comparisons of models.

Nothing here imports torch; predictions and labels may be lists, NumPy arrays or tensors.
"""

from coursekit.evaluation.comparing import (
    Comparison,
    PairedComparison,
    compare_models,
    paired_comparison,
)
from coursekit.evaluation.confusion import Confusion, confusion
from coursekit.evaluation.inputs import EvaluationError
from coursekit.evaluation.scoring import (
    Score,
    Scores,
    accuracy,
    accuracy_by,
    score,
    wilson_interval,
)

__all__ = [
    "Comparison",
    "Confusion",
    "EvaluationError",
    "PairedComparison",
    "Score",
    "Scores",
    "accuracy",
    "accuracy_by",
    "compare_models",
    "confusion",
    "paired_comparison",
    "score",
    "wilson_interval",
]
