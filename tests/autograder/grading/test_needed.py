"""Cells that no graded answer depends on are left out, and nothing else is."""

import contextlib
import random

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.classroom.demo import filled
from autograder.course.catalog import exercises
from autograder.course.exercise import source_of
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.grading.isolated_run import run_notebook
from autograder.grading.needed import mark_needed
from autograder.grading.run import ONLY_SHOWS, Limits
from autograder.grading.sanitize import sanitized

COURSE = Course(ROOT)
CHECK = "check(answer)"


def todo(source):
    return new_code_cell(source, metadata={"nbgrader": {"grade": False, "solution": True}})


def check(source=CHECK):
    return new_code_cell(source, metadata={"nbgrader": {"grade": True, "solution": False}})


def left_out(given, written="def answer(x):\n    return x", own=()):
    """Which of the `given` cells are left out beside a student's answer and own cells."""
    given = [new_code_cell(source) for source in given]
    release = new_notebook(cells=[*given, todo("def answer(x):\n    raise ..."), check()])
    own = [new_code_cell(source) for source in own]
    notebook = new_notebook(cells=[*given, todo(written), *own, check()])
    mark_needed(notebook, release)
    assert not any(ONLY_SHOWS in cell.metadata for cell in notebook.cells[len(given) :])
    return [cell.source for cell in given if ONLY_SHOWS in cell.metadata]


def test_training_and_drawing_are_left_out_and_the_imports_stay():
    given = ["import torch", "model = train(torch.zeros(3))", "draw(model)"]
    assert left_out(given, "def answer(x):\n    return torch.relu(x)") == given[1:]
    assert left_out(given) == given


@pytest.mark.parametrize(
    ("given", "written"),
    [
        # a global in place of the parameter, a mistake that students make
        (["K = [1.0]"], "def answer(x):\n    return x @ K"),
        (["K = [1.0]", "K.append(2.0)"], "def answer(x):\n    return x @ K"),
        (["K = [1.0]", "def grow(k):\n    k[0] = 7", "grow(K)"], "def answer(x):\n    return K"),
        (["class Net:\n    pass"], "class answer(Net):\n    pass"),
        (["T = 1"], "def answer(x: 'int' = T):\n    return x"),
        # something is kept from one call to the next
        (["answer(1)"], "def answer(x, seen=[]):\n    seen.append(x)\n    return len(seen)"),
        (["answer(1)"], "seen = {}\ndef answer(x):\n    return seen.setdefault(x, len(seen))"),
        (["answer(1)"], "class answer:\n    made = []\n    def __init__(self): self.made += [1]"),
        (["answer(1)"], "def answer(x):\n    answer.x = x\n    return answer.x"),
        (["answer(1)"], "n = 0\ndef answer(x):\n    global n\n    n += 1\n    return n"),
        (["answer(1)"], "@functools.cache\ndef answer(x):\n    return [x]"),
        (["import torch", "torch.relu = abs"], "def answer(x):\n    return torch.relu(x)"),
        (["def twice(x):\n    return answer(x)", "twice(3)"], "c = [0]\ndef answer(x): c[0] = x"),
        (["answer(1)"], "answer = lambda x, seen=[]: (seen.append(x), len(seen))"),
        (
            ["answer(1)"],
            "class Table:\n    rows = None\n    @classmethod\n    def get(cls, n):\n"
            "        cls.rows = cls.rows or n\n        return cls.rows\n"
            "def answer(x):\n    return Table.get(x)",
        ),
        (["answer(1)"], "class answer:\n    n = 0\n    def __init__(self): type(self).n += 1"),
        (["answer(1)"], "class answer:\n    n = 0\n    def __init__(self): self.__class__.n += 1"),
        (
            ["answer(1)"],
            "class Table:\n    rows = None\ndef fill(table, x):\n    table.rows = x\n"
            "def answer(x):\n    fill(Table, x)\n    return Table.rows",
        ),
        (
            ["answer(1)"],
            "class K:\n    n = 0\ndef answer(x):\n    k = K\n    k.n = x\n    return K.n",
        ),
        (["answer(1)"], "def answer(x):\n    import math as m\n    m.x = x\n    return m.x"),
        (["answer(1)"], "class K:\n    if True:\n        c = []\ndef answer(x):\n    return K.c"),
        (
            ["answer(1)"],
            "class K(type('B', (), {'c': []})):\n    pass\ndef answer(x): K.c.append(x)",
        ),
        (["answer(1)"], "def answer(x):\n    return answer.__dict__.setdefault('x', x)"),
        (["answer(1)"], "c = 0\nmatch []:\n    case c: pass\ndef answer(x):\n    c.append(x)"),
        (
            ["answer(1)"],
            "def answer(x):\n    open('f', 'a').write('x')\n    return open('f').read()",
        ),
        (["answer(1)"], "import os\ndef answer(x):\n    return os.environ.setdefault('X', str(x))"),
        # a part of it, or what an answer gave, changes later
        (["K = [[1]]", "row = K[0]", "row.append(2)"], "def answer(x):\n    return K"),
        (["r = answer(3)", "r.append(1)"], "b = []\ndef answer(x):\n    return b"),
        # names that are not written as such
        (["K = 1"], "from sys import modules\ndef answer(x):\n    return modules['__main__'].K"),
        (["K = 1"], "import sys as s\ndef answer(x):\n    return s.modules['__main__'].K"),
        (["K = 1"], "def answer(x):\n    return getattr(answer, '__globals__')['K']"),
        (["K = 1"], "def answer(x):\n    return globals()['K']"),
        (["K = 1"], "import __main__\ndef answer(x):\n    return __main__.K"),
        (["K = 1"], "import sys\ndef answer(x):\n    return sys.modules['__main__'].K"),
        (["K = 1"], "def answer(x):\n    return eval('K')"),
        (["K = 1"], "from numpy import *\ndef answer(x):\n    return x"),
        (["K = 1"], "def answer(x):\n    return _"),
        (["K = 1"], "%time 3\ndef answer(x):\n    return x"),
        (["K = 1"], "def answer(x)\n    return x"),
        (["K = 1"], "def answer(x):\n    return x\n" + "# long\n" * 20_000),
    ],
)
def test_what_an_answer_may_depend_on_is_run(given, written):
    assert left_out(given, written) == []


@pytest.mark.parametrize(
    "source",
    [
        "x = a" + ".a" * 40_000,
        "x = " + "not " * 20_000 + "1",
        "x = " + "lambda:" * 10_000 + "1",
        "x = " + "-" * 90_000 + "1",
        "if a:\n pass\n" + "elif a:\n pass\n" * 5_000,
        ";".join(f"a{number}=1" for number in range(10_000)),
        "a\0b",
        "x = '\ud800'",
    ],
)
def test_no_cell_is_too_odd_to_be_looked_at(source):
    left_out(["K = 1"], own=[source])


def test_what_a_student_wrote_between_the_checks_is_run_with_what_it_reads():
    given = ["a = 1", "b = a", "c = 2"]
    assert left_out(given, own=["print(b)"]) == ["c = 2"]


def test_a_cell_of_the_release_that_was_edited_is_run():
    release = new_notebook(cells=[new_code_cell("a = 1"), check()])
    notebook = new_notebook(cells=[new_code_cell("a = 2"), check()])
    mark_needed(notebook, release)
    assert ONLY_SHOWS not in notebook.cells[0].metadata


def test_a_mark_that_a_student_makes_does_not_count():
    mine = todo("def answer(x):\n    return x")
    mine.metadata[ONLY_SHOWS] = True
    notebook = new_notebook(cells=[mine, check()])
    mark_needed(notebook, new_notebook(cells=[]))
    assert ONLY_SHOWS not in mine.metadata


def test_a_notebook_with_a_text_that_is_graded_by_hand_is_run_whole():
    marks = {"nbgrader": {"grade": True, "solution": True}}
    cells = [new_code_cell("draw()"), check(), new_markdown_cell("It grows.", metadata=marks)]
    notebook = new_notebook(cells=cells)
    mark_needed(notebook, notebook)
    assert ONLY_SHOWS not in notebook.cells[0].metadata


@pytest.mark.parametrize("number", [None, 0, 1])
@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_of_every_assignment_more_than_half_of_what_is_given_is_left_out(assignment, number):
    sources = {}
    if number is not None:  # answers in another style
        for name, exercise in exercises(COURSE, assignment).items():
            sources[name] = source_of(exercise.alternatives[number], name)
    release = read(COURSE.notebook(assignment))
    notebook = sanitized(filled(COURSE, assignment, sources), release)
    mark_needed(notebook, release)
    given = [
        cell
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade_id")
    ]
    assert sum(ONLY_SHOWS in cell.metadata for cell in given) > len(given) / 2


def test_what_is_left_out_says_so_and_is_run_with_all_cells():
    shows = new_code_cell("print(6 * 7)")
    notebook = new_notebook(cells=[shows, check("1")])
    mark_needed(notebook, notebook)
    run_notebook(notebook, {})
    assert shows.outputs[0].text.startswith("Not run")
    shows.outputs = []
    run_notebook(notebook, {}, Limits(all_cells=True))
    assert shows.outputs[0].text == "42\n"


# Programs drawn at random: with and without the cells left out, the answer must be the same.

VALUES = ("a", "b", "c")
FUNCTIONS = ("f", "g", "answer")
STATEMENTS = (
    "{v} = {n}",
    "{v} = [{n}]",
    "{v} = {w}",
    "{v} = {f}({w})",
    "{v} += {w}",
    "{v}.append({n})",
    "{v}[0] = {n}",
    "for {v} in range({n}):\n    {w} = {v}",
    "{f}({n})",
    "{f}({v})",
    "{f}.k = {n}",
    "{f} = {g}",
    "{v} = {f}",
    "K.items.append({n})",
    "K.n = {n}",
    "del {v}",
    "import math as {v}",
    "def {f}(x):\n    return [x, {v}]",
    "def {f}(x):\n    return {g}(x)",
    "def {f}(x):\n    global {v}\n    {v} = x\n    return x",
    "def {f}(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
    "def {f}(x, y={v}):\n    return [x, y]",
    "def {f}(x):\n    {v}.append(x)\n    return list({v})",
    "def {f}(x):\n    return [x, K.items, K.n]",
    "def {f}(x):\n    {g}.k = x\n    return x",
    "def {f}(x):\n    return [getattr({g}, 'k', 0), x]",
    "def {f}(x):\n    {w} = [x]\n    return [{w}, [{v} for {v} in range(2)]]",
    "class K:\n    items = []\n    n = {n}",
    "class K:\n    {v} = {v}\n    items = [{v}]\n    n = {n}",
    "import math as {v}\n{v} = [{n}]",
    "{f} = lambda x: [{v}, x]",
    "try:\n    {v} = {w} + {w}\nexcept Exception as {w}:\n    {v} = 3",
)


def drawn_cell(draw):
    lines = []
    for _ in range(draw.randint(1, 2)):
        (v, w), (f, g) = draw.sample(VALUES, 2), draw.sample(FUNCTIONS, 2)
        lines.append(draw.choice(STATEMENTS).format(v=v, w=w, f=f, g=g, n=draw.randint(0, 3)))
    return "\n".join(lines)


def answers(cells):
    """What `answer` gives after the cells have run, each as far as it comes."""
    scope = {}
    for cell in cells:
        with contextlib.suppress(Exception):
            exec(cell.source, scope)
    found = []
    for x in (5, [6]):
        try:
            found.append(repr(scope["answer"](x)).partition(" at 0x")[0])
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def test_programs_drawn_at_random_give_the_same_answer_without_what_is_left_out():
    draw = random.Random(0)
    kinds = {"something left out": 0, "another program": 0}
    for _ in range(3000):
        given = [drawn_cell(draw) for _ in range(5)]
        cells = [new_code_cell(source) if draw.random() < 0.7 else todo(source) for source in given]
        cells.append(todo("class K:\n    items = []\n    n = 0"))
        draw.shuffle(cells)
        notebook = new_notebook(cells=[*cells, check()])
        release = new_notebook(cells=[c for c in cells if not c.metadata.get("nbgrader")])
        mark_needed(notebook, release)
        kept = [cell for cell in cells if ONLY_SHOWS not in cell.metadata]
        assert answers(kept) == answers(cells), "\n---\n".join(
            f"{'# left out' if ONLY_SHOWS in c.metadata else ''}\n{c.source}" for c in cells
        )
        left = len(cells) - len(kept)
        kinds["something left out"] += left > 0
        kinds["another program"] += left == 0
    assert min(kinds.values()) > 300, kinds
