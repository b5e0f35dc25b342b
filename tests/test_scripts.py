"""The scripts that no other test runs, for hours of measuring and training, find what they import."""

import ast
import importlib
import pkgutil

import pytest
from checkout import ROOT

SCRIPTS = sorted(
    path.relative_to(ROOT)
    for folder in ("benchmarks", "pretraining", "data")
    for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_imports_what_there_is(script):
    for node in ast.walk(ast.parse((ROOT / script).read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.module.partition(".")[0] not in ("coursekit", "autograder"):
            continue
        module = importlib.import_module(node.module)
        parts = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", []))}
        for name in node.names:
            assert hasattr(module, name.name) or name.name in parts, f"{node.module}.{name.name}"
