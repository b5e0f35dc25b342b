"""chat_ids: one turn and several, what counts, marks of other lengths, a question left open."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"ids": 1, "counted": 2, "open": 1, "edges": 1}

Turns = list[tuple[str, list[int]]]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def ids(low: int = 1, high: int = 4) -> list[int]:
        return [10 + int(i) for i in rng.integers(0, 90, size=number(rng, low, high))]

    end = number(rng, 1, 3)
    marks = {"user": [4, 5], "assistant": [6], "system": [7, 8, 9]}

    def case(group: str, turns: Turns, title: str, **more: object) -> Case:
        return Case(group, [turns, more.get("marks", marks), end], title=title)

    a, b = ids(2, 4), ids(2, 4)
    yield case("ids", [("user", a), ("assistant", b)], "a question and its answer")
    turns: Turns = [("system", ids()), ("user", ids()), ("assistant", ids())]
    yield case("ids", turns, "a turn of the system first")

    turns = [("user", ids()), ("assistant", ids()), ("user", ids()), ("assistant", ids(2, 4))]
    yield case("counted", turns, "two answers, which both count")
    other = {"user": [], "assistant": ids(3, 4)}
    turns = [("user", ids()), ("assistant", ids())]
    yield case("counted", turns, "a long mark of the assistant, none of the user", marks=other)
    answer = [*ids(1, 2), end, *ids(1, 2)]
    yield case("counted", [("user", [end, *ids()]), ("assistant", answer)], "the end inside a turn")
    yield case("counted", [("assistant", ids(2, 4))], "an answer to nothing")
    turns = [("assistant", b), ("user", a), ("assistant", [*b])]
    yield case("counted", turns, "the same answer twice")

    yield case("open", [("user", ids(2, 4))], "a question that waits for its answer")
    turns = [("user", ids()), ("assistant", ids()), ("user", ids())]
    yield case("open", turns, "a second question that waits")
    yield case("open", [("assistant", ids()), ("system", ids())], "the system has the last word")
    turns = [("user", a), ("assistant", b), ("user", [*a]), ("user", [0, *a])]
    yield case("open", turns, "the same question again, then one with the id 0")
    turns = [("user", a), ("assistant", b), ("user", [*a])]
    yield case("open", turns, "the same question again")
    other = {"user": [4], "admin": [5, 6], "assistant": ids(3, 4)}
    turns = [("user", ids()), ("admin", ids())]
    yield case("open", turns, "a long mark of the assistant, after a third role", marks=other)

    yield case("edges", [("user", []), ("assistant", ids(2, 4))], "a question without tokens")
    for title, turns in {
        "an answer without tokens": [("user", ids()), ("assistant", [])],
        "a role without a mark": [("user", ids()), ("judge", ids())],
        "no turn": [],
    }.items():
        yield Case("edges", [turns, marks, end], title=title, judge=VALUE_ERROR)


WRONG = {
    "everything_counts": """
        Everything counts here. The user's words are given: only the assistant's turns count.

        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + counted += [True] * (len(marks[role]) + len(words) + 1)
        """,
    "the_end_does_not_count": """
        The end of an answer does not count. Then the model never learns to stop.

        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + counted += [False] * len(marks[role]) + [answers] * len(words) + [False]
        """,
    "the_mark_counts": """
        The assistant's mark counts. It is given, like the question: the model writes what follows.

        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + counted += [answers] * (len(marks[role]) + len(words) + 1)
        """,
    "only_the_last_answer": """
        Only the last answer counts. All turns of the assistant do.

        - answers = role == "assistant"
        + answers = role == "assistant" and words is turns[-1][1]
        """,
    "all_words_count": """
        The words of all roles count. Those of the user are given: only the assistant's turns count.

        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + counted += [False] * len(marks[role]) + [True] * (len(words) + 1)
        """,
    "the_question_counts": """
        The wrong turns count: those of everybody but the assistant.

        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + counted += [False] * len(marks[role]) + [not answers] * (len(words) + 1)
        """,
    "no_ends": """
        The turns have no end. Each turn, of every role, ends with `end`.

        - ids += [*marks[role], *words, end]
        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + ids += [*marks[role], *words]
        + counted += [False] * len(marks[role]) + [answers] * len(words)
        """,
    "one_end_for_all": """
        There is one end, after the last turn. Each turn has its own.

        - ids += [*marks[role], *words, end]
        - counted += [False] * len(marks[role]) + [answers] * (len(words) + 1)
        + ids += [*marks[role], *words]
        + counted += [False] * len(marks[role]) + [answers] * len(words)
        + if words is turns[-1][1]:
        +     ids.append(end)
        +     counted.append(answers)
        """,
    "no_mark_to_go_on_from": """
        After a question the assistant's mark is missing, so the model does not know that it is its
        turn.

        -     if turns[-1][0] != "assistant":
        -         ids += marks["assistant"]
        -         counted += [False] * len(marks["assistant"])
        """,
    "always_a_mark": """
        The assistant's mark is added after its own answer, too. It is added only where the model
        is to go on.

        - if turns[-1][0] != "assistant":
        + if turns:
        """,
    "open_mark_counts": """
        The mark at the end counts. The model goes on after it and does not write it.

        - counted += [False] * len(marks["assistant"])
        + counted += [True] * len(marks["assistant"])
        """,
    "answers_may_be_empty": """
        An answer without tokens would teach the model to say nothing. It should be a ValueError.

        -         if answers and not words:
        -             raise ValueError("an answer needs at least one token")
        """,
    "questions_may_not_be_empty": """
        A question without tokens is refused. Only an answer needs at least one.

        raises ValueError

        - if answers and not words:
        + if not words:
        """,
    "skips_unknown_roles": """
        A role without a mark is passed over. It should be a ValueError: whoever wrote it would
        never notice.

        -         if role not in marks:
        -             raise ValueError(f"there is no mark for the role {role!r}")
        +         if role not in marks:
        +             continue
        """,
    "no_turns_are_fine": """
        A chat without turns should be a ValueError.

        -     if not turns:
        -         raise ValueError("a chat needs at least one turn")
        +     if not turns:
        +         return [], []
        """,
    "everybody_but_the_user": """
        Turns of the system count, too. Only those of the assistant do.

        - answers = role == "assistant"
        + answers = role != "user"
        """,
    "numbers_for_booleans": """
        `counted` has the numbers 0 and 1. It should have False and True.

        - return ids, counted
        + return ids, [int(c) for c in counted]
        """,
    "shifted_to_the_next": """
        `counted` is shifted by one, as if it marked the tokens after which something is to be
        learned. It is True at the ids of the answer themselves.

        - return ids, counted
        + return ids, counted[1:] + [False]
        """,
}

FURTHER = """
For each turn: ids += [*marks[role], *words, end]. Of these, the mark never counts; words and end count
if the role is "assistant". After the last turn of another role, add marks["assistant"], not counted.
"""

RIGHT = {
    "pairs_first": """
        def chat_ids(turns, marks, end):
            if len(turns) == 0:
                raise ValueError("no turn")
            pairs = []
            for role, words in turns:
                if marks.get(role) is None:
                    raise ValueError(role)
                if role == "assistant" and len(words) == 0:
                    raise ValueError("empty answer")
                pairs += [(i, False) for i in marks[role]]
                pairs += [(i, role == "assistant") for i in [*words, end]]
            if role != "assistant":
                pairs += [(i, False) for i in marks["assistant"]]
            return [i for i, _ in pairs], [c for _, c in pairs]
        """,
    "positions": """
        def chat_ids(turns, marks, end):
            roles = [role for role, _ in turns]
            bad = [r for r in roles if r not in marks]
            if not roles or bad or any(r == "assistant" and not w for r, w in turns):
                raise ValueError("not a chat")
            ids, spans = [], []
            for role, words in turns:
                ids.extend(marks[role])
                begin = len(ids)
                ids.extend(words)
                ids.append(end)
                if role == "assistant":
                    spans.append(range(begin, len(ids)))
            if roles[-1] != "assistant":
                ids.extend(marks["assistant"])
            return ids, [any(i in span for span in spans) for i in range(len(ids))]
        """,
}
