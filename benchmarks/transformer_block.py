"""Compares the transformer block of assignment 05 with torch's `nn.TransformerEncoderLayer`.

Same weights, shapes and padding; the forward and backward passes of both alternate within one run.
Writes `data/results/transformer_block.json`: the largest difference of the outputs at real words
and of the gradients of all weights, and the ratio of the times (median of paired runs).

    python benchmarks/transformer_block.py
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import torch
from _results import write
from torch import nn

from autograder.course.reference import Solution

NOTEBOOK = (
    Path(__file__).parent.parent / "solutions/05_transformer_block/05_transformer_block.ipynb"
)
SHAPES = {  # texts, words, width, heads, inner width, activation
    "as in the notebook": (32, 24, 32, 4, 64, "relu"),
    "long reviews": (16, 200, 64, 4, 128, "relu"),
    "one layer of BERT-base": (4, 128, 768, 12, 3072, "gelu"),
}


def measure(shape: tuple[int, int, int, int, int, str], repeats: int) -> dict[str, Any]:
    notebook = Solution(NOTEBOOK).definitions
    n_texts, length, d_model, n_heads, d_ff, activation = shape
    torch.manual_seed(0)
    ours = notebook["TransformerBlock"](d_model, n_heads, d_ff, 0.0, activation)
    theirs = nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, 0.0, activation, batch_first=True, norm_first=False
    )
    theirs.load_state_dict(notebook["to_torch_names"](ours.state_dict()))
    X = torch.randn(n_texts, length, d_model)
    lengths = torch.randint(1, length + 1, (n_texts, 1))
    real = torch.arange(length) < lengths
    mask = notebook["padding_mask"](real)
    direction = torch.randn(n_texts, length, d_model)  # a sum of squares would hardly depend on X

    def run_ours() -> tuple[torch.Tensor, torch.Tensor]:
        inputs = X.clone().requires_grad_()
        return ours(inputs, mask), inputs

    def run_theirs() -> tuple[torch.Tensor, torch.Tensor]:
        inputs = X.clone().requires_grad_()
        return theirs(inputs, src_key_padding_mask=~real), inputs

    both = {"ours": (ours, run_ours), "torch": (theirs, run_theirs)}
    outputs, gradients, seconds = {}, {}, {who: [] for who in both}
    for repeat in range(repeats + 1):
        for who, (model, run) in both.items():
            model.zero_grad()
            start = time.perf_counter()
            output, inputs = run()
            (output * direction)[real].sum().backward()
            if repeat:  # the first one is a warm-up
                seconds[who].append(time.perf_counter() - start)
            outputs[who] = output.detach()[real]
            gradients[who] = inputs.grad[real]
    weights = notebook["to_torch_names"]({n: p.grad for n, p in ours.named_parameters()})
    largest = max(parameter.grad.abs().max() for parameter in theirs.parameters())
    differences = [
        (weights[name] - parameter.grad).abs().max() / largest
        for name, parameter in theirs.named_parameters()
    ]
    ratios = [mine / other for mine, other in zip(seconds["ours"], seconds["torch"])]
    return {
        "shape": dict(
            zip(("texts", "words", "d_model", "n_heads", "d_ff", "activation"), shape, strict=True)
        ),
        "largest_difference_of_outputs": (outputs["ours"] - outputs["torch"]).abs().max().item(),
        "largest_difference_of_input_gradients": (gradients["ours"] - gradients["torch"])
        .abs()
        .max()
        .item(),
        "difference_of_weight_gradients_to_the_largest": max(differences).item(),
        "milliseconds": {who: 1000 * statistics.median(own) for who, own in seconds.items()},
        "time_ratio": statistics.median(ratios),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=30)
    repeats = parser.parse_args().repeats
    torch.set_num_threads(1)
    write("transformer_block", {name: measure(shape, repeats) for name, shape in SHAPES.items()})


if __name__ == "__main__":
    main()
