"""mean_squared_error_gradient: its cases, wrong answers and other right answers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.setup.common import whole

POINTS = {"values": 3, "edges": 1}


def _gradient_case(rng: np.random.Generator, group: str, n: int, d: int, title: str) -> Case:
    """Whole numbers without 0, and errors without 0: no part of the formula can be left out."""
    w, error = (whole(rng, k, low=1, high=3) * _sign(rng, k) for k in (d, n))
    features = whole(rng, n, d, low=1, high=4)
    return Case(group, [w, features, features @ w - error], title=title)


def _sign(rng: np.random.Generator, n: int) -> torch.Tensor:
    return 2 * whole(rng, n, low=0, high=1) - 1


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, d in ((2, 2), (4, 3), (int(rng.integers(5, 8)), 2)):
        yield _gradient_case(rng, "values", n, d, title=f"{n} reviews, {d} weights")
    yield _gradient_case(rng, "edges", 1, 2, title="a single review")
    yield _gradient_case(rng, "edges", 3, 1, title="a single weight")
    w, features = whole(rng, 2), whole(rng, int(rng.integers(3, 5)), 2)
    title = "no error at all: the gradient is zero"
    yield Case("edges", [w, features, features @ w], title=title)


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
    "without_factor": """
        The matrix product is right. The formula has a factor in front of the sum, and yours has
        none.

        def mean_squared_error_gradient(w, X, y):
            return X.T @ (X @ w - y)
        """,
    "table_the_wrong_way_round": """
        If the message complains about shapes: the errors are (N,), and there must come out
        (D,). So the N of the errors has to touch the N of the table. Which way round must the
        table stand?

        def mean_squared_error_gradient(w, X, y):
            return 2 / len(y) * (X @ w - y) @ X.T
        """,
    "neither_column_nor_sum": """
        Two things. Errors of shape (N,) meet a table (N, D), lined up at the right: N with D,
        which do not fit. And nothing adds up over the examples; a matrix product would do both
        at once.

        def mean_squared_error_gradient(w, X, y):
            return 2 * X * (X @ w - y) / len(y)
        """,
    "subtracts_y_last": """
        Python multiplies before it subtracts, so here y is taken from X^T X w at the very end.
        The error comes first: put Xw - y in brackets.

        def mean_squared_error_gradient(w, X, y):
            return 2 / len(y) * X.T @ X @ w - y
        """,
    "errors_not_in_a_column": """
        If the message complains about sizes: errors of shape (N,) meet a table (N, D), and
        shapes are lined up at the right, N with D. Each error should go along a row, so the
        errors have to stand in a column.

        def mean_squared_error_gradient(w, X, y):
            return (2 * (X @ w - y) * X).mean(dim=0)
        """,
    "wrong_sign": """
        The sign is wrong, so descending would climb. The error is Xw - y, in this order; the
        inner derivative is then plus X.

        def mean_squared_error_gradient(w, X, y):
            return 2 * X.T @ (y - X @ w) / len(y)
        """,
    "divides_by_weights": """
        You divide by the number of weights D. The mean in L is over the N examples.

        def mean_squared_error_gradient(w, X, y):
            return 2 * X.T @ (X @ w - y) / len(w)
        """,
    "the_loss": """
        This is the loss L itself, a single number. Its gradient has one number per weight,
        (D,).

        def mean_squared_error_gradient(w, X, y):
            return ((X @ w - y) ** 2).mean()
        """,
    "without_inner_derivative": """
        This is one number per example. Each error must still meet its example's features: that
        is the inner derivative, the X of the chain rule.

        def mean_squared_error_gradient(w, X, y):
            return 2 * (X @ w - y) / len(y)
        """,
    "column_minus_flat": """
        The guesses X @ w[:, None] stand in a column, (N, 1), and y is flat, (N,). Their
        difference broadcasts to (N, N): every guess meets every y. Leave w flat.

        def mean_squared_error_gradient(w, X, y):
            return 2 / len(y) * X.T @ (X @ w[:, None] - y)
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
