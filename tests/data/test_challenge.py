"""The challenge set keeps the promises of its datasheet."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

REVIEWS = Path(__file__).resolve().parents[2] / "data" / "reviews"

PHENOMENA = [
    "plain",
    "negation",
    "contrast",
    "thwarted",
    "comparison",
    "word_order",
    "neutral_words",
    "unseen",
    "long",
    "irony",
]

# Each held-out word with a pattern for its inflections and derivations. The patterns are wider than
# what the set uses, so that no relative of a held-out word can slip into another phenomenon.
HELD_OUT: dict[int, dict[str, str]] = {
    1: {
        "sublime": r"sublim\w*",
        "enthralling": r"enthral\w*",
        "exquisite": r"exquisite\w*",
        "riveting": r"rivet\w*",
        "magnificent": r"magnificen\w*",
        "luminous": r"lumin\w*",
        "spellbinding": r"spellb\w*",
        "captivating": r"captivat\w*",
        "masterly": r"masterl\w*",
        "dazzling": r"dazzl\w*",
        "adore": r"ador\w*",
        "cherish": r"cherish\w*",
        "relish": r"relish\w*",
        "mesmerizing": r"mesmeri\w*",
        "exhilarating": r"exhilarat\w*",
        "majestic": r"majest\w*",
        "enchanting": r"enchant\w*",
        "stellar": r"stellar",
        "splendid": r"splend\w*",
        "glorious": r"glor\w*",
    },
    0: {
        "dreadful": r"dreadful\w*",
        "abysmal": r"abysm\w*",
        "atrocious": r"atroci\w*",
        "dire": r"dire(?:r|st|ly|ness)?",
        "excruciating": r"excruciat\w*",
        "woeful": r"woe\w*",
        "insipid": r"insipid\w*",
        "turgid": r"turgid\w*",
        "ghastly": r"ghast\w*",
        "lamentable": r"lament\w*",
        "loathe": r"loath\w*",
        "detest": r"detest\w*",
        "despise": r"despis\w*",
        "appalling": r"appal\w*",
        "wretched": r"wretch\w*",
        "execrable": r"execra\w*",
        "soporific": r"soporif\w*",
        "tiresome": r"tiresome\w*",
        "drivel": r"drivel\w*",
        "dross": r"dross\w*",
    },
}


class Row(NamedTuple):
    text: str
    label: int
    phenomenon: str


def read(path: Path) -> list[Row]:
    """Read a tab-separated file of the `reviews` data set without its header."""
    lines = path.read_text(encoding="utf-8").split("\n")
    fields = [line.split("\t") for line in lines[1:] if line]
    return [Row(text, int(label), phenomenon) for text, label, phenomenon in fields]


def words(text: str) -> list[str]:
    """Lower-case words and numbers of a text, in order, without punctuation."""
    return re.findall(r"[a-z0-9']+", text.lower())


def held_out_words(text: str) -> set[tuple[str, int]]:
    """The held-out words in a text, whatever their inflection, each with its polarity (0 or 1)."""
    return {
        (word, polarity)
        for polarity, patterns in HELD_OUT.items()
        for word, pattern in patterns.items()
        if any(re.fullmatch(pattern, token) for token in words(text))
    }


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return read(REVIEWS / "challenge.tsv")


def test_the_file_is_plain_tab_separated_text():
    raw = (REVIEWS / "challenge.tsv").read_bytes()
    text = raw.decode("ascii")
    assert b"\r" not in raw
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    lines = text[:-1].split("\n")
    assert lines[0] == "text\tlabel\tphenomenon"
    for line in lines[1:]:
        fields = line.split("\t")
        assert len(fields) == 3, line
        review, label, phenomenon = fields
        assert review, line
        assert review == review.strip(), line
        assert "  " not in review, line
        assert '"' not in review, line
        assert label in {"0", "1"}, line
        assert phenomenon in PHENOMENA, line


def test_there_are_at_least_420_reviews(rows: list[Row]):
    assert len(rows) >= 420


@pytest.mark.parametrize("phenomenon", PHENOMENA)
def test_every_phenomenon_is_large_enough_and_half_positive(rows: list[Row], phenomenon: str):
    labels = Counter(row.label for row in rows if row.phenomenon == phenomenon)
    assert labels[1] == labels[0] >= 21


def test_no_review_appears_twice(rows: list[Row]):
    counts = Counter(row.text.casefold() for row in rows)
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_two_reviews_are_nearly_the_same(rows: list[Row]):
    bags = [set(words(row.text)) for row in rows]
    close = []
    for (first, one), (second, two) in combinations(zip(rows, bags), 2):
        # The two halves of a word-order pair share their words on purpose.
        if first.phenomenon == second.phenomenon == "word_order" and one == two:
            continue
        if len(one & two) > 0.8 * len(one | two):
            close.append((first.text, second.text))
    assert close == []


def test_word_order_pairs_have_the_same_words_and_opposite_labels(rows: list[Row]):
    pairs = [row for row in rows if row.phenomenon == "word_order"]
    assert len(pairs) % 2 == 0
    for positive, negative in zip(pairs[::2], pairs[1::2]):
        assert (positive.label, negative.label) == (1, 0), positive.text
        assert Counter(words(positive.text)) == Counter(words(negative.text)), positive.text
        assert words(positive.text) != words(negative.text), positive.text


def test_every_held_out_word_is_used_in_the_unseen_reviews(rows: list[Row]):
    used = {
        found for row in rows if row.phenomenon == "unseen" for found in held_out_words(row.text)
    }
    expected = {(word, polarity) for polarity, patterns in HELD_OUT.items() for word in patterns}
    assert used == expected


def test_every_unseen_review_has_a_held_out_word_of_its_own_polarity(rows: list[Row]):
    for row in rows:
        if row.phenomenon == "unseen":
            assert {polarity for _, polarity in held_out_words(row.text)} == {row.label}, row.text


def test_held_out_words_are_used_nowhere_else(rows: list[Row]):
    leaks = [row for row in rows if row.phenomenon != "unseen" and held_out_words(row.text)]
    assert leaks == []


def test_long_reviews_have_40_to_90_words_and_others_are_shorter_on_average(rows: list[Row]):
    long = [len(words(row.text)) for row in rows if row.phenomenon == "long"]
    other = [len(words(row.text)) for row in rows if row.phenomenon != "long"]
    assert min(long) >= 40
    assert max(long) <= 90
    assert sum(other) / len(other) < 40


def test_no_challenge_review_is_in_the_training_set(rows: list[Row]):
    train = REVIEWS / "train.tsv"
    if not train.exists():
        pytest.skip("data/reviews/train.tsv has not been generated yet.")
    seen = {" ".join(words(row.text)) for row in read(train)}
    assert [row.text for row in rows if " ".join(words(row.text)) in seen] == []
