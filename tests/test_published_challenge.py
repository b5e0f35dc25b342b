"""The challenge set against text that people wrote: the benchmark, and the card with its tables."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest

from coursekit.data import DataError, TextDataset, load
from coursekit.data.phenomena import FOUND_BY_RULE
from coursekit.evaluation import wilson_interval

ROOT = Path(__file__).parent.parent
BENCHMARKS = ROOT / "benchmarks"
BAG = "logistic regression, binary"
SETS = ("challenge", "published")
ENCODERS = ("encoder, fine-tuned", "encoder, distilled")


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
    monkeypatch.setattr(sys, "argv", ["published_challenge.py", "--seeds", "2"])
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
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--again"])
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


def test_03_says_what_was_measured_on_text_that_people_wrote():
    notebook = nbformat.read(ROOT / "solutions/03_deep_averaging/03_deep_averaging.ipynb", 4)
    text = next(
        cell.source for cell in notebook.cells if "| a language model's reviews" in cell.source
    )
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    found = {
        start: stored["reviews"][f"DAN, {which}"]
        for start, which in {
            "random": "random vectors",
            "from the almanac": "vectors of 02",
            "from IMDb": "vectors of IMDb",
        }.items()
    }
    assert {len(model["runs"]) for model in found.values()} == {3}
    unseen = {start: [found[start][name]["unseen"] for name in SETS] for start in found}
    for start, pair in unseen.items():
        cells = ["{:.0f}% ({:.0f} to {:.0f})".format(*(100 * x for x in one)) for one in pair]
        assert f"| {start} | {' | '.join(cells)} |" in text
    shown = {start: [round(100 * one[0]) for one in pair] for start, pair in unseen.items()}
    gains = [  # of the numbers as the table shows them
        shown[start][i] - shown["random"][i]
        for start, i in (("from IMDb", 1), ("from IMDb", 0), ("from the almanac", 1))
    ]
    said = re.search(r"is (\d+) points there and not (\d+)\..* it is (\d+) points ahead", text)
    assert said
    assert [int(number) for number in said.groups()] == gains
    ours, people = (
        {kind: [round(100 * x) for x in found["from IMDb"][name][kind]] for kind in FOUND_BY_RULE}
        for name in SETS
    )
    for sentence in (
        f"On people's `negation` the network gets {people['negation'][0]}% right and on `thwarted` "
        f"{people['thwarted'][0]}%",
        f"On `contrast` it gets {people['contrast'][0]}% where the challenge set gave "
        f"{ours['contrast'][0]}%, and the two intervals overlap ({people['contrast'][1]} to "
        f"{people['contrast'][2]}, {ours['contrast'][1]} to {ours['contrast'][2]})",
        f"`long` is not confirmed, with {people['long'][0]}% against {ours['long'][0]}%",
    ):
        assert sentence in text
    for kind in ("negation", "thwarted"):
        for scores in (ours, people):
            assert scores[kind][1] < 50 < scores[kind][2]
    assert people["unseen"][1] > 50
    assert people["long"][1] > ours["long"][2]


def test_what_the_card_calls_confirmed_or_not_is_so():
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    reviews, sst2 = stored["reviews"], list(stored["sst2"].values())
    small = [found for name, found in reviews.items() if not name.startswith("encoder")]
    for kind in ("negation", "thwarted"):
        assert all(low < 0.5 < high for f in small for _, low, high in (f[s][kind] for s in SETS))
        assert all(found["published"][kind][0] < found["published"]["plain"][0] for found in sst2)
    assert all(f["challenge"]["thwarted"][0] < 0.5 < f["published"]["thwarted"][0] for f in sst2)
    without = [reviews[name] for name in (BAG, "DAN, random vectors", "attention")]
    without.append(reviews["transformer from scratch"])
    for found in without:
        assert all(found[name]["unseen"][1] < 0.5 < found[name]["unseen"][2] for name in SETS)
    assert all(reviews["DAN, vectors of IMDb"][name]["unseen"][1] > 0.5 for name in SETS)
    almanac = reviews["DAN, vectors of 02"]
    assert almanac["challenge"]["unseen"][1] > 0.5 > almanac["published"]["unseen"][1]
    contrast = {name: found["challenge"]["contrast"][0] for name, found in reviews.items()}
    assert min(contrast.values()) > 0.6
    assert max(found["published"]["contrast"][0] for found in small) < 0.56
    encoders = [stored["reviews"][name]["published"]["contrast"] for name in ENCODERS]
    assert [low > 0.5 for _, low, _ in encoders] == [False, True]


def percent(data: str, model: str, collection: str, kind: str) -> str:
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))
    return f"{stored[data][model][collection][kind][0]:.0%}"


#: What notebooks quote: the model, and for each phenomenon the text around its two numbers.
QUOTED = {
    "01_bag_of_words": (
        BAG,
        {
            "plain": "{published} of `plain` right ({challenge} of the challenge set's)",
            "negation": "{published} of `negation` ({challenge})",
            "thwarted": "{published} of `thwarted` ({challenge})",
            "unseen": "{published} of `unseen` ({challenge})",
            "contrast": "it gets {published} there and {challenge} in the challenge set",
            "long": "with {published} against {challenge}",
        },
    ),
    "04_attention": (
        "attention",
        {
            "unseen": "{published} of `unseen`",
            "negation": "{published} of `negation`",
            "thwarted": "{published} of `thwarted`",
        },
    ),
    "05_transformer_block": (
        "transformer from scratch",
        {
            "negation": "{published} of `negation` right there",
            "contrast": "Its {challenge} on `contrast` is not confirmed",
        },
    ),
    "08_sentence_encoders": (
        "transformer from scratch",
        {"contrast": "{challenge}, is not confirmed on sentences that people wrote: {published}"},
    ),
}


@pytest.mark.parametrize("assignment", QUOTED)
def test_a_notebook_quotes_what_was_measured_on_text_that_people_wrote(assignment):
    notebook = nbformat.read(ROOT / f"solutions/{assignment}/{assignment}.ipynb", 4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    model, phrases = QUOTED[assignment]
    for kind, phrase in phrases.items():
        numbers = {name: percent("reviews", model, name, kind) for name in SETS}
        assert phrase.format(**numbers) in text, phrase.format(**numbers)


def test_06_says_what_its_encoders_do_on_text_that_people_wrote():
    notebook = nbformat.read(ROOT / "solutions/06_bert/06_bert.ipynb", 4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    stored = json.loads((ROOT / "data/results/published_challenge.json").read_text("utf-8"))

    def of(data: str, encoder: str, collection: str, kind: str) -> list[int]:
        return [round(100 * x) for x in stored[data][f"encoder, {encoder}"][collection][kind]]

    def shown(found: list[int]) -> str:
        return "{}% ({} to {})".format(*found)

    student, alone = (
        of("sst2", one, "published", "negation") for one in ("distilled", "fine-tuned")
    )
    assert f"gets {shown(student)} of people's `negation` right" in text
    assert f"the encoder without a teacher {shown(alone)}" in text
    assert student[1] > of("sst2", "distilled", "challenge", "negation")[0] > 50
    challenge = [of("sst2", "distilled", "challenge", kind)[0] for kind in ("negation", "thwarted")]
    assert "`negation` and `thwarted`, with {}% and {}%".format(*challenge) in text
    student, alone = (
        of("sst2", one, "published", "thwarted") for one in ("distilled", "fine-tuned")
    )
    assert f"the two get {shown(student)} and {shown(alone)}" in text
    assert student[1] < alone[0] < student[2]
    learned = [of("reviews", one, "published", "negation") for one in ("distilled", "fine-tuned")]
    assert f"{learned[0][0]}% with the teacher and {learned[1][0]}% without" in text
    assert learned[0][1] > learned[1][2]


def test_06_says_which_unseen_words_its_encoders_know():
    notebook = nbformat.read(ROOT / "solutions/06_bert/06_bert.ipynb", 4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")

    def unseen(data: str, rung: str, size: str) -> str:
        stored = json.loads((ROOT / f"data/results/ladder_{data}.json").read_text("utf-8"))
        return f"{stored['rungs'][rung][size]['challenge']['unseen'][0]:.0%}"

    assert f"With three seeds it is {unseen('reviews', 'encoder, fine-tuned', '1000')}" in text
    random = unseen("sst2", "encoder, random weights", "10000")
    assert f"an encoder with random weights gets {random} from 10,000 of its labels" in text
    stages = json.loads((ROOT / "data/results/tokens_read.json").read_text("utf-8"))["stages"]
    before, after = (
        stages[tokens]["rungs"]["encoder, fine-tuned"]["1000"]["accuracy"]
        for tokens in ("12001280", "71999488")
    )
    assert f"{before:.1%} before, {after:.1%} after" in text
