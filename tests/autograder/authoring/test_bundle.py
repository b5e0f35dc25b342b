"""What students get, and that it holds nothing that they should not have."""

import re
import zipfile

import nbformat
import pytest
import yaml
from checkout import ROOT
from click.testing import CliRunner

from autograder.authoring.bundle import (
    _released,
    _torch,
    make_bundle,
    make_repository,
)
from autograder.authoring.proofs import _solution_lines
from autograder.authoring.release import release
from autograder.cli import main
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.errors import CourseError


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle") / "handout"
    make_bundle(Course(ROOT), folder)
    return folder


def test_it_holds_the_notebooks_the_wheel_environment_files_and_a_readme(bundle, course):
    names = {str(path.relative_to(bundle)) for path in bundle.rglob("*") if path.is_file()}
    wheel = next(name for name in names if name.endswith(".whl"))
    expected = {"README.md", "environment.yml", "constraints.txt", "LICENSE", "LICENSES.md", wheel}
    expected |= {f"notebooks/{name}/{name}.ipynb" for name in course.assignments()}
    assert names == expected
    for name in ("README.md", "environment.yml"):
        assert wheel in (bundle / name).read_text()


def contents(bundle):
    """Every file of the bundle and of the wheel in it, by its path, as text."""
    files = {str(p.relative_to(bundle)): p.read_bytes() for p in bundle.rglob("*") if p.is_file()}
    (wheel,) = [name for name in files if name.endswith(".whl")]
    del files[wheel]
    with zipfile.ZipFile(bundle / wheel) as archive:
        files |= {name: archive.read(name) for name in archive.namelist()}
    return {name: data.decode("utf-8", "replace") for name, data in files.items()}


def lines_of(name, text):
    """The lines that a reader of the file would see; of a notebook those of its cells."""
    if name.endswith(".ipynb"):
        text = "\n".join(cell.source for cell in nbformat.reads(text, as_version=4).cells)
    return {line.strip() for line in text.replace("\\n", "\n").splitlines()}


def leaks(course, files):
    secret, given = set(), set()
    for assignment in course.assignments():
        inside, outside = _solution_lines(read(course.solution(assignment)), course)
        secret |= {line for line in inside if len(line) >= 30}
        given |= outside
    secret -= given  # a common line that one assignment gives away is no secret of another
    assert len(secret) > 20
    return {name: secret & lines_of(name, text) for name, text in files.items()}


def test_nothing_of_the_solutions_or_the_autograder_is_in_it(bundle, course):
    files = contents(bundle)
    for name, text in files.items():
        parts = set(name.split("/"))
        assert not parts & {"autograder", "solutions", "tests", "benchmarks"}, name
        assert "entry_points" not in name
        for words in ("BEGIN SOLUTION", "import autograder", "from autograder"):
            assert words not in text, name
    assert {name: found for name, found in leaks(course, files).items() if found} == {}


def test_a_leaked_solution_would_be_found(course):
    path = course.solution("01_bag_of_words")
    assert leaks(course, {path.name: path.read_text()})[path.name]


def test_the_wheel_holds_the_package_its_recordings_and_the_data(bundle, course):
    with zipfile.ZipFile(next(bundle.glob("*.whl"))) as archive:
        names = set(archive.namelist())
    assert "coursekit/checking/check.py" in names
    assert "coursekit/data/registry.json" in names
    assert "coursekit/shipped/reviews/challenge.tsv" in names
    assert "coursekit/shipped/reviews/DATASHEET.md" in names
    assert "coursekit/shipped/pretrained/imdb/model.safetensors" in names
    assert "coursekit/shipped/pretrained/imdb/vocab.txt" in names
    assert "coursekit/shipped/pretrained/imdb-distilled/adapter_model.safetensors" in names
    assert "coursekit/shipped/results/ladder_sst2.json" in names
    for assignment in course.assignments():
        assert f"coursekit/recordings/{assignment}.json" in names
    assert not [name for name in names if name.endswith("generate.py")]


def test_the_readme_says_how_to_install_torch_without_cuda(bundle):
    """With the version that the handout's constraints name, before the line that would take another."""
    (pinned,) = re.findall(r"^torch==\S+", (bundle / "constraints.txt").read_text(), re.M)
    readme = (bundle / "README.md").read_text()
    assert "several gigabytes" in readme
    assert f"`{pinned}`" in readme
    assert "pytorch.org/get-started" in readme


def test_a_course_without_torch_says_nothing_of_it(small_course):
    project = small_course.root / "pyproject.toml"
    text = re.sub(r"^imports = \[.*?\]", "imports = []", project.read_text(), flags=re.M | re.S)
    project.write_text(text)
    assert _torch(Course(small_course.root)) == ""


def test_a_zip_holds_the_same_in_one_folder(tmp_path, monkeypatch, bundle):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, ["bundle", "--output", str(tmp_path / "handout.zip")])
    assert result.exit_code == 0, result.output
    with zipfile.ZipFile(tmp_path / "handout.zip") as archive:
        names = {n.partition("/")[2] for n in archive.namelist() if not n.endswith("/")}
    assert names == {str(p.relative_to(bundle)) for p in bundle.rglob("*") if p.is_file()}


def test_a_folder_that_is_no_bundle_is_not_overwritten(tmp_path, course):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(CourseError, match="not a bundle"):
        make_bundle(course, tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle") / "students"
    make_repository(Course(ROOT), folder)
    return folder


def test_the_students_repository_is_the_bundle_with_a_workflow(bundle, repository):
    assert contents(repository).keys() - contents(bundle).keys() == {
        ".github/checks.py",
        ".github/workflows/checks.yml",
        ".gitignore",
    }
    workflow = yaml.safe_load((repository / ".github/workflows/checks.yml").read_text())
    steps = [step.get("run", "") for step in workflow["jobs"]["checks"]["steps"]]
    (wheel,) = repository.glob("*.whl")
    assert any(step.endswith(f"./{wheel.name}") for step in steps)
    assert "python .github/checks.py notebooks" in steps


def test_nothing_of_the_solutions_is_in_the_students_repository(repository, course):
    test_nothing_of_the_solutions_or_the_autograder_is_in_it(repository, course)


def test_badges_and_set_up_cells_lead_to_the_students_repository_only(repository, course):
    own = course.config.students.removeprefix("https://github.com/")
    owner = own.partition("/")[0]
    files = contents(repository)
    for file, text in files.items():
        for found in re.findall(rf"github(?:.com)?/({owner}/[\w-]+)", text):
            assert found == own, f"{file} leads to {found}"
        for path in re.findall(rf"{own}/(?:blob|raw)/main/([\w./-]+)", text):
            assert (repository / path).is_file(), f"{file} leads to {path}, which is not there"
    for assignment in course.assignments():
        path = f"notebooks/{assignment}/{assignment}.ipynb"
        assert f"/github/{own}/blob/main/{path}" in files[path]
        assert f"/github/{own}/blob/main/{path}" in files["README.md"]


def test_a_clone_keeps_its_history_and_the_wheels_of_earlier_versions(tmp_path, course):
    for name in (".git/HEAD", "coursekit-0.0.1-py3-none-any.whl", "notebooks/99_old/99_old.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    make_repository(course, tmp_path)
    assert (tmp_path / ".git/HEAD").read_text() == "x"
    assert len(list(tmp_path.glob("*.whl"))) == 2
    assert not (tmp_path / "notebooks/99_old").exists()


@pytest.mark.parametrize(
    ("names", "words"),
    [(["thesis.tex"], "not a clone"), ([".git", "solutions"], "holds solutions")],
)
def test_a_folder_that_is_not_the_students_repository_is_left_alone(tmp_path, course, names, words):
    for name in names:
        (tmp_path / name).mkdir()
    with pytest.raises(CourseError, match=words):
        make_repository(course, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_notebooks_released_for_another_address_are_not_published(small_course, tmp_path):
    project = small_course.root / "pyproject.toml"
    project.write_text(project.read_text().replace("coursekit-students", "elsewhere"))
    notebook = small_course.notebook("07_topic")
    with pytest.raises(CourseError, match="not as the last release left it: 07_topic"):
        _released(small_course)
    release(small_course, ["07_topic"])
    assert _released(small_course) == [notebook]
    assert "coursekit/elsewhere/raw/main/coursekit-" in notebook.read_text()


def test_without_a_release_it_says_what_to_run(small_course):
    import shutil

    shutil.rmtree(small_course.notebooks)
    with pytest.raises(CourseError, match="run `autograder release` first"):
        make_bundle(small_course, small_course.root / "out")


def test_a_notebook_with_answers_in_it_is_not_packed(small_course):
    path = small_course.notebook("07_topic")
    notebook = read(path)
    notebook.cells[-1].source += "\n# solved"
    nbformat.write(notebook, path)
    with pytest.raises(CourseError, match=r"07_topic\. A student notebook may hold answers"):
        make_bundle(small_course, small_course.root / "out")
    assert not (small_course.root / "out").exists()


@pytest.mark.parametrize("place", ["07_topic/solved.ipynb", "08_topic/08_topic.ipynb"])
def test_another_notebook_beside_the_released_ones_is_named(small_course, place):
    other = small_course.notebooks / place
    other.parent.mkdir(exist_ok=True)
    other.write_text(small_course.notebook("07_topic").read_text())
    with pytest.raises(CourseError, match=f"notebooks/{place}: no student notebook"):
        make_bundle(small_course, small_course.root / "out")
