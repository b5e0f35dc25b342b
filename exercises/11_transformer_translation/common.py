"""What the cases of 11_transformer_translation share: weights, masks, ids, words, a decoder step."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..draw import attention_state, linear, norm, normal
from ..draw import draw_ids as draw_any_ids

#: Ids of any words but 0.
draw_ids = partial(draw_any_ids, low=1)

_STEMS = ("chat", "blanc", "chant", "parl", "petit", "jardin", "neig", "lent")
_ENDINGS = ("e", "s", "es", "ons", "er", "ais", "ment", "ant", "eur")


def draw_words(rng: np.random.Generator, n: int) -> list[str]:
    """n different words with stems and endings in common."""
    words = [stem + ending for stem in _STEMS for ending in _ENDINGS]
    return [words[int(i)] for i in rng.permutation(len(words))[:n]]


def layer_state(
    rng: np.random.Generator, d_model: int, d_ff: int, path: str = "", decoder: bool = True
) -> dict:
    """The weights of a DecoderLayer, or of an EncoderLayer."""
    state = attention_state(rng, d_model, path=f"{path}self_attention.")
    if decoder:
        state |= attention_state(rng, d_model, path=f"{path}cross_attention.")
    state |= linear(rng, f"{path}feed_forward.W_1", d_model, d_ff)
    state |= linear(rng, f"{path}feed_forward.W_2", d_ff, d_model)
    for i in (1, 2, 3) if decoder else (1, 2):
        state |= norm(rng, f"{path}add_{i}.norm", d_model)
    return state


def model_state(
    rng: np.random.Generator,
    n_source: int,
    n_target: int,
    d_model: int,
    d_ff: int,
    n_layers: int,
) -> dict:
    """The weights of a TranslationTransformer."""
    state = {"target_embedding.weight": normal(rng, n_target, d_model, scale=0.6)}
    state |= norm(rng, "decoder_norm", d_model)
    for i in range(n_layers):
        state |= layer_state(rng, d_model, d_ff, f"decoder.{i}.")
    state["source_embedding.weight"] = normal(rng, n_source, d_model, scale=0.6)
    state |= norm(rng, "encoder_norm", d_model)
    for i in range(n_layers):
        state |= layer_state(rng, d_model, d_ff, f"encoder.{i}.", decoder=False)
    return state


def only(state: dict, *parts: str) -> dict:
    """The weights with one of these parts in their paths. A case need not set what it does not use."""
    return {path: value for path, value in state.items() if any(part in path for part in parts)}


def frozen_but(state: dict, *parts: str) -> dict:
    """Switches, for the `state` of a case, that keep its gradients to a few of the weights."""
    trained = only(state, *parts)
    return {f"{path}.requires_grad": False for path in state if path not in trained}
