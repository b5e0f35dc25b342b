"""negative_sampling_gradients: for v_c, u_o and U_neg; no negatives, scores near 1000, float16."""

from .common import sampling_cases

POINTS = {"values": 3, "edges": 1}
cases = sampling_cases

WRONG = {
    "equal_negatives_once": """
        A negative that was drawn twice counts once here. Every row of U_neg is a sample of its own, and
        adds its part to the gradient of v_c.

        - errors = torch.sigmoid(U_neg @ v_c)
        - for_v = true_error * u_o + U_neg.T @ errors
        + errors = torch.sigmoid(U_neg @ v_c)
        + once = torch.unique(U_neg, dim=0)
        + for_v = true_error * u_o + once.T @ torch.sigmoid(once @ v_c)
        """,
    "true_word_is_no_negative": """
        A negative that happens to be the true word was left out. Negatives are drawn from all words, and
        each counts, that one too.

        - errors = torch.sigmoid(U_neg @ v_c)
        + errors = torch.sigmoid(U_neg @ v_c) * (U_neg != u_o).any(dim=1)
        """,
    "label_minus_sigmoid": """
        All three have the wrong sign. The error is sigmoid minus label.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        - errors = torch.sigmoid(U_neg @ v_c)
        + true_error = 1 - torch.sigmoid(u_o @ v_c)
        + errors = -torch.sigmoid(U_neg @ v_c)
        """,
    "true_label_zero": """
        The true pair is treated like the negatives. Its label is 1: its error is sigmoid minus 1.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        + true_error = torch.sigmoid(u_o @ v_c)
        """,
    "sigmoid_of_minus_the_score": """
        The error of a negative is the sigmoid of its score itself; the minus belongs to the loss.

        - errors = torch.sigmoid(U_neg @ v_c)
        + errors = torch.sigmoid(-(U_neg @ v_c))
        """,
    "derivative_of_the_sigmoid": """
        The errors contain the derivative of the sigmoid, sigma(s)(1 - sigma(s)). The logarithm
        in the loss cancels it: what is left is sigmoid minus label.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        - errors = torch.sigmoid(U_neg @ v_c)
        + p, q = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
        + true_error, errors = (p - 1) * p * (1 - p), q * q * (1 - q)
        """,
    "sigmoid_that_overflows": """
        exp of a large number is infinity, and infinity / infinity is NaN. Use a stable sigmoid.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        - errors = torch.sigmoid(U_neg @ v_c)
        + p, q = torch.exp(u_o @ v_c), torch.exp(U_neg @ v_c)
        + true_error, errors = p / (1 + p) - 1, q / (1 + q)
        """,
    "center_without_negatives": """
        The gradient for v_c lacks the negatives: each one adds its error times its vector.

        - for_v = true_error * u_o + U_neg.T @ errors
        + for_v = true_error * u_o
        """,
    "center_with_mean": """
        In the gradient for v_c the negatives are averaged. Sum them; the sum of none is 0.

        - for_v = true_error * u_o + U_neg.T @ errors
        + for_v = true_error * u_o + U_neg.T @ errors / max(1, len(errors))
        """,
    "own_vector_as_factor": """
        An outside vector's gradient is its error times the other factor of its score, v_c.

        - return for_v, true_error * v_c, errors[:, None] * v_c
        + return for_v, true_error * u_o, errors[:, None] * U_neg
        """,
    "negative_label_one": """
        The negatives have the error sigmoid minus 1, as if they were real. Their label is 0: the
        error is the sigmoid itself.

        - errors = torch.sigmoid(U_neg @ v_c)
        + errors = torch.sigmoid(U_neg @ v_c) - 1
        """,
    "one_gradient_for_all_negatives": """
        The gradients of the negatives are summed. Each negative has a row of its own: (k, d).

        - return for_v, true_error * v_c, errors[:, None] * v_c
        + return for_v, true_error * v_c, errors.sum() * v_c
        """,
    "negatives_subtracted": """
        The negatives have the wrong sign. Their label is 0, so their error is the sigmoid as it is, and
        they are added for v_c.

        - errors = torch.sigmoid(U_neg @ v_c)
        + errors = -torch.sigmoid(U_neg @ v_c)
        """,
    "one_minus_the_sigmoid": """
        The true pair has the wrong sign: its error is sigmoid minus label, sigma(s) - 1.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        + true_error = 1 - torch.sigmoid(u_o @ v_c)
        """,
    "center_without_the_true_word": """
        The gradient for v_c lacks the true word: it adds its error times its vector, like the negatives.

        - for_v = true_error * u_o + U_neg.T @ errors
        + for_v = U_neg.T @ errors
        """,
    "first_two_swapped": """
        The first two gradients are swapped. They come in the order of the arguments: v_c, u_o, U_neg.

        - return for_v, true_error * v_c, errors[:, None] * v_c
        + return true_error * v_c, for_v, errors[:, None] * v_c
        """,
    "softmax_over_the_pairs": """
        The scores go through a softmax together. Each pair is a logistic regression of its own, with a
        sigmoid of its own.

        - true_error = torch.sigmoid(u_o @ v_c) - 1
        - errors = torch.sigmoid(U_neg @ v_c)
        + p = torch.softmax(torch.cat([u_o[None], U_neg]) @ v_c, dim=0)
        + true_error, errors = p[0] - 1, p[1:]
        """,
}

FURTHER = """
Compute two errors first: one number, sigma(s_o) - 1, and a vector of shape (k,), sigma(s_j). Each
outside vector's gradient is its error times v_c; for v_c, sum error times outside vector over all.
"""

RIGHT = {
    "autograd": """
        def negative_sampling_gradients(*inputs):
            v, u, negatives = leaves = [t.detach().double().requires_grad_() for t in inputs]
            softplus = torch.nn.functional.softplus
            loss = softplus(-(u @ v)) + softplus(negatives @ v).sum()
            return tuple(g.to(inputs[0].dtype) for g in torch.autograd.grad(loss, leaves))
        """,
    "stacked": """
        def negative_sampling_gradients(v_c, u_o, U_neg):
            outside = torch.cat([u_o[None], U_neg])
            errors = torch.sigmoid(outside @ v_c)
            errors[0] -= 1
            for_outside = torch.outer(errors, v_c)
            return errors @ outside, for_outside[0], for_outside[1:]
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "A number or a tensor with one number, it scales a vector alike.": """
        -    true_error = torch.sigmoid(u_o @ v_c) - 1
        +    true_error = (torch.sigmoid(u_o @ v_c) - 1).item()

        -    true_error = torch.sigmoid(u_o @ v_c) - 1
        +    true_error = (torch.sigmoid(u_o @ v_c) - 1).reshape(1)
        """,
}
