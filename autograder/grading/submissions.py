"""Reads a submitted notebook. The file and its folder may be anything: nothing is trusted."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import parse_utc

from autograder.escaping import for_terminal

MAX_BYTES = 256 * 2**20
#: Limit for brackets and commas, which determine how much memory the parsed JSON takes.
MAX_TOKENS = 10_000_000
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MAX_LISTED = 5
_MAX_TIME_BYTES = 100
#: How deep the folders of a submission may be nested.
MAX_FOLDERS = 32


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
    if count_tokens(content) > MAX_TOKENS:
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


def count_tokens(content: bytes) -> int:
    """How many values JSON has at most."""
    return sum(content.count(sign) for sign in (b"[", b"{", b","))


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

    Symbolic links are skipped: they may point to anything on this machine. So are files beyond the
    limits of `walk`, files that cannot be read, and what is more than `MAX_BYTES` together.
    """
    size = 0
    for name, file, problem in walk(folder):
        if problem or file.suffix == ".ipynb":
            continue
        with contextlib.suppress(OSError):
            size += file.lstat().st_size
        if size > MAX_BYTES:
            break
        if name == "timestamp.txt" and not _is_time(file):
            continue
        copy = target / name
        with contextlib.suppress(OSError):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def walk(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """The files in a folder, whatever is in it: name, path, and what is wrong with it, or "".

    The names are relative to the folder, with slashes, in a fixed order. Links and devices are named but
    not opened; what is more than `MAX_FOLDERS` folders deep is named by the first folder beyond.
    """
    folders = [("", folder, 0)]
    while folders:
        before, current, depth = folders.pop()
        try:
            with os.scandir(current) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            yield before or ".", current, f"cannot be opened ({error.strerror})"
            continue
        inside = []
        for entry in entries:
            name, path = f"{before}{entry.name}", Path(entry.path)
            if entry.is_symlink():
                yield name, path, "symbolic link"
            elif entry.is_file(follow_symlinks=False):
                yield name, path, ""
            elif not entry.is_dir(follow_symlinks=False):
                yield name, path, "neither a file nor a folder"
            elif depth == MAX_FOLDERS:
                yield name, path, f"more than {MAX_FOLDERS} folders deep"
            else:
                inside.append((f"{name}/", path, depth + 1))
        folders += reversed(inside)


def regular_file(path: Path, most: int = MAX_BYTES) -> bool:
    """Whether a path is a regular file, not a link, of at most `most` bytes."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= most


def _file_problem(path: Path) -> str:
    """Why the path is not a regular file of acceptable size, or ""."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return f"{path.name} was not submitted{_found_instead(path.parent)}"
    except OSError as error:
        return f"{path.name} cannot be opened: {error.strerror}"
    if stat.S_ISLNK(status.st_mode):
        return f"{path.name} is a link, not a regular file"
    if not stat.S_ISREG(status.st_mode):
        return f"{path.name} is not a file"
    if status.st_size > MAX_BYTES:
        return f"{path.name} is larger than {MAX_BYTES // 2**20} MiB; clear its outputs"
    return ""


def _found_instead(folder: Path) -> str:
    try:
        others = sorted(for_terminal(name, lines=False) for name in os.listdir(folder))
    except OSError as error:
        return f"; the folder cannot be opened: {error.strerror}"
    if not others:
        return "; the folder is empty"
    more = f" and {len(others) - _MAX_LISTED} more" if len(others) > _MAX_LISTED else ""
    return f"; the folder has {', '.join(others[:_MAX_LISTED])}{more}"


def _text(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")


def _writable(text: str) -> str:
    """Text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_time(file: Path) -> bool:
    if not regular_file(file, _MAX_TIME_BYTES):
        return False
    try:
        parse_utc(file.read_text("utf-8").strip())
    except Exception:  # the date parser raises many types
        return False
    return True
