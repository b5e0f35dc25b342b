"""The real data sets: counts and facts that hold for the published files."""

from __future__ import annotations

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from coursekit.data import imdb, load

pytestmark = pytest.mark.usefixtures("real_data")


def test_sst2_has_the_published_sizes():
    train, validation, test = (load("sst2", s) for s in ("train", "validation", "test"))
    assert [len(train), len(validation), len(test)] == [67_349, 872, 1_821]
    assert [sum(train.labels), sum(validation.labels), sum(test.labels)] == [37_569, 444, 909]
    assert not any(text != text.strip() or "\t" in text for text in train.texts)
    assert not {"sentence", ""} & set(train.texts)


def test_the_test_sentences_of_sst2_are_not_in_its_validation_split():
    assert not set(load("sst2", "validation").texts) & set(load("sst2", "test").texts)


def test_sst_trees_are_bracketed_lines_of_the_published_number():
    splits = [load("sst-trees", split).texts for split in ("train", "validation", "test")]
    assert [len(split) for split in splits] == [8_544, 1_101, 2_210]
    # Without the neutral sentences these are SST-2's validation and test sentences.
    assert [sum(tree[1] != "2" for tree in split) for split in splits[1:]] == [872, 1_821]
    for tree in splits[1]:
        assert tree.count("(") == tree.count(")") > 1


def test_ewt_has_the_published_sentences_with_universal_tags():
    splits = [load("english-ewt", split).texts for split in ("train", "validation", "test")]
    assert [len(split) for split in splits] == [12_544, 2_001, 2_077]
    rows = [token.rsplit("/", 2) for text in splits[2] for token in text.split(" ")]
    assert len(rows) == 25_094
    assert {tag for _, tag, _ in rows} >= {"NOUN", "PROPN", "SYM", "X"}
    assert {sense for _, _, sense in rows} == {"-"}


def test_trec_has_six_classes_and_no_question_twice_in_train_and_validation():
    train, validation, test = (load("trec", split) for split in ("train", "validation", "test"))
    assert [len(train), len(validation), len(test)] == [4_907, 545, 500]
    assert set(train.labels) == set(range(6))
    assert test[0].text.startswith("How far is it")
    assert test[0].label == 5


def test_sick_has_the_published_pairs_with_scores_from_1_to_5():
    splits = [load("sick", split) for split in ("train", "validation", "test")]
    assert [len(split) for split in splits] == [4_500, 500, 4_927]
    assert all(1 <= pair.score <= 5 for split in splits for pair in split)
    assert splits[2][0].text1 == "There is no boy playing outdoors and there is no man smiling"


@pytest.mark.parametrize("split", ["train", "test"])
def test_imdb_has_the_published_sizes_and_no_line_break_tags(split):
    data = load("imdb", split)
    assert len(data) == 25_000
    assert data.labels[:4] == [0, 1, 0, 1]
    assert sum(data.labels) == 12_500
    assert not any("<br />" in text for text in data.texts)
    assert any("\n" in text for text in data.texts)
    assert min(map(len, data.texts)) > 10


def test_the_unlabelled_reviews_of_imdb_load():
    assert len(load("imdb", "unlabelled").texts) == 50_000


def test_the_archive_of_imdb_is_not_read_a_second_time(monkeypatch):
    load("imdb")
    monkeypatch.delattr(imdb, "read_archive")
    load("imdb")


def test_sentence_polarity_is_split_eight_to_one_to_one():
    train, validation, test = (
        load("sentence-polarity", s) for s in ("train", "validation", "test")
    )
    assert [len(train), len(validation), len(test)] == [8_530, 1_066, 1_066]
    for split in (train, validation, test):
        assert sum(split.labels) * 2 == len(split)
    together = {*train.texts, *validation.texts, *test.texts}
    assert len(together) == len(train) + len(validation) + len(test)
    # An é shows that the encoding is the right one.
    assert any("é" in text for text in together)
    assert not any("\ufffd" in text or "\x96" in text for text in together)


def test_the_novels_of_austen_are_split_by_book():
    splits = [load("austen-fiction", split).texts for split in ("train", "validation", "test")]
    assert [len(texts) for texts in splits] == [8_471, 1_037, 1_058]
    assert "Elliot, of Kellynch Hall" in " ".join(splits[1][:8])
    assert "Catherine Morland" in " ".join(splits[2][:8])


def test_the_english_sentences_of_tatoeba_are_in_one_split_each():
    splits = [load("tatoeba-fra-eng", split) for split in ("train", "validation", "test")]
    sentences = [set(bitext.sources) for bitext in splits]
    assert sum(map(len, splits)) == 142_787
    assert sum(map(len, sentences)) == len(set().union(*sentences)) == 98_659


def test_shakespeare_has_forty_thousand_lines():
    assert len(load("tinyshakespeare").texts) == 40_000


def test_the_word_pairs_have_the_published_sizes():
    wordsim, simlex = load("wordsim353"), load("simlex999")
    assert [len(wordsim), len(simlex)] == [353, 999]
    for pair in (*wordsim, *simlex):
        assert 0 <= pair.score <= 10
    assert {(p.word1, p.word2): p.score for p in wordsim}["tiger", "tiger"] == 10


def test_the_google_analogies_have_fourteen_sections():
    analogies = load("google-analogies")
    assert len(analogies) == 19_544
    assert len(analogies.sections) == 14
    assert len(analogies.sections["family"]) == 506
    assert ("Athens", "Greece", "Oslo", "Norway") in analogies


def test_sst2_comes_from_a_server_as_from_a_folder(real_data, tmp_path, monkeypatch):
    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=real_data))
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    expected = load("sst2")
    monkeypatch.setenv("COURSEKIT_MIRROR", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", os.environ.get("NO_PROXY", "127.0.0.1"))
    try:
        assert load("sst2") == expected
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert load("sst2") == expected


def test_ag_news_has_a_headline_for_each_article():
    splits = [load("ag-news", split) for split in ("train", "validation", "test")]
    assert [len(part) for part in splits] == [6_080, 760, 760]
    for part in splits:
        assert all(row.source and row.target for row in part)
