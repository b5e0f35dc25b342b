"""inverted_index: repeated words, the order of postings, empty documents, letters that differ in case."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_words, number, some_words
from .common import WORDS

POINTS = {"postings": 2, "counts": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def documents(*lengths: int, words: list[str] = WORDS) -> list[list[str]]:
        return [draw_words(rng, words, n) for n in lengths]

    def different(*lengths: int) -> list[list[str]]:
        """Documents that have each of their words once."""
        return [some_words(rng, WORDS, n) for n in lengths]

    n = number(rng, 4, 7)
    yield Case("postings", [different(n)], title="one document")
    yield Case("postings", [different(n, 3, n + 2)], title="three documents")
    many = different(*(number(rng, 2, 6) for _ in range(12)))
    yield Case("postings", [many], title="twelve documents")
    one, other = different(n, 3)
    yield Case("postings", [[one, other, [*one], [*other]]], title="two documents, each twice")

    few = documents(n + 5, n, words=WORDS[:3])
    yield Case("counts", [few], title="a word several times")
    one = draw_words(rng, WORDS, 1) * n
    yield Case("counts", [[one, *documents(n), one[:1]]], title="nothing but one word")
    yield Case("counts", [[one[:1], one]], title="more often in the second document")

    yield Case("edges", [[[], *documents(n), [], *documents(3)]], title="documents without words")
    cased = [[word.capitalize() for word in documents(n)[0]], *documents(n)]
    yield Case("edges", [cased], title="capital letters")
    yield Case("edges", [[tuple(words) for words in documents(3, n)]], title="tuples of words")
    yield Case("edges", [[]], title="no documents")


WRONG = {
    "first_of_equal_documents": """
        Two equal documents got the same number, that of the first: `index` and dictionaries compare what
        documents say, and a collection can hold the same text twice. Number the documents as they come.

        - for number, words in enumerate(documents):
        + for words in documents:
        +     number = list(documents).index(words)
        """,
    "each_occurrence": """
        A document stands in the postings once for each occurrence of the word. It stands there
        once, with the number of occurrences.

        - for word, count in Counter(words).items():
        -     index.setdefault(word, []).append((number, count))
        + for word in words:
        +     index.setdefault(word, []).append((number, words.count(word)))
        """,
    "no_counts": """
        Each posting has the count 1. How often does the word occur in that document?

        - index.setdefault(word, []).append((number, count))
        + index.setdefault(word, []).append((number, 1))
        """,
    "counts_of_the_collection": """
        The count is that of the word in the whole collection. It should be the count in that
        document.

        - index.setdefault(word, []).append((number, count))
        + index.setdefault(word, []).append((number, sum(list(d).count(word) for d in documents)))
        """,
    "numbers_from_one": """
        Documents are counted from 1 here. The first one has the number 0.

        - for number, words in enumerate(documents):
        + for number, words in enumerate(documents, 1):
        """,
    "count_first": """
        The two parts of a posting are exchanged: first the number of the document, then the count.

        - index.setdefault(word, []).append((number, count))
        + index.setdefault(word, []).append((count, number))
        """,
    "dictionaries": """
        The postings of a word are a dictionary here. They are a list of pairs, sorted by the number
        of the document.

        - return index
        + return {word: dict(postings) for word, postings in index.items()}
        """,
    "last_document_only": """
        Of each word only the last document is left: a later one overwrites the postings of the
        earlier ones instead of adding to them.

        - index.setdefault(word, []).append((number, count))
        + index[word] = [(number, count)]
        """,
    "lower_cased": """
        The words were lower-cased. They are taken as they come: who made the words of the
        documents decides about case, once for documents and questions.

        - for word, count in Counter(words).items():
        + for word, count in Counter(word.lower() for word in words).items():
        """,
    "empty_documents_skipped": """
        Documents without words were not counted, so those after them have numbers that are too
        small. An empty document has a number, too.

        - for number, words in enumerate(documents):
        + for number, words in enumerate(words for words in documents if words):
        """,
    "forward_index": """
        This says which words a document has. An inverted index says which documents a word has.

        def inverted_index(documents):
            return {number: sorted(Counter(words).items()) for number, words in enumerate(documents)}
        """,
    "counter_not_emptied": """
        The counts of one document go on in the next, so later documents have the words of earlier
        ones. Begin to count anew for each document.

        - for number, words in enumerate(documents):
        -     for word, count in Counter(words).items():
        + counts = Counter()
        + for number, words in enumerate(documents):
        +     counts.update(words)
        +     for word, count in counts.items():
        """,
    "sorted_by_count": """
        The postings of a word are sorted by their counts. They stay in the order of the numbers of
        the documents.

        - return index
        + return {word: sorted(found, key=lambda posting: -posting[1]) for word, found in index.items()}
        """,
    "each_occurrence_counts_one": """
        Each occurrence has a posting of its own, with the count 1. A document has one posting for a
        word, with the number of its occurrences.

        - for word, count in Counter(words).items():
        -     index.setdefault(word, []).append((number, count))
        + for word in words:
        +     index.setdefault(word, []).append((number, 1))
        """,
}

RIGHT = {
    "defaultdict": """
        def inverted_index(documents):
            from collections import defaultdict

            counts = defaultdict(dict)
            for i, words in enumerate(documents):
                for word in words:
                    counts[word][i] = counts[word].get(i, 0) + 1
            return {word: sorted(found.items()) for word, found in counts.items()}
        """,
    "from_the_vocabulary": """
        def inverted_index(documents):
            vocabulary = {word for words in documents for word in words}
            return {
                word: [(i, list(d).count(word)) for i, d in enumerate(documents) if word in d]
                for word in vocabulary
            }
        """,
}

FURTHER = """
Go through the documents with `enumerate`. `Counter(words)` says how often each word occurs in one of
them, and `index.setdefault(word, [])` gives the list of a word, a new one if it has none yet.
"""

EQUIVALENT = {
    "In which order the words stand in the dictionary makes no difference.": """
        -        for word, count in Counter(words).items():
        +        for word, count in list(Counter(words).items())[::-1]:
        """,
}
