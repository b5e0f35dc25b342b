"""Given parts do what later assignments need, take the place of wrong answers only, and earn nothing."""

import ast
import inspect
import re
from pathlib import Path

import pytest
import torch
from checkout import shared_assignment

from autograder.authoring.try_answer import try_sources
from autograder.course.layout import Course
from autograder.course.reference import Solution, read
from coursekit import evaluation, set_seed
from coursekit.checking.run_cases import run_cases
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import judge
from coursekit.given import BertBlock, own_or_given, translation
from coursekit.given.choose import _given

ROOT = Path(__file__).parents[2]
COURSE = Course(ROOT)
TESTS = ("wilson_interval", "mcnemar")
SIZES = {"vocab_size": 30, "d_model": 12, "n_heads": 3, "d_ff": 20, "n_blocks": 2}


def given_imports(assignment: str) -> str:
    """What puts the given parts in the place of a student's own in an assignment's notebook, or ""."""
    for cell in read(COURSE.solution(assignment)).cells:
        if cell.cell_type == "code" and "if GIVEN:" in cell.source:
            branches = [node for node in ast.parse(cell.source).body if isinstance(node, ast.If)]
            return "\n".join(map(ast.unparse, branches[0].body))
    names = CHOSEN.get(assignment, [])
    line = "from coursekit.given.choose import _given\n" if names else ""
    return line + "\n".join(f"{name} = _given({name!r})" for name in names)


def chosen(assignment: str) -> list[str]:
    """The names of earlier exercises that the cells of a notebook hand to own_or_given."""
    found, own = [], shared_assignment(assignment).exercises
    for cell in read(COURSE.solution(assignment)).cells:
        if cell.cell_type == "code" and cell.source.startswith("own_or_given("):
            found += [node.value for node in ast.parse(cell.source).body[0].value.args[1:]]
    return [name for name in found if name not in own]


CHOSEN = {name: names for name in COURSE.assignments() if (names := chosen(name))}


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


def test_seven_assignments_offer_given_parts():
    assert [name[:2] for name in WITH_GIVEN] == ["06", "08", "11", "12", "14", "15", "16"]
    assert [name[:2] for name in CHOSEN] == ["08", "11", "14"]


@pytest.mark.parametrize("assignment", CHOSEN)
def test_all_that_is_pasted_may_be_given(assignment):
    pasted = [
        name
        for cell in read(COURSE.solution(assignment)).cells
        if cell.source.startswith("# From assignment")
        for name in re.findall(r"\w+", cell.source.splitlines()[0].partition(":")[2])
    ]
    assert [name for name in pasted if name not in ("or", "given")] == CHOSEN[assignment]


NAMES = sorted({name for names in CHOSEN.values() for name in names})


@pytest.mark.parametrize("name", NAMES)
def test_a_given_part_earns_nothing_in_the_exercise_of_its_name(name):
    found = find(name)
    given = _given(name)
    own = given if isinstance(given, type) else lambda *args, **more: given(*args, **more)
    answers = [given, type(name, (given,), {}) if isinstance(given, type) else own]
    for answer in answers:
        verdict = judge(found, run_cases(answer, found["cases"], name=name))
        assert verdict.points == 0, verdict.headline


@pytest.mark.parametrize("name", ["TranslationEncoder", "LuongAttention", "AttentionDecoder"])
def test_whoever_copies_the_given_translator_into_09_earns_nothing(name):
    source = inspect.getsource(_given(name)).replace("require_allowed", "str")
    scope = dict(vars(translation))
    exec(source, scope)
    found = find(name)
    verdict = judge(found, run_cases(scope[name], found["cases"]))
    assert verdict.points == 0, verdict.headline


def right(name: str):
    return shared_assignment(find_assignment(name)).solution.definitions[name]


def find_assignment(name: str) -> str:
    return next(one for one in COURSE.assignments() if name in shared_assignment(one).exercises)


def test_an_own_right_function_is_used(capsys):
    notebook = {"mean_pool": right("mean_pool"), "max_pool": right("max_pool")}
    before = dict(notebook)
    own_or_given(notebook, "mean_pool", "max_pool")
    assert notebook == before
    assert capsys.readouterr().out == "Your own: mean_pool, max_pool.\n"


def test_an_own_wrong_function_is_named_and_replaced(capsys):
    def mean_pool(X, mask):
        return X.mean(dim=1)

    notebook = {"mean_pool": mean_pool, "max_pool": right("max_pool")}
    own_or_given(notebook, "mean_pool", "max_pool")
    assert notebook["mean_pool"] is _given("mean_pool")
    said = capsys.readouterr().out
    assert "Your own: max_pool." in said
    assert "mean_pool: yours of assignment 03 earns 0 of 5 points." in said
    assert "Repair it" in said
    notebook["mean_pool"] = right("mean_pool")
    own_or_given(notebook, "mean_pool")
    assert capsys.readouterr().out == "Your own: mean_pool.\n"


def test_what_is_missing_or_unwritten_is_given_also_when_the_cell_runs_twice(capsys):
    def masked_softmax(r, mask):
        raise NotImplementedError("the softmax of real positions")

    notebook = {"masked_softmax": masked_softmax}
    for _ in range(2):
        own_or_given(notebook, "mean_pool", "masked_softmax")
        said = capsys.readouterr().out
        assert "Your own" not in said
        assert "mean_pool: yours of assignment 03 is not here" in said
        assert "masked_softmax: yours of assignment 04 is not here" in said
    X, mask = (
        torch.randn(3, 4, 2),
        torch.tensor([[True] * 4, [True, True, False, False], [False] * 4]),
    )
    assert torch.allclose(notebook["mean_pool"](X, mask), right("mean_pool")(X, mask))
    found = notebook["masked_softmax"](X.mT, mask[:, None])
    assert torch.allclose(found, right("masked_softmax")(X.mT, mask[:, None]))


def test_a_right_function_that_calls_a_wrong_one_is_kept(capsys):
    scope = dict(shared_assignment("09_translation").solution.definitions)
    exec(Solution(COURSE.solution("09_translation")).bare_sources["corpus_bleu"], scope)
    scope["clipped_matches"] = lambda hypothesis, references, n: (1, 1)
    own = scope["corpus_bleu"]
    own_or_given(scope, "clipped_matches", "corpus_bleu")
    assert "Your own: corpus_bleu." in capsys.readouterr().out
    assert scope["clipped_matches"] is _given("clipped_matches")
    assert scope["corpus_bleu"] is own


def test_there_is_no_given_part_of_every_name():
    with pytest.raises(ValueError, match="no given softmax_loss"):
        own_or_given({}, "softmax_loss")


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
