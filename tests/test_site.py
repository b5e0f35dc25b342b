"""The course's site: built whole, without warnings, and looked through page by page."""

import importlib.resources
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from checkout import ROOT

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.publishing.chapter import chapter
from autograder.publishing.figures import figures_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.version_info < (3, 11), reason="the site's tools need Python 3.11"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs"]
    done = subprocess.run(
        [*command, "-d", str(folder / "trees"), ".", str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def pages(site: Path) -> dict[Path, BeautifulSoup]:
    return {
        path: BeautifulSoup(path.read_text("utf-8"), "html.parser")
        for path in site.rglob("*.html")
        if "_static" not in path.parts
    }


def test_every_assignment_is_a_chapter_with_its_drawings_and_formulas(site):
    for notebook in ROOT.glob("notebooks/*/*.ipynb"):
        path = site / notebook.relative_to(ROOT).with_suffix(".html")
        page = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        cells = nbformat.read(notebook, as_version=4).cells
        drawings = sum(len(cell.get("attachments", {})) for cell in cells)
        article = page.find("article")
        assert len(article.select('img[src*="_images/"], img[src^="data:"]')) >= drawings
        assert article.find("math") or notebook.stem == "00_setup"
        assert "$$" not in article.get_text()
        assert page.select_one('a[href*="colab.research.google.com/github/"] img[src*="_images/"]')
        assert page.select_one(f'a[href$="{notebook.name}"]'), "no download"


def test_the_reference_describes_every_public_name(site):
    import coursekit

    described = {
        name["id"].split(".")[-1]
        for path, page in pages(site).items()
        if path.parent.name == "api"
        for name in page.select("dt[id]")
    }
    assert {*coursekit.__all__[1:], "Case", "Exercise", "close", "Canvas"} <= described


def test_the_search_finds_guides_chapters_and_names(site):
    index = (site / "searchindex.js").read_text("utf-8")
    for page in ("docs/students", "docs/instructors", "docs/authors", "docs/architecture"):
        assert f'"{page}"' in index
    assert '"docs/api/checking"' in index
    assert '"notebooks/04_attention/04_attention"' in index


def test_every_link_inside_the_site_leads_somewhere(site):
    found = pages(site)
    broken = []
    for path, page in found.items():
        for link in page.select("a[href], link[href], script[src], img[src]"):
            address = urlsplit(link.get("href") or link.get("src"))
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if not target.exists():
                broken.append((path.name, address.geturl()))
            elif address.fragment and target in found:
                name = unquote(address.fragment)
                if not found[target].find(id=name):
                    broken.append((path.name, address.geturl()))
    assert not broken


def test_no_line_of_a_solution_and_no_marking_guide_is_on_the_site(site):
    def shown(source):
        return source.replace("`", "")  # as a page shows it

    text = "\n".join(
        path.read_text("utf-8") for path in site.rglob("*") if path.suffix in (".ipynb", ".js")
    )
    of_pages = {path: page.get_text() for path, page in pages(site).items()}
    text = shown(text + "\n".join(of_pages.values()))
    for path, shown_text in of_pages.items():
        if "notebooks" in path.parts:  # guides say how a solution is marked
            assert "SOLUTION" not in shown_text
            assert "Marking guide" not in shown_text
    released = shown(
        "\n".join(
            cell.source
            for path in ROOT.glob("notebooks/*/*.ipynb")
            for cell in nbformat.read(path, as_version=4).cells
        )
    )
    for path in ROOT.glob("solutions/*/*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            for block in re.findall(
                r"### BEGIN SOLUTION.*?\n(.*?)### END SOLUTION", cell.source, re.DOTALL
            ):
                lines = {shown(line.strip()) for line in block.splitlines()}
                lines = {line for line in lines if len(line) > 30}
                assert not [line for line in lines if line in text and line not in released]


def test_a_chapter_shows_figures_tables_and_printouts_and_folds_its_setup(site):
    for notebook in ROOT.glob("notebooks/*/*.ipynb"):
        path = site / notebook.relative_to(ROOT).with_suffix(".html")
        article = BeautifulSoup(path.read_text("utf-8"), "html.parser").find("article")
        outputs = article.select(".cell_output")
        figures = [img for out in outputs for img in out.select('img[loading="lazy"]')]
        assert len(outputs) >= 25
        made = chapter(Assignment(Course(ROOT), notebook.stem))
        shown = [figures_of(output) for cell in made.cells for output in cell.get("outputs", [])]
        assert len(figures) == sum(len(list(found)) for found in shown)
        assert all(len(figure["alt"]) > 20 for figure in figures)
        checks = article.select("details.check-says")
        assert len(checks) >= 7
        assert all(not check.has_attr("open") and "of" in check.get_text() for check in checks)
        folded = [details.get_text() for details in article.select("details.hide")]
        assert any("# Set-up" in text for text in folded)
        assert any("import torch" in text for text in folded)


def test_what_is_downloaded_is_the_student_notebook_without_outputs(site):
    for notebook in ROOT.glob("notebooks/*/*.ipynb"):
        (copy,) = site.rglob(f"_sources/**/{notebook.name}")
        assert copy.read_bytes() == notebook.read_bytes()


def test_everybody_finds_their_page_from_the_landing_page(site):
    page = BeautifulSoup((site / "docs" / "index.html").read_text("utf-8"), "html.parser")
    article = page.find("article")
    links = {link.get("href") for link in article.select("a[href]")}
    assert {"students.html", "instructors.html", "authors.html", "../LECTURES.html"} <= links
    for notebook in ROOT.glob("notebooks/*/*.ipynb"):
        assert f"../notebooks/{notebook.stem}/{notebook.stem}.html" in links
    assert article.select_one("img[alt]")
    assert article.select_one("svg.graph[aria-label]")
    assert not re.search(r"\{\{|<!--", str(article))


def test_the_index_of_the_lectures_leads_to_sections_and_exercises(site):
    page = BeautifulSoup((site / "LECTURES.html").read_text("utf-8"), "html.parser")
    links = [link["href"] for link in page.find("article").select('a[href*=".html#"]')]
    assert len(links) > 150


def test_pages_load_nothing_from_other_addresses(site):
    for page in pages(site).values():
        loaded = [
            tag.get("src") or tag.get("href")
            for tag in page.select('script[src], img[src], link[rel="stylesheet"]')
        ]
        assert not {address for address in loaded if urlsplit(address).netloc}
    style = (site / "_static" / "site.css").read_text("utf-8")
    assert all((site / "_static" / name).is_file() for name in re.findall(r'url\("(.+?)"', style))


# ------------------------------------------------------------------------------ in a browser

#: What sticks out of a phone's page without a box that scrolls, and formulas whose lower part is cut.
STICKS_OUT = """() => {
  const wide = document.documentElement.clientWidth + 1, found = [];
  const scrolls = box => box && box !== document.body && (
    ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
      && box.getBoundingClientRect().right <= wide || scrolls(box.parentElement));
  for (const one of document.querySelectorAll('article *')) {
    const box = one.getBoundingClientRect();
    if (box.width && box.right > wide && !scrolls(one.parentElement))
      found.push(`${one.tagName} ${one.textContent.slice(0, 60)}`);
  }
  for (const one of document.querySelectorAll('.formula'))
    if (one.scrollHeight > one.clientHeight + 1) found.push(`cut: ${one.textContent}`);
  if (document.documentElement.scrollWidth > wide) found.push('the page');
  return found;
}"""
#: All is shown at once: text that fades in has too little contrast until it is there.
UNFOLD = """() => {
  document.querySelectorAll('article details').forEach(one => one.open = true);
  document.getAnimations().forEach(one => one.finish());
}"""
VIOLATIONS = """() => axe.run({resultTypes: ['violations']}).then(result => result.violations
  .filter(one => ['serious', 'critical'].includes(one.impact))
  .map(one => `${one.id}: ${one.nodes[0].html.slice(0, 200)}`))"""


def addresses(site: Path) -> list[str]:
    return [path.as_uri() for path in sorted(pages(site)) if path != site / "index.html"]


def test_nothing_sticks_out_on_a_phone_and_nothing_is_asked_of_a_network(site, browser):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    found = {}
    for address in addresses(site):
        page.goto(address, wait_until="load")
        page.evaluate(UNFOLD)
        found[address] = page.evaluate(STICKS_OUT)
    assert not {address: what for address, what in found.items() if what}
    assert not [url for url in asked if urlsplit(url).scheme not in ("file", "data")]


def test_formulas_are_set_in_the_font_that_is_shipped(site, browser):
    page = browser.new_page()
    page.goto((site / "notebooks/04_attention/04_attention.html").as_uri(), wait_until="load")
    page.evaluate("document.fonts.ready.then(() => null)")
    assert page.evaluate(
        "[...document.fonts].some(f => f.family.includes('STIX') && f.status === 'loaded')"
    )


#: Looked at in the dark, too: one page of each kind.
OF_EACH_KIND = ("docs/index", "LECTURES", "04_attention/", "docs/instructors", "api/checking")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1200, "dark")])
def test_a_checker_of_accessibility_finds_nothing_serious(site, browser, width, scheme):
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    axe = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    found = {}
    for address in addresses(site):
        if scheme == "dark" and not any(kind in address for kind in OF_EACH_KIND):
            continue
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto(address, wait_until="load")
        page.evaluate(UNFOLD)
        page.evaluate(axe)
        found[address] = page.evaluate(VIOLATIONS)
        page.close()  # a browser keeps what a page held as long as it is open
    assert len(found) >= len(OF_EACH_KIND)
    assert not {address: what for address, what in found.items() if what}
