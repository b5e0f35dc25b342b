"""mean_squared_error_gradient: whole numbers, so that every part of the formula shows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import large, whole

POINTS = {"values": 3, "edges": 1}


def _gradient_case(rng: np.random.Generator, group: str, n: int, d: int, title: str) -> Case:
    """Whole numbers without 0, in errors and gradient, too: no part of the formula can be left out."""
    w = whole(rng, d, low=1, high=3) * _sign(rng, d)
    features, slopes = torch.zeros(n, d), torch.zeros(d)
    while not slopes.all():
        error = whole(rng, n, low=1, high=3) * _sign(rng, n)
        features = whole(rng, n, d, low=1, high=4)
        slopes = error @ features
    return Case(group, [w, features, features @ w - error], title=title)


def _sign(rng: np.random.Generator, n: int) -> torch.Tensor:
    return 2 * whole(rng, n, low=0, high=1) - 1


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((2, 2), (4, 3), (int(rng.integers(5, 8)), 2)):
        yield _gradient_case(rng, "values", n, d, title=f"{n} reviews, {d} weights")
    w, features, y = whole(rng, 2), whole(rng, 1, 2, low=1, high=4), large(rng, 1) * _sign(rng, 1)
    yield Case("edges", [w, features, y], title="a single review, and the prediction is far off")
    yield _gradient_case(rng, "edges", 3, 1, title="a single weight")
    w, features = whole(rng, 2), whole(rng, int(rng.integers(3, 5)), 2)
    title = "no error at all: the gradient is zero"
    yield Case("edges", [w, features, features @ w], title=title)


FURTHER = """
Two lines: the errors X @ w - y, shape (N,), and then 2 / N times a matrix product that turns (N,) into
(d,). Only one of X and its transpose has a shape that fits. Compare with the worked example.
"""

WRONG = {
    "without_two": """
        Every number is half of what it should be: the derivative of a square brings a factor 2.

        def mean_squared_error_gradient(w, X, y):
            return X.T @ (X @ w - y) / len(y)
        """,
    "sum_of_squares": """
        This is the gradient of the sum of the squares. L is their mean: divide by N.

        def mean_squared_error_gradient(w, X, y):
            return 2 * X.T @ (X @ w - y)
        """,
    "divides_by_weights": """
        You divide by the number of weights, d. The mean is over the N reviews: divide by len(y).

        - return 2 / len(y) * (X.T @ errors)
        + return 2 / len(w) * (X.T @ errors)
        """,
    "wrong_sign": """
        The sign is wrong, so gradient descent would climb. The error is Xw - y, in this order;
        the inner derivative is then plus X.

        def mean_squared_error_gradient(w, X, y):
            return 2 * X.T @ (y - X @ w) / len(y)
        """,
    "transposed_table": """
        `errors @ X.T` multiplies (N,) by (d, N): the inner sizes are N and d, and they must be
        equal. The N of the errors has to meet the N of the table: leave out the `.T` here.

        def mean_squared_error_gradient(w, X, y):
            return 2 / len(y) * (X @ w - y) @ X.T
        """,
    "column_minus_flat": """
        The predictions X @ w[:, None] are a column, (N, 1), and y has shape (N,). Their difference
        broadcasts to (N, N): every prediction meets every y. Leave w of shape (d,).

        def mean_squared_error_gradient(w, X, y):
            return 2 / len(y) * X.T @ (X @ w[:, None] - y)
        """,
    "table_not_transposed": """
        `X @ errors` multiplies (N, d) by (N,): the inner sizes are d and N, and they must be equal.
        The N of the errors has to meet the N of the table: transpose X first.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 / len(y) * (X @ errors)
        """,
    "errors_as_a_row": """
        `errors * X` aligns shapes at the right: the errors, (N,), meet the d columns of X. Each
        error belongs to a row: give them a second axis, `errors[:, None]`, or use a matrix product.

        - return 2 / len(y) * (X.T @ errors)
        + return (2 * errors * X).mean(dim=0)
        """,
    "divides_by_all_entries": """
        Too small by the factor d: you divide by the number of entries of X. Or is it a mean over
        all of them? The mean is over the N reviews only.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 / X.numel() * (X.T @ errors)
        """,
    "one_slope_for_all_weights": """
        This is a single number, a mean over the reviews and the weights. Each weight has its own
        slope: only the axis of the N reviews should disappear.

        - return 2 / len(y) * (X.T @ errors)
        + return (2 * errors[:, None] * X).mean()
        """,
    "forgets_the_inner_derivative": """
        The inner derivative is missing: each error has to be multiplied by x_nj, the entry of its
        row for weight j. What you return does not depend on j.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 * errors.mean()
        """,
    "returns_the_loss": """
        This is the loss itself, a single number. Its gradient has one number for each weight.

        - return 2 / len(y) * (X.T @ errors)
        + return errors.square().mean()
        """,
    "does_not_add_up": """
        This has a row for each review: what each contributes to the gradient. Add these rows up, so
        that one number per weight is left.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 / len(y) * errors[:, None] * X
        """,
    "repeats_one_slope": """
        All weights get the same slope, the mean over the weights. The matrix product has already
        summed over the reviews: one number per weight is left, and nothing remains to be averaged.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 * (X.T @ errors).mean() * torch.ones_like(w)
        """,
    "column_minus_row_averaged": """
        If the predictions are a column, (N, 1), and y has shape (N,), their difference is (N, N):
        every prediction meets every y, and the mean over them compares each prediction with the
        mean of all y. Give both the shape (N,), so that each prediction meets its own y.

        - return 2 / len(y) * (X.T @ errors)
        + errors = (X @ w)[:, None] - y
        + return 2 / len(y) * (X.T @ errors).mean(dim=1)
        """,
    "column_minus_row_summed": """
        If the predictions are a column, (N, 1), and y has shape (N,), their difference is (N, N):
        every prediction meets every y, and all these errors are added up. Give both the shape (N,),
        so that each prediction meets its own y.

        - return 2 / len(y) * (X.T @ errors)
        + errors = (X @ w)[:, None] - y
        + return 2 / len(y) * (X.T @ errors).sum(dim=1)
        """,
    "row_minus_column_averaged": """
        If y is a column, (N, 1), and the predictions have shape (N,), their difference is (N, N):
        every prediction meets every y, and the mean over them compares each y with the mean of all
        predictions. Give both the shape (N,), so that each prediction meets its own y.

        - return 2 / len(y) * (X.T @ errors)
        + errors = X @ w - y[:, None]
        + return 2 / len(y) * (X.T @ errors).mean(dim=1)
        """,
    "multiplies_the_means": """
        The mean error is multiplied by the mean of each column. It is the products that are
        averaged: each error meets the row of its own review first.

        - return 2 / len(y) * (X.T @ errors)
        + return 2 * errors.mean() * X.mean(dim=0)
        """,
    "keeps_the_square": """
        The errors are still squared. The derivative of a square is 2 times the error itself, times
        the inner derivative.

        - errors = X @ w - y  # (N,)
        + errors = (X @ w - y) ** 2
        """,
}

RIGHT = {
    "sum_over_examples": """
        def mean_squared_error_gradient(w, X, y):
            total = torch.zeros_like(w)
            for row, target in zip(X, y):
                total = total + 2 * (row.dot(w) - target) * row
            return total / X.shape[0]
        """,
    "errors_times_rows": """
        def mean_squared_error_gradient(w, X, y):
            errors = torch.einsum("nd,d->n", X, w) - y
            return (2 * errors[:, None] * X).mean(dim=0)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "X, y and the errors have one length": """
        -    return 2 / len(y) * (X.T @ errors)
        +    return 2 / len(X) * (X.T @ errors)

        -    return 2 / len(y) * (X.T @ errors)
        +    return 2 / len(errors) * (X.T @ errors)
        """,
}
