"""Limits on training while a submission is graded."""

import os

from coursekit.training.errors import TrainingError

#: How many steps `fit` takes while nbgrader grades a submission, unless the environment variable
#: COURSEKIT_MAX_STEPS says otherwise. No exercise is graded by a model that `fit` has trained, so
#: a few steps are enough to see that it runs.
GRADING_STEPS = 20


def max_steps() -> int | None:
    """Return the limit on steps while a submission is graded, None outside grading."""
    setting = os.environ.get("COURSEKIT_MAX_STEPS", "").strip()
    if setting:
        if not setting.isdigit() or int(setting) < 1:
            raise TrainingError(
                "The environment variable COURSEKIT_MAX_STEPS must be a positive integer, "
                f"but is {setting!r}."
            )
        return int(setting)
    return GRADING_STEPS if os.environ.get("NBGRADER_EXECUTION") == "autograde" else None


def fewer_when_graded(rounds: int) -> int:
    """Return the number of epochs or steps of training that earns no points: 1 while grading."""
    return rounds if max_steps() is None else 1
