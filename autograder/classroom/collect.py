"""Collection of submissions: the latest of each student in an LMS's download, into `submitted/`.

The name in the download identifies the student, in the LMS's naming scheme (`download_layouts`,
`student_folders`). The content identifies the assignment, because students and LMSs rename files.
`archives` unpacks the download, `submission_times` dates the submissions, `import_submissions` puts the
chosen files into `submitted/`.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from autograder.classroom.archives import (
    UnpackedFile,
    is_archive,
    is_hidden,
    is_notebook,
    unpack,
)
from autograder.classroom.collection import Collected
from autograder.classroom.download_layouts import GIVEN_BACK, LAYOUTS, Layout, Submitter
from autograder.classroom.download_naming import folders_of_the_course, layout_of, scope
from autograder.classroom.git_submissions import prefix_of
from autograder.classroom.gradescope_export import METADATA
from autograder.classroom.groups import (
    Group,
    forget_students,
    left,
    left_in_gradescope,
    put_members,
    read_groups,
    share,
    taken_for_students,
)
from autograder.classroom.import_submissions import Candidate, Placing
from autograder.classroom.nested_archives import download_in, downloads_among
from autograder.classroom.outer_files import outer_names
from autograder.classroom.shared_folders import of_single_students
from autograder.classroom.student_folders import Assigned, Students
from autograder.classroom.submission_selection import Work
from autograder.classroom.submission_times import Times
from autograder.classroom.team_names import without_teams
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.roster import GITHUB, Person, called
from autograder.gradebook.upload_manifest import read_origins
from autograder.grading.notebook_json import load

#: The suffix of a resubmitted or downloaded-again file: `-1`, ` (1)`.
_COPY_NUMBER = re.compile(r"(?:-| ?\()(\d+)\)?(?=\.ipynb(?:\.\w+)?$)")
#: What an LMS adds to its download.
_ADDED = {
    "blackboard": re.compile(r"_attempt_\d{4}(-\d\d){5}\.txt$"),
    "brightspace": re.compile(r"^index\.html$"),
    "sakai": re.compile(
        r"(?:^|/)(?:grades\.(?:csv|xls)|timestamp\.txt|comments\.txt|feedbackText\.html"
        r"|[^/]*submissionText\.html)$"
    ),
}
#: Archives that are not unpacked.
_PACKED = re.compile(r"\.(?:7z|rar|tar|tgz|gz|bz2|xz)$", re.IGNORECASE)
_OTHER_ARCHIVE = "an archive of another kind: unpack it, or ask for a .zip"
#: A notebook belongs to an assignment if it has at least this share of its features.
_MIN_OVERLAP = 0.2


def collect(
    course: Course,
    assignment: str,
    source: Path,
    folder: Path | None = None,
    layout: str | None = None,
    zone: str | None = None,
    times: Path | None = None,
    groups: Path | None = None,
) -> Collected:
    """Put the latest submission of each student in an LMS's download into `submitted/`.

    Parameters
    ----------
    source : Path
        The zip archive downloaded from the LMS, or a folder.
    folder : Path, optional
        The class's folder; the course's own if None.
    layout : str, optional
        The naming scheme, a key of `LAYOUTS`; detected if None.
    zone : str, optional
        The time zone of the LMS; this machine's if None.
    times : Path, optional
        A table of an LMS with the times of the submissions.
    groups : Path, optional
        A table that says which students hand in together.

    Raises
    ------
    CourseError
        There is no such download, it has no notebook, its file names fit no naming scheme, the zone
        or the table cannot be read, or the class's folder cannot be written.
    """
    if layout is not None and layout not in LAYOUTS:
        raise CourseError(f"unknown layout {layout}; choose one of {', '.join(LAYOUTS)}.")
    classroom = Classroom(course, folder)
    with download_in(source, layout, assignment, folders_of_the_course(course)) as (
        download,
        inside,
    ):
        result = _collect(classroom, assignment, download, layout, zone, times, groups)
    result.inside = inside
    return result


def _collect(
    classroom: Classroom,
    assignment: str,
    source: Path,
    layout: str | None,
    zone: str | None,
    times: Path | None,
    groups: Path | None,
) -> Collected:
    """Collect from the download itself, once it is found."""
    course = classroom.course
    names = [name for name in outer_names(source) if not is_hidden(name)]
    could_hold = [name for name in names if is_notebook(name) or is_archive(name)]
    if not could_hold:
        found = f", only {len(names)} other files" if names else ""
        raise CourseError(f"there is no notebook (.ipynb) in {source}{found}.")
    scheme = layout_of(classroom, assignment, source, names, could_hold, layout)
    together = read_groups(groups, scheme.scheme == "canvas") if groups is not None else []
    work = Work(Assignment(course, assignment))
    clock = Times(classroom, assignment, source, scheme, zone, times, work)
    classroom.require_writable()
    with tempfile.TemporaryDirectory() as temporary:
        unpacked = unpack(source, Path(temporary), _Owner(scheme))
        notebooks = [
            file
            for file in unpacked.files
            if not is_hidden(file.name) and not _is_given_back(scheme, file.name)
        ]
        result = Collected(scheme.scheme, scheme.wrapper, refused=unpacked.refused)
        result.guessed = scheme.scheme == "folder" and layout is None
        if result.guessed:
            notebooks = _without_downloads(notebooks, result)
        result.unmatched = [
            (name, _OTHER_ARCHIVE if _PACKED.search(name) else "not a notebook (.ipynb)")
            for name in unpacked.others
            if not _is_junk(name, scheme) and not clock.in_clone(name)
        ]
        released = {name: _released_features(course, name) for name in course.assignments()}
        candidates: dict[Submitter, list[Candidate]] = defaultdict(list)
        for file in notebooks:
            fitting = _read(file, scheme, result, assignment, released, clock)
            if not fitting:
                file.path.unlink()
            for candidate in fitting:
                candidates[candidate.submitter].append(candidate)
        _leave_out_others(scheme, candidates, result)
        people = classroom.people()
        if scheme.scheme == "moodle":
            candidates = _of_students(candidates, people.values(), result)
        numbered_in = scope(scheme, assignment, names)
        if any(clock.in_clone(own[0].file.name) for own in candidates.values()):
            candidates = _of_github(candidates, people, source, scheme, result)
            numbered_in = GITHUB
        elif result.guessed:
            candidates = of_single_students(candidates, assignment, people.values(), result)
        origins = read_origins(classroom.folder, assignment)
        were = taken_for_students(together, people, origins)
        students = Students(classroom.folder, people, numbered_in)
        candidates = put_members(together, candidates)
        assigned = _assign(candidates, students, result, together)
        chosen = _choose(candidates, assigned.folders, result, clock, together, work)
        clock.look_up(chosen, result)
        clock.correct(origins, result)
        gone = left(together, assigned.folders, origins) if together else {}
        gone |= {who: group.name for who, group in were.items()}
        if scheme.scheme == "gradescope":
            gone |= left_in_gradescope(scheme.submissions, assigned.folders, origins)
        Placing(classroom, assignment, result, work.is_in, gone, origins).put_in_place(chosen)
        forget_students(classroom, were)
        result.were_groups = {who: result.left.pop(who) for who in were if who in result.left}
        clock.write(chosen, result)
        if chosen:
            students.save()
            classroom.enter_names({name: own[-1].submitter.name for name, own in chosen.items()})
        result.dropped = sorted(classroom.dropped() & chosen.keys())
    return result


def _without_downloads(notebooks: list[UnpackedFile], result: Collected) -> list[UnpackedFile]:
    """Refuse archives that are downloads by themselves; return the other notebooks."""
    found = downloads_among(notebooks)
    result.refused += [
        (
            outer,
            f"looks like a download of {lms.capitalize()}: collect it by itself, or choose --layout"
            " folder if it is one student's work",
        )
        for outer, lms in found.items()
    ]
    return [one for one in notebooks if one.outer not in found]


@dataclass(frozen=True)
class _Owner:
    """Function object that returns the student to whose allowance a file of the download counts."""

    layout: Layout

    def __call__(self, outer: str) -> object:
        """Return the submitter that a file's name gives; None if it follows no naming scheme."""
        named = self.layout.parse(outer)
        return named.submitter if named else None


def _is_junk(name: str, layout: Layout) -> bool:
    """Tell whether a program added the file: a hidden file, macOS metadata, an LMS's own file."""
    if is_hidden(name) or name == f"{layout.wrapper}{METADATA}":
        return True
    own = _ADDED.get(layout.scheme)
    return bool(own and own.search(name)) or _is_given_back(layout, name)


def _is_given_back(layout: Layout, name: str) -> bool:
    """Tell whether a file is feedback that instructors gave back in Sakai."""
    return layout.scheme == "sakai" and bool(GIVEN_BACK.search(name))


def _released_features(course: Course, assignment: str) -> set[str]:
    """Return the features of an assignment's student notebook; none if it is not released."""
    path = course.notebook(assignment)
    return _features(path.read_bytes()) if path.exists() else set()


def _features(content: bytes) -> set[str]:
    """Return features that identify a notebook's assignment: grade ids, checks, defined names."""
    found: set[str] = set()
    try:
        cells = load(content)["cells"]
        for cell in cells:
            marks = (cell.get("metadata") or {}).get("nbgrader") or {}
            grade_id = marks.get("grade_id")
            source = "".join(cell["source"])
            found |= {f"id {grade_id}"} if grade_id else set()
            found |= {f"check {name}" for name in re.findall(r"^check\((\w+)\)", source, re.M)}
            found |= {f"def {name}" for name in re.findall(r"^(?:def|class) (\w+)", source, re.M)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, MemoryError):
        return set()
    return found


def _read(
    file: UnpackedFile,
    layout: Layout,
    result: Collected,
    assignment: str,
    released: dict[str, set[str]],
    clock: Times,
) -> list[Candidate]:
    """Return a file's candidates, one per submitter; [] after recording the reason for none."""

    def unmatched(reason: str) -> list[Candidate]:
        result.unmatched.append((file.name, reason))
        return []

    named = layout.parse(file.outer)
    if named is None:
        return unmatched(f"file name does not follow the naming scheme of {layout.scheme}")
    if named.problem:
        result.refused.append((file.name, named.problem))
        return []
    try:
        submitted, known = clock.of(named, file)
    except ValueError:
        return unmatched(f"there is no date {named.time}; correct it in the file name")
    chosen_name = PurePosixPath(named.file if file.name == file.outer else file.name).name
    own = _features(file.path.read_bytes())
    overlaps = {name: len(own & its) / max(1, len(its)) for name, its in released.items()}
    best = max(overlaps, key=lambda name: (overlaps[name], name == assignment))
    if overlaps[assignment] < _MIN_OVERLAP and (own or assignment not in chosen_name):
        known = overlaps[best] >= _MIN_OVERLAP
        return unmatched(
            f"looks like {best}, not {assignment}" if known else "not from this course"
        )
    if overlaps[best] > 2 * overlaps[assignment]:
        return unmatched(f"looks like {best}, not {assignment}")
    copy = _COPY_NUMBER.search(chosen_name)
    number = int(copy[1][-9:]) if copy else 0
    return [
        Candidate(submitter, submitted, known, number, file, overlaps[assignment], named.late)
        for submitter in (named.submitter, *named.others)
    ]


def _leave_out_others(
    layout: Layout, candidates: dict[Submitter, list[Candidate]], result: Collected
) -> None:
    """Count unmatched notebooks of other assignments apart if their student handed in this one."""
    rest = []
    for name, reason in result.unmatched:
        named = layout.parse(name) if reason.startswith("looks like ") else None
        if named is not None and named.submitter in candidates:
            result.of_others += 1
        else:
            rest.append((name, reason))
    result.unmatched = rest


def _of_students(
    candidates: dict[Submitter, list[Candidate]], people: Collection[Person], result: Collected
) -> dict[Submitter, list[Candidate]]:
    """Return the candidates by students, without the names of teams."""
    read = without_teams(candidates, people)
    for submitter, reason in read.refused.items():
        result.refused += [(candidate.file.name, reason) for candidate in candidates[submitter]]
    result.teams = read.teams
    return {
        student: [replace(one, submitter=student) for one in candidates[submitter]]
        for submitter, student in read.students.items()
    }


def _of_github(
    candidates: dict[Submitter, list[Candidate]],
    people: Mapping[str, Person],
    source: Path,
    layout: Layout,
    result: Collected,
) -> dict[Submitter, list[Candidate]]:
    """Return the candidates of clones by students: by their GitHub usernames, if known."""
    by_username = {one.numbers[GITHUB]: one for one in people.values() if GITHUB in one.numbers}
    own = {person.casefold() for person in people} | by_username.keys()

    def known(name: str) -> bool:
        return name.casefold() in own or bool(called(people.values(), name))

    around = PurePosixPath(layout.wrapper).name or source.resolve().name
    prefix = prefix_of([one.name for one in candidates], around, known)
    result.prefix = prefix
    made = {}
    for submitter, files in candidates.items():
        username = submitter.name[len(prefix) :]
        person = by_username.get(username.casefold())
        name = (person.names or [person.id])[0] if person else username
        number = username.casefold() if person or prefix else ""
        student = replace(submitter, name=name, number=number)
        made[student] = [replace(one, submitter=student) for one in files]
    return made


def _assign(
    candidates: dict[Submitter, list[Candidate]],
    students: Students,
    result: Collected,
    groups: list[Group],
) -> Assigned:
    """Assign folders to those who handed in, and to the members of groups."""
    assigned = students.assign([*candidates, *(one for group in groups for one in group.members)])
    for submitter, reason in assigned.refused.items():
        of_group = [(submitter.name, reason)]  # who has handed in nothing
        files = [(candidate.file.name, reason) for candidate in candidates.get(submitter, [])]
        result.refused += files or of_group
    result.renamed, result.new = assigned.renamed, assigned.new
    return assigned


def _choose(
    candidates: dict[Submitter, list[Candidate]],
    folders: Mapping[Submitter, str],
    result: Collected,
    clock: Times,
    groups: list[Group],
    work: Work,
) -> dict[str, list[Candidate]]:
    """Return each student's submissions, in order; the last one will be graded."""
    own: dict[str, list[Candidate]] = defaultdict(list)
    for submitter, student in folders.items():
        if submitter in candidates:
            own[student] += candidates[submitter]
    share(groups, folders, own, result, work)
    chosen = {}
    for student, handed_in in sorted(own.items()):
        dated = [clock.by_history(student, one, result) for one in handed_in]
        *others, counts = chosen[student] = work.in_order(dated)
        result.students[student] = counts.file.name
        if others:
            result.earlier[student] = [one.file.name for one in others]
            later = [one.file.name for one in others if one.order > counts.order]
            result.unanswered |= {student: later} if later else {}
    return chosen
