"""Due dates with their zone, extensions, and what lateness costs when one of them changes."""

import csv
import datetime
import io
import json
import shutil

import pytest
from click.testing import CliRunner
from hand_graded import grade_by_hand
from nbgrader.api import Gradebook

from autograder.authoring.new_assignment import new_assignment
from autograder.classroom.export import grades
from autograder.classroom.term_gradebook import read_term
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import due_date, extend, set_due_date
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.timestamps import both, read_date, read_span, stored
from autograder.gradebook.upload_manifest import Origin, save_origins
from autograder.pages.feedback import write_feedback
from autograder.sandbox.doctor import is_available

NAME = "07_topic"


@pytest.fixture
def course(graded_class, tmp_path):
    """ada (3 points), bob and cem (0) are graded, and a late day costs a tenth."""
    course = Course(shutil.copytree(graded_class.root, tmp_path / "course"))
    config = course.root / "nbgrader_config.py"
    text = config.read_text().replace("percent_per_day = 0", "percent_per_day = 10")
    config.write_text(text)
    return course


@pytest.fixture
def in_zone(monkeypatch):
    """Sets the machine's time zone."""
    import time

    def choose(zone):
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-10-20 23:59 CEST", "2026-10-20 21:59"),
        ("2026-10-20 23:59 EDT", "2026-10-21 03:59"),
        ("2026-10-20 23:59 PDT", "2026-10-21 06:59"),
        ("2026-10-20 23:59 BST", "2026-10-20 22:59"),
        ("2026-10-20 23:59 JST", "2026-10-20 14:59"),
        ("2026-10-20 23:59 AEST", "2026-10-20 13:59"),
        ("2026-10-20 23:59 +0200", "2026-10-20 21:59"),
        ("2026-10-20 23:59 -05:30", "2026-10-21 05:29"),
        ("2026-10-20 23:59+02:00", "2026-10-20 21:59"),
        ("2026-10-20T23:59:00Z", "2026-10-20 23:59"),
        ("2026-10-20 23:59 UTC", "2026-10-20 23:59"),
        ("2026-10-20 23:59 UTC+2", "2026-10-20 21:59"),
        ("2026-10-20 11:59 PM America/New_York", "2026-10-21 03:59"),
        ("2026-10-20 23:59 America/New_York", "2026-10-21 03:59"),
        ("2026-10-20 09:00America/Sao_Paulo", "2026-10-20 12:00"),
        ("2026-10-20 11:59pm Pacific/Auckland", "2026-10-20 10:59"),
        ("2026-10-20 23:59 Europe/Berlin", "2026-10-20 21:59"),
        ("2026-12-20 23:59 Europe/Berlin", "2026-12-20 22:59"),
        ("2026-10-25 02:30 Europe/Berlin", "2026-10-25 01:30"),  # it comes twice: the later one
        ("2026-10-20 23:59", "2026-10-20 14:59"),
        ("2026-10-20 23:59 IST", "2026-10-20 18:29"),
    ],
)
def test_a_date_is_read_with_its_zone(in_zone, text, utc):
    in_zone("Asia/Kolkata" if "IST" in text else "Asia/Tokyo")
    date, _ = read_date(text)
    assert f"{stored(date):%Y-%m-%d %H:%M}" == utc


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-10-20 23:59 XYZ", "there is no time zone XYZ"),
        ("2026-10-20 23:59 Europe/Berlinn", "there is no time zone 'Europe/Berlinn'"),
        ("2026-10-20 23:59 IST", r"IST may be UTC\+01:00 \(Europe/Dublin\) or"),
        ("2026-10-20 23:59 CST", r"CST may be .* or UTC\+08:00"),
        ("2026-10-20 23:59 +9900", "no clock is"),
        ("2026-10-20", "is not a date with a time of day"),
        ("20.10.2026 23:59 CEST", "is not a date with a time of day"),
        ("2026-13-20 23:59 CEST", "there is no date"),
        ("2026-03-29 02:30 Europe/Berlin", "the clocks in Europe/Berlin skip"),
        ("0001-01-01 00:00 Asia/Tokyo", "the year must be in 1970..2099"),
    ],
)
def test_a_date_whose_zone_is_not_certain_is_refused(text, words):
    with pytest.raises(CourseError, match=words):
        read_date(text)


def test_a_time_that_this_machines_clocks_skip_is_refused_and_of_two_the_later_one_is_due(in_zone):
    in_zone("Europe/Berlin")
    with pytest.raises(CourseError, match="the clocks in this machine's time zone skip"):
        read_date("2026-03-29 02:30")
    found = [stored(read_date("2026-10-25 02:30", later=later)[0]).hour for later in (True, False)]
    assert found == [1, 0]


def test_spans_of_time_are_read():
    spans = {text: read_span(text) for text in ("3d", "1d12h", "2 weeks", "90m", "x", "3")}
    assert read_span("99999999d") is None
    hours = {text: span and span.total_seconds() / 3600 for text, span in spans.items()}
    assert hours == {"3d": 72, "1d12h": 36, "2 weeks": 336, "90m": 1.5, "x": None, "3": None}


def run(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    return result.output if result.exit_code == 0 else f"exit {result.exit_code}: {result.output}"


def test_the_command_sets_a_due_date_and_says_it_in_both(small_course, monkeypatch, in_zone):
    monkeypatch.chdir(small_course.root)
    in_zone("America/New_York")
    assert run("due", NAME) == f"{NAME} has no due date.\n"
    said = run("due", "07", "2026-10-20 23:59 Europe/Berlin")
    both_zones = "2026-10-20 23:59 CEST, 2026-10-20 21:59 UTC"
    assert said == f"{NAME} is due {both_zones} (zone: Europe/Berlin).\n"
    assert due_date(Classroom(small_course), NAME) == datetime.datetime(2026, 10, 20, 21, 59)
    assert run("due", NAME) == f"{NAME} is due 2026-10-20 17:59 EDT, 2026-10-20 21:59 UTC.\n"
    said = run("due", NAME, "2026-10-20 23:59")
    assert "zone: this machine's time zone, EDT, since none was given" in said
    assert "exit 1" in run("due", NAME, "2026-10-20 23:59 IST")
    assert "no due date any more" in run("due", NAME, "--clear")


def hand_in(course, student, time):
    (course.root / "submitted" / student / NAME / "timestamp.txt").write_text(f"{time} UTC")


def grade(course, monkeypatch):
    """Grade without running anything."""
    monkeypatch.setattr("autograder.gradebook.grade_class.Desk", None)
    return grade_class(course, NAME, options=Options(sandbox=is_available()))


def agree(course, student, score, penalty, late):
    """Whether export, gradebook and feedback page say the same."""
    (grade,) = (one for one in grades(course, NAME) if one.student == student)
    assert (grade.score, grade.late_penalty, grade.late) == (score, penalty, late)
    (row,) = (one for one in read_term(course).rows if one.student == student)
    assert (row.points, row.grades[0].late) == (score, late)
    write_feedback(course, NAME)
    page = (course.root / "feedback" / student / NAME / f"{NAME}.html").read_text()
    assert f"<b>{score:g} of 3" in page
    assert (late in page) if late else ("Handed in" not in page)


def test_penalties_follow_time_due_date_and_extension_and_nothing_runs(course, monkeypatch):
    monkeypatch.chdir(course.root)
    for student in ("ada", "bob"):
        hand_in(course, student, "2026-02-01 12:00:00")
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:  # as nbgrader sets it
        gradebook.update_or_create_assignment(NAME, duedate="2026-01-30 13:00 UTC")
    # the configuration has changed, of which the cache knows: it would grade again
    state = course.root / "graded.json"
    limits = Options(sandbox=is_available()).apply(Classroom(course).config())
    from autograder.gradebook.regrade_cache import RegradeCache

    cache = RegradeCache(Classroom(course), NAME, limits)
    for student in ("ada", "bob", "cem"):
        cache.keep(student, "")
    assert json.loads(state.read_text())
    graded = grade(course, monkeypatch)
    assert graded.kept == ["ada", "bob", "cem"]
    assert [(one.student, one.before, one.now) for one in graded.settled] == [("ada", 0, 0.6)]
    assert graded.late["ada"].penalty == 0.6
    agree(course, "ada", 2.4, 0.6, "2 days late")
    assert "late penalty of ada in 07_topic: 0.6 before, 0.3 now" in run(
        "extend", NAME, "ada", "1d"
    )
    agree(course, "ada", 2.7, 0.3, "23 hours late")
    said = run("extend", NAME, "ada", "2026-02-01 14:00 Europe/Berlin")
    assert "until 2026-02-01 13:00 UTC" in said
    agree(course, "ada", 3, 0, "")
    assert grade(course, monkeypatch).settled == []
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:  # as nbgrader grants it
        gradebook.grant_extension(NAME, "ada", hours=1)
    assert [one.now for one in grade(course, monkeypatch).settled] == [0.6]
    agree(course, "ada", 2.4, 0.6, "2 days late")
    run("extend", NAME, "ada", "3d")
    assert "0 before, 0.6 now" in run("extend", NAME, "ada", "0d")
    assert "0.6 before, 0 now" in run("due", NAME, "2026-02-02 00:00 UTC")
    agree(course, "ada", 3, 0, "")
    hand_in(course, "ada", "2026-02-02 01:00:00")
    assert [one.now for one in grade(course, monkeypatch).settled] == [0.3]
    (course.root / "submitted" / "ada" / NAME / "timestamp.txt").unlink()
    assert [one.now for one in grade(course, monkeypatch).settled] == [0]


def test_points_by_hand_change_the_penalty_too(course, monkeypatch):
    hand_in(course, "bob", "2026-02-01 12:00:00")
    set_due_date(Classroom(course), NAME, datetime.datetime(2026, 1, 31, 13))
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        mark = gradebook.find_grade("check_average_topic", NAME, NAME, "bob")
        mark.manual_score = 2.0
        gradebook.db.commit()
    extend(Classroom(course), NAME, {})
    assert {g.student: g.late_penalty for g in grades(course, NAME)}["bob"] == 0.2


def test_an_extension_may_come_before_the_submission(course, monkeypatch):
    monkeypatch.chdir(course.root)
    Classroom(course).enter_students({"dan": {"first_name": "Dan", "last_name": "Doe"}})
    run("due", NAME, "2026-01-30 13:00 UTC")
    assert "dan has 3 days more for 07_topic, until 2026-02-02 13:00 UTC." in run(
        "extend", NAME, "Doe, Dan", "3d"
    )
    shutil.copytree(course.root / "submitted" / "ada", course.root / "submitted" / "dan")
    hand_in(course, "dan", "2026-02-03 00:00:00")
    grade_class(course, NAME, students=["dan"], options=Options(sandbox=is_available()))
    agree(course, "dan", 2.7, 0.3, "11 hours late")
    assert "dan has 3 days more" in run("due", NAME)


def test_a_table_extends_many_or_nobody(course, tmp_path, monkeypatch):
    monkeypatch.chdir(course.root)
    run("due", NAME, "2026-01-30 13:00 UTC")
    table = tmp_path / "more.csv"
    table.write_text(
        "student,assignment,extension\nada,07,2d\nbob,07_topic,12h\ncem,08,9d\nada,8,1d\n"
    )
    new_assignment(course, "08_other")
    said = run("extend", NAME, "--csv", table)
    assert ("ada has 2 days" in said, "bob has 12 hours" in said, "cem" in said) == (
        True,
        True,
        False,
    )
    for assignment in ("7", "07_TOPIC", "Assignment 7", "07 topic"):
        table.write_text(f"student,assignment,days\nada,{assignment},1\nbob,08,\n")
        assert "ada has 1 day more" in run("extend", NAME, "--csv", table)
    table.write_text("student,days\nada,2 days\nbob,'1,5'\n".replace("'", '"'))
    assert "bob has 1 day 12 hours more" in run("extend", NAME, "--csv", table)
    table.write_text("Kurs;Text\n\nstudent;extension\nbob;2. Februar 2026, 14:00 UTC\n")
    assert "until 2026-02-02 14:00 UTC" in run("extend", NAME, "--csv", table)
    table.write_text("student,assignment,extension\nada,07_tropic,5d\nada,07,5d\n")
    assert "'07_tropic' is no assignment of the course" in run("extend", NAME, "--csv", table)
    table.write_text("student,assignment,extension\nada,08,5d\n")
    assert f"has no extension for {NAME}" in run("extend", NAME, "--csv", table)
    table.write_text("student,extension\nada,5d\neve,5d\n")
    assert "eve is nobody in the class" in run("extend", NAME, "--csv", table)
    assert "ada has 2 days more" in run("due", NAME)
    table.write_text("student,why\nada,ill\n")
    assert "has no column 'extension'" in run("extend", NAME, "--csv", table)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ada", "soon"], "'soon' is not an extension; write it as in 3d"),
        (["ada", "03/04/2026 10:00"], "may be 3 April or 4 March; write the date as in"),
        (["eve", "3d"], "eve is not in the class"),
        (["ada", "2026-01-01 00:00 UTC"], "has no due date, which a date extends"),
        (["ada"], "give STUDENT and EXTENSION"),
    ],
)
def test_an_extension_that_cannot_be_is_refused_in_a_sentence(
    course, monkeypatch, arguments, words
):
    monkeypatch.chdir(course.root)
    assert words in run("extend", NAME, *arguments)


def test_canvas_mark_counts_where_the_time_is_unknown(course, monkeypatch):
    monkeypatch.chdir(course.root)
    origins = {
        name: Origin(f"{name}_1_2_07.ipynb", "canvas", name == "ada") for name in ("ada", "bob")
    }
    save_origins(course.root, NAME, origins)
    run("due", NAME, "2026-10-20 23:59 Europe/Berlin")
    agree(course, "ada", 2.7, 0.3, "late, says the LMS")  # by an unknown time: one day
    agree(course, "bob", 0, 0, "")
    run("extend", NAME, "ada", "3d")  # the mark does not know of it
    agree(course, "ada", 3, 0, "")
    run("extend", NAME, "ada", "0d")
    hand_in(course, "ada", "2026-10-20 20:00:00")  # a time says more than the mark
    run("due", NAME, "2026-10-20 23:59 Europe/Berlin")
    agree(course, "ada", 3, 0, "")


def test_both_zones_are_said_once_where_they_are_one():
    date = datetime.datetime(2026, 10, 20, 21, 59)
    assert both(date, datetime.timezone.utc) == "2026-10-20 21:59 UTC"


def test_the_exported_table_has_the_time_and_the_penalty(course, monkeypatch):
    monkeypatch.chdir(course.root)
    hand_in(course, "ada", "2026-02-01 12:00:00")
    run("due", NAME, "2026-01-31 13:00 UTC")
    run("export", NAME)
    text = (course.root / "exports" / f"{NAME}.csv").read_text()
    row = next(row for row in csv.DictReader(io.StringIO(text)) if row["student"] == "ada")
    assert (row["score"], row["late_penalty"], row["late"]) == ("2.7", "0.3", "23 hours late")
    assert row["submitted"] == "2026-02-01 12:00:00"


@pytest.mark.parametrize(
    "command", ["export", "export --points wide", "feedback", "report", "gradebook"]
)
def test_what_is_handed_out_after_grading_by_hand_has_the_penalty_of_the_new_score(
    course, monkeypatch, command
):
    monkeypatch.chdir(course.root)
    (course.root / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2026-10-22 12:00 UTC")
    run("due", NAME, "2026-10-20 23:59 UTC")
    assert of_ada(course) == (2.4, 0.6)
    grade_by_hand(course, "ada", "check_average_topic", 2)
    verb, *options = command.split()
    said = run(verb, *([] if verb == "gradebook" else [NAME]), *options)
    assert f"late penalty of ada in {NAME}: 0.6 before, 0.4 now" in said
    assert of_ada(course) == (1.6, 0.4)


def of_ada(course):
    (grade,) = (one for one in grades(course, NAME) if one.student == "ada")
    return round(grade.score, 6), round(grade.late_penalty, 6)
