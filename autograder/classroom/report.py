"""One page about a graded assignment, to look at: scores, exercises, misconceptions, students.

Nothing is graded here: points are those of the verdicts, scores those of the gradebook.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.classroom import analysis
from autograder.classroom.export import Grade, grades
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.grading.gradebook import Classroom
from autograder.grading.notes import Notes, Usage, read_notes
from autograder.grading.verdicts import read_verdicts
from coursekit.checking.verdict import Verdict
from coursekit.data.places import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass
class Submission:
    """What grading left of one submission.

    Attributes
    ----------
    verdicts : exercise -> verdict, in the order of the notebook.
    problem : why there is nothing to read, one sentence; "" if there is.
    graded : when its autograded notebook was written; None without one.
    grade : what the gradebook has; None if it does not know the submission.
    """

    student: str
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    record: Notes = field(default_factory=Notes)
    problem: str = ""
    graded: datetime | None = None
    grade: Grade | None = None

    @property
    def ran(self) -> bool:
        return bool(self.verdicts) and not self.record.unread

    @property
    def score(self) -> float | None:
        """The gradebook's score, else the points of the verdicts; None without both."""
        if self.grade is not None:
            return self.grade.score
        return self.points if self.verdicts else None

    @property
    def max_score(self) -> float:
        if self.grade is not None:
            return self.grade.max_score
        return sum(verdict.max_points for verdict in self.verdicts.values())

    @property
    def points(self) -> float:
        """The points of the verdicts alone: without grades by hand and late penalties."""
        return sum(verdict.points for verdict in self.verdicts.values())

    @property
    def share(self) -> float:
        return (self.score or 0.0) / self.max_score if self.max_score else 0.0


@dataclass
class Report:
    """A graded assignment of a class, and what its page shows of it.

    Attributes
    ----------
    links : student -> the address of the feedback page, relative to the report.
    """

    assignment: str
    submissions: list[Submission]
    links: dict[str, str] = field(default_factory=dict)

    @cached_property
    def scored(self) -> list[Submission]:
        """Those with a score: of the gradebook, or at least of verdicts."""
        return [one for one in self.submissions if one.score is not None]

    @cached_property
    def ran(self) -> list[Submission]:
        """Those that were run, whose verdicts say something about the exercises."""
        return [one for one in self.submissions if one.ran]

    @cached_property
    def verdicts(self) -> analysis.Class:
        return {one.student: one.verdicts for one in self.ran}

    @cached_property
    def exercises(self) -> list[analysis.ExerciseSummary]:
        return analysis.summarize(self.verdicts)

    @cached_property
    def struggling(self) -> list[analysis.Struggling]:
        return analysis.struggling(self.verdicts)

    @cached_property
    def scores(self) -> analysis.Spread | None:
        return analysis.spread([one.score or 0.0 for one in self.scored])

    @cached_property
    def max_score(self) -> float:
        return max((one.max_score for one in self.scored), default=0.0)

    @cached_property
    def usages(self) -> dict[str, Usage]:
        """What the runs took, where that was noted."""
        return {one.student: one.record.usage for one in self.ran if one.record.usage}

    def ranked(self) -> list[Submission]:
        """All submissions, the best first, those without a score last."""
        return sorted(
            self.submissions,
            key=lambda one: (one.score is None, -(one.score or 0.0), not one.ran, one.student),
        )

    def graded_between(self) -> tuple[datetime, datetime] | None:
        """When the first and the last submission were graded."""
        times = [one.graded for one in self.submissions if one.graded]
        return (min(times), max(times)) if times else None

    def noted(self, kind: str) -> list[tuple[str, list[str]]]:
        """What was noted, and about whom: "doubtful" repairs, "suspicions" or "plain" repairs."""
        pairs = []
        for one in self.submissions:
            if kind == "suspicions":
                said: Iterable[str] = one.record.suspicions
            else:
                repairs = one.record.repairs
                said = [r.what for r in repairs if r.doubtful == (kind == "doubtful")]
            pairs += [(what, one.student) for what in dict.fromkeys(said)]
        return _grouped(pairs)

    def to_review(self) -> list[str]:
        """Whose submission holds a doubtful repair or something suspicious."""
        return [
            one.student
            for one in self.submissions
            if one.record.suspicions or any(repair.doubtful for repair in one.record.repairs)
        ]

    def not_run(self) -> list[tuple[str, list[str]]]:
        """The reasons why submissions could not be run, and whose."""
        return _grouped((s.record.unread, s.student) for s in self.submissions if s.record.unread)

    def problems(self) -> list[tuple[str, list[str]]]:
        """The reasons why there is nothing to read, and of whom."""
        return _grouped((one.problem, one.student) for one in self.submissions if one.problem)

    def ended_early(self) -> list[tuple[str, list[str]]]:
        """The reasons why runs ended early, and whose."""
        return _grouped((usage.end, name) for name, usage in self.usages.items() if usage.end)

    def unboxed(self) -> list[str]:
        """Who was graded with --no-sandbox."""
        return [student for student, usage in self.usages.items() if not usage.sandboxed]

    def measured(self, what: str) -> list[float]:
        """A field of `Usage`, of those submissions for which it was measured."""
        values = (getattr(usage, what) for usage in self.usages.values())
        return [float(value) for value in values if value is not None]

    def resources(self) -> list[tuple[str, list[float]]]:
        """What the runs took, under a title that names the unit."""
        memory = [size / 2**20 for size in self.measured("memory_bytes")]
        return [
            ("Wall time per submission (s)", self.measured("seconds")),
            ("Processor time per submission (s)", self.measured("cpu_seconds")),
            ("Peak memory per submission (MiB)", memory),
        ]

    def slowest(self, count: int = 5) -> list[str]:
        """The students whose submissions took longest."""
        return sorted(self.usages, key=lambda name: -self.usages[name].seconds)[:count]

    def waiting(self) -> list[str]:
        """Whose cells wait for a grade by hand."""
        return [one.student for one in self.scored if one.grade and one.grade.note]

    def late(self) -> list[Grade]:
        """The grades that a late penalty made lower, the largest penalty first."""
        late = [s.grade for s in self.scored if s.grade and s.grade.late_penalty > 0]
        return sorted(late, key=lambda grade: (-grade.late_penalty, grade.student))

    def unbooked(self) -> list[str]:
        """Who has verdicts, but no score in the gradebook."""
        return [one.student for one in self.scored if one.grade is None]


def write_report(
    course: Course, assignment: str, folder: Path | None = None, output: Path | None = None
) -> Path:
    """Write a page about the graded submissions of an assignment; return its path.

    Parameters
    ----------
    folder : the folder of the class; the course's own when None.
    output : the file to write; reports/ASSIGNMENT.html in the folder of the class when None.

    Raises
    ------
    CourseError
        Nothing has been graded yet, or the page cannot be written.
    """
    classroom = Classroom(course, folder)
    output = output or classroom.folder / "reports" / f"{assignment}.html"
    report = Report(assignment, read_class(classroom, assignment))
    for one in report.submissions:
        page = classroom.feedback(one.student, assignment)
        if page.exists():
            report.links[one.student] = _relative(page, output)
    try:
        # what students wrote may hold half a character, which no file can
        write_atomically(output, as_html(report).encode("utf-8", "replace"))
    except OSError as error:
        raise CourseError(f"{output} cannot be written: {error.strerror}.") from error
    return output


def read_class(classroom: Classroom, assignment: str) -> list[Submission]:
    """All submissions of an assignment, as grading left them, in alphabetical order.

    Raises
    ------
    CourseError
        Nothing has been graded yet.
    """
    found = classroom.folder.glob(f"autograded/*/{assignment}/{assignment}.ipynb")
    graded = {path.parent.parent.name for path in found}
    if not graded:
        raise CourseError(f"nothing of {assignment} is graded yet; run `autograder grade` first.")
    try:
        booked = {g.student: g for g in grades(classroom.course, assignment, classroom.folder)}
    except CourseError:  # no score in the gradebook
        booked = {}
    students = sorted(graded | set(booked) | set(classroom.students(assignment)))
    return [_read(classroom, student, assignment, booked.get(student)) for student in students]


def _read(classroom: Classroom, student: str, assignment: str, grade: Grade | None) -> Submission:
    path = classroom.autograded(student, assignment)
    submission = Submission(student, grade=grade)
    try:
        submission.graded = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
        notebook = nbformat.from_dict(json.loads(path.read_bytes()))
        record = read_notes(notebook)
        verdicts = {verdict.exercise: verdict for verdict in read_verdicts(notebook)}
    except FileNotFoundError:
        submission.problem = "there is no autograded notebook; `autograder grade` says why"
    except Exception as error:  # a damaged notebook goes wrong in many ways
        submission.problem = (
            f"the autograded notebook cannot be read ({type(error).__name__}: {str(error)[:120]})"
        )
    else:
        submission.record, submission.verdicts = record, verdicts
        if not verdicts:
            submission.problem = "the autograded notebook holds no verdicts"
    return submission


def as_html(report: Report) -> str:
    """The page: one file that needs no other and no network."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        prose=_prose,
        breaking=_breaking,
        number=_number,
        percent=_percent,
        duration=_duration,
        memory=_memory,
    )
    page = environment.get_template("report.html")
    return page.render(report=report, analysis=analysis, percent=_percent, number=_number)


def _grouped(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Sentences with the students they are about, the most frequent sentence first."""
    found: dict[str, list[str]] = {}
    for what, student in pairs:
        found.setdefault(what, []).append(student)
    return sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))


def _relative(page: Path, output: Path) -> str:
    start = output.resolve().parent
    return quote(Path(os.path.relpath(page.resolve(), start)).as_posix())


def _prose(text: str) -> Markup:
    """Escaped text, with `names` between backticks set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def _breaking(name: str) -> Markup:
    """A name that may go on in the next line after each underscore."""
    return escape(name).replace("_", Markup("_<wbr>"))


def _number(value: float) -> str:
    return f"{round(value, 2):g}" if abs(value) < 100_000 else f"{value:,.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def _duration(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def _memory(size: float) -> str:
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"
