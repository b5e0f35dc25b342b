"""Write the text of the data set `almanac`.

Run ``python data/almanac/generate.py`` to rewrite train.txt.gz next to this file; the text is the
same on every machine, since all choices come from integers of a Mersenne Twister. With ``--check``
nothing is written, and the exit status is 1 if the file holds another text.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

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
    new = "".join(f"{sentence}\n" for sentence in sentences()).encode("utf-8")
    # The text is compared, not the file: other versions of zlib compress it to other bytes.
    old = gzip.decompress(PATH.read_bytes()) if PATH.exists() else b""
    if old == new:
        return 0
    if not check:
        PATH.write_bytes(gzip.compress(new, compresslevel=9, mtime=0))
        return 0
    pairs = zip(old.split(b"\n"), new.split(b"\n"), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    print(f"{PATH.name} is stale from line {same + 1} on; run data/almanac/generate.py.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
