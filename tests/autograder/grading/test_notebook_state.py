"""What a submission sets elsewhere decides about no answer while grading."""

import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from coursekit.checking import codec
from coursekit.checking.run_cases import run_cases

IMPORTS = "import functools, json, math, os, random, sys, time, warnings\n"
IMPORTS += "import numpy as np, torch\nfrom torch import nn"
LAYER = """
class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, 2)

    def forward(self, x):
        return nn.functional.softmax(self.linear(x) + torch.zeros(2), dim=-1)
"""
DRAWS = """
def draws(n):
    return [random.random() for _ in range(n)], np.random.rand(n), torch.rand(n)
"""
#: What may stand in one cell; each is tried in a notebook of its own.
CELLS = {
    "seeds that are assigned": "random.seed = 42; np.random.seed = 42; torch.manual_seed = 3",
    "the default dtype": "torch.set_default_dtype(torch.float64)",
    "the default device": "torch.set_default_device('meta')",
    "gradients off": "torch.set_grad_enabled(False);",
    "inference mode": "mode = torch.inference_mode(); mode.__enter__()",
    "autocast": "mode = torch.autocast('cpu', dtype=torch.bfloat16); mode.__enter__()",
    "strict numbers": "np.seterr(all='raise'); warnings.simplefilter('error')",
    "folder and variables": "os.chdir('/'); os.environ.clear()",
    "libraries": "torch.cat = torch.stack; torch.Tensor.__eq__ = None; nn.Linear.forward = 3\n"
    "np.ascontiguousarray = json.loads = math.prod = functools.reduce = 1",
    "clocks": "time.perf_counter = time.thread_time = time.process_time = 1",
    "messages": "json.dumps = 7",
    "built-in names": "list = len = max = [1]",
    "threads": "import threading\ndef spin():\n    while True:\n"
    "        try: random.random(); random.seed(1); np.random.rand(); torch.rand(1)\n"
    "        except Exception: pass\n"
    "for _ in range(2): threading.Thread(target=spin, daemon=True).start()",
    "compiled": "Layer.forward = torch.compile(Layer.forward)",
}
X = codec.encode(torch.tensor([[0.5, -1.0, 2.0]]))
STEPS = {"args": [3], "names": ["size"], "seed": 1, "then": [["__call__", [X], {}]]}
QUESTIONS = {
    "Layer": [STEPS, {**STEPS, "gradient": "all"}],
    "draws": [{"args": [3], "names": ["n"], "seed": 2}],
}


def check(name):
    marks = {"grade": True, "solution": False, "locked": True, "grade_id": f"check_{name}"}
    return new_code_cell(f"check({name})", metadata={"nbgrader": marks})


def answers(*states):
    cells = [*map(new_code_cell, (IMPORTS, LAYER, DRAWS, *states)), check("Layer"), check("draws")]
    limits = Limits(cell_seconds=120, notebook_seconds=600, preload=("import torch",))
    return run_notebook(new_notebook(cells=cells), QUESTIONS, limits)


@pytest.fixture(scope="module")
def expected():
    names = {}
    exec(IMPORTS + LAYER + DRAWS, names)
    return {name: run_cases(names[name], cases) for name, cases in QUESTIONS.items()}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_changes_no_answer(name, expected):
    found = answers(CELLS[name])
    assert found.outcomes == expected, found.ends


def test_all_of_them_change_no_answer(expected):
    found = answers(*CELLS.values())
    assert found.outcomes == expected, found.ends
