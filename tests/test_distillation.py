"""The distillation of a toy teacher: both models read the same words, and a killed run goes on."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from checkout import ROOT
from processes import wait_for

from coursekit import load_pretrained

TOY = (
    "--windows reviews --phrases reviews --texts 200 --tokens 2000 --teacher-tokens 500 "
    "--tokens-per-step 128 --threads 1 --keep-every 0 --rank 4"
).split()


@pytest.fixture(scope="module")
def distill():
    sys.path.insert(0, str(ROOT / "pretraining"))
    try:
        import distill
    finally:
        sys.path.pop(0)
    return distill


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    """A BERT of three narrow blocks, with random weights and a vocabulary of its own."""
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("teacher")
    tokens = load_pretrained("imdb").tokens[:1500]
    sizes = {"hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(tokens), intermediate_size=48, **sizes)
    torch.manual_seed(0)
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(tokens) + "\n", "utf-8")
    return folder


def command(folder, teacher, *more):
    script = str(ROOT / "pretraining/distill.py")
    options = ["--folder", folder, "--teacher", teacher, "--export", folder / "adapter"]
    return [sys.executable, script, *options, *TOY, *more]


@pytest.fixture(scope="module")
def finished(teacher, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    subprocess.run(command(folder, teacher), check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module")
def words(distill, tmp_path_factory):
    settings = distill.Settings(
        windows="reviews", phrases="reviews", texts=200, tokens_per_step=512
    )
    tokens = load_pretrained("imdb").tokens
    cache = tmp_path_factory.mktemp("words") / "words.npz"
    return distill.Words([tokens, tokens[:1500]], settings, cache)


def test_both_models_read_the_same_words_and_number_them_alike(words):
    tokens = load_pretrained("imdb").tokens
    lengths = set()
    for step in range(8):
        ours, theirs, labels = words.batch(step)
        again, _, _ = words.batch(step)
        assert (ours.ids == again.ids).all()
        assert len(ours.ids) == len(theirs.ids) == len(labels)
        lengths.add(ours.ids.shape[1])
        assert max(ours.ids.shape[1], theirs.ids.shape[1]) <= 128
        read = []
        for rows in (ours, theirs):
            pieces = [""] * (rows.word.max() + 1)
            for token, word in zip(rows.ids.flatten(), rows.word.flatten()):
                if word >= 0:
                    pieces[word] += tokens[token].removeprefix("##")
            read.append(pieces)
        pairs = list(zip(*read, strict=True))
        assert all(our == their or their == "[UNK]" for our, their in pairs)
        assert np.mean([our == their for our, their in pairs]) > 0.5
    assert len(lengths) > 1


def test_only_windows_of_labelled_texts_are_drawn_for_the_teacher(words):
    labels = [words.batch(step, labelled=True)[2] for step in range(5)]
    assert set(np.concatenate(labels).tolist()) == {0, 1}


def test_the_vector_of_a_word_is_the_mean_of_its_tokens(distill):
    hidden = torch.tensor([[[9.0, 9], [1, 2], [3, 4], [5, 6]]])
    word = torch.tensor([[-1, 0, 0, 1]])
    means = distill.word_means(hidden, word, 3)
    assert torch.equal(means, torch.tensor([[2.0, 3], [5, 6], [0, 0]]))


def test_a_change_of_the_embeddings_of_low_rank_comes_back_and_the_rest_whole(distill, tmp_path):
    base, draw = load_pretrained("imdb"), torch.Generator().manual_seed(0)
    after = {}
    for name, weight in base.weights.items():
        if not name.startswith("bert."):
            continue
        if name.endswith(("word_embeddings.weight", "position_embeddings.weight")):
            thin = [torch.randn(size, 3, generator=draw) for size in weight.shape]
            after[name] = weight + 0.01 * thin[0] @ thin[1].T
        else:
            after[name] = weight + torch.randn(weight.shape, generator=draw)
    for rank, least, most in ((3, 0.9999, 1.0001), (2, 0.5, 0.9)):
        tensors, kept = distill.adapter(base, after, rank)
        assert least < kept < most
        training = {"base": "imdb", "rank": rank, "kept": kept}
        distill.export(tmp_path, tensors, training)
        found = load_pretrained(tmp_path).weights
        apart = {name: float((found[name] - tensor).abs().max()) for name, tensor in after.items()}
        words = apart.pop("bert.embeddings.word_embeddings.weight")
        assert (words < 2e-3) == (rank == 3)
        apart.pop("bert.embeddings.position_embeddings.weight")
        assert max(apart.values()) < 4e-3  # half precision
        heads = [name for name in base.weights if not name.startswith("bert.")]
        assert all(found[name].equal(base.weights[name]) for name in heads)


@pytest.mark.slow
def test_the_adapter_changes_the_encoder_and_loads(finished):
    base, after = load_pretrained("imdb"), load_pretrained(finished / "adapter")
    name = "bert.encoder.layer.2.attention.self.query.weight"
    assert not torch.equal(base.weights[name], after.weights[name])
    described = (finished / "adapter/training.json").read_text("utf-8")
    assert '"layer_3"' in described
    assert str(finished) not in described


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_with_the_same_weights(finished, teacher, tmp_path):
    run = subprocess.Popen(command(tmp_path, teacher), stderr=subprocess.DEVNULL)
    assert wait_for(tmp_path / "state.pt", run)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    assert 0 < state["step"] < 2000 // 128
    assert not (tmp_path / "adapter").exists()
    subprocess.run(command(tmp_path, teacher), check=True, stderr=subprocess.DEVNULL)
    states = [torch.load(f / "state.pt", weights_only=True) for f in (finished, tmp_path)]
    for name, tensor in states[0]["model"].items():
        assert torch.allclose(tensor, states[1]["model"][name], atol=1e-4), name


def refused(*command):
    """The sentence that a command ends with."""
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_folder_without_a_model_and_no_rank_are_refused(teacher, tmp_path):
    run = command(tmp_path / "new", teacher)
    assert "has no config.json and vocab.txt" in refused(*run, "--teacher", tmp_path)
    assert "--rank must be 1 or more" in refused(*run, "--rank", "0")
    assert not Path(tmp_path / "new/adapter").exists()


@pytest.mark.slow
def test_a_run_with_other_settings_is_not_continued(finished, teacher):
    said = refused(*command(finished, teacher, "--seed", "1"))
    assert "contains a run with other settings (seed)" in said
