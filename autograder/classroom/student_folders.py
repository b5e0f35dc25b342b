"""Assignment of an LMS's students to folders of `submitted/`, so that no two share one.

The LMS's number identifies a student, whatever the name does. Where a name is all there is, it is
compared with those of the class, and two candidates are refused, not guessed.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.classroom.download_layouts import Submitter
from autograder.course.files import is_device
from autograder.gradebook.roster import LMS_USER_ID, Person, called, save_people, with_email

_MAX_NAME_BYTES = 120
_STUDENT_ID = "sid-"


def folder_name(name: str) -> str:
    """Convert a student's name to a folder name that nbgrader accepts; "" if nothing is left of it.

    Every system can have the folder: a name that Windows keeps for a device gets an underscore.
    """
    marks = "_.@+-"
    kept = "".join(
        c if c.isalnum() or c in marks or unicodedata.category(c)[0] == "M" else " "
        for c in unicodedata.normalize("NFC", name)
    )
    found = "_".join(kept.split()).strip("_.")
    stem, dot, rest = found.partition(".")
    return f"{stem}_{dot}{rest}" if is_device(found) else found


def gradescope_account(email: str, student_id: str) -> str:
    """Return the account of a person in Gradescope: the address that they log in with.

    A student ID is only text that somebody has entered, and counts where there is no address.
    """
    if email.strip():
        return email.strip().casefold()
    return f"{_STUDENT_ID}{student_id.strip()}" if student_id.strip() else ""


def student_id(account: str) -> str:
    """Return the student ID in an account, "" if the account is an address."""
    return account.removeprefix(_STUDENT_ID) if account.startswith(_STUDENT_ID) else ""


@dataclass
class Assigned:
    """The folders of a download's students.

    Attributes
    ----------
    folders : dict of Submitter to str
        Submitter -> folder; several submitters may be one student.
    refused : dict of Submitter to str
        Submitter -> why there is none.
    renamed : dict of str to str
        Folder -> the new name of a student whose number was known under another.
    new : list of str
        Folders of students who are new in a class that had others.
    """

    folders: dict[Submitter, str] = field(default_factory=dict)
    refused: dict[Submitter, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)


class Students:
    """The students of a class, by folder.

    Parameters
    ----------
    folder : Path
        The class's folder.
    people : dict of str to Person
        Who is known of the class.
    scope : str
        Where the numbers of `Submitter` identify a student: an LMS, or an assignment of it, as in
        "moodle 05_topic".
    """

    def __init__(self, folder: Path, people: dict[str, Person], scope: str) -> None:
        self.folder = folder
        self.scope = scope
        self._people = people
        submitted = folder / "submitted"
        names = [path.name for path in submitted.iterdir()] if submitted.is_dir() else []
        self._folders = {name.casefold(): name for name in [*names, *people]}

    def assign(self, submitters: Iterable[Submitter]) -> Assigned:
        """Give submitters their folders, or the reason for none; `save` makes it last."""
        made = Assigned()
        before = set(self._folders.values())
        wanted = defaultdict(list)
        by_name: dict[str, list[Submitter]] = defaultdict(list)
        for submitter in sorted(set(submitters), key=lambda s: (s.name, s.number)):
            name = _folder_of(submitter)
            if not name:
                made.refused[submitter] = "no student name in the file name; rename the file"
            elif len(f"{name}{submitter.number}".encode()) > _MAX_NAME_BYTES:
                made.refused[submitter] = (
                    f"the student's name is longer than {_MAX_NAME_BYTES} bytes"
                )
            elif known := self._with_number(submitter):
                made.folders[submitter] = known
                person = self._people[known]
                if not (person.is_named(submitter.name) or person.is_called(submitter.name)):
                    made.renamed[known] = submitter.name
            elif self._is_folder_of(name, submitter):
                wanted[name.casefold()].append(submitter)
            elif alike := self._alike(submitter):
                if len(alike) == 1:
                    by_name[alike[0]].append(submitter)
                else:
                    made.refused[submitter] = _either(submitter.name, alike)
            else:
                wanted[name.casefold()].append(submitter)
        taken = set(made.folders.values())
        for student, group in by_name.items():
            for submitter in group:
                if len(group) == 1 and student not in taken:
                    made.folders[submitter] = student
                else:
                    others = [one.name for one in group if one != submitter] or [student]
                    made.refused[submitter] = (
                        f"{submitter.name} and {', '.join(others)} may be one student, {student};"
                        " rename one of them"
                    )
        for submitter, student in made.folders.items():
            self._keep(submitter, student)
        for group in wanted.values():
            for submitter in group:
                name = self._free(submitter, group)
                if name:
                    made.folders[submitter] = name
                    self._keep(submitter, name)
                else:
                    made.refused[submitter] = self._clash(submitter, group)
        made.new = sorted(set(made.folders.values()) - before) if before else []
        return made

    def save(self) -> None:
        """Remember the folders given by `assign`."""
        save_people(self.folder, self._people)

    def _with_number(self, submitter: Submitter) -> str:
        """Return the student who has the submitter's number, or the email address, or ""."""
        for student, person in self._people.items():
            if submitter.number and submitter.number in (
                person.numbers.get(self.scope),
                person.numbers.get(LMS_USER_ID) if " " not in self.scope else None,
            ):
                by_id = self.scope == "gradescope" and student_id(submitter.number)
                if not by_id or person.is_named(submitter.name):
                    return student
        found = with_email(self._people.values(), submitter.email)
        return found[0].id if len(found) == 1 else ""

    def _is_folder_of(self, name: str, submitter: Submitter) -> bool:
        """Tell whether a folder of the class may be the submitter's, and not a namesake's."""
        if name not in self._people and name not in self._folders.values():
            return False
        return submitter.name == name or self._alike(submitter) in ([], [name])

    def _alike(self, submitter: Submitter) -> list[str]:
        """Return the students who may be called like the submitter and have no other number."""
        if submitter.is_user:
            return []
        return [
            person.id
            for person in called(self._people.values(), submitter.name)
            if not submitter.number or self.scope not in person.numbers
            if not self._logs_in_otherwise(submitter, person)
        ]

    def _logs_in_otherwise(self, submitter: Submitter, person: Person) -> bool:
        """Tell whether a Gradescope submitter has another address; names are freely chosen there."""
        known = self.scope == "gradescope" and submitter.email and person.email
        return bool(known) and not with_email([person], submitter.email)

    def _free(self, submitter: Submitter, group: list[Submitter]) -> str:
        """Return a folder name that is this submitter's alone, or ""."""
        name = _folder_of(submitter)
        exact = [other for other in group if other.name == _folder_of(other)]
        if (len(group) == 1 or exact == [submitter]) and self._is_free(name, submitter):
            return name
        if submitter.number:  # namesakes: the LMS's number tells them apart
            name = folder_name(f"{name}_{submitter.number}")
            return name if self._is_free(name, submitter) else ""
        return ""

    def _is_free(self, name: str, submitter: Submitter) -> bool:
        """Tell whether a folder name is nobody's, or this submitter's own."""
        if self._folders.get(name.casefold(), name) != name:
            return False
        if name not in self._people:
            return True
        person = self._people[name]
        number = person.numbers.get(self.scope, "")
        own = person.is_named(submitter.name) or submitter.name == name
        is_other = self._logs_in_otherwise(submitter, person)
        return own and number in ("", submitter.number) and not is_other

    def _keep(self, submitter: Submitter, name: str) -> None:
        """Give a student the submitter's name, address and number."""
        person = self._people.setdefault(name, Person(name))
        person.add_name(submitter.name)
        person.email = person.email or submitter.email
        person.imported = False
        if submitter.number:
            person.numbers[self.scope] = submitter.number
        self._folders[name.casefold()] = name

    def _clash(self, submitter: Submitter, group: list[Submitter]) -> str:
        """Say with whom the submitter would share a folder."""
        name = _folder_of(submitter)
        others = [other.name for other in group if other != submitter]
        if not others:
            present = self._folders.get(name.casefold(), name)
            person = self._people.get(present)
            known = person.names[0] if person and person.names else present
            others = [f"{known}, who has the folder {present}"]
        return f"{submitter.name} would share a folder with {', '.join(others)}; rename one of them"


def _folder_of(submitter: Submitter) -> str:
    return folder_name(submitter.label or submitter.name)


def _either(name: str, students: list[str]) -> str:
    return (
        f"{name} may be {' or '.join(students)}; rename the folder or file to the student's name in"
        " submitted/"
    )
