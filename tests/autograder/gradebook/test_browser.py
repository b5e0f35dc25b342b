"""In a real browser, nothing that a student hands in runs or is in the way: in formgrader, on our pages."""

import base64
import json
import os

import nbformat
import pytest
from baits import BAITS, ELSEWHERE, GRADE, OVERLAYS, QUESTION
from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell
from server_process import Server

from autograder.authoring.release import release
from autograder.classroom.report import write_report
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.grade_class import Options, grade_class
from autograder.pages.feedback import write_feedback

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
#: What the page shows of the notebook, and the controls of formgrader itself.
BOXES = ".text_cell_render, .output_subarea, .input_area, .cell"
CONTROLS = ".scoring-buttons, .navbar, .panel-heading, .panel-footer, .help, input, textarea"
#: Looks at every 30th pixel of the window: what lies there outside of its box, and points to click.
LOOK = f"""() => {{
  const misplaced = [], points = [];
  for (let y = 70; y < innerHeight; y += 30) for (let x = 10; x < innerWidth; x += 30) {{
    const top = document.elementFromPoint(x, y);
    if (top === null || top.closest('{CONTROLS}')) continue;
    const box = top.closest('{BOXES}');
    const at = (box || top).getBoundingClientRect();
    const inside = at.left - 1 <= x && x <= at.right + 1 && at.top - 1 <= y && y <= at.bottom + 1;
    if (box !== null && !inside) misplaced.push(top.outerHTML.slice(0, 200));
    const link = top.closest('a') || box;
    if (!points.some(other => other.link === link)) points.push({{link, x, y}});
  }}
  return {{misplaced, points: points.map(one => [one.x, one.y])}};
}}"""


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


#: What is done when everything that was set off by then has run.
SETTLED = """() => new Promise(
  done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))
)"""


def settle(page):
    """Wait until what was set off has run, requests included."""
    page.wait_for_load_state("networkidle")
    page.evaluate(SETTLED)


def opened(browser, url):
    """A page whose scripts have run; nothing outside this machine is loaded."""
    page = browser.new_context().new_page()
    page.set_default_timeout(0)
    page.dialogs = []
    page.on("dialog", lambda dialog: (page.dialogs.append(dialog.message), dialog.dismiss()))

    def only_here(route):
        here = route.request.url.startswith(("http://127.0.0.1", "file:", "data:", "about:"))
        route.continue_() if here else route.abort()

    page.context.route("**/*", only_here)
    page.goto(url)
    settle(page)
    return page


def require_that_nothing_ran(page):
    for link in page.query_selector_all("#bait, a[href^='javascript:' i]"):
        link.evaluate("link => link.click()")
    settle(page)
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
        page.evaluate(
            """() => new Promise(done => {
              document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=ran=1>');
              document.body.lastElementChild.addEventListener('error', done);
            })"""
        )
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
            page = opened(browser, server.url(login))
            assert path in page.url
            require_that_nothing_ran(page)
            assert server.get(f"/formgrader/api/grades?submission_id={id_}") == before
            if picture := os.environ.get("FORMGRADER_PICTURES"):
                page.screenshot(path=f"{picture}/{path.replace('/', '-')}.png", full_page=True)
        # had it run, it would have worked
        page.evaluate(SELF_GRADING)
        after = server.get(f"/formgrader/api/grades?submission_id={id_}")
        assert [grade["manual_score"] for grade in after] == [g["max_score"] for g in before]
    finally:
        server.stop()


@pytest.fixture(scope="module")
def baited(make_small_course, tmp_path_factory):
    """A course with a question and a graded submission full of links over the page."""
    course = make_small_course(tmp_path_factory.mktemp("baited"))
    solution = nbformat.read(course.solution(NAME), as_version=4)
    solution.cells.append(
        new_markdown_cell("**Question 1 (2 points, graded by hand).** Why is padding left out?")
    )
    solution.cells.append(
        new_markdown_cell(
            f"### BEGIN SOLUTION: {QUESTION}\nIt is no word. **Marking guide**: 2 points.\n"
            "### END SOLUTION"
        )
    )
    nbformat.write(solution, course.solution(NAME))
    release(course, [NAME])
    (exercise,) = Assignment(course, NAME).exercises
    book = filled(Assignment(course, NAME), {exercise: f"def {exercise}(*inputs):\n    return 0"})
    together = "\n\n".join(BAITS)
    for cell in book.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == QUESTION:
            cell.source = together
    shown = "from IPython.display import publish_display_data as show\n"
    shown += f"for text in {OVERLAYS[::3]!r}:\n    show({{'text/html': text}})\n"
    shown += f"show({{'text/html': {''.join(BAITS)!r}}})\n"
    shown += f"show({{'text/markdown': {together!r}}})"
    outputs = new_code_cell(shown)
    outputs.metadata["tags"] = ["x navbar-fixed-top nbgrader_cell full-credit"]
    raw = [new_raw_cell(together, metadata={"raw_mimetype": kind}) for kind in ("", "text/html")]
    book.cells[:0] = [outputs, *raw, new_markdown_cell(together)]
    path = course.root / "submitted" / "mallory" / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(book))
    grade_class(course, NAME, options=Options(all_cells=True))
    return course


def click_everywhere(page):
    """Click once on all that the page shows but formgrader's controls; return what is out of place.

    Links do not lead away; formgrader's own handlers act as always.
    """
    page.evaluate("document.addEventListener('click', event => event.preventDefault(), true)")
    height, misplaced, clicked = page.evaluate("document.documentElement.scrollHeight"), [], 0
    for top in range(0, height, 600):
        page.evaluate("top => window.scrollTo({top, behavior: 'instant'})", top)
        found = page.evaluate(LOOK)
        misplaced += found["misplaced"]
        clicked += len(found["points"])
        for x, y in found["points"]:
            page.mouse.click(x, y)
    settle(page)
    assert clicked > 50
    return misplaced


def test_nothing_on_a_feedback_page_lies_over_the_rest_or_is_loaded(browser, baited):
    (path,) = write_feedback(baited, NAME)
    page = browser.new_context().new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{path}")
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    settle(page)
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    boxes = page.query_selector_all("div[style^='contain: paint']")
    assert len(boxes) > 5
    page.context.close()


@pytest.mark.slow
def test_no_click_on_a_submission_gives_it_points_in_formgrader(browser, baited, tmp_path):
    server = Server(baited.root, tmp_path / "server.log")
    try:
        server.wait()
        (notebook,) = server.get(f"/formgrader/api/submitted_notebooks/{NAME}/{NAME}")
        id_ = notebook["id"]
        grades = f"/formgrader/api/grades?submission_id={id_}"
        before = server.get(grades)
        assert sorted((one["name"], one["manual_score"]) for one in before) == [
            (GRADE, None),
            (QUESTION, None),
        ]
        login = f"/login?token={server.token}&next=/formgrader/submissions/{id_}"
        page = browser.new_context().new_page()
        page.set_default_timeout(0)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.context.route(
            "**/*",
            lambda route: (
                route.continue_() if "//127.0.0.1" in route.request.url else route.abort()
            ),
        )
        page.goto(server.url(login))
        settle(page)
        assert f"submissions/{id_}" in page.url
        if picture := os.environ.get("FORMGRADER_PICTURES"):
            page.screenshot(path=f"{picture}/baited.png")
        buttons = page.query_selector_all(".full-credit")
        assert len(buttons) == 2  # formgrader's own
        assert (
            page.query_selector_all(f"#{GRADE}, #{QUESTION}")[0].get_attribute("type") == "number"
        )
        assert click_everywhere(page) == []
        assert server.get(grades) == before
        elsewhere = [url for url in asked if not url.startswith((server.url("/"), "data:"))]
        assert all("/mathjax/" in url for url in elsewhere), elsewhere  # nbgrader's own
        # the policy stops what the cleaning of a later version may leave
        stopped = page.evaluate(
            """address => new Promise(done => {
              document.addEventListener('securitypolicyviolation', e => done(e.blockedURI));
              const image = document.createElement('img');
              image.src = address;
              document.body.append(image);
            })""",
            f"{ELSEWHERE}/later.png",
        )
        assert stopped == f"{ELSEWHERE}/later.png"
        # had a bait been kept, a click at the edge of the page would have given the points
        page.evaluate(
            """text => {
              const cells = [...document.querySelectorAll('.nbgrader_cell')];
              for (const cell of cells) cell.insertAdjacentHTML('beforeend', text);
              window.scrollTo(0, document.documentElement.scrollHeight);
            }""",
            OVERLAYS[0],
        )
        reached = page.evaluate("document.elementFromPoint(30, 400).outerHTML")
        assert reached == OVERLAYS[0].replace(" href", " href")
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            page.mouse.click(30, 400)
        assert any(one["manual_score"] == one["max_score"] for one in server.get(grades))
    finally:
        server.stop()
