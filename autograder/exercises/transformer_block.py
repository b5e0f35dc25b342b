"""Cases and misconceptions of 05_transformer_block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.exercise import Case, Exercise
from autograder.course.layout import Course
from autograder.course.reference import definitions
from coursekit.checking import codec

# Half precision keeps three digits, and sums of them fewer.
_HALF = {"dtype": "exact", "atol": 2e-2}
# Hooks that a case hangs into a module, because `then` can only call and read:
# half precision or evaluation before its first call.
_TO_HALF = codec.Source("{0: lambda module, inputs: module.half() and None}")
_TO_EVAL = codec.Source("{0: lambda module, inputs: module.eval() and None}")


def _of_the_notebook(name: str) -> Any:
    root = Path(__file__).parents[2]
    return definitions(Course(root).solution("05_transformer_block"))[name]


# Wrong and other right answers to later exercises build on the notebook's earlier ones, as a
# student's do: there is one implementation of each.
def scaled_dot_product_attention(*inputs):
    return _of_the_notebook("scaled_dot_product_attention")(*inputs)


def sinusoidal_positions(length, d_model):
    return _of_the_notebook("sinusoidal_positions")(length, d_model)


def MultiHeadAttention(*sizes):
    return _of_the_notebook("MultiHeadAttention")(*sizes)


def PositionwiseNetwork(*sizes):
    return _of_the_notebook("PositionwiseNetwork")(*sizes)


def TransformerBlock(*sizes):
    return _of_the_notebook("TransformerBlock")(*sizes)


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape) * scale, dtype=np.float32))


def _sizes(rng: np.random.Generator, *ranges: tuple[int, int]) -> list[int]:
    return [int(rng.integers(low, high + 1)) for low, high in ranges]


def _lengths_mask(lengths: list[int], longest: int | None = None) -> torch.Tensor:
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def _linear(rng: np.random.Generator, path: str, into: int, out: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": _normal(rng, out, into, scale=1.2 / math.sqrt(into)),
        f"{path}.bias": _normal(rng, out, scale=0.3),
    }


def _attention_state(
    rng: np.random.Generator, d_model: int, keys: int, values: int, path: str = ""
) -> dict[str, torch.Tensor]:
    """Weights whose scores are large enough that a wrong softmax shows."""
    state = _linear(rng, f"{path}W_Q", d_model, keys) | _linear(rng, f"{path}W_K", d_model, keys)
    state |= _linear(rng, f"{path}W_V", d_model, values)
    return state | _linear(rng, f"{path}W_O", values, d_model)


def _block_state(
    rng: np.random.Generator, d_model: int, d_ff: int, path: str = ""
) -> dict[str, torch.Tensor]:
    state = _attention_state(rng, d_model, d_model, d_model, f"{path}attention.")
    state |= _linear(rng, f"{path}network.W_1", d_model, d_ff)
    state |= _linear(rng, f"{path}network.W_2", d_ff, d_model)
    for norm in ("norm_1", "norm_2"):
        state[f"{path}{norm}.weight"] = 1 + _normal(rng, d_model, scale=0.3)
        state[f"{path}{norm}.bias"] = _normal(rng, d_model, scale=0.3)
    return state


# 1. raw_self_attention ------------------------------------------------------------------------


def _raw_self_attention_cases(rng: np.random.Generator) -> Iterator[Case]:
    for low, high in ((2, 3), (4, 5)):
        length, d = _sizes(rng, (low, high), (2, 4))
        yield Case("values", [_normal(rng, length, d)])
    length, d = _sizes(rng, (3, 4), (2, 4))
    yield Case("batch", [_normal(rng, 2, length, d)], title="a batch of two texts")
    yield Case("batch", [_normal(rng, 1, length, d)], title="a batch of one text")
    four = _normal(rng, 2, 2, 3, 2)
    yield Case("batch", [four], title="two axes in front")
    yield Case("edges", [_normal(rng, 1, d)], title="a text of one word")
    long = _normal(rng, 4, 3, scale=20)
    yield Case("edges", [long], title="long vectors, with large dot products")
    gaps = _normal(rng, d, length).mT
    yield Case("edges", [gaps], title="a tensor that is not contiguous")
    half = _normal(rng, 3, d).half()
    yield Case("edges", [half], title="half precision", judge=_HALF)


raw_self_attention = Exercise(
    "raw_self_attention",
    points={"values": 1, "batch": 1, "edges": 1},
    cases=_raw_self_attention_cases,
)


@raw_self_attention.misconception(
    "The softmax runs down the columns. Each row belongs to the word that looks, and the weights of"
    " a row sum to one: the softmax goes along the last axis."
)
def raw_softmax_over_columns(X):
    return torch.softmax(X @ X.mT, dim=-2) @ X


@raw_self_attention.misconception(
    "The dot products themselves are taken as weights. They can be negative or huge; the softmax"
    " makes weights of them."
)
def raw_without_softmax(X):
    return X @ X.mT @ X


@raw_self_attention.misconception(
    "These are the weights. They still have to be multiplied with the words' vectors."
)
def raw_gives_weights(X):
    return torch.softmax(X @ X.mT, dim=-1)


@raw_self_attention.misconception(
    "The scores are divided by the root of d. That is a good idea, and comes in exercise 4; the raw"
    " form does without it."
)
def raw_scales(X):
    return torch.softmax(X @ X.mT / math.sqrt(X.shape[-1]), dim=-1) @ X


@raw_self_attention.misconception(
    "`exp` overflows for large dot products, and infinity divided by infinity is NaN. torch.softmax"
    " subtracts the largest score first."
)
def raw_overflows(X):
    weights = torch.exp(X @ X.mT)
    return weights / weights.sum(dim=-1, keepdim=True) @ X


@raw_self_attention.misconception(
    "The softmax runs over the whole matrix, so all weights together sum to one. Each row should"
    " sum to one: every word distributes its own hundred percent."
)
def raw_softmax_over_everything(X):
    scores = X @ X.mT
    return scores.flatten(-2).softmax(dim=-1).view_as(scores) @ X


@raw_self_attention.misconception(
    "The softmax runs along the first axis. Each row belongs to the word that looks, and the weights"
    " of a row sum to one: go along the last axis, the one of the words that are looked at."
)
def raw_softmax_over_the_first_axis(X):
    return torch.softmax(X @ X.mT, dim=0) @ X


@raw_self_attention.misconception(
    "Counted from the front, axis 1 is the last one for a single text, but not in a batch. Count"
    " from the back: the softmax goes along the last axis, however many stand in front."
)
def raw_softmax_counts_from_the_front(X):
    return torch.softmax(X @ X.mT, dim=1) @ X


@raw_self_attention.misconception(
    "The matrices do not fit together. Words are the rows of X, so the (L, L) dot products of words"
    " need X first, then X turned around; the other way you get the d columns times each other."
)
def raw_multiplies_columns(X):
    return torch.softmax(X.mT @ X, dim=-1) @ X


@raw_self_attention.misconception(
    "The first axis is taken for the words, so it works for a single text only. In a batch the"
    " words are the axis before the last."
)
def raw_single_text(X):
    return torch.softmax(X @ X.T, dim=1) @ X


@raw_self_attention.alternative
def raw_einsum(X):
    scores = torch.einsum("...id,...jd->...ij", X, X)
    return torch.einsum("...ij,...jd->...id", scores.softmax(dim=-1), X)


@raw_self_attention.alternative
def raw_loop(X):
    texts = []
    for text in X.reshape(-1, *X.shape[-2:]):
        rows = []
        for word in text:
            scores = text @ word
            weights = torch.exp(scores - scores.max())
            rows.append((weights / weights.sum()) @ text)
        texts.append(torch.stack(rows))
    return torch.stack(texts).reshape(X.shape)


# 2. padding_mask ------------------------------------------------------------------------------


def _padding_mask_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, longest in ((2, 3), (3, 4), (2, int(rng.integers(5, 8)))):
        lengths = [*_sizes(rng, *[(1, longest - 1)] * (n - 1)), longest]
        yield Case("values", [_lengths_mask(lengths)])
    one = _lengths_mask(_sizes(rng, (1, 4)), 5)
    yield Case("edges", [one], title="a batch of one")
    some = _lengths_mask([0, *_sizes(rng, (1, 4))], 4)
    yield Case("edges", [some], title="a text without words")
    whole = _lengths_mask(_sizes(rng, (1, 2), (3, 4)), 4).long()
    yield Case("edges", [whole], title="a mask of whole numbers")


padding_mask = Exercise("padding_mask", points={"values": 1, "edges": 1}, cases=_padding_mask_cases)


@padding_mask.misconception(
    "This closes the rows of padding: padding must not look. It is the other way around: padding"
    " must not be looked at, so its columns are closed. The axis of length 1 comes before L."
)
def closes_rows(mask):
    return mask.bool().unsqueeze(2)


@padding_mask.misconception(
    "Rows and columns of padding are closed. A row of padding may look at words, nobody reads it;"
    " so one row for all who look is enough, and the shape is (B, 1, L)."
)
def closes_rows_and_columns(mask):
    return mask.bool().unsqueeze(1) & mask.bool().unsqueeze(2)


@padding_mask.misconception(
    "It is True at padding. In this notebook True means open: the place may be looked at."
)
def inverts_the_mask(mask):
    return ~mask.bool().unsqueeze(1)


@padding_mask.misconception(
    "A mask of whole numbers stays one. Turn it into truth values: `~` of the number 1 is -2, which"
    " is no good mask."
)
def keeps_whole_numbers(mask):
    return mask.unsqueeze(1)


@padding_mask.misconception(
    "This already repeats the row for every word that looks. Broadcasting does that for free: an"
    " axis of length 1 is enough."
)
def repeats_the_row(mask):
    return mask.bool().unsqueeze(1).repeat(1, mask.shape[1], 1)


@padding_mask.misconception(
    "The shape is still (B, L). Without the axis of length 1 broadcasting would take the texts for"
    " words that look."
)
def adds_no_axis(mask):
    return mask.bool()


@padding_mask.alternative
def padding_mask_index(mask):
    return (mask != 0)[:, None, :]


@padding_mask.alternative
def padding_mask_loop(mask):
    return torch.stack([torch.tensor([[bool(place) for place in row]]) for row in mask.tolist()])


# 3. causal_mask -------------------------------------------------------------------------------


def _causal_mask_cases(rng: np.random.Generator) -> Iterator[Case]:
    for low, high in ((2, 3), (4, 6), (7, 12)):
        yield Case("values", _sizes(rng, (low, high)))
    yield Case("edges", [1], title="one word")
    yield Case("edges", [0], title="no words")
    yield Case("edges", _sizes(rng, (9, 24)), title="a longer text")


causal_mask = Exercise("causal_mask", points={"values": 1, "edges": 1}, cases=_causal_mask_cases)


@causal_mask.misconception(
    "This opens the future and closes the past. Row i may look at the columns 0 to i: the triangle"
    " below the diagonal."
)
def opens_the_future(length):
    return torch.ones(length, length, dtype=torch.bool).triu()


@causal_mask.misconception(
    "A word may not look at itself here. The diagonal is open; else the first word could look at"
    " nothing at all."
)
def excludes_itself(length):
    return torch.ones(length, length, dtype=torch.bool).tril(-1)


@causal_mask.misconception(
    "It is True where looking is forbidden. In this notebook True means open."
)
def marks_the_forbidden(length):
    return torch.ones(length, length, dtype=torch.bool).triu(1)


@causal_mask.misconception(
    "These are numbers, 1 and 0. A mask is made of truth values (dtype=torch.bool)."
)
def causal_numbers(length):
    return torch.ones(length, length).tril()


@causal_mask.misconception(
    "These are numbers to be added to scores. Here a mask holds truth values; what becomes of the"
    " forbidden scores is the attention's business."
)
def causal_scores(length):
    return torch.full((length, length), -math.inf).triu(1)


@causal_mask.misconception(
    "Each word sees one word too many: the column right of the diagonal is already the future."
)
def sees_one_ahead(length):
    return torch.ones(length, length, dtype=torch.bool).tril(1)


@causal_mask.alternative
def causal_mask_compare(length):
    place = torch.arange(length)
    return place[:, None] >= place


@causal_mask.alternative
def causal_mask_loop(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, : i + 1] = True
    return mask


# 4. scaled_dot_product_attention --------------------------------------------------------------


def _attention_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*front: int, queries: int, keys: int, d_k: int, d_v: int) -> list[torch.Tensor]:
        Q, K = _normal(rng, *front, queries, d_k), _normal(rng, *front, keys, d_k)
        return [Q, K, _normal(rng, *front, keys, d_v)]

    d_k, d_v, more = _sizes(rng, (4, 5), (2, 3), (4, 5))
    yield Case("values", inputs(queries=3, keys=3, d_k=d_k, d_v=d_v))
    yield Case(
        "values", inputs(queries=2, keys=more, d_k=d_k, d_v=d_v), title="fewer queries than keys"
    )
    batch = inputs(2, 2, queries=2, keys=3, d_k=3, d_v=2)
    yield Case("values", batch, title="axes for batch and heads in front")

    lengths = [int(rng.integers(1, 3)), 4]
    padded = _lengths_mask(lengths)[:, None, :]
    same = inputs(2, queries=4, keys=4, d_k=3, d_v=2)
    yield Case("masking", [*same, padded], title="padding")
    ahead = torch.ones(more, more, dtype=torch.bool).tril()
    same = inputs(queries=more, keys=more, d_k=d_k, d_v=d_v)
    yield Case("masking", [*same, ahead], title="nobody looks ahead")
    heads = inputs(2, 2, queries=3, keys=3, d_k=3, d_v=2)
    padded = _lengths_mask([int(rng.integers(1, 3)), 3])[:, None, None, :]
    yield Case("masking", [*heads, padded], title="padding, for all heads")

    nothing = torch.ones(3, 3, dtype=torch.bool)
    nothing[int(rng.integers(0, 3))] = False
    same = inputs(queries=3, keys=3, d_k=d_k, d_v=d_v)
    yield Case("safety", [*same, nothing], title="a query that may look at nothing")
    empty = _lengths_mask([0], 2)[:, None, :]
    alone = inputs(1, queries=2, keys=2, d_k=d_k, d_v=d_v)
    yield Case("safety", [*alone, empty], title="a text without words: all is padding")
    alone = inputs(1, queries=1, keys=1, d_k=d_k, d_v=d_v)
    yield Case("safety", alone, title="a text of one word")
    Q, K, V = inputs(queries=3, keys=3, d_k=d_k, d_v=d_v)
    yield Case("safety", [20 * Q, 20 * K, V], title="large scores")
    alone = inputs(2, queries=2, keys=2, d_k=d_k, d_v=d_v)
    some = _lengths_mask([0, 2])[:, None, :]
    title = "the gradient, with a text without words in the batch"
    yield Case("safety", [*alone, some], title=title, gradient="Q")
    Q, K, V = inputs(queries=d_k, keys=d_k, d_k=3, d_v=d_k)
    yield Case("safety", [Q, K, V.mT], title="a tensor that is not contiguous")
    # Rows at right angles to each other: the dot products are beyond float16, the scores are not.
    size, order = int(rng.integers(66, 86)), rng.permutation(3)
    right_angles = torch.tensor([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]).repeat(1, 4)
    large = (size * right_angles).half()
    V = _normal(rng, 3, d_v).half()
    title = "half precision, with dot products beyond it"
    yield Case("safety", [large[order], large, V], title=title, judge=_HALF)
    Q, K, V = (part.half() for part in inputs(1, queries=3, keys=3, d_k=d_k, d_v=d_v))
    padded = _lengths_mask([int(rng.integers(1, 3))], 3)[:, None, :]
    yield Case("safety", [Q, K, V, padded], title="half precision, with padding", judge=_HALF)


scaled_dot_product = Exercise(
    "scaled_dot_product_attention",
    points={"values": 2, "masking": 2, "safety": 2},
    cases=_attention_cases,
)


@scaled_dot_product.misconception(
    "The scores are not divided by the root of d_k. With wide vectors the softmax then looks at a"
    " single word."
)
def attention_without_scaling(Q, K, V, mask=None):
    scores = Q @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The scores are not divided by the root of d_k. With wide vectors the softmax then looks at a"
    " single word. (And a query that may look at nothing gets NaN; take that up afterwards.)"
)
def attention_first_draft_without_scaling(Q, K, V, mask=None):
    scores = Q @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "It works for a single text, but not with axes for batch and heads in front. K^t turns around"
    " the last two axes of K and leaves the others where they are."
)
def attention_turns_all_axes_around(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.T
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The softmax runs along axis 1, counted from the front. With axes for batch and heads that is"
    " not the axis of the keys any more: count from the back."
)
def attention_softmax_counts_from_the_front(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception("The scores are divided by d_k. Divide by its square root.")
def attention_divides_by_d(Q, K, V, mask=None):
    scores = Q / Q.shape[-1] @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The length of the values is taken for the scaling. It is the length of queries and keys that"
    " makes dot products large."
)
def attention_scales_by_values(Q, K, V, mask=None):
    scores = Q / math.sqrt(V.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The softmax runs over the queries. Each query distributes its weights over the keys: over the"
    " last axis."
)
def attention_softmax_over_queries(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-2).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The mask is read the other way around: True means that a query may look there. (Some functions"
    " of PyTorch mean the opposite.)"
)
def attention_mask_inverted(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else ~mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception("The mask plays no part: forbidden places still get weight.")
def attention_ignores_the_mask(Q, K, V, mask=None):
    weights = torch.softmax(Q / math.sqrt(Q.shape[-1]) @ K.mT, dim=-1)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "Forbidden places get the score 0. But a score of 0 is no low score: the softmax makes e to the"
    " 0 of it, which is 1. It must be far below all others."
)
def attention_masks_with_zero(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, 0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The weights are set to 0 only after the softmax, so those that are left no longer sum to one."
    " The forbidden scores must be low before it."
)
def attention_masks_after_softmax(Q, K, V, mask=None):
    weights = torch.softmax(Q / math.sqrt(Q.shape[-1]) @ K.mT, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "A query that may look at nothing gets NaN: a softmax of nothing but minus infinity divides 0 by"
    " 0. Take the lowest finite number, and set the weights at forbidden places to 0 afterwards."
)
def attention_is_nan_for_nothing(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "The numbers that come out are right, but for a text without words the gradient is NaN, and one"
    " step of training with it would ruin every weight. Replacing NaN after the softmax comes too"
    " late: see that none arises. The lowest finite number in place of minus infinity does it."
)
def attention_gradient_is_nan(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    if mask is not None:
        zero = torch.zeros(mask.shape, dtype=scores.dtype)
        scores = scores + zero.masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num()
    return weights @ V, weights


@scaled_dot_product.misconception(
    "A query that may look at nothing looks at everything: when all scores are equally low, the"
    " softmax spreads the weight evenly. Set the weights at forbidden places to 0 afterwards."
)
def attention_is_even_for_nothing(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "In half precision it stops as soon as there is a mask; the error says where. Either the number"
    " for forbidden places (-1e9, say) is too large for a float16: torch.finfo knows the lowest of"
    " each precision. Or something in float32 was added to the scores and made them float32 too:"
    " then they no longer go together with V."
)
def attention_minus_billion(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, -1e9) if mask is not None else scores
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception(
    "`scores[~mask] = ...` needs a mask of exactly the shape of the scores. This one may have axes"
    " of length 1, or fewer axes; masked_fill and torch.where repeat it as needed."
)
def attention_indexes_with_the_mask(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    if mask is not None:
        scores[~mask] = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights[~mask] = 0
    return weights @ V, weights


@scaled_dot_product.misconception(
    "In half precision the dot products overflow before they are divided: a float16 ends at 65,504."
    " Divide the queries first, then multiply."
)
def attention_divides_too_late(Q, K, V, mask=None):
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights @ V, weights


@scaled_dot_product.misconception("Output and weights are swapped: the output comes first.")
def attention_swaps_results(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1).masked_fill(~open_, 0)
    return weights, weights @ V


@scaled_dot_product.misconception(
    "Only the output is returned. The weights are wanted too, as the second of two results."
)
def attention_gives_output_only(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    scores = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1).masked_fill(~open_, 0) @ V


@scaled_dot_product.misconception(
    "The scores themselves are returned in place of the weights. Weights are what the softmax made"
    " of them."
)
def attention_gives_scores(Q, K, V, mask=None):
    scores = Q / math.sqrt(Q.shape[-1]) @ K.mT
    open_ = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    low = scores.masked_fill(~open_, torch.finfo(scores.dtype).min)
    return torch.softmax(low, dim=-1).masked_fill(~open_, 0) @ V, scores


@scaled_dot_product.alternative
def attention_einsum(Q, K, V, mask=None):
    scores = torch.einsum("...id,...jd->...ij", Q.double(), K.double()) * Q.shape[-1] ** -0.5
    open_ = torch.ones_like(scores) if mask is None else mask.expand_as(scores).double()
    size = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * open_
    weights = size / size.sum(dim=-1, keepdim=True).clamp(min=1e-300)
    output = torch.einsum("...ij,...jd->...id", weights, V.double())
    return output.to(Q.dtype), weights.to(Q.dtype)


@scaled_dot_product.alternative
def attention_where(Q, K, V, mask=None):
    scores = torch.matmul(Q / Q.shape[-1] ** 0.5, torch.transpose(K, -2, -1))
    if mask is None:
        weights = F.softmax(scores, dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = F.softmax(torch.where(mask, scores, lowest), dim=-1) * mask
    return torch.matmul(weights, V), weights


# 5. MultiHeadAttention ------------------------------------------------------------------------


def _multi_head_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        sizes: tuple[int, int, int | None, int | None],
        shape: tuple[int, int],
        mask: torch.Tensor | None = None,
        X: torch.Tensor | None = None,
        hooks: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        d_model, n_heads, d_k, d_v = sizes
        state = _attention_state(
            rng,
            d_model,
            n_heads * (d_k or d_model // n_heads),
            n_heads * (d_v or d_model // n_heads),
        )
        X = _normal(rng, *shape, d_model) if X is None else X
        then = [("__call__", X) if mask is None else ("__call__", X, mask)]
        kwargs = {} if d_k is None else {"d_k": d_k, "d_v": d_v}
        state |= hooks or {}
        return Case(group, [d_model, n_heads], kwargs, state=state, then=then, **more)

    (length,) = _sizes(rng, (3, 4))
    yield case("values", (4, 1, None, None), (2, length), title="one head")
    yield case("values", (4, 2, None, None), (2, 3), title="two heads")
    yield case("values", (6, 3, None, None), (1, length), title="three heads, a batch of one")
    d_k, d_v = _sizes(rng, (2, 3), (4, 5))
    yield case("widths", (4, 2, d_k, d_v), (2, 3), title="values longer than keys")
    yield case("widths", (3, 2, d_v, 2), (1, length), title="keys longer than values")
    padded = _lengths_mask([int(rng.integers(1, 3)), 3])[:, None, :]
    yield case("masking", (4, 2, None, None), (2, 3), padded, title="padding")
    ahead = torch.ones(length, length, dtype=torch.bool).tril()
    yield case("masking", (4, 2, None, None), (2, length), ahead, title="nobody looks ahead")
    both = padded & torch.ones(3, 3, dtype=torch.bool).tril()
    yield case("masking", (4, 2, None, None), (2, 3), both, title="a mask for each text")
    yield case("safety", (4, 2, None, None), (1, 1), title="a text of one word")
    gaps = _normal(rng, 2, 4, 3).mT
    title = "a tensor that is not contiguous"
    yield case("safety", (4, 2, None, None), (2, 3), X=gaps, title=title)
    empty = _lengths_mask([0, 2])[:, None, :]  # full beside it: masking has cases of its own
    yield case("safety", (4, 2, None, None), (2, 2), empty, title="a text without words")
    half = {"_forward_pre_hooks": _TO_HALF}
    X = _normal(rng, 1, 3, 4).half()
    yield case(
        "safety", (4, 2, None, None), (1, 3), X=X, hooks=half, title="half precision", judge=_HALF
    )


multi_head_attention = Exercise(
    "MultiHeadAttention",
    points={"values": 2, "widths": 1, "masking": 1, "safety": 2},
    cases=_multi_head_cases,
)


@multi_head_attention.misconception(
    "A single reshape from (B, L, H * d_k) to (B, H, L, d_k) has the right shape, but it mixes up"
    " words and heads. First cut the last axis in two, then bring the heads to the front."
)
class ReshapesWordsIntoHeads(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (W(X).reshape(B, self.n_heads, L, -1) for W in (self.W_Q, self.W_K, self.W_V))
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The numbers of the heads are interleaved: number 0 goes to the first head, number 1 to the"
    " second. The first d_k numbers together belong to the first head."
)
class InterleavesHeads(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        Q, K, V = (
            W(X).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.permute(0, 2, 3, 1).flatten(2)), weights


@multi_head_attention.misconception(
    "The heads are joined without bringing the words back to the front, so the outputs of different"
    " words get mixed. From (B, H, L, d_v) go to (B, L, H, d_v) before you reshape."
)
class JoinsHeadsTooEarly(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.reshape(B, L, -1)), weights


@multi_head_attention.misconception(
    "The mask plays no part: words still look at forbidden places. Hand it on to the attention, with"
    " an axis for the heads."
)
class LosesTheMask(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        heads, weights = scaled_dot_product_attention(Q, K, V)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The mask gets no axis for the heads, so that broadcasting takes the texts of the mask for heads:"
    " (B, 1, L) has to become (B, 1, 1, L)."
)
class MaskWithoutHeads(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The last axis is cut into (d_k, H), so each head gets every H-th number. The first d_k numbers"
    " together belong to the first head: cut it into (H, d_k)."
)
class CutsIntoNumbersFirst(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        Q, K, V = (
            W(X).unflatten(-1, (-1, self.n_heads)).permute(0, 3, 1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The axis for the heads comes second from the front. That is right for (B, 1, L) and (B, L, L),"
    " but a mask (L, L) has no batch in front. Count from the back: it comes third from the end."
)
class CountsMaskAxesFromTheFront(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask[:, None]
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The last layer W_O is left out: the heads stand side by side, but nothing mixes them."
)
class ForgetsOutputLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return heads.transpose(1, 2).flatten(2), weights


@multi_head_attention.misconception(
    "The scores are divided by the root of d_model, the width of the whole word. A head's dot"
    " products have only d_k terms."
)
class ScalesByTheWholeWidth(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads, self.factor = n_heads, math.sqrt(d_k / d_model)
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(self.factor * Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The values are as long as the keys here, whatever d_v says. Only queries and keys must have"
    " the same length."
)
class ValuesAsLongAsKeys(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k = d_v = d_k or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "The weights are averaged over the heads. Return those of each head, (B, H, L, L)."
)
class AveragesTheWeights(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights.mean(dim=1)


@multi_head_attention.misconception(
    "Queries and keys have changed places: row i of the weights belongs to the word that looks, and"
    " it looks with its query."
)
class SwapsQueriesAndKeys(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).reshape(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(K, Q, V, mask)
        return self.W_O(heads.transpose(1, 2).flatten(2)), weights


@multi_head_attention.misconception(
    "`view` only works on tensors that lie in memory in one piece. After a transpose they do not:"
    " use `reshape`, `flatten` or `unflatten`."
)
class ViewsWhatHasGaps(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q, K, V = (
            W(X).view(B, L, self.n_heads, -1).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        mask = None if mask is None else mask.unsqueeze(-3)
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(heads.transpose(1, 2).view(B, L, -1)), weights


@multi_head_attention.alternative
class LoopsOverHeads(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_k or d_model // n_heads
        self.d_v = d_v or d_model // n_heads
        self.W_Q = nn.Linear(d_model, n_heads * self.d_k)
        self.W_K = nn.Linear(d_model, n_heads * self.d_k)
        self.W_V = nn.Linear(d_model, n_heads * self.d_v)
        self.W_O = nn.Linear(n_heads * self.d_v, d_model)

    def forward(self, X, mask=None):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        outputs, weights = [], []
        for head in range(self.n_heads):
            keys = slice(head * self.d_k, (head + 1) * self.d_k)
            values = slice(head * self.d_v, (head + 1) * self.d_v)
            found, looked = scaled_dot_product_attention(
                Q[..., keys], K[..., keys], V[..., values], mask
            )
            outputs.append(found)
            weights.append(looked)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


@multi_head_attention.alternative
class EinsumHeads(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, n_heads * d_k)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_V = nn.Linear(d_model, n_heads * d_v)
        self.W_O = nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q = self.W_Q(X).reshape(B, L, self.n_heads, -1)
        K = self.W_K(X).reshape(B, L, self.n_heads, -1)
        V = self.W_V(X).reshape(B, L, self.n_heads, -1)
        scores = torch.einsum("bihd,bjhd->bhij", Q, K) / Q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            mask = mask.expand(B, L, L)[:, None]
            weights = scores.masked_fill(~mask, -3e4).softmax(dim=-1) * mask
        heads = torch.einsum("bhij,bjhd->bihd", weights, V)
        return self.W_O(heads.reshape(B, L, -1)), weights


# 6. layer_norm --------------------------------------------------------------------------------


def _layer_norm_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*shape: int, scale: float = 50) -> list[torch.Tensor]:
        """Numbers that are by default so far apart that eps hardly matters."""
        d = shape[-1]
        x = _normal(rng, *shape, scale=scale) + _normal(rng, *shape[:-1], 1, scale=scale / 2)
        return [x, 1 + _normal(rng, d, scale=0.5), _normal(rng, d)]

    d, length = _sizes(rng, (4, 6), (2, 3))
    yield Case("values", inputs(d), title="one vector")
    yield Case("values", inputs(length, d))
    yield Case("values", inputs(2, 3, d), title="a batch of texts")
    for eps in (float(rng.uniform(0.3, 0.6)), 0.05):
        yield Case("epsilon", inputs(length, d, scale=2), {"eps": eps}, title="a large eps")
    same, gamma, beta = inputs(length, d)
    same[:] = float(rng.integers(2, 6)) / 2
    yield Case("epsilon", [same, gamma, beta], title="all numbers of a word are equal")
    yield Case("safety", inputs(1), title="a single number")
    x, gamma, beta = inputs(d, 4)
    yield Case("safety", [x.mT, *inputs(d)[1:]], title="a tensor that is not contiguous")
    half = [part.half() for part in inputs(2, d)]
    half[0] *= 12
    title = "half precision, with large numbers"
    yield Case("safety", half, title=title, judge=_HALF)
    half = [part.half() for part in inputs(2, d)]
    half[0][0] = 0.5
    title = "half precision, with a word whose numbers are equal and eps=1e-12"
    yield Case("safety", half, {"eps": 1e-12}, title=title, judge=_HALF)


layer_norm = Exercise(
    "layer_norm", points={"values": 2, "epsilon": 1, "safety": 1}, cases=_layer_norm_cases
)


@layer_norm.misconception(
    "The variance divides by d - 1, as `var` and `std` do unless they are told otherwise. Here it"
    " divides by d."
)
def norm_unbiased(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True)
    return (gamma * (h - h.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + beta).to(x.dtype)


@layer_norm.misconception(
    "The variance divides by d - 1, as `var` and `std` do unless they are told otherwise. Here it"
    " divides by d. (Half precision is not cared for yet; take that up afterwards.)"
)
def norm_first_draft_unbiased(x, gamma, beta, eps=1e-5):
    variance = x.var(dim=-1, keepdim=True)
    return gamma * (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + eps) + beta


@layer_norm.misconception(
    "Is your eps inside the root? It belongs to the variance. (Half precision is not cared for yet;"
    " take that up afterwards.)"
)
def norm_first_draft_eps_outside(x, gamma, beta, eps=1e-5):
    deviation = x.std(dim=-1, keepdim=True, unbiased=False)
    return gamma * (x - x.mean(dim=-1, keepdim=True)) / (deviation + eps) + beta


@layer_norm.misconception(
    "Mean and variance run over the first axis, over the words or texts. That is batch"
    " normalization; here each vector is normalized by itself, along the last axis. (Half precision"
    " is not cared for yet; take that up afterwards.)"
)
def norm_first_draft_over_the_batch(x, gamma, beta, eps=1e-5):
    variance = x.var(dim=0, keepdim=True, unbiased=False)
    return gamma * (x - x.mean(dim=0, keepdim=True)) / torch.sqrt(variance + eps) + beta


@layer_norm.misconception("Is your eps inside the root? It belongs to the variance.")
def norm_eps_outside(x, gamma, beta, eps=1e-5):
    h = x.float()
    deviation = h.std(dim=-1, keepdim=True, unbiased=False)
    return (gamma * (h - h.mean(dim=-1, keepdim=True)) / (deviation + eps) + beta).to(x.dtype)


@layer_norm.misconception(
    "eps plays no part. A word whose numbers are all equal then divides 0 by 0."
)
def norm_without_eps(x, gamma, beta, eps=1e-5):
    h = x.float()
    deviation = h.std(dim=-1, keepdim=True, unbiased=False)
    return (gamma * (h - h.mean(dim=-1, keepdim=True)) / deviation + beta).to(x.dtype)


@layer_norm.misconception(
    "Mean and variance run over the first axis, over the words or texts. That is batch"
    " normalization; here each vector is normalized by itself, along the last axis."
)
def norm_over_the_batch(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=0, keepdim=True, unbiased=False)
    return (gamma * (h - h.mean(dim=0, keepdim=True)) / (variance + eps).sqrt() + beta).to(x.dtype)


@layer_norm.misconception(
    "There is one mean and one variance for all words together. Each word has its own: go along"
    " the last axis and keep it (keepdim=True)."
)
def norm_over_everything(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(unbiased=False)
    return (gamma * (h - h.mean()) / (variance + eps).sqrt() + beta).to(x.dtype)


@layer_norm.misconception(
    "Mean and variance have lost the last axis, so they no longer line up with the words. Keep it,"
    " with length 1: keepdim=True."
)
def norm_loses_the_axis(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, unbiased=False)
    return (gamma * (h - h.mean(dim=-1)) / (variance + eps).sqrt() + beta).to(x.dtype)


@layer_norm.misconception("gamma and beta play no part: stretch and shift at the end.")
def norm_without_gamma_beta(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True, unbiased=False)
    return ((h - h.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt()).to(x.dtype)


@layer_norm.misconception("gamma and beta have changed places: gamma multiplies, beta is added.")
def norm_swaps_gamma_beta(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True, unbiased=False)
    return (beta * (h - h.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + gamma).to(x.dtype)


@layer_norm.misconception(
    "The root is missing: divide by the standard deviation, not by the variance."
)
def norm_divides_by_variance(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True, unbiased=False)
    return (gamma * (h - h.mean(dim=-1, keepdim=True)) / (variance + eps) + beta).to(x.dtype)


@layer_norm.misconception(
    "The root is missing: divide by the standard deviation, not by the variance. (Half precision is"
    " not cared for yet; take that up afterwards.)"
)
def norm_first_draft_without_root(x, gamma, beta, eps=1e-5):
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return gamma * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps) + beta


@layer_norm.misconception(
    "The mean is not subtracted. (Some newer models do without it, and call it RMSNorm.)"
)
def norm_without_mean(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True, unbiased=False)
    return (gamma * h / (variance + eps).sqrt() + beta).to(x.dtype)


@layer_norm.misconception(
    "In half precision the squares overflow, and a small eps is rounded to 0. Compute in float32,"
    " and turn the result back at the end."
)
def norm_in_half_precision(x, gamma, beta, eps=1e-5):
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = (centered * centered).mean(dim=-1, keepdim=True)
    return gamma * centered / (variance + eps).sqrt() + beta


@layer_norm.misconception(
    "Half precision goes in, but float32 comes out. At the end turn the result back into the"
    " precision that x has."
)
def norm_stays_in_float32(x, gamma, beta, eps=1e-5):
    h = x.float()
    variance = h.var(dim=-1, keepdim=True, unbiased=False)
    return gamma.float() * (h - h.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + beta


@layer_norm.alternative
def norm_by_torch(x, gamma, beta, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


@layer_norm.alternative
def norm_by_moments(x, gamma, beta, eps=1e-5):
    h = x.double()
    mean = h.sum(dim=-1, keepdim=True) / h.shape[-1]
    variance = (h**2).sum(dim=-1, keepdim=True) / h.shape[-1] - mean**2
    scaled = (h - mean) * (variance.clamp(min=0) + eps) ** -0.5
    return (scaled * gamma + beta).to(x.dtype)


# 7. PositionwiseNetwork -----------------------------------------------------------------------


def _network_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, X: torch.Tensor, *options: str, **more: Any) -> Case:
        d_model, d_ff = X.shape[-1], int(rng.integers(5, 8))
        state = _linear(rng, "W_1", d_model, d_ff) | _linear(rng, "W_2", d_ff, d_model)
        state |= more.pop("hooks", {})
        return Case(group, [d_model, d_ff, *options], state=state, then=[("__call__", X)], **more)

    d, length = _sizes(rng, (3, 4), (2, 4))
    yield case("relu", _normal(rng, 2, length, d))
    yield case("relu", _normal(rng, 1, 1, d), "relu", title="a text of one word")
    yield case("gelu", _normal(rng, 2, length, d), "gelu")
    yield case("gelu", _normal(rng, 1, 2, d, scale=3), "gelu", title="larger numbers")
    yield case("shapes", _normal(rng, d), title="a single vector")
    yield case("shapes", _normal(rng, d, 2).mT, title="a tensor that is not contiguous")
    yield case(
        "shapes",
        _normal(rng, 1, 2, d).half(),
        "gelu",
        hooks={"_forward_pre_hooks": _TO_HALF},
        title="half precision",
        judge=_HALF,
    )


positionwise_network = Exercise(
    "PositionwiseNetwork", points={"relu": 1, "gelu": 1, "shapes": 1}, cases=_network_cases
)


@positionwise_network.misconception(
    "There is no activation between the two layers. Then they are only one linear map, in two"
    " pieces."
)
class NetworkWithoutActivation(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, Z):
        return self.W_2(self.W_1(Z))


@positionwise_network.misconception(
    "The activation is applied at the end as well. What comes out may be negative: it will be added"
    " to the word."
)
class NetworkActivatesTwice(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.f = getattr(F, activation)

    def forward(self, Z):
        return self.f(self.W_2(self.f(self.W_1(Z))))


@positionwise_network.misconception(
    "It always takes the ReLU. `activation` says which one is wanted."
)
class NetworkAlwaysRelu(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, Z):
        return self.W_2(F.relu(self.W_1(Z)))


@positionwise_network.misconception(
    "This is the approximation of the GELU by a tanh. Here the exact one is wanted, which F.gelu"
    " computes when it is asked for nothing else."
)
class NetworkApproximates(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.activation = activation

    def forward(self, Z):
        Z = self.W_1(Z)
        Z = F.relu(Z) if self.activation == "relu" else F.gelu(Z, approximate="tanh")
        return self.W_2(Z)


@positionwise_network.misconception(
    "The input is added to the output. The residual connection belongs to the block, which comes"
    " next."
)
class NetworkAddsItsInput(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.f = getattr(F, activation)

    def forward(self, Z):
        return Z + self.W_2(self.f(self.W_1(Z)))


@positionwise_network.misconception(
    "The activation comes before the first layer. It belongs between the two, on the hidden numbers."
)
class NetworkActivatesFirst(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.f = getattr(F, activation)

    def forward(self, Z):
        return self.W_2(self.W_1(self.f(Z)))


@positionwise_network.misconception(
    "The activation comes after the second layer. It belongs between the two, on the hidden numbers;"
    " what comes out may be negative."
)
class NetworkActivatesLast(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.f = getattr(F, activation)

    def forward(self, Z):
        return self.f(self.W_2(self.W_1(Z)))


@positionwise_network.misconception(
    "The layers have no bias. An nn.Linear has one unless you forbid it, and here it stays."
)
class NetworkWithoutBias(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff, bias=False)
        self.W_2 = nn.Linear(d_ff, d_model, bias=False)
        self.f = getattr(F, activation)

    def forward(self, Z):
        return self.W_2(self.f(self.W_1(Z)))


@positionwise_network.alternative
class NetworkByHand(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.soft = activation == "gelu"

    def forward(self, Z):
        h = Z @ self.W_1.weight.T + self.W_1.bias
        h = h * 0.5 * (1 + torch.erf(h / math.sqrt(2))) if self.soft else h.clamp(min=0)
        return h @ self.W_2.weight.T + self.W_2.bias


@positionwise_network.alternative
class NetworkOfModules(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        middle = nn.GELU() if activation == "gelu" else nn.ReLU()
        self.layers = nn.Sequential(self.W_1, middle, self.W_2)

    def forward(self, Z):
        return self.layers(Z)


# 8. TransformerBlock --------------------------------------------------------------------------


def _block_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, *calls: tuple[torch.Tensor, ...], **more: Any) -> Case:
        d_model, n_heads, d_ff = 4, 2, int(rng.integers(5, 7))
        state = _block_state(rng, d_model, d_ff) | more.pop("hooks", {})
        kwargs = {"dropout": 0.0} | more.pop("options", {})
        then = [("__call__", *inputs) for inputs in calls] + more.pop("reads", [])
        return Case(group, [d_model, n_heads, d_ff], kwargs, state=state, then=then, **more)

    (length,) = _sizes(rng, (3, 4))
    yield case("values", (_normal(rng, 1, length, 4),))
    X, order = _normal(rng, 1, 4, 4), rng.permutation(4)
    title = "the same words in another order: each has the same vector as before"
    yield case("values", (X,), (X[:, order],), title=title)
    padded = _lengths_mask([int(rng.integers(1, 3)), 3])[:, None, :]
    yield case("masking", (_normal(rng, 2, 3, 4), padded), title="padding")
    ahead = torch.ones(length, length, dtype=torch.bool).tril()
    yield case("masking", (_normal(rng, 1, length, 4), ahead), title="nobody looks ahead")
    empty = _lengths_mask([0, int(rng.integers(1, 3))], 2)[:, None, :]
    yield case("masking", (_normal(rng, 2, 2, 4), empty), title="a text without words")
    X = _normal(rng, 1, 2, 4)
    title = "dropout 1 in training: only what goes past attention and network is left"
    yield case("dropout", (X,), options={"dropout": 1.0}, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    hooks = {"_forward_pre_hooks": _TO_EVAL}
    reads = [(".dropout.p",)]
    yield case("dropout", (X,), options={"dropout": 1.0}, hooks=hooks, reads=reads, title=title)
    gelu = {"activation": "gelu", "eps": 1e-12}
    yield case("options", (_normal(rng, 1, 3, 4),), options=gelu, title="as in BERT")
    eps = {"eps": float(rng.uniform(0.2, 0.5))}
    yield case("options", (_normal(rng, 1, 3, 4),), options=eps, title="a large eps")
    gaps = _normal(rng, 2, 4, 2).mT
    yield case("options", (gaps,), title="a tensor that is not contiguous")
    half = {"_forward_pre_hooks": _TO_HALF}
    X = _normal(rng, 1, 2, 4).half()
    yield case("options", (X,), hooks=half, title="half precision", judge=_HALF)


transformer_block = Exercise(
    "TransformerBlock",
    points={"values": 2, "masking": 1, "dropout": 1, "options": 1},
    cases=_block_cases,
)


@transformer_block.misconception(
    "It normalizes before attention and network (as GPT-2 does). Here each sum is normalized after"
    " adding."
)
class NormalizesFirst(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = X + self.dropout(self.attention(self.norm_1(X), mask)[0])
        return Z + self.dropout(self.network(self.norm_2(Z)))


@transformer_block.misconception(
    "MultiHeadAttention returns two things, the output and the weights. Only the first is added to"
    " the words."
)
class AddsOutputAndWeights(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.attention(X, mask))
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "What attention finds takes the word's place. It should be added to the word: the first"
    " residual connection is missing."
)
class AttentionWithoutResidual(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(self.dropout(self.attention(X, mask)[0]))
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "What the network returns takes the word's place. It should be added: the second residual"
    " connection is missing."
)
class NetworkWithoutResidual(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X, mask)[0]))
        return self.norm_2(self.dropout(self.network(Z)))


@transformer_block.misconception(
    "The second residual connection adds the block's input. It adds z, what came out of the first"
    " normalization."
)
class AddsTheInputTwice(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X, mask)[0]))
        return self.norm_2(X + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "The first normalization is missing: z is normalized before it goes into the network."
)
class SkipsTheFirstNorm(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = X + self.dropout(self.attention(X, mask)[0])
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "Both sums go through the same normalization. Each has its own gamma and beta: norm_1 after"
    " attention, norm_2 after the network."
)
class UsesOneNormTwice(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X, mask)[0]))
        return self.norm_1(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "It normalizes what attention and network return, and adds the word afterwards. Add first: the"
    " sum is normalized."
)
class NormalizesBeforeAdding(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = X + self.norm_1(self.dropout(self.attention(X, mask)[0]))
        return Z + self.norm_2(self.dropout(self.network(Z)))


@transformer_block.misconception(
    "The mask gets lost: hand it on to the attention, or words look at padding and ahead."
)
class BlockLosesTheMask(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X)[0]))
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "The sum is dropped, and with it the word itself. Dropout acts on what attention and network"
    " return, before it is added; the road past them stays open."
)
class DropsTheSum(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(self.dropout(X + self.attention(X, mask)[0]))
        return self.norm_2(self.dropout(Z + self.network(Z)))


@transformer_block.misconception(
    "Dropout acts on what comes out of the normalizations, and the word itself gets lost with it. It"
    " belongs inside: on what attention and network return, before it is added."
)
class DropsAfterTheNorms(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.dropout(self.norm_1(X + self.attention(X, mask)[0]))
        return self.dropout(self.norm_2(Z + self.network(Z)))


@transformer_block.misconception("Nothing is dropped in training: `dropout` plays no part.")
class BlockWithoutDropout(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.attention(X, mask)[0])
        return self.norm_2(Z + self.network(Z))


@transformer_block.misconception(
    "Dropout stays on in evaluation. F.dropout does not know what the module is doing; nn.Dropout"
    " does, and `self.dropout` is one."
)
class DropsInEvaluation(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = dropout

    def forward(self, X, mask=None):
        Z = self.norm_1(X + F.dropout(self.attention(X, mask)[0], self.dropout))
        return self.norm_2(Z + F.dropout(self.network(Z), self.dropout))


@transformer_block.misconception(
    "`activation` does not reach the network: it always takes the ReLU. BERT needs the GELU."
)
class BlockAlwaysRelu(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X, mask)[0]))
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.misconception(
    "`eps` does not reach the normalizations: nn.LayerNorm takes it as an argument of that name."
)
class BlockIgnoresEps(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z = self.norm_1(X + self.dropout(self.attention(X, mask)[0]))
        return self.norm_2(Z + self.dropout(self.network(Z)))


@transformer_block.alternative
class BlockByParts(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(p=dropout)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.attention = MultiHeadAttention(d_model, n_heads)

    def forward(self, X, mask=None):
        for part, norm in (
            (lambda x: self.attention(x, mask)[0], self.norm_1),
            (self.network, self.norm_2),
        ):
            X = norm(self.dropout(part(X)) + X)
        return X


@transformer_block.alternative
class BlockFunctional(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.eps, self.dropout = eps, nn.Dropout(dropout)
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.network = PositionwiseNetwork(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, X, mask=None):
        found = F.dropout(self.attention(X, mask)[0], self.dropout.p, self.training)
        one, two = self.norm_1, self.norm_2
        Z = F.layer_norm(X + found, X.shape[-1:], one.weight, one.bias, self.eps)
        thought = F.dropout(self.network(Z), self.dropout.p, self.training)
        return F.layer_norm(Z + thought, X.shape[-1:], two.weight, two.bias, self.eps)


# 9. copy_weights ------------------------------------------------------------------------------


def _copy_weights_cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(d_model: int) -> dict[str, torch.Tensor]:
        return _block_state(rng, d_model, d_model + int(rng.integers(1, 3)))

    for d_model in (2, 3):
        yield Case("values", [weights(d_model)])
    mixed = list(weights(2).items())
    mixed = dict(mixed[i] for i in rng.permutation(len(mixed)))
    yield Case("edges", [mixed], title="the dictionary in another order")
    yield Case("edges", [weights(1)], title="one number per word")
    half = {name: weight.half() for name, weight in weights(2).items()}
    yield Case("edges", [half], title="half precision", judge={"dtype": "exact"})


copy_weights = Exercise("copy_weights", points={"values": 2, "edges": 1}, cases=_copy_weights_cases)


@copy_weights.misconception(
    "The three matrices are glued together in another order. From top to bottom it is Q, K, V."
)
def copies_keys_first(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    theirs = {f"{b}.{k}": weights[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}
    for k in ("weight", "bias"):
        glued = [weights[f"attention.{name}.{k}"] for name in ("W_K", "W_Q", "W_V")]
        theirs[f"self_attn.in_proj_{k}"] = torch.cat(glued)
    return theirs


@copy_weights.misconception(
    "The three matrices are glued side by side. They belong on top of each other: the outputs of an"
    " nn.Linear are the rows of its weight."
)
def copies_side_by_side(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    theirs = {f"{b}.{k}": weights[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}
    for k in ("weight", "bias"):
        glued = [weights[f"attention.{name}.{k}"] for name in ("W_Q", "W_K", "W_V")]
        theirs[f"self_attn.in_proj_{k}"] = torch.cat(glued, dim=-1)
    return theirs


@copy_weights.misconception(
    "The three matrices are stacked along a new axis. They are glued into one matrix with 3 * d_model"
    " rows: no axis is added, one that is there gets longer."
)
def copies_stacked(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    theirs = {f"{b}.{k}": weights[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}
    for k in ("weight", "bias"):
        glued = [weights[f"attention.{name}.{k}"] for name in ("W_Q", "W_K", "W_V")]
        theirs[f"self_attn.in_proj_{k}"] = torch.stack(glued)
    return theirs


@copy_weights.misconception(
    "The matrices are transposed. Both sides store a weight as (out, in), as every nn.Linear does:"
    " nothing has to be turned around."
)
def copies_transposed(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    turned = {n: w.T.contiguous() if w.dim() == 2 else w for n, w in weights.items()}
    theirs = {f"{b}.{k}": turned[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}
    for k in ("weight", "bias"):
        glued = [turned[f"attention.{name}.{k}"] for name in ("W_Q", "W_K", "W_V")]
        theirs[f"self_attn.in_proj_{k}"] = torch.cat(glued)
    return theirs


@copy_weights.misconception(
    "The biases are missing: every layer has a `.weight` and a `.bias`, and so do the glued ones"
    " (`in_proj_bias`)."
)
def copies_no_biases(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    theirs = {f"{b}.weight": weights[f"{a}.weight"] for a, b in names.items()}
    glued = [weights[f"attention.{name}.weight"] for name in ("W_Q", "W_K", "W_V")]
    return {"self_attn.in_proj_weight": torch.cat(glued), **theirs}


@copy_weights.misconception(
    "The names are guessed from the order of the dictionary. A dictionary may come in any order:"
    " look each weight up by its name."
)
def copies_by_order(weights):
    w = list(weights.values())
    theirs = {"self_attn.in_proj_weight": torch.cat([w[0], w[2], w[4]])}
    theirs["self_attn.in_proj_bias"] = torch.cat([w[1], w[3], w[5]])
    names = ("self_attn.out_proj", "linear1", "linear2", "norm1", "norm2")
    for place, name in enumerate(names):
        theirs[f"{name}.weight"] = w[6 + 2 * place]
        theirs[f"{name}.bias"] = w[7 + 2 * place]
    return theirs


@copy_weights.misconception(
    "The two normalizations have changed places: norm_1, after the attention, is norm1."
)
def copies_norms_swapped(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm2", "norm_2": "norm1"}
    theirs = {f"{b}.{k}": weights[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}
    for k in ("weight", "bias"):
        glued = [weights[f"attention.{name}.{k}"] for name in ("W_Q", "W_K", "W_V")]
        theirs[f"self_attn.in_proj_{k}"] = torch.cat(glued)
    return theirs


@copy_weights.misconception(
    "W_Q, W_K and W_V are missing: glued together they are `in_proj_weight` and `in_proj_bias`."
)
def copies_no_projections(weights):
    names = {"attention.W_O": "self_attn.out_proj", "network.W_1": "linear1"}
    names |= {"network.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
    return {f"{b}.{k}": weights[f"{a}.{k}"] for a, b in names.items() for k in ("weight", "bias")}


@copy_weights.alternative
def copy_by_replacing(weights):
    theirs = {}
    for name, weight in weights.items():
        for mine, new in (("attention.W_O", "self_attn.out_proj"), ("network.W_", "linear")):
            name = name.replace(mine, new)
        name = name.replace("norm_", "norm")
        if not name.startswith("attention."):
            theirs[name] = weight.clone()
    for kind in ("weight", "bias"):
        Q, K, V = (weights[f"attention.W_{letter}.{kind}"] for letter in "QKV")
        theirs[f"self_attn.in_proj_{kind}"] = torch.cat((Q, K, V), dim=0)
    return theirs


@copy_weights.alternative
def copy_into_empty(weights):
    w, d = weights, len(weights["norm_1.bias"])
    glued = torch.empty(3 * d, d, dtype=w["norm_1.bias"].dtype)
    bias = torch.empty(3 * d, dtype=w["norm_1.bias"].dtype)
    for place, letter in enumerate("QKV"):
        glued[place * d : (place + 1) * d] = w[f"attention.W_{letter}.weight"]
        bias[place * d : (place + 1) * d] = w[f"attention.W_{letter}.bias"]
    return {
        "self_attn.in_proj_weight": glued,
        "self_attn.in_proj_bias": bias,
        "self_attn.out_proj.weight": w["attention.W_O.weight"],
        "self_attn.out_proj.bias": w["attention.W_O.bias"],
        "linear1.weight": w["network.W_1.weight"],
        "linear1.bias": w["network.W_1.bias"],
        "linear2.weight": w["network.W_2.weight"],
        "linear2.bias": w["network.W_2.bias"],
        "norm1.weight": w["norm_1.weight"],
        "norm1.bias": w["norm_1.bias"],
        "norm2.weight": w["norm_2.weight"],
        "norm2.bias": w["norm_2.bias"],
    }


# 10. sinusoidal_positions ---------------------------------------------------------------------


def _sinusoidal_cases(rng: np.random.Generator) -> Iterator[Case]:
    near = {"atol": 1e-5}  # angles of float32, computed in one order or another
    for width in (4, 6, 2 * int(rng.integers(4, 7))):
        yield Case("values", [int(rng.integers(3, 7)), width], judge=near)
    length, width = _sizes(rng, (20, 30), (2, 3))
    yield Case("values", [length, 2 * width], title="a longer text", judge=near)
    odd = 2 * int(rng.integers(2, 5)) + 1
    title = "an odd width: the last column is a sine"
    yield Case("edges", [int(rng.integers(2, 5)), odd], title=title, judge=near)
    yield Case("edges", [int(rng.integers(2, 6)), 1], title="width 1", judge=near)
    yield Case("edges", [1, 4], title="one word", judge=near)
    yield Case("edges", [0, 4], title="no words", judge=near)


sinusoidal = Exercise(
    "sinusoidal_positions", points={"values": 2, "edges": 1}, cases=_sinusoidal_cases
)


@sinusoidal.misconception(
    "All sines stand on the left and all cosines on the right. Here they take turns: a sine in each"
    " even column, the cosine of the same angle next to it."
)
def sines_left_cosines_right(length, d_model):
    i = torch.arange((d_model + 1) // 2)
    angle = torch.arange(length)[:, None] / 10000 ** (2 * i / d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=1)[:, :d_model]


@sinusoidal.misconception(
    "The wavelengths grow too fast: 2i is the number of the column itself. Whoever counts columns"
    " with i and doubles it again gets the double exponent."
)
def doubles_the_exponent(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000 ** (2 * (column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal.misconception(
    "The wavelengths grow too slowly: the exponent is 2i / d, and i counts the pairs. Whoever divides"
    " i by d, without the 2, gets only half way to 10000."
)
def halves_the_exponent(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000 ** (column // 2 / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal.misconception(
    "Each column has a wavelength of its own. A sine and the cosine next to it share one: the"
    " exponent is 2i / d for both, with the same i."
)
def a_wavelength_per_column(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000 ** (column / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal.misconception("The first position is 1 here. Positions count from 0.")
def counts_from_one(length, d_model):
    column = torch.arange(d_model)
    place = torch.arange(1, length + 1)[:, None]
    angle = place / 10000 ** ((column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal.misconception("Sines and cosines are swapped: column 0 is a sine.")
def cosines_first(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.cos(), angle.sin())


@sinusoidal.misconception(
    "Positions and numbers have changed places: a row is a position, a column one of its numbers."
)
def positions_in_columns(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000 ** ((column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos()).T


@sinusoidal.misconception(
    "An odd width breaks it: there is one cosine less than there are sines, so cut the angles to"
    " the columns that are left."
)
def only_even_widths(length, d_model):
    P = torch.zeros(length, d_model)
    angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    P[:, 0::2] = torch.sin(angle)
    P[:, 1::2] = torch.cos(angle)
    return P


@sinusoidal.misconception(
    "The position is multiplied with 10000 to the 2i / d. It is divided by it: the hands get slower"
    " to the right."
)
def clocks_get_faster(length, d_model):
    column = torch.arange(d_model)
    angle = torch.arange(length)[:, None] * 10000 ** ((column - column % 2) / d_model)
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


@sinusoidal.alternative
def positions_by_loops(length, d_model):
    P = torch.zeros(length, d_model)
    for place in range(length):
        for column in range(d_model):
            angle = place / 10000 ** (column // 2 * 2 / d_model)
            P[place, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return P


@sinusoidal.alternative
def positions_by_slices(length, d_model):
    P = torch.zeros(length, d_model)
    place = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    slower = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    P[:, 0::2] = torch.sin(place * slower)
    P[:, 1::2] = torch.cos(place * slower[: d_model // 2])
    return P


# 11. relative_positions -----------------------------------------------------------------------


def _relative_positions_cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, low in ((1, 3), (2, 5)):
        yield Case("values", [low + int(rng.integers(0, 3)), k])
    k = int(rng.integers(2, 4))
    yield Case("values", [k + int(rng.integers(3, 5)), k])
    length = int(rng.integers(2, 5))
    yield Case("edges", [length, length + 2], title="k is larger than any distance")
    yield Case("edges", [length, 0], title="k is 0: no distance is told apart")
    yield Case("edges", [1, int(rng.integers(1, 4))], title="one word")
    yield Case("edges", [0, int(rng.integers(1, 4))], title="no words")


relative_positions = Exercise(
    "relative_positions", points={"values": 2, "edges": 1}, cases=_relative_positions_cases
)


@relative_positions.misconception(
    "The sign is turned around: the distance is j - i, so what stands to the right of the looking"
    " word has the larger numbers."
)
def counts_to_the_left(length, k):
    place = torch.arange(length)
    return (place[:, None] - place).clamp(-k, k) + k


@relative_positions.misconception(
    "Nothing is clipped: all words farther away than k share one number, on each side."
)
def does_not_clip(length, k):
    place = torch.arange(length)
    return place - place[:, None] + k


@relative_positions.misconception(
    "These are the distances from -k to k. As row numbers of a table they have to start at 0, so k"
    " is added."
)
def keeps_negative_distances(length, k):
    place = torch.arange(length)
    return (place - place[:, None]).clamp(-k, k)


@relative_positions.misconception(
    "Left and right are the same here. `not` before a word is something else than `not` after it:"
    " keep the sign."
)
def loses_the_sign(length, k):
    place = torch.arange(length)
    return (place - place[:, None]).abs().clamp(max=k)


@relative_positions.misconception(
    "Left and right are the same here: the distance has lost its sign before k was added. `not`"
    " before a word is something else than `not` after it."
)
def loses_the_sign_and_adds_k(length, k):
    place = torch.arange(length)
    return (place - place[:, None]).abs().clamp(max=k) + k


@relative_positions.misconception(
    "k is added first, and then it is clipped at -k and k. Clip the distances themselves; or, once k"
    " is added, between 0 and 2k."
)
def clips_after_adding(length, k):
    place = torch.arange(length)
    return (place - place[:, None] + k).clamp(-k, k)


@relative_positions.misconception(
    "The distance is clipped on one side only. It lies between -k and k."
)
def clips_the_right_only(length, k):
    place = torch.arange(length)
    return (place - place[:, None]).clamp(max=k) + k


@relative_positions.misconception(
    "Far distances wrap around to the other side. Clipping keeps them at the end: a word far to"
    " the right counts as k to the right."
)
def wraps_around(length, k):
    place = torch.arange(length)
    return (place - place[:, None] + k) % (2 * k + 1)


@relative_positions.misconception(
    "These are decimal numbers. Row numbers of a table must be whole ones (int64)."
)
def gives_decimals(length, k):
    place = torch.arange(length).float()
    return (place - place[:, None]).clamp(-k, k) + k


@relative_positions.alternative
def relative_by_loops(length, k):
    rows = torch.zeros(length, length, dtype=torch.int64)
    for i in range(length):
        for j in range(length):
            rows[i, j] = max(-k, min(k, j - i)) + k
    return rows


@relative_positions.alternative
def relative_by_grid(length, k):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return torch.clip(j - i + k, 0, 2 * k)


# 12. relative_scores --------------------------------------------------------------------------


def _relative_scores_cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*shape: int, k: int) -> list[torch.Tensor]:
        return [_normal(rng, *shape), _normal(rng, 2 * k + 1, shape[-1])]

    length, d = _sizes(rng, (4, 5), (2, 4))
    yield Case("values", inputs(length, d, k=1))
    yield Case("values", inputs(length + 1, d, k=2))
    yield Case("batch", inputs(2, length, d, k=1), title="a batch of two texts")
    yield Case("batch", inputs(1, 2, 4, d, k=2), title="axes for batch and heads in front")
    yield Case("edges", inputs(1, d, k=2), title="one word")
    yield Case("edges", inputs(3, d, k=4), title="k is larger than any distance")
    yield Case("edges", inputs(3, d, k=0), title="k is 0: a table of one vector")
    Q, W = _normal(rng, d, 4).mT, _normal(rng, d, 3).mT
    yield Case("edges", [Q, W], title="tensors that are not contiguous")
    half = [part.half() for part in inputs(4, d, k=1)]
    yield Case("edges", half, title="half precision", judge=_HALF)


relative_scores = Exercise(
    "relative_scores", points={"values": 2, "batch": 1, "edges": 1}, cases=_relative_scores_cases
)


@relative_scores.misconception(
    "The direction is turned around: in row i and column j stands the vector of the distance j - i,"
    " from the looking word i to j."
)
def scores_turned_around(Q, W):
    place, k = torch.arange(Q.shape[-2]), len(W) // 2
    rows = (place[:, None] - place).clamp(-k, k) + k
    return torch.einsum("...id,ijd->...ij", Q, W[rows])


@relative_scores.misconception(
    "The query of the word that is looked at is taken. Row i belongs to the word that looks, and it"
    " looks with query i."
)
def scores_with_the_other_query(Q, W):
    place, k = torch.arange(Q.shape[-2]), len(W) // 2
    rows = (place - place[:, None]).clamp(-k, k) + k
    return torch.einsum("...jd,ijd->...ij", Q, W[rows])


@relative_scores.misconception(
    "The scores are already divided by the root of d_k. That happens later, together with Q K^t."
)
def scores_divided(Q, W):
    place, k = torch.arange(Q.shape[-2]), len(W) // 2
    rows = (place - place[:, None]).clamp(-k, k) + k
    return torch.einsum("...id,ijd->...ij", Q / math.sqrt(Q.shape[-1]), W[rows])


@relative_scores.misconception(
    "These are the products of each query with the whole table, one column per distance. Pick for"
    " each word j the column of its distance: (..., L, L)."
)
def scores_of_the_table(Q, W):
    return Q @ W.mT


@relative_scores.misconception(
    "Far words are not clipped but wrap around or run out of the table: every distance beyond k"
    " takes the table's first or last vector."
)
def scores_wrap_around(Q, W):
    place, k = torch.arange(Q.shape[-2]), len(W) // 2
    rows = (place - place[:, None] + k) % len(W)
    return torch.einsum("...id,ijd->...ij", Q, W[rows])


@relative_scores.misconception(
    "k is one too large: a table of 2k + 1 vectors has k on each side of the middle."
)
def scores_with_wrong_k(Q, W):
    place, k = torch.arange(Q.shape[-2]), (len(W) + 1) // 2
    rows = ((place - place[:, None]).clamp(-k, k) + k).clamp(max=len(W) - 1)
    return torch.einsum("...id,ijd->...ij", Q, W[rows])


@relative_scores.misconception(
    "Only a single text works: with axes in front the words are the axis before the last,"
    " Q.shape[-2]."
)
def scores_of_one_text(Q, W):
    place, k = torch.arange(Q.shape[0]), len(W) // 2
    rows = (place - place[:, None]).clamp(-k, k) + k
    return torch.einsum("id,ijd->ij", Q, W[rows])


@relative_scores.alternative
def scores_by_gather(Q, W):
    length, k = Q.shape[-2], (len(W) - 1) // 2
    place = torch.arange(length)
    rows = torch.clamp(place.unsqueeze(0) - place.unsqueeze(1), min=-k, max=k) + k
    products = Q @ W.mT
    return products.gather(-1, rows.expand(*Q.shape[:-1], length))


@relative_scores.alternative
def scores_by_loops(Q, W):
    length, k = Q.shape[-2], len(W) // 2
    rows = []
    for i in range(length):
        near = [W[max(-k, min(k, j - i)) + k] for j in range(length)]
        rows.append(torch.stack([(Q[..., i, :] * w).sum(dim=-1) for w in near], dim=-1))
    return torch.stack(rows, dim=-2)


# 13. count_parameters -------------------------------------------------------------------------


def _count_cases(rng: np.random.Generator) -> Iterator[Case]:
    def sizes(**fixed: int) -> dict[str, int]:
        drawn = {
            "n_words": int(rng.integers(50, 40000)),
            "d_model": int(rng.integers(5, 200)),
            "n_heads": int(rng.integers(2, 13)),
            "d_k": int(rng.integers(3, 40)),
            "d_v": int(rng.integers(41, 100)),
            "d_ff": int(rng.integers(201, 900)),
            "n_blocks": int(rng.integers(2, 13)),
        }
        return list((drawn | fixed).values())

    for _ in range(2):
        yield Case("values", sizes())
    lecture = sizes(n_words=32000, d_model=100, d_k=37, d_v=100, d_ff=512)
    yield Case("values", lecture, title="the sizes of the lecture")
    yield Case("edges", sizes(n_heads=1), title="one head")
    yield Case("edges", sizes(n_blocks=1), title="one block")
    yield Case("edges", sizes(n_blocks=0), title="no block: only the embedding")


count = Exercise("count_parameters", points={"values": 2, "edges": 1}, cases=_count_cases)


@count.misconception("The biases are not counted: every one of these layers has one.")
def counts_no_biases(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = d_model * (2 * d_k + d_v)
    attention = n_heads * head + n_heads * d_v * d_model
    network, norms = 2 * d_model * d_ff, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception("W_O is not counted: it belongs to the attention of each block.")
def counts_no_output_layer(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = n_heads * head
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "The bias of W_O is counted once for each head. All heads share one W_O with one bias."
)
def counts_output_bias_per_head(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = n_heads * (head + d_v * d_model + d_model)
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "A single normalization is counted. A block has two, each with a gamma and a beta."
)
def counts_one_norm(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = n_heads * head + (n_heads * d_v + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 2 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "The values are counted as long as the keys. W_V has d_v columns, and W_O starts from"
    " H * d_v numbers."
)
def counts_values_like_keys(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * 3 * d_k
    attention = n_heads * head + (n_heads * d_k + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "In the head W_V is counted as long as W_K. Queries and keys have d_k numbers, values have d_v."
)
def counts_keys_three_times(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * 3 * d_k
    attention = n_heads * head + (n_heads * d_v + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "W_O is counted as a square. It starts from all heads side by side, n_heads * d_v numbers; only"
    " in the usual case are these as many as d_model."
)
def counts_square_output_layer(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = n_heads * head + (d_model + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception(
    "The total counts a single block. There are n_blocks of them, each with its own."
)
def counts_one_block(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = n_heads * head + (n_heads * d_v + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + block}


@count.misconception("The attention counts a single head; a block has n_heads of them.")
def counts_one_head(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    head = (d_model + 1) * (2 * d_k + d_v)
    attention = head + (n_heads * d_v + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": head, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.misconception('Under "head" stand all heads together. It is one head\'s W_Q, W_K and W_V.')
def counts_all_heads_as_one(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    heads = n_heads * (d_model + 1) * (2 * d_k + d_v)
    attention = heads + (n_heads * d_v + 1) * d_model
    network, norms = 2 * d_model * d_ff + d_ff + d_model, 4 * d_model
    block = attention + network + norms
    parts = {"embedding": n_words * d_model, "head": heads, "attention": attention}
    parts |= {"network": network, "norms": norms, "block": block}
    return parts | {"total": n_words * d_model + n_blocks * block}


@count.alternative
def count_by_layers(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    def linear(into, out):
        return (into + 1) * out

    parts = {"embedding": n_words * d_model}
    parts["head"] = linear(d_model, d_k) + linear(d_model, d_k) + linear(d_model, d_v)
    parts["attention"] = n_heads * parts["head"] + linear(n_heads * d_v, d_model)
    parts["network"] = linear(d_model, d_ff) + linear(d_ff, d_model)
    parts["norms"] = 2 * (d_model + d_model)
    parts["block"] = parts["attention"] + parts["network"] + parts["norms"]
    parts["total"] = parts["embedding"] + n_blocks * parts["block"]
    return parts


@count.alternative
def count_real_layers(n_words, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    def size(*layers):
        return sum(parameter.numel() for layer in layers for parameter in layer.parameters())

    with torch.device("meta"):  # shapes without memory
        head = size(*[nn.Linear(d_model, d) for d in (d_k, d_k, d_v)])
        attention = head * n_heads + size(nn.Linear(n_heads * d_v, d_model))
        network = size(nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model))
        norms = size(nn.LayerNorm(d_model), nn.LayerNorm(d_model))
        embedding = size(nn.Embedding(n_words, d_model))
    block = attention + network + norms
    return {
        "total": embedding + sum(block for _ in range(n_blocks)),
        "embedding": embedding,
        "block": block,
        "norms": norms,
        "network": network,
        "attention": attention,
        "head": head,
    }


# 14. TransformerClassifier --------------------------------------------------------------------


def _classifier_cases(rng: np.random.Generator) -> Iterator[Case]:
    n_words, d_model, n_heads, d_ff = 7, 4, 2, 5

    def case(group: str, n_blocks: int, lengths: list[int], **more: Any) -> Case:
        longest = more.pop("longest", max(lengths))
        mask = _lengths_mask(lengths, longest)
        ids = torch.from_numpy(rng.integers(1, n_words, size=(len(lengths), longest))) * mask
        ids = more.pop("ids", ids)
        state = {"embedding.weight": _normal(rng, n_words, d_model)}
        state |= _linear(rng, "output", d_model, 1) | more.pop("hooks", {})
        if n_blocks:  # whether the blocks got the right dropout is read, not rolled
            state["_forward_pre_hooks"] = _TO_EVAL
        for block in range(n_blocks):
            state |= _block_state(rng, d_model, d_ff, f"blocks.{block}.")
        kwargs = {"dropout": 0.0, "max_length": longest + 2} | more.pop("options", {})
        then = [("__call__", ids, mask), *more.pop("reads", [])]
        sizes = [n_words, d_model, n_heads, d_ff, n_blocks]
        return Case(group, sizes, kwargs, state=state, then=then, **more)

    (length,) = _sizes(rng, (4, 5))
    yield case("values", 0, [2, 2], title="no blocks: words, positions, mean, score")
    title = "a batch of one, one block, and the positions"
    yield case("values", 1, [length], reads=[(".positions",)], title=title)
    yield case("blocks", 1, [length, length, length], title="three texts of the same length")
    yield case("blocks", 2, [length, 3], title="two blocks")
    rate = {"dropout": int(rng.integers(2, 6)) / 16}
    reads = [(".blocks.0.dropout.p",)]
    title = "a dropout of its own: does it reach the blocks?"
    yield case("blocks", 1, [2], options=rate, reads=reads, title=title)
    short = int(rng.integers(1, 3))
    yield case("padding", 0, [short, 4], title="padding, no blocks")
    yield case("padding", 1, [short, 2, 4], title="padding")
    title = "a text without words"
    yield case("edges", 1, [0, int(rng.integers(2, 4))], title=title)
    yield case("edges", 1, [0], longest=2, title="nothing but padding")
    unknown = torch.ones(1, int(rng.integers(2, 5)), dtype=torch.long)
    title = "only unknown words"
    yield case("edges", 1, [unknown.shape[1]], ids=unknown, title=title)
    title = "dropout 1 in training, no blocks: words and positions are dropped"
    yield case("edges", 0, [2, 3], options={"dropout": 1.0}, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    hooks = {"_forward_pre_hooks": _TO_EVAL}
    yield case("edges", 0, [2, 3], options={"dropout": 1.0}, hooks=hooks, title=title)
    sizes, kwargs = [n_words, d_model, n_heads, d_ff, 0], {"max_length": length}
    reads = [(".positions.requires_grad",)]
    yield Case("edges", sizes, kwargs, then=reads, title="nobody learns the positions")
    reads = [("get_buffer", "positions")]
    title = "the positions move along with the model: they are a buffer"
    yield Case("edges", sizes, kwargs, then=reads, title=title)
    reads = [(".embedding.padding_idx",)]
    yield Case("edges", sizes, kwargs, then=reads, title="row 0 of the embedding is padding")


classifier = Exercise(
    "TransformerClassifier",
    points={"values": 2, "blocks": 1, "padding": 2, "edges": 1},
    cases=_classifier_cases,
)


@classifier.misconception(
    "The positions are counted along the batch: all words of the first text get position 0, all of"
    " the second text position 1. The position is a word's place in its text, along L."
)
class PositionsAlongTheBatch(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: len(ids), None])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The positions are not added, so the model cannot know in which order the words come."
)
class WithoutPositions(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids))
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "Padding is averaged into the mean: sum over real words only, and divide by their number."
)
class AveragesPadding(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        return self.output(X.mean(dim=1)).squeeze(-1)


@classifier.misconception(
    "The sum leaves padding out, but it is divided by the length with padding. Divide by the number"
    " of real words."
)
class DividesByTheLength(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        return self.output((X * mask[..., None]).mean(dim=1)).squeeze(-1)


@classifier.misconception(
    "The mean leaves padding out, but inside the blocks words still look at it. Hand each block the"
    " padding mask."
)
class BlocksSeePadding(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X)
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The blocks get the mask as it is, (B, L), and broadcasting takes its texts for words that look."
    " Your padding_mask gives it the shape that attention expects."
)
class HandsOnTheRawMask(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask)
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "`dropout` does not reach the blocks: each of them takes its default. Hand it on."
)
class DropoutStaysOutside(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The positions are a parameter, so training would change them. They are numbers that move along"
    " with the model but are not learned: a buffer."
)
class PositionsAreLearned(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.positions = nn.Parameter(sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The positions are an ordinary attribute. PyTorch does not know such a tensor: it stays behind"
    " when the model moves to a GPU. A buffer comes along."
)
class PositionsStayBehind(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.positions = sinusoidal_positions(max_length, d_model)
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The embedding does not know that its row 0 is padding. Say so with padding_idx, and the row"
    " starts as zeros and is not trained."
)
class EmbeddingWithoutPadding(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "A text without words divides 0 by 0. Let the number of words be at least 1: then its mean is"
    " zeros and its score the bias of the output."
)
class DividesByNoWords(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "Only the first word's vector is taken, as BERT does with its [CLS]. Here it is the mean over"
    " all real words."
)
class TakesTheFirstWord(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        return self.output(X[:, 0]).squeeze(-1)


@classifier.misconception(
    "The scores have the shape (B, 1). One number per text is wanted, (B,): take the last axis away."
)
class KeepsTheLastAxis(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h)


@classifier.misconception(
    "A bare `squeeze()` removes the batch as well when it holds a single text. Say which axis it may"
    " take."
)
class SqueezesTheBatch(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze()


@classifier.misconception(
    "These are probabilities. The model returns scores: the loss puts the sigmoid on top, in a way"
    " that does not overflow."
)
class GivesProbabilities(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1).sigmoid()


@classifier.misconception(
    "The blocks stand in an ordinary list. PyTorch does not look into lists: their weights would be"
    " neither found nor trained. nn.ModuleList is a list that it knows."
)
class BlocksInAList(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        self.blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "All blocks are one and the same, with the same weights: `[block] * n` repeats one object. Make"
    " a new block in each round of a comprehension."
)
class RepeatsOneBlock(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        self.blocks = nn.ModuleList([TransformerBlock(d_model, n_heads, d_ff, dropout)] * n_blocks)

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "Every block reads the words anew, so only the last one counts. A block reads what the block"
    " before it returned."
)
class BlocksSideBySide(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = Y = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            Y = block(X, mask[:, None, :])
        h = (Y * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.misconception(
    "The words and positions are not dropped out: `self.dropout` acts on their sum before the first"
    " block."
)
class DropsOnlyInBlocks(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.output = nn.Linear(d_model, 1)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)

    def forward(self, ids, mask):
        X = self.embedding(ids) + self.positions[: ids.shape[1]]
        for block in self.blocks:
            X = block(X, mask[:, None, :])
        h = (X * mask[..., None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(h).squeeze(-1)


@classifier.alternative
class ClassifierTextByText(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(TransformerBlock(d_model, n_heads, d_ff, dropout))
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        scores = []
        for row, real in zip(ids, mask):
            if not real.any():
                scores.append(self.output.bias[0])
                continue
            X = self.embedding(row[real]) + self.positions[: real.sum()]
            X = self.dropout(X)[None]
            for block in self.blocks:
                X = block(X)
            scores.append(self.output(X[0].mean(dim=0))[0])
        return torch.stack(scores)


@classifier.alternative
class ClassifierEinsum(nn.Module):
    def __init__(self, n_words, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positions(max_length, d_model), False)
        self.dropout = nn.Dropout(dropout)
        blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        self.blocks = nn.ModuleList(blocks)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        place = torch.arange(ids.shape[1])
        Y = self.dropout(self.embedding(ids) + self.positions[place].unsqueeze(0))
        for block in self.blocks:
            Y = block(Y, mask.unsqueeze(1))
        share = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        h = torch.einsum("bl,bld->bd", share, Y)
        return self.output(h)[:, 0]
