"""TreeClassifier: one tree and several, of all shapes; where dropout acts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, normal, number
from .common import N_WORDS, branching, draw_tree, linear, numbered

POINTS = {"one tree": 2, "several trees": 3, "dropout": 1, "edges": 1}

_OTHER_CELL = codec.Source(
    "lambda dim, hidden: type('Cell', (torch.nn.Module,), {"
    "'leaf': lambda self, X: (X, 2 * X), "
    "'forward': lambda self, left, right: (left[0] - right[1], right[0] + 3 * left[1])})()"
)
#: A cell without numbers of its own: a node has the state of its left child, or of its word.
_HANDS_UP = codec.Source(
    "lambda dim, hidden: type('Cell', (torch.nn.Module,), {"
    "'leaf': lambda self, X: (X, X), 'forward': lambda self, left, right: (left[0], left[1])})()"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        trees: list[tuple],
        title: str = "",
        hidden: int = 2,
        n_words: int = N_WORDS,
        dropout: float = 0.0,
        forest: list[torch.Tensor] | None = None,
        later: list[tuple] | None = None,
        **more: Any,
    ) -> Case:
        dim, n_classes = number(rng, 2, 3), number(rng, 2, 5)
        state: dict[str, Any] = {"embedding.weight": normal(rng, n_words, dim)}
        state |= linear(rng, "cell.leaf_gates", dim, 3 * hidden)
        state |= linear(rng, "cell.gates", 2 * hidden, 5 * hidden)
        state |= linear(rng, "output", hidden, n_classes) | more.pop("state", {})
        sizes = [n_words, dim, hidden, n_classes, *([dropout] if dropout else [])]
        then = [("__call__", *(forest or numbered(trees)))]
        if later is not None:
            then.append(("__call__", *numbered(later)))
        return Case(group, sizes, state=state, then=then, title=title, **more)

    def tree(n_leaves: int) -> tuple:
        return draw_tree(rng, n_leaves, N_WORDS)

    yield case("one tree", [tree(2)], "two words")
    yield case("one tree", [branching(rng, number(rng, 3, 5), N_WORDS)], "to the right")
    left = branching(rng, number(rng, 3, 5), N_WORDS, to_the_right=False)
    yield case("one tree", [left], "to the left", hidden=3)
    yield case("one tree", [tree(number(rng, 5, 7))])
    low = branching(rng, 6, 3)
    yield case("one tree", [low], "higher than its token ids", n_words=9)
    other = numbered([left], backwards=True)
    title = "nodes of equal height in another order"
    yield case("one tree", [], title, forest=other)
    title = "states of one component"
    yield case("one tree", [branching(rng, number(rng, 3, 5), N_WORDS)], title, hidden=1)
    yield case("several trees", [tree(3), tree(2)], "trees of two heights")
    yield case("several trees", [tree(1), tree(number(rng, 4, 6)), tree(3)], hidden=3)
    both = [branching(rng, 4, N_WORDS), branching(rng, 4, N_WORDS, to_the_right=False)]
    yield case("several trees", both, "one to the right, one to the left")
    balanced, right = (0, tree(2), tree(2)), branching(rng, 4, N_WORDS)
    title = "one batch after another: as many nodes, but other children and heights"
    yield case("several trees", [balanced, tree(2)], title, later=[right, tree(2)])
    yield case("several trees", [tree(3), tree(2)], "what training changes", gradient="all")
    yield _where(rng)
    title = "dropout 1 in training: the scores are the biases"
    yield case("dropout", [tree(number(rng, 2, 4))], title, dropout=1.0)
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("dropout", [tree(number(rng, 2, 4))], title, dropout=1.0, state=TO_EVAL)
    rate = int(rng.integers(1, 8)) / 16
    then = [(".dropout.p",), (".embedding.padding_idx",)]
    yield Case("dropout", [5, 2, 2, 3, rate], then=then, title="the rate; row 0 is padding")
    yield Case("dropout", [5, number(rng, 2, 3), 2, 3], then=[(".dropout.p",)], title="the default")
    yield case("edges", [tree(1)], "a single leaf")
    yield case("edges", [tree(1), tree(1), tree(1)], "three single leaves")
    state = {"embedding.weight": normal(rng, N_WORDS, 2), **linear(rng, "output", 2, 3)}
    then = [("__call__", *numbered([tree(3), tree(number(rng, 2, 4))]))]
    sizes, kwargs = [N_WORDS, 2, 2, 3], {"cell": _OTHER_CELL}
    title = "another cell is passed in"
    yield Case("edges", sizes, kwargs, state=state, then=then, title=title)


def _where(rng: np.random.Generator) -> Case:
    """Every word has the vector (1, ...), which the cell hands up the tree as it is.

    A number that is dropped n times on its way is 0 or (1 / (1 - rate)) ** n. Of the hundreds of
    numbers some stay, so that a hook shows n: in the leaves and in all other nodes.
    """
    n_leaves, size, rate = number(rng, 3, 4), 40, float(rng.choice([0.5, 0.2]))
    trees = [draw_tree(rng, n_leaves, N_WORDS) for _ in range(6)]
    shown = f"torch.stack([scores[:{6 * n_leaves}].amax(), scores[{6 * n_leaves} :].amax()])"
    state = {
        "embedding.weight": torch.ones(N_WORDS, size),
        "output.weight": torch.eye(size),
        "output.bias": torch.zeros(size),
        "_forward_hooks": codec.Source(f"{{0: lambda model, _, scores: {shown}}}"),
    }
    title = "the largest score in leaves, and in other nodes: how often does dropout divide by 1 - rate?"
    then = [("__call__", *numbered(trees))]
    sizes = [N_WORDS, size, size, size, rate]
    return Case("dropout", sizes, {"cell": _HANDS_UP}, title, state, then)


FURTHER = """
The leaves are the rows with height 0, and the first ones. For each height from 1 on: a mask of the
rows with this height; their entries in left and right, which are row numbers in the h and c that
you have so far; the cell on the four tensors that these numbers pick; concatenation.
"""

WRONG = {
    "children_swapped": """
        The right children are passed to the cell first. The left ones come first.

        - new_h, new_c = self.cell((h[l], c[l]), (h[r], c[r]))
        + new_h, new_c = self.cell((h[r], c[r]), (h[l], c[l]))
        """,
    "states_for_memories": """
        The children come with their states twice. The cell needs state and memory of each child:
        (h, c).

        - new_h, new_c = self.cell((h[l], c[l]), (h[r], c[r]))
        + new_h, new_c = self.cell((h[l], h[l]), (h[r], h[r]))
        """,
    "memory_of_the_left_twice": """
        The right child comes with the memory of the left one. Each child has its own state and its
        own memory.

        - new_h, new_c = self.cell((h[l], c[l]), (h[r], c[r]))
        + new_h, new_c = self.cell((h[l], c[l]), (h[r], c[l]))
        """,
    "leaves_for_all_nodes": """
        All nodes go through `leaf` here, inner nodes with the token id 0. Only the rows with height
        0 are leaves.

        - X = self.dropout(self.embedding(words[height == 0]))
        + X = self.dropout(self.embedding(words))
        """,
    "stops_too_early": """
        The highest nodes are missing. Heights go from 1 up to and including the largest.

        - for k in range(1, int(height.max()) + 1):
        + for k in range(1, int(height.max())):
        """,
    "no_dropout_of_words": """
        The dropout is not applied to the word vectors of the leaves.

        - X = self.dropout(self.embedding(words[height == 0]))
        + X = self.embedding(words[height == 0])
        """,
    "drops_words_in_evaluation": """
        In evaluation the word vectors are still dropped: F.dropout does not know the module's mode.
        Use `self.dropout`, which `eval()` turns off.

        - X = self.dropout(self.embedding(words[height == 0]))
        + X = F.dropout(self.embedding(words[height == 0]), self.dropout.p)
        """,
    "no_dropout_of_states": """
        The dropout is not applied to the states before the output layer.

        - return self.output(self.dropout(h))
        + return self.output(h)
        """,
    "dropout_inside_the_tree": """
        The dropout is applied at each height, inside the tree. Apply it to the word vectors, and
        once to all states before the output layer.

        - h, c = torch.cat([h, new_h]), torch.cat([c, new_c])
        + h, c = torch.cat([h, self.dropout(new_h)]), torch.cat([c, new_c])
        """,
    "scores_from_memories": """
        The scores come from the memories c. The output of a node is its state h.

        - return self.output(self.dropout(h))
        + return self.output(self.dropout(c))
        """,
    "only_the_last_row": """
        Only one node has scores here. Return those of all nodes, (N, C): the labels of phrases and
        the roots of several trees need them.

        - return self.output(self.dropout(h))
        + return self.output(self.dropout(h[-1:]))
        """,
    "only_one_height": """
        Only the nodes of the greatest height have scores in the end. Concatenate the new states to
        those that are finished.

        - h, c = torch.cat([h, new_h]), torch.cat([c, new_c])
        + h = torch.cat([h, new_h]) if k < int(height.max()) else new_h
        + c = torch.cat([c, new_c])
        """,
    "new_states_first": """
        The new states are put in front of the finished ones, so row numbers no longer fit. They
        come after them.

        - h, c = torch.cat([h, new_h]), torch.cat([c, new_c])
        + h, c = torch.cat([new_h, h]), torch.cat([new_c, c])
        """,
    "ignores_the_cell": """
        The cell that is passed in is not used. TreeLSTMCell is only the default.

        - self.cell = (TreeLSTMCell if cell is None else cell)(dim, hidden)
        + self.cell = TreeLSTMCell(dim, hidden)
        """,
    "leaves_again": """
        The leaves go through the cell a second time, as inner nodes whose children are node 0. The
        loop begins with height 1.

        - for k in range(1, int(height.max()) + 1):
        + for k in range(int(height.max()) + 1):
        """,
    "returns_probabilities": """
        These are probabilities. Return the scores; the loss takes the softmax itself.

        - return self.output(self.dropout(h))
        + return self.output(self.dropout(h)).softmax(dim=1)
        """,
}

RIGHT = {
    "node_by_node": """
        class TreeClassifier(nn.Module):
            def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
                self.cell = cell(dim, hidden) if cell is not None else TreeLSTMCell(dim, hidden)
                self.output = nn.Linear(hidden, n_classes)
                self.dropout = nn.Dropout(dropout)

            def forward(self, words, left, right, height):
                X = self.dropout(self.embedding(words))
                states = []
                for n in range(len(words)):
                    if height[n] == 0:
                        states.append(self.cell.leaf(X[n : n + 1]))
                    else:
                        states.append(self.cell(states[left[n]], states[right[n]]))
                h = torch.cat([state[0] for state in states])
                return self.output(self.dropout(h))
        """,
    "counts": """
        class TreeClassifier(nn.Module):
            def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
                super().__init__()
                if cell is None:
                    cell = TreeLSTMCell
                self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
                self.cell = cell(dim, hidden)
                self.output = nn.Linear(hidden, n_classes)
                self.dropout = nn.Dropout(p=dropout)

            def forward(self, words, left, right, height):
                sizes = torch.bincount(height).tolist()
                start = sizes[0]
                h, c = self.cell.leaf(self.dropout(self.embedding(words[:start])))
                for size in sizes[1:]:
                    rows = slice(start, start + size)
                    state = self.cell((h[left[rows]], c[left[rows]]), (h[right[rows]], c[right[rows]]))
                    h, c = (torch.cat(pair) for pair in zip((h, c), state))
                    start += size
                return self.output(self.dropout(h))
        """,
    "nonzero": """
        class TreeClassifier(nn.Module):
            def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
                self.cell = (cell or TreeLSTMCell)(dim, hidden)
                self.output = nn.Linear(hidden, n_classes)
                self.dropout = nn.Dropout(dropout)

            def forward(self, words, left, right, height):
                leaves = words[height == 0]
                h, c = self.cell.leaf(self.dropout(self.embedding(leaves)))
                k = 1
                while (height == k).any():
                    at = (height == k).nonzero().flatten()
                    a, b = left[at], right[at]
                    more_h, more_c = self.cell(
                        (h.index_select(0, a), c.index_select(0, a)),
                        (h.index_select(0, b), c.index_select(0, b)),
                    )
                    h = torch.vstack([h, more_h])
                    c = torch.vstack([c, more_c])
                    k += 1
                return self.output(self.dropout(h))
        """,
}

EQUIVALENT = {
    "Heights are compared with integers alone.": """
             ) -> torch.Tensor:
        +        height = height.float()
                 X = self.dropout(self.embedding(words[height == 0]))
        """,
    "No height is below 0.": """
        -        X = self.dropout(self.embedding(words[height == 0]))
        +        X = self.dropout(self.embedding(words[height <= 0]))
        """,
    "range takes a tensor of one integer, too.": """
        -        for k in range(1, int(height.max()) + 1):
        +        for k in range(1, height.max() + 1):
        """,
    "The cell is called with no nodes at all, which adds none.": """
        -        for k in range(1, int(height.max()) + 1):
        +        for k in range(1, int(height.max()) + 2):
        """,
    "A tree with an inner node has three nodes or more, so the mask keeps its axis.": """
        -            here = height == k
        +            here = (height == k).squeeze()
        """,
}
