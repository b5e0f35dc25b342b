"""Downloads of an LMS, made up for tests."""

import zipfile

import nbformat

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.reference import read

NAME = "07_topic"


def notebook(course, words="", assignment=NAME):
    """A student's notebook, with a sentence that tells it from others."""
    made = read(course.notebook(assignment))
    made.cells.append(nbformat.v4.new_markdown_cell(words))
    return nbformat.writes(made)


def answered(course, words=""):
    """A student's notebook in which everything is answered."""
    made = filled(Assignment(course, NAME))
    made.cells.append(nbformat.v4.new_markdown_cell(words))
    return nbformat.writes(made)


def archive(path, files):
    """A zip archive: name -> text, or (text, date)."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            text, date = (
                content if isinstance(content, tuple) else (content, (2026, 1, 30, 15, 0, 0))
            )
            made.writestr(zipfile.ZipInfo(name, date), text, zipfile.ZIP_DEFLATED)
    return path


def bytes_of(path, files):
    """A zip archive as bytes, for an archive within an archive."""
    return archive(path, files).read_bytes()
