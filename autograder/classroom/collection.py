"""The result of a collection."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Collected:
    """The result of `collect`; files are named by their path in the download.

    Attributes
    ----------
    layout : str
        The naming scheme that was used, a key of `download_layouts.LAYOUTS`.
    around : str
        The folders around the students' folders or files, "" or with a slash at the end.
    inside : str
        The archive that is the download, in what was passed; "" if that is the download.
    students : dict of str to str
        Student -> the file that will be graded.
    earlier : dict of str to list of str
        Student -> earlier submissions, which are saved in `earlier/`.
    unanswered : dict of str to list of str
        Student -> later files in which no answer can be read, so that the one with answers counts.
    unchanged : list of str
        Students whose submission in `submitted/` was kept.
    unmatched, refused : list of tuple of (str, str)
        (file, reason) of files that are no submission, or were not unpacked.
    of_others : int
        How many notebooks of other assignments were left out, of students who handed in this one.
    guessed : bool
        Whether no LMS's naming was found, so that the shape of the folders alone names students.
    matched_in : str
        The folder whose files were matched to the class by their names, "" if there is none.
    renamed : dict of str to str
        Student -> the new name under which the LMS's number was found.
    new : list of str
        Students who are new in a class that had others.
    dropped : list of str
        Students who have left the course: their submissions will not be graded.
    untimed : list of str
        Students of whose submission the time is not known.
    zone : str
        In which time zone the LMS's times were read, "" if it gives none or gives their zone.
    corrected : list of str
        Students whose time of submission had been read in another zone.
    groups : dict of str to list of str
        Group -> the students who have its submission.
    left : dict of str to str
        Student -> the group that they have left, whose submission they have no more.
    were_groups : dict of str to str
        Student of an earlier collection -> the group that it is; its members have the submission.
    teams : list of str
        What was read as the names of teams, before those of students.
    prefix : str
        What stood before GitHub usernames in the names of clones.
    later : dict of str to str
        Student -> which commits after the due date do not count.
    late : list of str
        Students whose submission the LMS marks as late without its time.
    """

    layout: str = ""
    around: str = ""
    inside: str = ""
    students: dict[str, str] = field(default_factory=dict)
    earlier: dict[str, list[str]] = field(default_factory=dict)
    unanswered: dict[str, list[str]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    unmatched: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    of_others: int = 0
    guessed: bool = False
    matched_in: str = ""
    renamed: dict[str, str] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    untimed: list[str] = field(default_factory=list)
    zone: str = ""
    corrected: list[str] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    were_groups: dict[str, str] = field(default_factory=dict)
    teams: list[str] = field(default_factory=list)
    prefix: str = ""
    later: dict[str, str] = field(default_factory=dict)
    late: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "layout": self.layout,
            "around": self.around,
            "inside": self.inside,
            "students": self.students,
            "earlier": self.earlier,
            "unanswered": self.unanswered,
            "unchanged": self.unchanged,
            "unmatched": [{"file": name, "reason": reason} for name, reason in self.unmatched],
            "refused": [{"file": name, "reason": reason} for name, reason in self.refused],
            "of_others": self.of_others,
            "renamed": self.renamed,
            "new": self.new,
            "dropped": self.dropped,
            "untimed": self.untimed,
            "corrected": self.corrected,
            "later": self.later,
            "late": self.late,
            "groups": self.groups,
            "left": self.left,
            "were_groups": self.were_groups,
            "teams": self.teams,
            "prefix": self.prefix,
        }
