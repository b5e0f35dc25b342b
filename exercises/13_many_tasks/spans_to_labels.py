"""spans_to_labels: any order, neighbors, whole sentences, and spans that have no place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number
from .common import some_spans, two_kinds

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    # They overwrite the next span, or find that it overlaps, or that the sentence is too short.
    beyond = ("end_included", "end_is_the_last_word")
    for title, gap, undefined in (("one after the other", 1, ()), ("neighbors", 0, beyond)):
        n = number(rng, 8, 12)
        spans = some_spans(rng, n, two_kinds(rng), gap)
        yield Case("values", [spans, n + 1], title=title, undefined=undefined)
        title = f"{title}, in any order"
        yield Case("values", [spans[::-1], n + 1], title=title, undefined=undefined)
    one, other = two_kinds(rng)
    n = number(rng, 4, 7)
    yield Case("values", [[(0, n, one)], n], title="the whole sentence", undefined=beyond)
    single = [(3, 4, other), (1, 3, one)]
    yield Case("values", [single, n + 2], title="a single word, in any order", undefined=beyond)
    yield Case("edges", [[], n], title="no entity")
    yield Case("edges", [[], 0], title="no words")
    end = number(rng, 10, 30)
    spans = [*some_spans(rng, end - 2, two_kinds(rng)), (end - 2, end, one)]
    yield Case("edges", [spans, end], title="up to the end", undefined=beyond)
    yield Case("edges", [[(n - 2, n + 1, one)], n], title="beyond the end", judge=VALUE_ERROR)
    # Word -1 is the last one, where the end of the span may write again.
    loops = ("negative_beginning", "only_the_end_checked")
    title = "before the beginning"
    yield Case("edges", [[(-1, n, one)], n], title=title, judge=VALUE_ERROR, undefined=loops)
    # The slice is empty here: whether it counts as taken depends on how that is asked.
    slices = ("negative_beginning_sliced",)
    title = "a short one before the beginning"
    yield Case("edges", [[(-1, 2, one)], n], title=title, judge=VALUE_ERROR, undefined=slices)
    yield Case("edges", [[(2, 2, one)], n], title="an empty span", judge=VALUE_ERROR)
    yield Case("edges", [[(3, 1, one)], n], title="the end first", judge=VALUE_ERROR)
    overlap = [(1, 3, one), (2, 4, other)]
    yield Case("edges", [overlap, n], title="two share a word", judge=VALUE_ERROR)
    title = "two share a word, the later first"
    yield Case("edges", [overlap[::-1], n], title=title, judge=VALUE_ERROR)
    inner = [(0, 4, one), (1, 2, one)]
    yield Case("edges", [inner, n], title="one in another", judge=VALUE_ERROR)
    title = "one in another, the inner first"
    yield Case("edges", [inner[::-1], n], title=title, judge=VALUE_ERROR)
    yield Case("edges", [[(1, 3, one), (1, 3, one)], n], title="twice the same", judge=VALUE_ERROR)


WRONG = {
    "all_begin": """
        Every word of an entity gets `B-`. Only the first one begins it, the others are `I-`.

        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + labels[first:end] = [f"B-{kind}"] * (end - first)
        """,
    "all_inside": """
        The first word of an entity gets `I-`. It begins the entity: `B-`.

        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + labels[first:end] = [f"I-{kind}"] * (end - first)
        """,
    "end_included": """
        The word at the end of the span is labeled, too. The end is the word after the last one.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first < end < n_words + 1 or set(labels[first:end]) != {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + labels[first:end + 1] = [f"B-{kind}"] + [f"I-{kind}"] * (min(end + 1, n_words) - first - 1)
        """,
    "end_is_the_last_word": """
        The second number of a span is taken for that of its last word. It is that of the word after it,
        as in a slice: `(2, 2, kind)` has no word.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first <= end < n_words or set(labels[first:end + 1]) != {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + labels[first:end + 1] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first)
        """,
    "order_of_the_list": """
        Spans may come in any order. One that stands later in the list may lie earlier in the sentence,
        so comparing it with the end of the one before finds an overlap where there is none.

        raises ValueError

        def spans_to_labels(spans, n_words):
            labels, before = ["O"] * n_words, 0
            for first, end, kind in spans:
                if not 0 <= first < end <= n_words:
                    raise ValueError("outside")
                if first < before:
                    raise ValueError("spans overlap")
                labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
                before = end
            return labels
        """,
    "overlap_overwritten": """
        A span that shares a word with another one is written over it. BIO cannot say both: a
        ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first < end <= n_words:
        """,
    "overlap_at_the_first_word": """
        Only the first word of a span is looked at. A span can also reach into another one that begins
        later: all of its words have to be free.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first < end <= n_words or labels[first] != "O":
        """,
    "overlap_at_both_ends": """
        The first and the last word of a span are looked at, and not those between them: there may be a
        whole other span. All of its words have to be free.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first < end <= n_words or {labels[first], labels[end - 1]} != {"O"}:
        """,
    "empty_spans_skipped": """
        A span without a word is left out silently, such as `(2, 2, kind)` or one that ends before it
        begins. It should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if first < 0 or end > n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, end):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "end_may_be_the_beginning": """
        A span whose end is its beginning, such as `(2, 2, kind)`, is accepted. It has no word, since the
        end is the word after the last one: a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first <= end <= n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, end):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "empty_spans_labeled": """
        A span without a word, such as `(2, 2, kind)` or one that ends before it begins, labels a word
        all the same. It should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if first < 0 or end > n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, max(end, first + 1)):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "empty_span_labeled": """
        A span whose end is its beginning, such as `(2, 2, kind)`, labels a word, but has none: its end is
        the word after the last one. A ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first <= end <= n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, max(end, first + 1)):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "empty_span_inserted": """
        A span whose end is its beginning, such as `(2, 2, kind)`, makes the list of labels longer. It has
        no word, and should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first <= end <= n_words or set(labels[first:end]) - {"O"}:
        """,
    "cut_at_the_end": """
        A span that goes beyond the last word is cut there. It does not lie in the sentence, so it should
        raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + end = min(end, n_words)
        + if not 0 <= first < end or set(labels[first:end]) != {"O"}:
        """,
    "negative_beginning": """
        A span that begins before the sentence, with a negative number, is accepted. Python counts such a
        number from the end, so labels are written there. It should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not first < end <= n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, end):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "negative_beginning_sliced": """
        A span that begins before the sentence, with a negative number, is accepted. In a slice such a
        number counts from the end, so other words are meant. It should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not first < end <= n_words or set(labels[first:end]) != {"O"}:
        """,
    "only_the_end_checked": """
        Only the end of a span is checked. One that begins before the sentence, with a negative number,
        and one without a word, such as `(2, 2, kind)`, should raise a ValueError, too.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if end > n_words or set(labels[first:end]) - {"O"}:
        ...
        - labels[first:end] = [f"B-{kind}"] + [f"I-{kind}"] * (end - first - 1)
        + for i in range(first, end):
        +     labels[i] = f"I-{kind}" if i > first else f"B-{kind}"
        """,
    "outside_accepted": """
        A span that does not lie in the sentence, or has no word, should raise a ValueError.

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if set(labels[first:end]) - {"O"}:
        """,
    "repeated_span_accepted": """
        The same span twice is accepted. It shares its words with itself then: a ValueError.

        - for first, end, kind in spans:
        + for first, end, kind in sorted({*spans}):
        """,
    "neighbors_refused": """
        Spans that touch are taken for overlapping. The end is the word after the last one, so a
        span may begin where another one ends.

        raises ValueError

        - if not 0 <= first < end <= n_words or set(labels[first:end]) != {"O"}:
        + if not 0 <= first < end <= n_words or set(labels[max(0, first - 1):end + 1]) != {"O"}:
        """,
}

FURTHER = """
Begin with n_words times "O". For each span, check its two numbers, then whether all its words are still
"O", and only then write: one B- with the kind, and I- for the rest.
"""

RIGHT = {
    "sorted": """
        def spans_to_labels(spans, n_words):
            labels, at = [], 0
            for first, end, kind in sorted(spans):
                if first < at or first < 0 or end > n_words or end <= first:
                    raise ValueError("span")
                labels += ["O"] * (first - at) + ["B-" + kind] + ["I-" + kind] * (end - first - 1)
                at = end
            return labels + ["O"] * (n_words - at)
        """,
    "word_by_word": """
        def spans_to_labels(spans, n_words):
            labels = {}
            for first, end, kind in spans:
                if first >= end:
                    raise ValueError("empty")
                for i in range(first, end):
                    if i in labels or not 0 <= i < n_words:
                        raise ValueError(i)
                    labels[i] = ("B-" if i == first else "I-") + kind
            return [labels.get(i, "O") for i in range(n_words)]
        """,
}

EQUIVALENT = {
    "Spans that share no word are written in any order.": """
        -    for first, end, kind in spans:
        +    for first, end, kind in list(spans)[::-1]:
        """,
}
