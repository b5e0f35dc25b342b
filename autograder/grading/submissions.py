"""Reads a submitted notebook. The file and its folder may be anything: nothing is trusted."""

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
#: Limit for brackets and commas, which determine how much memory the parsed JSON takes.
MAX_TOKENS = 10_000_000
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MAX_LISTED = 5


class UnreadableSubmission(ValueError):
    """The submission cannot be graded; the message tells student and instructor why."""


def read_submission(path: Path) -> NotebookNode:
    """The notebook in nbformat 4.5, without outputs, every cell valid.

    Bytes that are not UTF-8 are replaced.

    Raises
    ------
    UnreadableSubmission
        There is no such file, or it is not a readable notebook.
    """
    problem = _file_problem(path)
    if problem:
        raise UnreadableSubmission(problem)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableSubmission(f"{path.name} cannot be opened: {error.strerror}") from error
    if sum(content.count(sign) for sign in (b"[", b"{", b",")) > MAX_TOKENS:
        raise UnreadableSubmission(
            f"{path.name} is too large to parse: more than {MAX_TOKENS:,} values"
        )
    try:
        data = json.loads(_text(content))
        if not isinstance(data, dict) or not (data.get("cells") or data.get("worksheets")):
            raise UnreadableSubmission(
                f"{path.name} is a notebook without cells, or not a notebook"
            )
        version = data.get("nbformat")
        if not isinstance(version, int) or not 3 <= version <= 4:
            raise UnreadableSubmission(
                f"{path.name} has notebook format {version!s:.20}, not 3 or 4; save it as format 4"
            )
        for cell in data.get("cells", []):  # not needed, and possibly large
            if isinstance(cell, dict) and "outputs" in cell:
                cell["outputs"] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing and duplicate cell ids are fixed
            notebook: NotebookNode = nbformat.reads(json.dumps(data), as_version=4)
        tidy(notebook)
    except UnreadableSubmission:
        raise
    except ValueError as error:
        raise UnreadableSubmission(
            f"{path.name} is not a valid notebook: it is cut off or damaged"
        ) from error
    except Exception as error:  # nbformat raises many types for an invalid notebook
        words = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise UnreadableSubmission(f"{path.name} is not a valid notebook ({words})") from error
    return notebook


def tidy(notebook: NotebookNode) -> None:
    """Replace invalid cell sources, metadata, ids and types, in place."""
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
    notebook.metadata.pop("widgets", None)  # damaged widget state breaks the feedback page
    notebook.nbformat_minor = 5


def digest(path: Path) -> bytes:
    """A digest of the notebook and its submission time."""
    found = hashlib.sha256()
    for file in (path, path.parent / "timestamp.txt"):
        if _file_problem(file):
            found.update(b"none")
        else:
            with contextlib.suppress(OSError):
                found.update(file.read_bytes())
    return found.digest()


def copy_files(folder: Path, target: Path) -> None:
    """Copy the other files of a submission: regular files, and timestamp.txt if it is valid.

    Symbolic links are skipped: they may point to anything on this machine.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            file = Path(parent, name)
            if _file_problem(file) or file.suffix == ".ipynb":
                continue
            if file == folder / "timestamp.txt" and not _is_time(file):
                continue
            copy = target / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):
                shutil.copyfile(file, copy)


def printable(name: str) -> str:
    """A file name as text that can be encoded, even if the name is not valid UTF-8."""
    return os.fsencode(name).decode("utf-8", "replace")


def _file_problem(path: Path) -> str:
    """Why the path is not a regular file of acceptable size, or ""."""
    if path.is_symlink():
        return f"{path.name} is a link, not a regular file"
    if not path.exists():
        others = sorted(printable(name) for name in os.listdir(path.parent))
        more = f" and {len(others) - _MAX_LISTED} more" if len(others) > _MAX_LISTED else ""
        there = (
            f"; the folder has {', '.join(others[:_MAX_LISTED])}{more}"
            if others
            else "; the folder is empty"
        )
        return f"{path.name} was not submitted{there}"
    if not path.is_file():
        return f"{path.name} is not a file"
    if path.stat().st_size > MAX_BYTES:
        return f"{path.name} is larger than {MAX_BYTES // 2**20} MiB; clear its outputs"
    return ""


def _text(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def _writable(text: str) -> str:
    """Text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_time(file: Path) -> bool:
    try:
        parse_utc(file.read_text("utf-8").strip())
    except Exception:  # the date parser raises many types
        return False
    return True
