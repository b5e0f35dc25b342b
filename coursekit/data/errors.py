"""Errors of data sets; every message is one sentence that says what to do."""

from __future__ import annotations


class DataError(Exception):
    """Error in loading a data set; the message is one sentence that says what to do."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows in place of a traceback."""
        # IPython and Jupyter show these lines in place of a traceback: where the error was
        # raised inside coursekit tells a student nothing.
        return [f"{type(self).__name__}: {self}"]


class UnknownName(DataError):
    """Error for a name that no data set has."""


class UnknownSplit(DataError):
    """Error for a split that the data set does not have."""


class FetchError(DataError):
    """Error in fetching a file: no network, server gone, cut transfer, full disk."""


class DamagedFile(DataError):
    """Error for a file whose content is not as published."""
