"""One training loop for every model: what it learns, keeps, refuses and leaves alone."""

import math
import random
import sys
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


def cut(x, y, size=20):
    """The batches of a whole tensor of inputs and one of labels."""
    return list(zip(x.split(size), y.split(size)))


def point_batches(n=120, size=20, **more):
    return cut(*points(n, **more), size)


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
    history = fit(model, point_batches(), point_batches(seed=1), epochs=3, lr=0.1)
    assert history.validation_accuracy[-1] > 0.95
    assert history.train_loss[-1] < history.train_loss[0]
    assert history.steps == 18
    assert history.epochs == len(history.seconds) == len(history.validation_loss) == 3
    assert history.parameters == 5
    assert not any([history.capped, history.interrupted])


def test_the_history_reads_as_a_table_and_as_a_dictionary():
    history = fit(Flat(), point_batches(), point_batches(seed=1), epochs=2, lr=0.1)
    lines = repr(history).splitlines()
    assert lines[0].split()[:3] == ["epoch", "train", "loss"]
    assert len(lines) == 4
    assert [line[0] for line in lines[1:3]].count("*") == 1
    assert history.to_dict()["steps"] == 12
    assert History(**history.to_dict()) == history


@pytest.mark.parametrize("logits", [1, 2], ids=["one logit", "one per class"])
def test_one_logit_or_one_per_class_are_both_classifiers(logits):
    set_seed(0)
    history = fit(nn.Linear(4, logits), point_batches(), epochs=3, lr=0.1)
    assert history.train_accuracy[-1] > 0.95
    assert history.best_epoch == 3


def test_the_loss_is_the_mean_negative_log_likelihood():
    x, y = points(8, classes=3)
    model = nn.Linear(4, 3)
    expected = -torch.log_softmax(model(x), -1)[torch.arange(8), y].mean().item()
    history = fit(model, [(x, y)], epochs=1, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)


def test_averages_count_every_example_once_though_the_last_batch_is_small():
    x, y = points(10)
    model = Flat()
    expected = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    history = fit(model, cut(x, y, 8), cut(x, y, 8), epochs=1, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)
    assert history.validation_loss[0] == pytest.approx(expected, rel=1e-5)


def test_tagging_ignores_labels_of_minus_100():
    x, y = torch.randn(6, 5, 4), torch.randint(0, 3, (6, 5))
    y[:, 3:] = -100
    y[0] = -100
    model = nn.Linear(4, 3)
    logits = model(x)[y != -100]
    expected = nn.functional.cross_entropy(logits, y[y != -100]).item()
    history = fit(model, cut(x, y, 2), epochs=1, lr=1e-9)
    assert history.train_loss[0] == pytest.approx(expected, rel=1e-5)
    share = (logits.argmax(-1) == y[y != -100]).float().mean().item()
    assert history.train_accuracy[0] == pytest.approx(share)


def test_a_batch_in_which_no_label_counts_is_skipped():
    x, y = torch.randn(4, 4), torch.tensor([0, 1, -100, -100])
    history = fit(nn.Linear(4, 2), [(x[:2], y[:2]), (x[2:], y[2:])], epochs=2)
    assert history.steps == 2
    assert math.isfinite(history.train_loss[-1])


def test_several_binary_labels_per_example_are_logistic_regressions():
    x = torch.randn(30, 4)
    y = (x[:, :3] > 0).float()
    assert fit(nn.Linear(4, 3), cut(x, y), epochs=30, lr=0.1).train_accuracy[-1] > 0.9


def test_data_may_be_a_list_or_a_loader():
    x, y = points(40)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20)
    for data in (cut(x, y), loader):
        assert fit(Flat(), data, loader, epochs=2).steps == 4
    assert torch.equal(predict(model := Flat(), loader), predict(model, cut(x, y)))


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
    assert history.validation_accuracy[-1] >= 5 / 6
    logits = predict(model, made)
    in_order = predict(model, batches(data, vocabulary, 6, shuffle=False))
    assert torch.allclose(logits, in_order)
    assert torch.equal(predict(model, batches(texts, vocabulary, 6, shuffle=False)), in_order)
    assert logits.shape == (6,)


def test_every_epoch_has_its_own_order_and_validation_always_the_same():
    seen = []

    class Seen(Flat):
        def forward(self, ids, mask):
            seen.append((self.training, ids.flatten().tolist()))
            return super().forward(ids.expand(-1, 4).float())

    texts = list("abcdefgh")
    vocabulary = Vocabulary.build([texts])
    made = batches(SimpleNamespace(texts=texts, labels=[0, 1] * 4), vocabulary, 8)
    fit(Seen(), made, made, epochs=2)
    first, judged, second, judged_again = (ids for _, ids in seen)
    assert first == judged == judged_again != second


def test_the_same_seed_gives_the_same_weights_whatever_was_drawn_before():
    found = []
    for seed in (3, 3, 4):
        torch.manual_seed(0)
        model = Flat(dropout=0.5)
        torch.manual_seed(random.randrange(1000))
        fit(model, point_batches(), epochs=2, seed=seed)
        found.append(weights(model))
    assert same(found[0], found[1])
    assert not same(found[0], found[2])


def test_a_training_gives_the_numbers_it_gave_when_the_notebooks_were_executed():
    torch.manual_seed(0)
    model = Flat(dropout=0.3)
    options = {"epochs": 3, "lr": 0.05, "weight_decay": 0.01, "schedule": "linear", "warmup": 0.1}
    history = fit(model, point_batches(), point_batches(seed=1), seed=2, **options)
    assert history.validation_loss == pytest.approx([0.285013, 0.197199, 0.175044], abs=2e-6)


def test_training_leaves_the_random_numbers_outside_alone():
    model = Flat(dropout=0.5)
    set_seed(7)
    expected = (random.random(), np.random.rand(), torch.rand(1).item())
    set_seed(7)
    fit(model, point_batches(), epochs=1)
    assert (random.random(), np.random.rand(), torch.rand(1).item()) == expected


def test_set_seed_repeats_all_three_kinds_of_random_numbers():
    drawn = []
    for _ in range(2):
        set_seed(2**40 + 5)
        drawn.append((random.random(), np.random.rand(), torch.rand(1).item()))
    assert drawn[0] == drawn[1]


def test_dropout_is_off_in_validation_and_the_mode_is_restored():
    seen = []

    class Watched(Flat):
        def forward(self, x):
            seen.append((self.training, torch.is_grad_enabled()))
            return super().forward(x)

    model = Watched(dropout=0.5)
    model.train()
    model.layers[0].eval()
    fit(model, point_batches(10), point_batches(10), epochs=1)
    assert seen == [(True, True), (False, False)]
    assert (model.training, model.layers[0].training) == (True, False)
    model.eval()
    fit(model, point_batches(10), epochs=1)
    assert not model.training


def test_the_best_weights_are_restored():
    x, y = points(40)
    model = Flat()
    # Trained on the wrong labels, the first epoch is the least bad.
    history = fit(model, cut(x, 1 - y, 10), cut(x, y), epochs=6, lr=0.5)
    assert history.best_epoch == 1
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(history.validation_loss[0], rel=1e-5)


def test_of_equal_accuracies_the_lower_loss_is_better():
    history = fit(Flat(), point_batches(), point_batches(seed=1), epochs=8, lr=0.3)
    best = history.best_epoch - 1
    assert history.validation_accuracy[best] == max(history.validation_accuracy)
    ties = [
        loss
        for loss, value in zip(history.validation_loss, history.validation_accuracy)
        if value == max(history.validation_accuracy)
    ]
    assert history.validation_loss[best] == min(ties)


def test_frozen_parameters_stay_and_do_not_count():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    before = weights(model[0])
    history = fit(model, point_batches(), epochs=1, weight_decay=0.1)
    assert same(before, weights(model[0]))
    assert history.parameters == 10


@pytest.mark.parametrize(
    ("schedule", "warmup", "expected"),
    [
        ("constant", 0.0, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("constant", 0.5, [0.25, 0.5, 0.75, 1, 1, 1, 1, 1]),
        ("linear", 0.0, [1, 7 / 8, 6 / 8, 5 / 8, 4 / 8, 3 / 8, 2 / 8, 1 / 8]),
        ("linear", 0.5, [0.25, 0.5, 0.75, 1, 1, 0.75, 0.5, 0.25]),
    ],
)
def test_the_learning_rate_follows_its_schedule(monkeypatch, schedule, warmup, expected):
    rates = []

    class Recorded(torch.optim.AdamW):
        def step(self, closure=None):
            rates.append(self.param_groups[0]["lr"])
            return super().step(closure)

    monkeypatch.setattr(torch.optim, "AdamW", Recorded)
    fit(Flat(), point_batches(16, 4), epochs=2, lr=1.0, schedule=schedule, warmup=warmup)
    assert rates == pytest.approx(expected)


def test_gradients_are_clipped_to_a_norm_of_1(monkeypatch):
    class Descent(torch.optim.SGD):
        def __init__(self, parameters, lr, weight_decay):
            super().__init__(parameters, lr)

    monkeypatch.setattr(torch.optim, "AdamW", Descent)
    model = nn.Linear(4, 1)
    before = weights(model)
    x, y = points(8)
    fit(model, [(1e4 * x, y)], epochs=1, lr=0.5)
    moved = torch.cat([(a - b).flatten() for a, b in zip(weights(model), before)])
    assert moved.norm().item() == pytest.approx(0.5, rel=1e-3)


def test_a_limit_on_steps_counts_over_all_epochs(monkeypatch):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", "7")
    history = fit(Flat(), point_batches(40, 10), point_batches(10), epochs=9)
    assert (history.steps, history.epochs, history.capped) == (7, 2, True)
    assert len(history.validation_loss) == 2
    assert "limit" in repr(history)


def test_a_limit_at_the_end_of_an_epoch_adds_no_empty_one(monkeypatch):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", "8")
    history = fit(Flat(), point_batches(40, 10), epochs=9)
    assert (history.steps, history.epochs, history.capped) == (8, 2, True)
    assert not fit(Flat(), point_batches(40, 10), epochs=2).capped


def test_loops_of_ones_own_take_one_epoch_while_a_submission_is_graded(monkeypatch):
    assert fewer_when_graded(30) == 30
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert fewer_when_graded(30) == 1


def test_during_grading_there_is_a_limit_by_default(monkeypatch):
    monkeypatch.setattr("coursekit.training.grading.GRADING_STEPS", 3)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert fit(Flat(), point_batches(40, 10), epochs=1).steps == 3
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    assert fit(Flat(), point_batches(40, 10), epochs=1).steps == 4
    assert GRADING_STEPS < 100


@pytest.mark.parametrize("setting", ["0", "-3", "many", "1.5"])
def test_a_limit_that_is_no_number_is_named(monkeypatch, setting):
    monkeypatch.setenv("COURSEKIT_MAX_STEPS", setting)
    with pytest.raises(TrainingError, match="COURSEKIT_MAX_STEPS"):
        fit(Flat(), point_batches())


def test_an_interrupted_training_keeps_the_best_weights_and_returns_the_history():
    # Four training and four validation batches an epoch; stopped in the third epoch.
    model = Interrupted(at=20)
    x, y = points(40)
    history = fit(model, cut(x, y, 10), cut(x, y, 10), epochs=9, lr=0.1)
    assert history.interrupted
    assert history.epochs == len(history.seconds) == len(history.validation_loss) == 2
    assert "interrupted" in repr(history)
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(min(history.validation_loss), rel=1e-5)
    assert model.training


def test_interrupted_in_its_first_validation_a_training_has_no_epoch():
    history = fit(Interrupted(at=5), point_batches(40, 10), point_batches(10), epochs=9)
    assert history.interrupted
    assert history.best_epoch is None
    assert history.train_loss == history.validation_loss == history.seconds == []
    assert "4 steps" in repr(history)


def test_a_loss_that_is_nan_stops_and_keeps_the_best_weights():
    class Broken(Flat):
        calls = 0

        def forward(self, x):
            self.calls += 1
            return super().forward(x) * (math.nan if self.calls == 3 else 1)

    x, y = points(40)
    model = Broken()
    with pytest.raises(TrainingError, match=r"became nan in epoch 2.*weights of epoch 1") as caught:
        fit(model, [(x, y)], [(x, y)], epochs=5)
    assert caught.value.history.epochs == 1
    kept = nn.functional.binary_cross_entropy_with_logits(model(x), y.float()).item()
    assert kept == pytest.approx(caught.value.history.validation_loss[0], rel=1e-5)


def test_a_loss_that_is_infinite_at_once_leaves_the_model_as_it_was():
    model = Flat()
    before = weights(model)
    with pytest.raises(TrainingError, match="it started with"):
        fit(model, [(torch.full((40, 4), math.inf), points(40)[1])], epochs=1)
    assert same(before, weights(model))


def test_a_gradient_that_is_not_finite_stops_before_the_step():
    class Root(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(1))

        def forward(self, x):
            # The root of zero is fine, its slope is infinite.
            return torch.sqrt(self.w.abs()).expand(len(x))

    model = Root()
    with pytest.raises(TrainingError, match="norm of the gradient"):
        fit(model, point_batches(8), epochs=1)
    assert model.w.item() == 0


def test_a_validation_loss_that_is_nan_is_named():
    x, y = points(8)
    with pytest.raises(TrainingError, match="validation loss became nan"):
        fit(Flat(), [(x, y)], [(x * math.nan, y)], epochs=1)


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
        (lambda: fit(Flat(), []), "training data are empty"),
        (lambda: fit(Flat(), [(X[:0], Y[:0])]), "Epoch 1 has no training data"),
        (lambda: fit(Flat(), [(X, Y)], []), "validation data are empty"),
        (lambda: fit(Flat(), [(X, Y)], [(X[:0], Y[:0])]), "validation data are empty"),
        (lambda: fit(Flat(), [(X, Y[:5])]), "12 inputs but 5 labels"),
        (lambda: fit(Flat(), [(X, None)]), "12 inputs but no labels"),
        (lambda: fit(Flat(), (X, Y)), "one batch is a Tensor"),
        (lambda: fit(Flat(), [(X,)]), r"\(inputs\.\.\., labels\).*tuple of length 1"),
        (lambda: fit(Flat(), iter([(X, Y)])), "list of batches"),
        (lambda: fit(Flat(), "reviews"), "one batch is a str"),
        (lambda: fit(Flat(), [(X, ["good"] * 12)]), "one part is a list"),
        (lambda: fit(Flat(), [(X, Y + 1)]), "label 2.*classes 0 to 1"),
        (lambda: fit(Flat(), [(X, Y)], [(X, Y - 1)]), "label -1"),
        (lambda: fit(nn.Linear(4, 3), [(X, Y + 2)]), "label 3.*classes 0 to 2"),
        (lambda: fit(nn.Linear(4, 3), [(X, Y.float())]), r"labels\.long\(\)"),
        (lambda: fit(nn.Linear(4, 3), [(X, Y[:, None].repeat(1, 2))]), r"\(12, 2\).*\(12, 3\)"),
        (lambda: fit(Flat(), [(X, X, Y)]), "2 inputs"),
        (lambda: fit(NoReturn(), [(X, Y)]), "return"),
        (lambda: fit(Detached(), [(X, Y)]), "does not depend on the model's parameters"),
        (lambda: fit(Flat().requires_grad_(False), [(X, Y)]), "nothing to train"),
        (lambda: fit(Flat, [(X, Y)]), r"YourModel\(\.\.\.\)"),
        (lambda: fit(lambda x: x, [(X, Y)]), r"torch\.nn\.Module"),
        (lambda: fit(Flat(), [(X, Y)], epochs=0), "epochs"),
        (lambda: fit(Flat(), [(X, Y)], lr=0), "lr"),
        (lambda: fit(Flat(), [(X, Y)], warmup=100), "fraction of all steps"),
        (lambda: fit(Flat(), [(X, Y)], schedule="steps"), '"constant" or "linear"'),
        (lambda: pick_device("gpu"), "no device 'gpu'"),
        (lambda: predict(Flat(), []), "empty"),
        (lambda: predict(Flat(), [(X, X, Y)]), "2 inputs"),
        (lambda: predict(Flat, [(X, Y)]), r"torch\.nn\.Module"),
        (lambda: predict(nn.Linear(4, 2), [(X[None], Y), (X[None, :5], Y)]), "same length"),
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
    for data in (cut(x, y, 7), [(x[:20], None), (x[20:], None)]):
        logits = predict(model, data)
        assert torch.allclose(logits, expected, atol=1e-6)
        assert not logits.requires_grad
    assert model.training


def test_nothing_is_printed_when_nobody_watches(capfd, monkeypatch):
    fit(Flat(), point_batches(), epochs=1)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    fit(Flat(), point_batches(), epochs=1)
    assert capfd.readouterr() == ("", "")


def test_there_is_one_progress_bar_in_a_terminal(capfd, monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    fit(Flat(), point_batches(), point_batches(8), epochs=3)
    shown = capfd.readouterr().err
    assert "epoch 3/3" in shown
    assert "validation accuracy" in shown
    assert shown.count("\n") == 1


def test_the_device_is_a_gpu_only_where_there_is_one():
    expected = "cuda" if torch.cuda.is_available() else "cpu"
    assert pick_device().type == expected
    assert pick_device("cpu") == torch.device("cpu")
    if not torch.cuda.is_available():
        with pytest.raises(TrainingError, match="no device 'cuda'"):
            pick_device("cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU, and this machine has none")
def test_on_a_gpu_the_model_comes_back_to_where_it_was():
    model = Flat()
    history = fit(model, point_batches(), point_batches(), epochs=5, lr=0.3)
    assert history.device == "cuda"
    assert next(model.parameters()).device.type == "cpu"
    assert predict(model, point_batches()).device.type == "cpu"
