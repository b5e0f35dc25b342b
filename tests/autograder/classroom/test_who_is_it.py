"""A student is the same by the LMS's number, by any spelling of the name, by any route."""

import io
import zipfile

import pytest
from downloads import NAME, archive, notebook
from nbgrader.api import Gradebook

from autograder.classroom.archive_names import members
from autograder.classroom.collect import collect
from autograder.classroom.console_tables import collected_lines
from autograder.classroom.download_layouts import Submitter, find_layout
from autograder.classroom.student_folders import Students
from autograder.classroom.team_names import without_teams
from autograder.gradebook.name_keys import are_alike
from autograder.gradebook.roster import Person, read_people


def as_made_on(encoding, names):
    """A zip archive whose names have this encoding, and no flag that says so."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as made:
        for number, _ in enumerate(names):
            made.writestr(f"{number:03}" + "x" * (len(names[number].encode(encoding)) - 3), "{}")
    data = content.getvalue()
    for number, name in enumerate(names):
        raw = name.encode(encoding)
        data = data.replace(f"{number:03}".encode() + b"x" * (len(raw) - 3), raw)
    return zipfile.ZipFile(io.BytesIO(data))


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("utf-8", ["Zoe\u0308 Mu\u0308ller_1", "Łukasz Żak_2", "王小明_3"]),
        ("cp850", ["Zoë Müller_1", "Ángel Õ_2", "Øystein Ås_3"]),
        ("cp1252", ["Zoë Müller_1", "José Núñez_2"]),
        ("cp437", ["José Núñez_1"]),
        ("cp852", ["Łukasz Żak_1", "Świętosława_2"]),
        ("cp1250", ["Łukasz Żak_1", "Świętosława_2"]),
        ("cp866", ["Иван Петров_1"]),
        ("cp1251", ["Иван Петров_1"]),
        ("gbk", ["王小明_1"]),
        ("cp932", ["山田太郎_1", "佐藤花子_2"]),
        ("cp949", ["김민수_1", "이영희_2"]),
    ],
)
def test_names_in_an_archive_are_read_as_they_were_meant(encoding, names):
    with as_made_on(encoding, names) as read:
        assert [member.filename for member in members(read)] == names
        assert read.open(members(read)[0]).read() == b"{}"


def test_one_archive_may_mix_programs():
    with as_made_on("utf-8", ["Zoë_1", "Ada_2"]) as read:
        assert [member.filename for member in members(read)] == ["Zoë_1", "Ada_2"]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Lovelace, Ada", "ada lovelace", True),
        ("lovelaceada", "Ada Lovelace", True),
        ("García Márquez, Luis", "Luis Garcia Marquez", True),
        ("Zoë Müller", "Mu\u0308ller-Zoe\u0308", True),
        ("Łukasz_Żak", "Lukasz Zak", True),
        ("obrienpat", "Pat O'Brien", True),
        ("Ada Lovelace", "Ada King Lovelace", False),
        ("Anna Lee", "Ann Alee", False),
        ("राम", "रामा", False),
        ("alice", "Alice", False),  # two user names: only their LMS knows
    ],
)
def test_names_are_compared_without_case_accents_order_and_separators(one, other, alike):
    assert are_alike(one, other) is alike
    assert are_alike(other, one) is alike


def collected(course, tmp_path, *names, **options):
    files = {name: notebook(course, name) for name in names}
    return collect(course, NAME, archive(tmp_path / "all.zip", files), **options)


def test_a_changed_name_with_the_same_number_makes_no_second_student(small_course, tmp_path):
    collected(small_course, tmp_path, "lovelaceada_12345_67890_07.ipynb")
    result = collected(small_course, tmp_path, "byronada_12345_68890_07.ipynb")
    assert list(result.students) == ["lovelaceada"]
    assert result.renamed == {"lovelaceada": "byronada"}
    assert "now called byronada" in "\n".join(collected_lines(result))
    person = read_people(small_course.root)["lovelaceada"]
    assert person.names == ["byronada", "lovelaceada"]
    assert person.numbers == {"canvas": "12345"}


def test_who_is_new_in_a_class_is_said(small_course, tmp_path):
    assert collected(small_course, tmp_path, "ada/07.ipynb", "bob/07.ipynb").new == []
    result = collected(small_course, tmp_path, "ada/07.ipynb", "eve/07.ipynb")
    assert "New in the class: eve." in collected_lines(result)


def test_the_same_class_by_two_routes_is_the_same_students(small_course, tmp_path):
    names = {"Zoë Müller": "7", "Łukasz Żak": "8"}
    direct = [f"{name}_{n}_assignsubmission_file_/07.ipynb" for name, n in names.items()]
    assert sorted(collected(small_course, tmp_path, *direct).students) == [
        "Zoë_Müller",
        "Łukasz_Żak",
    ]
    routes = [
        [f"{name}_{n}_assignsubmission_file_07.ipynb" for name, n in names.items()],
        ["muller zoe/07.ipynb", "ZAK-Lukasz/07.ipynb"],
        ["mullerzoe_501_601_07.ipynb", "zaklukasz_502_602_07.ipynb"],
    ]
    for route in routes:
        result = collected(small_course, tmp_path, *route)
        assert sorted(result.students) == ["Zoë_Müller", "Łukasz_Żak"], route
        assert not result.refused


def test_two_candidates_for_a_name_are_refused_not_guessed(tmp_path):
    people = {
        "a": Person("a", ["Anna Lee"]),
        "b": Person("b", ["Ann Alee"]),
        "c": Person("c", ["Cem Kaya"], {"canvas": "9"}),
    }
    made = Students(tmp_path, people, "canvas").assign(
        [Submitter("annalee", "1"), Submitter("kayacem", "10")]
    )
    assert "annalee may be a or b" in made.refused[Submitter("annalee", "1")]
    # another number is another student, whatever the name
    assert made.folders == {Submitter("kayacem", "10"): "kayacem"}


def test_two_folders_that_may_be_one_student_are_refused(tmp_path):
    people = {"ada": Person("ada", ["Ada Lovelace"])}
    made = Students(tmp_path, people, "folder").assign(
        [Submitter("Lovelace Ada"), Submitter("Ada-Lovelace")]
    )
    assert not made.folders
    assert "may be one student, ada" in next(iter(made.refused.values()))


@pytest.mark.parametrize(
    ("names", "students"),
    [
        # groups of Canvas, whose names may have underscores and end in a number
        (
            ["lab_group_3_12345_67890_x.ipynb", "team_2_LATE_12347_67892_x.ipynb"],
            [("lab_group_3", "12345"), ("team_2", "12347")],
        ),
        (["team_1_12346_67891_x.ipynb"], [("team_1", "12346")]),
        (["lab_a_12345_67890_x.ipynb"], [("lab_a", "12345")]),
        # a student's file may begin with a number, and so may an assignment's
        (["roe_12345_67890_11_x.ipynb"], [("roe", "12345")]),
        (["roe_12345_67890_07_topic.ipynb"], [("roe", "12345")]),
        (["roe_1_11_2026_x.ipynb"], [("roe", "1")]),
        # others in the download say how long a number is
        (
            ["a_2001_310001_x.ipynb", "roe_2002_310002_123456_x.ipynb", "t_7_2003_310003_x.ipynb"],
            [("a", "2001"), ("roe", "2002"), ("t_7", "2003")],
        ),
        # anonymous grading
        (
            ["anon_aB3xZ_67890_x.ipynb", "LATE_anon_9kQ2w_67891_11_x.ipynb"],
            [("anon_aB3xZ", "aB3xZ"), ("anon_9kQ2w", "9kQ2w")],
        ),
    ],
)
def test_canvas_names_of_groups_and_of_nobody_are_read(names, students):
    layout = find_layout(names)
    parsed = [layout.parse(name) for name in names]
    assert layout.scheme == "canvas"
    assert [(one.submitter.name, one.submitter.number) for one in parsed] == students
    assert [one.late for one in parsed] == ["LATE" in name for name in names]


def test_a_students_file_name_gives_no_other_students_number():
    layout = find_layout(["ada_12345_67890_x.ipynb", "roe_12346_67891_12345_99999_x.ipynb"])
    assert layout.parse("roe_12346_67891_12345_99999_x.ipynb").submitter.number == "12346"


def test_brightspace_attempts_are_one_students_and_the_date_is_read(small_course, tmp_path):
    result = collected(
        small_course,
        tmp_path,
        "12345-67890 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb",
        "12345-67890 - Ada Lovelace - Jan 30, 2026 300 PM/07.ipynb",
        "12346-67890 - Grace Hopper - Jan 30, 2026 1259 PM - 07.ipynb",
        "12347-67890 - Emmy Noether - 30. Januar 2026 905 - 07.ipynb",
        "12348-67890 - Zuse - 20 listopada, 2026 1105/07.ipynb",
        zone="Europe/Berlin",
    )
    assert sorted(result.students) == ["Ada_Lovelace", "Emmy_Noether", "Grace_Hopper", "Zuse"]
    assert result.untimed == ["Zuse"]  # October or November
    assert len(result.earlier["Ada_Lovelace"]) == 1
    stamps = {
        student: (small_course.root / "submitted" / student / NAME / "timestamp.txt").read_text()
        for student in result.students
        if student != "Zuse"
    }
    assert stamps == {
        "Ada_Lovelace": "2026-01-30 14:00:00",
        "Emmy_Noether": "2026-01-30 08:05:00",
        "Grace_Hopper": "2026-01-30 11:59:00",
    }


ADA, JEAN, LUC = (Person("_".join(n.split()), [n]) for n in ("Ada Lovelace", "Jean-Luc Picard", "Luc Picard"))  # fmt: skip


@pytest.mark.parametrize(
    ("people", "names", "students"),
    [
        # known students, whatever the team
        ([ADA], ["Team 1-Ada Lovelace"], ["Ada Lovelace"]),
        ([ADA, JEAN], ["Alpha-Ada Lovelace", "Alpha-Jean-Luc Picard"], ["Ada Lovelace", "Jean-Luc Picard"]),
        ([ADA, JEAN], ["Ada Lovelace", "Jean-Luc Picard"], ["Ada Lovelace", "Jean-Luc Picard"]),
        ([JEAN, LUC], ["Jean-Luc Picard"], ["Jean-Luc Picard"]),
        # new ones
        ([ADA], ["Default group-Ada Lovelace", "Solo-Alan Turing"], ["Ada Lovelace", "Alan Turing"]),
        ([], ["Team 1-Ada Lovelace", "Team 1-Jean-Luc Picard"], ["Ada Lovelace", "Jean-Luc Picard"]),
        ([], ["Lab A-Ada Lovelace", "Lab A-Alan Turing"], ["Ada Lovelace", "Alan Turing"]),
        # one name without a team: there are none
        ([LUC], ["Jean-Luc Picard", "Alan Turing"], ["Jean-Luc Picard", "Alan Turing"]),
        ([], ["Jean-Luc Picard", "Ada King-Noel"], ["Jean-Luc Picard", "Ada King-Noel"]),
        # two readings
        ([LUC], ["Jean-Luc Picard"], ["may be Luc Picard or Jean-Luc Picard"]),
        ([], ["Jean-Luc Picard", "Jean-Pierre Aumont"], ["may be Luc Picard or Jean-", "may be Pierre Aumont or Jean-"]),
        ([], ["Lab 1-A-Ada Lovelace"], ["may be A-Ada Lovelace or Ada Lovelace: where does a team's"]),
    ],
)  # fmt: skip
def test_moodles_names_of_teams_are_no_part_of_students_names(people, names, students):
    submitters = [Submitter(name, str(number)) for number, name in enumerate(names)]
    read = without_teams(submitters, people)
    for submitter, student in zip(submitters, students):
        if submitter in read.students:
            assert read.students[submitter].name == student
        else:
            assert student in read.refused[submitter]


def test_moodles_teams_change_and_the_students_stay(small_course, tmp_path):
    form = "{}_{}_assignsubmission_file_/07.ipynb"
    first = ["Team 1-Ada Lovelace", "Team 1-Grace Hopper", "Default group-Alan Turing"]
    result = collected(small_course, tmp_path, *map(form.format, first, (1, 2, 3)))
    everyone = ["Ada_Lovelace", "Alan_Turing", "Grace_Hopper"]
    assert sorted(result.students) == everyone
    assert "Read as names of teams: Default group, Team 1." in collected_lines(result)
    other = ["Team 2-Ada Lovelace", "Team 1-Grace Hopper", "Team 3-Alan Turing"]
    result = collected(small_course, tmp_path, *map(form.format, other, (1, 2, 3)))
    assert (sorted(result.students), result.new, result.renamed) == (everyone, [], {})


def test_what_sakai_gave_back_is_no_submission(small_course, tmp_path):
    ada = "Assignment 0/Lovelace, Ada(alovelace)"
    files = {
        "Assignment 0/grades.csv": "x",
        f"{ada}/Submission attachment(s)/07.ipynb": notebook(small_course, "Ada's"),
        f"{ada}/Feedback Attachment(s)/old.ipynb": notebook(small_course, "old"),
        f"{ada}/timestamp.txt": "20260130150000123",
        "Assignment 0/Hopper, Grace(ghopper)/Submission attachment(s)/07.ipynb": notebook(
            small_course
        ),
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert (result.layout, len(result.students), result.earlier) == ("sakai", 2, {})
    assert (result.unmatched, result.refused) == ([], [])
    with Gradebook(f"sqlite:///{small_course.root}/gradebook.db") as gradebook:
        ada = gradebook.find_student("Lovelace_Ada_alovelace")
        assert (ada.first_name, ada.last_name) == ("Ada", "Lovelace")
    folder = small_course.root / "submitted" / "Lovelace_Ada_alovelace" / NAME
    assert (folder / "timestamp.txt").read_text() == "2026-01-30 15:00:00"


def test_what_only_the_shape_of_folders_says_is_called_so(small_course, tmp_path):
    result = collected(small_course, tmp_path, "ada/07.ipynb", "bob/07.ipynb")
    assert "No LMS's naming was recognized" in "\n".join(collected_lines(result))
    named = collected(small_course, tmp_path, "ada/07.ipynb", layout="folder")
    assert "No LMS's naming" not in "\n".join(collected_lines(named))
