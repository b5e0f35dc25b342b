"""What `load` returns and what it says when it cannot."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from toy_data import checksum, leftovers, tarred

import coursekit.data
from coursekit.data import (
    Bitext,
    Corpus,
    DamagedFile,
    DataError,
    Example,
    SentencePair,
    TextDataset,
    UnknownName,
    UnknownSplit,
    describe,
    imdb,
    load,
    names,
    readers,
    shipped,
)
from coursekit.data.registry import Dataset, File, find, readable, registry

ROOT = Path(coursekit.data.__file__).parents[2]
SETS = [
    *("reviews", "almanac", "almanac-analogies", "almanac-similarity"),
    *("sst2", "sst-trees", "imdb", "sentence-polarity"),
    *("wordsim353", "simlex999", "google-analogies"),
    *("review-trees", "almanac-tagged", "english-ewt", "trec", "sick"),
    *("austen-fiction", "tinyshakespeare"),
    *("bilingual", "small-parallel-enja", "tatoeba-fra-eng", "multi30k", "ag-news"),
    *("almanac-entities", "almanac-entailment", "almanac-questions", "almanac-choices"),
    *("almanac-paragraphs", "almanac-open-questions"),
    *("wnut17", "cola", "rte", "sick-entailment", "snli-part"),
    *("squad", "squad-predictions", "xquad-en"),
]


def toy_texts() -> TextDataset:
    texts = [f"text {number}" for number in range(20)]
    labels = [0] * 14 + [1] * 6
    return TextDataset("toy", "train", texts, labels, ["plain"] * 10 + ["irony"] * 10)


# --- labelled texts


def test_a_dataset_is_a_sequence_of_examples():
    data = toy_texts()
    assert len(data) == 20
    assert data[0] == Example("text 0", 0, "plain")
    assert data[-1] == ("text 19", 1, "irony")
    assert [example.label for example in data] == data.labels
    assert data[12:16].labels == [0, 0, 1, 1]
    assert data[12:16].phenomena == ["irony"] * 4
    with pytest.raises(IndexError):
        data[20]


def test_a_set_without_phenomena_gives_none():
    assert TextDataset("toy", "train", ["a"], [1])[0] == Example("a", 1, None)


def test_a_subset_has_equally_many_of_each_class():
    for n in (2, 5, 10, 12):
        labels = toy_texts().subset(n).labels
        assert len(labels) == n
        assert abs(labels.count(0) - labels.count(1)) <= 1


def test_a_subset_is_filled_from_the_larger_class_when_the_smaller_runs_out():
    data = toy_texts()
    assert data.subset(16).labels.count(1) == 6
    assert sorted(data.subset(20).texts) == sorted(data.texts)


def test_a_subset_is_the_same_everywhere_and_another_seed_draws_another():
    data = toy_texts()
    assert data.subset(6).texts == ["text 3", "text 14", "text 15", "text 12", "text 7", "text 18"]
    assert data.subset(6, seed=1).texts != data.subset(6).texts
    assert len(set(data.subset(12).texts)) == 12


@pytest.mark.parametrize("n", [0, 21, -1])
def test_a_subset_of_impossible_size_is_one_sentence(n):
    with pytest.raises(DataError, match="subset needs a number from 1 to 20"):
        toy_texts().subset(n)


def test_a_dataset_shows_itself_in_a_line_and_in_a_table():
    data = TextDataset("toy", "train", ["<b>bold</b>", "b"], [1, 0])
    assert repr(data) == "<toy train: 2 texts (1 positive, 1 negative)>"
    assert repr(toy_texts()).endswith(", 2 phenomena>")
    assert "&lt;b&gt;" in data._repr_html_()


def test_a_corpus_is_a_sequence_of_texts():
    corpus = Corpus("toy", "train", ["one", "two", "three"])
    assert corpus[1] == "two"
    assert corpus[1:].texts == ["two", "three"]
    assert len(corpus.subset(2)) == 2
    assert repr(corpus) == "<toy train: 3 texts without labels>"


# --- sentence pairs


def toy_bitext(phenomena: list[tuple[str, ...]] | None = None) -> Bitext:
    return Bitext("toy", "train", ("en", "fr"), ["a b", "c", "d"], ["x", "y z", "w"], phenomena)


def test_a_bitext_is_a_sequence_of_sentence_pairs():
    bitext = toy_bitext([("plain",), ("idiom", "negation"), ("plain",)])
    assert bitext[1] == SentencePair("c", "y z", ("idiom", "negation"))
    assert toy_bitext()[-1] == ("d", "w", ())
    assert bitext[1:].targets == ["y z", "w"]
    assert bitext[1:].phenomena == bitext.phenomena[1:]
    assert bitext.pick([2, 0]).sources == ["d", "a b"]
    assert repr(bitext) == "<toy train: 3 sentence pairs, en to fr>"
    with pytest.raises(IndexError):
        bitext[3]


def test_a_subset_of_a_bitext_keeps_pairs_together_and_is_the_same_everywhere():
    bitext = toy_bitext()
    drawn = bitext.subset(2)
    assert drawn == bitext.subset(2)
    assert set(drawn) < set(bitext)
    with pytest.raises(DataError, match="from 1 to 3"):
        bitext.subset(4)


def test_a_bitext_is_cut_while_a_submission_is_graded(monkeypatch):
    monkeypatch.setenv("COURSEKIT_MAX_ROWS", "30")
    assert len(load("bilingual", "test")) == 30


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: the header"),
        (
            b"english\tfrench\tphenomena\nyes\toui\tplain\nno\tnon\n",
            "line 3: there should be three",
        ),
        (b"english\tfrench\tphenomena\nyes\t\tplain\n", "line 2: there should be three"),
    ],
)
def test_a_damaged_parallel_corpus_says_where(tmp_path, content, said):
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=said):
        readers.read_bilingual("bilingual", "train", [path])


def test_parallel_files_are_read_line_by_line_and_must_be_equally_long(tmp_path):
    paths = [tmp_path / "dev.ja", tmp_path / "dev.en.gz"]
    paths[0].write_text("猫 だ 。\nはい\n", "utf-8")
    paths[1].write_bytes(gzip.compress(b"a cat .\nyes\n"))
    bitext = readers.read_parallel_files("x", "validation", paths)
    assert bitext.languages == ("ja", "en")
    assert list(bitext) == [("猫 だ 。", "a cat .", ()), ("はい", "yes", ())]
    paths[1].write_bytes(gzip.compress(b"a cat .\n"))
    with pytest.raises(DamagedFile, match="equally many lines"):
        readers.read_parallel_files("x", "validation", paths)


def test_news_are_cleaned_and_split_by_rows(tmp_path):
    path = tmp_path / "test.csv"
    rows = [
        f'"1","Title {i} (AP)","NEW YORK (Reuters) - Text {i}, it costs  #36;3 now."'
        for i in range(10)
    ]
    rows[9] = (
        '"2","What #39;s &lt;b&gt;new&lt;/b&gt;?","One\\line - and &amp;quot;another&amp;quot; line."'
    )
    path.write_text("\n".join(rows), "utf-8")
    splits = [readers.read_news("x", s, [path]) for s in ("train", "validation", "test")]
    assert [len(part) for part in splits] == [8, 1, 1]
    assert splits[1][0][:2] == ("Text 8, it costs $3 now.", "Title 8")
    assert splits[2][0][:2] == ('and "another" line.', "What's new ?")
    path.write_text('"1","only a title"\n', "utf-8")
    with pytest.raises(DamagedFile, match="line 1: there should be a class, a title"):
        readers.read_news("x", "train", [path])


def test_all_translations_of_a_sentence_of_tatoeba_are_in_one_split(tmp_path):
    path = tmp_path / "fra.txt"
    lines = [f"{word} {n}.\t{n} {m}." for n in range(300) for m in (1, 2) for word in ("Go", "GO")]
    path.write_text("\n".join(lines), "utf-8")
    splits = {s: readers.read_tatoeba("x", s, [path]) for s in ("train", "validation", "test")}
    sources = [{source.lower() for source in bitext.sources} for bitext in splits.values()]
    assert sum(map(len, sources)) == len(set.union(*sources)) == 300
    assert all(sources)
    assert sum(map(len, splits.values())) == len(lines)
    path.write_text("Go.\n", "utf-8")
    with pytest.raises(DamagedFile, match="two columns"):
        readers.read_tatoeba("x", "train", [path])


# --- the registry


def test_the_registry_has_the_sets_of_the_course():
    assert names() == SETS


@pytest.mark.parametrize("name", SETS)
def test_every_set_says_what_it_is(name):
    text = describe(name)
    for word in ("what", "splits", "size", "license", "cite", "from"):
        assert f"\n  {word} " in text


@pytest.mark.parametrize("name", SETS)
def test_every_file_has_a_checksum_a_size_and_more_than_one_address(name):
    dataset = find(name)
    archives = {file.fallback for file in dataset.files.values()} - {None}
    for file in dataset.files.values():
        algorithm, _, digest = file.checksum.partition(":")
        assert len(digest) == {"sha256": 64, "md5": 32}[algorithm]
        assert file.bytes > 0
        assert all(address.startswith("https://") for address in file.addresses)
        assert all(address.isascii() and " " not in address for address in file.addresses)
        stand_in = dataset.files[file.fallback].addresses if file.fallback else ()
        assert file.name in archives or len({*file.addresses, *stand_in}) > 1
    for needed in dataset.splits.values():
        assert dataset.is_shipped or all(file in dataset.files for file in needed)


@pytest.mark.parametrize("name", SETS)
def test_every_set_has_a_reader(name):
    assert name in readers.READERS or name == "imdb"


def test_an_unknown_name_gives_close_matches_and_the_list():
    with pytest.raises(UnknownName, match=r"'SST_2'; did you mean 'sst2'\?.*sentence-polarity, "):
        load("SST_2")
    with pytest.raises(UnknownName, match="'qqq'; the course has reviews, "):
        describe("qqq")
    with pytest.raises(UnknownName):
        load(["sst2"])


def test_an_unknown_split_gives_the_list():
    with pytest.raises(UnknownSplit, match="choose one of 'train', 'validation', 'test'"):
        load("sst2", "dev")
    with pytest.raises(UnknownSplit, match="it has only 'all'"):
        load("simlex999", "train")


def test_sizes_read_well():
    assert [readable(n) for n in (9, 3_806_081, 84_125_825)] == ["9 bytes", "3.8 MB", "84.1 MB"]


# --- shipped sets


def test_a_missing_shipped_file_is_one_sentence():
    with pytest.raises(DataError, match="should have come with the course"):
        shipped("reviews/nothing.tsv")


@pytest.mark.parametrize("split", ["train", "validation", "test", "challenge"])
def test_the_reviews_load_with_their_phenomena(split):
    if not (ROOT / "data" / "reviews" / f"{split}.tsv").is_file():
        pytest.skip(f"data/reviews/{split}.tsv has not been written yet.")
    data = load("reviews", split)
    least = {"train": 8000, "validation": 1000, "test": 1000, "challenge": 400}[split]
    assert len(data) >= least
    assert set(data.labels) == {0, 1}
    assert len(data.phenomena) == len(data)
    assert all(data.texts)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "line 1: the header"),
        (b"text\tlabel\n", "line 1: the header"),
        (b"text\tlabel\tphenomenon\nfine\t1\tplain\nbad\t0\n", "line 3: there should be three"),
        (b"text\tlabel\tphenomenon\nfine\t2\tplain\n", "line 2: the label should be 0 or 1"),
        (b"text\tlabel\tphenomenon\n\xff\xfe\t1\tplain\n", "cannot be read"),
    ],
)
def test_a_damaged_shipped_file_says_where(tmp_path, content, said):
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match=said):
        readers.read_reviews("reviews", "train", [path])


def test_shipped_word_pairs_and_analogies_load_with_or_without_a_header(tmp_path):
    path = tmp_path / "file.tsv"
    for header in ("", "word1\tword2\tscore\n"):
        path.write_text(header + "king\tqueen\t8.5\n")
        assert list(readers.read_word_pairs("x", "all", [path])) == [("king", "queen", 8.5)]
    for header in ("", "section\ta\tb\tc\td\n"):
        path.write_text(header + "family\tking\tqueen\tman\twoman\n")
        analogies = readers.read_analogies("x", "all", [path])
        assert analogies.sections == {"family": [("king", "queen", "man", "woman")]}
        assert len(analogies) == 1
        assert repr(analogies) == "<x: 1 analogies in 1 sections>"
    path.write_text("family\tking\tqueen\tman\n")
    with pytest.raises(DamagedFile, match="line 1"):
        readers.read_analogies("x", "all", [path])


@pytest.mark.parametrize("name", ["almanac-analogies", "almanac-similarity"])
def test_the_sets_about_the_almanac_load(name):
    if not (ROOT / "data" / find(name).splits["all"][0]).is_file():
        pytest.skip("The files of data/almanac have not been written yet.")
    assert len(load(name)) > 20


def test_texts_without_labels_are_read_one_per_line_compressed_or_not(tmp_path):
    text = "The river is long.\nThe café\x85is small.\n".encode()
    for name, content in (("a.txt", text), ("a.txt.gz", gzip.compress(text))):
        (tmp_path / name).write_bytes(content)
        corpus = readers.read_corpus("x", "train", [tmp_path / name])
        assert corpus.texts == ["The river is long.", "The café\x85is small."]


def test_paragraphs_of_books_are_joined_and_empty_lines_separate_them(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfChapter 1\r\n\r\n\r\nIt is a\r\ntruth.\r\n")
    (tmp_path / "b.txt").write_bytes(b"\nThe end.\n")
    corpus = readers.read_books("x", "train", [tmp_path / "a.txt", tmp_path / "b.txt"])
    assert corpus.texts == ["Chapter 1", "It is a truth.", "The end."]


def test_what_project_gutenberg_adds_to_a_book_is_left_out(tmp_path):
    lines = ["A title", "*** START OF THIS PROJECT GUTENBERG EBOOK X ***", "", "It is.", ""]
    lines += ["*** END OF THIS PROJECT GUTENBERG EBOOK X ***", "", "*** START: FULL LICENSE ***"]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    assert readers.read_books("x", "train", [tmp_path / "a.txt"]).texts == ["It is."]


@pytest.mark.parametrize(
    "damaged", [b"text", gzip.compress(b"text" * 99)[:-9]], ids=["plain", "cut off"]
)
def test_a_damaged_compressed_text_is_one_sentence(tmp_path, damaged):
    (tmp_path / "a.txt.gz").write_bytes(damaged)
    with pytest.raises(DamagedFile, match=r"a\.txt\.gz cannot be read"):
        readers.read_corpus("x", "train", [tmp_path / "a.txt.gz"])


# --- imdb, on a toy archive


REVIEWS = {
    "aclImdb/train/pos/1_9.txt": b"Lovely.<br /><br />Go and see it.",
    "aclImdb/train/neg/0_2.txt": b"Dull from end to end. ",
    "aclImdb/test/neg/0_1.txt": b"A pity.",
    "aclImdb/test/pos/0_8.txt": "A fine café scene.".encode(),
}
MORE = {
    "aclImdb/README": b"not a review",
    "aclImdb/train/pos/notes.txt": b"not a review",
    "../../evil.txt": b"should never be written",
    "/etc/evil.txt": b"should never be written",
}


def toy_imdb(archive: bytes, name: str = "imdb/small.tar.gz") -> Dataset:
    content = {
        split: imdb.digest(
            sorted((k[8:], v) for k, v in REVIEWS.items() if k.startswith(f"aclImdb/{split}/"))
        )
        for split in ("train", "test")
    }
    file = File(name, checksum(archive), len(archive), fallback="imdb/whole.tar.gz")
    other = File("imdb/whole.tar.gz", checksum(archive), len(archive))
    return Dataset(
        *("imdb", "", "", "", ""),
        splits={"train": [file.name], "test": [file.name]},
        files={file.name: file, other.name: other},
        content=content,
    )


def put(folder: Path, name: str, content: bytes, monkeypatch) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    monkeypatch.setenv("COURSEKIT_MIRROR", str(folder))
    return path


@pytest.mark.parametrize("name", ["imdb/small.tar.gz", "imdb/whole.tar.gz"])
def test_imdb_is_read_from_any_archive_with_the_same_reviews(tmp_path, cache, monkeypatch, name):
    archive = tarred(REVIEWS | MORE)
    put(tmp_path / "mirror", name, archive, monkeypatch)
    data = imdb.load_imdb(toy_imdb(archive), "train")
    assert data.texts == ["Dull from end to end.", "Lovely.\n\nGo and see it."]
    assert data.labels == [0, 1]
    assert leftovers(cache) == ["prepared/imdb-test.jsonl.gz", "prepared/imdb-train.jsonl.gz"]
    assert not list(tmp_path.rglob("evil.txt"))


def test_imdb_needs_its_archive_only_once(tmp_path, monkeypatch):
    archive = tarred(REVIEWS)
    path = put(tmp_path / "mirror", "imdb/small.tar.gz", archive, monkeypatch)
    dataset = toy_imdb(archive)
    first = imdb.load_imdb(dataset, "train")
    path.unlink()
    assert imdb.load_imdb(dataset, "train") == first
    assert imdb.load_imdb(dataset, "test").texts == ["A pity.", "A fine café scene."]


def test_a_damaged_prepared_split_is_prepared_again(tmp_path, cache, monkeypatch):
    archive = tarred(REVIEWS)
    put(tmp_path / "mirror", "imdb/small.tar.gz", archive, monkeypatch)
    dataset = toy_imdb(archive)
    first = imdb.load_imdb(dataset, "train")
    prepared = cache / "prepared" / "imdb-train.jsonl.gz"
    whole = prepared.read_bytes()
    other = cache / "prepared" / "imdb-test.jsonl.gz"
    for damaged in (b"", whole[:-4], whole[:20] + b"x" + whole[21:], other.read_bytes()):
        prepared.write_bytes(damaged)
        assert imdb.load_imdb(dataset, "train") == first
        assert prepared.read_bytes() == whole


def test_imdb_loads_without_a_cache_that_can_be_written_to(tmp_path, monkeypatch):
    archive = tarred(REVIEWS)
    put(tmp_path / "mirror", "imdb/small.tar.gz", archive, monkeypatch)
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path / "mirror" / "imdb" / "small.tar.gz"))
    assert len(imdb.load_imdb(toy_imdb(archive), "test")) == 2


def test_an_archive_with_other_reviews_is_refused(tmp_path, cache, monkeypatch):
    archive = tarred(REVIEWS | {"aclImdb/train/pos/1_9.txt": b"Something else."})
    put(tmp_path / "mirror", "imdb/small.tar.gz", archive, monkeypatch)
    dataset = toy_imdb(archive)
    with pytest.raises(DamagedFile, match="does not contain the train reviews as published"):
        imdb.load_imdb(dataset, "train")
    assert leftovers(cache) == []
    assert len(imdb.load_imdb(dataset, "test")) == 2


@pytest.mark.parametrize("archive", [b"", b"no archive", tarred(REVIEWS)[:200]])
def test_a_broken_archive_is_one_sentence(tmp_path, cache, monkeypatch, archive):
    path = put(tmp_path / "mirror", "imdb/small.tar.gz", archive, monkeypatch)
    with pytest.raises(DamagedFile, match=rf"^The archive {path} .*\.$"):
        imdb.load_imdb(toy_imdb(archive), "train")
    assert leftovers(cache) == []


def test_links_in_an_archive_are_not_followed(tmp_path):
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("aclImdb/train/pos/1_9.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        review = tarfile.TarInfo("aclImdb/train/neg/1_1.txt")
        review.size = 4
        archive.addfile(review, io.BytesIO(b"Bad."))
    assert imdb.read_archive(path) == {"train": [("train/neg/1_1.txt", b"Bad.")]}


# --- the package


def test_importing_the_package_is_light():
    script = (
        "import sys, coursekit.data\n"
        "heavy = {'torch', 'pandas', 'numpy', 'pooch', 'requests', 'matplotlib', 'sklearn'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert out.stdout.strip() == "[]"


def test_jupyter_shows_the_sentence_without_a_traceback(capsys):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.run_cell("from coursekit.data import load\nload('sst-2')")
    shown = capsys.readouterr()
    shown = shown.out + shown.err
    assert "did you mean 'sst2'?" in shown
    assert "Traceback" not in shown
    assert "registry.py" not in shown


def test_the_registry_file_is_all_there_is():
    assert set(registry()) == set(SETS)
