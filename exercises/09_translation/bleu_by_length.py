"""bleu_by_length: lengths on the edges of buckets, empty buckets, bad input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_words
from .common import FRENCH, edited

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def translated(lengths: list[int]) -> tuple[list[list[str]], list[list[list[str]]]]:
        """For each length a translation with a mistake at its end, and its references."""
        hypotheses, references = [], []
        for _ in lengths:
            n = int(rng.integers(7, 10))
            reference = [str(word) for word in rng.permutation(FRENCH)[:n]]
            hypotheses.append([*reference[: n - 2], *edited(rng, reference[n - 2 :])])
            references.append([reference])
        return hypotheses, references

    def case(group: str, lengths: list[int], edges: Sequence[int], title: str = "", **more) -> Case:
        more.setdefault("judge", {"order": True})
        return Case(group, [*translated(lengths), lengths, edges], title=title, **more)

    low, high = int(rng.integers(3, 5)), int(rng.integers(8, 11))
    yield case("values", [low - 1, high, high + 3, 1, low], [1, low, high])
    yield case("values", [2, high, low, 3, high + 1, low + 1], [1, high], "two buckets")
    title = "lengths exactly at the edges"
    yield case("values", [low, high, 1, low - 1, high - 1], [1, low, high], title)
    n = int(rng.integers(20, 30))
    short = [str(word) for word in rng.permutation(FRENCH)[:4]]
    inputs = [[short], [[short + draw_words(rng, FRENCH, n)]], [low], [1]]
    yield Case("values", inputs, title="a translation that is far too short")
    (good, same), (right, other) = translated([1, 1])
    inputs = [[good, same, [*good]], [right, other, other], [1, 2, high], [1, high]]
    yield Case("values", inputs, title="the same translation in two buckets", judge={"order": True})
    yield case("edges", [1, high, 2, high + 1], [1, low, high], "a bucket without sentences")
    yield case("edges", [1, low, high + 2], [low, high], "a sentence below the first edge")
    yield case("edges", [1, high], [1], "one bucket for all")
    yield case("edges", [1, high, low], (1, low, high), "the edges are a tuple")
    yield case("edges", [low], [high], "no sentence in any bucket")
    title = "a bucket of a single length"
    yield case("edges", [low, low + 1, 1], [1, low, low + 1], title)


WRONG = {
    "upper_edge_included": """
        A sentence whose length is an edge is in two buckets. An edge is the *shortest* length of its
        bucket: low <= length < high.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + chosen = [k for k, length in enumerate(lengths) if low <= length <= high]
        """,
    "lower_edge_excluded": """
        A sentence whose length is an edge is missing from its bucket: low <= length < high.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + chosen = [k for k, length in enumerate(lengths) if low < length < high]
        """,
    "edges_end_buckets": """
        A sentence whose length is an edge is in the bucket below. An edge is the *shortest* length
        of its own bucket: low <= length < high.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + chosen = [k for k, length in enumerate(lengths) if low < length <= high]
        """,
    "without_the_last_bucket": """
        The longest sentences are missing: the last bucket has no upper end.

        - for i, low in enumerate(edges):
        + for i, low in enumerate(edges[:-1]):
        """,
    "shorter_in_the_first": """
        Sentences that are shorter than the first edge are in the first bucket. They belong to none:
        leave them out.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + low_enough = low if i > 0 else 0
        + chosen = [k for k, length in enumerate(lengths) if low_enough <= length < high]
        """,
    "all_longer_sentences": """
        Each bucket has all longer sentences, too. It ends where the next one begins.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + chosen = [k for k, length in enumerate(lengths) if low <= length]
        """,
    "mean_of_sentences": """
        This is the mean of the sentences' own scores. Score each bucket as a corpus of its own.

        -             scores[name] = corpus_bleu(
        -                 [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        -             )
        +             each = [corpus_bleu([hypotheses[k]], [references[k]]) for k in chosen]
        +             scores[name] = sum(each) / len(each)
        """,
    "lengths_of_translations": """
        The sentences are sorted by the length of their translation. Use `lengths`, those of the
        source: a translation may be short because it is bad.

        - chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        + chosen = [k for k, h in enumerate(hypotheses) if low <= len(h) < high]
        """,
    "references_of_others": """
        The translations of a bucket are compared with the references of other sentences. Pick the
        references with the same indices.

        -                 [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        +                 [hypotheses[k] for k in chosen], references[: len(chosen)]
        """,
    "empty_buckets_are_0": """
        A bucket without sentences gets the score 0. Nothing was translated badly there: leave it
        out.

        -         if chosen:
        -             name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        -             scores[name] = corpus_bleu(
        -                 [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        -             )
        +         name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        +         scores[name] = 0.0
        +         if chosen:
        +             scores[name] = corpus_bleu(
        +                 [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        +             )
        """,
    "scores_empty_buckets": """
        A bucket without sentences is not left out. There is nothing to score in it, and scoring
        nothing may raise an error: look whether a bucket has sentences before you score it.

        raises ValueError

        -         if chosen:
        -             name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        -             scores[name] = corpus_bleu(
        -                 [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        -             )
        +         name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        +         scores[name] = corpus_bleu(
        +             [hypotheses[k] for k in chosen], [references[k] for k in chosen]
        +         )
        """,
    "names_overlap": """
        The names of the buckets overlap: a bucket ends one below the next edge, "1-4" and then
        "5-8".

        - name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        + name = f"{low}+" if high == math.inf else f"{low}-{high}"
        """,
    "short_names": """
        A bucket of a single length has a name like all others, "3-3".

        - name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        + end = "+" if high == math.inf else f"-{high - 1}" if high - 1 > low else ""
        + name = f"{low}{end}"
        """,
}

RIGHT = {
    "groups_first": """
        def bleu_by_length(hypotheses, references, lengths, edges):
            names = [f"{a}-{b - 1}" for a, b in zip(edges, edges[1:])] + [f"{edges[-1]}+"]
            groups = [([], []) for _ in edges]
            for h, r, length in zip(hypotheses, references, lengths):
                number = sum(length >= edge for edge in edges) - 1
                if number >= 0:
                    groups[number][0].append(h)
                    groups[number][1].append(r)
            return {name: corpus_bleu(*g) for name, g in zip(names, groups) if g[0]}
        """,
    "bisect": """
        def bleu_by_length(hypotheses, references, lengths, edges):
            from bisect import bisect_right

            where = [bisect_right(edges, length) for length in lengths]
            scores = {}
            for number, edge in enumerate(edges, start=1):
                k = [i for i, bucket in enumerate(where) if bucket == number]
                if k:
                    end = f"-{edges[number] - 1}" if number < len(edges) else "+"
                    chosen = [hypotheses[i] for i in k], [references[i] for i in k]
                    scores[f"{edge}{end}"] = corpus_bleu(*chosen)
            return scores
        """,
    "from_the_longest": """
        def bleu_by_length(hypotheses, references, lengths, edges):
            left = list(zip(lengths, hypotheses, references))
            found, end = [], "+"
            for edge in reversed(edges):
                mine = [row for row in left if row[0] >= edge]
                left = [row for row in left if row[0] < edge]
                if mine:
                    _, ours, theirs = zip(*mine)
                    found.append((f"{edge}{end}", corpus_bleu(ours, theirs)))
                end = f"-{edge - 1}"
            return dict(reversed(found))
        """,
}

EQUIVALENT = {
    "i + 1 is at most the number of edges.": """
        -        high = edges[i + 1] if i + 1 < len(edges) else math.inf
        +        high = edges[i + 1] if i + 1 != len(edges) else math.inf
        """,
    "The order of the sentences does not matter.": """
        -        chosen = [k for k, length in enumerate(lengths) if low <= length < high]
        +        chosen = [k for k, length in list(enumerate(lengths))[::-1] if low <= length < high]
        """,
}
