"""Recovery of answers that are graded by hand and stand outside their answer cell.

nbgrader gives 0 to an answer cell that is as it was released, whatever the student wrote in a new
cell below it, in the question's own cell, in a code cell or under another question. Such text is
copied into the answer cell, which then waits for a person; text that may belong to no question is
reported.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from nbformat import NotebookNode

from autograder.course.cells import reused_from
from autograder.escaping import for_terminal
from autograder.grading.grading_log import Repair
from autograder.grading.student_text import ReleasedTexts, is_prose, is_read_only, words

#: Metadata key of a cell whose text is already in the answer cell: a graded notebook is sanitized
#: once more when nbgrader saves it.
_USED = "coursekit_used"
_HEADER = "From another cell of the notebook:"
_MAX_TEXT_LENGTH = 20_000
_LABEL = re.compile(r"\*\*\s*(Question|Task|Exercise)\s+(\d+)\b", re.IGNORECASE)
#: How many texts that may be an answer are quoted, and how many characters of each.
_QUOTES, _QUOTED = 3, 80


@dataclass
class _Part:
    """A piece of the student's text outside the answer cells.

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
    texts = ReleasedTexts(notebook, release)
    parts = _parts(notebook, texts, questions)
    claimed = {id(cell) for key, several in copies.items() if key for cell in several}
    foreign = {id(cell) for cell in copies.get("", [])}
    labels = _labels(release)
    places = {id(cell): number for number, cell in enumerate(notebook.cells)}
    waiting = {g for g, cell in questions.items() if is_unanswered(cell.source, released[g])}
    repairs, joined = [], []
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
        if blank and grade_id in labels:
            there = {id(part.cell) for part in found}
            named = _named(labels[grade_id].name, notebook, texts, cell)
            found += [part for part in named if id(part.cell) not in there]
        if blank and not found:
            found = [
                part
                for part in free
                if grade_id in part.around and not part.code and part.near not in waiting
            ]
        if found:
            joined.append((cell, sorted(found, key=lambda part: part.place), blank))
            repairs.append(_repair(grade_id, blank, bool(own)))
        elif blank:
            near = [
                part
                for part in free
                if not (part.code or (part.edit and part.near in waiting))
                and (grade_id in part.around or not part.near)
            ]
            maybe = _nameless(labels, [*near, *_explanations(notebook, texts, parts)])
            if grade_id in labels:
                maybe += _numbered(labels[grade_id].item, notebook, texts, cell)
            if maybe:
                repairs.append(_unplaced(grade_id, maybe))
    for cell, found, blank in joined:
        _put_together(cell, found, places, blank)
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
    """Tell whether a cell holds an answer that is graded by hand."""
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade") and marks.get("solution") and marks.get("grade_id"))


def is_unanswered(source: str, released: NotebookNode) -> bool:
    """Tell whether an answer is blank or equals the released cell; of a text, markup aside."""
    if not source.strip() or source.strip() == released.source.strip():
        return True
    return released.cell_type != "code" and words(source) == words(released.source) != []


def _grade_id(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def _parts(
    notebook: NotebookNode, texts: ReleasedTexts, questions: dict[str, NotebookNode]
) -> list[_Part]:
    """Return the student's text in cells without points, each piece with its questions."""
    fixed: list[str | None] = []  # cell -> grade id, "" for a released text, None for a new cell
    parts = []
    for place, cell in enumerate(notebook.cells):
        original = texts.original(cell)
        marked = bool(_grade_id(cell)) and not is_read_only(cell)
        fixed.append(_grade_id(cell) if marked else None if original is None else "")
        if marked or cell.metadata.get(_USED) or not cell.source.strip():
            continue
        if original is None:
            code = cell.cell_type == "code" and not is_prose(cell.source)
            parts.append(_Part(cell, place, cell.source.strip(), code))
        elif cell.cell_type != "code" and (added := texts.added(cell)):
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
    """Return the question whose answer cell is next to a piece, or next below the text it edits."""
    above, below = (before or [""])[-1], (after or [""])[0]
    if not part.edit and above in questions:
        return above
    next_marked = next(filter(None, after), "")
    if (part.edit or below == next_marked) and next_marked in questions:
        return next_marked
    return ""


def _block(side: Iterable[str], questions: dict[str, NotebookNode]) -> set[str]:
    """Return the questions up to the next exercise."""
    found = set()
    for grade_id in side:
        if grade_id and grade_id not in questions:
            break
        found.add(grade_id)
    return found - {""}


@dataclass(frozen=True)
class _Label:
    """The patterns by which a student may refer to a question: "Question 2", "Q2", "2." in a list."""

    name: re.Pattern[str]
    item: re.Pattern[str]


def _labels(release: NotebookNode) -> dict[str, _Label]:
    """Return grade id -> the patterns by which a student may refer to the question."""
    found, match = {}, None
    for cell in release.cells:
        if is_by_hand(cell):
            if match is not None:
                found[_grade_id(cell)] = _label(*match.groups())
            match = None
        elif cell.cell_type != "code":
            match = _LABEL.match(cell.source.lstrip()) or match
    return found


def _label(kind: str, number: str) -> _Label:
    number += "[a-h]?"  # of a part
    kinds = rf"\b(?:{kind}s?|questions?|answer|ans|q)[\s_.:#(*-]{{0,3}}(?:no\W{{0,2}}|number )?"
    letter = rf"^[^\w\n]{{0,6}}a(?:\W{{0,2}}{number}\s?[.:)]|{number}\b)"
    item = rf"(?:^[^\w\n]{{0,6}}|[.;!?] \(?){number}(?:[^\w\n]*$|\s?[.:)\]*_]+(?=\s|$).*)"
    flags = re.IGNORECASE | re.MULTILINE
    return _Label(re.compile(rf"{kinds}{number}\b|{letter}", flags), re.compile(item, flags))


def _named(
    name: re.Pattern[str], notebook: NotebookNode, texts: ReleasedTexts, answer: NotebookNode
) -> list[_Part]:
    """Return the text anywhere that names a question, such as all answers in one cell."""
    found = []
    for place, cell in _changed(notebook, texts, answer):
        merged = any(name.match(line.lstrip("# *")) for line in cell.source.splitlines())
        if cell.cell_type == "code":
            new = [remark.text for remark in texts.new_remarks(cell)]
            named = [i for i, text in enumerate(new) if name.search(text)] or [0] * merged
            if new and named:
                own = not _grade_id(cell) and texts.is_own(cell)
                text = cell.source.strip() if own else "\n".join(new[named[0] :])
                found.append(_Part(cell, place, text, code=True))
            continue
        added = texts.added(cell)
        if added and (merged or name.search(added)):
            found.append(_Part(cell, place, added))
    return found


def _numbered(
    item: re.Pattern[str], notebook: NotebookNode, texts: ReleasedTexts, answer: NotebookNode
) -> list[str]:
    """Return the list items with a question's number, in changed text cells."""
    changed = [cell for _, cell in _changed(notebook, texts, answer) if cell.cell_type != "code"]
    return [match[0] for cell in changed if (match := item.search(texts.added(cell)))]


def _explanations(notebook: NotebookNode, texts: ReleasedTexts, parts: list[_Part]) -> list[_Part]:
    """Return plain prose in code, and comments of several words in code of the release.

    In the cells of exercises, where comments explain the code, only below it.
    """
    seen = {id(part.cell) for part in parts if not part.code}
    return [
        _Part(cell, place, remark.text)
        for place, cell in _changed(notebook, texts)
        if cell.cell_type == "code" and id(cell) not in seen
        for remark in texts.new_remarks(cell)
        if remark.explains or (remark.says_something and not texts.is_own(cell))
        if remark.below or not cell.metadata.get("nbgrader", {}).get("solution")
    ]


def _nameless(labels: dict[str, _Label], parts: list[_Part]) -> list[str]:
    """Return the texts that name no question; a text that names one is in its answer cell."""
    names = [label.name for label in labels.values()]
    return [part.text for part in parts if not any(name.search(part.text) for name in names)]


def _changed(
    notebook: NotebookNode, texts: ReleasedTexts, besides: NotebookNode | None = None
) -> list[tuple[int, NotebookNode]]:
    """Return the cells that differ from the release, numbered, without reused earlier solutions."""
    return [
        (place, cell)
        for place, cell in enumerate(notebook.cells)
        if cell is not besides
        and cell.source.strip() not in texts.sources
        and reused_from(cell) is None
    ]


def _unplaced(grade_id: str, maybe: list[str]) -> Repair:
    shown = [" ".join(for_terminal(text).split()) for text in dict.fromkeys(maybe)]
    quotes = [
        f'"{textwrap.shorten(text[: 2 * _QUOTED], _QUOTED, placeholder=" …")}"' for text in shown
    ]
    more = f" and {len(quotes) - _QUOTES} more" if len(quotes) > _QUOTES else ""
    return Repair(
        f"{grade_id} has no answer in its cell, and other cells have text that may be one:"
        f" {', '.join(quotes[:_QUOTES])}{more}",
        doubtful=True,
    )


def _put_together(
    answer: NotebookNode, found: list[_Part], places: dict[int, int], blank: bool
) -> None:
    """Write the found text and the answer cell's own into that cell, in notebook order."""
    here = places[id(answer)]
    before = [_section(part, answer) for part in found if part.place < here]
    after = [_section(part, answer) for part in found if part.place > here]
    own = [] if blank else [answer.source]
    answer.source = "\n\n".join([*before, *own, *after])


def _section(part: _Part, answer: NotebookNode) -> str:
    text = part.text[:_MAX_TEXT_LENGTH]
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
