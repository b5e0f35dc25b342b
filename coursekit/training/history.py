"""History of a training run."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(repr=False)
class History:
    """Progress of one training run; every list has one entry per epoch.

    Attributes
    ----------
    train_loss, train_accuracy : list of float
        Averages over the epoch's batches, measured while the weights change, with dropout on.
    validation_loss, validation_accuracy : list of float
        Measured after the epoch, with dropout off; empty without validation data.
    seconds : list of float
        Duration of each epoch, including validation.
    steps : int
        Number of updates of the weights.
    best_epoch : int or None
        The epoch (from 1) whose weights the model has now; None if no epoch was completed.
    parameters : int
        Number of trained parameters.
    device : str
        Where the model was trained.
    capped, interrupted : bool
        Whether training ended early, because of the limit on steps during grading or because the
        user interrupted it.
    """

    train_loss: list[float] = field(default_factory=list)
    train_accuracy: list[float] = field(default_factory=list)
    validation_loss: list[float] = field(default_factory=list)
    validation_accuracy: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    steps: int = 0
    best_epoch: int | None = None
    parameters: int = 0
    device: str = "cpu"
    capped: bool = False
    interrupted: bool = False

    @property
    def epochs(self) -> int:
        """Number of completed epochs."""
        return len(self.train_loss)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain lists and numbers, ready for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        """Return a table of the epochs as text."""
        columns = {
            "train loss": self.train_loss,
            "train accuracy": self.train_accuracy,
            "validation loss": self.validation_loss,
            "validation accuracy": self.validation_accuracy,
        }
        columns = {name: values for name, values in columns.items() if values}
        lines = ["  ".join(["  epoch", *columns, "seconds"])]
        for epoch in range(self.epochs):
            mark = "*" if epoch + 1 == self.best_epoch else " "
            cells = [f"{mark} {epoch + 1:>5}"]
            cells += [f"{values[epoch]:>{len(name)}.4f}" for name, values in columns.items()]
            lines.append("  ".join([*cells, f"{self.seconds[epoch]:>7.1f}"]))
        return "\n".join([*lines, self._summary()])

    def _summary(self) -> str:
        """Summarize the run in one line."""
        text = f"{self.steps:,} steps in {sum(self.seconds):.1f} s on {self.device}"
        if self.best_epoch is not None:
            text += f"; the model has the weights of epoch {self.best_epoch} (*)"
        if self.capped:
            text += "; ended at the limit on steps for grading"
        if self.interrupted:
            text += "; interrupted"
        return text + "."
