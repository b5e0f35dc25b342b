"""softmax_gradients: one for v_c, one for U; scores near 1000 and half precision must not overflow."""

from __future__ import annotations

from autograder.exercises.word2vec.common import softmax_cases

POINTS = {"values": 3, "stability": 1}


cases = softmax_cases


WRONG = {
    "truth_minus_probability": """
        Both gradients have the wrong sign. The error is probability minus truth, p - y.

        - errors[o] -= 1
        + errors[o] -= 1
        + errors = -errors
        """,
    "forgets_the_truth": """
        The true word is treated like all others. It is the one with y = 1, so its error is p - 1.

        - errors[o] -= 1
        """,
    "only_the_true_row": """
        Only the row of the true word has a gradient. Every word's score is in the denominator,
        so every row has one.

        - return U.T @ errors, errors[:, None] * v_c
        + for_U = torch.zeros_like(U)
        + for_U[o] = errors[o] * v_c
        + return U.T @ errors, for_U
        """,
    "only_the_true_word_pulls": """
        The gradient for v_c holds only the true word. It is a sum over all words: each row of U
        counts with its error.

        - return U.T @ errors, errors[:, None] * v_c
        + return errors[o] * U[o], errors[:, None] * v_c
        """,
    "transposed": """
        The gradient for U is transposed. It should be shaped like U: (D, K), a row for each word.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors, v_c[:, None] * errors
        """,
    "errors_times_own_rows": """
        In the gradient for U the errors are multiplied by the rows of U. The other factor of
        each score is v_c, the same for every row.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors, errors[:, None] * U
        """,
    "divided_by_the_words": """
        Both are divided by D. The loss belongs to one pair; its gradient is a sum over the
        words, not a mean.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors / len(U), errors[:, None] * v_c / len(U)
        """,
    "sigmoid_instead_of_softmax": """
        The errors come from a sigmoid of each score. Here the words share one softmax: their
        probabilities sum to 1.

        - errors = torch.softmax(U @ v_c, dim=0)
        + errors = torch.sigmoid(U @ v_c)
        """,
    "naive_probabilities": """
        exp of a large score is infinity, and infinity divided by infinity is NaN. Subtract the
        largest score before exp; the probabilities stay the same.

        - errors = torch.softmax(U @ v_c, dim=0)
        + powers = torch.exp(U @ v_c)
        + errors = powers / powers.sum()
        """,
    "returns_float32": """
        The gradients should keep the precision of their inputs; yours come back as float32.

        - errors = torch.softmax(U @ v_c, dim=0)
        + v_c, U = v_c.float(), U.float()
        + errors = torch.softmax(U @ v_c, dim=0)
        """,
    "truth_in_float32": """
        Half precision stops the function: the one-hot vector of the true word is float32, and
        matrices of two precisions cannot be multiplied. Create it in the precision of v_c.

        raises RuntimeError

        - errors[o] -= 1
        + y = torch.zeros(len(U))
        + y[o] = 1
        + errors = errors - y
        """,
}

RIGHT = {
    "autograd": """
        def softmax_gradients(v_c, U, o):
            v, W = v_c.detach().float().requires_grad_(), U.detach().float().requires_grad_()
            torch.nn.functional.cross_entropy((W @ v)[None], torch.tensor([o])).backward()
            return v.grad.to(v_c.dtype), W.grad.to(U.dtype)
        """,
    "one_hot": """
        def softmax_gradients(v_c, U, o):
            scores = U @ v_c
            powers = torch.exp(scores - scores.max())
            y = torch.nn.functional.one_hot(torch.tensor(o), len(U)).to(v_c.dtype)
            errors = powers / powers.sum() - y
            return (errors[:, None] * U).sum(dim=0), torch.outer(errors, v_c)
        """,
}
