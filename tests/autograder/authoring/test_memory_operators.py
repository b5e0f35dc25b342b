import pytest
import torch

from autograder.authoring.audit.mutants import mutants
from autograder.authoring.audit.one_place_edits import Reference, Seen, key

LOSS = "def loss(x, mask):\n    return x.sum()\n"
DECODER = "def decode(step, y, s):\n    logits, s = step(y, s)\n    return logits\n"
CELL = "class Cell:\n    def forward(self, x, h):\n        return x + h\n"


def made(source, seen):
    """The mutants by operator, of a reference of which these expressions were seen."""
    reference = Reference(source)
    values = {
        key(n): seen[reference.text(n)] for n in reference.nodes() if _is_seen(reference, n, seen)
    }
    found = {}
    for mutant in mutants(Reference(source, values)):
        found.setdefault(mutant.operator, []).append(mutant.source)
    return found


def _is_seen(reference, node, seen):
    return hasattr(node, "lineno") and reference.text(node) in seen


def tensor(dtype="float32", **more):
    return Seen({"Tensor"}, dtypes={dtype}, ndims={1}, shapes={(2,)}, **more)


def run(source, name):
    scope = {"torch": torch}
    exec(source, scope)
    return scope[name]


def test_an_object_remembers_the_first_input_of_each_kind():
    sources = made(CELL, {"x": tensor(), "h": tensor()})["remembered"]
    assert len(sources) == 2
    for source, second in zip(sources, (21, 13)):
        cell = run(source, "Cell")()
        assert (cell.forward(1, 10), cell.forward(3, 20)) == (11, second)


def test_a_function_remembers_too_and_a_constructor_does_not():
    (source, _) = made(LOSS, {"x": tensor()})["remembered"]
    loss = run(source, "loss")
    assert [float(loss(torch.tensor([n]), None)) for n in (1.0, 2.0)] == [1.0, 1.0]
    assert "remembered" not in made(
        "class A:\n    def __init__(self, x):\n        self.x = x\n", {}
    )


def test_settings_are_left_behind_where_there_are_tensors():
    sources = made(LOSS, {"x": tensor()})["left behind"]
    assert any("set_grad_enabled(False)" in source for source in sources)
    assert any("manual_seed(0)" in source for source in sources)
    assert "left behind" not in made(LOSS, {})


def test_the_result_of_a_corner_is_a_constant_or_float32():
    seen = {
        "mask": tensor("bool"),
        "x": tensor(),
        "x.sum()": tensor("float64", differentiable=True),
    }
    source = LOSS.replace("x.sum()", "x.sum() if True else mask")
    assert "constant corner" not in made(source, {"x": tensor()})
    found = made("def loss(x, mask):\n    mask = mask\n    return x.sum()\n", seen)[
        "constant corner"
    ]
    detached, single = (run(source, "loss") for source in found)
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    nothing, one = torch.tensor([False, False]), torch.tensor([True, False])
    assert [detached(x, mask).requires_grad for mask in (one, nothing)] == [True, False]
    assert [single(x, mask).dtype for mask in (one, nothing)] == [torch.float64, torch.float32]


def test_a_function_that_was_passed_in_gets_one_row_at_a_time():
    seen = {"y": tensor(), "s": tensor(), "step(y, s)": Seen({"tuple"})}
    (source,) = made(DECODER, seen)["one row at a time"]
    sizes = []

    def step(y, s):
        sizes.append(len(y))
        return y + s, s

    y, s = torch.arange(3.0), torch.ones(3)
    assert torch.equal(run(source, "decode")(step, y, s), y + s)
    assert sizes == [1, 1, 1]


@pytest.mark.parametrize("source", [LOSS, DECODER, CELL])
def test_what_was_never_seen_is_left_alone(source):
    assert not {"constant corner", "one row at a time", "left behind"} & set(made(source, {}))
