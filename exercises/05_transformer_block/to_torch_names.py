"""A block's weights renamed for nn.TransformerEncoderLayer, from dictionaries in any order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT
from .common import block_state

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(d_model: int) -> dict[str, torch.Tensor]:
        return block_state(rng, d_model, d_model + int(rng.integers(1, 3)))

    for d_model in (2, 3):
        yield Case("values", [weights(d_model)])
    pairs = list(weights(2).items())
    mixed = dict(pairs[i] for i in rng.permutation(len(pairs)))
    yield Case("edges", [mixed], title="the dictionary in another order")
    yield Case("edges", [weights(1)], title="one number per token")
    half = {name: weight.half() for name, weight in weights(2).items()}
    yield Case("edges", [half], title="half precision", judge=EXACT)


WRONG = {
    "keys_before_queries": """
        The three projections are in the wrong order. From top to bottom it is Q, K, V.

        - parts = [weights[f"attention.{name}.{kind}"] for name in ("W_Q", "W_K", "W_V")]
        + parts = [weights[f"attention.{name}.{kind}"] for name in ("W_K", "W_Q", "W_V")]
        """,
    "concatenates_columns": """
        The three matrices are concatenated side by side. They belong on top of each other: the
        outputs of an nn.Linear are the rows of its weight.

        - theirs[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        + theirs[f"self_attn.in_proj_{kind}"] = torch.cat(parts, dim=-1)
        """,
    "stacks_projections": """
        The three matrices are stacked along a new axis. Concatenate them along an existing one,
        to a matrix with 3 * d_model rows.

        - theirs[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        + theirs[f"self_attn.in_proj_{kind}"] = torch.stack(parts)
        """,
    "transposes_weights": """
        The matrices are transposed. Both sides store a weight as (out, in), as every nn.Linear
        does: copy them as they are.

        - parts = [weights[f"attention.{name}.{kind}"] for name in ("W_Q", "W_K", "W_V")]
        + parts = [weights[f"attention.{name}.{kind}"].t() for name in ("W_Q", "W_K", "W_V")]
        ...
        - theirs[f"{name}.{kind}"] = weights[f"{mine}.{kind}"]
        + theirs[f"{name}.{kind}"] = weights[f"{mine}.{kind}"].t()
        """,
    "forgets_biases": """
        The biases are missing: every layer has a `.weight` and a `.bias`, and so do the three
        projections (`in_proj_bias`).

        - for kind in ("weight", "bias"):
        + for kind in ("weight",):
        """,
    "dot_before_in_proj_kind": """
        PyTorch stores the three projections as parameters of their own, not in a layer: their names
        are in_proj_weight and in_proj_bias, with an underscore.

        - theirs[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        + theirs[f"self_attn.in_proj.{kind}"] = torch.cat(parts)
        """,
    "projections_one_by_one": """
        The three projections are copied one by one. PyTorch keeps them in one tensor: concatenate
        W_Q, W_K and W_V along axis 0.

        - parts = [weights[f"attention.{name}.{kind}"] for name in ("W_Q", "W_K", "W_V")]
        - theirs[f"self_attn.in_proj_{kind}"] = torch.cat(parts)
        + for mine, name in (("W_Q", "q"), ("W_K", "k"), ("W_V", "v")):
        +     theirs[f"self_attn.{name}_proj_{kind}"] = weights[f"attention.{mine}.{kind}"]
        """,
}

FURTHER = """
Start with an empty dictionary and loop over `weight` and `bias`. For each, concatenate the
three tensors of W_Q, W_K and W_V along axis 0, then copy the five renamed ones.
"""

RIGHT = {
    "copy_by_replacing": """
        def to_torch_names(weights):
            theirs = {}
            for name, weight in weights.items():
                for mine, new in (("attention.W_O", "self_attn.out_proj"), ("feed_forward.W_", "linear")):
                    name = name.replace(mine, new)
                name = name.replace("norm_", "norm")
                if not name.startswith("attention."):
                    theirs[name] = weight.clone()
            for kind in ("weight", "bias"):
                Q, K, V = (weights[f"attention.W_{letter}.{kind}"] for letter in "QKV")
                theirs[f"self_attn.in_proj_{kind}"] = torch.cat((Q, K, V), dim=0)
            return theirs
        """,
    "copy_by_hand": """
        def to_torch_names(weights):
            names = {"attention.W_O": "self_attn.out_proj", "feed_forward.W_1": "linear1"}
            names |= {"feed_forward.W_2": "linear2", "norm_1": "norm1", "norm_2": "norm2"}
            kinds, (Q, K, V) = ("weight", "bias"), (f"attention.W_{letter}" for letter in "QKV")
            theirs = {f"{new}.{k}": weights[f"{mine}.{k}"] for mine, new in names.items() for k in kinds}
            rows = [weights[f"{name}.weight"] for name in (Q, K, V)]
            theirs["self_attn.in_proj_weight"] = torch.vstack(rows)
            numbers = [weights[f"{name}.bias"] for name in (Q, K, V)]
            return theirs | {"self_attn.in_proj_bias": torch.hstack(numbers)}
        """,
}

EQUIVALENT = {
    "the order of the entries is free": """
        -    for kind in ("weight", "bias"):
        +    for kind in list(("weight", "bias"))[::-1]:

        -    for kind in ("weight", "bias"):
        +    for kind in ("bias", "weight"):

        -        for mine, name in renamed.items():
        +        for mine, name in list(renamed.items())[::-1]:
        """,
}
