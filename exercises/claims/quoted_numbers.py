"""Numbers and words that a notebook's text quotes, read from the text and from where they were measured."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import nbformat

from coursekit.evaluation import wilson_interval

ROOT = Path(__file__).parents[2]
# how a text says that words stand in the list of neighbors printed above it
QUOTES_NEIGHBORS = re.compile(
    r"among (its|their) neighbors|neighbors such as|`[,;]? beside it|is nearest to"
)


def results(name: str) -> dict[str, Any]:
    return json.loads((ROOT / f"data/results/{name}.json").read_text("utf-8"))


RESULTS = results("bag_of_words")
# where each row of the table begins, the data set, and the part that is judged
ROWS = [("SST-2", "sst2", "validation"), ("IMDb", "imdb", "test")]


def cells_of(assignment: str) -> list[nbformat.NotebookNode]:
    return nbformat.read(ROOT / f"solutions/{assignment}/{assignment}.ipynb", 4).cells


def text_of(assignment: str) -> str:
    """The text cells of an assignment."""
    cells = cells_of(assignment)
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


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


BAG, DAN, INFORMED = "bag of words", "DAN, random vectors", "DAN, vectors of 02"
MEAN, ATTENTION = "mean of random vectors", "attention"
# which models stand in the columns of the closing table, behind the first ones
COLUMNS = {
    "03_deep_averaging": [BAG, DAN, INFORMED],
    "04_attention": [None, BAG, MEAN, ATTENTION],
}


def measured(model: str, name: str, split: str) -> tuple[float, float, float]:
    """Accuracy over all seeds with its 95% interval, in percent."""
    if model == BAG:
        score = RESULTS[name]["accuracy"][split]["ours"]
        return tuple(100 * score[key] for key in ("accuracy", "low", "high"))
    found = results("classifiers")[name][model]
    n = found["runs"][0]["n"]
    low, high = wilson_interval(round(found["accuracy"] * n), n)
    return 100 * found["accuracy"], 100 * low, 100 * high


def require_closing_table(assignment: str, start: str, name: str, split: str) -> None:
    """Assert that a row of an assignment's closing table shows what was measured."""
    _, *shown = table_row(text_of(assignment), start)
    for model, cell in zip(COLUMNS[assignment], shown):
        if model is None:
            continue
        numbers = re.match(r"([\d.]+)% \(([\d.]+) to ([\d.]+)\)", cell)
        assert numbers, (model, cell)
        pairs = zip(numbers.groups(), measured(model, name, split))
        assert all(is_shown_as(a, b) for a, b in pairs), (model, cell)


def printed(cell: nbformat.NotebookNode) -> str:
    """What a code cell prints."""
    outputs = cell.get("outputs", [])
    return "".join(output.text for output in outputs if output.output_type == "stream")


def quoted_neighbors(assignment: str) -> list[tuple[set[str], str]]:
    """The words that each sentence quotes as neighbors, and what is printed above it."""
    cells = nbformat.read(ROOT / f"solutions/{assignment}/{assignment}.ipynb", 4).cells
    found = []
    for above, cell in itertools.pairwise(cells):
        if above.cell_type == "code" and cell.cell_type == "markdown":
            sentences = re.split(r"(?<=[.:;?!])\s+", cell.source)
            quotes = [sentence for sentence in sentences if QUOTES_NEIGHBORS.search(sentence)]
            found += [(set(re.findall(r"`([\w'-]+)`", q)), printed(above)) for q in quotes]
    return [(words, output) for words, output in found if words]
