"""corpus_bleu: sentences with many words in common, or ids; lengths that do and do not cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, draw_words
from .common import FRENCH, edited

POINTS = {"values": 2, "brevity": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def sentence(n: int) -> list[str]:
        return [str(word) for word in rng.permutation(FRENCH)[:n]]

    def pair(n: int) -> tuple[list[str], list[str]]:
        """A translation with a mistake at its end, and its reference: there are right 4-grams."""
        reference = sentence(n) if n <= len(FRENCH) else draw_words(rng, FRENCH, n)
        return [*reference[: n - 3], *edited(rng, reference[n - 3 :])], reference

    n = int(rng.integers(8, 11))
    first, second, third = pair(n), pair(n + 2), pair(int(rng.integers(15, 40)))
    yield Case("values", [[first[0]], [[first[1]]]], title="one sentence")
    three = (first, second, third)
    yield Case("values", [[h for h, _ in three], [[r] for _, r in three]], title="three sentences")
    short = sentence(3)
    inputs = [[first[0], short, second[0]], [[first[1]], [short[::-1]], [second[1]]]]
    yield Case("values", inputs, title="one of them has no right bigram")
    yield Case("values", [[first[0], second[0]], [[first[1]], [second[1]]], 2], title="max_n is 2")
    several = [[first[1], edited(rng, first[1])], [second[1], second[0], third[1]]]
    yield Case("values", [[first[0], second[0]], several], title="several references")

    inputs = [[first[0], second[0], [*first[0]]], [[first[1]], [second[1]], [third[1]]]]
    yield Case("values", inputs, title="the same translation twice, with other references")
    # only the lengths matter here, so they differ from seed to seed
    cut = int(rng.integers(2, 6))
    whole = draw_words(rng, FRENCH, int(rng.integers(17, 40)))
    yield Case("brevity", [[whole[:-cut]], [[whole]]], title="too short, otherwise right")
    title = "too long: precision alone pays for that"
    yield Case("brevity", [[whole + sentence(cut)], [[whole]]], title=title)
    inputs = [[whole[:-cut], second[1] + sentence(cut)], [[whole], [second[1]]]]
    yield Case("brevity", inputs, title="one is too short, one too long by as much")
    inputs = [[whole[:-2]], [[[*whole, *sentence(4)], whole[:-1]]]]
    yield Case("brevity", inputs, title="the second reference is closer in length")
    title = "the shortest reference is not the closest"
    yield Case("brevity", [[whole[:-2]], [[whole[:3], whole]]], title=title)
    inputs = [[whole[:-2]], [[whole, whole[:-4]]]]
    yield Case("brevity", inputs, title="two references are equally close: the shorter counts")

    longer = draw_words(rng, FRENCH, int(rng.integers(18, 31)))
    inputs = [[whole[:4]], [[whole[:4] + longer]]]
    yield Case("brevity", inputs, title="far too short")

    yield Case("edges", [[sentence(n)], [[["a", "b", "c", "d"]]]], title="nothing is right")
    yield Case("edges", [[short], [[short]]], title="right, but without any 4-gram")
    yield Case("edges", [[[]], [[whole]]], title="a translation without words")
    yield Case("edges", [[[], third[0]], [[short], [third[1]]]], title="one of two has no words")
    one, other = pair(int(rng.integers(15, 60)))
    title = "the second of two has no words"
    yield Case("edges", [[one, []], [[other], [short]]], title=title)
    yield Case("edges", [[whole], [[whole]]], title="the reference itself")
    one = draw_words(rng, FRENCH, n)
    title = "a reference is missing"
    yield Case("edges", [[one, whole], [[whole]]], title=title, judge=VALUE_ERROR)
    title = "a reference too many"
    yield Case("edges", [[whole], [[whole], [one]]], title=title, judge=VALUE_ERROR)
    start = int(rng.integers(4, 90))
    ids = [[[start + FRENCH.index(w) for w in words] for words in both] for both in (first, third)]
    inputs = [[one for one, _ in ids], [[other] for _, other in ids]]
    yield Case("values", inputs, title="token ids in place of words")


WRONG = {
    "mean_of_sentences": """
        This is the mean of the sentences' own scores. BLEU adds up matches, totals and lengths of
        all sentences first; a sentence without a right 4-gram does not count as 0.

        - log_precision = 0.0
        + if len(hypotheses) > 1:
        +     each = [corpus_bleu([h], [r], max_n) for h, r in zip(hypotheses, references)]
        +     return sum(each) / len(each)
        + log_precision = 0.0
        """,
    "without_brevity_penalty": """
        The brevity penalty is missing. A translation that leaves out everything difficult has a
        high precision; if it is shorter than the references, multiply by exp(1 - r / c).

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + return 100 * math.exp(log_precision)
        """,
    "rewards_length": """
        Translations that are longer than the references get a bonus. The penalty is never above 1:
        only short translations are punished.

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + return 100 * math.exp(log_precision + 1 - closest / length)
        """,
    "ratio_upside_down": """
        The fraction in the penalty is upside down: it is exp(1 - r / c), with the length of the
        references above and that of the translations below. Yours is above 1 for short ones.

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + penalty = 1.0 if length >= closest else math.exp(1 - length / closest)
        + return 100 * math.exp(log_precision) * penalty
        """,
    "penalty_for_each_sentence": """
        A short sentence is punished although another one is longer by as much. Compare the lengths
        of all sentences together, once.

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + closest = sum(
        +     max(len(h), min((abs(len(r) - len(h)), len(r)) for r in several)[1])
        +     for h, several in zip(hypotheses, references)
        + )
        + return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        """,
    "skips_empty_translations": """
        An empty translation is left out, and its reference does not count in r: saying nothing
        would cost nothing. Add up the lengths of the references of all sentences.

        - for h, several in zip(hypotheses, references)
        + for h, several in zip(hypotheses, references)
        + if len(h) > 0
        """,
    "shortest_reference": """
        With several references the shortest one counts as the reference's length. It is the one
        whose length is closest to the translation's.

        - min((abs(len(r) - len(h)), len(r)) for r in several)[1]
        + min(len(r) for r in several)
        """,
    "first_of_equally_close": """
        Of two references that are equally close in length the shorter one counts, whatever their
        order.

        - min((abs(len(r) - len(h)), len(r)) for r in several)[1]
        + len(min(several, key=lambda r: abs(len(r) - len(h))))
        """,
    "arithmetic_mean": """
        The precisions are averaged with the arithmetic mean. BLEU takes the geometric mean, exp of
        the mean of the logarithms: it is 0 as soon as one of them is.

        - log_precision = 0.0
        + sums = []
        + for n in range(1, max_n + 1):
        +     counts = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        +     matches, total = (sum(column) for column in zip(*counts))
        +     sums.append(matches / total if total else 0.0)
        + log_precision = 0.0
        ...
        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + return 100 * sum(sums) / max_n * math.exp(min(0.0, 1 - closest / length))
        """,
    "always_four": """
        The mean always divides by 4. Divide by max_n.

        - log_precision += math.log(matches / total) / max_n
        + log_precision += math.log(matches / total) / 4
        """,
    "from_0_to_1": """
        The score is between 0 and 1. BLEU is given in percent: multiply by 100.

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + return math.exp(log_precision + min(0.0, 1 - closest / length))
        """,
    "skips_zero_precisions": """
        A precision of 0 is skipped, so a translation without a single right 4-gram can score 100.
        Without smoothing the score is then 0.

        -     return 0.0
        +     continue
        """,
    "skips_missing_ngrams": """
        A length of which the translations have no n-gram at all is left out of the mean. Without an
        n-gram there is no match: the score is 0.0 then.

        - log_precision = 0.0
        + logs = []
        ...
        - if matches == 0:
        -     return 0.0
        - log_precision += math.log(matches / total) / max_n
        + if matches == 0 and (total > 0 or n == 1):
        +     return 0.0
        + if total > 0:
        +     logs.append(math.log(matches / total))
        + log_precision = sum(logs) / len(logs)
        """,
    "divides_by_no_ngrams": """
        If there is no n-gram of a length, the precision divides by 0; and a precision of 0 has no
        logarithm. The score is 0.0 as soon as there is no match: look at the matches first.

        raises ZeroDivisionError

        - if matches == 0:
        + if total > 0 and matches == 0:
        """,
    "divides_by_no_words": """
        c is 0 if no translation has a word, and r / c fails. The score is 0.0 then, because no
        n-gram matches: look at the matches before you compute the penalty.

        raises ZeroDivisionError

        - log_precision = 0.0
        + length = sum(len(h) for h in hypotheses)
        + penalty = min(1.0, math.exp(1 - sum(len(r[0]) for r in references) / length))
        + log_precision = 0.0
        """,
    "zip_drops_the_rest": """
        If there are more translations than references, `zip` silently drops the rest, and a part of
        the test set is scored as if it were all. Raise a ValueError.

        - if len(hypotheses) != len(references):
        + if False:
        """,
    "penalty_without_exp": """
        The brevity penalty is the ratio of the lengths, c / r. It is exp(1 - r / c), which is harder
        on what is much too short.

        - return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        + return 100 * math.exp(log_precision) * min(1.0, length / closest)
        """,
    "first_reference_length": """
        The length of the first reference counts. With several references it is for each sentence
        the one whose length is closest to the translation's.

        - min((abs(len(r) - len(h)), len(r)) for r in several)[1]
        + len(several[0])
        """,
    "mean_of_precisions": """
        The precisions are computed for each sentence and then averaged. Add up matches and totals
        of all sentences first, then divide.

        - matches, total = (sum(column) for column in zip(*counts))
        - if matches == 0:
        + precision = sum(m / max(t, 1) for m, t in counts) / len(counts)
        + if precision == 0:
              return 0.0
        - log_precision += math.log(matches / total) / max_n
        + log_precision += math.log(precision) / max_n
        """,
}

FURTHER = """
For each n, sum the matches and the totals of all sentences, and only then divide. Sum the logarithms
of these precisions, divide by max_n, and take exp. The brevity penalty uses two sums: the lengths of
the translations, c, and the lengths of their closest references, r.
"""

RIGHT = {
    "step_by_step": """
        def corpus_bleu(hypotheses, references, max_n=4):
            if len(hypotheses) == 0 or len(hypotheses) != len(references):
                raise ValueError("one list of references for each translation")
            if any(len(several) == 0 for several in references):
                raise ValueError("a sentence has no reference")
            product = 1.0
            for n in range(1, max_n + 1):
                matches = total = 0
                for h, several in zip(hypotheses, references):
                    m, t = clipped_matches(h, several, n)
                    matches, total = matches + m, total + t
                product *= matches / total if total > 0 else 0.0
            c = r = 0
            for h, several in zip(hypotheses, references):
                c += len(h)
                best = sorted(len(one) for one in several)[0]
                for one in sorted(len(one) for one in several):
                    if abs(one - len(h)) < abs(best - len(h)):
                        best = one
                r += best
            if product == 0:
                return 0.0
            penalty = 1.0 if c >= r else math.exp(1 - r / c)
            return 100.0 * penalty * product ** (1 / max_n)
        """,
    "with_tensors": """
        def corpus_bleu(hypotheses, references, max_n=4):
            if not hypotheses or len(hypotheses) != len(references) or not min(map(len, references)):
                raise ValueError("references and translations do not fit")
            pairs = list(zip(hypotheses, references))
            table = torch.tensor(
                [[clipped_matches(h, r, n) for n in range(1, max_n + 1)] for h, r in pairs],
                dtype=torch.float64,
            ).sum(dim=0)
            if (table[:, 0] == 0).any():
                return 0.0
            mean = (table[:, 0] / table[:, 1]).log().mean()
            c = sum(len(h) for h in hypotheses)
            r = sum(min(map(len, r), key=lambda n: (abs(n - len(h)), n)) for h, r in pairs)
            return float(100 * torch.exp(mean) * min(1, math.exp(1 - r / c)))
        """,
    "without_clipped_matches": """
        def corpus_bleu(hypotheses, references, max_n=4):
            if not hypotheses or len(references) != len(hypotheses):
                raise ValueError("numbers differ")
            matches, totals, c, r = Counter(), Counter(), 0, 0
            for h, several in zip(hypotheses, references):
                if not several:
                    raise ValueError("no reference")
                c += len(h)
                r += min((abs(len(one) - len(h)), len(one)) for one in several)[1]
                for n in range(1, max_n + 1):
                    grams = Counter(zip(*[h[i:] for i in range(n)]))
                    most = Counter()
                    for one in several:
                        most |= Counter(zip(*[one[i:] for i in range(n)]))
                    matches[n] += sum((grams & most).values())
                    totals[n] += sum(grams.values())
            orders = range(1, max_n + 1)
            if min(matches[n] for n in orders) == 0:
                return 0.0
            logs = [math.log(matches[n]) - math.log(totals[n]) for n in orders]
            return 100 * math.exp(sum(logs) / len(logs)) * math.exp(min(0, 1 - r / c))
        """,
}

EQUIVALENT = {
    "The order does not matter.": """
        -    for n in range(1, max_n + 1):
        +    for n in list(range(1, max_n + 1))[::-1]:

        -        counts = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        +        counts = [clipped_matches(h, r, n) for h, r in list(zip(hypotheses, references))[::-1]]

        -    return 100 * math.exp(log_precision + min(0.0, 1 - closest / length))
        +    return 100 * math.exp(log_precision + min(1 - closest / length, 0.0))
        """,
    "A number of matches is never negative.": """
        -        if matches == 0:
        +        if matches <= 0:
        """,
    "A division follows.": """
        -    length = sum(len(h) for h in hypotheses)
        +    length = float(sum(len(h) for h in hypotheses))

        -    closest = sum(
        +    closest = float(sum(
        ...
        -    )
        +    ))
        """,
    "The pair has two elements.": """
        -        min((abs(len(r) - len(h)), len(r)) for r in several)[1]
        +        min((abs(len(r) - len(h)), len(r)) for r in several)[-1]
        """,
}
