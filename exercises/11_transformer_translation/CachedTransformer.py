"""CachedTransformer: the first cache, steps with made-up caches of any length; nothing is changed in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, lengths_mask, normal, number
from .common import draw_ids, model_state, only

POINTS = {"start": 2, "step": 3, "padding": 1, "edges": 1}

_D, _HEADS, _D_FF = 4, 2, 5
_USED = {
    "start": ("source_embedding", "encoder", "cross_attention.W_K", "cross_attention.W_V"),
    "step": ("target_embedding", "decoder"),
}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    n_words = number(rng, 5, 6)

    def case(
        group: str,
        *then: tuple,
        n_layers: int = 1,
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        state = {}
        if "judge" not in more:
            state = model_state(rng, n_words, n_words, _D, _D_FF, n_layers)
            state = only(state, *_USED[then[0][0]])
        sizes = [n_words, n_words, _D, _HEADS, _D_FF, n_layers]
        kwargs = {"dropout": 0.0, "max_length": 6} | (options or {})
        return Case(group, sizes, kwargs, state=state, then=list(then), **more)

    def start(*lengths: int) -> tuple:
        mask = lengths_mask(lengths)
        return "start", draw_ids(rng, n_words, *mask.shape), mask

    def cache(t: int, mask: torch.Tensor, n_layers: int = 1) -> list[torch.Tensor]:
        """Made-up keys and values of t tokens and of the source."""
        found, (B, L) = [mask], mask.shape
        for _ in range(n_layers):
            found += [normal(rng, B, _HEADS, n, _D // _HEADS) for n in (t, t, L, L)]
        return found

    def step(t: int, *lengths: int, n_layers: int = 1) -> tuple:
        mask = lengths_mask(lengths)
        y = 1 + rng.permutation(n_words - 1)[: len(lengths), None]  # all different
        return "step", torch.from_numpy(y), cache(t, mask, n_layers)

    n = number(rng, 3, 4)
    yield case("start", start(1), n_layers=2, title="a source of one token, two layers")

    yield case("step", step(0, n), title="the first token")
    t = number(rng, 1, 3)
    title = "two steps from the same cache: the first one leaves it as it was"
    _, y, made = step(t, 2)
    other = draw_ids(rng, n_words, 1, 1)
    yield case("step", ("step", y, made), ("step", other, made), title=title)
    yield case("step", step(t + 1, 2), options={"norm_first": True}, title="pre-LN")
    _, y, made = step(t, 3, 2)
    y[0] = 0
    yield case("step", ("step", y, made), title="the id 0: a step has no padding")

    method, source, mask = start(2, n)
    source[1, 0], mask[1, 1] = 0, False
    title = "padding at the end of a source and inside one, an id of 0"
    other = (method, source, mask.flip(0))
    yield case("padding", (method, source, mask), other, title=title)
    title = "a step with padding in the source, three layers"
    yield case("padding", step(t, n, 2, n_layers=3), n_layers=3, title=title)

    title = "no position is left"
    yield case("edges", step(6, 2), title=title, judge=VALUE_ERROR)
    yield case("edges", step(5, 2), title="the last position")


WRONG = {
    "masks_the_id_0": """
        A token with the id 0 was taken for padding, and may attend to nothing. A step has no padding: it
        attends to all tokens of the cache and to itself, whatever its id.

        - return layer.self_attention.attend(X, longer[-2], longer[-1])[0]
        + seen = (y != 0)[:, :, None].expand(-1, 1, longer[-2].shape[2])
        + return layer.self_attention.attend(X, longer[-2], longer[-1], seen)[0]
        """,
    "position_zero": """
        Every token gets the position 0. Its position is the number of tokens in the cache.

        - Y = self.embed(self.target_embedding, y, start=rest[0].shape[2])
        + Y = self.embed(self.target_embedding, y)
        """,
    "position_one_too_many": """
        The positions are one too high: the first token has the position 0.

        - Y = self.embed(self.target_embedding, y, start=rest[0].shape[2])
        + Y = self.embed(self.target_embedding, y, start=rest[0].shape[2] + 1)
        """,
    "forgets_the_past": """
        The token attends only to itself. Put its key and value behind those in the cache, and attend
        to all of them.

        - return layer.self_attention.attend(X, longer[-2], longer[-1])[0]
        + return layer.self_attention.attend(X, *new)[0]
        """,
    "without_itself": """
        The token attends to those in the cache but not to itself. Its own key and value come first
        into the cache, then it attends.

        - return layer.self_attention.attend(X, longer[-2], longer[-1])[0]
        + if K.shape[2] == 0:
        +     return layer.self_attention.attend(X, longer[-2], longer[-1])[0]
        + return layer.self_attention.attend(X, K, V)[0]
        """,
    "new_in_front": """
        The new key and value stand before the old ones. The cache keeps the order of the tokens: put
        them behind.

        - longer.extend(torch.cat(both, dim=2) for both in zip((K, V), new))
        + longer.extend(torch.cat(both, dim=2) for both in zip(new, (K, V)))
        """,
    "does_not_grow": """
        The returned cache does not contain the new token, so the next step will not know it.

        - longer += [K_source, V_source]
        + longer[-2:] = [K, V]
        + longer += [K_source, V_source]
        """,
    "decoder_sees_padding": """
        The step attends to padding in the source. The mask is the first entry of the cache.

        - return layer.cross_attention.attend(X, K_source, V_source, padding_mask(mask))[0]
        + return layer.cross_attention.attend(X, K_source, V_source)[0]
        """,
    "without_final_norm": """
        decoder_norm is missing before the logits.

        - return self.decoder_norm(Y) @ self.target_embedding.weight.T, longer
        + return Y @ self.target_embedding.weight.T, longer
        """,
    "keys_before_the_norm": """
        With pre-LN the keys and values of the new token are made before the normalization. Make them
        from the X that the AddAndNorm passes to your function.

        -     new = layer.self_attention.keys_values(X)
        +     new = layer.self_attention.keys_values(Y)
        """,
    "source_before_target": """
        In the new cache the source's keys and values stand before those of the target. The docstring
        gives the order of the four: first the self-attention, then the cross-attention.

        - longer += [K_source, V_source]
        + longer[-2:] = [K_source, V_source, *longer[-2:]]
        """,
    "longer_on_the_wrong_axis": """
        The new key and value are concatenated on the axis of the heads. The tokens are on axis 2 of
        (B, H, t, d_k).

        raises RuntimeError

        - longer.extend(torch.cat(both, dim=2) for both in zip((K, V), new))
        + longer.extend(torch.cat(both, dim=1) for both in zip((K, V), new))
        """,
    "keys_of_the_first_layer": """
        All layers get keys and values of the source from the first layer. Each layer has its own
        W_K and W_V: use its cross_attention.

        - K, V = layer.cross_attention.keys_values(M)
        + K, V = self.decoder[0].cross_attention.keys_values(M)
        """,
    "mask_without_queries": """
        The mask of the cache is (B, L), so `attend` takes its sentences for tokens that ask.
        padding_mask gives it the axis of the queries: (B, 1, L).

        - return layer.cross_attention.attend(X, K_source, V_source, padding_mask(mask))[0]
        + return layer.cross_attention.attend(X, K_source, V_source, mask)[0]
        """,
    "source_without_norm": """
        The keys and values of the source are made from the output of the last layer, without
        encoder_norm. `encode` does all that is needed.

        - M = self.encode(source, mask)
        + M = self.embed(self.source_embedding, source)
        + for layer in self.encoder:
        +     M = layer(M, padding_mask(mask))
        """,
    "grows_with_the_source": """
        The self-attention also attends to the source: its keys and values were put into the wrong
        pair of tensors. Only the tokens read so far belong there; before the first one there are
        none.

        - cache += [K[:, :, :0], V[:, :, :0], K, V]
        + cache += [K, V, K, V]
        """,
    "without_positions": """
        The new words get no positions, or no scale: they are only looked up. Use `self.embed`,
        with `start`.

        - Y = self.embed(self.target_embedding, y, start=rest[0].shape[2])
        + Y = self.target_embedding(y)
        """,
    "without_scale": """
        The embedding is not multiplied by the square root of d_model. Use `self.embed`, with
        `start`.

        - Y = self.embed(self.target_embedding, y, start=rest[0].shape[2])
        + start = rest[0].shape[2]
        + Y = self.target_embedding(y) + self.positions[start : start + y.shape[1]]
        """,
    "source_of_the_first_layer": """
        All layers read the source's keys and values of the first layer. Each has its own.

        - K, V, K_source, V_source = rest[4 * i : 4 * i + 4]
        + K, V = rest[4 * i : 4 * i + 2]
        + K_source, V_source = rest[2:4]
        """,
}

FURTHER = """
A step is DecoderLayer.forward for one token, twice changed. In the self-attention: keys_values of X,
concatenated behind K and V of the cache on axis 2, then `attend` to the longer ones, without a mask. In
the cross-attention: `attend` to the source's keys and values from the cache, with
padding_mask(cache[0]). The position of the token is the number of tokens in the cache, K.shape[2].
"""

RIGHT = {
    "by_parts": """
        class CachedTransformer(TranslationTransformer):
            def start(self, source, mask):
                M = self.encode(source, mask)
                cache = [mask]
                for layer in self.decoder:
                    K, V = layer.cross_attention.keys_values(M)
                    none = K.new_zeros(K.shape[0], K.shape[1], 0, K.shape[3])
                    cache.extend([none, none.clone(), K, V])
                return cache

            def step(self, y, cache):
                t = cache[1].size(2)
                x = self.embed(self.target_embedding, y, t)
                new_cache = [cache[0]]
                for number, layer in enumerate(self.decoder):
                    K, V, KM, VM = cache[1 + 4 * number : 5 + 4 * number]
                    inside = layer.add_1.norm(x) if layer.add_1.norm_first else x
                    k, v = layer.self_attention.keys_values(inside)
                    K, V = torch.cat([K, k], dim=2), torch.cat([V, v], dim=2)
                    x = layer.add_1(x, lambda z: layer.self_attention.attend(z, K, V)[0])
                    allowed = cache[0][:, None, :]
                    x = layer.add_2(x, lambda z: layer.cross_attention.attend(z, KM, VM, allowed)[0])
                    x = layer.add_3(x, layer.feed_forward)
                    new_cache.extend([K, V, KM, VM])
                return F.linear(self.decoder_norm(x), self.target_embedding.weight), new_cache
        """,
    "copies_the_cache": """
        class CachedTransformer(TranslationTransformer):
            def start(self, source, mask):
                M = self.encode(source, mask)
                tensors = [mask]
                for layer in self.decoder:
                    own = layer.self_attention.keys_values(M[:, :0])
                    tensors += [*own, *layer.cross_attention.keys_values(M)]
                return tensors

            def step(self, y, cache):
                cache = list(cache)
                Y = self.embed(self.target_embedding, y, start=cache[1].shape[2])
                for i, layer in enumerate(self.decoder):
                    at = 4 * i + 1

                    def look_back(X):
                        k, v = layer.self_attention.keys_values(X)
                        cache[at] = torch.cat((cache[at], k), 2)
                        cache[at + 1] = torch.cat((cache[at + 1], v), 2)
                        return layer.self_attention.attend(X, cache[at], cache[at + 1])[0]

                    def look_over(X):
                        K, V = cache[at + 2 : at + 4]
                        return layer.cross_attention.attend(X, K, V, padding_mask(cache[0]))[0]

                    Y = layer.add_3(layer.add_2(layer.add_1(Y, look_back), look_over), layer.feed_forward)
                Y = self.decoder_norm(Y)
                return torch.einsum("btd,vd->btv", Y, self.target_embedding.weight), cache
        """,
    "attends_by_hand": """
        - return layer.self_attention.attend(X, longer[-2], longer[-1])[0]
        + attention = layer.self_attention
        + q = attention.W_Q(X).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2)
        + a = torch.softmax(q @ longer[-2].mT / math.sqrt(q.shape[-1]), dim=-1)
        + return attention.W_O((a @ longer[-1]).transpose(1, 2).flatten(2))
        """,
}

EQUIVALENT = {
    "the model is trained through `forward`; a step only translates": "every edit: detached, without gradient",
    "a cache is never empty: the source's mask is in it": "every edit: constant corner",
    "keys and values of no token are equal": """
        -            cache += [K[:, :, :0], V[:, :, :0], K, V]
        +            cache += [V[:, :, :0], K[:, :, :0], K, V]

        -            cache += [K[:, :, :0], V[:, :, :0], K, V]
        +            cache += [V[:, :, :0], V[:, :, :0], K, V]

        -            cache += [K[:, :, :0], V[:, :, :0], K, V]
        +            cache += [K[:, :, 1:0], V[:, :, :0], K, V]

        -            cache += [K[:, :, :0], V[:, :, :0], K, V]
        +            cache += [K[:, :, :0], K[:, :, :0], K, V]

        -            cache += [K[:, :, :0], V[:, :, :0], K, V]
        +            cache += [K[:, :, :0], V[:, :, 1:0], K, V]
        """,
    "as many values as keys; four axes": """
        -        Y = self.embed(self.target_embedding, y, start=rest[0].shape[2])
        +        Y = self.embed(self.target_embedding, y, start=rest[1].shape[2])
        """,
}
