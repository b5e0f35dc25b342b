"""RecursiveNetwork: leaves, trees of several shapes, the order of children, and the labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import normal, number
from .common import N_WORDS, branching, draw_tree, linear

POINTS = {"vector": 3, "scores": 2, "leaf": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        then: list[tuple[Any, ...]],
        title: str = "",
        dim: int = 2,
        n_words: int = N_WORDS,
        **more: Any,
    ) -> Case:
        n_classes = number(rng, 2, 5)
        state = {"embedding.weight": normal(rng, n_words, dim)}
        state |= linear(rng, "W", 2 * dim, dim) | linear(rng, "output", dim, n_classes)
        return Case(group, [n_words, dim, n_classes], state=state, then=then, title=title, **more)

    def tree(n_leaves: int) -> tuple:
        return draw_tree(rng, n_leaves, N_WORDS)

    pair = (int(rng.integers(5)), (1, 5), (4, number(rng, 2, 4)))
    yield case("vector", [("vector", pair)], "two words")
    label, left, right = pair
    yield case("vector", [("vector", (label, right, left))], "the same words in the other order")
    yield case("vector", [("vector", tree(number(rng, 5, 7)))], dim=3)
    yield case("vector", [("vector", branching(rng, 4, N_WORDS))], "branching to the right")
    left_branching = branching(rng, 4, N_WORDS, to_the_right=False)
    yield case("vector", [("vector", left_branching)], "branching to the left")
    title = "nine words"
    yield case("vector", [("vector", (2, (1, 8), tree(2)))], title, n_words=9)
    yield case("vector", [("vector", tree(number(rng, 3, 4)))], "one component", dim=1)
    yield case("vector", [("vector", tree(3))], "what training changes", gradient="all")
    yield case("scores", [("__call__", [tree(4), tree(number(rng, 2, 3)), tree(1)])])
    yield case("scores", [("__call__", [tree(number(rng, 3, 5))])], "a batch of one tree", dim=3)
    twice, other = tree(3), tree(2)
    yield case("scores", [("__call__", [other, twice, other, twice])], "two trees, each twice")
    yield case(
        "scores", [("__call__", [tree(3), tree(2)])], "what training changes", gradient="all"
    )
    yield case("leaf", [("vector", tree(1))], "a single leaf")
    yield case("leaf", [("vector", (0, 0))], "a leaf with the token id 0")
    yield case("leaf", [("vector", tree(1))], "a single leaf, one component", dim=1)
    yield case("leaf", [("__call__", [tree(1), tree(1)])], "scores of single leaves")


WRONG = {
    "children_swapped": """
        The right child comes first. W is applied to [left; right].

        - children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
        + children = torch.cat([self.vector(tree[2]), self.vector(tree[1])])
        """,
    "without_tanh": """
        tanh is missing: without it, the network is one linear map of its words, however high the
        tree.

        - return torch.tanh(self.W(children))
        + return self.W(children)
        """,
    "tanh_of_words": """
        The vectors of the words go through tanh, too. A leaf has the vector of its word as it is.

        - return self.embedding.weight[tree[1]]
        + return torch.tanh(self.embedding.weight[tree[1]])
        """,
    "looks_up_the_label": """
        The vector of a leaf is looked up by its label. A leaf is (label, id).

        - return self.embedding.weight[tree[1]]
        + return self.embedding.weight[tree[0]]
        """,
    "averages_children": """
        The children are averaged, and their order is lost. Concatenate the left and the right one
        and apply W.

        - children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
        + mean = (self.vector(tree[1]) + self.vector(tree[2])) / 2
        + children = torch.cat([mean, mean])
        """,
    "detached_children": """
        The vectors of the children are cut off from the computation, so nothing below the root is
        trained. Leave out detach, item and torch.tensor.

        - children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
        + children = torch.cat([self.vector(tree[1]), self.vector(tree[2])]).detach()
        """,
    "scores_of_first_child": """
        The scores are those of a child. They should come from the vector of the root.

        - return self.output(torch.stack([self.vector(tree) for tree in trees]))
        + return self.output(
        +     torch.stack([self.vector(t if len(t) == 2 else t[1]) for t in trees])
        + )
        """,
    "returns_probabilities": """
        These are probabilities. Return the scores; the loss takes the softmax itself.

        - return self.output(torch.stack([self.vector(tree) for tree in trees]))
        + return self.output(torch.stack([self.vector(tree) for tree in trees])).softmax(dim=1)
        """,
    "adds_a_bias_twice": """
        Each child goes through W on its own, with zeros for the other one, and the bias is added
        twice. Concatenate the children first, then apply W once.

        - children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
        - return torch.tanh(self.W(children))
        + left, right = self.vector(tree[1]), self.vector(tree[2])
        + zeros = torch.zeros_like(left)
        + both = self.W(torch.cat([left, zeros])) + self.W(torch.cat([zeros, right]))
        + return torch.tanh(both)
        """,
    "relu_for_tanh": """
        The composition ends in relu. This network has tanh, whose results may be negative.

        - return torch.tanh(self.W(children))
        + return torch.relu(self.W(children))
        """,
    "tanh_of_scores": """
        The scores go through tanh, so none is above 1. They come from a linear layer alone.

        - return self.output(torch.stack([self.vector(tree) for tree in trees]))
        + return torch.tanh(self.output(torch.stack([self.vector(tree) for tree in trees])))
        """,
}

RIGHT = {
    "two_matrices": """
        class RecursiveNetwork(nn.Module):
            def __init__(self, n_words, dim, n_classes):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim)
                self.W = nn.Linear(2 * dim, dim)
                self.output = nn.Linear(dim, n_classes)

            def vector(self, tree):
                _, *below = tree
                if len(below) == 1:
                    return self.embedding(torch.tensor(below[0]))
                W_l, W_r = self.W.weight.chunk(2, dim=1)
                left, right = map(self.vector, below)
                return torch.tanh(W_l @ left + W_r @ right + self.W.bias)

            def forward(self, trees):
                return torch.stack([self.output(self.vector(tree)) for tree in trees])
        """,
    "stack_of_nodes": """
        class RecursiveNetwork(nn.Module):
            def __init__(self, n_words, dim, n_classes):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim)
                self.W = nn.Linear(dim * 2, dim)
                self.output = nn.Linear(dim, n_classes)

            def vector(self, tree):
                todo, done = [(tree, False)], []
                while todo:
                    node, ready = todo.pop()
                    if len(node) == 2:
                        done.append(self.embedding.weight[node[1]])
                    elif ready:
                        right, left = done.pop(), done.pop()
                        done.append(self.W(torch.cat((left, right))).tanh())
                    else:
                        todo += [(node, True), (node[2], False), (node[1], False)]
                return done[0]

            def forward(self, trees):
                return self.output(torch.stack([self.vector(t) for t in trees], dim=0))
        """,
    "by_type": """
        class RecursiveNetwork(nn.Module):
            def __init__(self, n_words, dim, n_classes):
                super().__init__()
                self.embedding = nn.Embedding(num_embeddings=n_words, embedding_dim=dim)
                self.W = nn.Linear(in_features=2 * dim, out_features=dim)
                self.output = nn.Linear(in_features=dim, out_features=n_classes)

            def vector(self, tree):
                if isinstance(tree[1], int):
                    return self.embedding(torch.tensor([tree[1]]))[0]
                label, left, right = tree
                both = torch.hstack([self.vector(left), self.vector(right)])
                return torch.tanh(self.W(both[None]))[0]

            def forward(self, trees):
                rows = [self.vector(tree)[None] for tree in trees]
                return self.output(torch.cat(rows))
        """,
}

EQUIVALENT = {
    "A tree has two or three elements.": """
        -        if len(tree) == 2:
        +        if len(tree) <= 2:
        """,
    "The last element of a leaf is its second one.": """
        -            return self.embedding.weight[tree[1]]
        +            return self.embedding.weight[tree[-1]]
        """,
    "Two children have at least two components.": """
        -        children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
        +        children = torch.cat([self.vector(tree[1]), self.vector(tree[2])]).squeeze()
        """,
    "A batch has a tree: there is no stack of nothing.": "every edit: constant corner",
}
