"""Keeping the best weights."""

import copy
from typing import Any

import torch
from torch import nn

from coursekit.training.history import History


class Keeper:
    """Remembers the best weights and counts the epochs without progress."""

    def __init__(self, model: nn.Module, patience: int | None) -> None:
        self.model, self.patience = model, patience
        self.best: tuple[float, ...] | None = None
        self.waited = 0
        self.weights = self._copy()

    @property
    def gives_up(self) -> bool:
        """Whether the last `patience` epochs brought nothing better."""
        return self.patience is not None and self.waited >= self.patience

    def look(self, history: History) -> None:
        """After an epoch: keep its weights when it is the best, or when nothing judges it."""
        score = (float(history.epochs),)
        if history.validation_loss:
            score = (-history.validation_loss[-1],)
            if history.validation_metric:
                score = (history.validation_metric[-1], *score)
        if self.best is None or score > self.best:
            self.weights = self._copy()
            self.best, self.waited = score, 0
            history.best_epoch = history.epochs
        else:
            self.waited += 1

    def put_back(self) -> None:
        """Give the model the weights that were kept."""
        self.model.load_state_dict(self.weights)

    def _copy(self) -> dict[str, Any]:
        return {
            name: value.detach().cpu().clone()
            if isinstance(value, torch.Tensor)
            else copy.deepcopy(value)
            for name, value in self.model.state_dict().items()
        }


def drop_unfinished(history: History) -> None:
    """Cut all lists to the epochs that were finished, so that they stay of one length."""
    finished = len(history.seconds)
    for name in ("train_loss", "train_metric", "validation_loss", "validation_metric"):
        del getattr(history, name)[finished:]
