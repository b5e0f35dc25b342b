"""Class 1 where the score is above 0; weights are multiples of 1/64, so scores are exact."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import draw_counts

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(d: int) -> torch.Tensor:
        return torch.from_numpy((rng.integers(-128, 129, size=d) / 64).astype(np.float32))

    for n, d in ((4, 3), (8, 5), (12, int(rng.integers(6, 9)))):
        counts, w = draw_counts(rng, n, d), weights(d)
        scores = (counts * w).sum(dim=1)
        # In the middle of the scores, so that both classes occur, and never exactly at one.
        yield Case("values", [counts, w, -(scores.min() + scores.max()) / 2 - 1 / 256])
    counts, w = draw_counts(rng, 6, 4), weights(4)
    low = -(counts * w).sum(dim=1).max() - 0.25
    yield Case("values", [counts, w, low], title="a large negative bias")
    small = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    near = torch.tensor([0.25, -0.25, 0.5])[torch.from_numpy(rng.permutation(3))]
    title = "scores between 0 and 1 are positive"
    yield Case("values", [small, near, torch.tensor(0.125)], title=title)
    tie = torch.tensor(rng.integers(2, 5) / 2, dtype=torch.float32)
    even = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    even = even.repeat(3, 1)[torch.from_numpy(rng.permutation(12))]
    yield Case("edges", [even, torch.stack([-tie, tie]), tie], title="a score of exactly 0")
    # float16 would round this bias, so that the score is 0.
    given = [torch.tensor([[1.0, 0.0]]), torch.stack([-tie, tie]), tie + 2.0**-12]
    yield Case("edges", given, title="a single text, its score is just above 0")
    yield Case("edges", [torch.zeros(3, 2), weights(2), torch.tensor(0.0)], title="empty bags")
    single = weights(1)
    title = "for empty bags the bias decides"
    yield Case("edges", [torch.zeros(2, 1), single, single.abs()[0] + 1], title=title)


WRONG = {
    "forgets_the_bias": """
        The bias w_0 has no effect. It is added to every text's score.

        - scores = X @ w + w_0
        + scores = X @ w
        """,
    "includes_zero": """
        A score of exactly 0 counts as positive. It is not above 0, so the class is 0.

        - return (scores > 0).long()
        + return (scores >= 0).long()
        """,
    "gives_booleans": """
        These are True and False. The classes are the integers 0 and 1.

        - return (scores > 0).long()
        + return scores > 0
        """,
    "compares_with_a_half": """
        Scores are compared with 0.5, the threshold for probabilities. For scores it is 0.

        - return (scores > 0).long()
        + return (scores > 0.5).long()
        """,
    "gives_signs": """
        The classes are -1 and 1 here. In this course the negative class is 0.

        - return (scores > 0).long()
        + return torch.sign(scores).long()
        """,
    "compares_with_the_bias": """
        w.x is compared with w_0. The rule w_0 + w.x > 0 compares it with minus w_0.

        def predict_classes(X, w, w_0):
            return (X @ w > w_0).long()
        """,
    "compares_probabilities_with_zero": """
        Every text is positive: a probability is always above 0. Compare the score with 0; for a
        probability the threshold would be one half.

        def predict_classes(X, w, w_0):
            return (torch.sigmoid(X @ w + w_0) > 0).long()
        """,
    "adds_the_bias_for_every_word": """
        The bias is added once for each word of the vocabulary, inside the sum. A text's score has
        it once: add it after the sum over the words.

        - scores = X @ w + w_0
        + scores = (X * w + w_0).sum(dim=1)
        """,
    "gives_floats": """
        These are the floats 0.0 and 1.0. The classes are the integers 0 and 1: convert with
        `.long()`.

        - return (scores > 0).long()
        + return (scores > 0).float()
        """,
}

RIGHT = {
    "loop": """
        def predict_classes(X, w, w_0):
            return torch.tensor([1 if torch.dot(w, x) + w_0 > 0 else 0 for x in X])
        """,
    "einsum": """
        def predict_classes(X, w, w_0):
            return torch.where(torch.einsum("nd,d->n", X, w) > -w_0, 1, 0)
        """,
}

EQUIVALENT = {
    "a single number does not change the precision of a tensor": """
         def predict_classes(X: torch.Tensor, w: torch.Tensor, w_0: torch.Tensor) -> torch.Tensor:
        +    w_0 = w_0.double()
             scores = X @ w + w_0
        """,
    "float16 keeps the sign of a score above 6e-8": """
        -    scores = X @ w + w_0
        +    scores = (X @ w + w_0).half()
        """,
    "integers of any size": """
        -    return (scores > 0).long()
        +    return (scores > 0).long().int()
        """,
}
