"""Runs the cells of a notebook with answers in place of the solutions: does what passes suffice?

    python benchmarks/later_cells.py 03_deep_averaging --rounds 3

A check can be green although a later cell needs more of the answer than the check asks. In each round
every exercise gets another right answer, typed or from `RIGHT`; the whole notebook must run. If a cell
fails, the check of some answer is to be extended, or the answer is wrong. The result of each assignment
is stored in `data/results/later_cells.json`.
"""

from __future__ import annotations

import argparse
import ast
from itertools import islice
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


def right_answers(assignment: Assignment) -> dict[str, list[tuple[str, str]]]:
    """The words and sources of the right answers to each exercise."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in assignment.exercises}
    for answer in typed_answers(assignment, "right"):
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


def run_round(assignment: Assignment, number: int) -> tuple[dict[str, str], str]:
    """The words of the answers of one round, and what failed, or ""."""
    chosen = {
        name: answers[number % len(answers)]
        for name, answers in right_answers(assignment).items()
        if answers
    }
    words = {name: answer[0] for name, answer in chosen.items()}
    sources = {name: answer[1] for name, answer in chosen.items()}
    try:
        run_cells(assignment, with_answers(assignment, sources))
    except CourseError as error:
        return words, str(error)
    return words, ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("assignments", nargs="*", help="all, if none is named")
    parser.add_argument("--rounds", type=int, default=None, help="the first so many rounds")
    options = parser.parse_args()
    for assignment in every_assignment(COURSE):
        if options.assignments and assignment.name not in options.assignments:
            continue
        most = max(map(len, right_answers(assignment).values()))
        failed = []
        for number in islice(range(most), options.rounds):
            words, what = run_round(assignment, number)
            print(assignment.name, number, what or "runs", flush=True)
            if what:
                failed.append({"what": what, "answers": words})
        rounds = min(most, options.rounds or most)
        stored = results("later_cells")
        write("later_cells", {**stored, assignment.name: {"rounds": rounds, "failed": failed}})


if __name__ == "__main__":
    main()
