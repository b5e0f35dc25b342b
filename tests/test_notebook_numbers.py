"""Numbers and examples that stand in a notebook's text are those of the files they come from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from coursekit import load

ROOT = Path(__file__).parent.parent
RESULTS = json.loads((ROOT / "data/results/bag_of_words.json").read_text("utf-8"))
# where each row of the table begins, the data set, and the part that is judged
ROWS = [("SST-2", "sst2", "validation"), ("IMDb", "imdb", "test")]


@pytest.fixture(scope="module")
def text() -> str:
    """The text cells of assignment 01."""
    notebook = nbformat.read(ROOT / "solutions/01_bag_of_words/01_bag_of_words.ipynb", 4)
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def table_row(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start}"))
    return [part.strip() for part in line.strip("| ").split("|")]


def is_shown_as(shown: str, value: float) -> bool:
    """Whether `shown` is the value, rounded to the digits that are shown."""
    digits = len(shown.partition(".")[2])
    # the file's numbers are rounded themselves: a last digit of 5 may go either way
    return abs(float(shown) - value) <= 0.5 * 10**-digits + 1e-9


def is_result(shown: str, score: dict[str, Any], seconds: float) -> bool:
    """Whether ``82.1% (79.4 to 84.5), 28 s`` tells the score with its interval and the time."""
    numbers = re.fullmatch(r"([\d.]+)% \(([\d.]+) to ([\d.]+)\), ([\d.]+) s", shown)
    values = [100 * score["accuracy"], 100 * score["low"], 100 * score["high"], seconds]
    return numbers is not None and all(map(is_shown_as, numbers.groups(), values))


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_table_of_real_data_shows_what_was_measured(text, start, name, split):
    judged, learned, bags, ours, library = table_row(text, start)
    measured = RESULTS[name]
    scores = measured["accuracy"][split]
    assert f" {scores['ours']['n']:,} {split} " in f" {judged} "
    assert learned.startswith(f"{measured['training_texts']:,} ")
    assert bags == f"{measured['bag']}, {measured['words']:,} words"
    assert is_result(ours, scores["ours"], measured["seconds"]["ours"])
    assert is_result(library, scores["scikit-learn"], measured["seconds"]["scikit-learn"])


def test_the_paragraph_on_l2_shows_what_was_measured(text):
    paragraph = next(part for part in text.split("\n\n") if "So what is L2 good for?" in part)
    weak, strong = (RESULTS["imdb"]["other_l2"][l2] for l2 in ("1e-05", "0.001"))
    measured = [values[model] for model in ("scikit-learn", "ours") for values in (weak, strong)]
    shown = re.findall(r"([\d.]+)%", paragraph)
    assert len(shown) == len(measured)
    assert all(is_shown_as(a, 100 * b) for a, b in zip(shown, measured))


def test_the_examples_of_the_phenomena_are_challenge_reviews(text):
    reviews = load("reviews", "challenge")
    for phenomenon in dict.fromkeys(reviews.phenomena):
        _, _, example, label = table_row(text, phenomenon.replace("_", " ") + " |")
        start, _, end = example.partition(" [...] ")
        same = [r for r in reviews if (r.phenomenon, r.label) == (phenomenon, int(label))]
        whole = [r for r in same if r.text == example]
        cut = [r for r in same if end and r.text.startswith(start) and r.text.endswith(end)]
        assert whole or cut, example
