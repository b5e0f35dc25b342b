"""The HTML report on a graded assignment: scores, exercises, misconceptions, students.

Nothing is graded here: points come from the verdicts, scores from the gradebook.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from urllib.parse import quote

import nbformat
from jinja2 import Template

from autograder.classroom import analysis
from autograder.classroom.export import Grade, grades, not_handed_in
from autograder.course.cells import written_answers
from autograder.course.layout import Course
from autograder.errors import ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.fault_log import fault_file
from autograder.gradebook.withdraw import Withdrawn, read_withdrawn
from autograder.grading.grading_log import Notes, Usage, read_notes
from autograder.grading.verdicts import read_verdicts
from autograder.pages.templating import environment, number, percent
from coursekit.checking.verdict import Verdict
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"


class NothingGraded(CourseError):
    """Error that no submission of an assignment is graded."""


@dataclass
class Submission:
    """The results of grading one submission.

    Attributes
    ----------
    verdicts : dict of str to Verdict
        Exercise -> verdict, in notebook order.
    problem : str
        Why the results cannot be read, one sentence, or "".
    graded : datetime or None
        When the autograded notebook was written; None if there is none.
    grade : Grade or None
        The gradebook's entry; None if there is none.
    answers : dict of str to str
        Exercise -> the source of the cell that answers it.
    fault : str
        The file with the traceback, if the grader failed on it the last time; "" otherwise.
    """

    student: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    problem: str = ""
    graded: datetime | None = None
    grade: Grade | None = None
    answers: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def ran(self) -> bool:
        """True if the submission was run and has verdicts."""
        return bool(self.verdicts) and not self.notes.unread

    @property
    def score(self) -> float | None:
        """The gradebook's score, otherwise the points of the verdicts; None without either."""
        if self.grade is not None:
            return self.grade.score
        return self.points if self.verdicts else None

    @property
    def max_score(self) -> float:
        """The points possible in the gradebook, otherwise those of the verdicts."""
        if self.grade is not None:
            return self.grade.max_score
        return sum(verdict.max_points for verdict in self.verdicts.values())

    @property
    def points(self) -> float:
        """Points of the verdicts, without manual grades and late penalties."""
        return sum(verdict.points for verdict in self.verdicts.values())

    @property
    def share(self) -> float:
        """Share of the points possible; 0 without a score."""
        return (self.score or 0.0) / self.max_score if self.max_score else 0.0


@dataclass
class Report:
    """A graded assignment of a class, and the statistics that the page shows.

    Attributes
    ----------
    links : dict of str to str
        Student -> URL of the feedback page, relative to the report.
    absent : list of str
        Students of the class who have not handed in.
    withdrawn : list of Withdrawn
        Exercises that do not count as usual; their verdicts are in no statistics.
    """

    assignment: str
    submissions: list[Submission]
    links: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    withdrawn: list[Withdrawn] = field(default_factory=list)

    @cached_property
    def scored(self) -> list[Submission]:
        """Submissions with a score, see `Submission.score`."""
        return [one for one in self.submissions if one.score is not None]

    @cached_property
    def ran(self) -> list[Submission]:
        """Submissions that were run; only their verdicts say something about the exercises."""
        return [one for one in self.submissions if one.ran]

    @cached_property
    def verdicts(self) -> analysis.ClassVerdicts:
        """Student -> exercise -> verdict, without withdrawn exercises."""
        return {
            one.student: {
                name: verdict
                for name, verdict in one.verdicts.items()
                if not any(w.exercise == name and w.concerns(one.student) for w in self.withdrawn)
            }
            for one in self.ran
        }

    @cached_property
    def exercises(self) -> list[analysis.ExerciseSummary]:
        """The summary of each exercise."""
        return analysis.summarize(self.verdicts)

    def answer(self, student: str, exercise: str) -> str:
        """Return the source of a student's answer, at most 4,000 characters."""
        own = next((one.answers for one in self.submissions if one.student == student), {})
        return own.get(exercise, "")[:4_000]

    @cached_property
    def struggling(self) -> list[analysis.Struggling]:
        """Students who may need help by the verdicts, each with the submission's score."""
        of = {one.student: one for one in self.submissions}
        return [
            replace(one, points=of[one.student].score or 0.0, max_points=of[one.student].max_score)
            for one in analysis.struggling(self.verdicts)
        ]

    @cached_property
    def scores(self) -> analysis.Spread | None:
        """Mean and quartiles of the scores."""
        return analysis.spread([one.score or 0.0 for one in self.scored])

    @cached_property
    def max_score(self) -> float:
        """The largest points possible of a submission with a score."""
        return max((one.max_score for one in self.scored), default=0.0)

    @cached_property
    def usages(self) -> dict[str, Usage]:
        """Student -> time and memory of the run, where recorded."""
        return {one.student: one.notes.usage for one in self.ran if one.notes.usage}

    def ranked(self) -> list[Submission]:
        """Return all submissions, best first; those without a score come last."""
        return sorted(
            self.submissions,
            key=lambda one: (one.score is None, -(one.score or 0.0), not one.ran, one.student),
        )

    def graded_between(self) -> tuple[datetime, datetime] | None:
        """Return when the first and the last submission were graded; None if unknown."""
        times = [one.graded for one in self.submissions if one.graded]
        return (min(times), max(times)) if times else None

    def repairs(self, doubtful: bool) -> list[tuple[str, list[str]]]:
        """Return the repairs, doubtful or certain, each with the students concerned."""
        return _grouped(
            (what, one.student)
            for one in self.submissions
            for what in dict.fromkeys(r.what for r in one.notes.repairs if r.doubtful == doubtful)
        )

    def suspicions(self) -> list[tuple[str, list[str]]]:
        """Return the suspicions, each with the students concerned."""
        return _grouped(
            (what, one.student)
            for one in self.submissions
            for what in dict.fromkeys(one.notes.suspicions)
        )

    def to_review(self) -> list[str]:
        """Return the students whose submission has a doubtful repair or a suspicion."""
        return [
            one.student
            for one in self.submissions
            if one.notes.suspicions or any(repair.doubtful for repair in one.notes.repairs)
        ]

    def not_run(self) -> list[tuple[str, list[str]]]:
        """Return the reasons why submissions could not be run, each with the students."""
        return _grouped((s.notes.unread, s.student) for s in self.submissions if s.notes.unread)

    def problems(self) -> list[tuple[str, list[str]]]:
        """Return the reasons why results cannot be read, each with the students."""
        return _grouped((one.problem, one.student) for one in self.submissions if one.problem)

    def faults(self) -> list[Submission]:
        """Return the submissions on which the grader failed: ungraded, or with an earlier score."""
        return [one for one in self.submissions if one.fault]

    def ended_early(self) -> list[tuple[str, list[str]]]:
        """Return the reasons why runs ended early, each with the students."""
        return _grouped((usage.end, name) for name, usage in self.usages.items() if usage.end)

    def unsandboxed(self) -> list[str]:
        """Return the students graded with --no-sandbox."""
        return [student for student, usage in self.usages.items() if not usage.sandboxed]

    def measured(self, what: str) -> list[float]:
        """Return the values of a field of `Usage` in the submissions where it was measured."""
        values = (getattr(usage, what) for usage in self.usages.values())
        return [float(value) for value in values if value is not None]

    def resources(self) -> list[tuple[str, list[float]]]:
        """Return titles with a unit, each with one value per submission."""
        memory = [size / 2**20 for size in self.measured("memory_bytes")]
        return [
            ("Wall time per submission (s)", self.measured("seconds")),
            ("CPU time per submission (s)", self.measured("cpu_seconds")),
            ("Peak memory per submission (MiB)", memory),
        ]

    def slowest(self, count: int = 5) -> list[str]:
        """Return the students whose submissions took longest, slowest first."""
        return sorted(self.usages, key=lambda name: -self.usages[name].seconds)[:count]

    def ungraded(self) -> list[str]:
        """Return the students with cells that need manual grading."""
        return [one.student for one in self.scored if one.grade and one.grade.note]

    def late(self) -> list[Grade]:
        """Return the grades of late submissions, largest penalty first."""
        late = [s.grade for s in self.scored if s.grade and (s.grade.late or s.grade.late_penalty)]
        return sorted(late, key=lambda grade: (-grade.late_penalty, grade.student))

    def without_grade(self) -> list[str]:
        """Return the students who have verdicts but no score in the gradebook."""
        return [one.student for one in self.scored if one.grade is None]


def write_report(
    course: Course, assignment: str, folder: Path | None = None, output: Path | None = None
) -> Path:
    """Write the report on an assignment; return its path.

    Parameters
    ----------
    folder : Path, optional
        The class's folder; the course's own if None.
    output : Path, optional
        The file to write; reports/ASSIGNMENT.html in the class's folder if None.

    Raises
    ------
    CourseError
        There are no graded submissions, or the file cannot be written.
    """
    classroom = Classroom(course, folder)
    output = output or classroom.folder / "reports" / f"{assignment}.html"
    report = Report(assignment, read_class(classroom, assignment))
    report.absent = not_handed_in(course, assignment, folder)
    report.withdrawn = read_withdrawn(classroom, assignment)
    for one in report.submissions:
        page = classroom.feedback(one.student, assignment)
        if page.exists():
            report.links[one.student] = _relative(page, output)
    try:
        write_atomically(output, as_html(report).encode(), private=True)
    except OSError as error:
        raise CourseError(f"cannot write {output}: {error.strerror}.") from error
    return output


def read_class(classroom: Classroom, assignment: str) -> list[Submission]:
    """Read the results of all submissions of an assignment, sorted by student.

    Raises
    ------
    NothingGraded
        There are no graded submissions.
    """
    found = classroom.folder.glob(f"autograded/*/{assignment}/{assignment}.ipynb")
    graded = {path.parent.parent.name for path in found}
    if not graded:
        raise NothingGraded(
            f"no graded submissions of {assignment};"
            f" run {classroom.command(f'grade {assignment}')} first."
        )
    try:
        given = {g.student: g for g in grades(classroom.course, assignment, classroom.folder)}
    except ClassError:  # no score in the gradebook
        given = {}
    if classroom.database.exists():  # what else is in autograded/ is of students who were removed
        graded &= set(classroom.members())
    students = sorted(graded | set(given) | set(classroom.students(assignment)))
    return [_read(classroom, student, assignment, given.get(student)) for student in students]


def _read(classroom: Classroom, student: str, assignment: str, grade: Grade | None) -> Submission:
    """Read the results of one submission; a problem says why they cannot be read."""
    path = classroom.autograded(student, assignment)
    submission = Submission(student, grade=grade)
    fault = fault_file(classroom.folder, assignment, student)
    if fault.exists():
        submission.fault = str(fault)
    try:
        submission.graded = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
        notebook = nbformat.from_dict(json.loads(path.read_bytes()))
        notes = read_notes(notebook)
        verdicts = {verdict.exercise: verdict for verdict in read_verdicts(notebook)}
    except FileNotFoundError:
        submission.problem = "no autograded notebook; run `autograder grade` to see why"
    except Exception as error:  # a damaged notebook fails in many ways
        submission.problem = (
            f"the autograded notebook cannot be read ({type(error).__name__}: {str(error)[:120]})"
        )
    else:
        submission.notes, submission.verdicts = notes, verdicts
        submission.answers = written_answers(notebook)
        if not verdicts:
            submission.problem = "the autograded notebook has no verdicts"
    return submission


def as_html(report: Report) -> str:
    """Return the page as a single file, without scripts or external resources."""
    context = {"analysis": analysis, "percent": percent, "number": number}
    return _template().render(report=report, **context)


@cache
def _template() -> Template:
    return environment(_TEMPLATES).get_template("report.html")


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Group pairs to (sentence, students), most frequent sentence first."""
    found: dict[str, list[str]] = {}
    for what, student in pairs:
        found.setdefault(what, []).append(student)
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def _relative(page: Path, output: Path) -> str:
    """Return the URL of a feedback page, relative to the report."""
    start = output.resolve().parent
    return quote(os.fsencode(Path(os.path.relpath(page.resolve(), start)).as_posix()))
