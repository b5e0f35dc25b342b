"""What assignment 10 computes is what others compute, and what it quotes was measured."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from autograder.course.reference import Solution
from coursekit import load_pretrained

ROOT = Path(__file__).parents[3]
PATH = ROOT / "solutions/10_contextual_vectors/10_contextual_vectors.ipynb"


@pytest.fixture(scope="module")
def notebook():
    return Solution(PATH).definitions


def test_10_the_given_bert_is_that_of_transformers(notebook):
    from transformers import BertModel

    bert = notebook["Bert"]()
    words = ["the", "bank", "lends", "money", "."]
    ids, first = bert.encode(words)
    theirs = BertModel.from_pretrained(
        ROOT / "data/pretrained/imdb", dtype=torch.float32, attn_implementation="eager"
    ).eval()
    with torch.no_grad():
        states = theirs(torch.tensor([ids]), output_hidden_states=True).hidden_states
    ours = bert.layers([words, ["a"]])[0]
    assert torch.allclose(torch.stack(states)[:, 0, first], ours, atol=1e-5)
    assert load_pretrained("imdb").index["[MASK]"] == bert.encode(["[MASK]"])[0][1]


def test_10_a_sentence_has_the_same_layers_alone_and_beside_a_longer_one(notebook):
    sentences = [
        ["The", "bank", "lends", "money", "."],
        ["I", "am", "here", ",", "I", "think", "."],
    ]
    for make in ("Reader", "Bert", "Translator"):
        reader = notebook[make]()
        alone, together = reader.layers(sentences[:1])[0], reader.layers(sentences)[0]
        assert torch.allclose(alone, together, atol=1e-5)
        assert alone.shape[1] == 5


def test_10_no_forward_state_has_read_what_follows_and_no_backward_state_what_precedes(notebook):
    reader = notebook["Reader"]()
    one, other = reader.layers(
        [["We", "sat", "on", "the", "bank"], ["We", "sat", "by", "the", "bank"]]
    )
    dim = one.shape[-1] // 2
    assert torch.allclose(one[1:, :2, :dim], other[1:, :2, :dim], atol=1e-6)
    assert torch.allclose(one[1:, 3:, dim:], other[1:, 3:, dim:], atol=1e-6)
    assert not torch.allclose(one[1:, 3:, :dim], other[1:, 3:, :dim], atol=1e-2)


def test_10_k_means_is_that_of_scikit_learn_on_the_sphere(notebook):
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 10))
    X = torch.from_numpy(
        centers[rng.integers(0, 3, size=60)] + 0.2 * rng.normal(size=(60, 10))
    ).float()
    clusters, _ = notebook["spherical_k_means"](X, X[:3], 20)
    unit = torch.nn.functional.normalize(X, dim=1).numpy()
    theirs = KMeans(3, n_init=10, random_state=0).fit(unit).labels_
    ours = notebook["paired_f1"](clusters, torch.from_numpy(theirs).long())
    assert ours == 1.0


def test_10_the_numbers_that_the_text_quotes_were_measured():
    measured = json.loads((ROOT / "data/results/contextual_vectors.json").read_text("utf-8"))
    cells = nbformat.read(PATH, 4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    means = {name: sum(row["runs"]) / len(row["runs"]) for name, row in measured["senses"].items()}
    names = ("BERT 3", "biLM 1", "biLM 2", "biLM before, after", "mean of the context")
    for name in names:
        assert f"{means[name]:.1%}" in text
    assert max(means, key=means.__getitem__) == "BERT 3"
    others = {("tags", name) for name in ("word vectors", "biLM 1", "biLM 2", "BERT 0", "BERT 1")}
    others |= {("tags", name) for name in ("BERT 2", "BERT 3", "BERT mix", "CoVe")}
    others |= {("control", "BERT 0"), ("control", "BERT 3")}
    rows = [measured[task][name] for task, name in others] + list(
        measured["tagger"]["300"].values()
    )
    for row in rows:
        assert f"{sum(row['runs']) / len(row['runs']):.1%}" in text
