"""The assignments as a graph: which reuse code of which, and which build on the ideas of which."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass

from autograder.course.assignment import Assignment, every_assignment
from autograder.course.cells import reused_from
from autograder.course.layout import Course

#: At most so many assignments side by side, so that a phone can show them.
_WIDEST = 4
_BOX, _HIGH, _GAP, _BETWEEN = 100, 50, 12, 36
_LETTERS = 15  # in a line of a box
_PREREQUISITES = re.compile(r"\*\*Prerequisites\.?\*\*\s*([^.]*(?:\.\w[^.]*)*)")


@dataclass(frozen=True)
class Graph:
    """What builds on what.

    Attributes
    ----------
    titles : dict of str to str
        Name of an assignment -> its title, in order.
    reuse : frozenset of (str, str)
        (earlier, later) where the later notebook has a cell for code of the earlier one.
    builds : frozenset of (str, str)
        (earlier, later) where the later notebook only names the earlier as a prerequisite, and no
        path of other assignments leads there.
    """

    titles: dict[str, str]
    reuse: frozenset[tuple[str, str]]
    builds: frozenset[tuple[str, str]]

    def text(self) -> str:
        """The graph in sentences, for those who do not see it."""
        parts = []
        for name in self.titles:
            before = [earlier for earlier, later in sorted(self.reuse) if later == name]
            ideas = [earlier for earlier, later in sorted(self.builds) if later == name]
            said = [f"reuses code of {_numbers(before)}"] * bool(before)
            said += [f"builds on {_numbers(ideas)}"] * bool(ideas)
            if said:
                parts.append(f"{name[:2]} {' and '.join(said)}")
        return f"What builds on what: {'; '.join(parts)}." if parts else "Nothing builds on another."


def title_of(assignment: Assignment) -> str:
    """The title of a notebook, from its first heading, without the number."""
    for cell in assignment.release.cells:
        if found := re.search(r"^# (?:\d\d )?(.+)$", cell.source, re.MULTILINE):
            return re.sub(r"[`*$]", "", found[1]).strip()
    return assignment.name


def read_graph(course: Course) -> Graph:
    """The graph of a course, from its student notebooks: "From assignment" cells, and prerequisites."""
    titles: dict[str, str] = {}
    reuse, ideas = set(), set()
    for assignment in every_assignment(course):
        name = assignment.name
        earlier = {one[:2]: one for one in titles}
        titles[name] = title_of(assignment)
        used = {found for found in map(reused_from, assignment.release.cells) if found}
        reuse |= {(one, name) for one in used if one in titles}
        text = assignment.release.cells[0].source if assignment.release.cells else ""
        for sentence in _PREREQUISITES.findall(text):
            ideas |= {(earlier[n], name) for n in re.findall(r"\b\d\d\b", sentence) if n in earlier}
    every = reuse | ideas
    direct = {edge for edge in ideas - reuse if not _around(edge, every)}
    return Graph(titles, frozenset(reuse), frozenset(direct))


def _around(edge: tuple[str, str], edges: set[tuple[str, str]]) -> bool:
    """Whether a path of other edges joins the two ends of an edge."""
    reached, queue = set(), [edge[0]]
    while queue:
        here = queue.pop()
        for start, end in edges:
            if start == here and (start, end) != edge and end not in reached:
                reached.add(end)
                queue.append(end)
    return edge[1] in reached


def rows_of(graph: Graph) -> list[list[str]]:
    """The assignments in rows, each below all that it needs and few enough to stand side by side."""
    rows: list[list[str]] = []
    place: dict[str, int] = {}
    edges = graph.reuse | graph.builds
    for name in graph.titles:
        row = max((place[start] + 1 for start, end in edges if end == name), default=0)
        while row < len(rows) and len(rows[row]) >= _WIDEST:
            row += 1
        while len(rows) <= row:
            rows.append([])
        rows[row].append(name)
        place[name] = row
    return _with_few_crossings(rows, edges)


def _with_few_crossings(
    rows: list[list[str]], edges: frozenset[tuple[str, str]]
) -> list[list[str]]:
    """The same rows, each ordered by the mean place of what its assignments need."""
    middle: dict[str, float] = {}
    ordered = []
    for row in rows:
        wanted = {}
        for number, name in enumerate(row):
            needed = [middle[start] for start, end in edges if end == name]
            wanted[name] = sum(needed) / len(needed) if needed else number - (len(row) - 1) / 2
        row = sorted(row, key=lambda name: (wanted[name], name))
        middle |= {name: number - (len(row) - 1) / 2 for number, name in enumerate(row)}
        ordered.append(row)
    return ordered


def as_svg(graph: Graph) -> str:
    """The graph as a piece of SVG in the colors of the page around it, with its text as description."""
    rows = rows_of(graph)
    width = _WIDEST * (_BOX + _GAP)
    height = len(rows) * (_HIGH + _BETWEEN) - _BETWEEN + 4
    corner = {
        name: (
            (width - len(row) * (_BOX + _GAP) + _GAP) / 2 + column * (_BOX + _GAP),
            2 + number * (_HIGH + _BETWEEN),
        )
        for number, row in enumerate(rows)
        for column, name in enumerate(row)
    }
    parts = [
        f'<svg class="graph" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="{html.escape(graph.text())}" xmlns="http://www.w3.org/2000/svg">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>',
    ]
    for kind, edges in (("builds", graph.builds), ("reuse", graph.reuse)):
        for start, end in sorted(edges):
            parts.append(_arrow(kind, corner[start], corner[end]))
    parts += [_box(name, title, *corner[name]) for name, title in graph.titles.items()]
    return "".join([*parts, "</svg>"])


def _arrow(kind: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    x0, y0 = start[0] + _BOX / 2, start[1] + _HIGH
    x1, y1 = end[0] + _BOX / 2, end[1]
    # meets the box beside its middle, so that arrows from several places can be told apart
    x1 += max(-0.35, min(0.35, (x0 - x1) / 400)) * _BOX
    bend = max(24.0, (y1 - y0) / 2)
    curve = f"M{x0:g} {y0:g}C{x0:g} {y0 + bend:g} {x1:g} {y1 - bend:g} {x1:g} {y1:g}"
    return f'<path class="{kind}" d="{curve}" marker-end="url(#tip)"/>'


def _box(name: str, title: str, x: float, y: float) -> str:
    lines = textwrap.wrap(title, _LETTERS)
    lines = lines if len(lines) <= 2 else [lines[0], f"{lines[1][: _LETTERS - 1]}…"]
    middle = x + _BOX / 2
    text = "".join(
        f'<text x="{middle:g}" y="{y + 31 + 12 * number - (len(lines) == 1) * -4:g}">{html.escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{_BOX}" height="{_HIGH}" rx="6"/>'
        f'<text class="number" x="{middle:g}" y="{y + 16:g}">{name[:2]}</text>{text}'
    )


def _numbers(names: list[str]) -> str:
    numbers = [name[:2] for name in names]
    return " and ".join(filter(None, [", ".join(numbers[:-1]), *numbers[-1:]]))
