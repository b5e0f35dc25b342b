"""Numbers and examples in the text of 04 are those of the files they come from."""

from __future__ import annotations

from statistics import mean

import pytest
from quoted_numbers import (
    ATTENTION,
    MEAN,
    ROWS,
    is_shown_as,
    require_closing_table,
    results,
    table_row,
    text_of,
)


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_closing_table_of_a_network_shows_what_was_measured(start, name, split):
    require_closing_table("04_attention", start, name, split)


@pytest.mark.parametrize("assignment", ["04_attention"])
@pytest.mark.parametrize(
    ("start", "model"),
    [
        ("mean pooling", MEAN),
        ("attention, one query", ATTENTION),
        ("keys and values", "keys and values"),
        ("three heads", "3 heads"),
        ("hierarchical attention", "hierarchical attention"),
    ],
)
def test_the_table_of_three_seeds_shows_what_was_measured(assignment, start, model):
    _, average, *seeds = table_row(text_of(assignment), f"{start} |")
    runs = results("classifiers")["reviews"][model]["runs"]
    assert len(seeds) == len(runs)
    for shown, run in zip(seeds, runs):
        assert is_shown_as(shown.rstrip("%"), 100 * run["accuracy"])
    assert is_shown_as(average.rstrip("%"), 100 * mean(run["accuracy"] for run in runs))
