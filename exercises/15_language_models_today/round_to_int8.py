"""round_to_int8: rows of very different sizes, the ends of the range, rows of zeros, an odd matrix."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"values": 2, "zeros": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def matrix(n_out: int, n_in: int) -> torch.Tensor:
        """Without numbers that stand between two whole ones, where rounding would decide."""
        W = normal(rng, n_out, n_in)
        scale = W.abs().amax(dim=1, keepdim=True) / 127
        steps = W / scale
        between = (steps - steps.floor() - 0.5).abs() < 0.05
        return W + between * 0.2 * scale

    def case(group: str, W: torch.Tensor, title: str) -> Case:
        return Case(group, [W], title=title, judge=EXACT)

    n = number(rng, 3, 5)
    yield case("values", matrix(2, n), "two rows")
    yield case(
        "values", matrix(3, 6) * torch.tensor([[100.0], [1.0], [0.01]]), "rows of three sizes"
    )
    W = matrix(3, n).abs()
    yield case("values", -W, "negative numbers only: the largest size is a negative one")
    yield case("values", matrix(n, n), "as many rows as columns")

    W = matrix(3, n)
    W[1] = 0
    yield case("zeros", W, "a row of zeros")
    W = torch.zeros(2, 4)
    W[0] = matrix(1, 4)[0]
    yield case("zeros", W, "the last row is zeros")

    yield case("edges", matrix(n, 1), "a single column")
    yield case("edges", matrix(1, n), "a single row")
    yield case("edges", matrix(n, 3).mT, "a matrix that is not contiguous")
    yield case("edges", matrix(2, n).double(), "double precision")


WRONG = {
    "one_scale_for_all": """
        One scale for the whole matrix. Each row gets its own.

        - scale = W.abs().amax(dim=1) / 127
        + scale = (W.abs().max() / 127).expand(len(W)).clone()
        """,
    "scale_per_column": """
        The scales are those of the columns. A channel is a row of W.

        - scale = W.abs().amax(dim=1) / 127
        - scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + scale = W.abs().amax(dim=0) / 127
        + scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        + return (W / scale).round().to(torch.int8), scale
        """,
    "of_128": """
        The largest number becomes 128, which does not fit: the range is −127 to 127.

        - scale = W.abs().amax(dim=1) / 127
        + scale = W.abs().amax(dim=1) / 128
        """,
    "without_the_sign": """
        The largest number of a row is not its largest size: a row may have large negative numbers.

        - scale = W.abs().amax(dim=1) / 127
        + scale = W.amax(dim=1) / 127
        """,
    "cut_off": """
        Everything after the decimal point is cut off. Round to the nearest whole number first.

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).to(torch.int8), scale
        """,
    "rounded_down": """
        The numbers are rounded down. Round to the nearest whole number.

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).floor().to(torch.int8), scale
        """,
    "not_int8": """
        The whole numbers are stored as floats, so nothing is saved. Turn them into int8.

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).round(), scale
        """,
    "inverse_scale": """
        The scale is upside down: q times the scale should be near W.

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).round().to(torch.int8), 1 / scale
        """,
    "scale_of_zero": """
        The scale of a row of zeros is 0 here, or a tiny number in place of 0. It should be 1.

        - scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None].clamp(min=1e-30)).round().to(torch.int8), scale
        """,
    "keeps_the_axis": """
        The scales have the shape (n_out, 1). Return (n_out,).

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).round().to(torch.int8), scale[:, None]
        """,
    "from_the_range": """
        The scale comes from the largest minus the smallest number. Here 0 stays 0 and the range is
        the same on both sides: the largest size, divided by 127.

        - scale = W.abs().amax(dim=1) / 127
        + scale = (W.amax(dim=1) - W.amin(dim=1)) / 255
        ...
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        """,
    "unsigned": """
        The numbers are moved by 128 to be positive. int8 has a sign: they stay as they are.

        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return ((W / scale[:, None]).round() + 128).to(torch.uint8), scale
        """,
    "size_of_the_largest_number": """
        The scale comes from the largest number of a row. A negative one may be larger in size: take
        the sizes first, and the largest of them then.

        - scale = W.abs().amax(dim=1) / 127
        - scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + scale = W.amax(dim=1).abs() / 127
        + scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        + return (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        """,
    "clipped_at_the_largest_number": """
        The scale comes from the largest number of a row, and larger negative ones are clipped. Take
        the sizes first, and the largest of them then.

        - scale = W.abs().amax(dim=1) / 127
        + scale = W.amax(dim=1) / 127
        ...
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + return (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
        """,
}

FURTHER = """
W.abs().amax(dim=1) is the largest size in each row. Divided by 127 it is the scale; torch.where puts 1
where it is 0. Then W / scale[:, None], round(), to(torch.int8).
"""

RIGHT = {
    "row_by_row": """
        def round_to_int8(W):
            rows, scales = [], []
            for row in W:
                largest = row.abs().max()
                s = largest / 127 if largest > 0 else torch.ones_like(largest)
                rows.append(torch.round(row / s).to(torch.int8))
                scales.append(s)
            return torch.stack(rows), torch.stack(scales)
        """,
    "masked_fill": """
        - scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        - return (W / scale[:, None]).round().to(torch.int8), scale
        + scale = scale.masked_fill(scale == 0, 1)
        + q = torch.round(W / scale.unsqueeze(1)).clamp(-127, 127)
        + return q.type(torch.int8), scale
        """,
}

EQUIVALENT = {
    "Nothing is trained through whole numbers.": """
        +@torch.no_grad()
         def round_to_int8(W: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """,
    "Nothing is trained through whole numbers, nor through their scales.": """
        -    scale = W.abs().amax(dim=1) / 127
        +    scale = (W.abs().amax(dim=1) / 127).detach()

        -    scale = W.abs().amax(dim=1) / 127
        +    scale = W.abs().amax(dim=1).detach() / 127

        -    scale = W.abs().amax(dim=1) / 127
        +    scale = W.detach().abs().amax(dim=1) / 127

        -    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        +    scale = torch.where(scale == 0, torch.ones_like(scale), scale).detach()

        -    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        +    scale = torch.where(scale == 0, torch.ones_like(scale), scale.detach())

        -    return (W / scale[:, None]).round().to(torch.int8), scale
        +    return (W / scale[:, None]).round().to(torch.int8), scale.detach()
        """,
    "The largest size is never below 0.": """
        -    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
        +    scale = torch.where(scale <= 0, torch.ones_like(scale), scale)
        """,
}
