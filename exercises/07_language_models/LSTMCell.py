"""LSTMCell: values of both states, open and closed gates, the forget bias, gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal

POINTS = {"values": 2, "gates": 2, "forget bias": 1, "gradient": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        title: str,
        batch: int,
        dim: int,
        hidden: int,
        shift: Any = 0.0,
        bias: tuple[float, ...] = (),
        **other: str,
    ) -> Case:
        state = {
            "W.weight": normal(rng, 4 * hidden, dim),
            "W.bias": normal(rng, 4 * hidden) + shift,
            "U.weight": normal(rng, 4 * hidden, hidden),
            "U.bias": normal(rng, 4 * hidden),
        }
        pair = (normal(rng, batch, hidden), normal(rng, batch, hidden))
        then = [("__call__", normal(rng, batch, dim), pair)]
        return Case(group, [dim, hidden, *bias], state=state, then=then, title=title, **other)

    yield case("values", "", 2, 3, 5)
    yield case("values", "four of everything", 4, 4, 4)
    yield case("values", "a batch of one", 1, int(rng.integers(2, 5)), 2)
    yield case("values", "vectors of one component", 2, 1, 1)
    steps = [(".W.weight.shape",), (".W.bias.shape",), (".U.weight.shape",), (".U.bias.shape",)]
    dim, hidden = int(rng.integers(2, 4)), int(rng.integers(4, 6))
    title = "the shapes of the parameters"
    yield Case("values", [dim, hidden], then=[*steps, ("forget_bias.__float__",)], title=title)
    for words, gates in (
        ("the forget gate is open, the input gate closed: the memory is kept", (-40, 40, 0, 0)),
        ("the forget gate is closed, the input gate open: the memory is new", (40, -40, 0, 0)),
        ("the output gate is closed: nothing is shown", (0, 0, 0, -40)),
    ):
        shift = torch.tensor(gates, dtype=torch.float32).repeat_interleave(2)
        yield case("gates", words, 2, 3, 2, shift)
    bias = float(rng.integers(50, 300)) / 100 + 0.005
    yield case("forget bias", "a forget bias", 2, 3, 2, bias=(bias,))
    title = "a forget bias with three decimals"
    yield Case("forget bias", [2, 3, bias], then=[("forget_bias.__float__",)], title=title)
    then, within = [(".W.bias",), (".U.bias",)], {"kind": "between", "low": -1.0, "high": 1.0}
    title = "a large forget bias is not in the layers, too"
    yield Case("forget bias", [2, 3, 3 + bias], then=then, judge=within, title=title)
    yield case("forget bias", "a forget bias of 1", 2, 2, 3, bias=(1.0,))
    yield case("gradient", "what training changes", 2, 2, 3, gradient="all")


WRONG = {
    "gates_in_another_order": """
        The forget gate and the candidate are in each other's rows: PyTorch's order is i, f, g, o.

        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        + i, g, f, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        """,
    "order_ifog": """
        The candidate and the output gate are in each other's rows: the order is i, f, g, o.

        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        + i, f, o, g = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        """,
    "input_and_forget_swapped": """
        The input gate and the forget gate are swapped: i multiplies the candidate, f the old memory.

        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        + f, i, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        """,
    "candidate_by_sigmoid": """
        The candidate is a sigmoid, so the memory could only grow. Its function is tanh.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.sigmoid(g)
        """,
    "no_tanh_of_the_memory": """
        The hidden state shows the memory itself. It shows its tanh.

        - return torch.sigmoid(o) * torch.tanh(c), c
        + return torch.sigmoid(o) * c, c
        """,
    "shows_the_old_memory": """
        The hidden state is made from the old cell state. Update c first, then show it.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        - return torch.sigmoid(o) * torch.tanh(c), c
        + new = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + return torch.sigmoid(o) * torch.tanh(c), new
        """,
    "state_reversed": """
        The pair is in the wrong order: the state is (h, c), the hidden state first.

        - return torch.sigmoid(o) * torch.tanh(c), c
        + return c, torch.sigmoid(o) * torch.tanh(c)
        """,
    "takes_the_state_reversed": """
        The state comes in as (h, c), the hidden state first. You read it as (c, h).

        - h, c = state
        + c, h = state
        """,
    "no_forget_bias": """
        The forget bias has no effect: add it in `forward` to the scores of f, before the sigmoid.
        (Written into the bias of a layer, it is lost when weights are loaded.)

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        """,
    "forget_bias_after_the_sigmoid": """
        The forget bias is added to the gate, which is then above 1. Add it to the score, before the
        sigmoid.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + c = (torch.sigmoid(f) + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        """,
    "detaches_the_memory": """
        The values are right, but no gradient goes back along the cell state, the very way that it is
        there for. Leave out `detach`.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + kept = torch.sigmoid(f + self.forget_bias) * c.detach()
        + c = kept + torch.sigmoid(i) * torch.tanh(g)
        """,
    "keeps_the_hidden_state": """
        The forget gate multiplies the old hidden state. What it keeps is the memory, the old cell state c.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + c = torch.sigmoid(f + self.forget_bias) * h + torch.sigmoid(i) * torch.tanh(g)
        """,
    "writes_what_it_forgets": """
        The candidate gets 1 - f, as in a GRU. An LSTM has an input gate of its own for it: i * g.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + keep = torch.sigmoid(f + self.forget_bias)
        + c = keep * c + (1 - keep) * torch.tanh(g)
        """,
    "forget_bias_for_all": """
        The forget bias is added to all four scores. It belongs to the forget gate alone.

        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + i, f, g, o = (self.W(x) + self.U(h) + self.forget_bias).chunk(4, dim=-1)
        + c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        """,
    "forget_bias_for_the_input": """
        The forget bias is added to the score of the input gate. It belongs to the forget gate.

        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        + c = torch.sigmoid(f) * c + torch.sigmoid(i + self.forget_bias) * torch.tanh(g)
        """,
    "keeps_its_own_state": """
        The state is kept in the object, and the one that is passed in is ignored. Whoever calls the
        cell passes the state: a second text must not begin where the first one ended.

        - h, c = state
        + h, c = self.kept if hasattr(self, "kept") else state
        ...
        - return torch.sigmoid(o) * torch.tanh(c), c
        + self.kept = torch.sigmoid(o) * torch.tanh(c), c
        + return self.kept
        """,
    "gates_from_the_memory": """
        The gates are computed from the memory c. They look at the word and at the hidden state h:
        W x + U h.

        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        + i, f, g, o = (self.W(x) + self.U(c)).chunk(4, dim=-1)
        """,
}

RIGHT = {
    "library": """
        - h, c = state
        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        - return torch.sigmoid(o) * torch.tanh(c), c
        + bias = self.W.bias.clone()
        + size = state[0].shape[1]
        + bias[size : 2 * size] += self.forget_bias
        + return torch.lstm_cell(x, state, self.W.weight, self.U.weight, bias, self.U.bias)
        """,
    "gates_by_slices": """
        - h, c = state
        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        - c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        - return torch.sigmoid(o) * torch.tanh(c), c
        + size = state[1].size(1)
        + scores = (self.U(state[0]) + self.W(x)).view(-1, 4, size)
        + i = scores[:, 0].sigmoid()
        + f = (scores[:, 1] + self.forget_bias).sigmoid()
        + memory = f * state[1] + i * scores[:, 2].tanh()
        + return memory.tanh() * scores[:, 3].sigmoid(), memory
        """,
    "one_product": """
        - h, c = state
        - i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        + h, c = state
        + both = torch.cat([self.W.weight, self.U.weight], dim=1)
        + scores = torch.cat([x, h], dim=1) @ both.T + self.W.bias + self.U.bias
        + i, f, g, o = torch.tensor_split(scores, 4, dim=1)
        """,
}

EQUIVALENT = {
    "a tensor of one number adds like a number": """
        - self.forget_bias = forget_bias
        + self.forget_bias = torch.tensor(forget_bias)
        """,
}
