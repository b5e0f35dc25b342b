"""`initialize` gives a right answer the first weights of the solution, in whatever order it made them."""

import ast
import functools

import pytest
import torch
from checkout import ROOT
from torch import nn

from autograder.course.assignment import Assignment
from autograder.course.layout import Course
from coursekit import initialize, set_seed
from coursekit.checking import codec, stored_recordings
from coursekit.training import ordered_parameters

COURSE = Course(ROOT)


@functools.cache
def assignment(name):
    return Assignment(COURSE, name)


def classes():
    """The classes of layers that are exercises, and the assignment of each."""
    return [
        (name, kind) for name in COURSE.assignments() for kind in assignment(name).solution.layers
    ]


def made(kind, case):
    """An object of a class, with what the case hands over."""
    args = [codec.decode(one) for one in case["args"]]
    kwargs = {key: codec.decode(one) for key, one in case.get("kwargs", {}).items()}
    return kind(*args, **kwargs)


def in_another_order(solution, name):
    """The solution's class, which makes its layers in the opposite order."""
    tree = ast.parse(solution.bare_sources[name])
    (method,) = [one for one in tree.body[0].body if getattr(one, "name", "") == "__init__"]
    layers, first, rest = [], [], []
    for statement in method.body:
        text = ast.unparse(statement)
        sets = isinstance(statement, ast.Assign) and text.startswith("self.")
        if sets and "self." not in text.partition("=")[2]:
            layers.append(statement)
        elif "self." in text:
            rest.append(statement)
        else:
            first.append(statement)
    method.body = [*first, *reversed(layers), *rest]
    scope = dict(solution.definitions)
    exec(compile(ast.unparse(tree), name, "exec"), scope)
    return scope[name]


@pytest.mark.parametrize(("name", "kind"), classes(), ids=lambda one: one)
def test_the_order_in_which_layers_are_made_changes_no_weight(name, kind):
    solution, case = assignment(name).solution, stored_recordings.find(kind)["cases"][0]
    assert stored_recordings.layers(kind) == solution.layers[kind]
    ours, other = (
        made(solution.definitions[kind], case),
        made(in_another_order(solution, kind), case),
    )
    for model in (ours, other):
        initialize(model, seed=3)
    drawn = torch.get_rng_state()
    assert ours.state_dict().keys() == other.state_dict().keys()
    for key, value in ours.state_dict().items():
        assert torch.equal(value, other.state_dict()[key]), key
    assert [n for n, _ in ordered_parameters(ours)] == [n for n, _ in ordered_parameters(other)]
    initialize(ours, seed=3)
    assert torch.equal(torch.get_rng_state(), drawn)


def test_layers_of_no_exercise_are_drawn_as_torch_draws_them():
    def make():
        layers = nn.Embedding(9, 4, padding_idx=0), nn.LSTM(4, 3), nn.Linear(3, 2)
        return nn.Sequential(*layers, nn.TransformerEncoderLayer(4, 2, 8))

    set_seed(5)
    usual = make()
    drawn = torch.get_rng_state()
    other = make()
    initialize(other, seed=5)
    for one, two in zip(usual.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two)
    assert torch.equal(torch.get_rng_state(), drawn)


def test_a_shared_weight_keeps_what_its_first_layer_draws_and_a_free_parameter_stays():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(6, 4)
            self.head = nn.Linear(4, 6, bias=False)
            self.head.weight = self.tokens.weight
            self.scale = nn.Parameter(torch.tensor(7.0))

    model = Tied()
    initialize(model, seed=1)
    set_seed(1)
    assert torch.equal(model.head.weight, nn.Embedding(6, 4).weight)
    assert model.head.weight is model.tokens.weight
    assert model.scale == 7
    assert [name for name, _ in ordered_parameters(model)] == ["scale", "tokens.weight"]
