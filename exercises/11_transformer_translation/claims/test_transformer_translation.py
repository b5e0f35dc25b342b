"""Assignment 11 agrees with libraries: byte-pair encoding, the whole model, decoding with a cache."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import nbformat
import pytest
import torch
from torch import nn

from autograder.course.reference import Solution
from coursekit import load, load_results, set_seed
from coursekit.data import shipped

NOTEBOOK = Path(__file__).parents[3] / (
    "solutions/11_transformer_translation/11_transformer_translation.ipynb"
)


def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


@pytest.fixture(scope="module")
def text() -> Counter:
    """The words of 2,000 pairs of sentences, of both languages together."""
    pairs = load("bilingual", "validation").pick(range(1000))
    both = (*pairs.sources, *pairs.targets)
    return Counter(word for sentence in both for word in sentence.split())


@pytest.fixture(scope="module")
def tokenizer(text):
    """BPE of the library `tokenizers`, trained on the same words with the same mark."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    # room for all characters and 300 merges
    size = len({character for word in text for character in f"▁{word}"}) + 300
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    words = (" ".join([f"▁{word}"] * count) for word, count in text.items())
    tokenizer.train_from_iterator(words, trainer)
    return tokenizer


def test_11_merges_are_those_of_the_library_tokenizers(text, tokenizer):
    import json

    theirs = [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]
    assert len(theirs) >= 300
    assert notebook("learn_merges")(text, len(theirs)) == theirs


def test_11_words_are_split_as_by_the_library_tokenizers(text, tokenizer):
    merges = notebook("learn_merges")(text, 300)
    unseen = ["chattes", "whitest", "parlementaires", "sings", "reneige"]
    for word in [*list(text)[:300], *unseen]:
        assert notebook("apply_merges")(word, merges) == tokenizer.encode(f"▁{word}").tokens


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("n_layers", [1, 3])
def test_11_transformer_gives_the_numbers_of_torch(norm_first, n_layers):
    set_seed(n_layers)
    model = notebook("CachedTransformer")(
        20, 30, 24, 3, 40, n_layers=n_layers, norm_first=norm_first
    ).eval()
    theirs = nn.Transformer(
        24, 3, n_layers, n_layers, 40, batch_first=True, norm_first=norm_first
    ).eval()
    theirs.load_state_dict(notebook("to_torch")(model))
    source, mask = torch.randint(1, 20, (3, 7)), torch.arange(7) < torch.tensor([[7], [1], [4]])
    y_in = torch.randint(1, 30, (3, 5)) * (torch.arange(5) < torch.tensor([[2], [5], [3]]))
    with torch.no_grad():
        Y = theirs(
            model.embed(model.source_embedding, source),
            model.embed(model.target_embedding, y_in),
            tgt_mask=~notebook("causal_mask")(5),
            src_key_padding_mask=~mask,
            tgt_key_padding_mask=y_in == 0,
            memory_key_padding_mask=~mask,
        )
        expected = Y @ model.target_embedding.weight.T
        found = model(source, mask, y_in)
    real = y_in != 0
    torch.testing.assert_close(found[real], expected[real], atol=1e-5, rtol=0)


@pytest.mark.parametrize("norm_first", [False, True])
def test_11_decoding_with_the_cache_gives_the_logits_of_decoding_without(norm_first):
    set_seed(0)
    model = notebook("CachedTransformer")(20, 30, 16, 2, 24, 2, norm_first=norm_first).eval()
    source, mask = torch.randint(1, 20, (2, 6)), torch.arange(6) < torch.tensor([[6], [2]])
    y = torch.randint(1, 30, (2, 12))
    with torch.no_grad():
        expected = model(source, mask, y)
        cache, steps = model.start(source, mask), []
        for t in range(12):
            logits, cache = model.step(y[:, [t]], cache)
            steps.append(logits)
    torch.testing.assert_close(torch.cat(steps, dim=1), expected, atol=1e-5, rtol=0)


def test_11_a_beam_of_one_is_greedy_decoding():
    set_seed(0)
    model = notebook("CachedTransformer")(20, 30, 16, 2, 24, 2).eval()
    sources = [[5, 6, 7], [8], [9, 10]]
    greedy = notebook("greedy")(model, sources, 9)
    for ids, expected in zip(sources, greedy, strict=True):
        source, mask, _, _ = notebook("translation_batch")([ids], [[]], 2, 3)
        with torch.no_grad():
            found = notebook("beam_search")(model.step, model.start(source, mask), 2, 3, 1, 9)
        assert [tokens for tokens, _ in found] == [expected]


def test_11_says_of_the_real_pairs_what_was_printed_and_measured():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    (loads,) = [cell for cell in cells if "def load_translator(" in cell.source]
    (shows,) = [i for i, cell in enumerate(cells) if "507 test sentences" in cell.source]
    printed = "".join(output.get("text", "") for output in cells[shows].outputs)
    assert "fatigué pour" in printed
    assert "devoirs" in printed
    assert "rouge" not in printed
    script = NOTEBOOK.parents[2] / "benchmarks/transformer_translators.py"
    (sizes,) = re.findall(
        r"^SIZES = (\{.*?\})", script.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    (shown,) = re.findall(r"sizes = (\{.*?\})", loads.source)
    assert {**ast.literal_eval(shown), "norm_first": True} == ast.literal_eval(sizes)
    assert "**sizes, norm_first=True)" in loads.source
    measured = load_results("transformer_translators")["en-fr"]
    assert f"{measured['test']:5.1f}" in printed
    assert f"took {measured['processor_seconds'] / 60:.0f} minutes" in cells[shows - 1].source
    assert f"{measured['pairs']['train']:,} English and French pairs" in cells[shows - 1].source
    card = shipped("pretrained/translators/CARD.md").read_text("utf-8")
    assert f"{measured['test']:.1f}; {measured['test_beam_4']:.1f} with a beam of 4" in card
    assert f"{measured['validation']:.1f}; {measured['validation_beam_4']:.1f} with" in card


def test_11_shows_what_was_measured_from_japanese():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    (shows,) = [cell for cell in cells if '"ja-en-transformer"' in cell.source]
    printed = "".join(output.get("text", "") for output in shows.outputs)
    assert "→ my mother is cooking in the kitchen ." in printed
    measured = load_results("transformer_translators")["ja-en"]
    rows = (load_results("translation")[f"ja-en-{kind}"] for kind in ("plain", "attention"))
    for score in (*(row["test"] for row in rows), measured["test"], measured["test_beam_4"]):
        assert f"{score:5.1f}" in printed
    card = shipped("pretrained/translators/CARD.md").read_text("utf-8")
    assert f"{measured['test']:.1f}; {measured['test_beam_4']:.1f} with a beam of 4" in card
