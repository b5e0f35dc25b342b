"""Application of edits to the source of a reference: lines to remove, lines to add.

    -     return X, torch.tanh(self.pooler(X[:, 0]))
    +     return X, torch.tanh(self.pooler(X.mean(dim=1)))

A line that begins with a space is context. A line ``...`` separates hunks. Each hunk must match the
reference exactly once, in order; only the relative indentation of its lines matters. A hunk that
only adds lines needs a context line before or after them.
"""

from __future__ import annotations

import difflib
import textwrap

from autograder.errors import AnswerError


class EditError(AnswerError):
    """Error of an edit that does not apply; the message names the line and its closest match."""


def is_edit(text: str) -> bool:
    """Tell whether the text is an edit, rather than a whole answer in Python."""
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return any(line[:1] in ("-", "+") for line in lines)


def apply_edit(source: str, edit: str) -> str:
    """Return the source with the edit applied.

    Parameters
    ----------
    source : str
        The source of the reference, as returned by `reference.bare_sources`.
    edit : str
        Lines that begin with ``-`` (remove), ``+`` (add) or a space (context).

    Raises
    ------
    EditError
        A hunk does not match exactly once, changes nothing, or adds lines without context.
    """
    lines = source.splitlines()
    begin = 0
    for hunk in _hunks(edit):
        old = [text.strip() for mark, text in hunk if mark != "+"]
        if not old:
            raise EditError(f"`+{hunk[0][1]}` needs a context line that says where it goes.")
        if all(mark == " " for mark, _ in hunk):
            raise EditError(f"`{old[0]}` is in a hunk that changes nothing.")
        at = _find(lines, old, begin)
        first = next(text for mark, text in hunk if mark != "+")
        shift = _indent(lines[at]) - _indent(first)
        new, here = [], at
        for mark, text in hunk:
            if mark == "+":
                new.append(" " * max(0, shift + _indent(text)) + text.strip())
                continue
            if mark == " ":
                new.append(lines[here])
            here += 1
        lines[at:here] = new
        begin = at + len(new)
    return "\n".join(lines) + "\n"


def _find(lines: list[str], old: list[str], begin: int) -> int:
    """Return the index of the lines `old`, at or after `begin`, where they must occur once."""
    bare = [line.strip() for line in lines]
    found = [i for i in range(begin, len(bare) - len(old) + 1) if bare[i : i + len(old)] == old]
    if len(found) == 1:
        return found[0]
    if found:
        raise EditError(f"`{old[0]}` matches {len(found)} times; add a context line.")
    missing = next((line for line in old if line not in bare[begin:]), old[0])
    near = difflib.get_close_matches(missing, bare, n=1, cutoff=0.0)
    tip = f" (closest match: `{near[0]}`)" if near else ""
    raise EditError(f"`{missing}` is not in the solution{tip}.")


def _hunks(edit: str) -> list[list[tuple[str, str]]]:
    """Split an edit into hunks, each a list of (mark, text) per line."""
    found: list[list[tuple[str, str]]] = [[]]
    for line in textwrap.dedent(edit).strip("\n").splitlines():
        if line.strip() == "...":
            found.append([])
        elif line.strip():
            found[-1].append((line[0], line[1:]))
    return [hunk for hunk in found if hunk]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
