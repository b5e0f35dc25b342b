"""Chapters, cards, figures and slides are made for any course, with and without drawings and plans."""

from autograder.course.assignment import Assignment
from autograder.publishing.chapter import chapter
from autograder.publishing.dependency_graph import as_svg, read_graph
from autograder.publishing.figures import write_figures
from autograder.publishing.landing import all_hours, cards, counts
from autograder.publishing.slides import write_slides


def test_a_course_of_one_new_assignment_can_be_shown(small_course, tmp_path):
    assignment = Assignment(small_course, "07_topic")
    made = chapter(assignment)
    (check,) = [cell for cell in made.cells if cell.get("outputs")]
    assert 'class="check-says"' in check.outputs[0].data["text/html"]
    assert "1 exercise<" in cards(small_course, "{name}.html")
    assert all_hours(small_course) == 0
    assert counts(small_course)["exercises"] == 1
    assert as_svg(read_graph(small_course)).count("<rect") == 1
    (listed,) = write_figures(small_course, ["07_topic"], tmp_path / "figures")
    assert "## 07_topic" in listed.read_text("utf-8")
    assert write_slides(assignment, tmp_path / "slides.html") >= 2
    assert "average_topic" in (tmp_path / "slides.html").read_text("utf-8")
