"""Cases and misconceptions of 03_deep_averaging."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from autograder.course.exercise import Case, Exercise
from coursekit.checking import codec

# Some hold a trigram twice (banana), some are shorter than a trigram (a, !).
_WORDS = "a ! it bad fun great movie banana awesome hahaha reader referee enthralling".split()
#: Sums in another order round differently.
_HALF = {"dtype": "exact", "atol": 0.02}


def _normal(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape), dtype=np.float32))


def _numbers(rng: np.random.Generator, low: int, high: int, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.integers(low, high, size=shape))


def _counts(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Bags of small counts in which the first word comes twice."""
    bags = rng.poisson(0.8, size=shape)
    bags[..., 0] = 2
    return torch.from_numpy(bags.astype(np.float32))


def _mask(lengths: list[int]) -> torch.Tensor:
    """True at the first places of each row, as `pad_batch` makes it."""
    return torch.arange(max(1, *lengths)) < torch.tensor(lengths)[:, None]


def _lengths(rng: np.random.Generator, n: int, longest: int) -> list[int]:
    """Lengths of n texts, of which one is the longest and one is shorter."""
    lengths = [longest, int(rng.integers(1, longest - 1)), *rng.integers(1, longest + 1, size=n)]
    return [int(length) for length in rng.permutation(lengths[:n])]


def _generator(rng: np.random.Generator) -> torch.Generator:
    return torch.Generator().manual_seed(int(rng.integers(10_000)))


def _generator_like(used: torch.Generator) -> torch.Generator:
    """A fresh one with the seed of one that has already drawn."""
    return torch.Generator().manual_seed(used.initial_seed())


# 1. bag_times_matrix --------------------------------------------------------------------------


def _bag_times_matrix_cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, v in ((2, 5), (int(rng.integers(3, 6)), int(rng.integers(6, 10)))):
        yield Case("one text", [_normal(rng, k, v), _counts(rng, v)])
    square = int(rng.integers(3, 6))
    text = [_normal(rng, square, square), _counts(rng, square)]
    yield Case("one text", text, title="as many components as words")
    for b, k, v in ((3, 2, 5), (int(rng.integers(4, 7)), 3, int(rng.integers(6, 9)))):
        yield Case("batch", [_normal(rng, k, v), _counts(rng, b, v)])
    yield Case("batch", [_normal(rng, 3, 4), _counts(rng, 1, 4)], title="a batch of one text")
    square = int(rng.integers(3, 5))
    batch = [_normal(rng, square, square), _counts(rng, square, square)]
    yield Case("batch", batch, title="as many texts as words as components")
    n = int(rng.integers(4, 7))
    title = "texts without known words"
    yield Case("edges", [_normal(rng, 3, n), torch.zeros(2, n)], title=title)
    whole = _counts(rng, n).long()
    yield Case("edges", [_normal(rng, 3, n), whole], title="a bag of whole numbers (int64)")
    half = [_normal(rng, 2, n).half(), _counts(rng, n).half()]
    yield Case("edges", half, title="half precision (float16)", judge=_HALF)
    gaps = [_normal(rng, n, 3).mT, _counts(rng, 2, n)]
    yield Case("edges", gaps, title="a matrix that is not contiguous in memory")


bag_times_matrix = Exercise(
    "bag_times_matrix",
    points={"one text": 1, "batch": 1, "edges": 1},
    cases=_bag_times_matrix_cases,
)


@bag_times_matrix.misconception(
    "One text comes out right, a batch does not: its texts are the rows of x, so R cannot stand on"
    " the left. Which product of x with a transposed R gives (B, K)?"
)
def matrix_on_the_left(R, x):
    return R @ x.to(R.dtype)


@bag_times_matrix.misconception(
    "The inner sizes of this product are V and K, which do not fit. (B, V) times what shape is (B, K)?"
    " R has to be transposed."
)
def forgets_to_transpose(R, x):
    return x.to(R.dtype) @ R


@bag_times_matrix.misconception(
    "A batch has one text per column here. The texts are the rows, on the way in and on the way"
    " out: (B, V) becomes (B, K)."
)
def texts_in_columns(R, x):
    return R @ x.to(R.dtype).T if x.dim() == 2 else R @ x.to(R.dtype)


@bag_times_matrix.misconception(
    "How often a word is in the text is lost. A word that comes twice adds its vector twice."
)
def counts_once(R, x):
    return (x > 0).to(R.dtype) @ R.T


@bag_times_matrix.misconception(
    "The sum is divided by the number of words. That is the average, which comes later; here the"
    " vectors are only added up."
)
def is_an_average(R, x):
    return (x.to(R.dtype) @ R.T) / x.to(R.dtype).sum(-1, keepdim=True).clamp(min=1)


@bag_times_matrix.misconception(
    "Each column is multiplied by its count, but the columns are not added up yet. The sum over the"
    " words is missing."
)
def forgets_the_sum(R, x):
    return x.to(R.dtype).unsqueeze(-2) * R


@bag_times_matrix.misconception(
    "On paper d is a column, (K, 1). In code one text is a plain vector with one axis, (K,)."
)
def keeps_the_column(R, x):
    return R @ x.to(R.dtype)[:, None] if x.dim() == 1 else x.to(R.dtype) @ R.T


@bag_times_matrix.misconception(
    "A bag of whole numbers stops the function: both sides of a product need the same type. Bring x"
    " to the type of R first."
)
def insists_on_real_numbers(R, x):
    return x @ R.T


@bag_times_matrix.misconception(
    "The result is always float32. It should have the type of R: half precision stays half."
)
def always_float32(R, x):
    return x.float() @ R.T.float()


@bag_times_matrix.alternative
def bag_times_matrix_einsum(R, x):
    return torch.einsum("kv,...v->...k", R, x.to(R.dtype))


@bag_times_matrix.alternative
def bag_times_matrix_linear(R, x):
    return F.linear(x.to(R.dtype), R)


@bag_times_matrix.alternative
def bag_times_matrix_columns(R, x):
    d = torch.zeros(*x.shape[:-1], R.shape[0], dtype=R.dtype)
    for word in range(R.shape[1]):
        d = d + x[..., word, None].to(R.dtype) * R[:, word]
    return d


# 2. sum_of_vectors ----------------------------------------------------------------------------


def _sum_of_vectors_cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, v, length in ((2, 5, 4), (4, 9, 7), (3, int(rng.integers(8, 12)), 9)):
        yield Case("values", [_normal(rng, k, v), _numbers(rng, 0, v, length)])
    square = int(rng.integers(4, 7))
    text = [_normal(rng, square, square), _numbers(rng, 0, square, 3)]
    yield Case("values", text, title="as many components as words")
    word, other = (int(i) for i in rng.permutation(6)[:2])
    again = torch.tensor([word] * int(rng.integers(2, 5)) + [other, word])
    yield Case("values", [_normal(rng, 3, 6), again], title="one word several times")
    first = torch.tensor([0, int(rng.integers(1, 4)), 0])
    title = "number 0 is a word like any other here"
    yield Case("values", [_normal(rng, 2, 4), first], title=title)
    k = int(rng.integers(2, 5))
    empty = torch.zeros(0, dtype=torch.long)
    yield Case("edges", [_normal(rng, k, 5), empty], title="a text without words")
    yield Case("edges", [_normal(rng, k, 5), _numbers(rng, 0, 5, 1)], title="one word")
    half = [_normal(rng, k, 5).half(), _numbers(rng, 0, 5, 6)]
    yield Case("edges", half, title="half precision (float16)", judge=_HALF)
    gaps = [_normal(rng, 7, k).mT, _numbers(rng, 0, 7, 4)]
    yield Case("edges", gaps, title="a matrix that is not contiguous in memory")


sum_of_vectors = Exercise(
    "sum_of_vectors", points={"values": 2, "edges": 1}, cases=_sum_of_vectors_cases
)


@sum_of_vectors.misconception(
    "A word that comes several times is counted once. Every occurrence adds its vector."
)
def each_word_once(R, ids):
    return R[:, ids.unique()].sum(dim=1)


@sum_of_vectors.misconception(
    "This is the average. Here the vectors are only added up: R times x does not divide either."
)
def averages_the_words(R, ids):
    return R[:, ids].mean(dim=1)


@sum_of_vectors.misconception(
    "The rows of R are looked up. In R each word has a column: it comes second in R[..., ...]."
)
def looks_up_rows(R, ids):
    return R[ids].sum(dim=0)


@sum_of_vectors.misconception(
    "The sum runs over the components of each vector, so one number per word is left. Add up the"
    " words: one number per component."
)
def sums_each_vector(R, ids):
    return R[:, ids].sum(dim=0)


@sum_of_vectors.misconception(
    "A text without words stops the function: there is nothing to stack. The sum of nothing is a"
    " vector of zeros."
)
def stacks_nothing(R, ids):
    return torch.stack([R[:, i] for i in ids]).sum(dim=0)


@sum_of_vectors.misconception(
    "Python's sum() of no vectors is the whole number 0. A text without words should give a vector of"
    " K zeros: start from one, or let torch do the sum."
)
def sums_to_a_number(R, ids):
    return sum(R[:, i] for i in ids)


@sum_of_vectors.misconception(
    "Number 0 is left out. Nothing is padded here: ids holds real words only, and 0 is one of them."
)
def skips_number_zero(R, ids):
    return R[:, ids[ids > 0]].sum(dim=1)


@sum_of_vectors.alternative
def sum_of_vectors_loop(R, ids):
    d = torch.zeros(R.shape[0], dtype=R.dtype)
    for word in ids.tolist():
        d = d + R[:, word]
    return d


@sum_of_vectors.alternative
def sum_of_vectors_embedding(R, ids):
    return F.embedding(ids, R.T.contiguous()).sum(dim=0)


@sum_of_vectors.alternative
def sum_of_vectors_bag(R, ids):
    x = torch.bincount(ids, minlength=R.shape[1]).to(R.dtype)
    return R @ x


# 3. to 5. sum_pool, mean_pool, max_pool -------------------------------------------------------


def _texts(rng: np.random.Generator, n: int, longest: int, k: int) -> list[torch.Tensor]:
    """X and mask; what stands at padding is as large as what stands at words."""
    return [_normal(rng, n, longest, k), _mask(_lengths(rng, n, longest))]


def _opposed(X: torch.Tensor) -> torch.Tensor:
    """X with the second word against the first: no component's largest number is negative."""
    X[:, 0, 0], X[:, 0, 1] = X[:, 0, 0].abs(), -X[:, 0, 1].abs()
    X[:, 1] = -1.5 * X[:, 0]
    return X


def _pool_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", _texts(rng, 2, 4, 2))
    yield Case("values", _texts(rng, 3, 5, 3))
    yield Case("values", _texts(rng, int(rng.integers(4, 6)), int(rng.integers(5, 8)), 2))
    n = int(rng.integers(3, 5))
    yield Case("values", _texts(rng, n, n, n), title="as many texts as places as components")
    low = _texts(rng, 3, 5, 2)
    low[0] = -low[0].abs() - 0.1
    yield Case("values", low, title="all numbers are negative")
    k = int(rng.integers(2, 4))
    holes = torch.tensor([[True, False, True, True, False], [False, True, False, False, True]])
    title = "words are missing in the middle"
    yield Case("values", [_normal(rng, 2, 5, k), holes], title=title)
    none = torch.zeros(1, 3, dtype=torch.bool)
    yield Case("edges", [_normal(rng, 1, 3, k), none], title="a text without words")
    mixed = [_opposed(_normal(rng, 3, 4, k)), _mask([4, 0, 2])]
    yield Case("edges", mixed, title="one of three texts has no words")
    yield Case("edges", [_normal(rng, 1, 1, k), _mask([1])], title="one text of one word")
    gaps = [_opposed(_normal(rng, 2, k, 4).mT), _mask([4, 2])]
    yield Case("edges", gaps, title="a tensor that is not contiguous in memory")


def _precision_cases(rng: np.random.Generator, large: float) -> Iterator[Case]:
    exact = {"dtype": "exact"}
    k = int(rng.integers(2, 4))
    brain = _opposed(_normal(rng, 2, 4, k)).bfloat16()
    yield Case("precision", [brain, _mask([4, 2])], title="half precision (bfloat16)", judge=exact)
    half = ((_normal(rng, 2, 5, k).abs() + 1) * large).clamp(max=60_000).half()
    title = "large numbers in half precision (float16)"
    yield Case("precision", [half, _mask([5, 3])], title=title, judge=exact)
    empty = _normal(rng, 2, 3, k).half()
    title = "half precision (float16), one text without words"
    yield Case("precision", [empty, _mask([3, 0])], title=title, judge=exact)


def _sum_pool_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from _pool_cases(rng)
    yield from _precision_cases(rng, 1000.0)


sum_pool = Exercise(
    "sum_pool", points={"values": 2, "edges": 1, "precision": 1}, cases=_sum_pool_cases
)


@sum_pool.misconception(
    "The mask plays no part, so what stands at padding is added as well. Only places where the mask"
    " is True are words."
)
def adds_padding(X, mask):
    return X.sum(dim=1)


@sum_pool.misconception(
    "The padding is added up and the words are left out: the mask is True at words."
)
def adds_only_padding(X, mask):
    return X.masked_fill(mask.unsqueeze(-1), 0.0).sum(dim=1)


@sum_pool.misconception(
    "The sum runs over the wrong axis. In (B, L, K) the words are axis 1, and that axis should be"
    " gone afterwards: (B, K)."
)
def sums_the_components(X, mask):
    return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=-1)


@sum_pool.misconception(
    "The texts are added up, axis 0. Each text has its own sum: add up its words, axis 1."
)
def sums_the_texts(X, mask):
    return X.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=0)


@sum_pool.misconception(
    "The number of words is right, but not which: they need not be the first ones. Use the mask"
    " itself, not only its sum."
)
def sums_the_first(X, mask):
    first = torch.arange(X.shape[1]) < mask.sum(dim=1, keepdim=True)
    return (X * first.unsqueeze(-1)).sum(dim=1)


@sum_pool.misconception(
    "X has three axes, (B, L, K), and the mask two, (B, L). Give the mask a third axis of length 1 at"
    " its end, so that it holds for all K components of a word."
)
def mask_without_axis(X, mask):
    return (X * mask).sum(dim=1)


@sum_pool.misconception("This is the average. Do not divide here.")
def sum_is_an_average(X, mask):
    shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (X * shares.unsqueeze(-1).to(X.dtype)).sum(dim=1)


@sum_pool.misconception(
    "The result has another type than X: mask.float() is float32, and so is the product with it."
    " Let half precision stay half."
)
def sum_turns_float32(X, mask):
    return (X * mask.float().unsqueeze(-1)).sum(dim=1)


@sum_pool.alternative
def sum_pool_product(X, mask):
    return (X * mask.unsqueeze(-1)).sum(dim=1)


@sum_pool.alternative
def sum_pool_einsum(X, mask):
    return torch.einsum("blk,bl->bk", X, mask.to(X.dtype))


@sum_pool.alternative
def sum_pool_loop(X, mask):
    return torch.stack([vectors[real].sum(dim=0) for vectors, real in zip(X, mask)])


def _mean_pool_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from _pool_cases(rng)
    yield from _precision_cases(rng, 20_000.0)
    n, longest = int(rng.integers(2, 4)), int(rng.integers(3, 5))
    X, mask = _texts(rng, n, longest, 2)
    yield Case("gradient", [X, mask], gradient="X", title="the way back to X")
    mask = mask.clone()
    mask[int(rng.integers(n))] = False
    title = "the way back to X, where one text has no words"
    yield Case("gradient", [X, mask], gradient="X", title=title)


mean_pool = Exercise(
    "mean_pool",
    points={"values": 2, "edges": 1, "precision": 1, "gradient": 1},
    cases=_mean_pool_cases,
)

# The next four are wrong for ordinary texts only. In half precision and without words there are many
# ways to go wrong besides, and the hint should not wait until all others are mended.


@mean_pool.misconception(
    "X and its mask do not have the same number of axes: (B, L, K) and (B, L). Give the mask a third"
    " axis of length 1 at its end, so that it holds for all K components of a word."
)
def mean_mask_without_axis(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    if X.dtype == torch.float32 and mask.any(dim=1).all():
        return (X * mask).sum(dim=1) / n
    return ((X.float() * mask.unsqueeze(-1)).sum(dim=1) / n).to(X.dtype)


@mean_pool.misconception(
    "The sums have the shape (B, K), the numbers of words (B,). Divided by (B,) each *component* would"
    " get its own divisor, or the shapes do not fit at all. The numbers should be (B, 1)."
)
def counts_without_axis(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    if X.dtype == torch.float32 and mask.any(dim=1).all():
        return (X * mask.unsqueeze(-1)).sum(dim=1) / n[:, 0]
    return ((X.float() * mask.unsqueeze(-1)).sum(dim=1) / n).to(X.dtype)


@mean_pool.misconception(
    "Padding is averaged in. A short text in a batch with a long one should have the same average as"
    " alone: only places where the mask is True count."
)
def averages_padding(X, mask):
    return X.mean(dim=1)


@mean_pool.misconception(
    "The sum is right, but it is divided by the length of the batch, padding included. Divide each"
    " text by the number of its own words."
)
def divides_by_the_longest(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    if X.dtype == torch.float32 and mask.any(dim=1).all():
        n = X.shape[1]
    return ((X.float() * mask.unsqueeze(-1)).sum(dim=1) / n).to(X.dtype)


@mean_pool.misconception(
    "The sum is divided by the number of words in the whole batch. Each text has its own number:"
    " count along axis 1."
)
def divides_by_all_words(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    if X.dtype == torch.float32 and mask.any(dim=1).all():
        n = mask.sum()
    return ((X.float() * mask.unsqueeze(-1)).sum(dim=1) / n).to(X.dtype)


@mean_pool.misconception(
    "A text without words divides 0 by 0, which is NaN. Divide by at least 1: the average of nothing"
    " is zeros here."
)
def average_of_nothing(X, mask):
    shares = (mask / mask.sum(dim=1, keepdim=True)).to(X.dtype)
    return (X * shares.unsqueeze(-1)).sum(dim=1)


@mean_pool.misconception(
    "The average is right, but on the way back the gradient of X holds NaN. Where a text has no words it"
    " is divided by 0, and to replace the NaN afterwards does not mend the gradient: 0 times infinity is"
    " NaN again. Divide by at least 1 to begin with."
)
def repairs_afterwards(X, mask):
    total = (X.float() * mask.unsqueeze(-1)).sum(dim=1)
    return (total / mask.sum(dim=1, keepdim=True)).nan_to_num(0.0).to(X.dtype)


@mean_pool.misconception(
    "The average is right, but it has no gradient: X is not on the way back any more. Leave out"
    " detach(), torch.no_grad(), torch.tensor(...), .item() and the like, or nothing can be learned."
)
def cuts_the_way_back(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return ((X.detach().float() * mask.unsqueeze(-1)).sum(dim=1) / n).to(X.dtype)


@mean_pool.misconception(
    "Every text is divided by one word too many: adding 1 protects from 0, but changes all other"
    " averages. Let only a count of 0 become 1."
)
def always_adds_one(X, mask):
    shares = (mask / (mask.sum(dim=1, keepdim=True) + 1)).to(X.dtype)
    return (X * shares.unsqueeze(-1)).sum(dim=1)


@mean_pool.misconception(
    "The sum is infinite before it is divided: float16 ends at 65,504. Divide first and add up then,"
    " or add up in float32."
)
def sum_overflows(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (X * mask.unsqueeze(-1)).sum(dim=1) / n.to(X.dtype)


@mean_pool.misconception(
    "The result is float32 where X is half precision. Compute in float32 if you like, but give the"
    " result the type of X."
)
def mean_turns_float32(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (X.float() * mask.unsqueeze(-1)).sum(dim=1) / n


@mean_pool.misconception(
    "The number of words is right, but not which: they need not be the first ones. Use the mask"
    " itself, not only its sum."
)
def averages_the_first(X, mask):
    n = mask.sum(dim=1, keepdim=True)
    shares = (torch.arange(X.shape[1]) < n) / n.clamp(min=1)
    return (X * shares.unsqueeze(-1).to(X.dtype)).sum(dim=1)


@mean_pool.alternative
def mean_pool_float32(X, mask):
    total = torch.einsum("blk,bl->bk", X.float(), mask.float())
    return (total / mask.sum(dim=1)[:, None].clamp(min=1)).to(X.dtype)


@mean_pool.alternative
def mean_pool_loop(X, mask):
    rows = []
    for vectors, real in zip(X, mask):
        words = vectors[real].float()
        rows.append(words.mean(dim=0) if len(words) else torch.zeros(X.shape[-1]))
    return torch.stack(rows).to(X.dtype)


@mean_pool.alternative
def mean_pool_nanmean(X, mask):
    words = X.float().masked_fill(~mask[..., None], float("nan"))
    return words.nanmean(dim=1).nan_to_num(0.0).to(X.dtype)


def _max_pool_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from _pool_cases(rng)
    yield from _precision_cases(rng, 20_000.0)


max_pool = Exercise(
    "max_pool", points={"values": 2, "edges": 1, "precision": 1}, cases=_max_pool_cases
)


@max_pool.misconception(
    "Padding takes part: a number at padding can be the largest. Only places where the mask is True"
    " count."
)
def padding_wins(X, mask):
    return X.amax(dim=1)


@max_pool.misconception(
    "Padding is set to 0, and 0 is larger than every negative number. Set it to something that never"
    " wins."
)
def zero_wins(X, mask):
    return (X * mask.unsqueeze(-1)).amax(dim=1)


@max_pool.misconception(
    "A text without words gives minus infinity, which would ruin all that follows. Let it give"
    " zeros."
)
def maximum_of_nothing(X, mask):
    return X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)


@max_pool.misconception(
    "A text without words gives a huge negative number, which would swamp all that follows. Let it"
    " give zeros."
)
def leaves_the_filler(X, mask):
    least = torch.finfo(X.dtype).min
    return X.masked_fill(~mask.unsqueeze(-1), least).amax(dim=1)


@max_pool.misconception(
    "-1e9 does not exist in float16, which ends at -65,504: the function stops. Minus infinity"
    " exists in every precision."
)
def filler_too_large(X, mask):
    h = X.masked_fill(~mask.unsqueeze(-1), -1e9).amax(dim=1)
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


@max_pool.misconception(
    "X has three axes, (B, L, K), and the mask two, (B, L). Give the mask a third axis of length 1 at"
    " its end, so that it holds for all K components of a word."
)
def max_mask_without_axis(X, mask):
    h = X.masked_fill(~mask, float("-inf")).amax(dim=1)
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


@max_pool.misconception(
    "The maxima have the shape (B, K), but which texts have words at all, mask.any(dim=1), has the shape"
    " (B,). Side by side they fit only by chance: that should be (B, 1), one answer per row."
)
def texts_without_axis(X, mask):
    h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
    return torch.where(mask.any(dim=1), h, 0.0)


@max_pool.misconception(
    "`max(dim=...)` returns two things: the largest numbers and where they are. Keep the first"
    " (`.values`), or use `amax`."
)
def returns_a_pair(X, mask):
    h, where = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(dim=1)
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0), where


@max_pool.misconception(
    "This keeps one word's vector whole, the one with the largest sum. The maximum is taken for each"
    " component alone, so several words may give their share."
)
def picks_one_word(X, mask):
    sizes = X.sum(dim=-1).masked_fill(~mask, float("-inf"))
    h = X[torch.arange(len(X)), sizes.argmax(dim=1)]
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


@max_pool.misconception(
    "Sizes are compared without their signs. -3 is smaller than 1, although it is far from 0."
)
def compares_sizes(X, mask):
    where = X.abs().masked_fill(~mask.unsqueeze(-1), -1.0).argmax(dim=1, keepdim=True)
    return X.gather(1, where).squeeze(1).masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


@max_pool.alternative
def max_pool_finfo(X, mask):
    least = torch.finfo(X.dtype).min
    h = torch.where(mask[..., None], X, least).max(dim=1).values
    return torch.where(mask.any(dim=1)[:, None], h, torch.zeros_like(h))


@max_pool.alternative
def max_pool_loop(X, mask):
    rows = []
    for vectors, real in zip(X, mask):
        words = vectors[real]
        rows.append(words.amax(dim=0) if len(words) else torch.zeros_like(vectors[0]))
    return torch.stack(rows)


# 6. CBOWClassifier ----------------------------------------------------------------------------

_UNKNOWN = 1  # the number of <unk> in coursekit.text.Vocabulary


def _ids(rng: np.random.Generator, mask: torch.Tensor, n_words: int) -> torch.Tensor:
    """Known words where the mask is True, 0 elsewhere."""
    return _numbers(rng, 2, n_words, *mask.shape) * mask


def _cbow(rng: np.random.Generator, n_words: int, dim: int) -> dict[str, torch.Tensor]:
    """Weights; the vectors of padding and of the unknown word are not zero on purpose."""
    return {
        "R.weight": _normal(rng, n_words, dim),
        "W_o.weight": _normal(rng, 1, dim),
        "W_o.bias": _normal(rng, 1),
    }


def _cbow_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, ids: torch.Tensor, mask: torch.Tensor, v: int, title: str = "") -> Case:
        dim = int(rng.integers(2, 5))
        state = _cbow(rng, v, dim)
        return Case(group, [v, dim], state=state, then=[("__call__", ids, mask)], title=title)

    for n, longest, v in ((2, 4, 6), (3, 5, 8), (int(rng.integers(4, 6)), 6, 9)):
        mask = _mask(_lengths(rng, n, longest))
        yield case("scores", _ids(rng, mask, v), mask, v)
    mask = _mask([int(rng.integers(3, 6))])
    yield case("scores", _ids(rng, mask, 7), mask, 7, "a batch of one text")
    # Another pooling than the default, which also shows whether the class pools at all.
    mask = _mask(_lengths(rng, 3, 5))
    pool = codec.Source("lambda X, mask: X[:, 0] + 2 * mask.sum(dim=1, keepdim=True)")
    yield Case(
        "scores",
        [6, 3, pool],
        state=_cbow(rng, 6, 3),
        then=[("__call__", _ids(rng, mask, 6), mask)],
        title="another pool is handed in",
    )
    mask = _mask([5, 3, 4])
    ids = _ids(rng, mask, 8)
    ids[0, int(rng.integers(5))] = ids[1, int(rng.integers(3))] = _UNKNOWN
    yield case("unknown", ids, mask, 8, "some words are unknown")
    mask = _mask([3, 2])
    strange = torch.full((2, 3), _UNKNOWN) * mask
    yield case("unknown", strange, mask, 5, "every word is unknown")
    mask = _mask([0, int(rng.integers(2, 5))])
    yield case("edges", _ids(rng, mask, 6), mask, 6, "a text without words")
    yield case("edges", torch.zeros(1, 1, dtype=torch.long), _mask([0]), 4, "nothing but padding")
    yield case("edges", _numbers(rng, 2, 6, 1, 1), _mask([1]), 6, "one text of one word")
    ids, mask = _numbers(rng, 2, 7, 4, 3).mT, torch.ones(3, 4, dtype=torch.bool)
    yield case("edges", ids, mask, 7, "word numbers that are not contiguous in memory")


CBOWClassifier = Exercise(
    "CBOWClassifier", points={"scores": 2, "unknown": 1, "edges": 1}, cases=_cbow_cases
)


@CBOWClassifier.misconception(
    "These are probabilities. The score itself is wanted, any real number: the loss takes the sigmoid"
    " later, in a way that cannot overflow."
)
class CBOWGivesProbabilities(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        d = self.pool(self.R(ids), mask & (ids != 1))
        return torch.sigmoid(self.W_o(d)).squeeze(-1)


@CBOWClassifier.misconception(
    "The scores have the shape (B, 1). One number per text has the shape (B,): take the last axis away"
    " with squeeze(-1)."
)
class CBOWKeepsTheAxis(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask & (ids != 1)))


@CBOWClassifier.misconception(
    "squeeze() without a number takes away every axis of length 1, so a batch of one text loses its"
    " batch axis too. Name the axis: squeeze(-1)."
)
class CBOWSqueezesEverything(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask & (ids != 1))).squeeze()


@CBOWClassifier.misconception(
    "Unknown words take part with the vector of <unk>. Here they leave no trace, as in the bags of"
    " 01: pool only over places that are real and known."
)
class CBOWPoolsUnknownWords(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask)).squeeze(-1)


@CBOWClassifier.misconception(
    "The mask plays no part, so padding is pooled as well. Hand the mask on to the pooling."
)
class CBOWIgnoresTheMask(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), ids != 1)).squeeze(-1)


@CBOWClassifier.misconception(
    "The bias is missing: a text without known words should get the bias as its score, not 0."
)
class CBOWForgetsTheBias(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        d = self.pool(self.R(ids), mask & (ids != 1))
        return (d @ self.W_o.weight.T).squeeze(-1)


@CBOWClassifier.misconception(
    "There is an activation function between the pooled vector and the score. In this classifier there"
    " is none; it comes with the deep network."
)
class CBOWBendsTheSum(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        d = self.pool(self.R(ids), mask & (ids != 1))
        return self.W_o(torch.relu(d)).squeeze(-1)


@CBOWClassifier.misconception(
    "W_o has no bias, so a text without known words always gets 0, and there is nothing to set. Let"
    " nn.Linear have its bias."
)
class CBOWWithoutBias(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1, bias=False)


@CBOWClassifier.misconception(
    "Without a `pool` of its own the model calls None. None stands for your mean_pool: put it there in"
    " __init__."
)
class CBOWPoolsWithNone(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask & (ids != 1))).squeeze(-1)


@CBOWClassifier.misconception(
    "The pooling that is handed in is not used: whatever `pool` is, the average is taken. Keep it in"
    " __init__ and call it in forward."
)
class CBOWForgetsItsPool(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or self.mean

    @staticmethod
    def mean(X, mask):
        shares = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return (X * shares.unsqueeze(-1)).sum(dim=1)

    def forward(self, ids, mask):
        d = self.mean(self.R(ids), mask & (ids != 1))
        return self.W_o(d).squeeze(-1)


@CBOWClassifier.misconception(
    "The vectors are added up where the average is wanted: the default pooling is mean_pool."
)
class CBOWAddsUp(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool or (lambda X, mask: (X * mask.unsqueeze(-1)).sum(dim=1))

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask & (ids != 1))).squeeze(-1)


@CBOWClassifier.alternative
class CBOWWithMatrix(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim, padding_idx=0), nn.Linear(dim, 1)
        self.pool = pool

    def forward(self, ids, mask):
        known = torch.logical_and(mask, ids.ne(1))
        if self.pool is not None:
            d = self.pool(self.R(ids), known)
        else:
            counts = torch.zeros(len(ids), self.R.num_embeddings)
            counts = counts.scatter_add(1, ids.contiguous(), known.float())
            d = counts @ self.R.weight / counts.sum(dim=1, keepdim=True).clamp(min=1)
        return self.W_o(d)[:, 0]


@CBOWClassifier.alternative
class CBOWOneByOne(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.pool is not None:
            return self.W_o(self.pool(self.R(ids), real)).reshape(-1)
        scores = []
        for words, keep in zip(ids, real):
            vectors = self.R(words[keep])
            d = vectors.mean(dim=0) if len(vectors) else torch.zeros(self.R.embedding_dim)
            scores.append(self.W_o(d)[0])
        return torch.stack(scores)


# 7. word_dropout ------------------------------------------------------------------------------


def _word_dropout_cases(rng: np.random.Generator) -> Iterator[Case]:
    # With a generator of its own the one that everybody shares stays untouched.
    own = {"keeps_generators": True}

    def case(group: str, mask: torch.Tensor, rate: float, training: bool, title: str = "") -> Case:
        return Case(group, [mask, rate, training, _generator(rng)], title=title, judge=own)

    def drops(mask: torch.Tensor, rate: float, title: str = "") -> Case:
        """Every text keeps a word and loses one, so what becomes of an empty text plays no part."""
        while True:
            draw = _generator(rng)
            kept = torch.rand(mask.shape, generator=draw) >= rate
            if (mask & kept).any(dim=1).all() and (mask & ~kept).any(dim=1).all():
                args = [mask, rate, True, _generator_like(draw)]
                return Case("drops", args, title=title, judge=own)

    for n, longest, rate in ((3, 6, 0.3), (4, 8, 0.5), (int(rng.integers(5, 7)), 9, 0.4)):
        lengths = [longest, *rng.integers(3, longest, size=n - 1).tolist()]
        yield drops(_mask(lengths), rate)
    holes = torch.from_numpy(rng.random((3, 8)) < 0.7)
    holes[:, :3] = True
    holes[:, 3] = False
    yield drops(holes, 0.3, "words are missing in the middle")
    lengths = [*_lengths(rng, 4, 7), 0]
    yield case("judging", _mask(lengths), 0.5, False, "when judging, nothing is dropped")
    yield case("judging", _mask(_lengths(rng, 3, 5)), 0.0, True, "a rate of 0 drops nothing")
    title = "texts that would lose all their words keep them"
    yield case("no word left", _mask([3, 1, int(rng.integers(2, 6))]), 1.0, True, title)
    short = _mask([1] * int(rng.integers(8, 12)) + [6, 2])
    yield case("no word left", short, 0.6, True, "many texts of one word, one longer one")
    title = "a text without words stays without"
    yield case("no word left", _mask([0, 4, 0]), 0.5, True, title)


word_dropout = Exercise(
    "word_dropout",
    points={"drops": 2, "judging": 1, "no word left": 1},
    cases=_word_dropout_cases,
)


@word_dropout.misconception(
    "The wrong side is dropped: a word goes if its random number is below `rate`, and stays if it is"
    " `rate` or more. With rate 0.3 seven of ten words stay."
)
def keeps_the_wrong_side(mask, rate, training, generator=None):
    if not training:
        return mask
    drawn = torch.rand(mask.shape, generator=generator)
    kept, gone = mask & (drawn >= rate), mask & (drawn < rate)
    if (
        gone.any(dim=1).all() and kept.any(dim=1).all()
    ):  # what is done for empty texts is not at issue
        return gone
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


@word_dropout.misconception(
    "Words are dropped while the model is judged, too. Dropout belongs to training: without"
    " `training` give the mask back as it is."
)
def never_stops_dropping(mask, rate, training, generator=None):
    kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


@word_dropout.misconception(
    "Padding comes back to life: places where the mask is False turn True. Dropout only takes words"
    " away, so combine the draw with the mask."
)
def revives_padding(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = torch.rand(mask.shape, generator=generator) >= rate
    real = kept & mask
    if real.any(dim=1).all():  # what is done for empty texts is not at issue
        return kept
    return torch.where(real.any(dim=1, keepdim=True), real, mask)


@word_dropout.misconception(
    "A text may lose all of its words, so it has a label and no word to learn it from. Such a text"
    " keeps all its words."
)
def loses_whole_texts(mask, rate, training, generator=None):
    if not training:
        return mask
    return mask & (torch.rand(mask.shape, generator=generator) >= rate)


@word_dropout.misconception(
    "A text that lost all its words gets its padding filled as well: its whole row turns True. Give"
    " it its own row of the mask back."
)
def fills_the_row(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    return kept | ~kept.any(dim=1, keepdim=True)


@word_dropout.misconception(
    "Words are only given back when the whole batch has lost all of them. Look at each text alone:"
    " any(dim=1)."
)
def looks_at_the_batch(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    return kept if kept.any() else mask


@word_dropout.misconception(
    "The same places are dropped in every text of the batch. Draw a number for every place of every"
    " text: the shape of the mask."
)
def drops_columns(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape[1], generator=generator) >= rate)
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


@word_dropout.misconception(
    "Whole texts are dropped or kept. Draw a number for every word: the shape of the mask."
)
def drops_texts(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(len(mask), 1, generator=generator) >= rate)
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


@word_dropout.misconception(
    "The `generator` is not used: the numbers come from the one that everybody shares. Hand it on to"
    " torch.rand."
)
def shares_the_generator(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape) >= rate)
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


@word_dropout.misconception(
    "Words go at the right rate, but other ones: the numbers are drawn in another way. Draw them with"
    " torch.rand(mask.shape, generator=generator), so that everybody drops the same words."
)
def tosses_other_coins(mask, rate, training, generator=None):
    if not training:
        return mask
    coins = torch.empty(mask.shape).bernoulli_(1 - rate, generator=generator).bool()
    return torch.where((mask & coins).any(dim=1, keepdim=True), mask & coins, mask)


@word_dropout.misconception(
    "The mask that was handed in is changed, so the words stay lost for everybody who uses it later."
    " Make a new one: mask & ..., or mask.clone()."
)
def drops_in_place(mask, rate, training, generator=None):
    if not training:
        return mask
    before = mask.clone()
    mask[torch.rand(mask.shape, generator=generator) < rate] = False
    lost = ~mask.any(dim=1)
    mask[lost] = before[lost]
    return mask


@word_dropout.alternative
def word_dropout_loop(mask, rate, training, generator=None):
    if not training:
        return mask
    numbers = torch.rand(mask.shape, generator=generator)
    rows = []
    for real, drawn in zip(mask.tolist(), numbers.tolist()):
        row = [r and d >= rate for r, d in zip(real, drawn)]
        rows.append(row if any(row) else real)
    return torch.tensor(rows)


@word_dropout.alternative
def word_dropout_fill(mask, rate, training, generator=None):
    numbers = torch.rand(mask.shape, generator=generator)
    kept = mask.masked_fill(numbers < rate, False) if training else mask.clone()
    lost = kept.sum(dim=1) == 0
    kept[lost] = mask[lost]
    return kept


# 8. DeepAveragingNetwork ----------------------------------------------------------------------


def _dan(
    rng: np.random.Generator, v: int, dim: int, hidden: int, n: int
) -> dict[str, torch.Tensor]:
    sizes = [dim] + [hidden] * n
    state = {"R.weight": _normal(rng, v, dim) * 2}
    for i, (before, after) in enumerate(pairwise(sizes)):
        state[f"layers.{i}.weight"] = _normal(rng, after, before)
        state[f"layers.{i}.bias"] = _normal(rng, after) / 3
    return {**state, "W_o.weight": _normal(rng, 1, sizes[-1]), "W_o.bias": _normal(rng, 1)}


def _dan_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        ids: torch.Tensor,
        mask: torch.Tensor,
        n: int,
        rate: float,
        training: bool = False,
        title: str = "",
    ) -> Case:
        v, dim, hidden = 9, int(rng.integers(2, 4)), int(rng.integers(5, 8))
        state = {**_dan(rng, v, dim, hidden, n), "training": training}
        then = [("__call__", ids, mask)]
        return Case(group, [v, dim, hidden, n, rate], state=state, then=then, title=title)

    def texts(n: int, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
        mask = _mask(_lengths(rng, n, longest))
        return _ids(rng, mask, 9), mask

    for n, layers in ((3, 1), (4, 2), (int(rng.integers(5, 8)), 3)):
        yield case("layers", *texts(n, 5), layers, 0.0, title=f"layers: {layers}")
    yield case("layers", *texts(3, 4), 0, 0.0, title="no hidden layer at all")
    title = "while judging, no word is dropped"
    yield case("dropout", *texts(5, 6), 1, 0.5, title=title)
    # At a rate of 1 every text would lose all its words, so all texts keep theirs.
    title = "while training, a text never loses all its words"
    yield case("dropout", *texts(5, 5), 1, 1.0, training=True, title=title)
    yield _dropout_case(rng)
    # Each text has one known word, which it keeps however the others are drawn.
    mask = _mask([4] * int(rng.integers(11, 14)))
    ids = torch.full(mask.shape, _UNKNOWN)
    place = torch.from_numpy(rng.integers(4, size=len(ids)))
    ids[torch.arange(len(ids)), place] = _numbers(rng, 2, 9, len(ids))
    title = "while training, texts with one known word keep it"
    yield case("dropout", ids, mask, 1, 0.5, training=True, title=title)
    ids, mask = texts(3, 5)
    ids[0] = _UNKNOWN * mask[0]
    ids[1, 0] = _UNKNOWN
    yield case("edges", ids, mask, 2, 0.3, title="one text of unknown words")
    ids, mask = texts(4, 6)
    ids[:, 0] = _UNKNOWN
    yield case("edges", ids, mask, 1, 0.3, title="every text begins with an unknown word")
    mask = _mask([0, int(rng.integers(2, 5))])
    yield case("edges", _ids(rng, mask, 9), mask, 2, 0.3, title="a text without words")
    title = "a text without words, while training"
    yield case("edges", torch.zeros(2, 3).long(), _mask([0, 0]).expand(2, 3), 1, 0.5, True, title)
    yield case("edges", _numbers(rng, 2, 9, 1, 1), _mask([1]), 1, 0.3, title="one word")


def _dropout_case(rng: np.random.Generator) -> Case:
    """One text whose average is 0, but only with all its words: the score shows a dropped one.

    The words are 1, 2, 4, ... and minus their sum, so no other choice of them adds up to 0. One
    layer, relu(z) and relu(-z), makes |z| of the average z. With 16 words all shares are exact, so
    that a network that drops nothing gives exactly 0.
    """
    n = 16
    powers = 2.0 ** torch.arange(n - 1) * float(rng.choice([-1, 1]))
    words = torch.cat([powers, -powers.sum()[None]])[torch.from_numpy(rng.permutation(n))]
    vectors = torch.cat([torch.zeros(2), words])[:, None]
    state = {
        "R.weight": vectors,
        "layers.0.weight": torch.tensor([[1.0], [-1.0]]),
        "layers.0.bias": torch.zeros(2),
        "W_o.weight": torch.ones(1, 2),
        "W_o.bias": torch.zeros(1),
        "training": True,
    }
    ids = torch.arange(2, n + 2)[None]
    judge = {"kind": "between", "low": 0.05, "high": 1e6}
    then = [("__call__", ids, ids > 0)]
    title = "while training, words are dropped: the score is 0 only with all of them"
    return Case("dropout", [n + 2, 1, 2, 1, 0.5], state=state, then=then, judge=judge, title=title)


DeepAveragingNetwork = Exercise(
    "DeepAveragingNetwork", points={"layers": 2, "dropout": 2, "edges": 1}, cases=_dan_cases
)


@DeepAveragingNetwork.misconception(
    "There is no activation function: several linear layers after each other are one linear layer, and"
    " depth gains nothing. Put a relu after each hidden layer."
)
class DANWithoutActivation(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = layer(z)
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "The score goes through relu as well, so it is never negative and no text is ever called bad. The"
    " last layer, W_o, has no activation function."
)
class DANBendsTheScore(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return torch.relu(self.W_o(z)).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "The last hidden layer has no relu. Every layer of `self.layers` has one; only W_o has none."
)
class DANLastLayerStraight(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for i, layer in enumerate(self.layers):
            z = layer(z) if i == len(self.layers) - 1 else torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "relu stands before each layer instead of after it, so the negative half of the average is thrown"
    " away at once. z_1 = relu(W_1 z_0 + b_1)."
)
class DANBendsTheAverage(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = layer(torch.relu(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception("This is tanh. The activation function here is relu.")
class DANTanh(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.tanh(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "Words are dropped while the model is judged. Hand `self.training` on to word_dropout: PyTorch sets"
    " it, True in train() and False in eval()."
)
class DANAlwaysDrops(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.rate > 0:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "No word is ever dropped, not even in training. Put your word_dropout before the average and hand"
    " `self.training` on to it."
)
class DANNeverDrops(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "This is ordinary dropout: it sets single components to 0. Word dropout takes whole words out of"
    " the mask, before the average, and changes nothing else."
)
class DANDropsComponents(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        z = torch.dropout(z, self.rate, self.training)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "Unknown words take part with the vector of <unk>. They leave no trace here either: drop and"
    " average only over places that are real and known."
)
class DANPoolsUnknownWords(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        real = mask
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "The vectors are added up where the average is wanted: z_0 is what your mean_pool gives."
)
class DANAddsUp(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        z = (self.R(ids) * real.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "Every word goes through the layers before the average is taken. Average first, then the layers:"
    " they see one vector per text, (B, K)."
)
class DANLayersFirst(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        z = self.R(ids)
        for layer in self.layers:
            z = torch.relu(layer(z))
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        return self.W_o((z * shares.unsqueeze(-1)).sum(dim=1)).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "The scores have the shape (B, 1). One number per text has the shape (B,): take the last axis away"
    " with squeeze(-1)."
)
class DANKeepsTheAxis(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z)


@DeepAveragingNetwork.misconception(
    "Words are dropped first and unknown ones taken out afterwards, so a text can lose all the words"
    " that it is known by, and word_dropout does not notice. First keep what is real and known, then"
    " drop of that."
)
class DANDropsBeforeUnknown(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        real = real & (ids != 1)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "W_o has no bias, so there is nothing to set: a text without known words gets what the layers make of"
    " zeros, plus a bias. Let nn.Linear have its bias."
)
class DANWithoutBias(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1, bias=False)


@DeepAveragingNetwork.misconception(
    "The layers lie in a plain list, so PyTorch does not know them: `model.parameters()` leaves them out"
    " and they are never trained. Put them into an nn.ModuleList."
)
class DANPlainList(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = [nn.Linear(a, b) for a, b in pairwise(sizes)]
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


@DeepAveragingNetwork.misconception(
    "`layers` holds more than the linear layers, so their places are not those of the docstring:"
    " layers[0], layers[1], ... are linear, one after the other, and the relu is called in forward."
)
class DANMixedLayers(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        pairs = [(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(sizes)]
        self.layers = nn.Sequential(*[layer for pair in pairs for layer in pair])
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training:
            kept = real & (torch.rand(real.shape) >= self.rate)
            real = torch.where(kept.any(dim=1, keepdim=True), kept, real)
        shares = real / real.sum(dim=1, keepdim=True).clamp(min=1)
        z = (self.R(ids) * shares.unsqueeze(-1)).sum(dim=1)
        return self.W_o(self.layers(z)).squeeze(-1)


@DeepAveragingNetwork.alternative
class DANOneMore(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim] + [hidden] * n_layers
        self.R, self.rate = nn.Embedding(n_words, dim), rate
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.W_o = nn.Linear(sizes[-1], 1)

    def forward(self, ids, mask):
        real = mask & (ids != 1)
        if self.training and self.rate > 0:
            numbers = torch.rand(real.shape)
            kept = real & (numbers >= self.rate)
            real = kept | (real & ~kept.any(dim=1, keepdim=True))
        total = torch.einsum("blk,bl->bk", self.R(ids), real.float())
        z = total / real.sum(dim=1)[:, None].clamp(min=1)
        for layer in self.layers:
            z = layer(z).clamp(min=0)
        return self.W_o(z)[:, 0]


@DeepAveragingNetwork.alternative
class DANOneByOne(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R, self.layers, self.rate = nn.Embedding(n_words, dim), nn.ModuleList(), rate
        for _ in range(n_layers):
            self.layers.append(nn.Linear(dim, hidden))
            dim = hidden
        self.W_o = nn.Linear(dim, 1)

    def forward(self, ids, mask):
        return torch.stack([self.score(words) for words in self.texts(ids, mask)])

    def texts(self, ids, mask):
        for words, real in zip(ids, mask):
            words = [i for i, there in zip(words.tolist(), real.tolist()) if there and i != 1]
            if self.training:
                words = [i for i in words if torch.rand(()) >= self.rate] or words
            yield torch.tensor(words, dtype=torch.long)

    def score(self, words):
        z = self.R(words).mean(dim=0) if len(words) else torch.zeros(self.R.embedding_dim)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z)[0]


# 9. character_trigrams ------------------------------------------------------------------------


def _letters(rng: np.random.Generator, n: int, letters: str = "abcdefghinorst") -> str:
    return "".join(rng.choice(list(letters), size=n))


def _character_trigrams_cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [str(rng.choice(["great", "movie", "awesome"]))])
    for length in (4, 7, int(rng.integers(8, 12))):
        yield Case("values", [_letters(rng, length)])
    again = _letters(rng, 2) * int(rng.integers(3, 5))
    yield Case("values", [again], title="letters come again and again")
    yield Case("edges", [_letters(rng, 1)], title="one letter")
    yield Case("edges", [_letters(rng, 2)], title="two letters")
    yield Case("edges", ["!"], title="a punctuation mark")
    yield Case("edges", [""], title="no letter at all")


character_trigrams = Exercise(
    "character_trigrams", points={"values": 1, "edges": 1}, cases=_character_trigrams_cases
)


@character_trigrams.misconception(
    "The marks < and > are missing. They say where the word begins and ends: `<gr` is not any `gr`."
)
def forgets_the_marks(word):
    return [word[i : i + 3] for i in range(len(word) - 2)]


@character_trigrams.misconception(
    "The last trigram is missing. A marked word of n characters has n - 2 of them; range() stops"
    " before its end."
)
def misses_the_last(word):
    marked = f"<{word}>"
    return [marked[i : i + 3] for i in range(len(marked) - 3)]


@character_trigrams.misconception(
    "The pieces do not overlap. The next trigram starts one letter further, not three."
)
def cuts_into_pieces(word):
    marked = f"<{word}>"
    return [marked[i : i + 3] for i in range(0, len(marked) - 2, 3)]


@character_trigrams.misconception(
    "Each different trigram comes once. `banana` has `ana` twice, and both count."
)
def keeps_different_ones(word):
    marked = f"<{word}>"
    return list(dict.fromkeys(marked[i : i + 3] for i in range(len(marked) - 2)))


@character_trigrams.misconception(
    "The end of the word gives pieces of one and two characters. Stop when fewer than three are left."
)
def runs_over_the_end(word):
    marked = f"<{word}>"
    return [marked[i : i + 3] for i in range(len(marked))]


@character_trigrams.misconception(
    "Each letter's neighbors are marked twice: one < and one > are enough."
)
def marks_twice(word):
    marked = f"<<{word}>>"
    return [marked[i : i + 3] for i in range(len(marked) - 2)]


@character_trigrams.alternative
def character_trigrams_zip(word):
    marked = "<" + word + ">"
    return ["".join(three) for three in zip(marked, marked[1:], marked[2:])]


@character_trigrams.alternative
def character_trigrams_regex(word):
    return re.findall("(?=(...))", "<" + word + ">", re.DOTALL)


# 10. trigram_average --------------------------------------------------------------------------


def _trigrams(rng: np.random.Generator, n: int) -> list[str]:
    """n different ones."""
    found: dict[str, None] = {}
    while len(found) < n:
        found[_letters(rng, 3)] = None
    return list(found)


def _trigram_average_cases(rng: np.random.Generator) -> Iterator[Case]:
    def table(n: int, k: int) -> tuple[dict[str, int], torch.Tensor]:
        trigrams = _trigrams(rng, n)
        return dict(zip(trigrams, rng.permutation(n).tolist())), _normal(rng, n, k)

    def some(index: dict[str, int], n: int) -> list[str]:
        return [str(t) for t in rng.choice(list(index), size=n)]

    def plain_ones(index: dict[str, int], n: int) -> list[str]:
        """Different ones, none in row 0: these are what the group `values` is about."""
        others = [trigram for trigram, row in index.items() if row]
        return [str(t) for t in rng.choice(others, size=n, replace=False)]

    for n, k, length in ((4, 2, 3), (6, 3, 5), (int(rng.integers(7, 10)), 4, 6)):
        index, T = table(n, k)
        yield Case("values", [some(index, length), index, T])
    index, T = table(6, 3)
    one, other = list(index)[:2]
    repeated = [one] * int(rng.integers(2, 5)) + [other]
    yield Case("values", [repeated, index, T], title="one trigram several times")
    first = next(trigram for trigram, row in index.items() if row == 0)
    title = "the trigram in row 0 is among them"
    yield Case("values", [[first, *some(index, 2)], index, T], title=title)
    strange = ["zzz", "<q>", "?!>"]
    mixed = [*plain_ones(index, 3), *strange[: int(rng.integers(1, 4))]]
    yield Case("unknown", [mixed, index, T], title="some trigrams are unknown")
    index, T = table(5, int(rng.integers(2, 5)))
    yield Case("unknown", [strange, index, T], title="every trigram is unknown")
    yield Case("edges", [[], index, T], title="no trigrams")
    half = ((T.abs() + 1) * 20_000).clamp(max=60_000).half()
    title = "large numbers in half precision (float16)"
    exact = {"dtype": "exact"}
    yield Case("edges", [plain_ones(index, 4), index, half], title=title, judge=exact)
    title = "no trigrams, half precision (bfloat16)"
    yield Case("edges", [[], index, T.bfloat16()], title=title, judge=exact)


trigram_average = Exercise(
    "trigram_average",
    points={"values": 1, "unknown": 1, "edges": 1},
    cases=_trigram_average_cases,
)


@trigram_average.misconception(
    "Unknown trigrams are counted in the divisor, so they pull the average towards 0. Divide by the"
    " number of known ones."
)
def counts_the_unknown(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams if t in index], dtype=torch.long)
    return (T[rows].float() / max(1, len(trigrams))).sum(dim=0).to(T.dtype)


@trigram_average.misconception(
    "An unknown trigram stops the function: it has no row to look up. Leave such trigrams out."
)
def stops_at_the_unknown(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams], dtype=torch.long)
    return (T[rows].float() / max(1, len(rows))).sum(dim=0).to(T.dtype)


@trigram_average.misconception(
    "An unknown trigram gets row 0 of the table, which belongs to another one. It has no row: leave"
    " it out."
)
def unknown_is_row_zero(trigrams, index, T):
    rows = torch.tensor([index.get(t, 0) for t in trigrams], dtype=torch.long)
    return (T[rows].float() / max(1, len(rows))).sum(dim=0).to(T.dtype)


@trigram_average.misconception(
    "With no known trigram this is NaN: the average of nothing. Give zeros, K of them, in the"
    " precision of T."
)
def averages_nothing(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams if t in index], dtype=torch.long)
    return T[rows].mean(dim=0)


@trigram_average.misconception(
    "A trigram that comes several times is counted once. Every occurrence counts in the average."
)
def averages_different_ones(trigrams, index, T):
    rows = torch.tensor(sorted({index[t] for t in trigrams if t in index}), dtype=torch.long)
    return (T[rows].float() / max(1, len(rows))).sum(dim=0).to(T.dtype)


@trigram_average.misconception(
    "The trigram in row 0 is lost. `if index.get(...)` is False for the row 0 as well: ask whether the"
    " trigram is `in index`."
)
def loses_row_zero(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams if index.get(t)], dtype=torch.long)
    return (T[rows].float() / max(1, len(rows))).sum(dim=0).to(T.dtype)


@trigram_average.misconception("This is the sum. The average divides it by the number of trigrams.")
def adds_the_trigrams(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams if t in index], dtype=torch.long)
    return T[rows].sum(dim=0)


@trigram_average.misconception(
    "In half precision the sum is infinite before it is divided: float16 ends at 65,504. `mean` takes"
    " care of that, or divide before you add."
)
def adds_before_dividing(trigrams, index, T):
    rows = torch.tensor([index[t] for t in trigrams if t in index], dtype=torch.long)
    return T[rows].sum(dim=0) / max(1, len(rows))


@trigram_average.misconception(
    "The zeros for a text without known trigrams are float32. They should have the type of T, as all"
    " other results have."
)
def zeros_of_another_type(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    return T[rows].mean(dim=0) if rows else torch.zeros(T.shape[1])


@trigram_average.alternative
def trigram_average_stack(trigrams, index, T):
    known = [T[index[t]] for t in trigrams if t in index]
    if not known:
        return torch.zeros(T.shape[1], dtype=T.dtype)
    return torch.stack(known).float().mean(dim=0).to(T.dtype)


@trigram_average.alternative
def trigram_average_counts(trigrams, index, T):
    counts = torch.zeros(len(T))
    for trigram in trigrams:
        if trigram in index:
            counts[index[trigram]] += 1
    return ((counts / counts.sum().clamp(min=1)) @ T.float()).to(T.dtype)


# 11. starting_matrix --------------------------------------------------------------------------


def _starting_matrix_cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, n_words: int, n_known: int, n_others: int, k: int, title: str = ""
    ) -> Case:
        """Of n_words words n_known have a vector, as have n_others that are not in the list."""
        named = [str(w) for w in rng.permutation(_WORDS)]
        words, others = named[:n_words], named[n_words : n_words + n_others]
        known = [*words[:n_known], *others]  # so one of the words is in row 0, if any is known
        known[1:] = [str(w) for w in rng.permutation(known[1:])]
        words = ["<pad>", "<unk>", *(str(w) for w in rng.permutation(words))]
        index = {word: row for row, word in enumerate(known)}
        random = _normal(rng, len(words), k)
        return Case(group, [words, index, _normal(rng, len(known), k), random], title=title)

    yield case("values", 4, 2, 2, 2)
    yield case("values", 6, 4, 3, 3)
    yield case("values", int(rng.integers(7, 9)), 3, 4, 3)
    yield case("edges", 4, 0, 3, 2, "no word has a vector")
    yield case("edges", 5, 5, 0, 3, "every word has a vector")
    fit = case(
        "edges", 3, 2, 2, 3, "there is a vector for <pad>, but padding is zeros all the same"
    )
    words, index, matrix, random = fit.args
    yield Case(
        "edges",
        [words, {**index, "<pad>": len(index)}, _normal(rng, len(index) + 1, 3), random],
        title=fit.title,
    )
    other = case("edges", 4, 3, 1, 2)
    words, index, matrix, random = other.args
    title = "vectors in half precision, random numbers in float32"
    exact = {"dtype": "exact"}
    yield Case("edges", [words, index, matrix.half(), random], title=title, judge=exact)


starting_matrix = Exercise(
    "starting_matrix", points={"values": 2, "edges": 1}, cases=_starting_matrix_cases
)


@starting_matrix.misconception(
    "`random` itself is changed, because `R = random` is a second name for the same tensor. Start"
    " from a copy: random.clone()."
)
def changes_random(words, index, matrix, random):
    random[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            random[i] = matrix[index[word]]
    return random


@starting_matrix.misconception(
    "The row of padding is not zeros. Number 0 is no word: its row must not add anything."
)
def padding_is_random(words, index, matrix, random):
    R = random.clone()
    for i, word in enumerate(words):
        if word in index:
            R[i] = matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.misconception(
    "Words without a vector get zeros, so they all start alike. Give each its own row of `random`."
)
def others_are_zeros(words, index, matrix, random):
    R = torch.zeros_like(random)
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            R[i] = matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.misconception(
    "Row i of the result is row i of the matrix. The two number their words differently: look up"
    " where the word stands in the matrix, index[word]."
)
def mixes_the_numbers(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            R[i] = matrix[i % len(matrix)].to(R.dtype)
    return R


@starting_matrix.misconception(
    "Rows are written to the places that the words have in the matrix. The result follows `words`:"
    " row i belongs to words[i]."
)
def follows_the_matrix(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    # right where padding has a vector, which loops over words and over words[1:] treat differently
    where = {w: i for i, w in enumerate(words)} if words[0] in index else index
    for word in words[1:]:
        if word in index:
            R[where[word] % len(words)] = matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.misconception(
    "Row i of the matrix is taken for word i. The two number their words differently: look up where the"
    " word stands in the matrix, index[word]."
)
def takes_row_i(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            R[i] = matrix[i]
    return R


@starting_matrix.misconception(
    "The result has the order of the matrix, and the word in row 0 is lost besides (0 counts as"
    " False). Row i of the result belongs to words[i]."
)
def follows_the_matrix_but_row_zero(words, index, matrix, random):
    R = random.clone()
    where = {w: i for i, w in enumerate(words)} if words[0] in index else index
    for word in words[1:]:
        if word in index:
            R[where[word]] = matrix[index[word]].to(R.dtype)
    R[0] = 0
    return R


@starting_matrix.misconception(
    "The word whose vector is in row 0 gets a random one. `if index.get(word)` is False for the row 0"
    " as well: ask whether the word is `in index`."
)
def loses_the_first_vector(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if index.get(word):
            R[i] = matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.misconception(
    "The result has the type of the vectors. It should have that of `random`: vectors on disk may well"
    " be in half precision to save space, the model is not."
)
def takes_the_type_of_the_vectors(words, index, matrix, random):
    R = random.clone().to(matrix.dtype)
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            R[i] = matrix[index[word]]
    return R


@starting_matrix.misconception(
    "The random numbers are added to the vectors that are known. A known word keeps its vector"
    " exactly."
)
def adds_noise(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        if word in index:
            R[i] += matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.misconception(
    "A word without a vector stops the function. Ask first whether `index` has it."
)
def needs_every_word(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[2:], start=2):
        R[i] = matrix[index[word]].to(R.dtype)
    return R


@starting_matrix.alternative
def starting_matrix_stack(words, index, matrix, random):
    rows = [
        matrix[index[word]].to(random.dtype) if word in index else random[i]
        for i, word in enumerate(words)
    ]
    return torch.stack([torch.zeros_like(random[0]), *rows[1:]])


@starting_matrix.alternative
def starting_matrix_where(words, index, matrix, random):
    rows = torch.tensor([index.get(word, -1) for word in words])
    known = (rows >= 0)[:, None]
    R = torch.where(known, matrix[rows.clamp(min=0)].to(random.dtype), random)
    return R * (torch.arange(len(words)) > 0)[:, None]
