"""The gradebook of a term: points, late work, trends, and who fell behind."""

import csv
import io
from html.parser import HTMLParser

import pytest

from autograder.classroom.export import Grade
from autograder.classroom.term_gradebook import Row, Term, as_csv, as_html, read_term, write_term
from autograder.errors import CourseError

MOST = (10.0, 20.0, 30.0)


def row(student, *shares, late=()):
    """A student with these shares of the points; None for what was not handed in."""
    grades = tuple(
        None
        if share is None
        else Grade(
            student, share * most, most, share * most, 0.0, "", "", "2 days late" * (i in late)
        )
        for i, (share, most) in enumerate(zip(shares, MOST))
    )
    return Row(student, grades, MOST)


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.9, 0.9, 0.9), ""),
        ((0.9, 0.9, 0.5), "is 40% below the earlier assignments"),
        ((0.9, None, None), "has not handed in the last 2 assignments"),
        ((0.4, 0.4, 0.4), "has 40% of all points"),
        ((0.6, None, 0.9), ""),
    ],
)
def test_who_falls_behind_is_named_with_the_reason(shares, words):
    assert row("ada", *shares).behind() == words


def test_what_was_not_handed_in_counts_as_zero_in_the_total_and_not_in_the_trend():
    one = row("ada", 1.0, None, 1.0)
    assert (one.points, one.share, one.missing, one.trend) == (40, pytest.approx(2 / 3), 1, 0)


def test_the_csv_has_a_column_per_assignment_and_no_formula():
    term = Term(["00_a", "01_b", "02_c"], [row("=ada", 1.0, None, 0.5, late=(2,))])
    header, values = csv.reader(io.StringIO(as_csv(term)))
    assert header == ["student", "00_a", "01_b", "02_c", "total", "max", "late", "missing"]
    assert values == ["'=ada", "10", "", "15", "25", "60", "1", "1"]


def test_the_page_is_balanced_escaped_and_loads_nothing():
    evil = "<script>alert(1)</script>"
    term = Term(["00_a", "01_b", "02_c"], [row(evil, 1.0, None, 0.5, late=(0,)), row("b", 1, 1, 1)])
    html = as_html(term)
    assert evil not in html
    assert "default-src 'none'" in html
    assert "2 days late" in html

    class Balance(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, attrs):
            if tag not in ("meta", "wbr"):
                self.open.append(tag)

        def handle_startendtag(self, tag, attrs):
            pass

        def handle_endtag(self, tag):
            assert self.open.pop() == tag, self.getpos()

    page = Balance()
    page.feed(html)
    assert page.open == []


def test_a_class_is_read_from_its_gradebook_and_written_as_page_and_table(graded_class, tmp_path):
    page, table = write_term(graded_class, output=tmp_path / "term.html")
    term = read_term(graded_class)
    assert [(one.student, one.points) for one in term.rows] == [("ada", 3), ("bob", 0), ("cem", 0)]
    assert "ada" in page.read_text("utf-8")
    assert table.read_text("utf-8").startswith("student,07_topic,total")


def test_before_anything_is_graded_a_sentence_says_so(small_course):
    with pytest.raises(CourseError, match="nothing is graded yet"):
        read_term(small_course)
