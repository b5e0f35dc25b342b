"""word_dropout: the random draws are compared, so every answer must draw the same numbers."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import lengths_mask
from .common import draw_lengths

POINTS = {"drops": 2, "evaluation": 1, "no word left": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    # Each call gets a generator of its own and must leave the global one alone.
    own = {"keeps_generators": True}

    def case(group: str, mask: torch.Tensor, rate: float, training: bool, title: str = "") -> Case:
        # it has drawn numbers before, so its seed alone does not give those that come next
        draw = codec.Drawn(int(rng.integers(10_000)), count=int(rng.integers(1, 9)))
        return Case(group, [mask, rate, training, draw], title=title, judge=own)

    def drops(
        mask: torch.Tensor,
        rate: float,
        title: str = "",
        group: str = "drops",
        texts: slice = slice(None),
        unlucky: bool = False,
    ) -> Case:
        """Each of `texts` keeps a word and loses one: the rule about losing all does not matter.

        If `unlucky`, the numbers of a whole row, with its padding, are all below the rate.
        """
        while True:
            drawn = case(group, mask, rate, True, title)
            draw = codec.decode(codec.encode(drawn.args[-1]))
            kept = torch.rand(mask.shape, generator=draw) >= rate
            both = (mask & kept).any(dim=1) & (mask & ~kept).any(dim=1)
            if both[texts].all() and (not unlucky or not kept.any(dim=1).all()):
                return drawn

    for n, longest, rate in ((3, 6, 0.3), (4, 8, 0.5), (int(rng.integers(5, 7)), 9, 0.4)):
        lengths = [longest, *rng.integers(3, longest, size=n - 1).tolist()]
        yield drops(lengths_mask(lengths), rate)
    holes = torch.from_numpy(rng.random((3, 8)) < 0.7)
    holes[:, :3] = True
    holes[:, 3] = False
    yield drops(holes, 0.3, "words are missing in the middle")
    yield drops(lengths_mask([int(rng.integers(4, 7))]), 0.4, "a batch of one text")
    yield _number_equal_to_rate(rng)
    lengths = [*draw_lengths(rng, 4, 7), 0]
    yield case("evaluation", lengths_mask(lengths), 0.5, False, "in evaluation, nothing is dropped")
    one = lengths_mask([int(rng.integers(2, 6))])
    title = "in evaluation, one text, no generator"
    yield Case("evaluation", [one, 0.5, False], title=title)
    mask = lengths_mask(draw_lengths(rng, 3, 5))
    yield case("evaluation", mask, 0.0, True, "a rate of 0 drops nothing")
    mask = lengths_mask([5, 7, *rng.integers(3, 7, size=2).tolist()])
    yield drops(mask, 0.4, "in training, words are dropped", "evaluation")
    title = "texts that would lose all their words keep them"
    yield case("no word left", lengths_mask([3, 1, int(rng.integers(2, 6))]), 1.0, True, title)
    short = lengths_mask([1] * int(rng.integers(8, 12)) + [5, 2])
    title = "many texts of one word, one longer one"
    yield drops(short, 0.6, title, "no word left", slice(-2, -1), unlucky=True)
    title = "texts without words stay empty"
    yield drops(lengths_mask([0, 4, 0]), 0.5, title, "no word left", slice(1, 2))


def _number_equal_to_rate(rng: np.random.Generator) -> Case:
    """The rate is the third largest of the numbers that are drawn, so three words stay."""
    draw = torch.Generator().manual_seed(int(rng.integers(10_000)))
    numbers = torch.rand(1, 6, generator=draw)
    draw.manual_seed(draw.initial_seed())
    rate = numbers.sort(descending=True).values[0, 2].item()
    title = "a number is equal to the rate: its word stays"
    return Case("drops", [lengths_mask([6]), rate, True, draw], title=title)


FURTHER = """
Compute the boolean tensor of words that are real and whose number is at least `rate`. Then decide
row by row, with `any(dim=1, keepdim=True)`, whether this row or the row of the original mask is
returned; `torch.where` chooses between the two.
"""

WRONG = {
    "drops_the_wrong_side": """
        The comparison is reversed: words whose random number is below `rate` should go, and the
        others stay. At a rate of 0.3, about seven of ten words stay.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask & (torch.rand(mask.shape, generator=generator) < rate)
        """,
    "drops_in_evaluation": """
        Words are dropped in evaluation, too. Dropout belongs to training: without `training`,
        return the mask as it is.

        - if not training:
        -     return mask
        """,
    "revives_padding": """
        Padding comes back to life: positions where the mask is False turn True. Dropout only
        removes words, so combine the draw with the mask.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = torch.rand(mask.shape, generator=generator) >= rate
        """,
    "loses_whole_texts": """
        A text may lose all of its words and then has a label but no word to learn it from. Such
        a text should keep all its words.

        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + return kept
        """,
    "looks_at_the_batch": """
        Words are restored only if the whole batch has lost all of them. Look at each text
        separately, along axis 1.

        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + return kept if kept.any() else mask
        """,
    "ignores_generator": """
        The `generator` is not used: the numbers come from the global one. Pass it on to
        torch.rand.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask & (torch.rand(mask.shape) >= rate)
        """,
    "draws_with_bernoulli": """
        Words are dropped at the right rate, but not the same ones as in the reference. Draw the
        numbers with torch.rand(mask.shape, generator=generator).

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + stays = torch.full(mask.shape, 1 - rate)
        + kept = mask & torch.bernoulli(stays, generator=generator).bool()
        """,
    "drops_in_place": """
        The input mask is changed in place, so the words stay lost for everyone who uses it
        later. Make a new one, or work on mask.clone().

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + before = mask.clone()
        + mask[torch.rand(mask.shape, generator=generator) < rate] = False
        + return torch.where(mask.any(dim=1, keepdim=True), mask, before)
        """,
    "fills_the_whole_row": """
        A text that has lost all its words gets True at every position, padding included. It should
        get its own mask back: the row of `mask`.

        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + return kept | ~kept.any(dim=1, keepdim=True)
        """,
    "drops_at_the_rate": """
        A word whose number equals `rate` is dropped here, and it should stay: only numbers below
        `rate` drop theirs. What stays is `>= rate`.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask & (torch.rand(mask.shape, generator=generator) > rate)
        """,
    "drops_only_in_evaluation": """
        The two modes are swapped: words are dropped in evaluation, and in training all of them
        stay. `training` True is when to drop.

        - if not training:
        + if training:
        """,
    "asks_the_draw": """
        Whether a text has lost all its words is asked of the random numbers alone, where padding
        counts as well: a short text can lose every word while a position of padding stays. Combine
        the draw with the mask first.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + kept = torch.rand(mask.shape, generator=generator) >= rate
        + return mask & (kept | ~kept.any(dim=1, keepdim=True))
        """,
    "one_draw_for_all_texts": """
        One random number per position is shared by all texts, so all of them lose the same
        positions. Draw a number for every position of every text: mask.shape, not only its last
        size.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask & (torch.rand(mask.shape[1], generator=generator) >= rate)
        """,
    "one_number_per_text": """
        One random number decides for a whole text, which loses all of its words or none. Draw one
        for each position: `mask.shape`.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask & (torch.rand((len(mask), 1), generator=generator) >= rate)
        """,
    "restores_the_whole_batch": """
        As soon as one text has lost all of its words, the whole batch gets its words back. Give
        them back to that text alone: ask each row.

        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + return kept if kept.any(dim=1).all() else mask
        """,
    "gives_only_the_first_word_back": """
        A text that has lost all its words gets only its first one back. It should get back all of
        them: its row of `mask`.

        - return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
        + first = mask & (mask.cumsum(dim=1) == 1)
        + return torch.where(kept.any(dim=1, keepdim=True), kept, first)
        """,
    "draws_for_words_only": """
        Numbers are drawn for the words only, so with padding other words are dropped than in the
        reference. Draw one for every position, padding included: mask.shape.

        - kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
        + kept = mask.clone()
        + kept[mask] = torch.rand(int(mask.sum()), generator=generator) >= rate
        """,
}

RIGHT = {
    "loop": """
        def word_dropout(mask, rate, training, generator=None):
            if not training:
                return mask
            numbers = torch.rand(mask.shape, generator=generator)
            rows = []
            for real, drawn in zip(mask.tolist(), numbers.tolist()):
                row = [r and d >= rate for r, d in zip(real, drawn)]
                rows.append(row if any(row) else real)
            return torch.tensor(rows)
        """,
    "fill": """
        def word_dropout(mask, rate, training, generator=None):
            numbers = torch.rand(mask.shape, generator=generator)
            kept = mask.masked_fill(numbers < rate, False) if training else mask.clone()
            lost = kept.sum(dim=1) == 0
            kept[lost] = mask[lost]
            return kept
        """,
}
