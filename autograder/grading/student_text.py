"""The words that a student wrote: in a text of the release, or in code.

Words of the release are not the student's, however they are wrapped.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.cells import MAX_CELL_CHARACTERS, NOT_PYTHON, parse_start

#: Share of a released text's words that is left in a student's edit of it, at least.
_SHARE = 0.6
#: Words of a comment that says something, at least; a shorter one only names what the code does.
_SAYS = 5
#: Words of a text that explains something, at least, and their share without signs.
_EXPLAINS, _PLAIN_SHARE = 8, 0.7
_PLAIN = re.compile(r"\W*[^\W\d_]+(?:['’-][^\W\d_]+)*\W*")
_CLAUSE = re.compile(r"[^\W\d_][.,;:!?](?:\s|$)")
#: Words of a released line that is recognized within a line, at least.
_LONG = 3
#: Signs that are markup if no word stands beside them.
_MARKUP = "-*_=#>|:~`+ "
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
#: The start of a comment that Colab shows as a form.
_FORM = re.compile(r"#\s?@")
#: A comment, or a text with the name that it is given.
_REMARK = re.compile(
    r"""
    \#[^\n]*
    | (?:(?<!\w)\w+[ ]*=[ ]*)? (?:(?<!\w)[rbuf]{1,2})?
      (?: (?P<quotes>'{3}|"{3}) (?:\\.|.)*? (?:(?P=quotes)|\Z)
        | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True)
class Remark:
    """A comment or a string in code.

    Attributes
    ----------
    text : str
        The text as it stands there, with `#` or quotation marks.
    free : bool
        Whether it is a comment or a statement of its own, not part of one.
    below : bool
        Whether no code follows.
    """

    text: str
    free: bool
    below: bool

    @property
    def says_something(self) -> bool:
        """True if it is a comment of several words."""
        return self.text.startswith("#") and len(words(self.text)) >= _SAYS

    @property
    def explains(self) -> bool:
        """True if it is plainly prose, not a note on the code or code that was commented out."""
        pieces = self.text.replace("#", " ").split()
        plain = sum(1 for piece in pieces if _PLAIN.fullmatch(piece))
        enough = plain >= max(_EXPLAINS, _PLAIN_SHARE * len(pieces))
        return self.free and enough and _CLAUSE.search(self.text) is not None


@functools.lru_cache(maxsize=4)
def _all_remarks(sources: tuple[str, ...]) -> str:
    """Return all remarks in the code of a release, which is the same for a whole class."""
    return _spaced("\n".join(one.text for source in sources for one in remarks(source)))


class ReleasedTexts:
    """The texts of a release in a submission, intact or edited, and the student's additions."""

    def __init__(self, notebook: NotebookNode, release: NotebookNode) -> None:
        plain = [cell for cell in release.cells if not _grade_id(cell) or is_read_only(cell)]
        self.sources = {cell.source.strip() for cell in release.cells}
        self.by_id = {cell.get("id"): cell for cell in plain if cell.get("id")}
        self.lines = {line.strip() for source in self.sources for line in source.splitlines()}
        code = tuple(cell.source for cell in release.cells if cell.cell_type == "code")
        self.remarks = _all_remarks(code)
        self.found: dict[str, list[Remark]] = {}  # source -> its new remarks
        present = {cell.source.strip() for cell in notebook.cells}
        self.lost: list[tuple[set[str], str]] = [
            (set(words(cell.source)), cell.source)
            for cell in plain
            if cell.cell_type != "code" and cell.source.strip() not in present
        ]

    def original(self, cell: NotebookNode) -> str | None:
        """Return the released text that a cell is or was made of; None for a new cell."""
        source = str(cell.source).strip()
        if source in self.sources:
            return source
        same = self.by_id.get(cell.get("id"))
        if same is not None and (same.cell_type == "code" or _keeps(same.source, source)):
            return str(same.source)
        return (
            None if cell.cell_type == "code" else max(self._within(source), key=len, default=None)
        )

    def is_own(self, cell: NotebookNode) -> bool:
        """Tell whether a code cell is the student's: a new cell, or the answer to an exercise."""
        marks = cell.metadata.get("nbgrader", {})
        return bool(marks.get("solution") or not marks) and self.original(cell) is None

    def _within(self, source: str) -> list[str]:
        """Return the released texts that are edited in a text; several, if cells were merged."""
        own = set(words(source))
        return [text for known, text in self.lost if len(known & own) >= _SHARE * len(known) > 0]

    def added(self, cell: NotebookNode) -> str:
        """Return the lines, or ends of lines, of a text that are not in the release.

        Text that was only wrapped otherwise or moved does not count as added; a line that repeats
        words of the release does. A new text counts as a whole.
        """
        released = [*self._within(cell.source), self.original(cell) or ""]
        if not any(released):
            return str(cell.source).strip()
        rest = _Rest("\n".join(dict.fromkeys(released)))
        known = {line.strip() for text in released for line in text.splitlines()}
        long = {line for line in known if len(words(line)) >= _LONG}
        found = {
            number: line if line in self.lines else rest.without_known(line, long)
            for number, line in enumerate(map(str.strip, cell.source.splitlines()))
        }
        for number in sorted(found, key=lambda number: -len(found[number])):
            line = found[number]
            if rest.take(line) or line in self.lines or not line.strip(_MARKUP):
                del found[number]
        parts = [line if number - 1 in found else f"\n{line}" for number, line in found.items()]
        return "\n".join(parts).strip()

    def new_remarks(self, cell: NotebookNode) -> list[Remark]:
        """Return the remarks in a code cell that are not in the release."""
        if cell.source in self.found:
            return self.found[cell.source]
        found = []
        for one in remarks(cell.source):
            lines = [
                line
                for line in one.text.splitlines()
                if not (line in self.lines or _spaced(line) in self.remarks or _is_for_tools(line))
            ]
            if any(map(words, lines)):
                found.append(Remark("\n".join(lines), one.free, one.below))
        self.found[cell.source] = found
        return found


class _Rest:
    """The words of a released text that have not been found in a student's cell yet."""

    def __init__(self, released: str) -> None:
        self.words = _spaced(released)

    def take(self, line: str) -> bool:
        """Remove a line's words if they are there, in order; tell whether they were."""
        wanted = _spaced(line)
        if not wanted.strip() or wanted not in self.words:
            return False
        self.words = self.words.replace(wanted, " | ", 1)
        return True

    def without_known(self, line: str, known: set[str]) -> str:
        """Return a line without the released line that it begins or ends with."""
        begun = max((old for old in known if line.startswith(old)), key=len, default="")
        ended = max((old for old in known if line.endswith(old)), key=len, default="")
        if begun and self.take(begun):
            return line[len(begun) :].strip()
        if ended and self.take(ended):
            return line[: -len(ended)].strip()
        return line


def words(text: str) -> list[str]:
    """Return the words and numbers of a text, in lower case."""
    return re.findall(r"[^\W_]+", text.casefold())


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _keeps(released: str, source: str) -> bool:
    known = set(words(released))
    return len(known & set(words(source))) >= _SHARE * len(known)


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def is_read_only(cell: NotebookNode) -> bool:
    """Tell whether a cell is a released text that nbgrader locks."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(
        cell.cell_type != "code"
        and marks.get("locked")
        and not (marks.get("grade") or marks.get("solution") or marks.get("task"))
    )


def is_prose(source: str) -> bool:
    """Tell whether a code cell holds only words: comments, strings, or no Python at all."""
    if source.lstrip().startswith(("%", "!")):
        return False
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return True
    return all(_is_text(node) or _is_named_text(node) for node in body)


def remarks(source: str) -> list[Remark]:
    """Return the comments and strings in code, in order; all lines of a cell that is no Python.

    Comments that follow one another are one.
    """
    source = source[:MAX_CELL_CHARACTERS]
    if not _is_python(source):
        source = _MAGIC.sub(r"\1pass", source)
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        lines = [line for line in source.splitlines() if line.strip()]
        return [Remark(line.strip(), True, line == line.lstrip()) for line in lines]
    texts = [node for node in body if _is_text(node)]
    end = max((node.end_lineno or 0 for node in body if not _is_text(node)), default=0)
    lines_of_texts = {i for node in texts for i in range(node.lineno, (node.end_lineno or 0) + 1)}
    found: list[Remark] = []
    block: list[str] = []  # comments that follow one another
    line, last, below = 1, 0, False
    for match in _REMARK.finditer(source):
        between = source[last : match.start()]
        line += between.count("\n")
        comment = match[0].startswith("#")
        if block and not (comment and not between.strip()):
            found.append(Remark("\n".join(block), True, below))
            block = []
        below = line > end
        if comment:
            block.append(match[0])
        else:
            found.append(Remark(match[0], line in lines_of_texts, below))
        line += match[0].count("\n")
        last = match.end()
    return [*found, Remark("\n".join(block), True, below)] if block else found


def _is_python(source: str) -> bool:
    try:
        parse_start(source)
    except NOT_PYTHON:
        return False
    return True


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a string, or shows one."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Call):
        call = node.value
        named = isinstance(call.func, ast.Name) and call.func.id in ("print", "Markdown", "display")
        return named and any(map(_is_sentence, call.args))
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_tools(line: str) -> bool:
    """Tell whether a comment is one of Colab's forms, or commented-out code."""
    if _FORM.match(line):
        return True
    try:
        body = parse_start(line.lstrip("# ")).body if line.startswith("#") else []
    except NOT_PYTHON:
        return False
    return any(
        isinstance(node, ast.Assign) or isinstance(getattr(node, "value", None), ast.Call)
        for node in body
        if not (_is_text(node) or _is_named_text(node))
    )


def _is_named_text(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and _is_sentence(node.value)


def _is_sentence(node: ast.expr | None) -> bool:
    """Tell whether an expression is a string of several words."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return len(words(node.value)) > 2
