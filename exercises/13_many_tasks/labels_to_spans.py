"""labels_to_spans: neighbors, entities at the ends, entities that never began, and other labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number
from .common import two_kinds

POINTS = {"values": 2, "repair": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def row(text: str) -> list[str]:
        """Labels from letters: o, b and i of the first kind, B and I of the second."""
        one, other = two_kinds(rng)
        names = {"o": "O", "b": f"B-{one}", "i": f"I-{one}", "B": f"B-{other}", "I": f"I-{other}"}
        return [names[letter] for letter in text]

    n, m = number(rng, 1, 4), number(rng, 0, 3)
    yield Case("values", [row("ob" + "i" * n + "oo" + "B" + "I" * m + "o")], title="two entities")
    yield Case("values", [row("b" + "i" * m + "o" * n + "B" + "I" * n)], title="at both ends")
    yield Case("values", [row("bb" + "i" * n + "B" + "I" * m + "oo")], title="neighbors")
    yield Case("values", [row("B" + "o" * n + "b" + "o" * m + "bi")], title="single words")
    yield Case("values", [row("obib" + "i" * n)], title="two of a kind in a row")
    hyphen = [*["O"] * m, "B-creative-work", *["I-creative-work"] * n, "O", "B-work"]
    yield Case("values", [hyphen], title="a kind with a hyphen")
    yield Case("repair", [row("o" * n + "ii" + "i" * m + "o")], title="an entity that never begins")
    yield Case("repair", [row("b" + "I" * n + "o" * m + "I")], title="goes on as another kind")
    yield Case("repair", [row("i" + "i" * m + "o" * n + "bi")], title="begins inside")
    yield Case("repair", [row("bi" + "I" * n + "i" + "o" * m)], title="there and back")
    yield Case("edges", [[]], title="no words")
    yield Case("edges", [["O"] * n], title="no entity")
    yield Case("edges", [row("B" + "I" * n)], title="nothing else")
    letters = "".join("obBiI"[i] for i in rng.integers(0, 5, size=14))
    yield Case("edges", [row(letters)], title="any labels")
    yield Case("edges", [[*row("o" * m + "b"), "E-place"]], title="an E-", judge=VALUE_ERROR)
    yield Case("edges", [["B-", *row("ob")]], title="a B- without a kind", judge=VALUE_ERROR)
    yield Case("edges", [[*row("b"), "place"]], title="a kind alone", judge=VALUE_ERROR)
    yield Case("edges", [[*row("o"), "Bplace"]], title="no hyphen", judge=VALUE_ERROR)
    yield Case("edges", [[*row("bo"), "O-place"]], title="an O with a kind", judge=VALUE_ERROR)
    yield Case("edges", [["O-", *row("ob")]], title="an O with a hyphen", judge=VALUE_ERROR)


WRONG = {
    "end_is_last_word": """
        The second number is that of the last word. It should be that of the word after it, as in a
        slice.

        - spans.append((first, i, kind))
        + spans.append((first, i - 1, kind))
        """,
    "loses_the_last_entity": """
        An entity at the end of the sentence is lost: nothing closes it there.

        - for i, label in enumerate([*labels, "O"]):
        + for i, label in enumerate(labels):
        """,
    "joins_neighbors": """
        A `B-` of the same kind goes on with the entity before it. It begins a new one.

        - if kind and (mark != "I" or name != kind):
        + if kind and name != kind:
        """,
    "drops_what_never_began": """
        An `I-` that continues nothing is dropped. It begins an entity.

        - if name and not kind:
        + if mark == "B":
        """,
    "drops_after_o": """
        An `I-` at the beginning or after an `O` is dropped. It begins an entity, just as one of another
        kind does.

        - if kind and (mark != "I" or name != kind):
        -     spans.append((first, i, kind))
        -     kind = ""
        - if name and not kind:
        + closed = bool(kind) and (mark != "I" or name != kind)
        + if closed:
        +     spans.append((first, i, kind))
        +     kind = ""
        + if name and not kind and (mark == "B" or closed):
        """,
    "drops_another_kind": """
        An `I-` of another kind ends the entity, but then it is dropped. It begins an entity of its own,
        just as one after an `O` does.

        - if kind and (mark != "I" or name != kind):
        -     spans.append((first, i, kind))
        -     kind = ""
        - if name and not kind:
        + closed = bool(kind) and (mark != "I" or name != kind)
        + if closed:
        +     spans.append((first, i, kind))
        +     kind = ""
        + if name and not kind and (mark == "B" or not closed):
        """,
    "kind_ignored": """
        An `I-` of another kind goes on with the entity. It begins a new one.

        - if kind and (mark != "I" or name != kind):
        + if kind and mark != "I":
        """,
    "kind_cut_at_the_hyphen": """
        The kind may contain a hyphen, as creative-work does. Only the first one separates.

          mark, _, name = label.partition("-")
        + name = name.split("-")[0]
        """,
    "kind_after_the_last_hyphen": """
        The kind begins after the first hyphen, not after the last one: that of `B-creative-work` is
        creative-work.

          mark, _, name = label.partition("-")
        + name = name.split("-")[-1]
        """,
    "every_word_a_span": """
        Each word of an entity became a span of its own. `I-` goes on with the one before.

        - if kind and (mark != "I" or name != kind):
        + if kind:
        """,
    "other_labels_accepted": """
        A label that is not O, B- or I- with a kind should raise a ValueError.

        - if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        -     raise ValueError(f"{label!r} is no label of BIO")
        """,
    "kind_missing_accepted": """
        A `B-` or `I-` that no kind follows is accepted. It is no label, and should raise a
        ValueError.

        - spans, first, kind = [], 0, ""
        + spans, first, kind = [], 0, None
        ...
        - if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        + if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != ("-" in label):
        ...
        - if kind and (mark != "I" or name != kind):
        + if kind is not None and (mark != "I" or name != kind):
              spans.append((first, i, kind))
        -     kind = ""
        - if name and not kind:
        +     kind = None
        + if mark != "O" and kind is None:
        """,
}

FURTHER = """
Keep the entity that is open: its first word and its kind. At each label, and once more after the last
one, ask two things in this order. Does it close the open entity? It does unless it is an I- of the same
kind. Does it open one? It does if it has a kind and nothing is open now.
"""

RIGHT = {
    "index": """
        def labels_to_spans(labels):
            for label in labels:
                if label != "O" and (label[:2] not in ("B-", "I-") or len(label) < 3):
                    raise ValueError(label)
            found, i = [], 0
            while i < len(labels):
                if labels[i] == "O":
                    i += 1
                    continue
                kind, j = labels[i][2:], i + 1
                while j < len(labels) and labels[j] == "I-" + kind:
                    j += 1
                found.append((i, j, kind))
                i = j
            return found
        """,
    "repairs_first": """
        def labels_to_spans(labels):
            if any(not re.fullmatch(r"O|[BI]-.+", label) for label in labels):
                raise ValueError("labels")
            begins = []
            for i, label in enumerate(labels):
                before = labels[i - 1] if i else "O"
                begins.append(label[0] == "B" or (label[0] == "I" and before[2:] != label[2:]))
            spans = []
            for i, label in enumerate(labels):
                if begins[i]:
                    end = i + 1
                    while end < len(labels) and labels[end] != "O" and not begins[end]:
                        end += 1
                    spans.append((i, end, label[2:]))
            return spans
        """,
}

EQUIVALENT = {
    "No entity is open at first: where it began is not used yet, and 0 is as false as an empty kind.": """
        -    spans, first, kind = [], 0, ""
        +    spans, first, kind = ([], "", 0)

        -    spans, first, kind = [], 0, ""
        +    spans, first, kind = [], 1, ""

        -    spans, first, kind = [], 0, ""
        +    spans, first, kind = [], -1, ""
        """,
    "A label that is O has the mark O.": """
        -        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        +        if mark not in ("B", "I", "O") or ((mark == "O") > (label == "O")) or (mark != "O") != bool(name):
        """,
    "`B` and `I` come before `O` in the alphabet.": """
        -        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        +        if mark not in ("B", "I", "O") or (mark >= "O") != (label == "O") or (mark != "O") != bool(name):

        -        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        +        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark < "O") != bool(name):
        """,
    "An O with a kind was refused before.": """
        -        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        +        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or ((mark != "O") > bool(name)):
        """,
    "The label is O where the mark is; everything else was refused before.": """
        -        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (mark != "O") != bool(name):
        +        if mark not in ("B", "I", "O") or (mark == "O") != (label == "O") or (label != "O") != bool(name):
        """,
    "The name of an O is empty, so it is not the kind of the open entity.": """
        -        if kind and (mark != "I" or name != kind):
        +        if kind and ((mark < "I") or name != kind):
        """,
    "Opening an entity with an empty kind opens none.": """
        -        if name and not kind:
        +        if not kind:

        -        if name and not kind:
        +        if label and not kind:

        -        if name and not kind:
        +        if mark and not kind:
        """,
}
