"""Storage of a student's predictions before a run, and their comparison with the results.

A prediction that is written down after the result is none. So the first one stays: it is stored, in
memory and in a file beside the notebook, and one that comes after the results were shown is marked.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coursekit.data.paths import write_atomically

#: The file beside the notebook, in which predictions outlast a restart of the kernel.
FILE = "predictions.json"
Guess = float | str | tuple[float, float]


@dataclass
class Entry:
    """Stored predictions for one question.

    Attributes
    ----------
    guesses : dict of str to float, str or (float, float)
        What was predicted, by the name of the quantity; a pair is a range.
    compared : bool
        Whether the results have been shown.
    late : list of str
        The quantities that were predicted, or predicted anew, after that.
    """

    guesses: dict[str, Guess] = field(default_factory=dict)
    compared: bool = False
    late: list[str] = field(default_factory=list)


class Comparison:
    """Predictions beside results, as a table."""

    def __init__(self, question: str, rows: list[tuple[str, str, str, str]]) -> None:
        self.question, self.rows = question, rows

    def __repr__(self) -> str:
        """Return the table as plain text."""
        table = [("", "predicted", "result", ""), *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(3)]
        lines = (
            "  ".join([row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in (1, 2)), row[3]])
            for row in table
        )
        return "\n".join([f"{self.question}:", *(line.rstrip() for line in lines)])


def store_prediction(question: str, **guesses: Guess) -> None:
    """Store predictions, before the cell runs that gives the results.

    A quantity that was predicted before keeps its first prediction.

    Parameters
    ----------
    question : str
        A name for the question, for example "shuffled labels".
    **guesses : float, str or (float, float)
        The prediction of each quantity: a number, a word such as "rises", or a range (low, high).

    Raises
    ------
    ValueError
        A prediction is missing (``...``), is no number, or is a range that is not in order.
    """
    if not guesses:
        raise ValueError("Predict at least one quantity, for example accuracy=0.8.")
    checked = {name: _guess(name, guess) for name, guess in guesses.items()}
    entries = _read()
    entry = entries.setdefault(question, Entry())
    for name, guess in checked.items():
        if name in entry.guesses:
            if entry.guesses[name] != guess:
                first = _show(entry.guesses[name])
                print(f"Your first prediction of {name} stays: {first}.")
            continue
        entry.guesses[name] = guess
        if entry.compared:
            entry.late.append(name)
    _write(entries)
    said = ", ".join(f"{name} {_show(guess)}" for name, guess in entry.guesses.items())
    print(f"Stored for {question!r}: {said}.")


def compare_prediction(question: str, **results: float | str) -> Comparison:
    """Show results beside what was predicted.

    Parameters
    ----------
    question : str
        The name with which the predictions were stored.
    **results : float or str
        What came out, by the names of the predictions. Tensors of one number are numbers.

    Returns
    -------
    Comparison
        A table that a notebook shows: predicted, result, and by how much they differ.
    """
    entries = _read()
    entry = entries.setdefault(question, Entry())
    rows = []
    for name, result in results.items():
        value = result if isinstance(result, str) else float(result)
        guess = entry.guesses.get(name)
        rows.append(
            (
                name,
                "none" if guess is None else _show(guess),
                _show(value),
                _note(entry, name, value),
            )
        )
    entry.compared = True
    _write(entries)
    return Comparison(question, rows)


def _note(entry: Entry, name: str, result: float | str) -> str:
    """Describe the difference of a result from its prediction."""
    guess = entry.guesses.get(name)
    if guess is None:
        return "not predicted"
    if isinstance(guess, str) or isinstance(result, str):
        note = "" if isinstance(guess, str) != isinstance(result, str) else _agrees(guess == result)
    elif isinstance(guess, tuple):
        note = "in the range" if guess[0] <= result <= guess[1] else "outside the range"
    else:
        note = f"differs by {result - guess:+.4g}"
    late = "predicted after the result was shown" if name in entry.late else ""
    return "; ".join(part for part in (note, late) if part)


def _agrees(same: bool) -> str:
    """Return the note on whether a word was predicted right."""
    return "as predicted" if same else "otherwise"


def _guess(name: str, guess: Any) -> Guess:
    """Return a prediction as a number, a text or a range, after checking it."""
    if guess is ...:
        raise ValueError(f"Write your prediction of {name} in place of the three dots.")
    if isinstance(guess, str):
        return guess
    is_range = isinstance(guess, (tuple, list))
    try:
        low, high = map(float, guess if is_range else (guess, guess))
    except (TypeError, ValueError):
        raise ValueError(
            f"Predict {name} as a number, as a word, or as a range (low, high)."
        ) from None
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"Predict {name} as a number: NaN is none.")
    if low > high:
        raise ValueError(f"The range of {name} is (low, high), so low comes first.")
    return (low, high) if is_range else low


def _show(value: Guess) -> str:
    """Format a prediction or result."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return f"{value[0]:.4g} to {value[1]:.4g}"
    return f"{value:.4g}"


#: What this process knows; where no file can be written, all that is known.
_entries: dict[str, Entry] = {}


def _read() -> dict[str, Entry]:
    """Return the stored entries: those of the file, and those of this process."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        found = json.loads(Path(FILE).read_text("utf-8"))
        for question, entry in found.items():
            _entries.setdefault(question, _entry(entry))
    return _entries


def _entry(stored: Mapping[str, Any]) -> Entry:
    """Return the entry that the file stores."""
    guesses = {str(name): _guess(name, guess) for name, guess in stored["guesses"].items()}
    return Entry(guesses, bool(stored["compared"]), [str(name) for name in stored["late"]])


def _write(entries: Mapping[str, Entry]) -> None:
    """Write the file beside the notebook, if its folder can be written."""
    text = json.dumps({question: vars(entry) for question, entry in entries.items()}, indent=1)
    with contextlib.suppress(OSError):
        write_atomically(Path(FILE), f"{text}\n".encode())
