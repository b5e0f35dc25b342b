"""The files of a BERT model, in the formats that current and older versions of transformers write.

- `config.json`: its sizes;
- `model.safetensors`, or several files, `model-00001-of-00002.safetensors` and so on, that
  `model.safetensors.index.json` lists: its weights;
- `vocab.txt`, or `tokenizer.json`: its tokens;
- `tokenizer_config.json`, or `tokenizer.json`: what happens to a text first.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursekit.data.errors import DamagedFile, DataError

if TYPE_CHECKING:
    import torch

_INDEX = "model.safetensors.index.json"
#: What is downloaded of a model.
PATTERNS = (
    *("config.json", "model.safetensors", _INDEX, "model-*-of-*.safetensors"),
    *("vocab.txt", "tokenizer.json", "tokenizer_config.json"),
)
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
_PART = re.compile(r"model-(\d{1,6})-of-(\d{1,6})\.safetensors")
#: How the names of trained weights end: `gamma` and `beta` are older names.
_TRAINED = ("weight", "bias", "gamma", "beta", "lora_embedding_A", "lora_embedding_B")


def some(names: list[str]) -> str:
    """Join names for a message: at most the first two, then the number of the others."""
    if len(names) <= 2:
        return " and ".join(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def config(folder: Path) -> dict[str, Any]:
    """Return the contents of `config.json`.

    Raises
    ------
    DataError
        It is missing or damaged, or describes a model that the course's encoder is not.
    """
    config = _object(_needed(folder, "config.json"))
    kind = config.get("model_type", "bert")
    if kind != "bert":
        raise DataError(
            f"{folder} contains a model of type {kind!r}; the course's encoder is a BERT, whose "
            'config.json says "model_type": "bert".'
        )
    wrong = [name for name in _SIZES if type(config.get(name)) is not int or config[name] < 1]
    if wrong:
        raise DamagedFile(f"{folder / 'config.json'} gives no {some(wrong)}; download it again.")
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


def tokens(folder: Path, size: int) -> tuple[list[str], bool]:
    """Return the vocabulary, and whether texts are lower-cased and lose their accents.

    Parameters
    ----------
    size : int
        How many tokens the model knows.

    Raises
    ------
    DataError
        A file is missing or damaged, it is the vocabulary of another model, or texts are prepared
        in a way that the course does not follow.
    """
    path = folder / "vocab.txt"
    if path.is_file():
        found = _lines(path)
    elif (folder / "tokenizer.json").is_file():
        path = folder / "tokenizer.json"
        found = _word_pieces(path)
    else:
        raise DataError(
            f"{folder} has neither vocab.txt nor tokenizer.json; save the tokenizer there, too, with"
            " tokenizer.save_pretrained."
        )
    # published vocabularies may be shorter than the table, which is filled up to a round number
    if len(found) > size or not found:
        raise DataError(
            f"{path} has {len(found):,} tokens, but the model knows {size:,}: this is the vocabulary"
            " of another model."
        )
    lacking = [token for token in _SPECIAL if token not in found]
    if lacking:
        raise DataError(f"{path} has no {some(lacking)}: this is not the vocabulary of a BERT.")
    return found, _lowercase(folder)


def _lines(path: Path) -> list[str]:
    """Return the lines of a vocabulary file."""
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path} is damaged; download it again.") from error
    lines = [line.rstrip("\r") for line in lines]
    return lines if lines[-1] else lines[:-1]


def _word_pieces(path: Path) -> list[str]:
    """Return the tokens of a `tokenizer.json` in the order of their ids."""
    said = _object(path)
    given = said.get("model")
    model: dict[str, Any] = given if isinstance(given, dict) else {}
    pieces = model.get("vocab") if model.get("type") == "WordPiece" else None
    if (
        not isinstance(pieces, dict)
        or not pieces
        or model.get("continuing_subword_prefix", "##") != "##"
    ):
        raise DataError(
            f"{path} is not the tokenizer of a BERT, which splits words by WordPiece; take the one"
            " that belongs to the model."
        )
    for part, wanted in (("normalizer", "BertNormalizer"), ("pre_tokenizer", "BertPreTokenizer")):
        kind = said[part].get("type") if isinstance(said.get(part), dict) else None
        if kind != wanted:
            raise DataError(
                f"{path} prepares texts with the {part} {kind}; the course's encoder has {wanted}."
            )
    try:
        added = {one["content"]: one["id"] for one in said.get("added_tokens") or []}
        ids = {number: token for token, number in {**pieces, **added}.items()}
        found = [ids[number] for number in range(len(ids))]
    except (KeyError, TypeError) as error:
        raise DamagedFile(
            f"{path} does not number its tokens from 0; download it again."
        ) from error
    if not all(isinstance(token, str) for token in found) or len(found) < len(pieces):
        raise DamagedFile(f"{path} gives two tokens one number; download it again.")
    return found


def _lowercase(folder: Path) -> bool:
    """Tell whether the tokenizer lower-cases; refuse settings that the course's encoder lacks."""
    said: dict[str, Any] = {}
    path = folder / "tokenizer.json"
    if path.is_file():
        normalizer = _object(path).get("normalizer")
        names = {"lowercase": "do_lower_case", "strip_accents": "strip_accents"}
        names["handle_chinese_chars"] = "tokenize_chinese_chars"
        if isinstance(normalizer, dict) and normalizer.get("type") == "BertNormalizer":
            said = {names[key]: normalizer[key] for key in names if key in normalizer}
    if (folder / "tokenizer_config.json").is_file():
        path = folder / "tokenizer_config.json"
        more = _object(path)
        said |= {key: value for key, value in more.items() if value is not None}
    keys = ("do_lower_case", "strip_accents", "tokenize_chinese_chars")
    for key in keys:
        if said.get(key) is not None and not isinstance(said[key], bool):
            raise DamagedFile(f"{path} says {key} {said[key]!r}, not true or false.")
    lower, strip, chinese = (said.get(key) for key in keys)
    lower = True if lower is None else lower
    if strip is not None and strip != lower:
        raise DataError(
            f"{folder} has a tokenizer with strip_accents {strip} and do_lower_case {lower}; the"
            " course's encoder removes accents exactly where it lower-cases, so many tokens would be"
            " wrong: take another model."
        )
    if chinese is False:
        raise DataError(
            f"{folder} has a tokenizer with tokenize_chinese_chars False; the course's encoder makes"
            " every Chinese character a word: take another model."
        )
    return bool(lower)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the tensors by name, in float32.

    Raises
    ------
    DataError
        A file is missing, damaged, too large or pickled.
    """
    index = folder / _INDEX
    if not (folder / "model.safetensors").is_file() and index.is_file():
        places = _places(index)
        whole: dict[str, torch.Tensor] = {}
        for name in dict.fromkeys(places.values()):
            if not (folder / name).is_file():
                raise DamagedFile(
                    f"{folder} has no {name}, which {_INDEX} names; download it again."
                )
            own = tensors(folder / name)
            lacking = [one for one, place in places.items() if place == name and one not in own]
            if lacking:
                raise DamagedFile(f"{folder / name} has no {some(lacking)}; download it again.")
            whole |= {one: own[one] for one, place in places.items() if place == name}
        return whole
    if (folder / "model.safetensors").is_file():
        return tensors(folder / "model.safetensors")
    if parts := _parts(folder):
        return {name: one for path in parts for name, one in tensors(path).items()}
    if others := sorted(path.name for path in folder.glob("*.safetensors")):
        raise DataError(
            f"{folder} has no model.safetensors, but {some(others)}; call the file with the weights"
            " that you want model.safetensors."
        )
    if any(folder.glob("*.bin")):
        raise DataError(
            f"{folder} has pickled weights only, and opening those could run any code; take a "
            "model that has model.safetensors."
        )
    return tensors(_needed(folder, "model.safetensors"))


def _parts(folder: Path) -> list[Path]:
    """Return the numbered weight files of a model without an index; [] if there are none."""
    found = sorted(folder.glob("model-*-of-*.safetensors"))
    numbers = [_PART.fullmatch(path.name) for path in found]
    if not found or not all(numbers):
        return []
    counts = {int(number[2]) for number in numbers if number}
    if len(counts) > 1:
        raise DataError(
            f"{folder} has files of several models, such as {some([p.name for p in found])}; keep"
            " those of one."
        )
    (count,) = counts
    if [int(number[1]) for number in numbers if number] != list(range(1, count + 1)):
        raise DamagedFile(
            f"{folder} has {len(found)} of the {count} files model-*-of-*.safetensors; download it"
            " again."
        )
    if sum(path.stat().st_size for path in found) > _MAX_BYTES:
        raise DamagedFile(f"The weights in {folder} exceed 8 GiB; take a smaller model.")
    return found


def _places(index: Path) -> dict[str, str]:
    """Return the weight file of each tensor; all must be beside the index."""
    places = _object(index).get("weight_map")
    usable = isinstance(places, dict) and all(
        isinstance(place, str) and Path(place).name == place and place.endswith(".safetensors")
        for place in places.values()
    )
    if not usable or not places:
        raise DamagedFile(f"{index} does not say where the weights are; download it again.")
    sizes = [(index.parent / place) for place in set(places.values())]
    if sum(path.stat().st_size for path in sizes if path.is_file()) > _MAX_BYTES:
        raise DamagedFile(f"The weights in {index.parent} exceed 8 GiB; take a smaller model.")
    return dict(places)


def tensors(path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a file by name, in float32.

    Raises
    ------
    DamagedFile, DataError
        It is damaged or too large, or its weights are quantized or no numbers.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if path.stat().st_size > _MAX_BYTES:
        raise DamagedFile(f"{path} is larger than 8 GiB; take a smaller model.")
    try:
        found = load_file(path)
    except SafetensorError as error:
        raise DamagedFile(f"{path} is damaged or incomplete; download it again.") from error
    for name, tensor in found.items():
        if not name.endswith(_TRAINED):
            continue
        if not tensor.is_floating_point() or tensor.element_size() < 2:
            kind = str(tensor.dtype).removeprefix("torch.")
            raise DataError(
                f"{path} has {name} as {kind}: its weights are quantized; take the model with numbers"
                " of 16 or 32 bits."
            )
        if not tensor.isfinite().all():
            raise DamagedFile(
                f"{path} has NaN or infinity in {name}; download it again, or take another model."
            )
    return {name: tensor.float() for name, tensor in found.items()}


def _needed(folder: Path, name: str) -> Path:
    """Return the path of a file that the folder must have."""
    path = folder / name
    if not path.is_file():
        raise DataError(f"{folder} has no {name}; save the model there with save_pretrained.")
    return path


def _object(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file contains."""
    try:
        found = json.loads(path.read_text("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path} is damaged; download it again.") from error
    if not isinstance(found, dict):
        raise DamagedFile(f"{path} contains no settings by name; download it again.")
    return found
