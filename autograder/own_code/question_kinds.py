"""Kinds of questions on a student's code, and the questions of each kind that an answer allows.

In terms of the block model, by which Obermüller & Fraser (2025) order theirs, they ask about the
execution of a statement, and about the relation between a statement and what the function returns.
What is right was found by running the answer and each edit of it, see `traced_calls`; each question has
four options, of which one is right.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.own_code.answer_mutations import Edit
from autograder.own_code.traced_calls import Given, Material

#: How many options a question has.
OPTIONS = 4
LETTERS = "ABCD"
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class OwnCodeQuestion:
    """Question about a student's answer.

    Attributes
    ----------
    text : str
        The question; code in backticks.
    calls : tuple of str
        Calls that it is about, listed below it.
    options : tuple of str
        The options, as code.
    right : int
        The index of the right one.
    why : str
        What the key says beside the letter.
    """

    kind: str
    exercise: str
    text: str
    calls: tuple[str, ...]
    options: tuple[str, ...]
    right: int
    why: str

    @property
    def letter(self) -> str:
        """Letter of the right option."""
        return LETTERS[self.right]


def telling_input(one: Material, rng: random.Random) -> Iterator[OwnCodeQuestion]:
    """Yield questions on which of four calls gives another result with an edit."""
    for edit, given in _shuffled(one.edited.items(), rng):
        found = [one.differs(i, a, b) for i, (a, b) in enumerate(zip(one.own, given))]
        differ = [i for i, different in enumerate(found) if different]
        equal = [i for i, different in enumerate(found) if different is False]
        if not differ or len(equal) < OPTIONS - 1:
            continue
        right = rng.choice(differ)
        options = [right, *rng.sample(equal, OPTIONS - 1)]
        why = f"`{one.own[right].text}` becomes `{given[right].text}`; the others stay as they are."
        yield _question(
            "telling_input",
            one,
            f"Line {edit.line} is changed from `{edit.old}` to `{edit.new}`. Which of these calls"
            " then has another result?",
            [one.calls[i][0] for i in options],
            why,
            rng,
        )


def silent_edit(one: Material, rng: random.Random) -> Iterator[OwnCodeQuestion]:
    """Yield questions on which of four edits changes the result of none of three calls."""
    calls = rng.sample(range(len(one.calls)), min(3, len(one.calls)))
    silent, loud = [], []
    for edit, given in one.edited.items():
        found = [one.differs(i, one.own[i], given[i]) for i in calls]
        if all(different is False for different in found):
            silent.append(edit)
        elif any(found):
            loud.append(edit)
    for edit in _shuffled(silent, rng):
        others = _different_lines(loud, rng)
        if len(others) < OPTIONS - 1:
            return
        told = [_first_difference(one, other, calls) for other in others]
        yield _question(
            "silent_edit",
            one,
            "One of these edits changes the result of none of these calls. Which one, and why?",
            [option.words for option in (edit, *others)],
            f"{'; '.join(told)}.",
            rng,
            [one.calls[i][0] for i in calls],
        )


def value_of_a_line(one: Material, rng: random.Random) -> Iterator[OwnCodeQuestion]:
    """Yield questions on the value that a variable has once a line has run."""
    for stop, given in _shuffled(one.at_stops.items(), rng):
        for call in rng.sample(range(len(one.calls)), len(one.calls)):
            own = given[call]
            others = [edited[call] for edited in one.at_edited_stops.get(stop, [])]
            others += [value for i, value in enumerate(given) if i != call]
            others.append(one.own[call])
            wrong = _distinct(one, call, [own, *others])
            if wrong is None or own.text in one.calls[call][0]:
                continue
            yield _question(
                "value_of_a_line",
                one,
                f"`{one.calls[call][0]}` is called. What is `{stop.name}` once line {stop.line} has"
                " run?",
                [own.text, *wrong],
                "found by running it to this line.",
                rng,
            )
            break


def result_of_an_edit(one: Material, rng: random.Random) -> Iterator[OwnCodeQuestion]:
    """Yield questions on the result of a call with an edit."""
    for edit, given in _shuffled(one.edited.items(), rng):
        for call in rng.sample(range(len(one.calls)), len(one.calls)):
            if one.differs(call, one.own[call], given[call]) is not True:
                continue
            rest = [values[call] for other, values in one.edited.items() if other is not edit]
            wrong = _distinct(one, call, [given[call], one.own[call], *rest])
            if wrong is None or given[call].text in f"{edit.new} {one.calls[call][0]}":
                continue
            yield _question(
                "result_of_an_edit",
                one,
                f"Line {edit.line} is changed from `{edit.old}` to `{edit.new}`. What does"
                f" `{one.calls[call][0]}` then return?",
                [given[call].text, *wrong],
                f"without the edit it returns `{one.own[call].text}`.",
                rng,
            )
            break


Kind = Callable[[Material, random.Random], Iterator[OwnCodeQuestion]]
KINDS: tuple[Kind, ...] = (telling_input, silent_edit, value_of_a_line, result_of_an_edit)


def choose(materials: Sequence[Material], count: int, rng: random.Random) -> list[OwnCodeQuestion]:
    """Return at most `count` questions; a kind repeats for an exercise only as a last resort."""
    kinds = list(KINDS)
    rng.shuffle(kinds)
    found: list[OwnCodeQuestion] = []
    waiting = {
        (kind, one.exercise): kind(one, rng) for one in _shuffled(materials, rng) for kind in kinds
    }
    exercises = [one.exercise for one in _shuffled(materials, rng)]
    turns = range(count * len(exercises))
    for again, turn, (offset, kind) in itertools.product((False, True), turns, enumerate(kinds)):
        if len(found) == count:
            break
        exercise = exercises[(turn + offset) % len(exercises)]
        question = next(waiting[kind, exercise], None)
        if question is not None and (again or not any(_alike(question, one) for one in found)):
            found.append(question)
    return found


def _alike(one: OwnCodeQuestion, two: OwnCodeQuestion) -> bool:
    """Tell whether two questions are of one kind about one exercise."""
    return one.exercise == two.exercise and one.kind == two.kind


def _question(
    kind: str,
    one: Material,
    text: str,
    options: Sequence[str],
    why: str,
    rng: random.Random,
    calls: Sequence[str] = (),
) -> OwnCodeQuestion:
    """Return a question with its options shuffled; the first one given is right."""
    order = rng.sample(range(len(options)), len(options))
    mixed = tuple(options[i] for i in order)
    return OwnCodeQuestion(kind, one.exercise, text, tuple(calls), mixed, order.index(0), why)


def _distinct(one: Material, call: int, values: Sequence[Given]) -> list[str] | None:
    """Return three different texts besides the first value's; None if there are too few.

    None of them is in the answer's text, where its docstring may name results.
    """
    first, chosen = values[0], [values[0]]
    if not (first.is_value and first.short) or first.text in one.source:
        return None
    for value in sorted(values[1:], key=lambda value: value.form != first.form):
        if not (value.is_value and value.short) or value.text in one.source:
            continue
        if all(one.differs(call, value, other) for other in chosen):
            chosen.append(value)
    texts = [value.text for value in chosen[1:OPTIONS]]
    return texts if len(texts) == OPTIONS - 1 else None


def _different_lines(loud: Sequence[Edit], rng: random.Random) -> list[Edit]:
    """Return three edits, of different lines as far as possible."""
    mixed = _shuffled(loud, rng)
    first = list({edit.line: edit for edit in mixed}.values())
    return [*first, *(edit for edit in mixed if edit not in first)][: OPTIONS - 1]


def _first_difference(one: Material, edit: Edit, calls: Sequence[int]) -> str:
    """Describe the first call whose result an edit changes."""
    given = one.edited[edit]
    call = next(i for i in calls if one.differs(i, one.own[i], given[i]))
    return f"with `{edit.new}`, `{one.calls[call][0]}` gives `{given[call].text}`"


def _shuffled(items: Iterable[_Item], rng: random.Random) -> list[_Item]:
    """Return the items in random order."""
    mixed = list(items)
    rng.shuffle(mixed)
    return mixed
