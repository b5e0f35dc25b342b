"""In a real browser, nothing that a student hands in runs: in formgrader, on pages of ours."""

import base64
import json
import os
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from server_process import Server

from autograder.classroom.report import write_report
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.grade_class import Options, grade_class
from autograder.pages.feedback import write_feedback

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

NAME = "07_topic"
#: What a script in formgrader would do: give its own submission full points, as its buttons do.
SELF_GRADING = """\
(async () => {
  const page = window.top;
  page.ran = true;
  const submission = page.location.pathname.split('/').filter(Boolean).pop();
  const token = (page.document.cookie.match(/_xsrf=([^;]+)/) || [])[1];
  const headers = {'X-XSRFToken': token, 'Content-Type': 'application/json'};
  const api = '/formgrader/api/';
  const found = await page.fetch(`${api}grades?submission_id=${submission}`, {headers});
  const grades = await found.json();
  for (const grade of grades) {
    const body = JSON.stringify({...grade, manual_score: grade.max_score});
    await page.fetch(`${api}grade/${grade.id}`, {method: 'PUT', headers, body});
  }
})()"""
RUN = f"eval(atob('{base64.b64encode(SELF_GRADING.encode()).decode()}'))"
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"{RUN}\"><script>{RUN}</script></svg>"
MARKUP = [
    f"<script>{RUN}</script>",
    f'<img src="x" onerror="{RUN}">',
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f'<iframe src="javascript:parent.{RUN}"></iframe>',
    SVG,
    f'<details open ontoggle="{RUN}">x</details>',
    f'<input autofocus onfocus="{RUN}">',
    f'<a id="bait" href="javascript:{RUN}">bait</a>',
    f'<object data="data:text/html,<script>parent.{RUN}</script>"></object>',
    f'<math><mtext><table><mglyph><style><!--</style><img title="--><img src onerror={RUN}>">',
    f'"><img src="x" onerror="{RUN}">',
    f"</script><script>{RUN}</script>",
    f"</pre></div><script>{RUN}</script>",
]
KINDS = ("text/html", "text/markdown", "text/latex", "image/svg+xml", "text/plain")
KINDS += ("application/javascript", "application/vnd.jupyter.widget-view+json", "image/png")


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None:
        pytest.skip("no Chromium on PATH")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def attacked(make_small_course, tmp_path_factory):
    """A course with a graded submission that tries everything, and earns nothing."""
    course = make_small_course(tmp_path_factory.mktemp("attacked"))
    (exercise,) = Assignment(course, NAME).exercises
    answer = f"def {exercise}(*inputs):\n    return {MARKUP[1]!r}"
    book = filled(Assignment(course, NAME), {exercise: answer})
    shown = [
        f"display(Javascript({RUN!r}))",
        f"print({' '.join(MARKUP)!r})",
        f"raise ValueError({MARKUP[1]!r})",
        *(f"publish_display_data({dict.fromkeys(KINDS, text)!r})" for text in MARKUP),
        *(f"display(HTML({text!r}))" for text in MARKUP),
    ]
    before = [new_code_cell("from IPython.display import *")]
    before += [new_code_cell(f"{source}\n# {MARKUP[0]}") for source in shown]
    before += [new_markdown_cell(text) for text in MARKUP]
    attached = new_markdown_cell(f"![x](attachment:x.svg) [bait](javascript:{RUN})")
    picture = base64.b64encode(SVG.encode()).decode()
    attached["attachments"] = {
        "x.svg": {"image/svg+xml": picture, f'image/png" onerror="{RUN}': "x"}
    }
    book.cells[:0] = [*before, attached]
    state = {"model": {"state": {"value": MARKUP[1]}, "model_name": MARKUP[1]}}
    book.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": state}}
    book.metadata["title"] = MARKUP[0]
    path = course.root / "submitted" / "mallory" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(book))
    odd = course.root / "submitted" / "<img src=x onerror=ran=1>" / NAME
    odd.mkdir(parents=True)
    nbformat.write(filled(Assignment(course, NAME)), odd / f"{NAME}.ipynb")
    grade_class(course, NAME, options=Options(all_cells=True))
    return course


def opened(browser, url, wait=1000):
    """A page after its scripts had time to run; nothing outside this machine is loaded."""
    page = browser.new_context().new_page()
    page.set_default_timeout(120_000)
    page.dialogs = []
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))

    def only_here(route):
        here = route.request.url.startswith(("http://127.0.0.1", "file:", "data:", "about:"))
        route.continue_() if here else route.abort()

    page.context.route("**/*", only_here)
    page.goto(url)
    page.wait_for_timeout(wait)
    return page


def require_that_nothing_ran(page):
    for link in page.query_selector_all("#bait, a[href^='javascript:' i]"):
        link.evaluate("link => link.click()")
    page.wait_for_timeout(500)
    ran = [frame.url for frame in page.frames if frame.evaluate("Boolean(window.ran)")]
    assert ran == []
    assert page.dialogs == []
    handlers = "[...document.querySelectorAll('*')].filter(e => /eval\\(atob/.test("
    handlers += "[...e.attributes].map(a => a.name + a.value).join())).length"
    assert page.evaluate(handlers) == 0


def test_nothing_runs_on_feedback_pages_and_in_the_report(browser, attacked):
    pages = write_feedback(attacked, NAME)
    pages.append(write_report(attacked, NAME))
    assert len(pages) >= 2
    for path in pages:
        assert "Content-Security-Policy" in path.read_text()
        page = opened(browser, f"file://{path}")
        require_that_nothing_ran(page)
        # the policy stops what the cleaning of a later version may leave
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=ran=1>')")
        page.wait_for_timeout(500)
        assert not page.evaluate("Boolean(window.ran)"), path
        page.context.close()


@pytest.mark.slow
def test_a_submission_does_not_grade_itself_in_formgrader(browser, attacked, tmp_path):
    server = Server(attacked.root, tmp_path / "server.log")
    try:
        server.wait()
        (notebook,) = [
            one
            for one in server.get(f"/formgrader/api/submitted_notebooks/{NAME}/{NAME}")
            if one["student"] == "mallory"
        ]
        assert notebook["score"] == 0
        id_ = notebook["id"]
        before = server.get(f"/formgrader/api/grades?submission_id={id_}")
        for path in (
            "manage_assignments",
            f"manage_submissions/{NAME}",
            f"gradebook/{NAME}",
            f"gradebook/{NAME}/{NAME}",
            "manage_students",
            "manage_students/mallory",
            f"submissions/{id_}",
        ):
            # logged in for the whole server, as whoever opens formgrader from JupyterLab
            login = f"/login?token={server.token}&next=/formgrader/{path}"
            page = opened(browser, server.url(login), 3000)
            assert path in page.url
            require_that_nothing_ran(page)
            assert server.get(f"/formgrader/api/grades?submission_id={id_}") == before
            if picture := os.environ.get("FORMGRADER_PICTURES"):
                page.screenshot(path=f"{picture}/{path.replace('/', '-')}.png", full_page=True)
        # had it run, it would have worked
        page.evaluate(SELF_GRADING)
        page.wait_for_timeout(3000)
        after = server.get(f"/formgrader/api/grades?submission_id={id_}")
        assert [grade["manual_score"] for grade in after] == [g["max_score"] for g in before]
    finally:
        server.stop()
