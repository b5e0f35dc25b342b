"""The report on a graded class: its statistics, and a page that no submission can break."""

import json
import warnings
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner
from nbformat.v4 import new_code_cell, new_notebook

from autograder.classroom import analysis
from autograder.classroom.export import Grade, grades
from autograder.classroom.report import Report, Submission, as_html, read_class, write_report
from autograder.cli import main
from autograder.course.layout import Course
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.grading.grading_log import Notes, Repair, Usage
from autograder.grading.stages import checks_in
from autograder.grading.verdicts import write_verdicts
from coursekit.checking.verdict import GroupResult, Verdict

NAME = "07_topic"
USED = Usage(2.0, 1.5, 2**29)
EVIL = "<script>alert(1)</script> & `x` \ud800"


def verdict(exercise="pool", points=4.0, **rest):
    """A verdict with two groups, of 3 and 1 points."""
    first, second = min(points, 3.0), max(0.0, points - 3.0)
    groups = [GroupResult("values", first, 3.0, 1, 1), GroupResult("edges", second, 1.0, 1, 1)]
    headline = "" if points >= 4 else "a number differs"
    return Verdict(exercise, points, 4.0, groups, **{"headline": headline, **rest})


def submission(student, *verdicts, usage=USED, **notes):
    return Submission(student, {v.exercise: v for v in verdicts}, Notes(usage=usage, **notes))


def page(*submissions, **rest):
    """The page about these submissions; warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return as_html(Report(NAME, list(submissions), **rest))


def by_points(*points):
    """A class of one student per column, from one row of points per exercise."""
    return {
        f"s{i}": {f"e{j}": verdict(f"e{j}", float(p)) for j, p in enumerate(row)}
        for i, row in enumerate(zip(*points))
    }


class Balance(HTMLParser):
    """Fails on an unbalanced end tag; `counts` has the number of elements by tag."""

    def __init__(self):
        super().__init__()
        self.open, self.counts, self.parts = [], {}, []

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in ("meta", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data):
        self.parts.append(data)

    @property
    def text(self):
        return "".join(self.parts)


def parsed(html):
    parser = Balance()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


def marks(exercise):
    return {"grade": True, "solution": False, "grade_id": f"check_{exercise}"}


def write_notebook(folder, student, *verdicts, notes=None):
    cells = [
        new_code_cell(f"check({v.exercise})", metadata={"nbgrader": marks(v.exercise)})
        for v in verdicts
    ]
    notebook = new_notebook(cells=cells)
    write_verdicts(notebook, checks_in(notebook), list(verdicts), notes or Notes(usage=Usage(1.0)))
    path = folder / "autograded" / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), "utf-8")
    return path


def test_discrimination_is_the_correlation_with_the_other_exercises_together():
    summaries = analysis.summarize(by_points([0, 1, 3, 4], [0, 2, 3, 4], [4, 3, 1, 0]))
    rest = [4, 5, 4, 4]
    assert summaries[0].discrimination == pytest.approx(np.corrcoef([0, 1, 3, 4], rest)[0, 1])
    assert summaries[2].discrimination < -0.9


@pytest.mark.parametrize(
    ("points", "rest"), [([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5]), ([1, 2], [1, 2]), ([], [])]
)
def test_discrimination_is_undefined_without_variance_or_with_two_students(points, rest):
    assert analysis.discrimination(points, rest) is None


def test_an_exercise_is_summed_up_by_outcomes_groups_and_mistakes():
    (found,) = analysis.summarize(
        {
            "full": {"pool": verdict()},
            "edges": {"pool": verdict(points=3.0, misconception="sums", hint="Take the mean.")},
            "also": {"pool": verdict(points=3.0, misconception="sums", hint="Take the mean.")},
            "wrong": {"pool": verdict(points=0.0)},
            "todo": {"pool": verdict(points=0.0, stage="missing")},
        }
    )
    assert found.share == pytest.approx(0.5)
    assert found.outcomes == {"full": 1, "some": 2, "none": 1, "unwritten": 1}
    assert found.lost == [analysis.Lost("values", 6.0, 15.0), analysis.Lost("edges", 4.0, 5.0)]
    assert found.mistakes == [analysis.Mistake("sums", "Take the mean.", ["edges", "also"])]
    assert found.other == {"wrong": "a number differs"}


def test_students_with_few_points_or_a_bad_start_may_need_help():
    verdicts = by_points([4, 0, 0, 4], [4, 0, 1, 4], [4, 4, 0, 4], [4, 4, 0, 0])
    found = analysis.struggling(verdicts)
    assert [(one.student, one.early_failures) for one in found] == [("s2", 2), ("s1", 2)]
    assert [lost.exercise for lost in found[0].lost] == ["e0", "e1", "e2", "e3"]


@pytest.mark.parametrize(
    "values", [[2.0], [3.0, 3.0, 3.0], [0.0, 0.0], [0.0, 0.0, 9.0], [1, 2, 3, 4, 400], [0.1, 0.7]]
)
def test_every_value_is_in_one_bar(values):
    found = analysis.bars(values)
    assert sum(bar.count for bar in found) == len(values)
    assert 5 <= len(found) <= 16
    for value in values:
        hits = [b for b in found if b.low <= value and (b.high is None or value < b.high)]
        assert len(hits) == 1


def test_full_marks_are_in_the_last_bar_of_shares():
    assert [b.count for b in analysis.share_bars([0, 0.1, 0.3, 0.95, 1, 1.2])] == [
        *(1, 1, 0, 1, 0, 0, 0, 0, 0, 3)
    ]


def test_what_students_wrote_is_escaped_everywhere():
    wrong = verdict(points=0.0, headline=EVIL)
    named = verdict("other", points=0.0, headline=EVIL, misconception="sums", hint="Take `mean`.")
    html = page(
        submission("<b>bold", wrong, named, suspicions=[EVIL], usage=Usage(1.0, end=EVIL)),
        submission("doubt", wrong, named, repairs=[Repair(EVIL, True), Repair(EVIL)]),
        submission("gone", wrong, unread=EVIL, usage=None),
        Submission("lost", problem=EVIL),
    )
    assert "<script" not in html
    assert "<b>bold" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt; &amp; <code>x</code>") >= 6
    assert "Take <code>mean</code>." in html
    parsed(html)


def test_a_lone_surrogate_does_not_stop_the_page(tmp_path):
    write_notebook(tmp_path, "ada", verdict(points=0.0), notes=Notes(unread="not run: \ud800"))
    output = write_report(Course(tmp_path), NAME)
    assert r"not run: \ud800" in output.read_text("utf-8")


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("points", [0.0, 4.0])
@pytest.mark.parametrize("usage", [None, Usage(0.0), Usage(3.0, 3.0, 2**30)])
def test_a_class_in_which_nothing_varies_gives_a_page_without_nan(count, points, usage):
    rows = [
        submission(f"s{i}", verdict("a", points), verdict("b", points), usage=usage)
        for i in range(count)
    ]
    html = page(*rows)
    text = parsed(html).text
    assert "nan" not in text.lower().split()
    assert 'data-label="discrimination">—</td>' in html


def test_a_class_of_which_nothing_ran_has_scores_and_reasons_only():
    text = parsed(page(submission("ada", verdict(points=0.0), unread="cut off", usage=None))).text
    assert "cut off" in text
    assert "discrimination" not in text.lower().split("</style>")[-1]


def test_the_page_needs_no_network_and_runs_no_script():
    html = page(submission("ada", verdict()), submission("bob", verdict(points=1.0)))
    for word in ("http:", "https:", "//", "<script", "<link", "<img", "@import", "url("):
        assert word not in html.replace("http-equiv", "")


def test_submissions_run_without_the_sandbox_are_named_at_the_top():
    isolated = submission("ada", verdict())
    bare = submission("bob", verdict(), usage=Usage(1.0, sandboxed=False))
    text = parsed(page(isolated, bare)).text
    assert "1 of 2 submissions ran without the sandbox" in text
    assert "ran in the sandbox" not in text
    assert "Every submission that was run ran in the sandbox." in parsed(page(isolated)).text


def test_doubtful_repairs_come_first_and_certain_ones_last():
    html = page(
        submission(
            "ada", verdict(), repairs=[Repair("recognized by its name"), Repair("a copy", True)]
        ),
        submission("bob", verdict(), suspicions=["cell 3 mentions gc"]),
    )
    order = [
        html.index(text) for text in ("a copy", "cell 3 mentions gc", "recognized by its name")
    ]
    assert order == sorted(order)
    assert len(Report(NAME, [submission("bob", verdict(), suspicions=["x"])]).to_review()) == 1


def test_manual_grades_and_late_penalties_come_from_the_gradebook():
    ada, bob = submission("ada", verdict()), submission("bob", verdict())
    ada.grade = Grade("ada", 4.5, 6.0, 5.0, 0.5, "", "")
    bob.grade = Grade("bob", 4.0, 6.0, 4.0, 0.0, "", "needs manual grading")
    report = Report(NAME, [ada, bob])
    assert report.scores.median == 4.25
    assert report.max_score == 6.0
    assert report.ungraded() == ["bob"]
    text = " ".join(parsed(as_html(report)).text.split())
    assert "ada: 5 − 0.5 = 4.5" in text
    assert "1 student needs manual grading" in text


def test_a_class_of_500_stays_readable():
    rng = np.random.default_rng(1)
    rows = [
        submission(
            f"student_{i:03}",
            *(verdict(f"e{j}", float(rng.integers(5))) for j in range(12)),
            usage=Usage(*map(float, rng.gamma(3, 1, 2)), int(rng.integers(2**29, 2**30))),
            suspicions=[f"cell {i} mentions gc"],
        )
        for i in range(500)
    ]
    html = page(*rows)
    assert len(html) < 2_000_000
    few = parsed(page(*rows[:3]))
    assert parsed(html).counts["figure"] == few.counts["figure"] == 4
    assert "<summary>485 more</summary>" in html
    assert "<details><summary>500 students by exercise" in html


def test_an_unreadable_notebook_is_listed(tmp_path):
    write_notebook(tmp_path, "ada", verdict())
    write_notebook(tmp_path, "bob", verdict()).write_text('{"cells": [3]', "utf-8")
    write_notebook(tmp_path, "cem", verdict()).write_text('{"cells": [3], "metadata": 1}', "utf-8")
    write_notebook(tmp_path, "dan")
    (tmp_path / "submitted" / "eve" / NAME).mkdir(parents=True)
    found = read_class(Classroom(Course(tmp_path)), NAME)
    assert [bool(one.problem) for one in found] == [False, True, True, True, True]
    text = parsed(page(*found)).text
    assert "The results of 4 students cannot be read" in text
    assert "has no verdicts" in text
    assert "no autograded notebook" in text


def test_links_to_feedback_are_relative_to_the_page(tmp_path):
    write_notebook(tmp_path, "a b", verdict(points=0.0))
    feedback = tmp_path / "feedback" / "a b" / NAME / f"{NAME}.html"
    feedback.parent.mkdir(parents=True)
    feedback.write_text("", "utf-8")
    course = Course(tmp_path)
    address = f"feedback/a%20b/{NAME}/{NAME}.html"
    assert f'href="../{address}"' in write_report(course, NAME).read_text("utf-8")
    near = write_report(course, NAME, output=tmp_path / "page.html")
    assert f'href="{address}"' in near.read_text("utf-8")


def test_a_page_that_cannot_be_written_says_so(tmp_path):
    write_notebook(tmp_path, "ada", verdict())
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(CourseError, match="cannot write"):
        write_report(Course(tmp_path), NAME, output=tmp_path / "file" / "page.html")


def test_nothing_graded_yet_says_so(tmp_path):
    with pytest.raises(CourseError, match="no graded submissions of 07_topic"):
        write_report(Course(tmp_path), NAME)


def test_the_command_reports_on_a_class_that_was_really_graded(graded_class, monkeypatch):
    monkeypatch.chdir(graded_class.root)
    result = CliRunner().invoke(main, ["report", NAME])
    assert result.exit_code == 0, result.output
    output = graded_class.root / "reports" / f"{NAME}.html"
    assert result.output == f"written: {output}\n"
    text = parsed(output.read_text("utf-8")).text
    assert "07_topic.ipynb was not submitted" in text
    assert "ran in the sandbox" in text


def test_scores_are_those_of_the_gradebook_and_points_those_of_the_verdicts(graded_class):
    report = Report(NAME, read_class(Classroom(graded_class), NAME))
    scores = {grade.student: grade.score for grade in grades(graded_class, NAME)}
    assert scores == {"ada": 3.0, "bob": 0.0, "cem": 0.0}
    assert {one.student: one.score for one in report.submissions} == scores
    assert {one.student: one.points for one in report.submissions} == scores
    assert report.exercises[0].outcomes == {"full": 1, "some": 0, "none": 1, "unwritten": 0}


def test_equal_wrong_answers_without_a_hint_are_grouped_with_the_code_of_one():
    wrong = [submission(name, verdict(points=0.0, digest="d")) for name in ("ada", "bob", "cem")]
    wrong[0].answers = {"pool": "def pool(x):\n    return '<b>'"}
    other = submission("dan", verdict(points=0.0, digest="e"))
    named = submission("eve", verdict(points=0.0, digest="d", misconception="m", hint="h"))
    report = Report(NAME, [*wrong, other, named])
    assert report.exercises[0].alike == [["ada", "bob", "cem"]]
    html = as_html(report)
    assert "3 students with equal wrong outputs" in parsed(html).text
    assert "return &#39;&lt;b&gt;&#39;" in html
