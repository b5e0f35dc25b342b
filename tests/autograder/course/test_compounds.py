"""Pairs of misconceptions that interact, so that neither hint would be shown."""

import functools

from autograder.course.assignment import Assignment
from autograder.grading.combined_misconceptions import ReleasedPairs, compounds, record_pairs
from autograder.grading.record_misconceptions import record
from coursekit.checking.html import VerdictView
from coursekit.checking.judge_case import same_outcome
from coursekit.checking.run_cases import run_cases
from coursekit.checking.stored_recordings import find, names
from coursekit.checking.verdict import judge


def test_a_recorded_pair_shows_the_hints_of_both_and_other_answers_do_not(course):
    assignment, name = "00_setup", "numerical_gradient"
    recorded = record(Assignment(course, assignment), name, 0)
    compound = compounds(Assignment(course, assignment), {name: recorded})[name]
    found = {one.status: one for one in compound}
    assert set(found) >= {"named", "unnamed"}
    pairs = record_pairs(Assignment(course, assignment), {name: recorded})[name]
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
    outcomes = run_cases(answer, fresh[name]["cases"])
    before = judge(fresh[name], outcomes)
    assert before.next_hint == ""
    pairs = ReleasedPairs(Assignment(course, assignment))
    exercise = pairs.record(fresh, [before])[name]
    assert fresh[name] is exercise
    hints = {m["name"]: m["hint"] for m in exercise["misconceptions"]}
    verdict = judge(exercise, outcomes)
    assert {verdict.hint, verdict.next_hint} == {hints[one] for one in pair}
    assert verdict.next_hint in str(VerdictView(verdict))
    assert pairs.record(fresh, [before]) == {}  # they are recorded once


def test_pairs_are_recorded_only_for_answers_that_no_hint_explains(course):
    assignment, name = Assignment(course, "00_setup"), "numerical_gradient"
    recorded = {name: record(assignment, name, 7)}
    pairs = ReleasedPairs(assignment)
    cases = recorded[name]["cases"]
    right = run_cases(assignment.solution.definitions[name], cases)
    wrong = assignment.solution.run_answer(name, _typed(course, find(name)["pairs"][0]["names"][0]))
    explained = run_cases(wrong, cases)
    unwritten = [{"status": "unwritten", "message": "TODO"}] * len(cases)
    for outcomes in (right, explained, unwritten):
        assert pairs.record(recorded, [judge(recorded[name], outcomes)]) == {}
    assert "pairs" not in recorded[name]


def test_no_recorded_pair_is_what_one_of_the_two_does_alone():
    for exercise in map(find, names()):
        singles = {one["name"]: one["outcomes"] for one in exercise["misconceptions"]}
        for pair in exercise.get("pairs", []):
            for one in pair["names"]:
                told = [
                    singles[one][int(i)] is None
                    or not same_outcome(exercise["cases"][int(i)], singles[one][int(i)], outcome)
                    for i, outcome in pair["outcomes"].items()
                ]
                assert any(told), (exercise["name"], pair["names"], one)


def _typed(course, *names):
    """The reference of numerical_gradient with several misconceptions, in whichever order fits."""
    from autograder.course.apply_edit import EditError

    known = {
        m.name: m
        for m in Assignment(course, "00_setup").exercises["numerical_gradient"].misconceptions
    }
    text = Assignment(course, "00_setup").solution.bare_sources["numerical_gradient"]
    for order in (names, names[::-1]):
        try:
            return functools.reduce(lambda answer, name: known[name].source(answer), order, text)
        except EditError:
            continue
    raise AssertionError("the pair does not apply")
