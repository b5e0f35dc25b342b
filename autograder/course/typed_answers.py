"""The answers in `exercises/NN_topic/answers/`, written as students would type them.

`right.py` holds right answers in many styles, `wrong.py` wrong ones. A cell begins with the exercise
and a few words on the answer, in which there is no bar; for a wrong one a bar and the misconception
whose hint it gets follow, or nothing where no hint fits:

    # %% softmax: down the columns | softmax_over_columns
    def softmax(scores):
        ...

A wrong answer that is almost a right one is written as an edit, in comments, so that the file stays
Python. Lines are marked as in `WRONG` (see `apply_edit`). The edit is one of the reference, or of
the right answer that the second line names: by its words in `right.py`, or as `RIGHT name` if it is
an entry of `RIGHT` in the exercise's module:

    # %% softmax: forgets to subtract the maximum | overflows
    # edits: by hand
    # - e = torch.exp(scores - scores.max())
    # + e = torch.exp(scores)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.course.apply_edit import EditError, apply_edit
from autograder.course.assignment import Assignment
from autograder.course.reference import without_docstrings
from autograder.errors import CourseError
from coursekit.checking.recording_format import RecordedExercise
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge

_CELL = re.compile(r"^# %% (\w+): ([^|\n]+?)(?: \| ?(\w*))?\n(.*?)(?=^# %% |\Z)", re.M | re.S)
#: The first line of a cell that has a bar.
_BARRED = re.compile(r"^# %% \w+: .*\|.*\n", re.M)
_BASE = re.compile(r"# edits: (.+)\n")


@dataclass(frozen=True)
class TypedAnswer:
    """An answer to an exercise, as a student would type it.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    words : str
        What is special about the answer; no two answers to an exercise have the same words.
    misconception : str
        The misconception whose hint it gets; "" for a right answer, or where no hint fits.
    source : str
        The answer in Python.
    """

    exercise: str
    words: str
    misconception: str
    source: str


def typed_answers(assignment: Assignment, kind: str) -> list[TypedAnswer]:
    """Read the right or the wrong answers to the exercises of an assignment.

    Parameters
    ----------
    assignment : Assignment
        The assignment.
    kind : str
        "right" or "wrong".

    Returns
    -------
    list of TypedAnswer
        The answers in the order of the file, edits applied.

    Raises
    ------
    CourseError
        There is no such file, or a cell of it is malformed, answers no exercise of the assignment,
        or is an edit that does not apply.
    """
    found = []
    for name, words, misconception, text in _cells(assignment, kind):
        is_edit = all(line[:1] == "#" for line in text.splitlines() if line.strip())
        source = _edited(assignment, name, words, text) if is_edit else text
        found.append(TypedAnswer(name, words, misconception, source))
    return found


def verdict_on(assignment: Assignment, recorded: RecordedExercise, source: str) -> Verdict:
    """Judge an answer with the cases of a recorded exercise.

    Parameters
    ----------
    assignment : Assignment
        The assignment.
    recorded : RecordedExercise
        The exercise as recorded, with its cases.
    source : str
        The answer in Python.

    Returns
    -------
    Verdict
        Points and explanation.
    """
    answer = assignment.solution.run_answer(recorded["name"], source)
    return judge(recorded, run_cases(answer, recorded["cases"]))


def _cells(assignment: Assignment, kind: str) -> list[tuple[str, str, str, str]]:
    """Read the cells of a file of answers: exercise, words, misconception and text of each."""
    course = assignment.course
    path = course.cases(assignment.name) / "answers" / f"{kind}.py"
    where = path.relative_to(course.root).as_posix()
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise CourseError(
            f"there is no {where}: write {kind} answers to its exercises, as students would type them."
        ) from error
    found = _CELL.findall(text)
    for first in _BARRED.findall(text):
        if not _CELL.match(first):
            raise CourseError(
                f"{where}: `{first.strip()}`: a bar separates the words from the name of the"
                " misconception, so the words cannot have one."
            )
    if len(found) != text.count("# %% "):
        raise CourseError(f"{where}: begin every cell with `# %% EXERCISE: in words`.")
    for name, words, *_ in found:
        if name not in assignment.exercises:
            raise CourseError(
                f"{where}: `{name}: {words}` answers no exercise of {assignment.name}; delete it."
            )
    return found


def _edited(assignment: Assignment, name: str, words: str, body: str) -> str:
    """Apply the edit in a cell's comments to the answer that it names."""
    base = _BASE.match(body)
    edit = re.sub(r"^# ?", "", _BASE.sub("", body, count=1), flags=re.M)
    try:
        source = _right(assignment, name, base[1]) if base else _reference(assignment, name)
        return apply_edit(source, edit)
    except EditError as error:
        raise EditError(f"{assignment.name}, {name}: {words}: {error}") from None


def _reference(assignment: Assignment, name: str) -> str:
    return assignment.solution.bare_sources[name]


def _right(assignment: Assignment, name: str, words: str) -> str:
    """Return the right answer with these words, or the entry of `RIGHT`, without docstrings."""
    if words.startswith("RIGHT "):
        reference = _reference(assignment, name)
        for answer in assignment.exercises[name].alternatives:
            if answer.name == words.removeprefix("RIGHT "):
                return without_docstrings(answer.source(reference))
    for cell in _cells(assignment, "right"):
        if cell[:2] == (name, words):
            return without_docstrings(cell[3])
    raise EditError(f"there is no right answer called {words!r}.")
