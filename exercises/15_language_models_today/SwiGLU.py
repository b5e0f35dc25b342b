"""SwiGLU: which copy is the gate, SiLU and not another, no biases, widths of all kinds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import network

POINTS = {"values": 2, "training": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, X: torch.Tensor, hidden: int, **more: Any) -> Case:
        d = X.shape[-1]
        state, then = network(rng, "", d, hidden), [("__call__", X)]
        return Case(group, [d, hidden], state=state, then=then, **more)

    n = number(rng, 3, 6)
    yield case("values", normal(rng, 2, 3, 4), n, title="a batch of texts")
    yield case("values", normal(rng, 3), 3, title="a single vector, as wide as it is")
    yield case("values", 3 * normal(rng, 2, 2), 1, title="a width of 1")
    yield case("values", normal(rng, n, 5), 2, title="narrower than the tokens")
    yield case("values", normal(rng, 1, n, 4), 3, title="a batch of one text")
    X = normal(rng, 2, 3)
    yield case("training", X, n, title="what training changes", gradient="all")


WRONG = {
    "the_other_copy_is_the_gate": """
        W_up goes through the SiLU here. It is W_gate that does.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(self.W_gate(X) * F.silu(self.W_up(X)))
        """,
    "sigmoid": """
        The gate goes through the sigmoid alone. SiLU is z times the sigmoid of z.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(torch.sigmoid(self.W_gate(X)) * self.W_up(X))
        """,
    "gelu": """
        The activation is GELU. This network has SiLU: z times the sigmoid of z.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.gelu(self.W_gate(X)) * self.W_up(X))
        """,
    "relu": """
        The activation is ReLU. This network has SiLU: z times the sigmoid of z.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.relu(self.W_gate(X)) * self.W_up(X))
        """,
    "adds": """
        The two copies are added. The gate multiplies.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.silu(self.W_gate(X)) + self.W_up(X))
        """,
    "no_gate": """
        W_up is not used: this is a feed-forward network without a gate.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.silu(self.W_gate(X)))
        """,
    "activation_on_both": """
        Both copies go through the SiLU. Only the gate does.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.silu(self.W_gate(X)) * F.silu(self.W_up(X)))
        """,
    "with_biases": """
        The layers have biases. Take bias=False for all three.

        - self.W_gate = nn.Linear(d_model, d_hidden, bias=False)
        - self.W_up = nn.Linear(d_model, d_hidden, bias=False)
        - self.W_down = nn.Linear(d_hidden, d_model, bias=False)
        + self.W_gate = nn.Linear(d_model, d_hidden)
        + self.W_up = nn.Linear(d_model, d_hidden)
        + self.W_down = nn.Linear(d_hidden, d_model)
        """,
    "silu_of_the_product": """
        The SiLU is applied to the product. It is applied to the gate alone, before the two are
        multiplied.

        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + return self.W_down(F.silu(self.W_gate(X) * self.W_up(X)))
        """,
    "W_down_with_bias": """
        W_down has a bias. None of the three layers has one: take bias=False here, too.

        - self.W_down = nn.Linear(d_hidden, d_model, bias=False)
        + self.W_down = nn.Linear(d_hidden, d_model)
        """,
}

FURTHER = """
F.silu(self.W_gate(X)) and self.W_up(X) have the same shape. Multiply them, and narrow the product with
self.W_down.
"""

RIGHT = {
    "by_hand": """
        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + gate = self.W_gate(X)
        + gate = gate * torch.sigmoid(gate)
        + return (gate * self.W_up(X)) @ self.W_down.weight.T
        """,
    "glu_module": """
        - return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))
        + act = nn.SiLU()
        + hidden = torch.mul(self.W_up(X), act(self.W_gate(X)))
        + return self.W_down(hidden)
        """,
}
