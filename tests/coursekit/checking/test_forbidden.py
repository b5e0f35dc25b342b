"""What an exercise forbids raises while its cases run, however a notebook reaches it."""

import pkgutil

import pytest

import coursekit
from coursekit import Vocabulary, pad_batch
from coursekit.checking import codec
from coursekit.checking.run_cases import call, run_case
from coursekit.checking.verdict import judge
from coursekit.forbidden import HELPERS, NotAllowed, without
from coursekit.text import pad_batch as helper

ARGUMENTS = {
    "coursekit.evaluation.mcnemar": [[True], [False]],
    "coursekit.evaluation.wilson_interval": [1, 2],
}
PAD, VOCABULARY = "coursekit.text.pad_batch", "coursekit.text.Vocabulary"


def case(value, *forbidden):
    return {"args": [codec.encode(value)], "names": ["x"], "forbidden": list(forbidden)}


class Own(Vocabulary):
    def __init__(self, words, counts, unknown_count):
        self.own = list(words)


@pytest.mark.parametrize(
    "answer",
    [
        lambda rows: pad_batch(rows)[0],
        lambda rows: helper(rows)[0],
        lambda rows: coursekit.text.batching.pad_batch(id_lists=rows)[0],
        lambda rows: next(map(helper, [rows]))[0],
    ],
    ids=["imported", "under another name", "from its module", "passed on"],
)
def test_a_forbidden_function_raises_under_every_name(answer):
    outcome = run_case(answer, case([[1, 2], [3]], PAD))
    assert outcome["type"] == "NotAllowed"
    assert outcome["message"] == f"{PAD} may not be used in this exercise: write it yourself"
    assert run_case(answer, case([[1, 2], [3]]))["status"] == "value"


@pytest.mark.parametrize(
    "answer",
    [
        lambda texts: Vocabulary.build(texts).words,
        lambda texts: Vocabulary(texts[0]).words,
        lambda texts: Own.build(texts).own,
    ],
    ids=["built", "made", "from a class of one's own"],
)
def test_a_forbidden_class_raises_however_it_is_made(answer):
    assert run_case(answer, case([["a", "b"]], VOCABULARY))["type"] == "NotAllowed"
    assert run_case(answer, case([["a", "b"]]))["status"] == "value"


@pytest.mark.parametrize("name", HELPERS)
def test_every_helper_that_can_be_forbidden_refuses(name):
    with without([name]), pytest.raises(NotAllowed, match=name):
        pkgutil.resolve_name(name)(*ARGUMENTS.get(name, [[]]))


def test_the_last_case_runs_under_the_same_rule_and_nothing_stays_forbidden():
    with pytest.raises(NotAllowed):
        call(helper, case([[1]], PAD))
    with pytest.raises(ValueError, match="other"), without([PAD, VOCABULARY]):
        raise ValueError("other")
    assert helper([[1]])[0].tolist() == [[1]]
    assert Vocabulary.build([["a"]]).words[-1] == "a"


def test_the_verdict_says_in_one_sentence_what_may_not_be_used():
    made = case([[1]], PAD) | {"group": "values", "expected": {"status": "value", "value": 1}}
    exercise = {"name": "pads", "groups": {"values": 1}, "cases": [made], "misconceptions": []}
    verdict = judge(exercise, [run_case(lambda rows: helper(rows), made)])
    assert verdict.points == 0
    assert verdict.headline.startswith(f"{PAD} may not be used in this exercise: write it yourself")
