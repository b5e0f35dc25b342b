"""Runs the notebooks that have been worked on and lists the results of their checks.

    python .github/checks.py notebooks

GitHub shows the list as the summary of a run. Exit status 1 if an exercise that was written fails.
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def is_started(notebook):
    """Tell whether an exercise has been written."""
    exercises = [
        cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution")
    ]
    return any("raise NotImplementedError" not in cell.source for cell in exercises)


def checks(path):
    """The name of each check, and why it fails ("" if it passes)."""
    notebook = nbformat.read(path, as_version=4)
    if not is_started(notebook):
        return
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=1200, allow_errors=True, resources=folder).execute()
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            errors = [output for output in cell.outputs if output.output_type == "error"]
            yield cell.source, errors[0].evalue if errors else ""


def main():
    wrong = 0
    lines = []
    for path in sorted(Path(sys.argv[1]).glob("*/*.ipynb")):
        for name, problem in checks(path):
            is_open = "not written yet" in problem
            wrong += bool(problem) and not is_open
            mark = "to do" if is_open else "wrong" if problem else "right"
            lines.append(f"- {mark}: {path.stem}, `{name}` {'' if is_open else problem}".rstrip())
    text = "\n".join(lines) or "No exercise has been written yet."
    print(text)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        Path(summary).write_text(text + "\n", "utf-8")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
