"""Reading the gradebook takes as many SQL statements for a large class as for a small one."""

import contextlib
from datetime import datetime, timedelta

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event
from sqlalchemy.engine import Engine

from autograder.classroom.export import grades, not_handed_in
from autograder.classroom.points_table import read_points
from autograder.classroom.term_gradebook import read_term
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import extensions, settle_penalties
from autograder.gradebook.own_tables import Withdrawal
from autograder.gradebook.read_submissions import read_submissions
from autograder.gradebook.withdrawn import apply_withdrawals, withdrawals

NAME, CELLS = "07_topic", ("check_average_topic", "check_other", "written_one")
DUE = datetime(2030, 5, 1)


@pytest.fixture(params=["in time", "late, with a withdrawal"])
def make_class(request, small_course, tmp_path):
    """Make a class of some students, in a folder of its own; return it."""

    def make(students):
        classroom = Classroom(small_course, tmp_path / f"class_of_{students}")
        classroom.folder.mkdir()
        late = timedelta(days=3) * (request.param != "in time")
        with classroom.open_gradebook() as book:
            book.add_assignment(NAME, duedate=DUE)
            book.add_notebook(NAME, NAME)
            for cell in CELLS:
                book.add_grade_cell(cell, NAME, NAME, max_score=4, cell_type="code")
                book.add_solution_cell(cell, NAME, NAME)
            for number in range(students):
                student = f"student{number:03}"
                book.add_student(student)
                submission = book.add_submission(NAME, student, timestamp=DUE + late)
                for notebook in submission.notebooks:
                    for grade in notebook.grades:
                        grade.auto_score = number % 4 + 0.1
                        grade.needs_manual_grade = grade.name == CELLS[2]
                    notebook.late_submission_penalty = number % 3 * 0.1
            if late:
                row = {"full_points": False, "points": 4, "reason": "unclear", "since": "2030"}
                for cell, student in ((CELLS[0], ""), (CELLS[1], "student001")):
                    book.db.add(Withdrawal(assignment=NAME, cell=cell, student=student, **row))
            book.db.commit()
        return classroom

    return make


@contextlib.contextmanager
def statements():
    """Collect the SQL statements of the block."""
    found = []

    def note(connection, cursor, statement, *others):
        found.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def apply_all(classroom):
    with classroom.open_gradebook() as book:
        apply_withdrawals(book, NAME)


READERS = {
    "scores": lambda room: room.scores(NAME),
    "lateness": lambda room: room.lateness(NAME),
    "extensions": lambda room: extensions(room, NAME),
    "grades": lambda room: grades(room.course, NAME, room.folder),
    "not handed in": lambda room: not_handed_in(room.course, NAME, room.folder),
    "points": lambda room: read_points(room, NAME),
    "term": lambda room: read_term(room.course, room.folder),
}


@pytest.mark.parametrize("reader", READERS)
def test_reading_a_class_takes_as_many_statements_however_many_students(reader, make_class):
    counts = []
    for students in (3, 30):
        classroom = make_class(students)
        apply_all(classroom)
        with statements() as found:
            READERS[reader](classroom)
        counts.append(len(found))
    assert 0 < counts[0] == counts[1]


@pytest.mark.parametrize("change", [settle_penalties, apply_all])
def test_settling_a_class_reads_nothing_of_one_student_alone(change, make_class):
    counts = []
    for students in (3, 30):
        classroom = make_class(students)
        with statements() as found:
            change(classroom)
        counts.append(sum(statement.startswith("SELECT") for statement in found))
    assert 0 < counts[0] == counts[1]


def test_scores_are_those_of_nbgrader_less_what_a_student_is_excused_from(make_class):
    classroom = make_class(7)
    apply_all(classroom)
    scores = classroom.scores(NAME)
    late = classroom.lateness(NAME)
    with Gradebook(f"sqlite:///{classroom.database}") as book:
        excused = {row.student: row.points for row in withdrawals(book, NAME) if row.student}
        for one in book.assignment_submissions(NAME):
            score = scores.pop(one.student_id)
            assert score.raw == pytest.approx(one.score)
            assert score.penalty == pytest.approx(one.late_submission_penalty)
            assert late[one.student_id].penalty == score.penalty
            assert score.max_score == one.max_score - excused.get(one.student_id, 0)
            assert bool(score.waiting) == one.needs_manual_grade
        assert read_submissions(book, "no assignment") == []
    assert scores == {}
