"""Reading a sentence frame: text, slots and alternatives. The notation is described in `grammar`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

TOKENS = re.compile(r"\{[^{}]*\}|[()|]|[^{}()|]+")


@dataclass(frozen=True)
class Choice:
    """Alternatives, each a sequence of parts."""

    options: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True)
class Slot:
    """A place to fill: ``source`` is "row", "list" or "clause"."""

    source: str
    name: str
    column: str = ""
    form: str = ""


Part = str | Choice | Slot


def parse(text: str, table: str = "", columns: Collection[str] = ()) -> tuple[Part, ...]:
    """Return the parts of a frame.

    Parameters
    ----------
    text
        The frame.
    table
        The table of its section, or "".
    columns
        That table's columns; a slot with another name is a word list.

    Raises
    ------
    ValueError
        If the brackets do not match.
    """
    tokens = TOKENS.findall(text)
    if tokens.count("(") != tokens.count(")"):
        raise ValueError(f"unbalanced brackets in the frame: {text}")
    parts, end = _sequence(tokens, 0, table, columns)
    if end != len(tokens):
        raise ValueError(f"unbalanced brackets in the frame: {text}")
    return parts


def _sequence(
    tokens: list[str], at: int, table: str, columns: Collection[str]
) -> tuple[tuple[Part, ...], int]:
    parts: list[Part] = []
    while at < len(tokens) and tokens[at] not in "|)":
        token = tokens[at]
        at += 1
        if token == "(":
            options = []
            while tokens[at - 1] != ")":
                option, at = _sequence(tokens, at, table, columns)
                options.append(option)
                at += 1
            parts.append(Choice(tuple(options)))
        elif token[0] == "{":
            parts.append(_slot(token[1:-1], table, columns))
        else:
            parts.append(token)
    return tuple(parts), at


def _slot(text: str, table: str, columns: Collection[str]) -> Slot:
    text, _, form = text.partition("+")
    if text[0] == ">":
        return Slot("clause", text[1:])
    row, dot, column = text.partition(".")
    if dot:
        return Slot("row", f"{table}{row}" if row.isdigit() else row, column, form)
    if text in columns:
        return Slot("row", table, text, form)
    return Slot("list", text, "", form)


def slots(parts: tuple[Part, ...]) -> Iterator[Slot]:
    """Yield every slot of a frame, also those inside alternatives."""
    for part in parts:
        if isinstance(part, Choice):
            for option in part.options:
                yield from slots(option)
        elif isinstance(part, Slot):
            yield part
