"""The naming scheme of a download, with what metadata, text files and the class say beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from autograder.classroom import blackboard_users, gradescope_export
from autograder.classroom.download_layouts import Layout, find_layout
from autograder.classroom.gradescope_export import METADATA
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.upload_manifest import read_origins


def scope(layout: Layout, assignment: str, names: list[str]) -> str:
    """Where the LMS's numbers in a download identify a student: everywhere, or in one assignment."""
    anonymous = layout.scheme == "canvas" and any(
        re.match(r"(?:LATE_)?anon_", name[len(layout.wrapper) :]) for name in names
    )
    if layout.scheme == "moodle" or anonymous:
        return f"{layout.scheme} {assignment}"
    return layout.scheme


def folders_of_the_course(course: Course) -> set[str]:
    """Names of folders that a download may have and that are no students."""
    return {*course.assignments(), course.notebooks.name}


def layout_of(
    classroom: Classroom,
    assignment: str,
    source: Path,
    names: list[str],
    could_hold: list[str],
    scheme: str | None,
) -> Layout:
    """The naming scheme of a download, with who handed in what where names do not say it."""
    submissions = (
        gradescope_export.submissions_of(source, names) if scheme in (None, "gradescope") else {}
    )
    no_students = folders_of_the_course(classroom.course)
    layout = find_layout(could_hold, "gradescope" if submissions else scheme, no_students)
    if layout.scheme == "gradescope" and not submissions:
        raise CourseError(
            f"{METADATA} is missing, in which Gradescope says whose a submission is; download the"
            " submissions again, or choose --layout folder to name students by their folders."
        )
    if layout.scheme == "blackboard":
        people, origins = classroom.people(), read_origins(classroom.folder, assignment)
        submissions = blackboard_users.submissions_of(
            source, names, people.values(), origins, assignment
        )
    return replace(layout, submissions=submissions)
