"""softmax_gradients: for v_c and U; scores near 1000 and half precision must not overflow."""

from .common import softmax_cases

POINTS = {"values": 3, "stability": 1}
cases = softmax_cases

WRONG = {
    "truth_minus_probability": """
        Both gradients have the wrong sign. The error is probability minus truth, p - y.

        - errors = torch.softmax(U @ v_c, dim=0)
        - errors[o] -= 1
        + errors = -torch.softmax(U @ v_c, dim=0)
        + errors[o] += 1
        """,
    "forgets_the_truth": """
        The true word is treated like the others. Its y is 1, so its error is p - 1.

        - errors[o] -= 1
        """,
    "only_the_true_row": """
        Only the true word's row has a gradient. The denominator holds all scores, so all rows do.

        - return U.T @ errors, errors[:, None] * v_c
        + for_U = torch.zeros_like(U)
        + for_U[o] = errors[o] * v_c
        + return U.T @ errors, for_U
        """,
    "transposed": """
        The gradient for U is transposed. It should be shaped like U: (|V|, d), a row for each word.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors, v_c[:, None] * errors
        """,
    "errors_times_own_rows": """
        In the gradient for U, multiply each error by the other factor of the score, v_c.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors, errors[:, None] * U
        """,
    "naive_probabilities": """
        exp of a large score is infinity, and the quotient NaN. Subtract the largest score first.

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
        Half precision stops the function: a float32 tensor meets a float16 one. Leave v_c and U as
        they are, and create the one-hot vector in their dtype.

        raises RuntimeError

        - errors[o] -= 1
        + y = torch.zeros(len(U))
        + y[o] = 1
        + errors = errors - y
        """,
    "truth_for_the_center_only": """
        The gradient for v_c is right. In the gradient for U the truth is missing: the row of the
        true word has the error p - 1 there, too.

        - errors[o] -= 1
        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors - U[o], errors[:, None] * v_c
        """,
    "truth_for_the_outside_only": """
        The gradient for U is right. In the gradient for v_c the truth is missing: the true word has the
        error p - 1 there, too.

        - return U.T @ errors, errors[:, None] * v_c
        + return U.T @ errors + U[o], errors[:, None] * v_c
        """,
    "center_learns_from_the_true_word": """
        The gradient for v_c holds the true word alone. Every word has an error: sum error times vector over
        all rows of U.

        - return U.T @ errors, errors[:, None] * v_c
        + return errors[o] * U[o], errors[:, None] * v_c
        """,
    "center_with_mean": """
        In the gradient for v_c the words are averaged. It is a sum over all of them.

        - return U.T @ errors, errors[:, None] * v_c
        + return (errors[:, None] * U).mean(dim=0), errors[:, None] * v_c
        """,
    "sigmoid_of_each_score": """
        Each score goes through a sigmoid of its own. That is negative sampling, later in this notebook;
        here p is the softmax over all words.

        - errors = torch.softmax(U @ v_c, dim=0)
        + errors = torch.sigmoid(U @ v_c)
        """,
    "true_error_is_minus_one": """
        The error of the true word is -1, as if its probability were 0. Subtract 1 from the probability.

        - errors[o] -= 1
        + errors[o] = -1
        """,
    "gradient_in_place_of_the_vector": """
        The gradient for v_c is right. In that for U the errors are multiplied by this gradient
        instead of v_c itself: give the gradients names of their own.

        - return U.T @ errors, errors[:, None] * v_c
        + v_c = U.T @ errors
        + return v_c, errors[:, None] * v_c
        """,
}

FURTHER = """
First compute the errors, shape (|V|,): the softmax of the scores, with 1 subtracted at index o.
The gradient for U has one row per word: entry [w, :] is errors[w] times v_c, an outer product.
"""

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

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
}
