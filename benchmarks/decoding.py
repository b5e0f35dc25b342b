"""Times decoding beside `transformers.generate`: 1,000 sentences, greedily and with a beam of 4.

Assignment 11's model, functions and vocabularies, against a MarianMT of the same sizes. Neither is
trained, and no translation ends before its 20th token, so both do the same work. The sources are
test sentences of `bilingual`. Beam search in the assignment takes one sentence at a time, so
`transformers` is timed with one at a time, too, and with a hundred. Each round measures all ways
one after the other, with one thread: seconds of the processor, and how many times as long as
`transformers` the assignment takes, go to `data/results/decoding.json`.

    python benchmarks/decoding.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch
from _results import write
from torch import nn
from transformer_translation import from_notebook
from transformers import MarianConfig, MarianMTModel

from coursekit import set_seed

BATCH, BEAM, LENGTH = 100, 4, 20


def ours() -> nn.Module:
    """The notebook's model without training, which never writes the end token."""
    notebook = from_notebook()

    class Endless(notebook["CachedTransformer"]):  # type: ignore[misc]
        def step(
            self, y: torch.Tensor, cache: list[torch.Tensor]
        ) -> tuple[torch.Tensor, list[torch.Tensor]]:
            logits, cache = super().step(y, cache)
            logits[..., notebook["EOS"]] = -torch.inf
            return logits, cache

    model = Endless(len(notebook["english"]), len(notebook["french"]), **notebook["SIZES"])
    notebook["draw_weights"](model, 0)
    return model.eval()


def theirs() -> MarianMTModel:
    """A MarianMT of the same sizes."""
    notebook, set_up = from_notebook(), {}
    sizes = notebook["SIZES"]
    for half in ("encoder", "decoder"):
        set_up[f"{half}_layers"] = sizes["n_layers"]
        set_up[f"{half}_attention_heads"] = sizes["n_heads"]
        set_up[f"{half}_ffn_dim"] = sizes["d_ff"]
    set_seed(0)
    config = MarianConfig(
        vocab_size=len(notebook["english"]),
        decoder_vocab_size=len(notebook["french"]),
        share_encoder_decoder_embeddings=False,
        d_model=sizes["d_model"],
        max_position_embeddings=128,
        scale_embedding=True,
        pad_token_id=0,
        decoder_start_token_id=notebook["BOS"],
        bos_token_id=notebook["BOS"],
        eos_token_id=notebook["EOS"],
        forced_eos_token_id=None,
        **set_up,
    )
    return MarianMTModel(config).eval()


def generate(model: MarianMTModel, sources: list[list[int]], beam: int, size: int) -> None:
    """Decode with `transformers`, `size` sentences at a time."""
    notebook = from_notebook()
    for first in range(0, len(sources), size):
        batch = sources[first : first + size]
        ids, mask, _, _ = notebook["translation_batch"](
            batch, [[]] * len(batch), notebook["BOS"], notebook["EOS"]
        )
        found = model.generate(
            input_ids=ids,
            attention_mask=mask.long(),
            num_beams=beam,
            do_sample=False,
            min_new_tokens=LENGTH,
            max_new_tokens=LENGTH,
        )
        assert found.shape == (len(batch), 1 + LENGTH)


def search(model: Any, sources: list[list[int]]) -> None:
    """Decode with the notebook's beam search."""
    notebook = from_notebook()
    bos, eos = notebook["BOS"], notebook["EOS"]
    with torch.no_grad():
        for ids in sources:
            source, mask, _, _ = notebook["translation_batch"]([ids], [[]], bos, eos)
            state = model.start(source, mask)
            found = notebook["beam_search"](model.step, state, bos, eos, BEAM, LENGTH)
            assert len(found[0][0]) == LENGTH


def seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    notebook, model, marian = from_notebook(), ours(), theirs()
    texts = notebook["test"].sources[: options.sentences]
    sources = [notebook["english"].encode(notebook["subwords"](text)) for text in texts]
    ways: dict[str, Callable[[], object]] = {
        "greedy": lambda: notebook["greedy"](model, sources, LENGTH),
        "greedy, transformers": lambda: generate(marian, sources, 1, BATCH),
        "beam 4": lambda: search(model, sources),
        "beam 4, transformers, one at a time": lambda: generate(marian, sources, BEAM, 1),
        "beam 4, transformers": lambda: generate(marian, sources, BEAM, BATCH),
    }
    rounds: list[dict[str, float]] = []
    for _ in range(options.rounds):
        rounds.append({name: seconds(call) for name, call in ways.items()})
        print(rounds[-1], flush=True)
    parts = {"greedy": ["greedy, transformers"], "beam 4": list(ways)[3:]}
    ratios = {
        other: median(one[own] / one[other] for one in rounds)
        for own, others in parts.items()
        for other in others
    }
    write(
        "decoding",
        {
            "sentences": len(sources),
            "tokens_each": LENGTH,
            "parameters": {
                "assignment 11": sum(p.numel() for p in model.parameters()),
                "transformers": sum(p.numel() for p in marian.parameters()),
            },
            "seconds": {name: median(one[name] for one in rounds) for name in ways},
            "times_as_long_as": ratios,
        },
    )


if __name__ == "__main__":
    main()
