"""The heads of `transformers` on assignment 13's encoder, with the interfaces of the notebook's own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from _many_encoders import scope_of_13
from torch import nn
from transformers import (
    BertForMultipleChoice,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)


def _with_head(kind: Any, encoder: nn.Module, n_labels: int = 2) -> nn.Module:
    """A model of `transformers` whose encoder has the weights of the notebook's."""
    config = encoder.bert.config.__class__(**encoder.bert.config.to_dict())
    config.num_labels, config.classifier_dropout = n_labels, 0.1
    model: nn.Module = kind(config)
    model.bert.load_state_dict(encoder.bert.state_dict(), strict=False)  # a pooler is new
    return model


class LibraryTagger(nn.Module):
    """`BertForTokenClassification` in the place of the notebook's `Tagger`."""

    def __init__(self, encoder: nn.Module, d_model: int, n_labels: int) -> None:
        super().__init__()
        self.model = _with_head(BertForTokenClassification, encoder, n_labels)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.model(ids, attention_mask=mask.long()).logits
        return found

    def loss(self, ids: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.model(ids, attention_mask=mask.long(), labels=labels).loss
        return found


class LibraryPairs(nn.Module):
    """`BertForSequenceClassification`, or `BertForMultipleChoice` where there is one score a row."""

    def __init__(self, encoder: nn.Module, d_model: int, n_classes: int) -> None:
        super().__init__()
        self.is_choice = n_classes == 1
        kind = BertForMultipleChoice if self.is_choice else BertForSequenceClassification
        self.model = _with_head(kind, encoder, n_classes)

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        inputs = {"input_ids": ids, "token_type_ids": segments, "attention_mask": mask.long()}
        if self.is_choice:
            inputs = {name: one[None] for name, one in inputs.items()}
        found: torch.Tensor = self.model(**inputs).logits
        return found.mT if self.is_choice else found

    def loss(self, *inputs: torch.Tensor) -> torch.Tensor:
        *others, labels = inputs
        return nn.functional.cross_entropy(self(*others), labels)


class LibraryReader(nn.Module):
    """`BertForQuestionAnswering` in the place of the notebook's tagger with two numbers a piece."""

    def __init__(self, encoder: nn.Module, d_model: int, n_labels: int) -> None:
        super().__init__()
        self.model = _with_head(BertForQuestionAnswering, encoder)


def _library_span_scores(
    model: LibraryReader, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    found = model.model(ids, attention_mask=mask.long(), token_type_ids=segments)
    scores = torch.stack([found.start_logits, found.end_logits], dim=-1)
    return scores.masked_fill(~mask[:, :, None], -1e4)


@contextlib.contextmanager
def library_heads(kind: str) -> Iterator[None]:
    """For a while, the notebook's functions train the heads of `transformers`.

    Parameters
    ----------
    kind : str
        The kind of task: "tag", "pair", "choice" or "question".
    """
    others: dict[str, Any] = {"PairClassifier": LibraryPairs, "Tagger": LibraryTagger}
    if kind == "question":
        others = {"Tagger": LibraryReader, "span_scores": _library_span_scores}
    scope = scope_of_13()
    before = {name: scope[name] for name in others}
    scope.update(others)
    try:
        yield
    finally:
        scope.update(before)
