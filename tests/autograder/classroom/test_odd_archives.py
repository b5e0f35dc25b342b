"""Archives and names as browsers, Windows and students make them: the notebook in them is found."""

import nbformat
import pytest
from downloads import NAME, archive, bytes_of, notebook

from autograder.classroom.collect import collect

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
