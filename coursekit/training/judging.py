"""Running a model on a batch; its loss and accuracy when nobody gave others."""

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from coursekit.training.errors import TrainingError
from coursekit.training.feeding import Inputs

# What the model returned and the labels, to one number.
Judge = Callable[[Any, torch.Tensor], Any]

# Labels with this value do not count, as in torch.nn.functional.cross_entropy: padding in
# tagging, words that were not masked in a language model.
IGNORED = -100


def run(model: nn.Module, inputs: Inputs) -> Any:
    """Call the model, having checked that its forward takes what the batch brings."""
    args, kwargs = ((), inputs) if isinstance(inputs, dict) else (inputs, {})
    try:
        inspect.signature(model.forward).bind(*args, **kwargs)
    except TypeError as error:
        names = ", ".join(kwargs) or f"{len(args)} input" + ("s" if len(args) > 1 else "")
        raise TrainingError(
            f"The model's forward does not take what it is given, {names} (labels not counted): "
            f"{error}."
        ) from error
    return model(*args, **kwargs)


def logits_of(outputs: Any) -> torch.Tensor:
    """Find the logits in what a model returned: a tensor, a tuple's first, or `.logits`."""
    logits = getattr(outputs, "logits", outputs)
    if isinstance(logits, (tuple, list)) and logits:
        logits = logits[0]
    if not isinstance(logits, torch.Tensor):
        raise TrainingError(
            "The model must return its logits (a tensor), or a tuple that begins with them, "
            f"but returned {type(logits).__name__}; does its forward end with return?"
        )
    return logits


def default_loss(outputs: Any, labels: torch.Tensor) -> torch.Tensor:
    """Negative log-likelihood of the labels, for whatever the logits' shape says it is.

    One logit per label: binary, through the logistic function. One more axis than the labels:
    that axis holds the classes (of a text, or of each token), and labels of -100 do not count.
    """
    logits, labels = _matched(logits_of(outputs), labels)
    if logits.shape == labels.shape:
        return F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORED)


def accuracy(outputs: Any, labels: torch.Tensor) -> float:
    """Share of the labels that count which the logits get right."""
    logits, labels = _matched(logits_of(outputs), labels)
    binary = logits.shape == labels.shape
    predicted = (logits > 0).to(labels.dtype) if binary else logits.argmax(-1)
    counts = labels != IGNORED
    truth = (labels > 0.5).to(labels.dtype) if labels.is_floating_point() else labels
    return (predicted == truth)[counts].float().mean().item()


def check_labels(outputs: Any, labels: torch.Tensor, role: str) -> None:
    """Refuse labels the model has no output for, in words rather than by an index error."""
    logits, labels = _matched(logits_of(outputs), labels)
    counted = labels[labels != IGNORED]
    if counted.numel() == 0:
        return
    low, high = counted.min().item(), counted.max().item()
    last = 1 if logits.shape == labels.shape else logits.shape[-1] - 1
    if low < 0 or high > last:
        wrong = low if low < 0 else high
        classes = f"0 and {last}" if last == 1 else f"0 to {last}"
        raise TrainingError(
            f"The {role} data have the label {wrong}, but the model's outputs stand for the "
            f"classes {classes}."
        )


def _matched(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Check that logits and labels fit; drop a last axis of size 1, which is one logit each."""
    if labels.dtype == torch.bool:
        labels = labels.long()
    if logits.dim() == labels.dim() + 1 and logits.shape[-1] == 1:
        logits = logits.squeeze(-1)
    elif labels.dim() == logits.dim() + 1 and labels.shape[-1] == 1:
        labels = labels.squeeze(-1)
    if logits.shape == labels.shape:
        return logits, labels
    if logits.dim() >= 2 and logits.shape[:-1] == labels.shape:
        if labels.is_floating_point():
            raise TrainingError(
                f"The labels are decimal numbers, but {logits.shape[-1]} outputs per label need "
                "whole ones; use labels.long()."
            )
        return logits, labels
    raise TrainingError(
        f"For labels of shape {tuple(labels.shape)} the model must return logits of that shape "
        f"(binary), or with one more axis for the classes, but returned {tuple(logits.shape)}."
    )


class Judges:
    """The loss and the metric, the course's own or the caller's."""

    def __init__(self, loss: Judge | None, metric: Judge | str | None) -> None:
        self.own_loss, self.own_metric = loss, metric
        if loss is None and metric is None:
            self.own_metric = "accuracy"
        if isinstance(self.own_metric, str):
            if self.own_metric != "accuracy":
                raise TrainingError(f'metric must be "accuracy" or a function, not {metric!r}.')
            self.metric_name, self.own_metric = "accuracy", accuracy
        elif self.own_metric is not None:
            self.metric_name = getattr(metric, "__name__", "metric")
        else:
            self.metric_name = None

    def weight(self, outputs: Any, labels: torch.Tensor, role: str) -> int:
        """Check the labels; how many of a batch count is its weight in an average."""
        if self.own_loss is not None:
            return len(labels)
        check_labels(outputs, labels, role)
        return int((labels != IGNORED).sum())

    def loss(self, outputs: Any, labels: torch.Tensor) -> torch.Tensor:
        """The loss of one batch."""
        if self.own_loss is None:
            return default_loss(outputs, labels)
        value = self.own_loss(outputs, labels)
        if not isinstance(value, torch.Tensor) or value.numel() != 1:
            got = tuple(value.shape) if isinstance(value, torch.Tensor) else type(value).__name__
            raise TrainingError(
                f"The loss function must return one number as a tensor, but returned {got}; "
                "does it end with .mean()?"
            )
        return value

    def metric(self, outputs: Any, labels: torch.Tensor) -> float:
        """The metric of one batch; 0 when there is none."""
        if self.own_metric is None:
            return 0.0
        with torch.no_grad():
            return float(self.own_metric(outputs, labels))
