"""Nothing that a student writes runs in the browser of whoever looks at it."""

import base64
import re
from html.parser import HTMLParser

import nbformat
import pytest
from baits import BAITS, GRADE
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from traitlets.config import PyFileConfigLoader

from autograder.grading.clean_outputs import (
    ID_PREFIX,
    MAX_HIGHLIGHTED_TOKENS,
    MAX_MARKUP_LENGTH,
    clean_html,
    clean_outputs,
)
from autograder.pages.formulas import to_mathml
from autograder.pages.markup import (
    MAX_TEXT_CELL_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    markdown_to_html,
    render,
)

RUN = "parent.alert(1)"
ATTACKS = [
    f"<script>{RUN}</script>",
    f"<SCRIPT >{RUN}",
    f"<img src=x onerror='{RUN}'>",
    f"<svg onload='{RUN}'><circle/></svg>",
    f"<a href='javascript:{RUN}'>here</a>",
    f"<a href='JaVa&#10;Script:{RUN}'>here</a>",
    f"<a href='data:text/html,<script>{RUN}</script>'>here</a>",
    f"<iframe srcdoc='<script>{RUN}</script>'></iframe>",
    f"<form action='/formgrader/api'><button onclick='{RUN}'>Save</button></form>",
    f"<details open ontoggle='{RUN}'>x</details>",
    f"<math><mtext><table><mglyph><style><img src onerror='{RUN}'>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    f"<object data='javascript:{RUN}'></object><embed src='javascript:{RUN}'>",
    f"<base href='javascript:{RUN}//'><input autofocus onfocus='{RUN}'>",
    "<div style='position:fixed;inset:0;z-index:9;background:url(javascript:1)'>x</div>",
    "<link rel=stylesheet href=//example.org/x.css><style>body{display:none}</style>",
]
RUNS = re.compile(
    r"<(?!/)[^>]*(?:\son\w+\s*=|javascript:|data:text|position:|z-index)"
    r"|<(?:script|svg|iframe|form|button|input|meta|object|embed|base|link|style|math)\b",
    re.IGNORECASE,
)


def rendered(book):
    """The body of the page that formgrader makes of a notebook."""
    from checkout import ROOT
    from nbconvert.exporters import HTMLExporter

    config = PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config()
    html, _ = HTMLExporter(config=config, template_name="classic").from_notebook_node(book)
    return html.partition("<body")[2]


@pytest.mark.parametrize("bait", ["![a](files/", "[](files/", "[", "=\n", "[a](", "![]("])
def test_a_page_of_bait_for_slow_patterns_takes_seconds(bait):
    text = (bait * MAX_TEXT_CELL_CHARACTERS)[:19_000]
    assert len(rendered(new_notebook(cells=[new_markdown_cell(text)]))) > 5_000


def test_many_blank_lines_in_code_are_not_highlighted():
    book = new_notebook(cells=[new_code_cell(" \n" * 100_000 + "x"), new_code_cell("x = 1\n\n\n")])
    clean_outputs(book)
    assert [cell.metadata for cell in book.cells] == [{"magics_language": "text"}, {}]
    rendered(book)


@pytest.fixture(scope="module")
def page():
    """The page that formgrader makes of an autograded notebook with all attacks."""
    book = new_notebook()
    for attack in ATTACKS:
        kinds = ("text/html", "text/markdown", "text/latex", "image/svg+xml", "text/plain")
        kinds += ("application/javascript", "application/vnd.jupyter.widget-view+json")
        outputs = [new_output("display_data", {kind: attack}) for kind in kinds]
        outputs += [new_output("display_data", {"image/png": f"x'>{attack}"})]
        outputs += [new_output("stream", name=f"x'>{attack}", text=attack)]
        book.cells += [new_code_cell(attack, outputs=outputs), new_markdown_cell(attack)]
        book.cells += [new_markdown_cell(f"[here](javascript:{RUN}) $a<b$ {attack}")]
        book.cells += [new_raw_cell(attack)]
    book.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"x": ATTACKS[0]}}
    clean_outputs(book)
    nbformat.validate(book)
    return rendered(book)


def test_no_output_and_no_text_runs_anything_in_the_graders_browser(page):
    assert page.count("a&lt;b") == len(ATTACKS)
    assert [found.group() for found in RUNS.finditer(page)] == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_markup_is_clean_by_itself(attack):
    assert not RUNS.search(clean_html(attack))


def test_tables_pictures_and_formulas_are_kept():
    table = '<table class="dataframe"><thead><tr><th style="color: red">a</th></tr></thead></table>'
    assert clean_html(table) == table
    picture = base64.b64encode(b"picture").decode()
    data = {"image/png": picture, "text/plain": "x", "text/latex": "$x$"}
    cell = new_code_cell(outputs=[new_output("display_data", dict(data))])
    svg = new_output("display_data", {"image/svg+xml": "<svg></svg>", "text/plain": "x"})
    drawn = new_code_cell(outputs=[svg])
    clean_outputs(new_notebook(cells=[cell, drawn]))
    assert cell.outputs[0].data == data
    assert drawn.outputs[0].data["text/html"].startswith('<img src="data:image/svg+xml;base64,')


def test_figures_with_an_alternative_text_are_kept_however_many():
    picture = base64.b64encode(b"picture" * 20_000).decode()
    image = f'<img alt="A line" src="data:image/png;base64,{picture}" style="max-width: 100%">'
    outputs = [new_output("display_data", {"text/html": image}) for _ in range(10)]
    cell = new_code_cell(outputs=outputs)
    clean_outputs(new_notebook(cells=[cell]))
    assert [output.data["text/html"] for output in cell.outputs] == [image] * 10


def test_what_is_not_closed_closes_nothing_around_it():
    assert clean_html("</div></td><b><i>x</b>") == "<b><i>x</i></b>"
    assert clean_html("<div>" * 1000).count("</div>") == 100
    assert clean_html("1 < 2 & <x@y.z> &lt;b&gt;") == "1 &lt; 2 &amp; &lt;x@y.z&gt; &lt;b&gt;"


@pytest.mark.parametrize("piece", ["<b title=1><p>", "<", "<a b", "<!--", "<script", "a='", "&"])
def test_cleaning_takes_time_in_proportion_to_the_text(piece):
    assert clean_html(piece * (MAX_MARKUP_LENGTH // len(piece))) is not None


def test_tags_that_are_not_closed_are_not_copied_into_every_later_paragraph():
    unclosed = "<p>" + "".join(f"<b title={number}>" for number in range(2_000)) + "<p>x" * 7_500
    hidden = "".join(f'<b title={number} id="></b><i lang=">' for number in range(2_000))
    for text in (unclosed, hidden + "<p>x" * 7_500):
        assert len(clean_html(text)) < 2 * len(text)  # HTML's own rules make 300 MB of it


def test_half_a_surrogate_pair_is_no_reason_to_fail():
    assert clean_html("<b>\ud83d</b>") == "<b>?</b>"


def test_long_markup_is_not_shown():
    outputs = [
        new_output("display_data", {"text/html": "<b>" * MAX_MARKUP_LENGTH}) for _ in range(3)
    ]
    cell = new_code_cell(outputs=outputs)
    clean_outputs(new_notebook(cells=[cell]))
    assert all("too long" in output.data["text/plain"] for output in cell.outputs)
    assert not any("text/html" in output.data for output in cell.outputs)


def test_code_is_highlighted_as_python_and_not_past_a_number_of_words():
    cells = [new_code_cell("a." * (MAX_HIGHLIGHTED_TOKENS // 3)) for _ in range(3)]
    cells[0].metadata["magics_language"] = "perl6"
    book = new_notebook(
        cells=cells, metadata={"language_info": {"name": "p", "pygments_lexer": "perl6"}}
    )
    clean_outputs(book)
    assert book.metadata.language_info.pygments_lexer == "ipython3"
    assert [cell.metadata for cell in book.cells] == [{}, *[{"magics_language": "text"}] * 2]


def test_text_with_too_many_formulas_or_past_a_length_is_shown_as_it_is():
    context = {"resources": {}}
    assert "<strong>" in markdown_to_html(context, "**x**")
    for opening in ("\\begin{a}", "\\\\(", "\\\\["):
        assert markdown_to_html(context, opening * 201).startswith("<pre>")
    for _ in range(MAX_TEXT_CHARACTERS // MAX_TEXT_CELL_CHARACTERS):
        assert "<p>" in markdown_to_html(context, "x " * (MAX_TEXT_CELL_CHARACTERS // 2 - 1))
    context["resources"]["text_left"] -= MAX_TEXT_CHARACTERS % MAX_TEXT_CELL_CHARACTERS
    assert markdown_to_html({}, "x" * (MAX_TEXT_CELL_CHARACTERS + 1)).startswith("<pre>")
    assert markdown_to_html(context, "**x** " * 10).startswith("<pre>")
    assert "<span" not in markdown_to_html({}, "```perl6\nmy $x\n```")


def test_a_bold_letter_is_bold_where_browsers_ignore_the_attribute_for_it():
    assert to_mathml(r"\mathbf h + \mathbf{x}_1").count("mathvariant") == 0
    assert "\N{MATHEMATICAL BOLD SMALL H}" in to_mathml(r"\mathbf h")


class Attributes(HTMLParser):
    """Every attribute of a page, as a browser reads it: (name, value)."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [(name, value or "") for name, value in attributes]


BOX = "contain: paint; overflow-x: auto; overflow-y: hidden"
SIGNED = re.compile(r"[-+]\d|calc|url|opacity|position|float|transform|\d{4}|v[wh]\b")


def require_that_it_stays_in_its_place(text):
    for name, value in Attributes(text).found:
        assert name in {"href", "src", "class", "id", "style", "alt", "title"}, (name, text)
        if name == "class":
            assert set(value.split()) <= {"dataframe", "anchor-link"}
        elif name == "id":
            assert value.startswith(ID_PREFIX)
        elif name == "src":
            assert value.startswith("data:image/")
        elif name == "href" and value.startswith("#"):
            assert value.startswith(f"#{ID_PREFIX}")
        elif name == "style" and value != BOX:
            assert not SIGNED.search(value), value


@pytest.mark.parametrize("bait", BAITS)
def test_no_markup_acts_on_the_page_around_it_or_loads_anything(bait):
    require_that_it_stays_in_its_place(clean_html(bait))
    require_that_it_stays_in_its_place(clean_html(clean_html(bait)))
    text = render(bait)
    assert text.startswith(f'<div style="{BOX}">')
    require_that_it_stays_in_its_place(text)
    require_that_it_stays_in_its_place(render(bait, formula=lambda text, block: ""))


def test_formgraders_page_boxes_outputs_and_raw_cells_and_cleans_those_of_an_earlier_version():
    kinds = ("text/html", "text/markdown")
    outputs = [new_output("display_data", {kind: bait}) for bait in BAITS for kind in kinds]
    raw = [new_raw_cell(bait, metadata={"raw_mimetype": "text/html"}) for bait in BAITS]
    book = new_notebook(cells=[new_code_cell(outputs=outputs), *raw])
    found = Attributes(rendered(book)).found  # as it is, without `clean_outputs`
    assert found.count(("style", BOX)) >= len(outputs) + len(raw)
    assert not [value for name, value in found if name == "class" and "full-credit" in value]
    assert not [value for name, value in found if name == "id" and value == GRADE]
    assert not [value for name, value in found if name == "src" and "attack" in value]


def test_tags_of_cells_are_one_class_each_and_formulas_in_outputs_make_no_links():
    tags = ["only-shows", "x full-credit", "navbar-fixed-top\tx", 'a"b']
    latex = r"$\style{margin:-9px}{\href{https://attack.example}{\class{full-credit}{x}}} \hrefs$"
    cell = new_code_cell(outputs=[new_output("display_data", {"text/latex": latex})])
    cell.metadata["tags"] = tags
    clean_outputs(new_notebook(cells=[cell]))
    assert cell.metadata.tags == ["only-shows"]
    shown = cell.outputs[0].data["text/latex"]
    assert re.findall(r"\\\w+", shown) == [r"\hrefs"]


def test_links_inside_a_text_lead_to_its_headings():
    text = render("# The mask\n\n[see](#The-mask)")
    assert f'<h1 id="{ID_PREFIX}The-mask">' in text
    assert f'<a href="#{ID_PREFIX}The-mask">see</a>' in text


def test_an_attachment_without_content_is_its_alternative_text():
    assert "the curve" in render("![the curve](attachment:a.png)", {"a.png": {}})


def test_a_picture_from_elsewhere_is_its_alternative_text():
    assert clean_html(
        '<a href="https://x.org"><img src="https://x.org/y.png" alt="a & b"></a>'
    ) == ('<a href="https://x.org">a &amp; b</a>')
    assert "<p>plot</p>" in render("![plot](https://x.org/y.png)")


def test_sizes_are_small_and_do_not_grow_inside_each_other():
    for style in ("font-size:2em", "font-size:110%", "font-size:999px", "font-size:larger"):
        assert clean_html(f'<b style="{style}">x</b>') == "<b>x</b>"
    for style in (
        "line-height:99",
        "padding:100em",
        "height:1000px",
        "width:1e3px",
        "margin:-.5em",
    ):
        assert clean_html(f'<b style="{style}">x</b>') == "<b>x</b>"
    assert clean_html('<b style="margin:.5em;line-height:1.4">x</b>') == (
        '<b style="margin: .5em; line-height: 1.4">x</b>'
    )


def test_styles_of_the_courses_own_outputs_are_kept():
    for style in (
        "border-left: 4px solid #008f68; padding: 4px 12px; margin: 4px 0",
        "background: rgb(254, 251, 243); color: #fff; border-radius: 3px",
        "font-family: 'Courier New', monospace; font-size: 80%; line-height: 2.1",
        "max-width: 60em; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 auto",
    ):
        assert f'style="{style}"' in clean_html(f'<div style="{style}">x</div>').replace(
            "&#x27;", "'"
        )
