"""Pretrained BERT encoders: sizes, weights and tokens, loaded by name without running any code.

Only `model.safetensors`, `config.json` and `vocab.txt` are read, and the two files of an adapter.
Pickled weights, which could run code when they are opened, are never touched.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursekit import lora
from coursekit.data.errors import DamagedFile, DataError, FetchError, UnknownName
from coursekit.data.paths import MIRROR_VARIABLE, mirror, shipped_files

if TYPE_CHECKING:
    import torch
    from torch import nn

_FILES = ("config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json")
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)
_MAX_BYTES = 8 * 2**30


@dataclass(frozen=True, repr=False)
class Pretrained:
    """A pretrained BERT, in parts.

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
        object.__setattr__(self, "index", {token: i for i, token in enumerate(self.tokens)})

    def __repr__(self) -> str:
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
        `model.safetensors` and `vocab.txt`, as transformers' tokenizer and `save_pretrained` write
        them; or a folder with a LoRA adapter, which is added to its base model; or a model on
        huggingface.co, for example "bert-base-uncased", which needs a network the first time,
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
    config = _config(folder)
    tokens = _tokens(folder, config)
    weights = _weights(folder)
    _must_be_complete(folder, config, weights)
    return Pretrained(str(name), config, weights, tokens, _lowercase(folder))


def fill(
    module: nn.Module, weights: Mapping[str, torch.Tensor], may_lack: str | None = None
) -> list[str]:
    """Copy weights into a module; their names and shapes must be exactly those of the module.

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
    own = module.state_dict()
    missing = [name for name in own if name not in weights]
    needed = [name for name in missing if may_lack is None or not name.startswith(may_lack)]
    unknown = [name for name in weights if name not in own]
    if needed or unknown:
        parts = []
        if needed:
            parts.append(f"{_some(needed)} of the {type(module).__name__} got no weights")
        if unknown:
            parts.append(f"it has no {_some(unknown)}")
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


def _some(names: list[str]) -> str:
    if len(names) <= 2:
        return " and ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def _folder(name: str | Path) -> Path:
    """The folder with the files; those on Hugging Face are downloaded first."""
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
            f"There is no folder {text}; give one with config.json, model.safetensors and vocab.txt."
        )
    return _from_hub(text)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

    close = difflib.get_close_matches(name, names(), n=1)
    guess = f" Did you mean {close[0]!r}?" if close else ""
    ours = f"the course's own are {', '.join(map(repr, names()))}"
    try:
        return Path(snapshot_download(name, allow_patterns=list(_FILES)))
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise UnknownName(f"huggingface.co has no model {name!r}, and {ours}.{guess}") from error
    except (HfHubHTTPError, OSError) as error:  # without a network it is an OSError
        raise FetchError(
            f"The model {name!r} could not be downloaded from huggingface.co; connect to the "
            f"internet, or put its files into pretrained/{name} in the folder that "
            f"{MIRROR_VARIABLE} names ({ours}).{guess}"
        ) from error


def _config(folder: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads(_needed(folder, "config.json").read_text("utf-8"))
    except ValueError as error:
        raise DamagedFile(f"{folder / 'config.json'} is damaged; download it again.") from error
    kind = config.get("model_type", "bert") if isinstance(config, dict) else None
    if kind != "bert":
        raise DataError(
            f"{folder} contains a model of type {kind!r}; the course's encoder is a BERT, whose "
            'config.json says "model_type": "bert".'
        )
    wrong = [name for name in _SIZES if type(config.get(name)) is not int or config[name] < 1]
    if wrong:
        raise DamagedFile(f"{folder / 'config.json'} gives no {_some(wrong)}; download it again.")
    if config["hidden_size"] % config["num_attention_heads"]:
        raise DamagedFile(
            f"{folder / 'config.json'} wants {config['num_attention_heads']} heads, which do not "
            f"divide the width {config['hidden_size']}."
        )
    for name, known in (
        ("hidden_act", ("gelu",)),
        ("position_embedding_type", ("absolute",)),
        ("layer_norm_eps", (1e-12,)),
    ):
        if config.get(name, known[0]) not in known:
            raise DataError(
                f"{folder} contains a BERT with {name} {config[name]!r}; the course's encoder has "
                f"{known[0]!r}."
            )
    return config


def _tokens(folder: Path, config: dict[str, Any]) -> list[str]:
    try:
        tokens = _needed(folder, "vocab.txt").read_text("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{folder / 'vocab.txt'} is damaged; download it again.") from error
    tokens = [token.rstrip("\r") for token in tokens]
    if tokens and not tokens[-1]:
        tokens.pop()
    # published vocabularies may be shorter than the table, which is filled up to a round number
    if len(tokens) > config["vocab_size"] or not tokens:
        raise DataError(
            f"{folder / 'vocab.txt'} has {len(tokens):,} tokens, but the model knows "
            f"{config['vocab_size']:,}: this is the vocabulary of another model."
        )
    lacking = [token for token in _SPECIAL if token not in tokens]
    if lacking:
        raise DataError(
            f"{folder / 'vocab.txt'} has no {_some(lacking)}: this is not the vocabulary of a BERT."
        )
    return tokens


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = folder / "model.safetensors"
    if not path.is_file() and any(folder.glob("*.bin")):
        raise DataError(
            f"{folder} has pickled weights only, and opening those could run any code; take a "
            "model that has model.safetensors."
        )
    if _needed(folder, "model.safetensors").stat().st_size > _MAX_BYTES:
        raise DamagedFile(f"{path} is larger than 8 GiB; take a smaller model.")
    try:
        weights = load_file(path)
    except SafetensorError as error:
        raise DamagedFile(f"{path} is damaged or incomplete; download it again.") from error
    return {name: tensor.float() for name, tensor in weights.items()}


def _needed(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.is_file():
        raise DataError(f"{folder} has no {name}; give a folder that transformers wrote.")
    return path


def _lowercase(folder: Path) -> bool:
    path = folder / "tokenizer_config.json"
    try:
        said = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    except ValueError as error:
        raise DamagedFile(f"{path} is damaged; download it again.") from error
    return bool(said.get("do_lower_case", True))


def _must_be_complete(
    folder: Path, config: dict[str, Any], weights: dict[str, torch.Tensor]
) -> None:
    """Check that every tensor of the encoder has the shape that config.json says."""
    named = {_plain(name): tensor for name, tensor in weights.items()}
    for name, shape in _expected(config).items():
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
    name = name.removeprefix("bert.")
    return re.sub(r"gamma$", "weight", re.sub(r"beta$", "bias", name))


def _expected(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a BERT encoder's tensors, without the pooler, which may be missing."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    tables = {"word": "vocab_size", "position": "max_position_embeddings"}
    tables["token_type"] = "type_vocab_size"
    shapes: dict[str, tuple[int, ...]] = {
        f"embeddings.{name}_embeddings.weight": (config[size], width)
        for name, size in tables.items()
    }
    linear = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "intermediate.dense": (inner, width),
        "output.dense": (width, inner),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(config["num_hidden_layers"]):
        path = f"encoder.layer.{layer}."
        norms += [f"{path}attention.output.LayerNorm", f"{path}output.LayerNorm"]
        for part, shape in linear.items():
            shapes[f"{path}{part}.weight"] = shape
            shapes[f"{path}{part}.bias"] = shape[:1]
    for name in norms:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (width,)
    return shapes
