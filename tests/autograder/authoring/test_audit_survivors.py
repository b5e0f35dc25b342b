"""The mutants that survive: an input that tells them, a reason why none does, or neither."""

from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
import torch

from autograder.authoring.audit import audit_processes, audit_results
from autograder.authoring.audit.audit_report import details
from autograder.authoring.audit.equal_by_algebra import reason
from autograder.authoring.audit.input_facts import Facts, read_inputs
from autograder.authoring.audit.mutants import mutants
from autograder.authoring.audit.observed_values import observe
from autograder.authoring.audit.one_place_edits import Reference
from autograder.authoring.audit.perturbed_inputs import perturbed
from autograder.course.assignment import Assignment
from autograder.course.exercise import Case
from autograder.course.layout import Course

NAME = "00_numbers"


@pytest.fixture
def make_course(tmp_path):
    """Make a course with one exercise, of a text and a generator of cases."""

    def make(name, source, cases):
        cells = [
            nbformat.v4.new_code_cell(text)
            for text in ("import torch", source.strip(), f"check({name})")
        ]
        notebook = tmp_path / "solutions" / NAME / f"{NAME}.ipynb"
        module = tmp_path / "exercises" / NAME / f"{name}.py"
        for path in (notebook, module):
            path.parent.mkdir(parents=True)
        nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
        module.write_text(
            "import torch\nfrom autograder.course.exercise import Case\n\n"
            f'POINTS = {{"values": 1}}\nWRONG, RIGHT = {{}}, {{}}\n\n\ndef cases(rng):\n    {cases}\n'
        )
        return Assignment(Course(tmp_path), NAME)

    return make


MEAN = """
def mean(values):
    ordered = sorted(values)
    return sum(ordered) / len(ordered) if ordered else 0.0
"""
#: Always three numbers: sizes hard-coded to 3 survive.
THREE = 'yield Case("values", [rng.normal(size=3).tolist()])'


def audited(assignment, name):
    result = audit_processes.audit_exercise(assignment, name, seeds=2)
    return result, audit_results.summarize(assignment, name, result)


def test_a_survivor_is_told_by_a_small_input_and_equal_ones_are_no_holes(make_course):
    assignment = make_course("mean", MEAN, THREE)
    result, audit = audited(assignment, "mean")
    hard_coded = [mutant for mutant in audit.survivors if "/ 3 " in mutant["edit"]]
    assert hard_coded
    for mutant in hard_coded:
        values = eval(mutant["input"].removeprefix("mean"))
        assert len(values) == 1
        assert mutant["seed"] is None
        assert float(mutant["expected"]) == pytest.approx(values[0], rel=1e-4)
        assert float(mutant["got"]) == pytest.approx(values[0] / 3, rel=1e-4)
    assert audit.recognized == 1  # the length of `values`
    assert any("if True else 0.0" in mutant["edit"] for mutant in audit.probably_equal)
    total = audit.killed + audit.recognized + len(audit.survivors) + len(audit.probably_equal)
    assert (total, audit.passed) == (audit.mutants, False)
    text = details(audit)
    assert text.count("mean: add a case like this one") == len(
        {m["input"] for m in audit.survivors}
    )
    assert "mean: " in text
    assert "probably right; no input was found that tells:" in text
    assert "  condition: return sum(ordered) / len(ordered) if True else 0.0" in text
    # a mutant that is explained is not explained again; one that was listed at the time is
    audit_results.store(assignment, "mean", 2, result)
    assert audit_results.cached(assignment, "mean", 2) is not None
    next(m for m in result["mutants"] if m["status"] == "survived")["explained"] = None
    audit_results.store(assignment, "mean", 2, result)
    assert audit_results.cached(assignment, "mean", 2) is None


def test_with_cases_of_all_sizes_what_is_left_is_equal_and_passes(make_course):
    cases = """for n in (0, 1, 2, 5):
        yield Case("values", [rng.normal(size=n).tolist()])"""
    _, audit = audited(make_course("mean", MEAN, cases), "mean")
    assert (audit.survivors, audit.inconsistent, audit.passed) == ([], [], True)
    assert audit.recognized == 1


def test_what_a_class_seed_draws_seldom_is_told_by_that_case(make_course):
    source = "def sign(x):\n    return x if x == 0 else x / abs(x)\n"
    seldom = 'yield Case("values", [float(rng.normal() + 1.5)])'
    _, audit = audited(make_course("sign", source, seldom), "sign")
    told = [mutant for mutant in audit.survivors if "else x / x" in mutant["edit"]]
    assert [(mutant["expected"], mutant["got"]) for mutant in told] == [("-1.0", "1.0")]
    assert told[0]["input"].startswith("sign(-")
    assert told[0]["seed"] > 2
    assert f"(drawn with seed {told[0]['seed']})" in details(audit)


SQUARES = """
def squares(x):
    return (x * x).sum(dim=1)
"""
TENSOR = 'yield Case("values", [torch.from_numpy(rng.normal(size=(3, 4)))]{})'


def test_gradients_are_no_hole_unless_a_case_asks_for_one(make_course):
    _, audit = audited(make_course("squares", SQUARES, TENSOR.format("")), "squares")
    assert audit.without_gradient >= 3
    assert not any("detach" in mutant["edit"] for mutant in audit.survivors)
    assert 'add a case with gradient="all"' in details(audit)


def test_a_case_for_gradients_kills_what_cuts_them(make_course):
    asked = TENSOR.format(', gradient="x"')
    _, audit = audited(make_course("squares", SQUARES, asked), "squares")
    assert audit.without_gradient == 0
    assert not any("detach" in mutant["edit"] for mutant in audit.probably_equal)


MODULE = """
class Scale(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(n))

    def forward(self, x):
        return x * self.weight
"""


def test_a_module_is_to_be_trained_even_if_no_case_says_so(make_course):
    cases = """for n in (2, 3):
        x = torch.from_numpy(rng.normal(size=(2, n)).astype("float32"))
        yield Case("values", [n], state={"weight": x[0]}, then=[("__call__", x)])"""
    _, audit = audited(make_course("Scale", MODULE, cases), "Scale")
    told = [mutant for mutant in audit.survivors if "detach" in mutant["edit"]]
    assert audit.without_gradient == 0
    assert told
    assert all("gradients of all inputs and parameters" in mutant["input"] for mutant in told)


def reasons(source, *inputs):
    """The reasons that are known for the mutants of a function, by the lines that they add."""
    name = source.strip().split("(")[0].removeprefix("def ")
    cases = [Case("values", one).encode(0, []) for one in inputs]
    seen = observe(SimpleNamespace(definitions={"torch": torch}), name, source, cases)
    reference = Reference(source, seen)
    old = {line.strip() for line in source.splitlines()}
    found = {}
    for mutant in mutants(reference):
        if because := reason(reference, mutant):
            new = {line.strip() for line in mutant.source.splitlines()} - old
            found |= dict.fromkeys(new, because)
    return found


MASKED = """
def f(x, mask):
    count = mask.sum(dim=1)
    return (x * mask).sum(dim=1) / count
"""


def masked(batch, length):
    mask = torch.arange(length) < torch.arange(1, batch + 1)[:, None]
    return [torch.ones(batch, length), mask]


def test_a_mask_of_numbers_and_a_restored_axis_are_recognized():
    found = reasons(MASKED, masked(2, 3), masked(3, 4))
    assert {"mask = mask.float()", "mask = mask.long()"} <= set(found)
    assert found["count = mask.sum(dim=1).squeeze()"].startswith("Broadcasting restores the axis")
    # `~` needs a boolean mask, and an axis that is lost in a result stays lost
    assert not reasons(MASKED.replace("* mask)", "* ~mask)"), masked(2, 3), masked(3, 4)).keys() & {
        "mask = mask.float()",
        "mask = mask.long()",
    }
    returned = MASKED.replace(" / count", ", count")
    assert not any("squeeze" in line for line in reasons(returned, masked(2, 3), masked(3, 4)))


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("total = 0\n for x in a:\n  total += x\n return total", "for x in list(a)[::-1]:"),
        ("kept = [x for x in a if x > 1]\n return sum(kept) / len(kept)", "list(a)[::-1]"),
        ("n = len(a)\n return 1 if n > 0 else 0", "return 1 if n != 0 else 0"),
        ("b = sorted(a)\n return b[0] * len(b)", "return b[0] * len(a)"),
        ("n = len(a)\n return 0.5 * n", "n = float(len(a))"),
    ],
)
def test_order_signs_lengths_and_types_are_recognized(body, line):
    found = reasons(f"def f(a):\n {body}\n", [[1, 2]], [[3.5, 4, 5]])
    assert any(line in text for text in found)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("total = 0\n for x in a:\n  total += x * total\n return total", "[::-1]"),
        ("total = ''\n for x in a:\n  total += str(x)\n return total", "[::-1]"),
        ("total = 0\n for x in a:\n  total += x\n return total + x", "[::-1]"),
        ("kept = [x for x in a if x > 1]\n return kept[0]", "[::-1]"),
        ("kept = [x for x in a]\n return max(kept, key=abs)", "[::-1]"),
        ("n = a[0]\n return 1 if n > 0 else 0", "!= 0"),
        ("b = [x for x in a if x > 1]\n return len(b)", "len(a)"),
        ("b = sorted(a)\n b.append(1)\n return len(b)", "len(a)"),
        ("n = len(a)\n return n", "float"),
        ("n = len(a)\n return n * 2", "float"),
    ],
)
def test_what_differs_on_some_input_has_no_reason(body, line):
    found = reasons(f"def f(a):\n {body}\n", [[1, 2]], [[3, 4, 5]])
    assert not any(line in text for text in found)


def drawn(*cases):
    return [Case("values", one).encode(0, ["a", "b"]) for one in cases]


def changed_inputs(cases, of=lambda a, b: None):
    rng, facts = np.random.default_rng(0), Facts(cases)
    return [
        tuple(read_inputs(changed).values())
        for case in cases
        for changed in perturbed(case, facts, of, rng)
    ]


def test_changed_inputs_have_other_sizes_ties_and_zeros_and_stay_as_long_as_each_other():
    found = changed_inputs(drawn(*([[1.5] * n, [float(-n), *range(n - 1)]] for n in (2, 3, 4, 5))))
    assert len(found) > 50
    assert all(len(a) == len(b) for a, b in found)
    assert {1, 2, 6} <= {len(a) for a, _ in found}
    assert any(len(set(b)) < len(b) for _, b in found)
    assert all(a for a, _ in found)  # never empty in a drawn case


@pytest.mark.parametrize(
    ("cases", "holds"),
    [
        (
            [[[0.25, 0.75], 1], [[0.5, 0.5], 0], [[1.0, 0.0], 1]],
            lambda a, b: sum(a) == pytest.approx(1),
        ),
        ([[[3, 0, 2], 2], [[1, 5], 1], [[4, 2], 2]], lambda a, b: min(a) >= 0 and b <= len(a)),
        ([["x", ["x", "y"]], ["b", ["a", "b"]], ["c", ["c"]]], lambda a, b: a in b),
        ([[1, 2.5], [2, 2.0], [3, 9.0]], lambda a, b: a <= b and a >= 1),
        (
            [[torch.tensor([n, 0]), torch.tensor([True, False])] for n in (1, 2, 3)],
            lambda a, b: torch.equal(a != 0, b),
        ),
    ],
)
def test_changed_inputs_keep_what_holds_for_all_drawn_ones(cases, holds):
    found = changed_inputs(drawn(*cases))
    assert found
    assert all(holds(*inputs) for inputs in found)


def test_an_empty_input_is_tried_where_a_case_has_one_and_a_default_is_left_out():
    found = changed_inputs(drawn([[], 1], [[2, 3], 2], [[4], 3], [[5, 6], 3]), lambda a, b=2: None)
    assert any(inputs[0] == [] and inputs[1] == 2 for inputs in found if len(inputs) == 2)
    assert any(len(inputs) == 1 for inputs in found)


def test_calls_on_an_object_are_repeated_left_out_and_swapped():
    steps = [("add", 1), ("total",)]
    case = Case("values", [], then=steps).encode(0, [])
    found = perturbed(case, Facts([case]), lambda: None, np.random.default_rng(0))
    methods = [[step[0] for step in changed["then"]] for changed in found]
    assert ["add", "add", "total"] in methods
    assert ["total"] in methods
    assert ["total", "add"] in methods
