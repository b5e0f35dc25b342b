"""One step of the optimizer, and what a step may not do."""

import math

import torch
from torch import nn

from coursekit.training.errors import TrainingError

_OPTIMIZERS = {
    "adamw": torch.optim.AdamW,
    "adam": torch.optim.Adam,
    "sgd": torch.optim.SGD,
    "adagrad": torch.optim.Adagrad,
}


class Diverged(Exception):
    """The loss or the gradient is no longer a finite number."""


def must_be_finite(value: float, what: str, epoch: int) -> None:
    if not math.isfinite(value):
        raise Diverged(
            f"{what} {value} in epoch {epoch + 1}, so training stopped: try a smaller lr, and "
            "look for a division by zero, a log of zero, or a softmax over -inf alone."
        )


class Update:
    """One step of the optimizer: backward, clip, step, next learning rate."""

    def __init__(
        self,
        parameters: list[nn.Parameter],
        optimizer: str | torch.optim.Optimizer,
        lr: float,
        weight_decay: float,
        clip: float | None,
        schedule: str,
        warmup: float,
        planned: int | None,
    ) -> None:
        self.parameters, self.clip = parameters, clip
        if isinstance(optimizer, str):
            if optimizer not in _OPTIMIZERS:
                known = ", ".join(_OPTIMIZERS)
                raise TrainingError(f"The optimizer {optimizer!r} is unknown; known are {known}.")
            optimizer = _OPTIMIZERS[optimizer](parameters, lr=lr, weight_decay=weight_decay)
        self.optimizer = optimizer
        self.rates = None
        if schedule != "constant" or warmup > 0:
            if planned is None:
                raise TrainingError(
                    "A schedule or warm-up needs to know the number of steps: give batches that "
                    "have a length, such as a list."
                )
            self.rates = torch.optim.lr_scheduler.LambdaLR(
                optimizer, lambda step: _rate(step, planned, schedule, warmup)
            )

    def __call__(self, loss: torch.Tensor, epoch: int) -> None:
        if not loss.requires_grad:
            raise TrainingError(
                "The loss does not depend on the model's parameters, so nothing can be learned; "
                "is there a detach(), item() or numpy() in the model or the loss?"
            )
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.clip is not None:
            norm = nn.utils.clip_grad_norm_(self.parameters, self.clip)
            must_be_finite(norm.item(), "The norm of the gradient became", epoch)
        self.optimizer.step()
        if self.rates is not None:
            self.rates.step()


def _rate(step: int, planned: int, schedule: str, warmup: float) -> float:
    """The share of the learning rate that step number `step` (from 0) of `planned` takes."""
    rising = round(warmup * planned)
    if step < rising:
        return (step + 1) / rising
    if schedule == "constant":
        return 1.0
    done = (step - rising) / max(1, planned - rising)
    return max(0.0, 1.0 - done if schedule == "linear" else (1.0 + math.cos(math.pi * done)) / 2)
