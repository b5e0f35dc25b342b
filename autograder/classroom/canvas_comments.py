"""Feedback pages as comments on Canvas submissions, each under a name that opens as a page.

Canvas's upload of an archive shows a page under the name of the file that the student handed in,
which ends in .ipynb and opens as no page. Its interface for programs takes a name.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.pages.feedback import write_feedback

TOKEN = "CANVAS_TOKEN"
_ADDRESS = re.compile(r"(https?://[^/]+)/courses/(\d+)/assignments/(\d+)/?(?:[?#].*)?")
_SECONDS = 60
_COMMENT = "Feedback on your notebook: open the attached page."


@dataclass
class Sent:
    """Result of sending the feedback pages: the students who got theirs, and those who could not.

    Attributes
    ----------
    students : list of str
        Students whose submission has the page as a comment now.
    left_out : list of str
        Students whose number Canvas's downloads have not told.
    """

    students: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def send_comments(
    course: Course, assignment: str, address: str, folder: Path | None = None
) -> Sent:
    """Write the feedback pages of a class and attach each to its submission in Canvas.

    Parameters
    ----------
    address : str
        The assignment's, as a browser shows it.

    Raises
    ------
    CourseError
        The address is no assignment's, there is no access token, nothing is graded, or Canvas
        refuses; the message says for whom.
    """
    canvas = _Canvas(address)
    people = Classroom(course, folder).people()
    sent = Sent()
    for page in write_feedback(course, assignment, folder):
        student = page.parent.parent.name
        number = people[student].numbers.get("canvas") if student in people else None
        if number is None:
            sent.left_out.append(student)
            continue
        try:
            canvas.comment(number, f"{assignment}.html", page.read_bytes())
        except (requests.RequestException, LookupError, ValueError, TypeError) as error:
            done = f"{len(sent.students)} pages were sent before"
            raise CourseError(
                f"Canvas did not take the page of {student} ({error}); {done}."
            ) from error
        sent.students.append(student)
    return sent


class _Canvas:
    """An assignment in Canvas, reached by its API."""

    def __init__(self, address: str) -> None:
        found = _ADDRESS.fullmatch(address.strip())
        if found is None:
            raise CourseError(
                f"{address} is not the address of an assignment in Canvas, as in"
                " https://canvas.example.edu/courses/1/assignments/2."
            )
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            raise CourseError(
                f"set {TOKEN} to an access token, which Canvas makes in Account, Settings, New Access"
                " Token."
            )
        self.site, course, assignment = found.groups()
        self.submissions = (
            f"{self.site}/api/v1/courses/{course}/assignments/{assignment}/submissions"
        )
        self.session = requests.Session()
        self.headers = {"Authorization": f"Bearer {token}"}

    def comment(self, user: str, name: str, page: bytes) -> None:
        """Attach a page to the submission of a user."""
        about = {"name": name, "size": len(page), "content_type": "text/html"}
        place = self._ask("POST", f"{self.submissions}/{user}/comments/files", data=about)
        # where the file goes may be another server, which must not see the token
        answer = self.session.post(
            place["upload_url"],
            data=place["upload_params"],
            files={"file": (name, page, "text/html")},
            timeout=_SECONDS,
            allow_redirects=False,
        )
        answer.raise_for_status()
        location = answer.headers.get("Location")
        if location and location.startswith(f"{self.site}/"):
            file = self._ask("GET", location)
        else:
            file = answer.json()
        comment = {"comment[text_comment]": _COMMENT, "comment[file_ids][]": file["id"]}
        self._ask("PUT", f"{self.submissions}/{user}", data=comment)

    def _ask(self, method: str, address: str, **data: Any) -> dict[str, Any]:
        """Send a request with the access token; return the JSON answer."""
        answer = self.session.request(
            method, address, headers=self.headers, timeout=_SECONDS, **data
        )
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found
