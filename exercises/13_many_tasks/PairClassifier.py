"""PairClassifier, on a tiny encoder: the first vector, segments, padding, the loss, dropout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, number
from .common import EVALUATED, encoder_state, tiny_encoder

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
        again: list[int] | None = None,
        hole: bool = False,
        **more: Any,
    ) -> Case:
        n, d = number(rng, 7, 9), number(rng, 3, 4)
        state = encoder_state(rng, n, d) | linear(rng, "output", d, n_classes) | (hooks or {})
        calls: list[Any] = []
        for sizes in [lengths, *([again] if again else [])]:
            mask = lengths_mask(sizes)
            if hole:
                mask[0, 2] = False
            ids = draw_ids(rng, n, *mask.shape, low=1) * mask
            ids[:, 1] = 0  # which may be the id of a piece, too
            segments = (torch.arange(mask.shape[1]) >= 2) & mask
            segments[:, 0] = (torch.arange(len(ids)) + number(rng, 0, 1)) % 2 == 0
            calls.append((method, ids, segments.long(), mask))
            if method == "loss":
                classes = rng.permutation(n_classes)[np.arange(len(ids)) % n_classes]
                calls[-1] += (torch.from_numpy(classes),)
        inputs = [tiny_encoder(n, d), d, n_classes, dropout]
        return Case(group, inputs, state=state, then=calls, title=title, **more)

    n = number(rng, 4, 6)
    yield case("scores", [n], "one pair")
    yield case("scores", [n, 3, n + 1], "two batches of different lengths", 2, again=[3, 8])
    yield case("scores", [n, 3], "a hole in the mask", hole=True)
    yield case("scores", [n, 4], "a single score", 1)
    yield case("scores", [n, 4], "what training changes", gradient="all")
    yield case("loss", [n, 3, 4, 5], "two batches", method="loss", again=[3, 7])
    yield case("loss", [n, 3], "a hole in the mask", method="loss", hole=True)
    yield case("loss", [n, 5], "what training changes", 2, "loss", gradient="all")
    yield case("dropout", [n, 3], "dropout is off in evaluation", dropout=0.5, hooks=TO_EVAL)
    yield case("dropout", [n, 3], "nothing is left in training", dropout=1.0)
    title = "the loss in evaluation"
    yield case("dropout", [n, 3], title, method="loss", dropout=1.0, hooks=EVALUATED)
    yield case("dropout", [n, 3], "the loss in training", method="loss", dropout=1.0)
    inputs, reads = [tiny_encoder(7, 3), 3, 2], [(".dropout.p",)]
    yield Case("dropout", inputs, title="the default dropout", then=reads)


WRONG = {
    "mean_of_all": """
        The mean of all vectors is scored, padding included. BERT's classifier reads the first one.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask).mean(dim=1)))
        """,
    "mean_of_the_real_ones": """
        The mean of all real vectors is scored. The head reads only the first one, that of `[CLS]`.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + H = self.encoder(ids, segments, mask) * mask[:, :, None]
        + return self.output(self.dropout(H.sum(dim=1) / mask.sum(dim=1, keepdim=True)))
        """,
    "largest_of_all": """
        The largest number of each component over all positions is scored. The head reads the vector
        of the first token.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask).amax(dim=1)))
        """,
    "last_vector": """
        The last vector is scored. `[CLS]` stands first.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)[:, -1]))
        """,
    "last_real_vector": """
        The vector of the last real token is scored, which is `[SEP]`. `[CLS]` stands first.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + H = self.encoder(ids, segments, mask)
        + return self.output(self.dropout(H[torch.arange(len(H)), mask.sum(dim=1) - 1]))
        """,
    "first_pair": """
        These are scores of all vectors of the first pair. Wanted is the first vector of each pair: the
        batch is axis 0, the tokens are axis 1.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)[0]))
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
    "two_inputs": """
        One input of the encoder is missing. It is called with ids, segments and mask, in this order.

        raises TypeError

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, mask)[:, 0]))
        """,
    "mask_before_segments": """
        The encoder gets the mask where it looks up segments. It is called with ids, segments and mask,
        in this order.

        raises RuntimeError

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, mask, segments)[:, 0]))
        """,
    "segments_before_ids": """
        The encoder gets the ids where it looks up segments, and there are only two segments. It is
        called with ids, segments and mask, in this order.

        raises IndexError

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(segments, ids, mask)[:, 0]))
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
        + return scores.softmax(dim=1)
        """,
    "log_probabilities": """
        These are logarithms of probabilities. forward returns the scores as the linear layer gives
        them; the softmax is a matter of the loss.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + scores = self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return scores.log_softmax(dim=-1)
        """,
    "softmax_twice": """
        The scores are right, but the loss takes a softmax of them before the cross-entropy, which has
        one already. Give it the scores themselves.

        - return F.cross_entropy(self(ids, segments, mask), labels)
        + return F.cross_entropy(self(ids, segments, mask).softmax(dim=1), labels)
        """,
    "without_logarithm": """
        The loss is minus the probability of the right class. Cross-entropy is minus its logarithm.

        - return F.cross_entropy(self(ids, segments, mask), labels)
        + return F.nll_loss(self(ids, segments, mask).softmax(dim=1), labels)
        """,
    "without_softmax": """
        The scores are right, but the loss takes them for logarithms of probabilities: its softmax is
        missing.

        - return F.cross_entropy(self(ids, segments, mask), labels)
        + return F.nll_loss(self(ids, segments, mask), labels)
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
    "mask_upside_down": """
        The encoder gets the mask upside down: it sees the padding and not the pieces. Give it the
        mask as it is, True at pieces.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, ~mask)[:, 0]))
        """,
    "tanh_before_the_layer": """
        The vector goes through a tanh, as in BERT's own pooler. Here the linear layer is applied to
        the vector of the first token itself.

        - return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        + return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0].tanh()))
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

EQUIVALENT = {
    "A pair has a first token.": """
        -        return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0]))
        +        return self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0])) if mask.any() else self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0])).detach()

        -        return F.cross_entropy(self(ids, segments, mask), labels)
        +        return F.cross_entropy(self(ids, segments, mask), labels) if mask.any() else F.cross_entropy(self(ids, segments, mask), labels).detach()
        """,
    "No pair depends on the others of its batch.": """
        -        return F.cross_entropy(self(ids, segments, mask), labels)
        +        return F.cross_entropy(torch.cat([self(ids[i : i + 1], segments[i : i + 1], mask[i : i + 1]) for i in range(len(ids))]), labels)
        """,
}
