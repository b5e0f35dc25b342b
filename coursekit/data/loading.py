"""Loading of a data set by name, shipped or real: `load`."""

from __future__ import annotations

from coursekit.data.fetch import fetch
from coursekit.data.imdb import load_imdb
from coursekit.data.paths import shipped
from coursekit.data.readers import READERS, Loaded
from coursekit.data.registry import Dataset, find, find_split
from coursekit.data.tasks import TaskRows
from coursekit.data.types import Bitext, Corpus, TextDataset, max_rows


def load(name: str, split: str | None = None) -> Loaded:
    """Load a data set.

    Sets that come with the course need no network. Real ones are taken from the folder or server
    that `COURSEKIT_MIRROR` names, otherwise from the internet, and kept in a cache. With
    `COURSEKIT_MAX_ROWS` (set while a submission is graded) at most so many rows are drawn.

    Parameters
    ----------
    name : str
        One of `names()`, for example "reviews" or "sst2".
    split : str, optional
        "train", "validation", "test", ... By default "train", or the only split of sets that have
        just one.

    Returns
    -------
    TextDataset
        For labeled texts; a `Corpus` for texts without labels, a `Bitext` for sentences and their
        translations, `WordPairs`, `SentencePairs`, `Analogies` or `TaskRows` for sets of these, and a
        dictionary for a system's answers.

    Raises
    ------
    DataError
        Unknown name or split, no network, damaged file, ...: one sentence that says what to do.

    Examples
    --------
    >>> load("reviews", "test")[0].label in (0, 1)
    True
    """
    dataset = find(name)
    split = find_split(dataset, split)
    data = _read(dataset, name, split)
    rows = max_rows()
    if (
        isinstance(data, (TextDataset, Corpus, Bitext, TaskRows))
        and rows is not None
        and rows < len(data)
    ):
        return data.subset(rows)
    return data


def _read(dataset: Dataset, name: str, split: str) -> Loaded:
    """Read a split with the reader of its data set."""
    if name == "imdb":
        return load_imdb(dataset, split)
    needed = dataset.splits[split]
    if dataset.is_shipped:
        paths = [shipped(path) for path in needed]
    else:
        paths = [fetch(dataset, path) for path in needed]
    return READERS[name](name, split, paths)
