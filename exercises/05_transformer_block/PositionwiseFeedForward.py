"""Two linear layers with an activation between them, for vectors, texts and batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import HALF, TO_HALF, linear, normal

POINTS = {"relu": 1, "gelu": 1, "shapes": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, X: torch.Tensor, *activation: str, hooks: dict | None = None, **more: Any
    ) -> Case:
        d_model = X.shape[-1]
        d_ff = 2 * d_model + int(rng.integers(0, 2))
        state = linear(rng, "W_1", d_model, d_ff) | linear(rng, "W_2", d_ff, d_model)
        state |= hooks or {}
        sizes = [d_model, d_ff, *activation]
        return Case(group, sizes, state=state, then=[("__call__", X)], **more)

    length, d = int(rng.integers(2, 5)), 3
    yield case("relu", normal(rng, 2, length, d))
    yield case("relu", normal(rng, 1, 1, d), "relu", title="a text of one token")
    yield case("gelu", normal(rng, 2, length, d + 1), "gelu")
    yield case("gelu", normal(rng, 1, 2, d, scale=3), "gelu", title="larger numbers")
    title = "what training changes"
    X = normal(rng, 1, 2, d)
    yield case("gelu", X, "gelu", title=title, gradient="all")
    yield case("shapes", normal(rng, d + 2), title="a single vector")
    yield case("shapes", normal(rng, d, 2).mT, title="a tensor that is not contiguous")
    half = normal(rng, 1, 2, d).half()
    yield case("shapes", half, "gelu", hooks=TO_HALF, title="half precision", judge=HALF)


WRONG = {
    "without_activation": """
        There is no activation between the two layers, so together they are just one linear map.

        - hidden = self.activation(self.W_1(Z))
        + hidden = self.W_1(Z)
        """,
    "activates_twice": """
        The activation is applied to the output as well. The output may be negative: it will be
        added to the token's vector.

        - return self.W_2(hidden)
        + return self.activation(self.W_2(hidden))
        """,
    "always_relu": """
        It always uses the ReLU. Use the one that `activation` names.

        - self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
        + self.activation = F.relu
        """,
    "approximates_gelu": """
        This is the tanh approximation of the GELU. The exact one is x times Phi(x): F.gelu as it
        is, without `approximate`.

        - self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
        + self.activation = {"relu": F.relu, "gelu": nn.GELU("tanh")}[activation]
        """,
    "adds_its_input": """
        The input is added to the output. The residual connection belongs to the block, which
        comes next.

        - return self.W_2(hidden)
        + return Z + self.W_2(hidden)
        """,
    "sigmoid_for_phi": """
        This is x times its sigmoid (called SiLU). The GELU is x times Phi(x), the distribution
        function of the normal distribution: take F.gelu.

        - self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
        + self.activation = {"relu": F.relu, "gelu": F.silu}[activation]
        """,
}

RIGHT = {
    "network_by_hand": """
        - hidden = self.activation(self.W_1(Z))
        - return self.W_2(hidden)
        + h = Z @ self.W_1.weight.T + self.W_1.bias
        + relu = self.activation is F.relu
        + h = h.clamp(min=0) if relu else h * 0.5 * (1 + torch.erf(h / math.sqrt(2)))
        + return h @ self.W_2.weight.T + self.W_2.bias
        """,
    "network_of_modules": """
        class PositionwiseFeedForward(nn.Module):
            def __init__(self, d_model, d_ff, activation="relu"):
                super().__init__()
                self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
                middle = nn.GELU() if activation == "gelu" else nn.ReLU()
                self.layers = nn.Sequential(self.W_1, middle, self.W_2)

            def forward(self, Z):
                return self.layers(Z)
        """,
}
