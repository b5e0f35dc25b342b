"""nearest_tokens: cosines, itself left out, the order, zeros, and a k that is too large."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 2, "itself": 1, "edges": 1}


def fan(rng: np.random.Generator, n: int, spread: float = 3.0) -> torch.Tensor:
    """Vectors in a half plane, clearly apart in direction, of different lengths, in any order."""
    angles = (np.arange(n) + rng.uniform(0.0, 0.3, size=n)) ** 1.1 * spread / n**1.1
    lengths = rng.uniform(0.3, 5.0, size=n)
    X = np.stack([np.cos(angles), np.sin(angles)], axis=1) * lengths[:, None]
    return torch.from_numpy(X[rng.permutation(n)].astype(np.float32))


def close_by(rng: np.random.Generator, n: int) -> torch.Tensor:
    """n vectors: the first, and others in any order with cosines just below 1 to it."""
    cosines = 1 - 3e-5 * (1 + rng.permutation(n - 1))
    X = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1)
    X = np.concatenate([[[1.0, 0.0]], X]) * rng.uniform(0.5, 2.0, size=(n, 1))
    return torch.from_numpy(X.astype(np.float32))


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, k in ((6, 1), (number(rng, 8, 10), 3)):
        queries = torch.from_numpy(rng.permutation(n)[:3])
        yield Case("values", [fan(rng, n), queries, k])
    too_few = ("no_query_is_a_neighbor",)  # fewer than k are left, and then any come
    inputs = [fan(rng, 9), torch.from_numpy(rng.permutation(9)), 8]
    yield Case("values", inputs, title="all others", undefined=too_few)
    X = fan(rng, 7)
    X[number(rng, 0, 6)] *= 30.0
    inputs = [X, torch.arange(7), 2]
    yield Case("values", inputs, title="a long vector is no nearer", undefined=too_few)
    yield Case("values", [close_by(rng, 8), torch.tensor([0]), 7], title="directions hardly differ")
    X = fan(rng, 8)
    yield Case("itself", [X, torch.tensor([7, 7, 0]), number(rng, 2, 4)], title="a query twice")
    X = fan(rng, 6)
    X = torch.cat([X, -X[:1]])
    inputs = [X, torch.tensor([0, 6]), 6]
    yield Case("itself", inputs, title="an opposite vector comes last", undefined=too_few)
    X = fan(rng, 4)
    title = "pairs of equal vectors: each is the other's neighbor"
    inputs = [torch.cat([X, X]), torch.arange(8), 1]
    yield Case("itself", inputs, title=title, undefined=too_few)
    X = fan(rng, 5, 2.9)
    at = number(rng, 0, 4)
    X[at] *= 0.001
    yield Case("itself", [X, torch.tensor([at, at]), 4], title="the query is a short vector")
    X = fan(rng, 6, 1.0)
    X = torch.cat([X, torch.zeros(1, 2), -X[:1] + 0.01])
    yield Case("edges", [X, torch.tensor([number(rng, 0, 5)]), 7], title="a vector of zeros")
    X = fan(rng, 2)[:, :1]
    inputs = [X, torch.tensor([1, 0]), 1]
    yield Case("edges", inputs, title="two tokens, of one component", undefined=too_few)
    X = fan(rng, number(rng, 4, 5))
    title = "k is N: a token has only N - 1 others"
    yield Case("edges", [X, torch.tensor([1]), len(X)], judge=VALUE_ERROR, title=title)
    yield Case("edges", [X, torch.tensor([1]), 0], judge=VALUE_ERROR, title="k is 0")
    X = fan(rng, 12)
    yield Case("edges", [X, torch.from_numpy(rng.permutation(12)[:1]), 11], title="one query")


WRONG = {
    "itself": """
        A token is its own nearest neighbor, with cosine 1. Leave it out.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        """,
    "drops_the_first": """
        This takes k + 1 and drops the first, which is the token itself only if nothing is as near. Two
        parallel vectors have the cosine 1, too, and rounding may put the other first. Set its own
        cosine to minus infinity.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        - return cosines.topk(k, dim=1).indices
        + return cosines.argsort(dim=1, descending=True)[:, 1 : k + 1]
        """,
    "drops_the_first_of_topk": """
        topk gives k + 1 places here, and the first is dropped. Of equal cosines topk may put any first,
        so it need not be the token itself. Give the token itself the cosine minus infinity.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        - return cosines.topk(k, dim=1).indices
        + return cosines.topk(min(k + 1, len(X)), dim=1).indices[:, 1:]
        """,
    "no_query_is_a_neighbor": """
        All queries are left out of every row, but one query may well be the neighbor of another. Leave
        out only the token itself, each in its own row.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        + cosines[:, queries] = -torch.inf
        """,
    "diagonal": """
        In row i the column i is left out, but row i belongs to the token queries[i], which stands
        in another column. Leave out that column.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        + cosines.fill_diagonal_(-torch.inf)
        """,
    "own_cosine_zero": """
        The own cosine is set to 0, but others may be below 0: minus infinity is below everything.

        - cosines[torch.arange(len(queries)), queries] = -torch.inf
        + cosines[torch.arange(len(queries)), queries] = 0.0
        """,
    "dot_product": """
        These are dot products: long vectors are near to everything. Scale the vectors to length 1.

        - X = F.normalize(X, dim=1)
        """,
    "farthest_first": """
        The order is the wrong way around: the largest cosine comes first.

        - return cosines.topk(k, dim=1).indices
        + cosines[torch.arange(len(queries)), queries] = torch.inf
        + return cosines.topk(k, dim=1, largest=False).indices
        """,
    "distances": """
        These are neighbors by distance, in which the lengths of the vectors matter. Cosines compare the
        directions.

        - X = F.normalize(X, dim=1)
        - cosines = X[queries] @ X.T  # (Q, N)
        + cosines = -torch.cdist(X[queries], X)
        """,
    "returns_cosines": """
        These are the cosines; wanted are the places of the tokens.

        - return cosines.topk(k, dim=1).indices
        + return cosines.topk(k, dim=1).values
        """,
    "too_large_k": """
        A k of N or more would fill the row with the token itself, or with nothing, and a k of 0 asks for
        no neighbor. Raise a ValueError unless k is from 1 to N - 1.

        - if not 1 <= k < len(X):
        -     raise ValueError(f"k must be from 1 to {len(X) - 1}, the number of others, but is {k}.")
        + k = min(k, len(X))
        """,
    "k_may_be_n": """
        With k = N the token itself has to fill the row. It has only N - 1 others: raise a
        ValueError for N, too.

        - if not 1 <= k < len(X):
        + if not 1 <= k <= len(X):
        """,
    "nan_for_zeros": """
        A vector of zeros divided by its length is NaN, and NaN is nearest to everything. Its cosine is 0.

        - X = F.normalize(X, dim=1)
        + X = X / X.norm(dim=1, keepdim=True)
        """,
}

RIGHT = {
    "loop": """
        def nearest_tokens(X, queries, k):
            if k < 1 or k >= len(X):
                raise ValueError("k must be at least 1 and below the number of tokens")
            rows = []
            for q in queries.tolist():
                c = F.cosine_similarity(X[q][None], X, dim=1)
                order = [i for i in c.argsort(descending=True).tolist() if i != q]
                rows.append(order[:k])
            return torch.tensor(rows)
        """,
    "sort": """
        def nearest_tokens(X, queries, k):
            if not 0 < k <= len(X) - 1:
                raise ValueError(k)
            U = X / X.norm(dim=1, keepdim=True).clamp(min=1e-12)
            S = U[queries] @ U.T
            S.scatter_(1, queries[:, None], -2.0)
            return S.sort(dim=1, descending=True)[1][:, :k]
        """,
}

FURTHER = """
Scale all vectors to length 1, so that dot products are cosines. In row i of the table (Q, N) the query
itself stands in the column queries[i]: put minus infinity there before you look for the largest.
"""

EQUIVALENT = {
    "Double precision keeps the order.": """
         def nearest_tokens(X: torch.Tensor, queries: torch.Tensor, k: int) -> torch.Tensor:
        +    X = X.double()
             if not 1 <= k < len(X):
        """,
    "A product stays if both of its vectors change their signs.": """
        -    X = F.normalize(X, dim=1)
        +    X = -F.normalize(X, dim=1)
        """,
    "1 is the default.": """
        -    X = F.normalize(X, dim=1)
        +    X = F.normalize(X)
        """,
    "Infinity is the same as any kind of number.": """
        -    cosines[torch.arange(len(queries)), queries] = -torch.inf
        +    cosines[torch.arange(len(queries)), queries] = round(-torch.inf, 2)

        -    cosines[torch.arange(len(queries)), queries] = -torch.inf
        +    cosines[torch.arange(len(queries)), queries] = torch.tensor(-torch.inf)
        """,
    "Integers of any type number the places.": """
        -    return cosines.topk(k, dim=1).indices
        +    return cosines.topk(k, dim=1).indices.int()
        """,
}
