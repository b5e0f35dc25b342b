"""TranslationTransformer: the whole model, its two halves alone, odd lengths, too many tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, VALUE_ERROR, lengths_mask, normal, number
from .common import draw_ids, frozen_but, model_state, only

POINTS = {"values": 2, "encoder": 1, "decoder": 2, "padding": 1, "options": 2}

_D, _D_FF = 4, 5
_EMBEDDING = "torch.nn.Embedding.from_pretrained((torch.arange(20.0) / 7).view(5, 4))"
_ENCODER = "source_embedding", "encoder"
_DECODER = "target_embedding", "decoder"
#: Logits near 0 are sums over all layers of numbers that are not.
_CLOSE = {"atol": 1e-5}
#: Weights whose gradients show that all others learn, too.
_TRAINED = "embedding.weight", "coder_norm", "W_1.bias", "cross_attention.W_V.bias"


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_source, n_target = number(rng, 6, 7), number(rng, 8, 9)

    def case(
        group: str,
        then: list[tuple],
        n_layers: int = 1,
        options: dict[str, Any] | None = None,
        hooks: dict[str, Any] | None = None,
        parts: tuple[str, ...] = (*_ENCODER, *_DECODER),
        sizes: tuple[int, ...] = (n_source, n_target, _D, 2, _D_FF),
        **more: Any,
    ) -> Case:
        state = only(model_state(rng, *sizes[:3], sizes[4], n_layers), *parts)
        if "gradient" in more:
            state |= frozen_but(state, *_TRAINED)
        state |= hooks or {}
        kwargs = {"dropout": 0.0, "max_length": 6} | (options or {})
        more.setdefault("judge", _CLOSE)
        return Case(group, [*sizes, n_layers], kwargs, state=state, then=then, **more)

    def source(*lengths: int) -> tuple[torch.Tensor, torch.Tensor]:
        return draw_ids(rng, n_source, len(lengths), max(lengths)), lengths_mask(lengths)

    def target(*lengths: int) -> torch.Tensor:
        return draw_ids(rng, n_target, len(lengths), max(lengths)) * lengths_mask(lengths)

    def call(lengths: list[int], targets: list[int]) -> tuple:
        return ("__call__", *source(*lengths), target(*targets))

    n = number(rng, 3, 4)
    yield case("values", [call([n], [n - 1])], title="one pair")
    yield case("values", [call([2, n], [n, 2])], n_layers=2, title="two layers")
    yield case("values", [call([2], [2])], title="what training changes", gradient="all")

    then = [("encode", *source(n, n))]
    yield case("encoder", then, parts=_ENCODER, title="the encoder")
    ids, mask = source(n, 1)
    ids[0, 1], mask[0, 0] = 0, False
    title = "the encoder, padding, and an id of 0 where the mask says real"
    yield case("encoder", [("encode", ids, mask)], parts=_ENCODER, title=title)

    y, M = target(1, 3), normal(rng, 2, n, _D)
    mask = lengths_mask([n, 2])
    mask[0, 0] = False
    then = [("decode", y, M, mask)]
    yield case("decoder", then, parts=_DECODER, title="the decoder, padding")

    (first, mask), y = source(2), target(3)
    wide = torch.cat([first, draw_ids(rng, n_source, 1, 2)], dim=1)
    then = [("__call__", first, mask, y), ("__call__", wide, lengths_mask([2, 4])[:1], y)]
    yield case("padding", then, title="the same source with padding")

    embed = "embed", codec.Source(_EMBEDDING), draw_ids(rng, 5, 2, 2)
    title = "embed: positions from `start` on, then from the first one on"
    yield case("decoder", [(*embed, number(rng, 1, 3)), embed], parts=(), title=title)
    title = "embed: the positions end"
    yield case("decoder", [(*embed, 5)], parts=(), title=title, judge=VALUE_ERROR)

    ids, mask = source(n, 3)
    ids[0, 0], mask[0, 1] = 0, False
    then, sizes = [("__call__", ids, mask, target(2, n))], (n_source + 1, n_target + 2, 3, 3, 7)
    title = "pre-LN, other sizes, padding inside a source"
    yield case("options", then, options={"norm_first": True}, sizes=sizes, title=title)
    length = number(rng, 2, 3)
    then, short = [call([length], [length])], {"max_length": length}
    title = "without layers, as many tokens as positions"
    yield case("options", then, n_layers=0, options=short, title=title)
    ids, words = source(2), draw_ids(rng, n_target, 1, 5)
    for where, then in (
        ("source", ("__call__", *source(length + 1), target(2))),
        ("target", ("__call__", *ids, words[:, : length + 1])),
    ):
        title = f"the {where} has one token too many"
        yield case("options", [then], options=short, parts=(), title=title, judge=VALUE_ERROR)
    rates = [(".dropout.p",), (".encoder.0.add_1.dropout.p",), (".decoder.0.add_3.dropout.p",)]
    then, rate = [call([2], [2]), *rates], {"dropout": 0.125}
    title = "a dropout, in evaluation"
    yield case("options", then, options=rate, hooks=TO_EVAL, title=title)
    then = [(".dropout.p",), (".encoder.0.add_1.dropout.p",), ("get_buffer", "positions")]
    yield Case("options", [*sizes, 1], then=then, title="the defaults, and the buffer of positions")
    title = "dropout 1 in training"
    yield case("options", [call([2], [n])], options={"dropout": 1.0}, title=title)


WRONG = {
    "without_scale": """
        The embeddings are not multiplied by sqrt(d_model), so the positions are too strong beside
        them.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return self.dropout(embedding(ids) + self.positions[start:end])
        """,
    "scales_the_positions": """
        The positions are multiplied by sqrt(d_model), too. Only the embeddings are.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return self.dropout(scale * (embedding(ids) + self.positions[start:end]))
        """,
    "without_positions": """
        The positions are missing, so the encoder does not know the order of the words.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return self.dropout(scale * embedding(ids))
        """,
    "sees_the_future": """
        Tokens of the target see those that come after them: in training the decoder only learns to
        copy. Use decoder_mask.

        - Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        + Y = layer(Y, M, padding_mask(y != 0), padding_mask(mask))
        """,
    "decoder_sees_padding": """
        The decoder attends to padding in the source. Its cross-attention needs the source's padding
        mask.

        - Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        + Y = layer(Y, M, decoder_mask(y))
        """,
    "encoder_sees_padding": """
        The encoder attends to padding. Each layer needs the padding mask.

        - X = layer(X, padding_mask(mask))
        + X = layer(X)
        """,
    "encoder_mask_from_ids": """
        The source's mask is computed from its ids. A real token may have the id 0; use the mask.

        - X = layer(X, padding_mask(mask))
        + X = layer(X, padding_mask(source != 0))
        """,
    "source_embedding_for_both": """
        The target is read with the embeddings of the source.

        - Y = self.embed(self.target_embedding, y)
        + Y = self.embed(self.source_embedding, y)
        """,
    "same_layer_again": """
        All layers are the same object, with the same weights: `[layer] * n` repeats one. Make a new
        layer for each.

        - self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(n_layers))
        + self.decoder = nn.ModuleList([DecoderLayer(*sizes)] * n_layers)
        """,
    "accepts_any_length": """
        A sentence with more tokens than positions should raise a ValueError that says so.

        - if end > len(self.positions):
        -     raise ValueError(f"{end} tokens are more than the model's {len(self.positions)} positions")
        - scale = math.sqrt(self.positions.shape[1])
        + more = sinusoidal_positional_encoding(max(end, len(self.positions)), self.positions.shape[1])
        + self.positions = more
        + scale = math.sqrt(self.positions.shape[1])
        """,
    "without_encoder_norm": """
        The normalization after the encoder's last layer, encoder_norm, is missing.

        - return self.encoder_norm(X)
        + return X
        """,
    "without_decoder_norm": """
        The normalization after the decoder's last layer, decoder_norm, is missing.

        - return self.decoder_norm(Y) @ self.target_embedding.weight.T
        + return Y @ self.target_embedding.weight.T
        """,
    "ignores_start": """
        `start` is ignored, so the first token of `ids` always gets position 0. Its position is
        `start`.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return self.dropout(scale * embedding(ids) + self.positions[: ids.shape[1]])
        """,
    "length_without_start": """
        Only the number of ids is compared with the number of positions. The last position that they
        need is start + L - 1: with a `start`, positions run out sooner.

        - if end > len(self.positions):
        + if ids.shape[1] > len(self.positions):
        """,
    "scales_by_d_model": """
        The embeddings are multiplied by d_model. The factor is its square root.

        - scale = math.sqrt(self.positions.shape[1])
        + scale = self.positions.shape[1]
        """,
    "same_layer_in_both_stacks": """
        In both stacks all layers are the same object, with the same weights: `[layer] * n` repeats
        one. Make a new layer for each.

        - self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(n_layers))
        - self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(n_layers))
        + self.encoder = nn.ModuleList([EncoderLayer(*sizes)] * n_layers)
        + self.decoder = nn.ModuleList([DecoderLayer(*sizes)] * n_layers)
        """,
    "without_dropout": """
        The dropout on the sum of embeddings and positions is missing.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return scale * embedding(ids) + self.positions[start:end]
        """,
    "dropout_before_the_positions": """
        Dropout acts on the embeddings alone. It acts on the sum of embeddings and positions: add
        first.

        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + return self.dropout(scale * embedding(ids)) + self.positions[start:end]
        """,
    "no_target_mask": """
        The decoder layers get no mask for the target: each word sees those that come after it, and
        padding. Pass `decoder_mask(y)`.

        - Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        + Y = layer(Y, M, None, padding_mask(mask))
        """,
    "only_the_causal_mask": """
        The target's mask hides what comes later, but not the padding. Use your `decoder_mask`,
        which hides both.

        - Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        + Y = layer(Y, M, causal_mask(y.shape[1]), padding_mask(mask))
        """,
    "returns_probabilities": """
        These are probabilities. Return logits: the loss applies the softmax itself.

        - return self.decoder_norm(Y) @ self.target_embedding.weight.T
        + return torch.softmax(self.decoder_norm(Y) @ self.target_embedding.weight.T, dim=-1)
        """,
    "scales_the_logits": """
        The logits are divided by the square root of d_model. Only the embeddings are scaled, on
        their way in.

        - return self.decoder_norm(Y) @ self.target_embedding.weight.T
        + return self.decoder_norm(Y) @ self.target_embedding.weight.T / math.sqrt(Y.shape[-1])
        """,
    "norm_first_not_passed": """
        `norm_first` is not passed on to the layers, which then always normalize last.

        - sizes = d_model, n_heads, d_ff, dropout, norm_first
        + sizes = d_model, n_heads, d_ff, dropout
        """,
}

FURTHER = """
encode: embed with the source embedding, each layer with padding_mask(mask), encoder_norm. decode: embed
with the target embedding, each layer with M, decoder_mask(y) and padding_mask(mask), decoder_norm, and
then a matrix product with the transposed weight of the target embedding.
"""

RIGHT = {
    "linear_output": """
        - return self.decoder_norm(Y) @ self.target_embedding.weight.T
        + return F.linear(self.decoder_norm(Y), self.target_embedding.weight)
        """,
    "einsum_output": """
        - Y = self.embed(self.target_embedding, y)
        - for layer in self.decoder:
        -     Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        - return self.decoder_norm(Y) @ self.target_embedding.weight.T
        + Y, own, other = self.embed(self.target_embedding, y), decoder_mask(y), padding_mask(mask)
        + for i in range(len(self.decoder)):
        +     Y = self.decoder[i](Y, M, target_mask=own, source_mask=other)
        + return torch.einsum("btd,vd->btv", self.decoder_norm(Y), self.target_embedding.weight)
        """,
    "positions_by_index": """
        - end = start + ids.shape[1]
        - if end > len(self.positions):
        -     raise ValueError(f"{end} tokens are more than the model's {len(self.positions)} positions")
        - scale = math.sqrt(self.positions.shape[1])
        - return self.dropout(scale * embedding(ids) + self.positions[start:end])
        + t = torch.arange(start, start + ids.shape[1])
        + if len(t) > 0 and t[-1] >= self.positions.shape[0]:
        +     raise ValueError("too long")
        + X = embedding(ids) * embedding.embedding_dim**0.5
        + return self.dropout(X + self.positions[t])
        """,
}

EQUIVALENT = {
    "whether the positions are saved is left open": """
        -        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        +        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model), persistent=False)
        """,
    "a single number as a tensor does not change the precision": """
        -        scale = math.sqrt(self.positions.shape[1])
        +        scale = torch.tensor(math.sqrt(self.positions.shape[1]))
        """,
    "padding_mask makes the mask boolean": """
             def encode(self, source: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.float()
                 X = self.embed(self.source_embedding, source)

             def encode(self, source: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.long()
                 X = self.embed(self.source_embedding, source)

             def decode(self, y: torch.Tensor, M: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.float()
                 Y = self.embed(self.target_embedding, y)

             def decode(self, y: torch.Tensor, M: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = mask.long()
                 Y = self.embed(self.target_embedding, y)

             def forward(self, source: torch.Tensor, mask: torch.Tensor, y_in: torch.Tensor) -> torch.Tensor:
        +        mask = mask.float()
                 return self.decode(y_in, self.encode(source, mask), mask)

             def forward(self, source: torch.Tensor, mask: torch.Tensor, y_in: torch.Tensor) -> torch.Tensor:
        +        mask = mask.long()
                 return self.decode(y_in, self.encode(source, mask), mask)
        """,
    "an embedding looks up each row for itself": """
        -        return self.dropout(scale * embedding(ids) + self.positions[start:end])
        +        return self.dropout(scale * torch.cat([embedding(ids[i : i + 1]) for i in range(len(ids))]) + self.positions[start:end])
        """,
    "a batch to train with has real tokens: each source ends with its </s>": """
        -        return self.encoder_norm(X)
        +        return self.encoder_norm(X) if mask.any() else self.encoder_norm(X).detach()

        -        return self.decoder_norm(Y) @ self.target_embedding.weight.T
        +        return (self.decoder_norm(Y) @ self.target_embedding.weight.T) if mask.any() else (self.decoder_norm(Y) @ self.target_embedding.weight.T).detach()

        -        return self.decode(y_in, self.encode(source, mask), mask)
        +        return self.decode(y_in, self.encode(source, mask), mask) if mask.any() else self.decode(y_in, self.encode(source, mask), mask).detach()
        """,
}
