"""Write the text of the data set `almanac`.

Run ``python data/almanac/generate.py`` to rewrite train.txt.gz next to this file; the text is the
same on every machine, since all choices come from integers of a Mersenne Twister. With ``--check``
nothing is written, and the exit status is 1 if the file holds another text.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generator.files import refresh
from generator.grammar import Grammar

PATH = Path(__file__).resolve().parent / "train.txt.gz"
WORDS = 1_000_000
SEED = 0


def sentences(words: int = WORDS, seed: int = SEED) -> Iterator[str]:
    """Yield sentences until they have at least `words` whitespace-separated words.

    No sentence comes twice. A shorter text with the same seed is the beginning of a longer one.

    Raises
    ------
    ValueError
        If no new sentence can be found.
    """
    made = 0
    for sentence in Grammar.of_the_almanac().generate(seed):
        yield sentence
        made += sentence.count(" ") + 1
        if made >= words:
            return
    raise ValueError(f"the grammar ran out of new sentences after {made} words: ask for fewer.")


def main(arguments: list[str] | None = None) -> int:
    """Write or check the file; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if the file is stale"
    )
    check = parser.parse_args(arguments).check
    return refresh(PATH, sentences(), check, "data/almanac/generate.py")


if __name__ == "__main__":
    sys.exit(main())
