"""ngram_windows: several widths, wider than the text, and the order within a window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    yield Case("values", [normal(rng, 1, 4, 2), 2], title="bigrams")
    yield Case("values", [normal(rng, 2, number(rng, 4, 6), 3), 3], title="trigrams")
    yield Case("values", [normal(rng, 3, 6, 2), number(rng, 4, 5)])
    yield Case("values", [normal(rng, 2, 4, 2), 2], title="what training changes", gradient="X")
    yield Case("edges", [normal(rng, 2, 3, number(rng, 2, 4)), 1], title="windows of one word")
    yield Case("edges", [normal(rng, 2, 2, 3), number(rng, 3, 4)], title="wider than the texts")
    yield Case("edges", [normal(rng, 2, 1, 2), 3], title="texts of one token")
    yield Case("edges", [normal(rng, 2, 4, 1), 3], title="vectors of one component")
    X = normal(rng, 2, 4, 2).double()
    yield Case("edges", [X, 2], title="double precision", judge=EXACT)


WRONG = {
    "component_by_component": """
        Within a window the numbers are in the wrong order: first the first component of all n
        words, then the second. unfold puts the n positions last; transpose before you flatten.

        - return windows.transpose(2, 3).flatten(2)
        + return windows.flatten(2)
        """,
    "reshaped_for_transposed": """
        Numbers of different windows are mixed: two axes were swapped that should not be, or a
        reshape did the work of a transpose. unfold gives (B, L, d, n); swap the last two axes,
        (B, L, n, d), then flatten these.

        - return windows.transpose(2, 3).flatten(2)
        + return windows.transpose(1, 2).reshape(X.shape[0], X.shape[1], -1)
        """,
    "stacked_before_the_positions": """
        The n shifted copies are stacked in front of the positions, (B, n, L, d), and a reshape
        moves no axis: words of different windows are mixed. Each position needs its n words side by
        side.

        - windows = padded.unfold(1, n, 1)  # (B, L, d, n)
        - return windows.transpose(2, 3).flatten(2)
        + copies = [padded[:, k : k + X.shape[1]] for k in range(n)]
        + return torch.stack(copies, dim=1).reshape(len(X), X.shape[1], -1)
        """,
    "one_zero_too_many": """
        There is one window too many, which begins after the last token. The last token needs n - 1
        positions of zeros behind it, not n.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        + padded = F.pad(X, (0, 0, 0, n))
        """,
    "pads_the_components": """
        The zeros are appended to the vectors, not to the text. F.pad begins with the last axis:
        (0, 0, 0, n - 1) leaves that as it is and pads the one before it.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        + padded = F.pad(X, (0, n - 1))
        """,
    "only_complete_windows": """
        Windows that run over the end are missing. Every position has a window: append n - 1
        positions of zeros.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        + padded = X if X.shape[1] >= n else F.pad(X, (0, 0, 0, n - 1))
        """,
    "zeros_in_front": """
        The zeros are in front of the text, so each window ends at its position. It should begin
        there: the zeros come after the end.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        + padded = F.pad(X, (0, 0, n - 1, 0))
        """,
    "centered_windows": """
        Each window is centered at its position. It should begin there.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        + padded = F.pad(X, (0, 0, (n - 1) // 2, n // 2))
        """,
    "reversed_windows": """
        The words of a window come in reverse order.

        - return windows.transpose(2, 3).flatten(2)
        + return windows.transpose(2, 3).flip(2).flatten(2)
        """,
    "sums_the_window": """
        The vectors of a window are added up, which loses their order. Concatenate them.

        - return windows.transpose(2, 3).flatten(2)
        + return windows.sum(dim=3)
        """,
    "wraps_around": """
        At the end of the text the windows go on with its beginning. There should be zeros.

        - padded = F.pad(X, (0, 0, 0, n - 1))
        - windows = padded.unfold(1, n, 1)  # (B, L, d, n)
        - return windows.transpose(2, 3).flatten(2)
        + return torch.cat([X.roll(-k, dims=1) for k in range(n)], dim=2)
        """,
}

RIGHT = {
    "slices": """
        def ngram_windows(X, n):
            L = X.shape[1]
            padded = torch.cat([X, X.new_zeros(X.shape[0], n - 1, X.shape[2])], dim=1)
            return torch.cat([padded[:, k : k + L] for k in range(n)], dim=-1)
        """,
    "loop": """
        def ngram_windows(X, n):
            B, L, d = X.shape
            rows = []
            for t in range(L):
                window = X[:, t : t + n].reshape(B, -1)
                rows.append(F.pad(window, (0, n * d - window.shape[1])))
            return torch.stack(rows, dim=1)
        """,
    "permute": """
        def ngram_windows(X, n):
            windows = F.pad(X, (0, 0, 0, n - 1)).unfold(1, n, 1)
            return windows.permute(0, 1, 3, 2).reshape(X.shape[0], X.shape[1], -1)
        """,
    "index": """
        def ngram_windows(X, n):
            padded = F.pad(X, (0, 0, 0, n - 1))
            index = torch.arange(X.shape[1])[:, None] + torch.arange(n)
            return padded[:, index].flatten(2)
        """,
}
