"""embedding_bag: a text is a list of ids; words repeat, id 0 is a word, and a text may be empty."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, normal

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for k, v, length in ((2, 5, 4), (4, 9, 7), (3, int(rng.integers(8, 12)), 9)):
        yield Case("values", [normal(rng, k, v), draw_ids(rng, v, length)])
    square = int(rng.integers(4, 7))
    text = [normal(rng, square, square), draw_ids(rng, square, 3)]
    yield Case("values", text, title="as many components as words")
    word, other = (int(i) for i in rng.permutation(6)[:2])
    again = torch.tensor([word] * int(rng.integers(2, 5)) + [other, word])
    yield Case("values", [normal(rng, 3, 6), again], title="one word several times")
    first = torch.tensor([0, int(rng.integers(1, 4)), 0])
    title = "id 0 is a word like any other here"
    yield Case("values", [normal(rng, 2, 4), first], title=title)
    k = int(rng.integers(2, 5))
    empty = torch.zeros(0, dtype=torch.long)
    yield Case("edges", [normal(rng, k, 5), empty], title="a text without words")
    yield Case("edges", [normal(rng, k, 5), draw_ids(rng, 5, 1)], title="one word")
    single = [normal(rng, 1, 5), draw_ids(rng, 5, 3)]
    yield Case("edges", single, title="vectors of one number")
    double = [normal(rng, k, 5).double(), draw_ids(rng, 5, 6)]
    yield Case("edges", double, title="double precision (float64)", judge=EXACT)
    none = [normal(rng, k, 5).double(), empty]
    yield Case("edges", none, title="no words, in double precision (float64)", judge=EXACT)
    gaps = [normal(rng, 7, k).mT, draw_ids(rng, 7, 4)]
    yield Case("edges", gaps, title="a matrix that is not contiguous in memory")


WRONG = {
    "each_word_once": """
        A word that occurs several times is counted once. Every occurrence adds its vector.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids.unique()].sum(dim=1)
        """,
    "looks_up_rows": """
        This looks up rows of R, but each word's vector is a column: index the second axis.

        - return R[:, ids].sum(dim=1)
        + return R[ids].sum(dim=0)
        """,
    "sums_each_vector": """
        The sum runs over the components of each vector, which leaves one number per word. Sum
        over the words instead, which leaves one number per component.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids].sum(dim=0)
        """,
    "stacks_nothing": """
        An empty text raises an error: torch.stack needs at least one tensor. The sum over no
        words is a vector of zeros.

        raises RuntimeError

        - return R[:, ids].sum(dim=1)
        + return torch.stack([R[:, i] for i in ids]).sum(dim=0)
        """,
    "sums_to_a_number": """
        Python's sum() of no vectors is the integer 0. An empty text should give a vector of d
        zeros: start from one, or let torch do the sum.

        - return R[:, ids].sum(dim=1)
        + return sum(R[:, i] for i in ids)
        """,
    "averages_the_words": """
        This is the mean of the word vectors, and a text without words is NaN. Add them up: a word
        that occurs twice counts twice, and nothing is divided.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids].mean(dim=1)
        """,
    "averages_all_but_nothing": """
        This is the mean of the word vectors: the sum is divided by the number of words. Add them
        up, and divide by nothing: a word that occurs twice counts twice.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids].sum(dim=1) / max(len(ids), 1)
        """,
    "zeros_of_another_type": """
        The zeros for a text without words are float32. They should have the dtype of R, as all
        other results have.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids].sum(dim=1) if len(ids) else torch.zeros(len(R))
        """,
    "takes_row_zero_for_padding": """
        The word 0 is left out. Here ids are the numbers of words without any padding, and 0 is a
        word like any other.

        - return R[:, ids].sum(dim=1)
        + return R[:, ids[ids != 0]].sum(dim=1)
        """,
}

RIGHT = {
    "loop": """
        def embedding_bag(R, ids):
            d = torch.zeros(R.shape[0], dtype=R.dtype)
            for word in ids.tolist():
                d = d + R[:, word]
            return d
        """,
    "bag_times_matrix": """
        def embedding_bag(R, ids):
            return R @ torch.bincount(ids, minlength=R.shape[1]).to(R.dtype)
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
}
