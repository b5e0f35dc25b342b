"""One training loop for every model: what it learns, keeps, refuses and leaves alone."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from coursekit.text import Vocabulary, batches
from coursekit.training import (
    GRADING_STEPS,
    History,
    TrainingError,
    fewer_when_graded,
    fit,
    pick_device,
    predict,
    set_seed,
)


@pytest.fixture(autouse=True)
def _outside_grading(monkeypatch):
    monkeypatch.delenv("COURSEKIT_MAX_STEPS", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def points(n=120, classes=2, seed=0):
    """Vectors around one center per class: easy to learn."""
    draw = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % classes
    centers = 3 * torch.eye(classes, 4)
    return centers[labels] + 0.5 * torch.randn(n, 4, generator=draw), labels


class Flat(nn.Module):
    """One logit per example, without its axis of size 1."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.layers = nn.Sequential(nn.Dropout(dropout), nn.Linear(4, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


class Interrupted(Flat):
    """Behaves as if the reader pressed stop at the given call."""

    def __init__(self, at):
        super().__init__()
        self.at, self.calls = at, 0

    def forward(self, x):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return super().forward(x)


def weights(model):
    return [parameter.detach().clone() for parameter in model.parameters()]


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(first, second))


def test_a_binary_classifier_learns_and_the_history_tells_how():
    set_seed(0)
    model = Flat()
    history = fit(model, points(), points(seed=1), epochs=3, batch_size=20, lr=0.1)
    assert history.validation_metric[-1] > 0.95
    assert history.train_loss[-1] < history.train_loss[0]
    assert history.steps == 18
    assert history.epochs == len(history.seconds) == len(history.validation_loss) == 3
    assert history.parameters == 5
    assert not any([history.capped, history.interrupted, history.stopped_early])


def test_the_history_reads_as_a_table_and_as_a_dictionary():
    history = fit(Flat(), points(), points(seed=1), epochs=2, lr=0.1)
    lines = repr(history).splitlines()
    assert lines[0].split()[:3] == ["epoch", "train", "loss"]
    assert len(lines) == 4
    assert [line[0] for line in lines[1:3]].count("*") == 1
    assert history.to_dict()["steps"] == 8
    assert History(**history.to_dict()) == history


@pytest.mark.parametrize("shape", ["one column", "two columns"])
def test_one_logit_or_one_per_class_are_both_classifiers(shape):
    set_seed(0)
    model = nn.Linear(4, 1 if shape == "one column" else 2)
    history = fit(model, points(), epochs=3, batch_size=20, lr=0.1)
    assert history.train_metric[-1] > 0.95
    assert history.best_epoch == 3


def test_the_default_loss_is_the_mean_negative_log_likelihood():
    x, y = points(8, classes=3)
    model = nn.Linear(4, 3)
    expected = -torch.log_softmax(model(x), -1)[torch.arange(8), y].mean().item()
    history = fit(model, (x, y), epochs=1, batch_size=8, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)


def test_averages_count_every_example_once_though_the_last_batch_is_small():
    x, y = points(10)
    model = Flat()
    expected = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    history = fit(model, (x, y), (x, y), epochs=1, batch_size=8, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)
    assert history.validation_loss[0] == pytest.approx(expected, rel=1e-5)


def test_tagging_ignores_labels_of_minus_100():
    x, y = torch.randn(6, 5, 4), torch.randint(0, 3, (6, 5))
    y[:, 3:] = -100
    y[0] = -100
    model = nn.Linear(4, 3)
    logits = model(x)[y != -100]
    expected = nn.functional.cross_entropy(logits, y[y != -100]).item()
    history = fit(model, (x, y), epochs=1, batch_size=2, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)
    share = (logits.argmax(-1) == y[y != -100]).float().mean().item()
    assert history.train_metric[0] == pytest.approx(share)


def test_a_batch_in_which_no_label_counts_is_passed_over():
    x, y = torch.randn(4, 4), torch.tensor([0, 1, -100, -100])
    history = fit(nn.Linear(4, 2), [(x[:2], y[:2]), (x[2:], y[2:])], epochs=2)
    assert history.steps == 2
    assert math.isfinite(history.train_loss[-1])


def test_decimal_labels_of_the_logits_shape_are_logistic_regressions():
    x = torch.randn(30, 4)
    y = (x[:, :3] > 0).float()
    history = fit(nn.Linear(4, 3), (x, y), epochs=20, lr=0.1)
    assert history.train_metric[-1] > 0.9


def test_a_language_model_brings_its_own_loss():
    class NextWord(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(5, 5)

        def forward(self, ids):
            return self.table(ids), "attention"

    def perplexity_loss(outputs, labels):
        return nn.functional.cross_entropy(outputs[0].transpose(1, 2), labels)

    ids = torch.arange(20).remainder(5).repeat(4, 1)
    history = fit(
        NextWord(), (ids[:, :-1], ids[:, 1:]), loss=perplexity_loss, epochs=30, lr=0.3, batch_size=2
    )
    assert history.train_loss[-1] < 0.1
    assert history.metric is None
    assert history.train_metric == []


def test_an_own_metric_decides_which_epoch_is_best():
    values = iter([0.1, 0.9, 0.5])

    def score(outputs, labels):
        return next(values) if not torch.is_grad_enabled() and labels.shape[0] == 7 else 0.0

    history = fit(Flat(), points(), points(7), metric=score, epochs=3, batch_size=8)
    assert history.metric == "score"
    assert history.validation_metric == [0.1, 0.9, 0.5]
    assert history.best_epoch == 2


def test_data_may_be_arrays_dictionaries_loaders_lists_or_functions():
    x, y = points(40)
    whole = [
        (x, y),
        [x.numpy(), y.numpy()],
        (x.double().numpy(), y.tolist()),
        {"x": x, "labels": y},
    ]
    whole.append(torch.utils.data.TensorDataset(x, y))
    ready = [(x[:20], y[:20]), (x[20:], y[20:])]
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20)
    named = [{"x": a, "labels": b} for a, b in ready]
    for data in [*whole, ready, loader, named, iter(ready), lambda epoch: ready]:
        history = fit(Flat(), data, data if data is loader else None, epochs=2, batch_size=20)
        assert history.steps == 4, data


def test_a_function_of_the_epoch_is_asked_for_every_epoch():
    asked = []

    def data(epoch):
        asked.append(epoch)
        yield points(10)

    fit(Flat(), data, epochs=3)
    assert asked == [0, 1, 2]


def test_batches_of_texts_bring_their_masks():
    texts = ["good film", "bad", "good", "bad film end", "", "bad bad"]
    data = SimpleNamespace(texts=texts, labels=[1, 0, 1, 0, 1, 0])
    vocabulary = Vocabulary.build(text.split() for text in texts)

    class Average(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(len(vocabulary), 1)

        def forward(self, ids, mask):
            return (self.table(ids).squeeze(-1) * mask).sum(1)

    set_seed(0)
    model, made = Average(), batches(data, vocabulary, 2)
    history = fit(model, made, made, epochs=40, lr=0.2)
    assert history.validation_metric[-1] >= 5 / 6
    logits = predict(model, made)
    in_order = predict(model, batches(data, vocabulary, 6, shuffle=False))
    assert torch.allclose(logits, in_order)
    assert logits.shape == (6,)


def test_the_same_seed_gives_the_same_weights_whatever_was_drawn_before():
    found = []
    for seed in (3, 3, 4):
        torch.manual_seed(0)
        model = Flat(dropout=0.5)
        torch.manual_seed(random.randrange(1000))
        fit(model, points(), epochs=2, seed=seed)
        found.append(weights(model))
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


def test_training_leaves_the_random_numbers_outside_alone():
    model = Flat(dropout=0.5)
    set_seed(7)
    expected = (random.random(), np.random.rand(), torch.rand(1).item())
    set_seed(7)
    fit(model, points(), epochs=1)
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == expected


def test_set_seed_repeats_all_three_kinds_of_random_numbers():
    drawn = []
    for _ in range(2):
        set_seed(2**40 + 5)
        drawn.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert drawn[0] == drawn[1]


def test_dropout_is_off_in_validation_and_the_mode_is_given_back():
    seen = []

    class Watched(Flat):
        def forward(self, x):
            seen.append((self.training, torch.is_grad_enabled()))
            return super().forward(x)

    model = Watched(dropout=0.5)
    model.train()
    model.layers[0].eval()
    fit(model, points(10), points(10), epochs=1)
    assert seen == [(True, True), (False, False)]
    assert (model.training, model.layers[0].training) == (True, False)
    model.eval()
    fit(model, points(10), epochs=1)
    assert not model.training


def test_the_best_weights_are_put_back():
    x, y = points(40)
    model = Flat()
    # Trained on the wrong labels, the first epoch is the least bad.
    history = fit(model, (x, 1 - y), (x, y), epochs=6, lr=0.5, batch_size=10)
    assert history.best_epoch == 1
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(history.validation_loss[0], rel=1e-5)


def test_patience_ends_a_training_that_gets_no_better():
    x, y = points(40)
    history = fit(Flat(), (x, 1 - y), (x, y), epochs=50, lr=0.5, patience=3)
    assert history.stopped_early
    assert history.epochs == history.best_epoch + 3
    assert "stopped early" in repr(history)


def test_of_equal_accuracies_the_lower_loss_is_better():
    history = fit(Flat(), points(), points(seed=1), epochs=8, lr=0.3)
    best = history.best_epoch - 1
    assert history.validation_metric[best] == max(history.validation_metric)
    ties = [
        loss
        for loss, value in zip(history.validation_loss, history.validation_metric)
        if value == max(history.validation_metric)
    ]
    assert history.validation_loss[best] == min(ties)


def test_frozen_parameters_stay_and_do_not_count():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    before = weights(model[0])
    history = fit(model, points(), epochs=1, weight_decay=0.1)
    assert same(before, weights(model[0]))
    assert history.parameters == 10


@pytest.mark.parametrize("name", ["adamw", "adam", "sgd", "adagrad"])
def test_every_optimizer_by_name_learns(name):
    set_seed(0)
    assert fit(Flat(), points(), epochs=10, lr=0.3, optimizer=name).train_metric[-1] > 0.9


def test_a_ready_optimizer_keeps_its_own_learning_rates():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    before = weights(model)
    groups = [
        {"params": model[0].parameters(), "lr": 0.0},
        {"params": model[1].parameters(), "lr": 0.1},
    ]
    fit(model, points(), epochs=1, optimizer=torch.optim.SGD(groups), schedule="linear")
    after = weights(model)
    assert same(before[:2], after[:2])
    assert not same(before[2:], after[2:])


@pytest.mark.parametrize(
    ("schedule", "warmup", "expected"),
    [
        ("constant", 0.0, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("constant", 0.5, [0.25, 0.5, 0.75, 1, 1, 1, 1, 1]),
        ("linear", 0.0, [1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]),
        ("linear", 0.5, [0.25, 0.5, 0.75, 1, 1, 0.75, 0.5, 0.25]),
        ("cosine", 0.0, [(1 + math.cos(math.pi * i / 8)) / 2 for i in range(8)]),
    ],
)
def test_the_learning_rate_follows_its_schedule(schedule, warmup, expected):
    rates = []

    class Recorded(torch.optim.SGD):
        def step(self, closure=None):
            rates.append(self.param_groups[0]["lr"])
            return super().step(closure)

    model = Flat()
    optimizer = Recorded(model.parameters(), lr=1.0)
    fit(
        model,
        points(16),
        epochs=2,
        batch_size=4,
        optimizer=optimizer,
        schedule=schedule,
        warmup=warmup,
    )
    assert rates == pytest.approx(expected)


def test_gradients_are_clipped_to_their_norm():
    model = nn.Linear(4, 1)
    before = weights(model)
    x, y = points(8)
    fit(model, (1e4 * x, y), epochs=1, batch_size=8, lr=1.0, optimizer="sgd", clip=0.5)
    moved = torch.cat([(a - b).flatten() for a, b in zip(weights(model), before)])
    assert moved.norm().item() == pytest.approx(0.5, rel=1e-3)


def test_a_limit_on_steps_counts_over_all_epochs(monkeypatch):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", "7")
    history = fit(Flat(), points(40), points(10), epochs=9, batch_size=10)
    assert (history.steps, history.epochs, history.capped) == (7, 2, True)
    assert len(history.validation_loss) == 2
    assert "limit" in repr(history)


def test_a_limit_at_the_end_of_an_epoch_adds_no_empty_one(monkeypatch):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", "8")
    history = fit(Flat(), points(40), epochs=9, batch_size=10)
    assert (history.steps, history.epochs, history.capped) == (8, 2, True)
    history = fit(Flat(), points(40), epochs=2, batch_size=10)
    assert not history.capped


def test_loops_of_ones_own_take_one_epoch_while_a_submission_is_graded(monkeypatch):
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    assert fewer_when_graded(30) == 30
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert fewer_when_graded(30) == 1


def test_while_grading_there_is_a_limit_by_default(monkeypatch):
    monkeypatch.setattr("coursekit.training.settings.GRADING_STEPS", 3)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert fit(Flat(), points(40), epochs=1, batch_size=10).steps == 3
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert fit(Flat(), points(40), epochs=1, batch_size=10).steps == 4
    assert GRADING_STEPS < 100


@pytest.mark.parametrize("setting", ["0", "-3", "many", "1.5"])
def test_a_limit_that_is_no_number_is_named(monkeypatch, setting):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", setting)
    with pytest.raises(TrainingError, match="COURSEKIT_MAX_STEPS"):
        fit(Flat(), points())


def test_pressing_stop_keeps_the_best_weights_and_returns_the_history():
    # Four training and four validation batches an epoch; stopped in the third epoch.
    model = Interrupted(at=20)
    x, y = points(40)
    history = fit(model, (x, y), (x, y), epochs=9, batch_size=10, lr=0.1)
    assert history.interrupted
    assert history.epochs == len(history.seconds) == len(history.validation_loss) == 2
    assert "interrupted" in repr(history)
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(min(history.validation_loss), rel=1e-5)
    assert model.training


def test_pressing_stop_in_validation_leaves_lists_of_one_length():
    history = fit(Interrupted(at=5), points(40), points(10), epochs=9, batch_size=10)
    assert history.interrupted
    assert history.best_epoch is None
    assert history.train_loss == history.validation_loss == history.seconds == []
    assert "4 steps" in repr(history)


def test_a_loss_that_is_no_number_stops_and_keeps_the_best_weights():
    x, y = points(40)
    broken = [(x, y), (torch.full((4, 4), math.nan), y[:4])]
    model = Flat()
    with pytest.raises(TrainingError, match=r"became nan in epoch 2.*weights of epoch 1") as caught:
        fit(model, lambda epoch: broken[: 1 + epoch], (x, y), epochs=5)
    assert caught.value.history.epochs == 1
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(caught.value.history.validation_loss[0], rel=1e-5)


def test_a_loss_that_is_no_number_at_once_leaves_the_model_as_it_was():
    model = Flat()
    before = weights(model)
    with pytest.raises(TrainingError, match="it started with"):
        fit(model, (torch.full((40, 4), math.inf), points(40)[1]), epochs=1)
    assert same(before, weights(model))


def test_a_gradient_that_is_no_number_stops_before_the_step():
    class Root(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(1))

        def forward(self, x):
            # The root of zero is fine, its slope is infinite.
            return torch.sqrt(self.w.abs()).expand(len(x))

    model = Root()
    with pytest.raises(TrainingError, match="norm of the gradient"):
        fit(model, points(8), epochs=1)
    assert model.w.item() == 0


def test_a_validation_loss_that_is_no_number_is_named():
    x, y = points(8)
    with pytest.raises(TrainingError, match="validation loss became nan"):
        fit(Flat(), (x, y), (x * math.nan, y), epochs=1)


class NoReturn(Flat):
    def forward(self, x):
        super().forward(x)


class Detached(Flat):
    def forward(self, x):
        return super().forward(x).detach()


X, Y = points(12)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: fit(Flat(), (X[:0], Y[:0])), "training data are empty"),
        (lambda: fit(Flat(), []), "training data are empty"),
        (lambda: fit(Flat(), lambda epoch: []), "epoch 1 are empty"),
        (lambda: fit(Flat(), (X, Y), (X[:0], Y[:0])), "validation data are empty"),
        (lambda: fit(Flat(), (X, Y[:5])), "have 12, 5"),
        (lambda: fit(Flat(), [(X, Y[:5])]), "12 inputs but 5 labels"),
        (lambda: fit(Flat(), X), "tuple of tensors"),
        (lambda: fit(Flat(), (X,)), r"\(inputs\.\.\., labels\)"),
        (lambda: fit(Flat(), {"x": X}), "no labels"),
        (lambda: fit(Flat(), "reviews"), "got str"),
        (lambda: fit(Flat(), (X, ["good"] * 12)), "no tensor of numbers|tuple of tensors"),
        (lambda: fit(Flat(), (X, Y + 1)), "label 2.*classes 0 and 1"),
        (lambda: fit(Flat(), (X, Y), (X, Y - 1)), "validation data have the label -1"),
        (lambda: fit(nn.Linear(4, 3), (X, Y + 2)), "label 3.*classes 0 to 2"),
        (lambda: fit(nn.Linear(4, 3), (X, Y.float())), r"labels\.long\(\)"),
        (lambda: fit(nn.Linear(4, 3), (X, Y[:, None].repeat(1, 2))), r"\(12, 2\).*\(12, 3\)"),
        (lambda: fit(Flat(), (X, X, Y)), "2 inputs"),
        (lambda: fit(Flat(), {"ids": X, "labels": Y}), r"ids \(labels not counted\)"),
        (lambda: fit(NoReturn(), (X, Y)), "return"),
        (lambda: fit(Detached(), (X, Y)), "does not depend on the model's parameters"),
        (lambda: fit(Flat().requires_grad_(False), (X, Y)), "nothing to train"),
        (lambda: fit(Flat, (X, Y)), r"YourModel\(\.\.\.\)"),
        (lambda: fit(lambda x: x, (X, Y)), r"torch\.nn\.Module"),
        (lambda: fit(Flat(), (X, Y), loss=lambda o, y: o), r"\.mean\(\)"),
        (lambda: fit(Flat(), (X, Y), loss=lambda o, y: 1.0), "returned float"),
        (lambda: fit(Flat(), (X, Y), metric="f1"), "accuracy"),
        (lambda: fit(Flat(), (X, Y), epochs=0), "epochs"),
        (lambda: fit(Flat(), (X, Y), batch_size=2.5), "batch_size"),
        (lambda: fit(Flat(), (X, Y), lr=0), "lr"),
        (lambda: fit(Flat(), (X, Y), clip=-1), "clip"),
        (lambda: fit(Flat(), (X, Y), patience=0), "patience"),
        (lambda: fit(Flat(), (X, Y), warmup=100), "share of all steps"),
        (lambda: fit(Flat(), (X, Y), schedule="steps"), "constant, linear, cosine"),
        (lambda: fit(Flat(), (X, Y), optimizer="lion"), "adamw"),
        (lambda: fit(Flat(), lambda epoch: [(X, Y)], warmup=0.1), "number of steps"),
        (lambda: fit(Flat(), (X, Y), device="gpu"), "cannot compute on 'gpu'"),
        (lambda: predict(Flat(), X[:0]), "empty"),
        (lambda: predict(Flat(), []), "empty"),
        (lambda: predict(Flat(), (X, Y)), "2 inputs"),
        (lambda: predict(Flat, X), r"torch\.nn\.Module"),
        (lambda: predict(nn.Linear(4, 2), [(X[None],), (X[None, :5],)]), "same length"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence(wrong, sentence):
    with pytest.raises(TrainingError, match=sentence) as caught:
        wrong()
    assert "\n" not in str(caught.value)


def test_predictions_come_in_order_without_dropout_and_without_gradients():
    model = Flat(dropout=0.9).train()
    x, y = points(30)
    with torch.no_grad():
        expected = model.eval()(x)
    model.train()
    for data in [x, (x,), x.numpy(), {"x": x, "labels": y}, [(x[:20], y[:20]), (x[20:], y[20:])]]:
        logits = predict(model, data, batch_size=7)
        assert torch.allclose(logits, expected, atol=1e-6)
        assert not logits.requires_grad
    assert model.training


def test_models_that_return_objects_with_logits_can_be_trained_and_asked():
    class Wrapped(Flat):
        def forward(self, x):
            return SimpleNamespace(logits=super().forward(x))

    model = Wrapped()
    fit(model, points(20), epochs=1)
    assert predict(model, points(20)[0]).shape == (20,)


def test_nothing_is_printed_when_nobody_watches(capfd, monkeypatch):
    fit(Flat(), points(), epochs=1)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    fit(Flat(), points(), epochs=1)
    assert capfd.readouterr() == ("", "")


def test_there_is_one_progress_bar_when_asked_for(capfd):
    fit(Flat(), points(), points(8), epochs=3, progress=True)
    shown = capfd.readouterr().err
    assert "epoch 3/3" in shown
    assert "validation accuracy" in shown
    assert shown.count("\n") == 1


def test_the_device_is_a_gpu_only_where_there_is_one():
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert pick_device().type == expected
    assert pick_device("cpu") == torch.device("cpu")
    if not torch.cuda.is_available():
        with pytest.raises(TrainingError, match="cannot compute on 'cuda'"):
            pick_device("cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU, and this machine has none")
def test_on_a_gpu_the_model_comes_back_to_where_it_was():
    model = Flat()
    history = fit(model, points(), points(), epochs=5, lr=0.3)
    assert history.device == "cuda"
    assert next(model.parameters()).device.type == "cpu"
    assert predict(model, points()[0]).device.type == "cpu"
