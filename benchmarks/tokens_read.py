"""Fine-tunes encoders of shorter pretraining runs: what is reading more text worth?

    python pretraining/pretrain.py --folder .pretraining-12 --tokens 12e6
    python benchmarks/tokens_read.py .pretraining-12/model .pretraining-36/model

Each folder is a model that `pretraining/pretrain.py` has exported; its `training.json` says how many
tokens it has read. The pretrained encoder that comes with the course is added. Each is fine-tuned on
1,000 and on 10,000 labels of SST-2 with three seeds and the settings of 06, and evaluated on GLUE's
872 validation sentences and on the phenomena of the challenge set, as in `benchmarks/ladder.py`.

Writes `data/results/tokens_read.json`. Finished runs are not repeated; `--again` repeats them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from _networks import NOTEBOOKS, definitions
from _results import results, store
from ladder import Run, finished, measure, summary
from tqdm import tqdm

from coursekit.data import DataError

RUNG, DATA, SIZES = "encoder, fine-tuned", "sst2", ("1000", "10000")
SHIPPED = Path(__file__).parent.parent / "data" / "pretrained" / "imdb"


def training_of(folder: Path) -> dict[str, Any]:
    """The contents of the model's `training.json`."""
    path = folder / "training.json"
    if not path.exists():
        raise DataError(f"{folder} has no training.json: it is no model that pretraining exported.")
    return json.loads(path.read_text("utf-8"))


def fine_tuned(folder: Path, run: Run) -> dict[str, Any]:
    """Accuracy, and accuracy by phenomenon, of the encoder in a folder after fine-tuning."""
    notebook = definitions(NOTEBOOKS[RUNG])
    with patch.dict(notebook, MODEL=str(folder)):
        return measure(DATA, run)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, help="models of shorter runs")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--again", action="store_true", help="repeat finished runs")
    options = parser.parse_args()
    torch.set_num_threads(1)
    try:
        trainings = {folder: training_of(folder) for folder in [*options.folders, SHIPPED]}
        runs = [Run(RUNG, size, seed) for size in SIZES for seed in range(options.seeds)]
        todo = [(folder, run) for run in runs for folder in trainings]
        for folder, run in tqdm(todo, unit="model"):
            stage = str(trainings[folder]["tokens"])
            done = finished(results("tokens_read").get("stages", {}).get(stage, {}))
            if run not in done or options.again:
                done[run] = fine_tuned(folder, run)
                keep(stage, trainings[folder], done)
    except DataError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped; finished runs are saved. Run the same command again to resume.")


def keep(stage: str, training: dict[str, Any], runs: dict[Run, dict[str, Any]]) -> None:
    """Store the runs of one model, their means, and the losses at the end of its pretraining."""
    of_ladder = summary(DATA, runs)
    last = {key: training["curve"][-1][key] for key in ("masked", "pairs_right")}
    stages = results("tokens_read").get("stages", {})
    stages[stage] = {"tokens": int(stage), **last, "rungs": of_ladder["rungs"]}
    whole = {key: of_ladder[key] for key in ("data", "judged_on", "n")}
    store("tokens_read", {**whole, "stages": dict(sorted(stages.items(), key=lambda s: int(s[0])))})


if __name__ == "__main__":
    main()
