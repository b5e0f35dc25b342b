"""The given parts of 06 and 12: they do what is needed there, and the block earns nothing in 05."""

import ast
from pathlib import Path

import pytest
import torch
from checkout import shared_assignment

from autograder.authoring.try_answer import try_sources
from autograder.course.layout import Course
from autograder.course.reference import Solution, read
from coursekit import evaluation, set_seed
from coursekit.checking.recordings import find
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import judge
from coursekit.given import BertBlock, own_or_given

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)
TESTS = ("wilson_interval", "mcnemar")
SIZES = {"vocab_size": 30, "d_model": 12, "n_heads": 3, "d_ff": 20, "n_blocks": 2}


def given_imports(assignment: str) -> str:
    """What the notebook of an assignment runs with GIVEN = True, or ""."""
    for cell in read(COURSE.solution(assignment)).cells:
        if cell.cell_type == "code" and "if GIVEN:" in cell.source:
            branches = [node for node in ast.parse(cell.source).body if isinstance(node, ast.If)]
            return "\n".join(map(ast.unparse, branches[0].body))
    return ""


def with_given(assignment: str, name: str):
    """The solution to an exercise, which uses the given block."""
    notebook = COURSE.solution(assignment)
    source = f"{given_imports(assignment)}\n{Solution(notebook).bare_sources[name]}"
    return Solution(notebook).run_answer(name, source)


WITH_GIVEN = [name for name in COURSE.assignments() if given_imports(name)]


@pytest.mark.parametrize("training", [False, True])
def test_an_encoder_with_the_given_block_computes_what_the_course_s_own_computes(training):
    own = shared_assignment("06_bert").solution.definitions["BertEncoder"]
    encoders = []
    for make in (own, with_given("06_bert", "BertEncoder")):
        set_seed(0)
        encoders.append(make(**SIZES).train(training))
    assert [isinstance(encoder.blocks[0], BertBlock) for encoder in encoders] == [False, True]
    ids = torch.randint(30, (3, 7))
    segments = torch.zeros_like(ids)
    mask = torch.arange(7) < torch.tensor([7, 1, 4])[:, None]
    outputs = []
    for encoder in encoders:
        set_seed(1)  # the same dropout
        outputs.append(encoder(ids, segments, mask))
    for one, two in zip(*outputs, strict=True):
        real = mask if one.dim() == 3 else slice(None)
        assert torch.allclose(one[real], two[real], atol=1e-5)


@pytest.mark.parametrize("assignment", WITH_GIVEN)
def test_solutions_that_use_the_given_part_earn_full_points(assignment):
    for name in shared_assignment(assignment).exercises:
        recorded = find(name)
        verdict = judge(recorded, run_cases(with_given(assignment, name), recorded["cases"]))
        assert verdict.passed, (name, verdict.headline, verdict.detail)


def test_assignments_06_and_12_offer_a_given_part():
    assert WITH_GIVEN == ["06_bert", "12_pretraining_to_write"]


def test_the_given_block_earns_no_points_in_assignment_05():
    sources = {
        "padding_mask": "from coursekit.given import padding_mask as given\n"
        "def padding_mask(mask):\n    return given(mask)",
        "MultiHeadAttention": "from coursekit.given.bert import _Attention\n"
        "class MultiHeadAttention(_Attention):\n    pass",
        "TransformerBlock": "from coursekit.given import BertBlock\n"
        "class TransformerBlock(BertBlock):\n    pass",
    }
    verdicts = try_sources(shared_assignment("05_transformer_block"), sources)
    assert {name: verdict.points for name, verdict in verdicts.items()} == dict.fromkeys(sources, 0)


def test_what_fails_its_check_or_is_missing_is_given_and_what_passes_stays(capsys):
    own = {name: Solution(COURSE.solution("01_bag_of_words")).definitions[name] for name in TESTS}
    names = dict(own)
    own_or_given(names, *TESTS)
    assert names == own
    assert capsys.readouterr().out == "Your own: wilson_interval, mcnemar.\n"
    names = {"wilson_interval": lambda correct, n: (0.0, 1.0)}
    own_or_given(names, *TESTS)
    assert names == {name: getattr(evaluation, name) for name in TESTS}
    said = capsys.readouterr().out
    assert "wilson_interval: yours of assignment 01 earns 0 of 4 points" in said
    assert "mcnemar: yours of assignment 01 is not here" in said


def test_the_given_interval_and_test_earn_nothing():
    for name in TESTS:
        recorded = find(name)
        verdict = judge(recorded, run_cases(getattr(evaluation, name), recorded["cases"]))
        assert verdict.points == 0
        assert "may not be used in this exercise" in verdict.headline
