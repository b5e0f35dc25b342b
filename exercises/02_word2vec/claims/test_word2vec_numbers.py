"""Numbers and examples in the text of 02 are those of the files they come from."""

from __future__ import annotations

import re
from statistics import mean, median

import pytest
from quoted_numbers import (
    is_shown_as,
    quoted_neighbors,
    results,
    table_row,
    text_of,
)


@pytest.mark.parametrize("assignment", ["02_word2vec"])
@pytest.mark.parametrize(
    ("start", "who"),
    [
        ("your `train_skip_gram`", "ours"),
        ("gensim's skip-gram, its", "gensim, its learning rate"),
        ("gensim's skip-gram, our", "gensim, our learning rate"),
    ],
)
def test_the_table_of_word_vectors_shows_what_was_measured(assignment, start, who):
    _, similarity, analogies, speed = table_row(text_of(assignment), start)
    runs = results("word2vec")["imdb"]["runs"][who]
    assert is_shown_as(similarity, mean(run["wordsim353"]["correlation"] for run in runs))
    right = mean(run["google-analogies"]["accuracy"] for run in runs)
    assert is_shown_as(analogies.rstrip("%"), 100 * right)
    per_second = median(run["words_per_second"] for run in runs)
    assert abs(float(speed.replace(",", "")) - per_second) <= 5_001


def test_words_that_the_text_quotes_as_neighbors_are_printed_above_it():
    for words, output in quoted_neighbors("02_word2vec"):
        assert words <= set(re.findall(r"[\w'-]+", output)), words


@pytest.mark.parametrize("assignment", ["02_word2vec"])
def test_the_neighbors_that_a_text_quotes_are_found(assignment):
    quoted = set().union(*(words for words, _ in quoted_neighbors(assignment)))
    assert {"gripping", "tripe", "coach", "nurse", "fined", "taxi"} <= quoted
