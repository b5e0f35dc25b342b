"""AttentionClassifier: given parameters, a new model, unknown words, and a text without words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_gaps, draw_ids, draw_mask, draw_other_ids, no_padding

POINTS = {"attention": 2, "logits": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, mask: torch.Tensor, call: str, title: str = "", **other) -> Case:
        n_words, dim = int(rng.integers(5, 8)), int(rng.integers(2, 5))
        state = {
            "embedding.weight": normal(rng, n_words, dim),
            "v": normal(rng, dim),
            "output.weight": normal(rng, 1, dim),
            "output.bias": normal(rng, 1),
        }
        ids = other.get("ids", draw_ids)
        ids = ids if isinstance(ids, torch.Tensor) else ids(rng, mask, n_words)
        gradient = other.get("gradient", "")
        then = [(call, ids, mask)]
        if (later := other.get("later")) is not None:
            then.append((call, draw_ids(rng, later, n_words), later))
        return Case(group, [n_words, dim], state=state, then=then, title=title, gradient=gradient)

    for batch, length in ((2, 3), (3, int(rng.integers(4, 7)))):
        yield case("attention", draw_mask(rng, batch, length), "attention")
    mask = draw_gaps(rng, 2, 4)
    title = "the mask alone says which words are real, whatever their ids"
    yield case("attention", mask, "attention", title, ids=draw_other_ids)
    n_words, dim, mask = int(rng.integers(4, 7)), 3, draw_mask(rng, 2, 4)
    new = {"embedding.weight": normal(rng, n_words, dim)}
    steps = [(".v",), (".v.requires_grad",), ("attention", draw_ids(rng, mask, n_words), mask)]
    title = "a new model: v is zeros, so all words have equal weights"
    yield Case("attention", [n_words, dim], state=new, then=steps, title=title)
    for batch, length in ((2, 4), (3, int(rng.integers(3, 6)))):
        yield case("logits", draw_mask(rng, batch, length), "__call__")
    title = "what training changes"
    ids = {"ids": _different_ids}  # between equal words v would have no gradient
    yield case("logits", draw_mask(rng, 2, 3), "__call__", title, gradient="all", **ids)
    mask = draw_gaps(rng, 3, 4)
    yield case("logits", mask, "__call__", "padding between the words", ids=draw_other_ids)
    title, full, more = "one batch after another", no_padding(2, 4), draw_mask(rng, 2, 4)
    yield case("attention", full, "attention", title, later=more)
    yield case("logits", full, "__call__", title, later=more)
    one = no_padding(1, int(rng.integers(2, 5)))
    yield case("edges", one, "__call__", "a batch of one")
    yield case("edges", no_padding(1, 1), "__call__", "one text of one word")
    title = "all words are unknown: the number 1 is a word like any other"
    unknown = torch.ones(2, 3, dtype=torch.long)
    yield case("edges", no_padding(2, 3), "attention", title, ids=unknown)
    mask = draw_mask(rng, 3, 4, empty=True)
    yield case("edges", mask, "__call__", "one text is only padding: its logit is the bias")


def _different_ids(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """Token ids as from `draw_ids`, of which no two in a text are the same word."""
    texts = [rng.permutation(n_words - 1)[: mask.shape[-1]] + 1 for _ in mask]
    return torch.from_numpy(np.stack(texts)) * mask


FURTHER = """
`__init__` needs three attributes: an nn.Embedding, v as an nn.Parameter of zeros, and an nn.Linear
with one output. `attention` chains two of your functions. `forward` looks the vectors up once more,
pools them with these weights, and drops the last axis of the linear layer's output.
"""

WRONG = {
    "attends_to_padding": """
        Padding gets attention: the mask is not used. Zeros as the embedding of padding do not
        help either, because exp(0) is 1.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + return torch.softmax(attention_scores(self.embedding(ids), self.v), dim=-1)
        """,
    "empty_text_is_nan": """
        A text that is only padding gives NaN. Your `masked_softmax` gives it zeros, so that the
        logit is the bias; do you use it?

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + r = attention_scores(self.embedding(ids), self.v)
        + return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
        """,
    "takes_raw_scores": """
        The softmax is missing: these are scores, which can be negative and do not sum to 1.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + return attention_scores(self.embedding(ids), self.v) * mask
        """,
    "skips_unknown_words": """
        Unknown words get no attention. The number 1 is a word like any other; only padding is
        left out, and the mask says where that is.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + return masked_softmax(attention_scores(self.embedding(ids), self.v), ids > 1)
        """,
    "mask_from_ids": """
        The mask is made from the ids, and the one you are given plays no part. An id does not tell
        whether a position is padding: `mask` does.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + return masked_softmax(attention_scores(self.embedding(ids), self.v), ids != 0)
        """,
    "takes_the_plain_mean": """
        The logit comes from the mean of all positions, padding included: the attention weights
        play no part.

        - h = attend(self.attention(ids, mask), self.embedding(ids))
        + h = self.embedding(ids).mean(dim=1)
        """,
    "keeps_logit_axis": """
        The logits have the shape (B, 1). Drop the last axis: one number per text.

        - return self.output(h).squeeze(-1)
        + return self.output(h)
        """,
    "squeezes_logits": """
        With a single text the batch axis is lost: `squeeze()` drops every axis of size 1. Name
        the axis you mean.

        - return self.output(h).squeeze(-1)
        + return self.output(h).squeeze()
        """,
    "returns_probabilities": """
        These are probabilities. The model returns logits, which may be any real numbers; `fit`
        applies the sigmoid as part of the loss, where it is numerically stable.

        - return self.output(h).squeeze(-1)
        + return torch.sigmoid(self.output(h)).squeeze(-1)
        """,
    "v_starts_at_random": """
        v starts with random numbers. With zeros all words have equal weights at first, and
        training starts from the mean.

        - self.v = nn.Parameter(torch.zeros(dim))
        + self.v = nn.Parameter(torch.randn(dim))
        """,
    "v_is_no_parameter": """
        v is not trained: it is an ordinary tensor, which the model does not know as one of its
        parameters, or a tensor without gradient. Make it an nn.Parameter.

        - self.v = nn.Parameter(torch.zeros(dim))
        + self.v = torch.zeros(dim)
        """,
    "scales_the_scores": """
        The scores are divided by the square root of d. That scaling comes later in this notebook; here they
        are plain dot products with v.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + r = attention_scores(self.embedding(ids), self.v)
        + return masked_softmax(r / math.sqrt(self.v.shape[0]), mask)
        """,
    "divides_by_the_length": """
        The weighted sum is divided by the number of words, although the weights sum to 1 already.

        - h = attend(self.attention(ids, mask), self.embedding(ids))
        + h = attend(self.attention(ids, mask), self.embedding(ids)) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        """,
    "weights_the_bias": """
        A text that is only padding has the logit 0: the bias is weighted, like the words. Attend to the word
        vectors first, and apply the linear layer to h.

        - h = attend(self.attention(ids, mask), self.embedding(ids))
        - return self.output(h).squeeze(-1)
        + logits = self.output(self.embedding(ids)).squeeze(-1)
        + return (self.attention(ids, mask) * logits).sum(dim=1)
        """,
    "v_starts_at_ones": """
        v starts with ones. With zeros all words have equal weights at first, and training starts from the
        mean.

        - self.v = nn.Parameter(torch.zeros(dim))
        + self.v = nn.Parameter(torch.ones(dim))
        """,
    "detaches_the_weights": """
        No gradient reaches v: the attention weights are detached, or computed without gradients. v
        is learned through them, so leave them in the graph.

        - h = attend(self.attention(ids, mask), self.embedding(ids))
        + h = attend(self.attention(ids, mask).detach(), self.embedding(ids))
        """,
    "takes_unknown_words_out": """
        Unknown words are taken out of the mask. In assignment 03 they were ignored, here they are words
        like any other, with a vector and with attention of their own: pass on the mask that you are given.

        - return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        + return masked_softmax(attention_scores(self.embedding(ids), self.v), mask & (ids != 1))
        """,
}

RIGHT = {
    "einsum": """
        -     self.embedding = nn.Embedding(n_words, dim)
        +     self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        ...
        -     return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        +     r = torch.einsum("bld,d->bl", self.embedding(ids), self.v)
        +     e = torch.exp(r - r.amax(dim=1, keepdim=True)) * mask
        +     return e / e.sum(dim=1, keepdim=True).clamp(min=1e-30)
        ...
        -     h = attend(self.attention(ids, mask), self.embedding(ids))
        -     return self.output(h).squeeze(-1)
        +     h = torch.einsum("bl,bld->bd", self.attention(ids, mask), self.embedding(ids))
        +     return h @ self.output.weight[0] + self.output.bias
        """,
    "loop": """
        -     return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
        +     a = torch.zeros(ids.shape)
        +     for b, (numbers, real) in enumerate(zip(ids, mask)):
        +         a[b, real] = torch.softmax(self.embedding(numbers[real]) @ self.v, dim=0)
        +     return a
        ...
        -     h = attend(self.attention(ids, mask), self.embedding(ids))
        -     return self.output(h).squeeze(-1)
        +     a, X = self.attention(ids, mask), self.embedding(ids)
        +     return torch.cat([self.output(weights @ words) for weights, words in zip(a, X)])
        """,
}

EQUIVALENT = {
    "No batch is without any word: texts without one are left out before.": "every edit: constant corner",
}
