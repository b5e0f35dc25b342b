"""The parts that are installed on demand: what each needs, and the sentence where it is missing."""

from __future__ import annotations

from importlib.util import find_spec

from autograder.errors import CourseError

#: Extra -> the packages that only its part of the tool imports, and what it is for.
EXTRAS = {
    "author": (
        ("PIL", "bs4", "hatchling", "matplotlib", "nbval", "pytest"),
        "draws, builds wheels and verifies",
    ),
    "cluster": (("distributed",), "grades on the workers of a Dask scheduler"),
    "guide": (("playwright",), "writes the instructor's guide, and questions about own code"),
    "site": (("PIL", "matplotlib", "networkx"), "makes slides, figures and the site of a course"),
}


def require(extra: str) -> None:
    """Raise `CourseError` with the line that installs an extra, unless its packages are here."""
    packages, purpose = EXTRAS[extra]
    if not all(map(_is_installed, packages)):
        raise CourseError(
            f"the extra {extra}, which {purpose}, is not installed:"
            f" run `pip install 'coursekit-autograder[{extra}]'`."
        )


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:
        return False
