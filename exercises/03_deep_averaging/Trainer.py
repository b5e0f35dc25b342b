"""Trainer: steps of a small bag-of-words model; validation losses that follow a script."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, normal
from .common import draw_lengths, draw_texts

POINTS = {"training": 3, "evaluation": 2, "early stopping": 3}

#: One weight per word; made without drawing random numbers.
_MODEL = (
    "torch.nn.utils.skip_init(type('BagOfWords', (torch.nn.Linear,), "
    "{{'forward': lambda self, ids, mask: {score}}}), {n}, 1)"
)
_SCORE = "(self.weight[0][ids] * mask).sum(dim=1) + self.bias"
#: Each step of the scripted cases moves the bias by about this much.
_SCRIPT_STEP = 0.01


def _batch(rng: np.random.Generator, n: int, longest: int, n_words: int) -> tuple[Any, ...]:
    """Texts of both classes, and one word, 2, in every text."""
    ids, mask = draw_texts(rng, draw_lengths(rng, n, longest), n_words)
    ids[:, 0] = 2
    labels = draw_ids(rng, 2, n)
    labels[:2] = torch.tensor([0, 1])[:n]
    return ids, mask, labels


def _loud_batch(rng: np.random.Generator, n_words: int) -> tuple[Any, ...]:
    """Texts of one word each, many times, all negative: a gradient of more than two."""
    words = draw_ids(rng, n_words, 3, 1, low=3).expand(3, 16).clone()
    return words, words > 0, torch.zeros(3, dtype=torch.int64)


def _state(rng: np.random.Generator, n_words: int, training: bool) -> dict[str, Any]:
    weights = {"model.weight": normal(rng, 1, n_words) / 3, "model.bias": normal(rng, 1) / 3}
    return weights | {"model.training": training}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    torch.optim.SGD([torch.zeros(1)], lr=0.1)  # the first optimizer imports a lot: not in a case
    n_words = 7

    def case(group: str, title: str, *then: tuple[Any, ...], **other: Any) -> Case:
        model = codec.Source(_MODEL.format(score=other.get("score", _SCORE), n=n_words))
        settings = [model, float(rng.integers(20, 60)) / 1000, *other.get("max_norm", [1.0])]
        state = _state(rng, n_words, training=other.get("training", True))
        if "max_norm" in other:  # positive scores, for a loud batch
            state["model.weight"] = state["model.weight"].abs()
        if group != "evaluation":
            then = (*then, (".model.weight",), (".model.bias",))
        return Case(group, settings, title=title, state=state, then=list(then))

    def some(*sizes: int) -> list[tuple[Any, ...]]:
        return [_batch(rng, size, int(rng.integers(3, 6)), n_words) for size in sizes]

    size = int(rng.integers(3, 5))
    yield case("training", "one epoch of two equal batches", ("train_epoch", some(size, size)))
    unequal = some(6, int(rng.integers(4, 6)), 2)
    yield case("training", "one epoch; the last batch is small", ("train_epoch", unequal))
    loud = [*some(3), _loud_batch(rng, n_words), *some(4)]
    title = "the gradient of the second batch is longer than max_norm"
    norm = float(rng.integers(30, 60)) / 100
    yield case("training", title, ("train_epoch", loud), max_norm=[norm])
    title = "the same without a max_norm: it is 1 by default"
    yield case("training", title, ("train_epoch", loud), max_norm=[])
    first, second = some(4, 2), some(4, 2)
    title = "two epochs on other batches: the optimizer remembers the first"
    yield case("training", title, ("train_epoch", first), ("train_epoch", second))
    shift = int(rng.integers(2, 5))
    other = f"{_SCORE} + {shift} * self.training"
    title = f"this model's scores are {shift} higher in training mode"
    step = ("train_epoch", some(3, 3))
    yield case("training", title, step, score=other, training=False)

    size = int(rng.integers(3, 6))
    yield case("evaluation", "two equal batches", ("evaluate", some(size, size)))
    yield case("evaluation", "the last batch is small", ("evaluate", some(5, 5, 1)))
    yield case("evaluation", title, ("evaluate", some(3, 3)), score=other)
    gradients = f"{_SCORE} + {shift} * torch.is_grad_enabled()"
    title = f"this model's scores are {shift} higher while PyTorch records gradients"
    yield case("evaluation", title, ("evaluate", some(4, 4)), score=gradients)

    n = int(rng.integers(2, 5))
    title = "no early stop: patience is as large as the number of epochs"
    step = ("fit", some(4, 3), some(3, 2), n, n)
    yield case("early stopping", title, step, score=other, training=False)
    title = "trained twice: the second time with other texts and one epoch more"
    again = ("fit", some(4, 3), some(3, 2), n + 1, n + 1)
    yield case("early stopping", title, ("fit", some(4, 3), some(3, 2), n, n), again)
    yield from _scripted_cases(rng)


def _scripted_cases(rng: np.random.Generator) -> Iterator[Case]:
    """The validation loss of each epoch is prescribed, by its rank."""
    for title, patience, ranks in (
        ("the validation loss falls, then rises", 2, [5, 3, 4, 6, 7, 8]),
        ("it rises in between, but falls below the best again", 2, [5, 6, 4, 7, 3, 8, 9, 2]),
        ("it falls in between, but not below the best", 3, [5, 3, 6, 4, 7, 2, 8]),
        ("it is equal to the best once: that is no improvement", 2, [5, 3, 3, 6, 7, 8]),
        ("the epochs end before the patience does", 5, [6, 4, 5]),
        ("it falls in every epoch", 1, [7, 6, 5, 4]),
        ("patience 1: the first worse epoch is the last", 1, [4, 5, 6, 3]),
    ):
        levels = np.sort(rng.uniform(0.2, 0.4, size=10)).cumsum()
        yield _scripted(rng, title, patience, [1.5 - float(levels[rank]) for rank in ranks])
    base = float(rng.integers(120, 150)) / 100
    losses = (base + 0.2, base + 0.004, base + 0.002, base + 0.3, base + 0.4)
    scores = [-math.log(math.expm1(loss)) for loss in losses]
    yield _scripted(rng, "the best is better by 0.002 only, and above 1", 2, scores)
    levels = rng.uniform(0.2, 0.4, size=10).cumsum()
    scores = [-15 - 5 * float(levels[rank]) for rank in (5, 3, 4, 6, 7)]
    yield _scripted(rng, "all of them are large", 2, scores)
    scores = [1.5 - float(levels[rank]) for rank in (5, 3, 4, 2)]
    title = "one epoch, and then, with less patience, more of them"
    yield _scripted(rng, title, 1, scores, before=(1, 3))


def _scripted(
    rng: np.random.Generator,
    title: str,
    patience: int,
    scores: list[float],
    before: tuple[int, int] | None = None,
) -> Case:
    """In evaluation the score is looked up by the number of steps, which the bias tells.

    All labels are 1 and the steps are small, so Adam moves the bias by nearly the learning rate.
    `before` has the epochs and the patience of an earlier training of the same model.
    """
    script = [0.0, *(round(score, 5) for score in scores)]
    epoch = f"min(round(float(self.bias) / {_SCRIPT_STEP}), {len(scores)})"
    score = f"{_SCORE} if self.training else self.weight.new_full((len(ids),), {script}[{epoch}])"
    train, validation = (
        [(ids, mask, torch.ones_like(labels))] for ids, mask, labels in (_batch(rng, 3, 4, 5),) * 2
    )
    model = codec.Source(_MODEL.format(score=score, n=5))
    state = {"model.weight": normal(rng, 1, 5) / 3, "model.bias": torch.zeros(1)}
    weights = ((".model.weight",), (".model.bias",))
    trainings = [before] if before else []
    trainings.append((len(scores) - sum(epochs for epochs, _ in trainings), patience))
    then = [*(("fit", train, validation, *numbers) for numbers in trainings), *weights]
    title = f"validation losses by a script: {title}"
    return Case("early stopping", [model, _SCRIPT_STEP, 1.0], title=title, state=state, then=then)


FURTHER = """
Write `train_epoch` first: the five steps in the order of the text, with two running sums beside
them, of the loss times the number of texts and of the number of texts. `evaluate` is the same
without steps 1, 3, 4 and 5. `fit` needs three variables: the lowest validation loss so far, a copy
of the weights that gave it, and how many epochs ago that was.
"""

WRONG = {
    "first_loss_must_be_below_10": """
        The lowest loss so far begins with a number that a loss may exceed. Then no epoch is the best. Begin
        with infinity.

        - lowest, waited = float("inf"), 0
        + lowest, waited = 10.0, 0
        + best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        """,
    "no_zero_grad": """
        The gradients of earlier batches are still there: `backward()` adds to `.grad`. Call
        `zero_grad()` once per batch, before `backward()`.

        - self.optimizer.zero_grad()
        """,
    "steps_before_backward": """
        The weights do not change: when `step()` is called, there is no gradient. It is computed by
        `backward()`, has to be there at `step()`, and is erased by `zero_grad()`.

        - self.optimizer.zero_grad()
          loss = self.loss(ids, mask, labels)
          loss.backward()
        + self.optimizer.zero_grad()
        """,
    "stays_in_evaluation_mode": """
        The model is trained in the mode it happens to be in. After an evaluation that is evaluation
        mode, without dropout: call `self.model.train()` first.

        - self.model.train()
        """,
    "evaluates_in_training_mode": """
        The model is evaluated in training mode, with dropout on. Call `self.model.eval()` first.

        - self.model.eval()
        """,
    "records_gradients": """
        The evaluation records what a backward pass would need, which costs time and memory. Compute
        the scores inside `with torch.no_grad():`.

        - with torch.no_grad():  # no backward pass will follow
        + with torch.enable_grad():
        """,
    "keeps_the_last_weights": """
        The model ends with the weights of the last epoch. Load those of the epoch with the lowest
        validation loss. Did you keep copies? `state_dict()` holds the model's own tensors, which
        change as training continues: clone each of them.

        - self.model.load_state_dict(best)
        """,
    "counts_all_bad_epochs": """
        Epochs without improvement are counted from the beginning. The patience is about epochs in
        a row: start again at 0 after each improvement.

        - lowest, waited = found, 0
        + lowest = found
        """,
    "waits_one_epoch_too_long": """
        Training stops one epoch too late: `patience` epochs without improvement are enough.

        - if waited == patience:
        + if waited > patience:
        """,
    "compares_with_the_previous_epoch": """
        Each epoch is compared with the one before it. Compare it with the best one so far.

              waited += 1
        + lowest = found
        """,
    "averages_training_batches": """
        `train_epoch` returns the mean over the batches, so a text in a small last batch weighs more
        than others. Weight the loss of each batch by its number of texts, in both methods.

        - total += loss.item() * len(labels)
        - n += len(labels)
        + total += loss.item()
        + n += 1
        """,
    "averages_validation_batches": """
        `evaluate` returns the mean over the batches, so a text in a small last batch weighs more
        than others. Weight the loss of each batch by its number of texts, as in `train_epoch`.

        - total += self.loss(ids, mask, labels).item() * len(labels)
        - n += len(labels)
        + total += self.loss(ids, mask, labels).item()
        + n += 1
        """,
    "divides_by_batches": """
        Each loss is multiplied by its number of texts, but the sum is divided by the number of
        batches. Divide it by the number of all texts.

          total += loss.item() * len(labels)
        - n += len(labels)
        + n += 1
        """,
    "erases_once_per_epoch": """
        The gradients are erased once per epoch, so from the second batch on those of all earlier
        batches are added in. Call `zero_grad()` inside the loop, once per batch.

          total, n = 0.0, 0
        + self.optimizer.zero_grad()
          for ids, mask, labels in batches:
        -     self.optimizer.zero_grad()
        """,
    "loads_only_after_a_stop": """
        The best weights are loaded only if training stops early. If the epochs run out first, the
        model keeps those of the last one: load the best after the loop, in either case.

        - self.model.load_state_dict(best)
        + if waited == patience:
        +     self.model.load_state_dict(best)
        """,
    "steps_with_an_unclipped_gradient": """
        A long gradient is not clipped when the optimizer takes its step. Is `clip_grad_norm_`
        missing, or in the wrong place? Before `backward()` there is no gradient to clip, and after
        `step()` it is too late.

        - nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        """,
    "counts_a_tie_as_better": """
        A validation loss equal to the best one counts as an improvement here. It is none: only a
        lower loss sets the count back and replaces the weights.

        - if found < lowest:
        + if found <= lowest:
        """,
    "training_loss_decides": """
        The training loss decides when to stop and which weights are the best. It goes on falling
        while the model overfits: compare the validation losses.

        - if found < lowest:
        -     lowest, waited = found, 0
        + if train_losses[-1] < lowest:
        +     lowest, waited = train_losses[-1], 0
        """,
    "clips_values": """
        `clip_grad_value_` cuts each component on its own, and so changes the direction. Scale the
        whole gradient down with `nn.utils.clip_grad_norm_`.

        - nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        + nn.utils.clip_grad_value_(self.model.parameters(), self.max_norm)
        """,
    "never_stops": """
        Training never stops early: all epochs are run. Leave the loop after `patience` epochs in a
        row without a new lowest validation loss.

        - if waited == patience:
        -     break
        """,
    "adds_up_the_losses": """
        `train_epoch` returns the sum of the losses. Divide by the number of all texts.

        -     return total / n
        +     return total
          def evaluate(self, batches: Iterable[Batch]) -> float:
        """,
}

RIGHT = {
    "in_one_piece": """
        class Trainer:
            def __init__(self, model, lr, max_norm=1.0):
                self.model, self.max_norm = model, max_norm
                self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

            def loss(self, ids, mask, labels):
                p = torch.sigmoid(self.model(ids, mask).double())
                return -torch.where(labels == 1, p, 1 - p).log().mean()

            def mean_loss(self, batches):
                losses, sizes = [], []
                for ids, mask, labels in batches:
                    losses.append(self.loss(ids, mask, labels))
                    sizes.append(len(labels))
                    if self.model.training:
                        losses[-1].backward()
                        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
                        self.optimizer.step()
                        self.model.zero_grad()
                return sum(float(a) * b for a, b in zip(losses, sizes)) / sum(sizes)

            def train_epoch(self, batches):
                self.model.train()
                return self.mean_loss(batches)

            @torch.inference_mode()
            def evaluate(self, batches):
                self.model.train(False)
                return self.mean_loss(batches)

            def fit(self, train, validation, epochs, patience):
                import copy
                found = []
                while len(found) < epochs:
                    found.append((self.train_epoch(train), self.evaluate(validation)))
                    judged = [loss for _, loss in found]
                    if judged.index(min(judged)) == len(judged) - 1:
                        best = copy.deepcopy(self.model.state_dict())
                    if len(judged) - 1 - judged.index(min(judged)) >= patience:
                        break
                self.model.load_state_dict(best)
                return [a for a, _ in found], judged
        """,
    "written_out": """
        -     total += loss.item() * len(labels)
        -     n += len(labels)
        - return total / n
        +     total += float(loss.detach()) * ids.shape[0]
        +     n += ids.shape[0]
        + return total / n
        ...
        - lowest, waited = float("inf"), 0
        + lowest = float("inf")
          train_losses, validation_losses = [], []
          for epoch in range(epochs):
              train_losses.append(self.train_epoch(train))
              found = self.evaluate(validation)
              validation_losses.append(found)
              if found < lowest:
        -         lowest, waited = found, 0
        -         best = {name: tensor.clone() for name, tensor in self.model.state_dict().items()}
        -     else:
        -         waited += 1
        -     if waited == patience:
        +         lowest, best_epoch = found, epoch
        +         best = [p.detach().clone() for p in self.model.parameters()]
        +     elif epoch - best_epoch == patience:
                  break
        - self.model.load_state_dict(best)
        + with torch.no_grad():
        +     for p, kept in zip(self.model.parameters(), best):
        +         p.copy_(kept)
        """,
}

EQUIVALENT = {
    "the constructor and the loss are given": """
        - self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        + self.__dict__["optimizer"] = torch.optim.Adam(model.parameters(), lr=lr)

          def loss(self, ids: torch.Tensor, mask: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        +     labels = labels.float()
              scores = self.model(ids, mask)

        - return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())
        + return nn.functional.binary_cross_entropy_with_logits(scores, labels.float()).double()
        """,
    "the same number in another form": """
          self.model.train()
        - total, n = 0.0, 0
        + total, n = (0, 0.0)
          for ids, mask, labels in batches:

          self.model.eval()
        - total, n = 0.0, 0
        + total, n = (0, 0.0)
          with torch.no_grad():  # no backward pass will follow
        """,
    "a batch has as many texts as labels": """
        - total += loss.item() * len(labels)
        + total += loss.item() * len(ids)

              total += loss.item() * len(labels)
        -     n += len(labels)
        +     n += len(ids)
          return total / n

        - total += self.loss(ids, mask, labels).item() * len(labels)
        + total += self.loss(ids, mask, labels).item() * len(ids)

                  total += self.loss(ids, mask, labels).item() * len(labels)
        -         n += len(labels)
        +         n += len(ids)
          return total / n
        """,
    "the order of batches and weights plays no part": "every edit: loop",
    "a tensor of one number is as good as the number": "every edit: number type",
    "the loss, which casts and masks, is given": "every edit: given dtype, other mask, lengths for mask, constant corner",
    "the first epoch always improves on infinity and sets the count to 0": """
        - lowest, waited = float("inf"), 0
        + lowest, waited = float("inf"), 1

        - lowest, waited = float("inf"), 0
        + lowest, waited = float("inf"), -1
        """,
    "the count grows in steps of 1": """
        - if waited == patience:
        + if waited >= patience:
        """,
}
