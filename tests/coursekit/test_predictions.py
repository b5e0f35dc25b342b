"""Predictions are stored before a run and shown beside its results."""

import json

import pytest
import torch

from coursekit import predictions


@pytest.fixture(autouse=True)
def notebook_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(predictions, "_entries", {})
    return tmp_path


def restart_kernel(monkeypatch):
    monkeypatch.setattr(predictions, "_entries", {})


def test_a_prediction_is_shown_beside_its_result(capsys):
    predictions.store_prediction(
        "shuffled labels", training=0.5, validation=(0.45, 0.55), trend="rises"
    )
    assert "training 0.5, validation 0.45 to 0.55, trend rises" in capsys.readouterr().out
    results = {"training": torch.tensor(0.98), "validation": 0.52, "trend": "falls"}
    assert repr(predictions.compare_prediction("shuffled labels", **results)).splitlines() == [
        "shuffled labels:",
        "               predicted  result",
        "training             0.5    0.98  differs by +0.48",
        "validation  0.45 to 0.55    0.52  in the range",
        "trend              rises   falls  otherwise",
    ]


def test_the_first_prediction_stays_and_one_after_the_results_is_marked(capsys):
    predictions.store_prediction("order", bleu=20)
    predictions.store_prediction("order", bleu=60)
    assert "first prediction of bleu stays: 20" in capsys.readouterr().out
    predictions.compare_prediction("order", bleu=58.0)
    predictions.store_prediction("order", length=9)
    shown = repr(predictions.compare_prediction("order", bleu=58.0, length=9))
    assert "20      58  differs by +38" in shown
    assert "differs by +0; predicted after the result was shown" in shown


def test_predictions_outlast_a_restart_of_the_kernel(monkeypatch, notebook_folder):
    predictions.store_prediction("order", bleu=20, length=(1, 2), trend="falls")
    restart_kernel(monkeypatch)
    shown = repr(predictions.compare_prediction("order", bleu=21, length=3, trend="falls"))
    for part in ("differs by +1", "outside the range", "as predicted"):
        assert part in shown
    restart_kernel(monkeypatch)
    predictions.store_prediction("order", share=0.5)  # after the comparison
    stored = json.loads((notebook_folder / predictions.FILE).read_text())
    assert stored["order"]["late"] == ["share"]


def test_what_was_not_predicted_is_said():
    assert "none    0.52  not predicted" in repr(
        predictions.compare_prediction("nothing", accuracy=0.52)
    )


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        (..., "in place of the three dots"),
        (None, "as a number, as a word, or as a range"),
        ((0.6, 0.4), "low comes first"),
        ((1, 2, 3), "as a number, as a word, or as a range"),
        (float("nan"), "NaN is none"),
    ],
)
def test_what_is_no_prediction_is_refused_and_nothing_is_stored(guess, said, notebook_folder):
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        predictions.store_prediction("order", bleu=guess)
    assert not (notebook_folder / predictions.FILE).exists()
    with pytest.raises(ValueError, match="at least one quantity"):
        predictions.store_prediction("order")


@pytest.mark.parametrize("text", ["", "[]", '{"order": 3}', '{"order": {"guesses": {"a": null}}}'])
def test_a_damaged_file_is_replaced(text, notebook_folder):
    (notebook_folder / predictions.FILE).write_text(text)
    predictions.store_prediction("order", bleu=20)
    assert json.loads((notebook_folder / predictions.FILE).read_text())["order"]["guesses"] == {
        "bleu": 20.0
    }


def test_where_no_file_can_be_written_this_kernel_remembers(monkeypatch):
    monkeypatch.setattr(predictions, "FILE", "no/such/folder/predictions.json")
    predictions.store_prediction("order", bleu=20)
    assert "differs by +1" in repr(predictions.compare_prediction("order", bleu=21))
