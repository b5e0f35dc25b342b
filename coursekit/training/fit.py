"""Training loop for every model of the course: `fit`."""

import copy
import math
import time
from collections.abc import Iterable
from itertools import islice
from typing import Any

import torch
from torch import nn

from coursekit.progress import progress_bar
from coursekit.text import Batches
from coursekit.training.device import moved_to, pick_device, seeded
from coursekit.training.errors import TrainingError
from coursekit.training.grading import max_steps
from coursekit.training.history import History
from coursekit.training.loss import loss_and_accuracy

#: The gradient is scaled down to at most this norm (Pascanu et al. 2013).
MAX_NORM = 1.0


def fit(
    model: nn.Module,
    train: Iterable[Any],
    validation: Iterable[Any] | None = None,
    *,
    epochs: int = 5,
    lr: float = 1e-3,
    weight_decay: float = 0.0,
    schedule: str = "constant",
    warmup: float = 0.0,
    seed: int = 0,
) -> History:
    """Train a classifier with AdamW and leave it with its best weights.

    The loss is the mean negative log-likelihood of the labels. After each epoch the model is
    evaluated on the validation data, with dropout off. The best epoch is the one with the highest
    validation accuracy (of two equal ones, the one with the lower loss); its weights are restored
    at the end. Without validation data the last weights stay.

    Parameters
    ----------
    model : torch.nn.Module
        A `torch.nn.Module` that returns logits: one per label for two classes, or one per label
        and class. Its mode and device are restored at the end.
    train, validation : iterable of object and iterable of object, optional
        Batches (inputs..., labels) of tensors: a list, a `DataLoader` or `coursekit.text.batches`.
        The model is called with the inputs, in order. Labels of -100 do not count if there is one
        logit per class.
    epochs : int
        Passes over the training data.
    lr, weight_decay : float
        The learning rate and weight decay of AdamW (Loshchilov and Hutter 2019).
    schedule, warmup : str and float
        After a linear warm-up over this fraction of all steps (0.1 is a tenth), the learning rate
        is "constant", or falls to zero in a "linear" schedule.
    seed : int
        Seed for dropout: on a CPU, the same seed gives the same weights. The random numbers
        outside are not affected.

    Returns
    -------
    History
        With `interrupted=True` if the user interrupted the training; the model then has the best
        weights so far.

    Raises
    ------
    TrainingError
        If the data do not fit the model, or if the loss is no longer finite; the model then has
        the last good weights and `error.history` the completed epochs.

    Notes
    -----
    During grading the number of steps is limited: to the environment variable COURSEKIT_MAX_STEPS
    if it is set, or else to `GRADING_STEPS` if NBGRADER_EXECUTION is "autograde". The schedule
    covers the steps that remain.
    """
    _check_options(model, epochs, lr, schedule, warmup)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise TrainingError(
            "No parameter of the model requires a gradient, so there is nothing to train; are "
            "its weights nn.Parameter or in layers, and is not everything frozen?"
        )
    limit, all_steps = max_steps(), epochs * _count_batches(train, "training")
    if validation is not None:
        _count_batches(validation, "validation")
    planned = all_steps if limit is None else min(limit, all_steps)
    device = pick_device()
    history = History(
        parameters=sum(parameter.numel() for parameter in trained),
        device=str(device),
        capped=planned < all_steps,
    )
    with moved_to(device, model), seeded(seed, device), progress_bar(planned, "step") as bar:
        optimizer = torch.optim.AdamW(trained, lr=lr, weight_decay=weight_decay)
        scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: _learning_rate(step, planned, schedule, warmup)
        )
        best_score, best_weights = None, _weights(model)
        try:
            for epoch in range(epochs):
                if history.steps >= planned:
                    break
                started = time.perf_counter()
                bar.set_description(f"epoch {epoch + 1}/{epochs}", refresh=False)

                model.train()
                average = _Average()
                for batch in islice(_in_epoch(train, epoch), planned - history.steps):
                    loss, accuracy, n = loss_and_accuracy(model, batch, device)
                    if n == 0:
                        continue
                    _check_finite(loss.item(), "The loss", epoch)
                    if not loss.requires_grad:
                        raise TrainingError(
                            "The loss does not depend on the model's parameters, so nothing can "
                            "be learned; is there a detach(), item() or numpy() in the model?"
                        )
                    optimizer.zero_grad()
                    loss.backward()
                    norm = nn.utils.clip_grad_norm_(trained, MAX_NORM)
                    _check_finite(norm.item(), "The norm of the gradient", epoch)
                    optimizer.step()
                    scheduler.step()
                    history.steps += 1
                    average.add(loss.item(), accuracy, n)
                    bar.set_postfix_str(f"loss {average.loss:.3f}", refresh=False)
                    bar.update()
                if average.n == 0:
                    raise TrainingError(f"Epoch {epoch + 1} has no training data.", history)
                score: tuple[float, ...] = (float(epoch),)

                if validation is not None:
                    evaluated = _evaluate(model, validation, device)
                    _check_finite(evaluated.loss, "The validation loss", epoch)
                    history.validation_loss.append(evaluated.loss)
                    history.validation_accuracy.append(evaluated.accuracy)
                    score = (evaluated.accuracy, -evaluated.loss)
                    bar.set_postfix_str(
                        f"loss {average.loss:.3f}, validation accuracy {evaluated.accuracy:.3f}"
                    )
                history.train_loss.append(average.loss)
                history.train_accuracy.append(average.accuracy)
                history.seconds.append(time.perf_counter() - started)
                if best_score is None or score > best_score:
                    best_score, best_weights = score, _weights(model)
                    history.best_epoch = epoch + 1
        except KeyboardInterrupt:
            history.interrupted = True
        except _NotFinite as error:
            model.load_state_dict(best_weights)
            kept = f"of epoch {history.best_epoch}" if history.best_epoch else "it started with"
            raise TrainingError(f"{error} The model has the weights {kept}.", history) from None
        # Interrupted before the first validation, the weights so far are better than none.
        if validation is not None and history.best_epoch is not None:
            model.load_state_dict(best_weights)
    return history


class _NotFinite(Exception):
    """Exception for a loss or a gradient that is NaN or infinite."""


class _Average:
    """Average loss and accuracy of several batches, weighted by their numbers of labels."""

    def __init__(self) -> None:
        self.n, self.loss, self.accuracy = 0, 0.0, 0.0

    def add(self, loss: float, accuracy: float, n: int) -> None:
        """Add a batch of n labels."""
        self.n += n
        self.loss += (loss - self.loss) * n / self.n
        self.accuracy += (accuracy - self.accuracy) * n / self.n


def _evaluate(model: nn.Module, data: Iterable[Any], device: torch.device) -> _Average:
    """Return the average loss and accuracy with dropout off."""
    model.eval()
    average = _Average()
    with torch.no_grad():
        # Always the batches of epoch 0, so that all epochs are compared on the same ones.
        for batch in _in_epoch(data, 0):
            loss, accuracy, n = loss_and_accuracy(model, batch, device)
            if n:
                average.add(loss.item(), accuracy, n)
    if average.n == 0:
        raise TrainingError("The validation data are empty.")
    return average


def _in_epoch(data: Iterable[Any], epoch: int) -> Iterable[Any]:
    """Return the batches of an epoch; `coursekit.text.batches` shuffles by the epoch's number."""
    return data(epoch) if isinstance(data, Batches) else data


def _weights(model: nn.Module) -> dict[str, Any]:
    """Return a copy of the model's weights."""
    return copy.deepcopy(model.state_dict())


def _learning_rate(step: int, planned: int, schedule: str, warmup: float) -> float:
    """Return the fraction of the learning rate at `step` (from 0) of `planned`."""
    rising = round(warmup * planned)
    if step < rising:
        return (step + 1) / rising
    if schedule == "constant":
        return 1.0
    return max(0.0, 1.0 - (step - rising) / max(1, planned - rising))


def _check_options(model: Any, epochs: int, lr: float, schedule: str, warmup: float) -> None:
    """Refuse options that make no sense."""
    if not isinstance(model, nn.Module):
        hint = "; write model = YourModel(...) first" if isinstance(model, type) else ""
        raise TrainingError(f"fit trains a torch.nn.Module, but got {type(model).__name__}{hint}.")
    if type(epochs) is not int or epochs < 1:
        raise TrainingError(f"epochs must be a positive integer, but is {epochs!r}.")
    if not lr > 0:
        raise TrainingError(f"lr, the learning rate, must be greater than 0, but is {lr!r}.")
    if not 0 <= warmup < 1:
        raise TrainingError(
            f"warmup, a fraction of all steps, must be at least 0 and below 1, but is {warmup!r}."
        )
    if schedule not in ("constant", "linear"):
        raise TrainingError(f'schedule must be "constant" or "linear", but is {schedule!r}.')


def _count_batches(data: Any, role: str) -> int:
    """Return the number of batches in one pass."""
    if not hasattr(data, "__len__"):
        raise TrainingError(
            f"The {role} data must be a list of batches, a DataLoader or what "
            f"coursekit.text.batches returns, but are of type {type(data).__name__}."
        )
    if len(data) == 0:
        raise TrainingError(f"The {role} data are empty.")
    return len(data)


def _check_finite(value: float, what: str, epoch: int) -> None:
    """Raise `_NotFinite` if a value is NaN or infinite."""
    if not math.isfinite(value):
        raise _NotFinite(
            f"{what} became {value} in epoch {epoch + 1}, so training stopped: try a smaller lr, "
            "and look for a division by zero, a log of zero, or a softmax over -inf alone."
        )
