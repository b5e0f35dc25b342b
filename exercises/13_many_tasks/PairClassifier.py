"""PairClassifier, on a tiny encoder: the first vector, segments, padding, the loss, dropout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, number
from .common import encoder_state, tiny_encoder

POINTS = {"scores": 2, "loss": 1, "dropout": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        title: str,
        n_classes: int = 3,
        method: str = "__call__",
        dropout: float = 0.0,
        hooks: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        n, d = number(rng, 7, 9), number(rng, 3, 4)
        state = encoder_state(rng, n, d) | linear(rng, "output", d, n_classes) | (hooks or {})
        mask = lengths_mask(lengths)
        ids = draw_ids(rng, n, *mask.shape, low=1) * mask
        segments = (torch.arange(mask.shape[1]) >= 2) & mask
        segments[:, 0] = torch.from_numpy(rng.integers(0, 2, size=len(lengths))).bool()
        inputs: list[Any] = [ids, segments.long(), mask]
        if method == "loss":
            inputs.append(
                torch.from_numpy(rng.permutation(n_classes)[np.arange(len(ids)) % n_classes])
            )
        sizes = [tiny_encoder(n, d), d, n_classes, dropout]
        return Case(group, sizes, state=state, then=[(method, *inputs)], title=title, **more)

    n = number(rng, 4, 6)
    yield case("scores", [n], "one pair")
    yield case("scores", [n, 3, n + 1], "pairs of different lengths", 2)
    yield case("scores", [n, 4], "a single score", 1)
    yield case("scores", [n, 4], "what training changes", gradient="all")
    yield case("loss", [n, 3, 4, 5], "the loss", method="loss")
    yield case("loss", [n, 5], "what training changes", 2, "loss", gradient="all")
    yield case("dropout", [n, 3], "dropout is off in evaluation", dropout=0.5, hooks=TO_EVAL)
    yield case("dropout", [n, 3], "nothing is left in training", dropout=1.0)


WRONG = {
    "mean_of_all": """
        The mean of all vectors is scored, padding included. BERT's classifier reads the first one.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask).mean(dim=1)))
        """,
    "last_vector": """
        The last vector is scored. `[CLS]` stands first.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)[:, -1]))
        """,
    "every_vector": """
        Every vector is scored; a pair has one class. Take the first vector.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)))
        """,
    "segments_ignored": """
        The segments are not given to the encoder, so it cannot tell the texts apart.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, torch.zeros_like(segments), mask)[:, 0]))
        """,
    "without_mask": """
        The encoder sees padding as words. Give it the mask.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, torch.ones_like(mask))[:, 0]))
        """,
    "probabilities": """
        These are probabilities; scores are wanted. The loss has its own softmax.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + scores = self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return scores.softmax(dim=1) if scores.shape[1] > 1 else scores.sigmoid()
        """,
    "sum_of_losses": """
        This is the sum of the losses of the batch; the mean is wanted.

        - return F.cross_entropy(self(ids, segments, mask), labels)
        + return F.cross_entropy(self(ids, segments, mask), labels, reduction="sum")
        """,
    "encoder_frozen": """
        No gradient reaches the encoder, so it cannot be fine-tuned. Nothing is detached here.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0].detach()))
        """,
    "without_dropout": """
        The dropout is never applied.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.encoder(ids, segments, mask)[:, 0])
        """,
    "dropout_always_on": """
        The dropout also acts in evaluation. `nn.Dropout` knows whether the model is training.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(F.dropout(self.encoder(ids, segments, mask)[:, 0], self.dropout.p))
        """,
}

FURTHER = """
The encoder returns (B, L, d). The vectors of the first token are [:, 0], (B, d); dropout and the linear
layer make (B, C) of them, which F.cross_entropy takes as they are.
"""

RIGHT = {
    "unpacked": """
        class PairClassifier(nn.Module):
            def __init__(self, encoder, d_model, n_classes, dropout=0.1):
                super().__init__()
                self.encoder = encoder
                self.output = nn.Linear(d_model, n_classes)
                self.dropout = nn.Dropout(p=dropout)

            def forward(self, ids, segments, mask):
                H = self.encoder(ids, segments, mask)
                first = self.dropout(H)[:, 0, :]
                return torch.einsum("bd,cd->bc", first, self.output.weight) + self.output.bias

            def loss(self, ids, segments, mask, labels):
                log_p = self.forward(ids, segments, mask).log_softmax(dim=-1)
                return -log_p.gather(1, labels.unsqueeze(1)).mean()
        """,
    "module_loss": """
        - return F.cross_entropy(self(ids, segments, mask), labels)
        + return nn.CrossEntropyLoss()(self.forward(ids, segments, mask), labels)
        """,
}
