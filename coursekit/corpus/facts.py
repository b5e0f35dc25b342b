"""Reading the facts, word lists and frames of the shipped text."""

from __future__ import annotations

from importlib.resources import files

Row = dict[str, tuple[str, ...]]

PRONOUNS = {
    "m": {"he": "he", "his": "his", "him": "him", "himself": "himself", "man": "man"},
    "f": {"he": "she", "his": "her", "him": "her", "himself": "herself", "man": "woman"},
}


def _read(folder: str, name: str) -> list[str]:
    text = (files(__package__) / folder / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _table(name: str) -> list[Row]:
    header, *lines = _read("facts", f"{name}.tsv")
    columns = header.split("\t")
    rows = []
    for line in lines:
        cells = line.split("\t")
        cells += [""] * (len(columns) - len(cells))
        if len(cells) > len(columns):
            raise ValueError(f"{name}.tsv: too many cells in the row of {cells[0]}.")
        rows.append({c: tuple(v for v in cell.split(";") if v) for c, cell in zip(columns, cells)})
    return rows


def load_tables() -> dict[str, list[Row]]:
    """Return every table by name; each row maps a column to its values.

    Three tables are derived: `gendered` has one row per member of a pair such as king and queen,
    with its pronouns; `job` has every profession once with "he" and once with "she"; `person`
    has the relatives and the professions as subjects of a sentence.
    """
    tables = {name: _table(name) for name in ("country", "animal", "verb", "adjective", "food", "thing")}
    tables["gendered"] = []
    settings = {row["kind"]: row["setting"] for row in _table("setting")}
    for pair in _table("pair"):
        for gender, column in (("m", "male"), ("f", "female")):
            row = {"word": pair[column], "things": pair["things"], "acts": pair["acts"]}
            row |= {"pair": pair["male"], "kind": pair["kind"], "setting": settings[pair["kind"]]}
            row |= {key: (value,) for key, value in PRONOUNS[gender].items()}
            tables["gendered"].append(row)
    tables["job"] = []
    for job in _table("job"):
        for gender in "mf":
            row = job | {key: (value,) for key, value in PRONOUNS[gender].items()}
            tables["job"].append(row)
    tables["person"] = [
        {"who": (f"{'my' if row['kind'] == ('kin',) else 'the'} {row['word'][0]}",)}
        | {key: row[key] for key in ("he", "his", "him", "himself")}
        for row in tables["gendered"]
        if row["kind"] in (("kin",), ("plain",))
    ] + [
        {"who": (f"the {row['job'][0]}",)}
        | {key: row[key] for key in ("he", "his", "him", "himself")}
        for row in tables["job"]
    ]
    return tables


def load_lists() -> dict[str, list[str]]:
    """Return the word lists by name; a list may be continued on further lines."""
    lists: dict[str, list[str]] = {}
    for line in _read("facts", "lists.txt") + _read("facts", "film.txt"):
        name, equals, items = line.partition(" = ")
        if not equals:
            raise ValueError(f"a word list has no name: {line[:60]}")
        lists.setdefault(name, []).extend(item.strip() for item in items.split(", "))
    return lists


def load_frames() -> list[tuple[dict[str, str], list[str]]]:
    """Return (header, frames) of every section of every frame file, in order of file name."""
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


FRAME_FILES = ("world.txt", "people.txt", "nature.txt", "daily.txt", "senses.txt", "film.txt")
