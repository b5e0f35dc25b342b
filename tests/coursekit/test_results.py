"""What was measured is loaded by name, and a wrong name gets one sentence."""

import pytest

import coursekit
from coursekit import load_results
from coursekit.data import DamagedFile, UnknownName


@pytest.mark.parametrize("name", coursekit.results.names())
def test_shipped_results_load_by_name_and_say_what_they_were_measured_with(name):
    assert load_results(name)["measured_with"]["python"]


def test_a_wrong_name_is_one_sentence_that_lists_the_right_ones():
    with pytest.raises(UnknownName, match=r"there are .*word2vec\..* mean 'word2vec'"):
        load_results("wordvec")
    with pytest.raises(UnknownName, match=r"called '\.\./reviews/test'"):
        load_results("../reviews/test")


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", "\udce4"])
def test_a_damaged_file_is_one_sentence(tmp_path, monkeypatch, content):
    path = tmp_path / "mine.json"
    path.write_text(content, "utf-8", "surrogateescape")
    monkeypatch.setattr(coursekit.results, "shipped_files", lambda *_: [path])
    monkeypatch.setattr(coursekit.results, "shipped", lambda _: path)
    with pytest.raises(DamagedFile, match="install coursekit again"):
        load_results("mine")
