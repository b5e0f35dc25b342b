"""Numbers and examples in the text of 01 are those of the files they come from."""

from __future__ import annotations

import re

import pytest
from quoted_numbers import (
    RESULTS,
    ROWS,
    is_result,
    is_shown_as,
    table_row,
    text_of,
)

from coursekit import load
from coursekit.evaluation import wilson_interval


# the assignment stands in the tests' names, so that `make test ONLY=01` finds them
@pytest.fixture(scope="module", params=["01_bag_of_words"])
def text(request) -> str:
    return text_of(request.param)


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_table_of_real_data_shows_what_was_measured(text, start, name, split):
    judged, learned, bag, l2, ours, library = table_row(text, start)
    measured = RESULTS[name]
    scores = measured["accuracy"][split]
    assert f" {scores['ours']['n']:,} {split} " in f" {judged} "
    assert learned.startswith(f"{measured['training_texts']:,} ")
    assert bag == f"{measured['bag']}, {measured['words']:,} words"
    assert float(l2) == measured["l2"]
    assert is_result(ours, scores["ours"], measured["seconds"]["ours"])
    assert is_result(library, scores["scikit-learn"], measured["seconds"]["scikit-learn"])


def test_the_strength_of_l2_in_the_table_is_the_best_on_validation():
    for measured in (RESULTS["sst2"], RESULTS["imdb"]):
        tried = measured["validation"]["scikit-learn"]
        assert tried[f"{measured['l2']:g}"] == max(tried.values())


def test_the_paragraph_on_l2_shows_what_was_measured(text):
    paragraph = next(part for part in text.split("\n\n") if "So what is L2 good for?" in part)
    tried = {name: RESULTS[name]["validation"]["scikit-learn"] for name in ("sst2", "imdb")}
    measured = [tried["sst2"][l2] for l2 in ("1e-05", "0.001")]
    measured += [tried["imdb"][l2] for l2 in ("1e-05", "0.001", "0.01")]
    shown = re.findall(r"([\d.]+)%", paragraph)
    assert len(shown) == len(measured)
    assert all(is_shown_as(a, 100 * b) for a, b in zip(shown, measured))
    for curve in tried.values():  # the best lies inside the grid
        assert max(curve.values()) not in (curve["1e-05"], curve["0.01"])
    assert tried["sst2"]["0.001"] > tried["sst2"]["0.01"]


def test_the_intervals_of_two_strengths_of_l2_were_measured(text):
    shown = re.search(r"intervals are ([\d.]+) to ([\d.]+)% and ([\d.]+) to ([\d.]+)%", text)
    assert shown
    found = RESULTS["sst2"]["validation"]
    ends = [
        100 * end
        for l2 in ("1e-05", "0.001")
        for end in wilson_interval(round(found["scikit-learn"][l2] * found["n"]), found["n"])
    ]
    assert all(map(is_shown_as, shown.groups(), ends))


def test_the_examples_of_the_phenomena_are_challenge_reviews(text):
    reviews = load("reviews", "challenge")
    for phenomenon in dict.fromkeys(reviews.phenomena):
        _, _, example, label = table_row(text, phenomenon.replace("_", " ") + " |")
        start, _, end = example.partition(" [...] ")
        same = [r for r in reviews if (r.phenomenon, r.label) == (phenomenon, int(label))]
        whole = [r for r in same if r.text == example]
        cut = [r for r in same if end and r.text.startswith(start) and r.text.endswith(end)]
        assert whole or cut, example
