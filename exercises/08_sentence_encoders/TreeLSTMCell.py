"""TreeLSTMCell: leaves and inner nodes; every gate is told from every other one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import linear

POINTS = {"leaf": 2, "node": 3, "training": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        then: list[tuple[Any, ...]],
        title: str = "",
        sizes: tuple[int, int] = (3, 2),
        **more: Any,
    ) -> Case:
        dim, hidden = sizes
        state = linear(rng, "leaf_gates", dim, 3 * hidden)
        state |= linear(rng, "gates", 2 * hidden, 5 * hidden)
        return Case(group, [dim, hidden], state=state, then=then, title=title, **more)

    def node(n: int, hidden: int = 2) -> tuple[torch.Tensor, torch.Tensor]:
        return normal(rng, n, hidden), normal(rng, n, hidden, scale=2.0)

    yield case("leaf", [("leaf", normal(rng, 2, 3))])
    yield case("leaf", [("leaf", normal(rng, number(rng, 3, 5), 2))], sizes=(2, 3))
    yield case("leaf", [("leaf", normal(rng, 1, 3))], "one leaf, with one component", sizes=(3, 1))
    yield case("leaf", [("leaf", normal(rng, 2, 2))], "six components", sizes=(2, 6))
    yield case("node", [("__call__", node(2), node(2))])
    n = number(rng, 3, 5)
    yield case("node", [("__call__", node(n, 3), node(n, 3))], sizes=(2, 3))
    yield case("node", [("__call__", node(1), node(1))], "one node")
    yield case("node", [("__call__", node(2, 1), node(2, 1))], "one component", sizes=(2, 1))
    yield case("node", [("__call__", node(2, 6), node(2, 6))], "six components", sizes=(2, 6))
    h, c = node(2)
    zeros = torch.zeros(2, 2)
    title = "the memory of the right child is empty"
    yield case("node", [("__call__", (h, c), (normal(rng, 2, 2), zeros))], title)
    title = "the memory of the left child is empty"
    yield case("node", [("__call__", (normal(rng, 2, 2), zeros), (h, c))], title)
    yield case("training", [("leaf", normal(rng, 2, 3))], "leaves", gradient="all")
    yield case("training", [("__call__", node(2), node(2))], "nodes", gradient="all")


WRONG = {
    "forget_gates_swapped": """
        The forget gates are swapped: f_l belongs to the memory of the left child, and comes before
        f_r in the layer.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + f_r.sigmoid() * c_l + f_l.sigmoid() * c_r
        """,
    "one_forget_gate": """
        Both memories go through the same forget gate. Each child has one of its own, so that the
        node can keep one and drop the other.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + f_l.sigmoid() * (c_l + c_r)
        """,
    "children_swapped": """
        The right child comes first in the concatenation. The order is [h_l; h_r].

        - i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        + i, f_l, f_r, o, u = self.gates(torch.cat([h_r, h_l], dim=1)).chunk(5, dim=1)
        """,
    "gates_in_another_order": """
        The blocks of the layer are read in another order. It is i, f_l, f_r, o, u.

        - i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        + i, f_l, f_r, u, o = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        """,
    "output_gate_second": """
        The blocks of the layer are read in another order: o comes second here. It is i, f_l, f_r,
        o, u.

        - i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        + i, o, f_l, f_r, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        """,
    "leaf_gates_in_another_order": """
        The blocks of the leaf's layer are read in another order. It is i, o, u.

        - i, o, u = self.leaf_gates(X).chunk(3, dim=1)
        + i, u, o = self.leaf_gates(X).chunk(3, dim=1)
        """,
    "gates_from_memories": """
        The gates are computed from the memories of the children. They come from the states, h.

        - i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        + i, f_l, f_r, o, u = self.gates(torch.cat([c_l, c_r], dim=1)).chunk(5, dim=1)
        """,
    "states_for_memories": """
        The forget gates multiply the states of the children. They decide about the memories, c.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + f_l.sigmoid() * h_l + f_r.sigmoid() * h_r
        """,
    "state_without_tanh": """
        tanh is missing in the state of a leaf: h = o * tanh(c), at leaves and at nodes.

          c = i.sigmoid() * u.tanh()
        - return o.sigmoid() * c.tanh(), c
        + return o.sigmoid() * c, c
        """,
    "update_is_a_gate": """
        The update u of a leaf goes through the sigmoid. It is not a gate but what is written into
        the memory, and may be negative: tanh, at leaves and at nodes.

          i, o, u = self.leaf_gates(X).chunk(3, dim=1)
        - c = i.sigmoid() * u.tanh()
        + c = i.sigmoid() * u.sigmoid()
        """,
    "memory_first": """
        The memory is returned first. The order is state h, then memory c.

          c = i.sigmoid() * u.tanh()
        - return o.sigmoid() * c.tanh(), c
        + return c, o.sigmoid() * c.tanh()
        """,
    "forget_gates_without_sigmoid": """
        The forget gates are numbers between 0 and 1: f_l and f_r go through the sigmoid, as i and o
        do.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + f_l * c_l + f_r * c_r
        """,
    "one_added_to_the_forget_gates": """
        1 is added to the forget gates before the sigmoid. Some networks do so when training begins,
        but it is not in this formula.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + (f_l + 1).sigmoid() * c_l + (f_r + 1).sigmoid() * c_r
        """,
    "forget_gates_last": """
        The blocks of the layer are read in the order of the leaf's, with the forget gates at the
        end. It is i, f_l, f_r, o, u.

        - i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        + i, o, u, f_l, f_r = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        """,
    "node_update_is_a_gate": """
        The leaves are right, but at inner nodes the update u goes through the sigmoid like the
        gates. It may be negative: tanh.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.sigmoid() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        """,
    "node_state_without_tanh": """
        The leaves are right, but in the state of an inner node tanh is missing: h = o * tanh(c).

          c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        - return o.sigmoid() * c.tanh(), c
        + return o.sigmoid() * c, c
        """,
    "pairs_unpacked_wrongly": """
        State and memory of the children are exchanged: gates are computed from the memories, and
        forget gates multiply the states. Each child comes as (h, c).

        - (h_l, c_l), (h_r, c_r) = left, right
        + (c_l, h_l), (c_r, h_r) = left, right
        """,
    "without_forget_gates": """
        The memories of the children are added as they are. Each goes through a forget gate of its
        own.

        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u.tanh() + c_l + c_r
        """,
    "update_without_tanh": """
        The update u of a leaf lacks its tanh.

        - c = i.sigmoid() * u.tanh()
        + c = i.sigmoid() * u
          return o.sigmoid() * c.tanh(), c
        ...
        - c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        + c = i.sigmoid() * u + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        """,
}

RIGHT = {
    "slices": """
        class TreeLSTMCell(nn.Module):
            def __init__(self, dim, hidden):
                super().__init__()
                self.D = hidden
                self.leaf_gates = nn.Linear(dim, 3 * hidden)
                self.gates = nn.Linear(2 * hidden, 5 * hidden)

            def leaf(self, X):
                z, D = self.leaf_gates(X), self.D
                c = torch.sigmoid(z[:, :D]) * torch.tanh(z[:, 2 * D :])
                return torch.sigmoid(z[:, D : 2 * D]) * torch.tanh(c), c

            def forward(self, left, right):
                D = self.D
                z = self.gates(torch.cat((left[0], right[0]), -1))
                i, f_l, f_r, o = torch.sigmoid(z[:, : 4 * D]).split(D, dim=1)
                c = i * torch.tanh(z[:, 4 * D :]) + f_l * left[1] + f_r * right[1]
                return o * torch.tanh(c), c
        """,
    "three_axes": """
        class TreeLSTMCell(nn.Module):
            def __init__(self, dim, hidden):
                super().__init__()
                self.leaf_gates = nn.Linear(dim, hidden * 3)
                self.gates = nn.Linear(hidden * 2, hidden * 5)

            def leaf(self, X):
                i, o, u = self.leaf_gates(X).view(len(X), 3, -1).unbind(1)
                c = torch.sigmoid(i) * torch.tanh(u)
                h = torch.sigmoid(o) * torch.tanh(c)
                return h, c

            def forward(self, left, right):
                h = torch.hstack([left[0], right[0]])
                z = self.gates(h).view(len(h), 5, -1)
                f = torch.sigmoid(z[:, 1:3])
                kept = (f * torch.stack([left[1], right[1]], dim=1)).sum(dim=1)
                c = kept + torch.sigmoid(z[:, 0]) * torch.tanh(z[:, 4])
                return torch.sigmoid(z[:, 3]) * torch.tanh(c), c
        """,
    "gate_by_gate": """
        class TreeLSTMCell(nn.Module):
            def __init__(self, dim, hidden):
                super().__init__()
                self.leaf_gates = nn.Linear(dim, 3 * hidden)
                self.gates = nn.Linear(2 * hidden, 5 * hidden)

            def leaf(self, X):
                W, b = self.leaf_gates.weight.chunk(3), self.leaf_gates.bias.chunk(3)
                i, o, u = (F.linear(X, w, v) for w, v in zip(W, b))
                c = F.sigmoid(i) * F.tanh(u)
                return F.sigmoid(o) * F.tanh(c), c

            def forward(self, left, right):
                h = torch.cat([left[0], right[0]], dim=1)
                U, b = self.gates.weight.chunk(5), self.gates.bias.chunk(5)
                i, f_l, f_r, o, u = (F.linear(h, w, v) for w, v in zip(U, b))
                c = F.sigmoid(i) * F.tanh(u)
                c = c + F.sigmoid(f_l) * left[1] + F.sigmoid(f_r) * right[1]
                return F.sigmoid(o) * F.tanh(c), c
        """,
}
