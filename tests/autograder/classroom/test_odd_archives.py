"""Archives and names as browsers, Windows and students make them: the notebook in them is found."""

import zipfile

import nbformat
import pytest
from downloads import NAME, archive, bytes_of, notebook

from autograder.classroom import archive_names
from autograder.classroom.collect import collect
from autograder.classroom.console_tables import collected_lines
from autograder.errors import CourseError

EARLIER, LATER = (2026, 1, 30, 14, 0, 0), (2027, 1, 1, 0, 0, 0)


def collected(course, student):
    path = course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
    return nbformat.reads(path.read_text("utf-8"), as_version=4).cells[-1].source


@pytest.mark.parametrize("ending", [".ipynb.txt", ".ipynb.json", ".IPYNB"])
def test_a_name_to_which_a_browser_has_added_an_ending_is_a_notebooks(
    small_course, tmp_path, ending
):
    files = {f"doebob_1_11_{NAME}{ending}": notebook(small_course, "Bob's")}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert result.students == {"doebob": f"doebob_1_11_{NAME}{ending}"}
    assert collected(small_course, "doebob") == "Bob's"


def test_an_archive_that_is_called_a_notebook_is_unpacked(small_course, tmp_path):
    inner = bytes_of(tmp_path / "inner.zip", {"homework.ipynb": notebook(small_course, "Bob's")})
    files = {f"doebob_1_11_{NAME}.ipynb": inner}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert result.students == {"doebob": f"doebob_1_11_{NAME}.ipynb/homework.ipynb"}
    assert collected(small_course, "doebob") == "Bob's"


def test_the_checkpoints_in_an_archive_made_on_windows_are_no_submission(small_course, tmp_path):
    hidden = f"homework\\.ipynb_checkpoints\\{NAME}-checkpoint.ipynb"
    packed = {
        f"homework\\{NAME}.ipynb": (notebook(small_course, "final"), EARLIER),
        hidden: (notebook(small_course, "checkpoint"), LATER),
    }
    files = {"doebob_1_11_hw.zip": bytes_of(tmp_path / "inner.zip", packed)}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert result.students == {"doebob": f"doebob_1_11_hw.zip/homework/{NAME}.ipynb"}
    assert result.earlier == {}
    assert collected(small_course, "doebob") == "final"


def test_backslashes_lead_neither_out_of_an_archive_nor_to_another_student(small_course, tmp_path):
    packed = {
        f"..\\..\\doebob\\{NAME}.ipynb": notebook(small_course, "out"),
        f"doebob\\{NAME}.ipynb": notebook(small_course, "Mallory's"),
    }
    inner = bytes_of(tmp_path / "inner.zip", packed)
    files = {"mallory/hw.zip": inner, f"doebob/{NAME}.ipynb": notebook(small_course, "Bob's")}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert collected(small_course, "doebob") == "Bob's"
    assert collected(small_course, "mallory") == "Mallory's"
    assert [reason for _, reason in result.refused] == ["path points outside the archive"]


#: layout -> the files of a download with two submissions, and the students.
DOWNLOADS = {
    "canvas": (["doebob_1_11_07.ipynb", "roeeve_2_12_07.ipynb"], ["doebob", "roeeve"]),
    "moodle": (
        [
            f"{who}_{n}_assignsubmission_file_/07.ipynb"
            for n, who in enumerate(("Bob Doe", "Eve Roe"))
        ],
        ["Bob_Doe", "Eve_Roe"],
    ),
    "blackboard": (
        [f"T_{who}_attempt_2026-01-30-15-00-00_07.ipynb" for who in ("bob", "eve")],
        ["bob", "eve"],
    ),
    "brightspace": (
        [f"{who}-9 - {who} Doe - Jan 28, 2026 1105 AM/07.ipynb" for who in ("1", "2")],
        ["1_Doe", "2_Doe"],
    ),
    "sakai": (
        [f"T/Doe, {who}({who})/Submission attachment(s)/07.ipynb" for who in ("Bob", "Eve")],
        ["Doe_Bob_Bob", "Doe_Eve_Eve"],
    ),
    "folder": (["bob/07.ipynb", "eve/work.zip"], ["bob", "eve"]),
}


def download(course, tmp_path, layout):
    work = bytes_of(tmp_path / "work.zip", {"07.ipynb": notebook(course, "in an archive")})
    return bytes_of(
        tmp_path / "inner.zip",
        {n: work if n.endswith(".zip") else notebook(course, n) for n in DOWNLOADS[layout][0]},
    )


@pytest.mark.parametrize("layout", DOWNLOADS)
@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("submissions.zip", "folder"),
        ("submissions (1).zip", "archive"),
        ("all.zip", "archive"),
        ("submissions/download.zip", "archive"),
        ("gradebook_T_2026-01-30-15-00-00.zip", "twice"),
    ],
)
def test_a_download_that_was_packed_again_or_lies_in_a_folder_is_a_class(
    small_course, tmp_path, layout, name, packed
):
    content = download(small_course, tmp_path, layout)
    passed, inside = tmp_path / "passed", name
    if packed == "folder":
        passed.mkdir()
        (passed / name).write_bytes(content)
        (passed / "notes.txt").write_text("x")
    else:
        archive(passed, {name: content, "__MACOSX/._x": "x"})
    if packed == "twice":
        inside = f"all.zip/{name}"
        archive(passed, {"all.zip": passed.read_bytes()})
    result = collect(small_course, NAME, passed)
    assert (result.layout, sorted(result.students)) == (layout, DOWNLOADS[layout][1])
    assert (result.refused, result.unmatched) == ([], [])
    said = "\n".join(collected_lines(result))
    assert f"The download is the archive {inside} in what you passed." in said


@pytest.mark.parametrize("layout", [*DOWNLOADS, "gradescope"])
@pytest.mark.parametrize("name", ["roe.zip", "roe/hw.zip", "submissions.zip/roe.zip"])
def test_an_archive_that_may_be_a_students_or_a_class_is_not_guessed(
    small_course, tmp_path, layout, name
):
    if layout == "gradescope":
        files = {"submission_metadata.yml": "submission_1:\n  :submitters: []\n"}
        content = bytes_of(tmp_path / "i.zip", {**files, "submission_1/07.ipynb": "{}"})
    else:
        content = download(small_course, tmp_path, layout)
    for part in reversed(name.split(".zip/")):
        content = bytes_of(tmp_path / "i.zip", {part.removesuffix(".zip") + ".zip": content})
    passed = tmp_path / "passed.zip"
    passed.write_bytes(content)
    words = (
        "a whole class" if layout == "folder" else f"a download of {layout.capitalize()}; choose"
    )
    with pytest.raises(CourseError, match=f"could be one student's work or {words}"):
        collect(small_course, NAME, passed)
    assert not (small_course.root / "submitted").exists()
    if layout not in ("folder", "gradescope"):
        result = collect(small_course, NAME, passed, layout=layout)
        assert sorted(result.students) == DOWNLOADS[layout][1]


@pytest.mark.parametrize(
    ("name", "files", "students"),
    [
        ("ann.zip", ["07.ipynb"], ["ann"]),
        ("ann/hw.zip", ["work/07.ipynb"], ["ann"]),
        ("ann/hw.zip", ["07_topic/a.ipynb", "notebooks/a.ipynb"], ["ann"]),
        ("doebob_1_11_hw.zip", ["a/07.ipynb", "b/07.ipynb"], ["doebob"]),
        ("submissions.zip", ["07.ipynb", "old/07.ipynb"], ["submissions"]),
    ],
)
def test_the_archive_of_a_student_alone_is_the_students(
    small_course, tmp_path, name, files, students
):
    content = bytes_of(tmp_path / "i.zip", {one: notebook(small_course, one) for one in files})
    result = collect(small_course, NAME, archive(tmp_path / "passed.zip", {name: content}))
    assert (list(result.students), result.inside) == (students, "")


def test_downloads_side_by_side_are_no_students(small_course, tmp_path):
    files = {
        "week1.zip": download(small_course, tmp_path, "canvas"),
        "week2/all.zip": download(small_course, tmp_path, "moodle"),
        "ada.zip": bytes_of(tmp_path / "a.zip", {"hw_7_2_final.ipynb": notebook(small_course)}),
    }
    result = collect(small_course, NAME, archive(tmp_path / "passed.zip", files))
    assert list(result.students) == ["ada"]
    assert sorted(name for name, _ in result.refused) == ["week1.zip", "week2/all.zip"]
    assert (
        "looks like a download of Canvas: collect it by itself" in dict(result.refused)["week1.zip"]
    )
    chosen = collect(small_course, NAME, tmp_path / "passed.zip", layout="folder")
    assert list(chosen.students) == ["ada", "week1", "week2"]


def test_a_damaged_archive_in_a_folder_is_refused_with_the_reason(small_course, tmp_path):
    (tmp_path / "passed").mkdir()
    content = download(small_course, tmp_path, "canvas")
    (tmp_path / "passed" / "submissions.zip").write_bytes(content[: len(content) // 2])
    result = collect(small_course, NAME, tmp_path / "passed")
    assert result.students == {}
    assert "damaged archive" in result.refused[0][1]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_two_files_with_one_name_the_later_counts(small_course, tmp_path):
    import zipfile

    inner = tmp_path / "inner.zip"
    with zipfile.ZipFile(inner, "w") as made:
        for words, date in (("new", LATER), ("old", EARLIER)):
            text = notebook(small_course, words)
            made.writestr(zipfile.ZipInfo(f"{NAME}.ipynb", date), text)
    files = {"doebob_1_11_hw.zip": inner.read_bytes()}
    collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert collected(small_course, "doebob") == "new"


@pytest.mark.parametrize("ending", ["7z", "rar", "tar.gz"])
def test_an_archive_of_another_kind_is_named_as_such(small_course, tmp_path, ending):
    files = {
        f"doebob_1_11_hw.{ending}": "packed",
        f"roe_2_12_{NAME}.ipynb": notebook(small_course, "Roe's"),
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    reason = "an archive of another kind: unpack it, or ask for a .zip"
    assert result.unmatched == [(f"doebob_1_11_hw.{ending}", reason)]


class Named(zipfile.ZipInfo):
    """A member with a name in bytes, as a program writes it that knows no UTF-8."""

    def _encodeFilenameFlags(self):
        return self.raw, 0


def with_names(path, names, content="{}"):
    with zipfile.ZipFile(path, "w") as made:
        for number, name in enumerate(names):
            member = Named(f"{number}")
            member.raw = name
            made.writestr(member, content)
    return path


def test_a_name_that_no_file_can_have_is_refused_without_a_look_at_its_letters(
    small_course, tmp_path, monkeypatch
):
    looked_at = []

    def count(names):
        looked_at.extend(map(len, names))
        return 0.0

    monkeypatch.setattr(archive_names, "strangeness", count)
    letter = b"\x84"
    names = [
        b"bob/" + letter * 60_000 + b".ipynb",
        b"/".join([letter * 200] * 30),
        b"eve/\x84.ipynb",
    ]
    path = with_names(tmp_path / "all.zip", [*names, b"ada/07.ipynb"], notebook(small_course))
    result = collect(small_course, NAME, path)
    assert list(result.students) == ["ada", "eve"]
    refused = [(len(name), reason) for name, reason in result.refused]
    assert refused == [(81, "its name is longer than file systems allow")] * 2
    assert max(looked_at) == len(names[-1])


def test_of_many_names_only_some_are_looked_at_letter_by_letter(tmp_path, monkeypatch):
    looked_at = []

    def count(names):
        looked_at.append(sum(map(len, names)))
        return 0.0

    monkeypatch.setattr(archive_names, "strangeness", count)
    names = [b"%04d" % number + b"\x84\x94" * 100 for number in range(2_000)]
    with zipfile.ZipFile(with_names(tmp_path / "all.zip", names)) as read:
        assert len(archive_names.members(read)) == 2_000
    assert max(looked_at) <= 8_192


def test_of_thousands_of_notebooks_in_an_archive_the_first_are_read(small_course, tmp_path):
    inner = bytes_of(tmp_path / "i.zip", {f"{n:04}.ipynb": "{}" for n in range(1_000)})
    files = {"eve/work.zip": inner, "ada/07.ipynb": notebook(small_course)}
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert list(result.students) == ["ada"]
    assert [reason for _, reason in result.refused] == [
        "more than 200 notebooks in the archive; the rest is left out"
    ]
    assert len(result.unmatched) == 200
