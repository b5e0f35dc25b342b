r"""Boxes, arrows and labels in the one style of the course's drawings.

    from autograder.authoring.canvas import Canvas


    def draw() -> Canvas:
        canvas = Canvas(400, 160)
        tokens = canvas.box(20, 60, 120, 44, "tokens", fill="blue")
        vectors = canvas.box(250, 60, 130, 44, "embeddings\n$(B, L, d)$", fill="green")
        canvas.arrow(tokens.right, vectors.left, "look up")
        return canvas

Lengths are pixels; x goes right, y goes down, from the top left corner. A drawing should be at most
460 wide, so that a phone shows it without shrinking its 13-pixel text to nothing. Texts may have
several lines and formulas in dollar signs, as matplotlib writes them.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autograder.extras import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Point = tuple[float, float]

#: Fills, light enough for black text: WCAG's contrast with it is at least 12.
FILLS = {
    "blue": "#D5E8F5",
    "orange": "#FBE3D0",
    "green": "#D3EFE3",
    "pink": "#F5E1EC",
    "yellow": "#FBF0C9",
    "gray": "#E8E8E8",
    "white": "#FFFFFF",
}
#: Strokes, after Okabe and Ito (2008): distinct in every common color blindness.
STROKES = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#00805C",
    "pink": "#B0558A",
    "yellow": "#8A6D00",
    "gray": "#666666",
    "white": "#333333",
    "black": "#222222",
}
TEXT = "#1A1A1A"
MAX_WIDTH = 460
_SCALE = 1.5  # pixels of the picture per pixel of the drawing: sharp, and no wider than a page
_POINTS = 0.72  # points per pixel at 100 pixels per inch
_STYLE = 1  # count up when the same commands are to look different


@dataclass(frozen=True)
class Box:
    """Position and size of a box, and the points at which arrows meet it."""

    x: float
    y: float
    width: float
    height: float

    @property
    def center(self) -> Point:
        """Middle of the box."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def top(self) -> Point:
        """Middle of the upper edge."""
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> Point:
        """Middle of the lower edge."""
        return self.x + self.width / 2, self.y + self.height

    @property
    def left(self) -> Point:
        """Middle of the left edge."""
        return self.x, self.y + self.height / 2

    @property
    def right(self) -> Point:
        """Middle of the right edge."""
        return self.x + self.width, self.y + self.height / 2


@dataclass
class Canvas:
    """Drawing of `width` by `height` pixels, as a list of commands."""

    width: float
    height: float
    commands: list[dict[str, Any]] = field(default_factory=list)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str = "",
        fill: str = "blue",
        dashed: bool = False,
        size: float = 13,
        bold: bool = False,
    ) -> Box:
        """Draw a rounded box with its text in the middle; `fill` is a name in `FILLS`."""
        self._add("box", x=x, y=y, width=width, height=height, fill=fill, dashed=dashed)
        box = Box(x, y, width, height)
        if text:
            self.text(*box.center, text, size=size, bold=bold)
        return box

    def grid(
        self,
        x: float,
        y: float,
        rows: int,
        columns: int,
        size: float = 14,
        fill: str = "blue",
    ) -> Box:
        """Draw a matrix (one row or column: a vector) of square entries."""
        for row in range(rows):
            for column in range(columns):
                self._add("cell", x=x + column * size, y=y + row * size, size=size, fill=fill)
        return Box(x, y, columns * size, rows * size)

    def arrow(
        self,
        start: Point,
        end: Point,
        text: str = "",
        color: str = "black",
        dashed: bool = False,
        bend: float = 0.0,
        at: Point | None = None,
    ) -> None:
        """Draw an arrow, curved if `bend` is not 0; its text stands at `at`, or beside its middle.

        `bend` is the curve's height in parts of the arrow's length; positive bends to the left of
        the direction in which the arrow runs.
        """
        self._add("line", points=[start, end], color=color, dashed=dashed, head=True, bend=bend)
        if text:
            (x0, y0), (x1, y1) = start, end
            steep = abs(y1 - y0) > abs(x1 - x0)
            middle = ((x0 + x1) / 2 + (6 if steep else 0), (y0 + y1) / 2 - (0 if steep else 10))
            self.text(*(at or middle), text, size=12, align="left" if steep else "center")

    def line(
        self, *points: Point, color: str = "black", dashed: bool = False, head: bool = False
    ) -> None:
        """Draw a line through the points, with an arrow head at its end if `head`."""
        look = {"color": color, "dashed": dashed, "bend": 0}
        pairs = list(itertools.pairwise(points))
        for number, pair in enumerate(pairs, 1):
            self._add("line", points=list(pair), head=head and number == len(pairs), **look)

    def circle(self, x: float, y: float, radius: float, text: str = "", fill: str = "white") -> Box:
        """Draw a circle around (x, y), as for a sum: `text="+"`."""
        self._add("circle", x=x, y=y, radius=radius, fill=fill)
        if text:
            self.text(x, y, text, size=14)
        return Box(x - radius, y - radius, 2 * radius, 2 * radius)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 13,
        align: str = "center",
        color: str = "",
        bold: bool = False,
    ) -> None:
        """Write at (x, y), which is the middle of the text's height; `align`: left, center, right."""
        self._add("text", x=x, y=y, text=text, size=size, align=align, color=color, bold=bold)

    def fingerprint(self) -> str:
        """Return a hash of the drawing that does not depend on the version of matplotlib."""
        content = [_STYLE, self.width, self.height, self.commands]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def png(self) -> bytes:
        """Return the drawing as a PNG file on white ground."""
        require("author")
        from PIL import Image

        full = io.BytesIO()
        self._drawn().savefig(full, format="png", dpi=100 * _SCALE, facecolor="white")
        small = io.BytesIO()
        Image.open(full).convert("RGB").quantize(64).save(small, format="PNG", optimize=True)
        return small.getvalue()

    def vector(self, kind: str, title: str = "", rights: str = "") -> bytes:
        """Return the drawing as a vector file on white ground, its letters as outlines.

        Parameters
        ----------
        kind : str
            "svg" or "pdf".
        title, rights : str
            What it shows and its license, for the file's metadata.
        """
        require("author")
        import matplotlib

        about: dict[str, Any]
        if kind == "svg":
            about = {"Title": title, "Rights": rights, "Date": None}
        else:
            about = {"Title": title, "Subject": rights, "CreationDate": None}
        made = io.BytesIO()
        same: dict[Any, Any] = {"svg.fonttype": "path", "svg.hashsalt": self.fingerprint()}
        with matplotlib.rc_context(same):
            self._drawn().savefig(made, format=kind, facecolor="white", metadata=about)
        return made.getvalue()

    def _drawn(self) -> Figure:
        """Return the drawing as a figure of matplotlib."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=100 * _SCALE)
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        for command in self.commands:
            rest = {key: value for key, value in command.items() if key != "kind"}
            _DRAW[command["kind"]](axes, **rest)
        return figure

    def _add(self, kind: str, **what: Any) -> None:
        """Add a command after checking its colors."""
        for key, known in (("fill", FILLS), ("color", {"": "", **STROKES})):
            if key in what and what[key] not in known:
                raise ValueError(
                    f"There is no {key} {what[key]!r}; choose from {', '.join(known)}."
                )
        self.commands.append({"kind": kind, **what})


def _box(
    axes: Any, x: float, y: float, width: float, height: float, fill: str, dashed: bool
) -> None:
    """Draw a rounded box."""
    from matplotlib.patches import FancyBboxPatch

    style: dict[str, Any] = {
        "edgecolor": STROKES[fill],
        "linewidth": 1.1,
        "linestyle": "--" if dashed else "-",
    }
    shape = f"round,pad=0,rounding_size={min(6, width / 2, height / 2)}"
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle=shape, facecolor=FILLS[fill], **style)
    )


def _cell(axes: Any, x: float, y: float, size: float, fill: str) -> None:
    """Draw a square entry of a matrix."""
    from matplotlib.patches import Rectangle

    look: dict[str, Any] = {"facecolor": FILLS[fill], "edgecolor": STROKES[fill], "linewidth": 0.8}
    axes.add_patch(Rectangle((x, y), size, size, **look))


def _circle(axes: Any, x: float, y: float, radius: float, fill: str) -> None:
    """Draw a circle."""
    from matplotlib.patches import Circle

    look: dict[str, Any] = {"facecolor": FILLS[fill], "edgecolor": STROKES[fill], "linewidth": 1.1}
    axes.add_patch(Circle((x, y), radius, **look))


def _line(
    axes: Any, points: list[Point], color: str, dashed: bool, head: bool, bend: float
) -> None:
    """Draw a line or an arrow."""
    from matplotlib.patches import FancyArrowPatch

    look: dict[str, Any] = {
        "color": STROKES[color],
        "linewidth": 1.2,
        "linestyle": "--" if dashed else "-",
    }
    look["arrowstyle"] = "-|>,head_length=4,head_width=2" if head else "-"
    # y goes down here, so that matplotlib's left is right
    curve = f"arc3,rad={-bend}"
    axes.add_patch(FancyArrowPatch(*points, connectionstyle=curve, shrinkA=0, shrinkB=0.5, **look))


def _text(
    axes: Any, x: float, y: float, text: str, size: float, align: str, color: str, bold: bool
) -> None:
    """Draw a text."""
    look: dict[str, Any] = {
        "color": STROKES[color] if color else TEXT,
        "weight": "bold" if bold else "normal",
    }
    look |= {"ha": align, "va": "center", "fontsize": size * _POINTS, "linespacing": 1.25}
    axes.text(x, y, text, **look)


_DRAW: dict[str, Callable[..., None]] = {
    "box": _box,
    "cell": _cell,
    "circle": _circle,
    "line": _line,
    "text": _text,
}
