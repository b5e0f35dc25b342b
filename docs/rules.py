"""Writes the table of the rules of `autograder verify` into docs/authors.md, from their docstrings.

python docs/rules.py            # write it
python docs/rules.py --check    # fail if it is stale; CI does
"""

from __future__ import annotations

import sys
from pathlib import Path

import autograder.verify.verify  # noqa: F401  (registers the rules)
from autograder.verify.rules import RULES

PAGE = Path(__file__).parent / "authors.md"
BEGIN, END = "<!-- rules: python docs/rules.py -->", "<!-- end of rules -->"


def table() -> str:
    """Return the table in Markdown: name, sentence and thresholds with their defaults."""
    lines = ["| rule | what it requires | thresholds |", "| --- | --- | --- |"]
    for one in RULES.values():
        numbers = ", ".join(f"`{name}` {value:g}" for name, value in one.thresholds.items())
        kept = " Kept in `verified.json`." if one.measure else ""
        lines.append(f"| `{one.name}` | {one.sentence}{kept} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    """Write the table, or compare it."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    wanted = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    if "--check" in sys.argv[1:]:
        sys.exit(0 if text == wanted else "docs/authors.md is stale: run `python docs/rules.py`")
    PAGE.write_text(wanted, "utf-8")


if __name__ == "__main__":
    main()
