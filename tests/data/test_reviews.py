"""The shipped data set `reviews`: what its datasheet promises."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "data" / "reviews"
SIZES = {"train": 10_000, "validation": 1_000, "test": 1_000}
PHENOMENA = {
    "plain",
    "negation",
    "contrast",
    "thwarted",
    "comparison",
    "word_order",
    "neutral_words",
    "long",
    "irony",
}
HELD_OUT = re.compile(
    r"\b(sublim|enthrall|exquisite|rivet|magnificen|luminous|spellb[io]|captivat|masterly|dazzl"
    r"|ador(?:e|ing|abl)|cherish|relish|mesmeri[sz]|exhilarat|majest|enchant|stellar|splend|glori"
    r"|dread|abysm|atroci|dire(?:ly|r|st)?\b|excruciat|woeful|insipid|turgid|ghastl|lament|loath"
    r"|detest|despis|appal|wretch|execra|soporif|tiresome|drivel|dross)"
)
NEGATOR = re.compile(
    r"\b(not|no|never|nothing|nobody|neither|hardly|without|cannot|anything but|far from|only"
    r"|hard to find)\b|n't\b"
)
CONNECTIVE = re.compile(
    r"\b(but|yet|although|though|while|despite|in spite of|for all its|still|even so|all the same"
    r"|nevertheless|in the end)\b"
)
Row = tuple[str, str, str]


def read(split: str) -> list[Row]:
    """Read the rows of a split, without the header."""
    rows = (FOLDER / f"{split}.tsv").read_bytes().decode("utf-8").split("\n")
    assert rows[0] == "text\tlabel\tphenomenon"
    assert rows[-1] == "", "the file must end with a line feed"
    return [tuple(row.split("\t")) for row in rows[1:-1]]


def sentences(text: str) -> set[str]:
    """Split a review into lower-cased sentences."""
    return {part for s in re.split(r"[.!?]", text) if (part := s.strip(' "').lower())}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Row]]:
    return {split: read(split) for split in SIZES}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the generator that lies in `folder`."""
    command = [sys.executable, str(folder / "generate.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_shipped_files_are_what_the_generator_writes():
    result = run(FOLDER, "--check")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_a_stale_file_is_named_with_its_line_and_rewritten(tmp_path):
    copy = shutil.copytree(FOLDER, tmp_path / "reviews")
    original = (copy / "test.tsv").read_bytes()
    (copy / "test.tsv").write_bytes(original.replace(b"\t1\t", b"\t0\t", 1))
    result = run(copy, "--check")
    assert result.returncode == 1
    assert re.search(r"test\.tsv is stale from line \d+ on", result.stdout)
    assert "train.tsv" not in result.stdout
    assert run(copy).returncode == 0
    assert (copy / "test.tsv").read_bytes() == original


def test_every_row_has_a_text_a_label_and_a_phenomenon(splits):
    for rows in splits.values():
        for text, label, phenomenon in rows:
            assert label in {"0", "1"}
            assert phenomenon in PHENOMENA
            assert text == text.strip()
            assert not text.startswith('"')
            assert "\r" not in text
            assert not re.search(r"[{}\[\]|~@]|  ", text), text


def test_splits_have_their_sizes_and_stay_small(splits):
    assert {split: len(rows) for split, rows in splits.items()} == SIZES
    assert sum((FOLDER / f"{split}.tsv").stat().st_size for split in SIZES) < 1_500_000


def test_labels_are_balanced_within_every_phenomenon(splits):
    for rows in splits.values():
        counts = Counter((phenomenon, label) for _, label, phenomenon in rows)
        assert {phenomenon for phenomenon, _ in counts} == PHENOMENA
        for phenomenon in PHENOMENA:
            assert counts[phenomenon, "0"] == counts[phenomenon, "1"] >= 10


def test_no_review_comes_twice(splits):
    texts = [text.lower() for rows in splits.values() for text, _, _ in rows]
    assert len(set(texts)) == len(texts)


def test_no_sentence_is_shared_between_splits(splits):
    owned = {split: set().union(*(sentences(row[0]) for row in splits[split])) for split in SIZES}
    assert not owned["train"] & owned["validation"]
    assert not owned["train"] & owned["test"]
    assert not owned["validation"] & owned["test"]


def test_no_challenge_review_is_in_the_other_splits(splits):
    if not (FOLDER / "challenge.tsv").exists():
        pytest.skip("data/reviews/challenge.tsv is not there yet.")
    texts = {text.lower() for rows in splits.values() for text, _, _ in rows}
    assert not texts & {text.lower() for text, _, _ in read("challenge")}


def test_held_out_words_never_occur(splits):
    for rows in splits.values():
        for text, _, _ in rows:
            assert not HELD_OUT.search(text.lower()), text


def test_reviews_have_six_to_forty_five_tokens(splits):
    for rows in splits.values():
        for text, _, _ in rows:
            assert 6 <= len(re.findall(r"[\w'-]+|[^\w\s]", text)) <= 45, text


def test_articles_agree_and_no_word_is_doubled(splits):
    for rows in splits.values():
        for text, _, _ in rows:
            assert not re.search(r"\ba (?!uni|one|use|eu)[aeiou]", text), text
            assert not re.search(r"\ban [bcdfgjklmnpqrstvwxyz]", text), text
            assert not re.search(r"(?<!-)\b(\w+) \1\b", text.lower()), text


def test_phenomena_show_on_the_surface_where_they_should(splits):
    for rows in splits.values():
        for text, _, phenomenon in rows:
            lower = text.lower()
            if phenomenon == "plain":
                assert not re.search(r"\b(not|never|nothing|nobody|without|but)\b|n't\b", lower), (
                    text
                )
            if phenomenon == "negation":
                assert NEGATOR.search(lower), text
            if phenomenon == "contrast":
                assert CONNECTIVE.search(lower), text


@pytest.mark.parametrize(
    "word",
    "bad guy|killer|sick|insane|crazy|cheap thrills|cold-blooded|dark|terrifying|terribly".split(
        "|"
    ),
)
def test_words_that_judge_nothing_here_stand_in_both_classes(splits, word):
    rows = [row for row in splits["train"] if row[2] == "neutral_words"]
    found = Counter(label for text, label, _ in rows if re.search(rf"\b{word}\b", text.lower()))
    assert min(found["0"], found["1"]) >= 3, found


def test_some_pairs_differ_only_in_the_order_of_their_words(splits):
    for rows in splits.values():
        bags: dict[tuple[str, ...], set[str]] = {}
        for text, label, phenomenon in rows:
            if phenomenon == "word_order":
                bag = tuple(sorted(re.findall(r"[\w'-]+", text.lower())))
                bags.setdefault(bag, set()).add(label)
        assert sum(labels == {"0", "1"} for labels in bags.values()) >= 3


def test_a_bag_of_words_gets_most_reviews_and_fails_where_order_matters():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    from coursekit import load, tokenize
    from coursekit.evaluation import accuracy

    train, test = load("reviews", "train"), load("reviews", "test")
    bags = CountVectorizer(tokenizer=tokenize, token_pattern=None)
    model = LogisticRegression(max_iter=2000).fit(bags.fit_transform(train.texts), train.labels)
    predicted = model.predict(bags.transform(test.texts))

    def score(*names: str) -> float:
        rows = [i for i, name in enumerate(test.phenomena) if not names or name in names]
        return accuracy([predicted[i] for i in rows], [test.labels[i] for i in rows])

    assert 0.78 < score() < 0.87
    assert score("plain") > 0.90
    assert score("contrast", "thwarted", "comparison", "word_order") < 0.72
