"""Low-rank adapters (LoRA, Hu et al. 2022): small files that change the weights of a model.

An adapter stores the change of a weight matrix as the product of two thin ones; modules that change
too much for that are stored whole. The format is that of Hugging Face's PEFT: `adapter_config.json`
and `adapter_model.safetensors`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursekit import bert_files
from coursekit.data.errors import DamagedFile, DataError

if TYPE_CHECKING:
    import torch

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
PREFIX = "base_model.model."
#: The two factors of a linear layer and of an embedding, by their names in the file.
LINEAR = (".lora_A.weight", ".lora_B.weight")
EMBEDDING = (".lora_embedding_A", ".lora_embedding_B")
#: Settings that change how the factors are used, with the values that are understood.
_PLAIN = {
    "peft_type": ("LORA",),
    "bias": ("none",),
    "use_dora": (False,),
    "use_rslora": (False,),
    "rank_pattern": ({},),
    "alpha_pattern": ({},),
}


def is_adapter(folder: Path) -> bool:
    """Tell whether a folder has an adapter and not a whole model."""
    return (folder / CONFIG).is_file()


def base_of(folder: Path) -> str:
    """Return the name of the model that an adapter changes.

    Raises
    ------
    DataError
        `adapter_config.json` is damaged or names no model.
    """
    name = _config(folder).get("base_model_name_or_path")
    if not isinstance(name, str) or not name:
        raise DamagedFile(f"{folder / CONFIG} names no base model; download it again.")
    return name


def add_adapter(weights: Mapping[str, torch.Tensor], folder: Path) -> dict[str, torch.Tensor]:
    """Add an adapter's changes to the weights of its base model.

    A matrix W becomes W + (lora_alpha / r) B A, with A (r, n_in) and B (n_out, r); of an embedding
    (n, d), A is (r, n), B is (d, r), and the product is transposed. The tensors of the modules that
    `modules_to_save` lists replace those of the base model.

    Parameters
    ----------
    weights : mapping of str to torch.Tensor
        The base model's tensors by name. They are not changed.
    folder : Path
        The adapter's folder.

    Returns
    -------
    dict of str to FloatTensor
        All tensors of the base model; those that the adapter does not change are not copied.

    Raises
    ------
    DataError
        A file that is missing or damaged, another kind of adapter, or one for another model.
    """
    config = _config(folder)
    for name, known in _PLAIN.items():
        if config.get(name, known[0]) not in known:
            raise DataError(
                f"{folder} contains an adapter with {name} {config[name]!r}; the course understands "
                f"{known[0]!r} only."
            )
    rank, alpha = config.get("r"), config.get("lora_alpha")
    if type(rank) is not int or rank < 1 or not isinstance(alpha, int | float):
        raise DamagedFile(f"{folder / CONFIG} gives no r and lora_alpha; download it again.")
    factors, whole = _tensors(folder, config.get("modules_to_save") or [])
    changes = {}
    for module, (A, B, embeds) in factors.items():
        change = (alpha / rank) * (B @ A)
        changes[f"{module}.weight"] = change.T if embeds else change
    for name, tensor in {**changes, **whole}.items():
        if name not in weights or weights[name].shape != tensor.shape:
            raise DataError(
                f"The adapter in {folder} changes {name.rpartition('.')[0]}, which its base model "
                f"{config['base_model_name_or_path']!r} does not have in this size: it belongs to "
                "another model."
            )
    added = {name: weights[name] + change for name, change in changes.items()}
    return {**weights, **added, **whole}


def _config(folder: Path) -> dict[str, Any]:
    """Return the contents of `adapter_config.json`."""
    try:
        config = json.loads((folder / CONFIG).read_text("utf-8-sig"))
    except ValueError as error:
        raise DamagedFile(f"{folder / CONFIG} is damaged; download it again.") from error
    if not isinstance(config, dict):
        raise DamagedFile(f"{folder / CONFIG} is damaged; download it again.")
    return config


def _tensors(
    folder: Path, saved: list[str]
) -> tuple[dict[str, tuple[torch.Tensor, torch.Tensor, bool]], dict[str, torch.Tensor]]:
    """Return all tensors of an adapter, in float32.

    The factors A and B by module, with whether it is an embedding, and the tensors of the modules
    whose names end in one of `saved`.
    """
    path = folder / WEIGHTS
    if not path.is_file():
        raise DataError(f"{folder} has no {WEIGHTS}; give a folder that PEFT wrote.")
    tensors = bert_files.tensors(path)
    found = {}
    for ends in (LINEAR, EMBEDDING):
        for name in [name for name in tensors if name.endswith(ends[0])]:
            module = name.removesuffix(ends[0])
            A, B = tensors.pop(name), tensors.pop(module + ends[1], None)
            if B is None or A.ndim != 2 or B.ndim != 2 or A.shape[0] != B.shape[1]:
                raise DamagedFile(f"{path} has no second factor for {module}; download it again.")
            found[module.removeprefix(PREFIX)] = (A, B, ends is EMBEDDING)
    whole = {}
    for name, tensor in tensors.items():
        inside = f".{name}."
        if not any(f".{module}." in inside for module in saved):
            raise DataError(f"{path} has {name}, which is not part of a LoRA adapter.")
        whole[name.removeprefix(PREFIX)] = tensor
    return found, whole
