"""Display of a verdict: HTML in notebooks and feedback pages, plain text elsewhere."""

from __future__ import annotations

import re
from html import escape

from coursekit.checking.verdict import GroupResult, Verdict

# Text has the theme's own color, so that it is readable in light, dark and high-contrast themes;
# only lines and the ground of a mark are colored: safe for color-blind readers, lines with a contrast
# above 3 on white and on black, marks with one above 6 to their white sign.
_LINES = {True: "#008f68", False: "#d55e00"}
_GROUNDS = {True: "#00694f", False: "#a13d00"}
_HINT = "border-left:3px solid #2b83c6;padding:1px 8px;margin:3px 0"
_CODE = "white-space:pre-wrap;overflow-wrap:anywhere"


class VerdictView:
    """View of a verdict: ``_repr_html_`` for notebooks, ``str`` and ``repr`` as plain text.

    Parameters
    ----------
    note : str
        A last line.
    further : str
        A hint on the whole exercise, folded in HTML.
    """

    def __init__(self, verdict: Verdict, note: str = "", further: str = "") -> None:
        self.verdict, self.note, self.further = verdict, note, further

    def __repr__(self) -> str:
        """Return the verdict as plain text."""
        verdict = self.verdict
        lines = [f"{_mark(verdict.passed)} {verdict.exercise}: {_points(verdict)} points"]
        if not verdict.passed:
            lines.append(f"  {verdict.headline}")
            lines += [f"  {label + ':':<20} {text}" for label, text in verdict.detail]
            if verdict.hint:
                lines.append(f"  hint: {verdict.hint}")
            if verdict.next_hint:
                lines.append(f"  and then: {verdict.next_hint}")
            if verdict.printed:
                lines.append("  your function printed:")
                lines += [f"    {line}" for line in verdict.printed.splitlines()]
        lines += [_group_text(group) for group in _groups(verdict)]
        lines += [f"  {verdict.help}"] if verdict.help else []
        lines += [f"  further hint: {self.further}"] if self.further else []
        lines += [f"  {self.note}"] if self.note else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the verdict as HTML."""
        verdict = self.verdict
        line = _LINES[verdict.passed]
        parts = [
            f'<div style="border-left:4px solid {line};padding:4px 12px;margin:4px 0">',
            f"{_mark_html(verdict.passed)} <b>{escape(verdict.exercise)}</b>"
            f" &nbsp;{_points(verdict)} points",
        ]
        if not verdict.passed:
            parts.append(f"<div>{_sentence(verdict.headline)}</div>")
            if verdict.hint:
                parts.append(f'<div style="{_HINT}"><b>Hint.</b> {_prose(verdict.hint)}</div>')
            if verdict.next_hint:
                parts.append(
                    f'<details style="{_HINT}"><summary>There is a second mistake.</summary>'
                    f"{_prose(verdict.next_hint)}</details>"
                )
            parts.append(_rows(verdict.detail))
            if verdict.printed:
                parts.append(
                    "<div>Your function printed:"
                    f'<pre style="margin:0;{_CODE}">{escape(verdict.printed)}</pre></div>'
                )
        parts += [_group_html(group) for group in _groups(verdict)]
        if verdict.help:
            parts.append(f"<div>{_sentence(verdict.help)}</div>")
        if self.further:
            parts.append(
                f'<details style="{_HINT}"><summary>Still stuck? A further hint.</summary>'
                f"{_prose(self.further)}</details>"
            )
        if self.note:
            parts.append(f'<div style="font-size:90%">{_prose(self.note)}</div>')
        return "".join([*parts, "</div>"])


def _groups(verdict: Verdict) -> list[GroupResult]:
    """Return the groups to list: none if the headline already says it all."""
    redundant = all(g.reason and verdict.headline.startswith(g.reason) for g in verdict.groups)
    return [] if redundant or (verdict.passed and len(verdict.groups) == 1) else verdict.groups


def _mark(passed: bool) -> str:
    """Return a check mark or a cross."""
    return "✓" if passed else "✗"


def _mark_html(passed: bool) -> str:
    """Return a colored check mark or cross as HTML."""
    look = f"background:{_GROUNDS[passed]};color:#fff;border-radius:3px;padding:0 5px"
    return f'<span style="{look}">{_mark(passed)}</span>'


def _points(verdict: Verdict) -> str:
    """Format the points of a verdict."""
    return f"{verdict.points:g} of {verdict.max_points:g}"


def _sentence(text: str) -> str:
    """Return the text with a full stop at its end."""
    return _prose(text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else "."))


def _prose(text: str) -> str:
    """Escape text, with `names` between backticks set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _rows(rows: list[list[str]]) -> str:
    """Return rows of label and text as an HTML table."""
    cells = "".join(
        '<tr><td style="text-align:right;vertical-align:top;padding:1px 8px;white-space:nowrap">'
        f'{escape(label)}</td><td style="text-align:left"><code style="{_CODE}">{escape(text)}'
        "</code></td></tr>"
        for label, text in rows
    )
    return f'<table style="margin:2px 0">{cells}</table>'


def _group_text(group: GroupResult) -> str:
    """Format the result of a group as a line of text."""
    reason = f"  {group.reason}" if group.reason else ""
    mark = _mark(not group.reason)
    return f"  {mark} {group.name:<12} {group.points:g} of {group.max_points:g}{reason}"


def _group_html(group: GroupResult) -> str:
    """Format the result of a group as HTML."""
    reason = f" &ndash; {_prose(group.reason)}" if group.reason else ""
    return (
        f'<div style="margin:2px 0">{_mark_html(not group.reason)}'
        f" {escape(group.name)} {group.points:g} of {group.max_points:g}{reason}</div>"
    )
