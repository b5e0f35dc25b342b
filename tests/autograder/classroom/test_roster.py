"""The roster: who never hands in is missing everywhere, who has dropped the course nowhere."""

import csv
import io
import shutil

import pytest
from click.testing import CliRunner
from downloads import NAME, archive, notebook

from autograder.classroom.collect import collect
from autograder.classroom.enrolment import enrol
from autograder.classroom.export import not_handed_in
from autograder.classroom.report import read_class
from autograder.classroom.term_gradebook import as_csv, read_term
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.roster import read_people
from autograder.sandbox.doctor import is_available

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
"Lovelace, Ada",12345,S1,alovelace,T
"O'Turing, Alan",12346,S2,aturing,T
"Student, Test",12399,,0a9f,T
"""
MOODLE = """\
First name,Last name,ID number,Email address
Ada,Lovelace,1,ada@example.org
Alan,Turing,2,alan@example.org
"""
BLACKBOARD = """\
"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"
"Lovelace"\t"Ada"\t"alovelace"\t"1"\t""\t"Yes"
"Turing"\t"Alan"\t"aturing"\t"2"\t""\t"Yes"
"""
BRIGHTSPACE = """\
OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator
#12346,#alovelace,Lovelace,Ada,ada@example.org,#
#200112,#aturing,Turing,Alan,alan@example.org,#
"""
NBGRADER = """\
id,first_name,last_name,email
ada,Ada,Lovelace,ada@example.org
turingalan,Alan,Turing,alan@example.org
"""


@pytest.fixture
def course(graded_class, tmp_path):
    """ada, bob and cem are graded."""
    return Course(shutil.copytree(graded_class.root, tmp_path / "course"))


def listed(course, tmp_path, text, **options):
    path = tmp_path / "roster.csv"
    path.write_text(text, "utf-8")
    return enrol(Classroom(course), path, **options)


@pytest.mark.parametrize(
    ("table", "download", "students"),
    [
        (CANVAS, "lovelaceada_12345_678_07.ipynb", ["lovelaceada", "oturingalan"]),
        (CANVAS, "byronada_12345_678_07.ipynb", ["lovelaceada", "oturingalan"]),
        (MOODLE, "Ada Lovelace_501_assignsubmission_file_/07.ipynb", ["Ada_Lovelace", "Alan_Turing"]),
        (
            BLACKBOARD,
            "T_alovelace_attempt_2026-01-30-15-00-00_07.ipynb",
            ["alovelace", "aturing"],
        ),
        (BRIGHTSPACE, "12345-678 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb", ["Ada_Lovelace", "Alan_Turing"]),
        # another student's OrgDefinedId
        (BRIGHTSPACE, "12346-678 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb", ["Ada_Lovelace", "Alan_Turing"]),
        (NBGRADER, "Ada Lovelace_501_assignsubmission_file_/07.ipynb", ["ada", "turingalan"]),
        (NBGRADER, "lovelaceada_12345_678_07.ipynb", ["ada", "turingalan"]),
        (NBGRADER, "12345-678 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb", ["ada", "turingalan"]),
    ],
)  # fmt: skip
def test_a_submission_finds_its_student_in_the_roster(
    small_course, tmp_path, table, download, students
):
    assert sorted(listed(small_course, tmp_path, table).added) == students
    path = archive(tmp_path / "all.zip", {download: notebook(small_course)})
    result = collect(small_course, NAME, path)
    assert list(result.students) == students[:1]
    assert bool(result.renamed) is ("byron" in download)
    assert Classroom(small_course).members() == students
    assert not_handed_in(small_course, NAME) == students[1:]
    again = listed(small_course, tmp_path, table)
    assert (again.added, sorted(again.known), again.dropped) == ([], students, [])


def test_who_never_handed_in_is_missing_in_gradebook_report_and_export(
    course, tmp_path, monkeypatch
):
    monkeypatch.chdir(course.root)
    listed(course, tmp_path, NBGRADER.replace("ada,Ada", "ada,Ada"), only_add=True)
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(as_csv(read_term(course))))}
    assert list(rows) == ["ada", "bob", "cem", "turingalan"]
    assert (rows["turingalan"][NAME], rows["turingalan"]["missing"]) == ("", "1")
    assert "has not handed in anything" in [one.behind() for one in read_term(course).rows]
    run = CliRunner().invoke
    assert run(main, ["gradebook"]).exit_code == 0
    page = (course.root / "reports" / "gradebook.html").read_text()
    assert "<bdi>turingalan</bdi> has not handed in anything" in page
    assert run(main, ["report", NAME]).exit_code == 0
    report = (course.root / "reports" / f"{NAME}.html").read_text()
    told = report.partition("<b>1 student</b> of the class has not handed in.")[2]
    assert "<bdi>turingalan</bdi>" in told[:60]
    for option, score in ((["--missing", "0"], "0"), ([], "")):
        result = run(main, ["export", NAME, *option])
        assert "not handed in, 1: turingalan" in result.output
        text = (course.root / "exports" / f"{NAME}.csv").read_text()
        exported = {row["student"]: row for row in csv.DictReader(io.StringIO(text))}
        assert exported["turingalan"]["score"] == score
        assert exported["turingalan"]["note"] == "not handed in"
        lms = tmp_path / "lms.csv"
        lms.write_text(f"Username,{NAME}\nada,\nturingalan,\n")
        run(main, ["export", NAME, "--into", str(lms), *option])
        assert f"turingalan,{score}\n" in (course.root / "exports" / f"{NAME}.csv").read_text()


def test_nbgraders_own_import_is_a_roster_too(course):
    classroom = Classroom(course)
    classroom.enter_students({"turingalan": {"first_name": "Alan", "last_name": "Turing"}})
    assert not_handed_in(course, NAME) == ["turingalan"]
    assert "turingalan" in [row.student for row in read_term(course).rows]


def everywhere(course):
    """The students that gradebook, report and export list."""
    return (
        [row.student for row in read_term(course).rows],
        [one.student for one in read_class(Classroom(course), NAME)],
        Classroom(course).students(NAME),
    )


def test_who_drops_out_is_nowhere_and_comes_back_with_everything(course, tmp_path, monkeypatch):
    monkeypatch.chdir(course.root)
    everyone = "id,first_name\nada,Ada\nbob,Bob\ncem,Cem\n"
    listed(course, tmp_path, everyone)
    assert everywhere(course) == (["ada", "bob", "cem"],) * 3
    assert listed(course, tmp_path, everyone.replace("bob,Bob\n", "")).dropped == ["bob"]
    assert everywhere(course) == (["ada", "cem"],) * 3
    result = CliRunner().invoke(main, ["export", NAME])
    assert "bob" not in (course.root / "exports" / f"{NAME}.csv").read_text()
    assert result.output.endswith(", 2 rows, 2 with a score\n")
    assert (course.root / "submitted" / "bob").exists()
    listed(course, tmp_path, everyone)
    assert everywhere(course) == (["ada", "bob", "cem"],) * 3
    result = CliRunner().invoke(main, ["roster", "--drop", "cem"])
    assert result.output == "2 students in the class\n"
    assert everywhere(course) == (["ada", "bob"],) * 3
    assert CliRunner().invoke(main, ["roster"]).output.startswith("ada\nbob\n2 students")
    result = CliRunner().invoke(main, ["roster", "--drop", "eve"])
    assert (result.exit_code, "eve is not in the class" in result.output) == (1, True)


def test_who_is_removed_from_submitted_and_nbgraders_table_is_in_no_report(course):
    from nbgrader.api import Gradebook

    shutil.rmtree(course.root / "submitted" / "bob")
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        gradebook.remove_student("bob")
    assert everywhere(course) == (["ada", "cem"],) * 3


def test_a_submission_that_nbgraders_table_has_lost_is_graded_again(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        gradebook.remove_student("ada")
    graded = grade_class(course, NAME, options=Options(sandbox=is_available()))
    assert graded.kept == ["bob", "cem"]
    assert everywhere(course) == (["ada", "bob", "cem"],) * 3


def test_a_table_of_one_section_does_not_drop_the_others(small_course, tmp_path):
    listed(small_course, tmp_path, NBGRADER)
    with pytest.raises(CourseError, match=r"lists only 0 of the 2 students .* --add adds"):
        listed(small_course, tmp_path, "id,first_name\neve,Eve\n")
    assert Classroom(small_course).members() == ["ada", "turingalan"]
    listed(small_course, tmp_path, "id,first_name\neve,Eve\n", only_add=True)
    assert Classroom(small_course).members() == ["ada", "eve", "turingalan"]


def test_namesakes_of_a_roster_are_two_students(small_course, tmp_path):
    table = CANVAS.replace("O'Turing, Alan", "Lovelace, Ada")
    assert sorted(listed(small_course, tmp_path, table).added) == [
        "lovelaceada",
        "lovelaceada_12346",
    ]
    assert read_people(small_course.root)["lovelaceada_12346"].numbers == {"canvas": "12346"}


@pytest.mark.parametrize("table", [BRIGHTSPACE, MOODLE])
def test_which_namesake_of_a_roster_handed_in_is_not_guessed(small_course, tmp_path, table):
    listed(small_course, tmp_path, table.replace("Turing", "Lovelace").replace("Alan", "Ada"))
    moodle = "Ada Lovelace_501_assignsubmission_file_/07.ipynb"
    brightspace = "12345-678 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb"
    name = moodle if table is MOODLE else brightspace
    result = collect(
        small_course, NAME, archive(tmp_path / "all.zip", {name: notebook(small_course)})
    )
    assert (result.students, result.new) == ({}, [])
    assert "Ada Lovelace may be Ada_Lovelace or Ada_Lovelace_" in result.refused[0][1]


@pytest.mark.parametrize(
    ("table", "students"),
    [
        (CANVAS + CANVAS.replace(",T\n", ",U\n"), ["lovelaceada", "oturingalan"]),
        (MOODLE + "Ada,Lovelace,1,Ada@example.org\n", ["Ada_Lovelace", "Alan_Turing"]),
        (MOODLE + "Ada,Lovelace,3,ada2@example.org\n", ["Ada_Lovelace", "Ada_Lovelace_ada2", "Alan_Turing"]),
        (BLACKBOARD + BLACKBOARD, ["alovelace", "aturing"]),
        (BRIGHTSPACE + BRIGHTSPACE, ["Ada_Lovelace", "Alan_Turing"]),
        (NBGRADER + NBGRADER, ["ada", "turingalan"]),
    ],
)  # fmt: skip
def test_who_is_in_two_sections_of_a_table_is_one_student(small_course, tmp_path, table, students):
    for _ in range(2):
        found = listed(small_course, tmp_path, table)
        assert sorted([*found.added, *found.known]) == students
        assert (found.dropped, found.unclear) == ([], [])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (CANVAS.replace("12345", "1.23457E+17"), r"has 1\.23457E\+17 as the number of Ada Lovelace"),
        (CANVAS.replace("12345", '"1,2E+17"'), "do not save it in Excel"),
        (CANVAS.replace("12345", "12345.0"), r"has 12345\.0 as the number of Ada Lovelace"),
        (CANVAS.replace("12345", "12346"), "has 12346 for both Ada Lovelace and Alan O'Turing"),
        (BRIGHTSPACE.replace("12346", "200112"), "has 200112 for both Ada Lovelace and Alan Turing"),
        (NBGRADER.replace("turingalan", "ada"), "has ada for both Ada Lovelace and Alan Turing"),
        ("First name,Last name\n" + "Ada,Lovelace\n" * 2, "lists Ada Lovelace twice"),
    ],
)  # fmt: skip
def test_a_table_that_does_not_tell_students_apart_is_refused(small_course, tmp_path, table, words):
    with pytest.raises(CourseError, match=words):
        listed(small_course, tmp_path, table)
    assert not (small_course.root / "students.json").exists()


@pytest.mark.parametrize(
    "headings",
    [
        "Nome,Apelido(s),Endereço de email",
        "Nome,Sobrenome,Endereço de e-mail",
        "Nom,Cognoms,Adreça electrònica",
        "Prénom,Nom,Adresse de courriel",
        "Imię,Nazwisko,Adres e-mail",
        "Křestní jméno,Příjmení,E-mailová adresa",
        "Имя,Фамилия,Адрес электронной почты",
        "Ім'я,Прізвище,Електронна пошта",
        "Adı,Soyadı,E-posta adresi",
        "Vorname,Name,E-Mail",
    ],
)
def test_names_are_read_under_the_headings_of_other_languages(small_course, tmp_path, headings):
    table = f"{headings}\nJoão,da Silva,js@example.org\nJoão,Pereira,jp@example.org\n"
    assert listed(small_course, tmp_path, table).added == ["João_da_Silva", "João_Pereira"]


@pytest.mark.parametrize("heading", ["Nome", "First name", "Nachname"])
def test_half_of_a_name_names_nobody(small_course, tmp_path, heading):
    table = f"{heading},Second half\nJoão,Silva\nMaria,Santos\n"
    with pytest.raises(CourseError, match=f"such as João, under '{heading}'; its columns are"):
        listed(small_course, tmp_path, table)
    whole = f"{heading}\nJoão da Silva\nMaria Santos\n"
    assert listed(small_course, tmp_path, whole).added == ["João_da_Silva", "Maria_Santos"]


def test_a_table_without_students_says_what_it_needs(small_course, tmp_path):
    with pytest.raises(CourseError, match="names no students: it needs a column such as"):
        listed(small_course, tmp_path, "Colour,Size\nred,3\n")


def test_listing_a_class_creates_nothing(small_course, tmp_path, monkeypatch):
    monkeypatch.chdir(small_course.root)
    empty = tmp_path / "empty"
    empty.mkdir()
    result = CliRunner().invoke(main, ["roster", "--folder", str(empty)])
    assert (result.exit_code, result.output) == (0, "0 students in the class\n")
    assert not list(empty.iterdir())
    for words in (["roster"], ["roster", "--drop", "ada"]):
        result = CliRunner().invoke(main, [*words, "--folder", str(tmp_path / "typo")])
        assert (result.exit_code, "there is no folder" in result.output) == (1, True)
    assert not (tmp_path / "typo").exists()


def test_of_a_class_of_hundreds_only_some_names_are_printed(small_course, tmp_path, monkeypatch):
    table = tmp_path / "class.csv"
    names = [f"student{number:03}" for number in range(300)]
    table.write_text("\n".join(["Username", *names]))
    monkeypatch.chdir(small_course.root)
    said = CliRunner().invoke(main, ["roster", str(table)]).output
    assert "new, 300: student000, " in said
    assert "student009 and 290 more" in said
    assert said.count("student0") == 10
    table.write_text("\n".join(["Username", *names[50:]]))
    said = CliRunner().invoke(main, ["roster", str(table)]).output
    assert "dropped out, 50: " in said
    assert said.count("student0") == 50  # each is to be looked at


def test_feedback_says_how_many_pages_there_are_and_names_no_student(course, monkeypatch):
    monkeypatch.chdir(course.root)
    said = CliRunner().invoke(main, ["feedback", NAME]).output
    assert (
        f"written: 3 feedback pages, as {course.root}/feedback/STUDENT/{NAME}/{NAME}.html" in said
    )
    assert "ada" not in said.replace(str(course.root), "")
