"""Assignment 12 agrees with transformers and rouge-score, and reads with and without its cache alike."""

from __future__ import annotations

import importlib
import random
from pathlib import Path

import pytest
import torch

from autograder.course.reference import Solution
from coursekit import load_pretrained, set_seed
from coursekit.data import shipped
from coursekit.pretrained import fill

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "solutions/12_pretraining_to_write/12_pretraining_to_write.ipynb"
WEIGHTS = "pretrained/language_models/imdb.safetensors"


def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


def both(n_layers: int, n_heads: int, seed: int):
    """A GPT-2 of transformers with random weights, and ours with the same."""
    from transformers import GPT2Config, GPT2LMHeadModel

    set_seed(seed)
    config = GPT2Config(
        vocab_size=40,
        n_positions=16,
        n_embd=24,
        n_layer=n_layers,
        n_head=n_heads,
        bos_token_id=0,
        eos_token_id=0,
        initializer_range=0.3,
    )
    theirs = GPT2LMHeadModel(config).eval()
    ours = notebook("GPT")(40, 24, n_heads, n_layers, 16).eval()
    fill(ours, notebook("rename_gpt2")(theirs.state_dict()))
    return ours, theirs


@pytest.mark.parametrize(("n_layers", "n_heads"), [(1, 1), (2, 4), (11, 2)])
def test_12_gives_the_numbers_of_transformers(n_layers, n_heads):
    ours, theirs = both(n_layers, n_heads, seed=n_layers)
    ids = torch.randint(40, (3, 16))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).logits, rtol=1e-5, atol=1e-5)


def test_12_states_are_the_same_with_a_cache():
    ours, _ = both(3, 2, seed=5)
    ids = torch.randint(40, (2, 12))
    with torch.no_grad():
        whole, _ = ours.states(ids)
        first, cache = ours.states(ids[:, :5])
        middle, cache = ours.states(ids[:, 5:9], cache=cache)
        last, _ = ours.states(ids[:, 9:], cache=cache)
    torch.testing.assert_close(torch.cat([first, middle, last], dim=1), whole, rtol=1e-5, atol=1e-5)


def test_12_the_given_sampler_is_that_of_07():
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    sample = notebook("sampling_probabilities")
    logits = torch.randn(30, generator=torch.Generator().manual_seed(1))
    warped = logits[None]
    for warper in (TemperatureLogitsWarper(0.7), TopKLogitsWarper(12), TopPLogitsWarper(0.8)):
        warped = warper(None, warped)
    torch.testing.assert_close(sample(logits, 0.7, 12, 0.8), warped[0].softmax(dim=-1))
    torch.testing.assert_close(sample(logits, 1.0, 99), logits.softmax(dim=-1))


def test_12_a_prefix_mask_lets_the_first_text_look_ahead():
    ours, _ = both(2, 2, seed=3)
    mask = notebook("unilm_mask")(torch.tensor([4]), torch.tensor([8]), "sequence-to-sequence")
    ids = torch.randint(40, (1, 8))
    changed = ids.clone()
    changed[0, 3] = (ids[0, 3] + 1) % 40
    later = ids.clone()
    later[0, 6] = (ids[0, 6] + 1) % 40
    with torch.no_grad():
        whole = ours(ids, mask)
        assert not torch.allclose(ours(changed, mask)[0, 0], whole[0, 0])
        torch.testing.assert_close(ours(later, mask)[0, :6], whole[0, :6])


@pytest.mark.parametrize(
    ("kind", "mean"), [(1, 0.3071569001), (2, 0.0337178629), ("L", 0.2363132078)]
)
def test_12_rouge_is_that_of_google(kind, mean):
    """The means are those of `rouge-score` 0.1.2 on these 500 pairs, with rouge1, rouge2 and rougeL."""
    rouge, draw = notebook("rouge"), random.Random(0)
    words = "the danish baker found a ring in old town and sold it".split()
    values = []
    for _ in range(500):
        one, other = (draw.choices(words, k=draw.randint(1, 14)) for _ in range(2))
        values.append(rouge(one, [other], kind))
    assert sum(values) / 500 == pytest.approx(mean, abs=1e-9)


@pytest.fixture
def causal(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "pretraining")
    return importlib.import_module("causal")


def test_12_what_is_pretrained_is_the_notebooks_gpt_under_the_names_of_gpt2(causal):
    settings = causal.Settings(layers=2, length=16)
    model = causal.build(settings).eval()
    ids = torch.randint(100, (2, 16), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        theirs = causal.as_gpt2(model, settings).eval()(ids).logits
        torch.testing.assert_close(model(ids), theirs, rtol=1e-4, atol=1e-4)


def test_12_pretraining_starts_from_the_embeddings_of_06(causal):
    model = causal.build(causal.Settings(layers=1, length=16))
    torch.testing.assert_close(
        model.tokens.weight.data,
        load_pretrained("imdb").weights["bert.embeddings.word_embeddings.weight"],
    )


def test_12_the_model_that_ships_is_a_gpt2_with_the_tokens_of_06():
    import json

    from safetensors import safe_open

    with safe_open(shipped(WEIGHTS), "pt") as file:
        config = json.loads(file.metadata()["config"])
        shape = file.get_slice("transformer.wte.weight").get_shape()
    assert config["model_type"] == "gpt2"
    assert shape[0] == config["vocab_size"] == len(load_pretrained("imdb").tokens)
    assert Path(shipped(WEIGHTS)).stat().st_size < 10_000_000
