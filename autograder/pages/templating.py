"""The Jinja environment and filters of all HTML pages: one file, no scripts, everything escaped."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.escaping import for_terminal

_TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment(folder: Path = _TEMPLATES) -> Environment:
    """Return the Jinja environment for a folder's templates and those of this package."""
    made = Environment(
        loader=FileSystemLoader([folder, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    made.filters.update(
        prose=prose,
        sentence=sentence,
        breaking=_breaking,
        number=number,
        percent=percent,
        duration=_duration,
        memory=_memory,
    )
    return made


def prose(text: str) -> Markup:
    """Escape text, and set words in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def sentence(text: str) -> Markup:
    """Return a sentence of a verdict, as `prose`, with a capital and a full stop."""
    return prose(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else "."))


def number(value: float) -> str:
    """Format a number with two decimals at most, from 100,000 on with thousands separators instead."""
    return f"{round(value, 2):g}" if abs(value) < 100_000 else f"{value:,.0f}"


def percent(share: float) -> str:
    """Format a share from 0 to 1 as a percentage without decimals."""
    return f"{100 * share:.0f}%"


def _breaking(name: str) -> Markup:
    """Escape a name, and let it break after each underscore."""
    return escape(name).replace("_", Markup("_<wbr>"))


def _visible(value: object) -> object:
    """Escape characters of a text that reorder or hide it on the page."""
    if isinstance(value, Markup):
        return Markup(for_terminal(value))
    return for_terminal(value) if isinstance(value, str) else value


def _duration(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _memory(size: float) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"
