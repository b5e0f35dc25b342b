"""The course's site: built whole, without warnings, and looked through page by page."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from bs4 import BeautifulSoup
from checkout import ROOT

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
        assert page.select_one('a[href*="colab.research.google.com/github/"]')
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
    guides = {site / "docs" / "authors.html"}  # which says how a solution is marked
    for path, shown_text in of_pages.items():
        assert path in guides or "SOLUTION" not in shown_text
        assert path in guides or "Marking guide" not in shown_text
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


def test_pages_load_nothing_from_other_addresses_but_the_badge_of_colab(site):
    for page in pages(site).values():
        loaded = [
            tag.get("src") or tag.get("href")
            for tag in page.select('script[src], img[src], link[rel="stylesheet"]')
        ]
        outside = {address for address in loaded if urlsplit(address).netloc}
        assert all("colab-badge" in address for address in outside)
