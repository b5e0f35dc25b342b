"""Evaluates word vectors that gensim's skip-gram learns from the generated text `almanac`.

Writes `data/results/almanac.json`: analogies by section, similarity, and the accuracy of a
classifier that uses the vectors on the challenge set, in particular on words that do not occur in
`reviews`. gensim is not a dependency of the course: run `pip install gensim` first.

    python benchmarks/almanac.py
"""

from __future__ import annotations

import re
import sys

import numpy as np
from _results import write
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression

from coursekit import load
from coursekit.evaluation import accuracy_by

SETTINGS = {"vector_size": 100, "window": 5, "sg": 1, "negative": 5, "epochs": 5, "min_count": 5}


def words(text: str) -> list[str]:
    """The lower-case words of a text, without punctuation."""
    return re.findall(r"[a-z0-9']+", text.lower())


def mean_vector(vectors, text: str) -> np.ndarray:
    """The mean of the text's known words, (100,); zeros if none is known."""
    known = [vectors[word] for word in words(text) if word in vectors]
    return np.mean(known, axis=0) if known else np.zeros(SETTINGS["vector_size"])


def main() -> None:
    try:
        from gensim.models import Word2Vec
    except ImportError:
        sys.exit("benchmarks/almanac.py needs gensim; install it with: pip install gensim")
    texts = [words(text) for text in load("almanac").texts]
    vectors = Word2Vec(texts, workers=2, seed=1, sample=1e-3, **SETTINGS).wv
    questions = load("almanac-analogies")
    sections = {}
    for name, group in questions.sections.items():
        right = sum(
            vectors.most_similar(positive=[b, c], negative=[a], topn=1)[0][0] == d
            for a, b, c, d in group
        )
        sections[name] = {"n": len(group), "accuracy": right / len(group)}
    total = sum(s["n"] * s["accuracy"] for s in sections.values())
    pairs = load("almanac-similarity")
    cosines = [vectors.similarity(one, other) for one, other, _ in pairs]
    train, challenge = load("reviews", "train"), load("reviews", "challenge")
    bags = np.array([mean_vector(vectors, text) for text in train.texts])
    center, spread = bags.mean(axis=0), bags.std(axis=0)
    model = LogisticRegression(max_iter=2000).fit((bags - center) / spread, train.labels)
    hard = np.array([mean_vector(vectors, text) for text in challenge.texts])
    predicted = model.predict((hard - center) / spread)
    groups = accuracy_by(challenge.phenomena, predicted, challenge.labels)
    write(
        "almanac",
        {
            "settings": SETTINGS,
            "texts": len(texts),
            "words": sum(map(len, texts)),
            "analogies": total / sum(s["n"] for s in sections.values()),
            "analogies_by_section": sections,
            "king - man + woman": vectors.most_similar(["king", "woman"], ["man"], topn=3)[0][0],
            "similarity_spearman": float(spearmanr(cosines, [p.score for p in pairs])[0]),
            "mean_vectors_on_challenge": {g.name: g.accuracy for g in groups},
        },
    )


if __name__ == "__main__":
    main()
