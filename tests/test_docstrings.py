"""Docstrings are numpydoc: each entry has a type, and below it a sentence."""

import ast
import inspect
import re

import pytest
from checkout import ROOT

MODULES = sorted(
    str(path.relative_to(ROOT))
    for package in ("autograder", "coursekit")
    for path in (ROOT / package).rglob("*.py")
    if "templates" not in path.parts
)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n(.*?)(?=^\w[\w ]*\n-{3,}\n|\Z)", re.M | re.S)
ENTRY = re.compile(r"\*{0,2}\w+(, \*{0,2}\w+)* : \S.*[^.]")


def entries(body):
    """The first line of each entry of a section, and whether something is said below it."""
    lines = [line for line in body.splitlines() if line.strip()]
    for line, following in zip(lines, [*lines[1:], ""]):
        if not line.startswith(" "):
            yield line, following.startswith(" ")


def parameters(node):
    given = node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return {arg.arg for arg in named if arg is not None}


@pytest.mark.parametrize("path", MODULES)
def test_every_entry_of_a_docstring_has_a_type_and_a_sentence(path):
    wrong = []
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        text = inspect.cleandoc(ast.get_docstring(node) or "")
        for title, body in SECTION.findall(text):
            for entry, is_explained in entries(body):
                right = True
                if title in ("Parameters", "Attributes"):
                    right = ENTRY.fullmatch(entry) and is_explained
                    names = set(re.split(r", ", entry.partition(" : ")[0].replace("*", "")))
                    if title == "Parameters" and not isinstance(node, ast.ClassDef):
                        right = right and names <= parameters(node)
                elif title in ("Returns", "Yields", "Raises"):
                    # a type, or a name and a type
                    right = not entry.endswith(".") and (title != "Raises" or is_explained)
                if not right:
                    wrong.append(f"{node.name}, {title}: {entry}")
    assert wrong == []
