"""softmax_loss: one number; scores near 1000 and half precision must not overflow."""

from functools import partial

from .common import softmax_cases

POINTS = {"values": 2, "stability": 2}
cases = partial(softmax_cases, gradient="all")

WRONG = {
    "naive_softmax": """
        This overflows: exp of a large score is infinity. Subtract the largest score before exp.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return -torch.log(torch.exp(scores[o]) / torch.exp(scores).sum())
        """,
    "log_of_the_naive_sum": """
        The sum of exponentials overflows. Subtract the largest score first; add it back at the end.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return torch.log(torch.exp(scores).sum()) - scores[o]
        """,
    "log_of_the_softmax": """
        The probability of an unlikely word underflows to 0, and the logarithm of 0 is minus
        infinity. Do not go through the probability: start from the scores.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return -torch.log(torch.softmax(scores, dim=0)[o])
        """,
    "small_number_in_the_log": """
        A small number in the logarithm caps the loss of unlikely words. Start from the scores.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return -torch.log(torch.softmax(scores, dim=0)[o] + 1e-10)
        """,
    "softmax_twice": """
        The softmax is taken twice: cross_entropy (like log_softmax) starts from the scores and applies the
        softmax itself, and here it gets probabilities. Give it the scores.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + p = torch.softmax(scores, dim=0)
        + return torch.nn.functional.cross_entropy(p[None], torch.tensor([o]))
        """,
    "without_the_minus": """
        This is ln p, which is negative. The loss is -ln p.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return scores[o] - torch.logsumexp(scores, dim=0)
        """,
    "does_not_add_back": """
        The largest score is subtracted before exp, but not added back after the logarithm.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return torch.log(torch.exp(scores - scores.max()).sum()) - scores[o]
        """,
    "always_float32": """
        The loss should keep the precision of its inputs; yours comes back as float32.

        - scores = U @ v_c
        + scores = U.float() @ v_c.float()
        """,
    "subtracts_what_should_be_added": """
        The largest score is subtracted a second time, instead of being added back after the logarithm.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + m = scores.max()
        + return torch.log(torch.exp(scores - m).sum()) - m - scores[o]
        """,
    "sum_without_the_true_word": """
        The true word is missing from the sum in the denominator. The sum runs over all |V| words.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + others = torch.cat([scores[:o], scores[o + 1 :]])
        + return torch.logsumexp(others, dim=0) - scores[o]
        """,
    "mean_over_all_words": """
        This is the mean of -ln p over all words. The loss is -ln p of the true word alone.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return -torch.log_softmax(scores, dim=0).mean()
        """,
    "largest_absolute_value_subtracted": """
        If all scores are far below 0, this underflows: their largest absolute value is not the largest
        score. Subtract `scores.max()`, and one exponent is exactly 0.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + m = scores.abs().max()
        + return torch.log(torch.exp(scores - m).sum()) + m - scores[o]
        """,
    "billionth_in_the_log": """
        A small number in the logarithm caps the loss of unlikely words: with 1e-9 it cannot exceed
        20.7. Start from the scores.

        - return torch.logsumexp(scores, dim=0) - scores[o]
        + return -torch.log(torch.softmax(scores, dim=0)[o] + 1e-9)
        """,
}

FURTHER = """
`scores = U @ v_c` holds all scores, and `scores[o]` is that of the true word. What is left is the
logarithm of a sum of exponentials: subtract `scores.max()` before `exp` and add it again after `log`.
"""

RIGHT = {
    "by_hand": """
        def softmax_loss(v_c, U, o):
            scores = (U * v_c).sum(dim=1)
            m = scores.max()
            return m + torch.log(torch.exp(scores - m).sum()) - scores[o]
        """,
    "cross_entropy": """
        def softmax_loss(v_c, U, o):
            scores = torch.einsum("dk,k->d", U.float(), v_c.float())
            return torch.nn.functional.cross_entropy(scores[None], torch.tensor([o])).to(v_c.dtype)
        """,
}
