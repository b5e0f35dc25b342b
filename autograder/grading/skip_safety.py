"""A proof from the text that the cells that were left out cannot have changed an answer.

The two runs of a submission differ in the cells that were left out: text of the release, which
binds names and calls what the student wrote. They cannot change what an exercise returns if

1. no cell that ran reads a global name that one of them binds, and they define no exercise;
2. they set nothing in a library (`_require_harmless`), and
3. what the student's functions do leaves no trace, so that it does not matter who called them
   before (`traces`): a function reads only its arguments, constants, imported modules and other
   such functions; it calls only functions of libraries that keep no state (`pure_functions`); it
   changes only what its call has made or been given, which no other function can read. Random
   generators are seeded before every case.

Code that is not of this form may depend on the cells, however unlikely that is. A wrong "may" costs
a second run, and a wrong "cannot" could cost a point: in doubt, it is "may".
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from nbformat import NotebookNode

from autograder.course.cells import NOT_PYTHON, asked_exercise
from autograder.grading.global_names import Known, Unsure, bound_names, parsed, read_names
from autograder.grading.pure_functions import DYNAMIC, sets_something
from autograder.grading.purity import Traces

#: Names that a released cell may use, as it is written by the author.
_READING = {"get_ipython", "getattr", "open", "input"}


def cannot_differ(
    notebook: NotebookNode, left_out: Collection[int], exercises: Collection[str]
) -> bool:
    """Tell whether running the cells `left_out`, too, is proved to give the same answers.

    Parameters
    ----------
    notebook : NotebookNode
        A sanitized submission.
    left_out : collection of int
        The cells that were not run.
    exercises : collection of str
        The names of its exercises.

    Returns
    -------
    bool
        True if it is proved, provided that the answers came back in time, from a kernel that lived.
    """
    return why_it_may_differ(notebook, left_out, exercises) == ""


def why_it_may_differ(
    notebook: NotebookNode, left_out: Collection[int], exercises: Collection[str]
) -> str:
    """Return the obstacle to the proof, one clause; "" if there is none."""
    code = [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    ran = [c.source for i, c in code if i not in left_out and asked_exercise(c) is None]
    others = [cell.source for i, cell in code if i in left_out]
    try:
        trees = [parsed(source) for source in ran]
        shown = [parsed(source) for source in others]
        known = Known(trees)
        bound = set().union(*map(bound_names, others))
        read = set(exercises).union(*map(read_names, ran))
        if both := bound & read:
            raise Unsure(f"they bind {min(both)}, which is read")
        everything = Known([*trees, *shown])
        for tree in shown:
            _require_harmless(tree, everything, set(exercises))
        for name in exercises:
            if known.kinds(name) - {"own"}:
                raise Unsure(f"{name} is not a function or class of a cell")
        for tree in trees:
            Traces(known).check(tree)
    except Unsure as error:
        return str(error)
    except NOT_PYTHON:
        return "a cell is not Python"
    return ""


def _require_harmless(tree: ast.Module, known: Known, exercises: set[str]) -> None:
    """Refuse a released cell that sets something in a library or a student's class.

    `own_or_given(globals(), ...)` may stay out: what it replaces is a wrong helper, with which an
    exercise that has lost points is judged again (see `error_carried_forward`).
    """
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    silent = {id(node.func) for node in calls if _says(node.args[0], "ignore")}
    silent |= {
        id(node.args[0].func)
        for node in calls
        if isinstance(node.func, ast.Name)
        and node.func.id == "own_or_given"
        and isinstance(node.args[0], ast.Call)
    }
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.Name) and node.id in DYNAMIC - _READING:
            raise Unsure(f"a cell that was left out uses {node.id}")
        if isinstance(node, ast.Attribute):
            root: ast.expr = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            stored = not isinstance(node.ctx, ast.Load)
            name = root.id if isinstance(root, ast.Name) else ""
            if stored and (name in exercises or name in known.imported):
                raise Unsure(f"a cell that was left out changes {name}.{node.attr}")
            if any(map(sets_something, known.paths(node))):
                raise Unsure(f"a cell that was left out uses {name}.{node.attr}")


def _says(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text
