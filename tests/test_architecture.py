"""The rules of the architecture: who imports whom, how long a module is, what a package says."""

import ast
import re
import sys
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from checkout import ROOT
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODULES = sorted(
    str(path.relative_to(ROOT))
    for package in ("autograder", "coursekit")
    for path in (ROOT / package).rglob("*.py")
    if "templates" not in path.parts
)
CASES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("exercises/*.py", "exercises/[0-9]*/*.py")
    for path in ROOT.glob(pattern)
)
SHARED = [path for path in CASES if path.count("/") == 1 or path.endswith("/common.py")]
#: group of modules -> the groups that it may import besides itself
MAY_IMPORT = {
    "coursekit": set(),
    "autograder": set(),  # `errors` and `escaping`
}
#: The packages of the tool, from the bottom up: each may import those before it.
FLOORS = (
    "course",
    "sandbox",
    "grading",
    "gradebook",
    "pages",
    "authoring",
    "classroom",
    "publishing",
    "own_code",
    "guide",
    "cli",
)
for number, floor in enumerate(FLOORS):
    below = {f"autograder.{lower}" for lower in FLOORS[:number]}
    MAY_IMPORT[f"autograder.{floor}"] = {"autograder", "coursekit", *below}
MAY_IMPORT["autograder.classroom"] -= {"autograder.authoring"}
#: Modules that start all others.
ENTRIES = {"autograder/__main__.py"}
#: What a module of cases may import of this repository, besides what several share.
FOR_EXERCISES = ("autograder.course.exercise", "coursekit")
#: What the tool imports only where a course uses it.
OF_A_COURSE = {"torch"}
MODULE_LINES, PACKAGE_DOCSTRING_LINES = 400, 8


@cache
def imported(path):
    """The modules that a module imports, wherever in it, as (name, line)."""
    found = []
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"), path)):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.append((whole if is_module(whole) else node.module, node.lineno))
    return found


def is_module(name):
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").exists()


def module_name(path):
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def group(name):
    """`autograder.course` for what is in it, `autograder` for what is in no package of it."""
    parts = name.split(".")
    in_package = parts[0] == "autograder" and len(parts) > 1
    return ".".join(parts[:2]) if in_package and (ROOT / parts[0] / parts[1]).is_dir() else parts[0]


def is_ours(name):
    return name.split(".")[0] in ("autograder", "coursekit")


def test_imports_run_in_one_direction():
    against = []
    for path in MODULES:
        own = group(module_name(path))
        if path in ENTRIES:
            continue
        against += [
            f"{path}, line {line}: {name}"
            for name, line in imported(path)
            if is_ours(name) and group(name) not in {own, *MAY_IMPORT[own]}
        ]
    assert against == []


def test_no_exception_is_kept_longer_than_needed():
    assert set(MODULES) >= ENTRIES


def test_modules_of_cases_import_what_is_for_them():
    others = [
        f"{path}, line {line}: {name}"
        for path in CASES
        for name, line in imported(path)
        if is_ours(name) and not name.startswith(FOR_EXERCISES)
    ]
    assert others == []


def test_the_tool_does_not_know_which_course_it_serves():
    exercises = {Path(path).stem for path in CASES} - {"common"}
    assert len(exercises) > 100
    named = [
        f"{path}: {name}"
        for path in MODULES
        for name in sorted(exercises & set(re.findall(r"\w+", (ROOT / path).read_text("utf-8"))))
        if path.startswith("autograder/") and "_" in name
    ]
    assert named == []


def test_no_two_modules_have_one_name_with_different_meaning():
    names = Counter(Path(path).stem for path in MODULES)
    shared = {name for name, count in names.items() if count > 1}
    assert shared <= {"__init__", "errors"}  # a package's errors are what they are everywhere


def test_a_module_is_read_in_one_go():
    lengths = {p: len((ROOT / p).read_text("utf-8").splitlines()) for p in (*MODULES, *SHARED)}
    assert {p: n for p, n in lengths.items() if n > MODULE_LINES} == {}


def test_a_package_says_what_it_is_for_in_a_few_lines():
    for path in MODULES:
        if path.endswith("__init__.py"):
            docstring = ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8"))) or ""
            assert 1 <= len(docstring.splitlines()) <= PACKAGE_DOCSTRING_LINES, path


def test_what_is_imported_is_declared():
    students, tool = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in (".", "autograder")
    )
    of_students = distributions(students["dependencies"])
    of_tool = distributions(tool["dependencies"])
    of_tool |= {
        name for extra in tool["optional-dependencies"].values() for name in distributions(extra)
    }
    owners = packages_distributions()
    undeclared = []
    for path in MODULES:
        declared = of_students if path.startswith("coursekit/") else of_tool
        for name, line in imported(path):
            top = name.split(".")[0]
            if top in sys.stdlib_module_names or is_ours(name) or top in OF_A_COURSE:
                continue
            if not {normal(owner) for owner in owners.get(top, [top])} & declared:
                undeclared.append(f"{path}, line {line}: {top}")
    assert undeclared == []


def distributions(requirements):
    return {normal(Requirement(text).name) for text in requirements}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()
