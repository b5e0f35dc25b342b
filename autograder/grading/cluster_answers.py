"""The reader of what a worker of a cluster returns, which is not trusted."""

from __future__ import annotations

import json
import math
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.grading.grading_log import Usage
from autograder.grading.questions import Answers, Outcomes, Questions
from autograder.sandbox.client import MAX_TOKENS, is_count, is_message, replace_surrogates

#: Characters of an answer: a notebook keeps 32 MiB of output, and JSON may write a byte as six.
_MAX_LENGTH = 256 * 2**20
_MAX_SENTENCE_LENGTH = 20_000
_KINDS = ("version", "sandbox", "fault")
_OUTPUTS = {
    "stream": ("name", "text"),
    "display_data": ("data", "metadata"),
    "execute_result": ("data", "metadata", "execution_count"),
    "error": ("ename", "evalue", "traceback"),
}


class Odd(ValueError):
    """A worker's answer is malformed; the message says why, in our own words."""


class Problem(Exception):
    """A worker reports why it has no answer.

    Attributes
    ----------
    kind : str
        "version" or "sandbox" if the worker cannot run anything, "fault" if the grader failed.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def read_answer(text: object, nonce: str, notebook: NotebookNode, questions: Questions) -> Answers:
    """Read a worker's answer; put the outputs into the notebook's code cells.

    Parameters
    ----------
    text : object
        The value that the worker returned.
    nonce : str
        The random text that was sent with this notebook.

    Raises
    ------
    Odd
        It is not an answer to these questions about this notebook.
    Problem
        The worker says why it has none.
    """
    found = _load(text, len(questions))
    if found.get("nonce") != nonce:
        raise Odd("an answer was not about this submission")
    if "problem" in found:
        kind, why = found.get("kind"), found["problem"]
        if kind not in _KINDS or not isinstance(why, str):
            raise Odd("an answer cannot be read")
        raise Problem(kind, why[:_MAX_SENTENCE_LENGTH])
    try:
        answers = Answers(usage=_usage(found["usage"]))
        for name, outcomes in found["outcomes"].items():
            end = found["ends"].get(name, "")
            answers.note(name, _outcomes(outcomes, len(questions[name])), _sentence(end))
        if answers.outcomes.keys() != questions.keys():
            raise Odd("an answer leaves exercises out")
        shown = {number: _outputs(outputs, count) for number, outputs, count in found["cells"]}
        code = {n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"}
        if shown.keys() != code:
            raise Odd("an answer is about other cells")
    except Odd:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Odd("an answer cannot be read") from error
    for number, (outputs, count) in shown.items():
        notebook.cells[number].outputs, notebook.cells[number].execution_count = outputs, count
    return answers


def _load(text: object, exercises: int) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > _MAX_LENGTH:
        raise Odd("an answer is too long, or no text")
    if sum(map(text.count, "[{,")) > (exercises + 2) * MAX_TOKENS:
        raise Odd("an answer has too many elements")
    try:
        found = replace_surrogates(json.loads(text), [text.encode("utf-8", "replace")])
    except (ValueError, RecursionError, MemoryError) as error:
        raise Odd("an answer cannot be read") from error
    if not isinstance(found, dict):
        raise Odd("an answer cannot be read")
    return found


def _outcomes(found: Any, count: int) -> Outcomes | None:
    if found is None:
        return None
    if not (isinstance(found, list) and len(found) == count):
        raise Odd("an answer has another number of cases")
    if not all(isinstance(one, dict) for one in found):
        raise Odd("an answer cannot be read")
    return found


def _sentence(found: Any) -> str:
    if not isinstance(found, str):
        raise Odd("an answer cannot be read")
    return found[:_MAX_SENTENCE_LENGTH]


def _usage(found: Any) -> Usage | None:
    if found is None:
        return None
    usage = Usage(**found)
    numbers = (usage.seconds, usage.cpu_seconds or 0.0, usage.memory_bytes or 0)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise Odd("an answer cannot be read")
        if not (math.isfinite(number) and 0 <= number < 2**53):
            raise Odd("an answer cannot be read")
    if not (isinstance(usage.sandboxed, bool) and isinstance(usage.end, str)):
        raise Odd("an answer cannot be read")
    return usage


def _outputs(found: Any, count: Any) -> tuple[list[NotebookNode], int | None]:
    """Return the outputs of a cell, with only the fields of their types."""
    if not is_count(count):
        raise Odd("an answer cannot be read")
    kept = []
    for output in found:
        kind = output["output_type"]
        content = {key: output[key] for key in _OUTPUTS[kind]}
        if not is_message({"msg_type": kind, "parent_header": {}, "content": content}):
            raise Odd("an answer cannot be read")
        kept.append(nbformat.from_dict({"output_type": kind, **content}))
    return kept, count
