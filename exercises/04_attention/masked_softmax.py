"""masked_softmax: padding, large scores, texts without words, and NaN on the way back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal
from .common import draw_gaps, draw_mask, no_padding

POINTS = {"values": 2, "stability": 1, "empty": 2, "gradient": 1}

_WEIGHTS = {"properties": {"sums_to_one": -1, "at_least": 0}}
_POSITIVE = {"properties": {"at_least": 0}}
_ZERO = {"properties": {"at_least": 0, "at_most": 0}}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, length in ((2, 4), (3, int(rng.integers(5, 8)))):
        inputs = [normal(rng, batch, length), draw_mask(rng, batch, length)]
        yield Case("values", inputs, judge=_WEIGHTS)
    gaps = torch.tensor([[True, False, True, True], [False, True, False, True]])
    title = "padding between the words"
    yield Case("values", [normal(rng, 2, 4), gaps], title=title, judge=_WEIGHTS)
    r = -normal(rng, 2, 4).abs() - 0.1
    r[:, int(rng.integers(3))] = 0
    title = "the largest score is 0"
    yield Case("values", [r, draw_mask(rng, 1, 4).repeat(2, 1)], title=title, judge=_WEIGHTS)
    inputs = [normal(rng, 2, 3, 4), draw_mask(rng, 2, 4)[:, None, :]]
    title = "three heads: r is (2, 3, 4), one mask for all heads"
    yield Case("values", inputs, title=title, judge=_WEIGHTS)
    # Many words, whose weights are all 0 if the maximum is taken over the padding.
    r = torch.from_numpy(rng.integers(-3, 4, size=(3, 7))).float()
    mask = torch.arange(7) < torch.tensor([[6], [5], [7]])
    r[~mask] = 500.0
    yield Case("stability", [r, mask], title="the padding has large scores", judge=_WEIGHTS)
    r = normal(rng, 2, 4, scale=200.0) + float(rng.integers(200, 400))
    inputs = [r, draw_mask(rng, 2, 4)]
    yield Case("stability", inputs, title="scores in the hundreds", judge=_WEIGHTS)
    # So far apart that one word gets all the weight: near 1e5, float32 has two decimals only.
    r = torch.from_numpy(rng.permuted(np.tile(64.0 * np.arange(4), (2, 1)), axis=1)).float()
    r += torch.tensor([[1e5], [-1e5]])[torch.from_numpy(rng.permutation(2))]
    title = "huge scores, positive in one text and negative in the other"
    yield Case("stability", [r, draw_gaps(rng, 2, 4)], title=title, judge=_WEIGHTS)
    inputs = [(normal(rng, 2, 5) + 14).half(), draw_mask(rng, 2, 5)]
    yield Case("stability", inputs, title="half precision", judge={**EXACT, **_WEIGHTS})
    r = normal(rng, 2, 4)
    r[0, int(rng.integers(4))] = r[1, int(rng.integers(4))] = -torch.inf
    title = "a real word has the score -inf"
    yield Case("stability", [r, no_padding(2, 4)], title=title, judge=_WEIGHTS)

    mask = draw_mask(rng, 3, 4, empty=True)
    title = "one text is only padding"
    yield Case("empty", [normal(rng, 3, 4), mask], title=title, judge=_POSITIVE)
    length = int(rng.integers(2, 4))
    inputs = [normal(rng, 1, length), ~no_padding(1, length)]
    yield Case("empty", inputs, title="a batch of one, only padding", judge=_ZERO)
    r = normal(rng, 2, 3)
    r[int(rng.integers(2))] = -torch.inf
    title = "all real words of one text have the score -inf"
    both = ("masks_afterwards", "score_zero_and_masked_afterwards")  # may get this right or NaN
    inputs = [r, no_padding(2, 3)]
    yield Case("empty", inputs, title=title, judge=_POSITIVE, undefined=both)
    inputs = [normal(rng, 2, 3).half(), torch.tensor([[False] * 3, [True, True, False]])]
    title = "half precision, one text is only padding"
    yield Case("empty", inputs, title=title, judge={**EXACT, **_POSITIVE})

    length = int(rng.integers(3, 5))
    inputs = [normal(rng, 2, length), torch.tensor([[False] * length, [True] * length])]
    yield Case("gradient", inputs, title="one text is only padding", gradient="r")
    r = normal(rng, 2, 3)
    r[0, 0] = -torch.inf
    mask = torch.tensor([[True, False, False], [True, True, True]])
    title = "the only real word of one text has the score -inf"
    yield Case("gradient", [r, mask], title=title, gradient="r")


FURTHER = """
Four steps: fill the masked scores with minus infinity; take the maximum of each row, and put 0 in
its place where it is minus infinity; exponentiate the differences; divide by their sum, in which a
0 is replaced by 1. Then no step ever computes infinity minus infinity or 0 / 0.
"""

WRONG = {
    "ignores_mask": """
        The mask plays no part: padding gets attention like a word. Leave it out of the sum in
        the denominator, too.

        def masked_softmax(r, mask):
            return torch.softmax(r, dim=-1)
        """,
    "masks_afterwards": """
        Padding gets 0, but only after the softmax: it was still in the sum, so the weights of
        the words do not sum to 1. Mask the scores before the softmax.

        def masked_softmax(r, mask):
            return torch.softmax(r, dim=-1) * mask
        """,
    "gives_padding_score_zero": """
        Padding gets the score 0, and exp(0) is 1: a score of 0 is not zero attention. Which
        score has an exponential of 0?

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, 0), dim=-1)
        """,
    "inverts_mask": """
        The mask is inverted: True marks a real word, and the real words are the ones that you
        take out.

        - r = r.masked_fill(~mask, -torch.inf)
        + r = r.masked_fill(mask, -torch.inf)
        """,
    "overflows": """
        exp overflows for large scores, from 89 in float32 and from 12 in float16, and
        infinity / infinity is NaN. Subtract the largest score of the real words first; the
        fraction stays the same.

        - highest = r.amax(dim=-1, keepdim=True)
        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        - e = torch.exp(r - highest)
        + e = torch.exp(r)
        """,
    "overflows_before_the_mask": """
        exp overflows for large scores, from 89 in float32 and from 12 in float16, and
        infinity times 0 is NaN, so multiplying by the mask comes too late. Fill the masked scores
        with minus infinity and subtract the largest score that is left, before exp.

        def masked_softmax(r, mask):
            e = torch.exp(r) * mask
            total = e.sum(dim=-1, keepdim=True)
            return e / total.masked_fill(total == 0, 1)
        """,
    "maximum_over_padding": """
        The maximum is taken over the padding too. If padding has a score far above all words,
        all exponentials of the words are 0. Mask first, then take the maximum.

        - r = r.masked_fill(~mask, -torch.inf)
        - highest = r.amax(dim=-1, keepdim=True)
        + highest = r.amax(dim=-1, keepdim=True)
        + r = r.masked_fill(~mask, -torch.inf)
        """,
    "changes_dtype": """
        The dtype changes: half precision comes in, so half precision should come out.

        - r = r.masked_fill(~mask, -torch.inf)
        + r = r.float().masked_fill(~mask, -torch.inf)
        """,
    "nan_for_empty_text": """
        A text without real words gives NaN: all its exponentials are 0, and 0 / 0 is NaN. Make
        sure that you never divide by 0; then its weights are 0.

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
        """,
    "empty_text_shares_equally": """
        In a text that is only padding, the padding shares the attention: all its positions have
        the same very negative score, and the softmax makes equal weights of equal scores. All
        weights should be 0 there.

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1)
        """,
    "fills_with_minus_a_billion": """
        float16 ends at -65,504, so masked_fill cannot write -1e9 into it. Fill with minus infinity,
        and take care of the rows that then have nothing else.

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1) * mask
        """,
    "nan_for_forbidden_words": """
        A text whose real words all have the score -inf gives NaN, although it has no padding: the
        largest score is then -inf, and -inf - (-inf) is NaN. All weights should be 0 there, as in
        a text that is only padding.

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, torch.finfo(r.dtype).min), dim=-1) * mask
        """,
    "adds_small_number": """
        A small number is added to the sum so that it is never 0. But float16 has no number
        below 6e-8: yours becomes 0 there, and 0 / 0 is NaN. Replace the sum where it is 0.

        - return e / total.masked_fill(total == 0, 1)
        + return e / (total + 1e-9)
        """,
    "replaces_nan_afterwards": """
        The gradient is NaN: the softmax made a NaN that you replaced afterwards, but
        backpropagation still goes through the softmax. Put harmless scores in before it, so
        that no NaN is ever made.

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1).nan_to_num(0.0)
        """,
    "adds_minus_infinity": """
        The gradient is NaN: in a text that is only padding the softmax made a NaN that you replaced
        afterwards, but backpropagation still goes through the softmax. Put harmless scores in
        before it, so that no NaN is ever made.

        def masked_softmax(r, mask):
            nothing = torch.zeros_like(r).masked_fill(~mask, -torch.inf)
            return torch.softmax(r + nothing, dim=-1).nan_to_num(0.0)
        """,
    "score_zero_and_masked_afterwards": """
        Padding gets 0 in the end, but in the softmax it had the score 0, and exp(0) is 1: the weights of the
        words do not sum to 1. Which score has an exponential of 0?

        def masked_softmax(r, mask):
            return torch.softmax(r.masked_fill(~mask, 0), dim=-1) * mask
        """,
    "along_axis_one": """
        The softmax runs along axis 1. With three heads that is not the last axis: name it -1.

        def masked_softmax(r, mask):
            keep = mask & (r > -torch.inf)
            safe = torch.where(keep, r, torch.finfo(r.dtype).min)
            return torch.softmax(safe, dim=1) * keep
        """,
    "maximum_of_the_batch": """
        One maximum is taken of the whole batch. A text whose scores are all far below it underflows to
        zeros: each row needs a maximum of its own.

        - highest = r.amax(dim=-1, keepdim=True)
        + highest = r.max()
        """,
    "renormalizes_nothing": """
        Each row is divided by the sum of its weights once more; in a text that is only padding
        this sum is 0, and 0 / 0 is NaN. Replace the sum where it is 0.

        def masked_softmax(r, mask):
            a = torch.softmax(r, dim=-1) * mask
            return a / a.sum(dim=-1, keepdim=True)
        """,
    "scores_times_mask": """
        The scores are multiplied by the mask, so padding gets the score 0, and exp(0) is 1. Which
        score has an exponential of 0?

        - r = r.masked_fill(~mask, -torch.inf)
        + r = r * mask
        """,
    "along_the_first_axis": """
        The softmax runs along the first axis, over the texts of the batch. It should run along the
        last one, over the words of a text: `dim=-1`.

        - highest = r.amax(dim=-1, keepdim=True)
        + highest = r.amax(dim=0, keepdim=True)
        ...
        - total = e.sum(dim=-1, keepdim=True)
        + total = e.sum(dim=0, keepdim=True)
        """,
}

RIGHT = {
    "lowest_score_then_mask": """
        def masked_softmax(r, mask):
            keep = mask & (r > -torch.inf)
            safe = torch.where(keep, r, torch.finfo(r.dtype).min)
            return torch.softmax(safe, dim=-1) * keep
        """,
    "fills_empty_rows": """
        def masked_softmax(r, mask):
            r = torch.where(mask, r, -torch.inf)
            empty = (r == -torch.inf).all(dim=-1, keepdim=True)
            a = torch.softmax(torch.where(empty, 0, r), dim=-1)
            return torch.where(empty, 0, a)
        """,
}

EQUIVALENT = {
    "No batch is without any word: texts without one are left out before.": "every edit: constant corner",
    "The maximum cancels out, also in the gradient.": """
        - highest = r.amax(dim=-1, keepdim=True)
        + highest = r.amax(dim=-1, keepdim=True).detach()

        - highest = r.amax(dim=-1, keepdim=True)
        + highest = r.detach().amax(dim=-1, keepdim=True)

        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        + highest = highest.masked_fill(highest == -torch.inf, 0).detach()  # nothing to attend to

        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        + highest = highest.detach().masked_fill(highest == -torch.inf, 0)  # nothing to attend to

        - e = torch.exp(r - highest)
        + e = torch.exp(r - highest.detach())
        """,
    "Any finite number instead of the maximum gives exponentials of 0 for scores of -inf.": """
        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        + highest = highest.masked_fill(highest == -torch.inf, 1)  # nothing to attend to

        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        + highest = highest.masked_fill(highest == -torch.inf, -1)  # nothing to attend to

        - highest = highest.masked_fill(highest == -torch.inf, 0)  # nothing to attend to
        + highest = highest.masked_fill(r == -torch.inf, 0)  # nothing to attend to
        """,
    "The sign cancels out.": """
        - e = torch.exp(r - highest)
        + e = -torch.exp(r - highest)
        """,
    "A sum of exponentials is never negative.": """
        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill(total <= 0, 1)
        """,
    "0 divided by anything but 0 is 0.": """
        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill(total == 0, -1)

        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill(total == 0, float('-inf'))

        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill(total == 0, 2)

        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill(e == 0, 1)
        """,
    "The sum is used nowhere else.": """
        - return e / total.masked_fill(total == 0, 1)
        + return e / total.masked_fill_(total == 0, 1)
        """,
}
