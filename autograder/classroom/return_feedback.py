"""The feedback of a class, packed in the form that an LMS takes back, under the names it gave.

Canvas and Moodle find the student in the name of the file or folder that they wrote into their
download (`upload_manifest`). Gradescope takes no files back, but runs an autograder again: the archive for it
holds the results, by the number of the submission, and runs no code of students.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import nbformat

from autograder.classroom.export import grades
from autograder.classroom.gradescope_json import results
from autograder.course.files import write_zip
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.upload_manifest import Origin, read_origins
from autograder.grading.grading_log import read_notes
from autograder.grading.verdicts import read_verdicts
from autograder.pages.feedback import write_feedback

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass
class Packed:
    """The archive, and the students in it.

    Attributes
    ----------
    students : dict of str to str
        Student -> name of the file in the archive.
    left_out : list of str
        Students whose submission did not come from this LMS.
    """

    output: Path
    students: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def send_back(
    course: Course,
    assignment: str,
    lms: str,
    folder: Path | None = None,
    output: Path | None = None,
) -> Packed:
    """Write the feedback pages of a class and pack them for an LMS.

    Parameters
    ----------
    lms : str
        A key of `NAMES`.
    output : Path, optional
        The archive; exports/ASSIGNMENT-feedback-LMS.zip in the class's folder if None.

    Raises
    ------
    CourseError
        Nothing is graded, no submission came from this LMS, or the archive cannot be written.
    """
    classroom = Classroom(course, folder)
    packed = Packed(output or classroom.folder / "exports" / f"{assignment}-feedback-{lms}.zip")
    origins = read_origins(classroom.folder, assignment)
    contents: dict[str, bytes] = {}
    for page in write_feedback(course, assignment, folder):
        student = page.parent.parent.name
        origin = origins.get(student)
        name = NAMES[lms](origin) if origin is not None and origin.layout == lms else ""
        if name:
            packed.students[student] = name
            contents.setdefault(name, page.read_bytes())  # an LMS hands on what a group gets
        else:
            packed.left_out.append(student)
    if not contents:
        raise CourseError(
            f"no graded submission of {assignment} came from {lms.capitalize()}: collect its download"
            f" with {classroom.command(f'collect {assignment} FILE')} first."
        )
    if lms == "gradescope":
        contents = _autograder(classroom, assignment, packed)
    try:
        write_zip(packed.output, contents, executable=("setup.sh", "run_autograder"))
    except OSError as error:
        raise CourseError(f"cannot write {packed.output}: {error.strerror}.") from error
    return packed


def _for_canvas(origin: Origin) -> str:
    """Return a name as `doeada_12345_67890_05_topic.html`: Canvas reads the two numbers."""
    return PurePosixPath(origin.file).with_suffix(".html").name


def _for_moodle(origin: Origin) -> str:
    """Return a name as `Ada Doe_123_assignsubmission_file/05_topic.html`, or a flat one."""
    parts = PurePosixPath(origin.file).with_suffix(".html").parts
    first = next((i for i, part in enumerate(parts) if "_assignsubmission_file" in part), None)
    if first is None:
        return ""
    return "/".join([parts[first], *parts[first + 1 :][-1:]])


def _for_gradescope(origin: Origin) -> str:
    """Return the name of the results, which has the number of the submission."""
    found = re.search(r"(?:^|/)submission_(\d+)/", origin.file)
    return f"results/{found[1]}.json" if found else ""


#: LMS -> the name under which it takes back the feedback on a submission; "" if it has none.
NAMES: dict[str, Callable[[Origin], str]] = {
    "canvas": _for_canvas,
    "moodle": _for_moodle,
    "gradescope": _for_gradescope,
}


def _autograder(classroom: Classroom, assignment: str, packed: Packed) -> dict[str, bytes]:
    """Return the files of a Gradescope autograder that holds the results of all submissions."""
    penalties = {
        grade.student: grade.late_penalty
        for grade in grades(classroom.course, assignment, classroom.folder)
    }
    contents = {
        "setup.sh": b"#!/usr/bin/env bash\n",
        "run_autograder": (_TEMPLATES / "hand_out_results.py").read_bytes(),
    }
    for student, name in packed.students.items():
        notebook = nbformat.read(classroom.autograded(student, assignment), as_version=4)
        reason = read_notes(notebook).unread
        note = f"Your notebook could not be run: {reason}." if reason else ""
        made = results(read_verdicts(notebook), note, penalties.get(student, 0.0))
        contents[name] = json.dumps(made, indent=1).encode()
    return contents
