"""Dates as LMSs, spreadsheets and people write them in many languages, converted to ISO 8601.

Which number is the day is read off the form: a word for the month, dots, a year in front. Where two
readings are left, as of 03/04/2026, the date is refused (`docs/decisions.md` says why no library
reads dates here). The names of months are babel's.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections import defaultdict
from datetime import date
from functools import cache
from typing import Literal

from babel.dates import get_date_format, get_day_names, get_month_names

from autograder.errors import CourseError
from autograder.gradebook.name_keys import fold

#: Languages in which LMSs write dates, by their names in Unicode's locale data (CLDR).
LANGUAGES = (
    "bg bs ca cs da de de_AT el en es es_PE et fi fr gl hr hu id is it lt lv mk ms nb nl nn pl pt ro ru"
    " sk sl sr sr_Latn sv tr uk"
).split()
#: Forms that CLDR lacks: Slovenian genitives, and an Austrian month.
_MORE_MONTHS = {"januarja": 1, "februarja": 2, "junija": 6, "julija": 7, "avgusta": 8, "feber": 2}
_WIDTHS: tuple[Literal["wide"], Literal["abbreviated"]] = ("wide", "abbreviated")
_WORD = r"(?P<month>[^\W\d_]{3,})\.?"
#: The forms of a date; a weekday may stand before it.
_FORMS = tuple(
    re.compile(rf"(?:\D*?[\s,])??(?:{form})", re.IGNORECASE)
    for form in (
        # 20. November 2026, 20 de noviembre de 2026, 1er mars 2026, 20-Nov-2026
        rf"(?P<day>\d{{1,2}})(?:\.?[ºª°]|\.|er|st|nd|rd|th)?[\s-]*(?:(?:de|of)\s+|d['’]\s*)?{_WORD},?[\s-]*"
        r"(?:(?:de|del|of)\s+)?(?P<year>\d{4})(?:\.|\s?(?:г|р)\.?(?!\w))?",
        # November 20, 2026
        rf"{_WORD}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        # 2026. november 20., 2026 m. lapkričio 20 d.
        rf"(?P<year>\d{{4}})(?:\.|,|\s?m\.)?\s+{_WORD}\s+(?P<day>\d{{1,2}})(?:\.|\s?d\.)?",
        # 2026. gada 20. novembris
        rf"(?P<year>\d{{4}})\. gada (?P<day>\d{{1,2}})\. {_WORD}",
        # 2026年11月20日, 2026년 11월 20일
        r"(?P<year>\d{4})\s*[年년]\s*(?P<month>\d{1,2})\s*[月월]\s*(?P<day>\d{1,2})\s*[日일]"
        r"(?:\s*(?:星期.|周.|週.|[(（].{1,3}[)）]|.曜日|.요일))?",
        # 2026/11/20, 2026.11.20.
        r"(?P<year>\d{4})(?P<sign>[./])\s?(?P<month>\d{1,2})(?P=sign)\s?(?P<day>\d{1,2})\.?",
        # 20.11.2026
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})\.?",
        # 20/11/2026 or 11/20/2026
        r"(?P<first>\d{1,2})(?P<sign>[/-])(?P<second>\d{1,2})(?P=sign)(?P<year>\d{4})",
    )
)
#: What may stand between a date and a time of day: a preposition, or a weekday.
_BETWEEN = (
    r"[\s,;–-]*(?:(?:um|at|a las|alle(?: ore)?|ore|à|às|om|kl\.?|klo|o|u|в|о|hétfő|kedd|szerda|csütörtök|"
    r"péntek|szombat|vasárnap|pazartesi|salı|çarşamba|perşembe|cuma|cumartesi|pazar)(?!\w))?[\s,]*"
)
_TIME = re.compile(
    rf"{_BETWEEN}(?P<early>上午|午前|오전)?(?P<late>下午|午後|오후)?\s*"
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?:[:.](?P<second>\d\d)(?:[.,]\d+)?)?\s*"
    r"(?:(?P<half>[ap])\.?\s?m\.?(?!\w))?(?:(?:uhr|uur|h|hod\.?|ч\.?)(?!\w))?\s*(?P<zone>.*)",
    re.IGNORECASE | re.DOTALL,
)


def in_iso_order(text: str) -> str:
    """Rewrite a date and time as in "2026-11-20 23:59"; return a text of unknown form as it is.

    Raises
    ------
    CourseError
        The date can be read in two ways.
    """
    written = unicodedata.normalize("NFC", text.strip())
    for form in _FORMS:
        found = form.match(written)
        time = _TIME.fullmatch(written, found.end()) if found else None
        day = _date(text, found) if found and time else None
        if time and day:
            clock = ":".join(filter(None, time.group("hour", "minute", "second")))
            half = f"{time['half']}m" if time["half"] else ""
            half = "am" if time["early"] else "pm" if time["late"] else half
            return " ".join(filter(None, (day, clock, half, time["zone"])))
    return text


def _date(text: str, found: re.Match[str]) -> str | None:
    """Return the date in the order of ISO 8601; None if a word is no month."""
    parts = found.groupdict()
    day, month, year = parts.get("day"), parts.get("month"), parts["year"]
    if month is None:
        day, month = _day_and_month(text, int(parts["first"]), int(parts["second"]))
    elif not month.isdecimal():
        numbers = _month_numbers(found)
        if len(numbers) > 1:
            meant = " or ".join(calendar.month_name[number] for number in numbers)
            raise CourseError(
                f"{month} in {text!r} may be {meant}; write the date as in '2026-10-20 23:59'."
            )
        if not numbers:
            return None
        month = str(numbers[0])
    return f"{year}-{month}-{day}"


def _month_numbers(found: re.Match[str]) -> list[int]:
    """Return the months that the word in a date may mean.

    Where languages differ, as on *listopada*, November in Polish and October in Croatian, it is
    written in the one that calls that day's weekday as it is written, else in the one that has the
    same signs around the month.
    """
    word = fold(found["month"])
    if word in _MORE_MONTHS:
        return [_MORE_MONTHS[word]]
    meant = _months().get(word, set())
    if len({number for number, _ in meant}) > 1:
        named = {one for one in meant if _names_the_weekday(found, *one)}
        alike = {one for one in meant if _separators(one[1]) == _written_separators(found)}
        meant = named or alike or meant
    return sorted({number for number, _ in meant})


@cache
def _months() -> dict[str, set[tuple[int, str]]]:
    """Return each word for a month with the months that it means, and in which language."""
    found: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for language in LANGUAGES:
        for width in _WIDTHS:
            for context in ("format", "stand-alone"):
                for number, word in get_month_names(width, context, language).items():
                    found[fold(word.split()[-1].rstrip("."))].add((number, language))  # de gener
    return dict(found)


def _names_the_weekday(found: re.Match[str], month: int, language: str) -> bool:
    """Tell whether the weekday of a date, if it is in that month, is written in that language."""
    try:
        weekday = date(int(found["year"]), month, int(found["day"])).weekday()
    except ValueError:
        return False
    names = {get_day_names(width, "format", language)[weekday].rstrip(".") for width in _WIDTHS}
    return not {fold(name) for name in names}.isdisjoint(fold(found[0]).replace(",", " ").split())


def _written_separators(found: re.Match[str]) -> list[str]:
    """Return what stands between day and month, and between month and year."""
    text, start = found.string, found.start
    return [text[found.end("day") : start("month")], text[found.end("month") : start("year")]]


def _separators(language: str) -> list[str]:
    """Return the same for a date as a language writes it."""
    return re.split(r"d+|M+|y+", get_date_format("long", language).pattern)[1:-1]


def _day_and_month(text: str, first: int, second: int) -> tuple[str, str]:
    """Return the day and the month among two numbers; refuse them if both readings are possible."""
    if first != second and max(first, second) <= 12:
        one, other = (
            f"{day} {calendar.month_name[month]}"
            for day, month in ((first, second), (second, first))
        )
        raise CourseError(
            f"{text!r} may be {one} or {other}; write the date as in '2026-10-20 23:59'."
        )
    day, month = (first, second) if second <= 12 else (second, first)
    return str(day), str(month)
