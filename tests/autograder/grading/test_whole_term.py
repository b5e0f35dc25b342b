"""A term of a made-up class: three assignments, on the command line, in a browser, by two ways in.

TERM_SIZE sets how many students there are, TERM_PICTURES a folder for screenshots.
"""

import csv
import json
import os
import random
import re
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from made_up_class import independent
from server_process import Server
from system_users import give, open_folder, run, system_users, user_name

from autograder.classroom.similarity import known_answers
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.course.reference import without_docstrings

pytestmark = pytest.mark.slow

SIZE = int(os.environ.get("TERM_SIZE", "40"))
SETUP, BAGS, ATTENTION = "00_setup", "01_bag_of_words", "04_attention"
ANN, BOB = map(user_name, ("ann", "bob"))
STUDENTS = [f"s{number:02}" for number in range(SIZE)]
#: Who hands in the first assignment late, copies the second, and drops out before the third.
LATE, COPY, GONE = STUDENTS[:2], (STUDENTS[2], STUDENTS[3]), STUDENTS[-2:]
#: Who gives all words where none are asked for, which is wrong until the cases change.
ALL, REGRADED = STUDENTS[5], "build_vocabulary"
QUESTION, SAID = "question_selection_bias", "Which split did you look at twice?"


@pytest.fixture(scope="module")
def term(course):
    """A copy of the course with three assignments, an exchange and penalties for late work."""
    with system_users(ANN, BOB), open_folder() as folder:
        copy = Course(folder / "course")
        copy.root.mkdir()
        for name in ("nbgrader_config.py", "pyproject.toml"):
            shutil.copy(course.root / name, copy.root)
        for name in (SETUP, BAGS, ATTENTION):
            for part in (course.solution(name).parent, course.notebook(name).parent):
                shutil.copytree(part, copy.root / part.relative_to(course.root))
            shutil.copytree(course.cases(name), copy.cases(name))
            for path in course.shared_cases():
                shutil.copy(path, copy.cases(name).parent)
            copy.recordings.mkdir(exist_ok=True, parents=True)
            shutil.copy(course.recordings / f"{name}.json", copy.recordings)
        (folder / "exchange").mkdir()
        (folder / "exchange").chmod(0o777)
        exchange = [
            'c.CourseDirectory.course_id = "text"\n',
            f"c.Exchange.root = {str(folder / 'exchange')!r}\n",
        ]
        with (copy.root / "nbgrader_config.py").open("a") as config:
            config.writelines([*exchange, "c.DailyPenalty.percent_per_day = 10\n"])
        (copy.root / "class_seed").write_text("1\n")
        for student in (ANN, BOB):
            home = folder / student
            home.mkdir()
            (home / "nbgrader_config.py").write_text("c = get_config()\n" + "".join(exchange))
            give(home, student)
        yield copy


def notebook(course, assignment, student):
    """What a student hands in: the same in every run, a few answers wrong, every question answered.

    The student whose work is copied writes in a style of their own, all others as the reference.
    """
    rng = random.Random(f"{assignment} {student}")
    answers = {}
    if student == COPY[0]:
        known = known_answers(Assignment(course, assignment))
        texts = {
            name: [without_docstrings(reference)] for name, (_, reference, *_) in known.items()
        }
        answers = independent(texts, rng)
    for name, exercise in Assignment(course, assignment).exercises.items():
        if rng.random() < 0.15:
            answers[name] = Assignment(course, assignment).typed(
                rng.choice(exercise.misconceptions)
            )
    if (assignment, student) == (BAGS, ALL):
        (wrong,) = [
            one
            for one in Assignment(course, BAGS).exercises[REGRADED].misconceptions
            if one.name == "takes_zero_for_no_limit"
        ]
        answers[REGRADED] = Assignment(course, BAGS).typed(wrong)
    made = filled(Assignment(course, assignment), answers)
    for cell in made.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("question_"):
            cell.source = f"Answer number {rng.randrange(10**6)}."
    return nbformat.writes(made)


def autograder(course, *command):
    return run("root", course.root, "autograder", *command)


def nbgrader(course, *command):
    return run("root", course.root, "nbgrader", *command)


def scores(course, assignment):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as book:
        return {
            one.student.id: (one.score, one.late_submission_penalty or 0, one.needs_manual_grade)
            for one in book.assignment_submissions(assignment)
        }


def set_due(course, assignment, date):
    nbgrader(course, "db", "assignment", "add", assignment, "--duedate", date)


def picture(page, name):
    if folder := os.environ.get("TERM_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def test_a_term_from_release_to_gradebook(term, browser, tmp_path):
    the_first_assignment_goes_out_by_the_exchange_and_comes_back_by_two_ways(term, tmp_path)
    the_second_is_late_copied_graded_by_hand_and_regraded(term, browser, tmp_path)
    the_third_is_not_handed_in_by_all_and_the_gradebook_says_so(term, browser, tmp_path)


def the_first_assignment_goes_out_by_the_exchange_and_comes_back_by_two_ways(term, folder):
    nbgrader(term, "release_assignment", SETUP)
    for student in (ANN, BOB):
        home = term.root.parent / student
        run(student, home, "nbgrader", "fetch_assignment", SETUP)
        (home / SETUP / f"{SETUP}.ipynb").write_text(notebook(term, SETUP, student))
        run(student, home, "nbgrader", "submit", SETUP)
    nbgrader(term, "collect", SETUP)
    download = folder / "canvas.zip"
    with zipfile.ZipFile(download, "w") as packed:
        for number, student in enumerate(STUDENTS):
            mark = "_LATE" if student in LATE else ""
            name = f"{student}{mark}_{number + 10}_{number + 900}_{SETUP}-1.ipynb"
            packed.writestr(name, notebook(term, SETUP, student))
    autograder(term, "collect", SETUP, str(download))
    autograder(term, "grade", SETUP)
    assert set(scores(term, SETUP)) == {*STUDENTS, ANN, BOB}
    autograder(term, "feedback", SETUP, "--for", "canvas")
    nbgrader(term, "release_feedback", SETUP)
    run(ANN, term.root.parent / ANN, "nbgrader", "fetch_feedback", SETUP)
    assert list((term.root.parent / ANN).rglob("*.html"))
    with zipfile.ZipFile(term.root / "exports" / f"{SETUP}-feedback-canvas.zip") as packed:
        assert len(packed.namelist()) == SIZE
        assert sum("_LATE_" in name for name in packed.namelist()) == len(LATE)
    # graded again, nothing changes
    before = scores(term, SETUP)
    autograder(term, "grade", SETUP)
    assert scores(term, SETUP) == before


def the_second_is_late_copied_graded_by_hand_and_regraded(term, browser, folder):
    set_due(term, BAGS, "2026-02-01 12:00 UTC")
    copied, copier = COPY
    download = folder / "moodle.zip"
    with zipfile.ZipFile(download, "w") as packed:
        for number, student in enumerate(STUDENTS):
            text = notebook(term, BAGS, copied if student == copier else student)
            day = 3 if student in LATE else 1  # two days late, or in time
            name = f"{student}_{number + 10}_assignsubmission_file_/{BAGS}.ipynb"
            packed.writestr(zipfile.ZipInfo(name, (2026, 2, day, 10, 0, 0)), text)
    autograder(term, "collect", BAGS, str(download))
    autograder(term, "grade", BAGS)
    found = scores(term, BAGS)
    assert {student for student, (_, penalty, _) in found.items() if penalty} == set(LATE)
    assert all(waits for _, _, waits in found.values())
    said = autograder(term, "similar", BAGS)
    assert f"{copied} and {copier}" in said
    assert said.count("did they work together") == 1
    points = grade_by_hand(term, browser, STUDENTS[4], folder)
    after = scores(term, BAGS)
    assert after[STUDENTS[4]][0] == found[STUDENTS[4]][0] + points
    autograder(term, "feedback", BAGS)
    page = term.root / "feedback" / STUDENTS[4] / BAGS / f"{BAGS}.html"
    sections = BeautifulSoup(page.read_text("utf-8"), "html.parser").find_all("section")
    told = [section.h2.get_text() for section in sections if SAID in section.get_text()]
    assert ["Question 2" in title for title in told] == [True]
    # the instructor decides that max_size = 0 was not asked for
    module = term.cases(BAGS) / f"{REGRADED}.py"
    text = module.read_text("utf-8")
    lenient = re.sub(r"    yield Case\(\n.*\"max_size\": 0\}.*\n    \)\n", "", text)
    assert lenient != text
    module.write_text(lenient, "utf-8")
    printed = autograder(term, "grade", BAGS, "--exercise", REGRADED, "--json")
    said, _ = json.JSONDecoder().raw_decode(printed)  # without warnings
    assert ALL in {change["student"] for change in said["changes"]}
    for change in said["changes"]:
        assert (change["exercise"], change["now"]) == (REGRADED, change["before"] + 2)
    module.write_text(text, "utf-8")
    autograder(term, "grade", BAGS, "--exercise", REGRADED)
    assert scores(term, BAGS) == after


def grade_by_hand(term, browser, student, folder):
    """Give a point and a comment to a student's answer, as a person does; the point."""
    server = Server(term.root, folder / "server.log")
    try:
        server.wait()
        submissions = server.get(f"/formgrader/api/submitted_notebooks/{BAGS}/{BAGS}")
        (id_,) = [one["id"] for one in submissions if one["student"] == student]
        page = browser.new_context().new_page()
        page.set_default_timeout(0)
        here = ("http://127.0.0.1", "data:", "about:")
        page.route(
            "**/*",
            lambda route: (
                route.continue_() if route.request.url.startswith(here) else route.abort()
            ),
        )
        page.goto(server.url(f"/login?token={server.token}&next=/formgrader/submissions/{id_}"))
        score = page.locator(f"#{QUESTION}.score")
        score.wait_for(state="attached")
        page.wait_for_load_state("networkidle")  # formgrader reads the grades
        score.fill("1")
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            score.dispatch_event("change")
        comment = page.locator(f"#{QUESTION}-comment")
        comment.fill(SAID)
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            comment.dispatch_event("change")
        picture(page, "formgrader")
        return 1
    finally:
        server.stop()


def the_third_is_not_handed_in_by_all_and_the_gradebook_says_so(term, browser, folder):
    for student in STUDENTS:
        if student not in GONE:
            path = term.root / "submitted" / student / ATTENTION / f"{ATTENTION}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(notebook(term, ATTENTION, student))
    autograder(term, "grade", ATTENTION)
    autograder(term, "report", ATTENTION)
    autograder(term, "export", ATTENTION)
    autograder(term, "gradebook")
    with (term.root / "reports" / "gradebook.csv").open(newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == {*STUDENTS, ANN, BOB}
    for assignment in (SETUP, BAGS, ATTENTION):
        for student, (score, penalty, _) in scores(term, assignment).items():
            assert float(rows[student][assignment]) == pytest.approx(max(0, score - penalty))
    assert not any(rows[student][ATTENTION] for student in GONE)
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(f"file://{term.root}/reports/gradebook.html")
    picture(page, "gradebook")
    for student in GONE:
        assert student in page.inner_text("body")
    page.goto(f"file://{term.root}/reports/{ATTENTION}.html")
    picture(page, "report")
    page.goto(f"file://{term.root}/feedback/{STUDENTS[4]}/{BAGS}/{BAGS}.html")
    picture(page, "feedback")
