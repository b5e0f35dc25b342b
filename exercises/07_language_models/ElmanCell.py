"""ElmanCell: values, gradients, sizes of one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import normal

POINTS = {"values": 2, "gradient": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, title: str, batch: int, dim: int, hidden: int, **other: str) -> Case:
        state = {
            "W.weight": normal(rng, hidden, dim),
            "W.bias": normal(rng, hidden),
            "U.weight": normal(rng, hidden, hidden),
        }
        then = [("__call__", normal(rng, batch, dim), normal(rng, batch, hidden))]
        return Case(group, [dim, hidden], state=state, then=then, title=title, **other)

    yield case("values", "", 2, 3, 4)
    yield case("values", "", int(rng.integers(3, 5)), 4, 2)
    title = "as many components as the word vectors"
    yield case("values", title, 2, 3, 3)
    yield case("gradient", "what training changes", 2, 2, 3, gradient="all")
    yield case("edges", "a batch of one", 1, 2, 3)
    yield case("edges", "vectors of one component", 2, 1, 1)
    steps = [(".U.bias",), (".W.weight.shape",), (".U.weight.shape",)]
    dim, hidden = int(rng.integers(2, 4)), int(rng.integers(4, 6))
    yield Case("edges", [dim, hidden], then=steps, title="the shapes of the parameters")


WRONG = {
    "no_tanh": """
        The tanh is missing. Without it the state is a linear map of the words, and may grow without
        limit.

        - return torch.tanh(self.W(x) + self.U(h))
        + return self.W(x) + self.U(h)
        """,
    "sigmoid": """
        This is the sigmoid, between 0 and 1. The Elman cell of this course takes the tanh.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.sigmoid(self.W(x) + self.U(h))
        """,
    "tanh_twice": """
        You take the tanh of each product. Add first; one tanh for the sum.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x)) + torch.tanh(self.U(h))
        """,
    "forgets_the_state": """
        The result does not depend on h: the cell has no memory.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x))
        """,
    "adds_the_old_state": """
        The old state is added to the new one. It should enter only through U.

        - return torch.tanh(self.W(x) + self.U(h))
        + return h + torch.tanh(self.W(x) + self.U(h))
        """,
    "detaches_the_state": """
        The values are right, but no gradient reaches the old state: without it, the network cannot
        learn what to remember. Leave out `detach` (and `.data`).

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x) + self.U(h.detach()))
        """,
    "two_biases": """
        U has a bias, too. W's is enough: U is made with bias=False.

        - self.U = nn.Linear(hidden, hidden, bias=False)
        + self.U = nn.Linear(hidden, hidden)
        """,
    "tanh_of_the_word_alone": """
        The tanh covers the word's part only. Add the part of the state first; one tanh for the sum.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x)) + self.U(h)
        """,
    "multiplies_the_parts": """
        The two parts are multiplied. Add them.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x) * self.U(h))
        """,
    "relu": """
        This is ReLU, which is never negative. The Elman cell of this course takes the tanh.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.relu(self.W(x) + self.U(h))
        """,
    "keeps_its_own_state": """
        The state is kept in the object, and the one that is passed in is ignored. Whoever calls the
        cell passes the state: a second text must not begin where the first one ended.

        - return torch.tanh(self.W(x) + self.U(h))
        + if not hasattr(self, "kept"):
        +     self.kept = h
        + h = self.kept
        + self.kept = torch.tanh(self.W(x) + self.U(h))
        + return self.kept
        """,
    "multiplies_by_U_from_the_right": """
        The state is multiplied by U's weight as it stands. `nn.Linear` multiplies by the
        *transposed* weight: call the layer, or write `.T`.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x) + h @ self.U.weight)
        """,
    "state_without_U": """
        The old state is added as it is: the matrix U is not used.

        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(self.W(x) + h) + 0 * self.U(h)
        """,
}

RIGHT = {
    "products_by_hand": """
        - return torch.tanh(self.W(x) + self.U(h))
        + return torch.tanh(x @ self.W.weight.T + self.W.bias + h @ self.U.weight.T)
        """,
    "concatenated": """
        - return torch.tanh(self.W(x) + self.U(h))
        + both = torch.cat([self.W.weight, self.U.weight], dim=1)
        + return nn.functional.linear(torch.cat([x, h], dim=1), both, self.W.bias).tanh()
        """,
    "by_einsum": """
        - return torch.tanh(self.W(x) + self.U(h))
        + old = torch.einsum("bi,oi->bo", h, self.U.weight)
        + return torch.tanh(torch.einsum("bi,oi->bo", x, self.W.weight) + old + self.W.bias)
        """,
}
