"""Asking a trained model."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from coursekit.training.errors import TrainingError
from coursekit.training.feeding import Inputs, feed, is_whole, to_device, to_tensor
from coursekit.training.judging import logits_of, run
from coursekit.training.machine import borrowed, pick_device


def predict(
    model: nn.Module,
    data: Any,
    batch_size: int = 256,
    *,
    device: str | torch.device = "auto",
) -> torch.Tensor:
    """Give a model's logits for every example, in order, with dropout off.

    Parameters
    ----------
    model
        Any module that `fit` can train. It comes back in the mode and on the device it had.
    data
        What the model reads, without labels: a tensor, a tuple of tensors with N rows each, or a
        dictionary of them. Or the same batches as for `fit`, whose labels are left out; those of
        `coursekit.text.batches` are taken in the order of the data set even when they shuffle.
    batch_size
        Rows per batch, for whole tensors.
    device
        As in `pick_device`.

    Returns
    -------
    torch.Tensor
        Logits of shape (N, ...) on the CPU, without gradients. For classes take
        `logits.argmax(-1)`, or `logits > 0` when there is one logit per example.

    Raises
    ------
    TrainingError
        When there is no data or the model cannot read it.
    """
    if not isinstance(model, nn.Module):
        raise TrainingError(f"predict needs a torch.nn.Module, but got {type(model).__name__}.")
    device = pick_device(device)
    parts: list[torch.Tensor] = []
    with borrowed(model, device), torch.no_grad():
        model.eval()
        for inputs in _inputs(data, batch_size):
            parts.append(logits_of(run(model, to_device(inputs, device))).cpu())
    if not parts:
        raise TrainingError("There is nothing to predict: the data are empty.")
    if len({part.shape[1:] for part in parts}) > 1:
        raise TrainingError(
            "The batches' outputs have different shapes, so they do not fit into one tensor; "
            "give all texts the same length."
        )
    return torch.cat(parts)


def _inputs(data: Any, batch_size: int) -> Iterator[Inputs]:
    """The inputs of each batch, in order."""
    data = data.in_order() if hasattr(data, "in_order") else data
    if isinstance(data, (torch.Tensor, np.ndarray)):
        data = (data,)
    if is_whole(data):
        if isinstance(data, Mapping):
            data = {name: part for name, part in data.items() if name != "labels"}
        # A single Batch of coursekit.text knows which of its fields are the labels.
        elif hasattr(data, "labels"):
            data = tuple(data)[:-1]
        yield from feed(data, batch_size, None, shuffle=False, role="given").batches(0)
        return
    for batch in feed(data, batch_size, None, shuffle=False, role="given").batches(0):
        if isinstance(batch, Mapping):
            parts = {name: part for name, part in batch.items() if name != "labels"}
            yield {name: to_tensor(part, "given") for name, part in parts.items()}
        elif isinstance(batch, (tuple, list)) and len(batch) >= 2:
            yield tuple(to_tensor(part, "given") for part in batch[:-1])
        else:
            yield (to_tensor(batch[0] if isinstance(batch, (tuple, list)) else batch, "given"),)
