"""split_into_sentences: one mark or several in a row, at the beginning, at the end, or nowhere."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import WORDS

POINTS = {"values": 1, "runs": 1, "edges": 1}


def _sentence(rng: np.random.Generator, *marks: str) -> list[str]:
    words = rng.choice(WORDS, size=int(rng.integers(1, 4)))
    return [*(str(word) for word in words), *marks]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, int(rng.integers(3, 5))):
        marks = [".!?"[i] for i in rng.integers(3, size=n)]
        yield Case("values", [[token for mark in marks for token in _sentence(rng, mark)]])
    tokens = [*_sentence(rng, "..."), *_sentence(rng, "."), *_sentence(rng, "!")]
    yield Case("values", [tokens], title="three dots end a sentence too")
    one, other = _sentence(rng, "."), _sentence(rng, ".")
    yield Case("values", [[*one, *other, *one, *other]], title="two sentences, each twice")
    tokens = [*_sentence(rng, ","), *_sentence(rng, "."), *_sentence(rng, "?")]
    yield Case("values", [tokens], title="a comma does not end a sentence")
    run = [["?", "!"], ["!", "!", "!"], ["...", "!"]][int(rng.integers(3))]
    tokens = [*_sentence(rng, *run), *_sentence(rng, ".")]
    yield Case("runs", [tokens], title="several marks in a row")
    tokens = [*_sentence(rng, "."), *_sentence(rng, *run)]
    yield Case("runs", [tokens], title="several marks at the end")
    tokens = [*_sentence(rng, "!"), *_sentence(rng)]
    yield Case("edges", [tokens], title="the last sentence has no mark")
    yield Case("edges", [_sentence(rng)], title="no mark at all")
    tokens = [".!?"[int(rng.integers(3))], *_sentence(rng, ".")]
    yield Case("edges", [tokens], title="the text begins with a mark")
    marks = [".!?"[i] for i in rng.permutation(3)[:2]]
    tokens = [*marks, *_sentence(rng, ".")]
    yield Case("edges", [tokens], title="the text begins with two marks")
    tokens = ["mr", ".", *_sentence(rng, "."), "dr", ".", *_sentence(rng, "!")]
    yield Case("values", [tokens], title="`mr .` is cut off, and we live with that")
    yield Case("edges", [[]], title="a text without words")


WRONG = {
    "drops_the_marks": """
        The end marks are gone. Each belongs to the sentence it ends: concatenated again, the
        sentences should give all the tokens.

        def split_into_sentences(tokens):
            sentences = [[]]
            for token in tokens:
                if token in END_MARKS:
                    sentences.append([])
                else:
                    sentences[-1].append(token)
            return [sentence for sentence in sentences if sentence]
        """,
    "mark_begins_next_sentence": """
        An end mark begins a sentence here. It belongs to the sentence before it, and the next
        one begins with the word that follows.

        - if not sentences or (before in END_MARKS and token not in END_MARKS):
        + if not sentences or token in END_MARKS:
        """,
    "every_mark_ends": """
        Of several marks in a row, each one ends a sentence of its own. All of them belong to the
        sentence before them.

        - if not sentences or (before in END_MARKS and token not in END_MARKS):
        + if not sentences or before in END_MARKS:
        """,
    "loses_the_open_end": """
        Words after the last mark are lost. They are a sentence, too, even without a mark.

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token, after in zip(tokens, [*tokens[1:], ""]):
                current.append(token)
                if token in END_MARKS and after not in END_MARKS:
                    sentences.append(current)
                    current = []
            return sentences
        """,
    "ends_with_empty_sentence": """
        There is an empty sentence at the end. A mark ends a sentence; a new one begins only with
        the next word.

        def split_into_sentences(tokens):
            sentences = [[]]
            for token, after in zip(tokens, [*tokens[1:], ""]):
                sentences[-1].append(token)
                if token in END_MARKS and after not in END_MARKS:
                    sentences.append([])
            return sentences
        """,
    "one_empty_sentence": """
        A text without words has one empty sentence here. It should have none: an empty list.

        - sentences = []
        - before = "."
        + sentences = [[]]
        + before = ""
        """,
    "returns_strings": """
        The sentences are strings. Keep them as lists of tokens, so that nothing has to be split
        again.

        - return sentences
        + return [" ".join(sentence) for sentence in sentences]
        """,
    "forgets_three_dots": """
        Three dots do not end a sentence here. All END_MARKS do, `...` among them.

        - if not sentences or (before in END_MARKS and token not in END_MARKS):
        + if not sentences or (before in END_MARKS[:3] and token not in END_MARKS[:3]):
        """,
    "loses_the_last_sentence": """
        The last sentence is missing: a sentence is added only when the next one begins. Add the one that is
        still open when the text ends.

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token in tokens:
                if current and current[-1] in END_MARKS and token not in END_MARKS:
                    sentences.append(current)
                    current = []
                current.append(token)
            return sentences
        """,
    "drops_repeated_marks": """
        Of several marks in a row only the first is kept. All of them belong to the sentence: concatenated
        again, the sentences should give all the tokens.

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token in tokens:
                if token in END_MARKS and not current and sentences:
                    continue
                current.append(token)
                if token in END_MARKS:
                    sentences.append(current)
                    current = []
            return [*sentences, current] if current else sentences
        """,
    "clears_the_sentence_it_added": """
        The sentences are empty: `clear` empties the list that was just added, since `append` makes no copy.
        Begin a new list for each sentence.

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token, after in zip(tokens, [*tokens[1:], ""]):
                current.append(token)
                if after not in END_MARKS and (token in END_MARKS or not after):
                    sentences.append(current)
                    current.clear()
            return sentences
        """,
    "one_list_for_all": """
        All sentences are one and the same list, which `clear` empties again and again: `append`
        makes no copy. Begin a new list for each sentence.

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token, after in zip(tokens, [*tokens[1:], ""]):
                current.append(token)
                if token in END_MARKS and after not in END_MARKS:
                    sentences.append(current)
                    current.clear()
            return [*sentences, current] if current else sentences
        """,
    "mark_without_a_sentence": """
        A text may begin with a mark, and then there is no sentence yet that it could join.

        raises IndexError

        def split_into_sentences(tokens):
            sentences, current = [], []
            for token in tokens:
                if token in END_MARKS and not current:
                    sentences[-1].append(token)
                    continue
                current.append(token)
                if token in END_MARKS:
                    sentences.append(current)
                    current = []
            return [*sentences, current] if current else sentences
        """,
}

RIGHT = {
    "by_index": """
        def split_into_sentences(tokens):
            starts = [
                i
                for i in range(len(tokens))
                if i == 0 or (tokens[i - 1] in END_MARKS and tokens[i] not in END_MARKS)
            ]
            return [tokens[i:j] for i, j in zip(starts, [*starts[1:], len(tokens)])]
        """,
    "looks_ahead": """
        def split_into_sentences(tokens):
            sentences, current = [], []
            for i, token in enumerate(tokens):
                current.append(token)
                last = i + 1 == len(tokens)
                if last or (token in END_MARKS and tokens[i + 1] not in END_MARKS):
                    sentences.append(current)
                    current = []
            return sentences
        """,
}

EQUIVALENT = {
    "The first token begins a sentence whatever `before` is.": """
         sentences = []
        - before = "."

        - before = "."
        + before = ''

        - before = "."
        + before = '.x'
        """,
}
