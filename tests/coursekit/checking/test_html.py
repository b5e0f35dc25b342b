import re

import pytest

from coursekit.checking.html import VerdictView
from coursekit.checking.verdict import GroupResult, Verdict


def verdict(points=1.0):
    groups = [GroupResult("values", points, 1.0, 1, 2, "" if points else "it is <b>off</b>")]
    return Verdict(
        "softmax",
        points,
        1.0,
        groups,
        headline="it is <b>off</b>",
        stage="value",
        hint="Use <exp>.",
        detail=[["call", "softmax('<script>')"]],
        printed="<i>",
    )


def test_what_a_student_wrote_is_escaped_in_html():
    html = VerdictView(verdict(0.0))._repr_html_()
    for tag in ("<script>", "<b>off", "<exp>", "<i>"):
        assert tag not in html
    assert "&lt;script&gt;" in html


def test_text_and_html_say_the_same():
    view = VerdictView(verdict(0.0))
    for words in ("softmax", "0 of 1", "Use ", "call"):
        assert words in repr(view)
        assert words in view._repr_html_()


def test_a_passed_exercise_is_one_short_line():
    assert repr(VerdictView(verdict())) == "✓ softmax: 1 of 1 points"


def test_names_between_backticks_become_code_in_html_only():
    shown = verdict(0.0)
    shown.hint = "Use `a < b`."
    assert "<code>a &lt; b</code>" in VerdictView(shown)._repr_html_()
    assert "`a < b`" in repr(VerdictView(shown))


def test_a_further_hint_is_folded():
    html = VerdictView(verdict(0.0), further="Use `exp` <first>.")._repr_html_()
    assert (
        "<summary>Still stuck? A further hint.</summary>Use <code>exp</code> &lt;first&gt;." in html
    )


def luminance(color):
    """The relative luminance of a color, as WCAG 2 defines it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("points", [0.0, 1.0])
def test_text_is_readable_in_every_theme(points):
    shown = verdict(points)
    shown.next_hint = "Then this."
    html = VerdictView(shown, note="See `last`.", further="Try `exp`.")._repr_html_()
    styles = [dict(p.split(":") for p in s.split(";")) for s in re.findall(r'style="(.*?)"', html)]
    colored = [style for style in styles if "color" in style or "background" in style]
    assert colored
    for style in colored:  # a color without its own ground would depend on the theme
        assert contrast(style["color"], style["background"]) >= 4.5
    lines = [style["border-left"].split()[-1] for style in styles if "border-left" in style]
    for line in lines:  # WCAG asks 3 of what is no text
        assert min(contrast(line, ground) for ground in ("#ffffff", "#111111")) >= 3
