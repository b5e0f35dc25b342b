"""Build hook: wheel and source archive get the shipped data.

A wheel, for students, contains `data/` as `coursekit/shipped/`, and a source archive the same files
in `data/`; an editable install (`pip install -e .`), for instructors, reads `data/` in place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SHIPPED = ("reviews", "almanac", "bilingual", "vectors", "pretrained", "results")
_SUFFIXES = (".tsv", ".md", ".safetensors", ".json", ".txt", ".gz")
#: The programs and tables that generate the almanac and the bilingual corpus; edits of the solutions.
_NOT_SHIPPED = {"generator", "faces", "hints.tsv"}


class Packaging(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable":
            return
        folder = "data" if self.target_name == "sdist" else "coursekit/shipped"
        for name in _SHIPPED:
            for path in sorted((root / "data" / name).rglob("*")):
                relative = path.relative_to(root / "data")
                if _NOT_SHIPPED & set(relative.parts):
                    continue
                if path.is_file() and path.suffix in _SUFFIXES:
                    target = f"{folder}/{relative}"
                    build_data["force_include"][str(path)] = target
