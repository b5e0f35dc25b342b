"""LoRA adapters: what they add to a model, and what is wrong with those that do not fit."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertConfig, BertForPreTraining

from coursekit import load_pretrained
from coursekit.data import DataError
from coursekit.pretrained import names

PREFIX = "base_model.model."
QUERY = "bert.encoder.layer.1.attention.self.query"
WORDS = "bert.embeddings.word_embeddings"


@pytest.fixture
def base(tmp_path):
    """A tiny BERT of random weights."""
    torch.manual_seed(0)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "film"]
    sizes = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(
        vocab_size=len(tokens), intermediate_size=16, max_position_embeddings=12, **sizes
    )
    BertForPreTraining(config).save_pretrained(tmp_path / "base")
    (tmp_path / "base" / "vocab.txt").write_text("\n".join(tokens), "utf-8")
    return tmp_path / "base"


@pytest.fixture
def adapter(tmp_path, base):
    """An adapter of rank 3 for one matrix and the token embeddings."""
    folder = tmp_path / "adapter"
    folder.mkdir()
    factors = {
        f"{PREFIX}{QUERY}.lora_A.weight": torch.randn(3, 8),
        f"{PREFIX}{QUERY}.lora_B.weight": torch.randn(8, 3),
        f"{PREFIX}{WORDS}.lora_embedding_A": torch.randn(3, 7),
        f"{PREFIX}{WORDS}.lora_embedding_B": torch.randn(8, 3),
    }
    save_file(factors, folder / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": str(base),
        "r": 3,
        "lora_alpha": 6,
        "bias": "none",
    }
    (folder / "adapter_config.json").write_text(json.dumps(config), "utf-8")
    return folder


def change(folder, **settings):
    path = folder / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **settings}), "utf-8")


def change_factors(folder, edit):
    path = folder / "adapter_model.safetensors"
    factors = load_file(path)
    edit(factors)
    save_file(factors, path)


def test_it_adds_the_scaled_product_of_its_factors_and_leaves_the_rest(base, adapter):
    before, after = load_pretrained(base), load_pretrained(adapter)
    assert (after.name, after.tokens, after.config) == (str(adapter), before.tokens, before.config)
    factors = load_file(adapter / "adapter_model.safetensors")
    A, B = (factors[f"{PREFIX}{QUERY}.lora_{which}.weight"] for which in "AB")
    wanted = before.weights[f"{QUERY}.weight"] + 2 * B @ A
    assert torch.allclose(after.weights[f"{QUERY}.weight"], wanted, atol=1e-5)
    A, B = (factors[f"{PREFIX}{WORDS}.lora_embedding_{which}"] for which in "AB")
    wanted = before.weights[f"{WORDS}.weight"] + 2 * A.T @ B.T
    assert torch.allclose(after.weights[f"{WORDS}.weight"], wanted, atol=1e-5)
    same = [name for name in before.weights if name[:-7] not in (QUERY, WORDS)]
    assert len(same) == len(before.weights) - 2
    assert all(after.weights[name].equal(before.weights[name]) for name in same)


def test_modules_that_are_saved_whole_replace_those_of_the_base(base, adapter):
    before, module = load_pretrained(base), "bert.encoder.layer.0.output"
    names = [name for name in before.weights if name.startswith(module)]
    assert len(names) == 4  # a weight and a bias of a linear layer, and of a layer normalization
    new = {f"{PREFIX}{name}": torch.randn(before.weights[name].shape) for name in names}
    change_factors(adapter, lambda tensors: tensors.update(new))
    change(adapter, modules_to_save=["layer.0.output"])
    after = load_pretrained(adapter)
    for name in names:
        assert after.weights[name].equal(new[f"{PREFIX}{name}"])
    moved = [n for n in before.weights if not after.weights[n].equal(before.weights[n])]
    assert set(moved) == {*names, f"{QUERY}.weight", f"{WORDS}.weight"}


def test_the_courses_own_changes_all_of_the_encoder_and_no_heads():
    assert {"imdb", "imdb-distilled"} <= set(names())
    before, after = load_pretrained("imdb"), load_pretrained("imdb-distilled")
    assert after.name == "imdb-distilled"
    for name, weight in before.weights.items():
        moved = ((after.weights[name] - weight).norm() / weight.norm()).item()
        assert (moved == 0) == name.startswith("cls."), name


WRONG = {
    "a damaged configuration": (
        lambda f: (f / "adapter_config.json").write_text("{"),
        "adapter_config.json is damaged",
    ),
    "no base model": (
        lambda f: change(f, base_model_name_or_path=None),
        "names no base model",
    ),
    "an unknown base model": (
        lambda f: change(f, base_model_name_or_path="no such folder/at all/x"),
        "There is no folder no such folder",
    ),
    "an adapter of an adapter": (
        lambda f: change(f, base_model_name_or_path=str(f)),
        "is an adapter itself",
    ),
    "no rank": (lambda f: change(f, r="three"), "gives no r and lora_alpha"),
    "another kind": (lambda f: change(f, peft_type="IA3"), "an adapter with peft_type 'IA3'"),
    "another scaling": (lambda f: change(f, use_rslora=True), "an adapter with use_rslora True"),
    "no factors": (
        lambda f: (f / "adapter_model.safetensors").unlink(),
        "has no adapter_model.safetensors",
    ),
    "cut factors": (
        lambda f: (f / "adapter_model.safetensors").write_bytes(b"\0" * 20),
        "is damaged or incomplete",
    ),
    "one factor only": (
        lambda f: change_factors(f, lambda t: t.pop(f"{PREFIX}{QUERY}.lora_B.weight")),
        "has no second factor for",
    ),
    "another size": (
        lambda f: change_factors(
            f, lambda t: t.update({f"{PREFIX}{QUERY}.lora_B.weight": torch.ones(9, 3)})
        ),
        "which its base model .* does not have in this size: it belongs to another model",
    ),
    "a whole module of another size": (
        lambda f: (
            change(f, modules_to_save=["pooler"]),
            change_factors(
                f, lambda t: t.update({f"{PREFIX}bert.pooler.dense.bias": torch.ones(9)})
            ),
        ),
        "changes bert.pooler.dense, which its base model .* does not have in this size",
    ),
    "more than factors": (
        lambda f: change_factors(f, lambda t: t.update({"classifier.weight": torch.ones(2)})),
        "has classifier.weight, which is not part of a LoRA adapter",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_does_not_fit_is_named_in_one_sentence(adapter, what):
    spoil, sentence = WRONG[what]
    spoil(adapter)
    with pytest.raises(DataError, match=sentence) as caught:
        load_pretrained(adapter)
    assert "\n" not in str(caught.value)
