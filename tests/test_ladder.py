"""The ladder: it measures what it is asked for, keeps each run, and goes on where it stopped."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from coursekit.figures import labels_figure, ladder_figure, phenomenon_bars

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
DAN = "DAN, random vectors"


@pytest.fixture
def ladder(tmp_path, monkeypatch):
    """The script as a module that writes into a folder of its own and takes few steps."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import _networks
    import _results
    import ladder

    monkeypatch.setattr(_results, "_FOLDER", tmp_path)
    monkeypatch.setattr(_networks, "STEPS", 5)
    yield ladder
    for name in ("ladder", "_networks", "_results"):
        del sys.modules[name]


@pytest.fixture
def trained(ladder, monkeypatch):
    """The runs that are trained, in order."""
    runs, measure = [], ladder.measure

    def noted(data, run):
        runs.append(run)
        return measure(data, run)

    monkeypatch.setattr(ladder, "measure", noted)
    return runs


def written(folder):
    return json.loads((folder / "ladder_reviews.json").read_text("utf-8"))


def test_it_goes_on_after_an_interruption_and_trains_nothing_twice(
    ladder, trained, tmp_path, monkeypatch, capsys
):
    asked = ["--rungs", "majority", "naive Bayes, count", DAN, "--sizes", "100", "--seeds", "2"]
    whole, steps = ladder.train, []

    def stopped(*arguments):
        steps.append(arguments)
        if len(steps) == 2:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(ladder, "train", stopped)
    with pytest.raises(SystemExit, match="Run the same command again"):
        ladder.main(asked)
    assert len(written(tmp_path)["rungs"][DAN]["100"]["runs"]) == 1
    first = list(trained)
    ladder.main(asked)
    assert trained == [*first, first[-1]]  # only the run that was stopped
    assert trained[-1] == (DAN, "100", 1)
    ladder.main(asked)
    assert "are finished" in capsys.readouterr().out
    assert trained == [*first, first[-1]]
    ladder.main(["--rungs", "majority", "--sizes", "100", "--seeds", "1", "--again"])
    assert trained[len(first) + 1 :] == [("majority", "100", 0)]

    found = written(tmp_path)["rungs"]
    assert list(found) == ["majority", "naive Bayes, count", DAN]
    dan = found[DAN]["100"]
    assert dan["low"] < dan["accuracy"] < dan["high"]
    assert dan["labels"] == 100
    assert dan["parameters"] == dan["trained_parameters"] > 10_000
    assert [run["seed"] for run in dan["runs"]] == [0, 1]
    assert all({"correct", "seconds", "processor_seconds"} <= set(run) for run in dan["runs"])
    assert 0.47 < found["naive Bayes, count"]["100"]["accuracy"] < 0.65
    ladder_figure(written(tmp_path), size="100")
    labels_figure(written(tmp_path))
    assert len(dan["challenge"]) == 10
    phenomenon_bars(dan["challenge"])


def test_what_draws_nothing_learns_from_all_labels_once(ladder):
    assert ladder.plan("reviews", ["majority", DAN], ["10000", "all"], 2) == [
        ("majority", "all", 0),
        (DAN, "all", 0),
        (DAN, "all", 1),
    ]


def test_a_subset_changes_with_the_seed_and_settings_are_put_back(ladder):
    from _networks import NOTEBOOKS, definitions, learned_from

    assert learned_from("reviews", 100, 0) == learned_from("reviews", 100, 0)
    assert learned_from("reviews", 100, 0) != learned_from("reviews", 100, 1)
    assert sum(learned_from("reviews", 100, 2).labels) == 50
    notebook = definitions(NOTEBOOKS[DAN])
    before = json.dumps(notebook["SETTINGS"])
    ladder.train(DAN, "reviews", 0, 20)
    assert json.dumps(notebook["SETTINGS"]) == before


@pytest.mark.parametrize("encoder", ["BiLSTM", "TextCNN"])
def test_the_encoders_of_08_learn_and_their_word_vectors_stay(ladder, encoder):
    trained = ladder.train(encoder, "reviews", 0, 20)
    assert trained.words > 10_000
    assert trained.parameters - trained.trained_parameters == 100 * trained.words
    scores = ladder.predict(trained.model, trained.fed(ladder.learned_from("reviews", 20, 0)))
    assert scores.shape == (20,)
    assert scores.std() > 0


def test_the_distilled_encoder_starts_from_its_own_weights(ladder):
    import _networks

    notebook = _networks.definitions("06_bert")
    learned = ladder.learned_from("reviews", 20, 0)
    model, *_ = _networks._encoder(notebook, ladder.DISTILLED, "reviews", 0, learned)
    wanted = notebook["rename_weights"](notebook["load_pretrained"]("imdb-distilled").weights)
    found = model.encoder.state_dict()
    assert all(found[name].equal(weight) for name, weight in wanted.items())


def test_on_imdb_the_distilled_encoder_is_trained_on_all_labels_only(ladder, monkeypatch):
    monkeypatch.setattr(ladder, "texts_of", lambda data, split: range(1000))
    rungs = ["encoder, fine-tuned", ladder.DISTILLED]
    for data, sizes in (("sst2", ["10", "all"]), ("imdb", ["all"])):
        runs = ladder.plan(data, rungs, ["10", "all"], 1)
        assert [run.size for run in runs if run.rung == ladder.DISTILLED] == sizes
        assert [run.size for run in runs if run.rung == rungs[0]] == ["10", "all"]


def test_runs_of_the_classifiers_are_taken_and_say_so(ladder, trained, tmp_path):
    run = {"seed": 0, "seconds": 2.0, "name": DAN, "n": 1000, "correct": 800, "accuracy": 0.8}
    there = {"words": 7, "parameters": 9, "runs": [run]}
    (tmp_path / "classifiers.json").write_text(json.dumps({"reviews": {DAN: there}}))
    ladder.main(["--rungs", DAN, "--sizes", "all", "--seeds", "1"])
    assert not trained
    found = written(tmp_path)["rungs"][DAN]["all"]
    assert (found["accuracy"], found["labels"]) == (0.8, 10_000)
    assert found["runs"][0]["from"] == "classifiers"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (["--data", "sst3"], "no data set 'sst3'; choose from reviews, sst2, imdb"),
        (["--rungs", "Dan"], "no rung 'Dan'; choose from majority; naive Bayes, binary"),
        (["--sizes", "many"], "but is 'many'"),
        (["--seeds", "0"], "--seeds must be 1 or more"),
    ],
)
def test_a_wrong_name_or_number_is_one_sentence(ladder, tmp_path, wrong, sentence):
    with pytest.raises(SystemExit, match=sentence):
        ladder.main(wrong)
    assert not list(tmp_path.iterdir())


def test_absent_real_data_are_one_sentence(ladder, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("COURSEKIT_MIRROR", str(tmp_path / "empty"))
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path / "cache"))
    with pytest.raises(SystemExit) as stopped:
        ladder.main(["--data", "imdb", "--rungs", "majority"])
    assert "imdb" in str(stopped.value).lower()
    assert "\n" not in str(stopped.value)
