"""Results of the course's benchmarks, for notebooks to show."""

from __future__ import annotations

import difflib
import json
from typing import Any

from coursekit.data.errors import DamagedFile, UnknownName
from coursekit.data.paths import shipped, shipped_files


def names() -> list[str]:
    """Return the names of the results that come with the course."""
    return sorted(path.stem for path in shipped_files("results", "*.json"))


def load_results(name: str) -> dict[str, Any]:
    """Load the results of a benchmark.

    Parameters
    ----------
    name : str
        One of `coursekit.results.names()`, for example "ladder_sst2".

    Returns
    -------
    dict
        As the script in `benchmarks/` wrote it; "measured_with" has the versions used.

    Raises
    ------
    DataError
        There are no results of this name, or their file is damaged.
    """
    if name not in names():
        close = difflib.get_close_matches(str(name), names(), n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownName(f"No results are called {name!r}; there are {', '.join(names())}.{guess}")
    path = shipped(f"results/{name}.json")
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise DamagedFile(f"{path} is damaged; install coursekit again.") from error
    if not isinstance(found, dict):
        raise DamagedFile(f"{path} contains no results; install coursekit again.")
    return found
