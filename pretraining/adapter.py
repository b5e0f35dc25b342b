"""Fine-tune a pretrained encoder on IMDb's labels and write the change as a small LoRA adapter.

The encoder is fine-tuned as in 06 on the 25,000 training reviews; the classifier's last layer is then
discarded. The change of each weight matrix, of the token embeddings and of the position embeddings is
approximated by a product of two thin matrices, with a truncated singular value decomposition, and
written in the format of PEFT; changes of biases and normalizations are dropped. Then
`load_pretrained("imdb-ratings")` is an encoder that has learned from the labels of another task.

    python pretraining/adapter.py --rank 64 --export data/pretrained/imdb-ratings
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from importlib.metadata import version
from pathlib import Path

import torch
from safetensors.torch import save_file

from autograder.course.reference import definitions
from coursekit import load, lora
from coursekit.data import DataError
from coursekit.pretrained import Pretrained, load_pretrained

BERT = Path(__file__).parent.parent / "solutions/06_bert/06_bert.ipynb"
EMBEDDINGS = ("word_embeddings", "position_embeddings")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", default="imdb", help="the pretrained encoder (default imdb)")
    parser.add_argument("--rank", type=int, default=64, help="rank of the changes (default 64)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--export", type=Path, required=True, help="the adapter's folder")
    options = parser.parse_args()
    if options.rank < 1:
        sys.exit(f"--rank must be 1 or more, but is {options.rank}.")
    torch.set_num_threads(max(1, options.threads))
    start = time.perf_counter()
    try:
        pretrained = load_pretrained(options.base)
        tuned = fine_tune(pretrained, options.seed)
    except DataError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped; nothing was written.")
    factors, kept = adapter(pretrained, tuned, options.rank)
    training = {
        "base": options.base,
        "rank": options.rank,
        "seed": options.seed,
        "labels": len(load("imdb", "train")),
        "minutes": round((time.perf_counter() - start) / 60, 1),
        "kept": round(kept, 3),
        "made_with": {name: version(name) for name in ("torch", "safetensors")},
    }
    write(options.export, factors, training)


def fine_tune(pretrained: Pretrained, seed: int) -> dict[str, torch.Tensor]:
    """Fine-tune on IMDb's labels as 06 does; returns tensors by the names of `pretrained.weights`.

    Raises
    ------
    KeyboardInterrupt
        Also if `fit` was interrupted, which does not raise the exception itself.
    """
    notebook = definitions(BERT)
    model = notebook["make_model"]("imdb", pretrained, seed)
    fed = notebook["make_batches"](
        "imdb", load("imdb", "train"), pretrained, shuffle=True, seed=seed
    )
    if notebook["train_model"]("imdb", model, fed, seed=seed).interrupted:
        raise KeyboardInterrupt
    tuned = model.model.encoder.state_dict()
    # renaming the names themselves tells which of the encoder's names belongs to which of the file
    names = notebook["rename_weights"]({name: name for name in pretrained.weights})
    return {theirs: tuned[ours] for ours, theirs in names.items() if ours in tuned}


def adapter(
    pretrained: Pretrained, tuned: dict[str, torch.Tensor], rank: int
) -> tuple[dict[str, torch.Tensor], float]:
    """The factors of the changes, in float16, and the share of their squared norm that is kept."""
    factors, whole, kept = {}, 0.0, 0.0
    for name, after in tuned.items():
        module, _, kind = name.rpartition(".")
        if kind != "weight" or after.ndim != 2 or module.endswith("token_type_embeddings"):
            continue
        change = after - pretrained.weights[name]
        embeds = module.endswith(EMBEDDINGS)
        U, S, V = torch.linalg.svd(change.T if embeds else change, full_matrices=False)
        whole += float((S**2).sum())
        kept += float((S[:rank] ** 2).sum())
        root = S[:rank].sqrt()
        ends = lora.EMBEDDING if embeds else lora.LINEAR
        pair = (root[:, None] * V[:rank], U[:, :rank] * root)
        for end, factor in zip(ends, pair):
            factors[f"{lora.PREFIX}{module}{end}"] = factor.half().contiguous()
    return factors, kept / whole


def write(folder: Path, factors: dict[str, torch.Tensor], training: dict[str, object]) -> None:
    """Write the adapter (`export`) and print its size and what it keeps."""
    export(folder, factors, training)
    size = (folder / lora.WEIGHTS).stat().st_size
    print(
        f"written: {folder}, {size / 1e6:.1f} MB; rank {training['rank']} keeps "
        f"{training['kept']:.0%} of the change (of its squared norm)"
    )


def export(folder: Path, factors: dict[str, torch.Tensor], training: dict[str, object]) -> None:
    """Write the adapter as PEFT does, with `training.json` beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = {
        re.sub(r"^bert\.(encoder\.layer\.\d+|embeddings)?\.?", "", name.split(".lora_")[0])
        for name in (factor.removeprefix(lora.PREFIX) for factor in factors)
    }
    rank = training["rank"]
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": training["base"],
        "r": rank,
        "lora_alpha": rank,
        "target_modules": sorted(modules),
        "bias": "none",
        "inference_mode": True,
    }
    save_file(factors, folder / lora.WEIGHTS)
    for name, content in ((lora.CONFIG, config), ("training.json", training)):
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
