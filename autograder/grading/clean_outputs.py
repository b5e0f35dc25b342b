"""Makes the outputs that a submission produced harmless where they are shown.

A script in an output would run in the browser of whoever grades, with their rights. Outputs are
cleaned when a notebook is autograded; text cells when they are rendered (`autograder.pages.markup`).
"""

from __future__ import annotations

import base64
import html
import re
from itertools import groupby
from typing import Any

from nbformat import NotebookNode

_TAGS = {
    *("a", "abbr", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "dd", "del"),
    *("details", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5"),
    *("h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp"),
    *("small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th"),
    *("thead", "tr", "tt", "u", "ul", "var"),
}
_WITHOUT_END = {"br", "col", "hr", "img"}
_DEEPEST = 100  # tags inside each other
#: Attribute -> what its value must be.
_ATTRIBUTES = {
    "href": re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL),
    "src": re.compile(r"https?://.*|data:image/(?:png|jpeg|gif|svg\+xml);base64,[\w+/=]*"),
    **dict.fromkeys(("class", "title", "alt"), re.compile(r".*", re.DOTALL)),
    **dict.fromkeys(("width", "height", "colspan", "rowspan", "start"), re.compile(r"\d{1,4}%?")),
    "align": re.compile("left|right|center"),
    "id": re.compile(r"[\w%-]+"),
}
_STYLES = {
    *("background", "background-color", "border", "border-bottom", "border-collapse"),
    *("border-left", "border-radius", "border-right", "border-top", "color", "display"),
    *("font-family", "font-size", "font-style", "font-weight", "height", "line-height", "margin"),
    *("margin-bottom", "margin-left", "margin-right", "margin-top", "max-width", "min-width"),
    *(
        "opacity",
        "overflow-wrap",
        "padding",
        "padding-bottom",
        "padding-left",
        "padding-right",
        "padding-top",
    ),
    *("text-align", "text-decoration", "vertical-align", "white-space", "width"),
}
_STYLE = re.compile(r"(?:(?!url)[\w#%.,() '-])*")
# each pattern takes time in proportion to the text alone, whatever it is
_UNSHOWN = re.compile(
    r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)(\s[^<>]*|/)?>")
_ATTRIBUTE = re.compile(r"""(?<![\w-])([a-zA-Z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
#: A notebook may show this many characters of HTML, pictures in it aside.
LONGEST_MARKUP = 500_000
#: What is highlighted of a notebook, in words and signs of code. The largest solution has 12,000.
MOST_TOKENS = 25_000
#: pygments' time grows with the third power of the number of blank lines in a row.
_MOST_BLANK_LINES = 50
_TOKEN_OF_CODE = re.compile(r"\w+|[^\w\s]")
_TOO_LONG = "This markup is too long to be shown.\n"
_PICTURE_IN_HTML = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")
_PICTURES = ("image/png", "image/jpeg", "image/gif")
_TEXTS = ("text/plain", "text/latex", "text/markdown")  # nbconvert escapes or renders them


def clean_html(text: str) -> str:
    """Return HTML without scripts, forms, event handlers and styles that move over other things.

    What is not a known tag becomes text. The result is balanced: it closes nothing around it.
    """
    parts: list[str] = []
    opened: list[str] = []
    end = 0
    text = _UNSHOWN.sub("", text)
    for found in _TAG.finditer(text):
        parts.append(_escaped(text[end : found.start()]))
        end = found.end()
        closes, tag = bool(found[1]), found[2].lower()
        if tag not in _TAGS:
            continue
        if not closes and len(opened) < _DEEPEST:
            parts.append(f"<{tag}{_attributes(found[3] or '')}>")
            if tag not in _WITHOUT_END:
                opened.append(tag)
        elif closes and tag in opened:
            while (last := opened.pop()) != tag:
                parts.append(f"</{last}>")
            parts.append(f"</{tag}>")
    parts.append(_escaped(text[end:]))
    return "".join([*parts, *(f"</{tag}>" for tag in reversed(opened))])


def _escaped(text: str) -> str:
    return html.escape(html.unescape(text), quote=False)


def _attributes(text: str) -> str:
    """Return the harmless attributes of a tag, each after a space."""
    kept = []
    for found in _ATTRIBUTE.finditer(text):
        name = found[1].lower()
        value = html.unescape(found[2] or found[3] or found[4] or "").strip()
        if name == "style":
            styles = [one.partition(":") for one in value.split(";")]
            good = [(n.strip(), v.strip()) for n, _, v in styles if _STYLE.fullmatch(v.lower())]
            value = "; ".join(f"{n}: {v}" for n, v in good if n.lower() in _STYLES)
        elif name not in _ATTRIBUTES or not _ATTRIBUTES[name].fullmatch(value):
            continue
        kept.append(f' {name}="{html.escape(value)}"')
    return "".join(kept)


def clean_outputs(notebook: NotebookNode) -> None:
    """Clean the outputs of all cells, in place, and drop kinds of output that can run code."""
    left = LONGEST_MARKUP
    notebook.metadata.pop("widgets", None)
    _limit_highlighting(notebook)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
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
    """Highlight code as Python, and none past `MOST_TOKENS`, where pages would take minutes."""
    notebook.metadata.language_info = NotebookNode(name="python", pygments_lexer="ipython3")
    left = MOST_TOKENS
    for cell in notebook.cells:
        cell.metadata.pop("magics_language", None)  # nbconvert's name for another language
        if cell.cell_type != "code":
            continue
        left -= sum(1 for _ in _TOKEN_OF_CODE.finditer(cell.source))
        if left < 0 or _blank_lines(cell.source) > _MOST_BLANK_LINES:
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
