"""negative_sampling_loss: its cases, wrong answers and other right answers."""

from __future__ import annotations

from autograder.exercises.word2vec.common import sampling_cases

POINTS = {"values": 2, "edges": 2}


cases = sampling_cases


WRONG = {
    "negatives_as_real_pairs": """
        The negatives count as real pairs: the minus inside their sigmoid is missing.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(U_neg @ v_c).sum()
        """,
    "log_of_the_sigmoid": """
        This overflows where the model is very wrong: the sigmoid is rounded to 0, and its
        logarithm is minus infinity. Use the form that starts from the score.

        def negative_sampling_loss(v_c, u_o, U_neg):
            return -torch.log(torch.sigmoid(u_o @ v_c)) - torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()
        """,
    "log_of_one_minus": """
        Where a negative has a large score, 1 - sigmoid is rounded to 0, and its logarithm is
        minus infinity. 1 - sigma(s) is sigma(-s): use the form that starts from the score.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) - torch.log(1 - torch.sigmoid(U_neg @ v_c)).sum()
        """,
    "log_of_one_plus_exp": """
        exp of a large number is infinity, also inside a sigmoid that you write yourself. Use
        the form in which exp only sees numbers that are not positive.

        def negative_sampling_loss(v_c, u_o, U_neg):
            return torch.log(1 + torch.exp(-(u_o @ v_c))) + torch.log(1 + torch.exp(U_neg @ v_c)).sum()
        """,
    "mean_of_the_negatives": """
        The negatives are averaged. Their losses are added up; with no negatives the sum is 0.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).mean()
        """,
    "log_likelihood": """
        The sign is wrong: a loss is small when the model is right, and never below 0.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return F.logsigmoid(u_o @ v_c) + F.logsigmoid(-(U_neg @ v_c)).sum()
        """,
    "plus_before_the_sum": """
        The sign of the negatives' part is wrong. A logarithm of a sigmoid is never above 0; it
        is subtracted for the negatives too, so that each of them makes the loss larger.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) + F.logsigmoid(-(U_neg @ v_c)).sum()
        """,
    "naive_plus_before_the_sum": """
        The sign of the negatives' part is wrong: it is subtracted too, so that each of them
        makes the loss larger. (Afterwards look at large scores: the logarithm of 0 is minus
        infinity.)

        def negative_sampling_loss(v_c, u_o, U_neg):
            return -torch.log(torch.sigmoid(u_o @ v_c)) + torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()
        """,
    "minus_of_the_true_word_missing": """
        The sign of the true word's part is wrong: the loss has -ln of its sigmoid, which is
        never below 0.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).sum()
        """,
    "naive_log_likelihood": """
        The sign is wrong: a loss is small when the model is right, and never below 0.
        (Afterwards look at large scores: the logarithm of 0 is minus infinity.)

        def negative_sampling_loss(v_c, u_o, U_neg):
            return torch.log(torch.sigmoid(u_o @ v_c)) + torch.log(torch.sigmoid(-(U_neg @ v_c))).sum()
        """,
    "naive_negatives_as_real_pairs": """
        The negatives count as real pairs: the minus inside their sigmoid is missing.
        (Afterwards look at large scores: the logarithm of 0 is minus infinity.)

        def negative_sampling_loss(v_c, u_o, U_neg):
            return -torch.log(torch.sigmoid(u_o @ v_c)) - torch.log(torch.sigmoid(U_neg @ v_c)).sum()
        """,
    "negatives_not_added_up": """
        Each negative has a loss of its own in yours. Add them up: the loss of a pair is one
        number, of shape ().

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c))
        """,
    "one_sigmoid_for_all": """
        The scores of the negatives are added up before the sigmoid. Each negative is a logistic
        regression of its own: first the logarithm of its sigmoid, then the sum.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c).sum())
        """,
    "softmax_over_the_drawn": """
        This is a softmax over the true word and the negatives. Negative sampling asks of each
        pair by itself whether it is real, with a sigmoid.

        def negative_sampling_loss(v_c, u_o, U_neg):
            scores = torch.cat([(u_o @ v_c)[None], U_neg @ v_c])
            return torch.logsumexp(scores, dim=0) - scores[0]
        """,
    "only_the_real_pair": """
        The negatives play no part in the loss.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            return -F.logsigmoid(u_o @ v_c)
        """,
    "sampling_always_float32": """
        The loss should keep the precision of its inputs; yours comes back as float32.

        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            v_c, u_o, U_neg = v_c.float(), u_o.float(), U_neg.float()
            return -F.logsigmoid(u_o @ v_c) - F.logsigmoid(-(U_neg @ v_c)).sum()
        """,
}

RIGHT = {
    "negative_sampling_loss_by_hand": """
        def negative_sampling_loss(v_c, u_o, U_neg):
            against = torch.cat([-(u_o @ v_c)[None], U_neg @ v_c])
            return (against.clamp(min=0) + torch.log1p(torch.exp(-against.abs()))).sum()
        """,
    "negative_sampling_loss_cross_entropy": """
        import torch.nn.functional as F


        def negative_sampling_loss(v_c, u_o, U_neg):
            scores = torch.einsum("jk,k->j", torch.cat([u_o[None], U_neg]).float(), v_c.float())
            labels = torch.zeros(len(scores))
            labels[0] = 1.0
            loss = F.binary_cross_entropy_with_logits(scores, labels, reduction="sum")
            return loss.to(v_c.dtype)
        """,
}
