"""add_noise: the random draws are compared, so every answer must draw the same numbers.

Where words are dropped and the others shuffled, keys from positions in the whole sentence, and keys
that were drawn before dropping, give another order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

POINTS = {"dropping": 2, "shuffling": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def words(n: int) -> list[int]:
        return (4 + rng.permutation(90)[:n]).tolist()

    def drawn() -> codec.Drawn:
        """A generator that has drawn before, so its seed alone does not give the next numbers."""
        return codec.Drawn(int(rng.integers(10_000)), count=int(rng.integers(1, 9)))

    def case(
        group: str,
        n: int,
        p: float,
        k: int,
        title: str = "",
        changed: bool = True,
        lost: bool = False,
    ) -> Case:
        """With `changed`, words get lost and the others change places; with `lost`, all get lost."""
        while True:
            generator = drawn()
            draw = codec.decode(codec.encode(generator))
            kept = torch.rand(n, generator=draw) >= p
            left = int(kept.sum()) or n
            u = torch.rand(n, generator=draw)
            keys = torch.arange(left) + (k + 1) * u[:left]
            moved = bool((keys.diff() < 0).any())
            if not _apart(keys):
                continue
            if changed and not lost and p and k and not _tells_positions_apart(kept, u, k):
                continue
            if changed and n > 2 and k > 1 and _is_its_own_inverse(keys.argsort()):
                continue
            if lost and not kept.any() and (n == 1 or moved):
                break
            if not lost and (not changed or ((p == 0 or 0 < kept.sum() < n) and (k == 0 or moved))):
                break
        own = {"keeps_generators": True, "draws": True}
        ids = sorted(words(n), reverse=True) if lost else words(n)
        return Case(group, [ids, p, k, generator], title=title, judge=own)

    n = int(rng.integers(7, 10))
    yield case("dropping", 4, 0.5, 0, "four words, which keep their order")
    yield case("dropping", n, 0.3, 0)
    yield case("dropping", 20, 0.2, 0, "a long sentence")
    yield case("shuffling", 4, 0.0, 2, "no word is dropped")
    yield case("shuffling", n, 0.0, 3)
    yield case("shuffling", 21, 0.0, 1, "neighbors change places")
    yield case("shuffling", 6, 0.4, 2, "words are dropped, then the others are shuffled")
    yield case("shuffling", n, 0.4, 3, "more words are dropped and shuffled")
    yield case("shuffling", 14, 0.3, 2, "a long sentence, dropped and shuffled")
    title = "a sentence that would lose all its words keeps them"
    yield case("edges", 5, 0.8, 2, title, lost=True)
    yield case("edges", 1, 0.9, 3, "one word", lost=True)
    yield case("edges", n, 0.0, 0, "no noise at all", changed=False)
    yield case("edges", 0, 0.5, 3, "no word", changed=False)
    yield _repeated(rng)
    yield _number_equal_to_p(rng)


def _tells_positions_apart(kept: torch.Tensor, u: torch.Tensor, k: int) -> bool:
    """Whether keys with positions in the whole sentence give another order of the words left."""
    stays = kept.nonzero()[:, 0]
    right = torch.arange(len(stays)) + (k + 1) * u[: len(stays)]
    with_gaps = stays + (k + 1) * u[: len(stays)]
    before_dropping = stays + (k + 1) * u[stays]
    order = right.argsort().tolist()
    return order not in (with_gaps.argsort().tolist(), before_dropping.argsort().tolist())


def _is_its_own_inverse(order: torch.Tensor) -> bool:
    """Whether all that an order does is to exchange words in pairs."""
    return torch.equal(order[order], torch.arange(len(order)))


def _apart(keys: torch.Tensor) -> bool:
    """Whether all keys differ by so much that rounding does not change their order."""
    return len(keys) < 2 or bool(keys.sort().values.diff().min() > 0.05)


def _repeated(rng: np.random.Generator) -> Case:
    """Words that come twice keep their number."""
    a, b = (4 + rng.permutation(50)[:2]).tolist()
    ids = [a, b, a, a, b, 0]
    while True:
        draw = torch.Generator().manual_seed(int(rng.integers(10_000)))
        too_early, keys = (torch.arange(6) + 3 * torch.rand(6, generator=draw) for _ in range(2))
        shuffled = [[ids[i] for i in k.argsort().tolist()] for k in (too_early, keys)]
        if _apart(keys) and shuffled[0] != shuffled[1]:
            break
    draw.manual_seed(draw.initial_seed())
    return Case("edges", [ids, 0.0, 2, draw], title="words that come twice, and 0")


def _number_equal_to_p(rng: np.random.Generator) -> Case:
    """p is the third smallest of the numbers that are drawn, so two words are dropped."""
    while True:
        draw = torch.Generator().manual_seed(int(rng.integers(10_000)))
        p = torch.rand(7, generator=draw).sort().values[2].item()
        if _apart(torch.arange(5) + torch.rand(5, generator=draw)):
            break
    draw.manual_seed(draw.initial_seed())
    title = "a number is equal to p: its word stays"
    return Case("dropping", [(4 + rng.permutation(90)[:7]).tolist(), p, 0, draw], title=title)


FURTHER = """
Three lines: `torch.rand(len(ids), generator=generator)` decides which words stay; then
`torch.rand` with the number of words that are left gives each its u, and its key i + u (k + 1); sort
the words by their keys, for instance with `keys.argsort()`.
"""

WRONG = {
    "any_order_after_the_numbers": """
        The words are shuffled in any order, with `torch.randperm`. No word may move further than k
        positions: sort the words by their keys i + u (k + 1), and draw nothing else.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        - return [kept[i] for i in keys.argsort().tolist()]
        + torch.rand(len(kept), generator=generator)
        + return [kept[i] for i in torch.randperm(len(kept), generator=generator).tolist()]
        """,
    "drops_the_wrong_side": """
        The comparison is reversed: a word is dropped if its number is below p. With p = 0.1, nine
        of ten words stay.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = [i for i, u in zip(ids, chance) if u < p] or list(ids)
        """,
    "loses_the_sentence": """
        A sentence may lose all its words here. Such a sentence should keep them all, and is
        shuffled like any other.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = [i for i, u in zip(ids, chance) if u >= p]
        """,
    "stays_as_it_is": """
        A sentence that would lose all its words is returned as it was. It keeps its words, but it is
        shuffled like any other.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + if all(u < p for u in chance):
        +     return kept
        + keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        """,
    "positions_before_dropping": """
        The keys count positions in the whole sentence, so the words that were dropped leave gaps,
        and their neighbors can hardly change places. Number the words that are left: 0, 1, 2, ...

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + stays = [n for n, u in enumerate(chance) if u >= p] or list(range(len(ids)))
        + kept = [ids[n] for n in stays]
        + keys = torch.tensor(stays) + (k + 1) * torch.rand(len(kept), generator=generator)
        """,
    "moves_too_little": """
        No word moves further than k - 1: the keys are i + u (k + 1), not i + u k.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + keys = torch.arange(len(kept)) + k * torch.rand(len(kept), generator=generator)
        """,
    "shuffles_everything": """
        The words are sorted by random numbers alone, so they end up anywhere. Add each word's
        position: then it moves by at most k.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + keys = (k + 1) * torch.rand(len(kept), generator=generator)
        """,
    "ignores_the_generator": """
        The numbers come from the global generator. Pass yours on to torch.rand, so that the noise
        can be repeated.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept))
        """,
    "ignores_the_generator_twice": """
        All numbers come from the global generator. Pass yours on to torch.rand, both times, so that
        the noise can be repeated.

        - chance = torch.rand(len(ids), generator=generator).tolist()
        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + chance = torch.rand(len(ids)).tolist()
        + kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept))
        """,
    "a_random_permutation": """
        The words that are left end up anywhere: randperm knows nothing of their positions. Sort them
        by i + u (k + 1) instead, and none moves by more than k.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        - return [kept[i] for i in keys.argsort().tolist()]
        + return [kept[i] for i in torch.randperm(len(kept), generator=generator).tolist()]
        """,
    "shuffles_first": """
        The words are shuffled first and dropped afterwards, so other numbers decide. First drop,
        then shuffle what is left.

        - chance = torch.rand(len(ids), generator=generator).tolist()
        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        - return [kept[i] for i in keys.argsort().tolist()]
        + keys = torch.arange(len(ids)) + (k + 1) * torch.rand(len(ids), generator=generator)
        + mixed = [ids[i] for i in keys.argsort().tolist()]
        + chance = torch.rand(len(ids), generator=generator).tolist()
        + return [i for i, u in zip(mixed, chance) if u >= p] or mixed
        """,
    "keys_for_all": """
        Every word gets its key before words are dropped. First drop words; then number those that
        are left from 0 on, and draw one number for each of them.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        - return [kept[i] for i in keys.argsort().tolist()]
        + keys = torch.arange(len(ids)) + (k + 1) * torch.rand(len(ids), generator=generator)
        + order = keys.argsort().tolist()
        + return [ids[i] for i in order if chance[i] >= p] or [ids[i] for i in order]
        """,
    "inverse_order": """
        Word i goes to position order[i], but `argsort` says the reverse: order[0] is the index of the
        word that comes first. Take `kept[i] for i in order`.

        - return [kept[i] for i in keys.argsort().tolist()]
        + return [kept[i] for i in keys.argsort().argsort().tolist()]
        """,
    "ranks_for_words": """
        The result has positions, not the ids of words: `argsort` says which word comes at each
        position. Look the words up.

        - return [kept[i] for i in keys.argsort().tolist()]
        + return keys.argsort().tolist()
        """,
    "one_draw_for_both": """
        The numbers that decided which words are dropped also make the keys. Draw new ones, one for
        each word that is left: those of the first draw are all at least p.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + stays = [n for n, u in enumerate(chance) if u >= p] or list(range(len(ids)))
        + kept = [ids[n] for n in stays]
        + keys = torch.arange(len(kept)) + (k + 1) * torch.tensor([chance[n] for n in stays])
        """,
    "keeps_only_the_first": """
        A sentence that would lose all its words keeps only the first one. It keeps them all.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids[:1])
        """,
    "draws_nothing_for_p_0": """
        With p = 0 no numbers are drawn for dropping, so the keys get other numbers than everybody
        else's. Draw one for each word all the same.

        - chance = torch.rand(len(ids), generator=generator).tolist()
        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = list(ids)
        + if p > 0:
        +     chance = torch.rand(len(ids), generator=generator).tolist()
        +     kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        """,
    "drops_equal_numbers": """
        A word whose number is equal to p is dropped. Only those whose number is below p are.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = [i for i, u in zip(ids, chance) if u > p] or list(ids)
        """,
    "draws_for_all_words_again": """
        The second time, too, a number is drawn for every word of the sentence. Draw one for each word that
        is left: otherwise the next sentence gets other numbers than everybody else's.

        - keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        + again = torch.rand(len(ids), generator=generator)[: len(kept)]
        + keys = torch.arange(len(kept)) + (k + 1) * again
        """,
    "stays_below_one_minus_p": """
        A word stays if its number is below 1 - p. As many stay, but others than those whose number
        is p or more: keep these, so that the same numbers give the same noise.

        - kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        + kept = [i for i, u in zip(ids, chance) if u < 1 - p] or list(ids)
        """,
}

RIGHT = {
    "with_tensors": """
        def add_noise(ids, p, k, generator):
            words = torch.tensor(ids, dtype=torch.long)
            stays = torch.rand(len(ids), generator=generator) >= p
            if stays.any():
                words = words[stays]
            keys = torch.rand(len(words), generator=generator) * (k + 1) + torch.arange(len(words))
            return words[keys.sort().indices].tolist()
        """,
    "one_number_at_a_time": """
        def add_noise(ids, p, k, generator):
            kept = []
            for word in ids:
                if torch.rand(1, generator=generator).item() >= p:
                    kept.append(word)
            if not kept:
                kept = ids[:]
            keys = [(i + (k + 1) * torch.rand(1, generator=generator).item(), i) for i in range(len(kept))]
            return [kept[i] for _, i in sorted(keys)]
        """,
    "sorts_pairs": """
        def add_noise(ids, p, k, generator):
            u = torch.rand(len(ids), generator=generator)
            kept = [word for n, word in enumerate(ids) if not u[n] < p]
            kept = kept if kept else list(ids)
            v = torch.rand(len(kept), generator=generator).tolist()
            pairs = sorted(enumerate(kept), key=lambda pair: pair[0] + v[pair[0]] * (1 + k))
            return [word for _, word in pairs]
        """,
}

EQUIVALENT = {
    "a tensor of one number compares and indexes as the number does": """
        -    chance = torch.rand(len(ids), generator=generator).tolist()
        +    chance = torch.rand(len(ids), generator=generator)

        -    return [kept[i] for i in keys.argsort().tolist()]
        +    return [kept[i] for i in keys.argsort()]
        """,
    "the keys of the cases differ by more than rounding": """
        -    keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
        +    keys = (torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)).half()
        """,
    "the list is only read": """
        -    kept = [i for i, u in zip(ids, chance) if u >= p] or list(ids)
        +    kept = [i for i, u in zip(ids, chance) if u >= p] or ids
        """,
}
