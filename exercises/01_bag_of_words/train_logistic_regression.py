"""The training loop: exact with one batch per epoch, close with many; batches must be redrawn."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from .common import draw_generator

POINTS = {"steps": 3, "learning": 3}

# A generator that X finds as the newest class of this name, since their texts share no names.
_GENERATOR = (
    "(lambda Given: [made := Given().manual_seed({seed}), setattr(Given, 'made', made)][0])("
    "type('Given', (torch.Generator,), {{}}))"
)
# Stands in for X: a batch that comes back later (not twice in a row: that is one step) is all 1, and
# so is one for which that generator has drawn nothing.
_REMEMBERS_BATCHES = (
    "type('RemembersBatches', (), dict(seen=[], shape=({n}, 2), __len__=lambda X: {n},"
    " __getitem__=lambda X, batch: ("
    "batch := sorted(torch.arange({n})[batch].tolist()),"
    " given := [c for c in torch.Generator.__subclasses__() if c.__name__ == 'Given'][-1].made,"
    " fresh := torch.equal(given.get_state(), torch.Generator().manual_seed({seed}).get_state()),"
    " X.seen[-1:] == [batch] or X.seen.append(batch),"
    " torch.full((len(batch), 2), float(fresh or X.seen.count(batch) > 1)))[-1]))()"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(n: int, *settings: float, d: int = 3) -> list[object]:
        """Texts of which about three in four are positive, with noise, sorted by class."""
        X = rng.poisson(0.8, size=(n, 3))
        y = (1.5 * (X[:, 0] - X[:, 2]) + 1.2 + rng.logistic(size=n) / 2 > 0).astype(np.int64)
        y[:3] = [0, 1, 0]
        order = np.argsort(y, kind="stable")
        X, y = torch.from_numpy(X[order, :d].astype(np.float32)), torch.from_numpy(y[order])
        return [X, y, *settings, draw_generator(rng)]

    # One batch holds everything, so the order does not matter and every step can be compared.
    exactly = {"rtol": 1e-3, "atol": 1e-4, "keeps_generators": True}
    for epochs, l2 in ((1, 0.0), (3, 0.0), (int(rng.integers(4, 8)), 0.3)):
        # Three digits, the last one a 5, and an odd number of texts: rounded steps lead elsewhere.
        lr, n = (2 * int(rng.integers(60, 80)) + 1) / 200, 2 * int(rng.integers(4, 7)) + 1
        given = inputs(n, epochs, 50, lr, l2)
        yield Case("steps", given, title="one batch contains every text", judge=exactly)
    given = inputs(int(rng.integers(7, 12)), 2, 50, 0.5, 0.0, d=1)
    yield Case("steps", given, title="a vocabulary of a single word", judge=exactly)
    n_epochs = int(rng.integers(1, 4))
    stops = codec.Source(f"lambda epochs: [*epochs][:{n_epochs}]")
    given = [*inputs(int(rng.integers(7, 12)), 5, 50, 0.5, 0.1), stops]
    title = f"`progress` is used: this one ends after {n_epochs} of 5 epochs"
    yield Case("steps", given, title=title, judge=exactly)
    # With L2 there is one best w and w_0; any order of the texts leads close to it.
    closely = {"rtol": 0.0, "atol": 0.1, "keeps_generators": True}
    given = inputs(int(rng.integers(52, 60)), 20, 30, 0.5, 0.3)
    yield Case("learning", given, title="a longer training in mini-batches", judge=closely)
    # Small steps, far from the end: their number counts, the order of the texts hardly does.
    given = inputs(int(rng.integers(56, 65)), 4, 4, 0.04, 0.1)
    yield Case("learning", given, title="a short training in many small batches", judge=closely)
    # It is very unlikely that the same ten texts meet again by chance.
    n, lr = 10 * int(rng.integers(3, 6)), float(np.round(rng.uniform(0.3, 0.9), 2))
    seed = int(rng.integers(1000))
    rows = codec.Source(_REMEMBERS_BATCHES.format(n=n, seed=seed))
    generator = codec.Source(_GENERATOR.format(seed=seed))
    given = [rows, torch.ones(n, dtype=torch.int64), 4, 10, lr, 0.0, generator]
    title = (
        "X is all 0, but 1 in a batch that an earlier epoch had too, or if `generator` has drawn"
        " nothing; it is no tensor"
    )
    yield Case("learning", given, title=title, judge=exactly)


FURTHER = """
Two loops, one inside the other: over the epochs, and within an epoch over fresh minibatches. Before the
loops: zeros. At the start of an epoch: the decayed learning rate, from `lr` itself. Inside the inner
loop: `gradient` of `X[batch]` and `y[batch]`, then one step for w and one for w_0. After both: return.
"""

WRONG = {
    "climbs": """
        The gradient points to where the loss grows: step against it.

        - w, w_0 = w - step * for_w, w_0 - step * for_w_0
        + w, w_0 = w + step * for_w, w_0 + step * for_w_0
        """,
    "never_moves_the_bias": """
        w_0 stays at 0. The gradient has two parts: the bias takes a step as well.

        - w, w_0 = w - step * for_w, w_0 - step * for_w_0
        + w = w - step * for_w
        """,
    "moves_the_bias_once_per_epoch": """
        w_0 takes one step per epoch. It takes one per batch, like w: check the indentation.

          for batch in minibatches(len(X), batch_size, generator):
              for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        -     w, w_0 = w - step * for_w, w_0 - step * for_w_0
        +     w = w - step * for_w
        + w_0 = w_0 - step * for_w_0
        """,
    "moves_the_bias_after_w": """
        The gradient for w_0 is computed with the new w. Both belong to the same w and w_0: call
        `gradient` once per batch, then take both steps.

        - w, w_0 = w - step * for_w, w_0 - step * for_w_0
        + w = w - step * for_w
        + w_0 = w_0 - step * gradient(X[batch], y[batch], w, w_0, l2)[1]
        """,
    "forgets_l2": """
        l2 has no effect: pass it on to `gradient`.

        - for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        + for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, 0.0)
        """,
    "returns_after_one_epoch": """
        The weights are those after one epoch, as if training ended there or started again in every
        epoch. Set them to 0 before the loop, go through all epochs, and return after the loop.

        - return w, w_0
        +     return w, w_0
        """,
    "starts_again": """
        Each epoch starts again from 0. Initialize w and w_0 once, before the loop.

        - w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
          for epoch in progress(range(epochs)):
        +     w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        """,
    "starts_at_random": """
        The weights are initialized at random. Here all weights and the bias start at 0.

        - w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        + w, w_0 = torch.randn(X.shape[1]), torch.tensor(0.0)
        """,
    "starts_at_small_random_weights": """
        The weights are initialized with small random numbers, as in a neural network. Here they and
        the bias start at 0: with one layer there is no symmetry to break.

        - w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        + w, w_0 = 0.01 * torch.randn(X.shape[1]), torch.tensor(0.0)
        """,
    "draws_the_weights": """
        The weights are drawn from the generator. They and the bias start at 0, and the generator is
        only for the mini-batches.

        - w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        + w, w_0 = 0.01 * torch.randn(X.shape[1], generator=generator), torch.tensor(0.0)
        """,
    "never_decays_the_rate": """
        All steps use the same learning rate. It should decay from epoch to epoch.

        - step = lr * (1 - epoch / epochs)
        + step = lr
        """,
    "decays_one_epoch_early": """
        The learning rate decays one epoch early: it is lr in epoch 0, and not yet 0 in the last.

        - step = lr * (1 - epoch / epochs)
        + step = lr * (1 - (epoch + 1) / epochs)
        """,
    "decays_what_is_decayed": """
        The learning rate decays too fast: compute each epoch's from the lr that was given.

        - step = lr * (1 - epoch / epochs)
        + lr = step = lr * (1 - epoch / epochs)
        """,
    "draws_the_batches_once": """
        The batches are drawn once, before the loop. Draw new ones in every epoch.

        + batches = minibatches(len(X), batch_size, generator)
          for epoch in progress(range(epochs)):
        ...
        - for batch in minibatches(len(X), batch_size, generator):
        + for batch in batches:
        """,
    "own_generator": """
        The batches are not drawn from `generator`. It is there so that the same seed gives the same
        training: pass it on to `minibatches`.

        - for batch in minibatches(len(X), batch_size, generator):
        + for batch in minibatches(len(X), batch_size, torch.Generator().manual_seed(epoch)):
        """,
    "takes_all_texts_at_once": """
        Each epoch takes one step with all texts. Take one per batch, with its rows of X and y.

        - for batch in minibatches(len(X), batch_size, generator):
        -     for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        -     w, w_0 = w - step * for_w, w_0 - step * for_w_0
        + for_w, for_w_0 = gradient(X, y, w, w_0, l2)
        + w, w_0 = w - step * for_w, w_0 - step * for_w_0
        """,
    "all_texts_in_every_step": """
        There is a step for each mini-batch, but each is computed from all texts. Index X and y with
        the batch.

        raises TypeError

        - for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        + for_w, for_w_0 = gradient(X, y, w, w_0, l2)
        """,
    "all_classes_for_each_batch": """
        The rows of X are those of the batch, but y still has the classes of all texts. Index y with
        the batch as well.

        - for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        + for_w, for_w_0 = gradient(X[batch], y, w, w_0, l2)
        """,
    "ignores_progress": """
        `progress` has no effect. Loop over progress(range(epochs)): what it returns decides which
        epochs are run.

        - for epoch in progress(range(epochs)):
        + for epoch in range(epochs):
        """,
    "decays_like_a_fraction": """
        The learning rate is lr / (1 + e) here, another common decay. This one is linear: each epoch
        lowers it by the same amount.

        - step = lr * (1 - epoch / epochs)
        + step = lr / (1 + epoch)
        """,
    "decays_from_step_to_step": """
        The learning rate decays from batch to batch. It stays the same within an epoch.

        - step = lr * (1 - epoch / epochs)
        - for batch in minibatches(len(X), batch_size, generator):
        -     for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        + batches = minibatches(len(X), batch_size, generator)
        + for i, batch in enumerate(batches):
        +     step = lr * (1 - (epoch + i / len(batches)) / epochs)
        +     for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
        """,
}

RIGHT = {
    "autograd": """
        def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
            w = torch.zeros(X.shape[1], requires_grad=True)
            w_0 = torch.zeros((), requires_grad=True)
            groups = [{"params": [w], "weight_decay": l2}, {"params": [w_0]}]
            optimizer = torch.optim.SGD(groups, lr=lr)
            schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda e: 1 - e / epochs)
            for _ in progress(range(epochs)):
                for batch in minibatches(len(X), batch_size, generator):
                    optimizer.zero_grad()
                    scores, labels = X[batch] @ w + w_0, y[batch].float()
                    torch.nn.functional.binary_cross_entropy_with_logits(scores, labels).backward()
                    optimizer.step()
                schedule.step()
            return w.detach(), w_0.detach()
        """,
    "one_vector": """
        def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
            # Other numbers are drawn than in the reference, and w_0 is one more component of w.
            decay = torch.cat([torch.zeros(1), torch.full((X.shape[1],), float(l2))])
            w = torch.zeros(X.shape[1] + 1)
            for epoch in progress(range(epochs)):
                step = lr * (1 - epoch / epochs)
                for batch in torch.rand(len(y), generator=generator).argsort().split(batch_size):
                    rows = torch.cat([torch.ones(len(batch), 1), X[batch]], dim=1)
                    error = torch.sigmoid(rows @ w) - y[batch]
                    w = w - step * (error @ rows / len(batch) + decay * w)
            return w[1:], w[0]
        """,
}

EQUIVALENT = {
    "no model of the course is trained through it": "every edit: detached, without gradient",
    "subtracting converts the classes to floats": """
         ) -> tuple[torch.Tensor, torch.Tensor]:
        +    y = y.float()
             w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        """,
    "the first step makes it float32": """
        -    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        +    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0).half()
        """,
    "the first step makes it a tensor": """
        -    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
        +    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0).item()
        """,
    "a tensor of one number multiplies like a number": """
        -        step = lr * (1 - epoch / epochs)
        +        step = torch.tensor(lr * (1 - epoch / epochs))
        """,
    "the batches come in a random order": """
        -        for batch in minibatches(len(X), batch_size, generator):
        +        for batch in list(minibatches(len(X), batch_size, generator))[::-1]:
        """,
    "the old weights are not needed any more": """
        -            w, w_0 = w - step * for_w, w_0 - step * for_w_0
        +            w, w_0 = w.sub_(step * for_w), w_0 - step * for_w_0

        -            w, w_0 = w - step * for_w, w_0 - step * for_w_0
        +            w, w_0 = w - step * for_w, w_0.sub_(step * for_w_0)
        """,
}
