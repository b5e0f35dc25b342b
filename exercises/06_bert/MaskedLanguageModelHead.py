"""MaskedLanguageModelHead: scores from a shared table; tiny vectors, half precision, gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_HALF, linear, norm, normal, number

POINTS = {"values": 2, "edges": 1}


def _draw_vectors(rng: np.random.Generator, layer: dict[str, torch.Tensor], n: int) -> torch.Tensor:
    """Vectors, (n, d_model), of which layer and activation leave clearly different numbers.

    Normalizing nearly equal numbers would show rounding, and any eps.
    """
    weight, bias = (tensor.double() for tensor in layer.values())
    rows: list[torch.Tensor] = []
    while len(rows) < n:
        row = normal(rng, len(bias))
        if (weight @ row.double() + bias).relu().std() > 0.6:
            rows.append(row)
    return torch.stack(rows)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        shape: tuple[int, ...],
        vocab_size: int,
        title: str = "",
        scale: float = 1.0,
        contiguous: bool = True,
        half: bool = False,
        hooks: dict[str, Any] | None = None,
        gradient: str = "",
    ) -> Case:
        d_model = shape[-1]
        layer = linear(rng, "transform", d_model, d_model)
        H = _draw_vectors(rng, layer, math.prod(shape[:-1])).reshape(shape)
        table = normal(rng, vocab_size, d_model)
        state: dict[str, Any] = {name: scale * tensor for name, tensor in layer.items()}
        state |= norm(rng, "norm", d_model) | {"bias": normal(rng, vocab_size)} | (hooks or {})
        judge: dict[str, Any] = {"atol": 1e-4}
        if not contiguous:
            H = H.mT.contiguous().mT
        if half:
            H, table, judge = H.half(), table.half(), {"dtype": "exact", "atol": 0.1}
        then = [("__call__", H, table)]
        return Case(group, [vocab_size, d_model], {}, title, state, then, gradient, judge)

    n, d = number(rng, 7, 9), number(rng, 3, 4)
    yield case("values", (2, 3, d), n)
    yield case("values", (1, 2, d + 2), n + 1, "a batch of one")
    yield case("values", (2, 2, 4), 4, "as many tokens as numbers in a vector")
    yield case("edges", (n, d), n, "some positions only, (n, d)")
    yield case("edges", (d,), n, "a single vector")
    yield case("edges", (2, d), n, "tiny vectors: eps must not dominate", scale=1e-5)
    yield case("edges", (2, 3, d), n, "a tensor that is not contiguous", contiguous=False)
    yield case("edges", (1, 2, d), n, "half precision", half=True, hooks=TO_HALF)
    title = "what training changes, the table included"
    yield case("edges", (2, d), n, title, gradient="all")
    title = "the initial bias is 0 for every token"
    yield Case("edges", [n, 2], then=[("get_parameter", "bias")], title=title)


WRONG = {
    "relu": """
        The activation is the ReLU. BERT uses the GELU here, too.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.norm(F.relu(self.transform(H))) @ table.T + self.bias
        """,
    "without_activation": """
        There is no activation between the linear layer and the normalization. Apply the GELU
        there.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.norm(self.transform(H)) @ table.T + self.bias
        """,
    "norm_before_gelu": """
        The normalization comes before the GELU. The order is linear layer, GELU, normalization.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return F.gelu(self.norm(self.transform(H))) @ table.T + self.bias
        """,
    "vectors_not_normalized": """
        The vectors are not normalized. `self.norm` is created but never applied.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return F.gelu(self.transform(H)) @ table.T + self.bias
        """,
    "compares_h_with_the_table": """
        The vectors of the encoder are compared with the embeddings as they come in. What linear layer,
        GELU and normalization make of them is not used: the dot products are those of this vector.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return H @ table.T + self.bias
        """,
    "default_epsilon_in_head": """
        The normalization uses another eps than 1e-12, which matters where the vectors are tiny.
        The default of nn.LayerNorm is larger.

        - self.norm = nn.LayerNorm(d_model, eps=1e-12)
        + self.norm = nn.LayerNorm(d_model)
        """,
    "without_bias": """
        The bias of each token is not added. It says how likely a token is whatever the context.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.norm(F.gelu(self.transform(H))) @ table.T
        """,
    "returns_probabilities": """
        These are probabilities. Return the scores: the loss applies the softmax itself.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + scores = self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return scores.softmax(dim=-1)
        """,
    "returns_log_probabilities": """
        These are log-probabilities. Return the scores as they are: the loss applies the log-softmax
        itself.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + scores = self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return scores.log_softmax(dim=-1)
        """,
    "own_decoder": """
        The table is not used: another linear layer, with random weights, computes the scores. They
        are the dot products with the rows of the given table.

          self.norm = nn.LayerNorm(d_model, eps=1e-12)
        + self.decoder = nn.Linear(d_model, vocab_size, bias=False)
        ...
        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.decoder(self.norm(F.gelu(self.transform(H)))) + self.bias
        """,
    "table_not_transposed": """
        The table is not transposed. Its rows are the vectors of the tokens, (vocab_size, d_model);
        for the dot product with each row, multiply by its transpose.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.norm(F.gelu(self.transform(H))) @ table + self.bias
        """,
    "detaches_the_table": """
        The scores are right, but the table gets no gradient. It is the embeddings' own table and
        learns here, too: do without `detach()`, `.data` and `no_grad`.

        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + return self.norm(F.gelu(self.transform(H))) @ table.detach().T + self.bias
        """,
    "random_bias": """
        The biases are initialized with random numbers. They start at zero.

        - self.bias = nn.Parameter(torch.zeros(vocab_size))
        + self.bias = nn.Parameter(torch.randn(vocab_size))
        """,
    "bias_is_no_parameter": """
        The bias is a plain tensor, which PyTorch neither trains nor saves. Make it an
        nn.Parameter.

        - self.bias = nn.Parameter(torch.zeros(vocab_size))
        + self.bias = torch.zeros(vocab_size)
        """,
}

FURTHER = """
The order is `transform`, GELU, `norm`, then the product with the transposed table, then the
bias. The table is an argument of `forward`, not a parameter of the head.
"""

RIGHT = {
    "with_einsum": """
        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + X = nn.GELU()(self.transform(H))
        + return torch.einsum("...d,nd->...n", self.norm(X), table).add(self.bias)
        """,
    "with_linear": """
        - return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
        + X = self.transform(H)
        + X = X * torch.special.ndtr(X)
        + return F.linear(self.norm(X), table, self.bias)
        """,
}
