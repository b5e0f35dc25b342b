"""Helpers of this package that an exercise may ask students to write themselves.

While the cases of such an exercise run, the helper raises `NotAllowed`, under whichever name a
notebook has imported it. So do the parts of `coursekit.given` while the exercise runs whose place
they take.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

#: The full names of these helpers. Each begins with a call of `require_allowed`.
HELPERS = (
    "coursekit.evaluation.mcnemar",
    "coursekit.evaluation.wilson_interval",
    "coursekit.text.Vocabulary",
    "coursekit.text.pad_batch",
    "coursekit.text.tokenize",
)
#: Those that the case that is running may not use.
_forbidden: set[str] = set()


class NotAllowed(RuntimeError):
    """Error for a call of a helper that the exercise forbids; the message names it."""


def require_allowed(name: str) -> None:
    """Refuse to go on if the helper may not be used now.

    Parameters
    ----------
    name : str
        Its full name: one of `HELPERS`, or that of a part of `coursekit.given`, which the exercise
        of its name does without.

    Raises
    ------
    NotAllowed
        It is forbidden.
    """
    if name in _forbidden:
        raise NotAllowed(f"{name} may not be used in this exercise: write it yourself")


@contextlib.contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """Forbid helpers in the block.

    Parameters
    ----------
    names : sequence of str
        Their full names, such as ``"coursekit.text.pad_batch"``.
    """
    before = set(_forbidden)
    _forbidden.update(names)
    try:
        yield
    finally:
        _forbidden.clear()
        _forbidden.update(before)
