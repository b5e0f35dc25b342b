"""Capture of everything that an answer shows: text, warnings, displayed objects and figures.

A figure or a progress bar for each case would push the verdict out of view.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

_PRINT_LIMIT = 2_000


class Printed(io.StringIO):
    """Text stream that keeps the first characters written to it and counts the rest."""

    count = 0

    def write(self, text: str) -> int:
        """Keep as much of the text as still fits, and count all of it."""
        room = _PRINT_LIMIT - self.count
        self.count += len(text)
        if room > 0:
            super().write(text[:room])
        return len(text)


@contextlib.contextmanager
def captured(student_code: Callable[[str], bool]) -> Iterator[Printed]:
    """Capture what code in the block shows.

    What libraries write to the standard error is dropped, such as progress bars.

    Parameters
    ----------
    student_code : callable
        Whether a file is the student's own: their warnings are kept, a library's are dropped.

    Yields
    ------
    Printed
        What was printed, with displayed objects as text.
    """
    printed = Printed()

    def show_warning(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        if student_code(filename):
            printed.write(f"{category.__name__}: {message}\n")

    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(Printed()),
        warnings.catch_warnings(),
        _displays(printed),
        _figures(),
    ):
        warnings.showwarning = show_warning
        yield printed


@contextlib.contextmanager
def _displays(printed: Printed) -> Iterator[None]:
    """Print the text form of objects that the block displays in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        yield
        return
    before, publisher = shell.display_pub, _publisher()
    shell.display_pub, shown = publisher, publisher.printed
    publisher.printed = printed
    try:
        yield
    finally:
        shell.display_pub, publisher.printed = before, shown


@functools.cache
def _publisher() -> Any:
    """Return a display publisher that prints; cached, since creating its class is slow."""
    from IPython.core.displaypub import DisplayPublisher

    class Publisher(DisplayPublisher):
        printed = Printed()

        def publish(self, data: dict[str, Any], *args: Any, **options: Any) -> None:
            """Print the plain text of what would be displayed."""
            self.printed.write(f"{data.get('text/plain', '')}\n")

        def clear_output(self, wait: bool = False) -> None:
            """Do nothing: printed text stays."""

    return Publisher()  # type: ignore[no-untyped-call]  # of traitlets


@contextlib.contextmanager
def _figures() -> Iterator[None]:
    """Close the figures that the block opens, which a notebook would show below the cell."""
    before = _numbers_of_figures()
    try:
        yield
    finally:
        for number in _numbers_of_figures() - before:
            # not `plt.close`, in whose place a notebook may have put something
            sys.modules["matplotlib._pylab_helpers"].Gcf.destroy(number)


def _numbers_of_figures() -> set[int]:
    """Return the numbers of matplotlib's open figures."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return set() if helpers is None else set(helpers.Gcf.figs)
