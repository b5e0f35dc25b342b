"""Submission times, from the LMS, a repository's history, or a table.

The date of a file alone is no such time. Canvas, for one, gives all files of a download the date of
the download, as newer versions of Moodle do.
"""

from __future__ import annotations

import contextlib
import datetime
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.classroom.archives import UnpackedFile
from autograder.classroom.collection import Collected
from autograder.classroom.column_headings import TIMES, heading_words
from autograder.classroom.date_parsing import in_iso_order
from autograder.classroom.download_layouts import Layout, Named
from autograder.classroom.git_submissions import counted, repository_of
from autograder.classroom.import_submissions import STAMP, Candidate, write_time
from autograder.classroom.lms_table import read_table
from autograder.classroom.outer_files import outer_names, read_outer
from autograder.classroom.student_matching import rows_of
from autograder.classroom.submission_selection import Work
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.deadlines import due_date, extensions
from autograder.gradebook.late_penalties import submission_time
from autograder.gradebook.roster import Person
from autograder.gradebook.timestamps import here, in_zone, read_naive
from autograder.gradebook.upload_manifest import Origin

UTC = datetime.timezone.utc
#: A download takes at most so long; in one, files have the times at which it came to them.
_DOWNLOAD = datetime.timedelta(minutes=10)
#: Local times differ from UTC by at most this, and by a multiple of this.
_MAX_OFFSET, _OFFSETS = datetime.timedelta(hours=14), datetime.timedelta(minutes=15)


class Times:
    """The submission times of a download.

    Parameters
    ----------
    zone : str, optional
        The time zone of the LMS; this machine's if None.
    table : Path, optional
        A table with the times of the submissions, which count before all others.
    work : Work
        Says which versions are more than what students were given.

    Raises
    ------
    CourseError
        There is no such zone.
    """

    def __init__(
        self,
        classroom: Classroom,
        assignment: str,
        source: Path,
        layout: Layout,
        zone: str | None,
        table: Path | None,
        work: Work,
    ) -> None:
        self.classroom = classroom
        self.assignment = assignment
        self.source = source
        self.layout = layout
        self.zone = zone
        self.table = table
        if zone is not None:
            in_zone(datetime.datetime(2026, 1, 1), zone)
        self._stamps: dict[str, datetime.datetime] = {}
        if layout.scheme == "sakai":
            self._stamps = _sakai_stamps(source)
        self._used_zone = False
        self._due = due_date(classroom, assignment)
        self._extensions = extensions(classroom, assignment)
        self._work = work

    def of(self, named: Named, file: UnpackedFile) -> tuple[datetime.datetime, bool]:
        """Return the submission time and True, or the date of the file and False.

        Raises
        ------
        ValueError
            The name has a date that no calendar has.
        """
        told = named.submitted()
        if told is not None:
            if told.tzinfo is not None:
                return told.astimezone(UTC), True
            return self._local(told), True
        folder = named.submitter.label
        if folder in self._stamps:
            return self._stamps[folder], True
        if self.layout.scheme == "moodle" and self.source.is_file():
            return self._local(file.received.replace(tzinfo=None)), True
        return file.received, False

    def _local(self, naive: datetime.datetime) -> datetime.datetime:
        """Convert a local time of the LMS to UTC."""
        self._used_zone = True
        try:
            return self._placed(naive)
        except CourseError:  # clocks skip this time; an LMS that says so means the hour after
            return self._placed(naive + datetime.timedelta(hours=1))

    def _placed(self, naive: datetime.datetime) -> datetime.datetime:
        local = here(naive, False) if self.zone is None else in_zone(naive, self.zone, False)
        return local.astimezone(UTC)

    def in_clone(self, name: str) -> bool:
        """Tell whether a file of the download is in a clone of a student's repository."""
        if self.layout.scheme != "folder" or not self.source.is_dir():
            return False
        return repository_of(self.source / name, self.source) is not None

    def by_history(self, student: str, candidate: Candidate, result: Collected) -> Candidate:
        """Return a clone's candidate as its repository had it before the due date; others as is."""
        file = candidate.file
        if self.layout.scheme != "folder" or file.name != file.outer or not self.source.is_dir():
            return candidate
        place = self.source / file.name
        repository = repository_of(place, self.source)
        if repository is None:
            return candidate
        due = self._due
        if due is not None:
            due += self._extensions.get(student, datetime.timedelta())
        found = counted(
            place, repository, due.replace(tzinfo=UTC) if due else None, self._work.is_changed
        )
        if found is None:
            return candidate
        file.path.write_bytes(found.content)
        if found.later:
            count = len(found.later)
            result.later[student] = (
                f"{count} later commit{'s' * (count != 1)}, the last of"
                f" {found.later[0].time:%Y-%m-%d %H:%M} UTC"
            )
        commit = found.commit
        return replace(candidate, submitted=commit.time, known=True, commit=commit.id)

    def correct(self, origins: Mapping[str, Origin], result: Collected) -> None:
        """Write anew, if a zone is given, the times that were read in another one.

        A time was if it lies off what the download said by what zones differ by; a table's stays.
        """
        if self.zone is None:
            return
        for student, origin in origins.items():
            folder = self.classroom.submission(student, self.assignment).parent
            told, stored = self._told(origin), submission_time(folder)
            if told is None or stored is None:
                continue
            time, shift = self._local(told), abs(stored - told)
            if (
                shift <= _MAX_OFFSET
                and not shift % _OFFSETS
                and time.replace(tzinfo=None) != stored
            ):
                write_time(folder, time)
                result.corrected.append(student)

    def _told(self, origin: Origin) -> datetime.datetime | None:
        """Return the local time that the LMS gave a submission in `submitted/`; None if it gave none."""
        if origin.layout != self.layout.scheme:
            return None
        with contextlib.suppress(ValueError):
            if origin.layout == "moodle":
                return datetime.datetime.strptime(origin.dated, STAMP)
            parts = origin.file.split("/")
            for first in range(len(parts)):  # without the folders around the download
                named = replace(self.layout, wrapper="", submissions={}).parse(
                    "/".join(parts[first:])
                )
                if named is not None and named.time:
                    return named.submitted()
        return None

    def look_up(self, chosen: dict[str, list[Candidate]], result: Collected) -> None:
        """Replace times by those of the table, and forget those that are the download's.

        Raises
        ------
        CourseError
            The table cannot be read, or has no times.
        """
        if self.layout.scheme == "moodle" and self._are_of_the_download(chosen):
            self._used_zone = False
            for own in chosen.values():
                own[:] = [replace(one, known=False) for one in own]
        if self.table is not None:
            for student, times in self._listed(chosen).items():
                own = chosen[student]
                if len(times) == len(own):
                    in_turn = sorted(own, key=lambda one: one.order)
                    own[:] = [
                        replace(one, submitted=times[in_turn.index(one)], known=True) for one in own
                    ]
                else:  # an LMS hands out the last attempt
                    own[-1] = replace(own[-1], submitted=times[-1], known=True)

    def write(self, chosen: dict[str, list[Candidate]], result: Collected) -> None:
        """Write the table's times to unchanged submissions; list the untimed and the late ones."""
        if self._used_zone and (self.zone is not None or chosen.keys() - {*result.unchanged}):
            used = datetime.datetime.now().astimezone().tzname()
            result.zone = self.zone or f"this machine's time zone, {used} (--zone names another)"
        for student, own in chosen.items():
            latest = own[-1]
            folder = self.classroom.submission(student, self.assignment).parent
            if student in result.unchanged and result.students[student] == latest.file.name:
                time = latest.submitted.replace(tzinfo=None, microsecond=0)
                if latest.known and self.table is not None and submission_time(folder) != time:
                    write_time(folder, latest.submitted)
            if folder.is_dir() and submission_time(folder) is None:
                result.untimed.append(student)
                if latest.late:
                    result.late.append(student)

    def _are_of_the_download(self, chosen: dict[str, list[Candidate]]) -> bool:
        """Tell whether dates follow one another as in one download, as that of a lone file does."""
        files = [(one.file.path, one.submitted) for own in chosen.values() for one in own]
        dates = [date for _, date in sorted(files)]  # in the order of the archive
        return bool(dates) and dates == sorted(dates) and dates[-1] - dates[0] <= _DOWNLOAD

    def _listed(self, chosen: dict[str, list[Candidate]]) -> dict[str, list[datetime.datetime]]:
        """Return the times of the attempts that the table lists for each student, in order."""
        assert self.table is not None
        table = read_table(self.table)
        known = [heading_words(heading) for heading in table.headings]
        columns = [known.index(heading) for heading in TIMES if heading in known]
        if not columns:
            raise CourseError(
                f"{self.table} has no column with times, such as 'Submission Time'; its columns are"
                f" {', '.join(table.headings)}."
            )
        people = self.classroom.people()
        for student, own in chosen.items():
            person = people.setdefault(student, Person(student))
            person.add_name(own[-1].submitter.name)
            person.email = person.email or own[-1].submitter.email
            _add_number(person, own, self.layout, self.assignment)
        rows = rows_of(table, people.values(), self.assignment, columns)
        found = {}
        for student in chosen:
            texts = [row.text(columns[0]).strip() for row in rows.get(student, ())]
            times = sorted(self._read(text) for text in texts if text.strip("-"))
            if times:
                found[student] = times
        return found

    def _read(self, text: str) -> datetime.datetime:
        """Parse a time of the table and convert it to UTC."""
        naive, zone = read_naive(in_iso_order(text))
        return in_zone(naive, zone, later=False).astimezone(UTC) if zone else self._local(naive)


def _add_number(person: Person, own: Sequence[Candidate], layout: Layout, assignment: str) -> None:
    """Add the LMS's number of a submitter to the person."""
    number = own[-1].submitter.number
    if number:
        moodle = layout.scheme == "moodle"
        person.numbers[f"moodle {assignment}" if moodle else layout.scheme] = number


def _sakai_stamps(source: Path) -> dict[str, datetime.datetime]:
    """Return the times in Sakai's `timestamp.txt`, which are in UTC, by a student's folder."""
    names = {}
    for name in outer_names(source):
        if match := re.search(r"(?:^|/)([^/]+\([^()/]+\))/timestamp\.txt$", name):
            names[name] = unicodedata.normalize("NFC", match[1])
    found = {}
    for name, content in read_outer(source, names.keys(), 14).items():
        with contextlib.suppress(ValueError):
            time = datetime.datetime.strptime(content.decode("ascii"), "%Y%m%d%H%M%S")
            found[names[name]] = time.replace(tzinfo=UTC)
    return found
