"""A deck of slides has what a lecture needs from a notebook, on slides that hold it, offline."""

import re

import pytest
from checkout import ROOT
from click.testing import CliRunner

from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
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
