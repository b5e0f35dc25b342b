"""answer_scores: what normalization removes, words in common, several answers, and nothing left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number, some_words

POINTS = {"normalization": 2, "F1": 1, "several": 1, "edges": 1}

_WORDS = "river Denver broncos eleven Theater anthem gold council 1995 Analog café north".split()
_WORDS += "harbor Estonia seven Letter museum 2016 violin Lagos winter Olive parade tower".split()


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def words(n: int) -> list[str]:
        return some_words(rng, _WORDS, n)

    def text(n: int) -> str:
        return " ".join(words(n))

    def overlap(most: int) -> tuple[list[str], list[str]]:
        """Two lists of words, some in common; the share differs from seed to seed."""
        drawn = words(24)
        common = number(rng, 2, most)
        mine, theirs = number(rng, 1, 7), number(rng, 1, 7)
        rest = drawn[common:]
        return drawn[:common] + rest[:mine], drawn[:common] + rest[mine : mine + theirs]

    one, other, third = words(3)
    yield Case(
        "normalization", [f"{one} {other}".upper(), [f"{one} {other.lower()}"]], title="case"
    )
    yield Case("normalization", [f"the {one}", [f"{one}, a {other}"]], title="articles")
    yield Case("normalization", [f"“{one}”", [f'"{one}"', f"{one}-{other}"]], title="quotes")
    dots = f"{one[0]}.{other[0]}.{third[0]}."
    yield Case("normalization", [dots, [f"{one[0]}{other[0]}{third[0]}", one]], title="dots")
    hyphen = f"{one}-{other} {third}"
    yield Case(
        "normalization", [hyphen, [f"{one}{other}", f"{one} {other} {third}"]], title="hyphen"
    )
    yield Case(
        "normalization", [f"  {one}   {other}\n", [f"{one} {other} {third}"]], title="spaces"
    )
    # here the exact match depends on the articles, and on spaces
    title = "nothing but an article differs"
    yield Case(
        "normalization", [f"the {one} {other}", [f"{one} {third}", f"{one} {other}"]], title=title
    )
    yield Case("normalization", [f"{third} {one}", [f"{third} an {one}"]], title=title)
    title = "nothing but spaces differ"
    yield Case("normalization", [f" {one}   {other} ", [f"{one}\t{other}"]], title=title)
    title = "nothing but spaces and an article differ"
    yield Case("normalization", [f"{one}  the {other}", [f"{one} {other}\n"]], title=title)
    yield Case(
        "normalization", [f"{one} - {other}", [f"{one} {other}"]], title="a dash between spaces"
    )
    inside = f"anthem {one} theater an"
    yield Case("normalization", [inside, [f"them {one} ater"]], title="articles in words")
    late = f"A.N. {one} t.h.e {other}"
    yield Case("normalization", [late, [f"{one} {third}"]], title="articles behind points")

    for most in (4, 7):
        mine, theirs = overlap(most)
        marked = [f"The {mine[0]},", *mine[1:], "an"]
        yield Case(
            "normalization", [" ".join(marked), [" ".join(theirs).upper()]], title="all of it"
        )

    for most in (5, 8):
        mine, theirs = overlap(most)
        yield Case("F1", [" ".join(mine), [" ".join(theirs)]], title="some in common")

    n = number(rng, 3, 5)
    shared = words(n)
    yield Case("F1", [" ".join(shared), [" ".join([*shared[: n - 1], "x", "y"])]], title="overlap")
    yield Case("F1", [" ".join(shared), [" ".join(shared[:1])]], title="too long")
    yield Case("F1", [shared[0], [" ".join(shared)]], title="too short")
    repeats = ["gold " * number(rng, low, low + 2) + " ".join(words(1)) for low in (4, 2)]
    yield Case("F1", [repeats[0], [repeats[1]]], title="words that occur several times")
    yield Case("F1", [" ".join(shared[::-1]), [" ".join([*shared, "x"])]], title="in another order")

    title = "the same words in another order"
    yield Case("F1", [" ".join(shared), [" ".join(shared[1:] + shared[:1])]], title=title)
    a, b = text(2), text(4)
    yield Case("several", [a, [b, f"{a} x", f"{a} x y"]], title="the best is in the middle")
    yield Case("several", [f"{b} x", [a, text(3), f"the {b}"]], title="the best is the last")
    yield Case("several", [f"{a} x", [f"{a} x", f"{a}", b]], title="the best is the first")
    yield Case("several", [a, [a.split()[0], "The"]], title="nothing left of the last")

    for most in (4, 7):
        mine, theirs = overlap(most)
        less = [theirs[0], *mine[-1:]]
        answers = [" ".join(less), " ".join(theirs), "x"]
        yield Case("several", [" ".join(mine), answers], title="some in common")

    mine, theirs = overlap(6)
    yield Case("edges", [" ".join(mine), [" ".join(theirs)]], title="a part in common")
    mine, theirs = overlap(8)
    yield Case("edges", [" ".join(theirs), [" ".join(mine)]], title="more in common")
    yield Case("edges", ["the", [f"{one}", "A"]], title="nothing left of both")
    yield Case("edges", ["", [f"{one} {other}"]], title="no answer")
    yield Case("edges", [f"{one}!", ["?"]], title="nothing left of the right one")
    yield Case("edges", [f"{one} x {text(number(rng, 1, 4))}", [one]], title="one word in common")
    yield Case("edges", [one, []], title="no right answer", judge=VALUE_ERROR)


WRONG = {
    "exact_with_articles": """
        The exact match compares texts that still have their articles; only F1 is without them. Both
        scores are of the normalized texts.

        - exact = max(exact, float(mine == theirs))
        + plain = ["".join(c for c in text.lower() if c not in string.punctuation).split() for text in (prediction, answer)]
        + exact = max(exact, float(plain[0] == plain[1] or mine == theirs == []))
        """,
    "exact_with_spaces": """
        The exact match compares texts in which an article that was deleted has left its spaces, or
        spaces still differ. Single spaces come last in the normalization: compare the words.

        def answer_scores(prediction, answers):
            if not answers:
                raise ValueError("a question needs a right answer")

            def normal(text):
                kept = "".join(c for c in text.lower() if c not in string.punctuation)
                return re.sub(r"\\b(a|an|the)\\b", "", kept)

            mine, exact, best = normal(prediction), 0.0, 0.0
            for answer in answers:
                theirs = normal(answer)
                exact = max(exact, float(mine == theirs))
                one, other = mine.split(), theirs.split()
                if one and other:
                    common = (Counter(one) & Counter(other)).total()
                    best = max(best, 2 * common / (len(one) + len(other)))
                else:
                    best = max(best, float(one == other))
            return exact, best
        """,
    "case_kept": """
        Upper and lower case are told apart. Normalization makes everything lower case.

        - kept = "".join(c for c in text.lower() if c not in string.punctuation)
        + kept = "".join(c for c in text if c not in string.punctuation)
        """,
    "punctuation_kept": """
        Punctuation is compared. Normalization deletes it.

        - kept = "".join(c for c in text.lower() if c not in string.punctuation)
        + kept = text.lower()
        """,
    "punctuation_to_spaces": """
        A space stands in place of punctuation. It is deleted: well-known becomes wellknown.

        - kept = "".join(c for c in text.lower() if c not in string.punctuation)
        + kept = "".join(" " if c in string.punctuation else c for c in text.lower())
        """,
    "articles_kept": """
        Articles are compared. Normalization takes a, an and the away.

        - return re.sub(r"\\b(a|an|the)\\b", " ", kept).split()
        + return kept.split()
        """,
    "articles_inside_words": """
        Letters inside other words were taken for articles. Only whole words are articles.

        - return re.sub(r"\\b(a|an|the)\\b", " ", kept).split()
        + return kept.replace("the", " ").replace("an ", " ").replace("a ", " ").split()
        """,
    "articles_first": """
        The articles are taken away before the punctuation, so those that appear afterwards stay. The
        order is: lower case, punctuation, articles, spaces.

        - kept = "".join(c for c in text.lower() if c not in string.punctuation)
        - return re.sub(r"\\b(a|an|the)\\b", " ", kept).split()
        + kept = re.sub(r"\\b(a|an|the)\\b", " ", text.lower())
        + return "".join(c for c in kept if c not in string.punctuation).split()
        """,
    "not_normalized_exact": """
        The exact match compares the texts as they are. Compare the normalized ones.

        - exact = max(exact, float(mine == theirs))
        + exact = max(exact, float(prediction == answer))
        """,
    "words_as_sets": """
        Each word counts once. It counts as often as the side that has it less often.

        - common = (Counter(mine) & Counter(theirs)).total()
        + common = len(set(mine) & set(theirs))
        """,
    "recall": """
        This is the share of the right answer that was found. F1 weighs precision as much.

        - best = max(best, 2 * common / (len(mine) + len(theirs)))
        + best = max(best, common / len(theirs))
        """,
    "precision": """
        This is the share of the prediction that is right. F1 weighs recall as much.

        - best = max(best, 2 * common / (len(mine) + len(theirs)))
        + best = max(best, common / len(mine))
        """,
    "first_answer_only": """
        Only the first right answer counts. The best one should.

        - for answer in answers:
        + for answer in answers[:1]:
        """,
    "f1_of_the_best_match": """
        F1 is that of the answer with the best exact match: the first one, if none matches. Another
        answer may have more words in common. Take the best of each score separately.

        - for answer in answers:
        + matching = [answer for answer in answers if words_of(answer) == mine]
        + for answer in (matching or answers)[:1]:
        """,
    "mean_over_answers": """
        The mean over the right answers is returned. The best one counts.

        - exact = max(exact, float(mine == theirs))
        + exact += float(mine == theirs) / len(answers)
        ...
        - best = max(best, 2 * common / (len(mine) + len(theirs)))
        + best += 2 * common / (len(mine) + len(theirs)) / len(answers)
        """,
    "nothing_is_zero": """
        If nothing is left of both answers, F1 is 1.

        - best = max(best, float(mine == theirs))
        + best = max(best, 0.0)
        """,
    "no_answers_accepted": """
        Without a right answer there is nothing to compare with: a ValueError.

        - if not answers:
        -     raise ValueError("a question needs a right answer")
        """,
    "punctuation_inside_kept": """
        Punctuation goes only at the ends of the words. It is deleted inside them, too: well-known
        becomes wellknown.

        - kept = "".join(c for c in text.lower() if c not in string.punctuation)
        + kept = " ".join(word.strip(string.punctuation) for word in text.lower().split())
        """,
}

FURTHER = """
A helper that returns the normalized words: text.lower(), keep the characters that are not in
string.punctuation, re.sub(r"\\b(a|an|the)\\b", " ", ...), split(). Equal lists are an exact match;
(Counter(a) & Counter(b)).total() words are in common, and F1 = 2 * common / (len(a) + len(b)).
"""

RIGHT = {
    "translate": """
        def answer_scores(prediction, answers):
            if len(answers) == 0:
                raise ValueError("answers")

            def clean(text):
                text = text.lower().translate(str.maketrans("", "", string.punctuation))
                return " ".join(word for word in text.split() if word not in ("a", "an", "the"))

            def f1(one, other):
                a, b = one.split(), other.split()
                if not a or not b:
                    return float(a == b)
                same = sum(min(a.count(w), b.count(w)) for w in set(a))
                if same == 0:
                    return 0.0
                p, r = same / len(a), same / len(b)
                return 2 * p * r / (p + r)

            p = clean(prediction)
            exact = any(p == clean(answer) for answer in answers)
            return float(exact), max(f1(p, clean(answer)) for answer in answers)
        """,
    "pairs": """
        def answer_scores(prediction, answers):
            def normal(text):
                text = re.sub("[" + re.escape(string.punctuation) + "]", "", text.lower())
                return re.sub(r"\\b(?:a|an|the)\\b", " ", text).split()

            def score(one, other):
                left = list(other)
                for word in one:
                    if word in left:
                        left.remove(word)
                common = len(other) - len(left)
                f1 = 2 * common / (len(one) + len(other)) if one or other else 1.0
                return float(one == other), f1

            if not answers:
                raise ValueError("no answers")
            scores = [score(normal(prediction), normal(answer)) for answer in answers]
            return max(s[0] for s in scores), max(s[1] for s in scores)
        """,
}

EQUIVALENT = {
    "The same characters.": """
        -        kept = "".join(c for c in text.lower() if c not in string.punctuation)
        +        kept = "".join(c for c in text.lower() if c not in '!"#$%&\\'()*+,-./:;<=>?@[\\\\]^_`{|}~')
        """,
    "Both are tuples then.": """
        -        return re.sub(r"\\b(a|an|the)\\b", " ", kept).split()
        +        return tuple(re.sub(r"\\b(a|an|the)\\b", " ", kept).split())
        """,
    "The text does not say what is left of an article between other marks than these.": """
        -        return re.sub(r"\\b(a|an|the)\\b", " ", kept).split()
        +        return re.sub(r"\\b(a|an|the)\\b", '', kept).split()
        """,
    "The largest is the same in any order.": """
        -    for answer in answers:
        +    for answer in list(answers)[::-1]:

        -        exact = max(exact, float(mine == theirs))
        +        exact = max(float(mine == theirs), exact)

        -            best = max(best, 2 * common / (len(mine) + len(theirs)))
        +            best = max(2 * common / (len(mine) + len(theirs)), best)

        -            best = max(best, float(mine == theirs))
        +            best = max(float(mine == theirs), best)
        """,
    "0 and 1 are whole numbers, and so are counts.": """
        -        exact = max(exact, float(mine == theirs))
        +        exact = int(max(exact, float(mine == theirs)))

        -        exact = max(exact, float(mine == theirs))
        +        exact = round(max(exact, float(mine == theirs)), 2)

        -            common = (Counter(mine) & Counter(theirs)).total()
        +            common = float((Counter(mine) & Counter(theirs)).total())

        -    return exact, best
        +    return int(exact), best

        -    return exact, best
        +    return round(exact, 2), best
        """,
    "Where only one side has no words, none are in common, and F1 is 0 either way.": """
        -        if mine and theirs:
        +        if mine or theirs:

        -        if mine and theirs:
        +        if theirs:

        -        if mine and theirs:
        +        if mine:

        -        if mine and theirs:
        +        if answers and theirs:

        -        if mine and theirs:
        +        if theirs and theirs:

        -        if mine and theirs:
        +        if mine and answers:

        -        if mine and theirs:
        +        if mine and mine:
        """,
}
