"""Predictions and labels in any form, as validated arrays of classes."""

from typing import Any

import numpy as np


class EvaluationError(ValueError):
    """Error for predictions and labels that cannot be compared; the message says why."""


def classes(values: Any, name: str) -> np.ndarray:
    """Turn a list, an array or a tensor into integers of shape (n,)."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.size == 0:
        raise EvaluationError(f"The {name} are empty, or not a list of classes.")
    if array.ndim != 1:
        raise EvaluationError(
            f"The {name} must be one class per example, but have the shape {array.shape}; for "
            "logits of shape (n, classes) take .argmax(-1) first."
        )
    if array.dtype.kind == "f":
        # A NaN is not equal to itself rounded, so it ends here as well.
        if not np.array_equal(array, np.round(array)):
            raise EvaluationError(
                f"The {name} are not integers but look like probabilities or logits; turn them into "
                "classes first, for example (probabilities > 0.5) or (logits > 0)."
            )
    elif array.dtype.kind not in "biu":
        raise EvaluationError(
            f"The {name} must be integers, the classes, but one is {array.tolist()[0]!r}."
        )
    return array.astype(np.int64)


def pair(predictions: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Check that there is one prediction for every label."""
    predictions, labels = classes(predictions, "predictions"), classes(labels, "labels")
    same_length(len(predictions), "predictions", len(labels), "labels")
    return predictions, labels


def same_length(n: int, name: str, m: int, other: str) -> None:
    """Raise an error unless the lengths are equal."""
    if n != m:
        raise EvaluationError(
            f"There are {n} {name} but {m} {other}; each example needs one of each."
        )
