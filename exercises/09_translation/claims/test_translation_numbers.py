"""Numbers and examples in the text of 09 are those of the files they come from."""

from __future__ import annotations

import re

import pytest
from quoted_numbers import (
    is_shown_as,
    results,
    text_of,
)


@pytest.mark.parametrize("assignment", ["09_translation"])
def test_what_attention_is_worth_was_measured(assignment):
    measured = results("translation")["bilingual"]["steps"]
    shown = re.findall(
        r"after ([\d,]+) steps it is worth (\d+) BLEU \(([\d.]+) without, ([\d.]+) with it\)",
        text_of(assignment),
        re.IGNORECASE,
    )
    assert [steps.replace(",", "") for steps, *_ in shown] == list(measured)
    for steps, gap, without, with_it in shown:
        models = measured[steps.replace(",", "")]
        bleu = [models[f"{word} attention"]["bleu"] for word in ("without", "with")]
        assert is_shown_as(without, bleu[0])
        assert is_shown_as(with_it, bleu[1])
        assert is_shown_as(gap, bleu[1] - bleu[0])
