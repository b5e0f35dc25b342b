"""The tool serves any course folder: one of another subject, made elsewhere, without this checkout.

Both wheels are built and installed into a Python of their own, where importing torch is an error.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import nbformat
import pytest
from checkout import ROOT
from test_clean_environment import make_python

from autograder.authoring.init_course import init_course
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.sandbox.doctor import is_available

TORCH = "raise ImportError('this course uses no torch')"
EXERCISE = '''\
"""count_vowels: a count in a word; with capitals, and without any letter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"words": 2, "capitals": 1}
_LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def _word(rng: np.random.Generator, vowels: int) -> str:
    letters = [*rng.choice(list("aeiou"), vowels), *rng.choice(_LETTERS, 4)]
    return "".join(rng.permutation(letters).tolist())


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for vowels in rng.permutation(12)[:4].tolist():
        yield Case("words", [_word(rng, vowels)])
    for vowels in rng.permutation(12)[:4].tolist():
        yield Case("capitals", [_word(rng, 1 + vowels).upper()])


WRONG = {
    "small_letters_only": """
        Capital letters are vowels, too: compare the letters of the word in lower case.

        - return sum(letter in "aeiou" for letter in word.lower())
        + return sum(letter in "aeiou" for letter in word)
        """,
    "different_vowels": """
        A vowel that occurs twice counts twice: count letters, not different letters.

        - return sum(letter in "aeiou" for letter in word.lower())
        + return len(set(word.lower()) & set("aeiou"))
        """,
    "without_u": """
        One of the five vowels is missing: a, e, i, o, u.

        - return sum(letter in "aeiou" for letter in word.lower())
        + return sum(letter in "aeio" for letter in word.lower())
        """,
}

RIGHT = {
    "loop": """
        def count_vowels(word):
            count = 0
            for letter in word:
                if letter in "aeiouAEIOU":
                    count += 1
            return count
        """,
    "count": """
        def count_vowels(word):
            return sum(map(word.lower().count, "aeiou"))
        """,
}
'''
SOLUTION = '''\
def count_vowels(word: str) -> int:
    """The number of vowels, a, e, i, o and u, in a word."""
    ### BEGIN SOLUTION: the number of vowels
    return sum(letter in "aeiou" for letter in word.lower())
    ### END SOLUTION'''


def write_exercise(course):
    """Replace the example of `autograder new`, as an author would."""
    folder = course.cases("01_topic")
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "count_vowels.py").write_text(EXERCISE)
    path = course.solution("01_topic")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.source.startswith("def average_topic"):
            cell.source = SOLUTION
        elif "average_topic([" in cell.source:
            cell.source = 'count_vowels("Education")'
        cell.source = cell.source.replace("average_topic", "count_vowels")
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with a Python that has the wheels of both distributions, and nothing of this checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    for source in (ROOT, ROOT / "autograder"):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
        command += ["--no-build-isolation", "--wheel-dir", str(folder / "wheels"), str(source)]
        subprocess.run(command, check=True)
    python = make_python(folder)
    wheels = map(str, (folder / "wheels").glob("*.whl"))
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", *wheels]
    subprocess.run([*install, "--force-reinstall", "--prefix", folder / "venv"], check=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "torch.py").write_text(TORCH)
    return folder


def run(elsewhere, cwd, *arguments, status=0):
    """Run a program of that Python."""
    kept = ("PATH", "LANG", "HOME", "TMPDIR", "OMP_NUM_THREADS")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment["PATH"] += f"{os.pathsep}{os.path.dirname(sys.executable)}"  # nbgrader: alembic
    environment |= {"PIP_NO_INDEX": "1", "JUPYTER_PREFER_ENV_PATH": "1"}
    # the sandbox sees the packages of its own Python, and a mirror: here, those of the outer one
    environment["COURSEKIT_MIRROR"] = sysconfig.get_paths()["purelib"]
    done = subprocess.run(
        [elsewhere / "venv/bin/python", "-m", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def made(elsewhere):
    """The course: made, with an assignment of another subject, executed and released."""
    run(elsewhere, elsewhere, "autograder", "init", "intro-python", "--title", "Python, gently")
    course = Course(elsewhere / "intro-python")
    run(elsewhere, course.root, "autograder", "new", "01_topic")
    write_exercise(course)
    run(elsewhere, course.root, "autograder", "execute", "01")
    run(elsewhere, course.root, "autograder", "release")
    return course


def test_the_installed_tool_is_another_than_this_checkout(elsewhere):
    code = elsewhere / "where.py"
    code.write_text("import autograder, coursekit; print(autograder.__file__, coursekit.__file__)")
    for path in run(elsewhere, elsewhere, "where").split():
        assert path.startswith(f"{elsewhere}/venv/")


def test_an_assignment_without_torch_is_executed_and_released_by_the_installed_tool(
    elsewhere, made
):
    said = run(elsewhere, made.root, "autograder", "release", "--check")
    assert said.splitlines()[0] == "1 assignment up to date and verified."
    index = json.loads((made.root / "intro_python/recordings/index.json").read_text())
    assert index == {"count_vowels": "01_topic"}
    student = nbformat.read(made.notebook("01_topic"), as_version=4)
    sources = [cell.source for cell in student.cells]
    assert "Open in Colab" not in "".join(sources)
    (setup,) = [source for source in sources if source.startswith("# Set-up")]
    assert "\nimport intro_python\n" in setup
    assert setup.endswith('coursekit.require("01_topic", revision=2, wheels=found)')
    assert "http" not in setup
    solved = nbformat.read(made.solution("01_topic"), as_version=4)
    texts = [
        o.get("data", {}).get("text/plain") for c in solved.cells for o in c.get("outputs", [])
    ]
    assert texts.count("5") == 2


@pytest.mark.slow
def test_a_student_checks_with_the_wheels_of_the_handout_alone(elsewhere, made, tmp_path):
    """The set-up cell installs both: the course's wheel, and a coursekit that only checks."""
    run(elsewhere, made.root, "autograder", "bundle")
    bundle = made.root / "bundle"
    check, own = sorted(path.name for path in bundle.glob("*.whl"))
    assert own == "intro_python-0.1.0-py3-none-any.whl"
    assert "+check-" in check
    with zipfile.ZipFile(bundle / check) as archive:
        names = archive.namelist()
        (about,) = [archive.read(n).decode() for n in names if n.endswith("METADATA")]
    parts = {name.split("/")[1] for name in names if name.startswith("coursekit/")}
    assert parts == {"__init__.py", "checking", "progress.py"}
    needed = {line.split()[1].split(">")[0] for line in about.splitlines() if "Requires-D" in line}
    assert needed == {"ipython", "numpy"}
    assert "Python, gently" in (bundle / "README.md").read_text()
    python = make_python(tmp_path)
    student = nbformat.read(bundle / "notebooks/01_topic/01_topic.ipynb", as_version=4)
    code = [cell.source for cell in student.cells if cell.cell_type == "code"]
    code = [SOLUTION if "def count_vowels" in source else source for source in code]
    program = "\n".join(
        [
            "from IPython.core.interactiveshell import InteractiveShell",
            "shell = InteractiveShell.instance()",
            *(f"shell.run_cell({source!r}).raise_error()" for source in code[:4]),
            "import sys, coursekit; print(coursekit.__file__, 'torch' in sys.modules)",
        ]
    )
    done = subprocess.run(
        [python, "-c", program],
        cwd=bundle / "notebooks/01_topic",
        env={"PATH": os.environ["PATH"], "PIP_NO_INDEX": "1", "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    assert "count_vowels: 3 of 3 points" in done.stdout
    assert done.stdout.split()[-2].startswith(str(tmp_path))


@pytest.mark.slow
@pytest.mark.skipif(not is_available(), reason="this machine cannot sandbox processes")
def test_a_class_is_graded_reported_and_exported_by_the_installed_tool(elsewhere, made):
    run(elsewhere, made.root, "autograder", "demo")
    folder = ("--folder", "demo")
    verdicts = run(
        elsewhere, made.root, "autograder", "grade", "01", *folder, "--json", "--regrade"
    )
    found = json.loads(verdicts)["verdicts"]
    points = {student: sum(one["points"] for one in rows) for student, rows in found.items()}
    assert points == {"complete": 3, "partly_wrong": 2, "unfinished": 0, "endless": 0}
    for command in ("feedback", "report", "export"):
        run(elsewhere, made.root, "autograder", command, "01", *folder)
    page = made.root / "demo/feedback/partly_wrong/01_topic/01_topic.html"
    assert "Capital letters are vowels" in page.read_text()
    assert "count_vowels" in (made.root / "demo/reports/01_topic.html").read_text()
    assert "complete" in (made.root / "demo/exports/01_topic.csv").read_text()


def test_an_inited_course_is_configured_as_this_one(tmp_path):
    init_course(tmp_path / "logic")
    for name in ("nbgrader_config.py",):
        assert (tmp_path / "logic" / name).read_text() == (ROOT / name).read_text()
    left = "# what grading a class leaves beside the course"
    ours, theirs = (
        (folder / ".gitignore").read_text().partition(left)[2].partition("\n#")[0]
        for folder in (ROOT, tmp_path / "logic")
    )
    assert ours == theirs
    assert Course(tmp_path / "logic").assignments() == []


@pytest.mark.parametrize("name", ["test", "numpy", "2026", "class"])
def test_a_name_that_no_package_can_have_is_refused(tmp_path, name):
    with pytest.raises(CourseError, match="choose another name for the folder"):
        init_course(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_course_is_left_as_it_is(tmp_path):
    init_course(tmp_path / "logic", "Logic")
    with pytest.raises(CourseError, match="already exists; nothing was changed"):
        init_course(tmp_path / "logic", "Another")
    assert Course(tmp_path / "logic").config.title == "Logic"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('title = "Logic"', "", "needs a line title"),
        ("imports = []", "import = []", "has no key 'import'; did you mean imports?"),
        ("imports = []", 'imports = "os"', "imports in \\[tool.autograder\\] must be a list"),
        ("[tool.ruff]", "[tool.ruff", "is not TOML"),
    ],
)
def test_a_slip_in_the_configuration_is_named(tmp_path, old, new, words):
    init_course(tmp_path / "logic", "Logic")
    path = tmp_path / "logic" / "pyproject.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(CourseError, match=words):
        _ = Course(tmp_path / "logic").config
