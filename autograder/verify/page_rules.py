"""Rules on what the site and the slides show of an assignment."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bs4 import BeautifulSoup

from autograder.authoring.attach_drawings import shown_drawings
from autograder.course.cells import asked_exercise
from autograder.publishing.chapter import WITHHELD
from autograder.publishing.failing_check import failing_verdict
from autograder.publishing.secrets import secrets
from autograder.verify.rules import Subject, rule

#: Shorter lines of a solution, such as `else:`, tell nothing.
_MIN_LINE = 8
#: The least length of a picture's description.
_MIN_ALT = 20


@rule(thresholds={"outputs-per-exercise": 1, "withheld-share": 0.5})
def chapter_outputs(subject: Subject) -> Iterator[str]:
    """Require that the site's chapter shows outputs, withholds few of them, and shows them as they are stored."""
    solved = {cell.id: cell for cell in subject.assignment.solution.code}
    shown = withheld = 0
    for cell in subject.chapter.cells:
        if cell.cell_type != "code" or cell.metadata.get("nbgrader"):
            continue
        if cell.outputs and WITHHELD in str(cell.outputs):
            withheld += 1
        elif cell.outputs != solved[cell.id].outputs:
            yield f"the cell {cell.id} shows other outputs than the solution notebook stores."
        else:
            shown += bool(cell.outputs)
    fewest = subject.thresholds["outputs-per-exercise"] * len(subject.assignment.exercises)
    if shown < fewest:
        yield f"the chapter shows {shown} outputs; let at least {fewest:g} cells show something."
    if withheld > subject.thresholds["withheld-share"] * shown:
        yield (
            f"the chapter withholds {withheld} outputs and shows {shown}: ask for guesses in fewer"
            " places, or tag single cells `remove-output`."
        )


@rule()
def chapter_secrets(subject: Subject) -> Iterator[str]:
    """Require that no output of the chapter has a line that students are to write."""
    given = "\n".join(cell.source for cell in subject.assignment.release.cells)
    written = set()
    for cell in subject.assignment.solution.notebook.cells:
        inside = False
        for line in map(str.strip, cell.source.splitlines()):
            if line.startswith("### "):
                inside = line.startswith("### BEGIN SOLUTION")
            elif inside and len(line) >= _MIN_LINE and line not in given:
                written.add(line)
    if not written:
        yield "no line of a solution could be told from the given code: write longer solutions."
    for cell in subject.chapter.cells:
        text = json.dumps(cell.get("outputs", []), ensure_ascii=False)
        text = re.sub(r"base64,[\w+/=\\]+", "", text).replace('\\"', '"')
        for line in written:
            if line in text:
                yield f"an output of the cell {cell.id} shows a line of a solution: {line}"


@rule()
def chapter_checks(subject: Subject) -> Iterator[str]:
    """Require that below every check the chapter shows a real mistake with its own hint."""
    asked = [asked_exercise(c) for c in subject.chapter.cells if c.cell_type == "code"]
    names = [name for name in asked if name]
    if sorted(names) != sorted(subject.recorded):
        yield "the checks of the student notebook are not those of the recording; release again."
        return
    for name in names:
        verdict = failing_verdict(subject.recorded[name])
        hints = {one["name"]: one["hint"] for one in subject.recorded[name]["misconceptions"]}
        if verdict is None or not verdict.hint or verdict.hint != hints[verdict.misconception]:
            yield f"{name}: no misconception loses points and gets its own hint."


@rule(thresholds={"results-per-exercise": 1, "named-share": 0.8})
def slides(subject: Subject) -> Iterator[str]:
    """Require that the slides have the notebook's sections, drawings, formulas, exercises and results."""
    page = BeautifulSoup(subject.slides, "html.parser")
    cells = subject.assignment.release.cells
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    numbered = re.findall(r"^## (\d+)\. ", source, re.MULTILINE)
    titles = [h2.get_text() for h2 in page.select('section[data-kind="section"] h2')]
    shown = [title.split(".")[0] for title in titles if title[:1].isdigit()]
    if shown != [number for number in numbered if number in shown]:
        yield "the sections of the slides are in another order than the notebook's."
    if len(shown) < len(numbered) - 2:
        yield f"the slides have {len(shown)} of {len(numbered)} sections: let more show something."
    alts = [str(img["alt"]) for img in page.select("img.drawing")]
    if alts != [alt for alt, _ in shown_drawings(source)]:
        yield "the drawings of the slides are not those of the notebook."
    for image in page.select("img"):
        if len(str(image["alt"])) <= _MIN_ALT:
            yield f"a picture's description is too short: {image['alt']!r}; say what it shows."
    names = subject.assignment.solution.checked_names
    results = len(page.select('section[data-kind="result"], section:has(> details)'))
    fewest = subject.thresholds["results-per-exercise"] * len(names)
    if results < fewest:
        yield f"the slides show {results} results; let at least {fewest:g} cells show something."
    named = {code.get_text() for code in page.select(".write code")}
    if len(named & set(names)) < subject.thresholds["named-share"] * len(names):
        yield f"the slides name {len(named)} of {len(names)} exercises: give each a heading."
    if 2 * len(page.select(".formula math")) < 0.5 * source.count("$$"):
        yield "fewer than half of the notebook's displayed formulas are on the slides."
    if set("$`*") & set(" ".join(titles)):
        yield "a heading of the slides shows its markup; use plain words in headings."


@rule()
def slides_secrets(subject: Subject) -> Iterator[str]:
    """Require that the slides have no line of a solution, fold code away, and load nothing from elsewhere."""
    text = subject.slides
    page = BeautifulSoup(text, "html.parser")
    loaded = page.select("link, iframe, script[src]")
    loaded += [img for img in page.select("img") if not str(img["src"]).startswith("data:")]
    if loaded or re.search(r"url\(\s*[\"']?(?!data:)[\w/]", text):
        yield "the slides load something from elsewhere."
    for code in page.select("pre.code"):
        fold = code.find_parent("details")
        if fold is None or fold.has_attr("open"):
            yield f"the slides show code unfolded: {code.get_text()[:60]!r}"
    for script in page.select("script, style"):
        script.extract()
    shown = page.get_text() + "\n".join(str(img["alt"]) for img in page.select("img"))
    for line in secrets(subject.assignment).lines:
        if line in shown:
            yield f"the slides show a line of a solution: {line}"
    if "SOLUTION" in shown or "Marking guide" in shown:
        yield "the slides show a solution's delimiter or a marking guide."
