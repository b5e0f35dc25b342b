"""`check` in a notebook: forms of answers, states that a notebook sets, and what answers show."""

import os
import subprocess
import sys

import pytest

#: A notebook: its cells, between which `---` stands, are run one by one.
START = """
import functools, math, os, random
import torch
from torch import nn
from coursekit import check
"""


def run(cells, monkeypatch=None):
    """What IPython prints for a notebook of these cells, in a process of its own."""
    program = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in sys.stdin.read().split("---"):
    shell.run_cell(cell, store_history=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="---".join([START, *cells]),
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "agg"},
        check=True,
    )
    return done.stdout


FORMS = {
    "alias": "def mine(z): return torch.sigmoid(z)\nsigmoid = mine",
    "lambda": "sigmoid = lambda z: torch.sigmoid(z)",
    "partial": "sigmoid = functools.partial(torch.sigmoid)",
    "module": "sigmoid = nn.Sigmoid()",
    "instance": "class sigmoid:\n    def __call__(self, z): return torch.sigmoid(z)\n"
    "sigmoid = sigmoid()",
    "decorator": "def timed(f):\n    def inner(*a): return f(*a)\n    return inner\n"
    "@timed\ndef sigmoid(z): return torch.sigmoid(z)",
    "method": "class A:\n    def s(self, z): return torch.sigmoid(z)\nsigmoid = A().s",
    "cached": "@functools.lru_cache\ndef sigmoid(z): return torch.sigmoid(z)",
    "builtin": "sigmoid = torch.sigmoid",
    "jit": "@torch.jit.script\ndef sigmoid(z): return torch.sigmoid(z)",
    "compile": "@torch.compile\ndef sigmoid(z): return torch.sigmoid(z)",
    "compiled helper": "helper = torch.compile(torch.sigmoid)\ndef sigmoid(z): return helper(z)",
    "compiled inside": "def sigmoid(z): return torch.compile(lambda y: torch.sigmoid(y))(z)",
}


@pytest.fixture(scope="module")
def forms():
    cells = [
        f"{form}\n---\nprint('form {name}:')\n---\ncheck(sigmoid)" for name, form in FORMS.items()
    ]
    parts = run(cells).split("form ")[1:]
    return dict(part.split(":", 1) for part in parts)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_that_grading_accepts_is_checked(forms, name):
    assert "4 of 4" in forms[name], forms[name]
    assert ("torch.compile` is switched off" in forms[name]) == (name == "compile")


def test_a_decorated_todo_is_not_written_yet():
    todo = "def timed(f):\n    def inner(*a): return f(*a)\n    return inner\n"
    todo += "@timed\ndef sigmoid(z):\n    raise NotImplementedError('1 / (1 + e^-z)')"
    assert "not written yet: 1 / (1 + e^-z)" in run([todo, "check(sigmoid)"])


ANSWERS = """
def sigmoid(z): return torch.sigmoid(z)
def layer_norm(x, gamma, beta, eps=1e-5):
    return nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, eps)
"""


def test_a_state_that_changes_the_outcome_is_named_and_stays():
    out = run(
        [
            ANSWERS,
            "torch.set_grad_enabled(False);",
            "check(layer_norm)",
            "print('gradients', torch.is_grad_enabled())",
        ]
    )
    assert "4 of 4" in out
    assert "gradients are off: with that it would earn 2 of 4 points" in out
    assert "gradients False" in out


def test_an_ordinary_notebook_has_nothing_to_set_back():
    look = "from coursekit.checking.defined_state import DefinedState\n"
    look += "with DefinedState() as state: pass\nprint('differences:', state.differences())"
    imports = "import matplotlib.pyplot, seaborn, sklearn, scipy.stats, transformers, decimal"
    assert "differences: []" in run([imports, ANSWERS, "check(sigmoid)", look])


def test_what_torch_changes_to_compile_is_not_the_notebooks():
    run_it = "double = torch.compile(lambda x: 2 * x, backend='eager')\ndouble(torch.ones(2))"
    look = "from coursekit.checking.defined_state import DefinedState\n"
    look += "with DefinedState() as state: pass\nprint('differences:', state.differences())"
    out = run([ANSWERS, run_it, "check(sigmoid)", look, "torch.relu = torch.sigmoid", look])
    assert "differences: []" in out
    assert "differences: ['torch.relu is replaced']" in out


def test_a_state_that_changes_nothing_is_not_mentioned():
    out = run([ANSWERS, "random.seed = 42", "check(sigmoid)", "print('seed', random.seed)"])
    assert "4 of 4" in out
    assert "would earn" not in out
    assert "seed 42" in out


def test_a_function_replaced_before_coursekit_was_imported_is_found_again():
    # the first cell of all: nothing of coursekit has been imported
    program = """
import random, time, json, math
import numpy as np, torch
random.seed = 42; random.random = lambda: 0.5; json.loads = 1; time.time = 0; math.pi = 3
np.random.seed = 42; torch.manual_seed = 3
from coursekit import check
def sigmoid(z): return torch.sigmoid(z)
check(sigmoid)
assert (random.seed, math.pi) == (42, 3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "4 of 4" in done.stdout, done.stderr


SHOWN = """
import warnings, matplotlib.pyplot as plt
from IPython.display import display, HTML, clear_output
from tqdm.auto import tqdm
def sigmoid(z):
    for _ in tqdm(range(3)): pass
    display(HTML("<b>bold</b>")); display({"a": 1}); clear_output()
    plt.plot([1, 2]); plt.show(); plt.figure()
    warnings.warn("careful"); print("printed")
    return RESULT
"""


def test_what_an_answer_shows_is_kept_out_of_the_way_and_said_only_if_it_fails():
    right = run(
        [SHOWN.replace("RESULT", "torch.sigmoid(z)"), "check(sigmoid)\nprint(plt.get_fignums())"]
    )
    shown = right.splitlines()
    assert shown == ["✓ sigmoid: 4 of 4 points", *shown[1:-1], "[]"]
    assert not any(word in right for word in ("HTML", "Figure", "careful", "printed", "%|"))
    wrong = run([SHOWN.replace("RESULT", "z"), "check(sigmoid)"])
    assert "{'a': 1}" in wrong
    assert "UserWarning: careful" in wrong
    assert "printed" in wrong
