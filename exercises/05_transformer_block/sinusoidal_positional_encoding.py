"""Sines and cosines as position vectors; odd widths end with a sine."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from .common import draw_sizes

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    near = {"atol": 1e-5}  # angles of float32, computed in one order or another
    for width in (4, 6, 2 * int(rng.integers(4, 7))):
        yield Case("values", [int(rng.integers(3, 7)), width], judge=near)
    # so long that 9999 in place of 10000 shows, although angles this large are rounded more
    long = [*draw_sizes(rng, (150, 170)), 8]
    yield Case("values", long, title="a longer text", judge={"atol": 5e-5})
    odd = 2 * int(rng.integers(2, 8)) + 1
    title = "an odd width: the last column is a sine"
    yield Case("edges", [int(rng.integers(2, 10)), odd], title=title, judge=near)
    yield Case("edges", [int(rng.integers(2, 10)), 1], title="width 1", judge=near)
    yield Case("edges", [1, 4], title="one token", judge=near)
    yield Case("edges", [0, 4], title="no tokens", judge=near)


WRONG = {
    "sines_then_cosines": """
        All sines are on the left and all cosines on the right. Here they alternate: a sine in
        each even column, the cosine of the same angle next to it.

        def sinusoidal_positional_encoding(length, d_model):
            angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
            return torch.cat([angle.sin(), angle.cos()], dim=1)[:, :d_model]
        """,
    "doubles_the_exponent": """
        The wavelengths grow too fast: 2i is the number of the column itself. If your i already
        counts columns, do not double it again.

        - wavelength = 10000 ** ((column - column % 2) / d_model)
        + wavelength = 10000 ** (2 * (column - column % 2) / d_model)
        """,
    "halves_the_exponent": """
        The wavelengths grow too slowly: the exponent is 2i / d, where i counts pairs of columns.
        Without the 2, 10000 is raised to at most 1/2, which is only 100.

        - wavelength = 10000 ** ((column - column % 2) / d_model)
        + wavelength = 10000 ** (column // 2 / d_model)
        """,
    "wavelength_per_column": """
        Each column has a wavelength of its own. A sine and the cosine next to it share one: the
        exponent is 2i / d for both, with the same i.

        - wavelength = 10000 ** ((column - column % 2) / d_model)
        + wavelength = 10000 ** (column / d_model)
        """,
    "cosines_first": """
        Sines and cosines are swapped: column 0 is a sine.

        - return torch.where(column % 2 == 0, angle.sin(), angle.cos())
        + return torch.where(column % 2 == 0, angle.cos(), angle.sin())
        """,
    "positions_from_one": """
        The positions count from 1, so every row is one position too far. The first token has
        position 0: its sines are 0 and its cosines 1.

        - angle = torch.arange(length)[:, None] / wavelength
        + angle = torch.arange(1, length + 1)[:, None] / wavelength
        """,
    "only_even_widths": """
        An odd width fails: there is one cosine column less than there are sine columns, so use
        only as many angles as there are columns left.

        raises RuntimeError

        def sinusoidal_positional_encoding(length, d_model):
            P = torch.zeros(length, d_model)
            angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
            P[:, 0::2] = torch.sin(angle)
            P[:, 1::2] = torch.cos(angle)
            return P
        """,
    "doubles_the_column": """
        The exponent is 2 * column / d, and each column has its own. In the formula i counts pairs of
        columns: columns 2i and 2i + 1 share the exponent 2i / d, so column 3 has 2 / d.

        - wavelength = 10000 ** ((column - column % 2) / d_model)
        + wavelength = 10000 ** (2 * column / d_model)
        """,
    "divides_by_d_minus_two": """
        The exponents are divided by d - 2, so that the last one is exactly 1. Some implementations
        do that, but the formula divides 2i by d.

        - wavelength = 10000 ** ((column - column % 2) / d_model)
        + wavelength = 10000 ** ((column - column % 2) / max(d_model - 2, 1))
        """,
}

FURTHER = """
Columns 0 and 1 share an exponent, and so do 2 and 3: subtract from each column number its
remainder by 2. Compute all angles as one (length, d_model) matrix first, then choose between
sine and cosine by column.
"""

RIGHT = {
    "positions_by_loops": """
        def sinusoidal_positional_encoding(length, d_model):
            P = torch.zeros(length, d_model)
            for position in range(length):
                for column in range(d_model):
                    angle = position / 10000 ** (column // 2 * 2 / d_model)
                    P[position, column] = math.cos(angle) if column % 2 else math.sin(angle)
            return P
        """,
    "positions_by_slices": """
        def sinusoidal_positional_encoding(length, d_model):
            P = torch.zeros(length, d_model)
            position = torch.arange(length, dtype=torch.float32).unsqueeze(1)
            slower = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
            P[:, 0::2] = torch.sin(position * slower)
            P[:, 1::2] = torch.cos(position * slower[: d_model // 2])
            return P
        """,
}

EQUIVALENT = {
    "squeeze changes only width 1, where a number broadcasts to the same column": """
        -    column = torch.arange(d_model)
        +    column = torch.arange(d_model).squeeze()

        -    wavelength = 10000 ** ((column - column % 2) / d_model)
        +    wavelength = (10000 ** ((column - column % 2) / d_model)).squeeze()
        """,
    "only a remainder of 0 counts, which has no sign": """
        -    return torch.where(column % 2 == 0, angle.sin(), angle.cos())
        +    return torch.where(column % (-2) == 0, angle.sin(), angle.cos())
        """,
}
