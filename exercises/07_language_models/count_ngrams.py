"""count_ngrams: orders 1 to 4, repeated words, sentences shorter than the context, none at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import WORDS, draw_sentences

POINTS = {"bigrams": 1, "other orders": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("bigrams", [draw_sentences(rng, 2), 2])
    title = "each context has a Counter"
    yield Case("bigrams", [draw_sentences(rng, 5, 3), 2], title=title, judge={"counters": True})
    twice = draw_sentences(rng, 2)
    yield Case("bigrams", [[*twice, [*twice[0]]], 2], title="the same sentence twice")
    yield Case("other orders", [draw_sentences(rng, 3, 4), 1], title="unigrams")
    yield Case("other orders", [draw_sentences(rng, 3, 3), 3], title="trigrams")
    short = [[WORDS[int(i)]] for i in rng.permutation(4)[:3]]
    yield Case("other orders", [short, 4], title="sentences shorter than the context")
    sentences = draw_sentences(rng, 2)
    sentences.insert(int(rng.integers(3)), [])
    yield Case("edges", [sentences, 2], title="an empty sentence")
    yield Case("edges", [[], int(rng.integers(1, 4))], title="no sentence at all")


FURTHER = """
Make `padded` for one sentence: n - 1 start tokens, the words, one stop token. Then i runs from n - 1
to the end of `padded`. The word is padded[i], and its context is the slice of the n - 1 tokens before
it, as a tuple.
"""

WRONG = {
    "equal_sentences_once": """
        A sentence that occurs twice counts once here. Count every sentence: how often it is said is what
        a language model learns.

        - for sentence in sentences:
        + for sentence in {tuple(sentence): sentence for sentence in sentences}.values():
        """,
    "no_stop": """
        The stop token is not counted: each sentence ends with one, and the loop should reach it
        like a word.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * (n - 1) + sentence
        """,
    "one_start": """
        There is one start token whatever n is. The first word needs a context of n - 1 tokens, so
        n - 1 start tokens stand before it.

        - padded = [START] * (n - 1) + sentence + [STOP]
        - for i in range(n - 1, len(padded)):
        + padded = [START] + sentence + [STOP]
        + for i in range(n - 1, len(padded)):
        """,
    "one_start_too_many": """
        You put n start tokens in front of a sentence, so the last one is counted as if it were
        predicted. The first word needs a context of n - 1 tokens: n - 1 start tokens.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * n + sentence + [STOP]
        """,
    "counts_start": """
        You count start tokens as if they were predicted. They are only contexts: begin with the
        first position after them.

        - for i in range(n - 1, len(padded)):
        -     context = tuple(padded[i - n + 1 : i])
        + for i in range(len(padded)):
        +     context = tuple(padded[max(i - n + 1, 0) : i])
        """,
    "several_stops": """
        Several stop tokens are counted per sentence. One is enough: after it the sentence is over.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * (n - 1) + sentence + [STOP] * max(n - 1, 1)
        """,
    "context_of_n": """
        Your contexts have n words. An n-gram has n words in all: n - 1 of context, and the next one.

        - padded = [START] * (n - 1) + sentence + [STOP]
        - for i in range(n - 1, len(padded)):
        -     context = tuple(padded[i - n + 1 : i])
        + padded = [START] * n + sentence + [STOP]
        + for i in range(n, len(padded)):
        +     context = tuple(padded[i - n : i])
        """,
    "context_is_a_string": """
        Your contexts are strings. The key is the tuple of the n - 1 words: ("the", "cat"), and ()
        for unigrams.

        - context = tuple(padded[i - n + 1 : i])
        + context = " ".join(padded[i - n + 1 : i])
        """,
    "across_sentences": """
        Your n-grams cross the border between two sentences. Pad and count each sentence on its own.

        - for sentence in sentences:
        -     padded = [START] * (n - 1) + sentence + [STOP]
        -     for i in range(n - 1, len(padded)):
        -         context = tuple(padded[i - n + 1 : i])
        -         counts.setdefault(context, Counter())[padded[i]] += 1
        + tokens = [token for sentence in sentences for token in [*sentence, STOP]]
        + padded = [START] * (n - 1) + tokens
        + for i in range(n - 1, len(padded)):
        +     context = tuple(padded[i - n + 1 : i])
        +     counts.setdefault(context, Counter())[padded[i]] += 1
        """,
    "skips_empty_sentences": """
        An empty sentence is skipped. It is a sentence, too: its only token is the stop token.

        - for sentence in sentences:
        + for sentence in filter(None, sentences):
        """,
    "no_start": """
        The start tokens are missing, so the first words of a sentence have no context and are not counted.
        Put n - 1 start tokens in front.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = sentence + [STOP]
        """,
    "keys_are_whole_ngrams": """
        Your keys are whole n-grams, with their counts. Each key should be a context, the first n - 1 words, and
        its value a Counter of the words that follow.

        def count_ngrams(sentences, n):
            counts = Counter()
            for sentence in sentences:
                padded = [START] * (n - 1) + sentence + [STOP]
                counts.update(tuple(padded[i : i + n]) for i in range(len(padded) - n + 1))
            return counts
        """,
    "all_orders_at_once": """
        Shorter contexts are counted, too. One table holds one order: contexts of n - 1 words.

        - context = tuple(padded[i - n + 1 : i])
        - counts.setdefault(context, Counter())[padded[i]] += 1
        + for start in range(i - n + 1, i + 1):
        +     counts.setdefault(tuple(padded[start:i]), Counter())[padded[i]] += 1
        """,
    "plain_dictionaries": """
        The words after a context are counted in a plain dictionary. A `Counter` also knows the words
        that never came: it answers 0 for them, and the rest of the notebook asks.

        - counts.setdefault(context, Counter())[padded[i]] += 1
        + following = counts.setdefault(context, {})
        + following[padded[i]] = following.get(padded[i], 0) + 1
        """,
    "everything_before": """
        For n = 1 your contexts are all the words read so far. A slice that begins at -(n - 1) is
        then [-0:], and -0 is 0: it takes everything in place of nothing. Count from the front where
        the context begins.

        - context = tuple(padded[i - n + 1 : i])
        + context = tuple(padded[:i][-(n - 1) :])
        """,
    "context_grows_for_unigrams": """
        For n = 1 the context should stay the empty tuple, and yours becomes the word before. Where
        the context moves on, n - 1 words are left of it: with n = 1 none.

        - for sentence in sentences:
        -     padded = [START] * (n - 1) + sentence + [STOP]
        -     for i in range(n - 1, len(padded)):
        -         context = tuple(padded[i - n + 1 : i])
        -         counts.setdefault(context, Counter())[padded[i]] += 1
        + for sentence in sentences:
        +     context = (START,) * (n - 1)
        +     for word in [*sentence, STOP]:
        +         counts.setdefault(context, Counter())[word] += 1
        +         context = (*context[1:], word)
        """,
    "bigrams_for_unigrams": """
        For n = 1 you count bigrams: each context has one word. A context has n - 1 words, so the only
        one is the empty tuple, and no start token stands in front.

        - padded = [START] * (n - 1) + sentence + [STOP]
        - for i in range(n - 1, len(padded)):
        -     context = tuple(padded[i - n + 1 : i])
        + before = max(n - 1, 1)
        + padded = [START] * before + sentence + [STOP]
        + for i in range(before, len(padded)):
        +     context = tuple(padded[i - before : i])
        """,
    "start_among_unigrams": """
        For n = 1 a start token is counted as if it were a word. There are n - 1 of them in front of a
        sentence: with n = 1 none.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * max(n - 1, 1) + sentence + [STOP]
        """,
    "at_most_one_start": """
        With n above 2 there is still only one start token. The first word needs a context of n - 1
        tokens, so n - 1 start tokens stand before it.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * min(1, n - 1) + sentence + [STOP]
        """,
}

RIGHT = {
    "zip_of_slices": """
        def count_ngrams(sentences, n):
            from collections import defaultdict

            counts = defaultdict(Counter)
            for sentence in sentences:
                tokens = [START] * (n - 1) + list(sentence) + [STOP]
                for gram in zip(*(tokens[i:] for i in range(n))):
                    counts[gram[:-1]][gram[-1]] += 1
            return dict(counts)
        """,
    "moving_context": """
        def count_ngrams(sentences, n):
            counts = {}
            for sentence in sentences:
                context = (START,) * (n - 1)
                for word in sentence + [STOP]:
                    if context not in counts:
                        counts[context] = Counter()
                    counts[context].update([word])
                    context = (*context, word)[1:]
            return counts
        """,
    "plain_dictionaries": """
        def count_ngrams(sentences, n):
            grams = Counter()
            for s in sentences:
                t = ["<s>"] * (n - 1) + s + ["</s>"]
                grams.update(tuple(t[i : i + n]) for i in range(len(t) - n + 1))
            counts = {}
            for gram, count in grams.items():
                counts.setdefault(gram[:-1], Counter())[gram[-1]] = count
            return counts
        """,
}

EQUIVALENT = {
    "the order of a sum, or of the keys of a dictionary, is free": """
        - for sentence in sentences:
        + for sentence in list(sentences)[::-1]:

        - for i in range(n - 1, len(padded)):
        + for i in list(range(n - 1, len(padded)))[::-1]:
        """,
}
