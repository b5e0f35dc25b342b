"""The table of symbols names assignments whose formulas have the symbol."""

import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parent.parent
TABLE = (ROOT / "docs" / "symbols.md").read_text("utf-8")
ROWS = [
    tuple(part.strip() for part in line.strip("| ").split(" | "))
    for line in TABLE.splitlines()
    if line.startswith("| $")
]


def letters(text: str) -> set[str]:
    """The letters of the formulas in a text, without the words in them; commands with their name."""
    found: set[str] = set()
    for formula in re.findall(r"\$\$?([^$]+)\$\$?", text):
        bare = re.sub(r"\\(text|mathrm|operatorname)\{[^}]*\}", "", formula)
        bare = re.sub(r"\\(mathbf|tilde|hat|overrightarrow|overleftarrow)\b", "", bare)
        found |= {"".join(m.split()) for m in re.findall(r"\\mathcal\s*\{?\w", bare)}
        found |= set(re.findall(r"\\[A-Za-z]+|(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])", bare))
    return {letter.replace("{", "") for letter in found}


def used(number: str) -> set[str]:
    (path,) = ROOT.glob(f"solutions/{number}_*/*.ipynb")
    cells = nbformat.read(path, 4).cells
    return letters("\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))


@pytest.mark.parametrize(
    "number", sorted(set(re.findall(r"\b\d\d\b", "".join(r[2] for r in ROWS))))
)
def test_an_assignment_has_every_symbol_that_the_table_says_it_has(number):
    own = used(number)
    for symbols, meaning, where in ROWS:
        if number not in re.findall(r"(?<!§)\b\d\d\b", where):
            continue
        # "L in 04; T in 07": the letter of this assignment, else any of the row
        named = [part for part in where.split(";") if number in part and "$" in part]
        wanted = letters(named[0] if named else symbols) - {"\\lvert", "\\rvert"}
        assert wanted & own, f"{symbols} ({meaning}) is in no formula of {number}"
