"""bm25_scores: rare and frequent words, saturation, lengths, repeated and unknown words, no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, draw_words, number, some_words
from .common import WORDS

POINTS = {"scores": 2, "length": 1, "question": 1, "edges": 2}

Index = dict[str, list[tuple[int, int]]]


def indexed(documents: list[list[str]]) -> tuple[Index, list[int]]:
    """The inverted index of documents, and their lengths."""
    index: Index = {}
    for i, words in enumerate(documents):
        for word, count in Counter(words).items():
            index.setdefault(word, []).append((i, count))
    return index, [len(words) for words in documents]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def documents(*lengths: int, words: list[str] = WORDS) -> list[list[str]]:
        return [draw_words(rng, words, n) for n in lengths]

    rare, other, common, *rest = some_words(rng, WORDS, 7)
    texts = documents(5, 5, 5, 5, 5, words=rest)
    for text in texts[: number(rng, 3, 4)]:
        text[0] = common
    texts[number(rng, 0, 4)][1] = rare
    yield Case("scores", [[rare], *indexed(texts)], title="a rare word")
    yield Case("scores", [[common], *indexed(texts)], title="a word of most documents")
    yield Case("scores", [[common, rare], *indexed(texts)], title="two words")
    often = [[other] * i + draw_words(rng, rest, 6 - i) for i in (number(rng, 3, 6), 1, 0, 2)]
    yield Case("scores", [[other], *indexed(often)], title="a word several times in a document")
    many = documents(*(number(rng, 3, 9) for _ in range(9)))
    words = some_words(rng, sorted({w for text in many for w in text}), 4)
    yield Case("scores", [words, *indexed(many)], title="nine documents")
    yield Case("scores", [words, *indexed(many), 0.9, 0.4], title="k1 = 0.9, b = 0.4")

    long = number(rng, 9, 30)
    uneven = [[rare, *documents(n - 1, words=rest)[0]] for n in (number(rng, 2, 4), long, 6)]
    uneven[1][1 : number(rng, 2, 4)] = [rare]
    k1 = number(rng, 8, 24) / 10
    yield Case("length", [[rare], *indexed(uneven)], title="short and long documents")
    yield Case("length", [[rare], *indexed(uneven), k1, 0.0], title="b = 0: length does not count")
    yield Case("length", [[rare], *indexed(uneven), k1, 1.0], title="b = 1")

    yield Case("question", [words[:2] * 2 + words[2:], *indexed(many)], title="a word twice")
    yield Case(
        "question",
        [["zebra", *words, "Quebec"], *indexed(many)],
        title="words that no document has",
    )
    yield Case("question", [words[::-1], *indexed(many)], title="the words in another order")

    yield Case("edges", [[], *indexed(documents(number(rng, 3, 5), 4, 6))], title="no words")
    yield Case(
        "edges",
        [["zebra"], *indexed(documents(number(rng, 3, 5), 4))],
        title="an unknown word alone",
    )
    one = documents(number(rng, 4, 8))
    yield Case("edges", [[one[0][0], "zebra"], *indexed(one)], title="a collection of one document")
    empty = [*documents(number(rng, 4, 8), 3), []]
    drawn = [number(rng, 5, 30) / 10, number(rng, 1, 9) / 10]
    yield Case("edges", [empty[0][:2], *indexed(empty), *drawn], title="an empty document")
    yield Case("edges", [words, {}, [0, 0]], title="only empty documents")
    yield Case("edges", [words, {}, []], title="no documents", judge=VALUE_ERROR)


WRONG = {
    "classic_idf": """
        The weight of a word is log(N / n). BM25's adds a half to both sides and 1 before the
        logarithm, so that a word of every document keeps a small weight above 0.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log(N / n) if n else 0.0
        """,
    "negative_idf": """
        A word that most documents have gets a weight below 0 here: having it would count against
        a document. The 1 inside the logarithm prevents that.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log((N - n + 0.5) / (n + 0.5))
        """,
    "decimal_logarithm": """
        The logarithm has the base 10. It is the natural one, `math.log`.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log10(1 + (N - n + 0.5) / (n + 0.5))
        """,
    "binary_logarithm": """
        The logarithm has the base 2, as nDCG's does. Here it is the natural one, `math.log`.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log2(1 + (N - n + 0.5) / (n + 0.5))
        """,
    "counts_occurrences": """
        n is the number of documents that have the word, not the number of its occurrences.

        - n = len(postings)
        + n = sum(count for _, count in postings)
        """,
    "no_idf": """
        All words weigh the same here. A word that few documents have says more: its weight is the
        logarithm.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = 1.0
        """,
    "no_saturation": """
        The count enters as it is. It should saturate: the tenth occurrence says less than the
        second, as count / (count + ...) does.

        - scores[document] += idf * count / (count + norm)
        + scores[document] += idf * count / norm
        """,
    "factor_of_the_book": """
        The numerator has the factor (k1 + 1), as in many textbooks. It changes no ranking, so our
        formula leaves it out.

        - scores[document] += idf * count / (count + norm)
        + scores[document] += idf * count * (k1 + 1) / (count + norm)
        """,
    "ignores_length": """
        The length of the document does not enter. Without it, long documents win because they have
        more words of every kind.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = k1
        """,
    "length_upside_down": """
        The ratio of lengths is upside down: long documents are favored. It is the document's
        length divided by the average.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = k1 * (1 - b + b * average / max(lengths[document], 1))
        """,
    "b_and_its_rest_exchanged": """
        b and 1 - b are exchanged. With b = 0 the length should not count at all.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = k1 * (b + (1 - b) * lengths[document] / average)
        """,
    "parentheses_missing": """
        k1 multiplies the 1 alone. It multiplies all of 1 - b + b * length / average: put parentheses
        around that.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = k1 * 1 - b + b * lengths[document] / average
        """,
    "parenthesis_closed_early": """
        The parenthesis is closed too early: k1 multiplies 1 - b alone. It multiplies the part with
        the length, too.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = k1 * (1 - b) + b * lengths[document] / average
        """,
    "parameters_fixed": """
        k1 and b have fixed values here. They are arguments.

        - norm = k1 * (1 - b + b * lengths[document] / average)
        + norm = 1.5 * (0.25 + 0.75 * lengths[document] / average)
        """,
    "each_word_once": """
        A word that stands in the question twice counts once here. Every word of the question adds
        its part.

        - for word in query:
        + for word in dict.fromkeys(query):
        """,
    "unknown_word_breaks": """
        A word that no document has stops the search with a KeyError. It adds nothing.

        raises KeyError

        - postings = index.get(word, [])
        + postings = index[word]
        """,
    "found_documents_only": """
        Only documents with a word of the question get a score, so the result has too few numbers.
        Every document has a score, 0 if nothing matches.

        - return torch.tensor(scores)
        + return torch.tensor([score for score in scores if score > 0])
        """,
    "average_without_empty_ones": """
        The average length leaves out documents without words. They are documents, too.

        - average = sum(lengths) / N
        + average = sum(lengths) / max(1, sum(n > 0 for n in lengths))
        """,
    "nothing_for_no_documents": """
        Without documents there is no average length, and nothing to search. That is a mistake of
        the caller: raise a ValueError.

        - raise ValueError("a collection needs a document")
        + return torch.zeros(0)
        """,
    "size_of_the_index": """
        In the weight of a word, N is the size of the index: how many different words there are. N is the
        number of documents, and `lengths` has one number for each.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log(1 + (len(index) - n + 0.5) / (n + 0.5))
        """,
    "size_of_the_index_and_mean": """
        N is the size of the index here, in the weights and in the mean length: how many different words
        there are. It is the number of documents, and `lengths` has one number for each.

        - average = sum(lengths) / N
        + average = sum(lengths) / max(1, len(index))
        ...
        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log(1 + (len(index) - n + 0.5) / (n + 0.5))
        """,
    "size_of_the_index_everywhere": """
        There is a score for each word of the index, since its size was taken for N. N is the number of
        documents, and `lengths` has one number for each.

        - N = len(lengths)
        + N = len(index)
        """,
    "words_in_all": """
        In the weight of a word, N is the number of all words in all documents. It is the number of
        documents.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log(1 + (sum(lengths) - n + 0.5) / (n + 0.5))
        """,
    "empty_documents_not_counted": """
        In the weight of a word, N leaves out documents without words, which the index does not know.
        They are documents, too: `lengths` has a number for each.

        - idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        + idf = math.log(1 + (sum(length > 0 for length in lengths) - n + 0.5) / (n + 0.5))
        """,
}

RIGHT = {
    "two_loops": """
        def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
            if len(lengths) == 0:
                raise ValueError("nothing to search")
            mean = sum(lengths) / len(lengths)
            total = [0.0] * len(lengths)
            for word, times in Counter(query).items():
                if word not in index:
                    continue
                n = len(index[word])
                weight = times * math.log((len(lengths) + 1) / (n + 0.5))
                for d, count in index[word]:
                    total[d] += weight / (1 + k1 / count * (1 - b + b * lengths[d] / mean))
            return torch.tensor(total)
        """,
    "dense": """
        def bm25_scores(query, index, lengths, k1=1.5, b=0.75):
            N = len(lengths)
            if not N:
                raise ValueError("nothing to search")
            tf = torch.zeros(len(query), N)
            for row, word in zip(tf, query):
                for document, count in index.get(word, ()):
                    row[document] = count
            df = (tf > 0).sum(dim=1, keepdim=True)
            L = torch.tensor(lengths, dtype=torch.float32)
            norm = k1 * (1 - b + b * L / L.mean().clamp(min=1e-9))
            idf = (1 + (N - df + 0.5) / (df + 0.5)).log()
            return (idf * torch.where(tf > 0, tf / (tf + norm).clamp(min=1e-9), 0.0)).sum(dim=0)
        """,
}

FURTHER = """
Start with zeros for all N documents. For each word of the question take its postings, or an empty list,
compute the weight from the number of postings, and add the product to the score of each document there.
"""

EQUIVALENT = {
    "A number of documents is never below 0.": """
        -    if N == 0:
        +    if N <= 0:
        """,
    "A tensor of one number, or a float, is the same number in the sum.": """
        -    average = sum(lengths) / N
        +    average = torch.tensor(sum(lengths) / N)

        -        n = len(postings)
        +        n = float(len(postings))

        -        idf = math.log(1 + (N - n + 0.5) / (n + 0.5))
        +        idf = torch.tensor(math.log(1 + (N - n + 0.5) / (n + 0.5)))

        -            norm = k1 * (1 - b + b * lengths[document] / average)
        +            norm = torch.tensor(k1 * (1 - b + b * lengths[document] / average))
        """,
    "The parts of a sum may be added in any order.": """
        -    for word in query:
        +    for word in list(query)[::-1]:

        -        for document, count in postings:
        +        for document, count in list(postings)[::-1]:
        """,
}
