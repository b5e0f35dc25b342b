"""What the cases of 13_many_tasks share: sentences with spans, and a tiny encoder."""

from __future__ import annotations

import numpy as np
import torch

from coursekit.checking import codec

from ..draw import normal, number, some_words

#: For a case's `state`: evaluation from the beginning, where a method other than `forward` is called.
EVALUATED = {"training": False, "dropout.training": False}

KINDS = ["place", "group", "work", "creative-work", "person", "product", "river"]

#: Squashed sums of the embeddings of token and segment and the mean of all real tokens; the mask
#: must be of bool.
_TINY = " ".join(
    """type("TinyEncoder", (torch.nn.Module,), {{
    "forward": lambda self, ids, segments, mask: (
        self.tokens(ids) + self.parts(segments)
        + torch.where(mask.unsqueeze(-1), self.tokens(ids), 0.0).sum(dim=1, keepdim=True)
        / mask.sum(dim=1).clamp(min=1)[:, None, None]).tanh(),
    "__init__": lambda self: [
        torch.nn.Module.__init__(self),
        setattr(self, "tokens", torch.nn.Embedding.from_pretrained(torch.zeros({n}, {d}), False)),
        setattr(self, "parts", torch.nn.Embedding.from_pretrained(torch.zeros(2, {d}), False)),
    ] and None,
}})()""".split()
)


def tiny_encoder(n: int, d: int) -> codec.Source:
    """An encoder of n tokens and d dimensions, as the exercises describe it."""
    return codec.Source(_TINY.format(n=n, d=d))


def encoder_state(rng: np.random.Generator, n: int, d: int) -> dict[str, torch.Tensor]:
    """Weights of the tiny encoder inside a model."""
    return {
        "encoder.tokens.weight": normal(rng, n, d),
        "encoder.parts.weight": normal(rng, 2, d),
    }


def some_spans(
    rng: np.random.Generator, n_words: int, kinds: list[str], gap: int = 1
) -> list[tuple[int, int, str]]:
    """Spans in a sentence, in order; after each at least `gap` words that belong to none."""
    spans, at = [], number(rng, 0, 1)
    while at < n_words:
        end = min(n_words, at + number(rng, 1, 3))
        spans.append((at, end, kinds[number(rng, 0, len(kinds) - 1)]))
        at = end + gap + number(rng, 0, 1)
    return spans


def two_kinds(rng: np.random.Generator) -> list[str]:
    """Two different kinds of entities."""
    return some_words(rng, KINDS, 2)
