"""The user names in Blackboard's file names, TITLE_USERNAME_attempt_TIME_FILE.

Titles and user names may both have underscores. Beside each attempt Blackboard puts a text file that
begins with the name and the user name. Where it is missing, all files of a download share a title,
and the class may tell its users; what is then still open is refused, since a part of a user name may
be another student's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from autograder.classroom.download_layouts import LAYOUTS, Submission, Submitter
from autograder.classroom.outer_files import read_outer
from autograder.classroom.student_folders import folder_name
from autograder.gradebook.name_keys import title_words
from autograder.gradebook.roster import Person
from autograder.gradebook.upload_manifest import Origin

_ATTEMPT = r"_attempt_\d{4}(?:-\d\d){5}"
#: The text file beside an attempt, and its first line, as in "Name: Ada Lovelace (alovelace)".
_BESIDE = re.compile(rf"(?P<head>(?:(?!{_ATTEMPT}_)[^/])+){_ATTEMPT}\.txt")
_FIRST_LINE = re.compile(r"\ufeff?[^:：\n]{1,40}[:：][^\n]*\((?P<user>[^()\n]+)\)\s*(?:\n|\Z)")
_MAX_BYTES = 1_000
_MAX_NAMED = 3


def submissions_of(
    source: Path,
    names: Iterable[str],
    people: Collection[Person],
    origins: Mapping[str, Origin],
    assignment: str,
) -> dict[str, Submission]:
    """Return the submissions by title and user name, as these stand in a file's name.

    Parameters
    ----------
    source : Path
        The download, an archive or a folder.
    names : iterable of str
        The files in it.
    people : collection of Person
        Who is known of the class.
    origins : mapping of str to Origin
        What earlier downloads of the assignment have had.
    """
    heads, beside = set(), {}
    for name in names:
        last = name.rpartition("/")[2]
        if found := re.fullmatch(LAYOUTS["blackboard"][0], last, re.DOTALL):
            heads.add(found["name"])
        elif found := _BESIDE.fullmatch(last):
            beside[name] = found["head"]
    users = _told(source, beside)
    titles = {head[: -len(user) - 1] for head, user in users.items()} | _earlier(origins)
    open_heads = sorted(heads - users.keys())
    readings = {head: [one for one in titles if _user(head, one)] for head in open_heads}
    left = [head for head in open_heads if not readings[head]]
    shared = _titles(left, people, assignment)
    readings |= {head: shared or list(_splits(head)) for head in left}
    return {
        head: _submission(head, [users[head]] if head in users else _users(head, readings[head]))
        for head in heads
    }


def _told(source: Path, beside: Mapping[str, str]) -> dict[str, str]:
    """Read the user names in the text files beside attempts, by title and user name."""
    users = {}
    for name, content in read_outer(source, beside.keys(), _MAX_BYTES).items():
        told = _FIRST_LINE.match(content.decode("utf-8", "replace").replace("\r\n", "\n"))
        if told and beside[name].endswith(f"_{told['user'].strip()}"):
            users[beside[name]] = told["user"].strip()
    return users


def _earlier(origins: Mapping[str, Origin]) -> set[str]:
    """Return the titles in the names of files that were collected before."""
    found = set()
    for student, origin in origins.items():
        named = re.fullmatch(LAYOUTS["blackboard"][0], origin.file.rpartition("/")[2], re.DOTALL)
        if origin.layout == "blackboard" and named:
            head = named["name"]
            found |= {one for one in _splits(head) if folder_name(_user(head, one)) == student}
    return found


def _titles(heads: list[str], people: Collection[Person], assignment: str) -> list[str]:
    """Return the titles that all these heads may share; more than one if it is not certain."""
    first = _splits(heads[0]) if heads else []
    shared = [one for one in first if all(_user(head, one) for head in heads)]
    if len(shared) < 2:
        return shared
    known = {person.id.casefold() for person in people}
    count = {
        title: sum(folder_name(_user(head, title)).casefold() in known for head in heads)
        for title in shared
    }
    most = max(count.values())
    best = [title for title in shared if count[title] == most]
    if len(best) == 1 and (most > 1 or any(person.listed for person in people)):
        return best
    if not most and title_words(shared[-1]) == title_words(assignment):
        return shared[-1:]
    return shared


def _splits(head: str) -> list[str]:
    """Return the titles that may stand before a user name, the shortest first."""
    return [head[: at.start()] for at in re.finditer("_", head) if _user(head, head[: at.start()])]


def _user(head: str, title: str) -> str:
    """Return the user name behind a title, "" if there is none."""
    return head[len(title) + 1 :] if title and head.startswith(f"{title}_") else ""


def _users(head: str, titles: list[str]) -> list[str]:
    return sorted({_user(head, title) for title in titles}, key=len)


def _submission(head: str, users: list[str]) -> Submission:
    """Return the submission of the one possible user; with a problem if there are several."""
    named = [unicodedata.normalize("NFC", user) for user in users]
    if len(named) == 1:
        return Submission((Submitter(named[0], is_user=True),))
    problem = (
        f"the user name may be {' or '.join(named[:_MAX_NAMED])}: where does the title end? Take the"
        " class from Blackboard's table first (`autograder roster`), or leave the .txt files of the"
        " download beside"
    )
    return Submission((Submitter(head),), problem=problem)
