"""Folders that hold the files of several students, as a folder of Google Drive does.

Without an LMS's naming a folder stands for a student. One whose files are named by several is none: the
files are matched against the class where the folder is the whole download, and refused otherwise, since
a student can name a file by another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from autograder.classroom.collection import Collected
from autograder.classroom.download_layouts import Submitter
from autograder.classroom.import_submissions import Candidate
from autograder.gradebook.name_keys import words
from autograder.gradebook.roster import Person

#: Words that a student's own versions of a file differ by.
_NEUTRAL = frozenset(
    "a an and answer answers assignment attempt backup by checkpoint class complete completed copy corrected"
    " course done draft edited exercise exercises fertig final finished first fixed for from homework hw"
    " ipynb json lab last late latest latex my nb new notebook of old original part second solution"
    " solutions solved submission submit task test the third todo try txt untitled updated version week"
    " work working abgabe alt aufgabe endfassung entwurf kopie losung neu von copia copie de finale"
    " nouveau nueva nuevo renamed revised tmp temp".split()
)
#: Digits of a student's number; years, dates and times have fewer or more.
_NUMBER_DIGITS = range(5, 8)
_MIN_NAME_WORDS = 2

Candidates = dict[Submitter, list[Candidate]]


def of_single_students(
    candidates: Candidates, assignment: str, people: Collection[Person], result: Collected
) -> Candidates:
    """Return the candidates by students, without those of folders that hold several students' files.

    Parameters
    ----------
    people : collection of Person
        All that is known of the class.
    result : Collected
        Gets the files that are refused, and the folder whose files were matched.
    """
    listed = [person for person in people if person.listed]
    made: Candidates = {}
    for submitter, own in candidates.items():
        marks = {one: _marks(one, submitter.name, assignment) for one in own if _is_outer(one)}
        owners = {one: _owners(mark, listed) for one, mark in marks.items()}
        is_student = any(
            person.is_called(submitter.name) or words(person.id) == words(submitter.name)
            for person in (listed or people)
        )
        if is_student:
            made[submitter] = own
        elif len(candidates) == 1 and any(owners.values()):
            result.matched_in = submitter.name
            for one in own:
                _give(one, owners.get(one, []), made, result)
        elif _are_of_several(marks.values()) or len({*map(_ids, owners.values())} - {()}) > 1:
            result.refused += [(one.file.name, _refusal(submitter.name)) for one in own]
        else:
            made[submitter] = own
    return made


def _is_outer(candidate: Candidate) -> bool:
    """Tell whether a file is in no student's archive."""
    return candidate.file.name == candidate.file.outer


def _marks(candidate: Candidate, folder: str, assignment: str) -> frozenset[str]:
    """Return the words of a file's name that may name its student."""
    name = PurePosixPath(candidate.file.name).name
    usual = {*words(folder), *words(assignment)} | _NEUTRAL
    return frozenset(
        word
        for word in words(name)
        if word not in usual
        if (len(word) in _NUMBER_DIGITS if word.isdecimal() else not word[0].isdecimal())
        if not (word[0] == "v" and word[1:].isdecimal())
    )


def _owners(mark: frozenset[str], people: Iterable[Person]) -> list[Person]:
    """Return the students whom the words of a file's name may stand for."""
    return [person for person in people if mark and _is_named(person, mark)]


def _is_named(person: Person, mark: frozenset[str]) -> bool:
    """Tell whether the words of a file's name are a student's name, id, number or address."""
    local = person.email.partition("@")[0]
    texts = (*person.names, person.id, *person.numbers.values(), local)
    in_one_word = len(mark) == 1 and any(person.is_called(word) for word in mark)
    return in_one_word or any(mark == {*words(text)} for text in texts)


def _ids(owners: list[Person]) -> tuple[str, ...]:
    return tuple(person.id for person in owners)


def _are_of_several(marks: Iterable[frozenset[str]]) -> bool:
    """Tell whether files carry the names of several students, as far as one can see without a roster."""
    found = list(marks)
    named = [mark for mark in found if len(mark) >= _MIN_NAME_WORDS]
    if all(found):
        named = found
    return any(not (one <= other or other <= one) for one in named for other in named)


def _give(candidate: Candidate, owners: list[Person], made: Candidates, result: Collected) -> None:
    """Give a file to its one student; refuse it if that is nobody or may be several."""
    if len(owners) == 1:
        (person,) = owners
        student = Submitter((person.names or [person.id])[0], email=person.email)
        made.setdefault(student, []).append(replace(candidate, submitter=student))
        return
    who = " or ".join(_ids(owners))
    problem = f"may be of {who}" if who else "names nobody in the class"
    result.refused.append(
        (candidate.file.name, f"{problem}: put it into a folder with the student's name")
    )


def _refusal(folder: str) -> str:
    return (
        f"{folder} holds files of several students, and a folder is one: import the class with"
        " `autograder roster` and collect this folder by itself, or put each file into a folder with its"
        " student's name; if all is one student's, choose --layout folder"
    )
