"""The references of 07_language_models agree with definitions written out and with PyTorch."""

import itertools
import math
import random
from pathlib import Path

import pytest
import torch
from torch import nn

from autograder.course.reference import Solution

NOTEBOOK = Path(__file__).parents[3] / "solutions/07_language_models/07_language_models.ipynb"
WORDS = ["a", "b", "c", "d"]
D = 0.75


@pytest.fixture(scope="module")
def notebook():
    return Solution(NOTEBOOK).definitions


@pytest.fixture(scope="module")
def sentences():
    drawn = random.Random(0)
    return [drawn.choices(WORDS, [6, 3, 2, 1], k=drawn.randint(1, 6)) for _ in range(40)]


def by_definition(sentences, n, n_words, word, context):
    """Kneser-Ney, each count taken anew from the list of all n-grams."""
    padded = [["<s>"] * (n - 1) + s + ["</s>"] for s in sentences]
    grams = [tuple(p[i - n + 1 : i + 1]) for p in padded for i in range(n - 1, len(p))]

    def count(gram):
        if len(gram) == n:
            return grams.count(gram)
        longer = {g[n - len(gram) - 1 :] for g in grams}
        return sum(g[1:] == gram for g in longer)

    def probability(context):
        lower = probability(context[1:]) if context else 1 / n_words
        counts = {w: count((*context, w)) for w in {g[-1] for g in grams}}
        total = sum(counts.values())
        if total == 0:
            return lower
        types = sum(c > 0 for c in counts.values())
        return max(counts.get(word, 0) - D, 0) / total + D * types / total * lower

    return probability(context)


@pytest.mark.parametrize("n", [1, 2, 3], ids="07 with n = {}".format)
def test_kneser_ney_follows_its_definition_and_sums_to_one(notebook, sentences, n):
    words = [*WORDS, "</s>", "never"]
    model = notebook["KneserNey"](sentences, n, len(words))
    for context in itertools.islice(itertools.product(["<s>", *WORDS, "never"], repeat=n - 1), 12):
        found = [model.probability(word, context) for word in words]
        assert math.isclose(sum(found), 1, rel_tol=1e-9)
        expected = [by_definition(sentences, n, len(words), word, context) for word in words]
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"], ids="07 {}".format)
def test_the_cells_are_those_of_pytorch(notebook, kind):
    torch.manual_seed(0)
    cell = {"RNN": "ElmanCell", "GRU": "GRUCell", "LSTM": "LSTMCell"}[kind]
    cell, network = notebook[cell](5, 4), getattr(nn, kind)(5, 4, batch_first=True)
    own = cell.state_dict()
    weights = {"weight_ih_l0": own["W.weight"], "weight_hh_l0": own["U.weight"]}
    weights |= {"bias_ih_l0": own["W.bias"], "bias_hh_l0": own.get("U.bias", torch.zeros(4))}
    network.load_state_dict(weights)
    X, zeros = torch.randn(3, 9, 5), torch.zeros(3, 4)
    H, _ = notebook["unroll"](cell, X, (zeros, zeros) if kind == "LSTM" else zeros)
    torch.testing.assert_close(H, network(X)[0], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("name", "n_words"), [("austen", 8000), ("tatoeba", 2000)])
def test_the_networks_of_07_that_ship_fit_the_class_of_the_notebook(notebook, name, n_words):
    writer, vocabulary = notebook["load_writer"](name)
    assert len(vocabulary) == len(writer.bias) == n_words
    assert notebook["STOP"] in vocabulary
    logits, _ = writer(torch.tensor([vocabulary.encode(["i", "am", "very", "much"])]))
    assert logits.isfinite().all()
