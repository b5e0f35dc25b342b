"""Dates as LMSs, spreadsheets and people write them in many languages, converted to ISO 8601.

Which number is the day is read off the form: a word for the month, dots, a year in front. Where two
readings are left, as of 03/04/2026, the date is refused.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections import defaultdict

from autograder.errors import CourseError
from autograder.gradebook.name_keys import fold

#: The months of languages, each in the forms that stand in dates.
_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
janv febr mrt avr mei juin juil agu sept okt nov dez
januar februar marz april mai juni juli august september oktober november dezember
janner feber mar apr mai jun jul aug sep okt nov dez
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago setiembre oct nov dic
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago set ott nov dic
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november desember
tammikuu helmikuu maaliskuu huhtikuu toukokuu kesakuu heinakuu elokuu syyskuu lokakuu marraskuu joulukuu
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
jaanuar veebruar marts aprill mai juuni juuli august september oktoober november detsember
styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien
stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia
leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec
ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince
januar februar marec april maj jun jul august september oktober november december
januara februara marca aprila maja juna jula augusta septembra oktobra novembra decembra
januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra
sijecanj veljaca ozujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac
sijecnja veljace ozujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca
januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik
sausio vasario kovo balandzio geguzes birzelio liepos rugpjucio rugsejo spalio lapkricio gruodzio
janvaris februaris marts aprilis maijs junijs julijs augusts septembris oktobris novembris decembris
januari februari maret april mei juni juli agustus september oktober november desember
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
януари февруари март април май юни юли август септември октомври ноември декември
ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου δεκεμβριου
"""


def _months() -> dict[str, set[int]]:
    """Return the numbers of the months that each word names."""
    found: dict[str, set[int]] = defaultdict(set)
    for line in _MONTHS.strip().splitlines():
        for number, word in enumerate(line.split(), 1):
            found[fold(word)].add(number)
    return dict(found)


_NUMBER = _months()
_WORD = r"(?P<month>[^\W\d_]{3,})\.?"
#: The forms of a date; a weekday may stand before it.
_FORMS = tuple(
    re.compile(rf"(?:\D*?[\s,])??(?:{form})", re.IGNORECASE)
    for form in (
        # 20. November 2026, 20 de noviembre de 2026, 1er mars 2026, 20-Nov-2026
        rf"(?P<day>\d{{1,2}})(?:\.?[ºª°]|\.|er|st|nd|rd|th)?[\s-]*(?:(?:de|of|d['’])\s*)?{_WORD},?[\s-]*"
        r"(?:(?:de|del|of)\s+)?(?P<year>\d{4})(?:\.|\s?(?:г|р)\.?(?!\w))?",
        # November 20, 2026
        rf"{_WORD}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})",
        # 2026. november 20., 2026 m. lapkričio 20 d.
        rf"(?P<year>\d{{4}})(?:\.|,|\s?m\.)?\s+{_WORD}\s+(?P<day>\d{{1,2}})(?:\.|\s?d\.)?",
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
        date = _date(text, found.groupdict()) if found and time else None
        if time and date:
            clock = ":".join(filter(None, time.group("hour", "minute", "second")))
            half = f"{time['half']}m" if time["half"] else ""
            half = "am" if time["early"] else "pm" if time["late"] else half
            return " ".join(filter(None, (date, clock, half, time["zone"])))
    return text


def _date(text: str, parts: dict[str, str | None]) -> str | None:
    """Return the date in the order of ISO 8601; None if a word is no month."""
    day, month, year = parts.get("day"), parts.get("month"), parts["year"]
    if month is None:
        day, month = _day_and_month(text, int(parts["first"] or 0), int(parts["second"] or 0))
    elif not month.isdecimal():
        numbers = sorted(_NUMBER.get(fold(month), ()))
        if len(numbers) > 1:
            meant = " or ".join(calendar.month_name[number] for number in numbers)
            raise CourseError(
                f"{month} in {text!r} may be {meant}; write the date as in '2026-10-20 23:59'."
            )
        if not numbers:
            return None
        month = str(numbers[0])
    return f"{year}-{month}-{day}"


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
