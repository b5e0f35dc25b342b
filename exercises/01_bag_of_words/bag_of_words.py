"""The bag of a text, with counts or with ones; it repeats words, has substrings and unknown ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, draw_words, some_words
from .common import PLAIN_WORDS, WORDS, draw_vocabulary

POINTS = {"counts": 2, "binary": 1, "unknown": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for size, length in ((4, 5), (8, 9), (int(rng.integers(9, 14)), 12)):
        vocabulary = draw_vocabulary(rng, size)
        known = draw_words(rng, list(vocabulary), length)
        known += [list(vocabulary)[1], known[0]]
        for binary in (False, True):
            group = "binary" if binary else "counts"
            yield Case(group, [known, vocabulary, binary], judge=EXACT)
        yield Case("counts", [known, vocabulary], title="without the third argument", judge=EXACT)
    vocabulary = draw_vocabulary(rng, 6)
    word = list(vocabulary)[int(rng.integers(1, 6))]
    again = [word] * int(rng.integers(2, 5))
    title = "the same word several times"
    yield Case("counts", [again, vocabulary, False], title=title, judge=EXACT)
    yield Case("binary", [again, vocabulary, True], title=title, judge=EXACT)
    inside = {"art": 0, "party": 1, "long": 2, "along": 3, "star": 4}
    text = [["party", "along"], ["party"], ["along", "party", "along"]][int(rng.integers(3))]
    title = "a word that is a substring of another word"
    yield Case("counts", [text, inside, False], title=title, judge=EXACT)
    yield Case("binary", [text, inside, True], title=title, judge=EXACT)
    (single,) = some_words(rng, WORDS, 1)
    again = [single] * int(rng.integers(2, 6))
    title = "a vocabulary of one word"
    yield Case("counts", [again, {single: 0}, False], title=title, judge=EXACT)
    # From here on no known word occurs twice, and none is the first of the vocabulary.
    words = some_words(rng, PLAIN_WORDS, 12)
    vocabulary, absent = {word: index for index, word in enumerate(words[:6])}, words[6:]
    first, last, *between = rng.permutation(words[1:6])[: int(rng.integers(2, 5))]
    mixed = [first, *rng.permutation([*between, *absent[:3]]), last]
    for text in (mixed, rng.permutation([words[int(rng.integers(1, 6))], *absent[:2]])):
        given = [[str(word) for word in text], vocabulary, bool(rng.integers(2))]
        yield Case("unknown", given, title="some words are unknown", judge=EXACT)
    strange = draw_words(rng, absent, 4)
    yield Case("unknown", [strange, vocabulary, False], title="no word is known", judge=EXACT)
    yield Case("unknown", [[], vocabulary, False], title="an empty text", judge=EXACT)


WRONG = {
    "adds_only_once": """
        A repeated word has the component 1: `x[indices] += 1` adds only once for each index.

        - x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.zeros(len(vocabulary))
        + x[indices] += 1
        """,
    "counts_in_a_binary_bag": """
        With binary=True words are counted, too. Then a component is 1 or 0, however often the word
        occurs.

        - return x.clamp(max=1) if binary else x
        + return x
        """,
    "swaps_the_bags": """
        The two bags are swapped: the one with ones and zeros is wanted when `binary` is True.

        - return x.clamp(max=1) if binary else x
        + return x if binary else x.clamp(max=1)
        """,
    "binary_by_default": """
        Without the third argument it gives the binary bag. The default is the count bag, binary=False.

        - tokens: list[str], vocabulary: dict[str, int], binary: bool = False
        + tokens: list[str], vocabulary: dict[str, int], binary: bool = True
        """,
    "gives_truth_values": """
        The binary bag has True and False. Weights are real numbers, so the bag is float32: 1.0 and 0.0.

        - return x.clamp(max=1) if binary else x
        + return x > 0 if binary else x
        """,
    "unknown_is_first": """
        An unknown word is counted for the first word of the vocabulary. Skip unknown words.

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary.get(token, 0) for token in tokens]
        """,
    "unknown_is_last": """
        An unknown word is counted in the last component: index -1 is that of the last word. Skip unknown
        words.

        - x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x[-1] += len(tokens) - len(known)
        """,
    "stops_at_unknown": """
        A word outside the vocabulary raises a KeyError: it has no index. Skip unknown words.

        raises KeyError

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary[token] for token in tokens]
        """,
    "gives_integers": """
        These are integers. Weights are real numbers, so the bag is float32 too.

        - x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.bincount(indices, minlength=len(vocabulary))
        """,
    "gives_indices": """
        These are indices. A bag has one component for each word of the vocabulary: shape (|V|,).

        - x = torch.bincount(indices, minlength=len(vocabulary)).float()
        - return x.clamp(max=1) if binary else x
        + return indices
        """,
    "one_component_per_token": """
        There is one component per token of the text. The bag has one per word of the vocabulary:
        begin with len(vocabulary) zeros.

        def bag_of_words(tokens, vocabulary, binary=False):
            return torch.tensor([float(token in vocabulary) for token in tokens])
        """,
    "forgets_minlength": """
        The bag ends at the text's largest index. Give `bincount` a minlength: bags have shape (|V|,).

        - x = torch.bincount(indices, minlength=len(vocabulary)).float()
        + x = torch.bincount(indices).float()
        """,
    "loses_the_first_word": """
        The first word of the vocabulary is never counted: its index is 0, and 0 is False in an
        `if`. Ask whether the token is `in vocabulary`.

        - known = [vocabulary[token] for token in tokens if token in vocabulary]
        + known = [vocabulary[token] for token in tokens if vocabulary.get(token)]
        """,
    "counts_inside_words": """
        The word is searched for in the joined text: `art` is found in `party`. Compare whole words.

        def bag_of_words(tokens, vocabulary, binary=False):
            text = " ".join(tokens)
            x = torch.tensor([float(text.count(word)) for word in vocabulary])
            return x.clamp(max=1) if binary else x
        """,
    "divides_by_the_length": """
        The counts are divided by the number of words in the text. A count bag says how often a word
        occurs, not what fraction of the text it makes up.

        - return x.clamp(max=1) if binary else x
        + return x.clamp(max=1) if binary else x / max(len(tokens), 1)
        """,
}

RIGHT = {
    "index_add": """
        def bag_of_words(tokens, vocabulary, binary=False):
            tokens = set(tokens) if binary else tokens
            known = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary]).long()
            return torch.zeros(len(vocabulary)).index_add(0, known, torch.ones(len(known)))
        """,
    "counter": """
        def bag_of_words(tokens, vocabulary, binary=False):
            counts = Counter(tokens)
            return torch.tensor(
                [float(counts[word] > 0) if binary else float(counts[word]) for word in vocabulary]
            )
        """,
    "loop": """
        def bag_of_words(tokens, vocabulary, binary=False):
            x = torch.zeros(len(vocabulary))
            for token in tokens:
                if token in vocabulary:
                    x[vocabulary[token]] = 1 if binary else x[vocabulary[token]] + 1
            return x
        """,
}

EQUIVALENT = {
    "the order of the words does not matter": """
        -    known = [vocabulary[token] for token in tokens if token in vocabulary]
        +    known = [vocabulary[token] for token in list(tokens)[::-1] if token in vocabulary]
        """,
    "the counts belong to nobody else": """
        -    return x.clamp(max=1) if binary else x
        +    return x.clamp_(max=1) if binary else x
        """,
}
