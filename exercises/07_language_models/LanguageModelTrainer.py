"""LanguageModelTrainer: a small recurrent model, states handed on, clipping, evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, normal

POINTS = {"training": 3, "state": 2, "evaluation": 2}

_WORDS = 6
#: A recurrent model of one matrix: the state is a running mixture of the rows of its words; `{0}`
#: is the state of the text before, `{1}` makes what is returned of the last one.
_MODEL = (
    "torch.nn.utils.skip_init(type('Small', (torch.nn.Linear,), {{'forward': lambda self, ids, state:"
    " (lambda H: (H, {1}))(torch.tanh(self.weight[ids].cumsum(dim=1) + self.bias"
    " + (0.0 if state is None else {0}[:, None])))}}), {2}, {2})"
)
_TENSOR = _MODEL.format("state", "H[:, -1]", _WORDS)
_PAIR = _MODEL.format("(state[0] + state[1])", "(H[:, -1], H[:, 0])", _WORDS)
#: Half of the numbers are dropped in training.
_DROPS = _TENSOR.replace("torch.tanh(", "(0.5 if self.training else 1.0) * torch.tanh(")
#: All numbers are halved while gradients are recorded.
_RECORDS = _TENSOR.replace("torch.tanh(", "(0.5 if torch.is_grad_enabled() else 1.0) * torch.tanh(")


def _windows(rng: np.random.Generator, batch: int, *lengths: int) -> list[Any]:
    return [(draw_ids(rng, _WORDS, batch, n), draw_ids(rng, _WORDS, batch, n)) for n in lengths]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    torch.optim.SGD([torch.zeros(1)], lr=0.1)  # the first optimizer imports a lot: not in a case

    def case(group: str, title: str, *then: tuple[Any, ...], model: str = _TENSOR, **other) -> Case:
        weights = {
            "model.weight": normal(rng, _WORDS, _WORDS, scale=0.5),
            "model.bias": normal(rng, _WORDS, scale=0.5),
            "model.training": other.get("training", True),
        }
        if group != "evaluation":
            then = (*then, (".model.weight",), (".model.bias",))
        most = 50.0 if group == "state" else 1.0  # no gradient is as long as 50
        lr = float(rng.integers(30, 60)) / 1000
        settings = [codec.Source(model), lr, other.get("max_norm", most)]
        return Case(group, settings, title=title, state=weights, then=list(then))

    one = _windows(rng, 2, int(rng.integers(2, 4)))
    yield case("training", "one window", ("train_epoch", one))
    yield case("training", "two windows", ("train_epoch", _windows(rng, 2, 3, 3)))
    uneven = _windows(rng, 2, 4, 4, 1)
    yield case("training", "the last window is shorter", ("train_epoch", uneven))
    title = "a gradient longer than max_norm"
    norm = float(rng.integers(5, 15)) / 100
    yield case("training", title, ("train_epoch", _windows(rng, 3, 3, 3)), max_norm=norm)
    some = _windows(rng, 2, 3, 2)
    title = "two epochs, the second in another order, and an evaluation between them"
    then = [("train_epoch", some), ("evaluate", some[:1]), ("train_epoch", some[::-1])]
    yield case("training", title, *then, model=_DROPS)
    title = "a model that was in evaluation mode"
    then = [("train_epoch", _windows(rng, 2, 2)), (".model.training",)]
    yield case("training", title, *then, model=_DROPS, training=False)
    three = _windows(rng, 1, 2, 2, 2)
    yield case("state", "three windows of one row", ("train_epoch", three))
    title = "a state of two tensors, as the LSTM's"
    yield case("state", title, ("train_epoch", _windows(rng, 2, 3, 3, 2)), model=_PAIR)
    title = "windows of one token"
    yield case("state", title, ("train_epoch", _windows(rng, 3, 1, 1, 1)))
    title = "three windows, the last one shorter"
    yield case("evaluation", title, ("evaluate", _windows(rng, 2, 3, 3, 1)), model=_DROPS)
    title = "a model whose hidden states are halved while gradients are recorded"
    yield case("evaluation", title, ("evaluate", _windows(rng, 2, 3)), model=_RECORDS)
    then = [("evaluate", _windows(rng, 2, 3)), (".model.weight",)]
    yield case("evaluation", "nothing is learned", *then)
    then = [("evaluate", _windows(rng, 2, 2, 2)), (".model.weight.grad",)]
    yield case("evaluation", "no gradient is computed", *then, model=_PAIR)


FURTHER = """
Both methods begin with state = None before the loop. In the loop of `train_epoch`: detach the state
if it is not None; zero_grad; loss, state = self.loss(x, y, state); backward; clip_grad_norm_; step.
Beside it run two sums: of the loss times the window's tokens, y.numel(), and of the tokens.
"""

WRONG = {
    "state_not_carried": """
        In training each window begins with an empty state. Pass the state of the window before: the
        text goes on.

        - loss, state = self.loss(x, y, state)
        - loss.backward()
        + loss, _ = self.loss(x, y, None)
        + loss.backward()
        """,
    "state_not_carried_in_evaluation": """
        In evaluation each window begins with an empty state. Carry it from window to window, as in
        training.

        - with torch.no_grad():  # no backward pass will follow
        -     for x, y in windows:
        -         loss, state = self.loss(x, y, state)
        + with torch.no_grad():  # no backward pass will follow
        +     for x, y in windows:
        +         loss, _ = self.loss(x, y, state)
        """,
    "state_not_detached": """
        From the second window on, backward() runs into the window before, whose graph is already
        gone. Detach the state at the border: state = detach(state).

        raises RuntimeError

        - if state is not None:
        -     state = detach(state)
        - self.optimizer.zero_grad()
        + self.optimizer.zero_grad()
        """,
    "detaches_none": """
        Before the first window there is no state to detach, and None has no `detach`. Detach the
        state only if it is not None, or at the end of the loop.

        raises AttributeError

        - if state is not None:
        -     state = detach(state)
        + state = detach(state)
        """,
    "no_zero_grad": """
        The gradients of earlier windows are still there: `backward()` adds to `.grad`. Call
        `zero_grad()` once per window, before `backward()`.

        - self.optimizer.zero_grad()
        """,
    "clips_too_late": """
        A step is taken with a gradient that is longer than `max_norm`. `nn.utils.clip_grad_norm_`
        belongs between `backward()` and `step()` (earlier there is nothing to clip, later the step
        is taken), and its second argument is `self.max_norm`.

        - nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
          self.optimizer.step()
        + nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        """,
    "clips_values": """
        `clip_grad_value_` cuts each component on its own, and so changes the direction. Scale the
        whole gradient down with `nn.utils.clip_grad_norm_`.

        - nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        + nn.utils.clip_grad_value_(self.model.parameters(), self.max_norm)
        """,
    "averages_the_windows": """
        `train_epoch` returns the mean over the windows, so a token of a short window weighs more.
        Multiply each loss by its number of tokens, y.numel(), and divide by the number of all tokens.

          self.optimizer.step()
        - total += loss.item() * y.numel()
        - n += y.numel()
        + total += loss.item()
        + n += 1
        """,
    "averages_the_windows_in_evaluation": """
        `evaluate` returns the mean over the windows, so a token of a short window weighs more.
        Multiply each loss by its number of tokens, y.numel(), and divide by the number of all tokens.

              loss, state = self.loss(x, y, state)
        -     total += loss.item() * y.numel()
        -     n += y.numel()
        +     total += loss.item()
        +     n += 1
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
    "evaluates_with_gradients": """
        The evaluation records the computation for a backward pass that never comes: that takes memory
        and time. Compute the loss inside `with torch.no_grad():`.

        - with torch.no_grad():  # no backward pass will follow
        -     for x, y in windows:
        -         loss, state = self.loss(x, y, state)
        -         total += loss.item() * y.numel()
        -         n += y.numel()
        + for x, y in windows:
        +     loss, state = self.loss(x, y, state)
        +     total += loss.item() * y.numel()
        +     n += y.numel()
        """,
    "learns_while_evaluating": """
        Your model learns in `evaluate`. Nothing should be learned from text that judges the model:
        compute the loss inside `with torch.no_grad():`, and take no step.

        - with torch.no_grad():  # no backward pass will follow
        -     for x, y in windows:
        -         loss, state = self.loss(x, y, state)
        -         total += loss.item() * y.numel()
        -         n += y.numel()
        + for x, y in windows:
        +     loss, state = self.loss(x, y, None if state is None else detach(state))
        +     loss.backward()
        +     self.optimizer.step()
        +     total += loss.item() * y.numel()
        +     n += y.numel()
        """,
    "returns_perplexity": """
        This is the perplexity. Return the mean loss; the caller takes its exponential.

              self.optimizer.step()
              total += loss.item() * y.numel()
              n += y.numel()
        - return total / n
        + return math.exp(total / n)
        ...
                  loss, state = self.loss(x, y, state)
                  total += loss.item() * y.numel()
                  n += y.numel()
        - return total / n
        + return math.exp(total / n)
        """,
    "erases_the_gradient": """
        The gradient is erased between `backward()` and `step()`, so that the step has nothing to
        go by. Erase it before `backward()`.

        - self.optimizer.zero_grad()
          loss, state = self.loss(x, y, state)
          loss.backward()
        + self.optimizer.zero_grad()
        """,
    "keeps_the_graph": """
        The graph of all earlier windows is kept (`retain_graph=True`), and backward() runs through
        it again, with weights that have changed. Detach the state at the border of a window: then
        its own graph is enough.

        - if state is not None:
        -     state = detach(state)
        - self.optimizer.zero_grad()
        + self.optimizer.zero_grad()
          loss, state = self.loss(x, y, state)
        - loss.backward()
        + loss.backward(retain_graph=True)
        """,
    "adds_up_the_losses": """
        `train_epoch` returns the sum of the losses. Divide by the number of all tokens.

        -     return total / n
        +     return total
          def evaluate(self, windows: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> float:
        """,
    "state_kept_between_epochs": """
        The second epoch begins with the last state of the first. Each epoch reads the text from its
        beginning, where the state is None.

        - total, n, state = 0.0, 0, None
        - for x, y in windows:
        -     if state is not None:
        -         state = detach(state)
        -     self.optimizer.zero_grad()
        + total, n, state = 0.0, 0, getattr(self, "state", None)
        + for x, y in windows:
        +     if state is not None:
        +         state = detach(state)
        +     self.optimizer.zero_grad()
        ...
          self.optimizer.step()
          total += loss.item() * y.numel()
        - n += y.numel()
        + n += y.numel()
        + self.state = state
        """,
}

RIGHT = {
    "one_method_for_both": """
        class LanguageModelTrainer:
            def __init__(self, model, lr, max_norm=1.0):
                self.model, self.max_norm = model, max_norm
                self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

            def loss(self, x, y, state):
                logits, state = self.model(x, state)
                return nn.functional.cross_entropy(logits.mT, y), state

            def run(self, windows, learn):
                self.model.train(learn)
                losses, sizes, state = [], [], None
                for x, y in windows:
                    with torch.set_grad_enabled(learn):
                        loss, state = self.loss(x, y, state)
                    if learn:
                        self.model.zero_grad()
                        loss.backward()
                        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
                        self.optimizer.step()
                    state = detach(state)
                    losses.append(float(loss.detach()) * y.numel())
                    sizes.append(y.numel())
                return sum(losses) / sum(sizes)

            def train_epoch(self, windows):
                return self.run(windows, True)

            def evaluate(self, windows):
                return self.run(windows, False)
        """,
    "detached_after_the_step": """
        -     if state is not None:
        -         state = detach(state)
              self.optimizer.zero_grad()
              loss, state = self.loss(x, y, state)
              loss.backward()
              nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
              self.optimizer.step()
        +     if isinstance(state, tuple):
        +         state = (state[0].detach(), state[1].detach())
        +     else:
        +         state = state.detach()
        """,
    "numel_of_x": """
        - with torch.no_grad():  # no backward pass will follow
        -     for x, y in windows:
        -         loss, state = self.loss(x, y, state)
        -         total += loss.item() * y.numel()
        -         n += y.numel()
        - return total / n
        + with torch.inference_mode():
        +     for x, y in windows:
        +         loss, state = self.loss(x, y, state)
        +         total = total + float(loss) * x.shape[0] * x.shape[1]
        +         n = n + x.numel()
        + return total / n
        """,
}

EQUIVALENT = {
    "the constructor and the loss are given": """
        - def __init__(self, model: nn.Module, lr: float, max_norm: float = 1.0) -> None:
        + def __init__(self, model: nn.Module, lr: float, max_norm: float) -> None:

        - def __init__(self, model: nn.Module, lr: float, max_norm: float = 1.0) -> None:
        + def __init__(self, model: nn.Module, lr: float, max_norm: float = 2.0) -> None:

        - def __init__(self, model: nn.Module, lr: float, max_norm: float = 1.0) -> None:
        + def __init__(self, model: nn.Module, lr: float, max_norm: float = 0.5) -> None:

        - def __init__(self, model: nn.Module, lr: float, max_norm: float = 1.0) -> None:
        + def __init__(self, model: nn.Module, lr: float, max_norm: float = 0.0) -> None:

        - def __init__(self, model: nn.Module, lr: float, max_norm: float = 1.0) -> None:
        + def __init__(self, model: nn.Module, lr: float, max_norm: float = (-1.0)) -> None:

        - self.max_norm = max_norm
        + self.max_norm = round(max_norm, 2)

        - self.max_norm = max_norm
        + self.max_norm = torch.tensor(max_norm)

        - self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        + self.__dict__["optimizer"] = torch.optim.Adam(model.parameters(), lr=lr)

        - return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state
        + return [nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state]

        - return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state
        + return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()).double(), state

        - return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state
        + return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()).reshape(1), state

        - return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state
        + return nn.functional.cross_entropy(logits.view(logits.flatten(0, 1).shape), y.flatten()), state

        - return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state
        + return nn.functional.cross_entropy(logits.flatten(0, 1), y.view(y.flatten().shape)), state
        """,
    "the same number in another form": """
          self.model.train()
        - total, n, state = 0.0, 0, None
        + total, n, state = (0, 0.0, None)
          for x, y in windows:

          self.model.eval()
        - total, n, state = 0.0, 0, None
        + total, n, state = (0, 0.0, None)
          with torch.no_grad():  # no backward pass will follow
        """,
    "x and y have the same shape": """
          self.optimizer.step()
        - total += loss.item() * y.numel()
        + total += loss.item() * x.numel()
          n += y.numel()

                  self.optimizer.step()
                  total += loss.item() * y.numel()
        -         n += y.numel()
        +         n += x.numel()
              return total / n
          def evaluate(self, windows: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> float:

          loss, state = self.loss(x, y, state)
        - total += loss.item() * y.numel()
        + total += loss.item() * x.numel()
          n += y.numel()

                  loss, state = self.loss(x, y, state)
                  total += loss.item() * y.numel()
        -         n += y.numel()
        +         n += x.numel()
          return total / n
        """,
}
