"""rename_gpt2: small files with and without a prefix, heads and old masks; more than ten blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"names": 2, "matrices": 2, "files": 1}

#: The shapes of a block's weights, in multiples of its width.
_BLOCK = {
    "ln_1.weight": (1,),
    "ln_1.bias": (1,),
    "attn.c_attn.weight": (1, 3),
    "attn.c_attn.bias": (3,),
    "attn.c_proj.weight": (1, 1),
    "attn.c_proj.bias": (1,),
    "ln_2.weight": (1,),
    "ln_2.bias": (1,),
    "mlp.c_fc.weight": (1, 4),
    "mlp.c_fc.bias": (4,),
    "mlp.c_proj.weight": (4, 1),
    "mlp.c_proj.bias": (1,),
}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def file(prefix: str, numbers: list[int], *parts: str, d: int = 2) -> dict[str, torch.Tensor]:
        shapes: dict[str, tuple[int, ...]] = {"wte.weight": (5, d), "wpe.weight": (3, d)}
        for i in numbers:
            for name, widths in _BLOCK.items():
                shapes[f"h.{i}.{name}"] = tuple(d * width for width in widths)
        shapes |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
        kept = {n: s for n, s in shapes.items() if not parts or any(part in n for part in parts)}
        return {f"{prefix}{name}": normal(rng, *shape) for name, shape in kept.items()}

    def case(group: str, weights: dict[str, torch.Tensor], title: str) -> Case:
        return Case(group, [weights], title=title, judge=EXACT)

    parts = "wte", "wpe", "ln_f"
    yield case("names", file("", [0], *parts), "embeddings and the last normalization")
    yield case("names", file("", [0, 1], "ln_1", "ln_2"), "the normalizations of two blocks")
    yield case("names", file("", [3], "bias"), "the biases of one block")

    yield case("matrices", file("", [0], "attn.c_attn", d=4), "queries, keys and values")
    yield case("matrices", file("", [1], "c_proj", "c_fc"), "the other matrices")
    yield case("matrices", file("", [0, 1]), "a whole file")

    yield case("files", file("transformer.", [0]), "with transformer. in front")
    weights = file("transformer.", [0], "attn.c_attn.bias", "wte")
    weights["lm_head.weight"] = normal(rng, 5, 2)
    weights["transformer.h.0.attn.bias"] = normal(rng, 1, 1, 3, 3)
    weights["transformer.h.0.attn.masked_bias"] = normal(rng)
    weights["transformer.h.0.ln_cross_attn.bias"] = normal(rng, 2)
    weights["head.weight"] = normal(rng, 2, 2)
    yield case("files", weights, "heads, old masks and other parts, which are left out")
    yield case("files", file("", [0], d=1), "vectors of one number")
    n = number(rng, 10, 14)
    yield case("files", file("", [1, n], "ln_1", "c_attn.bias"), "more than ten blocks")


WRONG = {
    "not_transposed": """
        The matrices of Conv1D are (inputs, outputs); those of nn.Linear are (outputs, inputs).
        Transpose them.

        - found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        + found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor
        ...
        - found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
        + found[f"blocks.{number}.{W}.{kind}"] = piece
        """,
    "only_the_fused_one_is_transposed": """
        The matrices of c_proj and c_fc are Conv1D as well: transpose them, too.

        - found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        + found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor
        """,
    "output_not_transposed": """
        The weight of W_O, which is called attn.c_proj, is not transposed. It is square, so no shape gives
        that away, but it is Conv1D like the others.

        - found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        + turned = kind == "weight" and part != "attn.c_proj"
        + found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if turned else tensor
        """,
    "projections_not_transposed": """
        The weights of both c_proj, of attention and of the network, are not transposed. They are Conv1D
        like c_attn and c_fc.

        - found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        + turned = kind == "weight" and part == "mlp.c_fc"
        + found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if turned else tensor
        """,
    "network_not_transposed": """
        The weights of the feed-forward network, c_fc and its c_proj, are not transposed. They are Conv1D
        like those of attention.

        - found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        + turned = kind == "weight" and part == "attn.c_proj"
        + found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if turned else tensor
        """,
    "fused_not_transposed": """
        Queries, keys and values are cut apart, but their weights are not transposed. They are square, so no
        shape gives that away; c_attn is Conv1D like the others.

        - found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
        + found[f"blocks.{number}.{W}.{kind}"] = piece
        """,
    "transposes_embeddings": """
        Only the layers of attention and feed-forward network are Conv1D. The embeddings have their
        final form already.

        - found[f"{whole[path]}.{kind}"] = tensor
        + found[f"{whole[path]}.{kind}"] = tensor.mT if tensor.dim() == 2 else tensor
        """,
    "interleaved": """
        The fused matrix has all queries first, then all keys, then all values. Here every third
        column is taken.

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + for i, W in enumerate(("W_Q", "W_K", "W_V")):
        +     piece = tensor[..., i::3]
        """,
    "cut_along_the_inputs": """
        The fused matrix is cut along its inputs, so the pieces have the wrong shape. It is (d, 3d): take d
        columns each, which are the outputs.

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + d = tensor.shape[0] // 3
        + for i, W in enumerate(("W_Q", "W_K", "W_V")):
        +     piece = tensor[i * d : (i + 1) * d]
        """,
    "chunks_of_the_inputs": """
        Without a dimension, chunk cuts the rows of the fused matrix, which are its inputs. Cut the
        columns, its outputs: of (d, 3d) the first d are the queries. The bias has only one dimension, so
        take the last one for both.

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3)):
        """,
    "unpacked_along_the_inputs": """
        The fused matrix is cut along its inputs, of which there are only d, so there need not be three
        pieces to unpack. Cut along the outputs, which are 3d: the last dimension of the published (d, 3d).

        raises ValueError

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + queries, keys, values = tensor.chunk(3, dim=0)
        + for W, piece in zip(("W_Q", "W_K", "W_V"), (queries, keys, values)):
        """,
    "indexed_along_the_inputs": """
        The fused matrix is cut along its inputs, of which there are only d, so there need not be a third
        piece. Cut along the outputs, which are 3d: the last dimension of the published (d, 3d).

        raises IndexError

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + pieces = tensor.chunk(3, dim=0)
        + for i, W in enumerate(("W_Q", "W_K", "W_V")):
        +     piece = pieces[i]
        """,
    "split_along_the_inputs": """
        Without a dimension, split cuts the rows of the fused matrix, which are its inputs. There are only d,
        so pieces of d are one piece. Cut its last dimension, the 3d outputs.

        raises ValueError

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + queries, keys, values = tensor.split(tensor.shape[-1] // 3)
        + for W, piece in zip(("W_Q", "W_K", "W_V"), (queries, keys, values)):
        """,
    "rows_of_the_width": """
        The pieces are d *rows* of the fused matrix. It is (d, 3d) and has no more than d, so the first
        piece is everything and the other two are empty. Take d columns each, which are the outputs.

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + d = tensor.shape[-1] // 3
        + for i, W in enumerate(("W_Q", "W_K", "W_V")):
        +     piece = tensor[i * d : (i + 1) * d]
        """,
    "bias_has_no_second_dimension": """
        The fused matrix is cut along dimension 1, which its bias of (3d) does not have. The last dimension
        is right for both.

        raises IndexError

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=1)):
        """,
    "keys_first": """
        The order is queries, keys, values.

        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        + for W, piece in zip(("W_K", "W_Q", "W_V"), tensor.chunk(3, dim=-1)):
        """,
    "keeps_the_head": """
        What is not in the table is left out: the head is the token embedding again, and fill would
        find no place for it.

        - return found
        + if "lm_head.weight" in weights:
        +     found["lm_head.weight"] = weights["lm_head.weight"]
        + return found
        """,
    "keeps_the_prefix": """
        Names that begin with "transformer." are not recognized. Take it away first.

        - path, _, kind = name.removeprefix("transformer.").rpartition(".")
        + path, _, kind = name.rpartition(".")
        """,
    "networks_swapped": """
        c_fc and the c_proj of the network are exchanged: c_fc widens, so it is W_1.

        - layers = {"attn.c_proj": "W_O", "mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
        + layers = {"attn.c_proj": "W_O", "mlp.c_fc": "W_2", "mlp.c_proj": "W_1"}
        """,
    "first_digit_only": """
        Only the first digit of a block's number is read, so blocks from 10 on overwrite block 1.

        - _, number, part = path.split(".", 2)
        + _, number, part = path.split(".", 2)
        + number = number[0]
        """,
    "fused_bias_left_out": """
        The bias of c_attn is missing. The name of the old mask, `attn.bias`, is also the end of
        `attn.c_attn.bias`: leave out only what is called `h.0.attn.bias`, with any number for 0.

        - path, _, kind = name.removeprefix("transformer.").rpartition(".")
        + if "attn.bias" in name:
        +     continue
        + path, _, kind = name.removeprefix("transformer.").rpartition(".")
        """,
    "mask_taken_for_a_bias": """
        `attn.bias` in old files is the causal mask, not a bias. Leave it out.

        - return found
        + for name, tensor in weights.items():
        +     if name.endswith("attn.bias"):
        +         found[f"blocks.{name.split('.')[-3]}.W_O.bias"] = tensor
        + return found
        """,
    "one_digit_numbers": """
        The number of a block is taken to be one digit, so blocks from 10 on are lost. It goes up to
        the next dot.

        - _, number, part = path.split(".", 2)
        + number, part = path[2], path[4:]
        """,
}

FURTHER = """
Take "transformer." away with removeprefix, then split the name at its dots: h, the number of the block,
the layer, weight or bias. Layers of Conv1D: tensor.T for a weight, the tensor itself for a bias. c_attn:
tensor.chunk(3, dim=-1) gives queries, keys and values, of the weight as well as of the bias.
"""

RIGHT = {
    "regular_expressions": """
        def rename_gpt2(weights):
            import re

            table = {"ln_1": "norm_1", "ln_2": "norm_2", "attn.c_proj": "W_O"}
            table |= {"mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
            new = {}
            for name, w in weights.items():
                name = re.sub(r"^transformer\\.", "", name)
                if name == "wte.weight":
                    new["tokens.weight"] = w
                elif name == "wpe.weight":
                    new["positions.weight"] = w
                elif m := re.fullmatch(r"ln_f\\.(weight|bias)", name):
                    new["norm." + m[1]] = w
                elif m := re.fullmatch(r"h\\.(\\d+)\\.(.+)\\.(weight|bias)", name):
                    i, layer, kind = m.groups()
                    if layer.startswith(("attn.c", "mlp.c")) and kind == "weight":
                        w = w.t()
                    if layer in table:
                        new[f"blocks.{i}.{table[layer]}.{kind}"] = w
                    if layer == "attn.c_attn":
                        q, k, v = w.split(len(w) // 3)
                        new[f"blocks.{i}.W_Q.{kind}"] = q
                        new[f"blocks.{i}.W_K.{kind}"] = k
                        new[f"blocks.{i}.W_V.{kind}"] = v
            return new
        """,
    "slices": """
        - for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        -     found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
        + d = tensor.shape[-1] // 3
        + for i, letter in enumerate("QKV"):
        +     piece = tensor[..., i * d : i * d + d]
        +     found[f"blocks.{number}.W_{letter}.{kind}"] = piece.T if piece.dim() == 2 else piece
        """,
}

EQUIVALENT = {
    "the order of the entries is free": """
        -    for name, tensor in weights.items():
        +    for name, tensor in list(weights.items())[::-1]:

        -            for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
        +            for W, piece in list(zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)))[::-1]:
        """,
    "no name of the table begins with a letter of transformer": """
        -        path, _, kind = name.removeprefix("transformer.").rpartition(".")
        +        path, _, kind = name.lstrip("transformer.").rpartition(".")
        """,
    "these layers have nothing but weight and bias": """
        -            found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
        +            found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind >= "weight" else tensor

        -                found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
        +                found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind >= "weight" else piece
        """,
}
