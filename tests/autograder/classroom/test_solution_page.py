"""The solution for students: when it may be written, what it says, and where it never is."""

import datetime
import shutil

import nbformat
import pytest
from click.testing import CliRunner

from autograder.authoring.bundle import make_bundle
from autograder.classroom import solution_page
from autograder.classroom.solution_page import NOTE, shows, write_solutions
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import ClassError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import extend, set_due_date

NAME = "07_topic"
DUE = datetime.datetime(2026, 10, 20, 22)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def course(graded_class, tmp_path):
    """ada is right, bob is wrong, cem's folder is empty."""
    course = Course(shutil.copytree(graded_class.root, tmp_path / "course"))
    set_due_date(Classroom(course), NAME, DUE)
    return course


def test_without_a_due_date_it_is_refused(small_course):
    with pytest.raises(ClassError, match="07_topic has no due date"):
        write_solutions(small_course, NAME)


def test_before_the_due_date_it_is_refused(course):
    with pytest.raises(ClassError, match=r"students have time for 07_topic until .*22:00 UTC"):
        write_solutions(course, NAME, now=DUE)
    assert not (course.root / "reports/solutions").exists()


def test_before_the_last_extension_it_is_refused(course):
    extend(Classroom(course), NAME, {"ada": DAY, "bob": 3 * DAY})
    with pytest.raises(ClassError, match="bob has an extension for 07_topic until 2026-10-23"):
        write_solutions(course, NAME, now=DUE + 2 * DAY)
    assert write_solutions(course, NAME, now=DUE + 4 * DAY)[0]


def test_page_and_notebook_have_the_solution_its_note_and_no_student(course):
    (page, notebook), _ = write_solutions(course, NAME, now=DUE + DAY)
    html, cells = page.read_text(), nbformat.read(notebook, 4).cells
    assert NOTE in html
    assert NOTE in cells[0].source
    code = "\n".join(cell.source for cell in cells)
    assert "SOLUTION" not in code
    assert "average_topic" in html
    assert not any("nbgrader" in cell.metadata for cell in cells)
    assert "<script" not in html
    assert not [name for name in ("ada", "bob", "cem") if f">{name}<" in html]
    nbformat.validate(nbformat.read(notebook, 4))


def test_a_misconception_of_one_student_is_not_told(course):
    (page, _), _ = write_solutions(course, NAME, now=DUE + DAY)
    assert "of you.</b>" not in page.read_text()


def test_late_work_that_still_earns_points_is_warned_of(course):
    _, warnings = write_solutions(course, NAME, now=DUE + 300 * DAY)
    assert any("late work" in one and "at any time" in one for one in warnings)
    config = course.root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("percent_per_day = 0", "percent_per_day = 10"))
    _, warnings = write_solutions(course, NAME, now=DUE + DAY)
    assert any("until 2026-10-29" in one for one in warnings)
    _, warnings = write_solutions(course, NAME, now=DUE + 11 * DAY)
    assert not any("late work" in one for one in warnings)


def test_a_class_that_is_not_graded_here_gets_the_solution_without_misconceptions(small_course):
    set_due_date(Classroom(small_course), NAME, DUE)
    paths, warnings = write_solutions(small_course, NAME, now=DUE + DAY)
    assert all(path.exists() for path in paths)
    assert any("nothing of 07_topic is graded" in one for one in warnings)


def test_the_handout_has_none_of_it(course, tmp_path, monkeypatch):
    monkeypatch.chdir(course.root)
    done = CliRunner().invoke(main, ["solutions", "07"])
    assert done.exit_code == 0, done.output
    assert "-solution.html" in done.output
    monkeypatch.setattr("autograder.authoring.bundle.build_wheels", lambda *_, **__: [])
    for name in ("constraints.txt", *course.config.files):
        (course.root / name).touch()
    files = make_bundle(course, tmp_path / "handout")
    assert files
    assert not [name for name in files if "solution" in name]


def test_a_folder_that_students_get_is_refused(course):
    for folder in (course.notebooks / NAME, course.package / "x"):
        with pytest.raises(ClassError, match="students get"):
            write_solutions(course, NAME, output=folder, now=DUE + DAY)


def test_a_line_says_what_another_answer_calls():
    usual = "def f(x):\n    return torch.exp(x) / torch.exp(x).sum()"
    assert shows(usual, "def f(x):\n    return torch.softmax(x, 0)") == (
        "With `softmax`, without `exp` and `sum`."
    )
    assert shows(usual, "def f(x):\n    e = torch.exp(x)\n    return e / e.sum()").startswith(
        "The same"
    )


def test_common_misconceptions_come_with_their_hints(course, monkeypatch):
    monkeypatch.setattr(solution_page, "MIN_STUDENTS", 1)
    from autograder.classroom.analysis import Mistake

    monkeypatch.setattr(
        solution_page.Report,
        "exercises",
        [_Summary("average_topic", [Mistake("m", "Look at the `mask`.", ["bob"])])],
    )
    (page, _), _ = write_solutions(course, NAME, now=DUE + DAY)
    assert "<b>1 of you.</b> Look at the <code>mask</code>." in page.read_text()


class _Summary:
    def __init__(self, name, mistakes):
        self.name, self.mistakes = name, mistakes
