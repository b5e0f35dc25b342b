"""Pretrained BERT encoders: sizes, weights and tokens, loaded by name without running any code.

Which files are read says `bert_files`; of an adapter, its two. Pickled weights, which could run code
when they are opened, are never touched.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursekit import bert_files, lora
from coursekit.bert_files import some
from coursekit.data.errors import DataError, FetchError, UnknownName
from coursekit.data.paths import MIRROR_VARIABLE, mirror, shipped_files

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True, repr=False)
class Pretrained:
    """Pretrained BERT, in parts.

    Attributes
    ----------
    name : str
        The name or path it was loaded by.
    config : dict
        The contents of `config.json`, by Hugging Face's names: `vocab_size`, `hidden_size`,
        `num_hidden_layers`, `num_attention_heads`, `intermediate_size`,
        `max_position_embeddings`, `type_vocab_size` and others.
    weights : dict of str to FloatTensor
        The tensors by the names of the file, in float32; heads (`cls.` and the like) included.
    tokens : list of str
        The vocabulary; a token's position is its id.
    index : dict of str to int
        The id of each token.
    lowercase : bool
        Whether texts were lower-cased, and accents removed, before they were split into tokens.
    """

    name: str
    config: dict[str, Any]
    weights: dict[str, torch.Tensor]
    tokens: list[str]
    lowercase: bool = True
    index: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Build the index of the tokens."""
        object.__setattr__(self, "index", {token: i for i, token in enumerate(self.tokens)})

    def __repr__(self) -> str:
        """Return a one-line description of the model."""
        n = sum(tensor.numel() for tensor in self.weights.values())
        config = self.config
        return (
            f"Pretrained({self.name!r}: {config['num_hidden_layers']} blocks of "
            f"{config['num_attention_heads']} heads, {config['hidden_size']} wide; "
            f"{len(self.tokens):,} tokens; {n:,} numbers)"
        )


def names() -> list[str]:
    """Return the names of the models that come with the course."""
    return sorted(
        path.parent.name
        for name in ("model.safetensors", lora.WEIGHTS)
        for path in shipped_files("pretrained", f"*/{name}")
    )


def load_pretrained(name: str | Path) -> Pretrained:
    """Load a pretrained BERT that comes with the course, from a folder, or from Hugging Face.

    Parameters
    ----------
    name : str or Path
        One of `coursekit.pretrained.names()`, for example "imdb"; or a folder with `config.json`,
        `model.safetensors` (in one file or several) and `tokenizer.json` or `vocab.txt`, as
        `save_pretrained` of transformers' models and tokenizers writes them; or a folder with a LoRA
        adapter, which is added to its base model; or a model on huggingface.co, for example "bert-base-uncased", which needs a network the first time,
        unless the folder that `COURSEKIT_MIRROR` names has it in `pretrained/`.

    Returns
    -------
    Pretrained
        Reading it runs no code from the files.

    Raises
    ------
    DataError
        Unknown name, no network, a file that is missing, damaged or pickled, another kind of
        model, or sizes that contradict each other; the message is one sentence.
    """
    folder = _folder(name)
    if lora.is_adapter(folder):
        base = _folder(lora.base_of(folder))
        if lora.is_adapter(base):
            raise DataError(f"The base model of the adapter in {folder} is an adapter itself.")
        whole = load_pretrained(base)
        return replace(whole, name=str(name), weights=lora.add_adapter(whole.weights, folder))
    config = bert_files.config(folder)
    tokens, lowercase = bert_files.tokens(folder, config["vocab_size"])
    weights = bert_files.weights(folder)
    _must_be_complete(folder, config, weights)
    return Pretrained(str(name), config, weights, tokens, lowercase)


def fill(
    module: nn.Module, weights: Mapping[str, torch.Tensor], may_lack: str | None = None
) -> list[str]:
    """Copy weights into a module; their names and shapes must be exactly those of the module.

    Where a tensor of the module has several names, as a layer has that is also in an
    `nn.Sequential`, one of them is enough.

    Parameters
    ----------
    module : torch.nn.Module
        The module whose parameters and buffers are replaced.
    weights : mapping of str to torch.Tensor
        Tensors by the names of `module.state_dict()`.
    may_lack : str, optional
        Names with this prefix may be missing in `weights`; the module then keeps its own.

    Returns
    -------
    list of str
        The names that were missing.

    Raises
    ------
    DataError
        A name is missing or unknown, or a tensor has another shape. Nothing was copied then.
    """
    own = module.state_dict(keep_vars=True)  # the same object under each of its names
    given_once = {id(tensor) for name, tensor in own.items() if name in weights}
    missing = [name for name, tensor in own.items() if id(tensor) not in given_once]
    needed = [name for name in missing if may_lack is None or not name.startswith(may_lack)]
    unknown = [name for name in weights if name not in own]
    if needed or unknown:
        parts = []
        if needed:
            parts.append(f"{some(needed)} of the {type(module).__name__} got no weights")
        if unknown:
            parts.append(f"it has no {some(unknown)}")
        raise DataError(f"The weights' names do not fit: {', and '.join(parts)}.")
    for name, given in weights.items():
        if given.shape != own[name].shape:
            raise DataError(
                f"{name} has the shape {tuple(given.shape)} in the weights, but "
                f"{tuple(own[name].shape)} in the {type(module).__name__}; make it with the sizes "
                "that the weights were trained with."
            )
    module.load_state_dict(dict(weights), strict=False)
    return missing


def _folder(name: str | Path) -> Path:
    """Return the folder with the files; download those on Hugging Face first."""
    text = str(name)
    if text in names():
        return shipped_files("pretrained", f"{text}/*.safetensors")[0].parent
    if Path(name).is_dir():
        return Path(name)
    place = mirror()
    if isinstance(place, Path) and (place / "pretrained" / text).is_dir():
        return place / "pretrained" / text
    if isinstance(name, Path) or not re.fullmatch(r"[\w.-]+(/[\w.-]+)?", text):
        raise DataError(
            f"There is no folder {text}; give one with config.json, model.safetensors and"
            " tokenizer.json or vocab.txt."
        )
    return _from_hub(text)


def _from_hub(name: str) -> Path:
    """Download a model's files from Hugging Face and return their folder."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    close = difflib.get_close_matches(name, names(), n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    ours = f"the course's own are {', '.join(map(repr, names()))}"
    try:
        return Path(snapshot_download(name, allow_patterns=list(bert_files.PATTERNS)))
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise UnknownName(f"huggingface.co has no model {name!r}, and {ours}.{guess}") from error
    except (HfHubHTTPError, OSError) as error:  # without a network it is an OSError
        raise FetchError(
            f"The model {name!r} could not be downloaded from huggingface.co; connect to the "
            f"internet, or put its files into pretrained/{name} in the folder that "
            f"{MIRROR_VARIABLE} names ({ours}).{guess}"
        ) from error


def _must_be_complete(
    folder: Path, config: dict[str, Any], weights: dict[str, torch.Tensor]
) -> None:
    """Check that every tensor of the encoder has the shape that config.json says."""
    named = {_plain(name): tensor for name, tensor in weights.items()}
    for name, shape in _expected(config):
        if name not in named:
            raise DataError(
                f"{folder / 'model.safetensors'} has no {name}, which a BERT of "
                f"{config['num_hidden_layers']} layers needs: the weights belong to another "
                "model than config.json."
            )
        if tuple(named[name].shape) != shape:
            raise DataError(
                f"{name} has the shape {tuple(named[name].shape)} in {folder}, but config.json "
                f"asks for {shape}: the weights belong to another model."
            )
    more = f"encoder.layer.{config['num_hidden_layers']}."
    if any(name.startswith(more) for name in named):
        raise DataError(
            f"{folder / 'model.safetensors'} has more layers than the "
            f"{config['num_hidden_layers']} of config.json: the weights belong to another model."
        )


def _plain(name: str) -> str:
    """Return a tensor's name without `bert.`, and with its current ending."""
    name = name.removeprefix("bert.")
    return re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", name))


def _expected(config: dict[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names and shapes of an encoder's tensors, without those of the optional pooler.

    One by one: config.json may ask for any number of layers.
    """
    width, inner = config["hidden_size"], config["intermediate_size"]
    tables = {"word": "vocab_size", "position": "max_position_embeddings"}
    tables["token_type"] = "type_vocab_size"
    for name, size in tables.items():
        yield f"embeddings.{name}_embeddings.weight", (config[size], width)
    linear = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "intermediate.dense": (inner, width),
        "output.dense": (width, inner),
    }
    yield from _norm("embeddings.LayerNorm", width)
    for layer in range(config["num_hidden_layers"]):
        path = f"encoder.layer.{layer}."
        for part, shape in linear.items():
            yield f"{path}{part}.weight", shape
            yield f"{path}{part}.bias", shape[:1]
        yield from _norm(f"{path}attention.output.LayerNorm", width)
        yield from _norm(f"{path}output.LayerNorm", width)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the names and shapes of a layer norm's tensors."""
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)
