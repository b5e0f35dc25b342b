"""The naming scheme of a download, with the submitters from metadata, text files and the class."""

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
    """Return the scope in which a download's numbers identify a student: LMS or assignment."""
    anonymous = layout.scheme == "canvas" and any(
        re.match(r"(?:LATE_)?anon_", name[len(layout.wrapper) :]) for name in names
    )
    if layout.scheme == "moodle" or anonymous:
        return f"{layout.scheme} {assignment}"
    return layout.scheme


def folders_of_the_course(course: Course) -> set[str]:
    """Return names of folders that a download may have and that are no students."""
    return {*course.assignments(), course.notebooks.name}


def layout_of(
    classroom: Classroom,
    assignment: str,
    source: Path,
    names: list[str],
    could_hold: list[str],
    scheme: str | None,
) -> Layout:
    """Return the naming scheme of a download, with the submissions where names do not tell them."""
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
