"""Grading a small class with real kernels and the real nbgrader."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest
from checkout import ROOT
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
from processes import TELLS_CELLS, processes_of, wait_for, wait_for_end, wait_for_line

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.reference import read
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading import worker_pool
from autograder.grading.verdicts import class_seed
from autograder.pages.feedback import write_feedback

NAME = "07_topic"
EXERCISE = "average_topic"
ODD_NAMES = ("smith[1]", "o'neil", "größe 2", "a,b")


def submit(course, student, notebook):
    path = course.root / "submitted" / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    if isinstance(notebook, str):
        path.write_text(notebook)
    else:
        nbformat.write(notebook, path)
    return path


def answer(course, source):
    """A submission with this text in the exercise's cell."""
    return filled(Assignment(course, NAME), {EXERCISE: source})


def misconception(course, name):
    exercise = Assignment(course, NAME).exercises[EXERCISE]
    return Assignment(course, NAME).typed(
        next(m for m in exercise.misconceptions if m.name == name)
    )


def body(text):
    return f"def average_topic(scores, mask):\n    {text}"


@pytest.fixture
def graded(small_course):
    """Grade the submissions given as a dict of student and notebook or cell text."""

    def grade(submissions, students=None, **options):
        for student, notebook in submissions.items():
            given = answer(small_course, notebook) if isinstance(notebook, str) else notebook
            submit(small_course, student, given)
        return grade_class(small_course, NAME, None, students, Options(**options))

    return grade


def points(graded):
    return {
        student: sum(v.points for v in verdicts) for student, verdicts in graded.verdicts.items()
    }


def scores(course):
    """What nbgrader's gradebook says, student by student."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions(NAME)}


@pytest.fixture(scope="module")
def room(make_small_course, tmp_path_factory):
    """One class with what students hand in, graded once, and its feedback pages by student."""
    course = make_small_course(tmp_path_factory.mktemp("room"))
    deleted, nothing, broken_import, missing = (filled(Assignment(course, NAME)) for _ in range(4))
    deleted.cells = [c for c in deleted.cells if "nbgrader" not in c.metadata]
    nothing.cells = [new_code_cell("1 + 1")]
    cell = next(c for c in broken_import.cells if c.source.startswith("import torch"))
    cell.source = cell.source.replace("import torch", "import nothing_of_that_name as torch")
    cell = next(c for c in missing.cells if c.source.startswith("import torch"))
    cell.source = f"import nothing_of_that_name\n!pip install it\n{cell.source}"
    submissions = {
        "complete": filled(Assignment(course, NAME)),
        "partly": misconception(course, "divides_by_zero"),
        "padding": misconception(course, "counts_padding"),
        "unwritten": read(course.notebook(NAME)),
        "deleted": deleted,
        "nothing": nothing,
        "syntax": "def average_topic(scores, mask)\n    return scores",
        "import": broken_import,
        "missing_package": missing,
        "input": body("return input()"),
        "library": body("import torch; return torch.tensor([]).bincount()"),
        "huge": body(
            "import torch; return (torch.zeros(3 * 2**20) if not mask.any(1).all()"
            " else (scores * mask).sum(1) / mask.sum(1))"
        ),
        **{student: filled(Assignment(course, NAME)) for student in ODD_NAMES},
    }
    for student, given in submissions.items():
        submit(course, student, answer(course, given) if isinstance(given, str) else given)
    path = submit(course, "marked", filled(Assignment(course, NAME)))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())  # a byte order mark
    (course.root / "submitted" / "file").mkdir()
    (course.root / "submitted" / "file" / NAME).write_text("not a folder")
    graded = grade_class(course, NAME)
    # last, and alone, since no other one is to be stopped after so short a time
    hangs = "import time; time.sleep(10_000)\naverage_topic = lambda scores, mask: scores"
    submit(course, "hangs", answer(course, hangs))
    graded.verdicts |= grade_class(course, NAME, None, ["hangs"], Options(3)).verdicts
    pages = {page.parent.parent.name: page.read_text() for page in write_feedback(course, NAME)}
    return course, graded, pages


def test_right_partly_right_and_unwritten_get_what_they_earned(room):
    course, graded, _ = room
    expected = {"complete": 3, "partly": 2, "padding": 1, "unwritten": 0, "missing_package": 3}
    assert {s: p for s, p in points(graded).items() if s in expected} == expected
    assert {s: p for s, p in scores(course).items() if s in expected} == expected
    padding = graded.verdicts["padding"][0]
    assert padding.misconception == "counts_padding"
    assert graded.verdicts["unwritten"][0].headline.startswith("not written yet")


def test_the_feedback_page_shows_points_reason_and_hint(room):
    html = room[2]["padding"]
    assert "Padding is averaged in" in html
    assert "1 of 3" in html
    assert "Traceback (most recent call last)" not in html


def test_a_deleted_exercise_costs_its_own_points_only(room):
    course, graded, _ = room
    assert not {"deleted", "nothing"} & set(graded.unread)
    assert [scores(course)[student] for student in ("deleted", "nothing")] == [0, 0]
    assert "not written yet" in graded.verdicts["deleted"][0].headline


def test_a_cell_that_failed_is_named_as_the_reason(room):
    _, graded, _ = room
    students = ("syntax", "import", "hangs", "input", "library")
    assert [points(graded)[student] for student in students] == [0] * 5
    reasons = {student: graded.verdicts[student][0].headline for student in students}
    assert "its cell stopped with SyntaxError: expected ':'" in reasons["syntax"]
    assert "NameError" in reasons["import"]
    assert "had stopped with ModuleNotFoundError" in reasons["import"]
    assert "its cell stopped with TimeLimit" in reasons["hangs"]
    assert "it calls input()" in reasons["input"]
    assert "not written" not in reasons["library"]


def test_a_huge_answer_costs_its_own_group_as_it_does_in_the_check(room):
    (verdict,) = room[1].verdicts["huge"]
    assert verdict.points == 2
    assert "larger than 1 MiB" in verdict.groups[1].reason


def test_odd_names_and_a_byte_order_mark_lose_nothing(room):
    course, graded, pages = room
    assert graded.unread.keys() == {"smith[1]"}
    assert "rename the folder" in graded.unread["smith[1]"]
    whole = {"marked", *ODD_NAMES} - {"smith[1]"}
    assert {s: p for s, p in scores(course).items() if s in whole} == dict.fromkeys(whole, 3)
    assert set(pages) == set(graded.verdicts) - {"smith[1]"}


def test_grading_twice_gives_the_same_scores_and_another_class_other_cases(small_course, graded):
    first = graded({"partly": misconception(small_course, "counts_padding")})
    again = grade_class(small_course, NAME, options=Options(regrade=True))
    assert again.kept == []
    assert first.verdicts == again.verdicts
    (small_course.root / "class_seed").write_text("12345\n")
    other = grade_class(small_course, NAME)
    assert points(other) == points(first)
    assert other.verdicts["partly"][0].detail != first.verdicts["partly"][0].detail


def test_the_class_seed_is_drawn_once_and_a_damaged_one_is_named(tmp_path):
    seed = class_seed(tmp_path)
    assert class_seed(tmp_path) == seed
    (tmp_path / "class_seed").write_text("many")
    with pytest.raises(CourseError, match="one whole number"):
        class_seed(tmp_path)


def test_no_class_and_unknown_students_are_named(small_course, graded):
    with pytest.raises(CourseError, match="there is no submission"):
        grade_class(small_course, NAME)
    with pytest.raises(CourseError, match="no submissions of 07_topic are graded yet"):
        write_feedback(small_course, NAME)
    with pytest.raises(CourseError, match="somebody has not submitted"):
        graded({"complete": filled(Assignment(small_course, NAME))}, students=["somebody"])


def nbgrader(course, *arguments):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course.root,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_plain_nbgrader_commands_give_the_same_scores(small_course):
    notebooks = {
        "complete": filled(Assignment(small_course, NAME)),
        "padding": answer(small_course, misconception(small_course, "counts_padding")),
    }
    for student, notebook in notebooks.items():
        submit(small_course, student, notebook)
    before = small_course.notebook(NAME).read_text()
    for arguments in (
        ["generate_assignment", NAME, "--force"],
        ["autograde", NAME, "--force"],
        ["generate_feedback", NAME],
    ):
        done = nbgrader(small_course, *arguments)
        assert done.returncode == 0, done.stderr
    assert small_course.notebook(NAME).read_text().rstrip() == before.rstrip()
    assert scores(small_course) == {"complete": 3, "padding": 1}
    page = small_course.root / "feedback" / "padding" / NAME / f"{NAME}.html"
    assert "Padding is averaged in" in page.read_text()


def test_formgraders_button_gives_the_same_scores(small_course):
    from nbgrader.apps.api import NbGraderAPI

    submit(
        small_course, "padding", answer(small_course, misconception(small_course, "counts_padding"))
    )
    classroom = Classroom(small_course)
    classroom.register(NAME)
    here = Path.cwd()
    os.chdir(small_course.root)
    try:
        api = NbGraderAPI(config=classroom.config())
        result = api.autograde(NAME, "padding", force=True, create=True)
    finally:
        os.chdir(here)
    assert result["success"], result["log"]
    assert scores(small_course) == {"padding": 1}


def test_run_all_goes_on_after_an_exercise_that_is_not_written(small_course):
    notebook = nbformat.read(small_course.notebook(NAME), as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    goes_on = ["raises-exception" in cell.metadata.get("tags", []) for cell in code]
    first = next(n for n, cell in enumerate(code) if "nbgrader" in cell.metadata)
    assert goes_on == [n >= first for n in range(len(code))]  # not after failing imports
    notebook.cells.append(nbformat.v4.new_code_cell("print('the end')"))
    NotebookClient(notebook, kernel_name="python3").execute()
    assert any(o.output_type == "error" for cell in code for o in cell.outputs)
    assert notebook.cells[-1].outputs[0].text == "the end\n"


def test_the_validate_button_accepts_right_and_explains_wrong(small_course, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "install")}
    recordings = tmp_path / "install" / "coursekit"
    shutil.copytree(
        ROOT / "coursekit", recordings, ignore=shutil.ignore_patterns("__pycache__", "*.json")
    )
    shutil.copy(ROOT / "coursekit" / "data" / "registry.json", recordings / "data")
    for path in small_course.recordings.glob("*.json"):
        shutil.copy(path, recordings / "recordings")

    notebooks = {
        "right": filled(Assignment(small_course, NAME)),
        "wrong": answer(small_course, misconception(small_course, "counts_padding")),
    }
    for name, notebook in notebooks.items():
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "validate", "right.ipynb", "wrong.ipynb"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    right, success, wrong = (done.stdout + done.stderr).partition(
        "Success! Your notebook passes all the tests."
    )
    assert success, done.stdout + done.stderr
    assert "Padding is averaged in" not in right
    assert "Padding is averaged in" in " ".join(wrong.split())


def class_of(course):
    """Submissions of every kind."""
    return {
        "partly": misconception(course, "divides_by_zero"),
        "padding": misconception(course, "counts_padding"),
        "right": filled(Assignment(course, NAME)),
        "unwritten": filled(Assignment(course, NAME), {EXERCISE: None}),
        "dies": body("import os; os._exit(1)"),
        "hangs": body("import time; time.sleep(10_000)"),
    }


def test_one_job_or_many_the_verdicts_are_the_same(small_course, graded):
    several = graded(class_of(small_course), jobs=3, cell_seconds=5)
    assert list(points(several).values()) == [0, 0, 1, 2, 3, 0]
    single = grade_class(small_course, NAME, options=Options(5, jobs=1, regrade=True))
    assert points(single) == points(several)
    for student in several.verdicts.keys() - {"hangs"}:  # a busy machine stops it elsewhere
        assert single.verdicts[student] == several.verdicts[student]


@pytest.mark.slow
def test_sandboxed_or_not_the_scores_are_the_same(small_course, graded):
    sandboxed = graded(class_of(small_course), cell_seconds=5)
    short = sorted(set(class_of(small_course)) - {"hangs"})
    # each kernel imports torch itself, which takes long on a busy machine
    options = Options(60, sandbox=False, regrade=True)
    without = grade_class(small_course, NAME, students=short, options=options)
    assert points(without) == {student: points(sandboxed)[student] for student in short}


def test_a_submission_that_is_right_runs_once_and_beside_the_gradebook(
    small_course, graded, monkeypatch
):
    where = []
    original = worker_pool.run_notebook

    def noted(*inputs):
        where.append(threading.current_thread())
        return original(*inputs)

    monkeypatch.setattr(worker_pool, "run_notebook", noted)
    notebook = filled(Assignment(small_course, NAME))
    without_check = filled(Assignment(small_course, NAME))
    without_check.cells = [c for c in without_check.cells if not c.source.startswith("check(")]
    graded({"whole": notebook, "repaired": without_check, "like_whole": notebook}, jobs=2)
    assert len(where) == 3
    assert threading.main_thread() not in where


def test_only_what_has_changed_is_graded_again(small_course, graded):
    first = graded(
        {
            "a": filled(Assignment(small_course, NAME)),
            "b": misconception(small_course, "counts_padding"),
        }
    )
    assert first.kept == []
    submit(small_course, "c", filled(Assignment(small_course, NAME)))
    second = grade_class(small_course, NAME)
    assert second.kept == ["a", "b"]
    assert {s: second.verdicts[s] for s in "ab"} == first.verdicts
    path = small_course.root / "submitted" / "b" / NAME / f"{NAME}.ipynb"
    nbformat.write(filled(Assignment(small_course, NAME)), path)
    third = grade_class(small_course, NAME)
    assert third.kept == ["a", "c"]
    assert scores(small_course) == {"a": 3, "b": 3, "c": 3}
    (small_course.root / "class_seed").write_text("2\n")
    assert grade_class(small_course, NAME).kept == []
    (small_course.root / "graded.json").write_text("{ damaged")
    assert grade_class(small_course, NAME).kept == []


def test_all_cells_runs_also_what_only_shows_something(small_course, graded):
    path = small_course.root / "autograded" / "a" / NAME / f"{NAME}.ipynb"
    first = graded({"a": filled(Assignment(small_course, NAME))})
    assert "Not run while grading" in path.read_text()
    second = grade_class(small_course, NAME, options=Options(all_cells=True))
    assert second.kept == []
    assert second.verdicts == first.verdicts
    assert "Not run while grading" not in path.read_text()


def test_a_broken_resubmission_replaces_the_old_score_and_page(small_course, graded):
    graded({"again": filled(Assignment(small_course, NAME))})
    write_feedback(small_course, NAME)
    assert scores(small_course) == {"again": 3}
    path = small_course.root / "submitted" / "again" / NAME / f"{NAME}.ipynb"
    path.write_text(path.read_text()[:400])
    grade_class(small_course, NAME)
    assert scores(small_course) == {"again": 0}
    (page,) = write_feedback(small_course, NAME)
    assert "cut off or damaged" in page.read_text()


def test_ctrl_c_stops_at_once_keeps_what_is_graded_and_leaves_no_kernel(small_course, tmp_path):
    tmp_path = tmp_path.parent / "t"  # short: sockets are made there
    tmp_path.mkdir()
    slow = filled(Assignment(small_course, NAME))
    slow.cells.insert(2, new_code_cell(sleeps := "import time\ntime.sleep(10_000)"))
    submit(small_course, "a_first", filled(Assignment(small_course, NAME)))
    submit(small_course, "b_slow", slow)
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", f"{TELLS_CELLS}\nfrom autograder.cli import main\nmain()"),
            *("grade", NAME, "--cell-seconds", "10000"),
        ],
        cwd=small_course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        # a shell that runs the tests in the background has them ignore ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    kept = small_course.root / "graded.json"
    assert wait_for(kept, process, lambda kept: kept.exists() and "a_first" in kept.read_text())
    assert wait_for_line(process.stdout, repr(sleeps))
    process.send_signal(signal.SIGINT)
    _, words = process.communicate()
    assert process.returncode == 1
    assert "stopped: 1 of 2 submissions are graded; run the command again" in words
    assert "Traceback" not in words
    assert list(tmp_path.glob("autograder-*")) == []
    wait_for_end(processes_of(tmp_path))  # a moment after the command
    kernels = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert str(tmp_path) not in kernels
    assert scores(small_course)["a_first"] == 3


def test_the_demo_works_for_an_assignment_with_one_exercise(small_course):
    from autograder.classroom.demo import demo_submissions

    assert len(demo_submissions(Assignment(small_course, NAME))) == 4


def test_of_a_class_with_many_unreadable_submissions_none_is_lost(small_course):
    unreadable = [f"s{number:02}" for number in range(15)]
    for student in unreadable:
        submit(small_course, student, "{ damaged")
    submit(small_course, "z_last", filled(Assignment(small_course, NAME)))
    graded = grade_class(small_course, NAME, options=Options(jobs=2))
    assert list(graded.verdicts) == [*unreadable, "z_last"]
    assert list(graded.unread) == unreadable
    assert scores(small_course) == {**dict.fromkeys(unreadable, 0), "z_last": 3}
