"""Cases and misconceptions of 00_setup."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case, Exercise
from coursekit.checking.codec import Source

_COMMON = "I we the a it was is not very but movie film plot music ending loved liked bored ! ..."
_ODD = ["don't", "well-made", "masterpiece", "café", "naïve"]


# Standardizing and gradients subtract numbers of similar size, which costs float32 a few digits.
_CLOSE = {"atol": 1e-5}


def _whole(rng: np.random.Generator, *shape: int, low: int = -4, high: int = 4) -> torch.Tensor:
    """Whole numbers as floats: students can follow them on paper, and their sums are exact."""
    return torch.from_numpy(rng.integers(low, high + 1, size=shape).astype(np.float32))


# --- word_lengths ---------------------------------------------------------------------------


def _word_lengths_cases(rng: np.random.Generator) -> Iterator[Case]:
    pool = [*_COMMON.split(), *_ODD]
    for count in (2, 5, int(rng.integers(6, 9))):
        words = [str(word) for word in rng.choice(pool, size=count)]
        yield Case("values", [[*words, "a" * int(rng.integers(3, 12))]])
    single = str(rng.choice(["movie", "film", "music", "ending", "loved"]))
    yield Case("values", [[single]], title="a single word")
    yield Case("empty", [[]], title="no words at all")
    pool = [word for word in pool if len(set(word)) == len(word)]  # of letters that differ
    words = [str(word) for word in rng.choice(pool, size=int(rng.integers(2, 4)))]
    yield Case("empty", [[*words, ""]], title="a word without letters has length 0")


word_lengths = Exercise("word_lengths", {"values": 1, "empty": 1}, _word_lengths_cases)


@word_lengths.misconception(
    "`len(words)`, with an s, is how many words there are. What is wanted is how many characters"
    " each single word has."
)
def counts_words(words):
    return [len(words) for word in words]


@word_lengths.misconception(
    "One number for the whole list: it says how many words there are. Go through the words, and"
    " give each its own number."
)
def one_count(words):
    return [len(words)]


@word_lengths.misconception(
    "The answer is the same for every input: it comes from the sentence further up. Use what the"
    " function is given, its argument `words`."
)
def reads_the_sentence_above(words):
    return [1, 5, 3, 5, 1]


@word_lengths.misconception(
    "Only the first word is answered: a `return` inside the loop ends the function in its first"
    " round."
)
def returns_in_the_loop(words):
    lengths = []
    for word in words:
        lengths.append(len(word))
        return lengths
    return lengths


@word_lengths.misconception(
    "The first word is missing. Python counts from 0, so range(1, ...) starts at the second word."
)
def starts_at_one(words):
    return [len(words[i]) for i in range(1, len(words))]


@word_lengths.misconception("A letter that comes twice counts twice: `loved` and `movie` have 5.")
def distinct_letters(words):
    return [len(set(word)) for word in words]


@word_lengths.misconception("All lengths are added up. Keep one number per word, in a list.")
def adds_up(words):
    return sum(len(word) for word in words)


@word_lengths.alternative
def with_loop(words):
    lengths = []
    for word in words:
        lengths.append(len(word))
    return lengths


@word_lengths.alternative
def with_map(words):
    return list(map(len, words))


# --- standardize ----------------------------------------------------------------------------


#: What the columns may hold: a yes or no, stars, minutes. Their spreads differ widely.
_COLUMNS = (np.arange(2), np.arange(1, 6), np.arange(80, 180, 10))


def _table(rng: np.random.Generator, n: int, d: int) -> torch.Tensor:
    """A table (n, d) of whole numbers without a constant column."""
    columns = []
    for kind in rng.permutation(len(_COLUMNS))[:d]:
        ends = rng.choice(_COLUMNS[kind], size=2, replace=False)
        columns.append(rng.permutation([*ends, *rng.choice(_COLUMNS[kind], size=n - 2)]))
    return torch.from_numpy(np.stack(columns, axis=1).astype(np.float32))


def _standardize_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((3, 2), (3, 3), (int(rng.integers(4, 6)), 3)):
        yield Case("values", [_table(rng, n, d)], title=f"{n} reviews", judge=_CLOSE)
    table = _table(rng, int(rng.integers(4, 6)), 3)
    table[:, int(rng.integers(0, 3))] = float(rng.integers(1, 6))
    title = "one column holds the same number everywhere"
    yield Case("edges", [table], title=title, judge=_CLOSE)
    row = torch.from_numpy(rng.permutation(np.arange(-4, 5))[None, :3].astype(np.float32))
    yield Case("edges", [row], title="a table with a single row")
    table = _table(rng, int(rng.integers(3, 5)), 1)
    yield Case("edges", [table], title="a single column", judge=_CLOSE)


standardize = Exercise("standardize", {"values": 3, "edges": 1}, _standardize_cases)


@standardize.misconception(
    "You standardized each row. A column is one quantity, so its mean runs down the rows: which"
    " dim must disappear?"
)
def rows(x):
    std = x.std(dim=1, keepdim=True, unbiased=False)
    return (x - x.mean(dim=1, keepdim=True)) / torch.where(std > 0, std, 1.0)


@standardize.misconception(
    "`mean(dim=1)` runs along each row and leaves one number per row. A column is one quantity: its"
    " mean runs down the rows, and then the shapes fit without any help."
)
def rows_without_a_fit(x):
    return (x - x.mean(dim=1)) / x.std(dim=1, unbiased=False)


@standardize.misconception(
    "One mean and one deviation for the whole table mix minutes with stars. Each column needs its"
    " own: give mean and std a dim."
)
def whole_table(x):
    return (x - x.mean()) / x.std()


@standardize.misconception(
    "Your mean and your deviation are those of the whole table, minutes and stars together. Each"
    " column needs its own: give mean and std a dim."
)
def whole_table_over_n(x):
    return (x - x.mean()) / x.std(unbiased=False)


@standardize.misconception(
    "The means are right, one per column. But `x.std()` without a dim is one number for the whole"
    " table: each column needs its own deviation, too."
)
def one_deviation(x):
    return (x - x.mean(dim=0)) / x.std()


@standardize.misconception(
    "Each column has its own mean, but all share one deviation, that of the whole table. std needs"
    " the same dim as mean."
)
def one_deviation_over_n(x):
    return (x - x.mean(dim=0)) / x.std(unbiased=False)


@standardize.misconception(
    "Your numbers come out a little too small: torch's `std` divides by N - 1 where the formula"
    " divides by N."
)
def sample_deviation_guarded(x):
    std = (x - x.mean(dim=0)).square().sum(dim=0).div(max(len(x) - 1, 1)).sqrt()
    return (x - x.mean(dim=0)) / torch.where(std > 0, std, 1.0)


@standardize.misconception(
    "Look at the ordinary tables first: your numbers are a little too small there, because torch's"
    " `std` divides by N - 1 where the formula divides by N."
)
def sample_deviation(x):
    centered = x - x.mean(dim=0)  # x.std(dim=0) gives the same, with a warning for a single row
    return centered / (centered.square().sum(dim=0) / (len(x) - 1)).sqrt()


@standardize.misconception(
    "If the message says that the `Boolean value of Tensor ... is ambiguous`: `if std == 0` asks"
    " one question about several columns, and some may answer yes, others no. Decide for each"
    " column separately; section 3 has a word for that."
)
def asks_all_columns_at_once(x):
    std = x.std(dim=0, unbiased=False)
    if std == 0:
        return torch.zeros_like(x)
    return (x - x.mean(dim=0)) / std


@standardize.misconception(
    "Where all numbers of a column are equal, its deviation is 0, and 0/0 is NaN. Divide such a"
    " column by 1 instead."
)
def divides_by_zero(x):
    return (x - x.mean(dim=0)) / x.std(dim=0, unbiased=False)


@standardize.misconception(
    "You change the caller's table: `-=`, `/=` and `x[...] =` write into x itself. Write"
    " `x - mean`, which makes a new tensor."
)
def in_place(x):
    std = x.std(dim=0, unbiased=False)
    x -= x.mean(dim=0)
    x /= torch.where(std > 0, std, 1.0)
    return x


@standardize.misconception("The mean is right, but you divide by the variance: a root is missing.")
def variance(x):
    var = x.var(dim=0, unbiased=False)
    return (x - x.mean(dim=0)) / torch.where(var > 0, var, 1.0)


@standardize.misconception(
    "The means are gone, but the spread is still there: divide by the standard deviation too."
)
def centers_only(x):
    return x - x.mean(dim=0)


@standardize.misconception(
    "This squeezes every column between 0 and 1, from its smallest to its largest number. What is"
    " wanted has the mean 0 and the standard deviation 1."
)
def smallest_to_largest(x):
    low, high = x.amin(dim=0), x.amax(dim=0)
    return (x - low) / (high - low)


@standardize.misconception(
    "`clamp(min=1)` changes every deviation below 1, not only those that are 0."
)
def clamps_at_one(x):
    return (x - x.mean(dim=0)) / x.std(dim=0, unbiased=False).clamp(min=1)


@standardize.alternative
def by_column(x):
    columns = []
    for column in x.T:
        std = (column - column.mean()).square().mean().sqrt()
        columns.append((column - column.mean()) / (std if std > 0 else 1))
    return torch.stack(columns, dim=1)


@standardize.alternative
def small_number_below(x):
    centered = x - x.mean(0, keepdim=True)
    return centered / (centered.pow(2).mean(0, keepdim=True).sqrt() + 1e-8)


# --- pairwise_distances ---------------------------------------------------------------------


def _pairwise_cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = ((2, 3, 2), (3, 3, 3), (int(rng.integers(4, 6)), 2, int(rng.integers(3, 5))))
    for n, m, d in sizes:
        vectors = [_whole(rng, n, d), _whole(rng, m, d)]
        yield Case("values", vectors, title=f"{n} words against {m}, {d} numbers each")
    words = _whole(rng, int(rng.integers(3, 5)), 2)
    yield Case("edges", [words, words.clone()], title="the same words twice: zeros on the diagonal")
    yield Case("edges", [_whole(rng, 1, 2), _whole(rng, 3, 2)], title="one word against three")
    yield Case("edges", [_whole(rng, 3, 1), _whole(rng, 2, 1)], title="vectors of one number")


pairwise_distances = Exercise("pairwise_distances", {"values": 3, "edges": 1}, _pairwise_cases)


@pairwise_distances.misconception("These are the squared distances: the root is missing.")
def squared(a, b):
    return (a[:, None] - b[None]).square().sum(dim=-1)


@pairwise_distances.misconception(
    "Rows and columns are exchanged: row i belongs to a[i], column j to b[j]. Look at which of the"
    " two got its new axis in front."
)
def transposed(a, b):
    return (a[None] - b[:, None]).square().sum(dim=-1).sqrt()


@pairwise_distances.misconception(
    "You sum over the wrong axis. Of (N, M, D) the axis with the D parts of a vector must vanish."
)
def wrong_axis(a, b):
    return (a[:, None] - b[None]).square().sum(dim=1).sqrt()


@pairwise_distances.misconception(
    "This is the dot product of each pair, which is large for vectors that point the same way. A"
    " distance starts from the difference."
)
def dot_product(a, b):
    return a @ b.T


@pairwise_distances.misconception(
    "You add the absolute differences (the way along the streets). Euclid squares them, adds them"
    " and takes the root."
)
def streets(a, b):
    return (a[:, None] - b[None]).abs().sum(dim=-1)


@pairwise_distances.misconception(
    "`a - b` pairs row 0 with row 0, row 1 with row 1, and so on. Every row of a has to meet every"
    " row of b: give the two a new axis in different places."
)
def row_by_row(a, b):
    return (a - b).square().sum(dim=-1).sqrt()


@pairwise_distances.alternative
def library(a, b):
    return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")


@pairwise_distances.alternative
def two_loops(a, b):
    return torch.stack([torch.stack([(p - q).norm() for q in b]) for p in a])


# --- masked_mean ----------------------------------------------------------------------------


def _masked_mean_cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length in ((1, 3), (3, 5), (4, 4), (int(rng.integers(2, 5)), 6)):
        x = _whole(rng, batch, length, low=1, high=9)
        lengths = torch.from_numpy(rng.integers(1, length, size=batch))
        mask = torch.arange(length) < lengths[:, None]
        if batch == 1:
            yield Case("values", [x, mask], title="one text, padded")
        elif batch == length:
            front = torch.arange(length - 1, -1, -1) < lengths[:, None]
            yield Case("padding", [x, front], title="the padding may also stand in front")
        else:
            title = f"{batch} texts, padded with zeros"
            yield Case("values", [torch.where(mask, x, 0.0), mask], title=title)
    x, length = _whole(rng, 2, 4, low=1, high=9), int(rng.integers(1, 4))
    mask = torch.arange(4) < torch.tensor([[4], [length]])
    yield Case("padding", [torch.where(mask, x, 9999.0), mask], title="padding holds huge numbers")
    rows = [[True, True, False], [False] * 3]
    mask = torch.tensor([rows[i] for i in rng.permutation(2)])
    yield Case("empty", [_whole(rng, 2, 3, low=1, high=9), mask], title="one text has no words")


masked_mean = Exercise("masked_mean", {"values": 2, "padding": 1, "empty": 1}, _masked_mean_cases)


@masked_mean.misconception(
    "The padding is left out of the sum, but still counted when you divide. Divide by the number"
    " of real positions in each row."
)
def counts_padding(x, mask):
    return (x * mask).sum(dim=1) / x.shape[1]


@masked_mean.misconception("The mask is never used: positions where it is False must not count.")
def ignores_mask(x, mask):
    return x.mean(dim=1)


@masked_mean.misconception(
    "The padding is still in the sum. You divide by the right count; now keep what the padding"
    " holds out of the sum."
)
def sums_padding(x, mask):
    return x.sum(dim=1) / mask.sum(dim=1).clamp(min=1)


@masked_mean.misconception(
    "First the texts that have words: you divide by the right count, but the padding is still in"
    " the sum. Keep what it holds out. (The text without words comes after that.)"
)
def sums_padding_and_divides_by_zero(x, mask):
    return x.sum(dim=1) / mask.sum(dim=1)


@masked_mean.misconception(
    "If the message says that the `Boolean value of Tensor ... is ambiguous`: `if count == 0` asks"
    " one question about several texts, and some may answer yes, others no. Find something that"
    " treats each text's count by itself; section 3 has words for that."
)
def asks_all_texts_at_once(x, mask):
    count = mask.sum(dim=1)
    if count == 0:
        return torch.zeros(len(x))
    return (x * mask).sum(dim=1) / count


@masked_mean.misconception(
    "x[mask] is one flat list of numbers, without rows: it has no dim 1 any more, and forgets which"
    " text a number came from. Keep the shape (B, L) until you add up."
)
def rows_of_a_flat_list(x, mask):
    return x[mask].mean(dim=1)


@masked_mean.misconception(
    "A row without a single real position divides 0 by 0, which is NaN: let the divisor be at"
    " least 1."
)
def empty_row_is_nan(x, mask):
    return (x * mask).sum(dim=1) / mask.sum(dim=1)


@masked_mean.misconception(
    "You add 1 to every count, which makes every mean too small. Only a count of 0 needs help."
)
def adds_one(x, mask):
    return (x * mask).sum(dim=1) / (mask.sum(dim=1) + 1)


@masked_mean.misconception(
    "Each row is divided by the number of real positions in the whole batch. Count row by row:"
    " `sum` needs a dim for the mask, too."
)
def counts_the_batch(x, mask):
    return (x * mask).sum(dim=1) / mask.sum().clamp(min=1)


@masked_mean.misconception(
    "This is one mean for all texts together: x[mask] forgets which text a number came from. Keep"
    " the rows apart, with sums along dim 1."
)
def all_texts_together(x, mask):
    return x[mask].mean()


@masked_mean.misconception(
    "You average each position over the texts. What is wanted is one mean per text: the positions,"
    " dim 1, must vanish."
)
def over_texts(x, mask):
    return (x * mask).sum(dim=0) / mask.sum(dim=0).clamp(min=1)


@masked_mean.alternative
def row_after_row(x, mask):
    return torch.stack(
        [row[keep].mean() if keep.any() else row.new_zeros(()) for row, keep in zip(x, mask)]
    )


@masked_mean.alternative
def with_einsum(x, mask):
    real = mask.to(x.dtype)
    return torch.einsum("bl,bl->b", x, real) / real.sum(1).clamp(min=1)


# --- mean_squared_error_gradient ------------------------------------------------------------


def _gradient_case(rng: np.random.Generator, group: str, n: int, d: int, title: str) -> Case:
    """Whole numbers without 0, and errors without 0: no part of the formula can be left out."""
    w, error = (_whole(rng, k, low=1, high=3) * _sign(rng, k) for k in (d, n))
    features = _whole(rng, n, d, low=1, high=4)
    return Case(group, [w, features, features @ w - error], title=title)


def _sign(rng: np.random.Generator, n: int) -> torch.Tensor:
    return 2 * _whole(rng, n, low=0, high=1) - 1


def _gradient_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((2, 2), (4, 3), (int(rng.integers(5, 8)), 2)):
        yield _gradient_case(rng, "values", n, d, title=f"{n} reviews, {d} weights")
    yield _gradient_case(rng, "edges", 1, 2, title="a single review")
    yield _gradient_case(rng, "edges", 3, 1, title="a single weight")
    w, features = _whole(rng, 2), _whole(rng, int(rng.integers(3, 5)), 2)
    title = "no error at all: the gradient is zero"
    yield Case("edges", [w, features, features @ w], title=title)


mean_squared_error_gradient = Exercise(
    "mean_squared_error_gradient", {"values": 3, "edges": 1}, _gradient_cases
)


@mean_squared_error_gradient.misconception(
    "Every number is half of what it should be: the derivative of a square brings a factor 2."
)
def without_two(w, X, y):
    return X.T @ (X @ w - y) / len(y)


@mean_squared_error_gradient.misconception(
    "This is the gradient of the sum of the squares. L is their mean: divide by N."
)
def sum_of_squares(w, X, y):
    return 2 * X.T @ (X @ w - y)


@mean_squared_error_gradient.misconception(
    "The matrix product is right. The formula has a factor in front of the sum, and yours has none."
)
def without_factor(w, X, y):
    return X.T @ (X @ w - y)


@mean_squared_error_gradient.misconception(
    "If the message complains about shapes: the errors are (N,), and there must come out (D,). So"
    " the N of the errors has to touch the N of the table. Which way round must the table stand?"
)
def table_the_wrong_way_round(w, X, y):
    return 2 / len(y) * (X @ w - y) @ X.T


@mean_squared_error_gradient.misconception(
    "Two things. Errors of shape (N,) meet a table (N, D), lined up at the right: N with D, which"
    " do not fit. And nothing adds up over the examples; a matrix product would do both at once."
)
def neither_column_nor_sum(w, X, y):
    return 2 * X * (X @ w - y) / len(y)


@mean_squared_error_gradient.misconception(
    "Python multiplies before it subtracts, so here y is taken from X^T X w at the very end. The"
    " error comes first: put Xw - y in brackets."
)
def subtracts_y_last(w, X, y):
    return 2 / len(y) * X.T @ X @ w - y


@mean_squared_error_gradient.misconception(
    "If the message complains about sizes: errors of shape (N,) meet a table (N, D), and shapes are"
    " lined up at the right, N with D. Each error should go along a row, so the errors have to"
    " stand in a column."
)
def errors_not_in_a_column(w, X, y):
    return (2 * (X @ w - y) * X).mean(dim=0)


@mean_squared_error_gradient.misconception(
    "The sign is wrong, so descending would climb. The error is Xw - y, in this order; the inner"
    " derivative is then plus X."
)
def wrong_sign(w, X, y):
    return 2 * X.T @ (y - X @ w) / len(y)


@mean_squared_error_gradient.misconception(
    "You divide by the number of weights D. The mean in L is over the N examples."
)
def divides_by_weights(w, X, y):
    return 2 * X.T @ (X @ w - y) / len(w)


@mean_squared_error_gradient.misconception(
    "This is the loss L itself, a single number. Its gradient has one number per weight, (D,)."
)
def the_loss(w, X, y):
    return ((X @ w - y) ** 2).mean()


@mean_squared_error_gradient.misconception(
    "This is one number per example. Each error must still meet its example's features: that is"
    " the inner derivative, the X of the chain rule."
)
def without_inner_derivative(w, X, y):
    return 2 * (X @ w - y) / len(y)


@mean_squared_error_gradient.misconception(
    "The guesses X @ w[:, None] stand in a column, (N, 1), and y is flat, (N,). Their difference"
    " broadcasts to (N, N): every guess meets every y. Leave w flat."
)
def column_minus_flat(w, X, y):
    return 2 / len(y) * X.T @ (X @ w[:, None] - y)


@mean_squared_error_gradient.alternative
def sum_over_examples(w, X, y):
    total = torch.zeros_like(w)
    for row, target in zip(X, y):
        total = total + 2 * (row.dot(w) - target) * row
    return total / X.shape[0]


@mean_squared_error_gradient.alternative
def errors_times_rows(w, X, y):
    errors = torch.einsum("nd,d->n", X, w) - y
    return (2 * errors[:, None] * X).mean(dim=0)


# --- numerical_gradient ---------------------------------------------------------------------


def _point(rng: np.random.Generator, size: int) -> torch.Tensor:
    """Whole numbers in float64: adding a step and taking it back gives the same number."""
    return _whole(rng, size).double()


def _numerical_cases(rng: np.random.Generator) -> Iterator[Case]:
    c, k = (int(n) for n in rng.choice(np.arange(2, 8), size=2, replace=False))
    square = Source(f"lambda x: (x ** 2).sum() + {c} * x[0]")
    mixed = Source(f"lambda x: {c} * x[0] * x[1] + x[-1] ** 2")
    cube = Source(f"lambda x: (x ** 3).sum() + {k} * x[-1]")
    exact = {"dtype": "exact"}
    yield Case("values", [square, _point(rng, 2), 0.5], title="squares", judge=exact)
    point = _point(rng, int(rng.integers(3, 6)))
    yield Case("values", [mixed, point, 0.25], title="a product of two numbers", judge=exact)
    yield Case("values", [cube, _point(rng, 3), 0.5], title="a cube and a large step", judge=exact)
    point = _whole(rng, 1)
    yield Case("edges", [cube, point, 0.5], title="a single number, in float32", judge=exact)
    flat = Source(f"lambda x: {k} * x[0].cos()")
    point = _point(rng, int(rng.integers(2, 4))) + 0.5
    title = "only x[0] matters, and the step is small"
    yield Case("edges", [flat, point, 2.0**-10], title=title, judge=exact)


numerical_gradient = Exercise("numerical_gradient", {"values": 3, "edges": 1}, _numerical_cases)


@numerical_gradient.misconception(
    "You step forward only, from x to x + eps. Step to both sides, x + eps and x - eps, and divide"
    " by the whole width: the error shrinks from eps to eps squared."
)
def forward_only(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x + step) - f(x)) / eps for step in steps])


@numerical_gradient.misconception(
    "Everything is twice too large: from x - eps to x + eps it is 2 eps, not eps."
)
def half_the_width(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x + step) - f(x - step)) / eps for step in steps])


@numerical_gradient.misconception(
    "All numbers of x move together, so every entry gets the sum of all slopes. Move one"
    " coordinate at a time and leave the others where they are."
)
def all_at_once(f, x, eps):
    slope = (f(x + eps) - f(x - eps)) / (2 * eps)
    return torch.stack([slope for _ in x])


@numerical_gradient.misconception(
    "x + eps moves all numbers of x together, and one slope comes out for all of them. Wanted is"
    " one slope per number: move one coordinate at a time."
)
def one_slope_for_all(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


@numerical_gradient.misconception(
    "x + eps moves all numbers of x together, so a single difference comes out. Move one coordinate"
    " at a time; and a slope is a difference divided by the way from one side to the other."
)
def one_difference_for_all(f, x, eps):
    return f(x + eps) - f(x - eps)


@numerical_gradient.misconception(
    "These are differences, not slopes: divide by the way from one side to the other. (With a step"
    " of one half that way is 1, so some cases come out right by luck.)"
)
def not_divided(f, x, eps):
    return torch.stack([f(x + step) - f(x - step) for step in eps * torch.eye(len(x)).to(x)])


@numerical_gradient.misconception(
    "The slopes are right, but x is float64 and your result float32: torch.zeros and torch.tensor"
    " make float32 unless they are told otherwise, and digits get lost. Give the result x's dtype."
)
def loses_digits(f, x, eps):
    gradient = torch.zeros(len(x))
    for i, step in enumerate(eps * torch.eye(len(x), dtype=x.dtype)):
        gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
    return gradient


@numerical_gradient.misconception(
    "Zero everywhere: `up = x` is a second name for the same tensor, not a copy, so up and down"
    " are the same point. `x.clone()` copies."
)
def second_name(f, x, eps):
    slopes = []
    for i in range(len(x)):
        up, down = x, x
        up[i] += eps
        down[i] -= eps
        slopes.append((f(up) - f(down)) / (2 * eps))
    return torch.stack(slopes)


@numerical_gradient.misconception(
    "x is not put back: after your function the caller's x is another point. Move a copy"
    " (`x.clone()`) instead."
)
def not_put_back(f, x, eps):
    slopes = []
    for i in range(len(x)):
        x[i] += eps
        above = f(x)
        x[i] -= 2 * eps
        slopes.append((above - f(x)) / (2 * eps))
    return torch.stack(slopes)


@numerical_gradient.misconception(
    "Only the first entry is right: afterward the earlier steps are still in your copies. Start"
    " each round from a fresh copy of x."
)
def steps_pile_up(f, x, eps):
    up, down = x.clone(), x.clone()
    slopes = []
    for i in range(len(x)):
        up[i] += eps
        down[i] -= eps
        slopes.append((f(up) - f(down)) / (2 * eps))
    return torch.stack(slopes)


@numerical_gradient.misconception(
    "Python reads `/ 2 * eps` from left to right: divided by 2, then multiplied by eps. Put 2 * eps"
    " in brackets."
)
def without_brackets(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x + step) - f(x - step)) / 2 * eps for step in steps])


@numerical_gradient.misconception(
    "The minus side is subtracted the wrong way round: it is f(x + step) - f(x - step)."
)
def reversed_sides(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x - step) - f(x + step)) / (2 * eps) for step in steps])


@numerical_gradient.misconception(
    "This is the exact gradient. What is wanted is what two values of f tell about it, at this"
    " very eps, so that the two can be compared."
)
def asks_autograd(f, x, eps):
    point = x.clone().requires_grad_()
    return torch.autograd.grad(f(point), point)[0]


@numerical_gradient.alternative
def identity_rows(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x + step) - f(x - step)) / (2 * eps) for step in steps])


@numerical_gradient.alternative
def two_copies(f, x, eps):
    gradient = torch.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        up, down = x.clone(), x.clone()
        up[i] = up[i] + eps
        down[i] = down[i] - eps
        gradient[i] = (f(up) - f(down)).item() / (2 * eps)
    return gradient


# --- seeded_sample --------------------------------------------------------------------------


def _seeded_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (3, int(rng.integers(4, 8))):
        yield Case("values", [n, int(rng.integers(10, 10_000))])
    yield Case("values", [5, 0], title="0 is a seed like any other")
    for _ in range(2):
        n, seed = int(rng.integers(3, 9)), int(rng.integers(10, 10_000))
        title = "the generator that everybody shares must not notice"
        yield Case("generator", [n, seed], title=title, judge={"keeps_generators": True})


seeded_sample = Exercise("seeded_sample", {"values": 2, "generator": 1}, _seeded_cases)


@seeded_sample.misconception(
    "The numbers are right, but torch.manual_seed restarts the generator that the whole notebook"
    " shares: everything random after your call changes. Make a torch.Generator of your own."
)
def seeds_everybody(n, seed):
    torch.manual_seed(seed)
    return torch.randn(n)


@seeded_sample.misconception(
    "These are uniform numbers between 0 and 1. What is wanted is the normal distribution: the n"
    " in randn."
)
def uniform(n, seed):
    return torch.rand(n, generator=torch.Generator().manual_seed(seed))


@seeded_sample.misconception(
    "Your generator is made but not used: hand it to randn with generator=... . Without it the"
    " numbers come from the generator that everybody shares."
)
def forgets_to_pass_it(n, seed):
    torch.Generator().manual_seed(seed)
    return torch.randn(n)


@seeded_sample.misconception(
    "Every seed gives the same numbers: your generator never hears of `seed`; manual_seed tells it."
)
def unseeded(n, seed):
    return torch.randn(n, generator=torch.Generator())


@seeded_sample.misconception(
    "If you wrote torch.Generator(seed): what stands in those brackets is a device, not a seed."
    " Make the generator first; its method manual_seed tells it where to start."
)
def seed_as_device(n, seed):
    # torch.Generator(seed) fails alike on most machines, not on those with a GPU of that number
    raise RuntimeError("Cannot access accelerator device when none is available.")


@seeded_sample.misconception(
    "Your own generator starts at 0 whatever `seed` says, so all seeds give the same numbers."
)
def always_zero(n, seed):
    return torch.randn(n, generator=torch.Generator().manual_seed(0))


@seeded_sample.misconception(
    "NumPy has a generator of its own, and the same seed gives other numbers there. Use"
    " torch.Generator."
)
def numpy_generator(n, seed):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=n)).float()


@seeded_sample.alternative
def normal_in_place(n, seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    return torch.empty(n).normal_(generator=generator)


@seeded_sample.alternative
def puts_everything_back(n, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.randn(n)
