"""The files that set the project up, and the documents, agree with each other and with the code."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import nbformat
import pytest
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
#: What whoever works on the course installs: the tool with all its extras.
WHOLE_TOOL = f"./autograder[{','.join(sorted(TOOL['optional-dependencies']))}]"


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
    return [r for r in own if r.name not in (PROJECT["name"], TOOL["name"])]


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
    assert pip == ["-c constraints.txt", "-e .[dev,browser]", f"-e {WHOLE_TOOL}"]
    assert f"'{WHOLE_TOOL}'" in (ROOT / "Makefile").read_text()
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


def test_the_readme_is_read_in_a_few_minutes():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "drawings/README.md"])
#: In a path of a document: what a reader fills in, and what a command writes.
_FILLED_IN = re.compile(r"NN_|[A-Z]{4,}(?!\.md)|20_tagging|\*")
_WRITTEN = ("autograded/", "demo/", "dist/", "earlier/", "exports/", "feedback/", "grader-errors/")
_WRITTEN += ("backups/", "reports/", "site/", "slides/", "submitted/", ".audit/", ".venv/")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_of_a_document_lead_somewhere(document):
    text = document.read_text("utf-8")
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S)
    broken = []
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose)):
        path, _, anchor = target.partition("#")
        found = (document.parent / path) if path else document
        if not found.exists() or (anchor and anchor not in anchors(found.read_text("utf-8"))):
            broken.append(target)
    for path in re.findall(r"`([\w.-]+(?:/[\w.*-]+)+/?|[\w-]+\.(?:md|toml|txt))`", prose):
        known = _FILLED_IN.search(path) or path.startswith(_WRITTEN)
        if not known and not any((place / path).exists() for place in (ROOT, document.parent)):
            broken.append(path)
    assert broken == []


def anchors(text):
    """The names that headings get: their words in lower case, joined by hyphens."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_documents_name_commands_and_targets_that_exist():
    from autograder.cli import main

    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M)
    unknown = []
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        commands = re.findall(r"(?:`|\$ |^(?=.*# ))autograder ([a-z]+)", text, re.M)
        unknown += [f"autograder {name}" for name in commands if name not in main.commands]
        made = re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M)
        unknown += [f"make {name}" for name in made if name not in targets]
    assert unknown == []


PAGES = sorted(ROOT.glob("docs/*.md"))
MAX_WORDS = 1_500
#: What is looked up, not read: code, and the table of rules that `docs/rules.py` generates.
_NOT_READ = re.compile(r"^ *(`{3,}).*?^ *\1$|<!-- rules: .*?<!-- end of rules -->", re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_of_the_guides_is_read_in_one_sitting(page):
    words = [w for w in _NOT_READ.sub("", page.read_text("utf-8")).split() if re.search(r"\w", w)]
    assert len(words) <= MAX_WORDS


def test_every_page_of_the_guides_is_in_the_contents():
    contents = "".join(
        re.findall(r"```{toctree}\n(.*?)```", (ROOT / "docs/index.md").read_text(), re.S)
    )
    assert {page.stem for page in PAGES} - {"index"} <= set(contents.split())


def test_the_rules_that_authors_read_of_are_those_that_verify_checks(monkeypatch):
    spec = importlib.util.spec_from_file_location("rules_page", ROOT / "docs" / "rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", ["rules.py", "--check"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 0


def test_every_public_name_of_the_package_is_in_the_reference():
    import coursekit

    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert [name for name in coursekit.__all__[1:] if f"`{name}`" not in page] == []


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_what_exists_and_may_only_read_unless_it_says_why(workflow):
    text = workflow.read_text("utf-8")
    parsed = yaml.safe_load(text)
    assert parsed["permissions"] == {"contents": "read"}
    makefile = (ROOT / "Makefile").read_text()
    for name, job in parsed["jobs"].items():
        assert job["timeout-minutes"], name
        for needed in [job["needs"]] if "needs" in job else []:
            assert needed in parsed["jobs"]
        for target in re.findall(r"^make ([\w-]+)", "\n".join(commands_of(job)), re.M):
            assert re.search(f"^{target}:", makefile, re.M), f"{name} calls make {target}"
        for target in job.get("strategy", {}).get("matrix", {}).get("target", []):
            assert re.search(f"^{target}:", makefile, re.M), f"{name} calls make {target}"


def commands_of(job):
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_takes_each_action_by_its_commit_and_says_which_version_that_is(workflow):
    used = re.findall(r"uses: (.*)", workflow.read_text("utf-8"))
    assert used
    assert [
        one for one in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)
    ] == []


def test_all_workflows_take_the_same_version_of_an_action():
    versions = {}
    for workflow in WORKFLOWS:
        for name, commit in re.findall(r"uses: ([\w/-]+)@(.*)", workflow.read_text("utf-8")):
            versions.setdefault(name, set()).add(commit)
    assert [name for name in versions if len(versions[name]) > 1] == []


def matrix_of(job):
    text = (ROOT / f".github/workflows/{job}.yml").read_text("utf-8")
    return yaml.safe_load(text)["jobs"][job]["strategy"]["matrix"]


def test_workflows_test_the_oldest_and_the_newest_python_that_the_project_names():
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    for job in ("test", "students"):
        assert matrix_of(job)["python"] == [versions[0], versions[-1]]
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_what_students_do_is_tested_on_the_systems_that_they_have():
    systems = [name.partition("-")[0] for name in matrix_of("students")["system"]]
    assert systems == ["ubuntu", "macos", "windows"]


def test_students_install_the_wheel_of_the_bundle_and_pass_the_first_checks_with_it():
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci/students.py")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 8  # four assignments, each answered and as released
    for line in lines:
        passed, number = re.search(r": (\d+) of (\d+) exercises pass", line).groups()
        assert passed == (number if ", answered" in line else "0"), line


def test_both_distributions_say_where_they_come_from():
    for project in (PROJECT, TOOL):
        assert project["authors"] == [{"name": "The coursekit developers"}]
        assert {"Homepage", "Documentation", "Issues", "Changelog"} <= set(project["urls"])
        assert project["keywords"]
        assert project["classifiers"]
    assert (ROOT / "autograder/LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def build(folder, source, kind):
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (made,) = folder.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    if kind == "wheel":
        return zipfile.ZipFile(made).namelist()
    return [name.split("/", 1)[1] for name in tarfile.open(made).getnames()]


def test_the_tool_is_published_whole_and_without_a_line_of_a_course(tmp_path):
    inside = {n for n in build(tmp_path, ROOT / "autograder", "wheel") if ".dist-info/" not in n}
    files = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "autograder").rglob("*")
        if path.is_file() and not {"__pycache__", ".mypy_cache", ".ruff_cache"} & set(path.parts)
    }
    own = {f"autograder/{name}" for name in ("LICENSE", "README.md", "pyproject.toml")}
    assert inside == files - own
    assert not [name for name in inside if name.endswith(".ipynb")]


@pytest.mark.slow
def test_the_source_archive_of_the_package_has_what_its_wheel_needs_and_nothing_else(tmp_path):
    inside = build(tmp_path, ROOT, "sdist")
    own = ("PKG-INFO", ".gitignore", "LICENSE", "LICENSES.md", "hatch_build.py", "pyproject.toml")
    assert {name for name in inside if not name.startswith(("coursekit/", "data/"))} == set(own)
    shipped = {name.removeprefix("data/") for name in inside if name.startswith("data/")}
    assert not [name for name in shipped if name.endswith((".py", "hints.tsv"))]
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    wheel = build(tmp_path, source, "wheel")
    assert {name.removeprefix("coursekit/shipped/") for name in wheel if "/shipped/" in name} == (
        shipped
    )


def tag(course, version):
    command = [sys.executable, str(course / ".ci" / "tag.py"), version]
    return subprocess.run(command, cwd=course, capture_output=True, text=True)


def git(course, *arguments):
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *arguments]
    done = subprocess.run(command, cwd=course, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """A repository with a version, a changelog, and a release that only says its version."""
    for name in (".ci/tag.py", "coursekit/__init__.py", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder" / "__init__.py").write_text("")
    (tmp_path / "autograder" / "__main__.py").write_text(
        "import pathlib, sys, coursekit\n"
        "pathlib.Path('wheel').write_text(coursekit.__version__)\n"
        "sys.exit(pathlib.Path('proof').exists())\n"
    )
    changelog = "# Changelog\n\n## 7.1.0 (2031-02-03)\n\n- New.\n"
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    (tmp_path / "wheel").write_text("")
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(name, "a")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "a@b.c")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def test_a_tag_moves_version_notebooks_and_history_together(changed):
    done = tag(changed, "7.1.0")
    assert done.returncode == 0, done.stderr
    assert git(changed, "tag", "--points-at", "HEAD") == "v7.1.0"
    assert git(changed, "log", "-1", "--format=%s") == "Release 7.1.0"
    assert (changed / "wheel").read_text() == "7.1.0"
    assert '__version__ = "7.1.0"' in (changed / "coursekit/__init__.py").read_text()
    assert git(changed, "status", "--porcelain") == ""


def test_what_cannot_be_released_is_refused_and_changes_nothing(changed):
    for version, why in {
        "7.1": "not a version",
        "0.0.1": "not above",
        "7.2.0": "no section `## 7.2.0 (YEAR-MONTH-DAY)`",
    }.items():
        done = tag(changed, version)
        assert (done.returncode, why in done.stderr) == (1, True), done.stderr
    (changed / "notes").write_text("")
    assert "not committed" in tag(changed, "7.1.0").stderr
    (changed / "notes").rename(changed / "proof")
    git(changed, "add", "--all")
    git(changed, "commit", "--quiet", "--message", "A proof that fails")
    done = tag(changed, "7.1.0")
    assert (done.returncode, "every file is as it was" in done.stderr) == (1, True)
    assert git(changed, "tag") == ""
    assert git(changed, "status", "--porcelain") == ""
    assert (changed / "wheel").read_text() == ""


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
    assert copied == ["constraints.txt", "/wheels", "docs/hub/nbgrader_config.py", "notebooks"]


def test_hooks_call_programs_that_the_setup_installs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    programs = {hook["entry"].split()[0] for hook in hooks}
    assert programs == {".venv/bin/ruff", ".venv/bin/mypy", ".venv/bin/autograder"}


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
