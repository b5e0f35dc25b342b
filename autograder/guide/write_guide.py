"""Writer of the instructor's guide: HTML pages, and one PDF where a browser can print it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from markupsafe import Markup

from autograder.classroom.term_plan import Plan, make_plan, read_plans
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import AuthorError, ClassError, CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.guide.exam_bank import ExamQuestion, prove_bank, read_bank
from autograder.guide.frequent_mistakes import Mistakes, frequent_mistakes
from autograder.guide.lesson_facts import LessonFacts, reused_names
from autograder.guide.print_pdf import find_browser, print_pdf
from autograder.guide.written_sheets import CUTS, WrittenSheet, read_sheet
from autograder.pages.formulas import to_mathml
from autograder.pages.markup import render
from autograder.pages.templating import environment
from coursekit.data.paths import write_atomically

_TEMPLATES = Path(__file__).parent / "templates"
_MAX_MISTAKES = 8
#: So many questions of the bank are on the sheet of an assignment.
ON_SHEET = 2
_MEASURED = re.compile(r"\{([\w-]+): ([^{}]+)\}")
#: Tables of the plans start here; only the weeks are shown.
_ANY_START = date(2027, 2, 1)


@dataclass(frozen=True)
class Sheet:
    """The guide's page on one assignment."""

    assignment: Assignment
    facts: LessonFacts
    written: WrittenSheet
    mistakes: Mistakes
    exam: list[ExamQuestion]
    needs: list[str]

    @property
    def name(self) -> str:
        """Name of the assignment."""
        return self.assignment.name

    @cached_property
    def _pictures(self) -> dict[str, dict[str, str]]:
        """Pictures of the notebook by name, each by MIME type."""
        cells = self.assignment.solution.notebook.cells
        return {
            name: kinds for cell in cells for name, kinds in cell.get("attachments", {}).items()
        }

    def html(self, text: str) -> Markup:
        """Return Markdown as clean HTML, with the pictures of the notebook."""
        for name in re.findall(r"\(attachment:([^)\s]+)\)", text):
            if name not in self._pictures:
                raise AuthorError(f"{self.name}.md: the notebook has no picture {name}.")
        return as_markup(text, self._pictures)

    def cuts(self) -> list[tuple[Markup, list[tuple[str, str]]]]:
        """Return the items on cuts, each with the later uses of the exercises that begin it."""
        tasks = {task.name: task for task in self.facts.tasks}
        found = []
        for item in re.split(r"^- ", self.written.sections.get(CUTS, ""), flags=re.M)[1:]:
            names = re.findall(r"`(\w+)`", item.partition(":")[0])
            for name in names:
                if name not in tasks:
                    raise AuthorError(f"{self.name}.md: {CUTS}: {name} is no exercise.")
                for later in tasks[name].reused_in:
                    if later[:2] not in item:
                        raise AuthorError(
                            f"{self.name}.md: {CUTS}: students paste {name} into {later}; say what"
                            f" they do there in the item, with the number {later[:2]}."
                        )
            needed = [(name, tasks[name].needed) for name in names]
            found.append((self.html(item.strip()), needed))
        return found


@dataclass(frozen=True)
class Project:
    """Page on a project that a class may do, in Markdown."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Written:
    """Files of a written guide.

    Attributes
    ----------
    pdf : Path or None
        None if there is no browser, or none was wanted.
    checks : int
        Answers of the exam bank that code has proved.
    """

    pages: list[Path]
    pdf: Path | None
    checks: int


def as_markup(text: str, pictures: dict[str, dict[str, str]] | None = None) -> Markup:
    """Return Markdown as clean HTML, formulas as MathML."""
    return Markup(render(text, pictures, formula=to_mathml))


def write_guide(
    course: Course,
    assignments: list[str],
    folder: Path | None = None,
    output: Path | None = None,
    pdf: bool = True,
    done: Callable[[str], None] = lambda name: None,
) -> Written:
    """Write the guide to some assignments.

    Parameters
    ----------
    assignments : list of str
        Names of assignments.
    folder : Path, optional
        The class's folder, for its misconceptions; the course's own if None.
    output : Path, optional
        The folder to write to; reports/guide in the class's if None.
    pdf : bool
        Whether to print a PDF, too, if a browser is found.
    done : callable
        Called with the name of each assignment whose sheet is ready.

    Raises
    ------
    CourseError
        A written part does not fit the notebooks, a check of the exam bank fails, `output` is in
        the handout, or a file cannot be written.
    """
    classroom = Classroom(course, folder)
    place = (output or classroom.folder / "reports" / "guide").resolve()
    _require_private(course, place)
    bank = read_bank(course.guide) if course.guide else {}
    checks = prove_bank(bank)
    reused, sheets = reused_names(course), []
    for name in assignments:
        sheets.append(read(course, classroom, name, bank.get(name, []), reused))
        done(name)
    return _write(course, sheets, bank, place, pdf, checks)


def read(
    course: Course,
    classroom: Classroom,
    name: str,
    exam: list[ExamQuestion],
    reused: dict[str, dict[str, list[str]]],
) -> Sheet:
    """Return the sheet of one assignment."""
    assignment = Assignment(course, name)
    path = course.guide / f"{name}.md" if course.guide else None
    written = read_sheet(path, assignment.solution.notebook) if path else WrittenSheet()
    needs = [one for one in reused for later in reused[one].values() if name in later]
    return Sheet(
        assignment,
        LessonFacts(assignment, reused),
        written,
        frequent_mistakes(assignment, classroom, _MAX_MISTAKES),
        exam,
        sorted(set(needs)),
    )


def read_projects(course: Course) -> list[Project]:
    """Return the projects of the guide's folder, `projects/*.md`, with measured numbers put in.

    `{name: what}` stands for the number that `projects/baselines.json` has under these two keys.

    Raises
    ------
    AuthorError
        It has none.
    """
    if course.guide is None:
        return []
    folder = course.guide / "projects"
    stored = folder / "baselines.json"
    measured = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
    found = []
    for path in sorted(folder.glob("*.md")):

        def value(match: re.Match[str], name: str = path.name) -> str:
            try:
                return str(measured[match[1]][match[2]])
            except KeyError:
                raise AuthorError(
                    f"projects/{name}: baselines.json has no {match[0]}; measure it again."
                ) from None

        head, _, text = path.read_text("utf-8").partition("\n")
        text = _MEASURED.sub(value, text)
        found.append(Project(path.stem, head.removeprefix("# ").strip(), text.strip()))
    return found


def read_terms(course: Course) -> list[Plan]:
    """Return a plan for each track and number of credits; [] if the course has no plans."""
    if not (course.root / "plans.toml").exists():
        return []
    plans = read_plans(course)
    return [
        make_plan(course, name, plans.terms[credits], _ANY_START, credits)
        for name, track in plans.tracks.items()
        for credits in sorted(track.orders)
        if credits in plans.terms
    ]


def as_html(
    course: Course,
    title: str,
    sheets: list[Sheet],
    bank: dict[str, list[ExamQuestion]],
    projects: list[Project],
    terms: list[Plan],
    links: list[tuple[str, str]],
) -> str:
    """Return one page of the guide, or all of it as the page that is printed."""
    return (
        environment(_TEMPLATES)
        .get_template("guide.html")
        .render(
            title=title,
            course=course.config.title,
            sheets=sheets,
            bank=bank,
            projects=projects,
            terms=terms,
            links=links,
            html=as_markup,
            on_sheet=ON_SHEET,
            cuts_title=CUTS,
        )
    )


def _require_private(course: Course, place: Path) -> None:
    """Refuse to write into a folder that is for students or public."""
    students = [course.notebooks, course.package, course.root / "docs", course.root / "site"]
    for given in students:
        if place.is_relative_to(given.resolve()):
            raise ClassError(
                f"{given} is for students or public, and the guide has solutions; write it elsewhere."
            )


def _write(
    course: Course,
    sheets: list[Sheet],
    bank: dict[str, list[ExamQuestion]],
    place: Path,
    pdf: bool,
    checks: int,
) -> Written:
    """Write the pages and the PDF."""
    projects, terms = read_projects(course), read_terms(course)
    links = [(f"{one.name}.html", f"{one.name[:2]} {one.assignment.title}") for one in sheets]
    more = [("exam.html", "Exam bank")] * bool(bank) + [("projects.html", "Projects")] * bool(
        projects
    )
    home = [("index.html", "Contents")]
    pages = {
        "index.html": as_html(course, "Instructor's guide", [], {}, [], terms, links + more),
        **{
            f"{one.name}.html": as_html(course, title, [one], {}, [], [], home)
            for one, (_, title) in zip(sheets, links)
        },
    }
    if bank:
        pages["exam.html"] = as_html(course, "Exam bank", [], bank, [], [], home)
    if projects:
        pages["projects.html"] = as_html(course, "Projects", [], {}, projects, [], home)
    written = []
    try:
        for name, text in pages.items():
            write_atomically(place / name, text.encode(), private=True)
            written.append(place / name)
        browser = find_browser() if pdf else None
        if browser is None:
            return Written(written, None, checks)
        whole = place / ".print.html"
        text = as_html(course, "Instructor's guide", sheets, bank, projects, terms, [])
        write_atomically(whole, text.encode(), private=True)
        try:
            write_atomically(place / "guide.pdf", print_pdf(browser, whole), private=True)
        finally:
            whole.unlink(missing_ok=True)
    except OSError as error:
        raise CourseError(f"cannot write {place}: {error.strerror}.") from error
    return Written(written, place / "guide.pdf", checks)
