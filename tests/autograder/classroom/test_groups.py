"""A group hands in once: each member has the submission, and different ones are asked about."""

import pytest
from downloads import NAME, answered, archive, notebook

from autograder.classroom.collect import collect
from autograder.classroom.console_tables import collected_lines
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.roster import read_people

#: As Canvas exports a set of groups.
CANVAS = """\
name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id
Ada Lovelace,12345,S1,alovelace,T,Lab Group 3,7,
Grace Hopper,12346,S2,ghopper,T,Lab Group 3,7,
Alan Turing,12347,S3,aturing,T,,,
"""
PLAIN = "student,group\nada,A\ngrace,A\nalan,B\n"


def collected(course, tmp_path, table, *files):
    path = tmp_path / "groups.csv"
    path.write_text(table)
    made = {name: notebook(course, words) for name, words in files}
    return collect(course, NAME, archive(tmp_path / "all.zip", made), groups=path)


def texts(course):
    found = course.root.glob(f"submitted/*/{NAME}/{NAME}.ipynb")
    return {path.parent.parent.name: '"ours"' in path.read_text() for path in found}


@pytest.mark.parametrize(
    ("table", "files", "members"),
    [
        (CANVAS, ["labgroup3_12345_67890_07.ipynb"], ["Ada_Lovelace", "Grace_Hopper"]),
        (CANVAS, ["lab_group_3_12346_67890_07.ipynb"], ["Ada_Lovelace", "Grace_Hopper"]),
        (CANVAS, ["lovelaceada_12345_67890_07.ipynb"], ["Grace_Hopper", "lovelaceada"]),
        (PLAIN, ["grace/07.ipynb"], ["ada", "grace"]),
        (PLAIN, ["grace/07.ipynb", "ada/07.ipynb"], ["ada", "grace"]),
        (
            "Full name,Group\nAda Lovelace,A\nGrace Hopper,A\n",
            ["Ada Lovelace_501_assignsubmission_file_/07.ipynb"],
            ["Ada_Lovelace", "Grace_Hopper"],
        ),
        (
            "OrgDefinedId,Full name,Group\n#77,Ada Lovelace,A\n#78,Grace Hopper,A\n",
            ["501-678 - Ada Lovelace - Jan 28, 2026 1105 AM/07.ipynb"],
            ["Ada_Lovelace", "Grace_Hopper"],
        ),
    ],
)
def test_each_member_has_the_submission_of_the_group(small_course, tmp_path, table, files, members):
    result = collected(small_course, tmp_path, table, *((name, "ours") for name in files))
    assert texts(small_course) == dict.fromkeys(members, True)
    assert list(result.groups.values()) == [members]
    assert f"one submission for {', '.join(members)}" in "\n".join(collected_lines(result))
    assert not result.refused


def test_canvas_numbers_of_members_are_remembered(small_course, tmp_path):
    collected(small_course, tmp_path, CANVAS, ("labgroup3_12345_67890_07.ipynb", "ours"))
    people = read_people(small_course.root)
    numbers = {student: person.numbers["canvas"] for student, person in people.items()}
    assert numbers == {"Ada_Lovelace": "12345", "Grace_Hopper": "12346"}


def test_two_of_a_group_who_hand_in_different_files_are_asked_about(small_course, tmp_path):
    result = collected(
        small_course, tmp_path, PLAIN,
        ("ada/07.ipynb", "ours"), ("grace/07.ipynb", "mine"), ("alan/07.ipynb", "ours"),
    )  # fmt: skip
    assert texts(small_course) == {"alan": True}
    assert {name for name, _ in result.refused} == {"ada/07.ipynb", "grace/07.ipynb"}
    assert "ada and grace of A handed in different files: which one counts?" in result.refused[0][1]


def test_of_two_of_a_group_the_one_who_has_answered_something_has_handed_in(small_course, tmp_path):
    table = tmp_path / "groups.csv"
    table.write_text(PLAIN)
    files = {
        "ada/07.ipynb": answered(small_course, "ours"),
        "grace/07.ipynb": small_course.notebook(NAME).read_text(),
    }
    download = archive(tmp_path / "all.zip", files)
    assert not collect(small_course, NAME, download, groups=table).refused
    assert texts(small_course) == {"ada": True, "grace": True}


ONE = ("lab_group_3_12345_67890_07.ipynb", "ours")


@pytest.mark.parametrize(
    ("table", "files", "corrected", "again", "left"),
    [
        # grace was never in it
        (PLAIN, [("ada/07.ipynb", "ours")], PLAIN.replace("grace,A", "grace,"), None, {"grace": "A"}),
        (PLAIN, [("ada/07.ipynb", "ours")], PLAIN.replace("grace,A\n", ""), None, {"grace": "A"}),
        # the group was given to the wrong students
        (CANVAS, [ONE], CANVAS.replace("Turing,12347,S3,aturing,T,,", "Turing,12347,S3,aturing,T,Lab Group 3,7").replace("ghopper,T,Lab Group 3,7", "ghopper,T,,"), None, {"Grace_Hopper": "Lab Group 3"}),
        (CANVAS, [ONE], CANVAS.replace("alovelace,T,Lab Group 3", "alovelace,T,"), None, {"Ada_Lovelace": "Lab Group 3"}),
        # not in the second download at all
        (PLAIN, [("ada/07.ipynb", "ours")], PLAIN.replace("grace,A", "grace,C"), [("alan/07.ipynb", "ours")], {"grace": "A"}),
        # a member who leaves keeps what is the member's own
        (PLAIN, [("ada/07.ipynb", "ours")], "student,group\ngrace,A\nalan,B\n", [("alan/07.ipynb", "ours")], {"grace": "A"}),
        # another name of the group
        (PLAIN, [("ada/07.ipynb", "ours")], PLAIN.replace(",A", ",The first"), [("alan/07.ipynb", "ours")], {}),
    ],
)  # fmt: skip
def test_who_is_not_in_a_corrected_group_has_its_submission_no_more(
    small_course, tmp_path, table, files, corrected, again, left
):
    before = set(texts(small_course)) | set(
        collected(small_course, tmp_path, table, *files).students
    )
    result = collected(small_course, tmp_path, corrected, *(again or files))
    assert result.left == left
    assert texts(small_course).keys() == (before | result.students.keys()) - left.keys()
    for student, group in left.items():
        said = f"{student}: not in {group} any more, whose submission is moved to earlier/."
        assert said in collected_lines(result)
        (kept,) = (small_course.root / "earlier" / student / NAME).rglob("*.ipynb")
        assert '"ours"' in kept.read_text()
    assert collected(small_course, tmp_path, corrected, *(again or files)).left == {}


@pytest.mark.parametrize(
    ("file", "group"),
    [
        ("lab_group_3_70001_67890_07.ipynb", "lab_group_3"),
        ("labgroup3_12345_67890_07.ipynb", "labgroup3"),  # Canvas gives a member's number
    ],
)
def test_a_group_that_was_collected_as_a_student_is_none_once_its_members_are_known(
    small_course, tmp_path, file, group
):
    other = ("turingalan_12347_67891_07.ipynb", "his")
    files = {name: notebook(small_course, words) for name, words in ((file, "ours"), other)}
    first = collect(small_course, NAME, archive(tmp_path / "plain.zip", files))
    assert sorted(first.students) == [group, "turingalan"]
    classroom = Classroom(small_course)
    with classroom.open_gradebook() as gradebook:
        gradebook.add_assignment(NAME)
        for student in first.students:
            gradebook.update_or_create_student(student)
            gradebook.add_submission(NAME, student)
    result = collected(small_course, tmp_path, CANVAS, (file, "ours"), other)
    members = ["Ada_Lovelace", "Grace_Hopper", "turingalan"]
    assert sorted(result.students) == classroom.students(NAME) == classroom.members() == members
    assert group not in read_people(small_course.root)
    assert f"{group}: a group, Lab Group 3, and no student any more" in "\n".join(
        collected_lines(result)
    )
    (kept,) = (small_course.root / "earlier" / group / NAME).rglob("*.ipynb")
    assert '"ours"' in kept.read_text()
    again = collect(small_course, NAME, tmp_path / "all.zip", groups=tmp_path / "groups.csv")
    assert (sorted(again.unchanged), again.were_groups, again.new) == (members, {}, [])


def test_a_student_called_like_the_group_stays_if_a_member_of_it(small_course, tmp_path):
    files = {"ada/07.ipynb": notebook(small_course, "ours")}
    collect(small_course, NAME, archive(tmp_path / "plain.zip", files))
    result = collected(
        small_course, tmp_path, PLAIN.replace(",A", ",Ada"), ("ada/07.ipynb", "ours")
    )
    assert (sorted(result.students), result.were_groups) == (["ada", "grace"], {})


def test_who_leaves_a_group_has_the_own_submission_though_it_is_older(small_course, tmp_path):
    form = "T_{}_attempt_2026-02-0{}-09-00-00_07.ipynb"
    ada, grace = (form.format("ada", 2), "ours"), (form.format("grace", 1), "hers")
    assert collected(small_course, tmp_path, PLAIN, ada).students.keys() == {"ada", "grace"}
    result = collected(small_course, tmp_path, PLAIN.replace("grace,A", "grace,C"), ada, grace)
    assert result.students["grace"] == grace[0]
    assert result.left == {}
    submitted = small_course.root / "submitted" / "grace" / NAME / f"{NAME}.ipynb"
    assert '"hers"' in submitted.read_text()


def test_a_submission_that_is_not_the_students_any_more_leaves_the_gradebook_too(
    small_course, tmp_path
):
    collected(small_course, tmp_path, PLAIN, ("ada/07.ipynb", "ours"))
    with Classroom(small_course).open_gradebook() as gradebook:
        gradebook.add_assignment(NAME)
        for student in ("ada", "grace"):
            gradebook.update_or_create_student(student)
            gradebook.add_submission(NAME, student)
    page = small_course.root / "feedback" / "grace" / NAME / f"{NAME}.html"
    page.parent.mkdir(parents=True)
    page.write_text("theirs")
    collected(small_course, tmp_path, PLAIN.replace("grace,A\n", ""), ("ada/07.ipynb", "ours"))
    assert not page.exists()
    with Classroom(small_course).submissions(NAME) as submissions:
        assert [one.student_id for one in submissions] == ["ada"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("student,colour\nada,red\n", "has no column 'group'"),
        ("group\nA\n", "names no student"),
        (
            CANVAS.replace("12345", "1.23457E+08"),
            r"has 1\.23457E\+08 as the number of Ada Lovelace",
        ),
        (CANVAS.replace("12345", "12345.0"), r"has 12345\.0 as the number of Ada Lovelace"),
        (CANVAS.replace("S1", "1.2E+17"), "do not save it in Excel, which shortens long numbers"),
        (CANVAS.replace("12345", "12346"), "has 12346 for both Ada Lovelace and Grace Hopper"),
        (
            "Vorname;Nachname;Matrikelnummer;Gruppe\nAda;Lovelace;1,23457E+08;A\n",
            r"1,23457E\+08 as the number of Ada Lovelace",
        ),
        ("id,name,group\n12345.0,Ada,A\n", r"has 12345\.0 as the number of Ada"),
        (PLAIN + "ada,B\n", "lists ada in A and in B: whose submission is it"),
    ],
)
def test_a_table_of_which_the_groups_are_not_certain_says_so(small_course, tmp_path, table, words):
    with pytest.raises(CourseError, match=words):
        collected(small_course, tmp_path, table, ("ada/07.ipynb", "ours"))
