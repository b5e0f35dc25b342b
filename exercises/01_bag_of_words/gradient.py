"""The gradient of mean loss plus L2, in matrix form; L2 has a group of cases of its own."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_labels

POINTS = {"values": 3, "l2": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def problem(n: int, d: int) -> list[torch.Tensor]:
        return [normal(rng, n, d), draw_labels(rng, n), normal(rng, d), normal(rng)]

    for n, d in ((3, 2), (5, 4), (int(rng.integers(6, 10)), 5)):
        yield Case("values", [*problem(n, d), 0.0], title="without L2")
    yield Case("values", [*problem(1, 3), 0.0], title="a single text")
    yield Case("values", [*problem(4, 1), 0.0], title="a vocabulary of one word")
    X, y, w, w_0 = problem(4, 3)
    yield Case("values", [X, y, w, w_0 + 2, 0.0], title="a large bias")
    for n, d in ((4, 3), (int(rng.integers(5, 9)), 4)):
        yield Case("l2", [*problem(n, d), float(np.round(rng.uniform(0.2, 2), 2))])
    X, y, w, w_0 = problem(4, 3)
    yield Case("l2", [0 * X, y, w, w_0, 0.5], title="empty bags: only L2 acts on w")


FURTHER = """
Three steps: the probabilities p, (N,), by your sigmoid from X @ w + w_0; the errors p - y, (N,); and
from the errors both gradients. For w each text's errors multiply its bag, so the transpose of X, (|V|, N),
meets the errors, (N,). Divide that sum by N, then add l2 * w. For w_0 take the mean error.
"""

WRONG = {
    "points_downhill": """
        The sign is wrong: a gradient points to where the loss grows. The error is p - y.

        - error = sigmoid(X @ w + w_0) - y
        + error = y - sigmoid(X @ w + w_0)
        """,
    "forgets_the_sigmoid": """
        Scores are compared with labels. The error is p - y, where p is the sigmoid of the score.

        - error = sigmoid(X @ w + w_0) - y
        + error = X @ w + w_0 - y
        """,
    "sums_over_texts": """
        The errors are summed. The loss is a mean over the N texts, and so is its gradient.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error + l2 * w, error.sum()
        """,
    "divides_by_the_words": """
        The sum is divided by the number of words. The mean is over the N texts: len(X), or len(y).

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / X.shape[1] + l2 * w, error.mean()
        """,
    "averages_over_the_words": """
        All words get the same number, from a mean over the whole matrix. Each word needs its own: the
        mean over the texts only, `mean(dim=0)`, or X.T @ error / N.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return (X * error[:, None]).mean() + l2 * w, error.mean()
        """,
    "penalizes_the_bias": """
        The bias is regularized too. L2 applies only to the weights w.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y) + l2 * w, error.mean() + l2 * w_0
        """,
    "divides_l2_too": """
        The L2 term is divided by N too. Only the loss is a mean over the texts.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return (X.T @ error + l2 * w) / len(y), error.mean()
        """,
    "halves_l2": """
        The L2 term is half as large as it should be: the 2 from the square cancels the 1/2.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y) + l2 / 2 * w, error.mean()
        """,
    "forgets_l2": """
        l2 has no effect: the term l2/2 ||w||^2 contributes to the gradient for w.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y), error.mean()
        """,
    "adds_the_penalty_itself": """
        The penalty, a single number, is added to every component: add its derivative instead.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y) + l2 / 2 * (w**2).sum(), error.mean()
        """,
    "forgets_the_bias": """
        The bias is missing from the scores: p is the sigmoid of X @ w + w_0.

        - error = sigmoid(X @ w + w_0) - y
        + error = sigmoid(X @ w) - y
        """,
    "doubles_l2": """
        The L2 term is twice as large as it should be: the 1/2 in l2/2 cancels the 2 from the
        square.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y) + 2 * l2 * w, error.mean()
        """,
    "sums_for_the_bias": """
        The gradient for w is right, that for w_0 is N times too large: it is a mean over the texts,
        too.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error / len(y) + l2 * w, error.sum()
        """,
    "differentiates_the_squared_error": """
        The errors are multiplied by p (1 - p), the slope of the sigmoid. This belongs to the
        squared error; with the negative log-likelihood it cancels, and the error is just p - y.

        - error = sigmoid(X @ w + w_0) - y
        + p = sigmoid(X @ w + w_0)
        + error = (p - y) * p * (1 - p)
        """,
    "takes_classes_for_probabilities": """
        The errors are whole numbers, predicted class minus label. p is the probability, the sigmoid
        of the score: a text on the right side has an error as well.

        - error = sigmoid(X @ w + w_0) - y
        + error = (X @ w + w_0 > 0).float() - y
        """,
    "sums_for_the_weights": """
        The gradient for w_0 is right, that for w is not: its errors are summed, while the loss is a
        mean over the N texts. Divide X.T @ error by N.

        - return X.T @ error / len(y) + l2 * w, error.mean()
        + return X.T @ error + l2 * w, error.mean()
        """,
}

RIGHT = {
    "autograd": """
        def gradient(X, y, w, w_0, l2):
            w, w_0 = w.clone().requires_grad_(), w_0.clone().requires_grad_()
            objective = negative_log_likelihood(X @ w + w_0, y) + l2 / 2 * (w @ w)
            return torch.autograd.grad(objective, (w, w_0))
        """,
    "loop": """
        def gradient(X, y, w, w_0, l2):
            for_w, for_bias = l2 * w, torch.tensor(0.0)
            for x, label in zip(X, y.tolist()):
                p = torch.sigmoid(w_0 + torch.dot(w, x))
                for_w = for_w + (p - label) * x / len(X)
                for_bias = for_bias + (p - label) / len(X)
            return for_w, for_bias
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "subtracting converts the classes to floats": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    y = y.float()
             error = sigmoid(X @ w + w_0) - y
        """,
    "a single number does not change the precision of a tensor": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    w_0 = w_0.double()
             error = sigmoid(X @ w + w_0) - y
        """,
}
