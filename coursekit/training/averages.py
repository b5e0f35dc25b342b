"""Averages over the batches of an epoch."""


class Average:
    """Running averages over an epoch, weighted by the number of labels that count."""

    def __init__(self) -> None:
        self.weight, self.loss, self.metric = 0, 0.0, 0.0

    def add(self, weight: int, loss: float, metric: float) -> None:
        self.weight += weight
        self.loss += (loss - self.loss) * weight / self.weight
        self.metric += (metric - self.metric) * weight / self.weight
