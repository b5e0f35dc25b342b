"""Cases and misconceptions of 04_attention."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.exercise import Case, Exercise
from coursekit.checking import codec

EXACT = {"dtype": "exact"}
_WORDS = "great fun long dull but the film plot never awesome cast bad".split()


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(0, scale, size=shape), dtype=np.float32))


def _mask(rng: np.random.Generator, batch: int, length: int) -> torch.Tensor:
    """Texts of different lengths: the first one is shorter than the batch, the last one fills it."""
    lengths = torch.from_numpy(rng.integers(1, length, size=batch))
    lengths[-1] = length
    return torch.arange(length) < lengths[:, None]


def _positive(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Weights that sum to 1 along the last axis."""
    return torch.softmax(_normal(rng, *shape), dim=-1)


def _turned(rng: np.random.Generator, batch: int, length: int, dim: int) -> codec.Source:
    """Word vectors (B, L, D) whose numbers lie in memory the other way around, as in a slice."""
    numbers = _normal(rng, batch, dim, length).double().numpy().round(2).tolist()
    return codec.Source(f"torch.tensor({numbers}).mT")


# 1. attention_scores --------------------------------------------------------------------------


def _attention_scores_cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length, dim in ((2, 3, 2), (3, 4, int(rng.integers(5, 8)))):
        yield Case("values", [_normal(rng, batch, length, dim), _normal(rng, dim)])
    n = int(rng.integers(3, 5))
    title = "as many words as texts as dimensions"
    yield Case("values", [_normal(rng, n, n, n), _normal(rng, n)], title=title)
    yield Case("edges", [_normal(rng, 1, 1, 3), _normal(rng, 3)], title="one text of one word")
    yield Case(
        "edges", [_turned(rng, 2, 4, 3), _normal(rng, 3)], title="X is not contiguous in memory"
    )
    for dtype in (torch.float16, torch.bfloat16):
        half = [_normal(rng, 2, 3, 4).to(dtype), _normal(rng, 4).to(dtype)]
        title = f"half precision ({str(dtype).removeprefix('torch.')})"
        yield Case("edges", half, title=title, judge={**EXACT, "rtol": 0.03, "atol": 0.03})


attention_scores = Exercise(
    "attention_scores", points={"values": 1, "edges": 1}, cases=_attention_scores_cases
)


@attention_scores.misconception(
    "The products are there, but not their sum: a dot product is one number for each word."
)
def products_without_sum(X, v):
    return X * v


@attention_scores.misconception(
    "Every score is in a bracket of its own, (B, L, 1). Let the last axis go, but only that one."
)
def keeps_an_axis(X, v):
    return X @ v[:, None]


@attention_scores.misconception(
    "The sum runs over the words. For a score it runs over the D numbers of one word's vector."
)
def sums_over_words(X, v):
    return (X * v).sum(dim=1)


@attention_scores.misconception(
    "With one text or one word an axis is lost: `squeeze()` drops every axis of size 1. Say which"
    " one you mean."
)
def scores_squeeze_everything(X, v):
    return (X @ v[:, None]).squeeze()


@attention_scores.misconception(
    "The vectors are divided by their lengths: this is the cosine. The plain dot product lets a word"
    " be important by having a long vector."
)
def takes_the_cosine(X, v):
    return F.cosine_similarity(X.float(), v.float().expand_as(X), dim=-1).to(X.dtype)


@attention_scores.misconception(
    "These are weights already. The softmax is the next exercise; here only the scores are asked for."
)
def scores_through_softmax(X, v):
    return torch.softmax(X @ v, dim=-1)


@attention_scores.misconception(
    "The precision changes. Half precision comes in, so half precision should come out."
)
def scores_in_float32(X, v):
    return X.float() @ v.float()


@attention_scores.alternative
def attention_scores_einsum(X, v):
    return torch.einsum("bld,d->bl", X, v)


@attention_scores.alternative
def attention_scores_sum(X, v):
    return (X * v).sum(dim=-1)


@attention_scores.alternative
def attention_scores_linear(X, v):
    return F.linear(X, v[None, :])[..., 0]


# 2. masked_softmax ----------------------------------------------------------------------------


def _masked_softmax_cases(rng: np.random.Generator) -> Iterator[Case]:
    full = {"properties": {"sums_to_one": -1, "at_least": 0}}
    for batch, length in ((2, 4), (3, int(rng.integers(5, 8)))):
        yield Case("values", [_normal(rng, batch, length), _mask(rng, batch, length)], judge=full)
    gaps = torch.tensor([[True, False, True, True], [False, True, False, True]])
    yield Case("values", [_normal(rng, 2, 4), gaps], title="padding between the words", judge=full)
    heads, mask = _normal(rng, 2, 3, 4), _mask(rng, 2, 4)[:, None, :]
    title = "three heads: r is (2, 3, 4), one mask for all heads"
    yield Case("values", [heads, mask], title=title, judge=full)
    loud = _normal(rng, 2, 4)
    mask = _mask(rng, 2, 4)
    loud[~mask] = 500.0
    yield Case("stability", [loud, mask], title="the padding has large scores", judge=full)
    large = _normal(rng, 2, 4, scale=200.0) + float(rng.integers(200, 400))
    yield Case("stability", [large, _mask(rng, 2, 4)], title="scores in the hundreds", judge=full)
    half = (_normal(rng, 2, 5) + 14).half()
    judge = {**EXACT, **full}
    yield Case("stability", [half, _mask(rng, 2, 5)], title="half precision", judge=judge)
    forbidden = _normal(rng, 2, 4)
    forbidden[0, int(rng.integers(4))] = forbidden[1, int(rng.integers(4))] = -torch.inf
    everything = torch.ones(2, 4, dtype=torch.bool)
    title = "a real word has the score -inf"
    yield Case("stability", [forbidden, everything], title=title, judge=full)
    within = {"properties": {"at_least": 0}}
    mask = _mask(rng, 3, 4)
    mask[int(rng.integers(3))] = False
    title = "one text is only padding"
    yield Case("empty", [_normal(rng, 3, 4), mask], title=title, judge=within)
    nobody = torch.zeros(1, int(rng.integers(1, 4)), dtype=torch.bool)
    title = "a batch of one, only padding"
    yield Case("empty", [_normal(rng, *nobody.shape), nobody], title=title, judge=within)
    closed = _normal(rng, 2, 3)
    closed[int(rng.integers(2))] = -torch.inf
    everything = torch.ones(2, 3, dtype=torch.bool)
    title = "all real words of one text have the score -inf"
    yield Case("empty", [closed, everything], title=title, judge=within)
    half = _normal(rng, 2, 3).half()
    mask = torch.tensor([[False] * 3, [True, True, False]])
    title = "half precision, one text is only padding"
    yield Case("empty", [half, mask], title=title, judge={**EXACT, **within})
    length = int(rng.integers(3, 5))
    mask = torch.tensor([[False] * length, [True] * length])
    title = "one text is only padding"
    yield Case("gradient", [_normal(rng, 2, length), mask], title=title, gradient="r")
    title = "the only real word of one text has the score -inf"
    closed = _normal(rng, 2, 3)
    closed[0, 0] = -torch.inf
    mask = torch.tensor([[True, False, False], [True, True, True]])
    yield Case("gradient", [closed, mask], title=title, gradient="r")


masked_softmax = Exercise(
    "masked_softmax",
    points={"values": 2, "stability": 1, "empty": 2, "gradient": 1},
    cases=_masked_softmax_cases,
)


@masked_softmax.misconception(
    "The mask plays no part: padding gets attention like a word. Take it out of the sum below the"
    " fraction as well."
)
def softmax_ignores_mask(r, mask):
    return torch.softmax(r, dim=-1) + 0 * mask


@masked_softmax.misconception(
    "Padding gets 0 afterwards, but it was still in the sum, so the words no longer sum to 1. Mask"
    " the scores before the softmax."
)
def masks_afterwards(r, mask):
    return torch.softmax(r, dim=-1) * mask


@masked_softmax.misconception(
    "A padding place gets the score 0, and exp(0) is 1: a score of 0 is not no attention. Which score"
    " has an exponential of 0?"
)
def scores_zero_at_padding(r, mask):
    return torch.softmax(r.masked_fill(~mask, 0), dim=-1)


@masked_softmax.misconception(
    "Where there is nothing to attend to this is NaN: every exponential is 0, and so is their sum."
    " Make sure that you never divide by 0; then all weights are 0 / 1."
)
def nobody_is_nan(r, mask):
    return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)


@masked_softmax.misconception(
    "In a text that is only padding, the padding shares the attention: all its places have the same"
    " large negative score, and against each other they are equal. There all weights should be 0."
)
def nobody_shares_equally(r, mask):
    least = torch.finfo(r.dtype).min
    return torch.softmax(r.masked_fill(~mask, least).clamp(min=least), dim=-1)


@masked_softmax.misconception(
    "Large scores make exp infinite, and infinity / infinity is NaN. Subtract the largest score of"
    " the real words first; the fraction stays the same."
)
def exponentials_overflow(r, mask):
    e = torch.exp(r) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, 1)


@masked_softmax.misconception(
    "exp of a large score is infinite: of 100 in float32, of 12 in half precision. Then infinity /"
    " infinity is NaN. Subtract the largest score of the real words first; the fraction stays the same."
)
def masks_and_overflows(r, mask):
    e = torch.exp(r.masked_fill(~mask, -torch.inf))
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, 1)


@masked_softmax.misconception(
    "The mask is used the wrong way around, so the padding gets the attention: True marks a real word."
)
def turns_the_mask_around(r, mask):
    return torch.softmax(r.masked_fill(mask, -torch.inf), dim=-1)


@masked_softmax.misconception(
    "The mask is used the wrong way around: True marks a real word, and those get 0 here."
)
def turns_the_mask_around_with_zeros(r, mask):
    r = r.masked_fill(mask, -torch.inf)
    top = r.amax(dim=-1, keepdim=True)
    e = torch.exp(r - top.masked_fill(top == -torch.inf, 0))
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@masked_softmax.misconception(
    "The precision changes. Half precision comes in, so half precision should come out."
)
def weights_in_float32(r, mask):
    r = r.float().masked_fill(~mask, -torch.inf)
    top = r.amax(dim=-1, keepdim=True)
    e = torch.exp(r - top.masked_fill(top == -torch.inf, 0))
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@masked_softmax.misconception(
    "A small number is added to the sum, so that it is never 0. In half precision numbers below 6e-8"
    " do not exist, so yours is 0 there, and 0 / 0 is NaN. Replace the sum only where it is 0."
)
def adds_too_small_a_number(r, mask):
    r = r.masked_fill(~mask, -torch.inf)
    top = r.amax(dim=-1, keepdim=True)
    e = torch.exp(r - top.masked_fill(top == -torch.inf, 0))
    return e / (e.sum(dim=-1, keepdim=True) + 1e-9)


@masked_softmax.misconception(
    "The largest score is taken over the padding too. If that is much larger than any word's, all"
    " exponentials of the words are 0. Mask first, then look for the largest."
)
def largest_of_all_places(r, mask):
    top = r.amax(dim=-1, keepdim=True)
    e = torch.exp(r - torch.where(top == -torch.inf, 0, top)) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, 1)


@masked_softmax.misconception(
    "The mask comes after exp. Where padding has a large score exp is infinite, and infinity times 0 is"
    " NaN. Mask the scores before exp."
)
def masks_infinity(r, mask):
    top = r.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    e = torch.exp(r - top.masked_fill(top == -torch.inf, 0)) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)


@masked_softmax.misconception(
    "The softmax runs over the texts of the batch. It should run over the words of each text, the"
    " last axis."
)
def over_the_batch(r, mask):
    return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=0).nan_to_num()


@masked_softmax.misconception(
    "The gradient is NaN for the text without words: a NaN was made on the way and replaced"
    " afterwards, and PyTorch goes back through the division that made it. Never make it: put harmless"
    " numbers in before you divide."
)
def repairs_nan_afterwards(r, mask):
    top = r.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    below = r - top.masked_fill(top == -torch.inf, 0)
    e = torch.exp(torch.where(below > 80, 0, below)) * mask
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num(0.0)


@masked_softmax.misconception(
    "The gradient is NaN where all words have the score -inf: a NaN was made on the way and replaced"
    " afterwards, and PyTorch goes back through the softmax that made it. Never make it: put harmless"
    " scores in before."
)
def repairs_softmax_afterwards(r, mask):
    return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num(0.0)


@masked_softmax.misconception(
    "A small number is added to the sum, so that it is never 0. But then no text's weights sum to"
    " exactly 1, and in half precision the small number is 0 anyway. Replace the sum only where it is 0."
)
def adds_a_small_number(r, mask):
    r = r.masked_fill(~mask, -torch.inf)
    top = r.amax(dim=-1, keepdim=True)
    e = torch.exp(r - torch.where(top == -torch.inf, 0, top))
    return e / (e.sum(dim=-1, keepdim=True) + torch.tensor(1e-3, dtype=r.dtype))


@masked_softmax.misconception(
    "You ask whether the whole batch is empty. An empty text among others still divides 0 by 0: ask"
    " each text by itself."
)
def asks_the_whole_batch(r, mask):
    if not mask.any():
        return torch.zeros_like(r)
    return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)


@masked_softmax.misconception(
    "If one text is empty, the whole batch gets zeros. Ask each text by itself whether it has words."
)
def one_empty_text_empties_all(r, mask):
    if not (mask & (r > -torch.inf)).any(dim=-1).all():
        return torch.zeros_like(r)
    return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)


@masked_softmax.alternative
def masked_softmax_safe_scores(r, mask):
    keep = mask & (r > -torch.inf)
    safe = torch.where(keep, r, torch.finfo(r.dtype).min)
    return torch.softmax(safe, dim=-1) * keep


@masked_softmax.alternative
def masked_softmax_loop(r, mask):
    flat, keep = r.reshape(-1, r.shape[-1]), mask.expand(r.shape).reshape(-1, r.shape[-1])
    rows = []
    for scores, real in zip(flat, keep):
        real = real & (scores > -torch.inf)
        row = torch.zeros_like(scores)
        if real.any():
            row = row.masked_scatter(real, torch.softmax(scores[real], dim=0))
        rows.append(row)
    return torch.stack(rows).reshape(r.shape)


@masked_softmax.alternative
def masked_softmax_fills_empty_rows(r, mask):
    r = torch.where(mask, r, -torch.inf)
    empty = (r == -torch.inf).all(dim=-1, keepdim=True)
    a = torch.softmax(torch.where(empty, 0, r), dim=-1)
    return torch.where(empty, 0, a)


# 3. attend ------------------------------------------------------------------------------------


def _attend_cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length, dim in ((2, 3, 2), (3, int(rng.integers(4, 7)), 5)):
        yield Case("values", [_positive(rng, batch, length), _normal(rng, batch, length, dim)])
    n = int(rng.integers(3, 5))
    title = "as many words as texts as dimensions"
    yield Case("values", [_positive(rng, n, n), _normal(rng, n, n, n)], title=title)
    a = _positive(rng, 3, 4)
    a[int(rng.integers(3))] = 0
    yield Case("edges", [a, _normal(rng, 3, 4, 2)], title="all weights of one text are 0")
    one = [torch.ones(1, 1), _normal(rng, 1, 1, 3)]
    yield Case("edges", one, title="one text of one word")
    turned = _turned(rng, 2, 4, 3)
    yield Case("edges", [_positive(rng, 2, 4), turned], title="X is not contiguous in memory")
    half = [_positive(rng, 2, 3).half(), _normal(rng, 2, 3, 4).half()]
    judge = {**EXACT, "atol": 5e-3}
    yield Case("edges", half, title="half precision", judge=judge)


attend = Exercise("attend", points={"values": 1, "edges": 1}, cases=_attend_cases)


@attend.misconception(
    "The sum is divided by the number of words. The weights sum to 1 already: the division is in them."
)
def takes_the_mean(a, X):
    return (a[..., None] * X).mean(dim=1)


@attend.misconception(
    "The vectors are weighted, but not added up: a text should become one vector of D numbers."
)
def weights_without_sum(a, X):
    return a[..., None] * X


@attend.misconception(
    "The sum runs over the D numbers of each word. It should run over the words, and leave D numbers."
)
def sums_each_word(a, X):
    return (a[..., None] * X).sum(dim=-1)


@attend.misconception(
    "Every text's weights meet every text's words: `@` takes the B rows of a for one matrix, and you"
    " get (B, B, D). Each text needs its own row of weights, a matrix of size 1 by L."
)
def weights_for_every_text(a, X):
    return a @ X


@attend.misconception(
    "The sums are right, but each is a matrix of one row: (B, 1, D). Let the middle axis go."
)
def leaves_a_row(a, X):
    return a[:, None, :] @ X


@attend.misconception(
    "The shapes do not fit, and where they do, they fit by accident: PyTorch lines axes up from the"
    " last one, so the words of a, (B, L), meet the D numbers of X, (B, L, D). Give a an axis at the"
    " end."
)
def multiplies_without_an_axis(a, X):
    return (a * X).sum(dim=1)


@attend.misconception(
    "The weights are divided by their sum once more. They need no repair, and where all of them are 0"
    " that makes NaN."
)
def normalizes_again(a, X):
    return ((a / a.sum(dim=1, keepdim=True))[..., None] * X).sum(dim=1)


@attend.misconception(
    "The weights go through a softmax a second time, which makes them nearly equal. Use them as they"
    " are."
)
def softmax_twice(a, X):
    return (torch.softmax(a, dim=1)[..., None] * X).sum(dim=1)


@attend.misconception(
    "With a single text an axis is lost: `squeeze()` drops every axis of size 1. Say which one you"
    " mean."
)
def attends_and_squeezes(a, X):
    return (a[:, None, :] @ X).squeeze()


@attend.misconception(
    "Only the word with the largest weight counts here. Attention blends all words, each by its"
    " weight."
)
def takes_the_best_word(a, X):
    return X[torch.arange(len(X)), a.argmax(dim=1)]


@attend.misconception(
    "The first text's weights are used for all texts. Each text has weights of its own."
)
def first_weights_for_all(a, X):
    return (a[:1, :, None] * X).sum(dim=1)


@attend.alternative
def attend_einsum(a, X):
    return torch.einsum("bl,bld->bd", a, X)


@attend.alternative
def attend_sum(a, X):
    return (a.unsqueeze(-1) * X).sum(dim=1)


@attend.alternative
def attend_loop(a, X):
    return torch.stack([weights @ words for weights, words in zip(a, X)])


# 4. AttentionClassifier -----------------------------------------------------------------------


def _ids(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """Word numbers, among them the unknown word (1), and 0 at padding."""
    ids = torch.from_numpy(rng.integers(1, n_words, size=tuple(mask.shape)))
    return ids * mask


def _attention_classifier_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, mask: torch.Tensor, call: str, title: str = "", **other) -> Case:
        n_words, dim = int(rng.integers(5, 8)), int(rng.integers(2, 5))
        state = {
            "embedding.weight": _normal(rng, n_words, dim),
            "v": _normal(rng, dim),
            "output.weight": _normal(rng, 1, dim),
            "output.bias": _normal(rng, 1),
        }
        ids = other.get("ids", _ids(rng, mask, n_words))
        return Case(group, [n_words, dim], state=state, then=[(call, ids, mask)], title=title)

    for batch, length in ((2, 3), (3, int(rng.integers(4, 7)))):
        yield case("attention", _mask(rng, batch, length), "attention")
    n_words, dim, mask = int(rng.integers(4, 7)), 3, _mask(rng, 2, 4)
    new = {"embedding.weight": _normal(rng, n_words, dim)}
    steps = [(".v",), (".v.requires_grad",), ("attention", _ids(rng, mask, n_words), mask)]
    title = "a new model: v is zeros, so all words weigh the same"
    yield Case("attention", [n_words, dim], state=new, then=steps, title=title)
    for batch, length in ((2, 4), (3, int(rng.integers(3, 6)))):
        yield case("logits", _mask(rng, batch, length), "__call__")
    one = torch.ones(1, int(rng.integers(2, 5)), dtype=torch.bool)
    yield case("edges", one, "__call__", "a batch of one")
    yield case("edges", torch.ones(1, 1, dtype=torch.bool), "__call__", "one text of one word")
    unknown = torch.ones(2, 3, dtype=torch.bool)
    title = "all words are unknown: the number 1 is a word like any other"
    yield case("edges", unknown, "attention", title, ids=torch.ones(2, 3, dtype=torch.long))
    mask = _mask(rng, 3, 4)
    mask[int(rng.integers(3))] = False
    yield case("edges", mask, "__call__", "one text is only padding: its logit is the bias")


AttentionClassifier = Exercise(
    "AttentionClassifier",
    points={"attention": 2, "logits": 2, "edges": 1},
    cases=_attention_classifier_cases,
)


@AttentionClassifier.misconception(
    "Padding gets attention: the mask is not handed on. That the embedding of padding may be zeros"
    " does not help, exp(0) is 1."
)
class AttendsToPadding(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        return torch.softmax(self.embedding(ids) @ self.v, dim=-1)

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "The logits have the shape (B, 1). One number for each text: let the last axis go."
)
class LogitsInColumns(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])


@AttentionClassifier.misconception(
    "With a single text the logits lose their axis: `squeeze()` drops every axis of size 1. Say"
    " which one you mean."
)
class LogitsSqueezed(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0]).squeeze()


@AttentionClassifier.misconception(
    "These are probabilities. The model returns logits, any real numbers; `fit` puts the sigmoid into"
    " the loss, where it is stable."
)
class GivesProbabilities(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return torch.sigmoid(self.output(h[:, 0]))[:, 0]


@AttentionClassifier.misconception(
    "The logit comes from the plain mean of the words: the attention weights are computed and then"
    " not used."
)
class ForgetsItsWeights(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        total = (self.embedding(ids) * mask[..., None]).sum(dim=1)
        return self.output(total / mask.sum(dim=1, keepdim=True).clamp(min=1))[:, 0]


@AttentionClassifier.misconception(
    "Unknown words get no attention. The number 1 is a word that we have no better name for; only"
    " padding is left out, and the mask says where that is."
)
class SkipsUnknownWords(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        mask = mask & (ids > 1)
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "A text that is only padding gives NaN. Your `masked_softmax` has zeros for it, so that the logit"
    " is the bias; do you use it?"
)
class EmptyTextIsNaN(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "v does not start at zeros. With zeros all words weigh the same at first, and training starts"
    " from the mean."
)
class StartsWithOnes(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.ones(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "v is an ordinary tensor. Then the model does not know it as one of its parameters, and training"
    " never changes it: make it an nn.Parameter."
)
class ForgetsToLearnV(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = torch.zeros(dim)
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "These are the scores, not yet weights: they can be negative, and do not sum to 1. The softmax is"
    " missing."
)
class TakesRawScores(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return r * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "v starts with random numbers. With zeros all words weigh the same at first, and training starts"
    " from the mean."
)
class StartsAtRandom(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.randn(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[:, None] @ self.embedding(ids)
        return self.output(h[:, 0])[:, 0]


@AttentionClassifier.misconception(
    "The weighted word vectors are averaged, so everything is divided by L once more. The weights sum"
    " to 1: add the vectors up, as `attend` does."
)
class WeighsThenTakesTheMean(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[..., None] * self.embedding(ids)
        return self.output(h.mean(dim=1))[:, 0]


@AttentionClassifier.misconception(
    "The logit comes from the plain mean of all places, padding included: the attention weights play"
    " no part."
)
class TakesThePlainMean(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = self.embedding(ids) @ self.v
        return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask

    def forward(self, ids, mask):
        return self.output(self.embedding(ids).mean(dim=1))[:, 0]


@AttentionClassifier.alternative
class AttentionClassifierEinsum(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        r = torch.einsum("bld,d->bl", self.embedding(ids), self.v)
        e = torch.exp(r - r.amax(dim=1, keepdim=True)) * mask
        return e / e.sum(dim=1, keepdim=True).clamp(min=1e-30)

    def forward(self, ids, mask):
        h = torch.einsum("bl,bld->bd", self.attention(ids, mask), self.embedding(ids))
        return h @ self.output.weight[0] + self.output.bias


@AttentionClassifier.alternative
class AttentionClassifierLoop(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        a = torch.zeros(ids.shape)
        for b, (numbers, real) in enumerate(zip(ids, mask)):
            a[b, real] = torch.softmax(self.embedding(numbers[real]) @ self.v, dim=0)
        return a

    def forward(self, ids, mask):
        a, X = self.attention(ids, mask), self.embedding(ids)
        return torch.cat([self.output(weights @ words) for weights, words in zip(a, X)])


# 5. leave_one_out -----------------------------------------------------------------------------


def _scorer(rng: np.random.Generator, form: str) -> tuple[codec.Source, list[str]]:
    """A function that scores texts, and the words it knows, each with a weight of its own."""
    words = [str(word) for word in rng.choice(_WORDS, size=6, replace=False)]
    sizes = rng.permutation(np.arange(1, 7)) / 2 + rng.uniform(0, 0.2, size=6)
    signs = rng.permutation([1, 1, 1, -1, -1, -1])
    weights = {word: round(float(w), 2) for word, w in zip(words, sizes * signs)}
    bias = round(float(rng.uniform(0.2, 0.9)), 2)
    forms = {
        "sum": f"lambda tokens: {bias} + sum({weights}.get(t, 0.0) for t in tokens)",
        "mean": f"lambda tokens: {bias} + sum({weights}.get(t, 0.0) for t in tokens)"
        " / max(1, len(tokens))",
        "order": f"lambda tokens: {bias} + sum((i + 1) * {weights}.get(t, 0.0)"
        " for i, t in enumerate(tokens))",
    }
    return codec.Source(forms[form]), words


def _leave_one_out_cases(rng: np.random.Generator) -> Iterator[Case]:
    for form, length in (("sum", 4), ("mean", 5), ("order", int(rng.integers(4, 7)))):
        score, words = _scorer(rng, form)
        tokens = [str(word) for word in rng.permutation(words)[:length]]
        yield Case("values", [score, tokens])
    score, words = _scorer(rng, "order")
    twice = [words[0], words[1], words[0], *words[2 : int(rng.integers(3, 6))]]
    title = "a word that comes twice: the other one stays"
    yield Case("values", [score, twice], title=title)
    score, words = _scorer(rng, "sum")
    yield Case("edges", [score, words[:1]], title="one word")
    score, words = _scorer(rng, "mean")
    yield Case("edges", [score, []], title="a text without words")


leave_one_out = Exercise(
    "leave_one_out", points={"values": 2, "edges": 1}, cases=_leave_one_out_cases
)


@leave_one_out.misconception(
    "The signs are turned around. A word that raises the score should have a positive importance:"
    " subtract the score without it from the score with it."
)
def subtracts_the_full_score(score, tokens):
    full = score(tokens)
    without = [score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
    return torch.tensor([s - full for s in without])


@leave_one_out.misconception(
    "A word that comes twice is left out in both places. Leave out one place at a time."
)
def leaves_out_all_of_a_kind(score, tokens):
    full = score(tokens)
    return torch.tensor([full - score([t for t in tokens if t != word]) for word in tokens])


@leave_one_out.misconception(
    "`remove` takes away the first word that is equal, which is not always the one at place i. Leave"
    " out a place, not a word."
)
def removes_the_first(score, tokens):
    importance = []
    for word in tokens:
        rest = list(tokens)
        rest.remove(word)
        importance.append(score(tokens) - score(rest))
    return torch.tensor(importance)


@leave_one_out.misconception(
    "These are the scores of each word alone. In company a word may count for more or less: compare"
    " the whole text with the text without the word."
)
def scores_each_word_alone(score, tokens):
    return torch.tensor([score([word]) for word in tokens])


@leave_one_out.misconception(
    "These are the scores that remain. The importance is what the word makes of it: the difference"
    " to the score of the whole text."
)
def gives_what_remains(score, tokens):
    return torch.tensor([score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))])


@leave_one_out.misconception(
    "The text is read word by word, and each word is compared with the text before it. Keep what"
    " comes after it as well."
)
def compares_beginnings(score, tokens):
    steps = [score(tokens[:i]) for i in range(len(tokens) + 1)]
    return torch.tensor([after - before for before, after in pairwise(steps)])


@leave_one_out.misconception(
    "The word is replaced by padding, and the text stays as long as it was. Left out means that the"
    " list is one word shorter."
)
def replaces_by_padding(score, tokens):
    full = score(tokens)
    rest = [[*tokens[:i], "<pad>", *tokens[i + 1 :]] for i in range(len(tokens))]
    return torch.tensor([full - score(one) for one in rest])


@leave_one_out.misconception(
    "The words are taken out of the list you were given, and it gets shorter and shorter. Make a new"
    " list for each place."
)
def empties_the_list(score, tokens):
    full, importance = score(tokens), []
    while tokens:
        tokens.pop(0)
        importance.append(full - score(tokens))
    return torch.tensor(importance)


@leave_one_out.misconception("The importances are in a list. Make a float32 tensor of it.")
def gives_a_list(score, tokens):
    full = score(tokens)
    return [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]


@leave_one_out.alternative
def leave_one_out_enumerate(score, tokens):
    importance = torch.zeros(len(tokens))
    for i in range(len(tokens)):
        importance[i] = score(tokens) - score([t for j, t in enumerate(tokens) if j != i])
    return importance


@leave_one_out.alternative
def leave_one_out_copies(score, tokens):
    without = []
    for i in range(len(tokens)):
        rest = tokens.copy()
        del rest[i]
        without.append(score(rest))
    return score(tokens) - torch.tensor(without, dtype=torch.float32)


# 6. key_value_attention -----------------------------------------------------------------------


def _key_value_attention_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(mask: torch.Tensor, dim: int, d_k: int, d_v: int) -> list[torch.Tensor]:
        X = _normal(rng, *mask.shape, dim)
        return [X, mask, _normal(rng, d_k), _normal(rng, dim, d_k), _normal(rng, dim, d_v)]

    def everything(batch: int, length: int) -> torch.Tensor:
        return torch.ones(batch, length, dtype=torch.bool)

    d_k = int(rng.integers(5, 8))
    yield Case("values", inputs(everything(2, 3), 3, d_k, 2))
    yield Case("values", inputs(everything(2, 4), 4, 2, int(rng.integers(5, 7))))
    title = "as many numbers in keys and values as in the word vectors"
    yield Case("values", inputs(everything(2, 3), 4, 4, 4), title=title)
    for length in (4, int(rng.integers(5, 7))):
        yield Case("masking", inputs(_mask(rng, 2, length), 3, 2, 4))
    title = "one text of one word"
    yield Case("edges", inputs(everything(1, 1), 3, 2, 4), title=title)
    mask = _mask(rng, 3, 4)
    mask[int(rng.integers(3))] = False
    yield Case("edges", inputs(mask, 3, 2, 4), title="one text is only padding")
    _, mask, *others = inputs(_mask(rng, 2, 4), 3, 2, 4)
    turned = _turned(rng, 2, 4, 3)
    yield Case("edges", [turned, mask, *others], title="X is not contiguous in memory")
    X, _, *others = (t if t.dtype == torch.bool else t.half() for t in inputs(mask, 3, 4, 2))
    judge = {**EXACT, "rtol": 0.05, "atol": 0.03}
    yield Case("edges", [X, mask, *others], title="half precision", judge=judge)


key_value_attention = Exercise(
    "key_value_attention",
    points={"values": 2, "masking": 1, "edges": 1},
    cases=_key_value_attention_cases,
)


@key_value_attention.misconception(
    "The scores are not scaled: divide them by the square root of d_k before the softmax."
)
def forgets_to_scale(X, mask, q, W_K, W_V):
    r = X @ W_K @ q
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception("The scores are divided by d_k, not by its square root.")
def scales_by_d_k(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / len(q)
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception(
    "The scores are divided by the square root of D, the size of the word vectors. The dot product"
    " adds up d_k terms, the size of the keys."
)
def scales_by_word_size(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / X.shape[-1] ** 0.5
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception(
    "The weights are divided after the softmax, so they no longer sum to 1. Scale the scores, before"
    " it."
)
def scales_the_weights(X, mask, q, W_K, W_V):
    r = X @ W_K @ q
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    a = a / len(q) ** 0.5
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception(
    "The matrices are used the wrong way around. K = X W_K: rows of X times columns of W_K, without"
    " transposing. (nn.Linear stores its matrix transposed; here it is not.)"
)
def transposes_the_matrices(X, mask, q, W_K, W_V):
    r = X @ W_K.T @ q / len(q) ** 0.5
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ (X @ W_V.T))[:, 0], a


@key_value_attention.misconception(
    "The keys are summed up, where it should be the values: keys are only there to be compared with"
    " the query."
)
def passes_on_the_keys(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / len(q) ** 0.5
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ (X @ W_K))[:, 0], a


@key_value_attention.misconception(
    "The word vectors themselves are summed up. What is passed on is the values, X W_V."
)
def passes_on_the_words(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / len(q) ** 0.5
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a[:, None] @ X)[:, 0], a


@key_value_attention.misconception("Padding gets attention: hand the mask on to `masked_softmax`.")
def key_value_ignores_mask(X, mask, q, W_K, W_V):
    a = torch.softmax(X @ W_K @ q / len(q) ** 0.5, dim=-1)
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception(
    "A text that is only padding gives NaN. Your `masked_softmax` has zeros for it; do you use it?"
)
def key_value_nobody_is_nan(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / len(q) ** 0.5
    a = torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
    return (a[:, None] @ (X @ W_V))[:, 0], a


@key_value_attention.misconception(
    "The two results are swapped: first the vectors h, then the weights a."
)
def gives_weights_first(X, mask, q, W_K, W_V):
    r = X @ W_K @ q / len(q) ** 0.5
    a = torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
    return a, (a[:, None] @ (X @ W_V))[:, 0]


@key_value_attention.alternative
def key_value_attention_einsum(X, mask, q, W_K, W_V):
    r = torch.einsum("bld,dk,k->bl", X, W_K, q) / math.sqrt(len(q))
    a = torch.softmax(torch.where(mask, r, torch.finfo(r.dtype).min), dim=-1) * mask
    return torch.einsum("bl,bld,dv->bv", a, X, W_V), a


@key_value_attention.alternative
def key_value_attention_query_first(X, mask, q, W_K, W_V):
    # (X W_K) q = X (W_K q), and a^t (X W_V) = (a^t X) W_V: no key or value is ever made.
    look_for = W_K @ (q / math.sqrt(q.shape[0]))
    r = (X * look_for).sum(dim=-1)
    a = torch.softmax(torch.where(mask, r, torch.finfo(r.dtype).min), dim=-1) * mask
    return (a.unsqueeze(-1) * X).sum(dim=1) @ W_V, a


# 7. soft_dictionary ---------------------------------------------------------------------------


def _soft_dictionary_cases(rng: np.random.Generator) -> Iterator[Case]:
    for m, n, d, d_v in ((2, 3, 2, 1), (3, 5, 4, 2)):
        yield Case("values", [_normal(rng, m, d), _normal(rng, n, d), _normal(rng, n, d_v)])
    n = int(rng.integers(3, 6))
    square = [_normal(rng, n, n) for _ in range(3)]
    yield Case("values", square, title="as many queries as entries as dimensions")
    sharp = round(float(rng.uniform(2, 4)), 2)
    inputs = [_normal(rng, 2, 3), _normal(rng, 4, 3), _normal(rng, 4, 2)]
    yield Case("sharpness", inputs, {"sharpness": sharp})
    inputs = [_normal(rng, 2, 3), _normal(rng, int(rng.integers(3, 6)), 3)]
    inputs.append(_normal(rng, len(inputs[1]), 2))
    title = "sharpness 0: the mean of all values"
    yield Case("sharpness", inputs, {"sharpness": 0.0}, title=title)
    keys = torch.from_numpy(rng.permutation(np.eye(4)).astype(np.float32)) * 2
    queries = keys[torch.from_numpy(rng.integers(4, size=3))]
    inputs = [queries, keys, _normal(rng, 4, 2)]
    title = "very sharp: an ordinary dictionary"
    yield Case("sharpness", inputs, {"sharpness": 1000.0}, title=title)
    inputs = [10 * queries.half(), 10 * keys.half(), _normal(rng, 4, 2).half()]
    title = "half precision and very sharp"
    judge = {**EXACT, "atol": 5e-3}
    yield Case("edges", inputs, {"sharpness": 1000.0}, title=title, judge=judge)
    empty = [_normal(rng, int(rng.integers(2, 4)), 3), torch.zeros(0, 3), torch.zeros(0, 2)]
    yield Case("edges", empty, title="a dictionary without entries")
    single = [_normal(rng, 1, 2), _normal(rng, 1, 2), _normal(rng, 1, 3)]
    yield Case("edges", single, title="one query, one entry")


soft_dictionary = Exercise(
    "soft_dictionary",
    points={"values": 1, "sharpness": 1, "edges": 1},
    cases=_soft_dictionary_cases,
)


@soft_dictionary.misconception(
    "The scores are not scaled: divide them by the square root of d, the size of a key."
)
def dictionary_unscaled(Q, K, V, sharpness=1.0):
    return (torch.softmax(sharpness * (Q.float() @ K.float().T), dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "The scores are divided by the square root of the number of entries. A dot product adds up d"
    " terms, so it is the size of a key that counts."
)
def scales_by_entries(Q, K, V, sharpness=1.0):
    r = sharpness * (Q.float() @ K.float().T) / max(1, len(K)) ** 0.5
    return (torch.softmax(r, dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception("The sharpness plays no part: multiply the scores by it.")
def never_sharpens(Q, K, V, sharpness=1.0):
    r = Q.float() @ K.float().T / Q.shape[-1] ** 0.5
    return (torch.softmax(r, dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "The sharpness works the wrong way: it should multiply the scores, not divide them. (What divides"
    " them is often called a temperature.)"
)
def sharpness_as_temperature(Q, K, V, sharpness=1.0):
    r = Q.float() @ K.float().T / Q.shape[-1] ** 0.5 / max(sharpness, 1e-9)
    return (torch.softmax(r, dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "The scores are divided by the sharpness. It should multiply them: with 0 the query plays no role,"
    " and the larger it is, the sharper. (What divides them is often called a temperature.)"
)
def divides_by_sharpness(Q, K, V, sharpness=1.0):
    r = Q.float() @ K.float().T / Q.shape[-1] ** 0.5 / sharpness
    return (torch.softmax(r, dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "The weights are multiplied by the sharpness, so they no longer sum to 1. Sharpen the scores,"
    " before the softmax."
)
def sharpens_the_answer(Q, K, V, sharpness=1.0):
    r = Q.float() @ K.float().T / Q.shape[-1] ** 0.5
    return (sharpness * torch.softmax(r, dim=-1) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "The softmax runs over the queries. Each query by itself spreads its attention over the keys."
)
def softmax_over_queries(Q, K, V, sharpness=1.0):
    r = sharpness * (Q.float() @ K.float().T) / Q.shape[-1] ** 0.5
    return (torch.softmax(r, dim=0) @ V.float()).to(V.dtype)


@soft_dictionary.misconception(
    "Only the best key answers. That is the ordinary dictionary; a soft one blends all values, each"
    " by how well its key fits."
)
def takes_the_best_key(Q, K, V, sharpness=1.0):
    if not len(K):
        return torch.zeros(len(Q), V.shape[-1])
    return V[(sharpness * (Q.float() @ K.float().T)).argmax(dim=-1)]


@soft_dictionary.misconception(
    "In half precision the scores become infinite, and then NaN. Turn queries and keys into float32"
    " before you multiply them, and the answer back into the dtype of V."
)
def overflows_in_half_precision(Q, K, V, sharpness=1.0):
    return torch.softmax(sharpness * (Q @ K.T) / Q.shape[-1] ** 0.5, dim=-1) @ V


@soft_dictionary.misconception(
    "The answer is float32, and the values were in half precision. Turn it back at the end, with"
    " `.to(V.dtype)`."
)
def answers_in_float32(Q, K, V, sharpness=1.0):
    r = sharpness * (Q.float() @ K.float().T) / Q.shape[-1] ** 0.5
    return torch.softmax(r, dim=-1) @ V.float()


@soft_dictionary.misconception(
    "A dictionary without entries makes it stop: there is no largest score to subtract. `torch.softmax`"
    " can deal with that, and the sum of no values is zeros."
)
def stops_when_empty(Q, K, V, sharpness=1.0):
    r = sharpness * (Q.float() @ K.float().T) / Q.shape[-1] ** 0.5
    e = torch.exp(r - r.max(dim=-1, keepdim=True).values)
    return (e / e.sum(dim=-1, keepdim=True) @ V.float()).to(V.dtype)


@soft_dictionary.alternative
def soft_dictionary_loop(Q, K, V, sharpness=1.0):
    answers = torch.zeros(len(Q), V.shape[-1])
    for answer, query in zip(answers, Q.float()):
        weights = torch.softmax(sharpness * (K.float() * query).sum(dim=-1) / len(query) ** 0.5, 0)
        for weight, value in zip(weights, V.float()):
            answer += weight * value
    return answers.to(V.dtype)


@soft_dictionary.alternative
def soft_dictionary_torch(Q, K, V, sharpness=1.0):
    if not len(K):
        return torch.zeros(len(Q), V.shape[-1], dtype=V.dtype)
    scale = sharpness / math.sqrt(Q.shape[-1])
    r = torch.einsum("md,nd->mn", Q.double(), K.double()) * scale
    e = torch.exp(r - r.amax(dim=1, keepdim=True))
    return torch.einsum("mn,nv->mv", e / e.sum(dim=1, keepdim=True), V.double()).to(V.dtype)


# 8. several_heads -----------------------------------------------------------------------------


def _several_heads_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(mask: torch.Tensor, heads: int, dim: int) -> list[torch.Tensor]:
        return [_normal(rng, *mask.shape, dim), mask, _normal(rng, heads, dim)]

    def everything(batch: int, length: int) -> torch.Tensor:
        return torch.ones(batch, length, dtype=torch.bool)

    # Sizes that differ, so that a wrong layout cannot pass by its shape.
    yield Case("values", inputs(everything(2, 3), 4, int(rng.integers(5, 7))))
    yield Case("values", inputs(everything(2, 5), int(rng.integers(3, 5)), 2))
    yield Case(
        "values", inputs(everything(3, 3), 3, 3), title="as many heads as words as dimensions"
    )
    for length in (4, int(rng.integers(5, 7))):
        yield Case("masking", inputs(_mask(rng, 3, length), 2, 3))
    yield Case("masking", inputs(_mask(rng, 2, 4), 2, 3), title="as many heads as texts")
    yield Case("edges", inputs(_mask(rng, 2, 3), 1, 3), title="one head")
    yield Case("edges", inputs(everything(1, 1), 2, 3), title="one text of one word")
    mask = _mask(rng, 3, 4)
    mask[int(rng.integers(3))] = False
    yield Case("edges", inputs(mask, 2, 3), title="one text is only padding")
    _, mask, vs = inputs(_mask(rng, 2, 4), 2, 3)
    yield Case("edges", [_turned(rng, 2, 4, 3), mask, vs], title="X is not contiguous in memory")


several_heads = Exercise(
    "several_heads", points={"values": 2, "masking": 1, "edges": 1}, cases=_several_heads_cases
)


@several_heads.misconception(
    "The sums of the heads are averaged. They should stand one after another, H times D numbers, so"
    " that the next layer can tell the heads apart."
)
def averages_the_heads(X, mask, vs):
    r = (X @ vs.T).mT.masked_fill(~mask[:, None], -1e9)
    a = torch.softmax(r, dim=-1) * mask[:, None]
    return (a @ X).mean(dim=1), a


@several_heads.misconception(
    "The heads are shuffled into each other: first all heads' first numbers, then all heads' second"
    " ones. Put all D numbers of head 1 first, then those of head 2."
)
def interleaves_the_heads(X, mask, vs):
    r = (X @ vs.T).mT.masked_fill(~mask[:, None], -1e9)
    a = torch.softmax(r, dim=-1) * mask[:, None]
    return (a @ X).mT.flatten(1), a


@several_heads.misconception(
    "The sums of the heads are still in a table, (B, H, D). Put its rows one after another, (B, H * D)."
)
def heads_in_a_table(X, mask, vs):
    r = (X @ vs.T).mT.masked_fill(~mask[:, None], -1e9)
    a = torch.softmax(r, dim=-1) * mask[:, None]
    return a @ X, a


@several_heads.misconception(
    "The heads compete for each word: the softmax runs over the heads. Each head spreads its own"
    " attention over the words."
)
def heads_compete(X, mask, vs):
    a = torch.softmax((X @ vs.T).mT, dim=1) * mask[:, None]
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The attention is shared out between the heads, so that all weights of a text sum to 1. Each"
    " head's weights should sum to 1."
)
def heads_share(X, mask, vs):
    r = (X @ vs.T).mT.masked_fill(~mask[:, None], -1e9)
    a = torch.softmax(r.flatten(1), dim=-1).reshape(r.shape) * mask[:, None]
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "Padding gets attention. The mask, (B, L), needs an axis for the heads: mask[:, None, :]."
)
def heads_ignore_mask(X, mask, vs):
    a = torch.softmax((X @ vs.T).mT, dim=-1)
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The numbers are in the wrong places: `reshape` and `view` only cut the same row of numbers anew,"
    " and mix words with heads. To exchange two axes use `transpose` or `.mT`."
)
def reshapes_the_scores(X, mask, vs):
    r = (X @ vs.T).reshape(len(X), len(vs), -1).masked_fill(~mask[:, None], -1e9)
    a = torch.softmax(r, dim=-1) * mask[:, None]
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The numbers are in the wrong places: `reshape` and `view` only cut the same row of numbers anew,"
    " and mix words with dimensions. To exchange two axes use `transpose` or `.mT`."
)
def reshapes_the_words(X, mask, vs):
    r = vs @ X.reshape(len(X), X.shape[2], X.shape[1])
    a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=-1) * mask[:, None]
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The scores are divided by the square root of D. That scaling belongs to queries and keys; here"
    " the score is the plain X v, as in the first exercise."
)
def scales_the_heads(X, mask, vs):
    r = (X @ vs.T).mT / math.sqrt(vs.shape[1])
    a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=-1) * mask[:, None]
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The softmax runs over the heads, the last axis of (B, L, H). Bring the words to the end, (B, H,"
    " L), before you make weights of the scores."
)
def heads_compete_at_the_end(X, mask, vs):
    a = torch.softmax(X @ vs.T, dim=-1) * mask[..., None]
    return (a.mT @ X).flatten(1), a


@several_heads.misconception(
    "The mask has no axis for the heads. PyTorch lines axes up from the last one, so the texts of the"
    " mask, (B, L), meet the heads of the scores, (B, H, L): use mask[:, None, :]."
)
def mask_without_an_axis(X, mask, vs):
    r = (X @ vs.T).mT.masked_fill(~mask, -1e9)
    a = torch.softmax(r, dim=-1) * mask
    return (a @ X).flatten(1), a


@several_heads.misconception(
    "The weights have the shape (B, L, H). Every head has a row of its own, with one weight for each"
    " word: (B, H, L)."
)
def weights_lie_down(X, mask, vs):
    r = (X @ vs.T).masked_fill(~mask[..., None], -1e9)
    a = torch.softmax(r, dim=1) * mask[..., None]
    return (a.mT @ X).flatten(1), a


@several_heads.misconception(
    "A text that is only padding gives NaN. Your `masked_softmax` has zeros for it; do you use it?"
)
def heads_nobody_is_nan(X, mask, vs):
    a = torch.softmax((X @ vs.T).mT.masked_fill(~mask[:, None], -torch.inf), dim=-1)
    return (a @ X).flatten(1), a


@several_heads.alternative
def several_heads_einsum(X, mask, vs):
    r = torch.einsum("bld,hd->bhl", X, vs)
    a = torch.softmax(torch.where(mask[:, None], r, -1e9), dim=-1) * mask[:, None]
    return torch.einsum("bhl,bld->bhd", a, X).reshape(len(X), -1), a


@several_heads.alternative
def several_heads_loop(X, mask, vs):
    sums, weights = [], []
    for v in vs:
        r = (X @ v).masked_fill(~mask, -1e9)
        weights.append(torch.softmax(r, dim=1) * mask)
        sums.append((weights[-1].unsqueeze(-1) * X).sum(dim=1))
    return torch.cat(sums, dim=1), torch.stack(weights, dim=1)


# 9. split_into_sentences ----------------------------------------------------------------------


def _sentence(rng: np.random.Generator, marks: list[str]) -> list[str]:
    words = rng.choice(_WORDS, size=int(rng.integers(1, 4)))
    return [*(str(word) for word in words), *marks]


def _split_into_sentences_cases(rng: np.random.Generator) -> Iterator[Case]:
    single = [["."], ["!"], ["?"]]
    for n in (2, int(rng.integers(3, 5))):
        picked = rng.integers(3, size=n)
        yield Case("values", [[t for i in picked for t in _sentence(rng, single[i])]])
    with_dots = [*_sentence(rng, ["..."]), *_sentence(rng, ["."]), *_sentence(rng, ["!"])]
    yield Case("values", [with_dots], title="three dots end a sentence too")
    comma = [*_sentence(rng, [","]), *_sentence(rng, ["."]), *_sentence(rng, ["?"])]
    yield Case("values", [comma], title="a comma does not end a sentence")
    run = [["?", "!"], ["!", "!", "!"], ["...", "!"]][int(rng.integers(3))]
    several = [*_sentence(rng, run), *_sentence(rng, ["."])]
    yield Case("runs", [several], title="several marks in a row")
    final = [*_sentence(rng, ["."]), *_sentence(rng, run)]
    yield Case("runs", [final], title="several marks at the end")
    open_end = [*_sentence(rng, ["!"]), *_sentence(rng, [])]
    yield Case("edges", [open_end], title="the last sentence has no mark")
    yield Case("edges", [_sentence(rng, [])], title="no mark at all")
    first = [[".", "!", "?"][int(rng.integers(3))], *_sentence(rng, ["."])]
    yield Case("edges", [first], title="the text begins with a mark")
    yield Case("edges", [[]], title="a text without words")


split_into_sentences = Exercise(
    "split_into_sentences",
    points={"values": 1, "runs": 1, "edges": 1},
    cases=_split_into_sentences_cases,
)


@split_into_sentences.misconception(
    "The end marks are gone. They belong to the sentence they end: joined again, the sentences should"
    " give all the tokens."
)
def drops_the_marks(tokens):
    sentences = [[]]
    for token in tokens:
        if token in (".", "!", "?", "..."):
            sentences.append([])
        else:
            sentences[-1].append(token)
    return [sentence for sentence in sentences if sentence]


@split_into_sentences.misconception(
    "The end mark is at the beginning of the next sentence. It belongs to the sentence before it."
)
def mark_begins_the_next(tokens):
    sentences, before = [], "."
    for token in tokens:
        if not sentences or (token in (".", "!", "?", "...") and before not in ".!?..."):
            sentences.append([])
        sentences[-1].append(token)
        before = token
    return sentences


@split_into_sentences.misconception(
    "Every end mark begins a sentence. It belongs to the sentence before it, and the next one begins"
    " with the word that follows."
)
def every_mark_begins(tokens):
    sentences = []
    for token in tokens:
        if not sentences or token in (".", "!", "?", "..."):
            sentences.append([])
        sentences[-1].append(token)
    return sentences


@split_into_sentences.misconception(
    "Of several marks in a row each one makes a sentence. They all belong to the sentence before them."
)
def every_mark_ends(tokens):
    sentences, current = [], []
    for token in tokens:
        current.append(token)
        if token in (".", "!", "?", "..."):
            sentences.append(current)
            current = []
    return [*sentences, current] if current else sentences


@split_into_sentences.misconception(
    "Words after the last mark are lost. A sentence that nobody finished is a sentence all the same."
)
def loses_the_open_end(tokens):
    sentences, current = [], []
    for i, token in enumerate(tokens):
        current.append(token)
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        if token in (".", "!", "?", "...") and after not in (".", "!", "?", "..."):
            sentences.append(current)
            current = []
    return sentences


@split_into_sentences.misconception(
    "There is an empty sentence at the end. A mark ends a sentence; a new one begins only with the"
    " next word."
)
def ends_with_nothing(tokens):
    sentences = [[]]
    for i, token in enumerate(tokens):
        sentences[-1].append(token)
        after = tokens[i + 1] if i + 1 < len(tokens) else ""
        if token in (".", "!", "?", "...") and after not in (".", "!", "?", "..."):
            sentences.append([])
    return sentences


@split_into_sentences.misconception(
    "A text without words has one empty sentence here. It should have no sentences: an empty list."
)
def one_empty_sentence(tokens):
    sentences, before = [[]], "word"
    for token in tokens:
        marks = (".", "!", "?", "...")
        if before in marks and token not in marks:
            sentences.append([])
        sentences[-1].append(token)
        before = token
    return sentences


@split_into_sentences.misconception(
    "Only the full stop ends a sentence. `!`, `?` and `...` do too."
)
def only_full_stops(tokens):
    sentences, before = [], "."
    for token in tokens:
        if not sentences or (before == "." and token != "."):
            sentences.append([])
        sentences[-1].append(token)
        before = token
    return sentences


@split_into_sentences.misconception(
    "The three dots do not end a sentence here. They are one token of their own, `...`; END_MARKS has"
    " it."
)
def forgets_the_dots(tokens):
    sentences, before = [], "."
    for token in tokens:
        if not sentences or (before in (".", "!", "?") and token not in (".", "!", "?", "...")):
            sentences.append([])
        sentences[-1].append(token)
        before = token
    return sentences


@split_into_sentences.misconception(
    "The sentences are strings. They should stay lists of tokens, so that nothing must be cut again."
)
def gives_strings(tokens):
    sentences, before = [], "."
    for token in tokens:
        marks = (".", "!", "?", "...")
        if not sentences or (before in marks and token not in marks):
            sentences.append([])
        sentences[-1].append(token)
        before = token
    return [" ".join(sentence) for sentence in sentences]


@split_into_sentences.alternative
def split_into_sentences_by_places(tokens):
    marks = {".", "!", "?", "..."}
    starts = [
        i
        for i in range(len(tokens))
        if i == 0 or (tokens[i - 1] in marks and tokens[i] not in marks)
    ]
    return [tokens[i:j] for i, j in zip(starts, [*starts[1:], len(tokens)])]


@split_into_sentences.alternative
def split_into_sentences_looks_ahead(tokens):
    marks = (".", "!", "?", "...")
    sentences, current = [], []
    for i, token in enumerate(tokens):
        current.append(token)
        last = i + 1 == len(tokens)
        if last or (token in marks and tokens[i + 1] not in marks):
            sentences.append(current)
            current = []
    return sentences


# 10. HierarchicalAttention --------------------------------------------------------------------


def _box(rng: np.random.Generator, batch: int, sentences: int, length: int) -> torch.Tensor:
    """A mask (B, S, L): the first text has a sentence less, and sentences differ in length."""
    lengths = torch.from_numpy(rng.integers(1, length + 1, size=(batch, sentences)))
    lengths[0, 0] = int(rng.integers(1, length))
    lengths[-1, 0] = length
    lengths[0, -1] = 0
    return torch.arange(length) < lengths[..., None]


def _hierarchical_attention_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, mask: torch.Tensor, call: str, title: str = "") -> Case:
        n_words, dim = int(rng.integers(5, 8)), int(rng.integers(2, 4))
        state = {
            "embedding.weight": _normal(rng, n_words, dim),
            "word_layer.weight": _normal(rng, dim, dim),
            "word_layer.bias": _normal(rng, dim),
            "word_v": 2 * _normal(rng, dim),
            "sentence_layer.weight": _normal(rng, dim, dim),
            "sentence_layer.bias": _normal(rng, dim),
            "sentence_v": 2 * _normal(rng, dim),
            "output.weight": _normal(rng, 1, dim),
            "output.bias": _normal(rng, 1),
        }
        ids = _ids(rng, mask, n_words)
        # No later sentence begins with the word that the first one begins with.
        ids[:, 1:, 0] = (ids[:, :1, 0] % (n_words - 1) + 1) * mask[:, 1:, 0]
        then = [(call, ids, mask)]
        return Case(group, [n_words, dim], state=state, then=then, title=title)

    # Without padding first, so that a mistake with the mask and one with the sum are told apart.
    full = torch.ones(2, 2, int(rng.integers(2, 4)), dtype=torch.bool)
    yield case("attention", full, "attention", "no padding at all")
    yield case("attention", _box(rng, 2, 2, 3), "attention")
    yield case("attention", _box(rng, 2, int(rng.integers(3, 5)), 3), "attention")
    n_words, dim, mask = int(rng.integers(4, 7)), 2, _box(rng, 2, 3, 3)
    new = {"embedding.weight": _normal(rng, n_words, dim)}
    steps = [(".word_v",), (".sentence_v",), ("attention", _ids(rng, mask, n_words), mask)]
    title = "a new model: word_v and sentence_v are zeros"
    yield Case("attention", [n_words, dim], state=new, then=steps, title=title)
    yield case("logits", _box(rng, 2, 2, 3), "__call__")
    yield case("logits", _box(rng, 3, int(rng.integers(2, 4)), 2), "__call__")
    single = torch.ones(1, 1, int(rng.integers(1, 4)), dtype=torch.bool)
    yield case("edges", single, "__call__", "one text of one sentence")
    empty = _box(rng, 3, 2, 3)
    empty[int(rng.integers(1, 3))] = False
    yield case("edges", empty, "attention", "one text is only padding")
    yield case("edges", empty, "__call__", "one text is only padding: its logit is the bias")


HierarchicalAttention = Exercise(
    "HierarchicalAttention",
    points={"attention": 3, "logits": 1, "edges": 2},
    cases=_hierarchical_attention_cases,
)


@HierarchicalAttention.misconception(
    "Sentences of nothing but padding get attention. Their vector is zeros, but their score is not:"
    " the bias inside tanh gives it one. A sentence takes part if any of its words is real."
)
class SentencesOfPadding(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        b = torch.softmax(r, dim=-1)
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "Padding inside the sentences gets attention: hand the mask on to the softmax over the words."
)
class WordsOfPadding(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r, dim=-1)
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The tanh is missing. Without it, layer and vector together are only another vector."
)
class ForgetsTanh(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = self.word_layer(X) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = self.sentence_layer(h) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The weighted sums are taken over tanh(Wx + b). That is only the key, to make the score with; what"
    " is summed up is the vector x itself."
)
class SumsUpTheKeys(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        r = U @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * U).sum(dim=2)
        W = torch.tanh(self.sentence_layer(h))
        r = W @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * W).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The sentences are scored with word_v. They have a vector of their own, sentence_v."
)
class OneVectorForBoth(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.word_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The sentences go through word_layer. They have a layer of their own, sentence_layer."
)
class OneLayerForBoth(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.word_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "One softmax runs over all words of the text. Each sentence has its own: its weights sum to 1."
)
class OneSoftmaxForAllWords(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9).flatten(1), dim=-1).reshape(r.shape) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "All sentences weigh the same: the second attention, the one over the sentences, is missing."
)
class SentencesWeighTheSame(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        real = mask.any(dim=-1)
        b = real / real.sum(dim=-1, keepdim=True).clamp(min=1)
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "A sentence that is only padding gives NaN, and the NaN spreads to the whole text. Your"
    " `masked_softmax` has zeros for it; do you use it on both levels?"
)
class HierarchyMakesNaN(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -torch.inf), dim=-1)
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The logits have the shape (B, 1). One number for each text: let the last axis go."
)
class HierarchyLogitsInColumns(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])


@HierarchicalAttention.misconception(
    "These are probabilities. The model returns logits, any real numbers; `fit` puts the sigmoid into"
    " the loss, where it is stable."
)
class HierarchyGivesProbabilities(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return torch.sigmoid(self.output(self.attention(ids, mask)[2]))[:, 0]


@HierarchicalAttention.misconception(
    "Only sentences without any padding take part: `all` asks whether every word is real. One real"
    " word is enough."
)
class OnlyFullSentences(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.all(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The word level sums up tanh(Wx + b). That is only the key, to make the score with; what is summed"
    " up is the vector x itself."
)
class SumsUpTheWordKeys(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * U).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The sentence level sums up tanh(W'h + b'). That is only the key, to make the score with; what is"
    " summed up is the vector of the sentence itself."
)
class SumsUpTheSentenceKeys(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        U = torch.tanh(self.sentence_layer(h))
        r = U @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * U).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The tanh is missing on the word level. Without it, layer and vector together are only another"
    " vector."
)
class ForgetsTanhOverWords(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = self.word_layer(X)
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The tanh is missing on the sentence level. Without it, layer and vector together are only another"
    " vector."
)
class ForgetsTanhOverSentences(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = self.sentence_layer(h) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "The sentence weights are there, but h does not use them: it is the plain mean of the sentence"
    " vectors. Add them up, each times its weight."
)
class AveragesTheSentences(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, h.mean(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.misconception(
    "`attend` is written for (B, L) and (B, L, D). On (B, S, L) and (B, S, L, D) it mixes the sentences"
    " up. Bring sentences and texts into one axis first, or write the weighted sum out."
)
class AttendsOnFourAxes(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        U = torch.tanh(self.word_layer(X))
        a = torch.softmax((U @ self.word_v).masked_fill(~mask, -1e9), dim=-1) * mask
        h = (a[:, None] @ X)[:, 0]
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        real = mask.any(dim=-1)
        b = torch.softmax(r.masked_fill(~real, -1e9), dim=-1) * real
        return a, b, (b[..., None] * h).sum(dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


@HierarchicalAttention.alternative
class HierarchicalAttentionEinsum(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def weigh(self, X, mask, layer, v):
        e = torch.exp(torch.einsum("...d,d->...", layer(X).tanh(), v)) * mask
        a = e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)
        return a, torch.einsum("...l,...ld->...d", a, X)

    def attention(self, ids, mask):
        a, h = self.weigh(self.embedding(ids), mask, self.word_layer, self.word_v)
        b, h = self.weigh(h, mask.any(dim=2), self.sentence_layer, self.sentence_v)
        return a, b, h

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(1)


@HierarchicalAttention.alternative
class HierarchicalAttentionLoop(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = (
            nn.Parameter(torch.zeros(dim)),
            nn.Parameter(torch.zeros(dim)),
        )
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        a_words, a_sentences = torch.zeros(mask.shape), torch.zeros(mask.shape[:2])
        h = torch.zeros(len(ids), self.embedding.embedding_dim)
        for b in range(len(ids)):
            kept = [s for s in range(ids.shape[1]) if mask[b, s].any()]
            rows = []
            for s in kept:
                X = self.embedding(ids[b, s][mask[b, s]])
                a = torch.softmax(torch.tanh(self.word_layer(X)) @ self.word_v, dim=0)
                a_words[b, s, mask[b, s]] = a
                rows.append(a @ X)
            if kept:
                H = torch.stack(rows)
                a = torch.softmax(torch.tanh(self.sentence_layer(H)) @ self.sentence_v, dim=0)
                a_sentences[b, kept] = a
                h[b] = a @ H
        return a_words, a_sentences, h

    def forward(self, ids, mask):
        return (self.attention(ids, mask)[2] @ self.output.weight.T + self.output.bias)[:, 0]
