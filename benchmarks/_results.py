"""Writes benchmark results to `data/results/`, with the versions of the packages used."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coursekit.data.paths import write_atomically

_FOLDER = Path(__file__).parent.parent / "data" / "results"


def results(name: str) -> dict[str, Any]:
    """The contents of `data/results/name.json`, without the versions; {} if it does not exist."""
    path = _FOLDER / f"{name}.json"
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    found.pop("measured_with", None)
    return found


def write(name: str, results: dict[str, Any]) -> Path:
    """Write `results` as `data/results/name.json`, rounded to four digits; print them."""
    path = store(name, results)
    print(path.read_text("utf-8"), end="")
    return path


def store(name: str, results: dict[str, Any], digits: int = 4) -> Path:
    """Write `results` as `data/results/name.json`, atomically, rounded to so many digits."""
    packages = ("torch", "numpy", "scikit-learn")
    measured_with = {
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "cores": os.cpu_count(),
    }
    text = json.dumps({"measured_with": measured_with, **_rounded(results, digits)}, indent=1)
    path = _FOLDER / f"{name}.json"
    write_atomically(path, f"{text}\n".encode())
    return path


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item, digits) for item in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value
