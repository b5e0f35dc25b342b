"""The files that set the project up agree with each other."""

import os
import re
import subprocess
import sys

import nbformat
import yaml
from checkout import ROOT
from packaging.requirements import Requirement
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TOOL = tomllib.loads((ROOT / "autograder" / "pyproject.toml").read_text())["project"]


def pins():
    """Name -> pinned versions (one per Python version where markers differ)."""
    found = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            (specifier,) = requirement.specifier
            assert specifier.operator == "==", line
            found.setdefault(requirement.name.lower().replace("_", "-"), []).append(
                (specifier.version, requirement.marker)
            )
    return found


def requirements(besides=()):
    groups = []
    for project in (PROJECT, TOOL):
        extras = project["optional-dependencies"]
        groups += [project["dependencies"], *(extras[n] for n in extras if n not in besides)]
    own = [Requirement(text) for group in groups for text in group]
    return [r for r in own if r.name != PROJECT["name"]]


def test_every_requirement_is_loose_and_its_pin_fits():
    pinned = pins()
    for requirement in requirements():
        operators = {specifier.operator for specifier in requirement.specifier}
        assert operators == {">="}, f"{requirement} should have a lower bound only"
        name = requirement.name.lower().replace("_", "-")
        assert name in pinned, f"{name} is not pinned; run `make constraints`"
        for version, _ in pinned[name]:
            assert Version(version) in requirement.specifier, f"{requirement} excludes {version}"


def test_what_is_installed_here_is_what_is_pinned():
    from importlib.metadata import version

    for requirement in requirements(besides=("bench",)):
        for pinned, marker in pins()[requirement.name.lower().replace("_", "-")]:
            if marker is None or marker.evaluate():
                installed = Version(version(requirement.name))
                assert installed.public == Version(pinned).public, requirement.name


def test_conda_users_get_the_same_versions():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (pip,) = [part["pip"] for part in environment["dependencies"] if isinstance(part, dict)]
    assert pip == ["-c constraints.txt", "-e .[dev,browser]", "-e ./autograder[cluster,lab]"]
    (python,) = [part for part in environment["dependencies"] if str(part).startswith("python=")]
    assert Version(python.split("=")[1]) >= Version(PROJECT["requires-python"].strip(">="))


def test_colab_keeps_its_own_torch():
    (torch,) = [r for r in requirements() if r.name == "torch"]
    assert all(s.operator == ">=" for s in torch.specifier)
    assert Version("2.5.0") in torch.specifier


def test_the_readme_has_exactly_two_setup_commands():
    readme = (ROOT / "README.md").read_text()
    block = re.search(r"```sh\n(.*?)```", readme, re.S)[1]
    commands = [line.split("#")[0].strip() for line in block.splitlines() if line.strip()]
    assert commands == ["make course", "make test"]


def test_the_readme_lists_every_assignment_with_the_time_that_its_notebook_says():
    readme = (ROOT / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d½]+ (?:hours|minutes))[^|]*\|$", readme, re.M)
    said = {}
    for notebook in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        text = "\n".join(cell.source for cell in nbformat.read(notebook, 4).cells)
        said[notebook.stem] = re.search(
            r"\*\*Time\.?\*\* [Aa]bout ([\d½]+ (?:hours|minutes))", text
        )[1]
    assert dict(rows) == said


def test_the_version_stands_in_one_place():
    import coursekit

    assert PROJECT.get("version") is None
    assert Version(coursekit.__version__)


def test_the_package_imports_in_a_moment_and_loads_nothing_heavy():
    code = (
        "import sys, coursekit; dir(coursekit);"
        "print([m for m in ('torch', 'numpy', 'matplotlib', 'IPython', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_everything_the_package_promises_can_be_imported():
    import coursekit

    for name in coursekit.__all__:
        assert getattr(coursekit, name) is not None


def test_code_is_formatted_and_lint_free():
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout


def test_no_image_holds_what_a_class_has_left():
    lines = (ROOT / ".gitignore").read_text().splitlines()
    begin = lines.index("# what grading a class leaves beside the course")
    left = [line.lstrip("/") for line in lines[begin + 1 :]]
    left = left[: next(n for n, line in enumerate(left) if line.startswith("#"))]
    assert "class_seed" in left
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert [name for name in left if name not in ignored] == []


def test_the_image_for_students_gets_the_wheel_and_the_notebooks_only():
    last = (ROOT / "Dockerfile").read_text().split("\nFROM ")[-1]
    copied = [line.split()[-2] for line in last.splitlines() if line.startswith("COPY")]
    assert copied == ["constraints.txt", "/wheels", "notebooks"]


def test_hooks_call_programs_that_the_setup_installs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    programs = {hook["entry"].split()[0] for hook in hooks}
    assert programs == {".venv/bin/ruff", ".venv/bin/autograder"}


def test_threads_wait_without_spinning_unless_the_user_wants_it():
    code = "import os, coursekit; print(os.environ['OMP_WAIT_POLICY'])"
    for given, expected in ((None, "PASSIVE"), ("ACTIVE", "ACTIVE")):
        environment = {k: v for k, v in os.environ.items() if k != "OMP_WAIT_POLICY"}
        environment |= {"OMP_WAIT_POLICY": given} if given else {}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=environment
        )
        assert done.stdout.strip() == expected, done.stderr


def test_notebooks_import_coursekit_before_torch_which_reads_how_threads_wait():
    for path in sorted(ROOT.glob("notebooks/*/*.ipynb")):
        code = [
            cell.source
            for cell in nbformat.read(path, as_version=4).cells
            if cell.cell_type == "code"
        ]
        before = [re.search(r"^(import|from) torch", source, re.M) for source in code]
        setup = next(n for n, source in enumerate(code) if source.startswith("# Set-up"))
        assert "\nimport coursekit" in code[setup]
        assert not any(before[: setup + 1]), path.stem
