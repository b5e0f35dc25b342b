"""max_pool: a maximum over each text's words; negative numbers only, or no words at all."""

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask
from .common import draw_vectors, gradient_case, pool_cases, precision_cases

POINTS = {"values": 2, "edges": 1, "precision": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield from pool_cases(rng)
    yield gradient_case(rng, "values")
    yield from precision_cases(rng, 20_000.0)
    X, _ = draw_vectors(rng, 2, int(rng.integers(3, 5)), 2)
    mask = lengths_mask([X.shape[1], X.shape[1] - 1])
    low = (-20_000 * (X.abs() + 2)).clamp(min=-60_000)
    low = low.masked_fill(~mask[:, :, None], -20_000).half()
    title = "very negative numbers in half precision (float16)"
    yield Case("precision", [low, mask], title=title, judge=EXACT)


FURTHER = """
Two steps: fill the positions where the mask is False with minus infinity and take `amax` over the
words; then look for the texts in which `mask.any(dim=1)` is False, and fill their rows with 0.
"""

WRONG = {
    "padding_wins": """
        The padding takes part, and its numbers can be the largest. Use only the positions where
        the mask is True.

        def max_pool(X, mask):
            return X.amax(dim=1)
        """,
    "zero_wins": """
        Padding is set to 0 (or nearly: `finfo(...).tiny` is the smallest positive number), and 0 is
        larger than every negative number. Fill it with something that is never the maximum.

        def max_pool(X, mask):
            return (X * mask.unsqueeze(-1)).amax(dim=1)
        """,
    "maximum_of_nothing": """
        A text without words gives minus infinity, which spoils every later computation. It
        should give zeros.

        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return h
        """,
    "filler_too_large": """
        -1e9 does not exist in float16, which ends at -65,504, so masked_fill raises an error.
        Minus infinity exists in every precision.

        raises RuntimeError

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = X.masked_fill(~mask.unsqueeze(-1), -1e9).amax(dim=1)
        """,
    "returns_a_pair": """
        `max(dim=...)` returns two tensors: the maxima and their positions. Keep the first one
        (`.values`), or use `amax`.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return X.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(dim=1)
        """,
    "maximum_of_components": """
        The maximum runs over the components of each word, the last axis. In (B, L, d) the words are
        on axis 1, and it is this axis that should disappear: (B, d).

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=2)
        """,
    "fills_the_words": """
        The mask is inverted: this fills the words and takes the maximum over the padding. The mask
        is True at words, and masked_fill fills where it gets True.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = X.masked_fill(mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        """,
    "mask_without_axis": """
        X has three axes, (B, L, d), and the mask has two, (B, L). Give the mask a third axis of
        length 1 at the end, so that broadcasting applies it to all d components of a word.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = X.masked_fill(~mask, float("-inf")).amax(dim=1)
        """,
    "leaves_the_filler": """
        A text without words has nothing but filler, and its maximum is the filler: a huge negative
        number in every component. Replace it by zeros where the mask has no True.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return X.masked_fill(~mask.unsqueeze(-1), torch.finfo(X.dtype).min).amax(dim=1)
        """,
    "empty_without_axis": """
        Whether a text has words is one truth value per text, of shape (B,), and the maxima are
        (B, d). Broadcasting aligns axes from the last one: keep the axis, with keepdim=True.

        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return h.masked_fill(~mask.any(dim=1), 0.0)
        """,
    "returns_positions": """
        These are the positions of the largest numbers, as argmax gives them. Return the numbers
        themselves.

        def max_pool(X, mask):
            return X.masked_fill(~mask.unsqueeze(-1), float("-inf")).argmax(dim=1)
        """,
    "largest_in_magnitude": """
        A negative number with a large absolute value wins over a smaller positive one. The maximum
        goes by the numbers with their signs.

        def max_pool(X, mask):
            X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
            return X.gather(1, X.abs().argmax(dim=1, keepdim=True)).squeeze(1)
        """,
    "filler_too_small": """
        The filler is not small enough: where all numbers of a text are below it, padding wins.
        Minus infinity is below every number.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = X.masked_fill(~mask.unsqueeze(-1), -1e4).amax(dim=1)
        """,
    "takes_the_largest_word": """
        One word's whole vector is returned. The maximum is taken for each component alone; the
        first may come from one word, the second from another.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + best = X.sum(dim=-1).masked_fill(~mask, float("-inf")).argmax(dim=1)
        + h = X[torch.arange(len(X)), best]
        """,
    "adds_to_the_padding": """
        A large number is subtracted from the padding, but what is left of it still takes part:
        where the padding holds huge numbers, it can win. Replace it, with minus infinity.

        - h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).amax(dim=1)
        + h = (X - 1e4 * (~mask.unsqueeze(-1)).to(X.dtype)).amax(dim=1)
        """,
    "never_below_zero": """
        Negative maxima become 0. Only a text without words should give zeros: ask the mask which
        texts these are, not the numbers.

        - return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + return h.clamp(min=0)
        """,
}

RIGHT = {
    "where": """
        def max_pool(X, mask):
            h = torch.where(mask[..., None], X, torch.finfo(X.dtype).min).max(dim=1).values
            return torch.where(mask.any(dim=1)[:, None], h, torch.zeros_like(h))
        """,
    "loop": """
        def max_pool(X, mask):
            rows = []
            for vectors, real in zip(X, mask):
                words = vectors[real]
                rows.append(words.amax(dim=0) if len(words) else torch.zeros_like(vectors[0]))
            return torch.stack(rows)
        """,
}

EQUIVALENT = {
    "A batch without any word has nothing to learn from.": """
        -    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        +    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0) if mask.any() else h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0).detach()
        """,
}
