"""The trees of the course's reviews: one for each review, of its tokens and with its label."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from coursekit import load, tokenize

SCRIPT = Path(__file__).resolve().parents[2] / "data" / "reviews" / "trees.py"
LEAF = re.compile(r"\((\d) ([^\s()]+)\)")


@pytest.mark.parametrize("split", ["train", "validation", "test", "challenge"])
def test_every_review_has_a_tree_of_its_tokens_with_its_label(split):
    reviews, trees = load("reviews", split), load("review-trees", split)
    assert len(trees) == len(reviews)
    for (text, label, _), tree in zip(reviews, trees, strict=True):
        words = [word for _, word in LEAF.findall(tree)]
        brackets = {"-LRB-": "(", "-RRB-": ")"}
        assert [brackets.get(word, word) for word in words] == tokenize(text)
        assert tree[1] == str(2 * label)


@pytest.mark.parametrize("split", ["train", "challenge"])
def test_every_tree_is_binary(split):
    for tree in load("review-trees", split):
        rest = tree
        while (shorter := re.sub(r"\(\d (?:[^\s()]+|<> <>)\)", "<>", rest)) != rest:
            rest = shorter
        assert rest == "<>", tree


def test_a_denied_word_has_the_opposite_label_of_its_clause():
    tree = next(t for t in load("review-trees") if "(1 isn't) (1 (2 enjoyable)" in t)
    assert "(0 (1 (1 the)" in tree


@pytest.mark.slow
def test_the_script_writes_the_shipped_trees():
    result = subprocess.run([sys.executable, SCRIPT, "--check"], check=False)
    assert result.returncode == 0
