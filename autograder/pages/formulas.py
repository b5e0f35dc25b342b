"""Conversion of LaTeX formulas to MathML, which browsers draw without a script or a network."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

#: Characters of a formula; a longer one is shown as it was written.
_MAX_CHARACTERS = 2_000
#: Definitions could expand to any length.
_DEFINES = re.compile(r"\\(?:def|let|newcommand|renewcommand|newenvironment|DeclareMathOperator)\b")
#: Browsers draw the letter that latex2mathml finds for `\mathbf{x}`, not its mark for `\mathbf x`.
_LETTER = re.compile(r"(\\math(?:bb|bf|cal|frak)) +([A-Za-z])")
#: What latex2mathml does not know, or sets so that it stretches, in the words that it does.
_REWRITTEN = (
    (re.compile(r"\\(begin|end)\{aligned\}"), r"\\\1{align*}"),
    (re.compile(r"\\arg(?![a-z])"), r"\\operatorname{arg}"),
    (re.compile(r"(?<![tglr])\\[lr]Vert(?![a-z])"), r"\\|"),  # not after \left, \right, \big, \bigl
)
#: Signs that it leaves as they are written after a size, as in `\Big\{`.
_SIGNS = {r"\{": "{", r"\}": "}", r"\lVert": "‖", r"\rVert": "‖", r"\lvert": "|", r"\rvert": "|"}
_TAGS = {
    *("math", "menclose", "mfrac", "mi", "mlabeledtr", "mmultiscripts", "mn", "mo", "mover"),
    *("mpadded", "mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle"),
    *("msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover", "none"),
}
_ATTRIBUTES = {
    *("accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display"),
    *("displaystyle", "fence", "form", "height", "linethickness", "lspace", "mathvariant"),
    *("maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace"),
    *("scriptlevel", "separator", "stretchy", "width"),
}
_VALUE = re.compile(r"[\w.%+ -]{0,40}")


def to_mathml(formula: str, block: bool = False) -> str:
    """Convert a LaTeX formula to MathML; return it as escaped LaTeX if it cannot be converted.

    Only elements and attributes of a fixed list are written, and all text is escaped.

    Parameters
    ----------
    formula : str
        LaTeX without dollar signs.
    block : bool
        Whether it stands on a line of its own.
    """
    from latex2mathml.converter import Converter

    if len(formula) <= _MAX_CHARACTERS and not _DEFINES.search(formula):
        formula = _LETTER.sub(r"\1{\2}", formula)
        for written, known in _REWRITTEN:
            formula = written.sub(known, formula)
        try:
            element = Converter(display="block" if block else "inline").convert_to_element(formula)
            return _clean(element)
        except Exception:  # the converter raises many types for what is no formula
            pass
    return f"<code>{html.escape(formula.strip())}</code>"


def _clean(element: Element) -> str:
    """Write an element as MathML: allowed elements and attributes only, all text escaped."""
    inside = _text(element.text) + "".join(_clean(child) + _text(child.tail) for child in element)
    if element.tag not in _TAGS:
        return inside
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    )
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"


def _text(text: str | None) -> str:
    shown = html.unescape(text or "")
    return html.escape(_SIGNS.get(shown.strip(), shown))
