"""Numbers and examples in the text of 03 are those of the files they come from."""

from __future__ import annotations

import pytest
from quoted_numbers import (
    ROWS,
    require_closing_table,
)


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_closing_table_of_a_network_shows_what_was_measured(start, name, split):
    require_closing_table("03_deep_averaging", start, name, split)
