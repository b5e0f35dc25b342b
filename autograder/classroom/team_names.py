"""Students' names without their team's: Moodle writes "Team 1-Ada Lovelace" where teams hand in.

Names of students have hyphens, too. So the class decides, then what the names of a download share; a
name that could be read in two ways is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from autograder.classroom.download_layouts import Submitter
from autograder.gradebook.name_keys import words
from autograder.gradebook.roster import Person, called


@dataclass
class Read:
    """The students in the names of a download.

    Attributes
    ----------
    students : dict of Submitter to Submitter
        Submitter of the download -> the same under the student's name alone.
    refused : dict of Submitter to str
        Submitter -> why the student's name is not certain.
    teams : list of str
        The teams.
    """

    students: dict[Submitter, Submitter] = field(default_factory=dict)
    refused: dict[Submitter, str] = field(default_factory=dict)
    teams: list[str] = field(default_factory=list)


def without_teams(submitters: Collection[Submitter], people: Collection[Person]) -> Read:
    """Remove teams' names from students'; Moodle writes one into every name, or into none."""
    found = Read({one: one for one in submitters})
    all_named = all(_readings(one.name) for one in submitters)
    unknown = [one for one in submitters if not called(people, one.name)]
    known = {
        one: [(team, name) for team, name in _readings(one.name) if called(people, name)]
        for one in unknown
    }
    sure = {team for one in known.values() for team, _ in one if len(words(team)) > 1}
    sure |= {team for one in unknown for team, _ in _readings(one.name) if _has_digit(team)}
    shared = Counter(team for one in unknown for team, _ in _readings(one.name))
    sure |= {team for team, count in shared.items() if count > 1 and len(words(team)) > 1}
    of_teams = all_named and (bool(sure) or sum(map(bool, known.values())) > 1)
    for one in unknown:
        readings = known[one] or _readings(one.name)
        if of_teams and len(readings) > 1:
            readings = _of_others(readings, unknown) or readings
        if of_teams or (known[one] and any(team in sure for team, _ in readings)):
            _take(found, one, readings)
        elif all_named and (known[one] or shared[readings[0][0]] > 1):
            _take(found, one, [*readings, ("", one.name)])
    found.teams.sort()
    return found


def _take(found: Read, submitter: Submitter, readings: list[tuple[str, str]]) -> None:
    """Record the student of the one reading left; refuse the submitter if there are several."""
    if len(readings) == 1:
        ((team, name),) = readings
        found.students[submitter] = replace(submitter, name=name)
        found.teams += [team] if team not in found.teams else []
        return
    del found.students[submitter]
    names = " or ".join(name for _, name in readings)
    found.refused[submitter] = (
        f"the student may be {names}: where does a team's name end? Take the class from a table first"
        " (`autograder roster`), or rename the folder"
    )


def _of_others(
    readings: list[tuple[str, str]], submitters: list[Submitter]
) -> list[tuple[str, str]]:
    """Return the readings whose team another name proves, which can be read in one way alone."""
    certain = {one[0][0] for each in submitters if len(one := _readings(each.name)) == 1}
    return [(team, name) for team, name in readings if team in certain]


def _readings(name: str) -> list[tuple[str, str]]:
    """Return a team's and a student's name for each hyphen that may stand between them."""
    hyphens = [index for index, character in enumerate(name) if character == "-"]
    parts = [(name[:index].strip(), name[index + 1 :].strip()) for index in hyphens]
    return [
        (team, own) for team, own in parts if (team and len(words(own)) > 1) or _has_digit(team)
    ]


def _has_digit(team: str) -> bool:
    return any(character.isdecimal() for character in team)
