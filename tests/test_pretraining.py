"""Pretraining on a toy: a killed run goes on bit by bit, and transformers reads what comes out."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
import torch
from checkout import ROOT
from processes import wait_for

from coursekit import load_pretrained

TOY = (
    "--data reviews --texts 300 --layers 1 --width 16 --heads 2 --vocabulary 300 --length 32 "
    "--long-length 48 --tokens-per-step 128 --tokens 60000 --threads 1 --keep-every 0"
).split()


def command(folder, *more):
    return [sys.executable, str(ROOT / "pretraining/pretrain.py"), "--folder", folder, *TOY, *more]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    subprocess.run(command(folder), check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_with_the_very_same_weights(finished, tmp_path):
    for name in ("tokens.npz", "vocab.txt"):  # a vocabulary is learned anew with other ties
        shutil.copy(finished / name, tmp_path)
    run = subprocess.Popen(command(tmp_path), stderr=subprocess.DEVNULL)
    assert wait_for(tmp_path / "state.pt", run)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    assert 0 < state["step"] < 60000 / 128
    assert not (tmp_path / "model").exists()
    subprocess.run(command(tmp_path), check=True, stderr=subprocess.DEVNULL)
    weights = [folder / "model" / "model.safetensors" for folder in (finished, tmp_path)]
    assert weights[0].read_bytes() == weights[1].read_bytes()


@pytest.mark.slow
def test_positions_are_spread_also_when_the_first_long_step_was_before_the_run_went_on(
    finished, tmp_path
):
    folder = shutil.copytree(finished, tmp_path / "run")
    state = torch.load(folder / "state.pt", weights_only=True)
    table = state["model"]["bert.embeddings.position_embeddings.weight"]
    assert state["spread"]
    assert not torch.allclose(table[32:], table[1:17], atol=1e-3)
    state |= {"spread": False, "step": state["step"] - 1}
    torch.save(state, folder / "state.pt")
    subprocess.run(command(folder), check=True, stderr=subprocess.DEVNULL)
    state = torch.load(folder / "state.pt", weights_only=True)
    table = state["model"]["bert.embeddings.position_embeddings.weight"]
    assert torch.allclose(table[32:], table[1:17], atol=1e-3)  # one step at nearly no rate


@pytest.mark.slow
def test_the_model_learned_something_and_transformers_reads_it(finished):
    from transformers import BertForPreTraining, BertTokenizerFast

    curve = torch.load(finished / "state.pt", weights_only=True)["curve"]
    assert curve[-1]["masked"] < curve[0]["masked"] - 0.1
    ours = load_pretrained(finished / "model")
    assert ours.config["hidden_dropout_prob"] == 0.1
    theirs = BertForPreTraining.from_pretrained(finished / "model", dtype=torch.float32)
    table = theirs.bert.embeddings.word_embeddings.weight
    assert torch.equal(table, ours.weights["bert.embeddings.word_embeddings.weight"])
    tokenizer = BertTokenizerFast.from_pretrained(finished / "model")
    assert tokenizer("The film!")["input_ids"][0] == ours.index["[CLS]"]
    assert len(tokenizer) == len(ours.tokens) == 300


def test_rows_are_two_parts_of_one_text_or_of_two():
    sys.path.insert(0, str(ROOT / "pretraining"))
    try:
        import _text
    finally:
        sys.path.pop(0)
    texts = ["One two. Three four! Five six?", "Red green. Blue black.", "Alone"]
    tokenizer = _text.train_tokenizer(texts * 5, 80)
    corpus = _text.encode(texts, tokenizer)
    assert len(corpus.texts) - 1 == 3
    assert len(corpus.sentences) - 1 == 3 + 2 + 1
    assert _text.n_rows(corpus, 24) == len(_text.rows(corpus, 24, seed=0, epoch=0))
    seen = set()
    for epoch in range(20):
        made = _text.rows(corpus, 24, seed=0, epoch=epoch)
        again = _text.rows(corpus, 24, seed=0, epoch=epoch)
        assert (made.ids == again.ids).all()
        for row, first, follows in zip(made.ids.tolist(), made.first, made.follows.tolist()):
            assert row[0] == _text.CLS
            assert row[first - 1] == _text.SEP
            assert row.count(_text.SEP) == (1 if follows == -100 else 2)
            seen.add(follows)
    assert seen == {-100, 0, 1}


@pytest.mark.slow
def test_other_settings_in_the_same_folder_are_refused(finished):
    done = subprocess.run(command(finished, "--width", "32"), capture_output=True, text=True)
    assert done.returncode == 1
    assert "contains a run with other settings (width)" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((finished / "settings.json").read_text("utf-8"))["width"] == 16
