"""sentence_log_probability: products of any order, words of probability 0, very long sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import WORDS, draw_probability

POINTS = {"values": 2, "zero": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def sentence(length: int) -> list[str]:
        return [WORDS[int(i)] for i in rng.integers(0, len(WORDS), size=length)]

    for length, n in ((3, 2), (int(rng.integers(4, 7)), 2), (2, 3), (int(rng.integers(3, 6)), 1)):
        words = [*sentence(length), *(["the", "chases"] if n == 3 else [])]  # of different lengths
        yield Case("values", [words, draw_probability(rng), n], title=f"n = {n}")
    words = [*sentence(2), "fish", *sentence(1)]
    zero = draw_probability(rng, ("fish",))
    yield Case("zero", [words, zero, 2], title="a word with the probability 0")
    stop = draw_probability(rng, ("</s>",))
    yield Case("zero", [sentence(3), stop, 2], title="the sentence cannot end here")
    possible = [sentence(int(rng.integers(2, 6))), draw_probability(rng, ("fish",)), 2]
    yield Case("zero", possible, title="a word with the probability 0, but not in the sentence")
    yield Case("edges", [[], draw_probability(rng), 3], title="an empty sentence")
    word = WORDS[int(rng.integers(3, 8))]  # not of three letters, like START
    yield Case("edges", [[word], draw_probability(rng), 4], title="one word, n = 4")
    long = sentence(int(rng.integers(500, 600)))
    title = "a sentence so long that its probability is too small for a float"
    yield Case("edges", [long, draw_probability(rng), 2], title=title)


WRONG = {
    "no_stop": """
        The factor of the stop token is missing: how probable is it that the sentence ends here?

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * (n - 1) + sentence
        """,
    "context_is_a_list": """
        The context is a list here. A list cannot be looked up in a table of counts: make it a tuple.

        raises TypeError

        - p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + p = probability(padded[i], padded[i - n + 1 : i])
        """,
    "multiplies": """
        Your product becomes 0 for a long sentence, since a float holds nothing much below 1e-308.
        Add the logarithms of the factors; do not take the logarithm of their product.

        def sentence_log_probability(sentence, probability, n):
            padded = [START] * (n - 1) + sentence + [STOP]
            p = 1.0
            for i in range(n - 1, len(padded)):
                p *= probability(padded[i], tuple(padded[i - n + 1 : i]))
            return math.log(p) if p > 0 else -math.inf
        """,
    "log_of_the_product": """
        The product of a long sentence becomes 0, since a float holds nothing much below 1e-308, and
        math.log(0) raises an error. Add the logarithms of the factors; do not take the logarithm of
        their product.

        raises ValueError

        def sentence_log_probability(sentence, probability, n):
            padded = [START] * (n - 1) + sentence + [STOP]
            product = 1.0
            for i in range(n - 1, len(padded)):
                p = probability(padded[i], tuple(padded[i - n + 1 : i]))
                if p == 0:
                    return -math.inf
                product *= p
            return math.log(product)
        """,
    "returns_probability": """
        This is the probability. The function returns its logarithm.

        - return total
        + return math.exp(total)
        """,
    "log_of_zero": """
        math.log(0) raises an error. Where a factor is 0, add -math.inf.

        raises ValueError

        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log(p)
        """,
    "base_two": """
        The logarithm has base 2. In this course it is the natural one, math.log.

        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log2(p) if p > 0 else -math.inf
        """,
    "skips_zeros": """
        Words with the probability 0 are left out. One such word makes the whole sentence impossible:
        its log-probability is -inf.

        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log(p) if p > 0 else 0.0
        """,
    "whole_prefix": """
        The context is everything before the word. A model of order n sees the last n - 1 tokens only.

        - p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + p = probability(padded[i], tuple(padded[:i]))
        """,
    "reversed_context": """
        The context has its words in reverse order. They stand as in the sentence.

        - p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + p = probability(padded[i], tuple(padded[i - n + 1 : i][::-1]))
        """,
    "one_start": """
        The contexts of the first words are too short: n - 1 start tokens stand before the sentence.

        - padded = [START] * (n - 1) + sentence + [STOP]
        - total = 0.0
        - for i in range(n - 1, len(padded)):
        -     p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + padded = [START] + sentence + [STOP]
        + total = 0.0
        + for i in range(1, len(padded)):
        +     p = probability(padded[i], tuple(padded[max(i - n + 1, 0) : i]))
        """,
    "averages": """
        This is a mean. The log-probability of the sentence is the sum.

        - return total
        + return total / (len(sentence) + 1)
        """,
    "short_contexts_at_the_start": """
        The first words get contexts that are too short. Each context has n - 1 words: put start tokens in
        front of the sentence.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = sentence + [STOP]
        ...
        - for i in range(n - 1, len(padded)):
        -     p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + for i in range(len(padded)):
        +     p = probability(padded[i], tuple(padded[max(0, i - n + 1) : i]))
        """,
    "predicts_start_tokens": """
        Start tokens are predicted, too. They are only contexts: begin with the first word.

        - for i in range(n - 1, len(padded)):
        -     p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + for i in range(min(1, n - 1), len(padded)):
        +     p = probability(padded[i], tuple(padded[max(0, i - n + 1) : i]))
        """,
    "minus_log_probability": """
        The sign is wrong. The logarithm of a probability is never above 0; the minus comes with the
        perplexity.

        - return total
        + return -total
        """,
    "several_stops": """
        Several stop tokens are predicted. One is enough: after it the sentence is over.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * (n - 1) + sentence + [STOP] * max(1, n - 1)
        """,
    "context_of_n": """
        Your contexts have n words. An n-gram has n words in all: n - 1 of context, and the next one.

        - padded = [START] * (n - 1) + sentence + [STOP]
        + padded = [START] * n + sentence + [STOP]
        ...
        - for i in range(n - 1, len(padded)):
        -     p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + for i in range(n, len(padded)):
        +     p = probability(padded[i], tuple(padded[i - n : i]))
        """,
    "log_of_a_little_more": """
        A small number is added to each probability, so that a word of probability 0 costs only
        about 23. The sentence is impossible then: minus infinity.

        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log(p + 1e-10)
        """,
    "base_ten": """
        The logarithm has the base 10. Here it is the natural one, `math.log`.

        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log10(p) if p > 0 else -math.inf
        """,
}
RIGHT = {
    "moving_context": """
        def sentence_log_probability(sentence, probability, n):
            context, total = (START,) * (n - 1), 0.0
            for word in [*sentence, STOP]:
                p = probability(word, context)
                if p == 0:
                    return float("-inf")
                total += math.log(p)
                context = (*context, word)[1:]
            return total
        """,
    "in_numpy": """
        def sentence_log_probability(sentence, probability, n):
            import numpy as np

            t = [START] * (n - 1) + sentence + [STOP]
            p = [probability(t[i + n - 1], tuple(t[i : i + n - 1])) for i in range(len(sentence) + 1)]
            with np.errstate(divide="ignore"):
                return float(np.log(p).sum())
        """,
    "in_torch": """
        def sentence_log_probability(sentence, probability, n):
            t = ["<s>"] * (n - 1) + sentence + ["</s>"]
            p = [probability(g[-1], g[:-1]) for g in zip(*(t[i:] for i in range(n)))]
            return torch.tensor(p, dtype=torch.float64).log().sum().item()
        """,
}

EQUIVALENT = {
    "the order of a sum, or of the keys of a dictionary, is free": """
        - for i in range(n - 1, len(padded)):
        + for i in list(range(n - 1, len(padded)))[::-1]:
        """,
    "math.log gives a float, of a tensor as well": """
        - p = probability(padded[i], tuple(padded[i - n + 1 : i]))
        + p = torch.tensor(probability(padded[i], tuple(padded[i - n + 1 : i])))
        """,
    "a probability is never negative": """
        - total += math.log(p) if p > 0 else -math.inf
        + total += math.log(p) if p != 0 else -math.inf
        """,
}
