"""The error of `coursekit.training`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coursekit.training.history import History


class TrainingError(ValueError):
    """Raised with one sentence when a model cannot be trained or asked for predictions.

    Attributes
    ----------
    history : History or None
        What had been reached, when the training had already begun.
    """

    def __init__(self, message: str, history: "History | None" = None) -> None:
        super().__init__(message)
        self.history = history
