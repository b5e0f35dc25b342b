"""Facts from an assignment's notebooks: aim, hours, exercises, questions for the room, marking."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

from autograder.authoring.notebook_times import ABOUT
from autograder.course.assignment import Assignment
from autograder.course.cells import OR_GIVEN, checked_exercise, reused_from
from autograder.course.helpers import Helpers
from autograder.course.layout import Course

_HEAD = re.compile(r"^#+ (?:Exercise \d+[.:]? *)?(.+)$", re.M)
_HAND = re.compile(r"\*\*(.+?) \(([^()]*points?)[^()]*\)\.?\*\*")
_SAMPLE = re.compile(
    r"^(?:- )?\*([^*\n]*points?)\.\*\s*(.+?)(?=^(?:- )?\*[^*\n]*points?\.\*|\Z)", re.M | re.S
)
_SENTENCE = re.compile(r"(?:(?<=[.?!:])|(?<=[.?!:][)*]))\s+(?=[\"(*]*[A-Z(])")
_GUESS = re.compile(
    r"[Bb]efore\*? (?:you run|the run)|\b[Gg]uess(?: first|[.:])|your guess|[Pp]redict before"
)
_ASKS = re.compile(r"\?|write down|\bstore\b|in order\b|sketch", re.I)
_MAX_GUESS = 430


@dataclass(frozen=True)
class Task:
    """Exercise as an instructor plans it.

    Attributes
    ----------
    minutes, level : str
        As the notebook says; "" if it does not.
    called_by : list of str
        Other exercises of the assignment whose reference calls this one, directly or not.
    cells : int
        Other code cells of the notebook that use it.
    reused_in : list of str
        Later assignments that students paste it into.
    """

    name: str
    title: str
    minutes: str
    level: str
    points: float
    called_by: list[str]
    cells: int
    reused_in: list[str]

    @property
    def needed(self) -> str:
        """Later uses of the exercise, as one sentence."""
        parts = []
        if self.called_by:
            parts.append("called by " + ", ".join(f"`{one}`" for one in self.called_by))
        if self.cells:
            parts.append(f"used in {self.cells} cell{'s' * (self.cells != 1)}")
        if self.reused_in:
            parts.append("pasted into " + ", ".join(one[:2] for one in self.reused_in))
        return "; ".join(parts) or "nothing later uses it"


@dataclass(frozen=True)
class Marked:
    """Question that is graded by hand.

    Attributes
    ----------
    samples : list of tuple of str
        Points and answer, as the solution notebook has them.
    """

    title: str
    points: str
    guide: str
    samples: list[tuple[str, str]]


class LessonFacts:
    """Facts that the files of an assignment state.

    Parameters
    ----------
    assignment : Assignment
        The assignment.
    reused : dict of str to dict of str to list of str
        Assignment -> name -> later assignments that paste it, as `reused_names` finds them.
    """

    def __init__(self, assignment: Assignment, reused: dict[str, dict[str, list[str]]]) -> None:
        self.assignment = assignment
        self._reused = reused.get(assignment.name, {})
        self._cells = assignment.solution.notebook.cells

    def opening(self, *words: str) -> str:
        """Return the opening paragraph that follows one of these words in bold, without it."""
        for cell in self._cells[:3]:
            for paragraph in re.split(r"\n\s*\n", cell.source):
                found = re.match(rf"\*\*(?:{'|'.join(words)})\b[^*]*\*\*:?\s*(.+)", paragraph, re.S)
                if found:
                    return found[1].strip()
        return ""

    @cached_property
    def tasks(self) -> list[Task]:
        """Exercises in the order of their checks."""
        helpers = Helpers(self.assignment)
        calls = {name: helpers.of(name) for name in self.assignment.exercises}
        found, text = [], ""
        for cell in self._cells:
            if cell.cell_type == "markdown" and "### BEGIN" not in cell.source:
                text += f"\n\n{cell.source}"
            name = checked_exercise(cell.source) if cell.cell_type == "code" else None
            if name not in self.assignment.exercises:
                continue
            about = ([None, *ABOUT.finditer(text)])[-1]
            heads = _HEAD.findall(text[: about.start()] if about else text)
            text = ""
            found.append(
                Task(
                    name,
                    re.sub(r"^\d+\. ", "", heads[-1].strip()) if heads else "",
                    about[1] if about else "",
                    about[2] if about else "",
                    sum(self.assignment.exercises[name].points.values()),
                    [other for other, called in calls.items() if name in called],
                    self._uses(name),
                    self._reused.get(name, []),
                )
            )
        return found

    def _uses(self, name: str) -> int:
        """Count the code cells that name an exercise, besides its own cell and its check."""
        word = re.compile(rf"\b{name}\b")
        return sum(
            bool(word.search(cell.source))
            for cell in self.assignment.solution.code
            if not checked_exercise(cell.source)
            and not re.search(rf"^(?:def|class) {name}\b", cell.source, re.M)
        )

    @cached_property
    def guesses(self) -> list[str]:
        """Questions that the notebook asks before a run, one per cell, in Markdown."""
        found = []
        for cell in self.assignment.release.cells[1:]:
            if cell.cell_type == "markdown" and (asked := _guess(cell.source)):
                found.append(asked)
        return found

    @cached_property
    def marked(self) -> list[Marked]:
        """Questions that a person grades, with their marking guides."""
        found, head = [], ("", "")
        for cell in self._cells:
            if cell.cell_type != "markdown":
                continue
            if named := _HAND.search(cell.source):
                head = (named[1], named[2])
            guide = re.search(
                r"\*\*Marking guide\*\*:?\s*(.+?)(?=\*\*Sample answers\*\*|### END|\Z)",
                cell.source,
                re.S,
            )
            if guide is None:
                continue
            rest = cell.source[guide.end() :].partition("### END")[0]
            samples = [(points, text.strip()) for points, text in _SAMPLE.findall(rest)]
            found.append(Marked(*head, guide[1].strip(), samples))
        return found


def _guess(source: str) -> str:
    """Return the first question of a text that asks for a guess before a run; "" if none does."""
    for paragraph in re.split(r"\n\s*\n|^```.*?^```", source, flags=re.M | re.S):
        if not _GUESS.search(paragraph) or paragraph.lstrip().startswith(("**Try it", "#", "|")):
            continue
        sentences = _SENTENCE.split(paragraph.replace("\n", " ").strip())
        for place, sentence in enumerate(sentences):
            if _GUESS.search(sentence):
                chosen = _with_what_follows(sentences, place)
                if _ASKS.search(chosen):
                    return chosen
    return ""


def _with_what_follows(sentences: list[str], place: int) -> str:
    """Return a sentence with those after it up to the question, else with the question before."""
    chosen = sentences[place]
    for more in sentences[place + 1 : place + 4]:
        if "?" in chosen or len(chosen) + len(more) > _MAX_GUESS:
            break
        chosen += f" {more}"
    if "?" not in chosen and place and "?" in sentences[place - 1]:
        chosen = f"{sentences[place - 1]} {chosen}"
    chosen = re.sub(r"\*\*[^*]*graded by hand[^*]*\*\*\s*|^\([a-z]\) ", "", chosen)
    return re.split(r" \([b-z]\) ", chosen)[0]


def reused_names(course: Course) -> dict[str, dict[str, list[str]]]:
    """Map assignment and name to the later assignments whose cells ask students to paste it."""
    found: dict[str, dict[str, list[str]]] = {}
    for later in course.assignments():
        for cell in Assignment(course, later).release.cells:
            earlier = reused_from(cell)
            if earlier:
                for name in _pasted(cell):
                    found.setdefault(earlier, {}).setdefault(name, []).append(later)
    return found


def _pasted(cell: NotebookNode) -> list[str]:
    """Return the names that a cell asks students to paste."""
    first = str(cell.source).splitlines()[0]
    return re.findall(r"\w+", first.partition(":")[2].removesuffix(OR_GIVEN))
