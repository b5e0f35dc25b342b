"""The rules that find the phenomena of the challenge set in text that people wrote."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from coursekit.data import (
    Corpus,
    DamagedFile,
    DataError,
    TextDataset,
    load,
    phenomena,
    published_challenge,
)
from coursekit.data.phenomena import (
    FOUND_BY_RULE,
    LabeledTree,
    Phrase,
    is_long,
    opinion_words,
    phenomenon_of,
    read_tree,
)

KNOWN = {"lovely", "dull", "warm", "bad"}
NEGATION = "(1 (2 It) (1 (1 (2 was) (1 not)) (3 funny)))"
CONTRAST = "(1 (3 (3 Pretty) (2 rooms)) (1 (2 but) (1 (1 dull) (2 people))))"
THWARTED = (
    "(1 (3 (3 (2 It) (3 (2 looks) (3 (2 so) (3 warm)))) (2 ,))"
    " (1 (1 (2 and) (1 (2 it) (1 (1 bored) (2 me)))) (2 .)))"
)
COMPARISON = "(3 (2 It) (3 (2 is) (3 (3 better) (2 (2 than) (2 (2 the) (2 book))))))"
NEUTRAL_WORDS = "(3 (3 (2 A) (3 (3 lovely) (2 film))) (2 (2 about) (2 (2 a) (2 (1 bad) (2 guy)))))"
UNSEEN = "(3 (2 (2 The) (2 view)) (3 (3 (2 is) (3 sublime)) (2 (2 at) (2 dawn))))"
PLAIN = "(3 (2 The) (3 (2 film) (3 (2 is) (3 (3 warm) (3 (2 and) (3 lovely))))))"

OWN_TREES = {
    "negation": NEGATION,
    "contrast": CONTRAST,
    "thwarted": THWARTED,
    "comparison": COMPARISON,
    "neutral_words": NEUTRAL_WORDS,
    "unseen": UNSEEN,
    "plain": PLAIN,
}


def found(tree: str) -> str | None:
    return phenomenon_of(read_tree(tree), KNOWN)


def test_a_tree_is_read_as_words_and_phrases_without_the_whole_sentence():
    tree = read_tree("(3 (2 A) (3 (4 Lovely) (2 film)))")
    assert tree.words == ["a", "lovely", "film"]
    assert tree.label == 3
    assert tree.phrases == [Phrase(0, 1, 2), Phrase(1, 2, 4), Phrase(2, 3, 2), Phrase(1, 3, 3)]
    assert [phrase.sign for phrase in tree.phrases] == [0, 1, 0, 1]
    assert tree.before(3) == Phrase(1, 3, 3)
    assert tree.after(1) == Phrase(1, 3, 3)


@pytest.mark.parametrize(
    "line", ["", "a film", "(3 (2 a) (3 film)", "(3 (2 a)) (3 film))", "(2 a))"]
)
def test_what_is_no_tree_is_one_sentence(line):
    with pytest.raises(DamagedFile, match="no tree with labels from 0 to 4"):
        read_tree(line)


@pytest.mark.parametrize("name", OWN_TREES)
def test_each_rule_finds_its_phenomenon(name):
    assert found(OWN_TREES[name]) == name


@pytest.mark.parametrize(
    ("tree", "changed"),
    [
        # the phrase with the negator is still positive: nothing is turned round
        (NEGATION, NEGATION.replace("(1 (1 (2 was)", "(3 (1 (2 was)")),
        # what follows the negator has no opinion
        (NEGATION, NEGATION.replace("(3 funny)", "(2 long)")),
        # both sides of "but" praise
        (CONTRAST, CONTRAST.replace("(1 (1 dull) (2 people))", "(3 (3 warm) (2 people))")),
        # the last clause agrees with what comes before
        (THWARTED, THWARTED.replace("(1 (1 (2 and)", "(3 (1 (2 and)")),
        # three words are no expectation
        (
            THWARTED,
            THWARTED.replace("(2 so) (3 warm)", "(3 warm)").replace("(3 (3 warm)", "(3 warm"),
        ),
        (COMPARISON, COMPARISON.replace("better", "more")),
        (COMPARISON, COMPARISON.replace("better", "other")),
        (COMPARISON, COMPARISON.replace("better", "nice")),
        # the guy is judged
        (
            NEUTRAL_WORDS,
            NEUTRAL_WORDS.replace("(2 (2 about) (2 (2 a) (2 ", "(1 (1 about) (1 (1 a) (1 "),
        ),
        (UNSEEN, UNSEEN.replace("sublime", "lovely")),
        (UNSEEN, UNSEEN.replace("dawn", "no")),
        (PLAIN, PLAIN.replace("(3 warm)", "(1 dull)")),
        (PLAIN, PLAIN.replace("(2 and)", "(2 but)")),
    ],
)
def test_one_change_and_the_rule_no_longer_holds(tree, changed):
    before = found(tree)
    assert before
    assert changed != tree
    assert found(changed) != before


def test_the_label_of_the_whole_sentence_changes_nothing():
    for name, tree in OWN_TREES.items():
        for label in "01234":
            assert found(f"({label}{tree[2:]}") == name


def test_negators_and_brackets_are_no_opinions():
    tree = read_tree("(1 (1 never) (1 (3 -lrb-) (1 (1 dull) (2 films))))")
    assert tree.opinions() == [Phrase(2, 3, 1)]


def test_an_opinion_word_is_one_in_most_of_its_sentences():
    trees = [
        LabeledTree(["odd", "film"], [Phrase(0, 1, label), Phrase(1, 2, 2)], label)
        for label in (1, 1, 2)
    ]
    assert opinion_words(trees) == {"odd"}
    assert opinion_words(trees[1:]) == set()


def test_a_long_review_has_49_to_79_words_and_one_to_three_opinions():
    def review(words: int, opinions: int) -> str:
        return " ".join(["Lovely"] * opinions + ["plot"] * (words - opinions))

    kept = [words for words in (48, 49, 79, 80) if is_long(review(words, 1), {"lovely"})]
    assert kept == [49, 79]
    assert [n for n in range(6) if is_long(review(60, n), {"lovely"})] == [1, 2, 3]


@pytest.fixture
def small(monkeypatch):
    """Data sets of a few texts of our own."""
    positive = [f"(3 (2 The) (3 (2 film) (3 (3 warm) (3 (2 {i}) (3 lovely)))))" for i in range(5)]
    negative = [f"(1 (2 The) (1 (2 film) (1 (1 dull) (1 (2 {i}) (1 bad)))))" for i in range(3)]
    neutral = ["(2 (2 The) (2 (3 warm) (2 (2 and) (3 lovely))))"]
    review = " ".join(["plot"] * 60)

    def loaded(name, split):
        if name == "sst-trees":
            lines = [*positive, *negative, *neutral] if split == "test" else [NEGATION]
            return Corpus(name, split, lines)
        texts = ["lovely warm dull bad"] if name == "reviews" else [f"{review} dull", review]
        return TextDataset(name, split, texts, [1] * len(texts))

    monkeypatch.setattr(phenomena, "load", loaded)


def test_both_classes_are_equally_many_even_if_one_has_few(small):
    data = published_challenge()
    assert Counter(data.phenomena) == {"plain": 6}  # no phenomenon with texts of one class only
    assert data.labels == [1, 1, 1, 0, 0, 0]
    assert len(set(data.texts)) == 6
    assert all("warm" in text for text in data.texts[:3])
    assert len(published_challenge(n=4)) == 4
    assert published_challenge(n=4) == published_challenge(n=4)
    assert {tuple(published_challenge(n=4, seed=s).texts) for s in range(4)} != {
        tuple(published_challenge(n=4).texts)
    }


@pytest.mark.parametrize("n", [0, -2, 7])
def test_an_odd_number_is_refused_in_a_sentence(n):
    with pytest.raises(DataError, match=f"an even number of texts, 2 or more, not {n}"):
        published_challenge(n)


def test_the_rules_find_as_many_published_texts_as_the_card_says(real_data):
    card = (Path(__file__).parents[3] / "data/reviews/PUBLISHED.md").read_text("utf-8")
    said = re.findall(r"^\| `(\w+)` \| \d* ?\|.* \| (\d+), (\d+) \| (\d+) \|$", card, re.M)
    counts = Counter((kind, label) for kind, _, label in phenomena._found())
    for kind, positive, negative, kept in said:
        assert [counts[kind, 1], counts[kind, 0]] == [int(positive), int(negative)]
        assert int(kept) == min(44, 2 * int(positive), 2 * int(negative))
    assert [kind for kind, *_ in said] == list(FOUND_BY_RULE)


def test_the_published_data_have_44_texts_of_every_phenomenon_but_thwarted(real_data):
    data = published_challenge()
    assert Counter(data.phenomena) == dict.fromkeys(FOUND_BY_RULE, 44) | {"thwarted": 32}
    assert list(dict.fromkeys(data.phenomena)) == list(FOUND_BY_RULE)
    positive = Counter(kind for _, label, kind in data if label)
    assert {2 * count for count in positive.values()} == {44, 32}
    assert len(set(data.texts)) == len(data) == 340


def test_the_published_sentences_are_those_of_sst2_and_in_no_training_split(real_data):
    data = published_challenge()
    sentences = {
        text.replace(" ", "")
        for text, _, kind in data
        if kind != "long" and "-lrb-" not in text and "\\" not in text
    }
    assert len(sentences) > 280
    published = {
        text.replace(" ", "")
        for split in ("validation", "test")
        for text in load("sst2", split).texts
    }
    assert sentences <= published
    labels = {
        text: label for split in ("validation", "test") for text, label, _ in load("sst2", split)
    }
    assert all(labels.get(text, label) == label for text, label, _ in data)
    trained_on = {text for name in ("sst2", "imdb") for text in load(name, "train").texts}
    assert [text for text in data.texts if len(text) > 20 and text in trained_on] == []
