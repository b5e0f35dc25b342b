"""Reading the tables of facts, the word lists and the sentence frames."""

from __future__ import annotations

from pathlib import Path

Row = dict[str, tuple[str, ...]]

FOLDER = Path(__file__).parent

FRAME_FILES = ("world.txt", "people.txt", "nature.txt", "daily.txt", "senses.txt", "film.txt")

_KEYS = ("he", "his", "him", "himself", "man")
_FORMS = {
    "m": ("he", "his", "him", "himself", "man"),
    "f": ("she", "her", "her", "herself", "woman"),
}
PRONOUNS: dict[str, Row] = {
    gender: {key: (form,) for key, form in zip(_KEYS, forms, strict=True)}
    for gender, forms in _FORMS.items()
}
# Places that take "on", not "in".
SURFACES = {"coast", "roof", "ice", "beach", "savanna", "mountain", "farmyard", "field", "hill"}
SURFACES |= {"highway", "hook", "wall", "desk", "stove", "altar", "farm", "campsite"}
SURFACES |= {"landing pad", "launch pad", "bicycle path"}


def _read(folder: str, name: str) -> list[str]:
    text = (FOLDER / folder / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _table(name: str) -> list[Row]:
    header, *lines = _read("tables", f"{name}.tsv")
    columns = header.split("\t")
    rows = []
    for line in lines:
        cells = line.split("\t")
        cells += [""] * (len(columns) - len(cells))
        if len(cells) > len(columns):
            raise ValueError(f"{name}.tsv: too many cells in the row of {cells[0]}.")
        values = (tuple(value for value in cell.split(";") if value) for cell in cells)
        rows.append(dict(zip(columns, values, strict=True)))
    return rows


def _in_or_on(place: str) -> str:
    return "on" if place in SURFACES else "in"


def load_tables() -> dict[str, list[Row]]:
    """Return every table by name; each row maps a column to its values.

    Three tables are derived: `gendered` has one row per member of a pair such as king and queen,
    with its pronouns; `job` has every profession once with "he" and once with "she", so that the
    text favors neither; `person` has relatives and professions as subjects of a sentence.
    """
    names = ("country", "animal", "verb", "adjective", "food", "thing")
    tables = {name: _table(name) for name in names}
    for row in tables["adjective"]:
        row["any"] = row["noun"] + row["mass"]
    for table, column in (("animal", "home"), ("thing", "place")):
        for row in tables[table]:
            row["where"] = tuple(f"{_in_or_on(place)} the {place}" for place in row[column])
    tables["gendered"] = _gendered()
    tables["job"] = [job | PRONOUNS[gender] for job in _table("job") for gender in "mf"]
    tables["person"] = _persons(tables["gendered"], tables["job"])
    return tables


def _gendered() -> list[Row]:
    settings = {row["kind"]: row["setting"] for row in _table("setting")}
    rows = []
    for pair in _table("pair"):
        for gender, column in (("m", "male"), ("f", "female")):
            row = {"word": pair[column], "things": pair["things"], "acts": pair["acts"]}
            row |= {"pair": pair["male"], "kind": pair["kind"], "setting": settings[pair["kind"]]}
            rows.append(row | PRONOUNS[gender])
    return rows


def _persons(gendered: list[Row], jobs: list[Row]) -> list[Row]:
    subjects = {("kin",): "my", ("plain",): "the"}
    phrases = [
        (f"{subjects[row['kind']]} {row['word'][0]}", row)
        for row in gendered
        if row["kind"] in subjects
    ]
    phrases += [(f"the {row['job'][0]}", row) for row in jobs]
    pronouns = ("he", "his", "him", "himself")
    return [{"who": (who,)} | {key: row[key] for key in pronouns} for who, row in phrases]


def load_lists() -> dict[str, list[str]]:
    """Return the word lists by name; a list may be continued on further lines."""
    lists: dict[str, list[str]] = {}
    for line in _read("tables", "lists.txt") + _read("tables", "film.txt"):
        name, equals, items = line.partition(" = ")
        if not equals:
            raise ValueError(f"a word list has no name: {line[:60]}")
        lists.setdefault(name, []).extend(item.strip() for item in items.split(", "))
    return lists


def load_frames() -> list[tuple[dict[str, str], list[str]]]:
    """Return (header, frames) of every section of every frame file, in the order of `FRAME_FILES`."""
    sections: list[tuple[dict[str, str], list[str]]] = []
    for name in FRAME_FILES:
        for line in _read("frames", name):
            if line.startswith("== "):
                title, *options = line[3:].split(" | ")
                header = {"name": title} | dict(option.split("=") for option in options)
                sections.append((header, []))
            else:
                sections[-1][1].append(line)
    return sections
