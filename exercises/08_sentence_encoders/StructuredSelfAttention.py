"""StructuredSelfAttention: the weights, their sums, and the penalty for heads that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number
from .common import draw_gaps, fill_padding, linear

POINTS = {"attention": 2, "vectors": 2, "penalty": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        then: list[tuple[Any, ...]],
        title: str = "",
        dim: int = 2,
        heads: int = 2,
        **more: Any,
    ) -> Case:
        hidden = number(rng, 3, 4)
        state = linear(rng, "W_1", dim, hidden, bias=False)
        state |= linear(rng, "W_2", hidden, heads, bias=False)
        sizes = [dim, hidden, heads]
        return Case(group, sizes, state=state, then=then, title=title, **more)

    def weights(*shape: int) -> torch.Tensor:
        numbers = rng.integers(1, 10, size=shape)
        shares = numbers / numbers.sum(axis=-1, keepdims=True)
        return torch.from_numpy(shares.astype(np.float32))

    length = number(rng, 3, 5)
    inputs = [normal(rng, 2, length, 2), lengths_mask([length] * 2)]
    yield case("attention", [("attention", *inputs)])
    # zeros at padding here, so that a mistake in A looks alike with X masked and not; below, numbers
    mask = lengths_mask([2, 4, number(rng, 1, 3)])
    X = fill_padding(normal(rng, 3, 4, 3), mask, 0.0)
    yield case("attention", [("attention", X, mask)], "padding", dim=3, heads=3)
    mask = draw_gaps(rng, 2, 6)
    X = fill_padding(normal(rng, 2, 6, 2), mask, 0.0)
    yield case("attention", [("attention", X, mask)], "the mask has gaps")
    then = [(".W_1.bias",), (".W_2.bias",)]
    title = "both layers are without bias"
    yield Case("attention", [2, 3, number(rng, 2, 4)], then=then, title=title)
    inputs = [normal(rng, 2, 3, 2), lengths_mask([3, 3])]
    yield case("vectors", [("__call__", *inputs), (".size",)])
    mask = lengths_mask([2, 4, number(rng, 1, 3)])
    X = fill_padding(normal(rng, 3, 4, 3), mask, 5.0)
    yield case("vectors", [("__call__", X, mask), (".size",)], "padding", dim=3, heads=4)
    then = [
        ("__call__", normal(rng, *mask.shape, 2), mask)
        for mask in (lengths_mask([2, 4, 3]), lengths_mask([4, 1, 2]))
    ]
    yield case("vectors", then, "two batches, one after the other")
    inputs = [normal(rng, 2, 6, 2), draw_gaps(rng, 2, 6)]
    yield case("vectors", [("__call__", *inputs)], "the mask has gaps")
    inputs = [normal(rng, 2, 3, 2), lengths_mask([3, 2])]
    title = "what training changes"
    yield case("vectors", [("__call__", *inputs)], title, gradient="all")
    for batch, heads, length in ((1, 2, 3), (3, 3, number(rng, 3, 5))):
        yield case("penalty", [("penalty", weights(batch, heads, length))], heads=heads)
    then = [("penalty", weights(2, 2, 4)), ("penalty", weights(2, 2, 4))]
    yield case("penalty", then, "two batches, one after the other")
    order = torch.from_numpy(rng.permutation(4))
    A = torch.nn.functional.one_hot(order[None, :3], 4).float()
    title = "each head attends to one word, all to different ones: no penalty"
    yield case("penalty", [("penalty", A)], title, heads=3)
    A = torch.nn.functional.one_hot(order[None, [0, 0, 1]], 4).float()
    yield case("penalty", [("penalty", A)], "two heads attend to the same word", heads=3)
    then = [("penalty", weights(2, 2, 3))]
    yield case("penalty", then, "what training changes", gradient="all")
    mask = lengths_mask([0, number(rng, 2, 3)])
    inputs = [normal(rng, *mask.shape, 2), mask]
    title = "a text without tokens"
    yield case("edges", [("attention", *inputs), ("__call__", *inputs)], title)
    inputs = [normal(rng, 2, 1, 2), lengths_mask([1, 1])]
    yield case("edges", [("attention", *inputs), ("__call__", *inputs)], "one token", heads=3)
    inputs = [normal(rng, 1, 4, 2), lengths_mask([4])]
    yield case("edges", [("attention", *inputs), ("__call__", *inputs)], "one head", heads=1)


WRONG = {
    "without_tanh": """
        tanh is missing between the two layers. Without it they are one linear layer.

        - r = self.W_2(torch.tanh(self.W_1(X)))  # (B, L, r)
        + r = self.W_2(self.W_1(X))
        """,
    "reshaped_for_transposed": """
        A reshape to (B, r, L) mixes the scores of different words and heads, since it keeps the
        numbers in their order. Swap the last two axes of (B, L, r) with a transpose.

        - return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
        + return masked_softmax(r.reshape(len(X), -1, X.shape[1]), mask.unsqueeze(1))
        """,
    "softmax_over_heads": """
        The softmax runs over the heads, so the weights of each word sum to 1. For each head the
        weights of all words should.

        - return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
        + return (torch.softmax(r, dim=2) * mask.unsqueeze(2)).transpose(1, 2)
        """,
    "words_before_heads": """
        This is (B, L, r). A has a row for each head and a column for each word: (B, r, L).

        - return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
        + return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1)).transpose(1, 2)
        ...
        - return (self.attention(X, mask) @ X).flatten(1)
        + return (self.attention(X, mask).mT @ X).flatten(1)
        """,
    "ignores_mask": """
        Padding gets attention. Pass the mask to your masked_softmax, with an axis for the heads.

        - return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
        + return torch.softmax(r.transpose(1, 2), dim=-1)
        """,
    "attends_to_zeros": """
        Padding gets attention: its vector is zeros here, but a score of 0 still has a share of the
        softmax. Pass the mask to your masked_softmax, with an axis for the heads.

        - r = self.W_2(torch.tanh(self.W_1(X)))  # (B, L, r)
        - return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
        + r = self.W_2(torch.tanh(self.W_1(X.masked_fill(~mask.unsqueeze(-1), 0.0))))
        + return torch.softmax(r.transpose(1, 2), dim=-1)
        ...
        - return (self.attention(X, mask) @ X).flatten(1)
        + return (self.attention(X, mask) @ X.masked_fill(~mask.unsqueeze(-1), 0.0)).flatten(1)
        """,
    "component_by_component": """
        The vectors of the heads are interleaved. Concatenate them: all d components of the first
        head, then those of the second.

        - return (self.attention(X, mask) @ X).flatten(1)
        + return (self.attention(X, mask) @ X).transpose(1, 2).flatten(1)
        """,
    "with_bias": """
        The layers have a bias. In this formula both are without: nn.Linear(..., bias=False).

        - self.W_1 = nn.Linear(dim, hidden, bias=False)
        - self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        + self.W_1 = nn.Linear(dim, hidden)
        + self.W_2 = nn.Linear(hidden, n_heads)
        """,
    "without_identity": """
        The identity is missing. A row's product with itself should be close to 1, those of
        different rows close to 0.

        - excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
        + excess = A @ A.transpose(1, 2)
        """,
    "norm_not_squared": """
        This is the norm itself. The penalty is its square, the sum of the squares of all entries.

        - return (excess**2).sum(dim=(1, 2)).mean()
        + return (excess**2).sum(dim=(1, 2)).sqrt().mean()
        """,
    "mean_of_squares": """
        This is the mean of all squared entries. Per text it should be their sum; the mean is taken
        over the texts of the batch only.

        - return (excess**2).sum(dim=(1, 2)).mean()
        + return (excess**2).mean()
        """,
    "sum_over_batch": """
        The penalties of all texts are added up. Return their mean, which does not depend on the
        size of the batch.

        - return (excess**2).sum(dim=(1, 2)).mean()
        + return (excess**2).sum()
        """,
    "compares_words": """
        This compares the words, with a matrix of L rows. The heads should differ: A times A
        transposed, of r rows.

        - excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
        + excess = A.transpose(1, 2) @ A - torch.eye(A.shape[2], dtype=A.dtype, device=A.device)
        """,
    "relu_for_tanh": """
        Between the two layers stands relu. In this formula it is tanh.

        - r = self.W_2(torch.tanh(self.W_1(X)))  # (B, L, r)
        + r = self.W_2(torch.relu(self.W_1(X)))  # (B, L, r)
        """,
}

RIGHT = {
    "einsum": """
        class StructuredSelfAttention(nn.Module):
            def __init__(self, dim, hidden, n_heads):
                super().__init__()
                self.W_1 = nn.Linear(dim, hidden, bias=False)
                self.W_2 = nn.Linear(hidden, n_heads, bias=False)
                self.size = dim * n_heads

            def attention(self, X, mask):
                hidden = torch.tanh(torch.einsum("bld,ud->blu", X, self.W_1.weight))
                r = torch.einsum("blu,ru->brl", hidden, self.W_2.weight)
                return masked_softmax(r, mask[:, None])

            def forward(self, X, mask):
                M = torch.einsum("brl,bld->brd", self.attention(X, mask), X)
                return M.reshape(len(X), -1)

            def penalty(self, A):
                eye = torch.eye(A.size(1))
                return torch.stack([((a @ a.T - eye) ** 2).sum() for a in A]).mean()
        """,
    "head_by_head": """
        class StructuredSelfAttention(nn.Module):
            def __init__(self, dim, hidden, n_heads):
                super().__init__()
                self.W_1 = nn.Linear(dim, hidden, bias=False)
                self.W_2 = nn.Linear(hidden, n_heads, bias=False)
                self.size = n_heads * dim

            def attention(self, X, mask):
                r = self.W_2(self.W_1(X).tanh())
                heads = [masked_softmax(r[:, :, k], mask) for k in range(r.shape[2])]
                return torch.stack(heads, dim=1)

            def forward(self, X, mask):
                A = self.attention(X, mask)
                sums = [(A[:, k, :, None] * X).sum(1) for k in range(A.shape[1])]
                return torch.cat(sums, dim=1)

            def penalty(self, A):
                S = torch.bmm(A, A.mT)
                return torch.linalg.matrix_norm(S - torch.eye(A.shape[1])).pow(2).mean()
        """,
    "frobenius": """
        class StructuredSelfAttention(nn.Module):
            def __init__(self, dim, hidden, n_heads):
                super().__init__()
                self.W_1, self.W_2 = (
                    nn.Linear(dim, hidden, bias=False),
                    nn.Linear(hidden, n_heads, bias=False),
                )
                self.size = n_heads * dim

            def attention(self, X, mask):
                scores = torch.tanh(X @ self.W_1.weight.T) @ self.W_2.weight.T
                return masked_softmax(scores.permute(0, 2, 1), mask[:, None, :])

            def forward(self, X, mask):
                return torch.bmm(self.attention(X, mask), X).view(X.shape[0], self.size)

            def penalty(self, A):
                difference = A @ A.mT - torch.eye(A.shape[-2])
                return difference.square().sum() / len(A)
        """,
}

EQUIVALENT = {
    "The matrix is symmetric.": """
        -        excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
        +        excess = (A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)).mT
        """,
    "The identity is exact in every precision.": """
        -        excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
        +        excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], device=A.device)
        """,
    "A batch without any token has nothing to learn from.": "every edit: constant corner",
}
