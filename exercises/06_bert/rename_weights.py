"""rename_weights: small files with and without prefix, pooler and heads, older and larger ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"names": 2, "heads": 1, "files": 1}

_EMBEDDINGS = {
    "embeddings.word_embeddings.weight": (3, 2),
    "embeddings.position_embeddings.weight": (4, 2),
    "embeddings.token_type_embeddings.weight": (2, 2),
    "embeddings.LayerNorm.weight": (2,),
    "embeddings.LayerNorm.bias": (2,),
}
_POOLER = {"pooler.dense.weight": (2, 2), "pooler.dense.bias": (2,)}
_LAYER = {
    "attention.self.query": (2, 2),
    "attention.self.key": (2, 2),
    "attention.self.value": (2, 2),
    "attention.output.dense": (2, 2),
    "attention.output.LayerNorm": (2,),
    "intermediate.dense": (3, 2),
    "output.dense": (2, 3),
    "output.LayerNorm": (2,),
}
_HEADS = {
    "cls.predictions.bias": (3,),
    "cls.predictions.transform.dense.weight": (2, 2),
    "cls.predictions.transform.LayerNorm.weight": (2,),
    "cls.predictions.decoder.weight": (3, 2),
    "cls.seq_relationship.weight": (2, 2),
}


def _draw(
    rng: np.random.Generator, shapes: dict[str, tuple[int, ...]], prefix: str = ""
) -> dict[str, torch.Tensor]:
    return {prefix + name: normal(rng, *shape) for name, shape in shapes.items()}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    layer = {}
    for name, shape in _LAYER.items():
        layer[f"encoder.layer.0.{name}.weight"] = shape
        layer[f"encoder.layer.0.{name}.bias"] = shape[:1]

    weights = _draw(rng, _EMBEDDINGS | _POOLER | layer)
    yield Case("names", [weights], title="one layer")
    one_segment = {"embeddings.token_type_embeddings.weight": (1, 2)}
    weights = _draw(rng, _EMBEDDINGS | one_segment | layer, "bert.")
    yield Case("names", [weights], title='all names begin with "bert.", and there is no pooler')
    weights = _draw(rng, _EMBEDDINGS | _POOLER, "bert.") | _draw(rng, _HEADS)
    yield Case("heads", [weights], title="with heads")
    weights = {"embeddings.position_ids": torch.arange(4)[None]}
    weights |= _draw(rng, _EMBEDDINGS | _POOLER)
    weights["classifier.weight"] = normal(rng, number(rng, 1, 3), 2)
    title = "a head with another name, and position_ids beside the positions' vectors"
    yield Case("heads", [weights], title=title)
    older = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): shape
        for name, shape in (_EMBEDDINGS | layer).items()
        if "LayerNorm" in name
    }
    title = "the normalizations of an older file: gamma and beta"
    yield Case("files", [_draw(rng, older, "bert.")], title=title)
    path, n = "encoder.layer.{}.attention.output.LayerNorm.bias", number(rng, 12, 14)
    layers = {path.format(number): normal(rng, 1) for number in range(n)}
    yield Case("files", [layers], title=f"{n} layers, one tensor of each")
    weights = _draw(rng, _EMBEDDINGS, "bert.") | _draw(rng, _HEADS)
    mixed = {name: weights[name].half() for name in rng.permutation(list(weights)).tolist()}
    title = "half precision, in another order, no pooler"
    yield Case("files", [mixed], title=title, judge=EXACT)


WRONG = {
    "swaps_norms": """
        norm_1 and norm_2 are swapped. attention.output.LayerNorm follows the attention, which
        is the first half of the block.

        - "attention.output.LayerNorm": "norm_1",
        + "attention.output.LayerNorm": "norm_2",
        ...
        - "output.LayerNorm": "norm_2",
        + "output.LayerNorm": "norm_1",
        """,
    "swaps_query_and_key": """
        Query and key are swapped. Both matrices have the same shape, so only the names tell them
        apart: query is W_Q, key is W_K.

        - "attention.self.query": "attention.W_Q",
        - "attention.self.key": "attention.W_K",
        + "attention.self.query": "attention.W_K",
        + "attention.self.key": "attention.W_Q",
        """,
    "skips_prefixed_names": """
        Names that begin with "bert." are left out. They belong to the same encoder: remove the
        prefix and translate the rest.

        - part, _, kind = name.removeprefix("bert.").rpartition(".")
        + part, _, kind = name.rpartition(".")
        """,
    "always_cuts_the_prefix": """
        Only names that begin with "bert." are translated correctly. Some files do without the
        prefix: remove it only where it is there.

        - part, _, kind = name.removeprefix("bert.").rpartition(".")
        + part, _, kind = name[5:].rpartition(".")
        """,
    "strips_single_letters": """
        `lstrip` removes any of the characters b, e, r, t and the dot, not the word:
        "embeddings" loses its first letter. `removeprefix` removes a whole prefix.

        - part, _, kind = name.removeprefix("bert.").rpartition(".")
        + part, _, kind = name.lstrip("bert.").rpartition(".")
        """,
    "keeps_unknown_names": """
        Tensors that are not part of the encoder are kept under their old names. Leave out heads
        and whatever else BertEncoder has no name for.

              renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + else:
        +     renamed[name] = tensor
        """,
    "drops_only_cls": """
        Only names that begin with "cls." are left out. Other files have heads with other names,
        and position_ids: keep only the names that you have a translation for.

              renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + elif not name.startswith("cls."):
        +     renamed[name] = tensor
        """,
    "keeps_position_ids": """
        "embeddings.position_ids" is kept. It holds the numbers 0, 1, 2 and so on, not weights, and
        BertEncoder has no name for it: leave it out.

              renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + elif kind == "position_ids":
        +     renamed[f"{part}.{kind}"] = tensor
        """,
    "fails_on_unknown_names": """
        A name that is not in your table raises an error. A file may contain heads of any name:
        leave out what you do not know.

        raises KeyError

        - elif part.startswith("encoder.layer."):
        + else:
        """,
    "keeps_gamma_and_beta": """
        Names of older files still end in gamma and beta. BertEncoder calls the weight and the
        bias of a layer normalization `weight` and `bias`.

        - kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        """,
    "skips_gamma_and_beta": """
        The tensors of older files whose names end in gamma and beta are left out. They are the
        weight and the bias of a layer normalization.

        - kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        + if kind in ("gamma", "beta"):
        +     continue
        """,
    "expects_one_digit": """
        From layer 10 on the name is cut at the wrong position, because the number has two
        digits. Read the number up to the next dot.

        raises KeyError

        - number, _, rest = part.removeprefix("encoder.layer.").partition(".")
        + number, rest = part[14], part[16:]
        """,
    "skips_two_digits": """
        From layer 10 on the tensors are left out: the pattern `\\d` matches a single digit. Read
        the number up to the next dot, with `\\d+`.

        - elif part.startswith("encoder.layer."):
        + elif re.match(r"encoder\\.layer\\.\\d\\.", part):
        """,
    "replaces_short_names_first": """
        The replacements interfere with each other: attention.output.dense contains
        output.dense, which is replaced first. Replace the longer names first, or look up the
        whole name.

          "attention.self.value": "attention.W_V",
        - "attention.output.dense": "attention.W_O",
        - "attention.output.LayerNorm": "norm_1",
          "intermediate.dense": "feed_forward.W_1",
          "output.dense": "feed_forward.W_2",
          "output.LayerNorm": "norm_2",
        + "attention.output.dense": "attention.W_O",
        + "attention.output.LayerNorm": "norm_1",
        ...
        - number, _, rest = part.removeprefix("encoder.layer.").partition(".")
        - renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + part = part.replace("encoder.layer.", "blocks.")
        + for old, new in in_block.items():
        +     part = part.replace(old, new)
        + renamed[f"{part}.{kind}"] = tensor
        """,
    "replaces_output_LayerNorm_first": """
        "attention.output.LayerNorm" contains "output.LayerNorm", which is replaced first, so that
        "attention.norm_2" comes out and norm_1 is missing. Replace the longer name first, or look
        up the whole name.

        - "attention.output.LayerNorm": "norm_1",
          "intermediate.dense": "feed_forward.W_1",
          "output.dense": "feed_forward.W_2",
          "output.LayerNorm": "norm_2",
        + "attention.output.LayerNorm": "norm_1",
        ...
        - number, _, rest = part.removeprefix("encoder.layer.").partition(".")
        - renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + part = part.replace("encoder.layer.", "blocks.")
        + for old, new in in_block.items():
        +     part = part.replace(old, new)
        + renamed[f"{part}.{kind}"] = tensor
        """,
    "keeps_other_heads": """
        Tensors of a head are still there. Heads have all kinds of names, not only "cls.": keep only
        the names that you have a translation for.

              renamed[f"blocks.{number}.{in_block[rest]}.{kind}"] = tensor
        + elif not name.startswith("cls.") and not name.endswith("position_ids"):
        +     renamed[name] = tensor
        """,
}

FURTHER = """
Take each name apart before you translate it: remove a leading `bert.`, split off the last part
(weight or bias, gamma or beta), and for names in a block also its number. Look up what is left
in a dictionary, as a whole.
"""

RIGHT = {
    "by_replacing": """
        def rename_weights(weights):
            parts = [
                ("embeddings.word_embeddings", "embeddings.tokens"),
                ("embeddings.position_embeddings", "embeddings.positions"),
                ("embeddings.token_type_embeddings", "embeddings.segments"),
                ("embeddings.LayerNorm", "embeddings.norm"),
                ("pooler.dense", "pooler"),
                ("encoder.layer.", "blocks."),
                ("self.query", "W_Q"),
                ("self.key", "W_K"),
                ("self.value", "W_V"),
                ("attention.output.dense", "attention.W_O"),
                ("attention.output.LayerNorm", "norm_1"),
                ("intermediate.dense", "feed_forward.W_1"),
                ("output.dense", "feed_forward.W_2"),
                ("output.LayerNorm", "norm_2"),
                (".gamma", ".weight"),
                (".beta", ".bias"),
            ]
            renamed = {}
            for name in weights:
                new = name[5:] if name.startswith("bert.") else name
                if not new.startswith(("embeddings.", "encoder.", "pooler.")) or "_ids" in new:
                    continue
                for old, part in parts:
                    new = new.replace(old, part)
                renamed[new] = weights[name].clone()
            return renamed
        """,
    "from_the_new_names": """
        def rename_weights(weights):
            inside = {
                "attention.W_Q": "attention.self.query",
                "attention.W_K": "attention.self.key",
                "attention.W_V": "attention.self.value",
                "attention.W_O": "attention.output.dense",
                "norm_1": "attention.output.LayerNorm",
                "feed_forward.W_1": "intermediate.dense",
                "feed_forward.W_2": "output.dense",
                "norm_2": "output.LayerNorm",
            }
            wanted = {
                "embeddings.tokens": "embeddings.word_embeddings",
                "embeddings.positions": "embeddings.position_embeddings",
                "embeddings.segments": "embeddings.token_type_embeddings",
                "embeddings.norm": "embeddings.LayerNorm",
                "pooler": "pooler.dense",
            }
            for layer in range(len(weights)):
                for new, old in inside.items():
                    wanted[f"blocks.{layer}.{new}"] = f"encoder.layer.{layer}.{old}"
            renamed = {}
            for new, old in wanted.items():
                for kind, older in (("weight", "gamma"), ("bias", "beta")):
                    for name in (f"{old}.{kind}", f"{old}.{older}"):
                        for full in (name, f"bert.{name}"):
                            if full in weights:
                                renamed[f"{new}.{kind}"] = weights[full]
            return renamed
        """,
}

EQUIVALENT = {
    "the order of the entries is free": """
        -    for name, tensor in weights.items():
        +    for name, tensor in list(weights.items())[::-1]:
        """,
    "in these files, encoder.layer is always followed by a number": """
        -        elif part.startswith("encoder.layer."):
        +        elif part.startswith('encoder.layer'):
        """,
    "no digit is stripped, and a number follows": """
        -            number, _, rest = part.removeprefix("encoder.layer.").partition(".")
        +            number, _, rest = part.lstrip("encoder.layer.").partition(".")
        """,
}
