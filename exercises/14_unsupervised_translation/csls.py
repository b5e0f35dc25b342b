"""csls: hubs lose, neighborhoods of every size, rows and columns of different numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

POINTS = {"values": 2, "neighborhoods": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, n: int, m: int, k: int, title: str = "", **more) -> Case:
        # rounded, since the last bit of a tanh differs between processors
        similarity = np.tanh(rng.normal(size=(n, m))).round(4)
        return Case(group, [torch.tensor(similarity, dtype=torch.float32), k], title=title, **more)

    n = int(rng.integers(4, 7))
    yield case("values", 2, 2, 1, "two words a side, one neighbor")
    yield case("values", n, n, 2)
    yield case("values", n, n + 2, 1, "more words on the right side")
    yield case("neighborhoods", n, n + 1, 3)
    yield case("neighborhoods", n + 3, n, 2, "more words on the left side")
    yield case("neighborhoods", n, n, n - 1, "nearly all words are neighbors")
    yield case("neighborhoods", 8, 9, 7, "large neighborhoods")
    levels = torch.tensor([0.5, 0.25, 0.25, 0.25, -0.5])
    rows = [levels[torch.from_numpy(rng.permutation(5))] for _ in range(n)]
    yield Case("neighborhoods", [torch.stack(rows), 2], title="equal similarities")
    yield case("edges", n, n + 1, n, "as many neighbors as the smaller side has words")
    yield case("edges", 1, 1, 1, "one word a side")


WRONG = {
    "one_is_added": """
        One of the two means is added. Both are subtracted, that of the row and that of the column.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_rows[:, None] + r_columns[None]
        """,
    "not_doubled": """
        The similarity counts once, but two means are subtracted. In the formula it counts twice.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return similarity - r_rows[:, None] - r_columns[None]
        """,
    "rows_only": """
        Only the neighborhoods of the rows are subtracted. That changes no row's best column: hubs
        are columns, so subtract the columns' means, too.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_rows[:, None]
        """,
    "columns_only": """
        Only the neighborhoods of the columns are subtracted. Subtract the means of both.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_columns[None]
        """,
    "mean_of_all": """
        The means go over all words. Average over the k nearest only: the k largest similarities of
        each row and of each column.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.mean(dim=1)
        + r_columns = similarity.mean(dim=0)
        """,
    "adds_the_means": """
        The means are added. A hub is near to everything, so its large mean has to be subtracted.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity + r_rows[:, None] + r_columns[None]
        """,
    "the_farthest": """
        These are the k smallest similarities. The neighbors are the k largest.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.topk(k, dim=1, largest=False).values.mean(dim=1)
        + r_columns = similarity.topk(k, dim=0, largest=False).values.mean(dim=0)
        """,
    "sums_for_means": """
        The similarities of the neighbors are added up, not averaged: divide by k.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.topk(k, dim=1).values.sum(dim=1)
        + r_columns = similarity.topk(k, dim=0).values.sum(dim=0)
        """,
    "columns_twice": """
        The mean of the column is subtracted twice, that of the row not at all. Subtract each once:
        the row's from its k nearest columns (dim=1), the column's from its k nearest rows (dim=0).

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_columns[None] - r_columns[None]
        """,
    "rows_without_their_axis": """
        The means of the rows have the shape (n,), and broadcasting aligns shapes from the last axis:
        each of them is subtracted from a column. Make it (n, 1), with `keepdim=True` or `[:, None]`.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_rows - r_columns
        """,
    "axes_exchanged": """
        The means of the rows and of the columns are exchanged. `topk(k, dim=1)` looks along a row:
        its means belong to the rows and need the shape (n, 1); those of dim=0 are (m,) or (1, m).

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - r_columns[:, None] - r_rows[None]
        """,
    "half_of_it": """
        All numbers are half of what they should be: the similarity minus the mean of the two
        neighborhoods. CSLS is twice the similarity, minus both.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return similarity - (r_rows[:, None] + r_columns[None]) / 2
        """,
    "only_the_kth": """
        Only the k-th nearest neighbor is subtracted. Take the mean of all k.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.topk(k, dim=1).values[:, -1]
        + r_columns = similarity.topk(k, dim=0).values[-1]
        """,
    "one_mean_for_all": """
        The mean goes over the neighborhoods of all words, so the same number is subtracted
        everywhere and no hub gets less than others. Each row and each column has its own mean: give
        mean() an axis.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.topk(k, dim=1).values.mean().expand(similarity.shape[0])
        + r_columns = similarity.topk(k, dim=0).values.mean().expand(similarity.shape[1])
        """,
    "only_the_nearest": """
        Only the nearest neighbor counts, whatever k is. The mean is taken over the k most similar
        ones.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.max(dim=1).values
        + r_columns = similarity.max(dim=0).values
        """,
    "half_of_the_means": """
        The means are halved. The formula is twice the similarity minus both means.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - (r_rows[:, None] + r_columns[None]) / 2
        """,
    "skips_the_nearest": """
        The nearest neighbor is left out, and the k after it are averaged. Rows and columns are words
        of two languages, so none is its own neighbor: take the k nearest, the first included.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.sort(dim=1, descending=True).values[:, 1 : k + 1].mean(dim=1)
        + r_columns = similarity.sort(dim=0, descending=True).values[1 : k + 1].mean(dim=0)
        """,
    "skips_the_nearest_of_k": """
        The nearest of the k neighbors is left out, so the mean is over k - 1 (for k = 1 over none,
        which gives NaN). Rows and columns are words of two languages, so none is its own neighbor:
        all k count.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = similarity.topk(k, dim=1).values[:, 1:].mean(dim=1)
        + r_columns = similarity.topk(k, dim=0).values[1:].mean(dim=0)
        """,
    "columns_after_the_rows": """
        The columns' means are taken from a table whose rows are corrected already. Both means are
        those of the similarities as they were given: compute both before you subtract one.

        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_columns = (2 * similarity - r_rows[:, None]).topk(k, dim=0).values.mean(dim=0)
        """,
    "rows_after_the_columns": """
        The rows' means are taken from a table whose columns are corrected already. Both means are
        those of the similarities as they were given: compute both before you subtract one.

        - r_rows = similarity.topk(k, dim=1).values.mean(dim=1)
        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_rows = (2 * similarity - r_columns[None]).topk(k, dim=1).values.mean(dim=1)
        """,
    "columns_from_the_difference": """
        The columns' means are taken from the similarities minus the rows' means. Both means are
        those of the similarities as they were given.

        - r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        + r_columns = (similarity - r_rows[:, None]).topk(k, dim=0).values.mean(dim=0)
        """,
    "rows_twice": """
        The mean of the row is subtracted twice, that of the column not at all. Subtract each once:
        hubs are columns, so the columns' means matter.

        - return 2 * similarity - r_rows[:, None] - r_columns[None]
        + return 2 * similarity - 2 * r_rows[:, None]
        """,
}

RIGHT = {
    "sorted": """
        def csls(similarity, k):
            rows = similarity.sort(dim=1, descending=True).values[:, :k].mean(1, keepdim=True)
            columns = similarity.sort(dim=0, descending=True).values[:k].mean(0, keepdim=True)
            return 2 * similarity - rows - columns
        """,
    "loops": """
        def csls(similarity, k):
            n, m = similarity.shape
            rows = [sum(sorted(row, reverse=True)[:k]) / k for row in similarity.tolist()]
            columns = [sum(sorted(column)[-k:]) / k for column in similarity.T.tolist()]
            return torch.tensor(
                [[2 * similarity[i, j] - rows[i] - columns[j] for j in range(m)] for i in range(n)]
            )
        """,
    "one_function_for_both": """
        def csls(similarity, k):
            near = lambda S: torch.topk(S, k).values.mean(-1)
            return (similarity - near(similarity).unsqueeze(1)) + (similarity - near(similarity.T))
        """,
}

EQUIVALENT = {
    "No model is trained through a dictionary.": """
        every edit: detached, without gradient
        """,
    "broadcasting adds axes in front": """
        -    r_columns = similarity.topk(k, dim=0).values.mean(dim=0)
        +    r_columns = similarity.topk(k, dim=0).values.mean(dim=0).squeeze()
        """,
}
