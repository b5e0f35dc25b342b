"""Whoever knows the recordings by heart earns nothing, with more class seeds than a release tries."""

import pytest
from checkout import ROOT

from autograder.authoring.lookup_tables import SEEDS, prove_groups_vary
from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from autograder.course.record_cases import record_first_calls
from coursekit.checking import stored_recordings

COURSE = Course(ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("name", COURSE.assignments())
def test_no_recording_earns_a_group_with_any_of_forty_class_seeds(name):
    assignment = Assignment(COURSE, name)
    recorded = {exercise: stored_recordings.find(exercise) for exercise in assignment.exercises}
    for seed in range(SEEDS.stop, SEEDS.stop + 40):
        fresh = {e: record_first_calls(assignment, e, seed) for e in assignment.exercises}
        prove_groups_vary(recorded, fresh)
