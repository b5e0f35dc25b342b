"""The content of cells: names they define, exercises they check, solution delimiters."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable

from nbformat import NotebookNode

from autograder.errors import CourseError

#: What `parse_start` raises on syntax errors, null bytes and too deep nesting.
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
#: Only this many characters of a cell are parsed: a longer one could take seconds.
MAX_CELL_CHARACTERS = 100_000
_MAX_IMPORT_CHARACTERS = 1_000
#: IPython translates a cell's special lines one by one, and reads the whole cell for each: the most
#: such lines, and their number times the cell's length. A released cell has one.
_MAX_MAGICS, _MAX_MAGIC_WORK = 100, 500_000
_MAGIC = re.compile(r"^[ \t]*[%!?,;/]|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
#: The grade id of a check cell is this and the name of its exercise.
CHECK = "check_"
#: The grade id of a cell into which students paste earlier answers is this and their assignment.
FROM = "from_"
#: With this the first line of such a cell ends where students may do without their earlier answers.
OR_GIVEN = " (or given)"
#: The statements that define functions and classes.
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def parse(source: str, filename: str = "<cell>") -> ast.Module:
    """Parse a cell; IPython syntax (``%``, ``!``, ``?``) becomes function calls.

    Raises
    ------
    CourseError
        The cell is not Python.
    """
    try:
        translated = as_python(source)
        _require_short_imports(translated)
        return ast.parse(translated, filename)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{filename} is not Python: {error}") from error


def as_python(source: str) -> str:
    """Translate a cell's IPython syntax to function calls, in a nearly content-independent time.

    Raises
    ------
    SyntaxError
        It has more lines of IPython syntax than anybody writes.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    magics = len(_MAGIC.findall(source))
    if magics > _MAX_MAGICS or magics * len(source) > _MAX_MAGIC_WORK:
        raise SyntaxError(f"{magics} lines of IPython syntax in {len(source)} characters")
    try:
        return TransformerManager().transform_cell(source)
    except (ValueError, RuntimeError) as error:  # whatever its tokens make of it
        raise SyntaxError(str(error)) from error


def parse_start(source: str) -> ast.Module:
    """Parse the first `MAX_CELL_CHARACTERS` characters, in a time that grows with them alone.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        They are not Python, or import a name so long that Python's parser takes seconds for it.
    """
    start = source[:MAX_CELL_CHARACTERS]
    _require_short_imports(start)
    return ast.parse(start)


def _require_short_imports(source: str) -> None:
    """Raise `ValueError` if a long line imports: Python's parser may take seconds for it."""
    for line in re.split(r"[\r\n]", re.sub(r"\\(?:\r\n|\r|\n)", " ", source)):
        if len(line) > _MAX_IMPORT_CHARACTERS and re.search(r"\b(?:import|from)\b", line):
            raise ValueError("an import of a very long name")


@functools.lru_cache(maxsize=256)
def defined_names(source: str) -> tuple[str, ...]:
    """Return the functions and classes a cell defines at top level, even if it does not parse."""
    try:
        body = parse_start(source).body
    except NOT_PYTHON:
        return tuple(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", source, re.MULTILINE))
    names = [node.name for node in body if isinstance(node, DEFINITIONS)]
    lambdas = [n for n in body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Lambda)]
    names += [t.id for n in lambdas for t in n.targets if isinstance(t, ast.Name)]
    return tuple(names)


@functools.lru_cache(maxsize=256)
def checked_exercise(source: str) -> str | None:
    """Return the `name` of a cell that consists of ``check(name)`` alone, else None."""
    try:
        body = parse_start(source.strip()).body
    except NOT_PYTHON:
        return None
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return None
    call = body[0].value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    if call.func.id != "check" or len(call.args) != 1 or call.keywords:
        return None
    return call.args[0].id if isinstance(call.args[0], ast.Name) else None


def asked_exercise(cell: NotebookNode) -> str | None:
    """Return the exercise that a check cell of a released or sanitized notebook checks, else None.

    Its metadata says so, which sanitizing restores from the release: the text is not read again.
    A copy of a check, and a check that is repeated without points, have none.
    """
    marks = cell.metadata.get("nbgrader", {})
    if cell.cell_type != "code" or not marks.get("grade") or marks.get("solution"):
        return None
    grade_id = str(marks.get("grade_id", ""))
    return grade_id.removeprefix(CHECK) if grade_id.startswith(CHECK) else None


def reused_from(cell: NotebookNode) -> str | None:
    """Return the earlier assignment whose definitions a stamped cell contains, if any."""
    grade_id = str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
    return grade_id.removeprefix(FROM) if grade_id.startswith(FROM) else None


def kept_definitions(source: str, filename: str = "<cell>") -> ast.Module:
    """Parse a cell and keep its imports, definitions and constants only."""
    tree = parse(source, filename)
    tree.body = [node for node in tree.body if _is_definition(node)]
    return tree


def import_statements(sources: Iterable[str]) -> list[str]:
    """Return the top-level import statements of several cells, without duplicates."""
    imports = (ast.Import, ast.ImportFrom)
    nodes = (node for source in sources for node in parse(source).body)
    return list(dict.fromkeys(ast.unparse(node) for node in nodes if isinstance(node, imports)))


def without_delimiters(source: str) -> str:
    """Return a solution cell as a student would have typed it, without the solution delimiters."""
    return "\n".join(line for line in source.splitlines() if not is_delimiter(line))


def written_answers(notebook: NotebookNode) -> dict[str, str]:
    """Return the sources of the cells that students fill in, by exercise."""
    return {
        cell.metadata["nbgrader"].get("grade_id", ""): "".join(cell.source)  # or a list of lines
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    }


def is_delimiter(line: str) -> bool:
    """Tell whether a line opens or closes a solution block."""
    return line.strip().startswith(("### BEGIN SOLUTION", "### END SOLUTION"))


def _is_definition(node: ast.stmt) -> bool:
    """Tell whether a statement is an import, a definition, or a literal constant in capitals."""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        capitals = all(isinstance(t, ast.Name) and t.id.isupper() for t in targets)
        return capitals and _is_literal(node.value)
    return False


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
