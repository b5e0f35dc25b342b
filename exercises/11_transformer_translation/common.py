"""What the cases of 11_transformer_translation share: weights, masks, ids, words, a decoder step."""

from __future__ import annotations

import math

import numpy as np
import torch

from coursekit.checking import codec

VALUE_ERROR = {"raises": "ValueError"}
EXACT = {"dtype": "exact"}

#: A hook, set by a case's `state`, that switches a module to evaluation before its first call.
TO_EVAL = {"_forward_pre_hooks": codec.Source("{0: lambda module, inputs: module.eval() and None}")}

_STEMS = ("chat", "blanc", "chant", "parl", "petit", "jardin", "neig", "lent")
_ENDINGS = ("e", "s", "es", "ons", "er", "ais", "ment", "ant", "eur")


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.from_numpy(np.asarray(rng.normal(size=shape) * scale, dtype=np.float32))


def number(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number, both ends included."""
    return int(rng.integers(low, high + 1))


def draw_ids(rng: np.random.Generator, n_words: int, *shape: int) -> torch.Tensor:
    """Ids of any words but 0."""
    return torch.from_numpy(rng.integers(1, n_words, size=shape))


def mask_of(*lengths: int) -> torch.Tensor:
    """True at the real tokens of sentences of these lengths: (B, L)."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def draw_words(rng: np.random.Generator, n: int) -> list[str]:
    """n different words with stems and endings in common."""
    words = [stem + ending for stem in _STEMS for ending in _ENDINGS]
    return [words[int(i)] for i in rng.permutation(len(words))[:n]]


def linear(rng: np.random.Generator, path: str, into: int, out: int) -> dict[str, torch.Tensor]:
    return {
        f"{path}.weight": normal(rng, out, into, scale=1.2 / math.sqrt(into)),
        f"{path}.bias": normal(rng, out, scale=0.3),
    }


def attention_state(rng: np.random.Generator, d_model: int, path: str = "") -> dict:
    """Weights whose scores are large enough that a wrong softmax shows."""
    state = {}
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        state |= linear(rng, f"{path}{name}", d_model, d_model)
    return state


def norm_state(rng: np.random.Generator, d_model: int, path: str) -> dict:
    return {
        f"{path}.weight": 1 + normal(rng, d_model, scale=0.3),
        f"{path}.bias": normal(rng, d_model, scale=0.3),
    }


def layer_state(
    rng: np.random.Generator, d_model: int, d_ff: int, path: str = "", decoder: bool = True
) -> dict:
    """The weights of a DecoderLayer, or of an EncoderLayer."""
    state = attention_state(rng, d_model, f"{path}self_attention.")
    if decoder:
        state |= attention_state(rng, d_model, f"{path}cross_attention.")
    state |= linear(rng, f"{path}feed_forward.W_1", d_model, d_ff)
    state |= linear(rng, f"{path}feed_forward.W_2", d_ff, d_model)
    for i in (1, 2, 3) if decoder else (1, 2):
        state |= norm_state(rng, d_model, f"{path}add_{i}.norm")
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
    state |= norm_state(rng, d_model, "decoder_norm")
    for i in range(n_layers):
        state |= layer_state(rng, d_model, d_ff, f"decoder.{i}.")
    state["source_embedding.weight"] = normal(rng, n_source, d_model, scale=0.6)
    state |= norm_state(rng, d_model, "encoder_norm")
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
