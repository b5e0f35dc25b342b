"""The course's site: notebooks, guides and reference. `make site` writes it to `site/html/`.

The pages are the files named in `include_patterns`, read where they are: nothing is copied and
nothing of `solutions/` is read. The reference is made from docstrings. Formulas become MathML, which
needs no script and no network.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.course.layout import Course  # noqa: E402
from autograder.pages.formulas import to_mathml  # noqa: E402

project = "coursekit"
copyright = "the authors of coursekit; text CC BY 4.0, code BSD 3-Clause"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/api/*.md",
    "LECTURES.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "notebooks/*/*.ipynb",
]
default_role = "py:obj"  # `name` in a docstring: a link where the reference has that name
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_ivar = True  # of a named tuple, autodoc describes the fields already
napoleon_use_rtype = False
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]

html_theme = "sphinx_book_theme"
html_extra_path = ["root"]  # the address of the site itself leads to the first page
html_static_path = ["style"]
html_css_files = ["site.css"]
html_title = "coursekit"
html_copy_source = True
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "repository_url": Course(ROOT).config.students,
    "repository_branch": "main",
    "use_repository_button": True,
    "use_download_button": True,
    "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "navbar_persistent": [],
}


def _formula(translator: object, node: nodes.Element, block: bool) -> None:
    mathml = to_mathml(node.astext(), block)
    if mathml.startswith("<code>"):
        logging.getLogger(__name__).warning("no formula: %s", node.astext(), location=node)
    translator.body.append(f'<div class="formula">{mathml}</div>' if block else mathml)
    raise nodes.SkipNode


def _embed_attachments(app: object, page: str, source: list[str]) -> None:
    """Turn the drawings attached to cells, which MyST-NB cannot read, into data addresses."""
    if not page.startswith("notebooks/"):
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        for name, kinds in cell.pop("attachments", {}).items():
            ((kind, data),) = kinds.items()
            text = text.replace(f"attachment:{name}", f"data:{kind};base64,{data.strip()}")
        cell["source"] = text
    source[0] = json.dumps(notebook)


def _read_docstring(
    app: object, kind: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """After numpydoc's sections have become fields, keep two things from being read as markup.

    |V| is the size of V, not a name to replace, and two names before one text are no type and name.
    """
    for number, line in enumerate(lines):
        line = re.sub(r"\|(\w+)\|", r"\\|\1\\|", line)
        field = re.match(r":(?:ivar|param|type|vartype) (\w+(?:, \w+)+):", line)
        if field:
            line = line.replace(field[1], field[1].replace(", ", ",\N{NO-BREAK SPACE}"), 1)
        lines[number] = line


def setup(app: object) -> None:
    """Register the renderer of formulas, and the readers of drawings and docstrings."""
    app.connect("autodoc-process-docstring", _read_docstring, priority=900)
    app.connect("source-read", _embed_attachments)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda self, node: _formula(self, node, False), None),
        block_renderers=(lambda self, node: _formula(self, node, True), None),
    )
