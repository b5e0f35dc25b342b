"""The reader of a submitted notebook, which trusts neither the file nor its folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import re
import secrets
import stat
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import parse_utc

from autograder.course.files import is_device
from autograder.errors import is_own
from autograder.escaping import for_terminal
from autograder.grading.notebook_json import MAX_BYTES, TooLarge, check_cells, load
from autograder.grading.student_files import read_below, read_regular, regular_file, walk

#: How deep values in a notebook may be nested; a released one has at most 8.
MAX_NESTING = 32
_MAX_INTEGER = 2**63
#: Metadata on how a cell or notebook is shown, in forms that nbformat may not accept.
_SHOWN = ("jupyter", "execution", "collapsed", "scrolled", "name", "format")
_DROPPED = ("title", "authors", "orig_nbformat", "widgets")
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MAX_LISTED = 5
_MAX_TIME_BYTES = 100
#: Name of the file that `nbgrader submit` writes beside a notebook, and its random bytes.
SECRET = "submission_secret.txt"
_SECRET_BYTES = 64


class UnreadableSubmission(ValueError):
    """The submission cannot be graded; the message tells student and instructor why."""


def read_submission(path: Path) -> NotebookNode:
    """Return the notebook in nbformat 4.5, without outputs, every cell valid.

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
        content = read_regular(path)
    except OSError as error:  # it may have changed since
        raise UnreadableSubmission(f"{path.name} cannot be opened: {error.strerror}") from error
    return parse_submission(content, path.name)


def parse_submission(content: bytes, name: str) -> NotebookNode:
    """Return the notebook in a file's content, as `read_submission` does.

    Raises
    ------
    UnreadableSubmission
        It is not a readable notebook.
    """
    try:
        data = load(content)
        if not isinstance(data, dict) or not (data.get("cells") or data.get("worksheets")):
            raise UnreadableSubmission(f"{name} is a notebook without cells, or not a notebook")
        version = data.get("nbformat")
        if not isinstance(version, int) or not 3 <= version <= 4:
            raise UnreadableSubmission(
                f"{name} has notebook format {version!s:.20}, not 3 or 4; save it as format 4"
            )
        data = plain(data)
        minor = data.get("nbformat_minor")
        data["nbformat_minor"] = minor if isinstance(minor, int) and 0 <= minor <= 5 else 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing and duplicate cell ids are fixed
            notebook: NotebookNode = nbformat.reads(json.dumps(data), as_version=4)
        tidy(notebook)
        check_cells(notebook.cells)
    except UnreadableSubmission:
        raise
    except TooLarge as error:
        raise UnreadableSubmission(f"{name} {error}") from error
    except RecursionError as error:
        raise UnreadableSubmission(
            f"{name} is not a valid notebook: its values are nested too deeply"
        ) from error
    except Exception as error:  # nbformat raises many types for an invalid notebook
        if is_own(error) and _is_valid(data):
            raise
        if isinstance(error, ValueError):
            raise UnreadableSubmission(
                f"{name} is not a valid notebook: {_damage(content)}"
            ) from error
        words = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise UnreadableSubmission(f"{name} is not a valid notebook ({words})") from error
    return notebook


def _is_valid(data: dict[str, Any]) -> bool:
    """Tell whether the JSON of a notebook is valid: an error on it is then the grader's fault."""
    try:
        nbformat.validate(nbformat.from_dict(data))
    except Exception:  # as above
        return False
    return True


def tidy(notebook: NotebookNode) -> None:
    """Replace invalid cell sources, metadata, ids and types, in place."""
    for number, cell in enumerate(notebook.cells):
        source = cell.get("source", "")
        # some tools keep the line ends of Windows
        cell.source = _writable(source if isinstance(source, str) else "").replace("\r\n", "\n")
        cell.metadata = plain(cell.get("metadata"))
        if not isinstance(cell.metadata, dict):
            cell.metadata = NotebookNode()
        marks = cell.metadata.get("nbgrader")
        if not (isinstance(marks, dict) and isinstance(marks.get("grade_id", ""), str)):
            cell.metadata.pop("nbgrader", None)
        for key in _SHOWN:
            cell.metadata.pop(key, None)
        tags = cell.metadata.pop("tags", None)
        if isinstance(tags, list):
            cell.metadata["tags"] = list(dict.fromkeys(t for t in tags if isinstance(t, str)))
        if not (isinstance(cell.get("id"), str) and _CELL_ID.fullmatch(cell.id)):
            cell["id"] = f"cell-{number}"
        if cell.get("cell_type") not in ("code", "markdown"):
            cell.cell_type = "raw"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        else:
            for key in ("outputs", "execution_count"):
                cell.pop(key, None)
    notebook.metadata = plain(notebook.metadata)
    for key in _DROPPED:
        notebook.metadata.pop(key, None)
    for key, parts in (("kernelspec", ("name", "display_name")), ("language_info", ("name",))):
        about = notebook.metadata.get(key)
        if not (isinstance(about, dict) and all(isinstance(about.get(p), str) for p in parts)):
            notebook.metadata.pop(key, None)
    notebook.nbformat_minor = 5


def plain(value: Any, depth: int = 0) -> Any:
    """Return JSON that every later step can copy and write, whatever a student put there.

    Lone surrogates are replaced, NaN and infinity become None, integers that do not fit into 64
    bits become 0, and values that are nested more than `MAX_NESTING` deep are left out.
    """
    if isinstance(value, str):
        return _writable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if abs(value) < _MAX_INTEGER else 0
    if isinstance(value, (dict, list)) and depth == MAX_NESTING:
        return None
    if isinstance(value, dict):
        return type(value)(
            (_writable(str(key)), plain(inner, depth + 1)) for key, inner in value.items()
        )
    return [plain(inner, depth + 1) for inner in value] if isinstance(value, list) else value


def digest(path: Path) -> bytes:
    """Return a digest of the notebook's file."""
    found = hashlib.sha256()
    try:
        found.update(read_regular(path))
    except OSError:
        found.update(b"none")
    return found.digest()


def copy_files(folder: Path, target: Path) -> None:
    """Copy the other files of a submission: regular files, and timestamp.txt if it is valid.

    Symbolic links are skipped: they may point to anything on this machine. So are files beyond the
    limits of `walk`, files that cannot be read or that Windows could not have, and files beyond
    `MAX_BYTES` together.
    """
    size = 0
    for name, file, problem in walk(folder):
        if problem or file.suffix == ".ipynb" or any(map(is_device, name.split("/"))):
            continue
        with contextlib.suppress(OSError):
            size += file.lstat().st_size
        if size > MAX_BYTES:
            break
        with contextlib.suppress(OSError):
            content = read_below(folder, name)
            if name == "timestamp.txt" and not _is_time(content):
                continue
            copy = target / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)


def ensure_secret(folder: Path) -> None:
    """Write `submission_secret.txt`, unless `nbgrader submit` has written one.

    `nbgrader release_feedback` hides each student's pages behind it, and stops at a submission without
    one, as those of an LMS are.
    """
    path = folder / SECRET
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if regular_file(path, 2 * _SECRET_BYTES) and path.read_text("ascii"):
            return
    with contextlib.suppress(OSError):
        path.write_text(secrets.token_hex(_SECRET_BYTES), "ascii")


def _file_problem(path: Path) -> str:
    """Return why the path is not a regular file of acceptable size, or ""."""
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


def _damage(content: bytes) -> str:
    """Return why a file is no JSON, as far as it shows."""
    if not content.strip():
        return "it is empty"
    if re.search(rb"^<<<<<<< ", content, re.MULTILINE):
        return "it has merge conflicts of git; resolve them and save it again"
    if content.startswith(b"PK\x03\x04"):
        return "it is a zip archive; unpack it"
    if content.lstrip()[:1] == b"<":
        return "it is a web page; download the notebook itself"
    return "it is cut off or damaged"


def _found_instead(folder: Path) -> str:
    try:
        others = sorted(for_terminal(name, lines=False) for name in os.listdir(folder))
    except OSError as error:
        return f"; the folder cannot be opened: {error.strerror}"
    if not others:
        return "; the folder is empty"
    more = f" and {len(others) - _MAX_LISTED} more" if len(others) > _MAX_LISTED else ""
    return f"; the folder has {', '.join(others[:_MAX_LISTED])}{more}"


def _writable(text: str) -> str:
    """Return a text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_time(content: bytes) -> bool:
    if len(content) > _MAX_TIME_BYTES:
        return False
    try:
        parse_utc(content.decode().strip())
    except Exception:  # the date parser raises many types
        return False
    return True
