"""What our HTML pages have in common: one file each, no scripts, everything escaped."""

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
    """Jinja for the templates in a folder, which may include those of this package."""
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
    """Escaped text, with words in backticks set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def sentence(text: str) -> Markup:
    """A sentence of a verdict, as `prose`, with a capital and a full stop."""
    return prose(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else "."))


def number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 100_000 else f"{value:,.0f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _breaking(name: str) -> Markup:
    """A name that may break after each underscore."""
    return escape(name).replace("_", Markup("_<wbr>"))


def _visible(value: object) -> object:
    """Without characters that reorder or hide text on the page."""
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
