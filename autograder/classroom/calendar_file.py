"""Due dates as a calendar file (iCalendar, RFC 5545), which every calendar imports.

Times are in UTC, so that no description of a time zone is needed. What is left of the format is a few
lines, fewer than a package for it would add to an installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

from autograder.errors import CourseError
from coursekit.data.paths import write_atomically

_MAX_OCTETS = 75  # octets of a line


def write_calendar(path: Path, course: str, title: str, due: Mapping[str, datetime]) -> None:
    """Write the file of `as_calendar`, as of now.

    Raises
    ------
    CourseError
        The file cannot be written.
    """
    now = datetime.now(timezone.utc).replace(tzinfo=None)
    try:
        write_atomically(path, as_calendar(course, title, due, now).encode())
    except OSError as error:
        raise CourseError(f"{path} cannot be written: {error.strerror}.") from error


def as_calendar(course: str, title: str, due: Mapping[str, datetime], now: datetime) -> str:
    """Return a calendar with an event at each due date.

    Parameters
    ----------
    course : str
        A name of the course without spaces. With an assignment's it identifies the event, so that
        a calendar that is imported again moves its events.
    title : str
        The calendar's title.
    due : mapping of str to datetime
        Assignment -> when it is due, in UTC and without a zone.
    now : datetime
        When the calendar is written, in UTC and without a zone.
    """
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:-//{escaped(course)}//autograder plan//EN",
        f"X-WR-CALNAME:{escaped(title)}",
    ]
    for assignment, date in due.items():
        lines += [
            "BEGIN:VEVENT",
            f"UID:{assignment}@{escaped(course)}",
            f"DTSTAMP:{_utc(now)}",
            f"LAST-MODIFIED:{_utc(now)}",
            f"DTSTART:{_utc(date)}",
            f"SUMMARY:{escaped(f'{assignment} is due')}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        ]
    lines.append("END:VCALENDAR")
    return "".join(f"{folded(line)}\r\n" for line in lines)


def escaped(text: str) -> str:
    r"""Escape a text value: backslash, semicolon, comma and line breaks get a backslash."""
    text = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return "\\n".join(text.splitlines())


def folded(line: str) -> str:
    """Break a line after at most 75 octets, never inside a character; a space continues it."""
    parts, size = [""], 0
    for character in line:
        width = len(character.encode())
        if size + width > _MAX_OCTETS:
            parts.append(" ")
            size = 1
        parts[-1] += character
        size += width
    return "\r\n".join(parts)


def _utc(date: datetime) -> str:
    return f"{date:%Y%m%dT%H%M%SZ}"
