"""Pairs of misconceptions that interact, so that neither hint would be shown."""

from autograder.course.assignment import Assignment
from autograder.grading.compounds import compounds, record_pairs, with_released_pairs
from autograder.grading.record_exercises import record
from coursekit.checking.html import VerdictView
from coursekit.checking.recordings import find
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge


def test_a_recorded_pair_shows_the_hints_of_both_and_other_answers_do_not(course):
    assignment, name = "00_setup", "numerical_gradient"
    recorded = record(Assignment(course, assignment), name, 0)
    found = {one.status: one for one in compounds(Assignment(course, assignment), name, recorded)}
    assert set(found) >= {"named", "unnamed"}
    pairs = record_pairs(Assignment(course, assignment), name, recorded)
    first, second = pairs[0]["names"]
    misconceptions = {m["name"]: m for m in recorded["misconceptions"]}
    answer = Assignment(course, assignment).solution.run_answer(name, _typed(course, first, second))
    verdict = judge({**recorded, "pairs": pairs}, run_cases(answer, recorded["cases"]))
    assert verdict.misconception == first
    assert verdict.next_hint == misconceptions[second]["hint"]
    assert judge(recorded, run_cases(answer, recorded["cases"])).next_hint == ""


def test_grading_shows_the_same_two_hints_as_the_check(course):
    assignment, name = "00_setup", "numerical_gradient"
    fresh = {name: record(Assignment(course, assignment), name, 7)}
    pair = find(name)["pairs"][0]["names"]
    answer = Assignment(course, assignment).solution.run_answer(name, _typed(course, *pair))
    exercise = with_released_pairs(Assignment(course, assignment), fresh)[name]
    outcomes = run_cases(answer, exercise["cases"])
    hints = {m["name"]: m["hint"] for m in exercise["misconceptions"]}
    verdict = judge(exercise, outcomes)
    assert {verdict.hint, verdict.next_hint} == {hints[one] for one in pair}
    assert verdict.next_hint in str(VerdictView(verdict))
    assert judge(fresh[name], outcomes).next_hint == ""


def _typed(course, *names):
    """The reference of numerical_gradient with several misconceptions, in whichever order fits."""
    from autograder.course.apply_edit import EditError

    known = {
        m.name: m
        for m in Assignment(course, "00_setup").exercises["numerical_gradient"].misconceptions
    }
    text = Assignment(course, "00_setup").solution.bare_sources["numerical_gradient"]
    for one, two in (names, names[::-1]):
        try:
            return known[two].source(known[one].source(text))
        except EditError:
            continue
    raise AssertionError("the pair does not apply")
