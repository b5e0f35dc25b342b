"""bag_times_matrix: one bag or a batch; some batches are square, so that any transpose fits."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal

POINTS = {"one text": 1, "batch": 1, "edges": 1}


def _counts(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    """Bags of small counts in which the first word occurs twice."""
    bags = rng.poisson(0.8, size=shape)
    bags[..., 0] = 2
    return torch.from_numpy(bags.astype(np.float32))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, v in ((2, 5), (int(rng.integers(3, 6)), int(rng.integers(6, 10)))):
        yield Case("one text", [normal(rng, k, v), _counts(rng, v)])
    square = int(rng.integers(3, 6))
    text = [normal(rng, square, square), _counts(rng, square)]
    yield Case("one text", text, title="as many components as words")
    for b, k, v in ((3, 2, 5), (int(rng.integers(4, 7)), 3, int(rng.integers(6, 9)))):
        yield Case("batch", [normal(rng, k, v), _counts(rng, b, v)])
    yield Case("batch", [normal(rng, 3, 4), _counts(rng, 1, 4)], title="a batch of one text")
    square = int(rng.integers(3, 5))
    batch = [normal(rng, square, square), _counts(rng, square, square)]
    yield Case("batch", batch, title="as many texts as words as components")
    n = int(rng.integers(4, 7))
    title = "texts without known words"
    yield Case("edges", [normal(rng, 3, n), torch.zeros(2, n)], title=title)
    whole = _counts(rng, n).long()
    yield Case("edges", [normal(rng, 3, n), whole], title="a bag of integers (int64)")
    shares = [normal(rng, 3, n), _counts(rng, n) / int(rng.integers(3, 6))]
    yield Case("edges", shares, title="shares in place of counts")
    double = [normal(rng, 2, n).double(), _counts(rng, n)]
    yield Case("edges", double, title="double precision (float64)", judge=EXACT)
    gaps = [normal(rng, n, 3).mT, _counts(rng, 2, n)]
    yield Case("edges", gaps, title="a matrix that is not contiguous in memory")


WRONG = {
    "matrix_on_the_left": """
        This is right for one text but not for a batch: the texts are the rows of x, so R cannot
        stand on the left. Which product of x with the transpose of R has the shape (B, d)?

        - return x.to(R.dtype) @ R.T
        + return R @ x.to(R.dtype)
        """,
    "forgets_to_transpose": """
        The inner dimensions of this product are V and d, which do not match. What has to follow
        (B, V) to give (B, d)? R must be transposed.

        - return x.to(R.dtype) @ R.T
        + return x.to(R.dtype) @ R
        """,
    "texts_in_columns": """
        For a batch, the result has one text per column. Texts are rows in the input and in the
        output: (B, V) becomes (B, d).

        - return x.to(R.dtype) @ R.T
        + return R @ x.to(R.dtype).T
        """,
    "counts_once": """
        The counts are lost: a word that occurs twice must add its vector twice.

        - return x.to(R.dtype) @ R.T
        + return (x > 0).to(R.dtype) @ R.T
        """,
    "requires_equal_dtypes": """
        A bag of integers raises an error: both factors of a matrix product need the same dtype.
        Convert x to the dtype of R first.

        raises RuntimeError

        - return x.to(R.dtype) @ R.T
        + return x @ R.T
        """,
    "always_float32": """
        The result is always float32. It should have the dtype of R: double precision stays double
        precision.

        - return x.to(R.dtype) @ R.T
        + return x.float() @ R.T.float()
        """,
    "element_by_element": """
        For a batch, `R * x` pairs the rows of R with the rows of x, and they are not of one kind:
        components here, texts there. Every text has to meet every component, which is what a matrix
        product does.

        - return x.to(R.dtype) @ R.T
        + return (R * x.to(R.dtype)).sum(dim=-1)
        """,
    "divides_by_the_number_of_words": """
        The sum of the vectors is divided by the number of words. A bag times a matrix is the sum
        itself.

        - return x.to(R.dtype) @ R.T
        + return x.to(R.dtype) @ R.T / x.sum(dim=-1, keepdim=True)
        """,
    "cuts_vectors_to_integers": """
        R is converted to the dtype of the bag. Where that is integers, the vectors lose their
        decimals: convert x to the dtype of R instead.

        - return x.to(R.dtype) @ R.T
        + return (x @ R.T.to(x.dtype)).to(R.dtype)
        """,
    "squeezes_a_batch_of_one": """
        A batch of one text loses its batch axis to `squeeze`: (1, V) should become (1, d). The
        product has the right shape for a single text as well as for a batch, so nothing has to be
        removed.

        - return x.to(R.dtype) @ R.T
        + return (x.to(R.dtype) @ R.T).squeeze(0)
        """,
    "whole_numbers_come_out": """
        R is converted to the dtype of the bag. Where that is integers, the vectors lose their
        decimals, and whole numbers come out: convert x to the dtype of R instead.

        - return x.to(R.dtype) @ R.T
        + return x @ R.T.to(x.dtype)
        """,
}

RIGHT = {
    "einsum": """
        def bag_times_matrix(R, x):
            return torch.einsum("kv,...v->...k", R, x.to(R.dtype))
        """,
    "loop_over_words": """
        def bag_times_matrix(R, x):
            d = torch.zeros(*x.shape[:-1], R.shape[0], dtype=R.dtype)
            for word in range(R.shape[1]):
                d = d + x[..., word, None].to(R.dtype) * R[:, word]
            return d
        """,
}

EQUIVALENT = {
    "Counts are exact in float32.": """
          def bag_times_matrix(R: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        +     x = x.float()
        """,
    "no model of the course is trained through it": "every edit: detached, without gradient",
}
