"""Verification: what it says of a small course, what is stale, and what bad input gets."""

import json
import multiprocessing

import pytest
from click.testing import CliRunner

from autograder.cli import main
from autograder.course import verified
from autograder.course.assignment import Assignment
from autograder.verify import measurements
from autograder.verify.rules import RULES, Subject, chosen_rules, thresholds
from autograder.verify.verify import verify_one

NAME = "07_topic"
EXERCISE = "average_topic"
#: Rules that start no other process and need no measurement.
QUICK = ("answer-styles", "right-answers", "wrong-answers", "headings", "times", "recording-format")


@pytest.fixture
def run(small_course, monkeypatch):
    """Runs the command in the small course; returns its exit status and what it says."""
    monkeypatch.chdir(small_course.root)

    def verify(*arguments):
        done = CliRunner().invoke(main, ["verify", *arguments])
        assert not done.exception or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.output

    return verify


def subject(course):
    return Subject(Assignment(course, NAME), thresholds(course))


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_rules_that_are_named_are_checked_and_no_others(run):
    status, said = run(NAME, *(word for rule in QUICK for word in ("--rule", rule)))
    assert (status, said) == (0, f"{NAME}: {len(QUICK)} rules hold\n")


def test_a_rule_that_does_not_exist_is_a_sentence_that_names_the_nearest(run):
    status, said = run("--rule", "right-answer")
    assert status == 1
    assert said == "autograder: there is no rule called right-answer; did you mean right-answers?\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "compared-cell = 2",
            "sets compared-cell, which no rule has; did you mean compared-cells?",
        ),
        ('compared-cells = "two"', "compared-cells in [tool.autograder.verify] must be a number"),
    ],
)
def test_a_threshold_that_no_rule_has_or_that_is_no_number_is_a_sentence(
    run, small_course, line, message
):
    path = small_course.root / "pyproject.toml"
    path.write_text(f"{path.read_text()}\n[tool.autograder.verify]\n{line}\n")
    status, said = run("--rule", "stored-outputs")
    assert status == 1
    assert message in said


def test_a_course_sets_thresholds_in_its_configuration(run, small_course):
    path = small_course.root / "pyproject.toml"
    path.write_text(
        f"{path.read_text()}\n[tool.autograder.verify]\nright-answers-per-exercise = 50\n"
    )
    status, said = run("--rule", "answer-styles")
    assert status == 1
    assert f"{NAME}, answer-styles: {EXERCISE} has 5 right answers" in said
    assert "write 50" in said


def test_what_is_stale_is_said_first_with_the_command_that_mends_it(run, small_course):
    edit(small_course.cases(NAME) / f"{EXERCISE}.py", "one text with one word", "one word")
    status, said = run("--rule", "headings", "--rule", "released", "--rule", "audit")
    assert status == 1
    first, second, last = said.splitlines()
    stale = {
        f"stale, and not judged: released of {NAME}; run `autograder release {NAME}`",
        f"stale, and not judged: audit of {NAME}; run `autograder verify {NAME} --measure`",
    }
    assert {first, second} == stale
    assert last == f"{NAME}: 1 rule holds, 2 stale"


def test_measuring_stores_the_results_once_and_measures_only_what_has_changed(
    run, small_course, monkeypatch
):
    path = small_course.root / "pyproject.toml"
    path.write_text(f"{path.read_text()}\n[tool.autograder.verify]\nanswer-seeds = 2\n")
    rules = ("--rule", "answer-seeds", "--rule", "error-carried-forward")
    assert run(NAME, "--measure", *rules)[0] == 0
    stored = json.loads((small_course.cases(NAME) / verified.FILE).read_text())
    assert list(stored) == ["released", "answers", "error_carried_forward"]
    assert stored["answers"]["exercises"][EXERCISE]["seeds"] == 2
    assert stored["error_carried_forward"]["points lost elsewhere, right helpers"] == []

    monkeypatch.setattr(measurements, "judged", None)  # nothing is judged again
    assert run(NAME, "--measure", *rules)[0] == 0
    monkeypatch.undo()
    monkeypatch.chdir(small_course.root)
    right = small_course.cases(NAME) / "answers" / "right.py"
    edit(right, "result.append(", "result.append(1 * ")
    assert measurements.stale_answers(subject(small_course)) == [EXERCISE]
    status, said = run(NAME, "--rule", "answer-seeds")
    assert (status, "autograder verify 07_topic --measure" in said) == (1, True)


def test_an_answer_that_some_class_seed_lets_through_is_a_problem(small_course):
    made = subject(small_course)
    right, (*_, wrong) = measurements.both_kinds(made.assignment)
    lucky = type(wrong)(
        EXERCISE, "the reference", "", made.assignment.solution.bare_sources[EXERCISE]
    )
    found = measurements.judged(made.assignment, EXERCISE, right, [wrong, lucky], 1)
    assert found["lost"] == []
    assert [one.partition(",")[0] for one in found["lucky"]] == ["the reference"] * 2


@pytest.mark.parametrize(
    ("rule", "file", "old", "new", "problem"),
    [
        ("times", "solution", "about 5 minutes", "about 50 minutes", "take 50 minutes together"),
        ("times", "solution", "*about 5 minutes · easy*", "", "average_topic: write *about N min"),
        ("headings", "solution", "## 1. Averaging", "#### 1. Averaging", "is of level 4 below one"),
        ("stored-outputs", "solution", "[nbval-check", "[nbval-chek", "tag nbval-check-output"),
        ("wrong-answers", "wrong", "| divides_by_zero", "| ignores_mask", "not ignores_mask"),
        ("right-answers", "right", ".sum(dim=1) /", ".sum(dim=1) + 1 /", "zeros outside the mask"),
    ],
)
def test_a_broken_rule_says_where_and_what_to_do(small_course, rule, file, old, new, problem):
    path = {
        "solution": small_course.solution(NAME),
        "wrong": small_course.cases(NAME) / "answers" / "wrong.py",
        "right": small_course.cases(NAME) / "answers" / "right.py",
    }[file]
    if old.startswith("[nbval"):
        old, new = "nbval-check-output", "nbval-chek-output"
    edit(path, old, new)
    found = verify_one(small_course, NAME, [rule], thresholds(small_course), "")
    assert any(problem in one for one in found.problems[rule]), found


def test_a_half_written_assignment_is_problems_of_its_rules_and_nothing_is_written(
    run, small_course
):
    (small_course.cases(NAME) / f"{EXERCISE}.py").write_text("POINTS = {", "utf-8")
    before = {path: path.read_bytes() for path in small_course.root.rglob("*") if path.is_file()}
    status, said = run(NAME, "--rule", "answer-styles", "--rule", "headings")
    assert status == 1
    assert f"{NAME}, answer-styles: 07_topic/average_topic.py cannot be loaded: SyntaxError" in said
    assert "1 rule holds, 1 broken" in said
    after = {path: path.read_bytes() for path in small_course.root.rglob("*") if path.is_file()}
    assert {path: text for path, text in after.items() if "__pycache__" not in str(path)} == {
        path: text for path, text in before.items() if "__pycache__" not in str(path)
    }


def test_a_damaged_file_of_results_is_measured_again_and_never_a_traceback(run, small_course):
    (small_course.cases(NAME) / verified.FILE).write_text("<<<<<<< HEAD", "utf-8")
    status, said = run(NAME, "--rule", "answer-seeds", "--rule", "released")
    assert status == 1
    assert "run `autograder release 07_topic`" in said


def store(root, section, ready, go):
    from autograder.course.layout import Course

    ready.set()
    go.wait()
    for number in range(50):
        verified.update(Course(root), NAME, lambda stored, n=number: stored.update({section: n}))


def test_two_processes_that_store_different_results_lose_none(small_course):
    context = multiprocessing.get_context("spawn")
    go = context.Event()
    sections = ("answers", "audit")
    started = []
    for section in sections:
        ready = context.Event()
        process = context.Process(target=store, args=(small_course.root, section, ready, go))
        process.start()
        started.append((process, ready))
    for _, ready in started:
        ready.wait()
    go.set()
    for process, _ in started:
        process.join()
        assert process.exitcode == 0
    stored = verified.read(small_course, NAME)
    assert [stored[section] for section in sections] == [49, 49]


def test_a_second_measurement_of_one_assignment_is_refused_in_a_sentence(run, small_course):
    with verified.sole_measurement(small_course, NAME):
        status, said = run(NAME, "--measure", "--rule", "answer-seeds")
    assert status == 1
    assert "is being measured by another" in said
    assert "answers" not in verified.read(small_course, NAME)


def test_every_rule_has_a_sentence_and_a_threshold_belongs_to_one_rule():
    names = [name for rule in RULES.values() for name in rule.thresholds]
    assert len(names) == len(set(names))
    for rule in chosen_rules(()):
        assert rule.sentence.endswith("."), rule.name
        assert "Require" not in rule.sentence


@pytest.fixture
def own_course(tmp_path):
    """A course of another subject, as `autograder init` makes it, with a new assignment."""
    folder = tmp_path / "gentle_statistics"
    runner = CliRunner()
    assert runner.invoke(main, ["init", str(folder)]).exit_code == 0
    return folder


def test_a_new_assignment_of_a_new_course_verifies_untouched(own_course, monkeypatch):
    monkeypatch.chdir(own_course)
    runner = CliRunner()
    made = runner.invoke(main, ["new", "97_trial"])
    assert made.exit_code == 0, made.output
    last = made.output.splitlines()[-1]
    assert last.startswith("97_trial: ")
    assert "broken" not in last
    assert "stale" not in last
    again = runner.invoke(main, ["verify", "97"])
    assert (again.exit_code, again.output.splitlines()[-1]) == (0, last)


def test_a_rule_that_is_owed_is_named_and_does_not_fail_until_it_is_measured(run, small_course):
    path = small_course.root / "pyproject.toml"
    path.write_text(f"{path.read_text()}\n[tool.autograder.verify]\nanswer-seeds = 1\n")
    verified.update(small_course, NAME, lambda stored: stored.update(owed=["answer-seeds"]))
    status, said = run(NAME, "--rule", "answer-seeds")
    command = f"autograder verify {NAME} --measure"
    assert (status, said.splitlines()[0]) == (0, f"{NAME}: answer-seeds is owed: `{command}`")
    assert run(NAME, "--measure", "--rule", "answer-seeds")[0] == 0
    assert verified.owed(small_course, NAME) == []

    verified.update(small_course, NAME, lambda stored: stored.update(owed=["answer-seeds"]))
    status, said = run(NAME, "--rule", "answer-seeds")
    assert status == 1
    assert "it is owed no longer" in said
