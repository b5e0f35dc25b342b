"""mutual_neighbors: only pairs that choose each other; a hub that everybody chooses; one word."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 2, "hubs": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def drawn(n: int, m: int) -> torch.Tensor:
        """Different similarities, so that there are no ties."""
        numbers = rng.permutation(n * m).reshape(n, m)
        return torch.tensor(numbers / (n * m) - 0.4, dtype=torch.float32)

    n = int(rng.integers(4, 7))
    yield Case("values", [drawn(3, 3)], title="three words a side")
    title = "more words on the right side, and none alike"
    yield Case("values", [drawn(n, n + 2) - 0.6], title=title)
    yield Case("values", [drawn(n + 3, n)], title="more words on the left side")
    big = drawn(9, 9)
    big[range(9), rng.permutation(9)] += 2
    yield Case("values", [big], title="everyone has a partner")
    yield Case("values", [0.7 + drawn(9, 8) / 10_000], title="similarities that hardly differ")
    hub = drawn(n, n + 1)
    hub[:, int(rng.integers(1, n))] += 2
    yield Case("hubs", [hub], title="a column that all rows choose")
    hub = drawn(n + 1, n)
    hub[int(rng.integers(1, n))] += 2
    yield Case("hubs", [hub], title="a row that all columns choose")
    yield Case("edges", [drawn(1, 1)], title="one word a side")
    yield Case("edges", [drawn(1, n)], title="one word on the left side")
    yield Case("edges", [drawn(n, 1) - 2], title="one word on the right side, far from all")


WRONG = {
    "one_way": """
        Every row gets its best column, whether that column chooses the row or not. Keep a pair only
        if each is the other's best.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(i, j) for i, j in enumerate(right)]
        """,
    "the_other_way": """
        Every column gets its best row, whether that row chooses the column or not. Keep a pair only
        if each is the other's best.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return sorted((i, j) for j, i in enumerate(left))
        """,
    "swapped": """
        The pairs are (column, row). The row comes first.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(j, i) for i, j in enumerate(right) if left[j] == i]
        """,
    "columns_first": """
        The pairs are (column, row), in the order of the columns: `argmax(dim=0)` goes down each
        column and finds its best row, `argmax(dim=1)` finds the best column of each row.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(j, i) for j, i in enumerate(left) if right[i] == j]
        """,
    "in_the_order_of_columns": """
        The pairs are right, but in the order of the columns. Sort them by the row.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(i, j) for j, i in enumerate(left) if right[i] == j]
        """,
    "smallest": """
        These are the words that are farthest from each other. Take the largest similarity, not the
        smallest.

        - right = similarity.argmax(dim=1).tolist()  # for each row its best column
        - left = similarity.argmax(dim=0).tolist()  # for each column its best row
        + right = similarity.argmin(dim=1).tolist()
        + left = similarity.argmin(dim=0).tolist()
        """,
    "same_number": """
        Word i of one language is compared with word i of the other, but the two lists have nothing
        to do with each other. Ask for each row's best column whether its best row is this row.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(i, j) for i, j in enumerate(right) if i < len(left) and left[i] == j]
        """,
    "tensors_for_numbers": """
        The pairs contain tensors. Return whole numbers: tolist() or int() makes them.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(torch.tensor(i), torch.tensor(j)) for i, j in enumerate(right) if left[j] == i]
        """,
    "either_choice": """
        A pair is kept if one of the two words chooses the other. Both have to.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return sorted({*enumerate(right), *((i, j) for j, i in enumerate(left))})
        """,
    "lists_for_tuples": """
        The pairs are lists. Make tuples of them.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [[i, j] for i, j in enumerate(right) if left[j] == i]
        """,
    "greedy_pairs": """
        The most similar pairs are taken one after the other, so a word whose neighbor is gone gets
        another one. A pair counts only if each is the nearest of *all* words on the other side.

        def mutual_neighbors(similarity):
            pairs, rest = [], similarity.clone()
            for _ in range(min(similarity.shape)):
                i, j = divmod(int(rest.argmax()), similarity.shape[1])
                pairs.append((i, j))
                rest[i], rest[:, j] = -torch.inf, -torch.inf
            return sorted(pairs)
        """,
    "by_absolute_value": """
        The neighbors are chosen by the absolute value, so that the most *un*like may win. Take the
        largest similarity with its sign.

        - right = similarity.argmax(dim=1).tolist()  # for each row its best column
        - left = similarity.argmax(dim=0).tolist()  # for each column its best row
        + right = similarity.abs().argmax(dim=1).tolist()
        + left = similarity.abs().argmax(dim=0).tolist()
        """,
    "dimensions_exchanged": """
        The two dimensions are exchanged: dim=1 looks along each row and finds its best column, dim=0
        goes down each column and finds its best row. So the numbers of columns are used as those of
        rows, and where there are fewer columns than rows, the index is out of bounds.

        def mutual_neighbors(similarity):
            right, left = similarity.argmax(dim=0), similarity.argmax(dim=1)
            return [(i, int(right[i])) for i in range(len(similarity)) if left[right[i]] == i]
        """,
    "dimensions_exchanged_in_lists": """
        The two dimensions are exchanged: dim=1 looks along each row and finds its best column, dim=0
        goes down each column and finds its best row. So the list has an element for each column,
        and where there are fewer columns than rows, its index is out of range.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + right, left = left, right
        + return [(i, right[i]) for i in range(len(similarity)) if left[right[i]] == i]
        """,
    "column_for_row": """
        `similarity[:, i]` is column i, and its largest number is in the best row. The number of a
        row is the first index: the best column of row i is found in `similarity[i]`, and only then
        is that column asked for its best row.

        def mutual_neighbors(similarity):
            pairs = []
            for i in range(similarity.shape[0]):
                j = int(similarity[:, i].argmax())
                if int(similarity[j].argmax()) == i:
                    pairs.append((i, j))
            return pairs
        """,
    "only_positive_similarities": """
        Pairs whose similarity is not above 0 are left out. Two words can be each other's nearest
        with a similarity below 0, too.

        - return [(i, j) for i, j in enumerate(right) if left[j] == i]
        + return [(i, j) for i, j in enumerate(right) if left[j] == i and similarity[i, j] > 0]
        """,
}

RIGHT = {
    "loop": """
        def mutual_neighbors(similarity):
            pairs = []
            for i in range(similarity.shape[0]):
                j = int(similarity[i].argmax())
                if int(similarity[:, j].argmax()) == i:
                    pairs.append((i, j))
            return pairs
        """,
    "two_masks": """
        def mutual_neighbors(similarity):
            rows = similarity == similarity.max(dim=1, keepdim=True).values
            columns = similarity == similarity.max(dim=0, keepdim=True).values
            return [(int(i), int(j)) for i, j in (rows & columns).nonzero()]
        """,
    "with_sets": """
        def mutual_neighbors(similarity):
            S = similarity.numpy()
            there = {(i, int(j)) for i, j in enumerate(S.argmax(1))}
            back = {(int(i), j) for j, i in enumerate(S.argmax(0))}
            return sorted(there & back)
        """,
}

EQUIVALENT = {
    "more precision does not change the order": """
             def mutual_neighbors(similarity: torch.Tensor) -> list[tuple[int, int]]:
        +        similarity = similarity.double()
                 right = similarity.argmax(dim=1).tolist()  # for each row its best column
        """,
    "a tensor of one number equals the number": """
        -    left = similarity.argmax(dim=0).tolist()  # for each column its best row
        +    left = similarity.argmax(dim=0)  # for each column its best row
        """,
}
