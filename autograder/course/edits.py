"""Applies edits to a reference's text: lines to take out, lines to put in.

    -     return X, torch.tanh(self.pooler(X[:, 0]))
    +     return X, torch.tanh(self.pooler(X.mean(dim=1)))

A line that begins with a blank is context. A line ``...`` separates hunks. Each hunk must match
exactly one place in the reference, in order; only the indentation of its lines relative to each
other counts. A hunk that only adds lines needs a line of context beside them.
"""

from __future__ import annotations

import difflib
import textwrap

from autograder.errors import CourseError


class EditError(CourseError):
    """The edit does not apply; the sentence names the line and the nearest one."""


def is_edit(text: str) -> bool:
    """Whether a text is an edit, as opposed to a whole answer in Python."""
    lines = textwrap.dedent(text).strip("\n").splitlines()
    return any(line[:1] in ("-", "+") for line in lines)


def apply_edit(source: str, edit: str) -> str:
    """The source with the edit applied.

    Parameters
    ----------
    source : the reference's text, as `reference.sources` gives it.
    edit : lines that begin with ``-`` (out), ``+`` (in) or a blank (context).

    Raises
    ------
    EditError
        A hunk matches nothing or several places, changes nothing, or adds lines beside nothing.
    """
    lines = source.splitlines()
    begin = 0
    for hunk in _hunks(edit):
        old = [text.strip() for mark, text in hunk if mark != "+"]
        if not old:
            raise EditError(f"`+{hunk[0][1]}` needs a line of context that says where it goes.")
        if all(mark == " " for mark, _ in hunk):
            raise EditError(f"`{old[0]}` stands in a hunk that changes nothing.")
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
    """Where the lines `old` stand, at or after `begin`."""
    bare = [line.strip() for line in lines]
    found = [i for i in range(begin, len(bare) - len(old) + 1) if bare[i : i + len(old)] == old]
    if len(found) == 1:
        return found[0]
    if found:
        raise EditError(f"`{old[0]}` matches {len(found)} places; add a line of context.")
    missing = next((line for line in old if line not in bare[begin:]), old[0])
    near = difflib.get_close_matches(missing, bare, n=1, cutoff=0.0)
    tip = f" (nearest: `{near[0]}`)" if near else ""
    raise EditError(f"`{missing}` is not in the solution{tip}.")


def _hunks(edit: str) -> list[list[tuple[str, str]]]:
    found: list[list[tuple[str, str]]] = [[]]
    for line in textwrap.dedent(edit).strip("\n").splitlines():
        if line.strip() == "...":
            found.append([])
        elif line.strip():
            found[-1].append((line[0], line[1:]))
    return [hunk for hunk in found if hunk]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
