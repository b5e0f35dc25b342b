"""TranslationEncoder: padding must reach neither direction; what training changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import torch.nn.functional as F

from autograder.course.exercise import Case

from ..draw import draw_ids, lengths_mask, normal
from .common import draw_lengths, linear, recurrent

POINTS = {"values": 2, "padding": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = itertools.cycle(rng.permutation([(5, 2, 3), (6, 3, 2), (7, 4, 3)]).tolist())

    def case(
        group: str,
        lengths: list[int],
        title: str = "",
        gradient: str = "",
        columns: int = 0,
        first: int | None = 0,
        later: list[int] | None = None,
    ) -> Case:
        """`columns` of padding follow the longest sentence; `first` is the id of the first token.

        `later` has the lengths of a second batch.
        """
        n_words, d_e, d = next(sizes)
        state = {"embedding.weight": normal(rng, n_words, d_e)}
        state |= recurrent(rng, "lstm", d_e, d, 4, both=True) | linear(rng, "bridge", 2 * d, d)
        mask = F.pad(lengths_mask(lengths), (0, columns))
        # a gradient of row 0 is up to whoever calls it padding: `padding_idx=0` gives it none
        ids = draw_ids(rng, n_words, *mask.shape, low=1 if gradient else 0)
        if first is not None and not gradient:
            ids[0, 0] = first
        then = [("__call__", ids, mask)]
        if later:
            mask = lengths_mask(later)
            then.append(("__call__", draw_ids(rng, n_words, *mask.shape), mask))
        return Case(
            group, [n_words, d_e, d], state=state, then=then, title=title, gradient=gradient
        )

    n = int(rng.integers(3, 5))
    yield case("values", [n, n], "no padding")
    yield case("values", [n], "one sentence", first=None)
    yield case("padding", [1, 2, n], "the longest sentence is the last")
    yield case("padding", [n, 1, 3, 2], "the longest sentence is the first")
    yield case("padding", draw_lengths(rng, 3, n + 1), "what training changes", gradient="all")
    yield case("padding", [2, n], "padding after every sentence", columns=2)
    yield case("padding", [2, n], "one batch after another", later=[n, 1])
    yield case("edges", [1], "a sentence of one token", first=None)
    yield case("edges", [1, 1], "two sentences of one token")
    yield case("values", [2, 2, 2], "short sentences, what training changes", gradient="all")


WRONG = {
    "reads_padding": """
        The LSTM reads the padding as well. The backward direction even starts with it, so the
        states of a short sentence depend on the batch that it is in. Use pack_padded_sequence with
        the length of each sentence.

        - packed = pack_padded_sequence(
        -     self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        - )
        - packed_states, (last, _) = self.lstm(packed)
        - H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        + H, (last, _) = self.lstm(self.embedding(source))
        + H = H * mask[..., None]
        """,
    "without_packing": """
        The LSTM reads the padding, and its states at padding are returned. The backward direction
        even starts there, so the states of a short sentence depend on its batch. Use
        pack_padded_sequence with the length of each sentence.

        - packed = pack_padded_sequence(
        -     self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        - )
        - packed_states, (last, _) = self.lstm(packed)
        - H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        + H, (last, _) = self.lstm(self.embedding(source))
        """,
    "lengths_from_ids": """
        The lengths are counted from the ids: a token with the id 0 is taken for padding. The mask
        says what is real: mask.sum(dim=1).

        - self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        + self.embedding(source), (source != 0).sum(dim=1), batch_first=True, enforce_sorted=False
        """,
    "without_total_length": """
        H is shorter than the source where all sentences of a batch end with padding. Pass
        total_length=source.shape[1] to pad_packed_sequence.

        - H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        + H, _ = pad_packed_sequence(packed_states, batch_first=True)
        """,
    "last_column": """
        The bridge reads the states in the first and the last column of H. For a short sentence the
        last column is padding. The LSTM returns the last states of both directions: use them.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + d = H.shape[-1] // 2
        + s = torch.tanh(self.bridge(torch.cat([H[:, -1, :d], H[:, 0, d:]], dim=-1)))
        """,
    "backward_state_of_the_last_word": """
        For the backward direction the bridge takes the state at the last word. That direction reads
        from right to left: at the last word it has read one word, at the first all of them.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + ends = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        + s = torch.tanh(self.bridge(ends))
        """,
    "swaps_directions": """
        The two last states are concatenated in the wrong order: the forward direction comes first,
        as in H.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + s = torch.tanh(self.bridge(torch.cat([last[1], last[0]], dim=-1)))
        """,
    "without_tanh": """
        The first state of the decoder lacks the tanh, so its numbers are not between -1 and 1 as
        all later states are.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + s = self.bridge(torch.cat([last[0], last[1]], dim=-1))
        """,
    "cell_states": """
        The bridge gets the cell states c. An LSTM returns (h_n, c_n); the first of the two has the
        states that are in H.

        - packed_states, (last, _) = self.lstm(packed)
        + packed_states, (_, last) = self.lstm(packed)
        """,
    "reshapes_directions": """
        (2, B, d) is reshaped to (B, 2d), which mixes sentences. Concatenate the two directions of
        each sentence, h_n[0] and h_n[1], along the last axis.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + s = torch.tanh(self.bridge(last.reshape(len(source), -1)))
        """,
    "sorted_batch": """
        The sentences have to be sorted by length, longest first, unless you pass
        enforce_sorted=False.

        raises RuntimeError

        - self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        + self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True
        """,
    "mean_state": """
        The first state of the decoder is made of the mean of H. The task asks for the last state of
        each direction.

        - s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        + s = torch.tanh(self.bridge(H.sum(dim=1) / mask.sum(dim=1, keepdim=True)))
        """,
    "zeros_for_packing": """
        The vectors at padding are set to zeros, but the LSTM still reads them: the backward
        direction starts there, and its state changes at every step. Pack the batch.

        - packed = pack_padded_sequence(
        -     self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        - )
        - packed_states, (last, _) = self.lstm(packed)
        - H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        + H, (last, _) = self.lstm(self.embedding(source) * mask[..., None])
        """,
}

FURTHER = """
pack_padded_sequence needs the embedded words, the lengths of the sentences (mask.sum(dim=1)) and
enforce_sorted=False. The LSTM returns packed states, which pad_packed_sequence unpacks, and the pair
(h_n, c_n); h_n has the shape (2, B, d): h_n[0] is the forward direction, h_n[1] the backward one.
"""

RIGHT = {
    "one_sentence_at_a_time": """
        -         packed = pack_padded_sequence(
        -             self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        -         )
        -         packed_states, (last, _) = self.lstm(packed)
        -         H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        -         s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        -         return H, s
        +         states, firsts = [], []
        +         for ids, real in zip(source, mask):
        +             out, (h, _) = self.lstm(self.embedding(ids[real])[None])
        +             states.append(F.pad(out[0], (0, 0, 0, len(ids) - out.shape[1])))
        +             firsts.append(torch.tanh(self.bridge(h.reshape(-1))))
        +         return torch.stack(states), torch.stack(firsts)
        """,
    "sorted_by_hand": """
        -         packed = pack_padded_sequence(
        -             self.embedding(source), mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        -         )
        -         packed_states, (last, _) = self.lstm(packed)
        -         H, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.shape[1])
        -         s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        +         lengths, order = mask.sum(dim=1).sort(descending=True)
        +         packed = pack_padded_sequence(self.embedding(source[order]), lengths, True)
        +         out, (h, _) = self.lstm(packed)
        +         H = pad_packed_sequence(out, True, total_length=mask.shape[1])[0][order.argsort()]
        +         both = torch.hstack([h[-2], h[-1]])[order.argsort()]
        +         s = self.bridge(both).tanh()
        """,
    "states_read_from_H": """
        -         s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        +         d = last.shape[-1]
        +         forward = H[torch.arange(len(H)), mask.sum(dim=1) - 1, :d]
        +         s = torch.tanh(self.bridge(torch.cat([forward, H[:, 0, d:]], dim=1)))
        """,
}

EQUIVALENT = {
    "No batch is without a token: every source has its </s>.": "every edit: constant corner",
    "A packed sequence has a layout of its own, whatever `batch_first` is.": """
        -        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        +        self.lstm = nn.LSTM(d_e, d, bidirectional=True)

        -        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        +        self.lstm = nn.LSTM(d_e, d, batch_first=False, bidirectional=True)
        """,
    "The sum counts the real tokens in any dtype.": """
             def forward(self, source: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = mask.float()
                 packed = pack_padded_sequence(

             def forward(self, source: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = mask.long()
                 packed = pack_padded_sequence(
        """,
    "Only the end of a row is padding.": """
             def forward(self, source: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 packed = pack_padded_sequence(
        """,
    "There are two directions.": """
        -        s = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        +        s = torch.tanh(self.bridge(torch.cat([last[0], last[-1]], dim=-1)))
        """,
}
