"""The tagged sentences of the almanac: they are its sentences, with known tags, in three splits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coursekit import load

SCRIPT = Path(__file__).resolve().parents[2] / "data" / "almanac" / "tag.py"
TAGS = set("ADJ ADP ADV AUX CCONJ DET NOUN NUM PART PRON PROPN PUNCT SCONJ VERB".split())
SPLITS = ("train", "validation", "test")


def tokens(split):
    return [
        [token.rsplit("/", 2) for token in line.split(" ")]
        for line in load("almanac-tagged", split).texts
    ]


def test_the_sentences_are_those_of_the_almanac_and_each_in_one_split():
    almanac = set(load("almanac").texts)
    found = [
        " ".join(word for word, _, _ in sentence).replace(" ,", ",").replace(" .", ".")
        for split in SPLITS
        for sentence in tokens(split)
    ]
    assert len(found) == len(set(found)) == 3_818
    assert set(found) <= almanac


def test_every_token_has_a_tag_and_every_sentence_a_sense():
    for split in SPLITS:
        for sentence in tokens(split):
            assert {tag for _, tag, _ in sentence} <= TAGS
            assert any(sense != "-" for _, _, sense in sentence)


@pytest.mark.parametrize("word", ["bank", "driver", "bat", "spring", "match"])
def test_the_senses_that_are_tested_are_trained(word):
    senses = {
        split: {s for row in tokens(split) for w, _, s in row if w.lower() == word} - {"-"}
        for split in SPLITS
    }
    assert len(senses["test"]) >= 2
    assert senses["test"] | senses["validation"] <= senses["train"]


@pytest.mark.slow
def test_the_script_writes_the_shipped_sentences():
    result = subprocess.run([sys.executable, SCRIPT, "--check"], check=False)
    assert result.returncode == 0
