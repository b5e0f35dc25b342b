"""answer_windows: one window and many, cut answers, characters inside pieces, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"windows": 3, "targets": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        n_question: int,
        n_context: int,
        max_length: int,
        stride: int,
        pieces: tuple[int, int] | None,
        title: str,
        inside: bool = False,
        **more: Any,
    ) -> Case:
        ids = [10 + int(i) for i in rng.permutation(500)[: n_question + n_context]]
        if more.pop("again", False):  # the pieces of the answer stand before it and after it, too
            ids = [ids[i % 3] for i in range(len(ids))]
        offsets, at = [], number(rng, 0, 2)
        for _ in range(n_context):
            end = at + number(rng, 3, 6)
            offsets.append((at, end))
            at = end + number(rng, 0, 1)
        answer = None
        if pieces is not None:
            first, last = offsets[pieces[0]], offsets[pieces[1]]
            answer = (first[0] + 1, last[1] - 1) if inside else (first[0], last[1])
        answer = more.pop("answer", answer)
        special = more.pop("special", [1000 + number(rng, 1, 9), 2000 + number(rng, 1, 9)])
        inputs = [ids[:n_question], ids[n_question:], offsets, answer, *special, max_length, stride]
        return Case(group, inputs, title=title, **more)

    q = number(rng, 2, 4)
    yield case("windows", q, 6, q + 12, 3, None, "all in one window")
    yield case("windows", q, 6, q + 9, 6, None, "it just fits")
    yield case("windows", q, 7, q + 9, 6, None, "one piece too many")
    yield case("windows", q, 11, q + 7, 2, None, "windows that overlap")
    yield case("windows", q, number(rng, 12, 15), q + 8, 5, None, "without overlap")
    yield case("windows", 1, 4, 5, 1, None, "a single piece at a time", special=[0, 2])
    yield case("targets", q, 8, q + 14, 4, (2, 4), "one window")
    yield case("targets", q + 1, 8, q + 15, 4, (0, 0), "the first piece", special=[2, 0])
    yield case("targets", q, 8, q + 14, 4, (6, 7), "up to the end")
    yield case("targets", q, 12, q + 8, 3, (4, 5), "in some of the windows")
    title = "pieces that occur again and again"
    yield case("targets", q, 12, q + 8, 3, (4, 5), title, again=True)
    yield case("targets", q, 12, q + 7, 3, (3, 5), "cut by a window")
    yield case("targets", q, 10, q + 6, 2, (2, 7), "longer than a window")
    yield case("targets", q, 9, q + 9, 4, (3, 5), "begins and ends inside pieces", inside=True)
    yield case("targets", q, 9, q + 9, 4, (5, 5), "a part of one piece", inside=True)
    yield case("edges", q, 1, q + 4, 1, (0, 0), "a paragraph of one piece")
    yield case("edges", 0, 5, 12, 2, (1, 2), "an empty question", judge=VALUE_ERROR)
    yield case("edges", 6, 5, 9, 1, (1, 2), "no room", judge=VALUE_ERROR)
    yield case("edges", q, 5, q + 7, 0, (1, 2), "a stride of 0", judge=VALUE_ERROR)
    yield case("edges", q, 9, q + 6, 4, (1, 2), "pieces would be skipped", judge=VALUE_ERROR)
    outside = (900, 905)
    yield case(
        "edges", q, 5, q + 9, 2, (1, 2), "not in the text", answer=outside, judge=VALUE_ERROR
    )


WRONG = {
    "counted_in_the_paragraph": """
        The target is counted in the paragraph. It is the position in the sequence: the question and
        two special tokens stand before, and the window's first piece may be a later one.

        - shift = len(question) + 2 - first
        + shift = 0
        """,
    "window_start_forgotten": """
        From the second window on, the target is too far right: subtract the number of the window's
        first piece.

        - shift = len(question) + 2 - first
        + shift = len(question) + 2
        """,
    "one_special_token": """
        Two special tokens stand before the paragraph, [CLS] and a [SEP].

        - shift = len(question) + 2 - first
        + shift = len(question) + 1 - first
        """,
    "cut_answers_kept": """
        A window that cuts the answer got a target. Only a window with all pieces of the answer has
        one; the others get (0, 0).

        - if pieces and first <= pieces[0] and pieces[-1] < end:
        -     shift = len(question) + 2 - first
        -     target = (pieces[0] + shift, pieces[-1] + shift)
        + inside = [i for i in pieces if first <= i < end]
        + if inside:
        +     shift = len(question) + 2 - first
        +     target = (inside[0] + shift, inside[-1] + shift)
        """,
    "whole_pieces_only": """
        A piece of which the answer has only a part was left out. Each piece that shares a character
        with the answer belongs to it.

        - pieces = [i for i, (a, b) in enumerate(offsets) if a < answer[1] and b > answer[0]]
        + pieces = [i for i, (a, b) in enumerate(offsets) if a >= answer[0] and b <= answer[1]]
        """,
    "touching_pieces": """
        A piece that only touches the answer was taken, too. Ends are exclusive: they must share a
        character.

        - pieces = [i for i, (a, b) in enumerate(offsets) if a < answer[1] and b > answer[0]]
        + pieces = [i for i, (a, b) in enumerate(offsets) if a <= answer[1] and b >= answer[0]]
        """,
    "end_of_the_answer_exclusive": """
        The second number of the target is the position after the last piece. It should be that of the
        last piece itself.

        - target = (pieces[0] + shift, pieces[-1] + shift)
        + target = (pieces[0] + shift, pieces[-1] + shift + 1)
        """,
    "one_window_too_many": """
        There is a window after the one that reached the end. That one is the last.

        - if end == len(context):
        + if first + stride >= len(context):
        """,
    "the_rest_is_lost": """
        The end of the paragraph is in no window. The last one may be shorter than the others.

        - if end == len(context):
        + if first + stride + room > len(context):
        """,
    "room_too_large": """
        The sequences are too long. Three special tokens need room, too.

        - room = max_length - len(question) - 3
        + room = max_length - len(question) - 2
        """,
    "no_last_separator": """
        The last [SEP] is missing: [CLS] question [SEP] window [SEP].

        - windows.append(([cls, *question, sep, *context[first:end], sep], first, target))
        + windows.append(([cls, *question, sep, *context[first:end]], first, target))
        """,
    "stride_is_overlap": """
        The stride was taken for what two windows share. It is the distance between their beginnings.

        - first += stride
        + first += max(1, room - stride)
        """,
    "anything_accepted": """
        An empty question, no room, a stride that skips pieces and an answer that is not in the
        paragraph should raise a ValueError.

        - if not question or room < 1 or not 1 <= stride <= room:
        -     raise ValueError(f"a question of {len(question)} pieces leaves no windows of stride {stride}")
        + room, stride = max(room, 1), max(stride, 1)
        ...
        - if not pieces:
        -     raise ValueError(f"no piece of the paragraph belongs to the answer {answer}")
        """,
    "stride_of_the_room_refused": """
        A stride as large as the room raises a ValueError. The windows follow each other without a
        gap then; only a larger one skips pieces.

        raises ValueError

        - if not question or room < 1 or not 1 <= stride <= room:
        + if not question or room < 1 or not 1 <= stride < room:
        """,
}

FURTHER = """
room = max_length - len(question) - 3. The answer's pieces are found once, before the windows. Then in a
loop: end = min(first + room, len(context)); the target is (0, 0) unless first <= the answer's first
piece and its last piece < end, and its positions are shifted by len(question) + 2 - first; stop when end
is the end of the paragraph, otherwise first += stride.
"""

RIGHT = {
    "starts_first": """
        def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
            room = max_length - 3 - len(question)
            if len(question) == 0 or room <= 0 or stride <= 0 or stride > room:
                raise ValueError("windows")
            low = high = None
            if answer is not None:
                touched = [i for i in range(len(context)) if max(offsets[i][0], answer[0]) < min(offsets[i][1], answer[1])]
                if touched == []:
                    raise ValueError("answer")
                low, high = touched[0], touched[-1]
            starts = [0]
            while starts[-1] + room < len(context):
                starts.append(starts[-1] + stride)
            found = []
            for s in starts:
                part = list(context[s : s + room])
                ids = [cls] + list(question) + [sep] + part + [sep]
                before = len(question) + 2
                whole = low is not None and s <= low and high < s + len(part)
                found.append((ids, s, (before + low - s, before + high - s) if whole else (0, 0)))
            return found
        """,
    "by_characters": """
        def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
            room = max_length - len(question) - 3
            if not len(question) or room < 1:
                raise ValueError("no room or no question")
            if stride < 1 or stride > room:
                raise ValueError("stride")
            inside = [answer is not None and a < answer[1] and b > answer[0] for a, b in offsets]
            if answer is not None and not any(inside):
                raise ValueError("the answer is not in the paragraph")
            windows, first = [], 0
            while not windows or windows[-1][1] + room < len(context):
                marks = inside[first : first + room]
                target = (0, 0)
                if any(marks) and sum(marks) == sum(inside):
                    left = marks.index(True)
                    begin = len(question) + 2 + left
                    target = (begin, begin + sum(marks) - 1)
                ids = [cls, *question, sep]
                ids.extend(context[first : first + room])
                ids.append(sep)
                windows.append((ids, first, target))
                first += stride
            return windows
        """,
}

EQUIVALENT = {
    "The list is never changed, so calls may share it.": """
        -    stride: int,
        +    stride: int, pieces=[],
        ...
        -    pieces = []
        """,
    "A stride of 1 or more that is no larger than the room leaves no room below 1.": """
        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or False or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or 9 < 1 or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or 6 < 1 or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or stride < 1 or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or max_length < 1 or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or room < 0 or not 1 <= stride <= room:

        -    if not question or room < 1 or not 1 <= stride <= room:
        +    if not question or room < (-1) or not 1 <= stride <= room:
        """,
    "The answer is a pair.": """
        -        pieces = [i for i, (a, b) in enumerate(offsets) if a < answer[1] and b > answer[0]]
        +        pieces = [i for i, (a, b) in enumerate(offsets) if a < answer[-1] and b > answer[0]]
        """,
    "Each piece of the paragraph has its offsets.": """
        -        end = min(first + room, len(context))
        +        end = min(first + room, len(offsets))

        -        if end == len(context):
        +        if end == len(offsets):
        """,
    "The end is never larger.": """
        -        if end == len(context):
        +        if end >= len(context):
        """,
}
