"""Numbers and examples that stand in a notebook's text are those of the files they come from."""

from __future__ import annotations

import itertools
import json
import re
from math import factorial
from pathlib import Path
from statistics import mean, median
from typing import Any

import nbformat
import pytest

from coursekit import load
from coursekit.evaluation import wilson_interval

ROOT = Path(__file__).parent.parent
ASSIGNMENTS = sorted(path.stem for path in (ROOT / "solutions").glob("*/*.ipynb"))
# how a text says that words stand in the list of neighbors printed above it
QUOTES_NEIGHBORS = re.compile(
    r"among (its|their) neighbors|neighbors such as|`[,;]? beside it|is nearest to"
)


def results(name: str) -> dict[str, Any]:
    return json.loads((ROOT / f"data/results/{name}.json").read_text("utf-8"))


RESULTS = results("bag_of_words")
# where each row of the table begins, the data set, and the part that is judged
ROWS = [("SST-2", "sst2", "validation"), ("IMDb", "imdb", "test")]


def cells_of(assignment: str) -> list[nbformat.NotebookNode]:
    return nbformat.read(ROOT / f"solutions/{assignment}/{assignment}.ipynb", 4).cells


def text_of(assignment: str) -> str:
    """The text cells of an assignment."""
    cells = cells_of(assignment)
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


# the assignment stands in the tests' names, so that `make test ONLY=01` finds them
@pytest.fixture(scope="module", params=["01_bag_of_words"])
def text(request) -> str:
    return text_of(request.param)


def table_row(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(f"| {start}"))
    return [part.strip() for part in line.strip("| ").split("|")]


def is_shown_as(shown: str, value: float) -> bool:
    """Whether `shown` is the value, rounded to the digits that are shown."""
    digits = len(shown.partition(".")[2])
    # the file's numbers are rounded themselves: a last digit of 5 may go either way
    return abs(float(shown) - value) <= 0.5 * 10**-digits + 1e-9


def is_result(shown: str, score: dict[str, Any], seconds: float) -> bool:
    """Whether ``82.1% (79.4 to 84.5), 28 s`` tells the score with its interval and the time."""
    numbers = re.fullmatch(r"([\d.]+)% \(([\d.]+) to ([\d.]+)\), ([\d.]+) s", shown)
    values = [100 * score["accuracy"], 100 * score["low"], 100 * score["high"], seconds]
    return numbers is not None and all(map(is_shown_as, numbers.groups(), values))


@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_table_of_real_data_shows_what_was_measured(text, start, name, split):
    judged, learned, bag, l2, ours, library = table_row(text, start)
    measured = RESULTS[name]
    scores = measured["accuracy"][split]
    assert f" {scores['ours']['n']:,} {split} " in f" {judged} "
    assert learned.startswith(f"{measured['training_texts']:,} ")
    assert bag == f"{measured['bag']}, {measured['words']:,} words"
    assert float(l2) == measured["l2"]
    assert is_result(ours, scores["ours"], measured["seconds"]["ours"])
    assert is_result(library, scores["scikit-learn"], measured["seconds"]["scikit-learn"])


def test_the_strength_of_l2_in_the_table_is_the_best_on_validation():
    for measured in (RESULTS["sst2"], RESULTS["imdb"]):
        tried = measured["validation"]["scikit-learn"]
        assert tried[f"{measured['l2']:g}"] == max(tried.values())


def test_the_paragraph_on_l2_shows_what_was_measured(text):
    paragraph = next(part for part in text.split("\n\n") if "So what is L2 good for?" in part)
    tried = {name: RESULTS[name]["validation"]["scikit-learn"] for name in ("sst2", "imdb")}
    measured = [tried["sst2"][l2] for l2 in ("1e-05", "0.001")]
    measured += [tried["imdb"][l2] for l2 in ("1e-05", "0.001", "0.01")]
    shown = re.findall(r"([\d.]+)%", paragraph)
    assert len(shown) == len(measured)
    assert all(is_shown_as(a, 100 * b) for a, b in zip(shown, measured))
    for curve in tried.values():  # the best lies inside the grid
        assert max(curve.values()) not in (curve["1e-05"], curve["0.01"])
    assert tried["sst2"]["0.001"] > tried["sst2"]["0.01"]


def test_the_intervals_of_two_strengths_of_l2_were_measured(text):
    shown = re.search(r"intervals are ([\d.]+) to ([\d.]+)% and ([\d.]+) to ([\d.]+)%", text)
    assert shown
    found = RESULTS["sst2"]["validation"]
    ends = [
        100 * end
        for l2 in ("1e-05", "0.001")
        for end in wilson_interval(round(found["scikit-learn"][l2] * found["n"]), found["n"])
    ]
    assert all(map(is_shown_as, shown.groups(), ends))


def test_the_examples_of_the_phenomena_are_challenge_reviews(text):
    reviews = load("reviews", "challenge")
    for phenomenon in dict.fromkeys(reviews.phenomena):
        _, _, example, label = table_row(text, phenomenon.replace("_", " ") + " |")
        start, _, end = example.partition(" [...] ")
        same = [r for r in reviews if (r.phenomenon, r.label) == (phenomenon, int(label))]
        whole = [r for r in same if r.text == example]
        cut = [r for r in same if end and r.text.startswith(start) and r.text.endswith(end)]
        assert whole or cut, example


BAG, DAN, INFORMED = "bag of words", "DAN, random vectors", "DAN, vectors of 02"
MEAN, ATTENTION = "mean of random vectors", "attention"
# which models stand in the columns of the closing table, behind the first ones
COLUMNS = {
    "03_deep_averaging": [BAG, DAN, INFORMED],
    "04_attention": [None, BAG, MEAN, ATTENTION],
}


def measured(model: str, name: str, split: str) -> tuple[float, float, float]:
    """Accuracy over all seeds with its 95% interval, in percent."""
    if model == BAG:
        score = RESULTS[name]["accuracy"][split]["ours"]
        return tuple(100 * score[key] for key in ("accuracy", "low", "high"))
    found = results("classifiers")[name][model]
    n = found["runs"][0]["n"]
    low, high = wilson_interval(round(found["accuracy"] * n), n)
    return 100 * found["accuracy"], 100 * low, 100 * high


@pytest.mark.parametrize("assignment", COLUMNS)
@pytest.mark.parametrize(("start", "name", "split"), ROWS)
def test_the_closing_table_of_a_network_shows_what_was_measured(assignment, start, name, split):
    _, *shown = table_row(text_of(assignment), start)
    for model, cell in zip(COLUMNS[assignment], shown):
        if model is None:
            continue
        numbers = re.match(r"([\d.]+)% \(([\d.]+) to ([\d.]+)\)", cell)
        assert numbers, (model, cell)
        pairs = zip(numbers.groups(), measured(model, name, split))
        assert all(is_shown_as(a, b) for a, b in pairs), (model, cell)


@pytest.mark.parametrize("assignment", ["04_attention"])
@pytest.mark.parametrize(
    ("start", "model"),
    [
        ("mean pooling", MEAN),
        ("attention, one query", ATTENTION),
        ("keys and values", "keys and values"),
        ("three heads", "3 heads"),
        ("hierarchical attention", "hierarchical attention"),
    ],
)
def test_the_table_of_three_seeds_shows_what_was_measured(assignment, start, model):
    _, average, *seeds = table_row(text_of(assignment), f"{start} |")
    runs = results("classifiers")["reviews"][model]["runs"]
    assert len(seeds) == len(runs)
    for shown, run in zip(seeds, runs):
        assert is_shown_as(shown.rstrip("%"), 100 * run["accuracy"])
    assert is_shown_as(average.rstrip("%"), 100 * mean(run["accuracy"] for run in runs))


@pytest.mark.parametrize("assignment", ["02_word2vec"])
@pytest.mark.parametrize(
    ("start", "who"),
    [
        ("your `train_skip_gram`", "ours"),
        ("gensim's skip-gram, its", "gensim, its learning rate"),
        ("gensim's skip-gram, our", "gensim, our learning rate"),
    ],
)
def test_the_table_of_word_vectors_shows_what_was_measured(assignment, start, who):
    _, similarity, analogies, speed = table_row(text_of(assignment), start)
    runs = results("word2vec")["imdb"]["runs"][who]
    assert is_shown_as(similarity, mean(run["wordsim353"]["correlation"] for run in runs))
    right = mean(run["google-analogies"]["accuracy"] for run in runs)
    assert is_shown_as(analogies.rstrip("%"), 100 * right)
    per_second = median(run["words_per_second"] for run in runs)
    assert abs(float(speed.replace(",", "")) - per_second) <= 5_001


@pytest.mark.parametrize("assignment", ["06_bert"])
def test_what_a_notebook_says_of_its_ladder_was_measured(assignment):
    text = text_of(assignment)

    def accuracy(data: str, rung: str) -> float:
        return 100 * results(f"ladder_{data}")["rungs"][rung]["all"]["accuracy"]

    figures = "\n".join(cell.source for cell in cells_of(assignment) if cell.cell_type == "code")
    sst2 = re.search(r"the fine-tuned encoder is first with ([\d.]+)%", figures)
    imdb = re.search(r"with all labels, it is ([\d.]+)% against ([\d.]+)%", text)
    assert sst2
    assert imdb
    assert is_shown_as(sst2[1], accuracy("sst2", "encoder, fine-tuned"))
    assert is_shown_as(imdb[1], accuracy("imdb", "encoder, fine-tuned"))
    assert is_shown_as(imdb[2], accuracy("imdb", "DAN, vectors of 02"))


@pytest.mark.parametrize("assignment", ["09_translation"])
def test_what_attention_is_worth_was_measured(assignment):
    measured = results("translation")["bilingual"]["steps"]
    shown = re.findall(
        r"after ([\d,]+) steps it is worth (\d+) BLEU \(([\d.]+) without, ([\d.]+) with it\)",
        text_of(assignment),
        re.IGNORECASE,
    )
    assert [steps.replace(",", "") for steps, *_ in shown] == list(measured)
    for steps, gap, without, with_it in shown:
        models = measured[steps.replace(",", "")]
        bleu = [models[f"{word} attention"]["bleu"] for word in ("without", "with")]
        assert is_shown_as(without, bleu[0])
        assert is_shown_as(with_it, bleu[1])
        assert is_shown_as(gap, bleu[1] - bleu[0])


def printed(cell: nbformat.NotebookNode) -> str:
    """What a code cell prints."""
    outputs = cell.get("outputs", [])
    return "".join(output.text for output in outputs if output.output_type == "stream")


def quoted_neighbors(assignment: str) -> list[tuple[set[str], str]]:
    """The words that each sentence quotes as neighbors, and what is printed above it."""
    cells = nbformat.read(ROOT / f"solutions/{assignment}/{assignment}.ipynb", 4).cells
    found = []
    for above, cell in itertools.pairwise(cells):
        if above.cell_type == "code" and cell.cell_type == "markdown":
            sentences = re.split(r"(?<=[.:;?!])\s+", cell.source)
            quotes = [sentence for sentence in sentences if QUOTES_NEIGHBORS.search(sentence)]
            found += [(set(re.findall(r"`([\w'-]+)`", q)), printed(above)) for q in quotes]
    return [(words, output) for words, output in found if words]


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_words_that_a_text_quotes_as_neighbors_are_printed_above_it(assignment):
    for words, output in quoted_neighbors(assignment):
        assert words <= set(re.findall(r"[\w'-]+", output)), words


@pytest.mark.parametrize("assignment", ["02_word2vec"])
def test_the_neighbors_that_a_text_quotes_are_found(assignment):
    quoted = set().union(*(words for words, _ in quoted_neighbors(assignment)))
    assert {"gripping", "tripe", "coach", "nurse", "fined", "taxi"} <= quoted


def test_06_the_numbers_about_more_pretraining_were_measured():
    text = text_of("06_bert")
    stages = list(results("tokens_read")["stages"].values())
    scores = {
        size: [
            results("ladder_sst2")["rungs"]["encoder, random weights"][size]["accuracy"],
            *(stage["rungs"]["encoder, fine-tuned"][size]["accuracy"] for stage in stages),
        ]
        for size in ("1000", "10000")
    }
    shown = re.search(
        r"alone are worth (\d) points, and all the .* another (\d);.* about (\d)\.", text
    )
    assert shown
    (no, start, *_, end), (none, begun, *_, last) = scores["1000"], scores["10000"]
    assert is_shown_as(shown.group(1), 100 * (start - no))
    assert is_shown_as(shown.group(2), 100 * (end - start))
    assert is_shown_as(shown.group(3), 100 * (begun - none))
    assert is_shown_as(shown.group(3), 100 * (last - begun))
    losses = re.search(
        r"tokens is still ([\d.]+)\. .* falls to ([\d.]+) at 12 million and to ([\d.]+) at 72 million",
        text,
    )
    assert losses
    assert all(is_shown_as(a, stage["masked"]) for a, stage in zip(losses.groups(), stages[1:]))


def test_06_the_numbers_about_the_teacher_were_measured():
    text = text_of("06_bert")
    once, taught = (
        results("ladder_sst2")["rungs"][rung]
        for rung in ("encoder, fine-tuned", "encoder, distilled")
    )
    points = re.search(
        r"With a hundred labels of SST-2, distillation is worth (\d+) points, with a thousand (\d), and "
        r"with all of them still (\d)",
        text,
    )
    assert points
    for number, size in zip(points.groups(), ("100", "1000", "all")):
        gain = 100 * (taught[size]["accuracy"] - once[size]["accuracy"])
        assert is_shown_as(number, gain)
    assert "with 1,000 labels the student is as good as the same encoder without a teacher" in text
    assert taught["1000"]["accuracy"] > once["all"]["accuracy"] - 0.005
    before, after = once["1000"]["challenge"], taught["1000"]["challenge"]
    for kind in ("contrast", "comparison", "word_order"):
        percent = re.search(rf"`{kind}`.{{0,7}} from (\d+)% to (\d+)%", text)
        assert percent
        for number, found in zip(percent.groups(), (before, after)):
            assert is_shown_as(number, 100 * found[kind][0])
    imdb = re.search(r"with all 25,000 labels, it is ([\d.]+)% instead of ([\d.]+)%", text)
    assert imdb
    for number, rung in zip(imdb.groups(), ("encoder, distilled", "encoder, fine-tuned")):
        measured = results("ladder_imdb")["rungs"][rung]["all"]["accuracy"]
        assert is_shown_as(number, 100 * measured)
    unseen = re.search(r"gets (\d+)% of `unseen` right", text)
    assert unseen
    assert is_shown_as(unseen[1], 100 * after["unseen"][0])


def test_06_the_numbers_about_what_labels_have_to_show_were_measured():
    text = text_of("06_bert")
    rungs = results("ladder_reviews")["rungs"]
    once, taught = (rungs[f"encoder, {kind}"]["1000"] for kind in ("fine-tuned", "distilled"))
    reviews = re.search(r"all 1,000 test reviews: ([\d.]+)% instead of ([\d.]+)%", text)
    kinds = re.search(r"(\d+)% of `negation` and (\d+)% of `thwarted` right", text)
    without = re.search(r"Without a teacher, the same labels led to (\d+)% and (\d+)%", text)
    irony = re.search(r"`irony` remains, with (\d+)% after SST-2 and (\d+)% after", text)
    assert reviews
    assert kinds
    assert without
    assert irony
    sst2 = results("ladder_sst2")["rungs"]["encoder, distilled"]["1000"]["challenge"]
    for number, found in (
        *zip(reviews.groups(), (taught["accuracy"], once["accuracy"])),
        *zip(kinds.groups(), (taught["challenge"][kind][0] for kind in ("negation", "thwarted"))),
        *zip(without.groups(), (once["challenge"][kind][0] for kind in ("negation", "thwarted"))),
        *zip(irony.groups(), (sst2["irony"][0], taught["challenge"]["irony"][0])),
    ):
        assert is_shown_as(number, 100 * found)


def test_06_what_it_says_about_the_teacher_is_in_its_card_and_its_training():
    text = text_of("06_bert")
    training = json.loads(
        (ROOT / "data/pretrained/imdb-distilled/training.json").read_text("utf-8")
    )
    said = re.search(r"(\d+) million tokens of IMDb's training and unlabeled reviews", text)
    rank = re.search(r"\*\*rank\*\* (\d+): it keeps (\d+)% of the sum of squares", text)
    assert said
    assert rank
    assert int(said[1]) == round(training["tokens"] / 1e6)
    assert int(rank[1]) == training["rank"]
    assert is_shown_as(rank[2], 100 * training["kept"])
    card = " ".join((ROOT / "data/pretrained/CARD.md").read_text("utf-8").split())
    teacher = re.search(r"nothing but IMDb's labels, it gets (\d+)% and (\d+)%", text)
    assert teacher
    assert f"negation {teacher[1]}%" in card
    assert f"thwarted {teacher[2]}%" in card
    alone = re.search(r"without a teacher, our encoder gets ([\d.]+)% with 1,000 labels", text)
    assert alone
    assert f"on those of SST-2) gave 78.4%, {alone[1]}%" in card
    megabytes = re.search(r"\*\*adapter\*\* of ([\d.]+) MB", text)
    assert megabytes
    size = (ROOT / "data/pretrained/imdb-distilled/adapter_model.safetensors").stat().st_size
    assert is_shown_as(megabytes[1], size / 1e6)


@pytest.mark.parametrize("assignment", ["05_transformer_block"])
def test_what_a_text_says_of_the_ablation_was_measured(assignment):
    stored = results("ablation")
    measured = stored["neighbors"]
    text = text_of(assignment)
    triples = re.findall(r"([\d.]+)%, ([\d.]+)% and ([\d.]+)%", text[text.index("## 7.") :])
    runs = [
        [f"{100 * right:.1f}" for right in seeds]
        for variants in (*measured.values(), *stored["longer"].values())
        for seeds in variants.values()
    ]
    assert len(triples) >= 11
    assert all(list(triple) in runs for triple in triples)
    ranges = re.findall(r"([\d.]+)% to ([\d.]+)% with (two|one)", text)
    assert [words for *_, words in ranges] == ["two", "one"]
    for low, high, words in ranges:
        seeds = measured[{"two": "2", "one": "1"}[words]]["no positions"]
        assert [low, high] == [f"{100 * extreme(seeds):.1f}" for extreme in (min, max)]


def test_05_what_can_be_guessed_without_order_is_the_most_frequent_other_digit():
    most_often = 1.0  # how often the most frequent of seven random digits occurs, in the mean
    for most in range(1, 7):
        ways = [1.0, *[0.0] * 7]  # to draw n digits, none more than `most` times, over n!
        for _ in range(10):
            ways = [
                sum(ways[n - k] / factorial(k) for k in range(min(most, n) + 1)) for n in range(8)
            ]
        most_often += 1 - ways[7] * factorial(7) / 10**7
    (shown,) = re.findall(
        r"which is right in ([\d.]+)% of all cases", text_of("05_transformer_block")
    )
    assert is_shown_as(shown, 100 * most_often / 7)
