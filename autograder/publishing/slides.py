"""Deck of slides from a student notebook: headings, formulas, drawings, results with folded code.

It is one HTML file with reveal.js in it, which needs no network. `deck` says what is on which slide;
`write_slides` writes the file.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup, escape
from nbformat import NotebookNode

from autograder.authoring.attach_drawings import read_drawing, shown_drawings
from autograder.course.assignment import Assignment
from autograder.course.cells import asked_exercise, defined_names
from autograder.errors import CourseError
from autograder.grading.clean_outputs import clean_html
from autograder.pages.feedback_page import highlight
from autograder.pages.formulas import to_mathml
from autograder.pages.markup import render
from autograder.pages.templating import environment
from autograder.publishing.chapter import WITHHELD, chapter, is_imports, is_setup
from autograder.publishing.landing import goal_of
from autograder.publishing.secrets import QUESTION
from coursekit.data.paths import write_atomically

_HERE = Path(__file__).parent
_HEADING = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)
_FORMULA = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
_DRAWING = re.compile(r"!\[(?:(?!\]\().)*\]\([^)]*\)")
_FENCE = re.compile(r"^```.*?^```[^\S\n]*$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?:])(?<!\b[A-Z]\.)(?<!\bal\.)\s+(?=[A-Z*`$(])")
_CHECK = re.compile(r"\bcheck\(")
#: A bar of progress.
_BAR = re.compile(r"\d+%\|")
#: What a slide holds: characters of prose, formulas, rows of a table, lines of a printout.
_PROSE, _FORMULAS, _ROWS, _LINES = 340, 3, 9, 16
_TOGETHER = 13.0  # lines of text on a slide
_MAX_LINE = 76  # letters in a line of a printout


@dataclass
class Slide:
    """Slide with a heading and pieces of HTML below it.

    Attributes
    ----------
    heading : str
        As HTML.
    kind : str
        "section", "text", "exercise", "drawing" or "result".
    parts : list of str
        Pieces of HTML.
    code : str
        The code that made a result, as HTML, which the slide folds.
    """

    heading: Markup
    kind: str
    parts: list[Markup] = field(default_factory=list)
    code: Markup = field(default_factory=Markup)

    @property
    def is_plain(self) -> bool:
        """True if it has only a few sentences."""
        return self.kind == "text" and len(self.parts) == 1 and "<p>" in self.parts[0][:200]

    @property
    def has_room(self) -> bool:
        """True if a few sentences fit beside its result."""
        return self.kind == "result" and len(self.parts) == 1 and _height(self.parts[0]) <= _ROWS


def deck(assignment: Assignment) -> list[list[Slide]]:
    """Return the slides of an assignment, a list for each section of the notebook.

    Raises
    ------
    CourseError
        A notebook or a drawing is missing or cannot be read.
    """
    sections: list[list[Slide]] = []
    heading, code = Markup(""), ""
    for cell in chapter(assignment).cells[1:]:
        if cell.cell_type == "markdown":
            if QUESTION.match(cell.source) or cell.metadata.get("nbgrader"):
                continue
            for level, title, text in _chunks(cell.source):
                heading = _inline(title) if title else heading
                if level == 2:
                    sections.append([Slide(heading, "section")])
                if sections:
                    made = _of_text(assignment, heading, level == 3, text)
                    if not title and made and made[0].is_plain and sections[-1][-1].has_room:
                        sections[-1][-1].parts.append(_said(made.pop(0)))
                    sections[-1] += made
        elif cell.cell_type == "code" and sections:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                code = cell.source
            elif exercise := asked_exercise(cell):
                _name_exercise(sections[-1], exercise, code)
            else:
                made = _of_result(heading, cell)
                before = sections[-1][-1]
                if made and before.is_plain and before.heading == heading and made[0].has_room:
                    made[0].parts.insert(0, _said(sections[-1].pop()))
                sections[-1] += made
    joined = [_joined(section) for section in sections]
    return [section for section in joined if len(section) > 1 or section[0].parts]


def _chunks(source: str) -> list[tuple[int, str, str]]:
    """Split a text cell at its headings: level and title of each, and the text below it."""
    parts = _HEADING.split(source)
    found = [(0, "", parts[0])] if parts[0].strip() else []
    for level, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        found.append((len(level), title, text))
    return found


def _of_text(assignment: Assignment, heading: Markup, exercise: bool, text: str) -> list[Slide]:
    """Return the slides of a text: its first sentences with its formulas, its drawings, a table."""
    slides = []
    prose = _DRAWING.sub("", _FENCE.sub("", text))
    formulas = _FORMULA.findall(prose)[:_FORMULAS]
    paragraphs = [p.strip() for p in _FORMULA.sub("\n\n", prose).split("\n\n") if p.strip()]
    tables = [p for p in paragraphs if p.startswith("|")]
    said = _lead([p for p in paragraphs if not p.startswith(("|", ">", "-", "#"))])
    parts = [_text(said)] if said else []
    parts += [Markup(f'<div class="formula">{to_mathml(one, True)}</div>') for one in formulas]
    if parts:
        slides.append(Slide(heading, "exercise" if exercise else "text", parts))
    drawings = assignment.course.drawings(assignment.name)
    for alt, name in shown_drawings(text):
        svg = base64.b64encode(read_drawing(drawings, name, assignment.name).vector("svg", alt))
        picture = f'<img class="drawing" alt="{{}}" src="data:image/svg+xml;base64,{svg.decode()}">'
        slides.append(Slide(heading, "drawing", [Markup(picture).format(alt)]))
    for table in tables:
        if len(table.splitlines()) <= _ROWS + 2:
            slides.append(Slide(heading, "text", [_text(table)]))
    return slides


def _of_result(heading: Markup, cell: NotebookNode) -> list[Slide]:
    """Return the slides of a cell's outputs, with its code to unfold; [] if there are none."""
    skipped = is_setup(cell.source) or is_imports(cell.source) or _CHECK.search(cell.source)
    if skipped or WITHHELD in str(cell.outputs):
        return []
    parts = [part for part in map(_output, cell.outputs) if part]
    if not parts:
        return []
    code = highlight(cell.source)
    return [Slide(heading, "result", [part], code) for part in _fitting(parts)]


def _said(slide: Slide) -> Markup:
    """Return the sentences of a slide, for the slide of a result."""
    return Markup('<div class="said">{}</div>').format(slide.parts[0])


def _fitting(parts: list[Markup]) -> list[Markup]:
    """Group parts to slides: one figure each, short tables and printouts together."""
    found: list[Markup] = []
    for part in parts:
        together = "<img" not in part and found and "<img" not in found[-1]
        if together and _height(found[-1]) + _height(part) <= _ROWS + 3:
            found[-1] += part
        else:
            found.append(part)
    return found


def _height(part: Markup) -> int:
    """Estimate the number of lines that a table, a printout or other HTML takes."""
    rows = part.count("<tr") or part.count("\n") + 1
    blocks = part.count(
        "font-weight: bold"
    )  # titles of texts with colored words, and their legends
    return rows + 3 * blocks + len(re.sub("<[^>]*>", "", part)) // 400


def _output(output: NotebookNode) -> Markup:
    """Return an output as HTML, with a long printout cut."""
    data = output.get("data", {})
    if "text/html" in data:
        return Markup(f'<div class="shown">{clean_html(data["text/html"])}</div>')
    if "image/png" in data:
        picture = Markup('<img alt="{}" src="data:image/png;base64,{}">')
        return picture.format(data.get("text/plain", ""), re.sub(r"\s", "", data["image/png"]))
    text = output.get("text") or data.get("text/plain", "")
    lines = [line for line in text.rstrip().splitlines() if not _BAR.search(line)]
    shown: list[str] = []
    room = _LINES
    for line in lines:
        room -= 1 + len(line) // _MAX_LINE
        if room < 0:
            shown.append("...")
            break
        shown.append(line)
    return Markup("<pre>{}</pre>").format("\n".join(shown)) if shown else Markup("")


def _name_exercise(section: list[Slide], exercise: str, code: str) -> None:
    """Write the exercise's name on its slide, or on the section's last text."""
    if exercise not in defined_names(code):
        return
    texts = [slide for slide in section if slide.kind in ("exercise", "text", "section")]
    named = [slide for slide in texts if slide.kind == "exercise"] or texts
    part = Markup('<p class="write">You write <code>{}</code></p>').format(exercise)
    named[-1].parts.append(part)


def _joined(section: list[Slide]) -> list[Slide]:
    """Return a section with short slides joined, and the first text under the section's title."""
    if len(section) > 1 and section[1].kind == "text" and section[1].heading == section[0].heading:
        section = [Slide(section[0].heading, "section", section[1].parts), *section[2:]]
    found = section[:1]
    for slide in section[1:]:
        before = found[-1]
        if _fit_together(before, slide):
            written = [part for part in before.parts if 'class="write"' in part]
            said = [part for part in before.parts if part not in written]
            code = before.code or slide.code
            found[-1] = Slide(before.heading, before.kind, [*said, *slide.parts, *written], code)
        else:
            found.append(slide)
    return found


def _fit_together(before: Slide, slide: Slide) -> bool:
    """Tell whether two slides under one heading are short enough to be joined."""
    if before.heading != slide.heading or before.kind not in ("exercise", "text"):
        return False
    if slide.kind not in ("text", "result") or (before.code and slide.code):
        return False
    return sum(map(_lines, (*before.parts, *slide.parts))) <= _TOGETHER


def _lines(part: Markup) -> float:
    """Estimate the height of a part in lines of text."""
    if "<img" in part:
        return _TOGETHER
    if "<math" in part and 'class="formula"' in part:
        return 3.0
    text = re.sub("<[^>]*>", "", part)
    rows = part.count("<tr") or (part.count("\n") if "<pre" in part else 0)
    return max(rows, len(text) / 75) + 0.7


def _lead(paragraphs: list[str]) -> str:
    """Return the first sentences of the first paragraph that is more than an exercise's minutes."""
    for paragraph in paragraphs:
        if re.fullmatch(r"\*about [^*]+\*", paragraph):
            continue
        said = ""
        for sentence in _SENTENCE.split(" ".join(paragraph.split())):
            if said and len(said) + len(sentence) > _PROSE:
                break
            said = f"{said} {sentence}".strip()
        if said.count("(") > said.count(")"):
            said = said[: said.rindex("(")].rstrip()
        return said if len(said) <= 2 * _PROSE else ""
    return ""


def _text(source: str) -> Markup:
    """Return Markdown as HTML."""
    return Markup(render(source, {}, formula=to_mathml))


def _inline(title: str) -> Markup:
    """Return a heading's text as HTML, without the paragraph around it."""
    number, words = re.match(r"(\d+\. )?(.*)", title.strip("# ")).groups("")  # type: ignore[union-attr]
    found = re.search(r"<p>(.*?)</p>", _text(words), re.DOTALL)
    return escape(number) + (Markup(found[1]) if found else escape(words))


def as_html(assignment: Assignment) -> str:
    """Return the deck as one HTML file."""
    assets = _HERE / "assets"
    font = (assets / "fonts" / "stix-two-math.woff2").read_bytes()
    return (
        environment(_HERE / "templates")
        .get_template("slides.html")
        .render(
            number=assignment.name[:2],
            title=assignment.title,
            goal=Markup(goal_of(assignment)),
            course=assignment.course.config.title,
            license=assignment.course.config.license,
            sections=deck(assignment),
            reveal_style=Markup((assets / "reveal" / "reveal.css").read_text("utf-8")),
            reveal=Markup((assets / "reveal" / "reveal.js").read_text("utf-8")),
            font=Markup(base64.b64encode(font).decode()),
        )
    )


def write_slides(assignment: Assignment, output: Path) -> int:
    """Write the deck of an assignment; return the number of slides.

    Raises
    ------
    CourseError
        A notebook or a drawing cannot be read, or the file cannot be written.
    """
    text = as_html(assignment)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(output, text.encode())
    except OSError as error:
        raise CourseError(f"cannot write {output}: {error.strerror}.") from error
    return text.count("<section data-kind=")
