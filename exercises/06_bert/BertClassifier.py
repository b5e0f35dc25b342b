"""BertClassifier, on tiny encoders: gradients and both dropouts, frozen or not, in both modes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, normal, number
from .common import one_line

POINTS = {"scores": 2, "frozen": 2, "dropout": 1}

# An encoder without blocks, whose vectors and pooled vectors depend on ids, segments and mask.
# Its weights are zeros until a case sets them, so that making it draws no random numbers.
_TINY_ENCODER = """type("TinyEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments, mask: (
        E := self.tokens(ids) + self.segments(segments),
        self.dropout(torch.where(mask[..., None], E, 0.0).sum(dim=1).tanh()),
    ),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "tokens", torch.nn.Embedding.from_pretrained(torch.zeros({n}, {d}), False)),
        setattr(self, "segments", torch.nn.Embedding.from_pretrained(torch.zeros(2, {d}), False)),
        setattr(self, "dropout", torch.nn.Dropout(0.0)),
    ] and None,
}})()"""

# An encoder whose pooled vector says how it was called: [1, 1] if segments and mask are as they
# should be. Segments or mask missing or no tensor: 0. Segments boolean: 2, floats: 3.
_ASKED_ENCODER = """type("AskedEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments=None, mask=None: (
        torch.zeros(*ids.shape, 2),
        torch.tensor([[
            {{None: 0.0, torch.bool: 2.0, torch.float32: 3.0}}.get(getattr(given, "dtype", None), 1.0)
            for given in (segments, mask if mask is None else ids)
        ]]).expand(len(ids), 2),
    ),
}})()"""

_TO_TRAIN = codec.Source("{0: lambda module, inputs: module.train() and None}")
# A hook after the call, which returns the parts that get gradients instead of the scores.
_LEARNS = codec.Source(
    """{0: lambda module, inputs, scores: [
    scores.requires_grad and scores.sum().backward(),
    {name: any(p.grad is not None for p in getattr(module, name).parameters())
     for name in ("encoder", "output")},
][-1]}"""
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        title: str = "",
        inner: float = 0.0,
        hooks: dict[str, codec.Source] | None = None,
        reads: tuple[str, ...] = (),
        any_ids: bool = False,
        gradient: str = "",
        **options: Any,
    ) -> Case:
        """`inner` is the dropout of the encoder, `options` are those of the classifier."""
        vocab_size, d_model = number(rng, 7, 9), number(rng, 3, 4)
        encoder = codec.Source(one_line(_TINY_ENCODER, n=vocab_size, d=d_model))
        state = {
            "encoder.tokens.weight": normal(rng, vocab_size, d_model, scale=0.5),
            "encoder.segments.weight": normal(rng, 2, d_model, scale=0.5),
            "encoder.dropout.p": inner,
        }
        state |= linear(rng, "output", d_model, 1) | (hooks or {})
        mask = lengths_mask(lengths)
        ids = draw_ids(rng, vocab_size, *mask.shape, low=1)
        if any_ids:
            ids[:, 1] = 0
        else:
            ids *= mask
        then = [("__call__", ids, mask), *[(name,) for name in reads]]
        options = {"dropout": 0.0} | options
        return Case(group, [encoder, d_model], options, title, state, then, gradient)

    n = number(rng, 3, 5)
    yield case("scores", [n, n])
    yield case("scores", [n, 2, 3], "padding")
    yield case("scores", [n], "a batch of one")
    title = "real tokens with the id 0, padding with others: the mask tells what is real"
    yield case("scores", [n, 2], title, any_ids=True)
    yield case("scores", [n, 2], "what training changes", gradient="all")
    yield case("frozen", [n, 2], "frozen: the scores are the same", frozen=True)
    learns = {"_forward_hooks": _LEARNS}
    title = "frozen: which parts get gradients"
    yield case("frozen", [n, 2], title, hooks=learns, frozen=True)
    title = "frozen: is requires_grad still True for the encoder's weights?"
    reads = (".encoder.tokens.weight.requires_grad",)
    yield case("frozen", [n, 2], title, reads=reads, frozen=True)
    yield case("frozen", [n, 3], "not frozen: which parts get gradients", hooks=learns)
    title = "frozen: the attribute `frozen`"
    yield case("frozen", [n, 2], title, reads=(".frozen",), frozen=True)
    title = "frozen, in training mode: the encoder's dropout, 1, stays off"
    yield case("frozen", [n, 2], title, inner=1.0, frozen=True)
    title = "frozen, after train(): the encoder's dropout, 1, stays off"
    hooks = {"_forward_pre_hooks": _TO_TRAIN}
    yield case("frozen", [n, 2], title, inner=1.0, hooks=hooks, frozen=True)
    title = "dropout 1 in training mode: only the bias is left"
    yield case("dropout", [n, 2], title, dropout=1.0)
    title = "dropout 1 in evaluation mode: nothing is dropped"
    yield case("dropout", [n, 2], title, inner=1.0, hooks=TO_EVAL, dropout=1.0)
    title = "not frozen, in training mode: the encoder's dropout, 1, is on"
    yield case("dropout", [n, 2], title, inner=1.0)
    title = "frozen, in training mode: the classifier's own dropout, 1, is on"
    yield case("dropout", [n, 2], title, frozen=True, dropout=1.0)

    sizes = [codec.Source(one_line(_TINY_ENCODER, n=7, d=2)), 2]
    title = "the default dropout, and the number of outputs"
    reads = [(".dropout.p",), (".output.out_features",)]
    yield Case("dropout", sizes, title=title, then=reads)
    rate = {"dropout": number(rng, 3, 6) / 16}
    yield Case("dropout", sizes, rate, title="another dropout", then=reads[:1])
    mask = lengths_mask([8, 7, 6, 5])  # long, so that simpler cases are shown first
    then = [("__call__", draw_ids(rng, 7, *mask.shape, low=1) * mask, mask)]
    yield Case(
        "scores",
        [codec.Source(one_line(_ASKED_ENCODER)), 2],
        {"dropout": 0.0},
        title="an encoder that only looks at how it is called",
        state=linear(rng, "output", 2, 1),
        then=then,
    )


WRONG = {
    "averages_all_positions": """
        The scores are computed from the mean over all positions, padding included. Use the
        pooled vector, the second output of the encoder.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        - return self.output(self.dropout(pooled)).squeeze(-1)
        + H, _ = self.encoder(ids, torch.zeros_like(ids), mask)
        + return self.output(self.dropout(H.mean(dim=1))).squeeze(-1)
        """,
    "averages_the_real_tokens": """
        The scores are computed from the mean of the tokens' vectors. Use the pooled vector, the
        second output of the encoder.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        - return self.output(self.dropout(pooled)).squeeze(-1)
        + H, _ = self.encoder(ids, torch.zeros_like(ids), mask)
        + real = mask[..., None]
        + mean = (H * real).sum(dim=1) / real.sum(dim=1)
        + return self.output(self.dropout(mean)).squeeze(-1)
        """,
    "takes_the_first_vector": """
        The scores are computed from the vector of [CLS] after the last block. Use the pooled
        vector, the second output of the encoder.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        - return self.output(self.dropout(pooled)).squeeze(-1)
        + H, _ = self.encoder(ids, torch.zeros_like(ids), mask)
        + return self.output(self.dropout(H[:, 0])).squeeze(-1)
        """,
    "ignores_the_mask": """
        The encoder reads padding as real tokens. Pass on the attention mask as it is, with a row of
        its own for each text.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        + _, pooled = self.encoder(ids, torch.zeros_like(ids), torch.ones_like(mask))
        """,
    "float_segments": """
        The segments are floats: torch.zeros makes 0.0. They are looked up in an embedding table,
        so they must be integers like ids.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        + _, pooled = self.encoder(ids, torch.zeros(ids.shape), mask)
        """,
    "segments_are_ones": """
        The segments are 1 at the real tokens: they are ones, or the mask. There is one text per input, so
        all positions are in the first segment, number 0.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        + _, pooled = self.encoder(ids, mask.long(), mask)
        """,
    "never_freezes": """
        `frozen` has no effect: the encoder's weights get gradients and its dropout stays on.

        - if frozen:
        -     encoder.requires_grad_(False)
        ...
        - if self.frozen:
        -     self.encoder.eval()
        """,
    "freezes_the_output": """
        When frozen, the linear layer has no gradient either, so nothing would learn: `self` is the
        whole classifier. Freeze the encoder only.

        - encoder.requires_grad_(False)
        + self.requires_grad_(False)
        """,
    "frozen_encoder_drops_out": """
        When frozen, the encoder's weights are fixed, but its dropout is still active in training
        mode. The pooled vector of a text should always be the same.

        - if self.frozen:
        -     self.encoder.eval()
        """,
    "frozen_encoder_learns": """
        When frozen, the encoder's dropout is off, but its weights still get gradients: eval()
        does not stop them, and `encoder.requires_grad = False` only adds an attribute to the
        module. The method requires_grad_, with the underscore, reaches the weights.

        - encoder.requires_grad_(False)
        + encoder.requires_grad = False
        """,
    "evaluates_only_once": """
        When frozen, the encoder is put into evaluation mode only in `__init__`, and the next
        train() undoes that. Its dropout must stay off whatever the mode of the classifier.

        - encoder.requires_grad_(False)
        + encoder.requires_grad_(False).eval()
        ...
        - if self.frozen:
        -     self.encoder.eval()
        """,
    "freezes_by_detaching": """
        The frozen encoder gets no gradients, but requires_grad of its weights is still True, so
        they count as trainable parameters. Turn it off with requires_grad_.

        - if frozen:
        -     encoder.requires_grad_(False)
        ...
        - return self.output(self.dropout(pooled)).squeeze(-1)
        + if self.frozen:
        +     pooled = pooled.detach()
        + return self.output(self.dropout(pooled)).squeeze(-1)
        """,
    "always_evaluates_the_encoder": """
        The encoder's dropout is always off. It should be off only when the encoder is frozen.

        - if self.frozen:
        -     self.encoder.eval()
        + self.encoder.eval()
        """,
    "evaluates_the_whole_classifier": """
        `self.eval()` puts the whole classifier into evaluation mode, its own dropout included.
        Only the frozen encoder belongs there.

        - if self.frozen:
        -     self.encoder.eval()
        + if self.frozen:
        +     self.eval()
        """,
    "never_trains_the_encoder": """
        The encoder never gets a gradient, although it is not frozen: `torch.no_grad()` is always
        on. To fine-tune, the gradient has to go back through the encoder.

        - _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        + with torch.no_grad():
        +     _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
        """,
    "frozen_under_another_name": """
        The classifier has no attribute `frozen`. Store the argument as `self.frozen`: the
        training below reads it to choose the learning rate.

        raises AttributeError

        - self.frozen = frozen
        + self.is_frozen = frozen
        ...
        - if self.frozen:
        + if self.is_frozen:
        """,
    "forgets_dropout": """
        No dropout acts on the pooled vector in training. Apply `self.dropout`, an nn.Dropout with
        the given rate.

        - return self.output(self.dropout(pooled)).squeeze(-1)
        + return self.output(pooled).squeeze(-1)
        """,
    "applies_the_sigmoid": """
        The results are probabilities. Return the scores: the loss function applies the sigmoid
        itself, in a numerically stable way.

        - return self.output(self.dropout(pooled)).squeeze(-1)
        + return self.output(self.dropout(pooled)).squeeze(-1).sigmoid()
        """,
    "keeps_the_last_axis": """
        The scores have the shape (B, 1). Return one number per text, (B,): remove the last axis.

        - return self.output(self.dropout(pooled)).squeeze(-1)
        + return self.output(self.dropout(pooled))
        """,
    "squeezes_the_batch": """
        `squeeze()` without an axis removes the batch axis, too, when the batch holds a single
        text. Name the axis to remove.

        - return self.output(self.dropout(pooled)).squeeze(-1)
        + return self.output(self.dropout(pooled)).squeeze()
        """,
}

FURTHER = """
`requires_grad_(False)` belongs in `__init__`, `self.encoder.eval()` in `forward`, because `fit`
calls `train()` in between. The segments are `torch.zeros_like(ids)`.
"""
FURTHER_FOR = ("frozen",)

RIGHT = {
    "overrides_train": """
        class BertClassifier(nn.Module):
            def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
                super().__init__()
                self.output = nn.Linear(d_model, 1)
                self.encoder = encoder
                self.dropout = nn.Dropout(dropout)
                self.frozen = frozen
                self.train()
                for parameter in encoder.parameters():
                    parameter.requires_grad = not frozen

            def train(self, mode=True):
                super().train(mode)
                if self.frozen:
                    self.encoder.eval()
                return self

            def forward(self, ids, mask):
                segments = torch.zeros(ids.shape, dtype=torch.long)
                pooled = self.encoder(ids, segments, mask)[1]
                return self.output(self.dropout(pooled))[:, 0]
        """,
    "without_gradients": """
        class BertClassifier(nn.Module):
            def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
                super().__init__()
                self.encoder = encoder
                self.frozen = frozen
                self.dropout = nn.Dropout(dropout)
                self.output = nn.Linear(d_model, 1)
                for weight in encoder.parameters():
                    weight.requires_grad_(not frozen)

            def forward(self, ids, mask):
                self.encoder.train(self.training and not self.frozen)
                with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
                    _, pooled = self.encoder(ids, 0 * ids, mask)
                weight, bias = self.output.weight[0], self.output.bias
                return torch.einsum("bd,d->b", self.dropout(pooled), weight) + bias
        """,
}

EQUIVALENT = {
    "Every text has its [CLS] and [SEP]: no batch is without a token.": "every edit: constant corner",
    "padding comes at the end": """
             def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 if self.frozen:
        """,
}
