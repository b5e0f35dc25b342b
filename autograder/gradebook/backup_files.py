"""The files in `backups/`: their names, and which of them are worth keeping.

A name has the time at which the file was kept, in UTC, and the kinds of change before which it was:
`gradebook-20261020-215900-000000-grade.db`.
"""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path

FOLDER = "backups"
#: What SQLite puts beside a database.
HOT = ("-journal", "-wal", "-shm")
_GENERATIONS = 3
_DAYS = 7
#: The commands that change a gradebook.
CHANGES = frozenset(
    ("collect", "due", "extend", "grade", "merge", "plan", "restore", "roster", "withdraw")
)


def backups_folder(folder: Path) -> Path:
    """Return the folder of the backups, which is made if there is none."""
    place = folder / FOLDER
    place.mkdir(mode=0o700, exist_ok=True)
    return place


def file_name(place: Path, kind: str = "gradebook") -> str:
    """Return a file name that sorts by time and is not taken."""
    while True:
        now = datetime.now(timezone.utc)
        name = f"{kind}-{now:%Y%m%d-%H%M%S-%f}.db"
        if not (place / name).exists():
            return name
        time.sleep(0.001)


def backup_files(folder: Path) -> list[Path]:
    """Return the gradebooks in `backups/`, the latest first."""
    found = [
        path
        for kind in ("gradebook", "damaged")
        for path in (folder / FOLDER).glob(f"{kind}-[0-9]*.db")
        if path.is_file() and not path.is_symlink()
    ]
    return sorted(found, key=lambda path: path.name.partition("-")[2], reverse=True)


def note_change(backup: Path, change: str) -> None:
    """Note in a backup's name that it was kept before a kind of change."""
    if change and change not in changes_after(backup):
        backup.rename(backup.with_name(f"{backup.stem}-{change}.db"))


def _day(path: Path) -> str:
    """Return the day in a backup's name, in UTC."""
    return path.stem.split("-")[1]


def changes_after(path: Path) -> list[str]:
    """Return the kinds of change in a backup's name."""
    return path.stem.split("-")[4:]


def is_set_aside(path: Path) -> bool:
    """Tell whether a file is a damaged gradebook that a backup has replaced."""
    return path.name.startswith("damaged-")


def prune(folder: Path) -> None:
    """Delete the backups that are not worth keeping; of damaged gradebooks all but the latest."""
    found = backup_files(folder)
    whole = [one for one in found if not is_set_aside(one)]
    damaged = [one for one in found if is_set_aside(one)]
    for path in {*found} - {*damaged[:_GENERATIONS], *_worth_keeping(whole)}:
        for end in ("", *HOT):
            Path(f"{path}{end}").unlink(missing_ok=True)


def _worth_keeping(whole: list[Path]) -> set[Path]:
    """Return the backups to keep, of the latest first: the latest, and firsts of days and of changes."""
    first_of_day: dict[str, Path] = {}
    first_before: dict[str, Path] = {}
    for path in whole:
        first_of_day[_day(path)] = path
        for kind in changes_after(path):
            if kind not in first_before or _day(first_before[kind]) == _day(path):
                first_before[kind] = path
    days = sorted(first_of_day)[-_DAYS:]
    return {*whole[:_GENERATIONS], *(first_of_day[day] for day in days), *first_before.values()}
