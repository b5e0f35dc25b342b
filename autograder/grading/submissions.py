"""Reads a notebook that somebody handed in; the file and its folder may be anything."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
import os
import re
import shutil
import warnings
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import parse_utc

MAX_BYTES = 256 * 2**20
#: The most brackets and commas in a file: what JSON takes in memory depends on them.
MAX_SIGNS = 10_000_000
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAMES = 5


class UnreadableSubmission(ValueError):
    """Why a submission cannot be graded, one sentence for student and instructor."""


def read_submission(path: Path) -> NotebookNode:
    """The notebook, without outputs, in nbformat 4.5, every cell of the shape that it should have.

    Bytes that are not UTF-8 are read as far as they go.

    Raises
    ------
    UnreadableSubmission
        There is no notebook under this name, or none that can be read.
    """
    problem = _no_file(path)
    if problem:
        raise UnreadableSubmission(problem)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableSubmission(f"{path.name} cannot be opened: {error.strerror}") from error
    if sum(content.count(sign) for sign in (b"[", b"{", b",")) > MAX_SIGNS:
        raise UnreadableSubmission("the file holds more than a notebook can")
    try:
        data = json.loads(_text(content))
        if not isinstance(data, dict) or not (data.get("cells") or data.get("worksheets")):
            raise UnreadableSubmission(
                "the file is a notebook without cells, or no notebook at all"
            )
        version = data.get("nbformat")
        if not isinstance(version, int) or not 3 <= version <= 4:
            raise UnreadableSubmission(
                f"notebooks of format {version!s:.20} cannot be read; save it as format 4"
            )
        for cell in data.get("cells", []):  # nobody reads them, and they may be large
            if isinstance(cell, dict) and "outputs" in cell:
                cell["outputs"] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # ids that are missing or doubled are mended
            notebook: NotebookNode = nbformat.reads(json.dumps(data), as_version=4)
        tidy(notebook)
    except UnreadableSubmission:
        raise
    except ValueError as error:
        raise UnreadableSubmission(
            "the file is not a notebook: it is cut off or damaged"
        ) from error
    except Exception as error:  # nbformat has many words for a notebook out of shape
        words = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise UnreadableSubmission(
            f"the file is not a notebook that can be read ({words})"
        ) from error
    return notebook


def tidy(notebook: NotebookNode) -> None:
    """Give everything that grading looks at the type it should have; in place."""
    for number, cell in enumerate(notebook.cells):
        source = cell.get("source", "")
        cell.source = _writable(source if isinstance(source, str) else "")
        if not isinstance(cell.get("metadata"), dict):
            cell.metadata = NotebookNode()
        marks = cell.metadata.get("nbgrader")
        if marks is not None and not (
            isinstance(marks, dict) and isinstance(marks.get("grade_id", ""), str)
        ):
            del cell.metadata["nbgrader"]
        if not isinstance(cell.metadata.get("tags", []), list):
            del cell.metadata["tags"]
        if not (isinstance(cell.get("id"), str) and _CELL_ID.fullmatch(cell.id)):
            cell["id"] = f"cell-{number}"
        if cell.get("cell_type") not in ("code", "markdown"):
            cell.cell_type = "raw"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
    notebook.metadata = json.loads(
        _writable(json.dumps(notebook.metadata)), object_hook=NotebookNode
    )
    notebook.metadata.pop("widgets", None)  # outputs, too: damaged ones stop the feedback page
    notebook.nbformat_minor = 5


def digest(path: Path) -> bytes:
    """What tells one submission from another: the notebook, and when it was handed in."""
    found = hashlib.sha256()
    for file in (path, path.parent / "timestamp.txt"):
        if _no_file(file):
            found.update(b"none")
        else:
            with contextlib.suppress(OSError):
                found.update(file.read_bytes())
    return found.digest()


def copy_files(folder: Path, target: Path) -> None:
    """Copy what lies beside the notebook: ordinary files, and a time stamp that is a time.

    Links are left out: they may point to anything on this machine.
    """
    for place, _, names in os.walk(folder):
        for name in names:
            file = Path(place, name)
            if _no_file(file) or file.suffix == ".ipynb":
                continue
            if file == folder / "timestamp.txt" and not _is_time(file):
                continue
            copy = target / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):
                shutil.copyfile(file, copy)


def printable(name: str) -> str:
    """A file's name, also one that is not UTF-8, as text that can be written anywhere."""
    return os.fsencode(name).decode("utf-8", "replace")


def _no_file(path: Path) -> str:
    """Why there is no ordinary file of an ordinary size, or ""."""
    if path.is_symlink():
        return f"{path.name} is a link, not a file"
    if not path.exists():
        others = sorted(printable(name) for name in os.listdir(path.parent))
        more = f" and {len(others) - _NAMES} more" if len(others) > _NAMES else ""
        there = (
            f"; there is {', '.join(others[:_NAMES])}{more}" if others else "; the folder is empty"
        )
        return f"{path.name} was not handed in{there}"
    if not path.is_file():
        return f"{path.name} is not a file"
    if path.stat().st_size > MAX_BYTES:
        return f"{path.name} is larger than {MAX_BYTES // 2**20} MiB: clear its outputs"
    return ""


def _text(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def _writable(text: str) -> str:
    """Text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_time(file: Path) -> bool:
    try:
        parse_utc(file.read_text("utf-8").strip())
    except Exception:  # a date library has many words for what is none
        return False
    return True
