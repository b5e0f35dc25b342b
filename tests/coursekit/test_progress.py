"""Progress bars look right live and when a notebook is opened again."""

import nbformat
from nbclient import NotebookClient

CODE = """\
from coursekit.progress import progress_bar

with progress_bar(3, "step", mininterval=0) as bar:
    for step in range(3):
        bar.set_description(f"epoch {step + 1}", refresh=False)
        bar.update()
"""


def test_in_a_notebook_the_bar_is_one_line_of_plain_text():
    cells = [nbformat.v4.new_code_cell(CODE)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", coalesce_streams=True).execute()
    (output,) = notebook.cells[0].outputs  # neither a widget nor a warning on standard error
    assert (output.output_type, output.name) == ("stream", "stdout")
    (line,) = output.text.strip().splitlines()
    assert line.startswith("epoch 3: 100%|")
