"""Graph of the assignments: code that one reuses of another, and prerequisites."""

from __future__ import annotations

import html
import itertools
import re
import textwrap
from dataclasses import dataclass
from typing import Any

from networkx import DiGraph, transitive_reduction

from autograder.course.assignment import every_assignment
from autograder.course.cells import reused_from
from autograder.course.layout import Course

#: At most so many assignments side by side, so that a phone can show them.
_MAX_BOXES = 4
_BOX, _HIGH, _GAP, _BETWEEN = 98, 58, 10, 34
#: The width of the lane of a line that passes a row.
_LANE = 8
_LETTERS = 16  # in a line of a box
_SWEEPS = 8
#: An assignment, or where a line passes a row: its start, its end and the row.
_Item = str | tuple[str, str, int]
_PREREQUISITES = re.compile(r"\*\*Prerequisites\.?\*\*\s*([^.]*(?:\.\w[^.]*)*)")


@dataclass(frozen=True)
class Graph:
    """Dependencies of a course's assignments.

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

    @property
    def edges(self) -> frozenset[tuple[str, str]]:
        """All edges, of both kinds."""
        return self.reuse | self.builds

    def text(self) -> str:
        """Return the graph in sentences, for readers who do not see it."""
        parts = []
        for name in self.titles:
            before = [earlier for earlier, later in sorted(self.reuse) if later == name]
            ideas = [earlier for earlier, later in sorted(self.builds) if later == name]
            said = [f"reuses code of {_numbers(before)}"] * bool(before)
            said += [f"builds on {_numbers(ideas)}"] * bool(ideas)
            if said:
                parts.append(f"{name[:2]} {' and '.join(said)}")
        return (
            f"What builds on what: {'; '.join(parts)}." if parts else "Nothing builds on another."
        )


def read_graph(course: Course) -> Graph:
    """Read a course's graph from the "From assignment" cells and prerequisites of its notebooks."""
    titles: dict[str, str] = {}
    reuse, ideas = set(), set()
    for assignment in every_assignment(course):
        name = assignment.name
        earlier = {one[:2]: one for one in titles}
        titles[name] = assignment.title
        used = {found for found in map(reused_from, assignment.release.cells) if found}
        reuse |= {(one, name) for one in used if one in earlier.values()}
        text = assignment.release.cells[0].source if assignment.release.cells else ""
        for sentence in _PREREQUISITES.findall(text):
            ideas |= {(earlier[n], name) for n in re.findall(r"\b\d\d\b", sentence) if n in earlier}
    direct = transitive_reduction(DiGraph([*reuse, *ideas])).edges
    return Graph(titles, frozenset(reuse), frozenset((ideas - reuse).intersection(direct)))


def rows_of(graph: Graph) -> list[list[str]]:
    """Return the assignments in rows, each below all that it needs and few enough for the width."""
    rows: list[list[str]] = []
    place: dict[str, int] = {}
    for name in graph.titles:
        row = max((place[start] + 1 for start, end in graph.edges if end == name), default=0)
        while row < len(rows) and len(rows[row]) >= _MAX_BOXES:
            row += 1
        while len(rows) <= row:
            rows.append([])
        rows[row].append(name)
        place[name] = row
    return rows


def _arranged(graph: Graph) -> list[dict[_Item, float]]:
    """Return the items of each row with their middles, in an order with few crossings.

    Layers with dummy vertices and the barycenter heuristic (Sugiyama, Tagawa and Toda, 1981).
    """
    rows: list[list[_Item]] = [list(row) for row in rows_of(graph)]
    place = {name: number for number, row in enumerate(rows) for name in row}
    ways = _ways(graph, place)
    for way in ways.values():
        for item in way:
            if not isinstance(item, str):
                rows[item[2]].append(item)
    pairs = [pair for way in ways.values() for pair in itertools.pairwise(way)]
    before: dict[_Item, list[_Item]] = {}
    after: dict[_Item, list[_Item]] = {}
    for first, second in pairs:
        before.setdefault(second, []).append(first)
        after.setdefault(first, []).append(second)
    middles = [_spread(row) for row in rows]
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        near = before if down else after
        order = range(1, len(rows)) if down else range(len(rows) - 2, -1, -1)
        for number in order:
            other = middles[number - 1 if down else number + 1]
            middles[number] = _reordered(middles[number], other, near)
    return middles


def _reordered(
    own: dict[_Item, float], other: dict[_Item, float], near: dict[_Item, list[_Item]]
) -> dict[_Item, float]:
    """Return a row whose items are ordered by the mean place of their neighbors."""

    def wanted(item: _Item) -> float:
        beside = [other[one] for one in near.get(item, [])]
        return sum(beside) / len(beside) if beside else own[item]

    return _spread(sorted(own, key=wanted))


def _ways(graph: Graph, place: dict[Any, int]) -> dict[tuple[str, str], list[_Item]]:
    """Return each edge's items: its start, a lane in each row between, its end."""
    found: dict[tuple[str, str], list[_Item]] = {}
    for start, end in sorted(graph.edges):
        lanes: list[_Item] = [(start, end, row) for row in range(place[start] + 1, place[end])]
        found[start, end] = [start, *lanes, end]
    return found


def _spread(row: list[_Item]) -> dict[_Item, float]:
    """Return the middles of a row's items, side by side around 0."""
    widths = [_BOX if isinstance(item, str) else _LANE for item in row]
    left = -(sum(widths) + _GAP * (len(row) - 1)) / 2
    found = {}
    for item, width in zip(row, widths):
        found[item] = left + width / 2
        left += width + _GAP
    return found


def as_svg(graph: Graph) -> str:
    """Return the graph as an SVG in the colors of the page, with its text as description."""
    middles = _arranged(graph)
    half = max(abs(x) + _BOX / 2 for row in middles for x in row.values()) + 2 if middles else 0
    height = max(0, len(middles) * (_HIGH + _BETWEEN) - _BETWEEN + 4)
    at: dict[_Item, tuple[float, float]] = {
        item: (half + x, 2 + number * (_HIGH + _BETWEEN))
        for number, row in enumerate(middles)
        for item, x in row.items()
    }
    place = {item: number for number, row in enumerate(middles) for item in row}
    parts = [
        f'<svg class="graph" viewBox="0 0 {2 * half:g} {height}" role="img"'
        f' aria-label="{html.escape(graph.text())}" xmlns="http://www.w3.org/2000/svg">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
        ' markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for edge, way in _ways(graph, place).items():
        kind = "reuse" if edge in graph.reuse else "builds"
        parts.append(
            _line(kind, way, at, [at[start][0] for start, end in graph.edges if end == edge[1]])
        )
    parts += [_box(name, title, *at[name]) for name, title in graph.titles.items()]
    return "".join([*parts, "</svg>"])


def _line(
    kind: str, way: list[_Item], at: dict[_Item, tuple[float, float]], beside: list[float]
) -> str:
    """Return an edge through its lanes; `beside` has the x of all edges with the same end."""
    x, y = at[way[0]][0], at[way[0]][1] + _HIGH
    path = [f"M{x:g} {y:g}"]
    for number, item in enumerate(way[1:], 1):
        down = at[item]
        x1, y1 = down
        if number == len(way) - 1 and len(beside) > 1:
            rank = sorted(beside).index(at[way[0]][0])
            x1 += (rank - (len(beside) - 1) / 2) * 22
        bend = (y1 - y) * 0.55
        path.append(f"C{x:g} {y + bend:g} {x1:g} {y1 - bend:g} {x1:g} {y1:g}")
        if number < len(way) - 1:
            path.append(f"V{y1 + _HIGH:g}")
        x, y = x1, y1 + _HIGH
    return f'<path class="{kind}" d="{"".join(path)}" marker-end="url(#tip)"/>'


def _box(name: str, title: str, x: float, y: float) -> str:
    """Return an assignment's box with its number and title."""
    lines = textwrap.wrap(title.split(":")[0], _LETTERS, max_lines=3, placeholder="…")
    first = y + 40 - 5.5 * (len(lines) - 1)
    text = "".join(
        f'<text x="{x:g}" y="{first + 11 * number:g}">{html.escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return (
        f'<rect x="{x - _BOX / 2:g}" y="{y:g}" width="{_BOX}" height="{_HIGH}" rx="6"/>'
        f'<text class="number" x="{x:g}" y="{y + 15:g}">{name[:2]}</text>{text}'
    )


def _numbers(names: list[str]) -> str:
    numbers = [name[:2] for name in names]
    return " and ".join(filter(None, [", ".join(numbers[:-1]), *numbers[-1:]]))
