"""A deck of slides has what a lecture needs from a notebook, on slides that hold it, offline."""

import re

import pytest
from bs4 import BeautifulSoup
from checkout import ROOT
from click.testing import CliRunner

from autograder.authoring.attach_drawings import shown_drawings
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.publishing.secrets import secrets
from autograder.publishing.slides import as_html, deck

COURSE = Course(ROOT)
#: Which slides have something outside of them.
TOO_FULL = """() => {
  const found = [];
  for (;;) {
    const slide = Reveal.getCurrentSlide(), all = slide.getBoundingClientRect();
    for (const one of slide.querySelectorAll('.formula, pre'))
      if (!one.closest('details') && one.scrollWidth > one.clientWidth + 1)
        found.push(`cut: ${one.textContent}`);
    for (const one of slide.querySelectorAll(':scope > *, img, table, pre, math')) {
      if (one.closest('details') && one.tagName !== 'SUMMARY') continue;
      const box = one.getBoundingClientRect();
      if (box.width && (box.bottom > all.bottom + 1 || box.right > all.right + 1))
        found.push(`${slide.querySelector('h1, h2').textContent}: ${one.outerHTML.slice(0, 80)}`);
    }
    if (Reveal.isLastSlide()) return found;
    Reveal.next();
  }
}"""


@pytest.fixture(scope="module", params=COURSE.assignments())
def pair(request):
    """An assignment, and its deck as a file."""
    assignment = Assignment(COURSE, request.param)
    return assignment, as_html(assignment)


def test_a_deck_has_the_sections_drawings_formulas_and_exercises_of_its_notebook(pair):
    assignment, text = pair
    page = BeautifulSoup(text, "html.parser")
    source = "\n".join(c.source for c in assignment.release.cells if c.cell_type == "markdown")
    numbered = re.findall(r"^## (\d+)\. ", source, re.MULTILINE)
    titles = [h2.get_text() for h2 in page.select('section[data-kind="section"] h2')]
    shown = [title.split(".")[0] for title in titles if title[0].isdigit()]
    assert shown == [number for number in numbered if number in shown]
    assert len(shown) >= len(numbered) - 2, "sections with nothing to show are left out"
    alts = [img["alt"] for img in page.select("img.drawing")]
    assert alts == [alt for alt, _ in shown_drawings(source)]
    fewest = 10 if assignment.name[:2] in ("15", "16") else 12
    assert len(page.select('section[data-kind="result"], section:has(> details)')) >= fewest
    assert all(len(img["alt"]) > 20 for img in page.select("img"))
    named = {code.get_text() for code in page.select(".write code")}
    assert len(named) >= 0.8 * len(assignment.solution.checked_names)
    assert named <= set(assignment.solution.checked_names)
    if "$$" in source:
        assert len(page.select(".formula math")) >= 0.5 * source.count("$$") / 2
    headings = " ".join(h2.get_text() for h2 in page.select("h2"))
    assert not set("$`*") & set(headings)


def test_no_slide_has_a_line_of_a_solution(pair):
    assignment, text = pair
    page = BeautifulSoup(text, "html.parser")
    for script in page.select("script, style"):
        script.extract()
    shown = page.get_text() + "\n".join(img["alt"] for img in page.select("img"))
    assert not [line for line in secrets(assignment).lines if line in shown]
    assert "SOLUTION" not in shown
    assert "Marking guide" not in shown


def test_code_is_folded_and_nothing_is_loaded_from_elsewhere(pair):
    _, text = pair
    page = BeautifulSoup(text, "html.parser")
    for code in page.select("pre.code"):
        assert code.find_parent("details") is not None
        assert not code.find_parent("details").has_attr("open")
    assert not page.select("link, iframe, script[src]")
    assert all(img["src"].startswith("data:") for img in page.select("img"))
    assert not re.search(r"url\(\s*[\"']?(?!data:)[\w/]", text)
    assert COURSE.config.license in page.get_text()


@pytest.mark.slow
def test_no_slide_holds_more_than_fits_and_none_asks_a_network(pair, browser, tmp_path):
    assignment, text = pair
    path = tmp_path / "deck.html"
    path.write_text(text, "utf-8")
    page = browser.new_page(viewport={"width": 1120, "height": 700})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri(), wait_until="load")
    page.evaluate("document.fonts.ready.then(() => null)")
    assert page.evaluate(TOO_FULL) == []
    assert page.evaluate("Reveal.getTotalSlides()") == 1 + sum(map(len, deck(assignment)))
    page.close()
    assert not [url for url in asked if not url.startswith(("data:", "file:", "blob:"))]


def test_the_command_writes_one_file_and_counts_its_slides(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    path = tmp_path / "talks" / "00.html"
    done = CliRunner().invoke(main, ["slides", "00", "--output", str(path)])
    assert done.exit_code == 0, done.output
    count = int(re.search(r"(\d+) slides", done.output)[1])
    assert path.read_text("utf-8").count("<section data-kind=") == count > 30
    assert path.stat().st_mode & 0o044 == 0o044
