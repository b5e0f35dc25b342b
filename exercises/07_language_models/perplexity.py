"""perplexity: per token over all sentences, stop tokens included; zeros and long texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import draw_probability, draw_sentences

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    one = [["the", "cat", "sees", "the", "dog"][: int(rng.integers(2, 6))]]
    yield Case("values", [one, draw_probability(rng), 2], title="one sentence")
    uneven = [*draw_sentences(rng, 1), ["the"], ["the", "cat", "sees", "the", "cat", "and", "dog"]]
    yield Case("values", [uneven, draw_probability(rng), 2], title="short and long sentences")
    for n in (1, 3):
        title = f"n = {n}"
        yield Case("values", [draw_sentences(rng, 4), draw_probability(rng), n], title=title)
    some = [*draw_sentences(rng, 2), ["the", "fish", "sings"]]
    title = "one word with the probability 0"
    yield Case("edges", [some, draw_probability(rng, ("fish",)), 2], title=title)
    title = "the only sentence is empty: one stop token"
    yield Case("edges", [[[]], draw_probability(rng), 2], title=title)
    empty = [[], *draw_sentences(rng, 1)]
    yield Case("edges", [empty, draw_probability(rng), 2], title="an empty sentence")
    long = draw_sentences(rng, 400)
    title = "400 sentences: their product is too small for a float"
    yield Case("edges", [long, draw_probability(rng), 2], title=title)


WRONG = {
    "forgets_stops": """
        The number of tokens lacks the stop tokens. They are predicted, too: each sentence has one
        token more than words.

        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + n_tokens = sum(len(sentence) for sentence in sentences) or 1
        """,
    "counts_starts": """
        N includes the start tokens. They are contexts and never predicted: a sentence has its words
        and one stop token.

        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + n_tokens = sum(len(sentence) + n for sentence in sentences)
        """,
    "per_sentence": """
        This is the mean of the sentences' perplexities. Add the log-probabilities of all sentences,
        divide by the number of all tokens, and take exp once.

        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        - return math.exp(-total / n_tokens)
        + found = [
        +     math.exp(-sentence_log_probability(sentence, probability, n) / (len(sentence) + 1))
        +     for sentence in sentences
        + ]
        + return sum(found) / len(found)
        """,
    "mean_of_means": """
        You take the mean for each sentence first, and then the mean of these, so a token of a short
        sentence weighs more. Add the log-probabilities of all sentences, and divide once by the
        number of all tokens.

        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        - return math.exp(-total / n_tokens)
        + found = [
        +     sentence_log_probability(sentence, probability, n) / (len(sentence) + 1)
        +     for sentence in sentences
        + ]
        + return math.exp(-sum(found) / len(found))
        """,
    "divides_by_sentences": """
        You divide by the number of sentences. Perplexity is per token.

        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + n_tokens = len(sentences)
        """,
    "no_minus": """
        The minus is missing: a perplexity is 1 or more.

        - return math.exp(-total / n_tokens)
        + return math.exp(total / n_tokens)
        """,
    "no_exp": """
        This is the cross-entropy, the mean negative log-probability. Its exponential is the perplexity.

        - return math.exp(-total / n_tokens)
        + return -total / n_tokens
        """,
    "base_two": """
        The logarithms are natural ones, so the base of the power is e, not 2.

        - return math.exp(-total / n_tokens)
        + return 2 ** (-total / n_tokens)
        """,
    "multiplies_probabilities": """
        The product of all sentences' probabilities is too small for a float. Add their logarithms.

        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        - return math.exp(-total / n_tokens)
        + p = math.prod(math.exp(sentence_log_probability(s, probability, n)) for s in sentences)
        + n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + return p ** (-1 / n_tokens) if p > 0 else math.inf
        """,
    "leaves_out_the_impossible": """
        Sentences with the probability 0 are left out. They make the perplexity infinite, and that is
        what it should say.

        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        + total = sum(
        +     max(sentence_log_probability(sentence, probability, n), -1e9) for sentence in sentences
        + )
        + total = total if total > -1e8 else total + 1e9
        """,
    "one_stop_for_all": """
        One stop token is counted for the whole text. Each sentence ends with one of its own.

        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + n_tokens = sum(len(sentence) for sentence in sentences) + 1
        """,
    "skips_impossible_sentences": """
        A sentence with a word of probability 0 is left out. It makes the perplexity of the whole text
        infinite.

        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        + sentences = [s for s in sentences if sentence_log_probability(s, probability, n) > -math.inf]
        + total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        """,
    "exp_before_the_mean": """
        exp of the whole sum is larger than a float can hold. Divide by the number of tokens first, then take
        exp.

        raises OverflowError

        - return math.exp(-total / n_tokens)
        + return math.exp(-total) ** (1 / n_tokens)
        """,
}

RIGHT = {
    "in_one_loop": """
        def perplexity(sentences, probability, n):
            total = count = 0
            for sentence in sentences:
                total -= sentence_log_probability(sentence, probability, n)
                count += len(sentence) + 1
            return math.e ** (total / count)
        """,
    "weighted_mean": """
        def perplexity(sentences, probability, n):
            import numpy as np

            sizes = np.array([len(s) + 1.0 for s in sentences])
            logs = np.array([sentence_log_probability(s, probability, n) for s in sentences])
            return float(np.exp(-np.sum(logs) / np.sum(sizes)))
        """,
    "token_by_token": """
        def perplexity(sentences, probability, n):
            logs = []
            for s in sentences:
                t = [START] * (n - 1) + s + [STOP]
                for i in range(n - 1, len(t)):
                    p = probability(t[i], tuple(t[i - n + 1 : i]))
                    logs.append(math.log(p) if p else -math.inf)
            return math.exp(-math.fsum(logs) / len(logs))
        """,
}

EQUIVALENT = {
    "the same number in another form": """
        - total = sum(sentence_log_probability(sentence, probability, n) for sentence in sentences)
        + total = torch.tensor(sum(sentence_log_probability(sentence, probability, n) for sentence in sentences))

        - n_tokens = sum(len(sentence) + 1 for sentence in sentences)
        + n_tokens = float(sum(len(sentence) + 1 for sentence in sentences))
        """,
}
