"""Collecting what an LMS lets instructors download: nothing is lost, nothing harmful is taken."""

import json
import os
import struct
import zipfile

import nbformat
import pytest
from click.testing import CliRunner

from autograder.authoring.new_assignment import new_assignment
from autograder.authoring.release import release
from autograder.classroom.archives import FILE_BYTES, unpack
from autograder.classroom.collect import collect
from autograder.cli import main
from autograder.course.reference import read
from autograder.errors import CourseError

NAME = "07_topic"


def notebook(course, words="", assignment=NAME):
    """A student's notebook, with a sentence of their own."""
    made = read(course.notebook(assignment))
    made.cells.append(nbformat.v4.new_markdown_cell(words))
    return nbformat.writes(made)


def archive(path, files):
    """A zip archive: name -> text, or (text, date)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            text, date = (
                content if isinstance(content, tuple) else (content, (2026, 1, 30, 15, 0, 0))
            )
            made.writestr(zipfile.ZipInfo(name, date), text, zipfile.ZIP_DEFLATED)
    return path


def submitted(course, student):
    return (course.root / "submitted" / student / NAME / f"{NAME}.ipynb").read_text("utf-8")


CANVAS = {
    "lovelaceada_123_4567_07_topic.ipynb": "ada",
    "hoppergrace_LATE_124_4568_07_topic-1.ipynb": "grace",
}
MOODLE = {
    "Ada Lovelace_1234567_assignsubmission_file_/07_topic.ipynb": "ada",
    "Grace Hopper_1234568_assignsubmission_file_/my work/topic final.ipynb": "grace",
}
BLACKBOARD = {
    "Topics_alovelace_attempt_2026-01-30-15-00-00_07_topic.ipynb": "ada",
    "Topics_ghopper_attempt_2026-01-30-16-00-00_07_topic (1).ipynb": "grace",
}
FOLDER = {"ada/07_topic.ipynb": "ada", "grace/07_topic/07_topic.ipynb": "grace"}
STUDENTS = {
    "canvas": ["hoppergrace", "lovelaceada"],
    "moodle": ["Ada_Lovelace", "Grace_Hopper"],
    "blackboard": ["alovelace", "ghopper"],
    "folder": ["ada", "grace"],
}


@pytest.mark.parametrize(
    ("layout", "files"),
    [("canvas", CANVAS), ("moodle", MOODLE), ("blackboard", BLACKBOARD), ("folder", FOLDER)],
)
def test_the_download_of_each_lms_is_read_in_its_own_manner(small_course, tmp_path, layout, files):
    made = {name: notebook(small_course, words) for name, words in files.items()}
    result = collect(small_course, NAME, archive(tmp_path / "download.zip", made))
    assert result.layout == layout
    assert sorted(result.students) == STUDENTS[layout]
    assert not result.unmatched
    assert not result.refused
    for student, name in result.students.items():
        assert submitted(small_course, student) == made[name]


def test_a_folder_with_one_archive_per_student_is_read_too(small_course, tmp_path):
    folder = tmp_path / "download"
    folder.mkdir()
    for student in ("ada", "grace"):
        archive(folder / f"{student}.zip", {"work/07_topic.ipynb": notebook(small_course, student)})
    result = collect(small_course, NAME, folder)
    assert sorted(result.students) == ["ada", "grace"]


def test_the_latest_submission_counts_and_earlier_ones_are_kept(small_course, tmp_path):
    made = {
        f"T_ada_attempt_2026-01-30-{hour}-00-00_07_topic.ipynb": notebook(small_course, hour)
        for hour in ("17", "15", "16")
    }
    result = collect(small_course, NAME, archive(tmp_path / "first.zip", made))
    assert "17" in submitted(small_course, "ada")
    assert len(result.earlier["ada"]) == 2
    stamp = (small_course.root / "submitted/ada" / NAME / "timestamp.txt").read_text()
    assert stamp.startswith("2026-01-30 17:00:00")
    later = {"T_ada_attempt_2026-02-01-09-00-00_07_topic.ipynb": notebook(small_course, "new")}
    collect(small_course, NAME, archive(tmp_path / "second.zip", later))
    assert "new" in submitted(small_course, "ada")
    kept = list((small_course.root / "earlier" / "ada" / NAME).iterdir())
    assert [path.name[:19] for path in sorted(kept)] == [
        "2026-01-30-15-00-00",
        "2026-01-30-16-00-00",
        "2026-01-30-17-00-00",
    ]


def test_an_older_download_collected_late_does_not_replace_what_came_after(small_course, tmp_path):
    for day, words in (("02", "newer"), ("01", "older")):
        made = {
            f"T_ada_attempt_2026-02-{day}-09-00-00_07_topic.ipynb": notebook(small_course, words)
        }
        result = collect(small_course, NAME, archive(tmp_path / f"{day}.zip", made))
    assert "newer" in submitted(small_course, "ada")
    assert result.unchanged == ["ada"]
    assert "older" in next((small_course.root / "earlier/ada" / NAME).iterdir()).read_text("utf-8")


def test_collecting_twice_changes_nothing(small_course, tmp_path):
    made = archive(tmp_path / "download.zip", {name: notebook(small_course) for name in BLACKBOARD})
    collect(small_course, NAME, made)
    before = {p: p.stat().st_mtime_ns for p in small_course.root.rglob("*") if p.is_file()}
    result = collect(small_course, NAME, made)
    assert sorted(result.unchanged) == ["alovelace", "ghopper"]
    after = {p: p.stat().st_mtime_ns for p in small_course.root.rglob("*") if p.is_file()}
    assert after == before


def test_two_students_of_one_name_are_told_apart_by_the_number_of_the_lms(small_course, tmp_path):
    made = {
        "leeann_1_11_07_topic.ipynb": notebook(small_course, "one"),
        "leeann_2_12_07_topic.ipynb": notebook(small_course, "two"),
    }
    result = collect(small_course, NAME, archive(tmp_path / "download.zip", made))
    assert sorted(result.students) == ["leeann_1", "leeann_2"]


def test_notebooks_are_known_by_their_content(small_course, tmp_path):
    new_assignment(small_course, "08_other")
    release(small_course, ["08_other"])
    empty = nbformat.writes(nbformat.v4.new_notebook())
    bare = read(small_course.notebook(NAME))
    for cell in bare.cells:
        cell.metadata.clear()
    made = {
        "ada/homework (3).ipynb": notebook(small_course, "ada"),
        "bob/07_topic.ipynb": notebook(small_course, assignment="08_other"),
        "cem/Untitled.ipynb": empty,
        "dan/07_topic.ipynb": "{ cut off",
        "eve/stripped.ipynb": nbformat.writes(bare),
        "fay/notes.docx": "words",
        "fay/.ipynb_checkpoints/07_topic-checkpoint.ipynb": notebook(small_course),
        "gus/07_topic.ipynb": empty,
    }
    result = collect(small_course, NAME, archive(tmp_path / "download.zip", made))
    # a file that cannot be read but is called right is graded: zeros, with the reason
    assert sorted(result.students) == ["ada", "dan", "eve", "gus"]
    assert dict(result.unmatched) == {
        "bob/07_topic.ipynb": "it looks like 08_other, not 07_topic",
        "cem/Untitled.ipynb": "it is another notebook, not 07_topic",
        "fay/notes.docx": "it is no notebook",
    }


def test_what_is_harmful_is_refused_by_name_and_the_rest_is_collected(small_course, tmp_path):
    path = archive(tmp_path / "download.zip", {"ada/07_topic.ipynb": notebook(small_course)})
    inner = archive(tmp_path / "inner.zip", {"x.zip": b"PK", "07_topic.ipynb": "0" * 5_000_000})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as made:
        made.writestr("bob/../../evil.ipynb", notebook(small_course))
        made.writestr("/etc/evil.ipynb", notebook(small_course))
        made.writestr("cem/bomb.ipynb", b"0" * 40_000_000)
        link = zipfile.ZipInfo("dan/link.ipynb")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("eve/work.zip", inner.read_bytes())
    result = collect(small_course, NAME, path)
    assert list(result.students) == ["ada"]
    reasons = dict(result.refused)
    assert reasons["bob/../../evil.ipynb"] == "its name leads out of the archive"
    assert reasons["/etc/evil.ipynb"] == "its name leads out of the archive"
    assert "it would grow" in reasons["cem/bomb.ipynb"]
    assert reasons["dan/link.ipynb"] == "it is a link"
    assert "in an archive" in reasons["eve/work.zip/x.zip"]
    assert "it would grow" in reasons["eve/work.zip/07_topic.ipynb"]
    assert not (tmp_path / "evil.ipynb").exists()


def test_an_archive_that_lies_about_a_size_is_stopped_while_unpacking(tmp_path):
    path = archive(tmp_path / "liar.zip", {"ada/07_topic.ipynb": "0" * 30_000_000})
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(signature) + offset
        data[place : place + 4] = struct.pack("<I", 100)
    path.write_bytes(data)
    (tmp_path / "out").mkdir()
    result = unpack(path, tmp_path / "out")
    assert not result.files
    assert result.refused[0][0] == "ada/07_topic.ipynb"
    assert sum(p.stat().st_size for p in (tmp_path / "out").iterdir()) < 1_000_000


def test_links_and_absurd_sizes_in_a_folder_are_refused(small_course, tmp_path):
    folder = tmp_path / "download"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "07_topic.ipynb").write_text(notebook(small_course))
    (folder / "bob").symlink_to(folder / "ada")
    (folder / "cem").mkdir()
    with open(folder / "cem" / "07_topic.ipynb", "wb") as huge:
        huge.truncate(FILE_BYTES + 1)
    os.symlink("/etc/passwd", folder / "ada" / "passwd.ipynb")
    result = collect(small_course, NAME, folder)
    assert list(result.students) == ["ada"]
    reasons = dict(result.refused)
    assert reasons["bob"] == reasons["ada/passwd.ipynb"] == "it is a link"
    assert "no notebook has more than 100" in reasons["cem/07_topic.ipynb"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p / "nowhere.zip", "there is no archive or folder"),
        (lambda p: archive(p / "empty.zip", {"a/b.txt": "x"}), "holds no notebook"),
        (lambda p: archive(p / "flat.zip", {"07.ipynb": "{}"}), "do not say which student"),
        (lambda p: (p / "text.zip", (p / "text.zip").write_text("x"))[0], "is not a zip archive"),
    ],
)
def test_a_download_that_cannot_be_used_says_so_in_one_sentence(
    small_course, tmp_path, make, words
):
    with pytest.raises(CourseError, match=words):
        collect(small_course, NAME, make(tmp_path))


def test_a_layout_that_there_is_not_is_named(small_course, tmp_path):
    with pytest.raises(CourseError, match="no layout is called ilias; there are canvas, moodle"):
        collect(small_course, NAME, tmp_path, layout="ilias")


def test_the_command_lists_what_it_could_not_match_and_says_so_in_its_exit_status(
    small_course, tmp_path, monkeypatch
):
    monkeypatch.chdir(small_course.root)
    made = {"ada/07_topic.ipynb": notebook(small_course), "bob/essay.pdf": "x"}
    path = archive(tmp_path / "download.zip", made)
    result = CliRunner().invoke(main, ["collect", NAME, str(path)])
    assert result.exit_code == 1
    assert "1 submissions collected" in result.output
    assert "bob/essay.pdf: it is no notebook" in result.output
    again = CliRunner().invoke(main, ["collect", NAME, str(path), "--json"])
    assert json.loads(again.output)["unchanged"] == ["ada"]
