"""A fault of the grader costs no student a point: it is planted in each stage of real grading."""

import json
import shutil
import stat
import sys
from dataclasses import asdict

import nbformat
import pytest
from click.testing import CliRunner
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades

from autograder.classroom.export import as_csv, grades, not_graded
from autograder.classroom.report import write_report
from autograder.classroom.term_gradebook import as_csv as term_csv
from autograder.classroom.term_gradebook import read_term
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.fault_log import FOLDER, fault_file
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading import isolated_run, judge_pool, pipeline, run, submissions
from autograder.pages import feedback_page
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
BUG = "a bug of the grader"


def fail(*args, **kwargs):
    return {}[BUG]


@pytest.fixture
def room(graded_class, tmp_path):
    """A class in which ada has 3 points and bob 0, and dan, whose work is right, is not graded yet."""
    course = Course(tmp_path / "course")
    shutil.copytree(graded_class.root, course.root)
    path = Classroom(course).submission("dan", NAME)
    path.parent.mkdir(parents=True)
    nbformat.write(filled(Assignment(course, NAME)), path)
    return course


def plant(monkeypatch, stage):
    """Plant a fault in a stage; where a library catches exceptions, in a line of the grader's own."""
    if stage == "read":
        monkeypatch.setattr(submissions, "tidy", _in_the_tool)
    elif stage == "sanitize":
        monkeypatch.setattr(pipeline, "sanitize", fail)
    elif stage == "run":  # in a line of its own among many of Jupyter's
        monkeypatch.setattr(run, "LEFT_OUT", _Damaged(run.LEFT_OUT))
    elif stage == "reader":  # in another process: in what is sent to it
        monkeypatch.setattr(isolated_run, "asdict", _for_submissions)
    elif stage == "verdict":
        monkeypatch.setattr(judge_pool, "decide", fail)
        monkeypatch.setattr(judge_pool.Judges, "_judge", fail)
    elif stage == "write":
        monkeypatch.setattr(pipeline, "write_verdicts", fail)
    elif stage == "save":  # after the points of the first cell are saved
        monkeypatch.setattr(SaveAutoGrades, "_add_comment", fail)


class _Damaged(str):
    """A key that cannot be looked up, unless the course's own answers run."""

    def __hash__(self):
        client = sys._getframe(1).f_locals["self"]
        return str.__hash__(self) if client.limits.notebook_seconds > 1000 else BUG  # no integer


def _for_submissions(limits):
    """The limits of a run, damaged unless it is one of the course's own answers, which takes longer."""
    return asdict(limits) if limits.notebook_seconds > 1000 else {BUG: 1}


def _in_the_tool(notebook):
    source = f"def tidy(notebook): {{}}[{BUG!r}]"
    scope = {}
    exec(compile(source, submissions.__file__, "exec"), scope)
    scope["tidy"](notebook)


def scores(course):
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        return {s.student.id: s.score for s in book.assignment_submissions(NAME)}


def grade(course, monkeypatch, *arguments):
    monkeypatch.chdir(course.root)
    options = () if is_available() else ("--no-sandbox",)
    return CliRunner().invoke(main, ["-v", "grade", NAME, "--json", *options, *arguments])


@pytest.mark.parametrize("stage", ["read", "sanitize", "run", "reader", "verdict", "write", "save"])
def test_the_earlier_score_stays_and_without_one_there_is_none(room, monkeypatch, stage):
    if stage == "reader" and not is_available():
        pytest.skip("this machine offers no sandbox, and without one there is no reader")
    before = Classroom(room).autograded("ada", NAME).read_bytes()
    with monkeypatch.context() as planted:
        plant(planted, stage)
        # the reader is another process, where the fault would have to be planted otherwise
        unboxed = ("--no-sandbox",) if stage == "run" else ()
        result = grade(room, planted, "--regrade", *unboxed)
    assert result.exit_code == 2, result.output
    found = json.loads(result.stdout)
    files = {s: fault_file(room.root, NAME, s) for s in ("ada", "bob", "cem", "dan")}
    if stage in ("read", "sanitize", "run", "reader", "verdict"):
        del files["cem"]  # of which there is nothing to read: zeros as before
    assert found["faults"] == {student: str(path) for student, path in files.items()}
    assert [v["points"] for v in found["verdicts"]["ada"]] == [3]
    assert found["verdicts"]["dan"] == []
    assert found["unread"].keys() <= {"cem"}
    assert f"failed on dan, who is not graded; {files['dan']} has the traceback" in result.stderr
    assert "failed on ada, who keeps the earlier score" in result.stderr
    for path in files.values():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [stat.S_IMODE(p.stat().st_mode) for p in path.parents[:2]] == [0o700, 0o700]
        text = path.read_text()
        assert "Traceback (most recent call last)" in text
        assert ("should return an integer" if stage == "run" else BUG) in text
    assert scores(room) == {"ada": 3, "bob": 0, "cem": 0}
    assert Classroom(room).autograded("ada", NAME).read_bytes() == before
    assert not Classroom(room).autograded("dan", NAME).exists()
    assert sorted(path.name for path in (room.root / "autograded").iterdir()) == [
        *("ada", "bob", "cem")
    ]


def test_who_is_not_graded_is_listed_as_that_and_the_next_good_run_grades_all(room, monkeypatch):
    with monkeypatch.context() as planted:
        plant(planted, "save")
        result = grade(room, planted, "--regrade", "--student", "ada", "--student", "dan")
        assert result.exit_code == 2
        assert "autograder.gradebook.grading_queue: dan: grading" in result.stderr  # with -v
        assert f"KeyError: {BUG!r}" in result.stderr
    assert "dan" not in {grade.student for grade in grades(room, NAME)}
    assert not_graded(room, NAME) == ["dan"]
    assert as_csv(grades(room, NAME), not_graded(room, NAME)).splitlines()[-1] == (
        "dan,,,,,,not graded,"
    )
    row = next(row for row in read_term(room).rows if row.student == "dan")
    assert (row.missing, row.behind()) == (0, "")
    assert "dan,not graded,0,0,0,0" in term_csv(read_term(room))
    page = write_report(room, NAME).read_text()
    assert "The autograder failed on 2 students" in page
    assert BUG not in page
    result = grade(room, monkeypatch)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["faults"] == {}
    assert sorted(json.loads(result.stdout)["kept"]) == ["bob", "cem"]
    assert scores(room) == {"ada": 3, "bob": 0, "cem": 0, "dan": 3}
    assert not (room.root / FOLDER).exists()


def test_ctrl_c_while_points_are_saved_leaves_the_earlier_ones(room, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    before = Classroom(room).autograded("ada", NAME).read_bytes()
    with monkeypatch.context() as planted:
        planted.setattr(SaveAutoGrades, "_add_comment", interrupt)
        options = Options(regrade=True, sandbox=is_available())
        with pytest.raises(CourseError, match="stopped: 0 of 1 submissions are graded"):
            grade_class(room, NAME, students=["ada"], options=options)
    assert scores(room)["ada"] == 3
    assert Classroom(room).autograded("ada", NAME).read_bytes() == before
    assert not (room.root / FOLDER).exists()


def test_in_formgrader_it_is_a_failure_of_nbgraders_and_never_a_zero(room, monkeypatch):
    from nbgrader.apps.api import NbGraderAPI

    classroom = Classroom(room)
    monkeypatch.chdir(room.root)
    config = classroom.config()
    config.Grade.sandbox = is_available()

    def press(student):
        return NbGraderAPI(config=config).autograde(NAME, student, force=True)

    for stage in ("read", "verdict"):
        with monkeypatch.context() as planted:
            plant(planted, stage)
            if stage == "verdict":
                from autograder.gradebook import preprocessors

                planted.setattr(preprocessors, "run_and_judge", fail)
            for student in ("ada", "dan"):
                done = press(student)
                assert not done["success"]
                assert BUG in done["log"]
                assert BUG in fault_file(room.root, NAME, student).read_text()
        assert scores(room)["ada"] == 3
        assert not_graded(room, NAME) == ["dan"]
    assert press("dan")["success"]
    assert not fault_file(room.root, NAME, "dan").exists()
    assert scores(room)["dan"] == 3


def test_a_fault_on_a_feedback_page_names_the_page_and_keeps_the_others(room, monkeypatch):
    monkeypatch.chdir(room.root)
    make_page = feedback_page.make_page

    def sometimes(nb, assignment, student, record):
        return (fail if student == "bob" else make_page)(nb, assignment, student, record)

    with monkeypatch.context() as planted:
        planted.setattr(feedback_page, "make_page", sometimes)
        result = CliRunner().invoke(main, ["feedback", NAME])
    file = fault_file(room.root, NAME, "bob", page=True)
    assert result.exit_code == 2
    assert f"failed on the feedback page of bob; {file} has the traceback" in result.stderr
    assert BUG in file.read_text()
    assert Classroom(room).feedback("ada", NAME).exists()
    assert CliRunner().invoke(main, ["feedback", NAME]).exit_code == 0
    assert not (room.root / FOLDER).exists()


def test_a_long_name_and_one_that_is_not_utf_8_have_files_of_their_own(tmp_path):
    names = ["n" * 255, "n" * 254 + "m", "\udcff"]
    files = [fault_file(tmp_path, NAME, name) for name in names]
    assert len(set(files)) == 3
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
