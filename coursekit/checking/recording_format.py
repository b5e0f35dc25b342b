"""Record types of checking: the meaning of every key of a case, an outcome and a recording.

They are dictionaries, since they are JSON: in the recordings on disk and between the grader and a
submission's kernel. Each is described once, here, and costs nothing at run time.

The order in which they come about: an author's `Case` is encoded as a `DrawnCase`; recording adds
what the reference gives (`Case`) and what the misconceptions give (`RecordedExercise`). A submission
receives each case as a `Question`, without what would give the answer away, and returns an
`Outcome`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

#: A value as `codec.encode` writes it: JSON, in which a dictionary's first key is a tag such as
#: ``"$tensor"`` that says what it stands for.
Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"

#: The title of a case that calls a function or an object a second time.
SECOND_CALL = "called a second time, with other input"

#: One of the calls on an object, as ``[method, args, kwargs]``: the method's name, the encoded
#: positional inputs (a list) and the named ones (a dictionary). The method is ``"__call__"`` for the
#: object itself and ``".name"`` for an attribute, which is read.
Step: TypeAlias = list[Any]

#: What happened in a case: it returned a value, raised an error, is a TODO still, ran out of time,
#: or returned what cannot be read. ``"undefined"`` is only in the recording of a misconception.
Status = Literal["value", "error", "unwritten", "timeout", "unreadable", "undefined"]


class _Asked(TypedDict):
    """Keys that every question has.

    Attributes
    ----------
    args : list of Plain
        The positional inputs.
    names : list of str
        The names of the parameters that take `args`, in order; shorter if some have no name.
    seed : int
        What the global random generators are seeded with for the call.
    """

    args: list[Plain]
    names: list[str]
    seed: int


class Question(_Asked, total=False):
    """A case as a submission receives it: its inputs, without the expected outcome.

    The keys below are absent where they do not apply.

    Attributes
    ----------
    kwargs : dict of str to Plain
        The named inputs.
    state : dict of str to Plain
        For a class: attributes and parameters to set after the object is made, by dotted path.
    then : list of Step
        For a class: the calls on the object, in place of which their results are compared.
    again : list of [list of Plain, dict of str to Plain]
        For a function: the inputs of further calls, positional and named. The results of all calls
        are compared as a tuple. Recording adds it.
    gradient : str
        The input with respect to which the gradient is compared in place of the result, or
        `gradients.ALL`.
    forbidden : list of str
        Full names of helpers that raise `NotAllowed` while the case runs. Recording adds it.
    room : int
        What an answer may cost to be compared. It stays with the grader.
    """

    kwargs: dict[str, Plain]
    state: dict[str, Plain]
    then: list[Step]
    again: list[tuple[list[Plain], dict[str, Plain]]]
    gradient: str
    forbidden: list[str]
    room: int


class Properties(TypedDict, total=False):
    """Conditions on every number of an array, checked before its values.

    Attributes
    ----------
    at_least, at_most : float
        Bounds, themselves allowed.
    sums_to_one : int
        The axis along which the numbers sum to 1.
    """

    at_least: float
    at_most: float
    sums_to_one: int


class Rules(TypedDict, total=False):
    """Rules for comparing an outcome with the expected one: the key ``judge`` of a case.

    Attributes
    ----------
    kind : str
        The judge, a key of `comparison.JUDGES`; ``"close"`` if absent.
    rtol, atol : float
        Relative and absolute tolerance of floats; `comparison.RTOL` and `comparison.ATOL` if
        absent.
    dtype : str
        ``"exact"``, or ``"family"``: any float for a float. If absent, exact for tensors of floats.
    order : bool
        Whether the keys of dictionaries must have the expected order.
    properties : Properties
        What must hold for every number of the arrays.
    raises : str
        The exception that this input should raise; the reference must raise it.
    may_change_inputs : bool
        Whether the call may change its inputs in place.
    draws : bool
        Whether the call must draw as many numbers from its generators as the reference does.
    counters : bool
        Whether a `Counter` must be one, which answers 0 for what it has not counted.
    keeps_generators : bool
        Whether the call must leave the global random generators alone.
    labels : list of int
        For ``"accuracy"``: the right labels.
    at_least : float
        For ``"accuracy"``: the share of predictions that must be right, from 0 to 1.
    must_shuffle : bool
        For ``"shuffled"``: whether sorted order is wrong.
    low, high : float
        For ``"between"``: the bounds, themselves allowed.
    """

    kind: Literal["close", "accuracy", "shuffled", "between"]
    rtol: float
    atol: float
    dtype: Literal["exact", "family"]
    order: bool
    properties: Properties
    raises: str
    may_change_inputs: bool
    draws: bool
    counters: bool
    keeps_generators: bool
    labels: list[int]
    at_least: float
    must_shuffle: bool
    low: float
    high: float


class _Happened(TypedDict):
    """Keys that every outcome has.

    Attributes
    ----------
    status : Status
        What happened.
    """

    status: Status


class Outcome(_Happened, total=False):
    """The result of running a case, not yet judged.

    The keys below are absent where they do not apply. The recorded outcomes of the reference and of
    the misconceptions lack what only messages use: ``printed``, ``printed_characters``, ``keeps``,
    ``shadows``, ``line`` and ``bases``, and for an error that is expected ``message`` and ``place``.

    Attributes
    ----------
    value : Plain
        What the call returned; only with the status ``"value"``.
    message : str
        The exception's text, the TODO's, or why there is no value.
    type : str
        The name of the exception's class.
    bases : str
        The names of the classes that it is derived from, separated by spaces.
    line : str
        The student's line that raised it, with number and function; "" if there is none.
    place : str
        The student's functions on the way to it, outermost first, separated by `` > ``.
    raised : bool
        True for an exception that a ``raise`` of the student's own has raised.
    changed : list of str
        The inputs that the call altered in place, by name.
    drew_from : list of str
        The global random generators that it used or reseeded.
    left : list of str
        The settings of the process that it left changed, keys of `process_settings.WORDS`.
    next_draws : list of float
        What each generator among the inputs draws next.
    constant : bool
        True for a gradient of a result that is one number and has none, so `backward()` would raise.
    keeps : str
        Where the call has kept something for the next one, in words.
    shadows : str
        Which built-in names that it uses its notebook has given another meaning, one clause.
    printed : str
        The start of what it printed.
    printed_characters : int
        How many characters it printed in all.
    """

    value: Plain
    message: str
    type: str
    bases: str
    line: str
    place: str
    raised: bool
    changed: list[str]
    drew_from: list[str]
    left: list[str]
    next_draws: list[float]
    constant: bool
    keeps: str
    shadows: str
    printed: str
    printed_characters: int


class _Grouped(Question):
    """Keys that a drawn case has besides its inputs.

    Attributes
    ----------
    group : str
        The group that carries the points, a key of the exercise's ``groups``.
    """

    group: str


class DrawnCase(_Grouped, total=False):
    """A case as it is drawn from a seed, before the reference has run on it.

    Attributes
    ----------
    title : str
        A few words on what is special about this input.
    judge : Rules
        How outcomes are compared; absent for the default rules.
    undefined : list of str
        The misconceptions whose output here depends on rounding alone. Recording takes it out.
    """

    title: str
    judge: Rules
    undefined: list[str]


class Case(DrawnCase):
    """A case with the outcome of the reference, to which a student's is compared.

    Attributes
    ----------
    expected : Outcome
        The outcome of the reference; its status is ``"value"`` or ``"error"``. Recording adds it.
    """

    expected: Outcome


class RecordedMisconception(TypedDict):
    """A plausible wrong answer, by its outcomes.

    Attributes
    ----------
    name : str
        Its name, unique in the exercise.
    hint : str
        What a student who made this mistake is told.
    outcomes : list of (Outcome or None)
        One per case: None where it is right, `hints.UNDEFINED` where the output depends on rounding.
    """

    name: str
    hint: str
    outcomes: list[Outcome | None]


class RecordedPair(TypedDict):
    """Two misconceptions in one answer, recorded where neither explains the outcomes alone.

    Attributes
    ----------
    names : list of str
        The names of the two; the hint of the first is shown first.
    outcomes : dict of str to Outcome
        The outcomes of both together, by the case's number as text, in the first group they fail.
    """

    names: list[str]
    outcomes: dict[str, Outcome]


class _Judged(TypedDict):
    """Keys that every recorded exercise has.

    Attributes
    ----------
    name : str
        The exercise's name, unique in the course.
    groups : dict of str to float
        The points of each group of cases, in the order in which they are explained.
    cases : list of Case
        The cases with the outcomes of the reference.
    misconceptions : list of RecordedMisconception
        The misconceptions with theirs.
    """

    name: str
    groups: dict[str, float]
    cases: list[Case]
    misconceptions: list[RecordedMisconception]


class RecordedExercise(_Judged, total=False):
    """Everything that judging an exercise needs, without a solution.

    Attributes
    ----------
    further : str
        A hint that `check` offers after some failed tries; absent if the author wrote none.
    further_for : list of str
        The groups that this hint is about; absent if it is about all.
    pairs : list of RecordedPair
        Pairs of misconceptions. A release adds it.
    """

    further: str
    further_for: list[str]
    pairs: list[RecordedPair]


class Recording(TypedDict):
    """The recorded exercises of one assignment: a file of `coursekit/recordings`.

    Attributes
    ----------
    format : int
        The version of this format, `stored_recordings.FORMAT`.
    coursekit : str
        The version of coursekit that recorded it.
    assignment : str
        The assignment's id, ``NN_topic``.
    revision : int
        How often the exercises have changed, counted from 1. A notebook names the revision that it
        was released with, and needs no older one.
    exercises : dict of str to RecordedExercise
        The exercises by name.
    layers : dict of str to list of str
        For each exercise that is a class: the attributes that the reference's `__init__` sets, in its
        order, in which `coursekit.initialize` draws their weights.
    """

    format: int
    coursekit: str
    assignment: str
    revision: int
    exercises: dict[str, RecordedExercise]
    layers: dict[str, list[str]]
