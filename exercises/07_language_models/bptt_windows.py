"""bptt_windows: rows and windows of every size, leftovers, too few tokens."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, draw_ids

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, title: str, n: int, batch: int, length: int) -> Case:
        return Case(group, [draw_ids(rng, 90, n), batch, length], title=title)

    yield case("values", "14 tokens, 2 rows, windows of 3", 14, 2, 3)
    yield case("values", "three rows", 25, 3, 4)
    yield case("values", "the last window is shorter", int(rng.integers(20, 23)), 2, 4)
    yield case("values", "pairs are left over", 3 * 5 + 3, 3, 2)
    yield case("edges", "one row", int(rng.integers(7, 11)), 1, 3)
    yield case("edges", "one row, and one window for all", 6, 1, int(rng.integers(5, 9)))
    yield case("edges", "windows of one token", 7, 2, 1)
    yield case("edges", "as many pairs as rows", 5, 4, 3)
    yield case("edges", "the next token of the last one is the last of the text", 13, 3, 2)
    for n, batch in ((4, 4), (int(rng.integers(1, 3)), 3), (1, 1)):
        inputs = [draw_ids(rng, 90, n), batch, 2]
        title, judge = f"{n} tokens, {batch} rows", VALUE_ERROR
        yield Case("edges", inputs, title=title, judge=judge)


WRONG = {
    "targets_not_shifted": """
        The targets are the tokens themselves. The target at each position is the *next* token.

        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + y = ids[: batch_size * n].view(batch_size, n)
        """,
    "columns": """
        The rows do not continue from window to window: the text runs down the columns. Row 1 has
        the first N/B tokens, row 2 the next, and so on.

        - x = ids[: batch_size * n].view(batch_size, n)
        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + x = ids[: batch_size * n].view(n, batch_size).T
        + y = ids[1 : batch_size * n + 1].view(n, batch_size).T
        """,
    "window_after_window": """
        Each row of a window begins where the row above ends, so the next window does not continue
        them, and a state that is carried over belongs to another part of the text.

        def bptt_windows(ids, batch_size, length):
            if len(ids) - 1 < batch_size:
                raise ValueError("too few tokens")
            size, windows = batch_size * length, []
            for start in range(0, len(ids) - 1, size):
                n = min(size, len(ids) - 1 - start) // batch_size
                if n:
                    x = ids[start : start + batch_size * n].view(batch_size, n)
                    y = ids[start + 1 : start + 1 + batch_size * n].view(batch_size, n)
                    windows.append((x, y))
            return windows
        """,
    "drops_the_short_window": """
        The last window is missing where it is shorter than L. Its tokens count, too.

        - return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]
        + starts = range(0, n - length + 1, length)
        + return [(x[:, i : i + length], y[:, i : i + length]) for i in starts]
        """,
    "pairs_lost_at_borders": """
        You lay out the tokens in rows first and shift within each row, so each row loses a pair. The
        target of a row's last token is the first token of the next row.

        - n = (len(ids) - 1) // batch_size  # the length of a row
        - if n < 1:
        + n = len(ids) // batch_size - 1
        + if n < 1:
              raise ValueError(f"{len(ids)} tokens are too few for {batch_size} rows")
        - x = ids[: batch_size * n].view(batch_size, n)
        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + rows = ids[: batch_size * (n + 1)].view(batch_size, n + 1)
        + x, y = rows[:, :-1], rows[:, 1:]
        """,
    "overlapping": """
        Your windows overlap: each begins one token after the one before. They should lie side by
        side, L tokens apart.

        - return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]
        + return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n)]
        """,
    "row_too_long": """
        14 tokens make 13 pairs of a token and its next one, so a row has (N - 1) // B of them, not
        N // B: the last token has no next one.

        raises RuntimeError

        - n = (len(ids) - 1) // batch_size  # the length of a row
        + n = len(ids) // batch_size
        """,
    "batch_last": """
        Your windows are transposed: each is (B, L), with a row for each row of the batch.

        - return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]
        + return [(x[:, i : i + length].T, y[:, i : i + length].T) for i in range(0, n, length)]
        """,
    "counts_tokens": """
        You compare the number of tokens with B. What counts is the number of pairs, N - 1: as many
        tokens as rows are one too few, and raise a ValueError.

        - if n < 1:
        + if len(ids) < batch_size:
        """,
    "no_error": """
        With fewer pairs than rows there is no window: raise a ValueError.

        - if n < 1:
        -     raise ValueError(f"{len(ids)} tokens are too few for {batch_size} rows")
        """,
    "targets_come_before": """
        x and y are the wrong way round: y is x one token *later*.

        - return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]
        + return [(y[:, i : i + length], x[:, i : i + length]) for i in range(0, n, length)]
        """,
    "drops_the_beginning": """
        The pairs that are left over are dropped at the beginning. Drop them at the end: row 1 begins with the
        first token.

        - x = ids[: batch_size * n].view(batch_size, n)
        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + x = ids[-batch_size * n - 1 : -1].view(batch_size, n)
        + y = ids[-batch_size * n :].view(batch_size, n)
        """,
    "loses_a_window_of_one": """
        A last window of a single token is missing. It has a pair, too: windows begin at 0, L, 2L, ... below
        the length of a row.

        - return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]
        + starts = range(0, max(n - 1, 1), length)
        + return [(x[:, i : i + length], y[:, i : i + length]) for i in starts]
        """,
    "rolls_around": """
        The targets are rolled, so that the last one is the first token of the text. Take the
        targets from the text itself, one position later.

        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + y = ids[: batch_size * n].roll(-1).view(batch_size, n)
        """,
    "rolls_each_row": """
        Each row's last target is the first token of the same row: `roll` goes around. The next
        token of the text stands at the beginning of the next row.

        - y = ids[1 : batch_size * n + 1].view(batch_size, n)
        + y = x.roll(-1, dims=1)
        """,
}

RIGHT = {
    "split": """
        def bptt_windows(ids, batch_size, length):
            n = (ids.numel() - 1) // batch_size
            if n == 0:
                raise ValueError("too few tokens")
            x = ids[: n * batch_size].reshape(batch_size, -1)
            y = ids[1:][: n * batch_size].reshape(batch_size, -1)
            return list(zip(x.split(length, dim=1), y.split(length, dim=1)))
        """,
    "row_by_row": """
        def bptt_windows(ids, batch_size, length):
            per_row = (len(ids) - 1) // batch_size
            if per_row <= 0:
                raise ValueError("not enough text")
            windows, i = [], 0
            while i < per_row:
                L = min(length, per_row - i)
                starts = [row * per_row + i for row in range(batch_size)]
                x = torch.stack([ids[s : s + L] for s in starts])
                y = torch.stack([ids[s + 1 : s + L + 1] for s in starts])
                windows.append((x, y))
                i += L
            return windows
        """,
    "indices": """
        def bptt_windows(ids, batch_size, length):
            n = (len(ids) - 1) // batch_size
            if n < 1:
                raise ValueError
            at = torch.arange(batch_size)[:, None] * n + torch.arange(n)
            cuts = [at[:, i : i + length] for i in range(0, n, length)]
            return [(ids[cut], ids[cut + 1]) for cut in cuts]
        """,
}
