"""Assignment 14: the orthogonal map is that of scipy, noise stays local, numbers were measured."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
import torch
from scipy.linalg import orthogonal_procrustes

from autograder.course.reference import Solution, read
from coursekit import load, load_results

NOTEBOOK = Path(__file__).parents[3] / (
    "solutions/14_unsupervised_translation/14_unsupervised_translation.ipynb"
)


def notebook(name: str):
    return Solution(NOTEBOOK).definitions[name]


@pytest.mark.parametrize("seed", range(5))
def test_14_the_orthogonal_map_is_that_of_scipy(seed):
    draw = torch.Generator().manual_seed(seed)
    X, Y = (torch.randn(20, 5, generator=draw, dtype=torch.float64) for _ in range(2))
    expected, _ = orthogonal_procrustes(X.numpy(), Y.numpy())
    torch.testing.assert_close(notebook("procrustes")(X, Y), torch.from_numpy(expected))


@pytest.mark.parametrize("k", [0, 1, 3])
def test_14_noise_moves_no_word_further_than_k(k):
    draw = torch.Generator().manual_seed(k)
    farthest = 0
    for _ in range(100):
        noisy = notebook("add_noise")(list(range(15)), 0.0, k, draw)
        farthest = max([farthest, *(abs(i - word) for i, word in enumerate(noisy))])
    assert farthest == k


def test_14_the_two_texts_have_no_sentence_and_its_translation():
    scope = {"load": load}
    (cell,) = [c for c in read(NOTEBOOK).cells if c.source.startswith("DATA =")]
    exec(cell.source, scope)  # our own notebook
    english, french = ({" ".join(s) for s in scope["text"][key]} for key in ("en", "fr"))
    train = load("bilingual", "train")
    pairs = zip(train.sources, train.targets, strict=True)
    assert [pair for pair in pairs if pair[0] in english and pair[1] in french] == []
    assert min(len(english), len(french)) > 10_000


def test_14_a_translator_that_exchanges_words_consistently_makes_a_perfect_round_trip():
    exchange = {10: 11, 11: 10}

    def translate(sentences, language):
        return [[exchange.get(i, i) for i in ids] for ids in sentences]

    sentences = {2: [[9, 10, 11, 12, 13]], 3: [[10, 12, 11, 9, 8]]}
    assert notebook("round_trip_bleu")(translate, sentences) == pytest.approx(100)


def test_14_the_numbers_of_the_text_were_measured():
    cells = nbformat.read(NOTEBOOK, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    measured = load_results("unsupervised_translation")["bilingual"]
    runs = {name: run["test"] for name, run in measured["runs"].items()}
    for name, pattern in (
        ("300 words", r"([\d.]+) BLEU into French and ([\d.]+) into English"),
        ("all words", r"the same model reaches ([\d.]+) and ([\d.]+)\."),
    ):
        shown = re.search(pattern, text)
        assert shown, pattern
        assert shown.groups() == tuple(f"{bleu:.1f}" for bleu in runs[name])
    shown = re.search(r"directions is ([\d.]+) without pairs and ([\d.]+) with 1,000", text)
    assert shown
    means = (sum(runs["300 words"]) / 2, sum(measured["pairs"]["1000"]["test"]) / 2)
    assert shown.groups() == tuple(f"{bleu:.1f}" for bleu in means)


def test_14_the_curves_of_the_text_were_measured():
    cells = nbformat.read(NOTEBOOK, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    measured = load_results("unsupervised_translation")["bilingual"]
    curve = measured["runs"]["300 words"]["curve"]
    trip = {int(step): row["score"] for step, row in curve.items()}
    bleu = {int(step): sum(row["validation"]) / 2 for step, row in curve.items()}
    shown = re.search(r"it falls by ([\d.]+), while BLEU jumps by (\d+)", text)
    assert shown
    assert shown.groups() == (f"{trip[200] - trip[300]:.1f}", f"{bleu[300] - bleu[200]:.0f}")
    assert trip[600] < trip[500]
    assert bleu[600] > bleu[500]
    assert max(trip, key=trip.__getitem__) == max(trip)  # it chooses the last step
    most = measured["pairs"]["10000"]["curve"]
    gained = re.search(r"still gained ([\d.]+) BLEU", text)
    assert gained
    assert gained.group(1) == f"{most['400']['score'] - most['300']['score']:.1f}"


def test_14_the_numbers_about_real_sentences_were_measured():
    cells = nbformat.read(NOTEBOOK, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    runs = load_results("unsupervised_translation")["tatoeba"]["runs"]
    short, long = runs["600 steps"], runs["2400 steps"]
    leads = re.search(r"is (\d) BLEU above .* into French, and (\d) into English", text)
    before = re.search(r"the lead was only (\d) and (\d) BLEU", text)
    for shown, run in ((leads, long), (before, short)):
        assert shown
        lead = (found - word for found, word in zip(run["test"], run["word_by_word"]))
        assert shown.groups() == tuple(f"{points:.0f}" for points in lead)
    ends = [run["curve"][str(run["step"])] for run in (short, long)]
    trips = re.search(r"short run it is ([\d.]+), at the end of the long one ([\d.]+)", text)
    assert trips
    assert trips.groups() == tuple(f"{end['score']:.1f}" for end in ends)
    bleus = re.search(r"([\d.]+) and ([\d.]+) after the short run, is ([\d.]+) and ([\d.]+)", text)
    assert bleus
    assert bleus.groups() == tuple(f"{bleu:.1f}" for end in ends for bleu in end["validation"])
