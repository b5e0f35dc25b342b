"""fit_probe: steps of SGD in the drawn order, the best epoch, patience, the last batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import some_labels

POINTS = {"steps": 2, "best epoch": 2, "patience": 2}
LOOSE = {"atol": 2e-4}


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
    inputs = data(12, 12, 0.6)
    title = "the first epoch is the best, and later ones are worse"
    yield case("best epoch", inputs, title, lr=1.5, batch_size=3, max_epochs=6, patience=6)
    inputs = data(10, 10, 0.5)
    title = "the validation loss rises at the end"
    yield case("best epoch", inputs, title, lr=0.7, batch_size=2, max_epochs=8, patience=8)
    inputs = data(14, 8, 0.3)
    yield case("best epoch", inputs, lr=0.5, batch_size=4, max_epochs=10, patience=10)
    for patience in (1, 2):
        inputs = data(10, 10, 0.4)
        yield case("patience", inputs, lr=1.2, batch_size=3, max_epochs=12, patience=patience)
    inputs = data(10, 8, 0.2)
    yield case("patience", inputs, lr=1.0, batch_size=2, max_epochs=15, patience=3)
    inputs = data(12, 12, 0.5)
    yield case("patience", inputs, lr=2.0, batch_size=3, max_epochs=20, patience=1)


WRONG = {
    "last_epoch": """
        These are the weights of the last epoch. Return those of the best one on validation data.

        - return best
        + return W.detach(), b.detach()
        """,
    "no_copy": """
        The best weights are not copied: the optimizer goes on and changes them in place, so "best" is
        always the last. Keep a clone.

        - best, lowest, waited = (W.detach().clone(), b.detach().clone()), loss, 0
        + best, lowest, waited = (W.detach(), b.detach()), loss, 0
        """,
    "training_loss": """
        The best epoch is chosen on the training tokens, where every epoch looks better. Use the validation
        tokens.

        - loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        + loss = F.cross_entropy(X @ W.T + b, y).item()
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

        - optimizer = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        + optimizer = torch.optim.SGD([W, b], lr=lr)
        """,
    "gradients_add_up": """
        The gradients of all batches add up. Set them to zero before each step.

        - optimizer.zero_grad()
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

        - optimizer = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        + optimizer = torch.optim.SGD([W], lr=lr, momentum=0.9)
        """,
    "drops_the_last_batch": """
        The last, smaller batch is left out. An epoch goes once through all tokens.

        - F.cross_entropy(X[rows] @ W.T + b, y[rows]).backward()
        - optimizer.step()
        + if len(rows) == batch_size or len(rows) == len(X):
        +     F.cross_entropy(X[rows] @ W.T + b, y[rows]).backward()
        +     optimizer.step()
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
            optimizer = torch.optim.SGD([layer.weight, layer.bias], lr=lr, momentum=0.9)
            best_loss, best_epoch, kept = None, 0, None
            for epoch in range(max_epochs):
                order = torch.randperm(X.shape[0], generator=generator)
                for i in range(0, len(order), batch_size):
                    some = order[i : i + batch_size]
                    loss = F.cross_entropy(layer(X[some]), y[some])
                    layer.zero_grad()
                    loss.backward()
                    optimizer.step()
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
