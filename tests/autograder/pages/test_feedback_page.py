"""The feedback page: what a student reads, and that nothing a student wrote acts on it."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_markup import ATTACKS, RUNS

from autograder.gradebook.late_policy import Lateness
from autograder.grading.grading_log import Notes
from autograder.grading.stages import checks_in
from autograder.grading.verdicts import write_verdicts
from autograder.pages.feedback_page import Mark, _Record, as_html, make_page
from autograder.pages.formulas import to_mathml
from autograder.pages.templating import environment
from coursekit.checking.verdict import GroupResult, Verdict

ANSWER = 'def pool(x):\n    """The mean.\n\n    Long text.\n    """\n    return x.sum() / len(x)'


def marks(grade_id, grade=False, solution=False, points=0, **rest):
    return {
        "nbgrader": {"grade_id": grade_id, "grade": grade, "solution": solution, "points": points}
    } | rest


def verdict(points=1.0, **rest):
    groups = [
        GroupResult("values", 1.0, 1.0, 1, 1),
        GroupResult("edges", points - 1, 1.0, 0, 1, "" if points > 1 else "it contains NaN"),
    ]
    headline = "every case matches the reference" if points > 1 else "2 of 3 numbers differ"
    return Verdict("pool", points, 2.0, groups, headline, **rest)


def graded(one, answer=ANSWER, essay="Since $x^2$ grows.", comment="**Nice.**", waiting=False):
    """The page about a notebook with an exercise and a question that is graded by hand."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 03 Pooling"),
            new_markdown_cell("### Exercise 1. The *mean*\n\nWrite it: $$\\frac{1}{n}$$"),
            new_code_cell(answer, metadata=marks("pool", solution=True)),
            new_code_cell("check(pool)", metadata=marks("check_pool", grade=True, points=2)),
            new_markdown_cell("**Question 2 (4 points, graded by hand).** Why?"),
            new_markdown_cell(essay, metadata=marks("why", grade=True, solution=True, points=4)),
            new_code_cell("plot()", outputs=[new_output("stream", text="\x1b[31mdone\x1b[0m")]),
        ]
    )
    write_verdicts(notebook, checks_in(notebook), [one], Notes())
    record = _Record(
        {
            "check_pool": Mark(one.points, 2.0),
            "why": Mark(None if waiting else 3.0, 4.0, by_hand=not waiting),
        },
        {"why": comment},
        Lateness(),
    )
    return make_page(notebook, "03_pooling", "ada", record)


def test_a_page_shows_points_hint_failing_case_code_and_comments():
    page = graded(verdict(hint="Use `dim=1`.", detail=[["call", "pool([nan])"], ["yours", "0"]]))
    html = as_html(page)
    assert (page.points, page.max_points) == (4, 6)
    assert "Exercise 1. The mean" in html
    assert "Use <code>dim=1</code>." in html
    assert "<code>pool([nan])</code>" in html
    assert '<span class="nf">pool</span>' in html
    assert "it contains NaN" in html
    assert "<strong>Nice.</strong>" in html
    assert "Your instructor set these points" in html
    assert "Long text" not in html.partition('id="notebook"')[0]
    assert "Long text" in html


def test_a_right_exercise_takes_a_line_and_its_code_is_folded():
    html = as_html(graded(verdict(2.0)))
    assert "Right: every case matches the reference." in html
    assert "<details><summary>Your code" in html
    assert 'class="groups"' not in html


def test_the_code_that_is_shown_is_the_one_that_was_judged():
    notebook = new_notebook(
        cells=[
            new_code_cell("def pool(x):\n    pass", metadata=marks("pool", solution=True)),
            new_code_cell("def pool(x):\n    return 'below'"),
            new_code_cell("print('pool')"),
            new_code_cell("check(pool)", metadata=marks("check_pool", grade=True, points=2)),
            new_code_cell("def pool(x):\n    return 'afterwards'"),
        ]
    )
    write_verdicts(notebook, checks_in(notebook), [verdict(2.0)], Notes())
    page = make_page(notebook, "03_pooling", "ada", _Record({}, {}, Lateness()))
    assert "below" in page.items[0].code
    assert page.items[0].cell == 1


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("#" * 100_000, "Exercise 1. The mean"),
        ("# " + "#" * 100_000 + "x", "#" * 100_000 + "x"),  # each # could begin the end of the line
        ("# x" + "# " * 50_000, "x"),
    ],
)
def test_a_heading_of_100000_number_signs_is_read_in_one_pass(line, title):
    notebook = new_notebook(
        cells=[
            new_markdown_cell(f"### Exercise 1. The mean ##\n\n{line}"),
            new_code_cell("check(pool)", metadata=marks("check_pool", grade=True, points=2)),
        ]
    )
    write_verdicts(notebook, checks_in(notebook), [verdict(2.0)], Notes())
    page = make_page(notebook, "03_pooling", "ada", _Record({}, {}, Lateness()))
    assert [item.title for item in page.items] == [title]
    assert "Right: every case" in as_html(page)


def test_a_page_says_with_which_right_helpers_an_exercise_was_judged():
    html = as_html(graded(verdict(2.0, judged_with=["mask", "sum"])))
    assert "Judged with a right <code>mask</code> and <code>sum</code>, since yours are" in html
    assert "Judged with" not in as_html(graded(verdict(2.0)))


def test_a_question_that_waits_for_its_grader_is_said_to_wait():
    page = graded(verdict(2.0), waiting=True)
    html = as_html(page)
    assert page.points == 2
    assert [item.title for item in page.items] == ["Exercise 1. The mean", "Question 2"]
    assert "(4 points, graded by hand).</strong> Why?" in html.partition('id="notebook"')[0]
    assert "1 answer is still to be graded" in html
    assert "points so far" in html


def test_the_links_of_a_page_lead_somewhere_and_it_loads_nothing():
    html = as_html(graded(verdict()))
    targets = set(re.findall(r'id="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= targets
    assert "default-src 'none'" in html
    assert not re.search(r"<(?:script|link|iframe)\b|src=\"http|url\(", html)
    assert '<html lang="en">' in html


def test_formulas_need_no_network():
    html = as_html(graded(verdict()))
    assert html.count("<math") == 3  # the answer is shown twice: by itself and in the notebook
    assert "<mfrac>" in html
    assert "<msup>" in html


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_a_student_wrote_acts_on_the_page(attack):
    evil = verdict(hint=attack, detail=[["call", attack], [attack, attack]], printed=attack)
    evil.headline = attack
    evil.groups[1].reason = attack
    essay = f"{attack} $x{attack}$ $$\\text{{{attack}}}$$ [x](javascript:1)"
    page = graded(evil, answer=attack, essay=essay, comment=attack)
    page.student = attack
    body = as_html(page).partition("<header>")[2]
    own = re.compile(r'<svg class="meter".*?</svg>', re.DOTALL)
    found = [one.group() for one in RUNS.finditer(own.sub("", body))]
    assert [one for one in found if not one.startswith("<math")] == []


@pytest.mark.parametrize(
    "formula",
    [
        r"\text{<img src=x onerror=alert(1)>}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\unicode{x3c}script\unicode{x3e}",
        r"\class{a}{b}",
        "<script>alert(1)</script>",
    ],
)
def test_a_formula_writes_only_what_formulas_need(formula):
    made = to_mathml(formula)
    assert not re.search(r"<(?!/?m[a-z]+\b|/?code\b)|href|style=|class=", made)


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a=bc=d"),
        (r"\arg\min_x y", "argminxy"),
        (r"\lVert a \rVert^2 + \big\lVert b \big\rVert", "‖a‖2+‖b‖"),
        (r"\exp\Big\{ a \Big\}", "exp{a}"),
    ],
)
def test_what_the_converter_does_not_know_is_shown_as_it_is_meant(formula, shown):
    assert re.sub("<[^>]*>", "", to_mathml(formula, block=True)) == shown


@pytest.mark.parametrize(
    "formula", ["{" * 1_500, r"\frac" * 400, "x" * 3_000, r"\def\a{\a\a}\a", "x^" * 900, r"\left("]
)
def test_a_formula_that_cannot_be_converted_is_shown_as_it_is(formula):
    assert to_mathml(formula).startswith("<code>")


def test_text_and_its_ground_differ_enough_in_light_and_dark():
    css = environment().loader.get_source(environment(), "page.css")[0]
    for block in (css.partition("@media")[0], css.split("dark)")[1].partition("@media")[0]):
        colors = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{3,6})", block))
        for ink in ("ink", "gray", "link", "good", "bad", "kw", "str", "num", "def", "com"):
            grounds = ("paper", "soft", *(("hint", "warn") if ink in ("ink", "bad") else ()))
            for ground in grounds:
                assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)


def contrast(one, other):
    """The contrast ratio of two colors (WCAG 2.1, relative luminance)."""

    def luminance(color):
        digits = color[1:] if len(color) == 7 else "".join(2 * c for c in color[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
