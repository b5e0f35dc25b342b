"""Error of `coursekit.training`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coursekit.training.history import History


class TrainingError(ValueError):
    """Error in training or predicting; the message is one sentence that says why.

    Attributes
    ----------
    history : History or None
        The epochs completed before the error, if training had begun.
    """

    def __init__(self, message: str, history: "History | None" = None) -> None:
        super().__init__(message)
        self.history = history
