"""A group hands in once: each member has the submission, and different ones are asked about."""

import pytest
from downloads import NAME, archive, notebook

from autograder.classroom.collect import collect
from autograder.classroom.printed import collected_lines
from autograder.errors import CourseError
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
    return {path.parent.parent.name: "ours" in path.read_text() for path in found}


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
        (PLAIN + "ada,B\n", "lists ada in A and in B: whose submission is it"),
    ],
)
def test_a_table_of_which_the_groups_are_not_certain_says_so(small_course, tmp_path, table, words):
    with pytest.raises(CourseError, match=words):
        collected(small_course, tmp_path, table, ("ada/07.ipynb", "ours"))
