"""Write the data set `bilingual`: English sentences and their French translations.

Run ``python data/bilingual/generate.py`` to rewrite the three files next to this one; they are the
same on every machine, since all choices come from a Mersenne Twister's `random()`. With ``--check``
nothing is written, and the exit status is 1 if a file holds other pairs.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from itertools import takewhile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from faces.sentences import Sentences

FOLDER = Path(__file__).resolve().parent
SIZES = {"train": 40_000, "validation": 1_000, "test": 1_000}
HEADER = "english\tfrench\tphenomena"
SEED = 0


def splits(seed: int = SEED, sizes: dict[str, int] = SIZES) -> dict[str, list[str]]:
    """The lines of each split: English, French and labels. No English sentence comes twice."""
    drawn: dict[str, str] = {}
    for english, french, labels in Sentences(seed):
        drawn.setdefault(english, f"{english}\t{french}\t{labels}")
        if len(drawn) == sum(sizes.values()):
            break
    lines = iter(drawn.values())
    return {split: [next(lines) for _ in range(size)] for split, size in sizes.items()}


def main(arguments: list[str] | None = None) -> int:
    """Write or check the files; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a file is stale"
    )
    check = parser.parse_args(arguments).check
    stale = False
    for split, lines in splits().items():
        path = FOLDER / f"{split}.tsv.gz"
        new = "".join(f"{line}\n" for line in [HEADER, *lines]).encode("utf-8")
        # The text is compared, not the file: other versions of zlib compress it to other bytes.
        old = gzip.decompress(path.read_bytes()) if path.exists() else b""
        if old == new:
            continue
        stale = True
        if not check:
            path.write_bytes(gzip.compress(new, compresslevel=9, mtime=0))
            continue
        both = zip(old.split(b"\n"), new.split(b"\n"), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
        print(f"{path.name} is stale from line {same + 1} on; run data/bilingual/generate.py.")
    return int(stale and check)


if __name__ == "__main__":
    sys.exit(main())
