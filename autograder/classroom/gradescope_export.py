"""The metadata file in an export of Gradescope, which names the submitters of each submission.

An export is a folder `assignment_77_export/` with a folder `submission_123456/` per submission and a
file `submission_metadata.yml`, in which Gradescope writes names, ids and times.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePosixPath

import yaml

from autograder.classroom.archives import MAX_FILE_BYTES
from autograder.classroom.download_layouts import Submission, Submitter
from autograder.classroom.outer_files import read_outer
from autograder.classroom.student_folders import gradescope_account
from autograder.errors import CourseError

METADATA = "submission_metadata.yml"
_NOBODY = (
    f"{METADATA} does not say who handed it in; choose the student in Gradescope and download again,"
    " or put it into submitted/"
)


def submissions_of(source: Path, names: list[str]) -> dict[str, Submission]:
    """Return the submissions of an export of Gradescope by folder; {} if there is no metadata file.

    Parameters
    ----------
    source : Path
        The download, an archive or a folder.
    names : list of str
        The files in it. Of several metadata files the outermost is read: students' are inside.

    Raises
    ------
    CourseError
        The metadata file is damaged.
    """
    found = [name for name in names if PurePosixPath(name).name == METADATA]
    if not found:
        return {}
    name = min(found, key=lambda name: name.count("/"))
    if PurePosixPath(name).parent.name.startswith("submission_"):
        return {}
    try:
        content = read_outer(source, {name}, MAX_FILE_BYTES)[name]
        loaded = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        read = {str(folder): _submission(str(folder), entry) for folder, entry in loaded.items()}
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{name} in {source} is damaged; download the submissions from Gradescope again."
        ) from error
    return _without_doubles(read)


def _without_doubles(submissions: dict[str, Submission]) -> dict[str, Submission]:
    """Add a problem to the submissions of a person who has more than one.

    An export has one submission of each person, so that one of two is somebody else's: the later
    must not replace the other.
    """
    folders: dict[Submitter | str, set[str]] = defaultdict(set)
    names: dict[Submitter | str, set[str]] = defaultdict(set)
    for folder, submission in submissions.items():
        for submitter in submission.submitters:
            key = submitter.number or submitter
            folders[key].add(folder)
            names[key].add(submitter.name)
    found = dict(submissions)
    for key, own in folders.items():
        who = " and ".join(sorted(names[key]))
        one = "is named" if len(names[key]) == 1 else "have one address or student ID"
        for folder in own if len(own) > 1 else ():
            problem = (
                f"{who} {one} in {' and '.join(sorted(own))}; put the right one into submitted/"
            )
            found[folder] = replace(submissions[folder], problem=problem)
    return found


def _submission(folder: str, entry: object) -> Submission:
    """Read a submission; with a problem if Gradescope does not name its submitters."""
    told = entry if isinstance(entry, dict) else {}
    named = told.get(":submitters")
    submitters = tuple(map(_submitter, named)) if isinstance(named, list) else ()
    if not submitters or None in submitters:
        return Submission((Submitter(folder),), problem=_NOBODY)
    found = tuple(one for one in submitters if one is not None)
    time = told.get(":created_at")
    if not isinstance(time, datetime.datetime):
        return Submission(found)
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.timezone.utc)
    return Submission(found, time)


def _submitter(who: object) -> Submitter | None:
    """Read a submitter; None if the name is missing."""
    told = who if isinstance(who, dict) else {}
    name, email = (str(told.get(key) or "").strip() for key in (":name", ":email"))
    if not name:
        return None
    return Submitter(name, gradescope_account(email, str(told.get(":sid") or "")), email=email)
