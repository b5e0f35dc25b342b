"""negative_sampling_gradients: its cases, wrong answers and other right answers."""

from __future__ import annotations

from autograder.exercises.word2vec.common import sampling_cases

POINTS = {"values": 3, "edges": 1}


cases = sampling_cases


WRONG = {
    "label_minus_sigmoid": """
        All three have the wrong sign. The error is sigmoid minus label.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = 1 - torch.sigmoid(u_o @ v_c), -torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "true_error_with_wrong_sign": """
        The error of the true word has the wrong sign. It is sigmoid minus label, and its label
        is 1, so it is never above 0.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = 1 - torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "drawn_errors_with_wrong_sign": """
        The errors of the negatives have the wrong sign. They are sigmoid minus label, and their
        label is 0, so they are never below 0.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, -torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "sigmoid_of_minus_the_score": """
        For the negatives the sigmoid of minus their score is used. The minus belongs to the
        loss; in the gradient it is gone, and the error is the sigmoid of the score itself.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(-(U_neg @ v_c))
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "center_not_summed": """
        The gradient for v_c has a row for each negative. v_c is one vector, (K,): add up what
        the negatives do to it.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * u_o + drawn[:, None] * U_neg, true * v_c, drawn[:, None] * v_c
        """,
    "true_label_zero": """
        The true pair is treated like the negatives. Its label is 1, so its error is sigmoid
        minus 1.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "negatives_with_label_one": """
        The negatives are treated like real pairs. Their label is 0, so their error is the
        sigmoid itself.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c) - 1
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "center_without_negatives": """
        The gradient for v_c holds only the true word. v_c is in every one of the 1 + k scores,
        and each negative adds its error times its vector.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * u_o, true * v_c, drawn[:, None] * v_c
        """,
    "center_with_mean": """
        In the gradient for v_c the negatives are averaged. Their parts are added up; with no
        negatives the sum is 0.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * u_o + (drawn[:, None] * U_neg).mean(dim=0), true * v_c, drawn[:, None] * v_c
        """,
    "own_vector_as_factor": """
        An outside vector's gradient is its error times the other factor of its score, and that
        is v_c, not the outside vector itself.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * u_o, drawn[:, None] * U_neg
        """,
    "sampling_gradients_swapped": """
        The gradients come in another order: for v_c, for u_o, for U_neg.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * v_c, true * u_o + U_neg.T @ drawn, drawn[:, None] * v_c
        """,
    "derivative_of_the_sigmoid": """
        The errors contain the factor sigma(s)(1 - sigma(s)), the derivative of the sigmoid
        alone. The logarithm of the loss cancels it: what is left is sigmoid minus label.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            p, q = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
            true, drawn = (p - 1) * p * (1 - p), q * q * (1 - q)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
    "one_row_for_all_negatives": """
        The gradient for U_neg should be shaped like U_neg, (k, K), with a row for each
        negative; yours adds the rows up.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            true, drawn = torch.sigmoid(u_o @ v_c) - 1, torch.sigmoid(U_neg @ v_c)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn.sum() * v_c
        """,
    "sigmoid_that_overflows": """
        exp of a large number is infinity, and exp(s) / (1 + exp(s)) becomes NaN. Use a sigmoid
        that does not overflow.

        def negative_sampling_gradients(v_c, u_o, U_neg):
            p, q = torch.exp(u_o @ v_c), torch.exp(U_neg @ v_c)
            true, drawn = p / (1 + p) - 1, q / (1 + q)
            return true * u_o + U_neg.T @ drawn, true * v_c, drawn[:, None] * v_c
        """,
}

RIGHT = {
    "negative_sampling_gradients_autograd": """
        import torch.nn.functional as F


        def negative_sampling_gradients(v_c, u_o, U_neg):
            v, u, negatives = (t.detach().clone().float().requires_grad_() for t in (v_c, u_o, U_neg))
            loss = F.softplus(-(u @ v)) + F.softplus(negatives @ v).sum()
            loss.backward()
            return v.grad.to(v_c.dtype), u.grad.to(v_c.dtype), negatives.grad.to(v_c.dtype)
        """,
    "negative_sampling_gradients_stacked": """
        def negative_sampling_gradients(v_c, u_o, U_neg):
            outside = torch.cat([u_o[None], U_neg])
            errors = torch.sigmoid(outside @ v_c)
            errors[0] -= 1
            for_outside = torch.outer(errors, v_c)
            return errors @ outside, for_outside[0], for_outside[1:]
        """,
}
