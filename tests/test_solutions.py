"""What the solution notebooks store; `test_clean_environment` runs them."""

import itertools
import re

import nbformat
import pytest
from checkout import ROOT

SOLUTIONS = sorted(ROOT.glob("solutions/*/*.ipynb"))


@pytest.mark.parametrize("notebook", SOLUTIONS, ids=[path.stem for path in SOLUTIONS])
def test_a_solution_notebook_stores_outputs_without_errors_or_paths(notebook):
    text = notebook.read_text()
    assert str(ROOT) not in text
    assert "/home/" not in text
    cells = [c for c in nbformat.read(notebook, as_version=4).cells if c.cell_type == "code"]
    assert any(cell.outputs for cell in cells), "run `make execute`"
    for cell in cells:
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", cell.source
    compared = [c for c in cells if "nbval-check-output" in c.metadata.get("tags", [])]
    assert len(compared) >= 3, "tag the cells whose outputs are the same everywhere"


@pytest.mark.parametrize("notebook", SOLUTIONS, ids=[path.stem for path in SOLUTIONS])
def test_no_heading_skips_a_level(notebook):
    """Else the site's chapter cannot be built."""
    texts = [c.source for c in nbformat.read(notebook, as_version=4).cells if c.cell_type != "code"]
    text = re.sub(r"^```.*?^```", "", "\n".join(texts), flags=re.M | re.S)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.M)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
