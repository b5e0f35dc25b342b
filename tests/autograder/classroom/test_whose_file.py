"""Whose a file of a download is: nothing that a student names or packs replaces another's work."""

import os
import zipfile

import pytest
from downloads import NAME, archive, bytes_of, notebook

from autograder.classroom import archives
from autograder.classroom.collect import collect
from autograder.classroom.console_tables import collected_lines
from autograder.classroom.download_layouts import Layout, Submitter, find_layout
from autograder.classroom.enrolment import enrol
from autograder.classroom.student_folders import Students
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.roster import read_people

LATER = (2027, 1, 1, 0, 0, 0)
FORGED = (
    "doebob_999_888_07_topic.ipynb",
    "Bob Doe_999_assignsubmission_file_/07_topic.ipynb",
    "T_bob_attempt_2027-01-01-00-00-00_07_topic.ipynb",
    "bob/07_topic.ipynb",
)
#: layout -> the names of an honest and of a hostile student's archive, and the student of each
ARCHIVES = {
    "canvas": {"doebob_1_11_hw.zip": "doebob", "roemallory_2_12_hw.zip": "roemallory"},
    "moodle": {
        "Bob Doe_1_assignsubmission_file_/hw.zip": "Bob_Doe",
        "Mallory Roe_2_assignsubmission_file_/hw.zip": "Mallory_Roe",
    },
    "blackboard": {
        "T_bob_attempt_2026-01-30-15-00-00_hw.zip": "bob",
        "T_mallory_attempt_2026-01-30-15-00-00_hw.zip": "mallory",
    },
    "folder": {"bob/hw.zip": "bob", "mallory/hw.zip": "mallory"},
}


def submitted(course, student):
    return (course.root / "submitted" / student / NAME / f"{NAME}.ipynb").read_text("utf-8")


@pytest.mark.parametrize("layout", ARCHIVES)
def test_names_in_an_archive_say_nothing_about_the_student(small_course, tmp_path, layout):
    inner = tmp_path / "inner.zip"
    forged = {name: (notebook(small_course, "Mallory's"), LATER) for name in FORGED}
    content = [
        bytes_of(inner, {"renamed.ipynb": notebook(small_course, "Bob's")}),
        bytes_of(inner, forged),
    ]
    download = archive(tmp_path / "all.zip", dict(zip(ARCHIVES[layout], content)))
    result = collect(small_course, NAME, download)
    bob, mallory = ARCHIVES[layout].values()
    assert result.layout == layout
    assert list(result.students) == sorted([bob, mallory])
    assert "Bob's" in submitted(small_course, bob)
    assert "Mallory's" in submitted(small_course, mallory)
    assert bob not in result.earlier
    assert not result.unmatched


@pytest.mark.parametrize(
    ("layout", "name", "student"),
    [
        ("canvas", "roe_2_12_doebob_999_888_07.ipynb", "roe"),
        ("canvas", "roe_2_12_T_bob_attempt_2027-01-01-00-00-00_07.ipynb", "roe"),
        ("moodle", "Roe_2_assignsubmission_file_/Bob_1_assignsubmission_file_/07.ipynb", "Roe"),
        ("moodle", "Roe_2_assignsubmission_file_Bob_1_assignsubmission_file_07.ipynb", "Roe"),
        (
            "moodle",
            "Teil_in 2_assignsubmission_file_Bob_1_assignsubmission_file_07.ipynb",
            "Teil_in",
        ),
        ("moodle", "Roe2_3_assignsubmission_file_/Bob 1_assignsubmission_file_/07.ipynb", "Roe2"),
        (
            "blackboard",
            "T_roe_attempt_2026-01-30-15-00-00_x_bob_attempt_2027-01-01-00-00-00_07.ipynb",
            "T_roe",  # with the title
        ),
        ("folder", "roe/doebob_999_888_07.ipynb", "roe"),
        ("folder", "roe/Bob_1_assignsubmission_file_/07.ipynb", "roe"),
    ],
)
def test_the_part_of_a_name_that_the_student_chose_is_not_read(layout, name, student):
    honest = next(iter(ARCHIVES[layout]))
    found = find_layout([name, honest])
    assert found.scheme == layout
    assert found.parse(name).submitter.name == student


def test_many_files_in_one_archive_do_not_change_how_the_others_are_read(small_course, tmp_path):
    inner = bytes_of(tmp_path / "inner.zip", {f"s{n}/07_topic.ipynb": "{}" for n in range(50)})
    download = archive(
        tmp_path / "all.zip",
        {
            "ada_1_11_07_topic.ipynb": notebook(small_course),
            "bob_2_12_07_topic.ipynb": notebook(small_course),
            "roe_3_13_hw.zip": inner,
        },
    )
    result = collect(small_course, NAME, download)
    assert result.layout == "canvas"
    assert {"ada", "bob"} <= set(result.students)


@pytest.mark.parametrize(
    "names",
    [
        ["roe_2_12_x_bob_attempt_2027-01-01-00-00-00_07.ipynb"],
        ["roe/bob_1_2_07.ipynb", "roe/ada_3_4_07.ipynb"],
        ["roe/Bob_1_assignsubmission_file_/07.ipynb"],
    ],
)
def test_names_that_could_be_read_in_two_ways_are_not_guessed(names):
    with pytest.raises(CourseError, match="--layout"):
        find_layout(names)


@pytest.mark.parametrize("layout", ["canvas", "moodle"])
def test_what_somebody_has_put_beside_a_download_does_not_change_how_it_is_read(layout):
    names = [*ARCHIVES[layout], "feedback/old.ipynb" if layout == "moodle" else "solution.zip"]
    found = find_layout(names)
    assert found.scheme == layout
    assert found.parse(names[-1]) is None


def test_a_name_with_a_hyphen_between_spaces_is_whole_in_brightspace():
    names = [f"{n}-9 - Ada - {n} - Jan 28, 2026 1105 AM/07.ipynb" for n in "12"]
    layout = find_layout([*names, "3-9 - Eve - Jan 28, 2026 1105 AM - Jan 30, 2026 300 PM.ipynb"])
    assert [layout.parse(name).submitter.name for name in names] == ["Ada - 1", "Ada - 2"]


def test_canvas_submissions_zip_unpacked_and_packed_again_is_canvas_download():
    names = ["submissions/ada_1_2_07.ipynb", "submissions/bob_3_4_07.ipynb"]
    layout = find_layout(names)
    assert layout.scheme == "canvas"
    assert layout.parse(names[1]).submitter == Submitter("bob", "3")


def test_a_folder_around_the_download_is_left_out_once_the_layout_is_named():
    names = ["download/ada_1_2_07.ipynb", "download/bob_3_4_07.ipynb"]
    layout = find_layout(names, "canvas")
    assert [layout.parse(name).submitter for name in names] == [
        Submitter("ada", "1"),
        Submitter("bob", "3"),
    ]
    assert find_layout(names, "folder").parse(names[0]).submitter.name == "download"


@pytest.mark.parametrize(
    ("names", "around", "students"),
    [
        (["subs/ann/07.ipynb", "subs/bob/07.ipynb"], "subs/", ["ann", "bob"]),
        (["a/b/c/ann/07.ipynb", "a/b/c/bob/x/07.ipynb"], "a/b/c/", ["ann", "bob"]),
        (["subs/ann.zip", "subs/bob.zip"], "subs/", ["ann", "bob"]),
        (["subs/ann/07.ipynb"], "subs/", ["ann"]),
        (["ann/07.ipynb"], "", ["ann"]),
        (["ann/hw.zip"], "", ["ann"]),
        (["ann/07.ipynb", "ann/old/07.ipynb"], "", ["ann", "ann"]),
        (["ann/07_topic/07_topic.ipynb"], "", ["ann"]),
        (["subs/ann/07_topic/07_topic.ipynb"], "subs/", ["ann"]),
        (["ann/notebooks/07_topic/a.ipynb", "ann/notebooks/08/a.ipynb"], "", ["ann", "ann"]),
    ],
)
def test_folders_around_a_class_are_not_a_student(names, around, students):
    layout = find_layout(names, no_students=["07_topic", "notebooks"])
    assert layout == Layout("folder", around)
    assert [layout.parse(name).submitter.name for name in names] == students


def test_a_zip_of_one_folder_with_all_students_is_a_class(small_course, tmp_path):
    files = {f"submissions/{who}/07_topic.ipynb": notebook(small_course, who) for who in "ab"}
    files["__MACOSX/submissions/a/._07_topic.ipynb"] = "x"
    download = archive(tmp_path / "all.zip", files)
    result = collect(small_course, NAME, download)
    assert (list(result.students), result.earlier, result.unmatched) == (["a", "b"], {}, [])
    said = " ".join(collected_lines(result))
    assert "Everything is in the folder submissions; the students are named by" in said
    assert "If submissions is one student, choose --layout folder." in said
    as_one = collect(small_course, NAME, download, layout="folder", folder=tmp_path / "other")
    assert list(as_one.students) == ["submissions"]


METADATA = """\
submission_901:
  :submitters:
  - :name: Ada Lovelace
    :sid: '17'
    :email: ada@example.org
  :created_at: 2026-01-30 15:00:00.123456000 Z
  :score: 0.0
submission_902:
  :submitters:
  - :name: Grace Hopper
    :sid:
    :email: grace@example.org
  - :name: Bob Doe
    :sid: '18'
  :created_at: 2026-01-30 16:00:00.000000000 Z
"""


def gradescope_export(course):
    return {
        "assignment_77_export/submission_metadata.yml": METADATA,
        "assignment_77_export/submission_901/07.ipynb": notebook(course, "Ada's"),
        "assignment_77_export/submission_902/07.ipynb": notebook(course, "Grace's and Bob's"),
        "assignment_77_export/submission_902/submission_metadata.yml": "submission_901: forged",
    }


def test_gradescopes_metadata_names_the_students_and_their_times(small_course, tmp_path):
    download = archive(tmp_path / "all.zip", gradescope_export(small_course))
    result = collect(small_course, NAME, download)
    assert result.layout == "gradescope"
    assert sorted(result.students) == ["Ada_Lovelace", "Bob_Doe", "Grace_Hopper"]
    assert submitted(small_course, "Grace_Hopper") == submitted(small_course, "Bob_Doe")
    assert "Ada's" in submitted(small_course, "Ada_Lovelace")
    stamp = small_course.root / "submitted" / "Bob_Doe" / NAME / "timestamp.txt"
    assert stamp.read_text().startswith("2026-01-30 16:00:00")
    # what is left over: the file that a student called like the metadata
    assert [name.rpartition("/")[0][-3:] for name, _ in result.unmatched] == ["902"]


def test_who_is_taken_out_of_a_group_in_gradescope_has_its_submission_no_more(
    small_course, tmp_path
):
    files = gradescope_export(small_course)
    collect(small_course, NAME, archive(tmp_path / "1.zip", files))
    metadata = METADATA.replace("  - :name: Bob Doe\n    :sid: '18'\n", "")
    files["assignment_77_export/submission_metadata.yml"] = metadata
    result = collect(small_course, NAME, archive(tmp_path / "2.zip", files))
    assert result.left == {"Bob_Doe": "the group of submission_902"}
    assert os.listdir(small_course.root / "submitted" / "Bob_Doe") == []


def entry(number, name, hour, **keys):
    lines = [f"submission_{number}:", "  :submitters:", f"  - :name: {name}"]
    lines += [f"    :{key}: {value}" for key, value in keys.items()]
    return "\n".join([*lines, f"  :created_at: 2026-01-30 {hour}:00:00.0 Z", ""])


@pytest.mark.parametrize(
    ("one", "two", "students"),
    [
        ({"sid": "'17'"}, {"sid": "'17'"}, []),
        (
            {"sid": "'17'", "email": "bob@example.org"},
            {"sid": "'17'", "email": "eve@example.org"},
            ["Bob_Doe_bob@example.org", "Bob_Doe_eve@example.org"],
        ),
        (
            {"email": "bob@example.org"},
            {"sid": "bob@example.org"},
            ["Bob_Doe_bob@example.org", "Bob_Doe_sid-bob@example.org"],
        ),
    ],
)
def test_in_an_export_nobody_takes_the_place_of_another_of_the_same_name(
    small_course, tmp_path, one, two, students
):
    files = {
        "submission_metadata.yml": entry(1, "Bob Doe", 15, **one) + entry(2, "Bob Doe", 16, **two),
        "submission_1/07.ipynb": notebook(small_course, "good"),
        "submission_2/07.ipynb": notebook(small_course, "blank"),
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert sorted(result.students) == students
    said = [reason for _, reason in result.refused]
    if students:
        assert ["good" in submitted(small_course, student) for student in students] == [True, False]
        assert said == []
    else:
        assert len(said) == 2
        assert all("Bob Doe is named in submission_1 and submission_2" in one for one in said)


def gradescope(course, path, *entries):
    files = {"submission_metadata.yml": "".join(entries)}
    for one in entries:
        folder = one.partition(":")[0]
        files[f"{folder}/07.ipynb"] = notebook(course, one)
    return collect(course, NAME, archive(path, files))


def test_two_names_with_one_address_are_refused_and_a_name_twice_in_a_group_is_not(
    small_course, tmp_path
):
    one = entry(1, "Bob Doe", 15, email="bob@example.org")
    two = entry(2, "Robert Doe", 16, email="Bob@example.org")
    twice = entry(3, "Eve Roe", 17, email="eve@example.org")
    twice = twice.replace("  - ", "  - :name: Eve Roe\n    :email: eve@example.org\n  - ", 1)
    result = gradescope(small_course, tmp_path / "all.zip", one, two, twice)
    assert list(result.students) == ["Eve_Roe"]
    assert [name for name, _ in result.refused] == [
        "submission_1/07.ipynb",
        "submission_2/07.ipynb",
    ]
    said = "Bob Doe and Robert Doe have one address or student ID in submission_1 and submission_2"
    assert all(reason.startswith(said) for _, reason in result.refused)


@pytest.mark.parametrize(
    ("bob", "eve"),
    [
        ({"email": "bob@example.org"}, {"email": "eve@example.org"}),
        ({"email": "bob@example.org"}, {"email": "bób@example.org"}),
        ({"email": "o'bob@example.org"}, {"email": "o_bob@example.org"}),
        ({"email": "bob@example.org", "sid": "'17'"}, {"email": "eve@example.org", "sid": "'17'"}),
    ],
)
@pytest.mark.parametrize(
    "listed", ["First Name,Last Name,SID,Email", "First name,Last name,ID number,Email address", ""]
)
def test_a_name_or_id_that_somebody_enters_later_replaces_nobodys_work(
    small_course, tmp_path, bob, eve, listed
):
    if listed:
        roster = tmp_path / "roster.csv"
        roster.write_text(f"{listed}\nBob,Doe,17,{bob['email']}\n", "utf-8")
        enrol(Classroom(small_course), roster)
    else:
        gradescope(small_course, tmp_path / "one.zip", entry(1, "Bob Doe", 15, **bob))
    result = gradescope(small_course, tmp_path / "two.zip", entry(2, "Bob Doe", 16, **eve))
    assert "Bob_Doe" not in result.students
    result = gradescope(small_course, tmp_path / "three.zip", entry(3, "Robert D", 17, **bob))
    assert list(result.students) == ["Bob_Doe"]
    assert "Robert D" in submitted(small_course, "Bob_Doe")


def test_a_student_id_without_an_address_gives_nobody_the_folder_of_another_name(
    small_course, tmp_path
):
    for number, name, folder in ((1, "Bob Doe", "Bob_Doe"), (2, "Eve Roe", "Eve_Roe")):
        path = tmp_path / f"{number}.zip"
        result = gradescope(small_course, path, entry(number, name, 15, sid="'17'"))
        assert list(result.students) == [folder]


def test_names_that_windows_keeps_for_devices_get_folders_that_every_system_can_have(
    small_course, tmp_path
):
    names = ["CON", "nul", "aux.txt", "Com1", "console"]
    files = {f"{name}/07.ipynb": notebook(small_course, name) for name in names}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert sorted(result.students) == ["CON_", "Com1_", "aux_.txt", "console", "nul_"]


@pytest.mark.parametrize(
    "nobody",
    [
        "submission_901: {}",
        "submission_901:",
        "submission_901:\n  :submitters: []",
        "submission_901:\n  :submitters:\n  :created_at: 2026-01-30 15:00:00.0 Z",
        "submission_901:\n  :submitters: Ada",
        "submission_901:\n  :submitters:\n  - :name:\n    :email: ada@example.org",
        "submission_901:\n  :submitters:\n  -\n  - :name: Ada Lovelace",
    ],
)
def test_a_submission_of_which_gradescope_names_nobody_is_listed_and_the_others_collected(
    small_course, tmp_path, nobody
):
    files = gradescope_export(small_course)
    of_grace = METADATA[METADATA.index("submission_902") :]
    files["assignment_77_export/submission_metadata.yml"] = f"{nobody}\n{of_grace}"
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert sorted(result.students) == ["Bob_Doe", "Grace_Hopper"]
    ((name, reason),) = result.refused
    assert name == "assignment_77_export/submission_901/07.ipynb"
    assert "does not say who handed it in; choose the student in Gradescope" in reason


@pytest.mark.parametrize("metadata", ["- a list", "\t", "a: [b", None])
def test_an_export_with_damaged_or_without_metadata_is_refused(small_course, tmp_path, metadata):
    files = gradescope_export(small_course)
    name = "assignment_77_export/submission_metadata.yml"
    files = {name: metadata, **{k: v for k, v in files.items() if "metadata" not in k}}
    if metadata is None:
        files.pop(name)
    download = archive(tmp_path / "all.zip", files)
    with pytest.raises(CourseError, match=r"damaged; download|choose with --layout folder or"):
        collect(small_course, NAME, download)


@pytest.mark.parametrize("folder", ["/proc/class", "file/class"])
def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence(small_course, tmp_path, folder):
    (tmp_path / "file").write_text("x")
    download = archive(tmp_path / "all.zip", {"ada/07.ipynb": notebook(small_course)})
    with pytest.raises(
        CourseError, match=r"cannot be written \(N.*\); choose another with --folder"
    ):
        collect(small_course, NAME, download, folder=tmp_path / folder)


def test_the_date_inside_an_archive_is_not_the_hand_in_time(small_course, tmp_path):
    inner = bytes_of(
        tmp_path / "i.zip", {"07.ipynb": (notebook(small_course), (1999, 1, 1, 0, 0, 0))}
    )
    files = {
        "Roe_2_assignsubmission_file_/hw.zip": inner,
        "Doe_3_assignsubmission_file_/07.ipynb": (notebook(small_course), (2026, 1, 30, 12, 0, 0)),
    }
    collect(small_course, NAME, archive(tmp_path / "all.zip", files), zone="UTC")
    stamp = small_course.root / "submitted" / "Roe" / NAME / "timestamp.txt"
    assert stamp.read_text().startswith("2026-01-30 15:00:00")


def test_of_notebooks_handed_in_together_the_date_inside_decides(small_course, tmp_path):
    files = {
        "a/07.ipynb": (notebook(small_course, "newer"), (2026, 1, 2, 0, 0, 0)),
        "b/07.ipynb": (notebook(small_course, "older"), (2026, 1, 1, 0, 0, 0)),
    }
    download = {"roe_2_12_hw.zip": bytes_of(tmp_path / "inner.zip", files)}
    collect(small_course, NAME, archive(tmp_path / "all.zip", download))
    assert "newer" in submitted(small_course, "roe")


@pytest.mark.parametrize(
    "one", ["Teilnehmer_in {}", "Participant_{}", "Deltager{}", "Uczestnik {}"]
)
def test_anonymous_names_of_moodle_have_a_number_in_every_language(small_course, tmp_path, one):
    files = {
        f"{one.format(number)}_assignsubmission_file_/07_topic.ipynb": notebook(
            small_course, str(number)
        )
        for number in (5511, 5512)
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    name = one.replace("{}", "").strip(" _")
    assert (result.layout, list(result.students)) == ("moodle", [f"{name}_5511", f"{name}_5512"])
    numbers = [one.numbers for one in read_people(small_course.root).values()]
    assert numbers == [{f"moodle {NAME}": "5511"}, {f"moodle {NAME}": "5512"}]


DRIVE = (
    "Week 1/Ada Lovelace - 07_topic.ipynb",
    "Week 1/Grace Hopper - 07_topic.ipynb",
    "Week 1/Copy of 07_topic (Grace Hopper) (1).ipynb",
)


def collected_with_roster(course, tmp_path, names, listed):
    if listed:
        roster = tmp_path / "roster.csv"
        people = ("ada,Ada,Lovelace,al@x.org", "grace,Grace,Hopper,gh@x.org", "dan,Dan,Roe,")
        roster.write_text("\n".join(["id,first_name,last_name,email", *people]))
        enrol(Classroom(course), roster)
    files = {name: notebook(course, name) for name in names}
    return collect(course, NAME, archive(tmp_path / "all.zip", files))


@pytest.mark.parametrize(
    ("names", "students"),
    [
        (DRIVE, ["ada", "grace"]),
        (DRIVE[:1], ["ada"]),
        (["Week 1/07_topic_al.ipynb", "Week 1/hoppergrace v2.ipynb"], ["ada", "grace"]),
        (["Week 1/Ada Lovelace.ipynb", "Week 1/Eve Kim.ipynb", "Week 1/07.ipynb"], ["ada"]),
        (["ada/Grace Hopper - 07.ipynb", "ada/Dan Roe - 07.ipynb"], ["ada"]),  # a student's own
        ([*DRIVE, "grace/07.ipynb"], ["grace"]),
        (["dan/07.ipynb", "mallory/Ada Lovelace 07.ipynb", "mallory/Dan Roe 07.ipynb"], ["dan"]),
    ],
)
def test_files_of_several_students_in_one_folder_are_matched_to_the_class_or_refused(
    small_course, tmp_path, names, students
):
    result = collected_with_roster(small_course, tmp_path, names, listed=True)
    assert sorted(result.students) == students
    assert result.new == []
    seen = [*result.students.values(), *(one for own in result.earlier.values() for one in own)]
    assert sorted([*seen, *(name for name, _ in result.refused)]) == sorted(names)
    for student, name in result.students.items():
        assert name in submitted(small_course, student)


@pytest.mark.parametrize(
    "names",
    [
        DRIVE,
        ["Week 1/ada - 07_topic.ipynb", "Week 1/grace - 07_topic.ipynb"],
        ["Week 1/07_topic-王小明.ipynb", "Week 1/07_topic-李雷.ipynb"],
        ["Week 1/123456_07_topic.ipynb", "Week 1/123457_07_topic.ipynb"],
    ],
)
def test_without_a_roster_a_folder_with_several_names_is_refused_and_said_what_to_do(
    small_course, tmp_path, names
):
    result = collected_with_roster(small_course, tmp_path, names, listed=False)
    assert not result.students
    assert sorted(name for name, _ in result.refused) == sorted(names)
    assert "Week 1 holds files of several students" in " ".join(collected_lines(result))
    assert not (small_course.root / "submitted").exists()


@pytest.mark.parametrize(
    "files",
    [
        ["07_topic.ipynb", "07_topic-v2 final.ipynb", "Copy of 07_topic (1).ipynb", "backup.ipynb"],
        ["07_topic Ada.ipynb", "07_topic Ada Lovelace.ipynb", "07_topic.ipynb", "scratch.ipynb"],
        ["07_topic 2026-10-20 12.30.ipynb", "07_topic_20261021.ipynb", "old/Untitled3.ipynb"],
    ],
)
def test_versions_of_one_student_are_no_several_students(small_course, tmp_path, files):
    names = [f"adal/{name}" for name in files]
    result = collected_with_roster(small_course, tmp_path, names, listed=False)
    assert list(result.students) == ["adal"]
    assert not result.refused


@pytest.mark.parametrize("date", ["2026-13-45-99-99-99", "0001-01-01-00-00-00"])
def test_an_impossible_date_is_named_and_the_rest_collected(small_course, tmp_path, date):
    files = {
        f"T_roe_attempt_{date}_07_topic.ipynb": notebook(small_course),
        "T_ada_attempt_2026-01-30-15-00-00_07_topic.ipynb": notebook(small_course),
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert list(result.students) == ["ada"]
    assert result.unmatched[0][1] == f"there is no date {date}; correct it in the file name"


def test_a_file_date_that_no_calendar_has_is_collected_as_an_old_one(small_course, tmp_path):
    folder = tmp_path / "download" / "roe"
    folder.mkdir(parents=True)
    (folder / "07_topic.ipynb").write_text(notebook(small_course))
    os.utime(folder / "07_topic.ipynb", (2**40, 2**40))
    result = collect(small_course, NAME, folder.parent)
    assert list(result.students) == ["roe"]


def collected(course, tmp_path, *names):
    files = {f"{name}/07_topic.ipynb": notebook(course, f"by {name}") for name in names}
    return collect(course, NAME, archive(tmp_path / "all.zip", files), layout="folder")


@pytest.mark.parametrize("second", ["alice_", "alice.", "Alice", "ALICE"])
def test_a_name_that_would_share_a_folder_does_not_replace_what_is_there(
    small_course, tmp_path, second
):
    collected(small_course, tmp_path, "alice")
    result = collected(small_course, tmp_path, second, "bob")
    (refused,) = result.refused
    assert refused[0] == f"{second}/07_topic.ipynb"
    assert "would share a folder with alice" in refused[1]
    assert "rename one of them" in refused[1]
    assert sorted(os.listdir(small_course.root / "submitted")) == ["alice", "bob"]
    assert "by alice" in submitted(small_course, "alice")


@pytest.mark.parametrize(
    ("names", "kept"), [(["alice", "alice_"], ["alice"]), (["alice", "Alice"], [])]
)
def test_of_two_names_in_one_download_that_share_a_folder_the_exact_one_keeps_it(
    small_course, tmp_path, names, kept
):
    result = collected(small_course, tmp_path, *names, "bob")
    assert list(result.students) == [*kept, "bob"]
    assert len(result.refused) == len(names) - len(kept)


def blackboard(course, path, *heads, **told):
    """A download of Blackboard; `told` are the user names in the text files beside attempts."""
    time = "attempt_2026-01-30-15-00-00"
    files = {f"{head}_{time}_{NAME}.ipynb": notebook(course, head) for head in heads}
    files |= {
        f"{head}_{time}.txt": f"Name: Ada (of T) ({user})\nAssignment: T\n"
        for head, user in told.items()
    }
    return archive(path, files)


A, B, ADA = "a_miller", "b_miller", "ada"


@pytest.mark.parametrize(
    ("heads", "told", "class_before", "students"),
    [
        (["T_a_miller", "T_b_miller", "T_ada"], {}, "", [A, ADA, B]),
        (["My_Work_a_miller", "My_Work_b_miller"], {"My_Work_a_miller": A}, "", [A, B]),
        (["My_Work_a_miller", "My_Work_ada"], {"My_Work_zoe": "zoe"}, "", [A, ADA]),
        (["A_1_a_miller", "A_2_a_miller"], {"A_1_x": "x", "A_2_x": "x"}, "", [A]),
        ([f"{NAME}_a_miller", f"{NAME}_b_miller"], {}, "", [A, B]),
        (["07_Topic_ada"], {}, "", [ADA]),
        # the class says it
        (["My_Work_a_miller", "My_Work_b_miller"], {}, "a_miller,b_miller", [A, B]),
        (["My_Work_a_miller", "My_Work_b_miller"], {}, "a_miller,ada", [A, B]),
        (["My_Work_a_miller"], {}, "a_miller", [A]),
        (["T_a_miller", "T_a_smith"], {}, "a_miller,a_smith,miller", [A, "a_smith"]),
        # nothing does
        (["My_Work_a_miller", "My_Work_b_miller"], {}, "", []),
        (["T_a_miller", "T_a_smith"], {}, "", []),
        (["T_a_miller"], {}, "", []),
        (["My_Work_a_miller"], {}, "miller,a_miller", []),
        (["My_Work_ada"], {"My_Work_ada": "grace"}, "", []),
    ],
)
def test_titles_and_user_names_of_blackboard_may_have_underscores(
    small_course, tmp_path, heads, told, class_before, students
):
    if class_before:
        roster = tmp_path / "roster.csv"
        users = class_before.split(",")
        roster.write_text("Username,Last Access\n" + "".join(f"{user},\n" for user in users))
        assert sorted(enrol(Classroom(small_course), roster).added) == sorted(users)
    path = blackboard(small_course, tmp_path / "all.zip", *heads, **told)
    result = collect(small_course, NAME, path)
    assert list(result.students) == students
    for head in heads if students else ():
        student = next(one for one in students if head.endswith(one))
        assert head in submitted(small_course, student) or len(heads) > len(students)
    assert len(result.refused) == (0 if students else len(heads))
    assert all("where does the title end?" in reason for _, reason in result.refused)


def test_two_downloads_merge_no_user_names_that_end_alike(small_course, tmp_path):
    for user in ("miller", "a_miller", "b_miller"):
        path = blackboard(small_course, tmp_path / f"{user}.zip", f"T_{user}")
        assert list(collect(small_course, NAME, path).students) == [user]
    assert sorted(os.listdir(small_course.root / "submitted")) == ["a_miller", "b_miller", "miller"]


def test_a_title_that_an_earlier_download_has_shown_stays_one(small_course, tmp_path):
    first = blackboard(small_course, tmp_path / "1.zip", "My_Work_ada", My_Work_ada="ada")
    collect(small_course, NAME, first)
    second = blackboard(small_course, tmp_path / "2.zip", "My_Work_a_miller")
    assert list(collect(small_course, NAME, second).students) == ["a_miller"]


def test_a_students_file_tells_no_user_name(small_course, tmp_path):
    forged = "My_Work_eve_attempt_2026-01-30-15-00-00_x_attempt_2026-01-30-15-00-00.txt"
    path = blackboard(small_course, tmp_path / "all.zip", "My_Work_eve")
    with zipfile.ZipFile(path, "a") as made:
        made.writestr(forged, "Name: Eve (x)\n")
        made.writestr("My_Work_eve_attempt_2026-01-30-15-00-00_y.txt", "Name: Eve (eve)\n")
    assert collect(small_course, NAME, path).students == {}


def test_a_number_of_the_lms_keeps_its_folder_in_later_downloads(tmp_path):
    first, second, third = (Submitter("leeann", number) for number in "123")

    def folders(*submitters):
        students = Students(tmp_path, read_people(tmp_path), "canvas")
        made = students.assign(submitters)
        assert not made.refused
        students.save()
        return [made.folders[submitter] for submitter in submitters]

    assert folders(first) == ["leeann"]
    assert folders(second) == ["leeann_2"]
    assert folders(third, first, second) == ["leeann_3", "leeann", "leeann_2"]


def test_letters_with_marks_and_both_forms_of_an_accent_keep_their_names(tmp_path):
    names = ["Jose\u0301 Á", "राम", "रामा"]
    made = Students(tmp_path, {}, "folder").assign(map(Submitter, names))
    assert not made.refused
    assert sorted(made.folders.values()) == sorted(["José_Á", "राम", "रामा"])


def test_a_name_too_long_for_a_folder_is_refused_and_the_rest_collected(small_course, tmp_path):
    result = collected(small_course, tmp_path, "x" * 200, "ada", "_._")
    assert list(result.students) == ["ada"]
    reasons = dict(result.refused)
    assert "longer than 120 bytes" in reasons[f"{'x' * 200}/07_topic.ipynb"]
    assert "no student name" in reasons["_._/07_topic.ipynb"]


def test_one_student_cannot_use_up_the_allowance_of_the_class(small_course, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MAX_STUDENT_FILES", 20)
    monkeypatch.setattr(archives, "MAX_STUDENT_BYTES", 2**20)
    page = notebook(small_course)
    many = bytes_of(tmp_path / "i.zip", {f"{n}.ipynb": "{}" for n in range(21)})
    large = bytes_of(tmp_path / "i.zip", {f"{n}.ipynb": page + " " * 300_000 for n in range(4)})
    files = {f"a_few_{n}_07.txt": "x" for n in range(3)}
    files |= {f"roe_1_{n}_x.txt": "" for n in range(30)}
    files |= {"roe_1_99_07.ipynb": page, "sue_2_1_hw.zip": many, "tom_3_1_hw.zip": large}
    files |= {"zoe_4_1_07.ipynb": page}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    result = collect(small_course, NAME, tmp_path / "all.zip")
    reasons = dict(result.refused)
    assert list(result.students) == ["tom", "zoe"]
    assert "more than 20 files of one student" in reasons["roe_1_20_x.txt"]
    assert "contains 21 files; the limit is 20" in reasons["sue_2_1_hw.zip"]
    assert "MiB of one student" in reasons["tom_3_1_hw.zip/3.ipynb"]


def test_a_damaged_archive_costs_only_the_student_who_handed_it_in(small_course, tmp_path):
    good = bytes_of(tmp_path / "i.zip", {"07_topic.ipynb": notebook(small_course)})
    flags = bytearray(good)  # says that the name is UTF-8, which it is not
    for signature, flag, name in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        at = flags.index(signature)
        flags[at + flag + 1] |= 0x08
        flags[at + name] = 0xFF
    method = bytearray(good)
    method[method.index(b"PK\x03\x04") + 8] = method[method.index(b"PK\x01\x02") + 10] = 14
    broken = {
        "words": b"words",
        "empty": b"",
        "cut": good[: len(good) // 2],
        "name": bytes(flags),
        "lzma": bytes(method),
        "noise": good[:60] + bytes(200) + good[260:],
    }
    files = {f"{name}_1_2_hw.zip": content for name, content in broken.items()}
    files["ada_3_4_hw.zip"] = good
    files["nameless_5_6_hw.zip"] = good.replace(b"07_topic.ipynb", b"\0" + b"7_topic.ipynb")
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert list(result.students) == ["ada"]
    assert {name.partition("_")[0] for name, _ in result.refused} == set(broken)
    assert result.unmatched == [("nameless_5_6_hw.zip/", "not a notebook (.ipynb)")]
