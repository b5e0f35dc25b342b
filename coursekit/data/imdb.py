"""The Large Movie Review Dataset: tens of thousands of small files in a tar archive.

Reading them takes seconds, so each split is cached as one compressed file of JSON lines. The official
archive and a classroom's repacked ones differ, so the pinned checksum is that of the reviews
themselves, and it is compared at every load.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
import zlib
from contextlib import suppress
from pathlib import Path

from coursekit.data.errors import DamagedFile
from coursekit.data.fetch import fetch
from coursekit.data.paths import cache_folder, write_atomically
from coursekit.data.readers import alternating
from coursekit.data.registry import Dataset
from coursekit.data.types import Corpus, TextDataset

# Path below aclImdb/ and content of each review, sorted by path.
Reviews = list[tuple[str, bytes]]

_REVIEW = re.compile(r"(?:^|/)aclImdb/((train|test)/(?:pos|neg|unsup)/\d+_\d+\.txt)$")
# The longest review has 14 KB; anything far beyond is not a review.
_MAX_BYTES = 1_000_000


def load_imdb(dataset: Dataset, split: str) -> TextDataset | Corpus:
    """Load one split of IMDb.

    Parameters
    ----------
    dataset : Dataset
        The registry's entry.
    split : str
        "train", "test" (labeled) or "unlabelled".

    Returns
    -------
    TextDataset or Corpus
        Negative and positive reviews alternate. The reviews' `<br />` become newlines, so that no
        tokenizer takes "br" for a word.

    Raises
    ------
    DataError
        The archive is not available (see `fetch`) or does not contain the published reviews.
    """
    reviews = _read_prepared(dataset, split)
    if reviews is None:
        reviews = _prepare(dataset, split)
    if split == "unlabelled":
        return Corpus(dataset.name, split, [_text(content) for _, content in reviews])
    negative, positive = (
        [_text(content) for path, content in reviews if f"/{folder}/" in path]
        for folder in ("neg", "pos")
    )
    return alternating(dataset.name, split, negative, positive)


def _text(content: bytes) -> str:
    """Return a review's text, with newlines for its `<br />`."""
    return content.decode("utf-8").replace("<br />", "\n").strip()


def digest(reviews: Reviews) -> str:
    """Return the checksum of a split: sha256 over path, 0, content, 0 of each review, by path."""
    total = hashlib.sha256()
    for path, content in reviews:
        total.update(path.encode() + b"\0" + content + b"\0")
    return f"sha256:{total.hexdigest()}"


def _prepared_file(dataset: Dataset, split: str) -> Path:
    """Return the path of the prepared split in the cache."""
    return cache_folder() / "prepared" / f"{dataset.name}-{split}.jsonl.gz"


def _read_prepared(dataset: Dataset, split: str) -> Reviews | None:
    """Return the split from the cache; None if it is missing or damaged."""
    try:
        lines = gzip.decompress(_prepared_file(dataset, split).read_bytes()).splitlines()
        reviews = [(path, text.encode()) for path, text in map(json.loads, lines)]
    except (OSError, EOFError, zlib.error, ValueError, TypeError, AttributeError):
        return None
    return reviews if digest(reviews) == dataset.content[split] else None


def _prepare(dataset: Dataset, split: str) -> Reviews:
    """Read the split from its archive, and cache every split found there."""
    archive = fetch(dataset, dataset.splits[split][0])
    found = read_archive(archive)
    if split not in found or digest(found[split]) != dataset.content[split]:
        raise DamagedFile(
            f"The archive {archive} does not contain the {split} reviews as published; delete it "
            "so that it is downloaded again, or ask whoever runs the mirror."
        )
    for name, reviews in found.items():
        if digest(reviews) != dataset.content[name]:
            continue
        lines = (
            json.dumps([path, content.decode("utf-8")], ensure_ascii=False)
            for path, content in reviews
        )
        compressed = gzip.compress("\n".join(lines).encode("utf-8"), compresslevel=1, mtime=0)
        # If the cache is not writable, the data are just as good, only slower the next time.
        with suppress(OSError):
            write_atomically(_prepared_file(dataset, name), compressed)
    return found[split]


def read_archive(archive: Path) -> dict[str, Reviews]:
    """Read the reviews of an archive without unpacking anything to the disk.

    Parameters
    ----------
    archive : Path
        A tar archive with reviews below `aclImdb/`.

    Returns
    -------
    dict of str to list of (str, bytes)
        For each split found, the paths and contents of its reviews, sorted by path.

    Raises
    ------
    DamagedFile
        It is not a complete tar archive.
    """
    found: dict[str, Reviews] = {}
    try:
        # "r|*" reads the archive as a stream, which is faster for many small files.
        with tarfile.open(archive, "r|*") as opened:
            for member in opened:
                name = _REVIEW.search(member.name)
                if name is None or not member.isfile() or member.size > _MAX_BYTES:
                    continue
                split = "unlabelled" if "/unsup/" in name[1] else name[2]
                content = opened.extractfile(member)
                if content is not None:
                    found.setdefault(split, []).append((name[1], content.read()))
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise DamagedFile(
            f"The archive {archive} cannot be read ({error}); delete it so that it is "
            "downloaded again, or ask whoever runs the mirror."
        ) from error
    return {split: sorted(reviews) for split, reviews in found.items()}
