"""Tagger, on a tiny encoder: every vector, padding, the loss with and without labels, dropout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, number
from .common import EVALUATED, encoder_state, tiny_encoder

POINTS = {"scores": 2, "loss": 2, "dropout": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        title: str,
        method: str = "__call__",
        dropout: float = 0.0,
        hooks: dict[str, Any] | None = None,
        labeled: int = 2,
        again: list[int] | None = None,
        hole: bool = False,
        **more: Any,
    ) -> Case:
        n, d, n_labels = number(rng, 7, 9), number(rng, 3, 4), number(rng, 3, 5)
        state = encoder_state(rng, n, d) | linear(rng, "output", d, n_labels) | (hooks or {})
        calls: list[Any] = []
        for sizes in [lengths, *([again] if again else [])]:
            mask = lengths_mask(sizes)
            if hole:
                mask[0, 2] = False
            ids = draw_ids(rng, n, *mask.shape, low=1) * mask
            ids[:, 1] = 0  # which may be the id of a piece, too
            calls.append((method, ids, mask))
            if method == "loss":
                labels = draw_ids(rng, n_labels, *mask.shape).masked_fill(~mask, -100)
                labels[:, 0] = -100
                labels[0, 1:4:2] = torch.tensor([0, n_labels - 1])
                if labeled < 2:  # of all pieces
                    labels = torch.full_like(labels, -100)
                    labels[0, 1 : 1 + labeled] = n_labels - 1
                calls[-1] += (labels,)
        inputs = [tiny_encoder(n, d), d, n_labels, dropout]
        return Case(group, inputs, state=state, then=calls, title=title, **more)

    n = number(rng, 4, 6)
    yield case("scores", [n], "one text")
    yield case("scores", [n, 3, n + 1], "two batches of different lengths", again=[3, 7])
    yield case("scores", [n, 3], "a hole in the mask", hole=True)
    yield case("scores", [n, 4], "what training changes", gradient="all")
    yield case("loss", [n], "one text", "loss")
    yield case("loss", [n], "one label", "loss", labeled=1)
    yield case("loss", [n + 1, 3, 4], "two batches", "loss", again=[4, 8])
    yield case("loss", [n, 3], "a hole in the mask", "loss", hole=True)
    yield case("loss", [n, 3], "what training changes", "loss", gradient="all")
    yield case("loss", [n, 3], "no piece has a label", "loss", labeled=0)
    yield case("loss", [4], "no label, what changes", "loss", labeled=0, gradient="all")
    title = "dropout is off in evaluation"
    yield case("dropout", [n, 3], title, dropout=0.5, hooks=TO_EVAL)
    yield case("dropout", [n, 3], "nothing is left in training", dropout=1.0)
    title = "the loss in evaluation"
    yield case("dropout", [n, 3], title, "loss", dropout=1.0, hooks=EVALUATED)
    yield case("dropout", [n, 3], "the loss in training", "loss", dropout=1.0)
    inputs, reads = [tiny_encoder(7, 3), 3, 4], [(".dropout.p",)]
    yield Case("dropout", inputs, title="the default dropout", then=reads)


WRONG = {
    "first_vector_only": """
        Only the vector of the first token is scored. A tagger scores every one.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + H = self.encoder(ids, torch.zeros_like(ids), mask)
        + return self.output(self.dropout(H[:, :1])).expand(-1, ids.shape[1], -1)
        """,
    "segments_of_one": """
        There is a single text, so its segments are 0.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.output(self.dropout(self.encoder(ids, torch.ones_like(ids), mask)))
        """,
    "without_mask": """
        The encoder sees padding as words. Give it the mask.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + everything = torch.ones_like(mask)
        + return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), everything)))
        """,
    "no_whole_segments": """
        The encoder is called with ids, segments and mask, in this order, and looks the segments up, so
        they must be whole numbers (int64). What it gets in their place is not.

        raises RuntimeError

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.output(self.dropout(self.encoder(ids, mask, torch.zeros_like(ids))))
        """,
    "without_segments": """
        One input of the encoder is missing. It is called with ids, segments and mask, in this order.

        raises TypeError

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.output(self.dropout(self.encoder(ids, mask)))
        """,
    "probabilities": """
        These are probabilities; scores are wanted. The loss has its own softmax.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask))).softmax(-1)
        """,
    "log_probabilities": """
        These are logarithms of probabilities. forward returns the scores as the linear layer gives
        them; the softmax is a matter of the loss.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + scores = self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return scores.log_softmax(dim=-1)
        """,
    "softmax_twice": """
        The scores are right, but the loss takes a softmax of them before the cross-entropy, which has
        one already. Give it the scores themselves.

        - total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        + p = self(ids, mask).flatten(0, 1).softmax(dim=-1)
        + total = F.cross_entropy(p, labels.flatten(), reduction="sum")
        """,
    "divides_by_all": """
        The loss is divided by all positions. Divide by the number of pieces that have a label.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total / labels.numel()
        """,
    "divides_by_real": """
        The loss is divided by all real pieces, with a label or not. Divide by the number of those whose
        label is not -100.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total / mask.sum().clamp(min=1)
        """,
    "divides_by_texts": """
        The loss is divided by the number of texts. Divide by the number of pieces that have a label.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total / len(ids)
        """,
    "label_0_left_out": """
        Pieces with the label 0 are left out, as if they had none. 0 is the number of a label; a piece
        without one has -100.

        - total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        - return total / (labels != -100).sum().clamp(min=1)
        + counted = labels.masked_fill(labels == 0, -100).flatten()
        + total = F.cross_entropy(self(ids, mask).flatten(0, 1), counted, reduction="sum")
        + return total / (labels > 0).sum().clamp(min=1)
        """,
    "label_0_not_counted": """
        Pieces with the label 0 are in the sum, but do not count where it is divided. 0 is the number of
        a label; a piece without one has -100.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total / (labels > 0).sum().clamp(min=1)
        """,
    "mean_of_the_texts": """
        This is the mean of the texts' losses, so a text with few labels counts as much as one with many.
        Take the sum over the batch, and divide once.

        - total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        - return total / (labels != -100).sum().clamp(min=1)
        + losses = F.cross_entropy(self(ids, mask).mT, labels, reduction="none").sum(dim=1)
        + return (losses / (labels != -100).sum(dim=1).clamp(min=1)).mean()
        """,
    "sum_of_losses": """
        This is the sum over the labeled pieces; the mean is wanted.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total
        """,
    "nan_without_labels": """
        Without a labeled piece 0 / 0 is NaN. The loss is 0 then.

        - return total / (labels != -100).sum().clamp(min=1)
        + return total / (labels != -100).sum()
        """,
    "zero_without_gradient": """
        Without a labeled piece the loss is a new number that hangs on no parameter, so `backward()`
        raises an error. Compute the 0 from the scores.

        - total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        + if (labels == -100).all():
        +     return torch.tensor(0.0)
        + total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        """,
    "encoder_frozen": """
        No gradient reaches the encoder, so it cannot be fine-tuned. Nothing is detached here.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + H = self.encoder(ids, torch.zeros_like(ids), mask).detach()
        + return self.output(self.dropout(H))
        """,
    "without_dropout": """
        The dropout is never applied to the vectors.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.output(self.encoder(ids, torch.zeros_like(ids), mask))
        """,
    "dropout_always_on": """
        The dropout also acts in evaluation. `nn.Dropout` knows whether the model is training.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + H = self.encoder(ids, torch.zeros_like(ids), mask)
        + return self.output(F.dropout(H, self.dropout.p))
        """,
    "dropout_on_the_scores": """
        The dropout acts on the scores. It acts on the vectors, before the linear layer.

        - return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        + return self.dropout(self.output(self.encoder(ids, torch.zeros_like(ids), mask)))
        """,
}

FURTHER = """
forward: the encoder with zeros for segments, the dropout on its vectors, the linear layer on all of
them. loss: F.cross_entropy leaves out -100 by itself; it takes (N, K) and (N,), so flatten both. With
reduction="sum" you can divide by the number of labels yourself, and by 1 if there are none.
"""

RIGHT = {
    "by_hand": """
        class Tagger(nn.Module):
            def __init__(self, encoder, d_model, n_labels, dropout=0.1):
                super().__init__()
                self.output = nn.Linear(d_model, n_labels)
                self.dropout = nn.Dropout(dropout)
                self.encoder = encoder

            def forward(self, ids, mask):
                segments = torch.zeros(ids.shape, dtype=torch.long)
                H = self.dropout(self.encoder(ids, segments, mask))
                return H @ self.output.weight.T + self.output.bias

            def loss(self, ids, mask, labels):
                keep = labels != -100
                log_p = self(ids, mask).log_softmax(dim=-1)
                picked = log_p.gather(2, labels.clamp(min=0).unsqueeze(2)).squeeze(2)
                return -(picked * keep).sum() / max(1, int(keep.sum()))
        """,
    "library_mean": """
        - total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        - return total / (labels != -100).sum().clamp(min=1)
        + scores = self.forward(ids, mask)
        + if torch.all(labels == -100):
        +     return 0 * scores.sum()
        + return nn.CrossEntropyLoss(ignore_index=-100)(scores.transpose(1, 2), labels)
        """,
}

EQUIVALENT = {
    "A text has pieces, `[CLS]` and `[SEP]` at least.": """
        -        return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
        +        return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask))) if mask.any() else self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask))).detach()

        -        return total / (labels != -100).sum().clamp(min=1)
        +        return (total / (labels != -100).sum().clamp(min=1)) if mask.any() else (total / (labels != -100).sum().clamp(min=1)).detach()
        """,
    "No text depends on the others of its batch.": """
        -        total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        +        total = F.cross_entropy(torch.cat([self(ids[i : i + 1], mask[i : i + 1]) for i in range(len(ids))]).flatten(0, 1), labels.flatten(), reduction="sum")
        """,
    "The labels are contiguous.": """
        -        total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        +        total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.view(labels.flatten().shape), reduction="sum")
        """,
    "A label is -100 or the number of one, 0 or more.": """
        -        return total / (labels != -100).sum().clamp(min=1)
        +        return total / (labels > -100).sum().clamp(min=1)
        """,
}
