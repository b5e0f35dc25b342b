"""Small tables as text and as HTML.

The HTML has `scope` attributes for screen readers, which that of pandas lacks.
"""

from collections.abc import Sequence
from html import escape

_CELL = "padding: 2px 10px; text-align: "


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the same table as HTML, with everything escaped."""

    def line(cells: Sequence[str], scope: str) -> str:
        # Screen readers then say the names of row and column for every number.
        html = [f'<th scope="{scope}" style="{_CELL}left">{escape(cells[0])}</th>']
        for cell in cells[1:]:
            tag = 'th scope="col"' if scope == "col" else "td"
            html.append(f'<{tag} style="{_CELL}right">{escape(cell)}</{tag[:2]}>')
        return f"<tr>{''.join(html)}</tr>"

    body = "".join(line(row, "row") for row in rows)
    return f"<table><thead>{line(header, 'col')}</thead><tbody>{body}</tbody></table>"


def percent(value: float) -> str:
    """Format a fraction as a percentage with one decimal."""
    return f"{100 * value:.1f}%"


def interval(low: float, high: float) -> str:
    """Format an interval of fractions as percentages."""
    return f"{100 * low:.1f} to {100 * high:.1f}%"
