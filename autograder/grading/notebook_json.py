"""A parser of a submitted notebook's JSON, which checks its size before it spends time or memory.

Outputs and the states of widgets are left out while parsing, since nobody needs them and they may be
large. The rest of an honest notebook is small.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable
from typing import Any

MAX_BYTES = 128 * 2**20
#: Limit on brackets and commas outside of texts, which determine the memory of the parsed JSON.
MAX_TOKENS = 2_000_000
#: Limits without outputs; the largest released notebook has 2,300 values, 100 cells, 45,000
#: characters of code and 35,000 of text, which may also hold pictures.
MAX_VALUES, MAX_TEXT = 50_000, 32 * 2**20
MAX_CELLS, MAX_CODE = 2_000, 1_000_000
_LEFT_OUT: dict[str, list[Any] | dict[str, Any]] = {"outputs": [], "widgets": {}}


class TooLarge(ValueError):
    """The notebook exceeds a limit; the message says which, and what to do."""


def load(content: bytes) -> Any:
    """Return the JSON in a notebook's file, without outputs; replace bytes that are not UTF-8.

    Raises
    ------
    TooLarge
        It has more values or text than any notebook needs.
    ValueError, RecursionError
        It is not JSON, or nested too deeply.
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", "replace").encode()
    if _tokens(content) > MAX_TOKENS:
        raise TooLarge(f"is too large to parse: more than {MAX_TOKENS:,} values")
    data = json.loads(content.decode("utf-8-sig", "replace"), object_hook=_without_outputs)
    values, text = measure(data)
    if values > MAX_VALUES:
        raise TooLarge(f"is too large: more than {MAX_VALUES:,} values besides its outputs")
    if text > MAX_TEXT:
        raise TooLarge(f"is too large: more than {MAX_TEXT // 2**20} MiB besides its outputs")
    return data


def check_cells(cells: list[dict[str, Any]]) -> None:
    """Check the number of cells, and the length of what is code or may become code.

    Raises
    ------
    TooLarge
        The notebook has more of either than `MAX_CELLS` and `MAX_CODE`.
    """
    if len(cells) > MAX_CELLS:
        raise TooLarge(f"is too large: more than {MAX_CELLS:,} cells")
    code = (
        len(cell["source"])
        for cell in cells
        if cell["cell_type"] != "markdown" or "nbgrader" in cell["metadata"]
    )
    if sum(code) > MAX_CODE:
        raise TooLarge(
            f"is too large: more than {MAX_CODE:,} characters of code; load data from files"
        )


def measure(data: Any) -> tuple[int, int]:
    """Return the number of values in JSON, and of characters in its texts and keys."""
    values = text = 0
    left = [data]
    while left:
        value = left.pop()
        values += 1
        if isinstance(value, str):
            text += len(value)
        elif isinstance(value, (dict, list)):
            inner: Iterable[Any] = value
            if isinstance(value, dict):
                text += sum(map(len, value))
                inner = value.values()
            left.extend(inner)
    return values, text


def _tokens(content: bytes) -> int:
    """Return an upper bound on the number of values in JSON, from its brackets and commas."""
    quotes = content.count(b'"')
    if quotes > 2 * MAX_TOKENS or b'"' not in content:
        return max(quotes, sum(map(content.count, (b"[", b"{", b","))))
    if b"\\" in content:
        content = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = content.split(b'"')[::2]
    return sum(part.count(token) for part in outside for token in (b"[", b"{", b","))


def _without_outputs(value: dict[str, Any]) -> dict[str, Any]:
    for name, nothing in _LEFT_OUT.items():
        if name in value:
            value[name] = type(nothing)()
    return value
