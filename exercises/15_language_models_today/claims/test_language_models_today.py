"""Assignment 15 agrees with tokenizers, transformers and PEFT, and its planted pairs are what they say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
from torch import nn

from autograder.course.reference import Solution
from coursekit import load, load_results, set_seed
from coursekit.lora import add_adapter
from coursekit.pretrained import fill

ROOT = Path(__file__).parents[3]
NOTEBOOK = ROOT / "solutions/15_language_models_today/15_language_models_today.ipynb"
LENGTH = 12


def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


def alphabet() -> dict[int, str]:
    """The character with which `tokenizers` writes each byte."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    found = {}
    for number in [*range(0x80), *range(0x80, 0x110000, 0x40)]:
        if 0xD800 <= number < 0xE000:
            continue
        character = chr(number)
        ((written, _),) = tokenizer.pre_tokenizer.pre_tokenize_str(character)
        found |= dict(zip(character.encode(), written, strict=True))
    for number in range(0x80, 0x800):
        character = chr(number)
        ((written, _),) = tokenizer.pre_tokenizer.pre_tokenize_str(character)
        found |= dict(zip(character.encode(), written, strict=True))
    return found


def of_the_library(merges: list[tuple[int, int]], bytes_of: list[bytes]):
    """A tokenizer of the library with the same merges and the same ids."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    letters = alphabet()
    names = ["".join(letters.get(b, f"<{b}>") for b in data) for data in bytes_of]
    pairs = [(names[a], names[b]) for a, b in merges]
    tokenizer = Tokenizer(models.BPE({name: i for i, name in enumerate(names)}, pairs))
    space = r" \t\n\r\x0b\x0c"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(rf" ?[^{space}]+|[{space}]"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


def test_15_bytes_are_merged_as_tokenizers_merges_them():
    texts = list(load("almanac").texts)
    merges = notebook("learn_byte_merges")(texts[:300], 120)
    ours = notebook("ByteBPE")(merges)
    theirs = of_the_library(merges, ours.bytes_of)
    strange = [
        "",
        "Le café était naïf.",
        "東京は日本の首都です。",
        "🙂  two\tspaces\n\n end ",
        "ß½ \u200b x",
    ]
    for text in [*texts[300:400], *strange]:
        assert ours.encode(text) == theirs.encode(text).ids, text


def test_15_every_byte_string_survives_the_round_trip():
    draw = random.Random(0)
    merges = [(draw.randrange(256), draw.randrange(256)) for _ in range(200)]
    ours = notebook("ByteBPE")(merges)
    for _ in range(200):
        data = draw.randbytes(draw.randrange(40))
        assert b"".join(ours.bytes_of[i] for i in ours.encode(data)) == data
    for text in ("", "naïve café", "東京 🙂", "a  b\t\n"):
        assert ours.decode(ours.encode(text)) == text


@pytest.mark.parametrize(("heads", "key_heads", "layers"), [(4, 4, 1), (4, 2, 3), (6, 1, 2)])
def test_15_gives_the_numbers_of_transformers(heads, key_heads, layers):
    sizes = {
        "vocab_size": 40,
        "hidden_size": 8 * heads,
        "intermediate_size": 20,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": key_heads,
        "initializer_range": 0.3,
    }
    ids = torch.randint(40, (3, LENGTH), generator=torch.Generator().manual_seed(heads))
    ours, theirs = notebook("beside_transformers")(ids, **sizes)
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def test_15_a_published_state_dict_without_a_head_is_tied():
    weights = {"model.embed_tokens.weight": torch.ones(3, 2), "model.norm.weight": torch.ones(2)}
    renamed = notebook("rename_llama")(weights)
    assert renamed["head.weight"] is renamed["tokens.weight"]
    assert set(renamed) == {"tokens.weight", "norm.weight", "head.weight"}


def small(**more):
    set_seed(3)
    return notebook("Llama")(30, 16, 4, 2, 20, 2, max_length=LENGTH, **more).eval()


@torch.no_grad()
def test_15_states_are_the_same_with_a_cache():
    model, ids = small(), torch.randint(30, (2, LENGTH))
    whole, _ = model.states(ids)
    first, cache = model.states(ids[:, :5])
    parts = [first]
    for t in range(5, LENGTH):
        H, cache = model.states(ids[:, t : t + 1], cache)
        parts.append(H)
    torch.testing.assert_close(torch.cat(parts, dim=1), whole, rtol=1e-4, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("shift", [1, 50, 1000])
def test_15_rotated_products_depend_on_the_distance_alone(shift):
    rotate, at = notebook("rotate"), torch.arange(6)
    Q, K = torch.randn(2, 6, 16, generator=torch.Generator().manual_seed(1))
    here = rotate(Q, at) @ rotate(K, at).T
    there = rotate(Q, at + shift) @ rotate(K, at + shift).T
    torch.testing.assert_close(here, there, rtol=1e-3, atol=1e-3)


def test_15_costs_are_what_a_model_has():
    sizes = {"n_tokens": 30, "d_model": 16, "n_heads": 4, "n_key_heads": 2, "d_hidden": 20}
    for tied in (True, False):
        model = notebook("Llama")(**sizes, n_layers=3, tied=tied)
        costs = notebook("llama_costs")(**sizes, n_layers=3, length=7, tied=tied)
        assert costs["parameters"] == sum(p.numel() for p in model.parameters())
        _, cache = model.states(torch.zeros(1, 7, dtype=torch.int64))
        assert costs["cache_bytes"] == sum(2 * Y.numel() for pair in cache for Y in pair)


def with_adapter(folder: Path):
    """A Llama with LoRA layers that have learned something, saved; its weights without them."""
    model = small()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    names = notebook("add_lora")(model, 2, 6)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "lora_" in name:
                nn.init.normal_(p, std=0.3)
    notebook("save_adapter")(model, folder, 2, 6)
    return model, before, names


@torch.no_grad()
def test_15_an_adapter_is_read_by_coursekit(tmp_path):
    tuned, before, names = with_adapter(tmp_path)
    plain, ids = small(), torch.randint(30, (2, 6))
    assert not torch.allclose(plain(ids), tuned(ids), atol=1e-3)
    fill(plain, add_adapter(before, tmp_path))
    torch.testing.assert_close(plain(ids), tuned(ids), rtol=1e-4, atol=1e-5)
    for name in names:
        merged = tuned.get_submodule(name).merged()
        torch.testing.assert_close(merged, plain.get_submodule(name).weight)


@torch.no_grad()
def test_15_an_adapter_is_read_by_peft(tmp_path):
    peft = pytest.importorskip("peft")
    tuned, _, _ = with_adapter(tmp_path)
    theirs = peft.PeftModel.from_pretrained(small(), str(tmp_path)).eval()
    ids = torch.randint(30, (2, 6))
    torch.testing.assert_close(theirs(ids), tuned(ids), rtol=1e-4, atol=1e-5)


def test_15_the_given_gpt_is_that_of_assignment_12():
    import ast

    from autograder.course.reference import read

    source = next(c.source for c in read(NOTEBOOK).cells if "if GIVEN:" in c.source)
    (branch,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    scope = dict(Solution(NOTEBOOK).definitions)
    ids = torch.randint(8000, (2, 9), generator=torch.Generator().manual_seed(0))
    found = []
    for _ in range(2):
        gpt = scope["GPT"](8000, 256, 4, 3, 128, dropout=0.0).eval()
        from safetensors.torch import load_file

        from coursekit.data import shipped

        weights = load_file(shipped("pretrained/language_models/imdb.safetensors"))
        weights = {name: tensor.float() for name, tensor in weights.items()}
        fill(gpt, scope["rename_gpt2"](weights))
        with torch.no_grad():
            logits = gpt(ids)
        found.append((logits, scope["next_token_loss"](logits, ids, ids > 4000)))
        exec("\n".join(map(ast.unparse, branch.body)), scope)
    torch.testing.assert_close(*[logits for logits, _ in found], rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(*[loss for _, loss in found], rtol=1e-4, atol=1e-4)


def test_15_given_merges_are_those_of_assignment_11():
    import ast

    from autograder.course.reference import read

    source = next(c.source for c in read(NOTEBOOK).cells if "if GIVEN:" in c.source)
    (branch,) = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    scope = dict(Solution(NOTEBOOK).definitions)
    counts = {"chat": 5, "chats": 2, "chante": 3, "é": 1}
    ours = scope["learn_merges"](counts, 9)
    exec("\n".join(map(ast.unparse, branch.body)), scope)
    assert scope["learn_merges"](counts, 9) == ours


def test_15_rounded_weights_are_off_by_half_a_step_at_most():
    W = torch.randn(20, 30, generator=torch.Generator().manual_seed(2))
    q, scale = notebook("round_to_int8")(W)
    assert bool(((q * scale[:, None] - W).abs() <= 0.5001 * scale[:, None]).all())


def test_15_the_stored_results_have_what_the_text_says():
    measured = load_results("language_models_today")
    blocks = measured["ablation"]["blocks"]
    assert all(len(found["runs"]) == 3 for found in blocks.values())
    one, two = (found["parameters"] for found in blocks.values())
    assert abs(one - two) < 0.03 * one
    assert len({tokens for tokens, _ in measured["scaling"]["runs"]}) == 5
    assert {f"LoRA, rank {rank}" for rank in (1, 8, 32)} < set(measured["tuning"]["models"])
    assert set(measured["key_heads"]) == {"1", "2", "4"}
    assert json.dumps(measured)  # plain data
