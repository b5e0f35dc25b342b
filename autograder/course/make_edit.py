"""Answers written as small edits of the reference: the inverse of `apply_edit`."""

from __future__ import annotations

import difflib

from autograder.course.apply_edit import EditError, apply_edit

#: An answer with more changed lines is written in full.
_MAX_LINES = 8


def make_edit(reference: str, answer: str) -> str | None:
    """Return the edit that turns the reference into the answer; None if it is no small edit.

    Both are sources without docstrings and blank lines.
    """
    old, new = reference.splitlines(), answer.splitlines()
    changes = [
        op for op in difflib.SequenceMatcher(None, old, new).get_opcodes() if op[0] != "equal"
    ]
    if not changes or sum(i2 - i1 + j2 - j1 for _, i1, i2, j1, j2 in changes) > _MAX_LINES:
        return None
    for context in range(3):
        hunks = [_hunk(old, new, change, context) for change in changes]
        edit = "...\n".join(hunks)
        try:
            if apply_edit(reference, edit).splitlines() == new:
                return edit
        except EditError:
            continue  # a hunk matches twice, or needs context
    return None


def _hunk(
    old: list[str], new: list[str], change: tuple[str, int, int, int, int], context: int
) -> str:
    _, i1, i2, j1, j2 = change
    lines = [" " + line for line in old[max(0, i1 - context) : i1]]
    lines += ["-" + line for line in old[i1:i2]] + ["+" + line for line in new[j1:j2]]
    return "\n".join(lines) + "\n"
