"""GRUCell: values, gates that copy and reset, gradients, the shapes of the parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal

POINTS = {"values": 2, "gates": 2, "gradient": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, title: str, batch: int, dim: int, hidden: int, shift: Any = 0.0, **other: str
    ) -> Case:
        state = {
            "W.weight": normal(rng, 3 * hidden, dim),
            "W.bias": normal(rng, 3 * hidden) + shift,
            "U.weight": normal(rng, 3 * hidden, hidden),
            "U.bias": normal(rng, 3 * hidden),
        }
        then = [("__call__", normal(rng, batch, dim), normal(rng, batch, hidden))]
        return Case(group, [dim, hidden], state=state, then=then, title=title, **other)

    yield case("values", "", 2, 3, 4)
    yield case("values", "", int(rng.integers(3, 5)), 4, 2)
    yield case("values", "three of everything", 3, 3, 3)
    update = torch.tensor([0.0, 0.0, 40.0, 40.0, 0.0, 0.0])
    yield case("gates", "the update gate is open: the state is copied", 2, 3, 2, update)
    yield case("gates", "the update gate is closed: only the candidate", 2, 3, 2, -update)
    reset = torch.tensor([-40.0, -40.0, -9.0, -9.0, 0.0, 0.0])
    yield case("gates", "the reset gate is closed: x alone makes the candidate", 2, 3, 2, reset)
    yield case("gradient", "what training changes", 2, 2, 3, gradient="all")
    yield case("edges", "a batch of one", 1, 2, 3)
    yield case("edges", "vectors of one component", 2, 1, 1)
    steps = [(".W.weight.shape",), (".W.bias.shape",), (".U.weight.shape",), (".U.bias.shape",)]
    dim, hidden = int(rng.integers(2, 4)), int(rng.integers(4, 6))
    yield Case("edges", [dim, hidden], then=steps, title="the shapes of the parameters")


WRONG = {
    "update_gate_writes": """
        Your update gate is the other way round, as in many texts: 1 writes the candidate. Here 1
        keeps the old state: (1 - z) * n + z * h.

        - return (1 - z) * n + z * h
        + return z * n + (1 - z) * h
        """,
    "resets_the_state_before_u": """
        The reset gate multiplies the state before U. In PyTorch's form it multiplies the product
        with U_n, its bias included: r * h_n.

        - n = torch.tanh(x_n + r * h_n)
        + U, b = self.U.weight.chunk(3)[2], self.U.bias.chunk(3)[2]
        + n = torch.tanh(x_n + nn.functional.linear(r * h, U, b))
        """,
    "no_reset": """
        The reset gate is not used: it multiplies what the candidate takes from the old state.

        - n = torch.tanh(x_n + r * h_n)
        + n = torch.tanh(x_n + h_n)
        """,
    "resets_everything": """
        The reset gate multiplies the word, too. It holds back the old state only.

        - n = torch.tanh(x_n + r * h_n)
        + n = torch.tanh(r * (x_n + h_n))
        """,
    "gates_swapped": """
        r and z are swapped: the first third of the rows belongs to the reset gate.

        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        + z, r = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        """,
    "candidate_by_sigmoid": """
        The candidate is a sigmoid, so it is never negative. Its function is tanh; the sigmoid is
        for gates.

        - n = torch.tanh(x_n + r * h_n)
        + n = torch.sigmoid(x_n + r * h_n)
        """,
    "gates_by_tanh": """
        A gate is a sigmoid, between 0 and 1; tanh gives negative numbers, too.

        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        + r, z = torch.tanh(x_r + h_r), torch.tanh(x_z + h_z)
        """,
    "candidate_not_gated": """
        The candidate is added in full. It gets what the update gate leaves: (1 - z) * n.

        - return (1 - z) * n + z * h
        + return n + z * h
        """,
    "detaches_the_state": """
        The values are right, but no gradient reaches the old state. Leave out `detach`.

        - return (1 - z) * n + z * h
        + return (1 - z) * n + z * h.detach()
        """,
    "candidate_without_tanh": """
        The tanh of the candidate is missing.

        - n = torch.tanh(x_n + r * h_n)
        + n = x_n + r * h_n
        """,
    "resets_the_word": """
        The reset gate multiplies the word's part. It multiplies what comes from the old state, r * h_n.

        - n = torch.tanh(x_n + r * h_n)
        + n = torch.tanh(r * x_n + h_n)
        """,
    "gates_without_the_state": """
        The gates look at the word alone. The old state has a say in both: add its part before the sigmoid.

        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        + r, z = torch.sigmoid(x_r), torch.sigmoid(x_z)
        """,
    "keeps_its_own_state": """
        The state is kept in the object, and the one that is passed in is ignored. Whoever calls the
        cell passes the state: a second text must not begin where the first one ended.

        - x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        + h = self.kept if hasattr(self, "kept") else h
        + x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        ...
        - return (1 - z) * n + z * h
        + self.kept = (1 - z) * n + z * h
        + return self.kept
        """,
    "candidate_first": """
        The blocks are read in another order, with the candidate first. They are r, z, n.

        - x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        - h_r, h_z, h_n = self.U(h).chunk(3, dim=-1)
        + x_n, x_r, x_z = self.W(x).chunk(3, dim=-1)
        + h_n, h_r, h_z = self.U(h).chunk(3, dim=-1)
        """,
    "bias_not_reset": """
        The reset gate multiplies the product with U_n without its bias. In PyTorch's form the bias
        belongs to h_n, and is multiplied, too: r * h_n.

        - n = torch.tanh(x_n + r * h_n)
        + b = self.U.bias.chunk(3)[2]
        + n = torch.tanh(x_n + r * (h_n - b) + b)
        """,
}

RIGHT = {
    "library": """
        - x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        - h_r, h_z, h_n = self.U(h).chunk(3, dim=-1)
        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        - n = torch.tanh(x_n + r * h_n)
        - return (1 - z) * n + z * h
        + W, U = self.W, self.U
        + return torch.gru_cell(x, h, W.weight, U.weight, W.bias, U.bias)
        """,
    "from_candidate_to_state": """
        - x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        - h_r, h_z, h_n = self.U(h).chunk(3, dim=-1)
        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        - n = torch.tanh(x_n + r * h_n)
        - return (1 - z) * n + z * h
        + size = h.shape[1]
        + a, b = self.W(x), self.U(h)
        + gates = torch.sigmoid(a[:, : 2 * size] + b[:, : 2 * size])
        + r, z = gates[:, :size], gates[:, size:]
        + n = (a[:, 2 * size :] + r * b[:, 2 * size :]).tanh()
        + return n + z * (h - n)
        """,
    "matrix_by_matrix": """
        - x_r, x_z, x_n = self.W(x).chunk(3, dim=-1)
        - h_r, h_z, h_n = self.U(h).chunk(3, dim=-1)
        - r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        - n = torch.tanh(x_n + r * h_n)
        - return (1 - z) * n + z * h
        + parts = zip(*(p.chunk(3) for layer in (self.W, self.U) for p in layer.parameters()))
        + a, b = [], []
        + for W, w, U, u in parts:
        +     a.append(torch.einsum("bi,oi->bo", x, W) + w)
        +     b.append(torch.einsum("bi,oi->bo", h, U) + u)
        + z = 1 / (1 + torch.exp(-(a[1] + b[1])))
        + n = torch.tanh(a[2] + torch.sigmoid(a[0] + b[0]) * b[2])
        + return torch.lerp(n, h, z)
        """,
}
