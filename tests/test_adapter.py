"""The command that writes an encoder's fine-tuning as an adapter: what is kept, and what is refused."""

import subprocess
import sys

import pytest
import torch
from checkout import ROOT

from coursekit import load_pretrained

QUERY = "bert.encoder.layer.0.attention.self.query.weight"
WORDS = "bert.embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def command():
    sys.path.insert(0, str(ROOT / "pretraining"))
    try:
        import adapter
    finally:
        sys.path.pop(0)
    return adapter


def changed(base, rank):
    """The weights after a change of the given rank in each matrix, and of every bias by 1."""
    draw = torch.Generator().manual_seed(0)

    def change(weight):
        if weight.ndim != 2:
            return torch.ones(weight.shape)
        factors = [torch.randn(size, rank, generator=draw) for size in weight.shape]
        return 0.01 * factors[0] @ factors[1].T

    names = [name for name in base.weights if name.startswith("bert.e")]
    return {name: base.weights[name] + change(base.weights[name]) for name in names}


def test_a_change_of_low_rank_comes_back_whole_and_biases_stay(command, tmp_path):
    base = load_pretrained("imdb")
    tuned = changed(base, 3)
    factors, kept = command.adapter(base, tuned, 3)
    command.export(tmp_path, factors, {"base": "imdb", "rank": 3})
    assert kept == pytest.approx(1, abs=1e-4)
    found = load_pretrained(tmp_path).weights
    for name, after in tuned.items():
        matrix = after.ndim == 2 and "token_type" not in name
        wanted = after if matrix else base.weights[name]
        assert torch.allclose(found[name], wanted, atol=2e-4), name


def test_the_share_that_is_kept_is_that_of_the_squared_norm(command, tmp_path):
    base = load_pretrained("imdb")
    tuned = {name: changed(base, 3)[name] for name in (QUERY, WORDS)}
    factors, kept = command.adapter(base, tuned, 1)
    command.export(tmp_path, factors, {"base": "imdb", "rank": 1})
    found = load_pretrained(tmp_path).weights
    left = sum((tuned[name] - found[name]).square().sum() for name in tuned)
    whole = sum((tuned[name] - base.weights[name]).square().sum() for name in tuned)
    assert 0.3 < kept < 0.9
    assert kept == pytest.approx(float(1 - left / whole), abs=1e-3)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (["--rank", "0"], "--rank must be 1 or more, but is 0."),
        (["--base", "no such/folder/x"], "There is no folder no such/folder/x"),
    ],
)
def test_a_wrong_option_is_one_sentence(tmp_path, wrong, sentence):
    line = [sys.executable, str(ROOT / "pretraining/adapter.py"), *wrong, "--export", tmp_path]
    ended = subprocess.run(line, capture_output=True, text=True)
    assert ended.returncode == 1
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not list(tmp_path.iterdir())
