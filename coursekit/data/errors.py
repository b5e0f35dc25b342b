"""What can go wrong with a data set: every error is one sentence that says what to do."""

from __future__ import annotations


class DataError(Exception):
    """A data set could not be loaded; the message is one sentence that says what to do."""

    def _render_traceback_(self) -> list[str]:
        # IPython and Jupyter show these lines in place of a traceback: where the error was
        # raised inside coursekit tells a student nothing.
        return [f"{type(self).__name__}: {self}"]


class UnknownName(DataError):
    """There is no data set with this name."""


class UnknownSplit(DataError):
    """The data set has no split with this name."""


class FetchError(DataError):
    """A file could not be fetched: no network, server gone, cut transfer, full disk."""


class DamagedFile(DataError):
    """A file is there, but its content is not what it should be."""
