"""round_trip_bleu: there and back in both directions; a translator that forgets, or loses words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from .common import languages, sentences

POINTS = {"values": 2, "directions": 2, "edges": 1}
#: Moves the words up on the way into the first language, and down on the way into the second one.
_PERFECT = (
    "lambda s, language: [[i + (1 if language == {a} else -1) * 7 for i in ids] for ids in s]"
)
#: The same, but some words are lost on the way into the second language.
_FORGETS = (
    "lambda s, language: [[i + (1 if language == {a} else -1) * 7 for n, i in enumerate(ids)"
    " if language == {a} or n % {n} != 2] for ids in s]"
)
#: Some words become others, differently in the two directions.
_MISTAKES = "lambda s, language: [[i if (i + language) % {n} else i + 2 * language for i in ids] for ids in s]"
#: Every language has words of its own: English ones below 200, French ones from 200 on. Every
#: n-th word becomes another one; otherwise a sentence that is in the language already stays.
_OWN_WORDS = (
    "lambda s, language: [[(i + (at % {n} == 0)) % 200 + 200 * (language == {b})"
    " for at, i in enumerate(ids, 1)] for ids in s]"
)
#: Copies everything.
_COPIES = "lambda s, language: [list(ids) for ids in s]"


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, translate: str, first: list[int], second: list[int], title: str = "", **more
    ):
        a, b, _ = languages(rng)
        n = int(rng.integers(7, 10))
        source = codec.Source(translate.format(a=a, b=b, n=n))
        both = {a: sentences(rng, *first), b: sentences(rng, *second)}
        if translate == _OWN_WORDS:
            both[b] = [[200 + i for i in ids] for ids in both[b]]
        more.setdefault("judge", {"rtol": 1e-7, "atol": 1e-7})
        return Case(group, [source, both], title=title, **more)

    n = int(rng.integers(8, 12))
    yield case("values", _MISTAKES, [12, n], [n, 14], "some words change")
    yield case("values", _OWN_WORDS, [n], [n + 1], "languages with words of their own")
    yield case("values", _FORGETS, [n, 9, 11], [10, n, 12], "some words get lost")
    yield case("values", _MISTAKES, [15, 13, n], [12, 16, n], "three sentences of each language")
    title = "languages with words of their own, and sentences of different lengths"
    yield case("directions", _OWN_WORDS, [n + 6], [n, 9], title)
    yield case("directions", _FORGETS, [20], [6], "a long sentence, and a short one")
    yield case("directions", _MISTAKES, [18, 13, 10], [9], "more sentences of one language")
    yield case("edges", _PERFECT, [n, 5], [6], "everything comes back")
    one, other = (int(rng.integers(22, 70)) for _ in range(2))
    yield case("edges", _FORGETS, [one], [other], "a single sentence of each language")
    yield case("edges", _COPIES, [7, n], [5, n], "a translator that only copies")
    only = "lambda s, language: [[language] * (len(ids) if language == {a} else 1) for ids in s]"
    yield case("edges", only, [n, 6], [5, n], "nothing comes back")


WRONG = {
    "one_way_only": """
        The translation is compared with the sentence it was made from, but they are in different
        languages. Translate it back first.

        - back = translate(translate(sentences[language], other), language)
        + back = translate(sentences[language], other)
        """,
    "languages_exchanged": """
        The two language tokens are exchanged: the sentences are first translated into their own
        language, then into the other one, and never come back. The outer call makes the second
        trip, home: `translate(translate(sentences[language], other), language)`.

        - back = translate(translate(sentences[language], other), language)
        + back = translate(translate(sentences[language], language), other)
        """,
    "never_leaves": """
        Both trips ask for the sentences' own language, so they never leave it. First translate into
        the other one, then back.

        - back = translate(translate(sentences[language], other), language)
        + back = translate(translate(sentences[language], language), language)
        """,
    "one_direction_only": """
        Only one direction is scored: from the first language and back. Take the mean of both.

        - for language, other in ((first, second), (second, first)):
        + for language, other in ((first, second), (first, second)):
        """,
    "sum": """
        The two scores are added up, so that a perfect round trip has 200. Take their mean.

        - return sum(scores) / 2
        + return sum(scores)
        """,
    "one_corpus": """
        All sentences are scored as one test set, in which the longer language counts more. Score
        each language, then take the mean.

        -     scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        - return sum(scores) / 2
        +     scores += list(zip(back, [[ids] for ids in sentences[language]]))
        + return corpus_bleu(*zip(*scores))
        """,
    "not_a_list_of_references": """
        The references of a sentence are a list of sentences. Without the inner brackets, every
        word is taken for a reference of its own.

        raises TypeError

        - first, second = sentences
        + first, second = sentences
        ...
        - scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + scores.append(corpus_bleu(back, sentences[language]))
        """,
    "compares_with_itself": """
        The second trip is compared with the first one: how stable is the model? The question is
        whether the original sentences come back.

        - scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + again = translate(translate(back, other), language)
        + scores.append(corpus_bleu(again, [[ids] for ids in back]))
        """,
    "swapped": """
        Hypotheses and references are exchanged: the brevity penalty then punishes what is too long.
        The sentences that came back are the hypotheses.

        - scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + scores.append(corpus_bleu(sentences[language], [[ids] for ids in back]))
        """,
    "mean_of_sentences": """
        This is the mean of the BLEU of single sentences, many of which are 0. BLEU is made for a
        whole test set: call corpus_bleu once for each language.

        - back = translate(translate(sentences[language], other), language)
        - scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + back = translate(translate(sentences[language], other), language)
        + each = [corpus_bleu([h], [[ids]]) for h, ids in zip(back, sentences[language])]
        + scores.append(sum(each) / len(each))
        """,
    "references_of_the_other": """
        The sentences that came home are compared with those of the other language, which are no
        translations of them. The references are the sentences that went out.

        - scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + scores.append(corpus_bleu(back, [[ids] for ids in sentences[other]]))
        """,
    "weighted_by_sentences": """
        The two scores are weighted by the numbers of sentences. Each language counts the same: take
        the plain mean.

        -     scores.append(corpus_bleu(back, [[ids] for ids in sentences[language]]))
        - return sum(scores) / 2
        +     scores.append(len(back) * corpus_bleu(back, [[ids] for ids in sentences[language]]))
        + return sum(scores) / sum(map(len, sentences.values()))
        """,
}

RIGHT = {
    "two_lines": """
        def round_trip_bleu(translate, sentences):
            a, b = sentences
            A, B = sentences[a], sentences[b]
            first = corpus_bleu(translate(translate(A, b), a), [[ids] for ids in A])
            return (first + corpus_bleu(translate(translate(B, a), b), [[ids] for ids in B])) / 2
        """,
    "with_a_function": """
        def round_trip_bleu(translate, sentences):
            def trip(here, there):
                references = [(ids,) for ids in sentences[here]]
                return corpus_bleu(translate(translate(sentences[here], there), here), references)

            x, y = list(sentences)
            return 0.5 * trip(x, y) + 0.5 * trip(y, x)
        """,
    "as_words": """
        def round_trip_bleu(translate, sentences):
            total = 0.0
            for language in sentences:
                other = next(token for token in sentences if token != language)
                there = translate(sentences[language], other)
                hypotheses = [[str(i) for i in ids] for ids in translate(there, language)]
                references = [[[str(i) for i in ids]] for ids in sentences[language]]
                total += corpus_bleu(hypotheses, references)
            return total / len(sentences)
        """,
}

EQUIVALENT = {
    "the sum of two scores does not depend on their order": """
        -    for language, other in ((first, second), (second, first)):
        +    for language, other in list(((first, second), (second, first)))[::-1]:

        -    for language, other in ((first, second), (second, first)):
        +    for language, other in ((second, first), (first, second)):
        """,
}
