"""Numbers and examples in the text of 05 are those of the files they come from."""

from __future__ import annotations

import re
from math import factorial

import pytest
from quoted_numbers import (
    is_shown_as,
    results,
    text_of,
)


@pytest.mark.parametrize("assignment", ["05_transformer_block"])
def test_what_a_text_says_of_the_ablation_was_measured(assignment):
    stored = results("ablation")
    measured = stored["neighbors"]
    text = text_of(assignment)
    triples = re.findall(r"([\d.]+)%, ([\d.]+)% and ([\d.]+)%", text[text.index("## 7.") :])
    runs = [
        [f"{100 * right:.1f}" for right in seeds]
        for variants in (*measured.values(), *stored["longer"].values())
        for seeds in variants.values()
    ]
    assert len(triples) >= 11
    assert all(list(triple) in runs for triple in triples)
    ranges = re.findall(r"([\d.]+)% to ([\d.]+)% with (two|one)", text)
    assert [words for *_, words in ranges] == ["two", "one"]
    for low, high, words in ranges:
        seeds = measured[{"two": "2", "one": "1"}[words]]["no positions"]
        assert [low, high] == [f"{100 * extreme(seeds):.1f}" for extreme in (min, max)]


def test_05_what_can_be_guessed_without_order_is_the_most_frequent_other_digit():
    most_often = 1.0  # how often the most frequent of seven random digits occurs, in the mean
    for most in range(1, 7):
        ways = [1.0, *[0.0] * 7]  # to draw n digits, none more than `most` times, over n!
        for _ in range(10):
            ways = [
                sum(ways[n - k] / factorial(k) for k in range(min(most, n) + 1)) for n in range(8)
            ]
        most_often += 1 - ways[7] * factorial(7) / 10**7
    (shown,) = re.findall(
        r"which is right in ([\d.]+)% of all cases", text_of("05_transformer_block")
    )
    assert is_shown_as(shown, 100 * most_often / 7)
