"""BertEncoder: embeddings, blocks, pooler; with padding, with tiny vectors, with dropout 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, norm, number
from .common import embeddings_state

POINTS = {"values": 2, "padding": 2, "details": 1}

# Scaled down in the case of tiny vectors: then what a block adds and normalizes is about 1e-5.
_SHRUNK = ("W_V.bias", "W_O.bias", "W_1.bias", "W_2.bias")
_SHRUNK += ("norm_1.weight", "norm_1.bias", "embeddings.norm.weight", "embeddings.norm.bias")


def _block_state(
    rng: np.random.Generator, path: str, d_model: int, d_ff: int
) -> dict[str, torch.Tensor]:
    state: dict[str, torch.Tensor] = {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        state |= linear(rng, f"{path}attention.{name}", d_model, d_model)
    state |= linear(rng, f"{path}feed_forward.W_1", d_model, d_ff)
    state |= linear(rng, f"{path}feed_forward.W_2", d_ff, d_model)
    return state | norm(rng, f"{path}norm_1", d_model) | norm(rng, f"{path}norm_2", d_model)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        n_blocks: int,
        lengths: list[int],
        title: str,
        sizes: tuple[int, int] = (4, 2),
        n_segments: int = 2,
        dropout: float = 0.0,
        tiny: bool = False,
        scale: float = 30.0,  # so large that the embeddings' own eps makes no difference
        any_ids: bool = False,
        hooks: dict[str, Any] | None = None,
        reads: tuple[str, ...] = (),
        gradient: str = "",
    ) -> Case:
        d_model, n_heads = sizes
        vocab_size, d_ff, longest = number(rng, 7, 9), number(rng, 5, 6), max(lengths)
        tables = (vocab_size, d_model, longest + 1, n_segments)
        state: dict[str, Any] = embeddings_state(rng, tables, "embeddings.", scale=scale)
        for block in range(n_blocks):
            state |= _block_state(rng, f"blocks.{block}.", d_model, d_ff)
        if tiny:
            state |= {k: 1e-5 * v for k, v in state.items() if k.endswith(_SHRUNK)}
        state |= linear(rng, "pooler", d_model, d_model) | (hooks or {})
        mask = lengths_mask(lengths)
        ids = draw_ids(rng, vocab_size, len(lengths), longest, low=1)
        if any_ids:
            ids[:, 1] = 0
        else:
            ids *= mask
        segments = torch.zeros_like(ids)
        for row, length in enumerate(lengths):
            segments[row, number(rng, 1, max(1, length - 1)) : length] = n_segments - 1
        options = {"max_length": longest + 1, "n_segments": n_segments, "dropout": dropout}
        then = [("__call__", ids, segments, mask), *((name,) for name in reads)]
        numbers = [vocab_size, d_model, n_heads, d_ff, n_blocks]
        # the other groups are tolerant, so that only the details reveal another eps
        judge = {} if group == "details" else {"rtol": 1e-3, "atol": 1e-3}
        # which numbers an unwanted dropout leaves depends on the version of torch
        drawn: tuple[str, ...] = ()
        if not hooks:
            drawn += ("forgets_dropout_in_embeddings", "forgets_dropout")
            drawn += ("forgets_dropout_in_blocks",) if n_blocks else ()
        return Case(group, numbers, options, title, state, then, gradient, judge, drawn)

    length = number(rng, 3, 4)
    yield case("values", 0, [length, length], "no blocks: embeddings and pooler")
    yield case("values", 1, [length], "one block, a batch of one")
    yield case("values", 2, [3, 3], "two blocks")
    yield case("values", 1, [2, 2], "three heads", sizes=(6, 3))
    yield case("values", 1, [3], "what training changes", scale=1.0, gradient="all")
    yield case("values", 1, [length, length, length], "three texts of the same length")
    yield case("padding", 1, [number(rng, 1, 2), 4], "padding")
    yield case("padding", 2, [4, 2], "padding, two blocks")
    title = "real tokens with the id 0, padding with others: the mask tells what is real"
    yield case("padding", 1, [2, 4], title, any_ids=True)
    yield case("padding", 1, [2, 2 + length], "nothing but [CLS] and [SEP]")
    yield case("details", 1, [length, 2], "tiny vectors: eps must not dominate", tiny=True)
    yield case("details", 1, [2, 3], "three segments", n_segments=3)
    rate = number(rng, 2, 6) / 16
    reads = (".embeddings.dropout.p", ".blocks.0.dropout.p")
    title = "another dropout: does it reach embeddings and blocks?"
    yield case("details", 1, [2], title, dropout=rate, hooks=TO_EVAL, reads=reads)
    options = {"max_length": number(rng, 10, 20), "n_segments": number(rng, 3, 5)}
    reads = [
        (f".embeddings.{name}.num_embeddings",) for name in ("tokens", "positions", "segments")
    ]
    reads += [(".blocks.0.feed_forward.W_1.out_features",)]
    sizes = [number(rng, 5, 9), 4, 2, 4, 1]
    title = "the sizes of the three tables, and the width of the feed-forward network in a block"
    yield Case("details", sizes, options, then=reads, title=title)
    reads = [*reads[1:3], (".embeddings.dropout.p",)]
    yield Case("details", sizes, then=reads, title="default arguments")
    title = "dropout 1 in training: it acts in embeddings and blocks, nowhere else"
    yield case("details", 1, [2, 2], title, dropout=1.0)


WRONG = {
    "blocks_without_mask": """
        Tokens attend to padding, so a text's vectors depend on how long the other texts in the
        batch are. Give each block the padding mask, with a row of its own for each text.

        - X = block(X, padding_mask(mask))
        + X = block(X)
        """,
    "inverted_mask": """
        The attention mask is inverted: tokens attend to padding only. True means that a position
        is real and may be attended to.

        - X = block(X, padding_mask(mask))
        + X = block(X, ~padding_mask(mask))
        """,
    "mask_without_query_axis": """
        The blocks get the mask as it is, (B, L). It lacks the axis of the queries, so broadcasting
        matches it with the wrong axes; padding_mask inserts the axis.

        raises RuntimeError

        - X = block(X, padding_mask(mask))
        + X = block(X, mask)
        """,
    "default_blocks": """
        The blocks are created with their defaults, the ReLU and eps 1e-5. BERT's blocks use the
        GELU and eps 1e-12.

        - TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + TransformerBlock(d_model, n_heads, d_ff, dropout)
        """,
    "relu_in_blocks": """
        The blocks use the ReLU, which is their default. BERT's blocks use the GELU: pass
        activation="gelu".

        - TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + TransformerBlock(d_model, n_heads, d_ff, dropout, eps=1e-12)
        """,
    "default_epsilon_in_blocks": """
        The blocks normalize with another eps than 1e-12, which matters where the vectors are tiny.
        Their default is larger.

        - TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu")
        """,
    "repeats_one_block": """
        All blocks are the same object and share their weights: `[block] * n` repeats one block.
        Create a new one for each layer.

        - self.blocks = nn.ModuleList(
        -     TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        -     for _ in range(n_blocks)
        - )
        + block = TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + self.blocks = nn.ModuleList([block] * n_blocks)
        """,
    "blocks_in_a_list": """
        The blocks are not found: they are in a plain list, or under another name than `blocks`.
        PyTorch does not look into lists, so their weights are neither loaded nor trained; use
        nn.ModuleList.

        raises AttributeError

        - self.blocks = nn.ModuleList(
        + self.blocks = [
        ...
        - )
        + ]
        """,
    "pools_the_mean": """
        The pooler reads the mean over all positions. BERT's pooler reads the first position only,
        that of [CLS].

        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, torch.tanh(self.pooler(X.mean(dim=1)))
        """,
    "pools_the_last_position": """
        The pooler reads the last position, where there is [SEP] or padding. [CLS] is the first
        token of each text, at position 0.

        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, torch.tanh(self.pooler(X[:, -1]))
        """,
    "pools_the_first_text": """
        The pooler reads all of the first text. The first axis is the batch, the second the
        position: [CLS] is at the first position of each text.

        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, torch.tanh(self.pooler(X[0]))
        """,
    "pools_the_embeddings": """
        The pooler reads [CLS] as it enters the first block, where it knows nothing of the text yet.
        Take its vector from the output of the last block.

        - for block in self.blocks:
        + start = X[:, 0]
        + for block in self.blocks:
        ...
        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, torch.tanh(self.pooler(start))
        """,
    "pooler_without_tanh": """
        The pooled vector lacks the tanh that follows the linear layer.

        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, self.pooler(X[:, 0])
        """,
    "pooler_contains_tanh": """
        A part has another name or another type than the docstring lists under Attributes. The
        weights of a published model are loaded by these names: the pooler, for one, is the linear
        layer itself, and the tanh is applied in `forward`.

        raises AttributeError

        - self.pooler = nn.Linear(d_model, d_model)
        + self.pooler = nn.Sequential(nn.Linear(d_model, d_model), nn.Tanh())
        ...
        - return X, torch.tanh(self.pooler(X[:, 0]))
        + return X, self.pooler(X[:, 0])
        """,
    "forgets_dropout_in_blocks": """
        The argument `dropout` does not reach the blocks, which use their default. Pass it on.

        - TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + TransformerBlock(d_model, n_heads, d_ff, activation="gelu", eps=1e-12)
        """,
    "forgets_dropout_in_embeddings": """
        The argument `dropout` does not reach the embeddings, which use their default. Pass it on.

        - self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        + self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments)
        """,
    "forgets_dropout": """
        The argument `dropout` reaches neither the embeddings nor the blocks: both use their default.
        Pass it on to each of them.

        - self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        + self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments)
        ...
        - TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        + TransformerBlock(d_model, n_heads, d_ff, activation="gelu", eps=1e-12)
        """,
    "default_sizes_of_embeddings": """
        The embeddings are created without max_length and n_segments, so they have the default of 512
        positions whatever is asked for. Pass both on.

        - self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        + self.embeddings = BertEmbeddings(vocab_size, d_model, dropout=dropout)
        """,
}

FURTHER = """
Pass `activation` and `eps` to each block by name. In `forward`, every block gets
`padding_mask(mask)`, and the pooler reads position 0 of every text, `X[:, 0]`.
"""

RIGHT = {
    "text_by_text": """
        - X = self.embeddings(ids, segments)
        - for block in self.blocks:
        -     X = block(X, padding_mask(mask))
        - return X, torch.tanh(self.pooler(X[:, 0]))
        + texts = []
        + for text in range(len(ids)):
        +     X = self.embeddings(ids[text : text + 1], segments[text : text + 1])
        +     for block in self.blocks:
        +         X = block(X, mask[text].expand(1, len(mask[text]), -1))
        +     texts.append(X)
        + X = torch.cat(texts)
        + return X, (X.select(1, 0) @ self.pooler.weight.T + self.pooler.bias).tanh()
        """,
    "by_recursion": """
        - self.blocks = nn.ModuleList(
        -     TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
        -     for _ in range(n_blocks)
        - )
        + options = {"dropout": dropout, "activation": "gelu", "eps": 1e-12}
        + blocks = [TransformerBlock(d_model, n_heads, d_ff, **options) for _ in range(n_blocks)]
        + self.blocks = nn.Sequential(*blocks)
        ...
        - X = self.embeddings(ids, segments)
        - for block in self.blocks:
        -     X = block(X, padding_mask(mask))
        - return X, torch.tanh(self.pooler(X[:, 0]))
        + def through(n):
        +     if n == 0:
        +         return self.embeddings(ids, segments)
        +     return self.blocks[n - 1](through(n - 1), mask[:, None, :])
        +
        + H = through(len(self.blocks))
        + pooled = torch.einsum("ij,bj->bi", self.pooler.weight, H[:, 0]) + self.pooler.bias
        + return H, pooled.tanh()
        """,
}

EQUIVALENT = {
    "Every text has its [CLS] and [SEP]: no batch is without a token.": "every edit: constant corner",
    "padding_mask converts the mask": """
             ) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = mask.float()
                 X = self.embeddings(ids, segments)

             ) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = mask.long()
                 X = self.embeddings(ids, segments)
        """,
    "padding comes at the end": """
             ) -> tuple[torch.Tensor, torch.Tensor]:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 X = self.embeddings(ids, segments)
        """,
}
