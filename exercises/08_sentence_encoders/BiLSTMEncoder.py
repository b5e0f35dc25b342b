"""BiLSTMEncoder: the three poolings, padding that the backward direction must not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number
from .common import fill_padding

POINTS = {"last": 2, "mean and max": 2, "padding": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        pooling: str = "last",
        title: str = "",
        longest: int | None = None,
        padding: float | None = None,
        hidden: int = 2,
        later: list[int] | None = None,
        **more: Any,
    ) -> Case:
        dim = number(rng, 2, 3)
        state = {}
        for end in ("l0", "l0_reverse"):
            state[f"lstm.weight_ih_{end}"] = normal(rng, 4 * hidden, dim)
            state[f"lstm.weight_hh_{end}"] = normal(rng, 4 * hidden, hidden)
            state[f"lstm.bias_ih_{end}"] = normal(rng, 4 * hidden)
            state[f"lstm.bias_hh_{end}"] = normal(rng, 4 * hidden)
        mask = lengths_mask(lengths, longest)
        X = normal(rng, *mask.shape, dim)
        if padding is not None:
            X = fill_padding(X, mask, padding)
        # "last" is what is meant when nothing is said
        sizes = [dim, hidden] if pooling == "last" else [dim, hidden, pooling]
        then: list[tuple[Any, ...]] = [("__call__", X, mask), (".size",)]
        if later is not None:
            mask = lengths_mask(later, longest)
            then.append(("__call__", normal(rng, *mask.shape, dim), mask))
        return Case(group, sizes, state=state, then=then, title=title, **more)

    yield case("last", [3, 3])
    yield case("last", [4, 3], title="states of three components", hidden=3)
    yield case("last", [number(rng, 3, 5)], title="a batch of one text")
    yield case("last", [3, 2], title="what training changes", gradient="all")
    for pooling in ("mean", "max"):
        yield case("mean and max", [3, 3], pooling, pooling)
        yield case("mean and max", [4, number(rng, 1, 3)], pooling, f"{pooling}, with padding")
        yield case("mean and max", [number(rng, 2, 4)], pooling, f"{pooling}: a batch of one text")
        title = f"{pooling}: what training changes"
        yield case("mean and max", [3, 2], pooling, title, gradient="all")
    yield case("padding", [2, 4, number(rng, 1, 3)], title="texts of several lengths")
    yield case("padding", [2, 4, 3], title="two batches, one after the other", later=[4, 1, 2])
    title = "padding with large numbers"
    yield case("padding", [number(rng, 1, 2), 4], title=title, padding=9.0)
    title = "every text ends before the batch does"
    yield case("padding", [2, number(rng, 1, 3)], title=title, longest=5)
    yield case("padding", [number(rng, 1, 2), 3], "max", f"max: {title}", longest=5)
    yield case("edges", [1, 1], title="texts of one token")
    for pooling in ("last", "mean", "max"):
        lengths = [0, number(rng, 2, 3)]
        yield case("edges", lengths, pooling, f"{pooling}: a text without tokens")
    yield case("edges", [0], title="nothing but padding", longest=2)
    then = [(".lstm.batch_first",), (".lstm.num_layers",), (".pooling",)]
    yield Case("edges", [2, number(rng, 2, 4)], then=then, title="the LSTM and the default pooling")


FURTHER = """
Three lines run the LSTM: `pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)`
with lengths of at least 1 on the CPU; the LSTM on the packed sequence; `pad_packed_sequence` with
`batch_first=True` and `total_length=X.shape[1]`. Then `H.chunk(2, dim=-1)` gives both directions.
"""

WRONG = {
    "backward_state_at_last_token": """
        At the last token, the backward LSTM has read only that token. Its final state is at the
        first token, position 0.

        - first = backwards[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + return last_state(H, mask)
        """,
    "backward_reads_padding": """
        The backward LSTM begins at the end of the batch and reads the padding of a short text
        first. Pack the texts with their lengths, so that it begins at their last token.

        - lengths = mask.sum(dim=1).clamp(min=1).cpu()
        - packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])
        + H, _ = self.lstm(X)
        """,
    "last_position": """
        The forward state is taken at the last position of the batch, which is padding for short
        texts. Use your last_state.

        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + return torch.cat([forwards[:, -1], first], dim=-1)
        """,
    "directions_swapped": """
        The backward state comes first. The forward state takes the first h columns.

        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + return torch.cat([first, last_state(forwards, mask)], dim=-1)
        """,
    "mixes_texts": """
        The final states that the LSTM returns, h_n, are (2, B, h): the direction comes first. A
        reshape to (B, 2h) mixes up the texts; concatenate h_n[0] and h_n[1] instead.

        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])
        + out, (h_n, _) = self.lstm(packed)
        + H, _ = pad_packed_sequence(out, True, total_length=X.shape[1])
        ...
        - forwards, backwards = H.chunk(2, dim=-1)
        - first = backwards[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + h = h_n.reshape(len(X), -1)
        + return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        """,
    "mean_over_padding": """
        The mean divides by the length of the batch, not by the number of tokens. Use your
        mean_pool with the mask.

        - return mean_pool(H, mask)
        + return H.mean(dim=1)
        """,
    "max_over_padding": """
        The zeros at padding take part in the maximum, and win wherever all states are negative.
        Use your max_pool with the mask.

        - return max_pool(H, mask)
        + return H.amax(dim=1)
        """,
    "empty_text_gets_both_states": """
        A text without tokens gets the final states of a token that it does not have: the one that
        you pretended for the packing. Its vector should be zeros.

        - first = backwards[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + last = forwards[torch.arange(len(X)), lengths - 1]
        + return torch.cat([last, backwards[:, 0]], dim=-1)
        """,
    "empty_text_gets_a_backward_state": """
        A text without tokens gets the backward state of a token that it does not have: the one that
        you pretended for the packing. Its vector should be zeros.

        - first = backwards[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        + first = backwards[:, 0]
        """,
    "size_of_one_direction": """
        `size` is the length of the vectors that the encoder returns, and there are two directions.

        - self.size = 2 * hidden
        + self.size = hidden
        """,
    "without_total_length": """
        pad_packed_sequence pads to the longest text only, which may be shorter than the batch.
        Ask for the length of X with total_length.

        raises RuntimeError

        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])
        + H, _ = pad_packed_sequence(self.lstm(packed)[0], True)
        ...
        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + return torch.cat([last_state(forwards, mask[:, : H.shape[1]]), first], dim=-1)
        """,
    "length_of_zero": """
        pack_padded_sequence refuses a length of 0. Let every length be at least 1.

        raises RuntimeError

        - lengths = mask.sum(dim=1).clamp(min=1).cpu()
        + lengths = mask.sum(dim=1).cpu()
        """,
    "reads_zeros_at_padding": """
        The vectors at padding are set to zeros, but the backward LSTM reads them all the same, and
        its state changes with every zero: biases and gates go on. Pack the texts with their
        lengths.

        - lengths = mask.sum(dim=1).clamp(min=1).cpu()
        - packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])
        + H, _ = self.lstm(X.masked_fill(~mask.unsqueeze(-1), 0.0))
        """,
    "memories_for_states": """
        These are the final memories, c_n. The LSTM returns its states and (h_n, c_n): the vector is
        made of h_n.

        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])
        + out, (_, c_n) = self.lstm(packed)
        + H, _ = pad_packed_sequence(out, True, total_length=X.shape[1])
        ...
        - forwards, backwards = H.chunk(2, dim=-1)
        - first = backwards[:, 0].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        - return torch.cat([last_state(forwards, mask), first], dim=-1)
        + c = torch.cat([c_n[0], c_n[1]], dim=-1)
        + return c.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        """,
    "expects_sorted_texts": """
        pack_padded_sequence expects the longest text first, unless it is told otherwise:
        `enforce_sorted=False`.

        raises RuntimeError

        - packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        + packed = pack_padded_sequence(X, lengths, batch_first=True)
        """,
    "order_of_the_lengths": """
        The texts were sorted by length, and their vectors still come in that order. Put them back
        into the order of the batch, or let the packing sort: `enforce_sorted=False`.

        - lengths = mask.sum(dim=1).clamp(min=1).cpu()
        - packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        + lengths, order = mask.sum(dim=1).clamp(min=1).sort(descending=True)
        + X, mask = X[order], mask[order]
        + packed = pack_padded_sequence(X, lengths.cpu(), batch_first=True)
        """,
}

RIGHT = {
    "final_states": """
        class BiLSTMEncoder(nn.Module):
            def __init__(self, dim, hidden, pooling="last"):
                super().__init__()
                self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
                self.pooling, self.size = pooling, hidden * 2

            def forward(self, X, mask):
                n = mask.sum(1)
                packed = pack_padded_sequence(
                    X, n.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
                )
                out, (h_n, _) = self.lstm(packed)
                if self.pooling == "last":
                    return torch.cat([h_n[0], h_n[1]], dim=1) * (n > 0)[:, None]
                H = pad_packed_sequence(out, batch_first=True, total_length=mask.shape[1])[0]
                return (mean_pool if self.pooling == "mean" else max_pool)(H, mask)
        """,
    "text_by_text": """
        class BiLSTMEncoder(nn.Module):
            def __init__(self, dim, hidden, pooling="last"):
                super().__init__()
                self.lstm = nn.LSTM(dim, hidden, 1, batch_first=True, bidirectional=True)
                self.pooling = pooling
                self.hidden = hidden
                self.size = 2 * hidden

            def forward(self, X, mask):
                vectors = []
                for x, m in zip(X, mask):
                    n = int(m.sum())
                    if n == 0:
                        vectors.append(X.new_zeros(2 * self.hidden))
                        continue
                    H = self.lstm(x[None, :n])[0][0]
                    if self.pooling == "mean":
                        vectors.append(H.mean(0))
                    elif self.pooling == "max":
                        vectors.append(H.max(0).values)
                    else:
                        vectors.append(torch.cat([H[-1, : self.hidden], H[0, self.hidden :]]))
                return torch.stack(vectors)
        """,
    "stacks_directions": """
        class BiLSTMEncoder(nn.Module):
            def __init__(self, dim, hidden, pooling="last"):
                super().__init__()
                self.pool = {"last": None, "mean": mean_pool, "max": max_pool}
                self.pooling = pooling
                self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
                self.size = 2 * hidden

            def forward(self, X, mask):
                lengths = torch.maximum(mask.sum(dim=1), torch.tensor(1))
                packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
                H = self.lstm(packed)[0]
                H = pad_packed_sequence(H, batch_first=True, total_length=X.size(1))[0]
                if self.pooling != "last":
                    return self.pool[self.pooling](H, mask)
                half = self.size // 2
                H = H.masked_fill(~mask[:, :, None], 0)
                return torch.cat([last_state(H[..., :half], mask), H[:, 0, half:]], dim=1)
        """,
}

EQUIVALENT = {
    "Real tokens come before the padding.": """
             def forward(self, X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 lengths = mask.sum(dim=1).clamp(min=1).cpu()
        """,
    'In alphabetical order "mean" is the last of the three names, and "max" comes after "last".': """
        -        if self.pooling == "mean":
        +        if self.pooling >= "mean":

        -        if self.pooling == "max":
        +        if self.pooling >= "max":
        """,
    "A batch without any token has nothing to learn from.": "every edit: constant corner",
}
