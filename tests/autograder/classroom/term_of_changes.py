"""A class whose term brings all that changes: its course, its students, their files, its numbers."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from click.testing import CliRunner
from manually_graded import manually_graded
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.api import Gradebook

from autograder.authoring.init_course import init_course
from autograder.authoring.new_assignment import new_assignment
from autograder.authoring.release import release
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course

#: Canvas's number -> (last name, first name, login); the first eight have a part of their own.
ADA, GRACE, ALAN, ZOE, BELOW, WITHIN, CODE, ABSENT = range(10001, 10009)
_NAMES = {
    ADA: ("Lovelace", "Ada", "alovelace"),
    GRACE: ("Hopper", "Grace", "ghopper"),
    ALAN: ("Turing", "Alan", "aturing"),
    ZOE: ("Müller", "Zoë", "zmueller"),
    BELOW: ("Dijkstra", "Edsger", "edijkstra"),
    WITHIN: ("Liskov", "Barbara", "bliskov"),
    CODE: ("Knuth", "Donald", "dknuth"),
    ABSENT: ("Johnson", "Katherine", "kjohnson"),
}
ANSWER = "The step is too large, so that the loss grows instead of falling."


@dataclass
class Student:
    """A student, by what Canvas knows."""

    number: int
    last: str
    first: str
    login: str

    @property
    def folder(self) -> str:
        """As Canvas begins a file's name, and as `submitted/` names the student from then on."""
        return f"{self.last}{self.first}".lower()


def students(size: int) -> dict[int, Student]:
    """Number -> student."""
    others = {
        10001 + n: (f"Doe{chr(97 + n // 26)}{chr(97 + n % 26)}", "Jo", f"jdoe{n}")
        for n in range(8, size)
    }
    return {number: Student(number, *names) for number, names in (_NAMES | others).items()}


@dataclass
class Class:
    """A course with two assignments, and its class.

    Attributes
    ----------
    assignments : tuple of str
        The two assignments.
    flawed : str
        An exercise of the first.
    as_program : bool
        Whether each command is a process of its own; otherwise it runs in this one.
    students : dict of int to Student
        Canvas's number -> student.
    seen : dict of str to dict
        Assignment -> what `everywhere` has found the last time.
    """

    course: Course
    assignments: tuple[str, str]
    flawed: str
    as_program: bool
    students: dict[int, Student] = field(default_factory=dict)
    seen: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.course.root

    def autograder(self, *arguments: object, status: int = 0) -> str:
        """Run a command in the class's folder; what it says."""
        command = [*map(str, arguments)]
        if self.as_program:
            done = subprocess.run(
                [sys.executable, "-m", "autograder", *command],
                cwd=self.root, capture_output=True, text=True,
            )  # fmt: skip
            code, said = done.returncode, done.stdout + done.stderr
        else:
            before = Path.cwd()
            os.chdir(self.root)
            try:
                result = CliRunner().invoke(main, command)
            finally:
                os.chdir(before)
            code, said = result.exit_code, result.output
        assert code == status, f"{command}: {code}\n{said}"
        return said

    def questions(self, assignment: str) -> list[str]:
        """The grade ids of what a person grades."""
        marks = (cell.metadata.get("nbgrader", {}) for cell in self.release(assignment).cells)
        return [one["grade_id"] for one in marks if one.get("grade") and one.get("solution")]

    def release(self, assignment: str) -> nbformat.NotebookNode:
        return Assignment(self.course, assignment).release


def small_class(folder: Path) -> Class:
    """A course without torch, two assignments with one exercise and one question each."""
    course = Course(folder / "words")
    init_course(course.root, "Words")
    names = ("01_words", "02_texts")
    for name in names:
        new_assignment(course, name)
        path = course.solution(name)
        notebook = nbformat.read(path, as_version=4)
        answer = manually_graded(new_markdown_cell("Since padding is no word."), "why", 2)
        question = new_markdown_cell("### Question 1 (2 points)\n\nWhy does padding not count?")
        notebook.cells += [question, answer]
        nbformat.write(notebook, path)
    release(course, names)
    return _prepared(Class(course, names, "average_words", as_program=False, students=students(8)))


def large_class(course: Course, folder: Path, size: int) -> Class:
    """The first two assignments of the course, and a class of this size."""
    names = ("00_setup", "01_bag_of_words")
    copy = Course(folder / "course")
    copy.root.mkdir()
    for name in ("nbgrader_config.py", "pyproject.toml"):
        shutil.copy(course.root / name, copy.root)
    copy.recordings.mkdir(parents=True)
    for name in names:
        for part in (course.solution(name).parent, course.notebook(name).parent):
            shutil.copytree(part, copy.root / part.relative_to(course.root))
        shutil.copytree(course.cases(name), copy.cases(name))
        shutil.copy(course.recordings / f"{name}.json", copy.recordings)
    for path in course.shared_cases():
        shutil.copy(path, copy.cases(names[0]).parent)
    return _prepared(Class(copy, names, "seeded_sample", as_program=True, students=students(size)))


def _prepared(made: Class) -> Class:
    made.root.chmod(0o700)
    config = made.root / "nbgrader_config.py"
    text = config.read_text("utf-8")
    assert "percent_per_day = 0" in text
    config.write_text(text.replace("percent_per_day = 0", "percent_per_day = 10"), "utf-8")
    (made.root / "class_seed").write_text("1\n")
    return made


def answered(
    made: Class, assignment: str, student: Student, wrong: bool = False
) -> nbformat.NotebookNode:
    """What a student hands in; three of them answer the first question outside its cell."""
    one = Assignment(made.course, assignment)
    answers = {}
    if wrong:
        name, exercise = next(iter(one.exercises.items()))
        answers[name] = one.typed(exercise.misconceptions[0])
    notebook = filled(one, answers)
    questions = made.questions(assignment)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in questions:
            cell.source = f"{ANSWER} Says {student.login}."
    place = next(
        i
        for i, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == questions[0]
    )
    asked = next(
        cell.source
        for cell in made.release(assignment).cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == questions[0]
    )
    said = notebook.cells[place].source
    if student.number in (BELOW, WITHIN, CODE):
        notebook.cells[place].source = asked
    if student.number == BELOW:
        notebook.cells.insert(place + 1, new_markdown_cell(said))
    elif student.number == WITHIN:
        notebook.cells[place - 1].source += f"\n\n{said}"
    elif student.number == CODE:
        notebook.cells.insert(place + 1, new_code_cell(f"# {said}"))
    return notebook


def canvas_zip(path: Path, files: dict[str, str]) -> Path:
    """Canvas's download: its entries have the date of the download."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in files.items():
            made.writestr(zipfile.ZipInfo(name, (2026, 11, 2, 9, 0, 0)), text)
    return path


def mac_zip(path: Path, files: dict[str, str]) -> Path:
    """The same, unpacked and packed again on a Mac.

    Names are UTF-8 with decomposed accents and no flag that says so, in a folder, and each file
    has a twin of macOS's.
    """
    names = {}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for number, (name, text) in enumerate(files.items()):
            name = unicodedata.normalize("NFD", name)
            for whole, content in (
                (f"submissions/{name}", text),
                (f"__MACOSX/submissions/._{name}", "\0\5\x16\7"),
            ):
                stand_in = f"{number:04}{len(names):04}".ljust(len(whole.encode()), "x")
                names[stand_in.encode()] = whole.encode()
                made.writestr(zipfile.ZipInfo(stand_in, (2026, 11, 20, 9, 0, 0)), content)
    data = path.read_bytes()
    for stand_in, name in names.items():
        assert data.count(stand_in) == 2  # before the file, and in the list of all
        data = data.replace(stand_in, name)
    path.write_bytes(data)
    return path


def clone(folder: Path, assignment: str, *commits: tuple[str, str]) -> None:
    """A student's clone of a GitHub Classroom assignment: (date, notebook)."""
    place = folder / "notebooks" / assignment
    place.mkdir(parents=True)

    def git(*arguments: str, date: str = "2026-01-01T00:00:00Z") -> None:
        who = {f"GIT_{one}_{what}": "x" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), **who, **dates}
        subprocess.run(
            ["git", *arguments], cwd=folder, check=True, capture_output=True, env=environment
        )

    git("init", "-q", "-b", "main")
    for date, text in commits:
        (place / f"{assignment}.ipynb").write_text(text, "utf-8")
        git("add", "-A")
        git("commit", "-qm", "work", date=date)


def canvas_table(made: Class, columns: dict[str, float]) -> bytes:
    """Canvas's export of its gradebook: heading -> points possible; no score yet."""
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns, "Final Score"]
    )
    table.writerow(["", "", "", "", "", *["Manual Posting" for _ in columns], ""])
    most = [f"{points:g}" for points in columns.values()]
    table.writerow(["    Points Possible", "", "", "", "", *most, "(read only)"])
    for one in made.students.values():
        name = f"{one.last}, {one.first}"
        table.writerow([name, one.number, f"S{one.number}", one.login, "T-1", *["" for _ in columns], ""])  # fmt: skip
    table.writerow(["Student, Test", 99999, "", "0a9f", "T-1", *["" for _ in columns], ""])
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def gradebook(made: Class) -> Gradebook:
    return Gradebook(f"sqlite:///{made.root}/gradebook.db")


def grade_by_hand(made: Class, assignment: str, points: float) -> None:
    """Give these points, and a comment, to all answers that wait, as formgrader does."""
    with gradebook(made) as book:
        for submission in book.assignment_submissions(assignment):
            for grade in submission.notebooks[0].grades:
                if grade.cell.name in made.questions(assignment):
                    grade.manual_score, grade.needs_manual_grade = points, False
            for comment in submission.notebooks[0].comments:
                if comment.name in made.questions(assignment):
                    comment.manual_comment = f"Read, {submission.student.id}."
        book.db.commit()


def autograded(made: Class, assignment: str, student: str, grade_id: str) -> str:
    """The text that a person grades."""
    path = made.root / "autograded" / student / assignment / f"{assignment}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    return next(
        c.source for c in cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def everywhere(made: Class, assignment: str) -> dict[str, tuple[float, float]]:
    """Student -> (score, total), as all places say it: they have to agree."""
    said = made.autograder("grade", assignment)
    summary = said[re.search(rf"{assignment}: \d+ submissions", said).end() :]
    table = dict(re.findall(r"│ (\S+) +│ +([\d.]+ / [\d.]+) │", summary))
    found = {student: tuple(map(float, said.split(" / "))) for student, said in table.items()}
    made.autograder("export", assignment)
    rows = _rows(made.root / "exports" / f"{assignment}.csv")
    given = {r["student"]: (float(r["score"]), float(r["max_score"])) for r in rows if r["score"]}
    assert given == found
    made.autograder("gradebook")
    rows = [row for row in _rows(made.root / "reports" / "gradebook.csv") if row[assignment]]
    scores = {student: score for student, (score, _) in found.items()}
    assert {row["student"]: float(row[assignment]) for row in rows} == scores
    made.autograder("report", assignment)
    assert _in_report(made.root / "reports" / f"{assignment}.html") == scores
    made.autograder("feedback", assignment)
    for student, (score, most) in found.items():
        page = (made.root / "feedback" / student / assignment / f"{assignment}.html").read_text()
        told = f"<b>{score:g} of {most:g}</b> points"
        assert told in page, (student, told, re.findall(r"<b>[\d.]+ of [\d.]+</b> points", page))
    with gradebook(made) as book:  # as formgrader shows them, without the penalty
        shown = {one["student"]: one for one in book.submission_dicts(assignment)}
        late = {
            one.student.id: one.late_submission_penalty or 0
            for one in book.assignment_submissions(assignment)
        }
    assert {s: max(0, one["score"] - late[s]) for s, one in shown.items()} == scores
    made.seen[assignment] = found
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def _in_report(path: Path) -> dict[str, float]:
    page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    (heading,) = [h for h in page.find_all("h2") if h.get_text() == "Every student"]
    rows = heading.find_next("table").tbody.find_all("tr")
    return {row.th.get_text(strip=True): float(row.td.get_text(strip=True)) for row in rows}
