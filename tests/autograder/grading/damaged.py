"""What accidents, editors and other platforms make of a complete notebook, which keeps its points."""

from __future__ import annotations

import json
from collections.abc import Callable

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course.cells import checked_exercise


def place(notebook: NotebookNode, grade_id: str) -> int:
    return next(
        i
        for i, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def checks(notebook: NotebookNode) -> list[NotebookNode]:
    return _code_with(notebook, "grade")


def answers(notebook: NotebookNode) -> list[NotebookNode]:
    return _code_with(notebook, "solution")


def _code_with(notebook: NotebookNode, mark: str) -> list[NotebookNode]:
    """The code cells with a mark of nbgrader's; questions that are graded by hand are no code."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in code if cell.metadata.get("nbgrader", {}).get(mark)]


def retype_checks(notebook: NotebookNode) -> None:
    for cell in checks(notebook):
        cell.cell_type = "markdown"
        del cell["outputs"], cell["execution_count"]


def _stripped(notebook: NotebookNode) -> None:
    """As an editor leaves it that knows no metadata and no cell ids."""
    notebook.metadata = NotebookNode()
    notebook.nbformat_minor = 0
    for cell in notebook.cells:
        cell.metadata = NotebookNode()
        cell.pop("id", None)


def _colab(notebook: NotebookNode) -> None:
    """As Colab saves it: format 4.0, its own metadata, ids there."""
    notebook.nbformat_minor = 0
    notebook.metadata = nbformat.from_dict(
        {"colab": {"provenance": []}, "kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )
    for number, cell in enumerate(notebook.cells):
        cell.metadata["id"] = f"colab{number}"
        cell.pop("id", None)
        if cell.cell_type == "code":
            cell.metadata["outputId"] = "x"


def _vs_code(notebook: NotebookNode) -> None:
    notebook.nbformat_minor = 2
    for cell in notebook.cells:
        cell.pop("id", None)
        cell.metadata["vscode"] = {"languageId": "python"}
    notebook.metadata["language_info"] = {"name": "python", "nbconvert_exporter": "python"}


def _doubled_ids(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell["id"] = "same"


def _split(notebook: NotebookNode) -> None:
    """Each answer in two cells: the imports and helpers, then the function."""
    for cell in answers(notebook):
        index = next(i for i, c in enumerate(notebook.cells) if c is cell)
        notebook.cells.insert(index, new_code_cell("import torch\n# a helper"))


def _merged(notebook: NotebookNode) -> None:
    """All answers in one cell, the first."""
    own = answers(notebook)
    own[0].source = "\n\n".join(cell.source for cell in own)
    gone = {id(cell) for cell in own[1:]}
    notebook.cells = [c for c in notebook.cells if id(c) not in gone]


def _doubled(notebook: NotebookNode) -> None:
    """Every cell twice."""
    notebook.cells = [nbformat.from_dict(dict(c)) for c in notebook.cells for _ in range(2)]


def _copied_checks(notebook: NotebookNode) -> None:
    notebook.cells += [nbformat.from_dict(dict(cell)) for cell in checks(notebook)]


def _old_versions(notebook: NotebookNode) -> None:
    """Before each answer a wrong one with the same marks."""
    for cell in answers(notebook):
        name = cell.metadata["nbgrader"]["grade_id"]
        old = {**cell, "source": f"def {name}(*inputs, **named): return None"}
        notebook.cells.insert(place(notebook, name), nbformat.from_dict(old))


def _early_checks(notebook: NotebookNode) -> None:
    notebook.cells[:0] = [new_code_cell(cell.source) for cell in checks(notebook)]


def _moved_to_the_end(notebook: NotebookNode) -> None:
    """Answers without marks at the end, checks gone."""
    own = answers(notebook)
    notebook.cells = [c for c in notebook.cells if "nbgrader" not in c.metadata]
    notebook.cells += [new_code_cell(cell.source) for cell in own]


def _without_checks(notebook: NotebookNode) -> None:
    notebook.cells = [
        c for c in notebook.cells if not (c.cell_type == "code" and checked_exercise(c.source))
    ]


def _typed_into_checks(notebook: NotebookNode) -> None:
    """Each answer above its check, in the locked cell, where Colab lets students type."""
    for check in checks(notebook):
        answer = notebook.cells[place(notebook, checked_exercise(check.source))]
        check.source = f"{answer.source}\n\n{check.source}"
        answer.source = "# written below"


def _merged_with_checks(notebook: NotebookNode) -> None:
    """Each answer and its check in one cell, which has the marks of the check."""
    _typed_into_checks(notebook)
    notebook.cells = [c for c in notebook.cells if c.source != "# written below"]


def _windows_lines(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.source = cell.source.replace("\n", "\r\n")


def _deepnote(notebook: NotebookNode) -> None:
    """As Deepnote and some scripts write it: no outputs, its own metadata."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata.update(cell_id=f"{number:032x}", deepnote_cell_type=cell.cell_type)
        for key in ("id", "outputs", "execution_count"):
            cell.pop(key, None)
        if not cell.source:
            cell.source = None
    notebook.nbformat_minor = 0
    notebook.metadata = NotebookNode(deepnote={}, orig_nbformat=2)


def _kaggle(notebook: NotebookNode) -> None:
    """As Kaggle saves it: lines of text, format 4.4, times of execution."""
    for cell in notebook.cells:
        cell.pop("id", None)
        cell.source = cell.source.splitlines(keepends=True)
        cell.metadata.update(_uuid="x", _cell_guid="x", trusted=True)
        cell.metadata["execution"] = {"iopub.status.busy": "2026-01-01T00:00:00Z"}
    notebook.nbformat_minor = 4
    notebook.metadata["kaggle"] = {"accelerator": "gpu", "dataSources": []}


def _odd_marks(notebook: NotebookNode) -> None:
    for cell, marks in zip(notebook.cells, [[], "x", {"grade_id": ["x"]}, {"grade_id": 5}, {}]):
        cell.metadata.setdefault("nbgrader", marks)
        cell.metadata.setdefault("tags", "x")
    notebook.cells.append(new_code_cell("x = '\0'"))
    notebook.cells.append(new_code_cell("-" * 200_000 + "1"))
    notebook.cells.append(new_code_cell("a?\n" * 600))


def _half_characters(notebook: NotebookNode) -> bytes:
    text = json.dumps(notebook)
    return text.replace('"Set-up', '"\\ud83d Set-up').replace("# Set-up", "# \\ud83d", 1).encode()


def _format_3(notebook: NotebookNode) -> bytes:
    return nbformat.writes(nbformat.convert(notebook, 3), version=3).encode()


def _large(notebook: NotebookNode) -> bytes:
    picture = nbformat.v4.new_output("display_data", {"image/png": "iVBO" * (25 * 2**20)})
    next(c for c in notebook.cells if c.cell_type == "code").outputs = [picture]
    return nbformat.writes(notebook).encode()


#: Accidents to a complete notebook, which keeps its points; and words of the repair that is noted.
DAMAGED: dict[str, tuple[Callable[[NotebookNode], bytes | None], str]] = {
    "stripped": (_stripped, "recognized by"),
    "saved_by_colab": (_colab, ""),
    "saved_by_vs_code": (_vs_code, ""),
    "doubled_ids": (_doubled_ids, ""),
    "split": (_split, ""),
    "merged": (_merged, ""),
    "doubled": (_doubled, "does not count"),
    "copied_checks": (_copied_checks, "does not count"),
    "old_versions": (_old_versions, "the last counts"),
    "retyped_by_accident": (retype_checks, "another type of cell"),
    "early_checks": (_early_checks, ""),
    "moved_to_the_end": (_moved_to_the_end, "recognized by its content"),
    "typed_into_checks": (_typed_into_checks, "runs in a cell of its own"),
    "merged_with_checks": (_merged_with_checks, "runs in a cell of its own"),
    "windows_lines": (_windows_lines, ""),
    "saved_by_deepnote": (_deepnote, ""),
    "saved_by_kaggle": (_kaggle, ""),
    "without_checks": (_without_checks, "was missing and was put back"),
    "odd_marks": (_odd_marks, ""),
    "half_characters": (_half_characters, ""),
    "format_3": (_format_3, ""),
    "large": (_large, ""),
    "latin_1": (lambda book: nbformat.writes(book).encode().replace(b"Set-up", b"\xe9"), ""),
    "utf_16": (lambda book: nbformat.writes(book).encode("utf-16"), ""),
    "another_kernel": (
        lambda book: book.metadata.update(
            kernelspec={"name": "ir", "display_name": "R", "language": "R"},
            language_info={"name": "R", "pygments_lexer": "none_such"},
        ),
        "",
    ),
}
