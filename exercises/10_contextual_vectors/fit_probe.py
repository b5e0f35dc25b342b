"""fit_probe: steps of SGD in the drawn order, the best epoch, patience, the last batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import normal, number
from .common import some_labels

POINTS = {"steps": 2, "best epoch": 2, "patience": 2}
LOOSE = {"atol": 2e-4}
#: Asks of the tuple that is returned whether a part of it requires a gradient: it compares them with
#: an object that is equal to each tensor that does.
_CARRIES_GRADIENT = (
    "__contains__",
    codec.Source("type('Any', (), {'__eq__': lambda self, part: part.requires_grad})()"),
)
EPOCHS = 25


#: Seeds of tokens whose validation loss rises and falls, by the patience and by what goes wrong.
SEEDS = {
    (1, "too patient"): 632,
    (2, "never"): 848,
    (2, "not reset"): 1708,
    (2, "too patient"): 287,
}


def unsteady(rng: np.random.Generator, patience: int, pattern: str) -> tuple[list[Any], float]:
    """Tokens and a learning rate with which a wrong patience ends at another epoch.

    Each epoch is one batch, so that the steps do not depend on the order. The tokens are moved a
    little, and drawn again until the pattern is clear.
    """
    base = np.random.default_rng(SEEDS[patience, pattern])
    y, y_validation = (base.permutation(np.arange(8) % 3) for _ in range(2))
    X, X_validation = (
        (1.5 * np.eye(3)[labels] + base.normal(size=(8, 3))).round(2)
        for labels in (y, y_validation)
    )
    y_validation = np.where(base.random(8) < 0.25, (y_validation + 1) % 3, y_validation)
    lr = float(base.integers(3, 13)) / 2
    while True:
        moved = [(part + rng.normal(size=(8, 3)) * 0.03).round(3) for part in (X, X_validation)]
        losses = simulate(moved[0], y, moved[1], y_validation, lr)
        right = stop(losses, patience)
        others = {
            "too patient": stop(losses, patience + 1),
            "never": stop(losses, EPOCHS),
            "not reset": stop(losses, patience, reset=False),
        }
        clear = np.abs(losses[1:] - np.minimum.accumulate(losses)[:-1]).min() > 2e-3
        # a loss that is never reached by who waits one epoch longer tells the two apart
        alone = pattern != "never" or others["too patient"] == right
        if clear and alone and others[pattern] != right:
            tensors = [torch.from_numpy(part.astype(np.float32)) for part in moved]
            seed = torch.Generator().manual_seed(number(rng, 0, 10**6))
            labels = [torch.from_numpy(part.astype(np.int64)) for part in (y, y_validation)]
            return [tensors[0], labels[0], tensors[1], labels[1], 3, seed], lr


def stop(losses: np.ndarray, patience: int, reset: bool = True) -> int:
    """The best epoch before the end of patience."""
    best, waited = 0, 0
    for epoch, loss in enumerate(losses[1:], start=1):
        if loss < losses[best]:
            best, waited = epoch, 0 if reset else waited
        else:
            waited += 1
            if waited == patience:
                break
    return best


def simulate(
    X: np.ndarray, y: np.ndarray, X_validation: np.ndarray, y_validation: np.ndarray, lr: float
) -> np.ndarray:
    """The validation losses of a probe after each of EPOCHS steps on all tokens."""
    W, v = np.zeros((3, X.shape[1] + 1)), 0.0
    X, X_validation = (
        np.pad(part, ((0, 0), (0, 1)), constant_values=1.0) for part in (X, X_validation)
    )
    one_hot, losses = np.eye(3)[y.astype(int)], []

    def log_p(part: np.ndarray) -> np.ndarray:
        scores = (part[:, None] * W).sum(axis=2)
        highest = scores.max(axis=1, keepdims=True)
        total: np.ndarray = scores - highest
        return total - np.log(np.exp(total).sum(axis=1, keepdims=True))

    for _ in range(EPOCHS):
        G = np.exp(log_p(X)) - one_hot
        v = 0.9 * v + (G[:, :, None] * X[:, None]).mean(axis=0)
        W = W - lr * v
        losses.append(
            -log_p(X_validation)[np.arange(len(y_validation)), y_validation.astype(int)].mean()
        )
    return np.array(losses)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def data(n: int, m: int, flipped: float = 0.0, n_classes: int = 3) -> list[Any]:
        y, y_validation = some_labels(rng, n, n_classes), some_labels(rng, m, n_classes)
        centers = 1.5 * torch.eye(n_classes)
        X, X_validation = centers[y] + normal(rng, n, 3), centers[y_validation] + normal(rng, m, 3)
        other = torch.from_numpy(rng.random(m)) < flipped
        y_validation = torch.where(other, (y_validation + 1) % n_classes, y_validation)
        seed = torch.Generator().manual_seed(number(rng, 0, 10**6))
        return [X, y, X_validation, y_validation, n_classes, seed]

    def case(group: str, inputs: list[Any], title: str = "", **kwargs: Any) -> Case:
        return Case(group, inputs, kwargs=kwargs, title=title, judge=LOOSE)

    yield case("steps", data(12, 6), "one epoch", lr=0.1, batch_size=4, max_epochs=1)
    inputs = data(number(rng, 9, 11), 5)
    yield case("steps", inputs, "the last batch is smaller", lr=0.1, batch_size=4, max_epochs=2)
    yield case("steps", data(10, 5), "a single batch", lr=0.2, batch_size=64, max_epochs=3)
    yield case("steps", data(8, 4), "the default settings", max_epochs=number(rng, 2, 3))
    title = "the default batch size, by which a token is left for a last batch"
    yield case("steps", data(129, 20), title, max_epochs=number(rng, 1, 2))
    title = "do W or b still carry a gradient?"
    inputs = data(number(rng, 4, 6), 3)
    yield Case("steps", inputs, {"max_epochs": 1}, title, then=[_CARRIES_GRADIENT])
    title = "each epoch is a little better, up to the last one by default"
    yield case("best epoch", data(40, 40), title, lr=5e-4, batch_size=40, patience=1)
    inputs = data(12, 12, 0.6)
    title = "the first epoch is the best, and later ones are worse"
    yield case("best epoch", inputs, title, lr=1.5, batch_size=3, max_epochs=6, patience=6)
    inputs = data(10, 10, 0.5)
    title = "the validation loss rises at the end"
    yield case("best epoch", inputs, title, lr=0.7, batch_size=2, max_epochs=8, patience=8)
    X = torch.tensor([[1.0], [-1.0]]) * number(rng, 90, 110)
    y = torch.tensor([1, 0])
    inputs = [X, y, X, y, 2, torch.Generator().manual_seed(0)]
    title = "the validation loss is 0 in every epoch: the first counts"
    yield case("best epoch", inputs, title, lr=1.0, batch_size=2, max_epochs=3, patience=3)
    inputs = data(14, 8, 0.3)
    yield case("best epoch", inputs, lr=0.5, batch_size=4, max_epochs=10, patience=10)
    for patience, pattern in (
        (1, "too patient"),
        (2, "never"),
        (2, "not reset"),
        (2, "too patient"),
    ):
        inputs, lr = unsteady(rng, patience, pattern)
        title = "the loss rises and falls again"
        settings = {"lr": lr, "batch_size": 64, "max_epochs": EPOCHS, "patience": patience}
        if patience == 2:  # the default
            del settings["patience"]
        yield case("patience", inputs, title, **settings)


WRONG = {
    "last_epoch": """
        These are the weights of the last epoch. Return those of the best one on validation data, and
        keep a *copy* of them: the optimizer changes W and b in place.

        - return best
        + return W.detach(), b.detach()
        """,
    "training_loss": """
        The best epoch is chosen on the training tokens, where every epoch looks better. Use the validation
        tokens.

        - loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        + loss = F.cross_entropy(X @ W.T + b, y).item()
        """,
    "accuracy": """
        The best epoch is chosen by the accuracy on validation data, which is often the same in
        several epochs. Go by the validation *loss*.

        - loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        + loss = -((X_validation @ W.T + b).argmax(dim=1) == y_validation).float().mean().item()
        """,
    "never_stops": """
        The patience is ignored. When the validation loss was not lower for `patience` epochs in a row, a
        later epoch, even a better one, is never reached.

        - waited += 1
        - if waited == patience:
        -     break
        + pass
        """,
    "one_epoch_too_patient": """
        You wait one epoch longer than `patience`. After that many epochs without a lower loss, stop.

        - if waited == patience:
        + if waited > patience:
        """,
    "patience_not_reset": """
        The epochs without progress are counted over the whole run. A better epoch begins the count anew:
        it is so many in a row.

        - best, lowest, waited = (W.detach().clone(), b.detach().clone()), loss, 0
        + best, lowest = (W.detach().clone(), b.detach().clone()), loss
        """,
    "compares_with_the_last_epoch": """
        Each epoch is compared with the one before. Compare with the best so far: a loss can fall from a
        bad value to a less bad one.

        - if loss < lowest:
        + before, lowest = lowest, loss
        + if loss < before:
        """,
    "without_momentum": """
        The steps have no momentum. The optimizer is SGD with momentum 0.9.

        - sgd = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        + sgd = torch.optim.SGD([W, b], lr=lr)
        """,
    "new_optimizer": """
        Each epoch has a new optimizer, which knows nothing of the steps before: the momentum begins
        anew. Make one optimizer before the first epoch.

        - for rows in torch.randperm(len(X), generator=generator).split(batch_size):
        + sgd = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        + for rows in torch.randperm(len(X), generator=generator).split(batch_size):
        """,
    "gradients_add_up": """
        The gradients of all batches add up. Set them to zero before each step.

        - sgd.zero_grad()
        """,
    "carries_gradient": """
        W and b still carry a gradient, so that whoever uses them computes one, too. Detach the copies:
        `detach().clone()`.

        - best, lowest, waited = (W.detach().clone(), b.detach().clone()), loss, 0
        + best, lowest, waited = (W.clone(), b.clone()), loss, 0
        """,
    "in_order": """
        The tokens are taken in their order. Draw a new order for each epoch, with the generator.

        - for rows in torch.randperm(len(X), generator=generator).split(batch_size):
        + for rows in torch.arange(len(X)).split(batch_size):
        """,
    "one_order_for_all": """
        All epochs have the same order. Draw a new one at the beginning of each.

        - for _ in range(max_epochs):
        -     for rows in torch.randperm(len(X), generator=generator).split(batch_size):
        + order = torch.randperm(len(X), generator=generator)
        + for _ in range(max_epochs):
        +     for rows in order.split(batch_size):
        """,
    "without_bias": """
        b never learns: give it to the optimizer, too.

        - sgd = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        + sgd = torch.optim.SGD([W], lr=lr, momentum=0.9)
        """,
    "drops_the_last_batch": """
        The last, smaller batch is left out. An epoch goes once through all tokens.

        - F.cross_entropy(X[rows] @ W.T + b, y[rows]).backward()
        - sgd.step()
        + if len(rows) == batch_size or len(rows) == len(X):
        +     F.cross_entropy(X[rows] @ W.T + b, y[rows]).backward()
        +     sgd.step()
        """,
    "summed_loss": """
        The loss is the sum over the batch; the mean is wanted, or the learning rate depends on the batch
        size.

        - F.cross_entropy(X[rows] @ W.T + b, y[rows]).backward()
        + F.cross_entropy(X[rows] @ W.T + b, y[rows], reduction="sum").backward()
        """,
}

RIGHT = {
    "module": """
        def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128,
                      max_epochs=20, patience=2):
            layer = nn.Linear(X.shape[1], n_classes)
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
            sgd = torch.optim.SGD([layer.weight, layer.bias], lr=lr, momentum=0.9)
            best_loss, best_epoch, kept = None, 0, None
            for epoch in range(max_epochs):
                order = torch.randperm(X.shape[0], generator=generator)
                for i in range(0, len(order), batch_size):
                    some = order[i : i + batch_size]
                    loss = F.cross_entropy(layer(X[some]), y[some])
                    layer.zero_grad()
                    loss.backward()
                    sgd.step()
                with torch.no_grad():
                    now = F.cross_entropy(layer(X_validation), y_validation).item()
                if best_loss is None or now < best_loss:
                    best_loss, best_epoch = now, epoch
                    kept = {name: value.clone() for name, value in layer.state_dict().items()}
                if epoch - best_epoch >= patience:
                    break
            return kept["weight"], kept["bias"]
        """,
    "momentum_by_hand": """
        def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128,
                      max_epochs=20, patience=2):
            W, b = torch.zeros(n_classes, X.shape[1]), torch.zeros(n_classes)
            v_W, v_b = torch.zeros_like(W), torch.zeros_like(b)
            history, kept = [], []
            while len(history) < max_epochs:
                for rows in torch.randperm(len(X), generator=generator).split(batch_size):
                    G = torch.softmax(X[rows] @ W.T + b, dim=1)
                    G = (G - F.one_hot(y[rows], n_classes)) / len(rows)
                    v_W, v_b = 0.9 * v_W + G.T @ X[rows], 0.9 * v_b + G.sum(dim=0)
                    W, b = W - lr * v_W, b - lr * v_b
                history.append(F.cross_entropy(X_validation @ W.T + b, y_validation).item())
                kept.append((W, b))
                best = history.index(min(history))
                if len(history) - 1 - best == patience:
                    break
            return kept[best]
        """,
}

FURTHER = """
Remember three things from epoch to epoch: the lowest validation loss so far, copies of W and b at that
epoch, and for how many epochs nothing was lower. `detach().clone()` copies. The comparison is with the
lowest loss, not with the one before.
"""

EQUIVALENT = {
    "Tokens for training and validation have vectors of one size.": """
        -    W = torch.zeros(n_classes, X.shape[1], requires_grad=True)
        +    W = torch.zeros(n_classes, X_validation.shape[1], requires_grad=True)
        """,
    "The order of the parameters does not matter.": """
        -    sgd = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        +    sgd = torch.optim.SGD([b, W], lr=lr, momentum=0.9)
        """,
    "The first of one or more epochs replaces all three.": """
        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (b,), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W,), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (b, W), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (b, b), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (X, b), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (X_validation, b), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, W), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, X), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, X_validation), float("inf"), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, b), round(float("inf"), 2), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, b), torch.tensor(float("inf")), 0

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, b), float("inf"), 1

        -    best, lowest, waited = (W, b), float("inf"), 0
        +    best, lowest, waited = (W, b), float("inf"), -1
        """,
    "A tensor of one number compares as the number does.": """
        -        loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        +        loss = F.cross_entropy(X_validation @ W.T + b, y_validation)

        -        loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        +        loss = torch.tensor(F.cross_entropy(X_validation @ W.T + b, y_validation).item())

        -            best, lowest, waited = (W.detach().clone(), b.detach().clone()), loss, 0
        +            best, lowest, waited = (W.detach().clone(), b.detach().clone()), torch.tensor(loss), 0
        """,
    "It grows by 1, from 0, so it cannot miss 1 or more.": """
        -            if waited == patience:
        +            if waited >= patience:
        """,
}
