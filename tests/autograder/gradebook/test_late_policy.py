"""Late work: how late it is, what it costs, and who has grace days left."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest

from autograder.gradebook.late_policy import DailyPenalty, Lateness, in_words

DUE = datetime(2030, 5, 1, 12)
HOUR, DAY = 3_600, 86_400


class Term:
    """What the plugin asks of the gradebook: submissions of one student."""

    def __init__(self, late_days):
        self.assignments = [
            SimpleNamespace(name=f"{i:02}", duedate=DUE + timedelta(weeks=i))
            for i in range(len(late_days))
        ]
        self.late_days = late_days

    def find_assignment(self, name):
        return self.assignments[int(name)]

    def student_submissions(self, student):
        return [
            SimpleNamespace(
                assignment=one,
                extension=None,
                notebooks=[],
                timestamp=one.duedate + timedelta(days=days) - timedelta(minutes=1),
            )
            for one, days in zip(self.assignments, self.late_days)
        ]


def penalty(seconds, term=(0,), at=0, **options):
    plugin = DailyPenalty(**options)
    plugin._trait_values["parent"] = SimpleNamespace(  # in nbgrader, the preprocessor
        assignment_id=f"{at:02}", gradebook=Term(list(term))
    )
    return plugin.late_submission_penalty("ada", 20.0, seconds)


def test_each_begun_day_costs_a_share_of_the_score_up_to_a_limit():
    options = {"percent_per_day": 10, "most_percent": 50}
    costs = [penalty(s, **options) for s in (60, DAY, DAY + 1, 9 * DAY)]
    assert costs == [2, 2, 4, 10]


def test_without_a_percentage_late_work_costs_nothing():
    assert penalty(9 * DAY) is None


def test_minutes_of_grace_come_off_every_submission():
    assert penalty(15 * 60, percent_per_day=10, grace_minutes=15) is None
    assert penalty(15 * 60 + 1, percent_per_day=10, grace_minutes=15) == 2


@pytest.mark.parametrize(
    ("at", "late", "cost"), [(0, 2, None), (1, 1, None), (2, 1, 2), (2, 0, None)]
)
def test_grace_days_are_used_up_in_the_order_of_the_due_dates(at, late, cost):
    term = [2, 1, 1]
    assert penalty(late * DAY, term=term, at=at, percent_per_day=10, grace_days=3) == cost


def test_a_mark_of_the_lms_makes_late_only_where_no_due_date_is_set():
    assert Lateness(DUE, None, marked=True).words == "late, says the LMS"
    assert not Lateness(DUE, DUE, marked=True).late
    assert Lateness(DUE + timedelta(hours=30), DUE).words == "2 days late"
    assert in_words(59) == "1 minute"
    assert in_words(2 * HOUR) == "2 hours"
