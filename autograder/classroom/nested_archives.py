"""An LMS's download that was packed once more, or that lies in a folder as it came.

Its archive looks like the work of one student, and what a student packs must not pass for a class. So
it is opened only if its name is one that LMSs give, or if the user has named the LMS.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.classroom.archive_names import members
from autograder.classroom.archives import (
    BLOCK,
    MAX_RATIO,
    UnpackedFile,
    is_archive,
    is_hidden,
    is_notebook,
    reason_to_refuse,
    writing,
)
from autograder.classroom.download_layouts import Layout, find_layout, lone_folders
from autograder.classroom.gradescope_export import METADATA
from autograder.classroom.outer_files import opened, outer_names
from autograder.errors import CourseError
from autograder.gradebook.name_keys import words

#: What LMSs call the archive of a download.
_CALLED = re.compile(
    r"submissions|assignment_\d+_export|gradebook_.+|(?:.+[_ ])?bulk[_ ]download|.+ Download .+\d{4}.*",
    re.IGNORECASE,
)
#: What people call it, and Moodle, beside the assignment and numbers.
_NEUTRAL = {
    *("all", "assignments", "class", "download", "downloads", "export"),
    *("submission", "submissions", "students", "abgaben", "alle"),
    *("canvas", "moodle", "blackboard", "brightspace", "gradescope", "sakai"),
}
#: How often a download may be packed once more.
_MAX_NESTING = 3
_CLASS = "class"
#: The LMSs whose download shows in the names alone.
_BY_NAME = ("canvas", "moodle", "blackboard", "brightspace", "sakai")


@contextlib.contextmanager
def download_in(
    source: Path, scheme: str | None, assignment: str, no_students: Collection[str]
) -> Iterator[tuple[Path, str]]:
    """Find the download itself; yield it and its name in `source`, "" if that is the download.

    Parameters
    ----------
    scheme : str, optional
        The naming scheme that the user has chosen.
    no_students : collection of str
        Names of folders that a student has, such as an assignment's.

    Raises
    ------
    CourseError
        All there is is an archive that may be one student's, or a download.
    """
    with tempfile.TemporaryDirectory() as temporary:
        search = _Search(scheme, assignment, no_students, Path(temporary))
        yield search.within(source, ()) or (source, "")


def downloads_among(files: Iterable[UnpackedFile]) -> dict[str, str]:
    """Return the LMS for each archive read as a student's that seems to be an LMS's download."""
    inside = defaultdict(list)
    for file in files:
        if file.name != file.outer:
            inside[file.outer].append(file.name[len(file.outer) + 1 :])
    found = {}
    for outer, names in inside.items():
        for key in _BY_NAME:
            parsed = [Layout(key).parse(n) or Layout(key).parse(n.partition("/")[0]) for n in names]
            if all(parsed) and len({one.submitter.name for one in parsed if one}) > 1:
                found[outer] = key
    return found


@dataclass
class _Search:
    scheme: str | None
    assignment: str
    no_students: Collection[str]
    folder: Path

    def within(self, source: Path, around: tuple[str, ...]) -> tuple[Path, str] | None:
        """Return the download in the only archive of `source`, and its name; None if there is none.

        Parameters
        ----------
        around : tuple of str
            The archives that `source` is in.
        """
        name = _lone_archive(source, self.scheme) if len(around) < _MAX_NESTING else ""
        inner = _taken_out(source, name, self.folder / str(len(around))) if name else None
        if inner is None:
            return None
        names = [*around, name]
        if deeper := self.within(inner, tuple(names)):
            return deeper
        return (inner, "/".join(names)) if self._is_download(inner, names) else None

    def _is_download(self, inner: Path, names: list[str]) -> bool:
        """Tell whether an archive is the LMS's own, by its content and its name."""
        try:
            every = [one for one in outer_names(inner) if not is_hidden(one)]
        except CourseError:  # damaged: it is refused with the reason
            return False
        kind = _kind(every, self.no_students)
        if self.scheme is not None or not kind:
            return bool(_visible(every)) and self.scheme is not None
        parts = PurePosixPath("/".join(names)).parts
        if all(_is_no_name(part, kind, self.assignment) for part in parts):
            return True
        where = f"everything is in the archive {'/'.join(names)}, which could be one student's work"
        if kind == _CLASS:
            raise CourseError(
                f"{where} or a whole class; choose --layout folder for a student, or unpack it and"
                " collect the folder for a class."
            )
        raise CourseError(
            f"{where} or a download of {kind.capitalize()}; choose with --layout folder or --layout"
            f" {kind}."
        )


def _lone_archive(source: Path, scheme: str | None) -> str:
    """Return the only file, if it is an archive with a name that no LMS gives; else ""."""
    names = _visible(outer_names(source))
    if len(names) != 1 or not is_archive(names[0]) or scheme == "folder":
        return ""
    if scheme is not None:
        around = ["", *lone_folders(names)]
        return "" if any(Layout(scheme, one).parse(names[0]) for one in around) else names[0]
    try:
        return names[0] if find_layout(names).scheme == "folder" else ""
    except CourseError:  # whoever reads it next says why
        return ""


def _visible(names: Iterable[str]) -> list[str]:
    return [n for n in names if not is_hidden(n) and (is_notebook(n) or is_archive(n))]


def _taken_out(source: Path, name: str, target: Path) -> Path | None:
    """Extract the archive in a download to a file of its own; None if it cannot be read."""
    if source.is_dir():
        inner = source / name
    else:
        inner = target
        with opened(source) as archive:
            member = next(one for one in members(archive) if one.filename == name)
            if reason_to_refuse(member):
                return None
            most = MAX_RATIO * max(member.compress_size, 1_000)
            try:
                with archive.open(member) as file, writing(inner) as out:
                    while most > 0 and (block := file.read(min(BLOCK, most))):
                        most -= len(block)
                        out.write(block)
            except CourseError:
                raise
            except Exception:  # damaged in one of many ways: it is refused with the reason
                return None
    return inner if zipfile.is_zipfile(inner) else None


def _kind(every: list[str], no_students: Collection[str]) -> str:
    """Classify an archive's content: an LMS's download, a class, or "" for a student's work."""
    names = _visible(every)
    if not names:
        return ""
    if any(PurePosixPath(one).name == METADATA for one in every):
        return "gradescope"
    around = ["", *lone_folders(names)]
    for key in _BY_NAME:
        if any(all(map(Layout(key, one).parse, names)) for one in around):
            return key
    inside = [one[len(around[-1]) :] for one in names]
    if any("/" not in one and not is_archive(one) for one in inside):
        return ""
    return _CLASS if len({one.partition("/")[0] for one in inside} - set(no_students)) > 1 else ""


def _is_no_name(part: str, kind: str, assignment: str) -> bool:
    """Tell whether the name of a folder or archive is none that a student has."""
    stem = re.sub(r"\.zip$|\s*\(\d+\)", "", part, flags=re.IGNORECASE)
    if _CALLED.fullmatch(stem) or (kind == "moodle" and re.fullmatch(r".+-\d{3,}", stem)):
        return True
    neutral = _NEUTRAL if kind == _CLASS else _NEUTRAL | set(words(assignment))
    rest = {one for one in words(stem) if not one.isdecimal()}
    return bool(rest) and rest <= neutral
