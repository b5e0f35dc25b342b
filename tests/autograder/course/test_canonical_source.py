"""What digests of a source leave out, and that nothing else is."""

import ast

import pytest
from checkout import ROOT

from autograder.course.canonical_source import bare, judged

SOURCES = sorted(
    path for folder in ("autograder", "coursekit") for path in (ROOT / folder).rglob("*.py")
)


def meaning(source):
    """The syntax tree without statements that are only a text."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [s for s in body if not _is_text(s)] or [ast.Pass()]
    return ast.dump(tree)


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1  # one\n\n\n# two\ny = 2\n", "x = 1\ny = 2"),
        ('"""Text."""\nx = "# no comment"\n', 'x = "# no comment"'),
        ('def f():\n    """Text\n\n    # more."""\n    return 1\n', "def f():\n    return 1"),
        ('x = """a\n\n# b  \n"""\n', 'x = """a\n\n# b  \n"""'),
        ('f(\n    "a"\n    "b"\n)\n', 'f(\n    "a"\n    "b"\n)'),
        ('x = \\\n"a"\n', 'x = \\\n"a"'),
        ('"a".join(x)\n', '"a".join(x)'),
        ("x = r'\\'  # '\n", "x = r'\\'  # '"),
        ("if x:\n    # why\n    y()\n  # odd\nz()\n", "if x:\n    y()\nz()"),
    ],
)
def test_comments_and_docstrings_are_left_out_and_no_other_text(source, expected):
    assert bare(source) == expected


def test_no_source_of_ours_loses_its_meaning():
    for path in SOURCES:
        source = path.read_text("utf-8")
        left = bare(source)
        assert len(left) < len(source) or not source.strip()
        try:
            assert meaning(left) == meaning(source), path
        except SyntaxError:  # a class or function that had only a docstring
            assert any(
                len(node.body) == 1 and _is_text(node.body[0])
                for node in ast.walk(ast.parse(source))
                if isinstance(node, (ast.ClassDef, ast.FunctionDef))
            ), path


def test_a_module_of_cases_keeps_cases_and_points_alone():
    module = 'POINTS = {"a": 1}\nWRONG = {\n    "b": """hint"""\n}\nRIGHT = {}\n\nX = 2\n'
    assert bare(judged(module)) == 'POINTS = {"a": 1}\nX = 2'
