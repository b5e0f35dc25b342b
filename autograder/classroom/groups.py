"""Groups that hand in one submission: each member gets it, and so the same score and a page each.

Gradescope's metadata names the members of a group. For other LMSs a table does, such as the one that
Canvas exports of a set of groups.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from nbgrader.api import MissingEntry

from autograder.classroom.collection import Collected
from autograder.classroom.column_headings import GROUPS, heading_words
from autograder.classroom.download_layouts import Submission, Submitter
from autograder.classroom.excel_id_check import require_whole_numbers
from autograder.classroom.import_submissions import Candidate, sources
from autograder.classroom.lms_table import read_table
from autograder.classroom.student_folders import folder_name
from autograder.classroom.student_matching import name_columns
from autograder.classroom.submission_selection import Work
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.name_keys import are_alike, words
from autograder.gradebook.roster import Person
from autograder.gradebook.upload_manifest import Origin

_NUMBER = ("canvas user id", "user id", "id")
_EMAIL = ("email", "email address")
_LOGIN = ("login id", "sis login id", "username", "student", "login")


@dataclass
class Group:
    """A group and its members, in the words of a table or, once seen, of the download."""

    name: str
    members: list[Submitter] = field(default_factory=list)

    def is_called(self, name: str) -> bool:
        """Tell whether a name in a download is the group's, letters and digits compared."""
        return "".join(words(name)) == "".join(words(self.name))


def read_groups(path: Path, numbered: bool = True) -> list[Group]:
    """Read the groups of a table with a row per student.

    Parameters
    ----------
    numbered : bool
        Whether the numbers of the table are those of the download.

    Raises
    ------
    CourseError
        The table cannot be read, has no column for the group or the student, lists a student in two
        groups, or has numbers that Excel has shortened.
    """
    table = read_table(path)
    known = [heading_words(heading) for heading in table.headings]

    def column(wanted: tuple[str, ...]) -> int | None:
        return next((known.index(one) for one in wanted if one in known), None)

    group, number, email, login = map(column, (GROUPS, _NUMBER, _EMAIL, _LOGIN))
    if group is None:
        raise CourseError(
            f"{path} has no column 'group'; its columns are {', '.join(table.headings)}."
        )
    names = []
    for index, row in enumerate(table.rows):
        name = " ".join(filter(None, name_columns(table, index)))
        names.append(name or ("" if login is None else row.text(login).strip()))
    require_whole_numbers(table, names)
    group_of: dict[Submitter, str] = {}
    for row, name in zip(table.rows, names):
        title = row.text(group).strip()
        if not title or not name:
            continue
        own = "" if number is None or not numbered else row.text(number).strip().lstrip("#")
        address = "" if email is None else row.text(email).strip()
        member = Submitter(name, own if own.isdecimal() else "", email=address)
        if group_of.setdefault(member, title) != title:
            raise CourseError(
                f"{path} lists {name} in {group_of[member]} and in {title}: whose submission is it?"
                " Delete one of the rows."
            )
    if not group_of:
        raise CourseError(f"{path} names no student with a group.")
    groups = {title: Group(title) for title in group_of.values()}
    for member, title in group_of.items():
        groups[title].members.append(member)
    return list(groups.values())


def put_members(
    groups: list[Group], candidates: dict[Submitter, list[Candidate]]
) -> dict[Submitter, list[Candidate]]:
    """Put a member in the place of each group that handed in under its own name.

    The members of `groups` become the submitters of the download where these are the same students.
    """
    made: dict[Submitter, list[Candidate]] = {}
    for submitter, own in candidates.items():
        chosen, title = submitter, ""
        for group in groups:
            numbers = [
                one for one in group.members if one.number and one.number == submitter.number
            ]
            if group.is_called(submitter.name):
                chosen, title = (numbers or group.members)[0], group.name
            else:
                for index, member in enumerate(group.members):
                    if member in numbers or _is_one(member, submitter):
                        group.members[index] = submitter
        made.setdefault(chosen, []).extend(
            replace(one, submitter=chosen, group=title) for one in own
        )
    return made


def _is_one(member: Submitter, submitter: Submitter) -> bool:
    """Tell whether a member of a table's group and a submitter of the download are one student."""
    if member.number and submitter.number:
        return False  # other numbers are other students
    same_folder = folder_name(member.name) == folder_name(submitter.name)
    return same_folder or are_alike(member.name, submitter.name)


def _content(candidate: Candidate) -> object:
    """Return the content by which files of one submission agree: saving changes ids and outputs."""
    cells = sources(candidate.file.path)
    return candidate.file.path.read_bytes() if cells is None else tuple(cells)


def taken_for_students(
    groups: list[Group], people: dict[str, Person], origins: Mapping[str, Origin]
) -> dict[str, Group]:
    """Remove the students that are groups, of a collection without a table of groups; return them."""
    found = {}
    for student, origin in origins.items():
        person = people.get(student, Person(student))
        known = Submitter((person.names or [student])[0])
        members = [one for group in groups for one in group.members]
        if origin.group or person.listed or any(_is_one(one, known) for one in members):
            continue
        for group in groups:
            if group.is_called(known.name):
                found[student] = group
                people.pop(student, None)
    return found


def forget_students(classroom: Classroom, students: Iterable[str]) -> None:
    """Remove students that have no submission of any assignment: no class has groups as members."""
    for student in students:
        with contextlib.suppress(MissingEntry), classroom.open_gradebook() as gradebook:
            if not gradebook.student_submissions(student):
                gradebook.remove_student(student)
        for step in ("submitted", "autograded", "feedback"):
            with contextlib.suppress(OSError):  # there is none, or it has other assignments
                (classroom.folder / step / student).rmdir()


def left(
    groups: list[Group], folders: Mapping[Submitter, str], origins: Mapping[str, Origin]
) -> dict[str, str]:
    """Return students who have the submission of a group they have left, with the group.

    It is the submission of the group's member who handed in, whatever the group is called now, or of
    the group of that name, if it handed in as such.
    """
    found = {}
    for student, origin in origins.items():
        if not origin.group:
            continue
        owners = {who for who, one in origins.items() if one.file == origin.file and not one.group}
        fitting = []
        for group in groups:
            members = {folders.get(one) for one in group.members}
            if student in members or None in members:  # who is None was refused
                fitting += [bool(members & owners) if owners else group.is_called(origin.group)]
        if not any(fitting):
            found[student] = origin.group
    return found


def left_in_gradescope(
    submissions: Mapping[str, Submission],
    folders: Mapping[Submitter, str],
    origins: Mapping[str, Origin],
) -> dict[str, str]:
    """Return the result of `left` for an export of Gradescope, whose folders are the groups."""
    found = {}
    for student, origin in origins.items():
        for folder in PurePosixPath(origin.file).parts if origin.layout == "gradescope" else ():
            submission = submissions.get(folder)
            members = {folders.get(one) for one in submission.submitters} if submission else {None}
            if None not in members and student not in members:
                found[student] = f"the group of {folder}"
    return found


def share(
    groups: list[Group],
    folders: Mapping[Submitter, str],
    own: dict[str, list[Candidate]],
    result: Collected,
    work: Work,
) -> None:
    """Give each member the group's submission; a group with different ones is refused.

    A notebook in which nothing is answered is none beside one that has answers.
    """
    for group in groups:
        members = sorted({folders[one] for one in group.members if one in folders})
        handed_in = {student: own[student] for student in members if student in own}
        latest = {who: work.in_order(candidates)[-1] for who, candidates in handed_in.items()}
        if len(latest) > 1:
            answered = {
                who: one for who, one in latest.items() if work.is_in(one.file.path.read_bytes())
            }
            latest = answered or latest
        if len({_content(one) for one in latest.values()}) > 1:
            reason = (
                f"{' and '.join(latest)} of {group.name} handed in different files: which one counts?"
                " Take the other out of the download, or its student out of the group"
            )
            for student, candidates in handed_in.items():
                result.refused += [(one.file.name, reason) for one in candidates]
                del own[student]
        elif latest:
            shared = [replace(one, group=group.name) for one in handed_in[next(iter(latest))]]
            for student in members:
                if student not in latest:
                    own[student] = [*handed_in.get(student, ()), *shared]
            result.groups[group.name] = members
