"""The cleaning of a submission's outputs, so that they are harmless where they are shown.

A script in an output would run in the browser of whoever grades, with their rights. Outputs are
cleaned when a notebook is autograded; text cells when they are rendered (`autograder.pages.markup`).
"""

from __future__ import annotations

import base64
import html
import re
from itertools import groupby
from typing import Any

import nh3
from nbformat import NotebookNode

_TAGS = {
    *("a", "abbr", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "dd", "del"),
    *("details", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5"),
    *("h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp"),
    *("small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "tr", "tt", "u", "ul", "var"),
}
_WITHOUT_END = {"br", "col", "hr", "img"}
_MAX_DEPTH = 100  # tags inside each other
#: Prefix of the ids that come from a notebook, so that none equals an id of the page around it.
ID_PREFIX = "user-content-"
#: Attribute -> the pattern that its value must match.
_ATTRIBUTES = {
    "href": re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL),
    "src": re.compile(r"data:image/(?:png|jpeg|gif|svg\+xml);base64,[\w+/=]*"),
    **dict.fromkeys(("class", "title", "alt"), re.compile(r".*", re.DOTALL)),
    **dict.fromkeys(("width", "height", "colspan", "rowspan", "start"), re.compile(r"\d{1,4}%?")),
    "align": re.compile("left|right|center"),
    "id": re.compile(r"[\w%-]+"),
}
#: pandas' tables and nbconvert's links to headings; the scripts of a page act on other classes.
_CLASSES = {"dataframe", "anchor-link"}
_STYLES = {
    *("background", "background-color", "border", "border-bottom", "border-collapse"),
    *("border-left", "border-radius", "border-right", "border-top", "color", "display"),
    *("font-family", "font-size", "font-style", "font-weight", "height", "line-height", "margin"),
    *("margin-bottom", "margin-left", "margin-right", "margin-top", "max-width", "min-width"),
    *("overflow-wrap", "padding", "padding-bottom", "padding-left", "padding-right"),
    *("padding-top", "text-align", "text-decoration", "vertical-align", "white-space", "width"),
}
#: Words, colors, and lengths that are not negative and not large, so that all stays near its place.
_VALUE = (
    r"(?:[a-z][\w-]*|'[\w -]*'|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([\d.%,/ ]*\)"
    r"|\d{1,3}(?:\.\d{1,9})?(?:px|pt|%)|(?:\d{1,2}|\d{0,2}\.\d{1,9})(?:em|rem|ex|ch)|\d?\.\d{1,9}|\d)"
)
_STYLE = re.compile(rf"{_VALUE}(?:[ ,/]+{_VALUE})*", re.IGNORECASE)
#: None that grows with each tag inside another.
_FONT_SIZE = re.compile(r"\d{1,2}(?:px|pt|%)|100%|0?\.\d{1,3}r?em|1r?em|small|medium|large|smaller")
_MAX_STYLE_LENGTH = 200
#: Style of a box that clips its content: nothing is drawn, or can be clicked, outside of it.
_BOX = "contain: paint; overflow-x: auto; overflow-y: hidden"
#: MathJax's commands that make links and set styles, classes and ids.
_PAGE_COMMANDS = re.compile(
    r"\\(?=(?:href|style|class|cssId|data|bbox|require|unicode)(?![A-Za-z]))"
)
# each pattern takes time in proportion to the text alone, whatever it is
_UNSHOWN = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*)((?:[ \t\r\n\f][^<>]*|/)?)>)?")
_PREFIX = "x-"
_RENAMED = re.compile(rf"</{_PREFIX}(?:{'|'.join(_WITHOUT_END)})>|(</?){_PREFIX}([a-z])")
_PICTURE = re.compile(rf'<{_PREFIX}img((?: [a-z]+="[^"]*")*)></{_PREFIX}img>')
_ALTERNATIVE = re.compile(r' alt="([^"]*)"')
#: Characters of HTML that a notebook may show, pictures in it aside.
MAX_MARKUP_LENGTH = 500_000
#: Words and signs of code that are highlighted in a notebook. The largest solution has 12,000.
MAX_HIGHLIGHTED_TOKENS = 25_000
#: pygments' time grows with the third power of the number of blank lines in a row.
_MAX_BLANK_LINES = 50
_TOKEN_OF_CODE = re.compile(r"\w+|[^\w\s]")
_TOO_LONG = "This markup is too long to be shown.\n"
_PICTURE_IN_HTML = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]*")
_TAG_OF_CELL = re.compile(r"[\w-]{1,64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_PICTURES = ("image/png", "image/jpeg", "image/gif")
_TEXTS = ("text/plain", "text/latex", "text/markdown")  # nbconvert escapes or renders them


def clean_html(text: str) -> str:
    """Return HTML without scripts, forms, event handlers and styles that move over other things.

    Unknown tags are dropped, other angle brackets become text, and a picture that is not in the text
    itself becomes its description. Of classes and styles, a short list is kept. The result is
    balanced: it closes nothing around it.

    nh3 decides what is kept. It reads `<b>` as `<x-b>`, a name for which the standard has no rules:
    by those for `<b>`, one that is not closed is copied into every later paragraph, and 60 kB of
    markup become 4 GB. Nor can the depth of tags inside each other grow with the text.
    """
    opened: list[str] = []

    def rename(found: re.Match[str]) -> str:
        """Return a tag under the name by which nh3 knows it; nothing if it has no effect."""
        tag = (found[2] or "").lower()
        if not tag:
            return "&lt;"
        if found[1] and tag in opened:
            while opened.pop() != tag:  # the parser closes what is inside
                pass
            return f"</{_PREFIX}{tag}>"
        if found[1] or tag not in _TAGS or len(opened) == _MAX_DEPTH:
            return ""
        if tag in _WITHOUT_END:
            return f"<{_PREFIX}{tag}{found[3]}></{_PREFIX}{tag}>"
        opened.append(tag)
        return f"<{_PREFIX}{tag}{found[3]}>"

    text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text
    clean = _CLEANER.clean(_TAG.sub(rename, _UNSHOWN.sub("", text)))
    return _RENAMED.sub(r"\1\2", _PICTURE.sub(_picture_or_words, clean))


def _picture_or_words(found: re.Match[str]) -> str:
    """Return a picture that is in the text itself; of any other its alternative text."""
    if ' src="' in found[0]:
        return f"<img{found[1]}>"
    words = _ALTERNATIVE.search(found[1])
    return html.escape(html.unescape(words[1]), quote=False) if words else ""


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the harmless part of an attribute's value, or None: nh3's `attribute_filter`."""
    value = value.strip()
    if name == "style":
        value = _styles(value)
    elif not _ATTRIBUTES[name].fullmatch(value):
        return None
    elif name == "class":
        value = " ".join(word for word in value.split() if word in _CLASSES)
    elif name == "href" and value.startswith("#"):
        value = f"#{ID_PREFIX}{value[1:].removeprefix(ID_PREFIX)}"
    return value if value or name == "alt" else None


_CLEANER = nh3.Cleaner(
    tags={_PREFIX + tag for tag in _TAGS},
    clean_content_tags=set(),
    attributes={"*": {"style", *_ATTRIBUTES}},
    attribute_filter=_attribute,
    url_schemes={"data", "http", "https", "mailto"},
    link_rel=None,
    id_prefix=ID_PREFIX,
)


def _styles(text: str) -> str:
    """Return the harmless declarations of a style."""
    kept = []
    for one in text.split(";"):
        name, _, value = map(str.strip, one.partition(":"))
        known = name.lower() in _STYLES and len(value) <= _MAX_STYLE_LENGTH
        if known and (_FONT_SIZE if name.lower() == "font-size" else _STYLE).fullmatch(value):
            kept.append(f"{name}: {value}")
    return "; ".join(kept)


def boxed(text: str) -> str:
    """Return clean HTML in a box that clips it, for pages that show other things beside it."""
    return f'<div style="{_BOX}">{text}</div>'


def shown_html(text: str) -> str:
    """Return clean HTML in a box of its own; nbconvert's filter `clean_html`."""
    return boxed(clean_html(str(text)))


def clean_outputs(notebook: NotebookNode) -> None:
    """Clean the outputs of all cells, in place, and drop kinds of output that can run code."""
    left = MAX_MARKUP_LENGTH
    notebook.metadata.pop("widgets", None)
    _limit_highlighting(notebook)
    for cell in notebook.cells:
        if (
            "tags" in cell.metadata
        ):  # classes on formgrader's page, where a space would begin another
            cell.metadata.tags = [one for one in cell.metadata.tags if _TAG_OF_CELL.fullmatch(one)]
        if cell.cell_type != "code":
            continue
        if not isinstance(cell.get("execution_count"), int):
            cell.execution_count = None
        for output in cell.outputs:
            if "execution_count" in output and not isinstance(output.execution_count, int):
                output.execution_count = None
            if output.output_type == "stream":
                output.name = "stderr" if output.name == "stderr" else "stdout"
            if "data" not in output:
                continue
            output.metadata = NotebookNode()
            markup = (output.data.get(kind, "") for kind in ("text/html", "text/markdown"))
            length = sum(len(_PICTURE_IN_HTML.sub("", text)) for text in markup)
            output.data = NotebookNode(_clean_bundle(output.data, length <= left))
            left -= min(length, left)


def _limit_highlighting(notebook: NotebookNode) -> None:
    """Highlight code as Python, and none past `MAX_HIGHLIGHTED_TOKENS`, as it takes minutes."""
    notebook.metadata.language_info = NotebookNode(name="python", pygments_lexer="ipython3")
    left = MAX_HIGHLIGHTED_TOKENS
    for cell in notebook.cells:
        cell.metadata.pop("magics_language", None)  # nbconvert's name for another language
        if cell.cell_type != "code":
            continue
        left -= sum(1 for _ in _TOKEN_OF_CODE.finditer(cell.source))
        if left < 0 or _blank_lines(cell.source) > _MAX_BLANK_LINES:
            cell.metadata["magics_language"] = "text"


def _blank_lines(source: str) -> int:
    """Return the largest number of blank lines in a row."""
    lines = source.splitlines()
    return max(
        (sum(1 for _ in run) for text, run in groupby(lines, str.strip) if not text), default=0
    )


def _clean_bundle(data: dict[str, Any], with_markup: bool) -> dict[str, str]:
    """Return the types of a MIME bundle that are shown, cleaned."""
    kept = {kind: data[kind] for kind in _TEXTS if kind in data}
    if "text/latex" in kept:
        kept["text/latex"] = _PAGE_COMMANDS.sub("", kept["text/latex"])
    for kind in _PICTURES:
        if kind in data and _BASE64.fullmatch(data[kind]):
            kept[kind] = data[kind]
    if not with_markup:
        kept.pop("text/markdown", None)
        return {"text/plain": _TOO_LONG, **kept}
    if "text/html" in data:
        kept["text/html"] = clean_html(data["text/html"])
    elif "image/svg+xml" in data:  # no script runs in a picture
        encoded = base64.b64encode(data["image/svg+xml"].encode()).decode()
        kept["text/html"] = f'<img src="data:image/svg+xml;base64,{encoded}">'
    return kept or {"text/plain": "(an output that is not shown here)\n"}
