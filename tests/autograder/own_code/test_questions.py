"""Questions about students' own code: one right answer each, other ones for each student."""

import itertools
import json
import os
import random
import shutil
from dataclasses import replace

import nbformat
import pytest
from click.testing import CliRunner
from markupsafe import escape
from proof import draw_for, made_up_answers, right_options, scope_of

from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.own_code import question_sheets, traced_calls
from autograder.own_code.answer_mutations import edits, stopped, stops
from autograder.own_code.question_sheets import MARK, write_questions
from autograder.own_code.quiz_marking import mark
from autograder.own_code.traced_calls import plan
from autograder.sandbox.doctor import is_available

NAME = "07_topic"
pytestmark = pytest.mark.skipif(not is_available(), reason="there is no sandbox here")

SCALED = """\
def scaled(values, factor=2):
    '''Double positive values.'''
    kept = [value for value in values if value > 0]
    total = sum(kept)
    return [value * factor for value in kept] + [total]
"""


def test_an_edit_changes_one_line_of_the_body_and_nothing_of_the_docstring():
    found = edits(SCALED, "scaled")
    assert {edit.line for edit in found} == {3, 4, 5}
    for edit in found:
        lines = edit.source.splitlines()
        assert lines[edit.line - 1].strip() == edit.new != edit.old
        assert [a for a, b in zip(lines, SCALED.splitlines()) if a != b] == [lines[edit.line - 1]]


def test_a_stop_returns_what_its_line_has_assigned():
    found = {stop.name: stop for stop in stops(SCALED, "scaled")}
    assert list(found) == ["kept", "total"]
    scope = {}
    exec(found["kept"].source, scope)
    assert scope["scaled"]([3, -1, 4]) == [3, 4]
    edit = next(edit for edit in edits(SCALED, "scaled") if ">=" in edit.new)
    exec(stopped(edit, "scaled", found["kept"].line), scope)
    assert scope["scaled"]([0, 2, -1]) == [0, 2]


def test_a_class_a_decorated_function_and_what_is_no_python_have_no_edits():
    for source in ("class scaled: pass", f"@cache\n{SCALED}", "def scaled(:", SCALED * 2):
        assert edits(source, "scaled") == stops(source, "scaled") == []


def check_sheet(assignment, answers, sheet):
    """Each question has one right answer, which the page does not show."""
    scope = scope_of(assignment, answers)
    for question in sheet.questions:
        right = right_options(sheet, question, scope)
        assert right == [question.right], (sheet.student, question)
        assert len(set(question.options)) == 4
        shown = sheet.sources[question.exercise] + question.text
        assert question.options[question.right] not in shown


def test_equal_code_gets_other_questions_with_one_right_answer_each(course, tmp_path):
    assignment = Assignment(course, "00_setup")
    answers = made_up_answers(assignment, random.Random(0))
    one, again, two = (
        draw_for(course, "00_setup", student, answers, tmp_path) for student in ("a", "a", "b")
    )
    assert one.questions == again.questions
    assert one.digest == again.digest
    assert not set(one.questions) & set(two.questions)
    for sheet in (one, two):
        check_sheet(assignment, answers, sheet)
        assert len(sheet.questions) == 4
        assert len({question.kind for question in sheet.questions}) > 1


MISLEADING = {
    "terms without end": "def scaled(x):\n    return " + "+".join(["x*2"] * 1_000) + "\n",
    "a page that ends": "def scaled(x):\n    'One\x0ctwo'\n    y = x + 1\n    return y\n",
    "another end of a line": "def scaled(x):\n    'One\u2028two'\n    y = x + 1\n    return y\n",
    "the end of quoted code": "def scaled(x):\n    return [x + 1, '`<script>']\n",
}


@pytest.mark.parametrize("name", MISLEADING)
def test_nothing_is_asked_about_a_text_whose_lines_cannot_be_quoted(name):
    source = MISLEADING[name]
    cases = {"scaled": [{"args": [number]} for number in range(9)]}
    assert plan({"scaled": source}, cases, random.Random(0)) == []


def test_an_answer_whose_edits_take_too_long_to_find_is_not_asked_about(monkeypatch):
    cases = {"scaled": [{"args": [[number]]} for number in range(9)]}
    assert len(plan({"scaled": SCALED}, cases, random.Random(0))) == 1
    monkeypatch.setattr(traced_calls, "edits", lambda *inputs: [0 for _ in itertools.count()])
    monkeypatch.setattr(traced_calls, "_EDIT_SECONDS", 0.05)
    assert plan({"scaled": SCALED}, cases, random.Random(0)) == []


def test_a_student_whose_answers_cannot_be_run_in_time_costs_only_their_own_questions(
    class_with_questions, monkeypatch, tmp_path
):
    def draw_sheet(classroom, of, submission, *rest):
        if submission.student == "ada":
            raise RecursionError
        return question_sheets.Sheet(submission.student, problem="nothing to ask")

    monkeypatch.setattr(question_sheets, "draw_sheet", draw_sheet)
    _, (ada, bob, _) = write_questions(class_with_questions[0], NAME, output=tmp_path)
    assert ada.problem == "the answers take too long to be run with edits"
    assert bob.problem == "nothing to ask"


#: Right when it is graded, and something else when it is asked about.
TWO_FACED = """\
def word_lengths(words):
    import sys
    if sys._getframe().f_code.co_filename.startswith("<answer"):
        {trick}
    lengths = []
    for word in words:
        count = len(word)
        lengths.append(count + 0)
    return lengths
"""
TRICKS = (
    "return [[1.5] * 100_000] * 3",
    "print('x' * 5_000_000); return [len(words)] * 50_000",
    "__import__('os')._exit(0)",
    "__import__('coursekit.checking.codec').checking.codec.encode = lambda value: {'$tensor': 5}",
    "raise type('<script>' * 9_000, (Exception,), {})('`' * 10**6)",
)


@pytest.mark.parametrize("trick", TRICKS)
def test_an_answer_that_knows_it_is_asked_about_gets_no_questions(course, tmp_path, trick):
    answers = {"word_lengths": TWO_FACED.format(trick=trick)}
    sheet = draw_for(course, "00_setup", "a", answers, tmp_path)
    assert not sheet.questions
    assert sheet.problem


@pytest.mark.slow
def test_of_sixty_made_up_submissions_every_question_has_one_right_answer(course, tmp_path):
    few = []
    names = course.assignments()
    for number in range(60):
        name = names[number % len(names)]
        assignment, student = Assignment(course, name), f"student{number}"
        answers = made_up_answers(assignment, random.Random(student))
        sheet = draw_for(course, name, student, answers, tmp_path)
        check_sheet(assignment, answers, sheet)
        if len(sheet.questions) < 4:
            few.append((name, sheet.student, len(sheet.questions)))
    assert not few


@pytest.fixture(scope="module")
def class_with_questions(graded_class, tmp_path_factory):
    """A graded class with questions; ada is right, bob is wrong, cem's folder is empty."""
    course = Course(shutil.copytree(graded_class.root, tmp_path_factory.mktemp("asked") / "course"))
    return course, write_questions(course, NAME, count=2)[1]


def invoke(course, monkeypatch, *arguments):
    monkeypatch.chdir(course.root)
    return CliRunner().invoke(main, ["questions", NAME, *arguments])


def test_only_answers_with_all_their_points_are_asked_about(class_with_questions):
    course, (ada, bob, cem) = class_with_questions
    assert len(ada.questions) == 2
    assert not ada.problem
    assert not bob.questions
    assert bob.problem == "no answer has all its points"
    assert not cem.questions
    place = course.root / "reports" / "questions" / NAME
    assert {"key.html", "key.json", "students"} <= {path.name for path in place.iterdir()}
    given = [*(place / "students").iterdir()]
    assert sorted(path.name for path in given) == ["ada.html", "ada.ipynb"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (*place.glob("key.*"), *given))


def test_the_key_is_in_no_file_that_a_student_gets(class_with_questions):
    course, (ada, *_) = class_with_questions
    place = course.root / "reports" / "questions" / NAME
    key = (place / "key.html").read_text()
    assert all(str(escape(question.why)).split("`")[0] in key for question in ada.questions)
    for name in ("ada.html", "ada.ipynb"):
        text = (place / "students" / name).read_text()
        assert 'class="right"' not in text
        assert not any(question.why in text for question in ada.questions)


def test_the_command_says_who_gets_fewer_questions(class_with_questions, monkeypatch):
    result = invoke(class_with_questions[0], monkeypatch, "ada", "bob", "--count", "1")
    assert result.exit_code == 1
    assert "bob: 0 of 1 questions: no answer has all its points." in result.output
    assert "written for 1 of 2 students" in result.output


def test_the_key_of_named_students_leaves_that_of_the_class(class_with_questions, monkeypatch):
    course, _ = class_with_questions
    place = course.root / "reports" / "questions" / NAME
    before = (place / "key.html").read_bytes()
    result = invoke(course, monkeypatch, "ada", "--count", "2", "--seed", "3")
    assert result.exit_code == 0, result.output
    assert "with key-STUDENT.html for graders" in result.output
    assert (place / "key.html").read_bytes() == before
    assert 'class="right"' in (place / "key-ada.html").read_text()
    assert (place / "key-ada.html").stat().st_mode & 0o077 == 0


def test_a_student_who_is_not_graded_is_refused(class_with_questions, monkeypatch):
    result = invoke(class_with_questions[0], monkeypatch, "dan")
    assert result.exit_code == 1
    assert "dan has no graded submission of 07_topic." in result.output


def answered(place, letters):
    """ada's quiz notebook with letters written in."""
    notebook = nbformat.read(place / "students" / "ada.ipynb", 4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for cell, letter in zip(cells, letters):
        cell.source = cell.source.replace('""', f'"{letter}"')
    return nbformat.writes(notebook)


def test_a_quiz_is_marked_by_its_letters(class_with_questions, monkeypatch, tmp_path):
    course, _ = class_with_questions
    sheet = write_questions(course, NAME, ["ada"], count=2)[1][0]
    place = course.root / "reports" / "questions" / NAME
    right = "".join(question.letter for question in sheet.questions)
    wrong = "".join("B" if letter == "A" else "A" for letter in right)
    for letters, words in (
        (right.lower(), f"ada: 2 of 2 ({right})"),
        (right[0], f"ada: 1 of 2 ({right[0]}-)"),
        (wrong, f"ada: 0 of 2 ({wrong})"),
    ):
        (tmp_path / "ada.ipynb").write_text(answered(place, letters))
        result = invoke(course, monkeypatch, "--mark", str(tmp_path))
        assert words in result.output
        assert result.exit_code == 0
    assert (place / "points.csv").read_text().splitlines() == [
        "student,right,of,answers",
        f"ada,0,2,{wrong}",
    ]


def test_a_quiz_of_somebody_else_or_of_other_questions_does_not_count(
    class_with_questions, monkeypatch, tmp_path
):
    course, _ = class_with_questions
    write_questions(course, NAME, ["ada"], count=2)
    place = course.root / "reports" / "questions" / NAME
    key = json.loads((place / "key.json").read_bytes())
    key["bob"] = {"questions": "0" * 24, "right": "AA"}
    (place / "key.json").write_text(json.dumps(key))
    for student, text in (
        ("bob", answered(place, "AA")),
        ("ada", answered(place, "AA").replace(key["ada"]["questions"], "1" * 24)),
        ("eve", answered(place, "AA")),
    ):
        (tmp_path / student).mkdir()
        (tmp_path / student / "quiz.ipynb").write_text(text)
    (tmp_path / "dan.ipynb").write_text("[]")
    result = invoke(course, monkeypatch, "--mark", str(tmp_path))
    assert result.exit_code == 1
    assert "bob: this is the quiz of ada; it does not count." in result.output
    assert "ada: this is no quiz that the key knows; it does not count." in result.output
    assert "eve: no questions were drawn for a student of this name." in result.output
    assert "dan: no questions were drawn for a student of this name." in result.output


def test_the_key_cannot_be_found_by_trying_it_on_the_mark_of_a_quiz(class_with_questions):
    _, (ada, *_) = class_with_questions
    others = [replace(one, right=(one.right + 1) % 4, why="other") for one in ada.questions]
    assert replace(ada, questions=others).digest == ada.digest
    assert replace(ada, student="bob").digest != ada.digest


def test_a_student_whose_name_is_that_of_the_key_does_not_get_it(class_with_questions, tmp_path):
    _, (ada, *_) = class_with_questions
    question_sheets._write(tmp_path, NAME, [replace(ada, student="key")])
    assert 'class="right"' in (tmp_path / "key.html").read_text()
    assert 'class="right"' not in (tmp_path / "students" / "key.html").read_text()


def test_of_several_quizzes_of_a_student_none_counts(class_with_questions, monkeypatch, tmp_path):
    course, _ = class_with_questions
    place = course.root / "reports" / "questions" / NAME
    (tmp_path / "ada").mkdir()
    for letters in ("AA", "AB"):
        (tmp_path / "ada" / f"{letters}.ipynb").write_text(answered(place, letters))
    result = invoke(course, monkeypatch, "--mark", str(tmp_path))
    assert result.exit_code == 1
    assert result.output.count("there are several notebooks of this student") == 2
    assert (place / "points.csv").read_text() == "student,right,of,answers\n"


@pytest.mark.parametrize(
    "source",
    ["\n" * 300_000, 'answer_1 = "' + " " * 300_000, "answer_" + "1" * 300_000, " " * 300_000],
)
def test_a_quiz_of_empty_space_is_marked_at_once(
    class_with_questions, monkeypatch, tmp_path, source
):
    course, _ = class_with_questions
    write_questions(course, NAME, ["ada"], count=2)
    place = course.root / "reports" / "questions" / NAME
    notebook = json.loads(answered(place, "AA"))
    notebook["cells"].append({"cell_type": "code", "source": source})
    (tmp_path / "ada.ipynb").write_text(json.dumps(notebook))
    result = invoke(course, monkeypatch, "--mark", str(tmp_path))
    assert "(AA)" in result.output


def test_a_quiz_that_is_made_to_fill_the_memory_is_not_read(
    class_with_questions, monkeypatch, tmp_path
):
    (tmp_path / "ada.ipynb").write_text("[" + "[]," * 3_000_000 + "[]]")
    os.mkfifo(tmp_path / "bob.ipynb")
    (tmp_path / "cem.ipynb").symlink_to("/dev/zero")
    result = invoke(class_with_questions[0], monkeypatch, "--mark", str(tmp_path))
    assert "ada: this is no notebook that can be read." in result.output
    assert "bob.ipynb: neither a file nor a folder" in result.output
    assert "cem.ipynb: symbolic link" in result.output


def test_marking_without_a_key_or_a_notebook_says_what_to_do(
    class_with_questions, small_course, monkeypatch, tmp_path
):
    result = invoke(small_course, monkeypatch, "--mark", str(tmp_path))
    assert result.exit_code == 1
    assert "draw the questions first, without --mark" in result.output
    (tmp_path / "empty").mkdir()
    result = invoke(class_with_questions[0], monkeypatch, "--mark", str(tmp_path / "empty"))
    assert result.exit_code == 1
    assert "it should hold STUDENT.ipynb or STUDENT/NAME.ipynb" in result.output


def test_the_table_of_a_marked_quiz_runs_nothing_in_a_spreadsheet(tmp_path):
    student = "=1+1"
    key = {student: {"questions": "q", "right": "AB"}}
    (tmp_path / "key.json").write_text(json.dumps(key))
    quiz = nbformat.v4.new_notebook(metadata={MARK: {"questions": "q"}})
    quiz.cells = [nbformat.v4.new_code_cell('answer_2 = "B"')]
    (tmp_path / "handed").mkdir()
    nbformat.write(quiz, tmp_path / "handed" / f"{student}.ipynb")
    path, _ = mark(tmp_path, tmp_path / "handed")
    assert path.read_text().splitlines()[1] == "'=1+1,1,2,'-B"
