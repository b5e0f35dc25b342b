"""Escaping of text that students chose, for terminals and spreadsheets."""

from __future__ import annotations

import re
import unicodedata

#: Control characters, invisible marks that reorder text, bytes that are not UTF-8, line separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_COLORS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
#: What a spreadsheet takes for a formula, at the start of a cell or after another separator.
_FORMULA = re.compile(r"(^|[,;|])(\s*[=+\-@＝＋－＠])")


def without_colors(text: str) -> str:
    """Remove the escape sequences with which programs color a terminal."""
    return _COLORS.sub("", text)


def for_terminal(text: str, lines: bool = True) -> str:
    r"""Replace each character that controls a terminal by a visible escape, like `\x1b`.

    Parameters
    ----------
    lines : bool
        Keep line breaks; otherwise they are escaped, too.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if unicodedata.category(character) not in _UNSAFE or (lines and character == "\n")
        else ascii(character)[1:-1]
        for character in text
    )


def for_spreadsheet(text: str) -> str:
    """Put an apostrophe before each part of a text that a spreadsheet would run as a formula."""
    return _FORMULA.sub(r"\1'\2", for_terminal(text, lines=False))
