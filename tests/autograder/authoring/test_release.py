"""Releasing: what is generated, what is proved, and what an author is told."""

import base64
import functools
import json
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from manually_graded import manually_graded

from autograder.authoring import proofs, release_digest
from autograder.authoring.execute import execute_solution
from autograder.authoring.lookup_tables import prove_groups_vary
from autograder.authoring.new_assignment import new_assignment
from autograder.authoring.notebook_consistency import prove_consistent
from autograder.authoring.release import release
from autograder.authoring.stored_outputs import mark_executed
from autograder.course.assignment import Assignment
from autograder.course.reference import read
from autograder.errors import CourseError

NAME = "07_topic"


def edit_cell(course, old, new, count=1):
    """Replace text in the cell of the solution notebook that holds it."""
    path = course.solution(NAME)
    notebook = read(path)
    cell = next(cell for cell in notebook.cells if old in cell.source)
    cell.source = cell.source.replace(old, new, count)
    nbformat.write(notebook, path)


def edit_module(course, old, new):
    path = course.cases(NAME) / "average_topic.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def refusal(course):
    with pytest.raises(CourseError) as caught:
        release(course, [NAME])
    return str(caught.value)


def test_a_second_release_changes_nothing(small_course):
    report = release(small_course, [NAME])
    assert report.written == []
    assert release(small_course, [NAME], check=True).stale == []


def test_the_student_notebook_says_in_words_what_is_missing(small_course):
    sources = [cell.source for cell in read(small_course.notebook(NAME)).cells]
    stub = next(source for source in sources if source.startswith("def average_topic"))
    assert 'raise NotImplementedError("the average over real positions only")' in stub
    assert "clamp" not in "".join(sources)


def test_an_edit_listed_as_equivalent_must_apply_and_pass(small_course):
    listed = "{'a reason': '''\n- count = mask.sum(dim=1)\n+ count = mask.sum(dim=-1)\n'''}"
    edit_module(small_course, "RIGHT = ", f"EQUIVALENT = {listed}\n\nRIGHT = ")
    module = small_course.cases(NAME) / "average_topic.py"
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(module)], check=True)
    release(small_course, [NAME])
    edit_module(small_course, "sum(dim=-1)", "sum(dim=0)")
    assert "an edit in EQUIVALENT (a reason) loses points" in refusal(small_course)
    edit_module(small_course, "\n- count", "\n- counts")
    assert "a reason: `counts = mask.sum(dim=1)` is not in the solution" in refusal(small_course)


def test_what_an_exercise_forbids_is_named_in_its_stub_and_refused_if_the_solution_uses_it(
    small_course,
):
    edit_module(small_course, "WRONG = ", 'FORBIDDEN = ("coursekit.text.pad",)\n\nWRONG = ')
    assert "'coursekit.text.pad', but only coursekit." in refusal(small_course)
    edit_module(small_course, "coursekit.text.pad", "coursekit.text.pad_batch")
    release(small_course, [NAME])
    sources = "".join(cell.source for cell in read(small_course.notebook(NAME)).cells)
    assert "# TODO: your code, without coursekit.text.pad_batch" in sources
    edit_cell(
        small_course,
        "    ### BEGIN SOLUTION",
        "    from coursekit import pad_batch as pad\n    pad([[1]])\n    ### BEGIN SOLUTION",
    )
    assert "coursekit.text.pad_batch may not be used in this exercise" in refusal(small_course)


def test_a_changed_text_makes_the_generated_files_stale_and_names_them(small_course):
    edit_cell(small_course, "What came out", "What you saw")
    stale = release(small_course, [NAME], check=True).stale
    assert stale == [f"notebooks/{NAME}/{NAME}.ipynb"]


def test_a_changed_case_makes_the_recording_stale(small_course):
    edit_module(small_course, "((2, 4), (3, 5))", "((2, 4), (4, 5))")
    stale = release(small_course, [NAME], check=True).stale
    assert stale == [f"coursekit/recordings/{NAME}.json"]


def test_changed_points_are_stamped_into_both_notebooks(small_course):
    edit_module(small_course, '"values": 2', '"values": 4')
    written = release(small_course, [NAME]).written
    assert f"solutions/{NAME}/{NAME}.ipynb" in written
    for path in (small_course.solution(NAME), small_course.notebook(NAME)):
        marks = [c.metadata.get("nbgrader", {}) for c in read(path).cells]
        assert [m["points"] for m in marks if m.get("grade")] == [5]


def test_last_digits_that_differ_between_machines_do_not_make_a_recording_stale(small_course):
    path = small_course.recordings / f"{NAME}.json"
    recording = json.loads(path.read_text())
    case = recording["exercises"]["average_topic"]["cases"][0]
    from coursekit.checking import codec

    tensor = codec.decode(case["expected"]["value"])
    case["expected"]["value"] = codec.encode(tensor * (1 + 1e-6))
    path.write_text(json.dumps(recording))
    assert release(small_course, [NAME], check=True).stale == ["exercises/07_topic/verified.json"]
    case["expected"]["value"] = codec.encode(tensor * 1.1)
    path.write_text(json.dumps(recording))
    stale = release(small_course, [NAME], check=True).stale
    assert stale == [f"coursekit/recordings/{NAME}.json"]


def test_a_damaged_recording_is_simply_stale(small_course):
    path = small_course.recordings / f"{NAME}.json"
    path.write_text(path.read_text()[:200])
    assert release(small_course, [NAME], check=True).stale == [f"coursekit/recordings/{NAME}.json"]
    release(small_course, [NAME])
    assert json.loads(path.read_text())["revision"] == 2  # newer than what students have


def test_a_solution_notebook_without_a_check_is_refused(small_course):
    edit_cell(small_course, "check(average_topic)", "average_topic")
    assert "average_topic has no check; add a cell with check(average_topic)" in refusal(
        small_course
    )


def test_a_check_without_cases_and_a_second_check_are_refused(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    notebook.cells.append(nbformat.v4.new_code_cell("check(average_topic)"))
    nbformat.write(notebook, path)
    assert "checks average_topic a second time" in refusal(small_course)
    notebook.cells[-1].source = "check(averaging)"
    nbformat.write(notebook, path)
    assert "checks averaging, which has no cases" in refusal(small_course)


def test_an_exercise_defined_twice_is_refused(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    cell = next(c for c in notebook.cells if c.source.startswith("def average_topic"))
    notebook.cells.append(nbformat.v4.new_code_cell(cell.source))
    nbformat.write(notebook, path)
    assert "defines average_topic again" in refusal(small_course)


def test_an_exercise_name_used_by_two_assignments_is_refused(small_course):
    new_assignment(small_course, "08_other")
    path = small_course.cases("08_other") / "average_other.py"
    path.rename(path.with_name("average_topic.py"))
    assert "07_topic and 08_other both have an exercise called average_topic" in refusal(
        small_course
    )


def test_a_reference_that_fails_its_own_check_is_refused(small_course):
    edit_cell(small_course, "mask.sum(dim=1)", "mask.sum(dim=5)")
    assert "the reference of average_topic fails its own check" in refusal(small_course)


def test_a_reference_that_depends_on_chance_is_refused(small_course):
    edit_cell(small_course, "    total =", "    import os\n    total = os.urandom(1)[0] +")
    assert "Is it random" in refusal(small_course)


def test_a_reference_that_changes_its_input_is_refused(small_course):
    edit_cell(small_course, "    total =", "    scores += 1\n    total =")
    assert "changes its input scores in place" in refusal(small_course)


def test_a_student_notebook_that_earns_points_as_released_is_refused(small_course):
    given = (
        "    if len(scores) == 2 and not mask.any(dim=1).all():\n"
        "        return (scores * mask).sum(dim=1) / 4\n    ### BEGIN"
    )
    edit_cell(small_course, "    ### BEGIN", given)
    both = "[torch.cat([scores, scores]), torch.cat([mask, mask])]"
    case = '    yield Case("empty"'
    edit_module(small_course, case, f'    yield Case("values", {both})\n{case}')
    assert "should fail with 'not written yet'" in refusal(small_course)


def test_a_solution_repeated_in_another_cell_is_found(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    notebook.cells.append(nbformat.v4.new_markdown_cell("As in\ncount = mask.sum(dim=1)"))
    nbformat.write(notebook, path)
    assert "still contains solution text" in refusal(small_course)


def test_a_misconception_that_passes_every_case_is_refused(small_course):
    edit_module(
        small_course,
        "return scores.mean(dim=1)",
        "return _mean(scores, mask)\n\n        def _mean(scores, mask): return (scores * mask).sum(1) / mask.sum(1).clamp(min=1)",
    )
    assert "ignores_mask passes every case" in refusal(small_course)


def test_two_misconceptions_that_look_alike_are_refused(small_course):
    edit_module(small_course, "return scores.mean(dim=1)", "return (scores * mask).mean(dim=1)")
    assert "add a case that distinguishes the two" in refusal(small_course)


def test_a_correct_alternative_that_loses_points_is_refused(small_course):
    edit_module(small_course, "weights.sum(1).clamp(min=1)", "weights.sum(1)")
    assert "the alternative einsum in RIGHT loses points" in refusal(small_course)


def test_cases_that_no_seed_changes_are_refused(small_course):
    edit_module(
        small_course,
        "scores = torch.from_numpy(rng.normal(size=(2, 4)).astype(np.float32))",
        "scores = torch.ones(2, 4)",
    )
    assert "group empty are the same for every seed" in refusal(small_course)


def test_a_group_that_can_be_guessed_is_refused(small_course):
    always_zero = "torch.tensor([[False] * 4, [False] * 4])"
    edit_module(small_course, "torch.tensor([[False] * 4, [True] * 4])", always_zero)
    message = refusal(small_course)
    assert "repeating the answers of another seed earns the points of group empty" in message


def outcome(value):
    return {"status": "value", "value": value}


@pytest.mark.parametrize(
    ("arguments", "answers", "guess"),
    [([[2], [3]], [7, 7], "one answer"), ([[2, 5], [3, 6]], [5, 6], "returning input 2")],
)
def test_a_group_that_one_answer_or_an_input_passes_is_refused(arguments, answers, guess):
    cases = [
        {"group": "values", "args": given, "expected": outcome(answer)}
        for given, answer in zip(arguments, answers)
    ]
    fresh = {"f": {"name": "f", "groups": {"values": 1}, "cases": cases}}
    known = [{**case, "expected": outcome(value)} for case, value in zip(cases, (0, 7))]
    other = {"f": {**fresh["f"], "cases": known}}
    with pytest.raises(CourseError, match=f"{guess}.* earns the points of group values"):
        prove_groups_vary(other, fresh)


def test_a_group_that_the_answer_to_a_similar_case_passes_is_refused():
    def exercise(*pairs):
        cases = [{"group": "values", "args": [n], "expected": outcome(a)} for n, a in pairs]
        return {"f": {"name": "f", "groups": {"values": 1}, "cases": cases}}

    known = exercise((1, 0), (90, 8), (95, 5))
    with pytest.raises(CourseError, match=r"most similar case .* the points of group values"):
        prove_groups_vary(known, exercise((89, 8), (2, 0), (95, 5)))
    prove_groups_vary(known, exercise((89, 8), (2, 0), (95, 6)))


def test_a_notebook_that_is_damaged_or_not_python_is_named(small_course):
    path = small_course.solution(NAME)
    good = path.read_text()
    edit_cell(small_course, "def average_topic(", "def average_topic(((")
    assert "is not Python" in refusal(small_course)
    path.write_text(good[:300])
    assert f"{NAME}.ipynb cannot be read as a notebook" in refusal(small_course)


def test_a_missing_badge_and_a_missing_setup_cell_are_named(small_course):
    edit_cell(small_course, "# Set-up.", "# Start.")
    assert "begin one with # Set-up" in refusal(small_course)
    edit_cell(small_course, "[![Open in Colab]", "[Colab]")
    assert "[![Open in Colab]" in refusal(small_course)


def test_solution_marks_above_the_definition_are_refused(small_course):
    edit_cell(small_course, "    ### BEGIN SOLUTION: the average over real positions only\n", "")
    edit_cell(small_course, "def average_topic", "### BEGIN SOLUTION: all\ndef average_topic")
    assert "the solution block must be inside average_topic" in refusal(small_course)


def test_a_solution_block_without_words_or_without_an_end_is_refused(small_course):
    edit_cell(small_course, "SOLUTION: the average over real positions only", "SOLUTION")
    assert "say after `### BEGIN SOLUTION:` what students should write" in refusal(small_course)
    edit_cell(small_course, "### BEGIN SOLUTION", "### BEGIN SOLUTION: the average")
    edit_cell(small_course, "    ### END SOLUTION", "")
    assert "close the solution block" in refusal(small_course)


def test_a_new_assignment_has_the_cells_that_nbval_compares_once_it_was_executed(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    tagged = [c for c in notebook.cells if "nbval-check-output" in c.metadata.get("tags", [])]
    for cell in tagged:
        cell.outputs = [nbformat.v4.new_output("stream", text="3\n")]
    mark_executed(notebook)
    nbformat.write(notebook, path)
    release(small_course, [NAME])
    tagged[0].metadata["tags"] = []
    nbformat.write(notebook, path)
    assert "to at least 3 cells with deterministic output" in refusal(small_course)


def test_a_notebook_can_be_executed_before_its_first_release(small_course):
    new_assignment(small_course, "08_other")
    execute_solution(small_course, "08_other")
    assert release(small_course, ["08_other"]).drafts == []


def test_outputs_of_other_code_are_refused_until_the_notebook_is_executed(small_course):
    """What a cell shows, which no release runs, cannot be left over from an earlier exercise."""
    assert release(small_course, [NAME]).drafts == [NAME]
    execute_solution(small_course, NAME)
    assert release(small_course, [NAME]).drafts == []
    assert "executed" not in small_course.notebook(NAME).read_text()
    edit_cell(small_course, "scores.mean(dim=1)", "# in words\n\nscores.mean(dim=1)")
    release(small_course, [NAME])  # a comment is no other code
    before = small_course.solution(NAME).read_text()
    edit_cell(small_course, "scores.mean(dim=1)", "scores.mean(dim=int('axis'))")
    assert refusal(small_course) == (
        "07_topic: its outputs were stored for other code; run `autograder execute 07_topic`."
    )
    with pytest.raises(CourseError) as caught:
        execute_solution(small_course, NAME)
    number = 1 + next(
        n for n, cell in enumerate(read(small_course.solution(NAME)).cells) if "axis" in cell.source
    )
    assert str(caught.value) == (
        f"07_topic, cell {number} (`scores.mean(dim=int('axis'))`): ValueError: invalid literal for"
        " int() with base 10: 'axis'"
    )
    assert small_course.solution(NAME).read_text() == before.replace(
        '(dim=1)"', "(dim=int('axis'))\""
    )


def test_a_reference_that_returns_an_object_is_refused(small_course):
    edit_cell(small_course, "return total / count.clamp(min=1)", "return torch.nn.Linear(2, 2)")
    assert "returns a value that cannot be serialized" in refusal(small_course)


def test_the_public_address_stands_in_one_place(course, small_course):
    path = small_course.root / "pyproject.toml"
    text = path.read_text()
    address = re.search(r'Students = "(.*)"', text)[1]
    assert address not in re.sub(r"\[project\.urls\].*?\n\n", "", text, flags=re.DOTALL)
    path.write_text(text.replace(address, "https://github.com/elsewhere/lectures"))
    release(small_course, [NAME])
    student = small_course.notebook(NAME).read_text()
    assert "colab.research.google.com/github/elsewhere/lectures/blob/main/notebooks" in student
    assert student.count("github.com/elsewhere/lectures/") == 1  # the wheel
    assert address.removeprefix("https://github.com/") not in student
    own = [p for p in course.root.rglob("*.py") if ".venv" not in p.parts]
    assert [p.name for p in own if address in p.read_text() and p.name != "conftest.py"] == []


def test_a_new_assignment_refuses_bad_and_taken_names(small_course):
    for name in ("topic", "7_topic", "07_Topic", "07 topic"):
        with pytest.raises(CourseError, match="is not an assignment name"):
            new_assignment(small_course, name)
    with pytest.raises(CourseError, match="already exists"):
        new_assignment(small_course, NAME)
    with pytest.raises(CourseError, match="the number 07 is taken"):
        new_assignment(small_course, "07_another")


def test_adding_an_assignment_touches_nothing_of_the_others(small_course):
    before = {p: p.read_bytes() for p in small_course.root.rglob("*") if p.is_file()}
    new_assignment(small_course, "08_other")
    release(small_course, ["08_other"])
    changed = [p.name for p, data in before.items() if p.read_bytes() != data]
    assert changed == ["index.json"]
    assert "average_other" in Assignment(small_course, "08_other").exercises


def test_an_assignment_without_its_module_says_where_to_write_it(small_course):
    shutil.rmtree(small_course.cases(NAME))
    with pytest.raises(CourseError, match=r"write exercises/07_topic/EXERCISE\.py"):
        release(small_course, [NAME])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'POINTS = {"values": 2, "empty": 1}',
            "POINTS = 3",
            "POINTS must give each group a number",
        ),
        ('"empty": 1}', '"empty": -2}', "above 0"),
        ('"ignores_mask": """', '"counts_padding": """', "F601"),
        ("RIGHT = {", "RIGHTS = {", "average_topic.py defines no RIGHT"),
        (
            "        The mask is not used at all: positions where it is False must not count.\n\n",
            "",
            "write the hint, a blank line, then the edit",
        ),
        (
            "        The mask is not used at all: positions where it is False must not count.\n",
            "        Padding is averaged in: divide by the number of real positions, not by the"
            " length.\n",
            "the same hint twice",
        ),
        (
            "def average_topic(scores, mask):\n            return scores",
            "def average_topic(scores):\n            return scores",
            "ignores_mask only raises (TypeError): a typo",
        ),
        ("must not count.\n", "must not count.\n\n        raises KeyError\n", "but gives a value"),
        ("return scores.mean(dim=1)", "return scores.mean(dim=", "ignores_mask cannot be run"),
        (
            "def average_topic(scores, mask):\n            return sc",
            "def mean(scores, mask):\n            return sc",
            "does not define",
        ),
        (
            "- return total / count",
            "- return sums / count",
            "`return sums / count.clamp(min=1)` is not",
        ),
        (
            "- return total",
            "+ x = 1\n\n        ...\n        - return total",
            "needs a context line",
        ),
        ('RIGHT = {\n    "loop"', 'RIGHT = {}\nREST = {\n    "loop"', "has 0 alternatives"),
        (
            'Case("empty", [scores, mask]',
            'Case("empty", [print, mask]',
            "pass a function as Source",
        ),
        ('title="a text without words"', 'judge={"rtoll": 1}', "has no rule 'rtoll'"),
        (
            'title="a text without words"',
            'judge={"kind": "acuracy"}',
            "there is no judge 'acuracy'",
        ),
        (
            'title="a text without words"',
            'judge={"kind": "accuracy", "labels": [1]}',
            "needs the rule 'at_least'",
        ),
        ('title="a text without words"', 'judge={"rtol": rng}', "rules must be numbers"),
        ('yield Case("empty"', 'int("x")\n    yield Case("empty"', "average_topic.py, line"),
        ("rng.normal(size=(2, 4))", "rng.normal(size=(2, 400_000))", "use smaller inputs"),
        (
            "rng.normal(size=(2, 4))",
            "np.random.normal(size=(2, 4))",
            "draw random numbers only from rng",
        ),
        (
            '"empty": 1}',
            '"blank": 1}',
            "blank has points but no case, empty has cases but no points",
        ),
        ("import numpy as np", "import numpy as np, os", "does not pass ruff"),
    ],
)
def test_a_slip_in_the_module_of_cases_is_named(small_course, old, new, words):
    edit_module(small_course, old, new)
    assert words in refusal(small_course)


def test_an_edit_that_no_longer_applies_names_the_nearest_line(small_course):
    edit_cell(small_course, "count = mask.sum(dim=1)", "count = mask.long().sum(dim=1)")
    words = refusal(small_course)
    assert (
        "average_topic, counts_padding: `count = mask.sum(dim=1)` is not in the solution" in words
    )
    assert "(closest match: `count = mask.long().sum(dim=1)`)" in words


def test_a_copy_of_the_solution_with_one_change_must_be_written_as_an_edit():
    reference = "def f(x):\n    a = x + 1\n    b = a * 2\n    c = b - 3\n    return c\n"
    proofs._refuse_near_copy("f", "other", "def f(x):\n    return 2 * x - 1\n", reference)
    with pytest.raises(CourseError, match=r"f, slip: .* write it as an edit"):
        proofs._refuse_near_copy("f", "slip", reference.replace("* 2", "* 3"), reference)


def test_an_exercise_that_needs_a_cell_which_only_shows_is_refused(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    notebook.cells.insert(2, nbformat.v4.new_code_cell("LEAST = 1"))
    nbformat.write(notebook, path)
    edit_cell(small_course, "count.clamp(min=1)", 'count.clamp(min=globals()["LEAST"])')
    edit_module(small_course, "count.clamp(min=1)", 'count.clamp(min=globals()["LEAST"])')
    assert "needs a cell that grading skips" in refusal(small_course)
    notebook = read(path)
    notebook.cells[2].metadata["tags"] = ["grading"]
    nbformat.write(notebook, path)
    release(small_course, [NAME])


def test_a_misspelled_definition_names_the_nearest_exercise(small_course):
    edit_cell(small_course, "def average_topic(", "def averge_topic(")
    assert "averge_topic, which it defines, has no cases" in refusal(small_course)
    assert "did you mean average_topic?" in refusal(small_course)


def test_cells_may_use_what_jupyter_understands_beyond_python(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    for source in ("files = !ls", "print?", "%%bash\nls | head", "%matplotlib inline"):
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    nbformat.write(notebook, path)
    release(small_course, [NAME])


def test_a_text_cell_may_carry_points_that_a_person_gives(small_course):
    path = small_course.solution(NAME)
    notebook = read(path)
    answer = "### BEGIN SOLUTION\nPadding is silent.\n### END SOLUTION"
    cell = manually_graded(nbformat.v4.new_markdown_cell(answer), "explain", 2)
    notebook.cells.append(cell)
    nbformat.write(notebook, path)
    release(small_course, [NAME])
    student = read(small_course.notebook(NAME)).cells[-1]
    assert student.source == "*Your answer, in a few sentences.*"
    assert student.metadata.nbgrader.points == 2


def takes_over(course, *cells):
    """A second assignment, 08_other, whose notebook has these cells before its exercise."""
    new_assignment(course, "08_other")
    path = course.solution("08_other")
    notebook = read(path)
    notebook.cells[3:3] = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, path)


def test_an_assignment_takes_over_what_students_wrote_in_an_earlier_one(small_course):
    takes_over(small_course, "# From assignment 07: average_topic", "check(average_topic)")
    release(small_course, ["08_other"])
    assert release(small_course, ["08_other"], check=True).stale == []
    solution = read(small_course.solution("08_other"))
    ours = next(cell.source for cell in solution.cells if "# From assignment" in cell.source)
    assert "clamp(min=1)" in ours
    student = read(small_course.notebook("08_other"))
    text = "\n".join(cell.source for cell in student.cells)
    assert "clamp" not in text
    assert "paste your average_topic of assignment 07 here" in text
    again = next(cell for cell in student.cells if cell.source == "check(average_topic)")
    assert "points" not in again.metadata.get("nbgrader", {})


def test_what_is_taken_over_follows_a_change_in_the_earlier_assignment(small_course):
    takes_over(small_course, "# From assignment 07: average_topic")
    release(small_course, ["08_other"])
    edit_cell(small_course, "total / count.clamp(min=1)", "(total) / count.clamp(min=1)")
    stale = release(small_course, ["08_other"], check=True).stale
    assert stale == ["solutions/08_other/08_other.ipynb"]


def test_of_an_earlier_assignment_only_what_is_pasted_has_to_be_proved_again(small_course):
    takes_over(small_course, "# From assignment 07: average_topic")
    release(small_course, ["08_other"])
    edit_module(small_course, "(2, 4), (3, 5)", "(2, 4), (3, 6)")
    edit_cell(small_course, "# Set-up", "# Set-up, once")
    release(small_course, [NAME])
    assert release(small_course, ["08_other"]).unchanged == ["08_other"]
    assert release_digest.pasted_since(small_course, [NAME]) == []
    line = "return total / count.clamp(min=1)"
    edit_cell(small_course, line, f"# never 0\n    {line}")
    release(small_course, [NAME])
    assert release_digest.pasted_since(small_course, [NAME]) == ["08_other"]
    assert release(small_course, ["08_other"]).unchanged == []
    assert release_digest.pasted_since(small_course, [NAME]) == []


@pytest.mark.parametrize(
    "shown", [{"image/png": "iVBORw0KGgo="}, {"text/html": '<img src="data:image/png,">'}]
)
def test_a_cell_whose_outputs_are_compared_shows_no_figure(small_course, shown):
    path = small_course.solution(NAME)
    notebook = read(path)
    cell = next(c for c in notebook.cells if "nbval-check-output" in c.metadata.get("tags", []))
    cell.outputs = [nbformat.v4.new_output("display_data", shown)]
    mark_executed(notebook)
    nbformat.write(notebook, path)
    assert "print what is compared in a cell of its own" in refusal(small_course)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("# From assignment 03: average_topic", "assignment 03, which does not exist"),
        ("# From assignment 07: middle_topic", "middle_topic, which 07_topic does not define"),
    ],
)
def test_what_cannot_be_taken_over_is_named(small_course, line, words):
    takes_over(small_course, line)
    with pytest.raises(CourseError, match=words):
        release(small_course, ["08_other"])


QUESTION = "**Question 1 (2 points, graded by hand).** Why is padding left out?"
ANSWER = """### BEGIN SOLUTION: question_padding
Since it is no word. **Marking guide**: 1 point for each half of the reason.
### END SOLUTION"""


def with_text_cells(course, *sources):
    path = course.solution(NAME)
    notebook = read(path)
    notebook.cells += [nbformat.v4.new_markdown_cell(source) for source in sources]
    nbformat.write(notebook, path)


def test_a_question_becomes_an_answer_graded_by_hand_without_its_marking_guide(small_course):
    with_text_cells(small_course, QUESTION, ANSWER)
    release(small_course, [NAME])
    assert release(small_course, [NAME], check=True).stale == []
    question, answer = read(small_course.notebook(NAME)).cells[-2:]
    assert question.source == QUESTION
    assert answer.source == "*Your answer, in a few sentences.*"
    assert answer.id == "question_padding"
    metadata = answer.metadata.nbgrader
    assert (metadata.grade_id, metadata.points) == ("question_padding", 2)
    assert (metadata.grade, metadata.solution, metadata.locked) == (True, True, False)


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        ("Why?", ANSWER, "answers a question: begin the text cell above it"),
        (QUESTION, ANSWER.replace("Marking guide", "Guide"), "write the model answer and"),
        (QUESTION, ANSWER.replace("### END SOLUTION", ""), "then `### END SOLUTION`"),
    ],
)
def test_an_incomplete_question_is_refused(small_course, question, answer, words):
    with_text_cells(small_course, question, answer)
    assert words in refusal(small_course)


DRAWING = """
from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas({width}, 120)
    tokens = canvas.box(10, 40, 90, 40, "{text}")
    vectors = canvas.grid(200, 40, 2, 5, fill="green")
    total = canvas.circle(320, 60, 12, "+")
    canvas.arrow(tokens.right, vectors.left, "look up")
    canvas.line(vectors.right, (300, 60), total.left, head=True)
    return canvas
"""


def with_drawing(
    course, width=400, text="tokens", show="![Tokens, [SEP] last](attachment:lookup.png)"
):
    folder = course.drawings(NAME)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lookup.py").write_text(DRAWING.format(width=width, text=text))
    with_text_cells(course, show)


def test_a_drawing_is_attached_and_drawn_again_only_when_it_changes(small_course):
    with_drawing(small_course)
    release(small_course, [NAME])

    def picture():
        return read(small_course.notebook(NAME)).cells[-1].attachments["lookup.png"]["image/png"]

    first = picture()
    assert base64.b64decode(first).startswith(b"\x89PNG")
    path = small_course.solution(NAME)
    path.write_text(path.read_text().replace(first, first[:-4] + "AAAA"))  # another matplotlib's
    release(small_course, [NAME])
    assert picture() == first[:-4] + "AAAA"
    drawing = small_course.drawings(NAME) / "lookup.py"
    drawing.write_text(drawing.read_text().replace('"tokens"', '"words"'))
    assert release(small_course, [NAME], check=True).stale
    release(small_course, [NAME])
    assert picture() not in (first, first[:-4] + "AAAA")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"show": "![](attachment:lookup.png)"}, "say in [] what it shows"),
        ({"show": "![x](attachment:lookup.svg)"}, "write attachment:NAME.png"),
        ({"show": "![x](attachment:other.png)"}, "there is no drawings/07_topic/other.py"),
        ({"width": 900}, "at most 460 fit on a phone"),
        ({"width": "1 / 0"}, "cannot be drawn: ZeroDivisionError"),
    ],
)
def test_a_drawing_that_cannot_be_shown_is_named(small_course, changes, words):
    with_drawing(small_course, **changes)
    assert words in refusal(small_course)


def test_what_was_proved_and_has_not_changed_is_not_proved_again(small_course, monkeypatch):
    proofs = []
    monkeypatch.setattr(f"{release.__module__}.prove_answers", lambda *one: proofs.append(one))
    assert release(small_course, [NAME]).unchanged == [NAME]
    assert proofs == []
    for options in ({"check": True}, {"again": True}):
        assert release(small_course, [NAME], **options).unchanged == []
    assert len(proofs) == 2
    module = small_course.cases(NAME) / "average_topic.py"
    module.write_text(module.read_text().replace("(2, 4), (3, 5)", "(2, 4), (3, 6)"))
    assert release(small_course, [NAME]).unchanged == []
    assert len(proofs) == 3


@pytest.fixture
def edited_during_release(small_course, monkeypatch):
    """Releases the course while its author does something; returns what the author is told."""

    def told(edit):
        prove = proofs.prove_answers

        def edit_and_prove(*one):
            edit()
            prove(*one)

        edit_module(small_course, "(2, 4), (3, 5)", "(2, 4), (3, 6)")
        with monkeypatch.context() as during:
            during.setattr(f"{release.__module__}.prove_answers", edit_and_prove)
            return refusal(small_course)

    return told


def test_what_is_edited_during_its_release_does_not_count_as_proved(
    small_course, edited_during_release
):
    edit = functools.partial(edit_module, small_course, "(2, 4), (3, 6)", "(2, 4), (3, 7)")
    assert edited_during_release(edit) == (
        f"{NAME} was edited while it was being released; run `autograder release` again."
    )
    assert release(small_course, [NAME]).unchanged == []
    assert release(small_course, [NAME], check=True).stale == []


def test_a_notebook_saved_during_its_release_is_not_overwritten(
    small_course, edited_during_release
):
    save = functools.partial(edit_cell, small_course, "# Set-up", "# Set-up, at once")
    assert "was edited while it was being released" in edited_during_release(save)
    assert "# Set-up, at once" in small_course.solution(NAME).read_text()


def test_assignments_are_released_side_by_side_as_one_after_the_other(small_course):
    new_assignment(small_course, "08_other")
    done = []
    report = release(
        small_course, [NAME, "08_other"], again=True, jobs=2, progress=lambda: done.append(1)
    )
    assert len(done) == 2
    assert "notebooks/08_other/08_other.ipynb" in report.written
    assert release(small_course, [NAME, "08_other"], check=True).stale == []


@pytest.mark.parametrize(
    ("kind", "source", "words"),
    [
        ("code", "print(decisive_words([1.0], 3))", "uses decisive_words, which no cell"),
        ("code", "table = [decisive_words(one) for one in range(3)]", "uses decisive_words"),
        ("code", "def show():\n    return decisive_words(1)", "uses decisive_words"),
        ("markdown", "About 2 hours for the twelve exercises.", "says that there are twelve"),
        ("markdown", "This notebook has 2 exercises.", "says that there are 2 exercises"),
        ("markdown", "### Exercise 2. Decisive words", "names Exercise 2, but the notebook has 1"),
        ("markdown", "As in Exercise 3, we sort.", "names Exercise 3"),
    ],
)
def test_what_a_dropped_exercise_leaves_behind_fails_the_release(small_course, kind, source, words):
    path = small_course.solution(NAME)
    notebook = read(path)
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
    notebook.cells.append(make(source))
    nbformat.write(notebook, path)
    before = small_course.notebook(NAME).read_bytes()
    assert words in refusal(small_course)
    assert small_course.notebook(NAME).read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("code", "class Box:\n    width = 1\n    area = width * 2\nBox().area, __name__"),
        ("code", "for i in range(2):\n    pass\ndisplay(i), [j for j in range(3)], In"),
        ("code", "%matplotlib inline\n!ls\nx = !ls\nprint(x)"),
        (
            "code",
            "try:\n    import nowhere as there\nexcept ImportError as error:\n    print(error)",
        ),
        ("code", "from math import *\nsqrt(4)"),
        ("code", "%%bash\necho $HOME"),
        ("code", "if (n := 3) > 2:\n    print(n)\nwith open('x') as opened:\n    print(opened)"),
        ("markdown", "It tests two exercises at once; see Exercise 12 of assignment 03."),
        ("markdown", "The one exercise, and the two exercises above."),
        ("markdown", "For the one exercises; Exercise 1 is first."),
    ],
)
def test_what_a_notebook_may_say_and_call_is_not_taken_for_a_dropped_exercise(
    small_course, kind, source
):
    notebook = read(small_course.solution(NAME))
    make = {"code": nbformat.v4.new_code_cell, "markdown": nbformat.v4.new_markdown_cell}[kind]
    prove_consistent(NAME, [*notebook.cells, make(source)], 1)
