"""The challenge set against text that people wrote: the benchmark, and the card with its tables."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from coursekit.data import DataError, TextDataset, load
from coursekit.data.phenomena import FOUND_BY_RULE
from coursekit.evaluation import wilson_interval

ROOT = Path(__file__).parent.parent
BENCHMARKS = ROOT / "benchmarks"
BAG = "logistic regression, binary"


@pytest.fixture
def benchmark(tmp_path, monkeypatch):
    """The script as a module that writes into a folder of its own, with one model."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import _results
    import published_challenge

    monkeypatch.setattr(_results, "_FOLDER", tmp_path)
    monkeypatch.setattr(published_challenge, "LABELS", {"reviews": {BAG: "100"}})
    texts = TextDataset("toy", "challenge", ["a lovely film", "dull"], [1, 0], ["plain", "plain"])
    monkeypatch.setattr(published_challenge, "published_challenge", lambda: texts)
    monkeypatch.setattr(sys, "argv", ["published_challenge.py"])
    yield published_challenge
    for name in ("published_challenge", "ladder", "_networks", "_results"):
        del sys.modules[name]


def written(folder):
    return json.loads((folder / "published_challenge.json").read_text("utf-8"))


def test_each_model_judges_both_collections_once_per_seed(benchmark, tmp_path, monkeypatch):
    learned, learn = [], benchmark.learn

    def noted(data, run):
        learned.append(run)
        return learn(data, run)

    monkeypatch.setattr(benchmark, "learn", noted)
    benchmark.main()
    found = written(tmp_path)
    bag = found["reviews"][BAG]
    assert [run["seed"] for run in bag["runs"]] == [0, 1]
    assert found["texts"]["published"] == {"plain": 2}
    assert len(found["texts"]["challenge"]) == 10
    right = [run["challenge"]["negation"] for run in bag["runs"]]
    accuracy, low, high = bag["challenge"]["negation"]
    assert accuracy == pytest.approx(sum(right) / 88, abs=1e-4)
    interval = wilson_interval(round(sum(right) / 2), 44)
    assert (low, high) == pytest.approx(interval, abs=1e-4)

    benchmark.main()
    assert len(learned) == 2  # nothing is trained twice
    monkeypatch.setattr(sys, "argv", ["published_challenge.py", "--again"])
    benchmark.main()
    assert len(learned) == 4
    assert len(written(tmp_path)["reviews"][BAG]["runs"]) == 2


def test_absent_real_data_are_one_sentence(benchmark, monkeypatch, tmp_path):
    def absent():
        raise DataError("No network: set COURSEKIT_MIRROR.")

    monkeypatch.setattr(benchmark, "published_challenge", absent)
    with pytest.raises(SystemExit, match=r"^No network: set COURSEKIT_MIRROR\.$"):
        benchmark.main()
    assert not list(tmp_path.iterdir())


def test_the_card_has_the_tables_of_the_stored_results(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import published_challenge

    card = (ROOT / "data/reviews/PUBLISHED.md").read_text("utf-8")
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    for table in published_challenge.tables(stored).split("\n\n"):
        assert table in card
    for name in ("published_challenge", "ladder", "_networks", "_results"):
        del sys.modules[name]


def test_the_stored_results_are_those_of_the_runs():
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    assert list(stored["texts"]["published"]) == list(FOUND_BY_RULE)
    challenge = load("reviews", "challenge")
    assert sum(stored["texts"]["challenge"].values()) == len(challenge)
    for data in ("reviews", "sst2"):
        for model in stored[data].values():
            for name, counts in stored["texts"].items():
                for kind, n in counts.items():
                    mean = sum(run[name][kind] for run in model["runs"]) / len(model["runs"]) / n
                    accuracy, low, high = model[name][kind]
                    assert accuracy == pytest.approx(mean, abs=1e-4)
                    assert low <= accuracy <= high


def test_the_card_says_how_many_texts_each_rule_found(monkeypatch):
    card = (ROOT / "data/reviews/PUBLISHED.md").read_text("utf-8")
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    kept = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", card, re.M))
    assert {kind: int(n) for kind, n in kept.items()} == stored["texts"]["published"]
