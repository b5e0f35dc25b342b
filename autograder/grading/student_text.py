"""What a student wrote in words: in a text of the release, or in code.

Words of the release are not the student's, however they are wrapped.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from autograder.course.cells import MAX_CELL_CHARACTERS, NOT_PYTHON, parse_start

#: So much of a released text's words is left in what a student made of it.
_SHARE = 0.6
#: A comment of so many words is more than a name for what the code does.
_SAYS = 5
#: A text of so many words, most of them without signs, explains something.
_EXPLAINS, _PLAIN_SHARE = 8, 0.7
_PLAIN = re.compile(r"\W*[^\W\d_]+(?:['’-][^\W\d_]+)*\W*")
_CLAUSE = re.compile(r"[^\W\d_][.,;:!?](?:\s|$)")
#: A released line of so many words is recognized within a line.
_LONG = 3
#: Signs that are markup if no word stands beside them.
_MARKUP = "-*_=#>|:~`+ "
_MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.MULTILINE)
#: What Colab makes a form of.
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
    """Words in code.

    Attributes
    ----------
    text : str
        As they stand there, with `#` or quotation marks.
    free : bool
        Whether they are a comment or a statement, no part of one.
    below : bool
        Whether no code follows.
    """

    text: str
    free: bool
    below: bool

    @property
    def says_something(self) -> bool:
        """Whether it is a comment of several words."""
        return self.text.startswith("#") and len(words(self.text)) >= _SAYS

    @property
    def explains(self) -> bool:
        """Whether it is plainly prose, and no note on the code or code that was commented out."""
        pieces = self.text.replace("#", " ").split()
        plain = sum(1 for piece in pieces if _PLAIN.fullmatch(piece))
        enough = plain >= max(_EXPLAINS, _PLAIN_SHARE * len(pieces))
        return self.free and enough and _CLAUSE.search(self.text) is not None


@functools.lru_cache(maxsize=4)
def _all_remarks(sources: tuple[str, ...]) -> str:
    """All remarks in the code of a release, which is the same for a whole class."""
    return _spaced("\n".join(one.text for source in sources for one in remarks(source)))


class ReleasedTexts:
    """What of a submission is a text of the release, as it was or edited, and what was added."""

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
        """The released text that a cell is, or was made of; None for a new cell."""
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
        """Whether a cell of code is the student's: a new cell, or the answer to an exercise."""
        marks = cell.metadata.get("nbgrader", {})
        return bool(marks.get("solution") or not marks) and self.original(cell) is None

    def _within(self, source: str) -> list[str]:
        """The released texts that are edited in a text: several, if cells were merged."""
        own = set(words(source))
        return [text for known, text in self.lost if len(known & own) >= _SHARE * len(known) > 0]

    def added(self, cell: NotebookNode) -> str:
        """The lines, or ends of lines, of a text that are not the release's; all of a new text.

        What was only wrapped otherwise or moved is not added; a line that repeats words of the
        release is.
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
        """What a cell of code says that the release does not."""
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
    """The words of a released text that were not found in a student's cell so far."""

    def __init__(self, released: str) -> None:
        self.words = _spaced(released)

    def take(self, line: str) -> bool:
        """Whether a line's words are there, one after the other; they are then taken out."""
        wanted = _spaced(line)
        if not wanted.strip() or wanted not in self.words:
            return False
        self.words = self.words.replace(wanted, " | ", 1)
        return True

    def without_known(self, line: str, known: set[str]) -> str:
        """A line without the released line that it begins or ends with."""
        begun = max((old for old in known if line.startswith(old)), key=len, default="")
        ended = max((old for old in known if line.endswith(old)), key=len, default="")
        if begun and self.take(begun):
            return line[len(begun) :].strip()
        if ended and self.take(ended):
            return line[: -len(ended)].strip()
        return line


def words(text: str) -> list[str]:
    """The words and numbers of a text, without case."""
    return re.findall(r"[^\W_]+", text.casefold())


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _keeps(released: str, source: str) -> bool:
    known = set(words(released))
    return len(known & set(words(source))) >= _SHARE * len(known)


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def is_read_only(cell: NotebookNode) -> bool:
    """Whether a cell is a released text that nbgrader locks."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(
        cell.cell_type != "code"
        and marks.get("locked")
        and not (marks.get("grade") or marks.get("solution") or marks.get("task"))
    )


def is_prose(source: str) -> bool:
    """Whether a code cell holds words alone: comments, texts, or no Python at all."""
    if source.lstrip().startswith(("%", "!")):
        return False
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return True
    return all(_is_text(node) or _is_named_text(node) for node in body)


def remarks(source: str) -> list[Remark]:
    """The comments and texts in code, in their order; of a cell that is no Python, all lines.

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
    """Whether a statement is a text, or shows one."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Call):
        call = node.value
        named = isinstance(call.func, ast.Name) and call.func.id in ("print", "Markdown", "display")
        return named and any(map(_is_sentence, call.args))
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_tools(line: str) -> bool:
    """Whether a comment is one of Colab's forms, or a statement that was commented out."""
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
    """Whether an expression is a text of several words."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return len(words(node.value)) > 2
