"""Numbers and examples in the text of 03 are those of the files they come from."""

from __future__ import annotations

import re

import pytest
from quoted_numbers import (
    COLUMNS,
    ROWS,
    is_shown_as,
    measured,
    table_row,
    text_of,
)


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_closing_table_of_a_network_shows_what_was_measured(start, name, split):
    _, *shown = table_row(text_of("03_deep_averaging"), start)
    for model, cell in zip(COLUMNS["03_deep_averaging"], shown):
        if model is None:
            continue
        numbers = re.match(r"([\d.]+)% \(([\d.]+) to ([\d.]+)\)", cell)
        assert numbers, (model, cell)
        pairs = zip(numbers.groups(), measured(model, name, split))
        assert all(is_shown_as(a, b) for a, b in pairs), (model, cell)
