"""leave_one_out: scores of all kinds (sum, mean, by position); also repeated words and no words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from .common import WORDS

POINTS = {"values": 2, "edges": 1}


def _scorer(rng: np.random.Generator, form: str) -> tuple[codec.Source, list[str]]:
    """A function that scores texts, and the words it knows, each with a weight of its own."""
    words = [str(word) for word in rng.choice(WORDS, size=6, replace=False)]
    sizes = rng.permutation(np.arange(1, 7)) / 2 + rng.uniform(0, 0.2, size=6)
    signs = rng.permutation([1, 1, 1, -1, -1, -1])
    weights = {word: round(float(w), 2) for word, w in zip(words, sizes * signs)}
    bias = round(float(rng.integers(20, 90)) / 100 + 0.004, 3)
    total = f"sum({weights}.get(t, 0.0) for t in tokens)"
    by_position = f"sum((i + 1) * {weights}.get(t, 0.0) for i, t in enumerate(tokens))"
    forms = {"sum": total, "mean": f"{total} / max(1, len(tokens))", "order": by_position}
    return codec.Source(f"lambda tokens: {bias} + {forms[form]}"), words


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for form, length in (("sum", 4), ("mean", 5), ("order", int(rng.integers(4, 7)))):
        score, words = _scorer(rng, form)
        tokens = [str(word) for word in rng.permutation(words)[:length]]
        yield Case("values", [score, tokens])
    score, words = _scorer(rng, "order")
    twice = [words[0], words[1], words[0], *words[2 : int(rng.integers(3, 6))]]
    yield Case("values", [score, twice], title="a word that occurs twice: the other one stays")
    score, words = _scorer(rng, "sum")
    yield Case("edges", [score, words[:1]], title="one word")
    score, words = _scorer(rng, "mean")
    yield Case("edges", [score, []], title="a text without words")
    good, bad, *others = (str(word) for word in rng.permutation(WORDS)[:4])
    score = codec.Source(f"lambda tokens: 2 * tokens.count({good!r}) - tokens.count({bad!r})")
    inputs = [score, [good, *others, bad]]
    yield Case("edges", inputs, title="scores that are integers")


FURTHER = """
Compute the score of the whole list once. For position i, the list without it is what comes before i
followed by what comes after i: two slices, added. That makes a new list each time.
"""

WRONG = {
    "subtracts_the_full_score": """
        The signs are reversed: a word that raises the score should have a positive importance.
        Subtract the score without the word from the score with it.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + importances = [score(tokens[:i] + tokens[i + 1 :]) - full for i in range(len(tokens))]
        """,
    "returns_what_remains": """
        These are the scores of the texts without the word. The importance of the word is the
        difference from the score of the whole text.

        def leave_one_out(score, tokens):
            return torch.tensor([score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))])
        """,
    "scores_each_word_alone": """
        These are the scores of each word alone. Among others a word may count for more or less:
        compare the whole text with the text without the word.

        def leave_one_out(score, tokens):
            return torch.tensor([score([token]) for token in tokens])
        """,
    "leaves_out_all_equal_words": """
        A word that occurs twice is left out at both positions. Leave out one position at a time.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + importances = [full - score([t for t in tokens if t != word]) for word in tokens]
        """,
    "removes_the_first": """
        `remove` takes away the first word that is equal, which is not always the one at position
        i. Leave out a position, not a word.

        def leave_one_out(score, tokens):
            importance = []
            for word in tokens:
                rest = tokens.copy()
                rest.remove(word)
                importance.append(score(tokens) - score(rest))
            return torch.tensor(importance)
        """,
    "replaces_by_padding": """
        The word is replaced by another token, such as padding, so the text keeps its length.
        Leaving it out makes the list one token shorter.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + texts = [tokens[:i] + ["<pad>"] + tokens[i + 1 :] for i in range(len(tokens))]
        + importances = [full - score(text) for text in texts]
        """,
    "shortens_the_given_list": """
        `rest = tokens` is a second name for the list you were given, not a copy: every `pop` or
        `del` shortens that list in place. Make a new list for each position.

        def leave_one_out(score, tokens):
            full, importance = score(tokens), []
            for i in range(len(tokens)):
                rest = tokens
                rest.pop(i)
                importance.append(full - score(rest))
            return torch.tensor(importance)
        """,
    "returns_a_list": """
        The importances are in a list. Return them as a float32 tensor.

        - return torch.tensor(importances, dtype=torch.float32)
        + return importances
        """,
    "returns_integers": """
        Where the scores are integers, the importances are integers, too: `torch.tensor` takes the
        dtype from the numbers in the list. Name it: `dtype=torch.float32`.

        - return torch.tensor(importances, dtype=torch.float32)
        + return torch.tensor(importances)
        """,
    "absolute_values": """
        The signs are lost: a word that lowers the score has a negative importance.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + importances = [abs(full - score(tokens[:i] + tokens[i + 1 :])) for i in range(len(tokens))]
        """,
    "position_by_index": """
        For a word that occurs again, the wrong position is left out: `index` and `remove` find the
        first one. Count the positions, with `enumerate`.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + places = [tokens.index(word) for word in tokens]
        + importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in places]
        """,
    "empty_text_scores_zero": """
        Without its only word a text is the empty list, and its score is taken to be 0. Ask the score
        function: it can deal with that.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + rests = [tokens[:i] + tokens[i + 1 :] for i in range(len(tokens))]
        + importances = [full - (score(rest) if rest else 0) for rest in rests]
        """,
    "grows_word_by_word": """
        Each word is compared with the words before it alone. The words after it stay, too: only the one at
        this position is left out.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + importances = [score(tokens[: i + 1]) - score(tokens[:i]) for i in range(len(tokens))]
        """,
    "leaves_out_the_rest_too": """
        The words after position i are gone as well. Put both sides together: those before and those after.

        - importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
        + importances = [full - score(tokens[:i]) for i in range(len(tokens))]
        """,
    "leaves_out_the_words_before": """
        The words before position i are gone as well. Begin with the whole text again for each position,
        and leave out nothing but the word there.

        def leave_one_out(score, tokens):
            full, rest, importance = score(tokens), list(tokens), []
            for word in tokens:
                rest.pop(0)
                importance.append(full - score(rest))
            return torch.tensor(importance, dtype=torch.float32)
        """,
}

RIGHT = {
    "enumerate": """
        def leave_one_out(score, tokens):
            importance = torch.zeros(len(tokens))
            for i in range(len(tokens)):
                importance[i] = score(tokens) - score([t for j, t in enumerate(tokens) if j != i])
            return importance
        """,
    "copies": """
        def leave_one_out(score, tokens):
            without = []
            for i in range(len(tokens)):
                rest = tokens.copy()
                del rest[i]
                without.append(score(rest))
            return score(tokens) - torch.tensor(without, dtype=torch.float32)
        """,
}
