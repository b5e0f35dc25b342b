"""The outputs that the grader adds to a run, and the outcomes read from a question's outputs."""

from __future__ import annotations

import json
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.grading.questions import Outcomes
from autograder.sandbox.client import MAX_TOKENS, replace_surrogates
from coursekit.checking.kernel_setup import CutOff
from coursekit.checking.kernel_side import MIME

OUTPUT_LIMIT = "OutputLimit"
#: Limit on the characters of each text of an error that the grader adds: it may quote a kernel's
#: reply, which does not count as output.
_MAX_TEXT_LENGTH = 2_000
#: Reason why there is no answer; no other run of the notebook could make it right.
TOO_LARGE = "what it returned is many times larger than any right answer"


def time_limit_error(seconds: float) -> dict[str, Any]:
    """Return the content of the error of a cell that reached its time limit."""
    text = f"stopped after {seconds:g} seconds"
    return {"ename": "TimeLimit", "evalue": text, "traceback": [f"TimeLimit: {text}"]}


def flood(limit: int) -> NotebookNode:
    """Return the error of a cell that printed more than `limit` bytes."""
    return error_output(OUTPUT_LIMIT, f"output truncated: a cell may print {limit / 2**20:g} MiB")


def too_much(limit: int) -> NotebookNode:
    """Return the note from which on outputs are left out, as the notebook has `limit` bytes."""
    text = f"From here on outputs are left out: a notebook keeps {limit / 2**20:g} MiB.\n"
    output: NotebookNode = new_output("stream", text=text)
    return output


def error_output(name: str, text: str) -> NotebookNode:
    """Return an error output, with its texts cut to `_MAX_TEXT_LENGTH`."""
    name, text = name[:_MAX_TEXT_LENGTH], text[:_MAX_TEXT_LENGTH]
    trace = [f"{name}: {text}"]
    output: NotebookNode = new_output("error", ename=name, evalue=text, traceback=trace)
    return output


def was_cut_off(seconds: float) -> NotebookNode:
    """Return the note at a cell that ran again, but not to its end."""
    text = (
        "For the answers that were not right, the notebook was run once more with this cell, which"
        f" was stopped after {seconds:g} seconds of processor time.\n"
    )
    output: NotebookNode = new_output("stream", text=text)
    return output


def cells_cut_off(notebook: NotebookNode) -> set[int]:
    """Return the cells that their own limit of processor time has stopped."""
    return {
        i
        for i, cell in enumerate(notebook.cells)
        if any(o.get("ename") == CutOff.__name__ for o in cell.get("outputs", []))
    }


def read_outcomes(outputs: list[NotebookNode], count: int) -> tuple[Outcomes | None, str]:
    """Return the outcomes found in a request's outputs, or None and the reason."""
    shown = [output.data for output in outputs if output.output_type == "display_data"]
    texts = [data[MIME] for data in shown if isinstance(data.get(MIME), str)][:count]
    if sum(text.count(token) for text in texts for token in "[{,") > MAX_TOKENS:
        return None, TOO_LARGE
    try:
        together = [replace_surrogates(json.loads(text), [text.encode()]) for text in texts]
    except (ValueError, RecursionError):
        return None, "its output cannot be read"
    if not all(isinstance(some, list) for some in together):
        return None, "its output cannot be read"
    outcomes = [outcome for some in together for outcome in some][:count]
    if len(outcomes) == count:
        readable = all(isinstance(outcome, dict) for outcome in outcomes)
        return (outcomes, "") if readable else (None, "its output cannot be read")
    errors = [output for output in outputs if output.output_type == "error"]
    if any(output.ename == OUTPUT_LIMIT for output in errors):
        return None, TOO_LARGE
    for output in errors:
        return None, f"it stopped with {output.ename}: {output.evalue}"[:300]
    return None, "no answer came back"
