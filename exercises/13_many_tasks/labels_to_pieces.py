"""labels_to_pieces: several pieces, equal labels in a row, special tokens, cut and unlabeled words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def labels(n: int) -> list[int]:
        return [number(rng, 0, 6) for _ in range(n)]

    def pieces(counts: list[int]) -> list[int | None]:
        inside = [i for i, count in enumerate(counts) for _ in range(count)]
        return [None, *inside, None]

    n = number(rng, 4, 7)
    yield Case("values", [labels(n), pieces([1] * n)], title="a piece for each word")
    for _ in range(2):
        counts = [number(rng, 1, 3) for _ in range(n)]
        counts[1] = 3
        yield Case("values", [labels(n), pieces(counts)], title="several pieces")
    yield Case("values", [[2] * n, pieces([2] * n)], title="the same label everywhere")
    tail: list[int | None] = [None] * number(rng, 1, 3)
    yield Case("values", [labels(3), pieces([2, 1, 2]) + tail], title="padding")
    title = "labels left over, as in a sentence that was cut"
    yield Case("edges", [labels(n + 3), pieces([1] * n)], title=title)
    title = "special tokens only, all labels left over"
    yield Case("edges", [labels(n), [None, None]], title=title)
    yield Case("edges", [labels(n), pieces([1] * n)[1:-1]], title="no special tokens")
    first, second = rng.choice(7, 2, replace=False).tolist()
    title = "a word in the middle has no piece"
    yield Case("edges", [[number(rng, 0, 6), first, second], [None, 0, 2, None]], title=title)
    yield Case("edges", [[], []], title="nothing")
    yield Case("edges", [labels(n), pieces([1] * (n + 1))], title="no label", judge=VALUE_ERROR)
    title = "no label, after a word without a piece"
    yield Case("edges", [labels(2), [None, 0, 1, 3, None]], title=title, judge=VALUE_ERROR)


WRONG = {
    "next_label_for_each_word": """
        The labels are handed out one after another, whenever a new word begins. If a word has no piece,
        the words after it get the wrong ones. Take the label with the number of the word.

        def labels_to_pieces(labels, word_ids):
            found, before, left = [], None, list(labels)
            for word in word_ids:
                if word is None or word == before:
                    found.append(-100)
                elif left:
                    found.append(left.pop(0))
                else:
                    raise ValueError("a piece of a word without a label")
                before = word
            return found
        """,
    "all_pieces": """
        Every piece of a word gets its label. Only the first one should; the others get -100.

        - found.append(-100 if word is None or word == before else labels[word])
        + found.append(-100 if word is None else labels[word])
        """,
    "last_piece": """
        The last piece of each word has the label. The first one should.

        - found, before = [], None
        - for word in word_ids:
        + found, before = [], None
        + for word in reversed(word_ids):
        ...
        - return found
        + return found[::-1]
        """,
    "zeros_elsewhere": """
        Special tokens and further pieces get 0, which is a label. The loss leaves out -100.

        - found.append(-100 if word is None or word == before else labels[word])
        + found.append(0 if word is None or word == before else labels[word])
        """,
    "equal_labels_joined": """
        A word whose label equals that of the word before got -100. Compare the words, not their
        labels.

        - found.append(-100 if word is None or word == before else labels[word])
        - before = word
        + label = None if word is None else labels[word]
        + found.append(-100 if word is None or label == before else label)
        + before = label
        """,
    "shifted": """
        The labels are one word off: word 0 has the first label.

        - found.append(-100 if word is None or word == before else labels[word])
        + found.append(-100 if word is None or word == before else labels[word - 1])
        """,
    "word_0_is_special": """
        Word 0 gets -100, like a special token. Only None stands for a special token; 0 is the number of
        a word, although `if` takes it for False.

        - found.append(-100 if word is None or word == before else labels[word])
        + found.append(-100 if not word or word == before else labels[word])
        """,
    "begins_after_word_0": """
        Where no special token stands in front, word 0 gets -100, as if there were a piece of it before.
        Compare the first piece with something that is no word.

        - found, before = [], None
        + found, before = [], 0
        """,
    "special_left_out": """
        The special tokens have no entry. There is one for each piece, -100 for these.

        - found.append(-100 if word is None or word == before else labels[word])
        + if word is not None:
        +     found.append(-100 if word == before else labels[word])
        """,
    "left_over_refused": """
        Labels that are left over raise a ValueError. If a sentence was cut, its last words have no piece;
        only a piece of a word that has no label is a mistake.

        raises ValueError

        - found, before = [], None
        + if len({*word_ids} - {None}) != len(labels):
        +     raise ValueError("words and labels do not belong together")
        + found, before = [], None
        """,
    "unlabeled_ignored": """
        A piece of a word that has no label should raise a ValueError.

        - if word is not None and word >= len(labels):
        -     raise ValueError(f"word {word} has no label; there are {len(labels)}")
        - found.append(-100 if word is None or word == before else labels[word])
        + missing = word is None or word >= len(labels)
        + found.append(-100 if missing or word == before else labels[word])
        """,
}

FURTHER = """
Go through word_ids and remember the one before. A piece is the first of its word if it has a word and
this is not the word of the piece before.
"""

RIGHT = {
    "seen": """
        def labels_to_pieces(labels, word_ids):
            seen, found = set(), []
            for word in word_ids:
                if word is None or word in seen:
                    found.append(-100)
                    continue
                if word > len(labels) - 1:
                    raise ValueError(word)
                seen.add(word)
                found.append(labels[word])
            return found
        """,
    "first_positions": """
        def labels_to_pieces(labels, word_ids):
            word_ids = list(word_ids)
            words = [w for w in word_ids if w is not None]
            if words and max(words) >= len(labels):
                raise ValueError("labels")
            return [
                labels[w] if w is not None and word_ids.index(w) == i else -100
                for i, w in enumerate(word_ids)
            ]
        """,
}
