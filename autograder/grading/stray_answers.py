"""Answers to questions that are graded by hand, where they stand outside their cell.

nbgrader gives 0 to an answer cell that is as it was released, whatever the student wrote in a new
cell below it, in the question's own cell, in a code cell or under another question. Such text is
copied into the answer cell, which then waits for a person; text that may belong to no question is
reported.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from nbformat import NotebookNode

from autograder.course.cells import NOT_PYTHON, parse_start
from autograder.grading.notes import Repair

#: In the metadata of a cell, whose text is in the answer cell already: a graded notebook is
#: sanitized once more when nbgrader saves it.
_USED = "coursekit_used"
_HEADER = "From another cell of the notebook:"
_LONGEST = 20_000
#: So much of a released text's words is left in what a student made of it.
_SHARE = 0.6
_LABEL = re.compile(r"\*\*\s*(?:Question|Task|Exercise)\s+(\d+)\b", re.IGNORECASE)


@dataclass
class _Part:
    """Text of the student's outside the answer cells.

    Attributes
    ----------
    place : int
        The number of its cell.
    code : bool
        Whether it is code, which answers a question only if no words do.
    edit : bool
        Whether it was added to a released text.
    near : str
        The question that it belongs to by its place, or "".
    around : set of str
        All questions between the same exercises.
    """

    cell: NotebookNode
    place: int
    text: str
    code: bool = False
    edit: bool = False
    near: str = ""
    around: set[str] = field(default_factory=set)


def gather_answers(
    notebook: NotebookNode,
    release: NotebookNode,
    copies: Mapping[str, list[NotebookNode]],
) -> list[Repair]:
    """Copy text that answers a question from other cells into its answer cell; return the repairs.

    Parameters
    ----------
    notebook : NotebookNode
        The submission, with the nbgrader metadata of the release.
    copies : mapping of str to list of NotebookNode
        Grade id -> copies of its answer cell with other answers; "" -> answers to questions that
        the release has not, which are copied only where an answer is missing.
    """
    released = {_grade_id(cell): cell for cell in release.cells if is_by_hand(cell)}
    questions = {
        _grade_id(cell): cell
        for cell in notebook.cells
        if is_by_hand(cell) and _grade_id(cell) in released
    }
    if not questions:
        return []
    parts = _parts(notebook, release, questions)
    claimed = {id(cell) for key, several in copies.items() if key for cell in several}
    foreign = {id(cell) for cell in copies.get("", [])}
    labels = _labels(release)
    places = {id(cell): number for number, cell in enumerate(notebook.cells)}
    waiting = {g for g, cell in questions.items() if is_unanswered(cell.source, released[g])}
    repairs = []
    for grade_id, cell in questions.items():
        blank = grade_id in waiting
        own = [_Part(copy, places[id(copy)], copy.source) for copy in copies.get(grade_id, [])]
        free = [part for part in parts if id(part.cell) not in claimed]
        found = own + [
            part
            for part in free
            if part.near == grade_id
            and (blank or not (part.code or part.edit or id(part.cell) in foreign))
        ]
        if blank and not found:
            found = [
                part
                for part in free
                if grade_id in part.around and not part.code and part.near not in waiting
            ]
        if blank and not found and grade_id in labels:
            found = _mentions(labels[grade_id], notebook, release, cell)
        if found:
            _put_together(cell, sorted(found, key=lambda part: part.place), places, blank)
            repairs.append(_repair(grade_id, blank, bool(own)))
        elif blank and any(
            not (part.code or part.edit) and (grade_id in part.around or not part.near)
            for part in free
        ):
            what = (
                f"{grade_id} has no answer in its cell, and other cells have text that may be one"
            )
            repairs.append(Repair(what, doubtful=True))
    for part in parts:
        part.cell.metadata[_USED] = True
    return repairs


def _repair(grade_id: str, blank: bool, copied: bool) -> Repair:
    if copied:
        return Repair(
            f"{grade_id} has several answers, which are together in its cell: a person decides",
            doubtful=True,
        )
    if blank:
        return Repair(
            f"{grade_id} has no answer in its cell; text from another cell was copied there and a"
            " person decides",
            doubtful=True,
        )
    return Repair(f"the answer to {grade_id} goes on in another cell and was put together")


def is_by_hand(cell: NotebookNode) -> bool:
    """Whether a cell holds an answer that a person grades."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade") and marks.get("solution") and marks.get("grade_id"))


def is_unanswered(source: str, released: NotebookNode) -> bool:
    """Whether an answer is blank or as in the released cell, of a text up to markup."""
    if not source.strip() or source.strip() == released.source.strip():
        return True
    return released.cell_type != "code" and _words(source) == _words(released.source) != []


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _parts(
    notebook: NotebookNode, release: NotebookNode, questions: dict[str, NotebookNode]
) -> list[_Part]:
    """All text of the student's that is in no cell with points, each with its questions."""
    texts = _ReleasedTexts(notebook, release)
    fixed: list[str | None] = []  # cell -> grade id, "" for a released text, None for a new cell
    parts = []
    for place, cell in enumerate(notebook.cells):
        original = texts.original(cell)
        marked = bool(_grade_id(cell)) and not _is_read_only(cell)
        fixed.append(_grade_id(cell) if marked else None if original is None else "")
        if marked or cell.metadata.get(_USED) or not cell.source.strip():
            continue
        if original is None:
            code = cell.cell_type == "code" and not _is_prose(cell.source)
            parts.append(_Part(cell, place, cell.source.strip(), code))
        elif cell.cell_type != "code" and (added := _added(original, cell.source)):
            parts.append(_Part(cell, place, added, edit=True))
    for part in parts:
        before = [one for one in fixed[: part.place] if one is not None]
        after = [one for one in fixed[part.place + 1 :] if one is not None]
        part.near = _near(part, before, after, questions)
        for side in (reversed(before), iter(after)):
            part.around |= _block(side, questions)
    return parts


def _near(
    part: _Part, before: list[str], after: list[str], questions: dict[str, NotebookNode]
) -> str:
    """The question whose answer cell is next to a part, or below the text that it was added to."""
    above, below = (before or [""])[-1], (after or [""])[0]
    if not part.edit and above in questions:
        return above
    next_marked = next(filter(None, after), "")
    if (part.edit or below == next_marked) and next_marked in questions:
        return next_marked
    return ""


def _block(side: Iterable[str], questions: dict[str, NotebookNode]) -> set[str]:
    """The questions up to the next exercise."""
    found = set()
    for grade_id in side:
        if grade_id and grade_id not in questions:
            break
        found.add(grade_id)
    return found - {""}


def _is_read_only(cell: NotebookNode) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(
        cell.cell_type != "code"
        and marks.get("locked")
        and not (marks.get("grade") or marks.get("solution") or marks.get("task"))
    )


class _ReleasedTexts:
    """Which cells of a submission are cells of the release without points, as they were or edited."""

    def __init__(self, notebook: NotebookNode, release: NotebookNode) -> None:
        plain = [cell for cell in release.cells if not _grade_id(cell) or _is_read_only(cell)]
        self.sources = {cell.source.strip() for cell in release.cells}
        self.by_id = {cell.get("id"): cell for cell in plain if cell.get("id")}
        present = {cell.source.strip() for cell in notebook.cells}
        self.lost: list[tuple[set[str], str]] = [
            (set(_words(cell.source)), cell.source)
            for cell in plain
            if cell.cell_type != "code" and cell.source.strip() not in present
        ]

    def original(self, cell: NotebookNode) -> str | None:
        """The released text that a cell is, or was made of; None for a new cell."""
        source = str(cell.source).strip()
        if source in self.sources:
            return str(source)
        same = self.by_id.get(cell.get("id"))
        if same is not None and (same.cell_type == "code" or _keeps(same.source, source)):
            return str(same.source)
        if cell.cell_type == "code":
            return None
        own = set(_words(source))
        fits = [text for words, text in self.lost if len(words & own) >= _SHARE * len(words) > 0]
        return max(fits, key=len) if fits else None


def _keeps(released: str, source: str) -> bool:
    words = set(_words(released))
    return len(words & set(_words(source))) >= _SHARE * len(words)


def _added(released: str, source: str) -> str:
    """The lines, or ends of lines, that a student added to a released text."""
    known = {line.strip() for line in released.splitlines() if line.strip()}
    added = []
    for line in map(str.strip, source.splitlines()):
        if not line or line in known:
            continue
        begun = max((old for old in known if line.startswith(old)), key=len, default="")
        ended = max((old for old in known if line.endswith(old)), key=len, default="")
        if begun:
            line = line[len(begun) :].strip()
        elif ended:
            line = line[: -len(ended)].strip()
        if set(_words(line)) - set(_words(released)):
            added.append(line)
    return "\n".join(added)


def _is_prose(source: str) -> bool:
    """Whether a code cell holds words alone: comments, texts, or no Python at all."""
    if source.lstrip().startswith(("%", "!")):
        return False
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return True
    return all(_is_text(node) for node in body)


def _is_text(node: ast.stmt) -> bool:
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return _is_sentence(node.value)
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Call):
        call = node.value
        named = isinstance(call.func, ast.Name) and call.func.id in ("print", "Markdown", "display")
        return named and any(map(_is_sentence, call.args))
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_sentence(node: ast.expr | None) -> bool:
    """Whether an expression is a text of several words."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return len(_words(node.value)) > 2


def _labels(release: NotebookNode) -> dict[str, re.Pattern[str]]:
    """Grade id -> how a student may refer to the question: "Question 2", "Q2"."""
    found, label = {}, None
    for cell in release.cells:
        if is_by_hand(cell):
            if label is not None:
                pattern = rf"\b(?:question|answer|q|a)\W{{0,3}}{label}\b"
                found[_grade_id(cell)] = re.compile(pattern, re.IGNORECASE)
            label = None
        elif cell.cell_type != "code" and (match := _LABEL.match(cell.source.lstrip())):
            label = match[1]
    return found


def _mentions(
    label: re.Pattern[str], notebook: NotebookNode, release: NotebookNode, answer: NotebookNode
) -> list[_Part]:
    """What names a question anywhere: all answers in one cell, for instance."""
    released = {cell.source.strip() for cell in release.cells}
    texts = _ReleasedTexts(notebook, release)
    return [
        _Part(cell, place, cell.source.strip(), cell.cell_type == "code")
        for place, cell in enumerate(notebook.cells)
        if cell is not answer
        and cell.source.strip() not in released
        and label.search(cell.source)
        and (is_by_hand(cell) or not _grade_id(cell))
        and texts.original(cell) is None
    ]


def _put_together(
    answer: NotebookNode, found: list[_Part], places: dict[int, int], blank: bool
) -> None:
    """Write an answer cell's own text and what was found into it, in the order of the notebook."""
    here = places[id(answer)]
    before = [_section(part, answer) for part in found if part.place < here]
    after = [_section(part, answer) for part in found if part.place > here]
    own = [] if blank else [answer.source]
    answer.source = "\n\n".join([*before, *own, *after])


def _section(part: _Part, answer: NotebookNode) -> str:
    text = part.text[:_LONGEST]
    if answer.cell_type == "code":
        return "\n".join(f"# {line}" for line in (_HEADER, *text.splitlines()))
    text = _with_pictures(text, part.cell, answer)
    if part.cell.cell_type == "code":
        fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
        text = f"{fence}python\n{text}\n{fence}"
    return f"*{_HEADER}*\n\n{text}"


def _with_pictures(text: str, cell: NotebookNode, answer: NotebookNode) -> str:
    """Attach a cell's pictures to the answer; return the text with the names that they have there.

    Most editors call every pasted picture image.png.
    """
    pictures = cell.get("attachments") or {}
    if not pictures:
        return text
    attached = {**answer.get("attachments", {})}
    names = {}
    for name, picture in pictures.items():
        names[name] = name
        if attached.get(name, picture) != picture:
            stem, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
            numbered = (f"{stem}-{number}{dot}{suffix}" for number in itertools.count(2))
            names[name] = next(one for one in numbered if not (one in attached or one in pictures))
        attached[names[name]] = picture
    answer["attachments"] = attached
    names |= {quote(name): quote(new) for name, new in names.items()}
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(
        rf"(?<=attachment:)(?:{longest_first})(?![\w.-])", lambda found: names[found[0]], text
    )
