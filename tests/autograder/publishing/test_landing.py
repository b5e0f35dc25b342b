"""Cards, the graph of assignments, and links to sections are made from what the course has."""

import re
from xml.etree import ElementTree

import pytest
from checkout import ROOT

from autograder.classroom.term_plan import needed
from autograder.course.layout import Course
from autograder.publishing.dependency_graph import Graph, as_svg, read_graph, rows_of
from autograder.publishing.landing import all_hours, cards, counts
from autograder.publishing.section_links import link_sections, slug

COURSE = Course(ROOT)


def test_every_assignment_has_a_card_that_links_to_it_with_hours_and_exercises():
    made = cards(COURSE, "chapters/{name}.html")
    for name in COURSE.assignments():
        (card,) = re.findall(rf'<li><a href="chapters/{name}.html">.*?</li>', made)
        assert re.search(r"\d½? hours?|½ hour", card)
        assert re.search(r"\d+ exercises", card)
        assert len(re.sub("<[^>]*>", "", card)) > 100, "no goal"


def test_hours_and_counts_are_those_of_the_assignments_that_exist():
    assert all_hours(COURSE) > 5 * len(COURSE.assignments())
    found = counts(COURSE)
    assert found["assignments"] == len(COURSE.assignments())
    assert found["misconceptions"] > 3 * found["exercises"] > 30


def test_code_is_reused_where_the_notebooks_ask_for_it():
    reuse = read_graph(COURSE).reuse
    for name in COURSE.assignments():
        assert {start for start, end in reuse if end == name} == set(needed(COURSE, name))


def test_every_assignment_stands_below_what_it_needs_and_a_row_fits_a_phone():
    graph = read_graph(COURSE)
    place = {name: number for number, row in enumerate(rows_of(graph)) for name in row}
    assert set(place) == set(COURSE.assignments())
    assert all(place[start] < place[end] for start, end in graph.edges)
    assert max(map(len, rows_of(graph))) <= 4


def test_the_graph_is_drawn_with_a_description_and_no_line_through_a_box():
    graph = read_graph(COURSE)
    svg = ElementTree.fromstring(as_svg(graph))
    assert svg.get("role") == "img"
    for start, end in graph.edges:
        assert re.search(rf"\b{end[:2]} [^;]*\b{start[:2]}\b", svg.get("aria-label"))
    boxes = [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in svg.iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) == len(graph.titles)
    lines = [p for p in svg.iter("{http://www.w3.org/2000/svg}path") if p.get("class")]
    assert len(lines) == len(graph.edges)
    for line in lines:
        for x, y0, y1 in _passes(line.get("d")):
            for left, top, width, height in boxes:
                inside = left < x < left + width
                assert not (inside and top < (y0 + y1) / 2 < top + height), line.get("d")


def _passes(path: str):
    """The upright parts of a line, with which it passes a row: x, and y of both ends."""
    numbers = re.findall(r"C[-\d. e]* ([-\d.e]+) ([-\d.e]+)V([-\d.e]+)", path)
    return [tuple(map(float, found)) for found in numbers]


def test_a_line_that_passes_a_row_goes_beside_its_boxes():
    titles = {f"0{number}_x": f"X {number}" for number in range(4)}
    chain = {("00_x", "01_x"), ("01_x", "02_x"), ("02_x", "03_x")}
    svg = as_svg(Graph(titles, frozenset({("00_x", "03_x")}), frozenset(chain)))
    (line,) = re.findall(r'class="reuse" d="([^"]+)"', svg)
    assert len(_passes(line)) == 2
    ends = re.findall(r"<rect x=\"([-\d.]+)\"", svg)
    for x, _, _ in _passes(line):
        assert all(not float(left) <= x <= float(left) + 98 for left in ends[1:3])


def test_a_graph_without_assignments_or_edges_is_drawn_too():
    assert "Nothing builds" in as_svg(Graph({}, frozenset(), frozenset()))
    assert as_svg(Graph({"00_x": "X"}, frozenset(), frozenset())).count("<rect") == 1


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("2. From scores to weights: the softmax", "2-from-scores-to-weights-the-softmax"),
        ("Exercise 3. `attend`", "exercise-3-attend"),
    ],
)
def test_anchors_are_made_as_github_makes_them(heading, anchor):
    assert slug(heading) == anchor


def test_sections_and_exercises_become_links_and_unknown_ones_stay():
    text = "| softmax | [04] §1 (`masked_softmax`), [04] §99, [98] §1 |\n[04]: somewhere"
    made = link_sections(COURSE, text)
    page = "notebooks/04_attention/04_attention.ipynb#"
    assert f"[§1]({page}1-" in made
    assert f"([`masked_softmax`]({page}exercise-2-" in made
    assert "[04] §99, [98] §1 |" in made
    assert made.endswith("[04]: somewhere")
