"""Sources reduced to what a verdict depends on, for digests that tell if work must be redone."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

#: What of a module of cases decides no verdict: right answers, wrong answers and their hints.
_NOT_JUDGED = ("RIGHT", "EQUIVALENT", "FURTHER", "FURTHER_FOR", "WRONG")
#: Strings, comments and what separates statements; all between them is code.
_TOKEN = re.compile(
    r'''(?P<string>(?:\b[A-Za-z]{1,2})?(?:"""(?:[^"\\]|\\.|"(?!""))*"""'''
    r"""|'''(?:[^'\\]|\\.|'(?!''))*'''"""
    r"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))"""
    r"""|(?P<comment>\#[^\n]*)|(?P<joined>\\\n)|(?P<line>\n[ \t]*)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])""",
    re.DOTALL,
)
_REST_IS_EMPTY = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|$)")


def bare(source: str) -> str:
    """Strip comments, docstrings and blank lines from Python source, alike in any Python version.

    A function or class of which only its docstring remains has no body then. `ast.unparse` and
    `ast.dump` would take several times as long, and differ between versions.
    """
    source = "\n" + source
    kept: list[str] = []
    depth = at = 0
    empty = True  # so far, the line
    for found in _TOKEN.finditer(source):
        kind = found.lastgroup
        before = source[at : found.start()]
        at = found.end()
        if kind in ("line", "comment"):
            before = before.rstrip(" \t")
        if before:
            kept.append(before)
            empty = False
        if kind == "comment":
            continue
        if kind == "line":
            if empty and kept:
                kept.pop()  # the break before a line that has nothing else
            empty = True
        elif kind == "string" and empty and not depth and _REST_IS_EMPTY.match(source, at):
            continue  # a statement that is only a string
        else:
            depth += (kind == "open") - (kind == "close")
            empty = False
        kept.append(found[0])
    kept.append(source[at:])
    return "".join(kept).strip()


def judged(module: str) -> str:
    """Blank out what no verdict depends on in a module of cases: right answers, wrong ones, hints.

    The lines of a statement that is left out become empty.
    """
    return without(module, lambda node: _assigned(node) in _NOT_JUDGED)


def without(module: str, is_left_out: Callable[[ast.stmt], bool]) -> str:
    """Blank out some of a module's top-level statements."""
    lines = module.splitlines()
    for node in ast.parse(module).body:
        if is_left_out(node):
            last = node.end_lineno or node.lineno
            lines[node.lineno - 1 : last] = [""] * (last - node.lineno + 1)
    return "\n".join(lines)


def _assigned(node: ast.stmt) -> str:
    """Return the name that a statement assigns to, or ""."""
    return getattr(getattr(node, "targets", [None])[0], "id", "")
