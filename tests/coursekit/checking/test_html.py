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
