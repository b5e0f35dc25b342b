"""What nbgrader's users know: late penalties, cells graded by hand, extra credit, a new release."""

from __future__ import annotations

import datetime
import json

import pytest
from hand_graded import EXERCISE, NAME, answered, by_hand, gradebook, hand_in

from autograder.authoring.release import release
from autograder.classroom.export import grades
from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.gradebook.grade_class import Options, grade_class
from autograder.pages.feedback import write_feedback

DUE = datetime.datetime(2030, 5, 1, 12, 0)


def penalties(course):
    with gradebook(course) as book:
        return {
            s.student.id: s.late_submission_penalty or 0 for s in book.assignment_submissions(NAME)
        }


def test_a_late_submission_gets_the_penalty_that_the_plugin_says(small_course, monkeypatch):
    (small_course.root / "late.py").write_text(
        "from nbgrader.plugins import BasePlugin\n"
        "class Half(BasePlugin):\n"
        "    def late_submission_penalty(self, student_id, score, total_seconds_late):\n"
        "        return score / 2 if total_seconds_late > 3600 else None\n"
    )
    monkeypatch.syspath_prepend(str(small_course.root))
    with (small_course.root / "nbgrader_config.py").open("a") as config:
        config.write('\nc.AssignLatePenalties.plugin_class = "late.Half"\n')
    hand_in(small_course, "early", time=DUE - datetime.timedelta(hours=2))
    hand_in(small_course, "late", time=DUE + datetime.timedelta(hours=2))
    hand_in(small_course, "unknown")
    grade_class(small_course, NAME)
    assert penalties(small_course) == {"early": 0, "late": 0, "unknown": 0}
    with gradebook(small_course) as book:
        book.update_or_create_assignment(NAME, duedate=DUE)
    grade_class(small_course, NAME)
    assert penalties(small_course) == {"early": 0, "late": 1.5, "unknown": 0}
    assert {g.student: g.score for g in grades(small_course, NAME)}["late"] == 1.5
    hand_in(small_course, "late", time=DUE)
    grade_class(small_course, NAME)
    assert penalties(small_course)["late"] == 0


def test_cells_graded_by_hand_wait_and_a_score_by_hand_survives_grading_again(small_course):
    by_hand(small_course)
    hand_in(small_course, "both", answered(small_course))
    hand_in(
        small_course, "nothing", filled(Assignment(small_course, NAME), {"why": None, "plot": None})
    )
    graded = grade_class(small_course, NAME)
    assert [v.exercise for v in graded.verdicts["both"]] == [EXERCISE]
    with gradebook(small_course) as book:
        both, nothing = (book.find_submission(NAME, s) for s in ("both", "nothing"))
        assert both.needs_manual_grade
        assert not nothing.needs_manual_grade
        assert (both.score, both.max_score) == (3, 13)
        for grade_id, score in (("why", 4), ("plot", 2.5)):
            grade = book.find_grade(grade_id, NAME, NAME, "both")
            grade.manual_score, grade.needs_manual_grade = score, False
        book.find_comment("why", NAME, NAME, "both").manual_comment = "Well said."
        book.db.commit()
    hand_in(small_course, "later", answered(small_course))
    for again in (False, True):
        grade_class(small_course, NAME, options=Options(regrade=again))
        with gradebook(small_course) as book:
            assert book.find_submission(NAME, "both").score == 9.5
    write_feedback(small_course, NAME)
    page = small_course.root / "feedback" / "both" / NAME / f"{NAME}.html"
    assert "Well said." in page.read_text()


def test_a_cell_graded_by_hand_that_was_deleted_is_put_back_and_gets_nothing(small_course):
    by_hand(small_course)
    notebook = answered(small_course)
    notebook.cells = [
        c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") != "why"
    ]
    hand_in(small_course, "deleted", notebook)
    grade_class(small_course, NAME)
    with gradebook(small_course) as book:
        assert book.find_grade("why", NAME, NAME, "deleted").auto_score == 0
        assert book.find_submission(NAME, "deleted").score == 3


def test_a_verdict_that_a_student_displays_is_no_verdict(small_course):
    by_hand(small_course)
    forged = (
        "import json\nfrom IPython.display import publish_display_data\n"
        "verdict = {'exercise': 'plot', 'points': 5, 'max_points': 5, 'groups': []}\n"
        "publish_display_data({'application/vnd.coursekit.verdict+json': json.dumps(verdict)})\n5.0"
    )
    hand_in(small_course, "forger", answered(small_course, plot=forged))
    verdicts = grade_class(small_course, NAME).verdicts["forger"]
    assert [v.exercise for v in verdicts] == [EXERCISE]
    with gradebook(small_course) as book:
        assert book.find_grade("plot", NAME, NAME, "forger").auto_score is None
        assert book.find_submission(NAME, "forger").score == 3


def test_extra_credit_given_by_hand_survives_grading_again(small_course):
    hand_in(small_course, "keen")
    grade_class(small_course, NAME)
    with gradebook(small_course) as book:
        book.find_grade(f"check_{EXERCISE}", NAME, NAME, "keen").extra_credit = 2
        book.db.commit()
    grade_class(small_course, NAME, options=Options(regrade=True))
    with gradebook(small_course) as book:
        assert book.find_submission(NAME, "keen").score == 5


@pytest.mark.parametrize("points", [{"values": 4, "empty": 1}, {"values": 0.5, "empty": 0.25}])
def test_groups_of_points_count_anew_when_the_release_has_changed(small_course, points):
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    partly = "def average_topic(scores, mask):\n    return (scores * mask).sum(1) / mask.sum(1)"
    hand_in(small_course, "partly", filled(Assignment(small_course, NAME), {EXERCISE: partly}))
    grade_class(small_course, NAME)
    with gradebook(small_course) as book:
        assert book.find_submission(NAME, "partly").score == 2
    text = module.read_text()
    assert '{"values": 2, "empty": 1}' in text
    module.write_text(text.replace('{"values": 2, "empty": 1}', json.dumps(points)))
    release(small_course, [NAME])
    graded = grade_class(small_course, NAME)
    assert graded.kept == []
    with gradebook(small_course) as book:
        submission = book.find_submission(NAME, "partly")
        assert (submission.score, submission.max_score) == (points["values"], sum(points.values()))
