"""The submission time of a notebook in a clone of a student's repository, from its history.

A student's repository is not trusted: its configuration may name programs. So git reads only its
objects, from a folder of ours, and follows none of its settings.
"""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from autograder.grading.student_files import read_below

_HASH = re.compile(r"[0-9a-f]{40}")
_BRANCH = re.compile(r"ref: (refs/heads/[\w./+-]+)")
_SECONDS = 60
_MAX_BYTES = 100 * 2**20
_MAX_TRIED = 20


@dataclass(frozen=True)
class Commit:
    """A commit that changed a file."""

    id: str
    time: datetime.datetime


@dataclass(frozen=True)
class Counted:
    """The version of a file that counts, and the commits after it.

    Attributes
    ----------
    later : tuple of Commit
        The newest first.
    """

    content: bytes
    commit: Commit
    later: tuple[Commit, ...] = ()


def repository_of(file: Path, top: Path) -> Path | None:
    """Return the folder of the repository that a file is in, below `top`; None if it is in none."""
    for folder in file.parents:
        if folder == top:
            return None
        git = folder / ".git"
        if git.is_dir() and not git.is_symlink():
            return folder
    return None


def prefix_of(repositories: Collection[str], around: str, known: Callable[[str], bool]) -> str:
    """Return the prefix that GitHub Classroom writes before the usernames in repositories' names.

    Parameters
    ----------
    around : str
        The folder around the repositories; GitHub's program calls it "PREFIX-submissions".
    known : callable
        Whether a name is one of the class.
    """
    first = min(repositories)
    begins = [first[: hyphen.end()] for hyphen in re.finditer("-", first)]
    shared = [one for one in begins if all(name.startswith(one) for name in repositories)]
    shared = [one for one in shared if one not in repositories]
    given = f"{around.removesuffix('-submissions')}-"
    if given != f"{around}-" and given in shared:
        return given
    count = {one: sum(known(name[len(one) :]) for name in repositories) for one in ["", *shared]}
    if any(count.values()):
        return max(count, key=lambda one: count[one])
    return shared[-1] if shared and len(repositories) > 1 else ""


def counted(
    file: Path,
    repository: Path,
    due: datetime.datetime | None,
    is_work: Callable[[bytes], bool],
) -> Counted | None:
    """Return the last version of a file before the due date; None if its history cannot be read.

    Parameters
    ----------
    due : datetime.datetime, optional
        Without one, the last version counts.
    is_work : callable
        Whether a version is more than what students were given. Where there was nothing else before
        the due date, the last version counts.
    """
    path = file.relative_to(repository).as_posix()
    with tempfile.TemporaryDirectory() as empty:
        git = _Git(repository, Path(empty))
        commits = git.commits(path)
        if not commits:
            return None
        in_time = [n for n, one in enumerate(commits) if due is None or one.time <= due]
        for number in in_time[:_MAX_TRIED]:
            content = git.content(commits[number], path)
            if content is not None and (due is None or is_work(content)):
                return Counted(content, commits[number], tuple(commits[:number]))
        content = git.content(commits[0], path)
        return None if content is None else Counted(content, commits[0])


class _Git:
    """Reader of a repository's objects."""

    def __init__(self, repository: Path, empty: Path) -> None:
        self.repository = repository
        objects = repository / ".git" / "objects"
        # with alternates, a student's repository would hold whatever others there are here
        others = objects / "info" / "alternates"
        self.usable = objects.is_dir() and not objects.is_symlink() and not os.path.lexists(others)
        for name in ("objects", "refs"):
            (empty / name).mkdir()
        (empty / "HEAD").write_text("ref: refs/heads/none\n")
        if shallow := self._read("shallow"):
            (empty / "shallow").write_bytes(shallow)
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(empty),
            "GIT_DIR": str(empty),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
        }

    def commits(self, path: str) -> list[Commit]:
        """Return the commits that changed a file, the newest first; [] if they cannot be read."""
        head = self._head()
        if not head or not self.usable:
            return []
        listed = self._run("log", "--format=%H %ct", head, "--", path)
        found = []
        for line in (listed or b"").decode("ascii", "replace").splitlines():
            commit, _, seconds = line.partition(" ")
            try:
                time = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
            except (ValueError, OverflowError, OSError):
                return []
            found.append(Commit(commit, time))
        return found

    def content(self, commit: Commit, path: str) -> bytes | None:
        """Return a file's content in a commit; None if it is missing or too large."""
        name = f"{commit.id}:{path}"
        size = self._run("cat-file", "-s", name)
        if size is None or int(size) > _MAX_BYTES:
            return None
        return self._run("cat-file", "blob", name)

    def _head(self) -> str:
        """Return the commit that is checked out, or ""."""
        text = self._text("HEAD")
        if _HASH.fullmatch(text):
            return text
        branch = _BRANCH.fullmatch(text)
        if branch is None or ".." in branch[1]:
            return ""
        commit = self._text(branch[1])
        for line in self._text("packed-refs").splitlines() if not commit else ():
            if line.endswith(f" {branch[1]}"):
                commit = line.partition(" ")[0]
        return commit if _HASH.fullmatch(commit) else ""

    def _text(self, name: str) -> str:
        """Read a file that git keeps beside the objects as text."""
        return self._read(name).decode("utf-8", "replace").strip()

    def _read(self, name: str) -> bytes:
        """Read a file that git keeps beside the objects; b"" if it is no regular file in there."""
        try:
            return read_below(self.repository, f".git/{name}")
        except OSError:
            return b""

    def _run(self, *arguments: str) -> bytes | None:
        """Run git and return its output; None if it fails, or is not installed."""
        command = ["git", "--literal-pathspecs", "--no-pager", *arguments]
        try:
            done = subprocess.run(
                command,
                env=self.environment,
                capture_output=True,
                check=True,
                stdin=subprocess.DEVNULL,
                timeout=_SECONDS,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout
