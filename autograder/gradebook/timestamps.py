"""Dates with a time zone as people write them, and in UTC without one as nbgrader stores them.

nbgrader itself takes an abbreviation for the machine's own zone and "+0200" for 200 seconds. Here a
date is read with its zone, or refused.
"""

from __future__ import annotations

import datetime
import functools
import re
import zoneinfo

from autograder.errors import CourseError

UTC = datetime.timezone.utc
_DATE = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:\.\d+)?)?\s*(?P<half>[AaPp]\.?[Mm]\.?(?![A-Za-z]))?\s*(?P<zone>.*)"
)
_OFFSET = re.compile(r"(?:UTC|GMT)?\s*(?P<sign>[+\-−])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?")
_ABBREVIATION = re.compile(r"[A-Z]{2,5}")
#: A span of time: 3d, 1d12h, 90m, 2 weeks.
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(weeks?|w|days?|d|hours?|h|minutes?|min|m)")
_SECONDS = {"w": 604_800.0, "d": 86_400.0, "h": 3_600.0, "m": 60.0}
#: The longest time span: an extension of more than ten years is a slip.
_MAX_SECONDS = 3650 * _SECONDS["d"]
_EXAMPLE = '"2026-10-20 23:59 Europe/Berlin"'


def read_date(
    text: str, zone: str | None = None, later: bool = True
) -> tuple[datetime.datetime, str]:
    """Return a date with its zone, and the zone that was taken in words.

    Parameters
    ----------
    text : str
        As in "2026-10-20 23:59 Europe/Berlin"; the zone may also be an offset (+0200), an
        abbreviation that stands for one offset (CEST), or missing.
    zone : str, optional
        The zone of a date that names none; this machine's if None.
    later : bool
        As in `in_zone`.

    Raises
    ------
    CourseError
        The text is no such date, or the zone is unknown or ambiguous.
    """
    naive, own = read_naive(text)
    named = own or zone or ""
    if not named:
        local = here(naive, later)
        return local, f"this machine's time zone, {local.tzname()}, since none was given"
    return in_zone(naive, named, later), named


def read_naive(text: str) -> tuple[datetime.datetime, str]:
    """Return a date without its zone, and the zone as it is written there, or "".

    Raises
    ------
    CourseError
        The text is no such date.
    """
    found = _DATE.fullmatch(text.strip())
    if found is None:
        raise CourseError(f"{text!r} is not a date with a time of day; write it as in {_EXAMPLE}.")
    try:
        year, month, day = map(int, found["date"].split("-"))
        if not 1970 <= year < 2100:
            raise ValueError("the year must be in 1970..2099")
        hour = _hour(int(found["hour"]), found["half"])
        naive = datetime.datetime(
            year, month, day, hour, int(found["minute"]), int(found["second"] or 0)
        )
    except ValueError as error:
        raise CourseError(
            f"there is no date {text!r} ({error}); write it as in {_EXAMPLE}."
        ) from error
    return naive, found["zone"].strip()


def _hour(hour: int, half: str | None) -> int:
    """Return the hour of the day, from one with AM or PM, or neither."""
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        raise ValueError("hour must be in 1..12 before AM or PM")
    return hour % 12 + (12 if half.lower().startswith("p") else 0)


def in_zone(naive: datetime.datetime, zone: str, later: bool = True) -> datetime.datetime:
    """Return a naive date with this zone.

    Parameters
    ----------
    later : bool
        Which of two is meant where clocks are set back and a time comes twice: the later one, as
        for a due date, or the earlier one, as for a submission, so that no student is worse off.

    Raises
    ------
    CourseError
        The zone is unknown or ambiguous, or its clocks skip this time.
    """
    if zone in ("Z", "UTC", "GMT"):
        return naive.replace(tzinfo=UTC)
    if offset := _OFFSET.fullmatch(zone):
        minutes = 60 * int(offset["hours"]) + int(offset["minutes"] or 0)
        if minutes > 14 * 60:
            raise CourseError(f"no clock is {zone} from UTC; write the zone as in {_EXAMPLE}.")
        sign = 1 if offset["sign"] == "+" else -1
        delta = datetime.timedelta(minutes=sign * minutes)
        return naive.replace(tzinfo=datetime.timezone(delta))
    if _ABBREVIATION.fullmatch(zone):
        return naive.replace(tzinfo=_abbreviated(zone, naive))
    try:
        tz = zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise CourseError(
            f"there is no time zone {zone!r}; write its full name, as in {_EXAMPLE}, or an offset"
            " such as +0200."
        ) from error
    return _once(naive, tz, zone, later)


def here(naive: datetime.datetime, later: bool = True) -> datetime.datetime:
    """Return a naive date with this machine's zone, as `in_zone` does."""
    return _once(naive, None, "this machine's time zone", later)


def _once(
    naive: datetime.datetime, tz: datetime.tzinfo | None, name: str, later: bool
) -> datetime.datetime:
    """Return the moment at which clocks show a time; this machine's clocks if `tz` is None."""
    folded = naive.replace(fold=int(later))
    found = folded.astimezone() if tz is None else folded.replace(tzinfo=tz)
    if found.astimezone(UTC).astimezone(tz).replace(tzinfo=None) != naive:
        raise CourseError(f"the clocks in {name} skip {naive:%Y-%m-%d %H:%M}; choose another time.")
    return found


def _abbreviated(zone: str, naive: datetime.datetime) -> datetime.timezone:
    """Return the offset that an abbreviation such as CEST stands for."""
    local = naive.astimezone()
    own, offset = local.tzname(), local.utcoffset()
    if own == zone and offset is not None:  # this machine's zone says what it means here
        return datetime.timezone(offset, zone)
    offsets = _offsets(zone, naive.year)
    if not offsets:
        raise CourseError(
            f"there is no time zone {zone}; write its full name, as in {_EXAMPLE}, or an offset such"
            " as +0200."
        )
    if len(offsets) > 1:
        meanings = " or ".join(
            f"{offset_words(offset)} ({name})" for offset, name in sorted(offsets.items())
        )
        raise CourseError(
            f"{zone} may be {meanings}; write the zone's full name, as in {_EXAMPLE}."
        )
    return datetime.timezone(next(iter(offsets)), zone)


@functools.cache
def _offsets(abbreviation: str, year: int) -> dict[datetime.timedelta, str]:
    """Return offset -> a zone that has the abbreviation with it in some month of the year."""
    found: dict[datetime.timedelta, str] = {}
    for name in sorted(zoneinfo.available_timezones()):
        if "/" not in name or name.startswith("Etc/"):
            continue
        for month in (1, 4, 7, 10):
            there = datetime.datetime(year, month, 15, tzinfo=zoneinfo.ZoneInfo(name))
            offset = there.utcoffset()
            if there.tzname() == abbreviation and offset is not None:
                found.setdefault(offset, name)
    return found


def offset_words(offset: datetime.timedelta) -> str:
    """Return an offset as in "UTC+02:00"."""
    minutes = round(offset.total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def stored(date: datetime.datetime) -> datetime.datetime:
    """Return a date as nbgrader stores it: in UTC, without a zone."""
    return date.astimezone(UTC).replace(tzinfo=None)


def both(utc: datetime.datetime, zone: datetime.tzinfo | None = None) -> str:
    """Return a stored date in local time and UTC: "2026-10-20 23:59 CEST, 2026-10-20 21:59 UTC".

    Parameters
    ----------
    zone : tzinfo, optional
        The local zone; this machine's if None.
    """
    local = utc.replace(tzinfo=UTC).astimezone(zone)
    name = local.tzname() or ""
    offset = local.utcoffset() or datetime.timedelta()
    if not re.fullmatch(r"[A-Z]{2,5}", name):
        name = offset_words(offset)
    in_utc = f"{utc:%Y-%m-%d %H:%M} UTC"
    if name == "UTC":
        return in_utc
    return f"{local:%Y-%m-%d %H:%M} {name}, {in_utc}"


def span_words(span: datetime.timedelta) -> str:
    """Return a time span as in "1 day 12 hours"."""
    rest = round(span.total_seconds() / 60)
    parts = []
    for size, unit in ((1_440, "day"), (60, "hour"), (1, "minute")):
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {unit}{'s' * (count != 1)}")
    return " ".join(parts) or "no time"


def read_span(text: str) -> datetime.timedelta | None:
    """Return a time span such as "3d" or "1d 12h"; None if it is none, or over ten years."""
    rest = text.strip().lower()
    seconds, matched = 0.0, False
    while rest:
        found = _SPAN.match(rest)
        if found is None:
            return None
        seconds += float(found[1]) * _SECONDS[found[2][0]]
        rest, matched = rest[found.end() :].strip(" ,"), True
    return datetime.timedelta(seconds=seconds) if matched and seconds <= _MAX_SECONDS else None
