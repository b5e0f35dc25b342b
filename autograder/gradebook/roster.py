"""The students of a class, with the names, numbers and addresses by which LMSs know them.

`students.json`, next to the gradebook, stores what LMSs said: student -> the name, earlier names,
the number by LMS, the email address, and whether the student is listed in the roster or has dropped
the course. nbgrader's table of students adds those who were imported there.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Student

from autograder.errors import ClassError
from autograder.gradebook.name_keys import are_alike
from coursekit.data.paths import write_atomically

#: The scope of nbgrader's `lms_user_id`.
LMS_USER_ID = "lms_user_id"
#: The scope of GitHub's usernames, in lower case.
GITHUB = "github"


@dataclass
class Person:
    """A student, with all that is known of them.

    Attributes
    ----------
    id : str
        The name of the student's folder, and in the gradebook.
    names : list of str
        Full names, the latest first.
    numbers : dict of str to str
        Scope -> the student's number; a scope is an LMS, or an assignment in it.
    email : str
        The email address, "" if unknown.
    listed : bool
        Whether a roster lists the student.
    dropped : bool
        Whether the student has left the course.
    imported : bool
        Whether only nbgrader's table knows the student; `students.json` then does not repeat it.
    """

    id: str
    names: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)
    email: str = ""
    listed: bool = False
    dropped: bool = False
    imported: bool = False

    def is_called(self, name: str) -> bool:
        """Tell whether a name may be this student's."""
        return any(are_alike(name, own) for own in (*self.names, self.id))

    def is_named(self, name: str) -> bool:
        """Tell whether this is one of the student's names, in either form of an accent."""
        wanted = unicodedata.normalize("NFC", name)
        return any(unicodedata.normalize("NFC", own) == wanted for own in self.names)

    def add_name(self, name: str) -> None:
        """Make a name the latest."""
        if name:
            self.names = [name, *(own for own in self.names if own != name)]

    def to_dict(self) -> dict[str, Any]:
        """Return the entry in `students.json`, without empty fields except name and numbers."""
        name, *earlier = self.names or [self.id]
        rest = {
            "earlier_names": earlier,
            "email": self.email,
            "listed": self.listed,
            "dropped": self.dropped,
        }
        kept = {key: value for key, value in rest.items() if value}
        return {"name": name, "numbers": self.numbers, **kept}


def students_file(folder: Path) -> Path:
    """Return the path of `students.json` in the folder of a class."""
    return folder / "students.json"


def read_people(folder: Path) -> dict[str, Person]:
    """Return student -> person, from `students.json` in the folder of a class.

    Raises
    ------
    ClassError
        The file is damaged.
    """
    path = students_file(folder)
    try:
        found = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return {student: _person(student, one) for student, one in found.items()}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ClassError(
            f"{path} is damaged; repair it, or delete it if no names clash."
        ) from error


def _person(student: str, one: dict[str, Any]) -> Person:
    return Person(
        student,
        [str(one["name"]), *map(str, one.get("earlier_names", []))],
        {str(scope): str(number) for scope, number in one["numbers"].items()},
        str(one.get("email", "")),
        bool(one.get("listed")),
        bool(one.get("dropped")),
    )


def save_people(folder: Path, people: dict[str, Person]) -> None:
    """Write `students.json`, unless it says the same already."""
    path = students_file(folder)
    entries = {who: person.to_dict() for who, person in people.items() if not person.imported}
    content = json.dumps(entries, indent=1, sort_keys=True).encode()
    if not path.exists() or path.read_bytes() != content:
        write_atomically(path, content, private=True)


def called(people: Iterable[Person], name: str) -> list[Person]:
    """Return the students who may have this name, which may be more than one."""
    return [person for person in people if person.is_called(name)]


def with_email(people: Iterable[Person], email: str) -> list[Person]:
    """Return the students who have this email address."""
    wanted = email.strip().casefold()
    return [person for person in people if wanted and person.email.strip().casefold() == wanted]


def add_entry(people: dict[str, Person], student: Student) -> None:
    """Add the data on one student in nbgrader's table."""
    person = people.setdefault(student.id, Person(student.id, imported=True))
    name = " ".join(filter(None, (student.first_name, student.last_name)))
    if name and not person.is_named(name):
        person.names.append(name)
    person.email = person.email or student.email or ""
    if student.lms_user_id:
        person.numbers.setdefault(LMS_USER_ID, str(student.lms_user_id))
