"""Runs the cells of a notebook with answers in place of the solutions: does what passes suffice?

    python benchmarks/later_cells.py 03_deep_averaging --rounds 3

A check can be green although a later cell needs more of the answer than the check asks. In each round
every exercise gets another right answer, typed or from `RIGHT`; the whole notebook must run. If a cell
fails, the check of some answer is to be extended, or the answer is wrong.

What the cells print is compared with what the solution notebook shows, number by number: a text that
argues from a number must hold for every right answer. Numbers that have a unit of time do not count.
The result of each assignment is stored in `data/results/later_cells.json`.
"""

from __future__ import annotations

import argparse
import ast
import re
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path

from _results import results, write
from nbformat import NotebookNode

from autograder.authoring.execute import run_cells
from autograder.authoring.stamp import stamp
from autograder.course.assignment import Assignment, every_assignment
from autograder.course.layout import Course
from autograder.course.typed_answers import typed_answers
from autograder.errors import CourseError

COURSE = Course(Path(__file__).parent.parent)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
#: Right answers with which a later cell takes hours, as the exercises' texts say.
SLOW = {("window_mask", "loops"), ("csls", "one word pair at a time")}
TIME = re.compile(r"\d\s?(s|ms|min|seconds?|minutes?|milliseconds?|times)\b|\d\d:\d\d|it/s")


@dataclass
class Round:
    """A run of a notebook with other right answers.

    Attributes
    ----------
    answers : dict of str to str
        The words of the answer to each exercise.
    failed : str
        Where it stopped and why; "" if it runs.
    compared : int
        How many numbers were compared with those of the solution notebook.
    differing : list of list of str
        The lines that differ: as stored, and in this run.
    """

    answers: dict[str, str]
    failed: str
    compared: int = 0
    differing: list[list[str]] = field(default_factory=list)


def right_answers(assignment: Assignment) -> dict[str, list[tuple[str, str]]]:
    """The words and sources of the right answers to each exercise."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in assignment.exercises}
    for answer in typed_answers(assignment, "right"):
        if (answer.exercise, answer.words) not in SLOW:
            found[answer.exercise].append((answer.words, answer.source))
    for name, exercise in assignment.exercises.items():
        reference = assignment.solution.bare_sources[name]
        found[name] += [(a.name, a.source(reference)) for a in exercise.alternatives]
    return found


def with_answers(assignment: Assignment, sources: dict[str, str]) -> NotebookNode:
    """The solution notebook with other answers."""
    notebook = stamp(assignment)
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cell.source.startswith(("%", "# Set-up")):
            cell.source = _replaced(cell.source, sources)
    return notebook


def _replaced(source: str, sources: dict[str, str]) -> str:
    lines = source.splitlines()
    try:
        nodes = ast.parse(source).body
    except SyntaxError:  # a magic
        return source
    for node in reversed(nodes):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in sources:
            lines[node.lineno - 1 : node.end_lineno] = sources[node.name].splitlines()
    return "\n".join(lines)


def printed(cell: NotebookNode) -> str:
    """What a cell prints and displays as text."""
    texts = [o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.outputs]
    return "\n".join(texts)


def differing(stored: NotebookNode, found: NotebookNode) -> tuple[int, list[list[str]]]:
    """How many numbers are compared, and the lines in which one differs or the words do.

    Numbers agree if they differ by one unit of the last digit that is shown, or by 0.1 %: another
    order of additions is rounded differently.
    """
    compared, lines = 0, []
    for one, two in zip(stored.cells, found.cells, strict=True):
        if one.cell_type != "code" or "check(" in one.source:
            continue
        for was, now in zip_longest(
            printed(one).splitlines(), printed(two).splitlines(), fillvalue=""
        ):
            if TIME.search(was) and TIME.search(now):
                continue
            compared += len(NUMBER.findall(was))
            if not _alike(was, now):
                lines.append([was.strip()[:120], now.strip()[:120]])
    return compared, lines


def _alike(was: str, now: str) -> bool:
    if NUMBER.sub("#", was).split() != NUMBER.sub("#", now).split():
        return False
    return all(map(_agree, NUMBER.findall(was), NUMBER.findall(now)))


def _agree(was: str, now: str) -> bool:
    """Whether two numbers are one but for rounding; whole numbers must be equal."""
    if "." not in was:
        return was == now
    one, two = (float(number.replace(",", "")) for number in (was, now))
    unit = 10.0 ** -len(was.partition(".")[2])
    return abs(one - two) <= max(1.01 * unit, 1e-3 * abs(one))


def run_round(assignment: Assignment, number: int) -> Round:
    """The words of the answers of one round, what failed, or "", and what it prints."""
    chosen = {
        name: answers[number % len(answers)]
        for name, answers in right_answers(assignment).items()
        if answers
    }
    words = {name: answer[0] for name, answer in chosen.items()}
    sources = {name: answer[1] for name, answer in chosen.items()}
    notebook = with_answers(assignment, sources)
    try:
        run_cells(assignment, notebook)
    except CourseError as error:
        return Round(words, str(error))
    return Round(words, "", *differing(assignment.solution.notebook, notebook))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("assignments", nargs="*", help="all, if none is named")
    parser.add_argument("--rounds", type=int, default=None, help="the first so many rounds")
    options = parser.parse_args()
    for assignment in every_assignment(COURSE):
        if options.assignments and assignment.name not in options.assignments:
            continue
        most = max(map(len, right_answers(assignment).values()))
        found = []
        for number in islice(range(most), options.rounds):
            found.append(run_round(assignment, number))
            other = len(found[-1].differing)
            print(
                assignment.name,
                number,
                found[-1].failed or f"runs, {other} lines differ",
                flush=True,
            )
        failed = [{"what": one.failed, "answers": one.answers} for one in found if one.failed]
        row = {
            "rounds": len(found),
            "failed": failed,
            "numbers": max(one.compared for one in found),
            "differing": [one.differing for one in found],
        }
        write("later_cells", {**results("later_cells"), assignment.name: row})


if __name__ == "__main__":
    main()
