"""`fit`: one training loop for every model of the course."""

import time
from typing import Any

import torch
from torch import nn

from coursekit.training.averages import Average
from coursekit.training.errors import TrainingError
from coursekit.training.feeding import Feed, feed, split, to_device
from coursekit.training.history import History
from coursekit.training.judging import Judge, Judges, run
from coursekit.training.keeping import Keeper, drop_unfinished
from coursekit.training.machine import borrowed, own_random_numbers, pick_device
from coursekit.training.progress import Bar, open_bar
from coursekit.training.settings import check_settings, step_cap
from coursekit.training.stepping import Diverged, Update, must_be_finite


def fit(
    model: nn.Module,
    train: Any,
    validation: Any = None,
    *,
    loss: Judge | None = None,
    metric: Judge | str | None = None,
    epochs: int = 5,
    batch_size: int = 32,
    lr: float = 1e-3,
    weight_decay: float = 0.0,
    optimizer: str | torch.optim.Optimizer = "adamw",
    schedule: str = "constant",
    warmup: float = 0.0,
    clip: float | None = 1.0,
    patience: int | None = None,
    seed: int | None = 0,
    device: str | torch.device = "auto",
    progress: bool | None = None,
) -> History:
    """Train a model and leave it with the best weights it had.

    After each epoch the validation data are judged, with dropout off. The best epoch is the one
    with the highest validation metric (of two alike, the lower loss), or with the lowest loss
    when there is no metric; its weights are put back at the end. Without validation data the last
    weights stay.

    Parameters
    ----------
    model
        Any `torch.nn.Module`. It returns logits, a tuple that begins with them, or an object with
        `.logits`. It comes back in the mode and on the device it had.
    train, validation
        One of: a tuple of tensors or arrays `(inputs..., labels)` with N rows each; a dictionary
        of them with "labels"; batches of either form, as a list, a `DataLoader` or
        `coursekit.text.batches`; or a function that takes the epoch (from 0) and gives its
        batches. The model is called with the inputs, in order or by name. Whole tensors are
        shuffled every epoch; batches come in their own order.
    loss
        A function of (what the model returned, labels) that gives one number. By default the
        negative log-likelihood: labels of the logits' shape are binary, one more axis in the
        logits holds the classes of a text or of each token, and labels of -100 do not count.
    metric
        "accuracy", or a function like `loss` whose higher values are better. By default the
        accuracy when `loss` is the default, and none otherwise.
    epochs, batch_size
        Passes over the data; rows per step, for whole tensors.
    lr, weight_decay
        Learning rate, and the optimizer's weight decay.
    optimizer
        "adamw", "adam", "sgd", "adagrad", or a ready torch optimizer, whose own learning rates
        and weight decay then count.
    schedule, warmup
        After a linear warm-up over this share of all steps (0.1 is a tenth), the learning rate is
        "constant", or falls to zero on a "linear" or "cosine" course.
    clip
        Largest norm of the gradient; None for no limit (Pascanu et al. 2013).
    patience
        Stop when this many epochs in a row bring nothing better; None to do all epochs.
    seed
        Fixes shuffling and dropout, so that the same seed gives the same weights on a CPU; the
        random numbers outside are left alone. None for other numbers each time.
    device
        As in `pick_device`.
    progress
        Show a progress bar. By default in a notebook or a terminal, and never while nbgrader runs.

    Returns
    -------
    History
        With `interrupted=True` when the reader stopped it; the best weights until then are kept.

    Raises
    ------
    TrainingError
        When data or model do not fit, or when the loss is no longer a finite number; then the
        model has the last good weights and `error.history` what was reached.

    Notes
    -----
    While a submission is graded, work is limited: COURSEKIT_MAX_STEPS, a whole number, is the
    most steps one call takes; without it the limit is `GRADING_STEPS` when NBGRADER_EXECUTION is
    "autograde", and there is none otherwise. A schedule is laid out over the steps that remain.
    """
    check_settings(model, epochs, batch_size, lr, schedule, warmup, clip, patience)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise TrainingError(
            "No parameter of the model requires a gradient, so there is nothing to train; are "
            "its weights nn.Parameter or inside layers, and is not everything frozen?"
        )
    device, cap = pick_device(device), step_cap()
    train_feed = feed(train, batch_size, seed, shuffle=True, role="training")
    validation_feed = None
    if validation is not None:
        validation_feed = feed(validation, batch_size, seed, shuffle=False, role="validation")
    planned = None if train_feed.steps is None else train_feed.steps * epochs
    if cap is not None and planned is not None:
        planned = min(planned, cap)

    judges = Judges(loss, metric)
    history = History(
        metric=judges.metric_name,
        parameters=sum(parameter.numel() for parameter in trained),
        device=str(device),
    )
    with borrowed(model, device), own_random_numbers(seed, device):
        keeper = Keeper(model, patience)
        update = Update(trained, optimizer, lr, weight_decay, clip, schedule, warmup, planned)
        bar = open_bar(planned, progress)
        try:
            for epoch in range(epochs):
                if cap is not None and history.steps >= cap:
                    history.capped = True
                    break
                started = time.perf_counter()
                bar.begin(epoch, epochs)
                _train_epoch(model, train_feed, epoch, judges, update, device, bar, history, cap)
                if validation_feed is not None:
                    _validate(model, validation_feed, judges, device, history)
                history.seconds.append(time.perf_counter() - started)
                bar.end(history)
                keeper.look(history)
                history.stopped_early = keeper.gives_up and epoch + 1 < epochs
                if history.capped or history.stopped_early:
                    break
        except KeyboardInterrupt:
            history.interrupted = True
            drop_unfinished(history)
        except Diverged as error:
            drop_unfinished(history)
            keeper.put_back()
            kept = f"of epoch {history.best_epoch}" if history.best_epoch else "it started with"
            raise TrainingError(f"{error} The model has the weights {kept}.", history) from None
        finally:
            bar.close()
        # Weights of an unfinished epoch are more than none, but less than a judged best.
        if validation_feed is not None and history.best_epoch is not None:
            keeper.put_back()
    return history


def _train_epoch(
    model: nn.Module,
    source: Feed,
    epoch: int,
    judges: Judges,
    update: Update,
    device: torch.device,
    bar: Bar,
    history: History,
    cap: int | None,
) -> None:
    """Take one pass over the training data and write its averages into the history."""
    model.train()
    average = Average()
    for batch in source.batches(epoch):
        if cap is not None and history.steps >= cap:
            history.capped = True
            break
        inputs, labels = split(batch, "training")
        outputs = run(model, to_device(inputs, device))
        weight = judges.weight(outputs, labels, "training")
        if weight == 0:
            continue
        labels = labels.to(device)
        loss = judges.loss(outputs, labels)
        value = loss.item()
        must_be_finite(value, "The loss became", epoch)
        update(loss, epoch)
        history.steps += 1
        average.add(weight, value, judges.metric(outputs, labels))
        bar.step(average)
    if average.weight == 0:
        raise TrainingError(f"The training data of epoch {epoch + 1} are empty.", history)
    history.train_loss.append(average.loss)
    if judges.metric_name is not None:
        history.train_metric.append(average.metric)


def _validate(
    model: nn.Module, source: Feed, judges: Judges, device: torch.device, history: History
) -> None:
    """Judge the model on the validation data and write the result into the history."""
    model.eval()
    average = Average()
    with torch.no_grad():
        # Always the batches of epoch 0, so that every epoch is judged on the same ones.
        for batch in source.batches(0):
            inputs, labels = split(batch, "validation")
            outputs = run(model, to_device(inputs, device))
            weight = judges.weight(outputs, labels, "validation")
            if weight:
                labels = labels.to(device)
                value = judges.loss(outputs, labels).item()
                average.add(weight, value, judges.metric(outputs, labels))
    if average.weight == 0:
        raise TrainingError("The validation data are empty.", history)
    must_be_finite(average.loss, "The validation loss became", history.epochs - 1)
    history.validation_loss.append(average.loss)
    if judges.metric_name is not None:
        history.validation_metric.append(average.metric)
