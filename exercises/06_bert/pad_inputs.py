"""pad_inputs: a padded batch; real tokens may have the id of [PAD], or 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, draw_ids, number

POINTS = {"values": 1, "mask": 1, "edges": 1}
FORBIDDEN = ("coursekit.text.pad_batch",)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def inputs(*lengths: int) -> list[tuple[list[int], list[int]]]:
        pairs = []
        for length in lengths:
            first = number(rng, 1, length)
            segments = [0] * first + [1] * (length - first)
            pairs.append((draw_ids(rng, 100, length, low=10).tolist(), segments))
        return pairs

    def case(group: str, pairs: list[Any], pad: int, title: str = "") -> Case:
        return Case(group, [pairs, pad], title=title, judge=EXACT)

    n, pad = number(rng, 4, 6), number(rng, 1, 9)
    yield case("values", inputs(2, n), 0)
    yield case("values", inputs(n, 2, 3), pad, title="[PAD] has another id than 0")
    (short,), (long,) = inputs(2), inputs(n)
    pairs = [short, long, ([*short[0]], [*short[1]]), long]
    yield case("values", pairs, pad, title="two texts, each twice")
    pairs = inputs(n, n - 1, 2)
    for i, (ids, _) in enumerate(pairs):
        ids[i % 2], ids[-1] = pad, pad
    yield case("mask", pairs, pad, title="real tokens have the id of [PAD]: the lengths decide")
    pairs = inputs(n - 1, n)
    pairs[0][0][1] = 0
    yield case("mask", pairs, pad, title="a real token has the id 0")
    yield case("mask", inputs(3, 3), pad, title="equally long, nothing to pad")
    yield case("edges", inputs(n), pad, title="a batch of one")
    yield case("edges", inputs(1, 2 * n), pad, title="a text of one token beside a long one")


WRONG = {
    "mask_from_ids": """
        The mask is read from the ids: whatever equals `pad` counts as padding. A real token may
        have this id, too; only the lengths tell what is padding.

        - return torch.tensor(rows), torch.tensor(segment_rows), torch.tensor(real)
        + ids = torch.tensor(rows)
        + return ids, torch.tensor(segment_rows), ids != pad
        """,
    "mask_from_nonzero_ids": """
        The mask is True where the id is not 0. [PAD] need not have the id 0, and a real token may
        have it: build the mask from the lengths.

        - return torch.tensor(rows), torch.tensor(segment_rows), torch.tensor(real)
        + ids = torch.tensor(rows)
        + return ids, torch.tensor(segment_rows), ids != 0
        """,
    "integer_mask": """
        The mask holds the integers 1 and 0. Make it a boolean mask: with integers, `~` and
        indexing do something else.

        - real.append([True] * len(ids) + [False] * missing)
        + real.append([1] * len(ids) + [0] * missing)
        """,
    "mask_true_at_padding": """
        The mask is inverted: True at the padding. It should be True at the real tokens.

        - real.append([True] * len(ids) + [False] * missing)
        + real.append([False] * len(ids) + [True] * missing)
        """,
    "mask_true_everywhere": """
        The mask is True everywhere, so padding counts as real. It should be False at the padding.

        - real.append([True] * len(ids) + [False] * missing)
        + real.append([True] * longest)
        """,
    "mask_with_an_extra_axis": """
        The mask has the shape (B, 1, L). Here it is (B, L); padding_mask adds the axis for the
        queries later.

        - return torch.tensor(rows), torch.tensor(segment_rows), torch.tensor(real)
        + return torch.tensor(rows), torch.tensor(segment_rows), torch.tensor(real)[:, None]
        """,
    "segments_padded_with_pad": """
        The segments are padded with the id of [PAD]. That id stands for a token, not for a
        segment: padding gets segment 0.

        - segment_rows.append([*segments, *[0] * missing])
        + segment_rows.append([*segments, *[pad] * missing])
        """,
    "segments_padded_with_one": """
        The segments are padded with 1, as if the padding belonged to the second text. Padding gets
        segment 0.

        - segment_rows.append([*segments, *[0] * missing])
        + segment_rows.append([*segments, *[1] * missing])
        """,
    "segments_all_one": """
        Every token gets segment 1, whichever text it belongs to. Keep the segments that come with
        the ids, and pad them with 0.

        - segment_rows.append([*segments, *[0] * missing])
        + segment_rows.append([1] * longest)
        """,
    "ids_padded_with_zero": """
        The ids are padded with 0, whatever `pad` says. In other models [PAD] has another id.

        - rows.append([*ids, *[pad] * missing])
        + rows.append([*ids, *[0] * missing])
        """,
    "padding_in_front": """
        The padding comes first. Then [CLS] is no longer at position 0, where its vector is read:
        pad at the end.

        - rows.append([*ids, *[pad] * missing])
        - segment_rows.append([*segments, *[0] * missing])
        - real.append([True] * len(ids) + [False] * missing)
        + rows.append([pad] * missing + ids)
        + segment_rows.append([0] * missing + segments)
        + real.append([False] * missing + [True] * len(ids))
        """,
    "pads_in_place": """
        The lists that were passed in are padded in place. The caller may need them again, in
        another batch: make new lists.

        - rows.append([*ids, *[pad] * missing])
        - segment_rows.append([*segments, *[0] * missing])
          real.append([True] * len(ids) + [False] * missing)
        + ids += [pad] * missing
        + segments += [0] * missing
        + rows.append(ids)
        + segment_rows.append(segments)
        """,
    "other_order": """
        The results come as ids, mask, segments. The docstring promises ids, segments, mask.

        - return torch.tensor(rows), torch.tensor(segment_rows), torch.tensor(real)
        + return torch.tensor(rows), torch.tensor(real), torch.tensor(segment_rows)
        """,
}

RIGHT = {
    "with_pad_sequence": """
        def pad_inputs(inputs, pad):
            ids, segments = ([torch.tensor(row) for row in rows] for rows in zip(*inputs))
            real = [torch.ones(len(row), dtype=torch.bool) for row in ids]
            pad_rows = nn.utils.rnn.pad_sequence
            return (
                pad_rows(ids, batch_first=True, padding_value=pad),
                pad_rows(segments, batch_first=True),
                pad_rows(real, batch_first=True, padding_value=False),
            )
        """,
    "row_by_row": """
        def pad_inputs(inputs, pad):
            lengths = [len(ids) for ids, _ in inputs]
            shape = (len(inputs), max(lengths))
            all_ids = torch.full(shape, pad)
            all_segments = torch.zeros(shape, dtype=torch.long)
            for row, (ids, segments) in enumerate(inputs):
                all_ids[row, : len(ids)] = torch.tensor(ids)
                all_segments[row, : len(ids)] = torch.tensor(segments)
            return all_ids, all_segments, torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
        """,
}

EQUIVALENT = {
    "add_special_tokens returns as many segments as ids": """
        -        missing = longest - len(ids)
        +        missing = longest - len(segments)

        -        real.append([True] * len(ids) + [False] * missing)
        +        real.append([True] * len(segments) + [False] * missing)
        """,
}
