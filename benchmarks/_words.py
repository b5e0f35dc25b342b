"""Training text and evaluation of word vectors, shared by `word2vec.py` and `vectors.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import torch
from scipy.stats import spearmanr

from autograder.course.reference import Solution
from coursekit import WordVectors, load, tokenize
from coursekit.evaluation import wilson_interval

NOTEBOOK = Path(__file__).parent.parent / "solutions/02_word2vec/02_word2vec.ipynb"
#: The training texts, without IMDb's test reviews, on which classifiers are evaluated.
SPLITS = {"almanac": ["train"], "imdb": ["train", "unlabelled"]}
ASKED = {
    "almanac": (["almanac-similarity"], "almanac-analogies"),
    "imdb": (["wordsim353", "simlex999"], "google-analogies"),
}


def notebook() -> dict[str, Any]:
    """The reference functions and settings of 02_word2vec."""
    return Solution(NOTEBOOK).definitions


def sentences(name: str) -> list[list[str]]:
    """The texts of a data set as lists of lower-case words, without punctuation."""
    known: dict[str, str] = {}  # one string object per word: 23 million would need gigabytes
    texts = [text for split in SPLITS[name] for text in load(name, split).texts]
    return [
        [known.setdefault(t, t) for t in tokenize(text) if any(map(str.isalnum, t))]
        for text in texts
    ]


def numbered(
    texts: list[list[str]], min_count: int
) -> tuple[list[str], list[list[int]], torch.Tensor]:
    """The words that occur at least `min_count` times, the texts as word ids, and the counts."""
    frequency = Counter(word for text in texts for word in text)
    frequent = [word for word, count in frequency.items() if count >= min_count]
    words = sorted(frequent, key=lambda word: (-frequency[word], word))
    index = {word: number for number, word in enumerate(words)}
    ids = [[index[word] for word in text if word in index] for text in texts]
    return words, ids, torch.tensor([frequency[word] for word in words])


def judged(name: str, vectors: WordVectors) -> dict[str, Any]:
    """Similarity (Spearman's correlation) and analogies (accuracy, 95% interval)."""
    unit = torch.nn.functional.normalize(vectors.matrix, dim=1)
    pairs_sets, questions_set = ASKED[name]
    result: dict[str, Any] = {}
    for pairs_set in pairs_sets:
        pairs = [(a.lower(), b.lower(), score) for a, b, score in load(pairs_set)]
        known = [(a, b, score) for a, b, score in pairs if a in vectors and b in vectors]
        cosines = [float(unit[vectors.index[a]] @ unit[vectors.index[b]]) for a, b, _ in known]
        correlation = spearmanr(cosines, [score for *_, score in known])[0]
        result[pairs_set] = {"correlation": float(correlation), "pairs": len(known)}
    sections = load(questions_set).sections.values()
    asked = [[word.lower() for word in question] for part in sections for question in part]
    asked = [question for question in asked if all(word in vectors for word in question)]
    rows = torch.tensor([[vectors.index[word] for word in question] for question in asked])
    right = 0
    for a, b, c, d in (part.T for part in rows.split(500)):
        cosines = (unit[b] - unit[a] + unit[c]) @ unit.T
        cosines.scatter_(1, torch.stack([a, b, c], dim=1), -torch.inf)
        right += int((cosines.argmax(dim=1) == d).sum())
    low, high = wilson_interval(right, len(asked))
    result[questions_set] = {
        "accuracy": right / len(asked),
        "low": low,
        "high": high,
        "questions": len(asked),
    }
    return result
