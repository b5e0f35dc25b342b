"""decoder_mask: padding at the end, at the start and inside, whatever its id."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, lengths_mask, number
from .common import draw_ids

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, y: torch.Tensor, padding: int | None = None, title: str = "") -> Case:
        kwargs = {} if padding is None else {"padding": padding}
        return Case(group, [y], kwargs, title=title, judge=EXACT)

    n = number(rng, 3, 4)
    yield case("values", draw_ids(rng, 9, 1, n), title="one sentence")
    y = draw_ids(rng, 9, 2, n + 1) * lengths_mask([number(rng, 1, 2), n + 1])
    yield case("values", y, title="padding at the end")
    y = draw_ids(rng, 9, 3, n) * lengths_mask([n, 1, 2])
    yield case("values", y, title="three sentences")
    y = draw_ids(rng, 9, 3, 6) * torch.from_numpy(rng.random((3, 6)) < 0.6)
    yield case("values", y, title="padding anywhere")
    padding = number(rng, 2, 5)
    y = 6 + draw_ids(rng, 9, 2, 6)
    y = torch.where(torch.from_numpy(rng.random((2, 6)) < 0.6), y, padding)
    y[1, 1] = 0
    title = "padding has another id, and 0 is a token"
    yield case("edges", y, padding, title=title)
    y = draw_ids(rng, 9, 2, n) * lengths_mask([n, 2]).flip(1)
    yield case("edges", y, title="padding at the start")
    y = draw_ids(rng, 9, 1, n + 1)
    y[0, 1] = 0
    yield case("edges", y, title="padding inside")
    yield case("edges", draw_ids(rng, 9, 2, 1), title="one token each")


WRONG = {
    "only_causal": """
        Padding may be attended to. Combine the causal mask with the padding mask.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return causal_mask(y.shape[1]).expand(len(y), -1, -1)
        """,
    "only_padding": """
        Tokens may attend to those that come after them, which the decoder should learn to predict.
        Combine the padding mask with the causal mask.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return padding_mask(y != padding).expand(-1, y.shape[1], -1)
        """,
    "either": """
        A position is allowed if one of the two masks allows it. Both have to.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return padding_mask(y != padding) | causal_mask(y.shape[1])
        """,
    "masks_the_queries": """
        The rows of padding are masked, not its columns: no token may attend *to* padding.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return (y != padding)[:, :, None] & causal_mask(y.shape[1])
        """,
    "future_instead_of_past": """
        Each token sees what comes after it, and not what came before. Rows are the tokens that
        attend, columns those that they attend to.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return padding_mask(y != padding) & causal_mask(y.shape[1]).T
        """,
    "not_itself": """
        A token may not attend to itself. Here it may: it has been read already, and what is to be
        predicted is the next one.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + causal = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).tril(-1)
        + return padding_mask(y != padding) & causal
        """,
    "padding_attends_to_itself": """
        Padding may attend to itself here. No token may attend *to* padding, and that includes
        padding itself.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + allowed = padding_mask(y != padding) & causal_mask(y.shape[1])
        + return allowed | torch.eye(y.shape[1], dtype=torch.bool)
        """,
    "padding_is_always_0": """
        The id 0 is taken for padding whatever `padding` says. Use the argument.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return padding_mask(y != 0) & causal_mask(y.shape[1])
        """,
    "padding_at_the_end": """
        The real tokens are only counted, as if all padding stood at the end. It may stand
        elsewhere: compare each token with `padding`.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + n_real = (y != padding).sum(dim=1, keepdim=True)
        + return padding_mask(torch.arange(y.shape[1]) < n_real) & causal_mask(y.shape[1])
        """,
    "true_is_forbidden": """
        The mask is the wrong way round: True means that a token may attend.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return ~(padding_mask(y != padding) & causal_mask(y.shape[1]))
        """,
    "masks_rows_and_columns": """
        The rows of padding are masked as well as its columns. Only the columns should be: no token
        may attend *to* padding, and what padding attends to does not matter.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + real = y != padding
        + return real[:, :, None] & real[:, None, :] & causal_mask(y.shape[1])
        """,
    "real_tokens_forbidden": """
        The padding mask is the wrong way round: tokens may attend to padding and to nothing else.
        padding_mask wants True at real tokens.

        - return padding_mask(y != padding) & causal_mask(y.shape[1])
        + return padding_mask(y == padding) & causal_mask(y.shape[1])
        """,
}

RIGHT = {
    "by_tril": """
        def decoder_mask(y, padding=0):
            B, T = y.shape
            real = (y != padding).unsqueeze(1).expand(B, T, T)
            return real.tril()
        """,
    "by_positions": """
        def decoder_mask(y, padding=0):
            t = torch.arange(y.size(1))
            return (t[None, None, :] <= t[None, :, None]) & y.ne(padding)[:, None, :]
        """,
    "loop": """
        def decoder_mask(y, padding=0):
            B, T = y.shape
            mask = torch.zeros(B, T, T, dtype=torch.bool)
            for b in range(B):
                for i in range(T):
                    for j in range(i + 1):
                        mask[b, i, j] = y[b, j] != padding
            return mask
        """,
}

EQUIVALENT = {
    "float32 represents all ids of a vocabulary": """
         def decoder_mask(y: torch.Tensor, padding: int = 0) -> torch.Tensor:
        +    y = y.float()
             return padding_mask(y != padding) & causal_mask(y.shape[1])
        """,
}
