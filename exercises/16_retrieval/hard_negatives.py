"""hard_negatives: the right paragraph, whatever it says, others that contain an answer, answers of several words, too few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_words, number, some_words
from .common import WORDS, some_order

POINTS = {"ranking": 1, "answers": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    kept = some_words(rng, WORDS, 10)
    first, second = sorted(kept[:2], reverse=True)  # no answer is in the order of the alphabet
    third, single, *plain = kept[2:]

    def paragraphs(n: int) -> list[list[str]]:
        """Paragraphs of plain words, in which no answer occurs."""
        return [draw_words(rng, plain, number(rng, 4, 7)) for _ in range(n)]

    n = number(rng, 7, 11)
    right = number(rng, 1, n - 1)
    texts = paragraphs(n)
    texts[right][2] = single
    order = some_order(rng, n)
    front = [right, *(d for d in order if d != right)]
    yield Case("ranking", [front, texts, right, [[single]], 3], title="the right one leads")
    middle = [*front[1:3], right, *front[3:]]
    yield Case("ranking", [middle, texts, right, [[single]], 4], title="the right one is third")
    yield Case(
        "ranking", [front[1:], texts, right, [[single]], 2], title="the right one was not found"
    )

    def with_answer(words: list[str], *where: int) -> list[list[str]]:
        found = paragraphs(n)
        for d in (right, *where):
            place = number(rng, 0, 3)
            found[d][place:place] = words
        return found

    there = [d for d in order if d != right][:2]
    few = with_answer([single], *there)
    yield Case("answers", [order, few, right, [[single]], 2], title="the first ones fall out")
    for words, title in (
        ([single], "others contain the answer"),
        ([first, second], "an answer of two words"),
    ):
        yield Case("answers", [order, with_answer(words, *there), right, [words], n], title=title)
    apart = with_answer([first, second])
    apart[there[0]][:3] = [second, plain[0], first]
    apart[there[1]][:2] = [second, first]
    yield Case(
        "answers",
        [order, apart, right, [[first, second]], n],
        title="its words apart, or turned around",
    )
    parts = with_answer([single])
    parts[there[0]][1] = single + "s"
    parts[there[1]][1] = "un" + single
    yield Case("answers", [order, parts, right, [[single]], n], title="a part of another word")
    several = with_answer([first, second], there[0])
    several[there[1]][-1:] = [third]
    yield Case(
        "answers", [order, several, right, [[first, second], [third]], n], title="two right answers"
    )
    other = with_answer([first, second], there[0])
    other[right] = [second, *paragraphs(1)[0], first]
    yield Case(
        "answers", [order, other, right, [[first, second]], n], title="the right one in other words"
    )
    ends = with_answer([first, second], there[0])
    ends[there[0]] = [*draw_words(rng, plain, number(rng, 9, 14)), first, second]
    ends[there[1]] = [*paragraphs(1)[0], first]
    yield Case(
        "answers", [order, ends, right, [[first, second]], n], title="at the end of a paragraph"
    )

    copied = with_answer([single])
    copied[there[0]] = [*copied[there[1]]]
    yield Case(
        "ranking", [order, copied, right, [[single]], n], title="two of the paragraphs are equal"
    )

    yield Case("edges", [order, texts, right, [[single]], n + 5], title="fewer than asked")
    yield Case("edges", [order, texts, right, [[single]], 0], title="none asked")
    everywhere = with_answer([single], *range(n))
    yield Case("edges", [order, everywhere, right, [[single]], 3], title="the answer is everywhere")
    yield Case("edges", [[], texts, right, [[single]], 3], title="nothing was found")
    long = [first, second, third] * 4
    yield Case(
        "edges",
        [order[: number(rng, 3, 6)], texts, right, [long], 4],
        title="an answer longer than the paragraphs",
    )
    yield Case("edges", [front, texts, front[1], [], 3], title="no answers known")
    wordless = with_answer([single], there[1])
    yield Case(
        "edges", [order, wordless, right, [[], [single]], n], title="an answer without words"
    )


WRONG = {
    "keeps_the_right_one": """
        The paragraph that answers the question is among the negatives. Leave out `positive` itself,
        even where it gives the answer in other words, or no answer is known.

        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if not any(contains(paragraphs[document], a) for a in answers)
        """,
    "keeps_the_first": """
        The first paragraph of the ranking is kept, whatever it is. It may be the right one, or
        contain an answer: examine it like the others.

        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if document in ranking[:1] or not any(contains(paragraphs[document], a) for a in answers)
        """,
    "keeps_other_answers": """
        A paragraph that contains the answer is among the negatives. It may well answer the
        question, too: the loss would push it away.

        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if document != positive
        """,
    "cut_too_early": """
        The ranking was cut to n before the answers were removed, so there are too few negatives.
        Remove first, then cut.

        - for document in ranking
        + for document in ranking[:n]
        """,
    "last_ones": """
        The negatives come from the end of the ranking: these are the easy ones. Take the first that
        qualify.

        - return kept[:n]
        + return kept[::-1][:n]
        """,
    "any_word": """
        A single word of the answer is enough here to throw a paragraph out. All of its words must
        be there, next to each other and in order.

        - return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        + return bool(set(words) & set(answer))
        """,
    "words_in_any_order": """
        All words of the answer are there, but not next to each other and in order. Compare runs of
        words.

        - return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        + return set(answer) <= set(words)
        """,
    "letters": """
        Letters are compared, so *oil* is found in *soil*. Compare words.

        - return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        + return " ".join(answer) in " ".join(words)
        """,
    "last_run_missing": """
        The last run of words was not looked at: there are len(words) - len(answer) + 1.

        - return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        + return any(words[i : i + size] == answer for i in range(len(words) - size))
        """,
    "found_everywhere": """
        An answer without words is found in every paragraph, since an empty list equals every empty
        slice. So no negative is left. Such an answer says nothing: skip it.

        - answers = [list(answer) for answer in answers if answer]
        + answers = [list(answer) for answer in answers]
        """,
    "first_answer_only": """
        Only the first of the answers was looked for. A paragraph with any of them is left out.

        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if document != positive and not any(contains(paragraphs[document], a) for a in answers[:1])
        """,
    "all_answers": """
        A paragraph is left out here only if it contains every right answer. One of them is enough:
        `any`, not `all`.

        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if document != positive and not all(contains(paragraphs[document], a) for a in answers)
        """,
    "place_for_number": """
        The place in the ranking was taken for the number of the paragraph. The words of a document
        of the ranking are `paragraphs[document]`.

        - for document in ranking
        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + for i, document in enumerate(ranking)
        + if document != positive and not any(contains(paragraphs[i], a) for a in answers)
        """,
    "sorted": """
        The negatives are in the order of their numbers. Keep the order of the ranking, best first.

        - return kept[:n]
        + return sorted(kept)[:n]
        """,
    "all_for_none": """
        With n = 0 all paragraphs that qualify are returned. A loop that appends first and compares
        afterwards never sees the length 0, and `if n` takes 0 for no limit: compare first, or cut at the
        end.

        - return kept[:n]
        + return kept[: n or None]
        """,
    "one_for_none": """
        With n = 0 there is one paragraph in the result: the loop compares only after it has appended.
        Compare first, or cut at the end.

        - return kept[:n]
        + return kept[: max(n, 1)]
        """,
    "one_too_many": """
        One paragraph too many: the loop stops only when there are more than n. Stop when there are n.

        - return kept[:n]
        + return kept[: n + 1]
        """,
    "reads_on": """
        The loop reads on until it has n, and the ranking may end before that. If fewer qualify, return
        these.

        raises IndexError

        - return kept[:n]
        + return [kept[i] for i in range(n)]
        """,
    "all_of_some_answers": """
        With several right answers a paragraph is left out only if it contains all of them. A single
        one is enough: `any`, not `all`.

        - answers = [list(answer) for answer in answers if answer]
        + answers = [list(answer) for answer in answers]
        ...
        - return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        + return size > 0 and any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        ...
        - if document != positive and not any(contains(paragraphs[document], a) for a in answers)
        + if document != positive and not (answers and all(contains(paragraphs[document], a) for a in answers))
        """,
}

RIGHT = {
    "loop": """
        def hard_negatives(ranking, paragraphs, positive, answers, n):
            found = []
            for d in ranking:
                if len(found) == n:
                    break
                if d == positive:
                    continue
                runs = {
                    tuple(paragraphs[d][i : i + len(a)])
                    for a in answers
                    for i in range(len(paragraphs[d]))
                }
                if not any(tuple(a) in runs for a in answers if a):
                    found.append(d)
            return found
        """,
    "spaces_around": """
        def hard_negatives(ranking, paragraphs, positive, answers, n):
            def text(words):
                return " " + " ".join(words) + " "

            bad = {d for d in ranking for a in answers if text(a) in text(paragraphs[d])} | {positive}
            return [d for d in ranking if d not in bad][:n]
        """,
}

FURTHER = """
A small function of its own says whether `words` contain `answer`: is one of the slices
words[i : i + len(answer)] equal to it? Then keep the documents of the ranking that pass, and cut at n last.
"""

EQUIVALENT = {
    "Words and answers are lists, as `words_of` makes them.": """
        -    answers = [list(answer) for answer in answers if answer]
        +    answers = [answer for answer in answers if answer]

        -        words, size = list(words), len(answer)
        +        words, size = words, len(answer)
        """,
    "Which answer is found first makes no difference.": """
        -    answers = [list(answer) for answer in answers if answer]
        +    answers = [list(answer) for answer in list(answers)[::-1] if answer]
        """,
    "A slice at the end is shorter than the answer, and equals none.": """
        -        return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        +        return any(words[i : i + size] == answer for i in range((len(words) + size) + 1))

        -        return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        +        return any(words[i : i + size] == answer for i in range(len(words) + 1))

        -        return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        +        return any(words[i : i + size] == answer for i in range(len(words) - 1 + 1))

        -        return any(words[i : i + size] == answer for i in range(len(words) - size + 1))
        +        return any(words[i : i + size] == answer for i in range(len(words) - size + 2))
        """,
}
