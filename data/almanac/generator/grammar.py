"""Sentence frames and how they are filled.

A frame file holds sections. A section has a header and one frame per line::

    == capitals | table=country | weight=30 | tag=fact
    {capital} is the (capital|chief city) of {country}

- ``(a|b|)`` picks one of the alternatives, which may be empty or hold further slots;
- ``{capital}`` is a cell of the section's row, ``{2.capital}`` a cell of a second row, which
  shares the section's ``pair=`` column if one is named;
- ``{person.his}`` is a cell of a row of another table: one row per table and sentence,
  ``{person2.his}`` a second one;
- ``{fruit}`` is an item of a word list, never the same one twice in a sentence;
- ``{>fact}`` is a whole clause from any section with that tag, but never a frame that asks,
  quotes or, marked with a leading ``~``, orders;
- ``{fruit+s}`` asks for a form of the word (see `forms.inflect`).

A cell may hold several values, separated by semicolons. Rows whose needed cells are empty are not
picked for a frame. The first letter becomes a capital, a full stop is added where no other sign
stands, and "a" becomes "an" before a vowel.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .facts import Row, load_frames, load_lists, load_tables
from .forms import inflect
from .parse import Choice, Part, Slot, parse, slots

ANSWER = re.compile(r'(?<=[.?!]" ")[a-z]|(?<=[?] )[a-z](?!.*")')
ARTICLE = re.compile(r"\b([Aa]) (?=([aeiouAEIOU]\w*|hour|honest|heir))")
SOUNDS_LIKE_YOU = (
    "eu",
    "unif",
    "unio",
    "uniq",
    "unit",
    "univ",
    "use",
    "usu",
    "one",
    "uran",
    "urug",
)
SOUNDS_LIKE_YOU += ("uga", "ukr")
# Frames that stand alone: questions, speech, and orders, which are marked with a "~".
ALONE = re.compile(r'[?"~:]|, said |says \{')
PATIENCE = 2000  # draws without one new sentence, after which the grammar counts as used up

Below = Callable[[int], int]  # an integer from 0 to n - 1


@dataclass
class Frame:
    """One parsed frame.

    ``rows`` has, for each row name that the frame uses, the rows with all needed cells; ``pair``
    names the column that a second row shares with the first.
    """

    parts: tuple[Part, ...]
    rows: dict[str, list[Row]]
    pair: str


@dataclass
class Draft:
    """What one sentence has used so far."""

    rows: dict[str, Row]
    used: set[str]


def skewed(below: Below, n: int) -> int:
    """Draw an index below n; early ones come up to about three times as often as late ones."""
    first = below(n)
    return first if below(3) else below(first + 1)


class Grammar:
    """Facts, lists and frames, ready to make sentences.

    Parameters
    ----------
    tables
        Rows by table name.
    lists
        Word lists by name; an item may hold slots.
    sections
        Header and frames of each section, as read by `facts.load_frames`.

    Raises
    ------
    ValueError
        If a frame names a table, column or list that does not exist.
    """

    def __init__(
        self,
        tables: dict[str, list[Row]],
        lists: dict[str, list[str]],
        sections: list[tuple[dict[str, str], list[str]]],
    ) -> None:
        self.tables = {
            name: [{c: tuple(map(self._item, cell)) for c, cell in row.items()} for row in rows]
            for name, rows in tables.items()
        }
        self.lists = {name: [self._item(item) for item in items] for name, items in lists.items()}
        # A section stands here as often as its weight says.
        self.sections: list[list[Frame]] = []
        self.by_tag: dict[str, list[Frame]] = {}
        for header, lines in sections:
            frames = [self._frame(line, header) for line in lines]
            self.sections += [frames] * int(header["weight"])
            usable = [
                frame for frame, line in zip(frames, lines, strict=True) if not ALONE.search(line)
            ]
            self.by_tag.setdefault(header.get("tag", ""), []).extend(usable)
        self._check_names()

    @classmethod
    def of_the_almanac(cls) -> Grammar:
        """Return the grammar that the almanac is generated with."""
        return cls(load_tables(), load_lists(), load_frames())

    # --- reading frames -----------------------------------------------------------------------

    def _item(self, item: str) -> str | tuple[Part, ...]:
        return parse(item) if "{" in item or "(" in item else item

    def _frame(self, line: str, header: dict[str, str]) -> Frame:
        table = header.get("table", "")
        columns = self.tables[table][0] if table else ()
        parts = parse(line.removeprefix("~"), table, columns)
        needed: dict[str, set[str]] = {}
        for slot in self._row_slots(parts):
            needed.setdefault(slot.name, set()).add(slot.column)
        rows = {}
        # Sorted so that "country" is drawn before "country2", whatever order the frame has.
        for name in sorted(needed):
            candidates = self.tables[name.rstrip("23")]
            missing = needed[name] - set(candidates[0])
            if missing:
                raise ValueError(f"no column {sorted(missing)} in {name}, used in: {line}")
            rows[name] = [row for row in candidates if all(row[c] for c in needed[name])]
        return Frame(parts, rows, header.get("pair", ""))

    def _row_slots(self, parts: tuple[Part, ...]) -> Iterator[Slot]:
        """Yield the row slots of a frame, also those inside list items and cells."""
        for slot in slots(parts):
            inner: tuple = ()
            if slot.source == "row":
                yield slot
                rows = self.tables[slot.name.rstrip("23")]
                inner = tuple(value for row in rows for value in row.get(slot.column, ()))
            elif slot.source == "list":
                inner = tuple(self.lists.get(slot.name, ()))
            for value in inner:
                if not isinstance(value, str):
                    yield from self._row_slots(value)

    def _check_names(self) -> None:
        frames = [frame for section in self.sections for frame in section]
        for slot in (slot for frame in frames for slot in slots(frame.parts)):
            known = self.lists if slot.source == "list" else self.by_tag
            if slot.source != "row" and slot.name not in known:
                raise ValueError(f"a frame uses {slot.name}, which is no column, list or tag.")

    # --- making sentences ---------------------------------------------------------------------

    def generate(self, seed: int) -> Iterator[str]:
        """Yield new sentences until none is found any more.

        Parameters
        ----------
        seed
            Seed of the Mersenne Twister.
        """
        bits = random.Random(seed).getrandbits

        def below(n: int) -> int:
            # Integers only: the same on every machine and in every version of Python.
            return bits(32) * n >> 32

        seen: set[str] = set()
        failures = 0
        while failures < PATIENCE:
            section = self.sections[below(len(self.sections))]
            frame = section[below(len(section))]
            sentence = finish(self._clause(frame, below))
            if sentence in seen:
                failures += 1
                continue
            failures = 0
            seen.add(sentence)
            yield sentence

    def _clause(self, frame: Frame, below: Below) -> str:
        draft = Draft({}, set())
        for name, rows in frame.rows.items():
            draft.rows[name] = self._row(name, rows, frame.pair, draft, below)
        out: list[str] = []
        self._fill(frame.parts, draft, out, below)
        return "".join(out)

    def _row(self, name: str, rows: list[Row], pair: str, draft: Draft, below: Below) -> Row:
        first = draft.rows.get(name.rstrip("23"))
        if first is not None:
            taken = [id(row) for row in draft.rows.values()]
            rows = [row for row in rows if id(row) not in taken]
            if pair in first:
                rows = [row for row in rows if row[pair] == first[pair]] or rows
        return rows[below(len(rows))]

    def _fill(self, parts: tuple[Part, ...], draft: Draft, out: list[str], below: Below) -> None:
        for part in parts:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, Choice):
                self._fill(part.options[below(len(part.options))], draft, out, below)
            elif part.source == "clause":
                frames = self.by_tag[part.name]
                out.append(self._clause(frames[below(len(frames))], below))
            else:
                out.append(self._value(part, draft, below))

    def _value(self, slot: Slot, draft: Draft, below: Below) -> str:
        if slot.source == "row":
            values = draft.rows[slot.name][slot.column]
            # A cell is stable within a sentence unless it holds several values.
            if len(values) == 1:
                return self._inflected(values[0], slot, draft, below)
        else:
            values = self.lists[slot.name]
        for _ in range(20):
            value = values[skewed(below, len(values))]
            text = self._inflected(value, slot, draft, below)
            if text not in draft.used:
                break
        draft.used.add(text)
        return text

    def _inflected(
        self, value: str | tuple[Part, ...], slot: Slot, draft: Draft, below: Below
    ) -> str:
        """Fill a value's own slots, then put it into the form that the slot asks for."""
        if not isinstance(value, str):
            out: list[str] = []
            self._fill(value, draft, out, below)
            value = "".join(out)
        return inflect(value, slot.form) if slot.form else value


def _article(match: re.Match[str]) -> str:
    a, word = match.groups()
    return f"{a} " if word.lower().startswith(SOUNDS_LIKE_YOU) else f"{a}n "


def finish(text: str) -> str:
    """Correct spaces and articles, add the capital and the full stop."""
    text = " ".join(text.split()).replace(" ,", ",")
    text = ARTICLE.sub(_article, text)
    if text[-1] not in '.?!"':
        text += "."
    elif text[-1] == '"' and text[-2] not in ".?!":
        text = text[:-1] + '."'
    text = ANSWER.sub(lambda match: match[0].upper(), text)
    at = 1 if text[0] == '"' else 0
    return text[:at] + text[at].upper() + text[at + 1 :]
