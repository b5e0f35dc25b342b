"""The almanac: a text generated at first use and kept in the cache."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from coursekit.data.kinds import Corpus
from coursekit.data.places import cache_folder, write_atomically

WORDS = 1_000_000
SEED = 0


def load_almanac(name: str, split: str) -> Corpus:
    """Load the almanac, generating it when the cache does not have it.

    Parameters
    ----------
    name, split : str
        What the result is called.

    Returns
    -------
    Corpus
        About a million words of text, sentence by sentence; the same on every machine.
    """
    path = cache_folder() / "almanac" / f"sentences-{_generator_digest()}.txt"
    texts = _read(path)
    if texts is None:
        from coursekit.corpus import sentences

        texts = list(sentences(words=WORDS, seed=SEED))
        body = "\n".join(texts).encode("utf-8")
        # A cache that cannot be written to costs only the time to generate again.
        with suppress(OSError):
            write_atomically(path, hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    return Corpus(name, split, texts)


def _read(path: Path) -> list[str] | None:
    """The sentences of a cached text; None when it is not there, or not whole."""
    try:
        checksum, _, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        return None
    return body.decode("utf-8").split("\n")


def _generator_digest() -> str:
    # Another version of the generator writes another text, which must not be taken for this.
    folder = Path(find_spec("coursekit.corpus").origin).parent
    digest = hashlib.sha256(f"{WORDS} {SEED}".encode())
    for source in sorted(folder.rglob("*")):
        if source.is_file() and source.suffix != ".pyc":
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]
