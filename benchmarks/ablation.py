"""Removes one part of the transformer block at a time, as section 7 of assignment 05 does.

The notebook's readers of random digits, with one block and with two, are trained with three seeds; two
of them again with four times the steps. Writes `data/results/ablation.json`: the accuracy of each
variant with each seed. It goes on where it stopped.

    python benchmarks/ablation.py
"""

from __future__ import annotations

import torch
from _networks import definitions
from _results import results, store, write

SEEDS = (0, 1, 2)
LONGER_STEPS = 1600
LONGER = {"1": "one head", "2": "no residual connections"}


def main() -> None:
    torch.set_num_threads(1)
    notebook = definitions("05_transformer_block")
    found = results("ablation") or {"neighbors": {"2": {}, "1": {}}}
    for seed in SEEDS:
        for n_blocks, variants in found["neighbors"].items():
            for name in notebook["VARIANTS"]:
                runs = variants.setdefault(name, [])
                if len(runs) <= seed:
                    runs.append(notebook["train_reader"](name, int(n_blocks), seed))
                    store("ablation", found)
        for blocks, name in LONGER.items():
            runs = found.setdefault("longer", {}).setdefault(blocks, {}).setdefault(name, [])
            if len(runs) <= seed:
                runs.append(notebook["train_reader"](name, int(blocks), seed, LONGER_STEPS))
                store("ablation", found)
    write("ablation", found)


if __name__ == "__main__":
    main()
