"""The feedback page of a submission, as an exporter of nbgrader's `generate_feedback`.

`nbgrader_config.py` names `FeedbackExporter`, so that plain nbgrader, formgrader and the exchange
write and deliver this page. It is one file without scripts that loads nothing.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry

from autograder.course.cells import (
    CHECK,
    NOT_PYTHON,
    checked_exercise,
    defined_names,
    parse_start,
)
from autograder.escaping import without_colors
from autograder.gradebook.late_policy import Lateness, lateness
from autograder.gradebook.upload_manifest import read_origins
from autograder.gradebook.withdrawn import concerning, withdrawals
from autograder.grading.clean_outputs import shown_html
from autograder.grading.grading_log import Notes, read_notes
from autograder.grading.verdicts import verdict_in
from autograder.pages.formulas import to_mathml
from autograder.pages.markup import MAX_TEXT_CHARACTERS, render
from autograder.pages.templating import environment
from coursekit.checking.verdict import Verdict

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+)", re.MULTILINE)
#: The label with which the text of a question begins.
_QUESTION = re.compile(r"\*\*(Question \d+)\b")
_MAX_OUTPUT_CHARACTERS = 20_000


@dataclass
class Mark:
    """A graded cell's entry in the gradebook.

    Attributes
    ----------
    score : float or None
        None as long as an instructor has to grade it.
    by_hand : bool
        Whether an instructor set the score.
    withdrawn : str
        Why the cell does not count as usual, or "".
    full_points : bool
        Whether it then gives full points; otherwise it is out of the total.
    """

    score: float | None
    max_score: float
    by_hand: bool = False
    extra: float = 0.0
    withdrawn: str = ""
    full_points: bool = False


@dataclass
class Item:
    """An exercise or a question of the assignment, as the page shows it.

    Attributes
    ----------
    verdict : Verdict or None
        None for a question that is graded by hand.
    question : str
        What is asked, as HTML, or "".
    code, text : str
        The student's answer, as highlighted code or as text.
    comment : str
        The instructor's, as HTML, or "".
    cell : int
        The number of its cell in the notebook.
    """

    name: str
    title: str
    mark: Mark
    cell: int
    verdict: Verdict | None = None
    question: str = ""
    code: str = ""
    text: str = ""
    comment: str = ""


@dataclass
class Page:
    """The content of a feedback page."""

    assignment: str
    student: str
    items: list[Item]
    late: Lateness
    notes: Notes
    cells: list[dict[str, Any]] = field(default_factory=list)

    @property
    def points(self) -> float:
        """Sum of the scores minus the late penalty, at least 0; a missing score counts as 0."""
        return max(0.0, sum(item.mark.score or 0.0 for item in self.items) - self.late.penalty)

    @property
    def max_points(self) -> float:
        """Sum of the points possible."""
        return sum(item.mark.max_score for item in self.items)

    @property
    def waiting(self) -> int:
        """Number of answers that an instructor has still to grade."""
        return sum(item.mark.score is None for item in self.items)


@dataclass
class _Record:
    """A submission's gradebook entry: cell -> mark, and cell -> the instructor's comment."""

    marks: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    late: Lateness = field(default_factory=Lateness)


class FeedbackExporter(Exporter):
    """Exporter that makes an autograded notebook's feedback page."""

    file_extension = ".html"
    output_mimetype = "text/html"
    export_from_notebook = None  # type: ignore[assignment]  # nbconvert's own default

    def from_notebook_node(  # type: ignore[override]  # like every exporter of nbconvert to text
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kwargs: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the feedback page of a notebook as HTML, and nbconvert's resources."""
        nb, resources = super().from_notebook_node(nb, resources, **kwargs)
        about = resources["nbgrader"]
        folder = Path(about["db_url"].removeprefix("sqlite:///")).parent
        origin = read_origins(folder, about["assignment"]).get(about["student"])
        record = _read_gradebook(about, marked=bool(origin and origin.late))
        return as_html(make_page(nb, about["assignment"], about["student"], record)), resources


def _read_gradebook(about: dict[str, str], marked: bool) -> _Record:
    """Read a submission's marks, comments and lateness from the gradebook."""
    record = _Record(late=Lateness(marked=marked))
    with Gradebook(about["db_url"]) as gradebook:
        try:
            notebook = gradebook.find_submission_notebook(
                about["notebook"], about["assignment"], about["student"]
            )
        except MissingEntry:
            return record
        withdrawn = concerning(withdrawals(gradebook, about["assignment"]), about["student"])
        for grade in notebook.grades:
            waits = grade.needs_manual_grade or (
                grade.manual_score is None and grade.auto_score is None
            )
            record.marks[grade.name] = Mark(
                None if waits else grade.score,
                grade.max_score,
                grade.manual_score is not None,
                grade.extra_credit or 0.0,
            )
            if (row := withdrawn.get(grade.name)) is not None:
                mark = record.marks[grade.name]
                mark.by_hand, mark.withdrawn = False, row.reason
                mark.full_points = row.full_points
                mark.max_score = row.points if row.full_points else 0.0
        for comment in notebook.comments:
            record.comments[comment.name] = comment.manual_comment or ""
        record.late = lateness(notebook.assignment, marked)
    return record


def make_page(nb: NotebookNode, assignment: str, student: str, record: _Record) -> Page:
    """Gather the content of a page from a notebook and its entry in the gradebook."""
    left = [MAX_TEXT_CHARACTERS]
    items: list[Item] = []
    cells = []
    heading, question = "", ""
    sources = {_grade_id(cell): cell for cell in nb.cells if _marks(cell).get("solution")}
    for number, cell in enumerate(nb.cells):
        if cell.cell_type == "markdown" and not _marks(cell).get("solution"):
            heading = (_HEADING.findall(cell.source) or [heading])[-1].rstrip(" \t#")
            question = cell.source if _QUESTION.match(cell.source) else ""
        cells.append(shown_cell(cell, number, left))
        if not (_marks(cell).get("grade") or _marks(cell).get("task")):
            continue
        item = _item(cell, number, heading, record, left)
        answer = sources.get(item.name)
        if item.verdict is not None and answer is not None:
            answer = _judged_cell(nb, item.name, number, answer)
            item.code = highlight(_short(answer.source), _is_plain(answer))
            item.cell = nb.cells.index(answer)
        elif item.verdict is None and (asked := _QUESTION.match(question)):
            item.title = asked[1]
            item.question = _text(question, {}, left)
        items.append(item)
    shown = {_grade_id(cell) for cell in nb.cells}
    for grade_id, mark in record.marks.items():
        if mark.withdrawn and grade_id not in shown:  # the release has it no more
            name = grade_id.removeprefix(CHECK)
            items.append(Item(name, name, mark, 0))
    return Page(assignment, student, items, record.late, read_notes(nb), cells)


def _judged_cell(nb: NotebookNode, name: str, number: int, answer: NotebookNode) -> NotebookNode:
    """Return the cell with the code that check cell `number` judged: the last definition before it.

    Students also write an answer into a new cell below its own; `answer` is its own.
    """
    for cell in reversed(nb.cells[:number]):
        if cell is answer:
            break
        if cell.cell_type == "code" and name in defined_names(cell.source):
            found: NotebookNode = cell
            return found
    return answer


def _item(cell: NotebookNode, number: int, heading: str, record: _Record, left: list[int]) -> Item:
    """Return a graded cell's item: mark, verdict, comment and, if graded by hand, the answer."""
    grade_id = _grade_id(cell)
    by_machine = cell.cell_type == "code" and not _marks(cell).get("solution")
    verdict = verdict_in(cell) if by_machine else None
    name = (verdict.exercise if verdict else checked_exercise(cell.source)) or grade_id
    points = float(_marks(cell).get("points", 0))
    mark = record.marks.get(grade_id) or Mark(verdict.points if verdict else None, points)
    comments = [record.comments.get(one, "") for one in dict.fromkeys((grade_id, name))]
    item = Item(name, _plain(heading) or name, mark, number, verdict)
    item.comment = _text("\n\n".join(filter(None, comments)), {}, left)
    if not by_machine and cell.cell_type == "code":
        item.code = highlight(cell.source, _is_plain(cell))
    elif not by_machine and _marks(cell).get("solution"):
        item.text = _text(cell.source, cell.get("attachments"), left)
    return item


def _marks(cell: NotebookNode) -> dict[str, Any]:
    marks: dict[str, Any] = cell.metadata.get("nbgrader", {})
    return marks


def _grade_id(cell: NotebookNode) -> str:
    return str(_marks(cell).get("grade_id", ""))


def _plain(heading: str) -> str:
    return re.sub(r"[`*$]", "", heading)


def _text(source: str, attachments: Any, left: list[int]) -> Markup:
    """Render Markdown as clean HTML; `left` counts down the characters still to be rendered."""
    if not source:
        return Markup("")
    left[0] -= len(source)
    return Markup(render(source, attachments, too_long=left[0] < 0, formula=to_mathml))


def _is_plain(cell: NotebookNode) -> bool:
    """Tell whether grading found too much code in a cell to highlight it (see `markup`)."""
    return bool(cell.metadata.get("magics_language") == "text")


def highlight(source: str, plain: bool = False) -> Markup:
    """Return Python code as HTML with pygments' classes; only escaped if `plain`."""
    from pygments import highlight as colored
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    if plain:
        return Markup('<pre class="code">{}</pre>').format(source)
    made = colored(source, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return Markup('<pre class="code">') + Markup(made.rstrip("\n")) + Markup("</pre>")


def _short(source: str) -> str:
    """Cut each docstring in the code to its first line: the exercise's text is in the notebook."""
    try:
        tree = parse_start(source)
    except NOT_PYTHON:
        return source
    lines = source.splitlines()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in sorted(ast.walk(tree), key=lambda n: -getattr(n, "lineno", 0)):
        if not isinstance(node, kinds) or ast.get_docstring(node) is None:
            continue
        text = node.body[0]
        first, last = text.lineno - 1, (text.end_lineno or text.lineno) - 1
        if last > first and len(node.body) > 1 and lines[last].rstrip().endswith(('"""', "'''")):
            lines[first : last + 1] = [f"{lines[first].rstrip()} ...{lines[last].rstrip()[-3:]}"]
    return "\n".join(lines)


def shown_cell(cell: NotebookNode, number: int, left: list[int]) -> dict[str, Any]:
    """Return a cell of the whole notebook as the page's template takes it."""
    shown: dict[str, Any] = {"number": number, "kind": cell.cell_type, "outputs": []}
    if cell.cell_type == "markdown":
        shown["html"] = _text(cell.source, cell.get("attachments"), left)
    elif cell.cell_type == "code":
        shown["html"] = highlight(cell.source, _is_plain(cell))
        shown["outputs"] = [_output(output) for output in cell.outputs if not _is_points(output)]
    else:
        shown["html"] = Markup("<pre>{}</pre>").format(cell.source)
    return shown


def _is_points(output: NotebookNode) -> bool:
    """Tell whether an output is only the number that nbgrader reads the points from."""
    text = output.get("data", {}).get("text/plain", "")
    return output.output_type == "execute_result" and bool(re.fullmatch(r"[\d.]+", text))


def _output(output: NotebookNode) -> Markup:
    data = output.get("data", {})
    for kind in ("image/png", "image/jpeg", "image/gif"):
        if kind in data:
            return Markup('<img alt="figure" src="data:{};base64,{}">').format(
                kind, re.sub(r"\s", "", data[kind])
            )
    if "text/html" in data:
        return Markup(shown_html(data["text/html"]))
    if output.output_type == "error":
        text = "\n".join(output.get("traceback", []))
    else:
        text = data.get("text/plain", output.get("text", ""))
    text = without_colors(text)
    more = "\n..." if len(text) > _MAX_OUTPUT_CHARACTERS else ""
    return Markup("<pre>") + escape(text[:_MAX_OUTPUT_CHARACTERS] + more) + Markup("</pre>")


def as_html(page: Page) -> str:
    """Return the page as a single HTML file."""
    return environment().get_template("feedback.html").render(page=page)
