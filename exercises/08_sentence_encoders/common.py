"""What the cases of 08_sentence_encoders share: word vectors, masks, weights, trees."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from ..draw import linear as plain_linear

WORDS = "not a good film dull long never great plot cast".split()
#: How many different words the trees have, with padding.
N_WORDS = 7

#: Layers with larger weights than elsewhere.
linear = partial(plain_linear, gain=1.5, shift=0.5)


def draw_gaps(rng: np.random.Generator, batch: int, length: int) -> torch.Tensor:
    """A mask (B, L) with padding between the words, not the same in all texts."""
    mask = torch.from_numpy(rng.random((batch, length)) < 0.5)
    for row in mask:
        row[int(rng.integers(length - 1))] = True
        row[int(rng.integers(1, length - 1))] = False
    mask[0, -1], mask[1, -1] = True, False
    mask[:, 0] = True
    return mask


def fill_padding(X: torch.Tensor, mask: torch.Tensor, value: float) -> torch.Tensor:
    return X.masked_fill(~mask.unsqueeze(-1), value)


def draw_tree(rng: np.random.Generator, n_leaves: int, n_words: int, labels: int = 5) -> tuple:
    """A tree with token ids from 1 on at its leaves, divided at random."""
    label = int(rng.integers(labels))
    if n_leaves == 1:
        return label, int(rng.integers(1, n_words))
    first = int(rng.integers(1, n_leaves))
    parts = (draw_tree(rng, n, n_words, labels) for n in (first, n_leaves - first))
    return label, *parts


def branching(
    rng: np.random.Generator, n_leaves: int, n_words: int, to_the_right: bool = True
) -> tuple:
    """A tree in which one child of each inner node is a leaf."""
    tree = draw_tree(rng, 1, n_words)
    for _ in range(n_leaves - 1):
        leaf = draw_tree(rng, 1, n_words)
        tree = (int(rng.integers(5)), *((leaf, tree) if to_the_right else (tree, leaf)))
    return tree


def numbered(trees: list[tuple], backwards: bool = False) -> list[torch.Tensor]:
    """Words, left, right and height of the trees' nodes, numbered by height.

    With `backwards`, nodes of equal height are numbered from the last to the first.
    """
    rows: list[list[int]] = []  # height, word, left, right

    def add(tree: tuple) -> int:
        if len(tree) == 2:
            rows.append([0, tree[1], 0, 0])
        else:
            left, right = add(tree[1]), add(tree[2])
            rows.append([1 + max(rows[left][0], rows[right][0]), 0, left, right])
        return len(rows) - 1

    for tree in trees:
        add(tree)
    order = sorted(range(len(rows)), key=lambda i: (rows[i][0], -i if backwards else i))
    new = {row: at for at, row in enumerate(order)}
    height, words, left, right = (torch.tensor([rows[i][k] for i in order]) for k in range(4))
    moved = [torch.tensor([new[i] for i in part.tolist()]) * (height > 0) for part in (left, right)]
    return [words, *moved, height]
