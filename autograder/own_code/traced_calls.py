"""Material for questions about an answer: calls, edits, and their results, found by running it.

Everything of one student runs in one sandbox, beside the other definitions of their notebook.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.cells import MAX_CELL_CHARACTERS, NOT_PYTHON, kept_definitions
from autograder.errors import CourseError, TookTooLong
from autograder.grading.answer_runs import answer_cells
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.own_code.answer_mutations import Edit, Stop, edits, function, stopped, stops
from coursekit.checking import codec
from coursekit.checking.as_code import call_as_code
from coursekit.checking.format import show
from coursekit.checking.judge_case import agrees
from coursekit.checking.recording_format import Case, DrawnCase, Outcome, Question
from coursekit.checking.time_limit import time_limit
from coursekit.checking.verdict import clean

#: A longer call, or value, is hard to read on paper.
_MAX_CALL, _MAX_VALUE = 240, 120
_CALLS, _EDITS, _STOPS, _STOPPED_EDITS = 8, 12, 3, 4
_MIN_CALLS = 4
_MAX_ANSWER = 6_000
#: Numbers that nobody reckons with on paper; calls without them come first.
_DIGITS = re.compile(r"\.\d{3}")
_WHOLE_SECONDS, _CELL_SECONDS = 60.0, 10.0
#: Processor time of finding the edits of an answer.
_EDIT_SECONDS = 10.0
#: What a value may cost to be compared, see `coursekit.checking.comparison_cost`: far more than can be read.
_ROOM = 20_000


@dataclass(frozen=True)
class Given:
    """Result of one call of an answer or of a variant.

    Attributes
    ----------
    text : str
        The value as it is printed, or ``raises ValueError``.
    short : bool
        Whether the text is all of it, and it depends on nothing but what the page shows.
    """

    outcome: Outcome
    text: str
    short: bool

    @property
    def is_value(self) -> bool:
        """True if the call returned a value."""
        return self.outcome["status"] == "value"

    @property
    def is_hidden(self) -> bool:
        """True if it depends on the state of a global random generator, which no reader knows."""
        return bool(self.outcome.get("drew_from"))

    @property
    def form(self) -> str:
        """The value's text with all numbers as 0, to compare brackets and words."""
        return re.sub(r"[-+.\w]*\d[-+.\w]*", "0", self.text)


@dataclass
class Material:
    """Student's answer to an exercise, with the results of it and its variants for some calls.

    Attributes
    ----------
    calls : list of (str, DrawnCase)
        The calls as Python, and their cases.
    own : list of Given
        What the answer gives, call by call.
    edited : dict of Edit to list of Given
        What it gives with an edit.
    at_stops : dict of Stop to list of Given
        The value of the variable at each stop.
    at_edited_stops : dict of Stop to list of list of Given
        The same with edits of the stop's line.
    """

    exercise: str
    source: str
    calls: list[tuple[str, DrawnCase]]
    own: list[Given] = field(default_factory=list)
    edited: dict[Edit, list[Given]] = field(default_factory=dict)
    at_stops: dict[Stop, list[Given]] = field(default_factory=dict)
    at_edited_stops: dict[Stop, list[list[Given]]] = field(default_factory=dict)

    def tidy(self) -> None:
        """Drop variants that did not run, and calls for which the answer returns no value."""
        kept = [i for i, given in enumerate(self.own) if given.is_value and not given.is_hidden]

        def of(given: list[Given]) -> list[Given]:
            return [given[i] for i in kept]

        self.calls = [self.calls[i] for i in kept]
        self.own = of(self.own)
        self.edited = {edit: of(given) for edit, given in self.edited.items() if given}
        self.at_stops = {stop: of(given) for stop, given in self.at_stops.items() if given}
        self.at_edited_stops = {
            stop: [of(given) for given in several] for stop, several in self.at_edited_stops.items()
        }

    def differs(self, call: int, one: Given, two: Given) -> bool | None:
        """Tell whether two outcomes of a call differ visibly; None if a reader could not tell."""
        if one.is_hidden or two.is_hidden:
            return None
        case = cast(Case, self.calls[call][1])
        alike = one.text == two.text
        if one.is_value and two.is_value:
            equal = agrees(case, one.outcome, two.outcome)
            return None if equal != alike else not equal
        return not alike


def plan(
    answers: Mapping[str, str], cases: Mapping[str, Sequence[DrawnCase]], rng: random.Random
) -> list[Material]:
    """Return the answers suitable for questions, each with its calls and variants, not yet run.

    Parameters
    ----------
    answers : mapping of str to str
        Exercise -> the cell that answers it.
    cases : mapping of str to sequence of DrawnCase
        Exercise -> cases for it.
    """
    found = []
    for exercise, source in answers.items():
        if len(source) > _MAX_ANSWER:
            continue
        calls = _calls(exercise, source, cases.get(exercise, ()))
        changes = _edits(exercise, source)
        if len(calls) < _MIN_CALLS or not changes:
            continue
        calls.sort(key=lambda call: (bool(_DIGITS.search(call[0])), len(call[0])))
        brief = calls[: max(_CALLS, len(calls) * 2 // 3)]
        one = Material(exercise, source, rng.sample(brief, min(_CALLS, len(brief))))
        one.edited = {edit: [] for edit in rng.sample(changes, min(_EDITS, len(changes)))}
        places = stops(source, exercise)
        one.at_stops = {stop: [] for stop in rng.sample(places, min(_STOPS, len(places)))}
        found.append(one)
    return found


def _edits(exercise: str, source: str) -> list[Edit]:
    """Return the edits of an answer; [] if finding them takes too long."""
    try:
        with time_limit(_EDIT_SECONDS, TookTooLong):
            return edits(source, exercise) if function(source, exercise) else []
    except (TookTooLong, *NOT_PYTHON):
        return []


def run(notebook: NotebookNode, materials: Sequence[Material], limits: Limits) -> None:
    """Run the answers and their variants and store the results; drop a text that does not run.

    Parameters
    ----------
    notebook : NotebookNode
        The student's notebook, sanitized.
    limits : Limits
        Where to run.

    Raises
    ------
    CourseError
        No kernel could be started.
    """
    made = new_notebook(cells=list(_definitions(notebook)))
    questions: dict[str, list[Question]] = {}
    places: dict[str, tuple[Material, object]] = {}
    for material in materials:
        for what, text in _texts(material):
            alias = f"{material.exercise}__{len(places)}"
            places[alias] = (material, what)
            made.cells += answer_cells(material.exercise, text, alias)
            questions[alias] = [_question(case) for _, case in material.calls]
    answers = run_notebook(made, questions, limits)
    for alias, (material, what) in places.items():
        outcomes = answers.outcomes.get(alias)
        if outcomes is None or len(outcomes) != len(material.calls):
            _drop(material, what)
            continue
        _store(material, what, [_given(outcome) for outcome in outcomes])
    for material in materials:
        material.tidy()


def limits_for(limits: Limits) -> Limits:
    """Return the limits of grading, with the time limits of a run that only calls functions."""
    return replace(
        limits, cell_seconds=_CELL_SECONDS, notebook_seconds=_WHOLE_SECONDS, figures=False
    )


def _calls(exercise: str, source: str, cases: Sequence[DrawnCase]) -> list[tuple[str, DrawnCase]]:
    """Return the calls that fit in a line, each once, and none that the answer mentions."""
    found: dict[str, DrawnCase] = {}
    for case in cases:
        if case.get("again") or case.get("judge", {}).get("kind", "close") != "close":
            continue
        text = call_as_code(exercise, case, _MAX_CALL)
        if text and text not in source:
            found.setdefault(text, case)
    return list(found.items())


def _definitions(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Yield the definitions of the notebook's cells, a cell each."""
    for cell in notebook.cells:
        source = "".join(cell.source)  # or a list of lines
        if cell.cell_type != "code" or len(source) > MAX_CELL_CHARACTERS:
            continue
        try:
            tree = kept_definitions(source)
        except (CourseError, *NOT_PYTHON):  # the answer beside it may be
            continue
        if tree.body:
            yield new_code_cell(ast.unparse(tree))


def _texts(material: Material) -> Iterator[tuple[object, str]]:
    """Yield the answer and its variants, each with its key: None, an edit, a stop or both."""
    yield None, material.source
    for edit in material.edited:
        yield edit, edit.source
    for stop in material.at_stops:
        yield stop, stop.source
        on_line = [edit for edit in material.edited if edit.line == stop.line]
        for edit in on_line[:_STOPPED_EDITS]:
            text = stopped(edit, material.exercise, stop.line)
            if text is not None:
                yield (stop, edit), text


def _store(material: Material, what: object, given: list[Given]) -> None:
    """Store the results of the answer or of a variant."""
    if what is None:
        material.own = given
    elif isinstance(what, Edit):
        material.edited[what] = given
    elif isinstance(what, Stop):
        material.at_stops[what] = given
    elif isinstance(what, tuple):
        material.at_edited_stops.setdefault(what[0], []).append(given)


def _drop(material: Material, what: object) -> None:
    """Drop a variant that did not run."""
    if isinstance(what, Edit):
        material.edited.pop(what, None)
    elif isinstance(what, Stop):
        material.at_stops.pop(what, None)


def _question(case: DrawnCase) -> Question:
    """Return a case as a submission receives it."""
    kept = ("args", "names", "seed", "kwargs", "forbidden")
    given: dict[str, object] = {key: case[key] for key in kept if key in case}  # type: ignore[literal-required]
    return cast(Question, given | {"room": _ROOM})


def _given(outcome: object) -> Given:
    """Return the result in an outcome, with its text."""
    tidy = clean(outcome)
    if tidy["status"] == "value":
        text = show(codec.decode_views(tidy["value"]), _MAX_VALUE + 1)
        whole = "..." not in text and " of shape " not in text and "Generator" not in text
        short = whole and len(text) <= _MAX_VALUE and not tidy.get("drew_from")
        return Given(tidy, text, short)
    if tidy["status"] == "error":
        return Given(tidy, f"raises {tidy.get('type', 'an error')}", True)
    return Given(tidy, "no result", False)
