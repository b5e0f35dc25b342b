"""Stand-ins behave like the helpers in whose place they are, with all that travels between them."""

import json
from collections import Counter

import pytest
import torch
from torch import nn

from autograder.grading.callable_kinds import kind_of
from autograder.grading.reference_calls import References, can_be_copied, copied
from coursekit.checking.call_protocol import Cargo, NotSendable, pack, unpack
from coursekit.checking.codec import PlainDataError
from coursekit.checking.right_helpers import Grader, stand_in


def scaled(X, mask, factor=2.0):
    return factor * (X * mask).sum(-1), int(mask.sum())


def noisy(X, generator):
    return X + torch.rand(X.shape, generator=generator) + torch.rand(X.shape)


def between(X, sublayer):
    return sublayer(2 * X) * X + sublayer(X)


def counts(words):
    return {"all": Counter(words)}


def refuses(n):
    raise ValueError("n must be positive")


def unknown_kind(x):
    return object()


class Layer(nn.Module):
    def __init__(self, size, rate=0.5):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.bare = nn.Linear(size, size, bias=False)
        self.parts = nn.ModuleList(nn.Linear(size, size) for _ in range(2))
        self.dropout = nn.Dropout(rate)
        self.size = size
        self.register_buffer("places", torch.arange(float(size)))

    def start(self, X):
        return self.linear(X) + self.places

    def forward(self, X):
        for part in self.parts:
            X = part(self.start(X))
        return self.dropout(self.bare(X))


REFERENCES = References(
    {one.__name__: one for one in (scaled, noisy, between, counts, refuses, unknown_kind, Layer)}
)


def ask(call):
    return json.dumps(REFERENCES.answer(json.loads(call)))


GRADER = Grader(ask)


def replaced(name):
    return stand_in(name, kind_of(REFERENCES.definitions[name]), GRADER)


def test_a_function_returns_what_its_reference_returns():
    X, mask = torch.randn(2, 3), torch.tensor([[True, True, False], [True, False, False]])
    got, count = replaced("scaled")(X, mask=mask, factor=3.0)
    assert got.equal(scaled(X, mask, 3.0)[0])
    assert count == 3
    (words,) = replaced("counts")(["a", "b", "a"]).values()
    assert words == Counter(a=2, b=1)
    assert words["c"] == 0  # it is a Counter here, too


def test_gradients_flow_through_a_stand_in():
    X, mask = torch.randn(2, 3, requires_grad=True), torch.ones(2, 3)
    theirs = torch.autograd.grad((scaled(X, mask)[0] ** 2).sum(), X)[0]
    ours = torch.autograd.grad((replaced("scaled")(X, mask)[0] ** 2).sum(), X)[0]
    assert ours.allclose(theirs)
    with torch.no_grad():
        assert not replaced("scaled")(X, mask)[0].requires_grad


def test_random_numbers_are_those_of_the_same_generators_which_move_on():
    X, found = torch.zeros(3), []
    for helper in (noisy, replaced("noisy")):
        torch.manual_seed(5)
        generator = torch.Generator().manual_seed(7)
        found.append((helper(X, generator), torch.rand(1), torch.rand(1, generator=generator)))
    assert all(a.equal(b) for a, b in zip(*found))


def test_a_function_that_is_passed_on_is_called_here_and_learns():
    weight = torch.tensor(1.5, requires_grad=True)
    X = torch.randn(4, requires_grad=True)
    grads = []
    for helper in (between, replaced("between")):
        total = (helper(X, lambda Z: weight * Z**2) ** 2).sum()
        grads.append(torch.autograd.grad(total, [weight, X]))
    for one, two in zip(*grads):
        assert one.allclose(two)


def test_an_error_of_the_reference_is_raised_here():
    with pytest.raises(ValueError, match="n must be positive"):
        replaced("refuses")(0)
    with pytest.raises(TypeError, match="cannot be passed on"):
        replaced("unknown_kind")(0)


def test_a_module_has_the_parameters_of_its_reference_and_computes_with_them():
    torch.manual_seed(1)
    theirs = Layer(3)
    torch.manual_seed(1)
    ours = replaced("Layer")(3)
    assert dict(ours.named_parameters()).keys() == dict(theirs.named_parameters()).keys()
    assert ours.bare.bias is None
    assert ours.size == 3
    X = torch.randn(2, 3)
    for module in (theirs, ours):  # as a case does
        with torch.no_grad():
            module.parts[1].weight.fill_(0.25)
        module.dropout.p = 0.25
    torch.manual_seed(2)
    wanted = theirs(X)
    torch.manual_seed(2)
    assert ours(X).allclose(wanted)
    assert ours.eval()(X).allclose(theirs.eval()(X))
    assert ours.start(X).allclose(theirs.start(X))
    assert ours.parts[0](X).allclose(theirs.parts[0](X))
    for module in (theirs, ours):
        (module(X) ** 2).sum().backward()
    wanted = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad.allclose(wanted[name].grad), name


def test_a_module_that_is_made_again_draws_its_weights_anew():
    layer = replaced("Layer")
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        theirs = Layer(3)
        drawn = torch.rand(1)
        torch.manual_seed(seed)
        ours = layer(3)
        assert torch.rand(1).equal(drawn)
        assert ours.bare.weight.equal(theirs.bare.weight)
        assert ours(torch.zeros(2, 3)).shape == (2, 3)  # the grader keeps a copy for such calls


def test_a_subclass_of_a_stand_in_has_its_methods():
    class Longer(replaced("Layer")):
        def __init__(self, size):
            super().__init__(size, rate=0.0)
            self.extra = nn.Linear(size, 1)

        def forward(self, X):
            return self.extra(super().forward(self.start(X)))

    model = Longer(3)
    model(torch.randn(2, 3)).sum().backward()
    assert model.linear.weight.grad is not None
    assert model.extra.weight.grad is not None


@pytest.mark.parametrize(
    "change",
    [
        {"name": "__import__"},
        {"args": [{"$source": "__import__('os').getpid()"}]},
        {"args": [{"$other": ["a", "b"]}]},
        {"args": [{"$at": 5}]},
        {"args": [{"$at": -1}]},
        {"args": [{"$dtype": "os"}]},
        {"args": [{"$dtype": "load"}]},
        {"args": {}},
        {"tensors": [{"$source": "1"}]},
        {"tensors": [{"$tensor": {"dtype": "float32", "shape": [10**12], "data": ""}}]},
        {"rng": {"$tensor": {"dtype": "uint8", "shape": [1], "data": "AA=="}}},
        {"init": [], "init_kwargs": {}, "method": "__init_subclass__", "path": ""},
        {"generators": [3]},
    ],
)
def test_whatever_else_is_asked_is_refused(change):
    sent = []

    def ask(call):
        sent.append(json.loads(call))
        return json.dumps({"error": "ValueError", "message": "no"})

    with pytest.raises(ValueError, match="no"):
        stand_in("scaled", {}, Grader(ask))(torch.ones(2), torch.ones(2))
    assert "value" in REFERENCES.answer(sent[0])
    assert set(REFERENCES.answer({**sent[0], **change})) == {"error", "message"}


@pytest.mark.parametrize("method", ["_describe", "__class__", "train", "apply", "load_state_dict"])
def test_only_a_modules_own_methods_can_be_called(method):
    with pytest.raises(TypeError, match="there is no method"):
        replaced("Layer")(3)._call_method(method)


def test_no_answer_holds_a_text_of_the_solution():
    def ask_and_read(call):
        found = ask(call)
        assert "self.linear" not in found
        assert "def " not in found
        return found

    stand_in("Layer", kind_of(Layer), Grader(ask_and_read))(3)(torch.ones(1, 3))


def test_the_state_of_the_generator_travels_only_where_it_is_not_known():
    sent = []

    def ask_and_note(call):
        sent.append(json.loads(call)["rng"] is not None)
        return ask(call)

    grader = Grader(ask_and_note)
    once, layer, wrong = (
        stand_in(name, kind_of(REFERENCES.definitions[name]), grader)
        for name in ("noisy", "Layer", "refuses")
    )
    X = torch.zeros(2, 3)
    torch.manual_seed(3)
    theirs = [noisy(X, torch.Generator().manual_seed(1)) for _ in range(3)]
    torch.manual_seed(3)
    for expected in theirs:  # each goes on where the one before has stopped
        assert once(X, torch.Generator().manual_seed(1)).equal(expected)
    assert sent == [True, False, False]
    torch.rand(1)  # something else draws
    assert once(X, torch.Generator().manual_seed(1)).shape == X.shape
    with pytest.raises(ValueError, match="positive"):
        wrong(0)
    layer(3)  # after an error nothing is known
    assert sent[3:] == [True, False, True]


def test_gradients_are_those_of_the_call_whatever_was_called_meanwhile():
    torch.manual_seed(5)
    model = replaced("Layer")(3)
    X = torch.randn(4, 3, requires_grad=True)
    torch.manual_seed(6)
    first = model(X)
    second = model(X)  # begins in the state in which the first has left the generator
    torch.manual_seed(6)
    own = Layer(3)
    own.load_state_dict(model.state_dict())
    torch.manual_seed(6)
    expected = [own(X), own(X)]
    for result, wanted in zip((second, first), expected[::-1]):
        assert result.equal(wanted)
        (got,) = torch.autograd.grad(result.sum(), X, retain_graph=True)
        (want,) = torch.autograd.grad(wanted.sum(), X, retain_graph=True)
        assert got.allclose(want)


def test_an_object_that_cannot_travel_is_refused_before_it_is_sent():
    with pytest.raises(NotSendable):
        pack([object()], Cargo())
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(PlainDataError):
        pack(deep, Cargo())
    with pytest.raises(PlainDataError):
        unpack(deep, Cargo())


class Tied(nn.Module):
    """A model whose last layer has the weights of its first one, and a part with a state of its own."""

    def __init__(self):
        super().__init__()
        self.first = nn.Embedding(5, 3)
        self.norm = nn.LayerNorm(3)
        self.last = Scorer(self.first.weight)
        self.memory = nn.LSTM(3, 3)

    def forward(self, ids):
        return self.last(self.norm(self.first(ids)))


class Scorer(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight
        self.calls = 0

    def forward(self, X):
        return X @ self.weight.T


@pytest.fixture
def tied():
    """A right `Tied` in the place of a student's, and the calls that it has sent."""
    references, sent = References({"Tied": Tied}), []

    def ask(call):
        sent.append(json.loads(call))
        return json.dumps(references.answer(sent[-1]))

    model = stand_in("Tied", kind_of(Tied), Grader(ask))()
    sent.clear()
    return model, sent


def test_layers_of_torch_compute_here_and_follow_the_mode_of_training(tied):
    model, sent = tied
    X = torch.randn(2, 3, requires_grad=True)
    with torch.no_grad():
        model.norm.weight.fill_(2)
    normalized = model.norm(X)
    assert torch.allclose(normalized, 2 * torch.nn.functional.layer_norm(X, [3]))
    normalized[0, 0].backward()
    assert X.grad is not None
    assert type(model.first) is nn.Embedding
    assert sent == []
    assert not model.eval().norm.training
    assert model.state_dict().keys() == Tied().state_dict().keys() - {"last.weight"}
    assert model.memory(X.detach())[0].shape == (2, 3)  # has more than numbers: it is asked for
    assert len(sent) == 1


def test_a_call_of_a_part_brings_the_parameters_of_that_part_whatever_their_names(tied):
    model, sent = tied
    X = torch.randn(2, 3)
    assert torch.allclose(model.last(X), X @ model.first.weight.T)
    (call,) = sent
    assert [name for name, _ in call["state"]] == ["first.weight"]
    assert call["attributes"].keys() == {"last"}
    model(torch.tensor([1]))
    assert len(sent[1]["state"]) == len(model.state_dict())


class Remembers(nn.Module):
    """A helper that changes itself in each call."""

    def __init__(self, size, start=0):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.calls = start
        self.register_buffer("total", torch.zeros(size))

    def forward(self, X):
        self.calls += 1
        self.total += 1
        return X + self.calls + self.total


class Seen(Remembers):
    def __init__(self, size):
        super().__init__(size)
        self.seen = []

    def forward(self, X):
        self.seen.append(X)
        return X + len(self.seen)


@pytest.mark.parametrize("kind", [Remembers, Seen])
def test_a_module_of_one_call_knows_nothing_of_the_calls_before(kind):
    references = References({"kind": kind})
    grader = Grader(lambda call: json.dumps(references.answer(json.loads(call))))
    model = stand_in("kind", kind_of(kind), grader)(2)
    X = torch.zeros(2)
    wanted = kind(2)(X)
    for _ in range(3):
        assert model(X).equal(wanted)
    assert len(references.made) == (kind is Remembers)  # a list may hold anything
    for size in range(3, 100):
        stand_in("kind", kind_of(kind), grader)(size)
    assert len(references.made) <= 50


def test_a_copy_has_its_own_parameters_and_what_is_tied_stays_tied():
    model = Tied()
    model.memory = None
    assert can_be_copied(model)
    copy = copied(model.eval())
    assert copy.last.weight is copy.first.weight
    assert copy.first.weight is not model.first.weight
    assert copy.state_dict().keys() == model.state_dict().keys()
    assert not copy.norm.training
    with torch.no_grad():
        copy.first.weight.zero_()
    assert model.first.weight.abs().sum() > 0
    copy.added = nn.Linear(1, 1)
    assert not hasattr(model, "added")


def of_object(thing):
    return lambda X: X + thing.calls


@pytest.mark.parametrize("value", [[1], {"a": 1}, {1}, torch.zeros(2), nn.Linear, Scorer])
def test_a_module_with_what_a_call_may_change_is_made_anew(value):
    model = nn.Module()
    assert can_be_copied(model)
    model.activation = torch.relu
    model.other = torch.nn.functional.gelu
    model.words = "ab"
    assert can_be_copied(model)
    model.__dict__["value"] = value
    assert not can_be_copied(model)
    model.__dict__["value"] = of_object(model)
    assert not can_be_copied(model)
