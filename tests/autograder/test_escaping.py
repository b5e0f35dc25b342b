"""Students' text on terminals and in spreadsheets."""

import pytest

from autograder.escaping import for_spreadsheet, for_terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b]0;title\x07", r"\x1b[2J\x1b]0;title\x07"),
        ("ada\u202egpj.ipynb", r"ada\u202egpj.ipynb"),
        ("a\u200bda\u2028\x85", r"a\u200bda\u2028\x85"),
        ("\udcff.ipynb", r"\udcff.ipynb"),
        ("a\rb\tc", r"a\rb\tc"),
        ("Zoë Ångström 山田 राम", "Zoë Ångström 山田 राम"),
    ],
)
def test_characters_that_control_a_terminal_become_visible(text, shown):
    assert for_terminal(text) == shown
    assert for_terminal(text + "\n") == shown + "\n"
    assert for_terminal(text + "\n", lines=False) == shown + r"\n"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@A1", " =1", '=HYPERLINK("http://x")', "＝1", "x;=1", "x,@A1"]
)
def test_a_formula_is_text_in_a_spreadsheet(text):
    marked = for_spreadsheet(text)
    assert "'" in marked
    assert marked.replace("'", "", 1) == text


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1"])
def test_no_cell_begins_with_a_tab_or_a_line_break(text):
    assert for_spreadsheet(text)[0] == "\\"


@pytest.mark.parametrize(
    "text", ["ada", "2026-01-30 15:00:00", "ann-marie", "a@b.org", "needs work"]
)
def test_ordinary_text_is_left_alone(text):
    assert for_spreadsheet(text) == text
