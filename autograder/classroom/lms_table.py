"""A table that an LMS exported, read and written back unchanged but for the cells that are filled in.

`csv` and pandas write other quotes, line ends and encodings than they have read; an LMS takes back
what it wrote. So a cell is replaced in the text itself.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.classroom.code_pages import decode_table
from autograder.classroom.column_headings import IDENTIFYING, KNOWN, heading_words
from autograder.errors import CourseError

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DELIMITERS = (",", ";", "\t")
#: How many lines a title has at most, with the header.
_MAX_TITLE_LINES = 20


@dataclass
class Cell:
    """A cell as it stands in the text."""

    raw: str

    @property
    def text(self) -> str:
        """The cell's text, without its quotes."""
        stripped = self.raw.strip(" ")
        if len(stripped) > 1 and stripped[0] == stripped[-1] == '"':
            return stripped[1:-1].replace('""', '"')
        return self.raw

    def fill(self, text: str) -> None:
        """Give the cell another text, in quotes if it had them or needs them."""
        needs = any(c in text for c in ',;\t"\r\n')
        quoted = '"{}"'.format(text.replace('"', '""'))
        self.raw = quoted if needs or self.raw.lstrip(" ").startswith('"') else text


@dataclass
class Row:
    """A line of the table; a cell with line breaks may make it longer."""

    cells: list[Cell]
    end: str

    def text(self, index: int) -> str:
        """Return the text of a cell; "" if the row is too short."""
        return self.cells[index].text if index < len(self.cells) else ""

    def fill(self, index: int, text: str) -> None:
        """Give a cell another text, in quotes if it had them or needs them."""
        self.cells += [Cell("") for _ in range(index + 1 - len(self.cells))]
        self.cells[index].fill(text)

    @property
    def is_empty(self) -> bool:
        """True if no cell has text."""
        return not any(cell.raw.strip() for cell in self.cells)


@dataclass
class Table:
    """A table, its headings, and how its file was written.

    Attributes
    ----------
    path : Path
        The file.
    header : Row
        The headings.
    rows : list of Row
        The rows below the header.
    before : str
        What stands before the header: a title, or Excel's line that names the separator.
    """

    path: Path
    header: Row
    rows: list[Row]
    delimiter: str = ","
    encoding: str = "utf-8"
    mark: bytes = b""
    before: str = ""

    @property
    def headings(self) -> list[str]:
        """The texts of the header's cells."""
        return [cell.text for cell in self.header.cells]

    def column(self, index: int) -> list[str]:
        """Return the texts of a column."""
        return [row.text(index) for row in self.rows]

    def add_column(self, heading: str, at: int | None = None) -> int:
        """Insert an empty column, at the end unless `at` says where; return its index."""
        width = len(self.header.cells)
        at = width if at is None else at
        like = '""' if all(cell.raw.startswith('"') for cell in self.header.cells) else ""
        for row in self.rows:
            if row.is_empty:
                continue
            row.cells += [Cell("") for _ in range(at - len(row.cells))]
            row.cells.insert(at, Cell(like))
        self.header.cells.insert(at, Cell(like))
        self.header.cells[at].fill(heading)
        return at

    def to_bytes(self) -> bytes:
        """Return the file's content, with the cells that were filled in."""
        text = self.before + _text((self.header, *self.rows), self.delimiter)
        return self.mark + text.encode(self.encoding)


def read_table(path: Path) -> Table:
    """Read a table of an LMS: CSV, or separated by semicolons or tabs; UTF-8, UTF-16 or Excel's.

    Raises
    ------
    CourseError
        The file cannot be read, is no such table, or lists nobody.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CourseError(f"cannot read {path}: {error.strerror}.") from error
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise CourseError(
            f"{path} is an Excel workbook; save it as CSV, or export CSV from the LMS."
        )
    text, encoding, mark = _decoded(path, content)
    if "\0" in text:
        raise CourseError(f"{path} is no table in text; export it from the LMS as CSV.")
    before = ""
    delimiters: tuple[str, ...] = _DELIMITERS
    if separator := re.match(r'"?sep=(.)"?(?:\r\n|\n|\r)', text, re.IGNORECASE):
        before, delimiters = separator[0], (separator[1],)
        text = text[separator.end() :]
    read = [(one, rows) for one in delimiters if (rows := _rows(text, one)) is not None]
    if not read:
        raise CourseError(f"cannot read {path} as CSV: a quotation mark is not closed.")
    delimiter, rows = max(read, key=lambda one: _plausible(one[1]))
    at = _header(rows)
    if all(row.is_empty for row in rows[at + 1 :]):
        raise CourseError(f"{path} lists no students; export the gradebook from the LMS again.")
    before += _text(rows[:at], delimiter)
    return Table(path, rows[at], rows[at + 1 :], delimiter, encoding, mark, before)


def _plausible(rows: list[Row]) -> tuple[int, bool, int]:
    """Rank a reading of a table; the larger, the likelier is its delimiter."""
    at = _header(rows)
    header = rows[at] if rows else Row([], "")
    as_wide = any(len(row.cells) == len(header.cells) > 1 for row in rows[at + 1 :])
    return _known(header), as_wide, len(header.cells)


def _known(row: Row) -> int:
    """Count the headings of columns that identify students."""
    return sum(heading_words(cell.text) in IDENTIFYING for cell in row.cells)


def _header(rows: list[Row]) -> int:
    """Return the index of the row with the headings, which may stand below the lines of a title.

    The headings of a table of one's own are not known; then it is the first row after a title that
    is alone in its line, or above an empty one.
    """
    first = rows[:_MAX_TITLE_LINES] or [Row([], "")]
    filled = [sum(bool(cell.text.strip()) for cell in row.cells) for row in first]
    known = [_known(row) for row in first]
    best = known.index(max(known))
    if known[best]:
        fewer = all(count < max(filled[best], 2) for count in filled[:best])
        every = all(heading_words(cell.text) in KNOWN for cell in first[best].cells)
        return best if fewer or every or not filled[best - 1] else 0
    for at, row in enumerate(first[1:], 1):
        alone = len(first[at - 1].cells) == 1 < len(row.cells) or not filled[at - 1]
        if filled[at] > 1 and alone and all(count < 2 for count in filled[:at]):
            return at
    return 0


def _decoded(path: Path, content: bytes) -> tuple[str, str, bytes]:
    """Decode a file; return its text, encoding and byte order mark."""
    try:
        if content.startswith(codecs.BOM_UTF8):
            return content[3:].decode("utf-8"), "utf-8", codecs.BOM_UTF8
        if content.startswith(_UTF16):
            encoding = "utf-16-le" if content.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
            return content[2:].decode(encoding), encoding, content[:2]
        try:
            return content.decode("utf-8"), "utf-8", b""
        except UnicodeDecodeError:
            return *_of_excel(path, content), b""
    except UnicodeDecodeError as error:
        raise CourseError(
            f"cannot read {path}: it is damaged; export it again, or save it as CSV in UTF-8."
        ) from error


def _of_excel(path: Path, content: bytes) -> tuple[str, str]:
    """Decode a file in a code page as Excel saves it; return the text and the code page."""
    found = decode_table(content)
    if found is None:
        raise CourseError(
            f"cannot read {path}: it is neither UTF-8 nor UTF-16, and its code page is not"
            " certain; save it as CSV in UTF-8."
        )
    return found


def _text(rows: Iterable[Row], delimiter: str) -> str:
    return "".join(delimiter.join(cell.raw for cell in row.cells) + row.end for row in rows)


def _rows(text: str, delimiter: str) -> list[Row] | None:
    """Split a text into rows, each cell as it stands; None if a quotation mark is not closed."""
    cell = rf' *"(?:[^"]|"")*"[^{re.escape(delimiter)}\r\n]*|[^{re.escape(delimiter)}\r\n]*'
    token = re.compile(rf"(?P<raw>{cell})(?P<end>{re.escape(delimiter)}|\r\n|\n|\r|\Z)")
    rows: list[Row] = []
    cells: list[Cell] = []
    at = 0
    while True:
        found = token.match(text, at)
        if found is None:
            return None
        if found["raw"].lstrip(" ").startswith('"') and found["raw"].count('"') == 1:
            return None
        cells.append(Cell(found["raw"]))
        at = found.end()
        if found["end"] != delimiter:
            if found["end"] or len(cells) > 1 or cells[0].raw:
                rows.append(Row(cells, found["end"]))
            cells = []
            if not found["end"]:
                return rows
