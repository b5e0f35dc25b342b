"""Rendering of a submission's text cells as clean HTML: in formgrader and on feedback pages.

A script in a text cell would run in the browser of whoever grades, with their rights, and a link over
the page could pass for one of formgrader's buttons. Text is cleaned when nbgrader renders it:
`nbgrader_config.py` names `markdown_to_html` as the filter for all its pages.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from jinja2 import pass_context

from autograder.grading.clean_outputs import boxed, clean_html

#: What is rendered of a notebook, in characters of text, the rest being shown as it is. The largest
#: solution has 35,000.
MAX_TEXT_CHARACTERS = 150_000
#: And of one text cell, since mistune's time may grow with the square of it. The largest has 3,000.
MAX_TEXT_CELL_CHARACTERS = 20_000
#: Each of these makes nbconvert search the rest of the text for its end.
_FORMULAS, _MAX_FORMULAS = ("\\begin{", "\\(", "\\["), 200
#: Stand for a formula while the text around it is cleaned.
_HERE = ("\ue000", "\ue001")


@pass_context
def markdown_to_html(context: Any, source: str) -> str:
    """Render Markdown as clean HTML, in place of nbconvert's filter `markdown2html`.

    Parameters
    ----------
    context : object
        Jinja's; its cell has the attachments that the text shows.
    """
    resources = context.get("resources", {})
    left = resources.get("text_left", MAX_TEXT_CHARACTERS) - len(source)
    if left >= 0 and not _is_slow(source):
        resources["text_left"] = left
    return render(source, context.get("cell", {}).get("attachments", {}), too_long=left < 0)


def _is_slow(source: str) -> bool:
    """Tell whether rendering a text cell could take long."""
    many_formulas = sum(map(source.count, _FORMULAS)) > _MAX_FORMULAS
    return len(source) > MAX_TEXT_CELL_CHARACTERS or many_formulas


def keep_links(text: str) -> str:
    """Return the text as it is, in place of nbconvert's filter `strip_files_prefix`.

    That filter searches for links of IPython before 1.0, in a time that grows with the third power of
    the text's length.
    """
    return text


def render(
    source: str,
    attachments: dict[str, dict[str, str]] | None = None,
    too_long: bool = False,
    formula: Callable[[str, bool], str] | None = None,
) -> str:
    """Render Markdown as clean HTML.

    Parameters
    ----------
    attachments : dict of str to dict of str to str, optional
        Pictures of the text, by name and MIME type.
    too_long : bool
        Show the text as it is.
    formula : callable, optional
        Turns LaTeX, and whether it stands on a line of its own, into clean HTML; without it,
        formulas are left to MathJax, and headings get anchors, as on nbgrader's pages.
    """
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    made: list[str] = []

    class Renderer(IPythonRenderer):
        def block_code(self, code: str, info: str | None = None) -> str:
            return super(IPythonRenderer, self).block_code(
                code
            )  # in no language that a student chooses

        def image(self, text: str, url: str, title: str | None = None) -> str:
            name = url.removeprefix("attachment:")
            if name != url and not self.attachments.get(name):
                return self.text(text)  # it is missing, or has no content
            return super().image(text, url, title)

    class WithFormulas(Renderer):
        def block_math(self, body: str) -> str:
            return self._formula(body, True)

        def inline_math(self, body: str) -> str:
            return self._formula(body, False)

        def latex_environment(self, name: str, body: str) -> str:
            return self._formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", True)

        def _formula(self, body: str, block: bool) -> str:
            assert formula is not None
            made.append(formula(body, block))
            return f"{_HERE[0]}{len(made) - 1}{_HERE[1]}"

    if too_long or _is_slow(source):
        return f"<pre>{html.escape(source)}</pre>"
    kind = Renderer if formula is None else WithFormulas
    renderer = kind(
        escape=False,
        attachments=attachments or {},
        anchor_link_text="¶",
        exclude_anchor_links=formula is not None,
    )
    source = source.translate(dict.fromkeys(map(ord, _HERE)))
    clean = clean_html(MarkdownWithMath(renderer=renderer).render(source))
    return boxed(re.sub(f"{_HERE[0]}(\\d+){_HERE[1]}", lambda found: made[int(found[1])], clean))
