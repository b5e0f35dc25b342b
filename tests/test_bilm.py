"""Pretraining the bidirectional language model on a toy: it learns, and a killed run goes on."""

import json
import os
import signal
import subprocess
import sys

import pytest
import torch
from checkout import ROOT
from processes import wait_for
from safetensors import safe_open

TOY = (
    "--data reviews --split train --texts 400 --vocabulary 300 --letters 40 --dim 8 --length 16 "
    "--tokens-per-step 128 --tokens 40000 --frequent 50 --drawn 50 --threads 1 --keep-every 0"
).split()


def command(folder):
    return [sys.executable, str(ROOT / "pretraining/bilm.py"), "--folder", str(folder), *TOY]


@pytest.mark.slow
def test_a_killed_run_goes_on_and_ends_with_the_very_same_weights(tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(command(whole), check=True, stderr=subprocess.DEVNULL)
    run = subprocess.Popen(command(killed), stderr=subprocess.DEVNULL)
    assert wait_for(killed / "state.pt", run)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert 0 < torch.load(killed / "state.pt", weights_only=True)["step"] < 40000 / 128
    subprocess.run(command(killed), check=True, stderr=subprocess.DEVNULL)
    weights = [folder / "model" / "bilm.safetensors" for folder in (whole, killed)]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    with safe_open(weights[0], "pt") as file:
        assert json.loads(file.metadata()["letters"])[:4] == ["<pad>", "<unk>", "<w>", "</w>"]
        assert file.get_tensor("output.weight").shape == (300, 8)
    curve = json.loads((whole / "model" / "training.json").read_text("utf-8"))["curve"]
    assert curve[-1]["forward"] < curve[0]["forward"]
