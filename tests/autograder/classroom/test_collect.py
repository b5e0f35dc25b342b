"""Collecting an LMS's download: no submission is lost, nothing harmful is unpacked."""

import json
import os
import struct
import zipfile

import nbformat
import pytest
from click.testing import CliRunner
from downloads import answered, archive, notebook
from nbgrader.api import Gradebook

from autograder.authoring.new_assignment import new_assignment
from autograder.authoring.release import release
from autograder.classroom.archives import MAX_FILE_BYTES, unpack
from autograder.classroom.collect import collect
from autograder.classroom.collection import Collected
from autograder.classroom.console_tables import collected_lines, show, summary_table, verdict_tables
from autograder.cli import main
from autograder.course.reference import read
from autograder.errors import CourseError
from autograder.gradebook.grade_class import Graded
from coursekit.checking.verdict import GroupResult, Verdict

NAME = "07_topic"


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
def test_the_naming_scheme_of_each_lms_is_detected(small_course, tmp_path, layout, files):
    made = {name: notebook(small_course, words) for name, words in files.items()}
    result = collect(small_course, NAME, archive(tmp_path / "download.zip", made))
    assert result.layout == layout
    assert sorted(result.students) == STUDENTS[layout]
    assert not result.unmatched
    assert not result.refused
    for student, name in result.students.items():
        assert submitted(small_course, student) == made[name]


def test_formgrader_gets_the_names_that_the_lms_tells(small_course, tmp_path):
    made = {name: notebook(small_course) for name in MOODLE}
    path = archive(tmp_path / "download.zip", made)
    collect(small_course, NAME, path)
    with Gradebook(f"sqlite:///{small_course.root}/gradebook.db") as gradebook:
        names = {s.id: (s.first_name, s.last_name) for s in gradebook.students}
        assert names == {"Ada_Lovelace": ("Ada", "Lovelace"), "Grace_Hopper": ("Grace", "Hopper")}
        gradebook.update_or_create_student("Ada_Lovelace", last_name="King")
    collect(small_course, NAME, path)
    with Gradebook(f"sqlite:///{small_course.root}/gradebook.db") as gradebook:
        assert gradebook.find_student("Ada_Lovelace").last_name == "King"


def test_a_folder_with_one_archive_per_student_is_collected_too(small_course, tmp_path):
    folder = tmp_path / "download"
    folder.mkdir()
    for student in ("ada", "grace"):
        archive(folder / f"{student}.zip", {"work/07_topic.ipynb": notebook(small_course, student)})
    result = collect(small_course, NAME, folder)
    assert sorted(result.students) == ["ada", "grace"]


def test_the_latest_submission_is_collected_and_earlier_ones_are_kept(small_course, tmp_path):
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


def test_an_old_download_does_not_replace_a_later_submission(small_course, tmp_path):
    for day, words in (("02", "newer"), ("01", "older")):
        made = {
            f"T_ada_attempt_2026-02-{day}-09-00-00_07_topic.ipynb": notebook(small_course, words)
        }
        result = collect(small_course, NAME, archive(tmp_path / f"{day}.zip", made))
    assert "newer" in submitted(small_course, "ada")
    assert result.unchanged == ["ada"]
    assert "older" in next((small_course.root / "earlier/ada" / NAME).iterdir()).read_text("utf-8")


EARLIER, LATER = (2026, 1, 30, 15, 0, 0), (2026, 2, 1, 9, 0, 0)


def as_released(course):
    return course.notebook(NAME).read_text("utf-8")


def run_again(course):
    """Nothing is answered, but every cell has another id and what it printed."""
    made = read(course.notebook(NAME))
    for number, cell in enumerate(made.cells):
        cell.id = f"new-{number}"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text="x")], 1
    return nbformat.writes(made)


def with_an_experiment(course):
    made = read(course.notebook(NAME))
    made.cells.append(nbformat.v4.new_code_cell("print(average_topic)"))
    made.cells[0].source += " My notes."
    return nbformat.writes(made)


def damaged(course):
    return as_released(course)[:-50]


def in_a_new_cell(course):
    made = read(course.notebook(NAME))
    made.cells.append(nbformat.v4.new_code_cell("average_topic = lambda scores, mask: 1"))
    return nbformat.writes(made)


@pytest.mark.parametrize("blank", [as_released, run_again, with_an_experiment, damaged])
@pytest.mark.parametrize("work", [answered, in_a_new_cell])
def test_the_notebook_with_work_counts_whatever_was_handed_in_beside_it(
    small_course, tmp_path, blank, work
):
    made = work(small_course)
    files = {
        f"T_ada_attempt_2026-01-30-15-00-00_{NAME}.ipynb": made,
        f"T_ada_attempt_2026-02-01-09-00-00_{NAME}.ipynb": blank(small_course),
    }
    path = archive(tmp_path / "all.zip", files)
    result = collect(small_course, NAME, path)
    assert submitted(small_course, "ada") == made
    assert result.unanswered == {"ada": [list(files)[1]]}
    assert "ada: no answer can be read in T_ada_attempt_2026-02-01" in "\n".join(
        collected_lines(result)
    )
    assert collect(small_course, NAME, path).unchanged == ["ada"]


def test_two_files_of_one_attempt_are_told_apart_by_what_is_answered(small_course, tmp_path):
    made = answered(small_course)
    files = {
        f"ada/{NAME}.ipynb": (made, EARLIER),
        f"ada/{NAME} (2).ipynb": (as_released(small_course), LATER),
        "bob/a.ipynb": (as_released(small_course), EARLIER),
        "bob/b.ipynb": (notebook(small_course, "the later"), LATER),
    }
    result = collect(small_course, NAME, archive(tmp_path / "all.zip", files))
    assert submitted(small_course, "ada") == made
    assert "the later" in submitted(small_course, "bob")
    assert list(result.unanswered) == ["ada"]


@pytest.mark.parametrize("first", ["work", "blank"])
def test_a_later_download_without_answers_replaces_no_work(small_course, tmp_path, first):
    made = {"work": answered(small_course), "blank": as_released(small_course)}
    days = {"work": "01", "blank": "02"}
    for one in sorted(made, reverse=first == "work"):
        name = f"T_ada_attempt_2026-02-{days[one]}-09-00-00_{NAME}.ipynb"
        collect(small_course, NAME, archive(tmp_path / f"{one}.zip", {name: made[one]}))
    assert submitted(small_course, "ada") == made["work"]
    kept = [path.read_text() for path in (small_course.root / "earlier/ada" / NAME).iterdir()]
    assert kept == [made["blank"]]


def test_collecting_twice_changes_nothing(small_course, tmp_path):
    made = archive(tmp_path / "download.zip", {name: notebook(small_course) for name in BLACKBOARD})
    collect(small_course, NAME, made)
    before = {p: p.stat().st_mtime_ns for p in small_course.root.rglob("*") if p.is_file()}
    result = collect(small_course, NAME, made)
    assert sorted(result.unchanged) == ["alovelace", "ghopper"]
    after = {p: p.stat().st_mtime_ns for p in small_course.root.rglob("*") if p.is_file()}
    assert after == before


def test_namesakes_are_told_apart_by_the_number_of_the_lms(small_course, tmp_path):
    made = {
        "leeann_1_11_07_topic.ipynb": notebook(small_course, "one"),
        "leeann_2_12_07_topic.ipynb": notebook(small_course, "two"),
    }
    result = collect(small_course, NAME, archive(tmp_path / "download.zip", made))
    assert sorted(result.students) == ["leeann_1", "leeann_2"]


def test_a_notebooks_content_decides_which_assignment_it_is(small_course, tmp_path):
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
    # an unreadable file with the right name is collected: grading gives it zeros and the reason
    assert sorted(result.students) == ["ada", "dan", "eve", "gus"]
    assert dict(result.unmatched) == {
        "bob/07_topic.ipynb": "looks like 08_other, not 07_topic",
        "cem/Untitled.ipynb": "not from this course",
        "fay/notes.docx": "not a notebook (.ipynb)",
    }


def test_harmful_files_are_refused_with_a_reason_and_the_rest_is_collected(small_course, tmp_path):
    path = archive(tmp_path / "download.zip", {"ada/07_topic.ipynb": notebook(small_course)})
    inner = archive(tmp_path / "inner.zip", {"x.zip": b"PK", "07_topic.ipynb": "0" * 5_000_000})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as made:
        made.writestr("bob/../../evil.ipynb", notebook(small_course))
        made.writestr("/etc/evil.ipynb", notebook(small_course))
        made.writestr("cem/bomb.ipynb", b"0" * 40_000_000)
        made.writestr("fay/bomb.zip", b"0" * 40_000_000)
        link = zipfile.ZipInfo("dan/link.ipynb")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        made.writestr("eve/work.zip", inner.read_bytes())
    result = collect(small_course, NAME, path)
    assert list(result.students) == ["ada"]
    reasons = dict(result.refused)
    assert reasons["bob/../../evil.ipynb"] == "path points outside the archive"
    assert reasons["/etc/evil.ipynb"] == "path points outside the archive"
    assert "as an endless print does: clear its outputs" in reasons["cem/bomb.ipynb"]
    assert "zip bomb? It would expand" in reasons["fay/bomb.zip"]
    assert reasons["dan/link.ipynb"] == "symbolic link"
    assert "nested" in reasons["eve/work.zip/x.zip"]
    assert "clear its outputs" in reasons["eve/work.zip/07_topic.ipynb"]
    assert not (tmp_path / "evil.ipynb").exists()


def test_a_file_that_is_larger_than_declared_is_refused_while_unpacking(tmp_path):
    path = archive(tmp_path / "liar.zip", {"ada/07_topic.ipynb": "0" * 30_000_000})
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 100)
    path.write_bytes(data)
    (tmp_path / "out").mkdir()
    result = unpack(path, tmp_path / "out", str)
    assert not result.files
    assert result.refused[0][0] == "ada/07_topic.ipynb"
    assert sum(p.stat().st_size for p in (tmp_path / "out").iterdir()) < 1_000_000


def test_links_and_huge_files_in_a_folder_are_refused(small_course, tmp_path):
    folder = tmp_path / "download"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "07_topic.ipynb").write_text(notebook(small_course))
    (folder / "bob").symlink_to(folder / "ada")
    (folder / "cem").mkdir()
    with open(folder / "cem" / "07_topic.ipynb", "wb") as huge:
        huge.truncate(MAX_FILE_BYTES + 1)
    os.symlink("/etc/passwd", folder / "ada" / "passwd.ipynb")
    result = collect(small_course, NAME, folder)
    assert list(result.students) == ["ada"]
    reasons = dict(result.refused)
    assert reasons["bob"] == reasons["ada/passwd.ipynb"] == "symbolic link"
    assert "the limit is 100 MiB" in reasons["cem/07_topic.ipynb"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p / "nowhere.zip", "no such archive or folder"),
        (lambda p: archive(p / "empty.zip", {"a/b.txt": "x"}), "there is no notebook"),
        (lambda p: archive(p / "flat.zip", {"07.ipynb": "{}"}), "do not identify the students"),
        (lambda p: (p / "text.zip", (p / "text.zip").write_text("x"))[0], "is not a zip archive"),
    ],
)
def test_an_unusable_download_is_an_error_of_one_sentence(small_course, tmp_path, make, words):
    with pytest.raises(CourseError, match=words):
        collect(small_course, NAME, make(tmp_path))


def test_an_unknown_layout_is_an_error_that_lists_the_known_ones(small_course, tmp_path):
    with pytest.raises(CourseError, match="unknown layout ilias; choose one of canvas, moodle"):
        collect(small_course, NAME, tmp_path, layout="ilias")


def test_the_command_lists_unmatched_files_and_exits_with_status_1(
    small_course, tmp_path, monkeypatch
):
    monkeypatch.chdir(small_course.root)
    made = {"ada/07_topic.ipynb": notebook(small_course), "bob/essay.pdf": "x"}
    path = archive(tmp_path / "download.zip", made)
    result = CliRunner().invoke(main, ["collect", NAME, str(path)])
    assert result.exit_code == 1
    assert "Collected 1 submission (one folder per student)." in result.output
    assert "bob/essay.pdf: not a notebook (.ipynb)" in result.output
    again = CliRunner().invoke(main, ["collect", NAME, str(path), "--json"])
    assert json.loads(again.output)["unchanged"] == ["ada"]


def test_file_names_cannot_control_the_terminal(small_course, tmp_path, monkeypatch):
    monkeypatch.chdir(small_course.root)
    folder = tmp_path / "download"
    for name in ("ada/\x1b[2J\u202efdp.txt", "ada/a\nWritten: all", os.fsdecode(b"ada/\xff.txt")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / "ada" / "07_topic.ipynb").write_text(notebook(small_course))
    result = CliRunner().invoke(main, ["collect", NAME, str(folder)])
    lines = result.output.splitlines()
    assert r"  ada/\x1b[2J\u202efdp.txt: not a notebook (.ipynb)" in lines
    assert r"  ada/a\nWritten: all: not a notebook (.ipynb)" in lines
    assert r"  ada/\udcff.txt: not a notebook (.ipynb)" in lines
    assert set(result.output) <= {chr(n) for n in range(32, 127)} | {"\n"}


def test_of_many_refused_files_with_one_reason_the_first_are_listed():
    names = [("roe.zip/" + str(n), "symbolic link") for n in range(500)]
    collected = Collected("folder", refused=[*names, ("ada/x", "encrypted")])
    lines = collected_lines(collected)
    assert len(lines) == 14
    assert lines[-2] == "  roe.zip: 490 more, symbolic link; --json lists all"
    assert len(collected.to_dict()["refused"]) == 501


def test_scores_that_were_kept_are_in_the_last_table_only(capsys):
    lost = GroupResult("values", 0.0, 1.0, 0, 1, "other values")
    verdict = Verdict("average_topic", 0.0, 1.0, [lost], "", "value")
    graded = Graded(NAME, {"ada": [verdict], "bob": [verdict]}, {}, kept=["ada"])
    show(*verdict_tables(graded, kept=False), summary_table(graded))
    printed = capsys.readouterr().out
    assert "ada: " not in printed
    assert "bob: 0 of 1 points" in printed
    assert "ada" in printed


def test_what_a_submission_says_cannot_control_the_terminal(capsys):
    lost = GroupResult("values", 0.0, 1.0, 0, 1, "\x1b]0;owned\x07 [red]raised[/red] \u202e")
    verdict = Verdict("average_topic", 0.0, 1.0, [lost], "", "error")
    graded = Graded(NAME, {"ada\x1b[2J": [verdict]}, {})
    show(*verdict_tables(graded), summary_table(graded))
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert r"ada\x1b[2J" in printed
    assert r"\x1b]0;owned\x07 [red]raised[/red] \u202e" in " ".join(printed.split())
