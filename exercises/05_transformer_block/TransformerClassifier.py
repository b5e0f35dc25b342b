"""The whole classifier; without blocks a case tests embedding, positions, mean and score alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, lengths_mask, linear, normal
from .common import block_state, draw_sizes

POINTS = {"values": 2, "blocks": 1, "padding": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        n_blocks: int,
        lengths: list[int],
        longest: int | None = None,
        ids: torch.Tensor | None = None,
        sizes: tuple[int, int] = (4, 2),
        filled: bool = False,
        dropout: float = 0.0,
        hooks: dict[str, Any] | None = None,
        reads: list[tuple[Any, ...]] | None = None,
        later: list[int] | None = None,
        **more: Any,
    ) -> Case:
        """`later` has the lengths of a second batch, as long as the first."""
        d_model, n_heads = sizes
        vocab_size, d_ff = int(rng.integers(6, 9)), d_model + int(rng.integers(1, 3))
        mask = lengths_mask(lengths, longest)
        drawn = torch.from_numpy(rng.integers(1, vocab_size, size=tuple(mask.shape)))
        drawn = drawn if filled else drawn * mask
        state = {"embedding.weight": normal(rng, vocab_size, d_model)}
        state |= linear(rng, "output", d_model, 1) | (hooks or {})
        if n_blocks:  # whether the blocks got the right dropout is read, not drawn
            state |= TO_EVAL
        for block in range(n_blocks):
            state |= block_state(rng, d_model, d_ff, f"blocks.{block}.")
        kwargs = {"dropout": dropout, "max_length": mask.shape[1] + 2}
        then = [("__call__", drawn if ids is None else ids, mask), *(reads or [])]
        if later:
            mask = lengths_mask(later, mask.shape[1])
            other = torch.from_numpy(rng.integers(1, vocab_size, size=tuple(mask.shape)))
            then.append(("__call__", other * mask, mask))
        numbers = [vocab_size, d_model, n_heads, d_ff, n_blocks]
        return Case(group, numbers, kwargs, state=state, then=then, **more)

    (length,) = draw_sizes(rng, (4, 5))
    yield case("values", 0, [2, 2], title="no blocks: embedding, positions, mean, score")
    title = "a batch of one, one block, and the positions"
    yield case("values", 1, [length], reads=[(".positions",)], title=title)
    title = "what training changes"
    yield case("values", 1, [3, 4], title=title, gradient="all")
    yield case("blocks", 1, [length, length, length], title="three texts of the same length")
    yield case("blocks", 1, [2, 3], sizes=(6, 3), title="three heads")
    yield case("blocks", 2, [length, 3], title="two blocks")
    rate, reads = int(rng.integers(2, 6)) / 16, [(".blocks.0.dropout.p",)]
    title = "a dropout of its own: does it reach the blocks?"
    yield case("blocks", 1, [2], dropout=rate, reads=reads, title=title)
    short = int(rng.integers(1, 3))
    yield case("padding", 0, [short, 4], title="padding, no blocks")
    yield case("padding", 1, [short, 2, 4], title="padding")
    yield case("padding", 0, [short, 4], later=[4, 3], title="one batch after another")
    title = "padding with other ids than 0: the mask tells what is real"
    yield case("padding", 1, [short, 4], filled=True, title=title)
    yield case("edges", 1, [0, int(rng.integers(2, 4))], title="a text without tokens")
    yield case("edges", 1, [0], longest=2, title="nothing but padding")
    title = "the gradient, with a text without tokens in the batch"
    yield case("edges", 1, [0, 3], title=title, gradient="all")
    title = "the gradient, with nothing but padding"
    yield case("edges", 0, [0], longest=2, title=title, gradient="all")
    yield case("edges", 1, [1, 1, 1], title="three texts of one word")
    unknown = torch.ones(1, int(rng.integers(2, 5)), dtype=torch.long)
    yield case("edges", 1, [unknown.shape[1]], ids=unknown, title="only unknown words")
    title = "dropout 1 in training, no blocks: words and positions are dropped"
    yield case("edges", 0, [2, 3], dropout=1.0, title=title)
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("edges", 0, [2, 3], dropout=1.0, hooks=TO_EVAL, title=title)
    sizes = [int(rng.integers(6, 9)), 4, 2, 5, 0]
    for read, title in (
        ((".positions.requires_grad",), "the positions are not learned"),
        (("get_buffer", "positions"), "the positions move along with the model: they are a buffer"),
        ((".embedding.padding_idx",), "row 0 of the embedding is padding"),
    ):
        yield Case("edges", sizes, {"max_length": length}, then=[read], title=title)
    title, reads = "the default dropout and the default number of positions", [(".dropout.p",)]
    yield Case("edges", [7, 2, 1, 3, 0], then=[*reads, (".positions",)], title=title)


WRONG = {
    "gradient_is_nan": """
        The scores are right, but with a text without tokens in the batch the gradient is NaN: 0/0 was
        computed and replaced afterwards. Divide by a number of tokens that is at least 1.

        - h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        + h = ((X * real).sum(dim=1) / real.sum(dim=1)).nan_to_num()
        """,
    "positions_along_batch": """
        The positions are counted along the batch: all tokens of the first text get position 0,
        all of the second text position 1. Count them within each text, along L.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.dropout(self.embedding(ids) + self.positions[: len(ids), None])
        """,
    "positions_for_the_texts": """
        You take as many positions as there are texts in the batch. Take as many as a text has
        tokens: the length of the second axis of ids, (B, L).

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.dropout(self.embedding(ids) + self.positions[: len(ids)])
        """,
    "without_positions": """
        The positions are not added, so the model cannot know the order of the tokens.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.dropout(self.embedding(ids))
        """,
    "drops_out_words_only": """
        Dropout acts on the words' vectors only, and the positions are added after it. Add the two
        first: dropout acts on their sum.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.dropout(self.embedding(ids)) + self.positions[: ids.shape[1]]
        """,
    "drops_out_positions_only": """
        Dropout acts on the positions only, not on the words' vectors. Add the two first: dropout acts
        on their sum.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.embedding(ids) + self.dropout(self.positions[: ids.shape[1]])
        """,
    "forgets_dropout": """
        Nothing is dropped before the first block. `self.dropout` acts on the sum of words' vectors and
        positions: apply it there.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + X = self.embedding(ids) + self.positions[: ids.shape[1]]
        """,
    "averages_padding": """
        Padding is averaged into the mean: sum over real tokens only, and divide by their number.

        - h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        + h = X.mean(dim=1)
        """,
    "divides_by_padded_length": """
        Padding is left out of the sum, but you divide by L, which counts it. Divide by the number
        of real tokens in each text.

        - h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        + h = (X * real).sum(dim=1) / X.shape[1]
        """,
    "nan_for_empty_text": """
        A text without tokens divides 0 by 0. Let the number of tokens be at least 1: then the
        mean is zeros, and the score is the bias of the output layer.

        - h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        + h = (X * real).sum(dim=1) / real.sum(dim=1)
        """,
    "blocks_see_padding": """
        The mean leaves padding out, but inside the blocks tokens still attend to it. Pass the
        padding mask to each block.

        - X = block(X, padding_mask(mask))
        + X = block(X)
        """,
    "blocks_get_raw_mask": """
        The blocks get the mask as it is, (B, L). They need (B, 1, L), one row per text:
        padding_mask makes it.

        - X = block(X, padding_mask(mask))
        + X = block(X, mask)
        """,
    "blocks_ignore_dropout": """
        `dropout` does not reach the blocks: each of them uses its default. Pass it on.

        - TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
        + TransformerBlock(d_model, n_heads, d_ff) for _ in range(n_blocks)
        """,
    "blocks_in_plain_list": """
        The blocks are in an ordinary list. PyTorch does not look into lists, so their weights
        would neither be found nor trained. nn.ModuleList is a list that it knows.

        raises AttributeError

        - self.blocks = nn.ModuleList(
        -     TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
        - )
        + self.blocks = [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
        """,
    "repeats_one_block": """
        All blocks are one and the same object with the same weights, for `[block] * n` repeats
        it. Make a new block for each round.

        - TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
        + [TransformerBlock(d_model, n_heads, d_ff, dropout)] * n_blocks
        """,
    "learns_positions": """
        The positions are a parameter, so training would change them. They move along with the
        model but are not learned: register them as a buffer.

        - self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        + self.positions = nn.Parameter(sinusoidal_positional_encoding(max_length, d_model))
        """,
    "positions_no_buffer": """
        The positions are an ordinary attribute, which stays behind when the model moves to a
        GPU. A buffer moves along.

        raises AttributeError

        - self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        + self.positions = sinusoidal_positional_encoding(max_length, d_model)
        """,
    "embedding_without_padding_idx": """
        The embedding does not know that its row 0 is padding. Say so with padding_idx: then the
        row starts as zeros and is not trained.

        - self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        + self.embedding = nn.Embedding(vocab_size, d_model)
        """,
    "squeezes_batch": """
        A bare `squeeze()` removes the batch axis as well when it holds a single text. Say which
        axis it may remove.

        - return self.output(h).squeeze(-1)
        + return self.output(h).squeeze()
        """,
    "returns_probabilities": """
        These are probabilities. Return the scores: the loss applies the sigmoid itself, in a way
        that does not overflow.

        - return self.output(h).squeeze(-1)
        + return torch.sigmoid(self.output(h).squeeze(-1))
        """,
    "scales_embeddings": """
        The words' vectors are multiplied by the square root of d_model, as in the paper. Here they
        are added to the positions as they are.

        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        + scale = math.sqrt(self.embedding.embedding_dim)
        + X = self.dropout(self.embedding(ids) * scale + self.positions[: ids.shape[1]])
        """,
}

FURTHER = """
`self.positions[: ids.shape[1]]` has the shape (L, d_model) and broadcasts over the batch. For
the mean, set padded positions to 0, sum over axis 1, and divide by the number of real tokens,
at least 1.
"""

RIGHT = {
    "classifier_text_by_text": """
        - X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        - for block in self.blocks:
        -     X = block(X, padding_mask(mask))
        - real = mask.unsqueeze(-1)  # (B, L, 1)
        - h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        - return self.output(h).squeeze(-1)
        + scores = []
        + for row, real in zip(ids, mask):
        +     X = self.dropout(self.embedding(row[real]) + self.positions[: real.sum()])[None]
        +     for block in self.blocks:
        +         X = block(X)
        +     h = X[0].mean(dim=0) if real.any() else torch.zeros(X.shape[-1])
        +     scores.append(self.output(h)[0])
        + return torch.stack(scores)
        """,
    "classifier_einsum": """
        class TransformerClassifier(nn.Module):
            def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
                super().__init__()
                self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
                self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model), False)
                self.dropout = nn.Dropout(dropout)
                self.blocks = nn.ModuleList()
                for _ in range(n_blocks):
                    self.blocks.append(TransformerBlock(d_model, n_heads, d_ff, dropout))
                self.output = nn.Linear(d_model, 1)

            def forward(self, ids, mask):
                position = torch.arange(ids.shape[1])
                Y = self.dropout(self.embedding(ids) + self.positions[position].unsqueeze(0))
                for block in self.blocks:
                    Y = block(Y, mask.unsqueeze(1))
                weights = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
                return self.output(torch.einsum("bl,bld->bd", weights, Y))[:, 0]
        """,
}

EQUIVALENT = {
    "whether the positions are saved is left open": """
        -        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        +        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model), persistent=False)
        """,
    "padding_mask converts the mask, and a product with 1 or 0 is the same in any type": """
             def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.float()
                 X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])

             def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.long()
                 X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        """,
    "row 0 is padding, so no real word has the id 0": """
             def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask & (ids != 0)
                 X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        """,
    "padding comes at the end": """
             def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
        """,
    "the vectors are a new tensor, which nothing else uses": """
        -        h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        +        h = (X.mul_(real)).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        """,
}
