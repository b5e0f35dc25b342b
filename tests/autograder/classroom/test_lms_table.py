"""Tables of LMSs go out and back in unchanged but for the scores."""

import codecs
import contextlib

import pytest
from click.testing import CliRunner

from autograder.classroom.code_pages import decode_table
from autograder.classroom.export import Grade, fill_in
from autograder.classroom.lms_table import read_table
from autograder.cli import main
from autograder.errors import CourseError
from autograder.gradebook.roster import Person, save_people

NAME = "00_setup"
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,00 setup (98765),Current Score\r
,,,,,Manual Posting,\r
    Points Possible,,,,,28,(read only)\r
"Lovelace, Ada",12345,S001,alovelace,T-1,,\r
"Hopper, Grace",12346,S002,ghopper,T-1,,\r
"Student, Test",12399,,0a9f,T-1,,\r
"""
MOODLE = """\
"First name","Last name","ID number",Institution,"Email address","Assignment: 00 setup (Real)","Assignment: 00 setup (Percentage)","Assignment: 00 setup (Feedback)"
Ada,Lovelace,10001,,ada@example.org,-,-,
Grace,Hopper,10002,,grace@example.org,-,-,
"""
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (submission)"
"Participant 501","Ada King",ada@example.org,"Submitted for grading",,28.00,-
"Participant 502","Grace Hopper",grace@example.org,"Submitted for grading",,28.00,-
"""
GERMAN = """\
ID;"Vollständiger Name";E-Mail-Adresse;Status;Bewertung;Bestwertung
"Teilnehmer/in501";"Ada King";;Abgegeben;;28,00
"""
BLACKBOARD = """\
"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Availability"\t"00 setup [Total Pts: 28 Score] |123456"
"Lovelace"\t"Ada"\t"alovelace"\t"1"\t"Yes"\t""
"Hopper"\t"Grace"\t"ghopper"\t"2"\t"Yes"\t""
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID
Ada,Lovelace,17,ada@example.org,,,28.0,Ungraded,901
Grace,Hopper,,grace@example.org,,,28.0,Ungraded,902
"""
COURSE_OF_GRADESCOPE = """\
First Name,Last Name,SID,Email,00 Setup,00 Setup - Max Points,00 Setup - Lateness (H:M:S)
Ada,Lovelace,17,ada@example.org,,28.0,
"""
BRIGHTSPACE = """\
OrgDefinedId,Username,Last Name,First Name,00 setup Points Grade <Numeric MaxPoints:28>,End-of-Line Indicator
#12345,#alovelace,Lovelace,Ada,,#
#12346,#ghopper,Hopper,Grace,,#
"""
#: The students as `collect` names them from each LMS.
OF_CANVAS = {
    "lovelaceada": Person("lovelaceada", ["lovelaceada"], {"canvas": "12345"}),
    "hoppergrace": Person("hoppergrace", ["hoppergrace"], {"canvas": "12346"}),
}
OF_MOODLE = {
    "Ada_Lovelace": Person("Ada_Lovelace", ["Ada Lovelace"], {"moodle 00_setup": "501"}),
    "Grace_Hopper": Person("Grace_Hopper", ["Grace Hopper"], {"moodle 00_setup": "502"}),
}
OF_BLACKBOARD = {name: Person(name, [name]) for name in ("alovelace", "ghopper")}
OF_GRADESCOPE = {
    "Ada_Lovelace": Person("Ada_Lovelace", ["Ada Lovelace"], {"gradescope": "sid-17"}),
    "Grace_Hopper": Person("Grace_Hopper", ["Grace Hopper"], email="grace@example.org"),
}
OF_BRIGHTSPACE = {
    "Ada_Lovelace": Person("Ada_Lovelace", ["Ada King"], {"orgdefinedid": "12345"}),
    "Grace_Hopper": Person("Grace_Hopper", ["Grace Hopper"], {"brightspace": "12345"}),
}


def given(*names):
    return [Grade(name, 20.5 + n, 28.0, 20.5 + n, 0.0, "", "") for n, name in enumerate(names)]


def filled(tmp_path, content, people, **options):
    path = tmp_path / "lms.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return fill_in(given(*people), path, NAME, people=people.values(), **options)


@pytest.mark.parametrize(
    ("table", "people", "before", "after"),
    [
        (CANVAS, OF_CANVAS, ("T-1,,\r\n\"H", "T-1,,\r\n\"S"), ("T-1,20.5,\r\n\"H", "T-1,21.5,\r\n\"S")),
        (MOODLE, OF_MOODLE, ("ada@example.org,-", "grace@example.org,-"), ("ada@example.org,20.5", "grace@example.org,21.5")),
        (WORKSHEET, OF_MOODLE, ("grading\",,28.00,-\n\"P", "grading\",,28.00,-\n"), ("grading\",20.5,28.00,-\n\"P", "grading\",21.5,28.00,-\n")),
        (GERMAN, {"Ada_Lovelace": OF_MOODLE["Ada_Lovelace"]}, ("Abgegeben;;",), ("Abgegeben;20.5;",)),
        (BLACKBOARD, OF_BLACKBOARD, ('"1"\t"Yes"\t""', '"2"\t"Yes"\t""'), ('"1"\t"Yes"\t"20.5"', '"2"\t"Yes"\t"21.5"')),
        (GRADESCOPE, OF_GRADESCOPE, ("ada@example.org,,,", "grace@example.org,,,"), ("ada@example.org,,20.5,", "grace@example.org,,21.5,")),
        (COURSE_OF_GRADESCOPE, {"Ada_Lovelace": OF_GRADESCOPE["Ada_Lovelace"]}, ("ada@example.org,,",), ("ada@example.org,20.5,",)),
        (BRIGHTSPACE, OF_BRIGHTSPACE, ("Ada,,#", "Grace,,#"), ("Ada,20.5,#", "Grace,21.5,#")),
    ],
    ids=["canvas", "moodle", "worksheet", "german", "blackboard", "gradescope", "course", "brightspace"],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_each_lms_gets_its_table_back_with_the_scores(
    tmp_path, table, people, before, after, encoding
):
    expected = table
    for old, new in zip(before, after):
        assert expected.count(old) >= 1
        expected = expected.replace(old, new, 1)
    made = filled(tmp_path, table.encode(encoding), people)
    assert made.content == expected.encode(encoding)
    assert (made.students, made.unknown, made.added) == (list(people), [], False)
    assert made.possible == (None if table is MOODLE else 28)


def test_a_number_in_two_rows_leaves_its_student_to_no_namesake(tmp_path):
    line = '"Lovelace, Ada",12345,S001,alovelace,T-1,,\r\n'
    table = CANVAS.replace(line, 2 * line + line.replace("12345", "99").replace("alo", "al"))
    made = filled(
        tmp_path,
        table,
        {
            "lovelaceada": Person("lovelaceada", ["Ada Lovelace"], {"canvas": "12345"}),
            "hoppergrace": OF_CANVAS["hoppergrace"],
        },
    )
    assert made.students == ["hoppergrace"]


@pytest.mark.parametrize(
    "title",
    [
        "Course: Text, winter 2026\r\n",
        "Course,CS101\r\nExported,2026-11-20\r\n,,,,,,\r\n",
        "\r\nGrades of the class;\r\n\r\n",
        '"Course\r\nof ""Text"""\r\n',
        "sep=,\r\nText,,,,,,\r\n",
    ],
)
def test_lines_of_a_title_above_the_header_stay_as_they_are(tmp_path, title):
    made = filled(tmp_path, title + CANVAS, OF_CANVAS)
    assert made.content == title.encode() + filled(tmp_path, CANVAS, OF_CANVAS).content
    assert made.students == ["lovelaceada", "hoppergrace"]


@pytest.mark.parametrize(
    ("table", "headings"),
    [
        ("Kurs: Text, Winter\n\nKürzel;Punkte\nada;1\n", ["Kürzel", "Punkte"]),
        ("Text\nVorname;Nachname\nAda;Lovelace\n", ["Vorname", "Nachname"]),
        ("Text, winter\nstudent,group\nada,A\n", ["student", "group"]),
        ("The class\nFull name\nAda Lovelace\n", ["Full name"]),
        ("Kürzel,Rolle\nada,student\n", ["Kürzel", "Rolle"]),  # no title
        ("Kürzel,\nada,3\n", ["Kürzel", ""]),
    ],
)
def test_the_header_is_found_below_a_title_alone(tmp_path, table, headings):
    path = tmp_path / "own.csv"
    path.write_text(table, "utf-8")
    assert read_table(path).headings == headings


def test_a_changed_name_is_found_by_its_number_and_a_stranger_listed(tmp_path):
    made = filled(tmp_path, CANVAS.replace("Lovelace, Ada", "Byron, Ada"), OF_CANVAS)
    assert made.students == ["lovelaceada", "hoppergrace"]
    assert made.ungraded == ["Student, Test"]


def test_a_number_of_another_lms_is_no_number(tmp_path):
    people = {"Ada_Lovelace": Person("Ada_Lovelace", ["Ada Lovelace"], {"moodle 01_x": "12346"})}
    made = filled(tmp_path, CANVAS, people)
    assert made.students == ["Ada_Lovelace"]
    assert b"12345,S001,alovelace,T-1,20.5" in made.content


def test_two_students_of_one_name_are_not_guessed(tmp_path):
    people = {name: Person(name, ["Ada Lovelace"]) for name in ("first", "second")}
    made = filled(tmp_path, MOODLE, people)
    assert (made.students, made.ambiguous, made.unknown) == ([], ["Ada Lovelace"], [])


@pytest.mark.parametrize(
    "heading", ["00_setup (98765)", "Setup (98765)", "0 Setup (1)", "00-SETUP"]
)
def test_the_column_is_found_in_the_form_of_the_lms(tmp_path, heading):
    made = filled(tmp_path, CANVAS.replace("00 setup (98765)", heading), OF_CANVAS)
    assert (made.column, made.added) == (heading, False)


def test_a_column_is_never_appended_beside_one_that_may_be_the_assignments(tmp_path):
    near = CANVAS.replace("00 setup (98765)", "Homework 00 setup (98765)")
    with pytest.raises(CourseError, match=r"has no column 00_setup, but 'Homework 00 setup"):
        filled(tmp_path, near, OF_CANVAS)
    made = filled(tmp_path, near, OF_CANVAS, column="Homework 00 setup")
    assert made.column == "Homework 00 setup (98765)"
    twice = CANVAS.replace("Current Score", "00_setup (98766)")
    with pytest.raises(CourseError, match="several columns"):
        filled(tmp_path, twice, OF_CANVAS)


def test_a_new_column_stands_before_brightspaces_last(tmp_path):
    table = BRIGHTSPACE.replace("00 setup Points Grade <Numeric MaxPoints:28>,", "").replace(
        ",,#", ",#"
    )
    made = filled(tmp_path, table, OF_BRIGHTSPACE)
    assert made.added
    assert b"First Name,00_setup,End-of-Line Indicator\n" in made.content
    assert b"Ada,20.5,#\n" in made.content


@pytest.mark.parametrize("first", ["sep=;\n", '"sep=;"\r\n', ""])
def test_excels_saves_are_read_and_written_as_they_are(tmp_path, first):
    table = (first + "Name;Username;00 setup\nGarcía;lgarcia;1,5\nLovelace;alovelace;\n").encode(
        "cp1252"
    )
    people = {name: Person(name) for name in ("lgarcia", "alovelace")}
    made = filled(tmp_path, table, people)
    expected = table.replace(b"lgarcia;1,5", b'lgarcia;"20,5"').replace(
        b"alovelace;", b'alovelace;"21,5"'
    )
    assert made.content == expected


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("cp1252", "Zoë;Müller\nJosé;Núñez\nHélène;D’Arc\nPat;O’Brien"),
        ("cp1252", "Søren;Kjærgård\nÅse;Ødegaard"),
        ("cp1250", "Łukasz;Żak\nŚwiętosława;Kowalska"),
        ("cp1250", "Jiří;Dvořák\nVěra;Kučerová"),
        ("cp1250", "Erzsébet;Szőke\nGyörgy;Kovács"),
        ("cp1251", "Иван;Петров\nОльга;Смирнова"),
        ("cp1253", "Γιώργος;Παπαδόπουλος\nΕλένη;Ιωάννου"),
        ("cp1254", "Ayşe;Yıldız\nÇağlar;Gül"),
        ("mac_roman", "Zoë;Müller\nJosé;Núñez"),
        ("cp850", "Zoë;Müller\nJosé;Núñez"),
        ("cp866", "Иван;Петров\nОльга;Смирнова"),
    ],
)
def test_tables_in_other_code_pages_are_read_or_refused_never_garbled(tmp_path, encoding, names):
    path = tmp_path / "class.csv"
    path.write_bytes(f"First name;Last name\n{names}\n".encode(encoding))
    table = read_table(path)
    assert [f"{row.text(0)};{row.text(1)}" for row in table.rows] == names.split("\n")
    assert table.to_bytes() == path.read_bytes()
    for encoding in ("gbk", "big5", "cp932"):
        path.write_bytes("First name;Last name\n小明;王\n花子;林\n".encode(encoding))
        with contextlib.suppress(CourseError):
            assert read_table(path).rows[0].text(0) == "小明"


@pytest.mark.parametrize(
    ("encoding", "rows"),
    [
        ("cp932", "氏名,学籍番号\n山田太郎,1\n佐藤花子,2\n"),
        ("cp932", "学生,グループ\n黒澤明,A\n大坂なおみ,B\n"),
        ("gbk", "姓名,学号\n王小明,1\n李雷,2\n"),
        ("gbk", "student,group\n王芳,A\n李娜,B\n"),
        ("gbk", "名字,班级\n何冰,1\n郭芙,2\n"),
        ("big5", "姓名,學號\n周杰倫,1\n陳美玲,2\n"),
        ("cp949", "이름,학번\n김민수,1\n손흥민,2\n"),
    ],
)
def test_a_table_of_two_rows_is_read_in_the_code_page_of_east_asia_that_fits(encoding, rows):
    assert decode_table(rows.encode(encoding)) == (rows, encoding)


def test_points_are_read_back_from_a_table_of_utf_16_of_either_order(tmp_path):
    path = tmp_path / "bb.xls"
    path.write_bytes(codecs.BOM_UTF16_BE + BLACKBOARD.encode("utf-16-be"))
    table = read_table(path)
    assert table.to_bytes() == path.read_bytes()
    assert table.headings[2] == "Username"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04rest", "is an Excel workbook; save it as CSV"),
        (b"Name,Mark\n\x81\x8d,1\n", "neither UTF-8 nor UTF-16, and its code page"),
        # Hélène, or Hélčne
        ("Name,Mark\nHélène,1\n".encode("cp1252"), "save it as CSV in UTF-8"),
        (b'Name,Mark\n"ada,1\n', "a quotation mark is not closed"),
        (b"Name\n", "lists no students"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(tmp_path, content, words):
    with pytest.raises(CourseError, match=words):
        filled(tmp_path, content, OF_CANVAS)


def test_the_last_line_counts_rows_and_names_who_has_no_score(graded_class, tmp_path, monkeypatch):
    monkeypatch.chdir(graded_class.root)
    people = {
        name: Person(name, [name], {"canvas": str(n)}) for n, name in enumerate(("ada", "bob"))
    }
    save_people(graded_class.root, people)
    lms = tmp_path / "lms.csv"
    lms.write_text(
        "Student,ID,SIS Login ID,Section,07 topic (5)\n    Points Possible,,,,100\n"
        '"Doe, Ada",0,a,T,\n"Doe, Bob",1,b,T,\n"Roe, Eve",7,e,T,\n'
    )
    out = tmp_path / "out.csv"
    result = CliRunner().invoke(main, ["export", "07", "--into", str(lms), "--output", str(out)])
    (graded_class.root / "students.json").unlink()
    assert result.exit_code == 0, result.output
    assert "out of 100 points, here it is out of 3" in result.output
    assert "graded, but not in the LMS gradebook, 1: cem" in result.output
    last = result.output.splitlines()[-1]
    assert last == f"written: {out}, 2 rows filled; not filled, 1: Roe, Eve"
    assert '"Doe, Ada",0,a,T,3\n' in out.read_text()
