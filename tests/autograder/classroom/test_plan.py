"""Term plans: the course's tracks, the order that notebooks prove, due dates and the calendar."""

import datetime
import re
import shutil

import pytest
from checkout import ROOT
from click.testing import CliRunner

from autograder.classroom.calendar_file import as_calendar, escaped, folded
from autograder.classroom.syllabus import as_markdown
from autograder.classroom.term_plan import make_plan, needed, read_plans
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import due_date

START = datetime.date(2027, 2, 1)
COURSE = Course(ROOT)
PLANS = read_plans(COURSE)
TERMS = [(track, credits) for track in PLANS.tracks for credits in PLANS.terms]
SMALL = """\
fewest_weeks = 4
most_weeks = 20
hours_a_week = 8
hours_per_credit = 25
terms = { 3 = 6, 6 = 10 }
hours = { "07" = 4 }
[tracks.short]
title = "A short track"
3 = ["07", "10"]
6 = ["07", "12"]
"""
HOURS = {"½": 0.5, "¼": 0.25, "¾": 0.75}


@pytest.fixture
def in_course(small_course, monkeypatch):
    (small_course.root / "plans.toml").write_text(SMALL)
    monkeypatch.chdir(small_course.root)
    return small_course


def plan(*options):
    return CliRunner().invoke(main, ["plan", *options])


def test_the_tracks_are_those_of_the_lectures_and_the_whole_course():
    assert set(PLANS.tracks) == {"berkeley", "dauphine", "tokyo", "ttic", "general"}
    assert PLANS.terms == {3: 6, 6: 10, 9: 14}


@pytest.mark.parametrize(("track", "credits"), TERMS)
def test_each_track_has_a_plan_for_each_usual_term(track, credits):
    weeks = PLANS.terms[credits]
    made = make_plan(COURSE, track, weeks, START)
    assert made.credits == credits
    assert made.hours <= credits * PLANS.hours_per_credit / 2  # lectures, reading, examination
    found = [entry.week for entry in made.entries]
    assert found == sorted(found)
    assert found[-1] == weeks
    if len(found) <= weeks:
        assert len(set(found)) == len(found)


@pytest.mark.parametrize(("track", "credits"), TERMS)
def test_an_assignment_comes_after_all_whose_code_its_notebook_reuses(track, credits):
    order = PLANS.tracks[track].orders[credits]
    known = {name[:2]: name for name in COURSE.assignments()}
    for place, number in enumerate(order):
        if number in known:
            assert {name[:2] for name in needed(COURSE, known[number])} <= set(order[:place])


def test_what_an_assignment_reuses_is_what_its_cells_say():
    for name in COURSE.assignments():
        sources = [cell.source for cell in Assignment(COURSE, name).release.cells]
        said = {one for text in sources for one in re.findall(r"^# From assignment (\d\d):", text)}
        assert {one[:2] for one in needed(COURSE, name)} == said
    assert needed(COURSE, "08_sentence_encoders") == ("03_deep_averaging", "04_attention")


def test_hours_are_those_that_the_notebooks_state():
    stated = {}
    for name in COURSE.assignments():
        text = "\n".join(cell.source for cell in Assignment(COURSE, name).release.cells[:3])
        whole, part = re.search(r"\*\*Time\.?\*\* [Aa]bout (\d+)([½¼¾]?) hours", text).groups()
        stated[name[:2]] = int(whole) + HOURS.get(part, 0)
    assert PLANS.hours == stated


def test_the_lists_of_credits_grow():
    for track in PLANS.tracks.values():
        assert set(track.orders[3]) <= set(track.orders[6]) <= set(track.orders[9]), track.name
    assert len(PLANS.tracks["general"].orders[9]) == 16


def test_a_new_assignment_is_in_the_plan_as_soon_as_it_has_hours(in_course):
    for folder in (in_course.solutions, in_course.notebooks):
        shutil.copytree(folder / "07_topic", folder / "10_more")
        (folder / "10_more" / "07_topic.ipynb").rename(folder / "10_more" / "10_more.ipynb")
    with pytest.raises(CourseError, match=r"plans\.toml has no hours for 10_more; add them"):
        make_plan(in_course, "short", 6, START)
    plans = in_course.root / "plans.toml"
    plans.write_text(SMALL.replace('"07" = 4 }', '"07" = 4, "10" = 5 }'))
    made = make_plan(in_course, "short", 6, START)
    assert [entry.assignment for entry in made.entries] == ["07_topic", "10_more"]
    assert made.missing == []


def test_an_assignment_before_one_that_it_reuses_is_refused(tmp_path):
    text = (ROOT / "plans.toml").read_text("utf-8")
    (tmp_path / "plans.toml").write_text(text.replace('"09", "05", "11"]', '"11", "09", "05"]'))
    for folder in ("solutions", "notebooks", "pyproject.toml"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    with pytest.raises(CourseError, match="11_transformer_translation reuses code of 05_transf"):
        make_plan(Course(tmp_path), "tokyo", 6, START)


def test_a_week_without_teaching_moves_what_comes_after_it():
    free = (datetime.date(2027, 3, 3),)
    before = make_plan(COURSE, "tokyo", 10, START)
    after = make_plan(COURSE, "tokyo", 10, START, breaks=free)
    moved = [late.due - early.due for early, late in zip(before.entries, after.entries)]
    assert {one.days for one in moved} == {0, 7}
    assert all(
        (late.due - early.due).days == 7 * (early.due >= datetime.date(2027, 3, 1))
        for early, late in zip(before.entries, after.entries)
    )


@pytest.mark.parametrize(
    ("track", "weeks", "credits", "message"),
    [
        (
            "oslo",
            10,
            None,
            "there is no track 'oslo'; choose berkeley, dauphine, general, tokyo or",
        ),
        ("tokyo", 3, None, "a term has 4 to 20 weeks, not 3"),
        ("tokyo", 21, None, "a term has 4 to 20 weeks, not 21"),
        ("tokyo", 10, 4, "no plan for 4 credits; choose 3, 6 or 9"),
        ("general", 6, 9, "6 weeks are too few for the 93 hours .* take at least 12 weeks"),
    ],
)
def test_a_term_that_cannot_be_planned_is_refused(track, weeks, credits, message):
    with pytest.raises(CourseError, match=message):
        make_plan(COURSE, track, weeks, START, credits)


def test_a_start_that_is_no_date_is_refused(in_course):
    for start in ("1 February", "2027-02-30"):
        done = plan("--weeks", "6", "--track", "short", "--start", start)
        assert done.exit_code == 1
        assert done.stderr == (
            f"autograder: --start '{start}' is not a date; write it as in 2027-02-01.\n"
        )


def test_a_course_without_plans_says_what_is_missing(small_course):
    with pytest.raises(CourseError, match=r"there is no .*plans\.toml"):
        make_plan(small_course, "short", 6, START)


@pytest.mark.parametrize("damage", ["hours = 3\n", "no toml", SMALL.replace("title", "name")])
def test_damaged_plans_are_refused(small_course, damage):
    (small_course.root / "plans.toml").write_text(damage)
    with pytest.raises(CourseError, match=r"plans\.toml"):
        make_plan(small_course, "short", 6, START)


def test_the_plan_is_a_table_and_names_what_does_not_exist_yet(in_course):
    done = plan("--weeks", "6", "--track", "short", "--start", "2027-02-01")
    assert done.exit_code == 0
    assert "A short track, 6 weeks, 3 ECTS credits" in done.output
    assert re.search(r"^6     Sun 2027-03-14  07_topic    4$", done.output, re.M)
    assert "Left out, since the course does not have them yet: 10." in done.output
    assert due_date(Classroom(in_course), "07_topic") is None


def test_due_dates_and_a_calendar_need_a_time_zone(in_course):
    base = ("--weeks", "6", "--track", "short", "--start", "2027-02-01")
    assert "--zone Asia/Tokyo" in plan(*base, "--set-due").stderr
    assert "--zone Asia/Tokyo" in plan(*base, "--calendar", "term.ics").stderr
    assert "there is no time zone 'Tokio'" in plan(*base, "--set-due", "--zone", "Tokio").stderr


def test_due_dates_are_set_as_due_sets_them_and_the_calendar_has_them(in_course):
    options = ("--zone", "Asia/Tokyo", "--set-due", "--calendar", "term.ics")
    done = plan("--weeks", "6", "--track", "short", "--start", "2027-02-01", *options)
    assert done.exit_code == 0, done.output
    due = datetime.datetime(2027, 3, 14, 14, 59)
    assert due_date(Classroom(in_course), "07_topic") == due
    assert "07_topic is due 2027-03-14 23:59 JST, 2027-03-14 14:59 UTC." in done.output
    assert b"DTSTART:20270314T145900Z\r\n" in (in_course.root / "term.ics").read_bytes()
    again = plan("--weeks", "7", "--track", "short", "--start", "2027-02-01", *options[:3])
    assert "2027-03-21 14:59 UTC; it was 2027-03-14 23:59 JST" in again.output


def test_a_calendar_has_an_event_per_due_date_with_a_lasting_id():
    now = datetime.datetime(2026, 11, 26, 1, 2, 3)
    text = as_calendar("coursekit", "Words, and more", {"01_bag": now, "02_vec": now}, now)
    lines = text.split("\r\n")
    assert lines[:2] == ["BEGIN:VCALENDAR", "VERSION:2.0"]
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert text.count("BEGIN:VEVENT") == text.count("END:VEVENT") == 2
    assert "X-WR-CALNAME:Words\\, and more" in lines
    assert [line for line in lines if line.startswith("UID")] == [
        "UID:01_bag@coursekit",
        "UID:02_vec@coursekit",
    ]
    assert lines.count("DTSTAMP:20261126T010203Z") == 2


def test_text_of_a_calendar_is_escaped():
    assert escaped("a,b;c\\d\ne") == "a\\,b\\;c\\\\d\\ne"


@pytest.mark.parametrize("text", ["x" * 300, "é" * 100, "語" * 100, "a" + "😀" * 60, "x" * 75])
def test_a_long_line_is_folded_between_characters_and_unfolds_to_itself(text):
    parts = folded(text).split("\r\n")
    assert all(len(part.encode()) <= 75 for part in parts)
    assert all(part.startswith(" ") for part in parts[1:])
    assert folded(text).replace("\r\n ", "") == text
    assert len(parts) == 1 or len(parts[0].encode()) > 71


def test_a_syllabus_has_the_weeks_points_and_what_is_left_to_write(in_course, tmp_path):
    path = tmp_path / "syllabus.md"
    options = ["--weeks", "6", "--track", "short", "--start", "2027-02-01"]
    result = plan(*options, "--zone", "Asia/Tokyo", "--syllabus", str(path))
    assert result.exit_code == 0, result.output
    text = path.read_text("utf-8")
    release = Assignment(in_course, "07_topic").release
    marks = [cell.metadata.get("nbgrader", {}) for cell in release.cells]
    total = sum(mark["points"] for mark in marks if mark.get("grade"))
    row = f"| 6 | Sun 2027-03-14 23:59 JST | 07 {Assignment(in_course, '07_topic').title} | 4 |"
    assert f"{row} {total:g} |  |" in text
    assert "3 credits stand for 75 hours. The assignments take about 4 of them, 0.7 a week" in text
    assert "[your rule; nbgrader_config.py has none yet]" in text
    shares = [int(share) for share in re.findall(r"\| (\d+)% \|", text)]
    assert sum(shares) == 100
    again = plan(*options, "--syllabus", str(path))
    assert again.exit_code == 1
    assert "is there already; name another file" in again.output
    assert path.read_text("utf-8") == text


def test_a_syllabus_states_the_class_s_rule_for_late_work(in_course, tmp_path):
    config = in_course.root / "nbgrader_config.py"
    config.write_text(
        f"{config.read_text()}\nc.DailyPenalty.percent_per_day = 10\n"
        "c.DailyPenalty.most_percent = 50\nc.DailyPenalty.grace_days = 3\n"
    )
    made = make_plan(in_course, "short", 6, START)
    text = as_markdown(in_course, made, {})
    assert (
        "Late work loses 10% of its score per day begun, at most 50%. Everybody has 3 late days in"
        " the term that cost nothing." in text
    )


def test_the_syllabus_of_the_course_says_each_goal_and_the_share_of_written_answers():
    made = make_plan(COURSE, "berkeley", 10, START)
    text = as_markdown(COURSE, made, {})
    goals = text.partition("## What you learn")[2].partition("## Work")[0]
    assert goals.count("\n- ") == len(made.entries)
    share = int(re.search(r"\((\d+)%\) are for answers in words", text)[1])
    assert 20 <= share <= 30
    assert "nan" not in text


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ((), "--weeks, --track, --start"),
        (("--track", "short"), "--weeks, --start"),
        (("--weeks", "6", "--start", "2027-02-01"), "--track"),
    ],
)
def test_all_options_that_are_missing_are_named_at_once_with_an_example(in_course, given, missing):
    done = plan(*given)
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert f"missing: {missing}; as in `autograder plan --weeks 10 --track short --start" in said
