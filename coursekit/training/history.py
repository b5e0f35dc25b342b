"""What happened during training."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(repr=False)
class History:
    """The course of one training; one entry per epoch in every list.

    Attributes
    ----------
    train_loss, train_metric : list of float
        Averages over the epoch's batches, taken while the weights change and dropout is on.
    validation_loss, validation_metric : list of float
        Measured after the epoch, with dropout off; empty without validation data.
    seconds : list of float
        Time of each epoch, its validation included.
    metric : str or None
        What the metric is ("accuracy"), or None when there is none.
    steps : int
        Updates of the weights in all.
    best_epoch : int or None
        The epoch (from 1) whose weights the model has now. None when training ended before the
        first epoch was complete.
    parameters : int
        How many numbers were trained.
    device : str
        Where it was computed.
    stopped_early, capped, interrupted : bool
        Whether it ended because nothing improved for `patience` epochs, because of the limit on
        steps while a submission is graded, or because the reader pressed stop.
    """

    train_loss: list[float] = field(default_factory=list)
    train_metric: list[float] = field(default_factory=list)
    validation_loss: list[float] = field(default_factory=list)
    validation_metric: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    metric: str | None = None
    steps: int = 0
    best_epoch: int | None = None
    parameters: int = 0
    device: str = "cpu"
    stopped_early: bool = False
    capped: bool = False
    interrupted: bool = False

    @property
    def epochs(self) -> int:
        """How many epochs were recorded."""
        return len(self.train_loss)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain lists and numbers, ready for JSON.

        Returns
        -------
        dict
            The attributes by name.
        """
        return asdict(self)

    def __repr__(self) -> str:
        columns = {"train loss": self.train_loss, f"train {self.metric}": self.train_metric}
        columns["validation loss"] = self.validation_loss
        columns[f"validation {self.metric}"] = self.validation_metric
        columns = {name: values for name, values in columns.items() if values}
        lines = ["  ".join(["  epoch", *columns, "seconds"])]
        for epoch in range(self.epochs):
            mark = "*" if epoch + 1 == self.best_epoch else " "
            cells = [f"{mark} {epoch + 1:>5}"]
            cells += [f"{values[epoch]:>{len(name)}.4f}" for name, values in columns.items()]
            lines.append("  ".join([*cells, f"{self.seconds[epoch]:>7.1f}"]))
        return "\n".join([*lines, self._summary()])

    def _summary(self) -> str:
        text = f"{self.steps:,} steps in {sum(self.seconds):.1f} s on {self.device}"
        if self.best_epoch is not None:
            text += f"; the model has the weights of epoch {self.best_epoch} (*)"
        if self.stopped_early:
            text += "; stopped early, because nothing improved any more"
        if self.capped:
            text += "; ended at the limit on steps for grading"
        if self.interrupted:
            text += "; interrupted"
        return text + "."
