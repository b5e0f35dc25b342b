"""What honest students leave in a notebook beside their answers: installs, prints, helpers, plots.

Only what an ordinary kernel survives, too, so that stock nbgrader can grade the same notebook.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

#: Cells of their own, some of which fail.
CELLS = (
    "!pip install -q einops",
    "%pip install --quiet torchmetrics",
    "!nvidia-smi",
    "!ls -la | head -3",
    "from google.colab import drive\ndrive.mount('/content/drive')",
    "import wandb\nwandb.init(project='course')",
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\nplt.show()",
    "import warnings\nwarnings.filterwarnings('ignore')",
    "import warnings\nwarnings.warn('only a test')",
    "import torch\ntorch.manual_seed(7)\ntorch.set_printoptions(precision=2, sci_mode=False)",
    "import numpy as np\nnp.random.seed(7)\nnp.set_printoptions(precision=2)",
    "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('started')",
    "%%time\nsum(range(1000))",
    "%load_ext autoreload\n%autoreload 2",
    "def peek(value):\n    print(type(value), value)\n    return value\n\npeek([1, 2])",
    "from tqdm.auto import tqdm\nfor step in tqdm(range(3)):\n    pass",
    "print(undefined_name)",
    "for i in range(3)\n    print(i)",
    "assert 1 == 2, 'my own test'",
    "x = 3\nx",
    "import sys\nprint('to stderr', file=sys.stderr)",
    "!pip list 2>/dev/null | grep -i torch",
    "import os\nos.makedirs('runs', exist_ok=True)\nopen('runs/log.txt', 'w').write('epoch 1')",
    "%whos",
)


def add_cells(notebook: NotebookNode, rng: random.Random) -> None:
    """Insert two to five cells of `CELLS` and a remark anywhere in a submission."""
    for source in rng.sample(CELLS, rng.randint(2, 5)):
        notebook.cells.insert(rng.randint(0, len(notebook.cells)), new_code_cell(source))
    place = rng.randint(0, len(notebook.cells))
    notebook.cells.insert(place, new_markdown_cell("*I am not sure about this part.*"))


def with_print(source: str, name: str) -> str:
    """The answer with a `print` at the beginning of each of its functions."""

    def change(tree: ast.Module) -> None:
        for node in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]:
            place = 1 if ast.get_docstring(node) is not None else 0
            node.body.insert(place, ast.parse(f"print('in', {node.name!r})").body[0])

    return _changed(source, change)


def with_helper(source: str, name: str) -> str:
    """The answer as a function that calls a helper of the student's, which does the work."""

    def change(tree: ast.Module) -> None:
        for node in [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]:
            known = node.args
            given = [*known.posonlyargs, *known.args]
            words = [a.arg for a in given] + [f"{a.arg}={a.arg}" for a in known.kwonlyargs]
            words += [f"*{known.vararg.arg}"] if known.vararg else []
            words += [f"**{known.kwarg.arg}"] if known.kwarg else []
            call = ast.parse(f"return _my_{name}({', '.join(words)})").body
            outer = ast.FunctionDef(name, known, call, [], node.returns)
            node.name = f"_my_{name}"
            tree.body.append(ast.copy_location(outer, node))

    return _changed(source, change)


def with_try_out(source: str, name: str) -> str:
    """The answer, and below it, in the same cell, what a student looks at while writing."""
    return f"{source}\n\nprint({name}.__name__, 'is written')\n{name}.__doc__"


def with_imports(source: str, name: str) -> str:
    return (
        f"import math, time\nfrom collections import defaultdict\n\nstarted = time.time()\n{source}"
    )


CHANGES: tuple[Callable[[str, str], str], ...] = (
    with_print,
    with_helper,
    with_try_out,
    with_imports,
)


def _changed(source: str, change: Callable[[ast.Module], None]) -> str:
    tree = ast.parse(source)
    change(tree)
    return ast.unparse(ast.fix_missing_locations(tree))
