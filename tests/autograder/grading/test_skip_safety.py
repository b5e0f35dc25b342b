"""What is proved about answers and the cells that were left out, and what is not."""

import nbformat
import pytest
from checkout import ROOT, shared_assignment

from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course
from autograder.grading.cell_skipping import mark_left_out, shown_cells
from autograder.grading.skip_safety import why_it_may_differ
from autograder.grading.stages import checks_in

COURSE = Course(ROOT)
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn"


def why(*ran, shown="print(f(1))"):
    """Why the cell `shown` may change what f returns, after the cells `ran`; "" if it cannot."""
    cells = [nbformat.v4.new_code_cell(source) for source in (IMPORTS, *ran, shown)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    return why_it_may_differ(notebook, {len(cells) - 1}, ["f"])


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_the_cells_left_out_are_proved_to_change_no_reference(assignment):
    notebook, release = filled(shared_assignment(assignment)), shared_assignment(assignment).release
    checks = checks_in(notebook)
    mark_left_out(notebook, release, checks)
    names = list(shared_assignment(assignment).exercises)
    assert why_it_may_differ(notebook, shown_cells(notebook, checks), names) == ""


PROVED = {
    "a loop": "def f(x):\n    out = []\n    for i in range(3):\n        out.append(x * i)\n    return out",
    "a wrong formula": "def f(x):\n    return torch.softmax(x, dim=0) / math.sqrt(2) + F.relu(x)",
    "a helper": "def g(x):\n    return x\n\ndef f(x):\n    return sorted([x], key=g)",
    "a constant": "LIMIT = 3\n\ndef f(x, n=2):\n    return x + LIMIT + n",
    "a layer": (
        "class f(nn.Module):\n    def __init__(self, d):\n        super().__init__()\n"
        "        self.W = nn.Linear(d, d)\n        self.W.weight.data = torch.zeros(d, d)\n"
        "    def forward(self, x):\n        return self.W(x)"
    ),
    "its own name for a module": "def f(input):\n    torch = input\n    return torch.data",
    "a name that does not exist": "def f(x):\n    return y",
    "gradients off for a while": (
        "def f(x):\n    with torch.set_grad_enabled(False):\n        return x + 1"
    ),
    "a shell command": "!pip install einops\n%matplotlib inline\ndef f(x):\n    return x",
    "text that is printed": "def f(x):\n    print(x)\n    return x\n\nprint(f(2))",
}


@pytest.mark.parametrize("kind", PROVED)
def test_an_answer_of_its_arguments_alone_is_proved(kind):
    assert why(PROVED[kind]) == ""


NOT_PROVED = {
    "a list": "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)",
    "global": "n = 0\ndef f(x):\n    global n\n    n += 1\n    return n",
    "an attribute of itself": "def f(x):\n    f.calls = 1\n    return x",
    "an alias of itself": "def f(x):\n    g = f\n    g.calls = 1\n    return x",
    "an attribute that it has": "def f(x):\n    return hasattr(f, 'calls') or f.calls",
    "a default": "def f(x, seen=[]):\n    seen.append(x)\n    return seen",
    "a cache": "import functools\n@functools.lru_cache\ndef f(x):\n    return x",
    "a class's list": "class f:\n    seen = []\n    def __init__(self, x):\n        self.seen.append(x)",
    "a class's attribute": (
        "class f:\n    n = 0\n    def __init__(self, x):\n        type(self).n = 1"
    ),
    "a class's attribute that layers have": (
        "class f:\n    def __init__(self, x):\n        type(self).data = 1"
    ),
    "a module as a value": "import numpy as np\ndef f(x):\n    m = np\n    return m.load(x)",
    "another module in its place": "import sys\nsys.modules['torch'] = 1\ndef f(x):\n    return x",
    "a class method": (
        "class f:\n    n = 0\n    @classmethod\n    def make(cls):\n        cls.n = 1"
    ),
    "the default dtype": "def f(x):\n    torch.set_default_dtype(torch.float64)\n    return x",
    "gradients": "def f(x):\n    torch.set_grad_enabled(False)\n    return x",
    "print options": "def f(x):\n    torch.set_printoptions(precision=7)\n    return str(x)",
    "the environment": "import os\ndef f(x):\n    return os.environ.get('MY')",
    "a file": "def f(x):\n    return open('cache').read()",
    "a folder": "from pathlib import Path\ndef f(x):\n    return Path('cache').exists()",
    "a logger": "import logging\nlog = logging.getLogger()\ndef f(x):\n    return log.handlers",
    "its globals": "def f(x):\n    return globals()",
    "its globals by another way": "def f(x):\n    return f.__globals__",
    "a frame": "def f(x):\n    g = (i for i in [1])\n    return g.gi_frame",
    "setattr": "def f(x):\n    setattr(x, 'y', 1)",
    "a built function": "f = (lambda n: lambda x: n)([])",
    "a function chosen by chance": "import random\nif random.random():\n    def f(x):\n        return x",
    "another module": "import helper\ndef f(x):\n    return helper.f(x)",
    "an object of a cell": "layer = nn.Linear(2, 2)\ndef f(x):\n    return layer(x)",
    "a patched library": "torch.softmax = torch.relu\ndef f(x):\n    return torch.softmax(x)",
    "a magic": "%run other.py\ndef f(x):\n    return x",
    "an import inside": "def f(x):\n    import os\n    return os.getcwd()",
    "a context that is held": "def f(x):\n    with torch.no_grad():\n        yield x",
    "code that is no Python": "def f(x):\n    return x +",
}


@pytest.mark.parametrize("kind", NOT_PROVED)
def test_an_answer_that_another_call_may_change_is_not_proved(kind):
    assert why(NOT_PROVED[kind])


@pytest.mark.parametrize(
    "shown",
    [
        "y = 2",
        "def f(x):\n    return 0",
        "f.calls = 1",
        "torch.softmax = torch.relu",
        "torch.set_default_dtype(torch.float64)",
        "import os\nos.environ['MY'] = '1'",
        "import warnings\nwarnings.filterwarnings('error')",
        "exec('y = 2')",
        "for y in range(3):\n    pass",
    ],
)
def test_a_cell_that_sets_what_an_answer_may_read_is_not_harmless(shown):
    assert why("def f(x):\n    return y", shown=shown)


def test_a_cell_that_binds_only_other_names_is_harmless():
    shown = "import warnings\nwarnings.filterwarnings('ignore')\nz = f(2)\nmodel = f\nprint(z)"
    assert why("def f(x):\n    return y", shown=shown) == ""
