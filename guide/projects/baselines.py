"""The baselines of the six projects: `python guide/projects/baselines.py NAME ...`, or all of them.

Needs `coursekit` and its dependencies alone, and the data sets of the project, which are downloaded
or taken from COURSEKIT_MIRROR. `--json` stores what was measured beside this file, for the briefs.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB

from coursekit import load, load_vectors, tokenize
from coursekit.evaluation import wilson_interval

RESULTS = Path(__file__).with_suffix(".json")
SEEDS = range(5)


def percent(correct: int, n: int) -> str:
    """Accuracy with its 95% interval."""
    low, high = wilson_interval(correct, n)
    return f"{correct / n:.1%} ({low:.1%} to {high:.1%})"


def few_labels() -> dict[str, str]:
    """Naive Bayes on words and word pairs: SST-2 with 100 and 1,000 labels, five draws."""
    train, test = load("sst2", "train"), load("sst2", "validation")
    found = {}
    for n in (100, 1000):
        shares = []
        for seed in SEEDS:
            some = train.subset(n, seed)
            counts = CountVectorizer(tokenizer=tokenize, token_pattern=None, ngram_range=(1, 2))
            model = BernoulliNB().fit(counts.fit_transform(some.texts), some.labels)
            shares.append(model.score(counts.transform(test.texts), test.labels))
        mean, low, high = np.mean(shares), min(shares), max(shares)
        found[f"{n} labels"] = f"{mean:.1%} (five draws: {low:.1%} to {high:.1%})"
    return found


def question_types() -> dict[str, str]:
    """Logistic regression on words and word pairs: the six types of TREC's questions."""
    train, test = load("trec", "train"), load("trec", "test")
    counts = CountVectorizer(
        tokenizer=tokenize, token_pattern=None, ngram_range=(1, 2), binary=True
    )
    model = LogisticRegression(max_iter=2000, C=10).fit(
        counts.fit_transform(train.texts), train.labels
    )
    right = (model.predict(counts.transform(test.texts)) == np.array(test.labels)).sum()
    first = Counter(train.labels).most_common(1)[0][0]
    common = sum(label == first for label in test.labels)
    return {
        "most frequent type": percent(common, len(test)),
        "words and word pairs": percent(int(right), len(test)),
    }


def relatedness() -> dict[str, str]:
    """The cosine of two means of word vectors: Pearson's r with people's scores on SICK."""
    vectors, test = load_vectors("imdb"), load("sick", "test")

    def mean(text: str) -> np.ndarray:
        rows = [vectors[word].numpy() for word in tokenize(text) if word in vectors]
        return np.mean(rows, axis=0) if rows else np.zeros(100)

    def overlap(one: str, other: str) -> float:
        a, b = set(tokenize(one)), set(tokenize(other))
        return len(a & b) / len(a | b)

    cosines, overlaps, scores = [], [], []
    for one, other, score in test:
        a, b = mean(one), mean(other)
        cosines.append(a @ b / max(1e-9, float(np.linalg.norm(a) * np.linalg.norm(b))))
        overlaps.append(overlap(one, other))
        scores.append(score)
    return {
        "shared words": f"r = {np.corrcoef(overlaps, scores)[0, 1]:.3f}",
        "cosine of means": f"r = {np.corrcoef(cosines, scores)[0, 1]:.3f}",
    }


def tagged(split: str) -> list[tuple[str, str]]:
    """The words of the treebank, in lower case, with their tags: `word/TAG/-` in its texts."""
    tokens = [token.rsplit("/", 2) for text in load("english-ewt", split) for token in text.split()]
    return [(word.lower(), tag) for word, tag, _ in tokens]


def tags() -> dict[str, str]:
    """The most frequent tag of each word: parts of speech in the English Web Treebank."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in tagged("train"):
        counts[word][tag] += 1
    by_word = {word: found.most_common(1)[0][0] for word, found in counts.items()}
    every = tagged("test")
    unseen = [(word, tag) for word, tag in every if word not in by_word]
    return {
        "all words": percent(sum(by_word.get(w, "PROPN") == t for w, t in every), len(every)),
        "unseen words": percent(sum(t == "PROPN" for _, t in unseen), len(unseen)),
    }


def translation() -> dict[str, str]:
    """IBM model 1 and its best word for each word: captions, English to French, in chrF and BLEU."""
    try:
        import sacrebleu
    except ImportError:
        sys.exit("translation needs sacrebleu: pip install sacrebleu")
    train, test = load("multi30k", "train"), load("multi30k", "test")
    pairs = [(tokenize(one), tokenize(other)) for one, other, _ in train]
    t: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(5):
        count: dict[tuple[str, str], float] = defaultdict(float)
        total: dict[str, float] = defaultdict(float)
        for source, target in pairs:
            for f in target:
                sums = sum(t[e, f] for e in source)
                for e in source:
                    share = t[e, f] / sums
                    count[e, f] += share
                    total[e] += share
        t = defaultdict(float, {pair: n / total[pair[0]] for pair, n in count.items()})
    best: dict[str, tuple[float, str]] = {}
    for (e, f), p in t.items():
        best[e] = max(best.get(e, (0.0, "")), (p, f))
    made = [
        " ".join(best.get(word, (0, word))[1] for word in tokenize(one)) for one in test.sources
    ]
    right = [" ".join(tokenize(other)) for other in test.targets]
    bleu = sacrebleu.corpus_bleu(made, [right], tokenize="none", force=True).score
    chrf = sacrebleu.corpus_chrf(made, [right]).score
    return {"word by word": f"BLEU {bleu:.1f}, chrF {chrf:.1f}"}


def writing() -> dict[str, str]:
    """Interpolated trigrams with fixed weights: perplexity on *Northanger Abbey*."""
    train = [["<s>", "<s>", *tokenize(text), "</s>"] for text in load("austen-fiction", "train")]
    words = Counter(word for sentence in train for word in sentence[2:])
    known = {word for word, _ in words.most_common(8000)}

    def closed(sentence: list[str]) -> list[str]:
        return [word if word in known or word == "<s>" else "<unk>" for word in sentence]

    counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(3)]
    contexts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(3)]
    for sentence in map(closed, train):
        for i in range(2, len(sentence)):
            for n in range(3):
                gram = tuple(sentence[i - n : i + 1])
                counts[n][gram] += 1
                contexts[n][gram[:-1]] += 1

    def p(gram: tuple[str, ...]) -> float:
        value = 0.05 / (len(known) + 1)
        for n, weight in enumerate((0.25, 0.4, 0.3)):
            part = gram[2 - n :]
            value += weight * counts[n][part] / max(1, contexts[n][part[:-1]])
        return value

    total, n_tokens = 0.0, 0
    for text in load("austen-fiction", "test"):
        sentence = closed(["<s>", "<s>", *tokenize(text), "</s>"])
        for i in range(2, len(sentence)):
            total -= math.log(p(tuple(sentence[i - 2 : i + 1])))
            n_tokens += 1
    return {"interpolated trigrams": f"perplexity {math.exp(total / n_tokens):.1f}"}


BASELINES: dict[str, Callable[[], dict[str, str]]] = {
    "few-labels": few_labels,
    "question-types": question_types,
    "relatedness": relatedness,
    "tags": tags,
    "translation": translation,
    "writing": writing,
}


def main(arguments: list[str]) -> None:
    """Measure the baselines that are named, or all."""
    names = [name for name in arguments if not name.startswith("-")] or list(BASELINES)
    if unknown := [name for name in names if name not in BASELINES]:
        sys.exit(f"there is no project called {unknown[0]}; choose {', '.join(BASELINES)}.")
    stored = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name in names:
        start = time.perf_counter()
        stored[name] = BASELINES[name]()
        for what, value in stored[name].items():
            print(f"{name}: {what}: {value}")
        print(f"{name}: {time.perf_counter() - start:.0f} s")
    if "--json" in arguments:
        RESULTS.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
