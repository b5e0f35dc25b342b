"""translation_batch: mixed lengths, empty sentences, ids that look like padding, bad input."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, VALUE_ERROR

POINTS = {"values": 2, "edges": 2}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def sentences(*lengths: int) -> list[list[int]]:
        return [rng.integers(4, 90, size=n).tolist() for n in lengths]

    def case(group: str, sources: list, targets: list, title: str = "", **more) -> Case:
        bos, eos = rng.permutation(np.arange(90, 99))[:2].tolist()
        more.setdefault("judge", EXACT)
        return Case(group, [sources, targets, bos, eos], title=title, **more)

    n = int(rng.integers(3, 6))
    yield case("values", sentences(2), sentences(3), "one pair")
    yield case("values", sentences(n, 2), sentences(1, n + 1))
    yield case("values", sentences(1, n, 2), sentences(n, n - 1, n + 2), "three pairs")
    yield case("values", sentences(n, n), sentences(n, n), "all sentences are equally long")
    sources, targets = sentences(2, n), sentences(3, 2)
    sources[0][1] = targets[0][0] = 0
    title = "an id of 0 within a sentence is a token like any other"
    yield case("edges", sources, targets, title)
    source, *targets = sentences(n, 3, 2, 3)
    sources = [source, *sentences(2), [*source]]
    yield case("values", sources, targets, "the same source twice, with two translations")
    yield case("edges", sentences(0, 2), sentences(1, 0), "a source and a target without words")
    yield case("edges", sentences(0), sentences(0), "a single pair without words")
    title = "a source without a target"
    yield case("edges", sentences(2, n), sentences(3), title, judge=VALUE_ERROR)
    yield case("edges", sentences(2), sentences(3, n), "a target too many", judge=VALUE_ERROR)


WRONG = {
    "bos_and_eos_exchanged": """
        The two special tokens of the target are exchanged. The decoder begins by reading <s>, bos, and
        ends by writing </s>, eos.

        - y_in, _ = pad_batch([[bos, *ids] for ids in targets])
        - y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        + y_in, _ = pad_batch([[eos, *ids] for ids in targets])
        + y_out, _ = pad_batch([[*ids, bos] for ids in targets])
        """,
    "one_translation_for_each_source": """
        Sources were made keys of a dictionary, so the same source twice has one translation only. Pairs
        belong together by their places.

        - source, mask = pad_batch([[*ids, eos] for ids in sources])
        + targets = list(targets)
        + last = {tuple(ids): target for ids, target in zip(sources, targets)}
        + targets = [last[tuple(ids)] for ids in sources]
        + source, mask = pad_batch([[*ids, eos] for ids in sources])
        """,
    "source_without_end": """
        The sources have no </s>. The encoder reads it as the last token: it says that the sentence
        is over, and a sentence without words still has one token to read.

        - source, mask = pad_batch([[*ids, eos] for ids in sources])
        + source, mask = pad_batch(sources)
        """,
    "input_has_eos": """
        The decoder's input ends with </s>. After </s> there is nothing left to predict: y_in is
        <s> and the words, y_out the words and </s>, both equally long.

        - y_in, _ = pad_batch([[bos, *ids] for ids in targets])
        - y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        + y_in, _ = pad_batch([[bos, *ids, eos] for ids in targets])
        + y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        """,
    "not_shifted": """
        The decoder's input equals what it should predict, so it only learns to copy. The input is
        shifted by one position: it starts with <s> and lacks </s>.

        - y_in, _ = pad_batch([[bos, *ids] for ids in targets])
        + y_in, _ = pad_batch([[*ids, eos] for ids in targets])
        """,
    "swaps_input_and_output": """
        y_in and y_out are exchanged. The decoder reads <s> and the words, and predicts the words
        and </s>.

        - return source, mask, y_in, y_out
        + return source, mask, y_out, y_in
        """,
    "output_without_end": """
        y_out lacks its </s>: the decoder would never learn to stop. Append eos to every target
        there.

        - y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        + y_out, _ = pad_batch(targets)
        """,
    "output_has_bos": """
        y_out begins with <s>. The decoder never writes <s>: it is given <s>, and the first token to
        predict is the first word.

        - y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        + y_out, _ = pad_batch([[bos, *ids, eos] for ids in targets])
        """,
    "mask_from_ids": """
        A token with the id 0 is taken for padding. Build the mask from the lengths of the
        sentences, not from the ids.

        - return source, mask, y_in, y_out
        + return source, source != 0, y_in, y_out
        """,
    "mask_without_end": """
        The mask is False at the </s> of the sources. </s> is a token that the encoder reads: only
        padding is False.

        - source, mask = pad_batch([[*ids, eos] for ids in sources])
        + source, _ = pad_batch([[*ids, eos] for ids in sources])
        + lengths = torch.tensor([len(ids) for ids in sources])
        + mask = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        """,
    "pads_with_eos": """
        Short sentences are filled up with </s>, not with 0: the model would be trained to write
        </s> again and again.

        - source, mask = pad_batch([[*ids, eos] for ids in sources])
        - y_in, _ = pad_batch([[bos, *ids] for ids in targets])
        - y_out, _ = pad_batch([[*ids, eos] for ids in targets])
        + source, mask = pad_batch([[*ids, eos] for ids in sources], padding=eos)
        + y_in, _ = pad_batch([[bos, *ids] for ids in targets], padding=eos)
        + y_out, _ = pad_batch([[*ids, eos] for ids in targets], padding=eos)
        """,
    "changes_the_lists": """
        The lists that were passed in get longer. The caller needs them again in the next epoch:
        make new lists.

        -     source, mask = pad_batch([[*ids, eos] for ids in sources])
        +     for ids in sources:
        +         ids.append(eos)
        +     source, mask = pad_batch(sources)
        """,
    "counts_unchecked": """
        Sources and targets that do not belong together pass without a word. Raise a ValueError if
        there is not one target for each source.

        - if len(sources) != len(targets):
        + if False:
        """,
    "end_in_what_is_read": """
        Where a target is shorter than the longest one, </s> is in y_in. The decoder never reads it: y_in
        is bos and the target, y_out the target and eos, each padded on its own.

        - y_in, _ = pad_batch([[bos, *ids] for ids in targets])
        + y_in = pad_batch([[bos, *ids, eos] for ids in targets])[0][:, :-1]
        """,
    "zip_drops_the_rest": """
        Sources without a target, or targets without a source, are dropped without a word: `zip`
        stops with the shorter list. Raise a ValueError if there is not one target for each source.

        - if len(sources) != len(targets):
        -     raise ValueError(
        -         f"there should be one target for each source, but there are {len(sources)} sources"
        -         f" and {len(targets)} targets"
        -     )
        + n = min(len(sources), len(targets))
        + sources, targets = sources[:n], targets[:n]
        """,
}

RIGHT = {
    "by_hand": """
        def translation_batch(sources, targets, bos, eos):
            if len(sources) == 0 or len(sources) != len(targets):
                raise ValueError("one target for each source, please")

            def tensor(rows):
                longest = max(len(row) for row in rows)
                return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

            source = [ids + [eos] for ids in sources]
            mask = tensor([[1] * len(row) for row in source]).bool()
            y_in = tensor([[bos] + ids for ids in targets])
            return tensor(source), mask, y_in, tensor([ids + [eos] for ids in targets])
        """,
    "pad_sequence": """
        def translation_batch(sources, targets, bos, eos):
            if not sources or len(sources) != len(targets):
                raise ValueError("sources and targets differ in number")
            from torch.nn.utils.rnn import pad_sequence

            rows = [torch.tensor([*ids, eos]) for ids in sources]
            source = pad_sequence(rows, batch_first=True)
            mask = pad_sequence([torch.ones(len(r), dtype=torch.bool) for r in rows], True)
            whole = [torch.tensor([bos, *ids, eos]) for ids in targets]
            y_in = pad_sequence([row[:-1] for row in whole], True)
            return source, mask, y_in, pad_sequence([row[1:] for row in whole], True)
        """,
    "one_tensor_filled": """
        def translation_batch(sources, targets, bos, eos):
            if len(sources) != len(targets) or len(targets) < 1:
                raise ValueError(f"{len(sources)} sources, {len(targets)} targets")
            lengths = torch.tensor([len(ids) + 1 for ids in sources])
            source = torch.zeros(len(sources), int(lengths.max()), dtype=torch.long)
            y = torch.zeros(2, len(targets), max(map(len, targets)) + 1, dtype=torch.long)
            for b, (ids, others) in enumerate(zip(sources, targets)):
                source[b, : len(ids) + 1] = torch.tensor(ids + [eos])
                y[0, b, : len(others) + 1] = torch.tensor([bos] + others)
                y[1, b, : len(others) + 1] = torch.tensor(others + [eos])
            return source, torch.arange(source.shape[1]) < lengths[:, None], y[0], y[1]
        """,
}
