"""All mutants of a reference: one edit at one place each.

The edits are our own, on the text: mutation tools such as mutmut and cosmic-ray rewrite files for a
test runner and know nothing of tensors (axes, gradients, masks, parameters, sizes seen in cases).
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import hashlib
import warnings
from dataclasses import dataclass

from autograder.authoring.audit import (
    call_operators,
    memory_operators,
    module_operators,
    python_operators,
    tensor_operators,
)
from autograder.authoring.audit.one_place_edits import Operator, Reference, Site
from autograder.course.apply_edit import EditError, apply_edit

OPERATORS: tuple[Operator, ...] = (
    *python_operators.OPERATORS,
    *call_operators.OPERATORS,
    *tensor_operators.OPERATORS,
    *module_operators.OPERATORS,
    *memory_operators.OPERATORS,
)


@dataclass(frozen=True)
class Mutant:
    """A reference with one edit.

    Attributes
    ----------
    operator : str
        What kind of edit, in words.
    source : str
        The whole text.
    form : str
        A short text that two sources share if they differ in formatting only.
    edits : tuple of (node, str)
        The nodes of the reference that are replaced, each with its new text.
    """

    operator: str
    source: str
    form: str
    edits: tuple[tuple[ast.AST, str], ...] = ()


def mutants(reference: Reference) -> list[Mutant]:
    """Return every mutant that is Python and differs from the reference and from each other."""
    found: dict[str, Mutant] = {}
    known = form(reference.source)
    for node in reference.nodes():
        if not hasattr(node, "lineno") and not isinstance(node, ast.comprehension):
            continue
        for operator in OPERATORS:
            for edit in operator(Site(reference, node)):
                edits = ((node, edit),) if isinstance(edit, str) else edit
                source = reference.rewritten(*edits)
                with contextlib.suppress(SyntaxError, ValueError):
                    if (own := form(source)) != known and own not in found:
                        _compile(source)
                        words = operator.__name__.replace("_", " ")
                        found[own] = Mutant(words, source, own, edits)
    return list(found.values())


def _compile(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # as for `3()`: that is the mutant's fault
        compile(source, "<mutant>", "exec")


def form(source: str) -> str:
    """Return a short text that two sources share if they differ in formatting only.

    Raises
    ------
    SyntaxError, ValueError
        The source is not Python.
    """
    return hashlib.sha256(ast.dump(ast.parse(source)).encode()).hexdigest()[:16]


def as_edit(reference: str, mutant: str) -> str:
    """Return the difference as an edit that `apply_edit` accepts, with as little context as possible."""
    old, new = reference.splitlines(), mutant.splitlines()
    for context in range(len(old) + 1):
        lines = list(difflib.unified_diff(old, new, n=context, lineterm=""))[2:]
        edit = "\n".join("..." if line.startswith("@@") else line for line in lines[1:])
        try:
            if form(apply_edit(reference, edit)) == form(mutant):
                return edit + "\n"
        except (EditError, SyntaxError, IndexError, ValueError):
            continue
    return mutant
