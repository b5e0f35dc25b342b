"""What may be asked of `fit`, and how much while a submission is graded."""

import os
from typing import Any

from torch import nn

from coursekit.training.errors import TrainingError

#: The most steps one `fit` takes while nbgrader grades a submission, unless the environment
#: variable COURSEKIT_MAX_STEPS names another number. No exercise is graded by what `fit` has trained,
#: so that a few steps will do to see that it runs.
GRADING_STEPS = 20

_SCHEDULES = ("constant", "linear", "cosine")


def step_cap() -> int | None:
    """The limit on steps while a submission is graded; None outside grading."""
    setting = os.environ.get("COURSEKIT_MAX_STEPS", "").strip()
    if setting:
        if not setting.isdigit() or int(setting) < 1:
            raise TrainingError(
                "The environment variable COURSEKIT_MAX_STEPS must be a whole number from 1 up, "
                f"but is {setting!r}."
            )
        return int(setting)
    return GRADING_STEPS if os.environ.get("NBGRADER_EXECUTION") == "autograde" else None


def fewer_when_graded(epochs: int) -> int:
    """The number of epochs for training whose result earns no points: 1 while nbgrader grades."""
    return epochs if step_cap() is None else 1


def check_settings(
    model: Any,
    epochs: int,
    batch_size: int,
    lr: float,
    schedule: str,
    warmup: float,
    clip: float | None,
    patience: int | None,
) -> None:
    if not isinstance(model, nn.Module):
        hint = "; write model = YourModel(...) first" if isinstance(model, type) else ""
        raise TrainingError(f"fit trains a torch.nn.Module, but got {type(model).__name__}{hint}.")
    for name, value in (("epochs", epochs), ("batch_size", batch_size), ("patience", patience)):
        if value is not None and (type(value) is not int or value < 1):
            raise TrainingError(f"{name} must be a whole number from 1 up, but is {value!r}.")
    if not lr > 0:
        raise TrainingError(f"lr, the learning rate, must be greater than 0, but is {lr!r}.")
    if clip is not None and not clip > 0:
        raise TrainingError(f"clip must be greater than 0, or None, but is {clip!r}.")
    if not 0 <= warmup < 1:
        raise TrainingError(
            f"warmup is a share of all steps, from 0 up to but not including 1, but is {warmup!r}."
        )
    if schedule not in _SCHEDULES:
        raise TrainingError(f"schedule must be one of {', '.join(_SCHEDULES)}, not {schedule!r}.")
