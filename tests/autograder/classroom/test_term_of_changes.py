"""A term in which all changes that a class brings happen to one class, by the commands.

With eight students and a small course; with forty and the course's own first assignments among the
slow tests.
"""

import csv
import io
import re
import zipfile
from dataclasses import replace
from datetime import datetime

import nbformat
import pytest
import term_of_changes as play
from term_of_changes import ABSENT, ADA, ALAN, BELOW, CODE, GRACE, WITHIN, ZOE, everywhere

WHY = "its text was ambiguous"


@pytest.mark.parametrize("size", [8, pytest.param(40, marks=pytest.mark.slow)])
def test_a_term_of_changes_keeps_every_place_in_agreement(size, course, tmp_path):
    made = play.small_class(tmp_path) if size == 8 else play.large_class(course, tmp_path, size)
    lms = tmp_path / "canvas.csv"
    first, second = made.assignments
    columns = {f"{name.replace('_', ' ')} ({98765 + n})": most(made, name) for n, name in enumerate(made.assignments)}  # fmt: skip
    lms.write_bytes(play.canvas_table(made, columns))
    made.autograder("roster", lms)
    answers_outside_their_cell_wait_for_a_person(made, first, tmp_path)
    scores_go_out_and_come_back(made, first, lms)
    an_exercise_is_withdrawn_and_comes_back(made, first)
    times_and_an_extension_change_penalties(made, first, tmp_path)
    a_backup_is_taken_back(made, first)
    a_changed_name_a_macs_zip_and_clones_are_the_same_class(made, second, tmp_path)
    scores_go_out_and_come_back(made, second, tmp_path / "canvas-2.csv")
    pages_go_back_under_the_names_of_the_lms(made, second)


def most(made, assignment):
    marks = (cell.metadata.get("nbgrader", {}) for cell in made.release(assignment).cells)
    return sum(one.get("points", 0) for one in marks if one.get("grade"))


def in_canvas(made, assignment, who, late=()):
    return {
        f"{one.folder}{'_LATE' if one.number in late else ''}_{one.number}_{one.number + 70000}"
        f"_{assignment}-1.ipynb": nbformat.writes(
            play.answered(made, assignment, one, wrong=one.number % 3 == 0)
        )
        for one in who
    }


def answers_outside_their_cell_wait_for_a_person(made, assignment, folder):
    present = [one for one in made.students.values() if one.number != ABSENT]
    download = play.canvas_zip(folder / "week1.zip", in_canvas(made, assignment, present))
    said = made.autograder("collect", assignment, download)
    assert f"Collected {len(present)} submissions" in said
    said = made.autograder("grade", assignment)
    found = everywhere(made, assignment)
    assert set(found) == {one.folder for one in present}
    (question, *_) = made.questions(assignment)
    for number in (BELOW, WITHIN, CODE):
        student = made.students[number]
        text = play.autograded(made, assignment, student.folder, question)
        assert play.ANSWER in text, student
    with play.gradebook(made) as book:
        waiting = {
            one.student.id
            for one in book.assignment_submissions(assignment)
            if one.needs_manual_grade
        }
    assert waiting == set(found)
    play.grade_by_hand(made, assignment, 1)
    after = everywhere(made, assignment)
    given = len(made.questions(assignment))
    assert after == {student: (score + given, total) for student, (score, total) in found.items()}


def scores_go_out_and_come_back(made, assignment, lms):
    """Into the table of the LMS, and again into what came out: only the scores' cells change."""
    before = lms.read_bytes()
    filled = lms.with_name(f"filled-{lms.name}")
    said = made.autograder("export", assignment, "--into", lms, "--output", filled)
    assert lms.read_bytes() == before
    found = made.seen[assignment]
    rows = [*csv.reader(io.StringIO(filled.read_bytes().decode("utf-8-sig"), newline=""))]
    heading = f"{assignment.replace('_', ' ')} ("
    (column,) = [i for i, name in enumerate(rows[0]) if name.startswith(heading)]
    numbers = {str(one.number): one for one in made.students.values()}
    scores = {folder_of(made, numbers[row[1]]): row[column] for row in rows if row[1] in numbers}
    expected = {student: f"{score:g}" for student, (score, _) in found.items()}
    absent = {folder_of(made, one): "" for one in made.students.values()}
    assert scores == {**absent, **expected}
    assert f"{len(found)} rows" in said
    # what came out, with the scores taken away, is what went in, to the byte
    again = lms.with_name(f"again-{lms.name}")
    made.autograder("export", assignment, "--into", filled, "--output", again)
    assert again.read_bytes() == filled.read_bytes()
    scores = re.compile(rb"(,T-1,{%d})[\d.]+" % (column - 4))  # after the section
    assert scores.sub(rb"\1", filled.read_bytes()) == before


def folder_of(made, student):
    """The student's folder: the name that Canvas had in the first week."""
    return "lovelaceada" if student.number == ADA else student.folder


def an_exercise_is_withdrawn_and_comes_back(made, assignment):
    before = made.seen[assignment]
    points = sum(
        c.metadata["nbgrader"]["points"]
        for c in made.release(assignment).cells
        if c.metadata.get("nbgrader", {}).get("grade_id") == f"check_{made.flawed}"
    )
    total = most(made, assignment)
    made.autograder("withdraw", made.flawed, "--reason", WHY)
    found = everywhere(made, assignment)
    assert {out_of for _, out_of in found.values()} == {total - points}
    ada = made.students[ADA].folder
    page = made.root / "feedback" / ada / assignment / f"{assignment}.html"
    assert WHY in page.read_text().lower()
    made.autograder("withdraw", made.flawed, "--undo")
    made.autograder("withdraw", made.flawed, "--student", ada, "--reason", WHY)
    found = everywhere(made, assignment)
    assert found.pop(ada)[1] == total - points
    assert found == {student: both for student, both in before.items() if student != ada}
    made.autograder("withdraw", made.flawed, "--student", ada, "--undo")
    assert everywhere(made, assignment) == before


def times_and_an_extension_change_penalties(made, assignment, folder):
    """A table says who was late; an extension takes the penalty back, and grades nothing again."""
    before = made.seen[assignment]
    times = folder / "times.csv"
    day = {GRACE: 3, ALAN: 4}
    with times.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["Student", "ID", "Submitted At"])
        for one in made.students.values():
            date = f"2026-11-0{day.get(one.number, 1)}T11:00:00Z"
            table.writerow([f"{one.last}, {one.first}", one.number, date])
    made.autograder("due", assignment, "2026-11-01 12:00 UTC")
    made.autograder("collect", assignment, folder / "week1.zip", "--times", times)
    made.autograder("grade", assignment)
    found = everywhere(made, assignment)
    grace, alan = (made.students[number].folder for number in (GRACE, ALAN))
    for student, days in ((grace, 2), (alan, 3)):
        assert found[student][0] == pytest.approx(before[student][0] * (1 - days / 10))
    assert {s: both for s, both in found.items() if s not in (grace, alan)} == {
        s: both for s, both in before.items() if s not in (grace, alan)
    }
    made.autograder("extend", assignment, grace, "3d")
    found = everywhere(made, assignment)
    assert found[grace] == before[grace]
    assert found[alan][0] < before[alan][0]


def a_backup_is_taken_back(made, assignment):
    """Points given by mistake are undone from the backup of the time before."""
    right = made.seen[assignment]
    written = (made.root / "gradebook.db").stat()
    play.grade_by_hand(made, assignment, 0)
    made.autograder("grade", assignment)
    made.autograder("feedback", assignment)
    listed = made.autograder("restore").splitlines()
    date = f"{datetime.fromtimestamp(written.st_mtime):%Y-%m-%d %H:%M:%S}"
    # more than one may be of that second: by the time that the file keeps, to the nanosecond
    kept = sorted((made.root / "backups").glob("gradebook-*.db"), reverse=True)
    number = 1 + [file.stat().st_mtime_ns for file in kept].index(written.st_mtime_ns)
    assert any(line.split()[0] == str(number) and date in line for line in listed)
    made.autograder("restore", number)
    made.autograder("restore", 1)  # which undoes it
    made.autograder("restore", 1)
    assert everywhere(made, assignment) == right


def a_changed_name_a_macs_zip_and_clones_are_the_same_class(made, assignment, folder):
    known = set(made.seen[made.assignments[0]])
    made.students[ADA] = replace(made.students[ADA], last="King")
    table = folder / "canvas-2.csv"
    columns = {f"{assignment.replace('_', ' ')} (98766)": most(made, assignment)}
    table.write_bytes(play.canvas_table(made, columns))
    made.autograder("due", assignment, "2026-11-15 23:59 Europe/Berlin")
    with_git = (GRACE, ALAN)
    rest = [one for one in made.students.values() if one.number not in (*with_git, ABSENT)]
    files = in_canvas(made, assignment, rest, late=(ZOE,))
    said = made.autograder("collect", assignment, play.mac_zip(folder / "Archive ü.zip", files))
    assert f"Collected {len(rest)} submissions" in said
    assert "now called kingada" in said
    made.autograder("roster", table)
    text = {n: nbformat.writes(play.answered(made, assignment, made.students[n])) for n in with_git}
    starter = made.course.notebook(assignment).read_text("utf-8")
    begun = ("2026-11-01T00:00:00Z", starter)
    grace, alan = (made.students[number] for number in with_git)
    play.clone(
        folder / "clones" / f"{grace.first}-{grace.last}",
        assignment,
        begun,
        ("2026-11-15T20:00:00Z", text[GRACE]),
        ("2026-11-20T20:00:00Z", starter),
    )
    play.clone(
        folder / "clones" / f"{alan.first}-{alan.last}",
        assignment,
        begun,
        ("2026-11-17T20:00:00Z", text[ALAN]),
    )
    said = made.autograder("collect", assignment, folder / "clones")
    assert "Collected 2 submissions" in said
    made.autograder("grade", assignment)
    found = everywhere(made, assignment)
    assert set(found) == known
    play.grade_by_hand(made, assignment, 1)
    found = everywhere(made, assignment)
    late = {row["student"]: row["late"] for row in exported(made, assignment) if row["late"]}
    assert set(late) == {alan.folder, made.students[ZOE].folder}
    before = found[alan.folder][0]
    made.autograder("extend", assignment, alan.folder, "3d")
    made.autograder("collect", assignment, folder / "clones")
    found = everywhere(made, assignment)
    assert found[alan.folder][0] == pytest.approx(before / 0.8)
    made.autograder("extend", assignment, made.students[ZOE].folder, "1d")
    everywhere(made, assignment)
    assert not [row for row in exported(made, assignment) if float(row["late_penalty"] or 0)]
    everywhere(made, made.assignments[0])


def exported(made, assignment):
    text = (made.root / "exports" / f"{assignment}.csv").read_text("utf-8")
    return [*csv.DictReader(io.StringIO(text))]


def pages_go_back_under_the_names_of_the_lms(made, assignment):
    made.autograder("feedback", assignment, "--for", "canvas")
    with zipfile.ZipFile(made.root / "exports" / f"{assignment}-feedback-canvas.zip") as packed:
        numbers = {re.search(r"_(\d{5})_", name)[1] for name in packed.namelist()}
    with_files = {n for n in made.students if n not in (GRACE, ALAN, ABSENT)}
    assert numbers == {str(number) for number in with_files}
