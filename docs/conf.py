"""The course's site: notebooks, guides and reference. `make site` writes it to `site/html/`.

The pages are the files named in `include_patterns`, read where they are. A chapter is the student
notebook with the outputs that `autograder.publishing.chapter` lets through from the solution notebook;
what is downloaded stays the student notebook. The reference is made from docstrings. Formulas become
MathML in a font that is shipped: nothing needs a script or a network.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.util import logging

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.course.assignment import Assignment  # noqa: E402
from autograder.course.layout import Course  # noqa: E402
from autograder.pages.formulas import to_mathml  # noqa: E402
from autograder.publishing import landing, section_links  # noqa: E402
from autograder.publishing.chapter import chapter  # noqa: E402
from autograder.publishing.dependency_graph import as_svg, read_graph  # noqa: E402

COURSE = Course(ROOT)
#: The badge of the notebooks, and the one that is shipped.
BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
OWN_BADGE = "/docs/style/open-in-colab.svg"
#: A formula of more letters may be wider than a phone.
LONG = 20

project = "coursekit"
copyright = "the authors of coursekit; text CC BY 4.0, code BSD 3-Clause"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/api/*.md",
    "LECTURES.md",
    "data/reviews/CHALLENGE.md",
    "data/reviews/PUBLISHED.md",
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
html_static_path = ["style", "../autograder/publishing/assets/fonts"]
html_css_files = ["site.css"]
html_title = "coursekit"
html_copy_source = True
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "repository_url": COURSE.config.students,
    "repository_branch": "main",
    "use_repository_button": True,
    "use_download_button": True,
    "launch_buttons": {"colab_url": "https://colab.research.google.com"},
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "navbar_persistent": [],
}


def _formula(translator: object, node: nodes.Element, block: bool) -> None:
    text = node.astext()
    mathml = to_mathml(text, block)
    if mathml.startswith("<code>") or re.search(r">[^<]*(\\|&amp;)", mathml):
        logging.getLogger(__name__).warning("no formula: %s", text, location=node)
    if block:
        long = len(re.sub("<[^>]*>", "", mathml)) > LONG
        scrolls = ' tabindex="0"' if long else ""  # so that keys can scroll it
        mathml = f'<div class="formula"{scrolls}>{mathml}</div>'
    translator.body.append(mathml)
    raise nodes.SkipNode


def _read_source(app: object, page: str, source: list[str]) -> None:
    """Make chapters of notebooks, and fill in what other pages leave to the course's files."""
    if page.startswith("notebooks/"):
        name = page.rsplit("/", 1)[1]
        app.env.note_dependency(str(COURSE.solution(name)))
        app.env.note_dependency(str(COURSE.recordings / f"{name}.json"))
        notebook = chapter(Assignment(COURSE, name))
        _embed_attachments(notebook)
        source[0] = nbformat.writes(notebook)
    elif page == "LECTURES":
        source[0] = section_links.link_sections(COURSE, source[0])
    elif page == root_doc:
        for path in (*ROOT.glob("notebooks/*/*.ipynb"), ROOT / "plans.toml"):
            app.env.note_dependency(str(path))
        counts = {**landing.counts(COURSE), "hours": round(landing.all_hours(COURSE))}
        for name, count in counts.items():
            source[0] = source[0].replace(f"{{{{{name}}}}}", f"{count:,}")
        made = landing.cards(COURSE, "../notebooks/{name}/{name}.html")
        source[0] = source[0].replace("<!-- cards -->", made)
        source[0] = source[0].replace("<!-- graph -->", as_svg(read_graph(COURSE)))


def _embed_attachments(notebook: nbformat.NotebookNode) -> None:
    """Turn the drawings attached to cells, which MyST-NB cannot read, into data addresses."""
    for cell in notebook.cells:
        for name, kinds in cell.pop("attachments", {}).items():
            ((kind, data),) = kinds.items()
            data = f"data:{kind};base64,{data.strip()}"
            cell.source = cell.source.replace(f"attachment:{name}", data)
        cell.source = cell.source.replace(BADGE, OWN_BADGE)


def _picture_files(app: object, page: str, template: str, context: dict, doctree: object) -> None:
    """Write the figures of outputs as files, which a browser loads when they come into view."""
    folder = Path(app.outdir) / "_images"

    def written(found: re.Match[str]) -> str:
        data = base64.b64decode(found[2])
        name = f"{hashlib.sha256(data).hexdigest()[:16]}.{found[1].removesuffix('+xml')}"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        return f'loading="lazy" src="{context["pathto"](f"_images/{name}", 1)}"'

    if "body" in context:
        picture = r'src="data:image/([a-z+]+);base64,([^"]+)"'
        context["body"] = re.sub(picture, written, context["body"])


def _name_buttons(app: object, error: Exception | None) -> None:
    """Give the theme's buttons the names that screen readers need."""
    mended = {
        '<summary><span class="toctree-toggle"': '<summary aria-label="Pages of this part"><span'
        ' class="toctree-toggle"',
        'search-button-field search-button__button pst-js-only" title="Search" aria-label="Search"': (
            'search-button-field search-button__button pst-js-only"'
        ),
        '<summary aria-label="Toggle hidden content">': "<summary>",
    }
    for page in Path(app.outdir).rglob("*.html"):
        text = page.read_text("utf-8")
        for old, new in mended.items():
            text = text.replace(old, new)
        page.write_text(text, "utf-8")


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
    app.connect("source-read", _read_source)
    app.connect("html-page-context", _picture_files)
    app.connect("build-finished", _name_buttons)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda self, node: _formula(self, node, False), None),
        block_renderers=(lambda self, node: _formula(self, node, True), None),
    )
