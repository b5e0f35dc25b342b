"""The rules of the architecture: who imports whom, what a package says."""

import ast
import re
import sys
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from checkout import ROOT
from packaging.requirements import Requirement

from autograder.extras import EXTRAS

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
    "autograder": set(),  # `errors`, `escaping` and `extras`
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
    "verify",
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
#: Extra -> the only modules that import what it installs.
OF_EXTRA = {
    "author": ("autograder/authoring/", "autograder/verify/"),
    "cluster": ("autograder/grading/cluster.py", "autograder/grading/dask_client.py"),
    "guide": ("autograder/guide/", "autograder/own_code/"),
    "site": ("autograder/publishing/",),
}
#: Libraries that another one hands out as its own interface: Jinja's safe strings are markupsafe's,
#: nbgrader's options traitlets', its tables
#: sqlalchemy's and their versions alembic's. They come with it.
PART_OF = {
    "alembic": "nbgrader",
    "ipython": "ipykernel",
    "jupyter-core": "jupyter-client",
    "markupsafe": "jinja2",
    "numpy": "coursekit",
    "pygments": "nbconvert",
    "sqlalchemy": "nbgrader",
    "traitlets": "jupyter-client",
}
MAX_CORE_DEPENDENCIES = 20
PACKAGE_DOCSTRING_LINES = 8


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


def test_a_package_says_what_it_is_for_in_a_few_lines():
    for path in MODULES:
        if path.endswith("__init__.py"):
            docstring = ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8"))) or ""
            assert 1 <= len(docstring.splitlines()) <= PACKAGE_DOCSTRING_LINES, path


def test_what_is_imported_is_declared():
    students, tool = project("."), project("autograder")
    of_students = distributions(students["dependencies"])
    of_core = distributions(tool["dependencies"]) | set(PART_OF)
    of_extra = {
        name: OF_EXTRA[extra]
        for extra in OF_EXTRA
        for name in distributions(tool["optional-dependencies"][extra])
    }
    owners = packages_distributions()
    undeclared = []
    for path in MODULES:
        declared = of_students if path.startswith("coursekit/") else of_core
        for name, line in imported(path):
            top = name.split(".")[0]
            if top in sys.stdlib_module_names or is_ours(name) or top in OF_A_COURSE:
                continue
            found = {normal(owner) for owner in owners.get(top, [top])}
            its_own = any(path.startswith(of_extra[one]) for one in found & set(of_extra))
            if not (found & declared or its_own):
                undeclared.append(f"{path}, line {line}: {top}")
    assert undeclared == []


def test_what_is_part_of_a_declared_interface_comes_with_it():
    tool = project("autograder")
    for name, owner in PART_OF.items():
        assert owner in distributions(tool["dependencies"])
        assert name not in distributions(tool["dependencies"])
        required = [Requirement(text) for text in requires(owner) or []]
        assert name in {normal(one.name) for one in required if one.marker is None}, owner


def test_the_core_of_the_tool_has_few_dependencies_and_no_extra_is_among_them():
    tool = project("autograder")
    core = distributions(tool["dependencies"])
    assert len(tool["dependencies"]) <= MAX_CORE_DEPENDENCIES
    for extra in OF_EXTRA:
        assert not needed_by(tool, extra) & core


def test_an_extra_is_asked_for_by_the_packages_that_it_installs():
    tool = project("autograder")
    owners = packages_distributions()
    assert set(EXTRAS) == set(OF_EXTRA) == set(tool["optional-dependencies"]) - {"lab"}
    for extra, (packages, _) in EXTRAS.items():
        found = {normal(owner) for package in packages for owner in owners[package]}
        assert found <= needed_by(tool, extra)


def project(folder):
    text = (ROOT / folder / "pyproject.toml").read_text("utf-8")
    return tomllib.loads(text)["project"]


def needed_by(tool, extra):
    """What an extra installs besides the core, other extras that it names included."""
    found = distributions(tool["optional-dependencies"][extra])
    for requirement in map(Requirement, tool["optional-dependencies"][extra]):
        if requirement.name == tool["name"]:
            found |= set().union(*(needed_by(tool, other) for other in requirement.extras))
    return found - {tool["name"]}


def distributions(requirements):
    return {normal(Requirement(text).name) for text in requirements}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()
