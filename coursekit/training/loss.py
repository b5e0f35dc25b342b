"""Loss and accuracy of one batch: its inputs and labels, and the model's logits."""

import inspect
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from coursekit.training.errors import TrainingError

#: Labels with this value do not count, as in `torch.nn.functional.cross_entropy`: padding in
#: tagging, or words that were not masked in a language model.
IGNORED = -100


def inputs_and_labels(batch: Any) -> tuple[tuple[torch.Tensor, ...], torch.Tensor | None]:
    """Split a batch (inputs..., labels)."""
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise TrainingError(
            "The data must be batches (inputs..., labels), as coursekit.text.batches or a "
            f"DataLoader makes them, but one batch is a {type(batch).__name__}"
            + (f" of length {len(batch)}." if isinstance(batch, (tuple, list)) else ".")
        )
    *inputs, labels = batch
    for part in inputs if labels is None else batch:
        if not isinstance(part, torch.Tensor):
            raise TrainingError(
                "A batch must be a tuple of tensors (inputs..., labels), but one part is a "
                f"{type(part).__name__}."
            )
    return tuple(inputs), labels


def logits_of(model: nn.Module, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """Call the model and check that it takes these inputs and returns a tensor."""
    try:
        inspect.signature(model.forward).bind(*inputs)
    except TypeError as error:
        plural = "s" if len(inputs) > 1 else ""
        raise TrainingError(
            f"The model's forward does not accept the {len(inputs)} input{plural} of a batch "
            f"(labels not counted): {error}."
        ) from error
    logits = model(*inputs)
    if not isinstance(logits, torch.Tensor):
        raise TrainingError(
            f"The model must return its logits, a tensor, but returned {type(logits).__name__}; "
            "does its forward end with return?"
        )
    return logits


def loss_and_accuracy(
    model: nn.Module, batch: Any, device: torch.device
) -> tuple[torch.Tensor, float, int]:
    """Compute the mean negative log-likelihood of a batch's labels, and the accuracy.

    Logits of the labels' shape (or with a last axis of size 1) are binary, through the logistic
    function. One more axis in the logits holds the classes, of a text or of each token.

    Returns
    -------
    loss : torch.Tensor of shape ()
    accuracy : float
    n : int
        How many labels count; if none does, loss and accuracy mean nothing.
    """
    inputs, labels = inputs_and_labels(batch)
    if labels is None or labels.dim() == 0 or len(labels) != len(inputs[0]):
        rows = "no" if labels is None else 1 if labels.dim() == 0 else len(labels)
        raise TrainingError(f"A batch has {len(inputs[0])} inputs but {rows} labels.")
    logits = logits_of(model, [part.to(device) for part in inputs])
    if logits.dim() == labels.dim() + 1 and logits.shape[-1] == 1:
        logits = logits.squeeze(-1)
    _check_labels(logits, labels)
    labels = labels.to(device)
    if logits.shape == labels.shape:
        loss = F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
        correct = (logits > 0) == labels
    else:
        loss = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORED)
        correct = (logits.argmax(-1) == labels)[labels != IGNORED]
    return loss, correct.float().mean().item(), correct.numel()


def _check_labels(logits: torch.Tensor, labels: torch.Tensor) -> None:
    """Refuse labels that the logits do not cover, before torch fails with an index error."""
    binary = logits.shape == labels.shape
    if not binary and logits.shape[:-1] != labels.shape:
        raise TrainingError(
            f"For labels of shape {tuple(labels.shape)} the model must return logits of the same "
            f"shape (binary), or with one more axis for the classes, but returned "
            f"{tuple(logits.shape)}."
        )
    if not binary and labels.is_floating_point():
        raise TrainingError(
            f"The labels are floats, but with {logits.shape[-1]} logits per label they must be "
            "integers; use labels.long()."
        )
    last = 1 if binary else logits.shape[-1] - 1
    outside = (labels < 0) | (labels > last)
    wrong = labels[outside if binary else outside & (labels != IGNORED)]
    if len(wrong):
        raise TrainingError(
            f"There is a label {wrong[0].item()}, but the model's logits are for the classes 0 "
            f"to {last}."
        )
