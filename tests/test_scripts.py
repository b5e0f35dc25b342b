"""The scripts that no other test runs, for hours of measuring and training, and what they stored."""

import ast
import csv
import importlib
import json
import pkgutil

import pytest
from checkout import ROOT

from coursekit.checking import stored_recordings

SCRIPTS = sorted(
    path.relative_to(ROOT)
    for folder in ("benchmarks", "pretraining", "data")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_imports_what_there_is(script):
    for node in ast.walk(ast.parse((ROOT / script).read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.module.partition(".")[0] not in ("coursekit", "autograder"):
            continue
        module = importlib.import_module(node.module)
        parts = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", []))}
        for name in node.names:
            assert hasattr(module, name.name) or name.name in parts, f"{node.module}.{name.name}"


def test_what_was_measured_of_exercises_is_of_those_that_there_are():
    results = ROOT / "data" / "results"
    seeds = json.loads((results / "grading.json").read_text("utf-8"))["seeds"]
    milliseconds = json.loads((results / "course.json").read_text("utf-8"))["check_milliseconds"]
    rows = (results / "hints.tsv").read_text("utf-8").splitlines()
    hints = csv.DictReader(rows, delimiter="\t")
    measured = {name for found in seeds.values() for name in found}
    assert measured | {*milliseconds} | {row["exercise"] for row in hints} <= {
        *stored_recordings.index()
    }


def test_the_instructors_are_told_the_measured_time_of_a_class():
    speed = json.loads((ROOT / "data/results/grading.json").read_text("utf-8"))["speed"]
    told = " ".join((ROOT / "docs/grading.md").read_text("utf-8").split())
    found = speed["01_bag_of_words"]["AVX2"]
    sizes = found["submissions"]["ours"], found["seconds"]["ours"]
    assert (
        "{} made-up submissions of `01_bag_of_words`, two in ten exercises wrong, took {:.0f} s".format(
            *sizes
        )
        in told
    )


def test_the_instructors_are_told_how_grading_compares_with_stock_nbgrader():
    speed = json.loads((ROOT / "data/results/grading.json").read_text("utf-8"))["speed"]
    lines = (ROOT / "docs/grading.md").read_text("utf-8").splitlines()
    told = [[part.strip() for part in line.strip("|").split("|")] for line in lines]
    for assignment, found in speed.items():
        row = [f"`{assignment}`"]
        for capability in ("AVX512", "AVX2"):
            one = found.get(capability)
            times, size = (
                one and one["times stock's throughput"],
                one and one["submissions"]["ours"],
            )
            row.append(f"{times:.1f} ({size})" if one else "")
        assert row in told, row
