"""Author's text about an assignment, `NN_topic.md` in the guide's folder.

Its sections, `## On the board` and so on, are shown in their order. A fenced block `output` is replaced
by the stored output of a cell of the solution notebook:

    ```output
    compare_models(predictions
    mean|attention
    ```

The first line is a piece of the cell's source that no other code cell has; of the output the lines are
shown in which one of the further lines, regular expressions, is found. A picture `attachment:NAME.png`
is that of the notebook. `## Check` has code that proves numbers of the text, as in the exam bank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from autograder.errors import AuthorError
from autograder.escaping import without_colors
from autograder.guide.exam_bank import prove

#: The section whose items are checked against what the code needs.
CUTS = "What to cut"
_OUTPUT = re.compile(r"^```output\n(.*?)^```[ \t]*$", re.M | re.S)
_BAR = re.compile(r"\d+%\|")


@dataclass(frozen=True)
class WrittenSheet:
    """Sections of a file by title, in Markdown, with the outputs put in.

    Attributes
    ----------
    proved : list of str
        Texts that the file's check has proved.
    """

    sections: dict[str, str] = field(default_factory=dict)
    proved: list[str] = field(default_factory=list)


def read_sheet(path: Path, notebook: NotebookNode) -> WrittenSheet:
    """Return the text about an assignment; an empty sheet if there is no such file.

    Raises
    ------
    AuthorError
        An output is not in the notebook, or the check fails.
    """
    if not path.exists():
        return WrittenSheet()
    parts = re.split(r"^## (.+)\n", path.read_text("utf-8"), flags=re.M)
    sections = {title.strip(): text.strip() for title, text in zip(parts[1::2], parts[2::2])}
    code = re.search(r"```python\n(.*?)```", sections.pop("Check", ""), re.S)
    proved = prove(path.name, "\n".join(sections.values()), code[1]) if code else []
    for title, text in sections.items():
        sections[title] = _OUTPUT.sub(
            lambda found: f"```\n{_stored(path.name, found[1], notebook)}\n```", text
        )
    return WrittenSheet(sections, proved)


def text_outputs(cell: NotebookNode) -> list[str]:
    """Return the lines that a cell has printed or returned as text, without progress bars."""
    texts = [
        output.get("text") or output.get("data", {}).get("text/plain", "")
        for output in cell.get("outputs", [])
    ]
    lines = without_colors("\n".join(texts)).splitlines()
    return [line.rstrip() for line in lines if line.strip() and not _BAR.search(line)]


def _stored(name: str, block: str, notebook: NotebookNode) -> str:
    """Return the lines of a stored output that a block asks for."""
    piece, *patterns = block.strip("\n").splitlines()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and piece in cell.source]
    if len(cells) != 1:
        raise AuthorError(
            f"{name}: {piece!r} is in {len(cells)} code cells of the solution notebook; give a piece"
            " of the source of one."
        )
    lines = text_outputs(cells[0])
    for pattern in patterns:
        if not any(re.search(pattern, line) for line in lines):
            raise AuthorError(
                f"{name}: {pattern!r} is in no stored output of {piece!r}; run `autograder execute`, or"
                " change the pattern."
            )
    chosen = [line for line in lines if not patterns or any(re.search(p, line) for p in patterns)]
    if not chosen:
        raise AuthorError(f"{name}: the cell {piece!r} has no stored text output.")
    return "\n".join(line[:110] for line in chosen)
