"""Prediction with a trained model."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from coursekit.text import Batches
from coursekit.training.device import moved_to, pick_device
from coursekit.training.errors import TrainingError
from coursekit.training.loss import inputs_and_labels, logits_of


def predict(model: nn.Module, data: Iterable[Any]) -> torch.Tensor:
    """Return a model's logits for every example, in order, with dropout off.

    Parameters
    ----------
    model : torch.nn.Module
        A model that `fit` can train. Its mode and device are restored at the end.
    data : iterable of object
        Batches as for `fit`; their labels are ignored and may be None. The batches of
        `coursekit.text.batches` are taken in the order of the data set even if they shuffle.

    Returns
    -------
    torch.Tensor
        Logits of shape (N, ...) on the CPU, without gradients. The predicted classes are
        `logits.argmax(-1)`, or `logits > 0` if there is one logit per example.

    Raises
    ------
    TrainingError
        If there are no data, or they do not fit the model.
    """
    if not isinstance(model, nn.Module):
        raise TrainingError(f"predict needs a torch.nn.Module, but got {type(model).__name__}.")
    data = data.in_order() if isinstance(data, Batches) else data
    device = pick_device()
    logits: list[torch.Tensor] = []
    with moved_to(device, model), torch.no_grad():
        model.eval()
        for batch in data:
            inputs, _ = inputs_and_labels(batch)
            logits.append(logits_of(model, [part.to(device) for part in inputs]).cpu())
    if not logits:
        raise TrainingError("There is nothing to predict: the data are empty.")
    if len({part.shape[1:] for part in logits}) > 1:
        raise TrainingError(
            "The outputs for different batches have different shapes, so they cannot be joined; "
            "pad all texts to the same length."
        )
    return torch.cat(logits)
