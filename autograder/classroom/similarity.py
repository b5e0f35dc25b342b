"""Pairs of submissions whose answers share more rare statements than chance allows.

A statement that few others have written says much about a pair that shares it, one that everybody
writes says nothing. A statement that a share p of the others has gives -ln p nats; the sum over a
pair's statements is how improbable it is that two students wrote them independently. The threshold
follows from the number of pairs, as in a test with Bonferroni's correction, and is strict, since
statements are not quite independent.

Two students who both write the textbook's answer look as alike as a copy of it: such copies cannot
be found, in a short exercise above all.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import nbformat

from autograder.classroom.code_fingerprints import Statement, statements
from autograder.course.assignment import Assignment
from autograder.course.cells import written_answers
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.pages.templating import environment
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"

#: student -> exercise -> source of the answer
ClassAnswers = Mapping[str, Mapping[str, str]]

#: A class in which nobody copied has a listed pair with this probability, were all independent.
_FALSE = 1e-4
#: A statement that more than this share of the others has written does not count.
_COMMON = 0.5
#: A short statement says little even if nobody else wrote it: nats per name, constant, operation.
_NATS_PER_NODE = 0.5
#: An exercise counts if the pair shares this part of what is rare in the one answer and the other:
#: habits of style are shared here and there, a copy is shared throughout.
_SHARED = 0.8
#: So many statements at least; a single one is soon written twice.
_MIN_STATEMENTS = 2
#: Who has one statement of an approach has another with at least this probability, even if no third
#: answer has either: the second says less than the first.
_SAME_APPROACH = 0.1
#: With how many rarer statements one is compared: an answer of thousands would take minutes.
_MAX_BEFORE = 100


@dataclass(frozen=True)
class SimilarExercise:
    """An exercise in which two answers are alike.

    Attributes
    ----------
    nats : float
        How much the shared statements say.
    lines : tuple of (frozenset of int, frozenset of int)
        For each of the two answers, the line numbers of shared statements, from 1.
    """

    name: str
    nats: float
    sources: tuple[str, str]
    lines: tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class SimilarPair:
    """Two students whose answers are more alike than chance allows.

    Attributes
    ----------
    nats : float
        The sum over the exercises; listed pairs have at least the threshold of the class.
    exercises : tuple of SimilarExercise
        Most telling first.
    """

    students: tuple[str, str]
    nats: float
    exercises: tuple[SimilarExercise, ...]


def threshold(students: int) -> float:
    """Return the nats from which a pair is listed in a class of this size."""
    pairs = max(1, students * (students - 1) // 2)
    return math.log(pairs / _FALSE)


def similar_pairs(given: ClassAnswers, known: Mapping[str, Iterable[str]]) -> list[SimilarPair]:
    """Return the pairs above the threshold, most alike first.

    Parameters
    ----------
    known : mapping of str to iterable of str
        Exercise -> sources that anybody may write: the release, the reference, alternatives and
        misconceptions. Their statements count as those of further students.
    """
    found: dict[tuple[str, str], list[SimilarExercise]] = defaultdict(list)
    for exercise in sorted({name for own in given.values() for name in own}):
        sources = {s: own[exercise] for s, own in given.items() if exercise in own}
        for pair, one in _alike(exercise, sources, known.get(exercise, ())):
            found[pair].append(one)
    least = threshold(len(given))
    pairs = [
        SimilarPair(
            pair, sum(one.nats for one in own), tuple(sorted(own, key=lambda one: -one.nats))
        )
        for pair, own in found.items()
    ]
    return sorted((p for p in pairs if p.nats >= least), key=lambda p: (-p.nats, p.students))


def _alike(
    exercise: str, sources: dict[str, str], known: Iterable[str]
) -> list[tuple[tuple[str, str], SimilarExercise]]:
    """Return the pairs of one exercise that share most of the rare statements in their answers."""
    written = {student: statements(source) for student, source in sources.items()}
    rarity = _Rarity([*written.values(), *map(statements, known)])
    holders: dict[Statement, list[str]] = defaultdict(list)
    for student in sorted(written):
        for one in rarity.rare.intersection(written[student]):
            holders[one].append(student)
    shared: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one, students in holders.items():
        for pair in combinations(students, 2):
            shared[pair].append(one)
    whole = {student: rarity.nats(own) for student, own in written.items()}
    found = []
    for pair, both in shared.items():
        nats = rarity.nats(both) if len(both) >= _MIN_STATEMENTS else 0.0
        if nats < _SHARED * max(whole[s] for s in pair) or not nats:
            continue
        first, second = (frozenset(_lines(written[student], both)) for student in pair)
        texts = (sources[pair[0]], sources[pair[1]])
        found.append((pair, SimilarExercise(exercise, nats, texts, (first, second))))
    return found


class _Rarity:
    """The evidence, in nats, that two answers give by sharing statements.

    Parameters
    ----------
    answers : sequence of iterable of Statement
        All answers of an exercise, the two among them, and known ones.
    """

    def __init__(self, answers: Sequence[Iterable[Statement]]) -> None:
        self._others = len(answers) - 2
        self._holders: dict[Statement, set[int]] = defaultdict(set)
        for number, own in enumerate(answers):
            for one in own:
                self._holders[one].add(number)
        most = _COMMON * self._others + 2
        self.rare = {one for one, holders in self._holders.items() if len(holders) <= most}

    def nats(self, shared: Iterable[Statement]) -> float:
        """Return the nats of statements that two answers share.

        Where third answers have some of them together, these say little more than one of them: each
        statement's probability is the largest given any of the `_MAX_BEFORE` statements before it.
        """
        before: list[Statement] = []
        total = 0.0
        for one in sorted(self.rare.intersection(shared), key=self._order):
            alone = (self._with(one) + 0.5) / (self._others + 1)
            share = max(
                [alone, *(self._given(one, other, alone) for other in before[-_MAX_BEFORE:])]
            )
            total += min(-math.log(share), _NATS_PER_NODE * one.size)
            before.append(one)
        return total

    def _given(self, one: Statement, other: Statement, alone: float) -> float:
        """Return the share of those with `other` who have `one`, smoothed by one more answer."""
        both = max(0, len(self._holders[one] & self._holders[other]) - 2)
        return (both + max(alone, _SAME_APPROACH)) / (self._with(other) + 1)

    def _with(self, one: Statement) -> int:
        """Count the other answers that have a statement, without the two compared."""
        return max(0, len(self._holders[one]) - 2)

    def _order(self, one: Statement) -> tuple[int, str]:
        """Return the sort key of a statement: the rarest first."""
        return len(self._holders[one]), one.key


def _lines(own: dict[Statement, tuple[int, int]], shared: list[Statement]) -> Iterable[int]:
    """Yield the line numbers of the shared statements in an answer."""
    for one in shared:
        first, last = own[one]
        yield from range(first, last + 1)


def read_answers(classroom: Classroom, assignment: str) -> dict[str, dict[str, str]]:
    """Read the answers in the graded submissions; a notebook that cannot be read has none.

    Raises
    ------
    CourseError
        Fewer than two submissions are graded.
    """
    found = {}
    for path in sorted(classroom.folder.glob(f"autograded/*/{assignment}/{assignment}.ipynb")):
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            notebook = nbformat.from_dict(json.loads(path.read_bytes()))
            found[path.parent.parent.name] = written_answers(notebook)
    if len(found) < 2:
        raise CourseError(
            f"fewer than two submissions of {assignment} are graded;"
            f" run {classroom.command(f'grade {assignment}')} first."
        )
    return found


def known_answers(assignment: Assignment) -> dict[str, list[str]]:
    """Return the sources that anybody may write, by exercise: the release and the course's answers."""
    released = written_answers(assignment.release)
    return {
        name: [
            released.get(name, ""),
            assignment.solution.written_cells[name],
            *(assignment.typed(a) for a in exercise.alternatives),
            *(assignment.typed(a) for a in exercise.misconceptions),
        ]
        for name, exercise in assignment.exercises.items()
    }


def write_similar(
    course: Course, assignment: str, folder: Path | None = None, output: Path | None = None
) -> tuple[Path, list[SimilarPair]]:
    """Write the page that shows similar pairs side by side; return its path and the pairs.

    Parameters
    ----------
    output : Path, optional
        The page; reports/ASSIGNMENT-similar.html in the class's folder if None.

    Raises
    ------
    CourseError
        Fewer than two submissions are graded, or the page cannot be written.
    """
    classroom = Classroom(course, folder)
    given = read_answers(classroom, assignment)
    known = known_answers(Assignment(course, assignment))
    own = {s: {n: text for n, text in all_.items() if n in known} for s, all_ in given.items()}
    pairs = similar_pairs(own, known)
    output = output or classroom.folder / "reports" / f"{assignment}-similar.html"
    page = environment(_TEMPLATES).get_template("similar.html")
    html = page.render(
        assignment=assignment, pairs=pairs, students=len(own), least=threshold(len(own))
    )
    try:
        write_atomically(output, html.encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {output}: {error.strerror}.") from error
    return output, pairs
