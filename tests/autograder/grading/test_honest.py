"""Honest work keeps its points, whatever of Colab, Kaggle or VS Code is in its notebook."""

import pytest
from honest import AROUND, CELLS, ENDS, LINES
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits


def defined(name):
    """A cell that defines a function, and its check."""
    source = f"import math as math_{name}\ndef {name}(): return math_{name}.floor(7.5)"
    marks = {"grade": True, "solution": False, "locked": True, "grade_id": f"check_{name}"}
    check = new_code_cell(f"check({name})", metadata={"nbgrader": marks})
    return [new_code_cell(source), check]


def run(cells, **limits):
    """Run cells; their answers to all checks in them."""
    cells = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    book = new_notebook(cells=cells)
    names = [c.source[6:-1] for c in cells if c.source.startswith("check(")]
    questions = {name: [{"args": [], "names": [], "seed": 0}] for name in names}
    # a busy machine takes long for so many cells
    long = {"cell_seconds": 60, "notebook_seconds": 1800}
    return run_notebook(book, questions, Limits(**{**long, **limits})), book


def printed(cell):
    return "".join(o.get("text") or o.get("evalue") or "" for o in cell.outputs)


SEVEN = [{"status": "value", "value": 7}]


@pytest.fixture(scope="module")
def odd():
    """One notebook with everything after which its kernel goes on."""
    cells = []
    for name, line in {**LINES, **AROUND}.items():
        definition, check = defined(name)
        definition.source = f"{line}\n{definition.source}"
        cells += [definition, check]
    for name, source in CELLS.items():
        cells += [source, *defined(name)]
    return run(cells)


@pytest.mark.parametrize("name", [*LINES, *AROUND, *CELLS])
def test_what_students_write_elsewhere_costs_no_point(odd, name):
    answers, _ = odd
    assert answers.outcomes[name] == SEVEN, answers.ends.get(name)


def test_what_failed_stays_in_the_output(odd):
    book = odd[1]
    outputs = {cell.source.partition("\n")[0]: printed(cell) for cell in book.cells}
    assert "No module named 'wandb'" in outputs["import wandb"]
    assert "not found" in outputs["!nvidia-smi"]
    assert "No module named 'google'" in outputs["from google.colab import drive"]
    assert outputs["%%bash"]


def test_a_long_traceback_is_shortened(odd):
    cell = next(c for c in odd[1].cells if c.source.startswith("def deep"))
    (error,) = [o for o in cell.outputs if o.output_type == "error"]
    assert "RecursionError" in str(error.traceback)
    assert 5 < len(error.traceback) < 20


def test_a_cell_that_ends_the_kernel_costs_what_only_it_did():
    cells = ["kept = 7", "open('file', 'w').write('7')"]
    for name, line in ENDS.items():
        definition, check = defined(name)
        definition.source += f"\nkept = 8\n{line}"
        cells += [definition, check]
    cells += ["def before(): return kept if open('file').read() == '7' else 0"]
    cells += defined("before")[1:]
    answers, book = run(cells, kernels=len(ENDS) + 1)
    assert answers.outcomes == dict.fromkeys([*ENDS, "before"], SEVEN), answers.ends
    assert answers.usage.end == ""
    assert all("kernel died" in printed(c) for c in book.cells if "kept = 8" in c.source)


def test_an_answer_that_ends_the_kernel_is_not_asked_again_and_the_others_are():
    definition, check = defined("ends")
    definition.source = "import os\ndef ends(): os._exit(0)"
    answers, _ = run([*defined("before"), definition, check, *defined("after")])
    assert [answers.outcomes[name] for name in ("before", "ends", "after")] == [SEVEN, None, SEVEN]
    assert "kernel died" in answers.ends["ends"]


def test_many_answers_that_end_their_kernels_cost_no_answer_after_them():
    cells = ["import os\ndef helper(): os._exit(0)"]
    for i in range(4):
        definition, check = defined(f"calls_{i}")
        definition.source = f"def calls_{i}(): return helper()"
        cells += [definition, check]
    answers, _ = run([*cells, *defined("after")], kernels=2)
    assert answers.outcomes == {**{f"calls_{i}": None for i in range(4)}, "after": SEVEN}
    assert answers.usage.end == ""


def test_a_notebook_that_ends_every_kernel_ends_itself():
    cells = ["import os\nos._exit(0)", "import os\nos._exit(1)", *defined("after")]
    answers, _ = run(cells, kernels=2)
    assert answers.outcomes == {"after": None}
    assert "kernel died" in answers.ends["after"]


@pytest.mark.parametrize(
    "flood",
    [
        "for i in range(60_000): print(i, flush=True)",
        "from IPython.display import clear_output\nfor i in range(30_000): clear_output(wait=True)",
        "for i in range(20_000): display(i)",
    ],
    ids=["prints", "clearings", "displays"],
)
def test_output_in_very_many_pieces_costs_nothing(flood):
    definition, check = defined("after")
    definition.source = f"{flood}\nprint('end')\n{definition.source}"
    answers, book = run([definition, check], cell_seconds=300)
    assert answers.outcomes == {"after": SEVEN}, answers.ends
    assert printed(book.cells[0]).endswith("end\n")


def test_a_first_cell_of_code_runs_where_figures_are_not_drawn():
    answers, _ = run(defined("first"), figures=False)
    assert answers.outcomes == {"first": SEVEN}
