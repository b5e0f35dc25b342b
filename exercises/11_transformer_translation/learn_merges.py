"""learn_merges: few words with endings in common; ties of all kinds; text that runs out of pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import number
from .common import draw_words

POINTS = {"values": 2, "ties": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def counted(n: int, low: int = 1, high: int = 60) -> dict[str, int]:
        """Words whose counts are all different."""
        counts = rng.permutation(np.arange(low, high))[:n].tolist()
        return dict(zip(draw_words(rng, n), counts, strict=True))

    yield Case("values", [counted(3), number(rng, 3, 5)], title="three words")
    yield Case("values", [counted(6), number(rng, 8, 12)], title="six words")
    common, rare = draw_words(rng, 2)
    title = "a frequent word and a rare one"
    yield Case("values", [{rare: 1, common: number(rng, 20, 40)}, 4], title=title)
    a, b, c, d = rng.permutation(list("abcdefghij"))[:4].tolist()
    n = number(rng, 2, 9)
    counts = {f"{c}{a}{b}": n, f"{d}{a}{b}": n + 1, f"{a}{c}": 2 * n}
    yield Case("values", [counts, 1], title="a pair that two words have in common")
    counts = {f"{a}{b}{c}{a}{b}": n, f"{d}{c}": n + 1}
    yield Case("values", [counts, 1], title="a pair that a word has twice")

    yield Case(
        "ties", [dict.fromkeys(draw_words(rng, 3), n), 6], title="all words are equally frequent"
    )
    yield Case("ties", [{a + b + c + d: n}, 4], title="one word")
    p, q, r, s = sorted((a, b, c, d))
    yield Case("ties", [{r + s + p + r + s: n}, 3], title="one word that has a pair twice")
    yield Case(
        "values", [{q + s + q + r: n, r: 2 * n}, 2], title="one word that has a letter twice"
    )
    counts = {q + s: n, p + r: n, p + s: n}
    title = "merged tokens against characters"
    yield Case("ties", [counts, 6], title=title)
    yield Case("ties", [{s + p + q: n, q + r + s: n}, 4], title="two words, the same counts")
    yield Case("ties", [{q + p: n, p + s: n, p + r: n, "z" + p: n}, 5], title="the same left token")
    yield Case("ties", [dict.fromkeys(draw_words(rng, 5), 1), 15], title="many merges")
    counts = {r + q: n, q + q + p: n}
    yield Case("ties", [counts, 5], title="a merged token is younger than every character")
    counts = {s * 2 + p: n, s * 2 + q: n, r + p + q: n, p + r + q: n}
    yield Case("ties", [counts, 8], title="the age of merged tokens is not their length")

    yield Case("edges", [counted(2), 0], title="no merge")
    yield Case("edges", [{a + b: n, c: 1}, 50], title="until no pair is left")
    yield Case("edges", [{a * 4 + b: n, b + a * 3: 2}, 5], title="one letter repeated")
    yield Case("edges", [{p + s * 3: n}, 8], title="pairs of one letter that overlap")
    yield Case("edges", [{b: n + 1, b * 3: n}, 8], title="the end of a longer token is no token")
    yield Case("edges", [{}, number(rng, 1, 5)], title="no word")
    yield Case("edges", [{"": 3, a + b: n}, 2], title="a word without characters")
    capital = a.upper() + b
    yield Case("edges", [{capital: n, "é" + b: n, a + b: n}, 5], title="capitals and accents")


WRONG = {
    "counts_words_once": """
        Every word counts once, however often it occurs in the text. Add the word's count for each
        of its pairs.

        - pairs[pair] += counts[word]
        + pairs[pair] += 1
        """,
    "never_counts_again": """
        The pairs are counted only once, at the beginning. Each merge changes which tokens are
        neighbors: count again for each merge.

        def learn_merges(counts, n_merges):
            words = {word: ["▁", *word] for word in counts}
            pairs = Counter()
            for word, tokens in words.items():
                for pair in zip(tokens, tokens[1:]):
                    pairs[pair] += counts[word]
            age = {t: i for i, t in enumerate(sorted({t for ts in words.values() for t in ts}))}
            best = sorted(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
            return best[:n_merges]
        """,
    "ties_by_first_seen": """
        Of equally frequent pairs the first one met in the text is merged, so the merges depend on
        the order of the words. Compare the age of the left tokens, then that of the right ones.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + best = max(pairs, key=pairs.get)
        """,
    "ties_by_the_alphabet": """
        Of equally frequent pairs the alphabetically first one is merged. That is right among
        characters; but merged tokens are younger than all characters, and among themselves the
        older comes first.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        """,
    "ties_by_the_youngest": """
        Of equally frequent pairs the one with the younger tokens is merged. The older comes first.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + best = max(pairs, key=lambda pair: (pairs[pair], age[pair[0]], age[pair[1]]))
        """,
    "ties_by_the_right_token": """
        Of equally frequent pairs the right tokens are compared first. It is the left token that
        decides; only if it is the same one, the right one does.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[1]], age[pair[0]]))
        """,
    "without_mark": """
        No pair begins with "▁". The mark stands in front of the characters of every word, and takes
        part in the merges like a character.

        - words = {word: ["▁", *word] for word in counts}
        + words = {word: [*word] for word in counts}
        """,
    "mark_at_the_end": """
        The mark "▁" stands at the end of each word. Ours stands at the start.

        - words = {word: ["▁", *word] for word in counts}
        + words = {word: [*word, "▁"] for word in counts}
        """,
    "returns_tokens": """
        The result should be the pairs, not the tokens that they become: applying the merges needs
        both parts.

        - return merges
        + return ["".join(pair) for pair in merges]
        """,
    "fails_without_pairs": """
        When no word has two tokens left, there is no pair to take the best of. Stop there.

        raises ValueError

        -     if not pairs:
        -         break
        """,
    "stops_at_single_pairs": """
        It stops as soon as no pair occurs twice. Pairs that occur once are merged, too, as long as
        there are any.

        - if not pairs:
        + if not pairs or max(pairs.values()) < 2:
        """,
    "mark_is_the_oldest": """
        Of equally frequent pairs one with "▁" is merged: it is taken for the oldest token. Sorted by
        code points, as `sorted` does, it follows the letters.

        - characters = sorted({token for tokens in words.values() for token in tokens})
        + found = {token for tokens in words.values() for token in tokens}
        + characters = sorted(found, key=lambda token: (token != "▁", token))
        """,
    "characters_as_they_appear": """
        Of equally frequent pairs, the characters count as old in the order in which they appear in
        the words. Their order is the alphabet's: sort them first.

        - characters = sorted({token for tokens in words.values() for token in tokens})
        + characters = dict.fromkeys(token for tokens in words.values() for token in tokens)
        """,
    "pair_once_per_word": """
        A pair that a word has twice is counted once. Count each of its occurrences, every time with
        the word's count.

        - for pair in zip(tokens, tokens[1:]):
        + for pair in set(zip(tokens, tokens[1:])):
        """,
    "right_token_ignored": """
        Of equally frequent pairs with the same left token, the one met first in the text is merged.
        There the age of the right token decides.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]]))
        """,
    "replaces_text": """
        The pair is replaced in the text of the word, with `replace`. That also joins the end of a longer
        token with what follows: in `bb b`, `b b` is found twice. Compare whole tokens, as `merge` does.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + last = len(age)
        + best = min(pairs, key=lambda p: (-pairs[p], age.get(p[0], last), age.get(p[1], last)))
        ...
        - words[word] = merge(tokens, best)
        + words[word] = " ".join(tokens).replace(" ".join(best), "".join(best)).split(" ")
        """,
    "overlapping_pairs_once": """
        Pairs that overlap are counted once: in `c c c` you find one `c` `c`. Any two neighbors are a pair,
        so it has two.

        - for pair in zip(tokens, tokens[1:]):
        -     pairs[pair] += counts[word]
        + before = None
        + for pair in zip(tokens, tokens[1:]):
        +     if pair == before and pair[0] == pair[1]:
        +         before = None
        +         continue
        +     pairs[pair] += counts[word]
        +     before = pair
        """,
    "ties_by_length": """
        Of equally frequent pairs, the one with the shorter tokens is merged. Age is not length: a merged
        token is younger than every one that was made before it, however long these are.

        - best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        + order = [(len(token), token) for token in age]
        + age = dict(zip((token for _, token in sorted(order)), range(len(age))))
        + best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        """,
}

FURTHER = """
Keep for each word its list of tokens, and for each token its age: its number in the sorted list of
characters at first; a new token gets the next number. For each merge: a Counter of pairs over all
words, each weighted with the word's count; then `min` over the pairs with the key (minus the count, age
of the left token, age of the right token); then `merge` in all words.
"""

RIGHT = {
    "only_words_that_change": """
        def learn_merges(counts, n_merges):
            rows = [(["▁"] + list(word), count) for word, count in counts.items()]
            order = sorted(set(token for tokens, _ in rows for token in tokens))
            found = []
            for _ in range(n_merges):
                pairs = {}
                for tokens, count in rows:
                    for i in range(len(tokens) - 1):
                        pair = tokens[i], tokens[i + 1]
                        pairs[pair] = pairs.get(pair, 0) + count
                if len(pairs) == 0:
                    return found
                top = max(pairs.values())
                ties = [pair for pair in pairs if pairs[pair] == top]
                ties.sort(key=lambda pair: [order.index(token) for token in pair])
                found.append(ties[0])
                new = ties[0][0] + ties[0][1]
                if new not in order:
                    order.append(new)
                rows = [
                    (merge(ts, ties[0]) if new in "".join(ts) else ts, count) for ts, count in rows
                ]
            return found
        """,
    "numbers_for_tokens": """
        def learn_merges(counts, n_merges):
            names = sorted(set("▁".join(counts)) | ({"▁"} if counts else set()))
            ids = {name: i for i, name in enumerate(names)}
            words = [([ids["▁"], *(ids[c] for c in word)], n) for word, n in counts.items()]
            merges = []
            while len(merges) < n_merges:
                pairs = Counter()
                for row, n in words:
                    for pair in zip(row[:-1], row[1:]):
                        pairs[pair] += n
                if sum(pairs.values()) == 0:
                    return merges
                x, y = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[0]
                merges.append((names[x], names[y]))
                new = names[x] + names[y]
                if new not in ids:
                    ids[new] = len(names)
                    names.append(new)
                for row, _ in words:
                    i = 0
                    while i < len(row) - 1:
                        if row[i] == x and row[i + 1] == y:
                            row[i : i + 2] = [ids[new]]
                        i += 1
            return merges
        """,
    "recursion": """
        def learn_merges(counts, n_merges):
            split = [(("▁", *word), n) for word, n in counts.items()]
            alphabet = sorted({t for tokens, _ in split for t in tokens})

            def learn(split, known, left):
                pairs = Counter()
                for tokens, n in split:
                    for pair in zip(tokens, tokens[1:]):
                        pairs.update({pair: n})
                if left == 0 or not pairs:
                    return []
                rank = {token: i for i, token in reversed(list(enumerate(known)))}
                best = min(pairs, key=lambda p: (-pairs[p], rank[p[0]], rank[p[1]]))
                split = [(tuple(merge(tokens, best)), n) for tokens, n in split]
                return [best] + learn(split, known + ["".join(best)], left - 1)

            return learn(split, alphabet, n_merges)
        """,
}

EQUIVALENT = {
    "the order of the words and of their pairs does not matter": """
        -    words = {word: ["▁", *word] for word in counts}
        +    words = {word: ["▁", *word] for word in list(counts)[::-1]}

        -    age = {token: i for i, token in enumerate(characters)}
        +    age = {token: i for i, token in list(enumerate(characters))[::-1]}

                 pairs: Counter = Counter()
        -        for word, tokens in words.items():
        +        for word, tokens in list(words.items())[::-1]:
                     for pair in zip(tokens, tokens[1:]):

        -            for pair in zip(tokens, tokens[1:]):
        +            for pair in list(zip(tokens, tokens[1:]))[::-1]:

                 age["".join(best)] = len(age)
        -        for word, tokens in words.items():
        +        for word, tokens in list(words.items())[::-1]:
                     if best[0] in tokens:  # most words stay as they are, which saves time
        """,
    "the list grows by one merge at a time": """
        -    while len(merges) < n_merges:
        +    while len(merges) != n_merges:
        """,
    "ages are only compared": """
        -        age["".join(best)] = len(age)
        +        age["".join(best)] = float(len(age))
        """,
    "a pair has two tokens": """
        -        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        +        best = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[-1]]))
        """,
    "merge leaves a word without the pair as it is; the condition only saves time": """
        -            if best[0] in tokens:  # most words stay as they are, which saves time
        +            if True:  # most words stay as they are, which saves time

        -            if best[0] in tokens:  # most words stay as they are, which saves time
        +            if best[-1] in tokens:  # most words stay as they are, which saves time

        -            if best[0] in tokens:  # most words stay as they are, which saves time
        +            if best[1] in tokens:  # most words stay as they are, which saves time
        """,
}
