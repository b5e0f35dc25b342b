"""Trains every model of the course on one data set, from guessing to a fine-tuned encoder.

    make ladder DATA=sst2
    python benchmarks/ladder.py --data sst2 --rungs DAN "encoder, frozen" --sizes 1000 all

Each model ("rung") is trained on 100, 1,000, 10,000 and all labels of `train`, three times, with
three seeds. A subset of the labels is balanced, depends on the seed, and is the same for all rungs.
Models without randomness (majority, naive Bayes, logistic regression) are trained on all labels
only once. All are evaluated on the same texts (reviews and IMDb: test; SST-2: GLUE's 872 validation
sentences) and on the phenomena of the challenge set.

Models and settings are those of the solution notebooks, with two rules for few labels: the number
of epochs is raised to reach 250 optimizer steps, and a minimum count of c among all N texts becomes
max(1, c n // N) among n texts. The networks of 03 select the best epoch on a validation set, as in
their notebook, only when they are trained on all labels. The encoders of 08 read the vectors of
IMDb, frozen; on SST-2 and IMDb they have the settings of the Treebank. "encoder, distilled" starts
from an encoder whose teacher was fine-tuned on all of IMDb's labels (`pretraining/distill.py`): on IMDb
itself it is trained on all labels only. The bags of words, of the course's tokens, go to scikit-learn's
naive Bayes and logistic regression with default settings: additive smoothing of 1, and C = 1.

Every finished run is saved at once in `data/results/ladder_NAME.json` and is not repeated, so an
interrupted command resumes where it stopped; `--again` retrains. Runs on all labels that
`benchmarks/classifiers.py` has measured are copied from its results and marked with "from".
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from _networks import (
    DISTILLED,
    IMDB_VECTORS,
    JUDGED_ON,
    KINDS,
    NOTEBOOKS,
    fewer,
    learned_from,
    texts_of,
    train,
)
from _results import results, store
from tqdm import tqdm

from autograder.errors import CourseError
from coursekit import predict, tokenize
from coursekit.data import DataError, TextDataset
from coursekit.evaluation import accuracy_by, score, wilson_interval

BAGS = ("binary", "count", "tf-idf")
ONCE = [
    "majority",
    *(f"naive Bayes, {bag}" for bag in BAGS),
    *(f"logistic regression, {bag}" for bag in BAGS),
]
NO_RUNGS = ("mean of random vectors", IMDB_VECTORS, *KINDS)
RUNGS = [*ONCE, *(name for name in NOTEBOOKS if name not in NO_RUNGS)]
SIZES = ("100", "1000", "10000", "all")
MIN_COUNT = {"reviews": 2, "sst2": 3, "imdb": 10}  # as in 01


class LadderError(ValueError):
    """An invalid data set, rung, size or number of seeds; the message lists the valid ones."""


class Run(NamedTuple):
    """One training run: the model, the number of labels and the seed."""

    rung: str
    size: str
    seed: int


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog=f"The rungs: {'; '.join(RUNGS)}.",
    )
    parser.add_argument("--data", default="reviews", help=f"{', '.join(JUDGED_ON)}")
    parser.add_argument("--rungs", nargs="+", default=RUNGS, help="names or prefixes of names")
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="numbers of labels, or 'all'")
    parser.add_argument("--seeds", type=int, default=3, help="seeds per rung and size (default 3)")
    parser.add_argument(
        "--threads", type=int, default=1, help="number of torch threads (default 1)"
    )
    parser.add_argument("--again", action="store_true", help="retrain finished runs")
    options = parser.parse_args(arguments)
    torch.set_num_threads(max(1, options.threads))
    try:
        climb(options)
    except KeyboardInterrupt:
        sys.exit("\nStopped; finished runs are saved. Run the same command again to resume.")
    except (DataError, CourseError, LadderError) as error:
        sys.exit(str(error))


def climb(options: argparse.Namespace) -> None:
    """Train the requested runs that are not finished yet, one after another."""
    data = options.data
    if data not in JUDGED_ON:
        raise LadderError(f"There is no data set {data!r}; choose from {', '.join(JUDGED_ON)}.")
    name = f"ladder_{data}"
    requested = plan(data, rungs_of(options.rungs), options.sizes, options.seeds)
    found = {} if options.again else finished(results(name))
    todo = [run for run in requested if run not in found]
    if not todo:
        print("All these runs are finished; --again retrains them.")
    bar = tqdm(todo, unit="model")
    for run in bar:
        bar.set_description(f"{run.rung}, {run.size} labels, seed {run.seed}")
        measured = (None if options.again else from_classifiers(data, run)) or measure(data, run)
        # read again: another process may have written in the meantime
        runs = {**finished(results(name)), run: measured}
        store(name, summary(data, runs))
    print(table(results(name)))


def rungs_of(prefixes: Sequence[str]) -> list[str]:
    """The rungs with the given names or prefixes, in the order of the ladder."""
    for prefix in prefixes:
        if not any(rung.startswith(prefix) for rung in RUNGS):
            raise LadderError(f"There is no rung {prefix!r}; choose from {'; '.join(RUNGS)}.")
    return [rung for rung in RUNGS if rung.startswith(tuple(prefixes))]


def plan(data: str, rungs: Sequence[str], sizes: Sequence[str], seeds: int) -> list[Run]:
    """The requested runs; sizes that are not smaller than the data set are dropped."""
    if seeds < 1:
        raise LadderError(f"--seeds must be 1 or more, but is {seeds}.")
    for size in sizes:
        if size != "all" and (not size.isdigit() or int(size) < 2):
            raise LadderError(
                f"A size must be a number of labels, at least 2, or 'all', but is {size!r}."
            )
    available = len(texts_of(data, "train"))
    kept = [size for size in sizes if size == "all" or int(size) < available]
    return [
        Run(rung, size, seed)
        for rung in rungs
        for size in kept
        if (data, rung) != ("imdb", DISTILLED) or size == "all"
        for seed in range(1 if rung in ONCE and size == "all" else seeds)
    ]


def measure(data: str, run: Run) -> dict[str, Any]:
    """Train one model and evaluate it."""
    judged, challenge = texts_of(data, JUDGED_ON[data]), texts_of("reviews", "challenge")
    decide, facts = learn(data, run)
    right = score(run.rung, decide(judged), judged.labels)
    kinds = accuracy_by(challenge.phenomena, decide(challenge), challenge.labels)
    return {
        "seed": run.seed,
        "accuracy": right.accuracy,
        "correct": right.correct,
        **facts,
        "threads": torch.get_num_threads(),
        "challenge": {kind.name: kind.accuracy for kind in kinds},
    }


def learn(data: str, run: Run) -> tuple[Callable[[TextDataset], Any], dict[str, Any]]:
    """Train one model: what decides about texts, and its sizes and training time."""
    size = None if run.size == "all" else int(run.size)
    if run.rung in ONCE:
        return _bag(run, data, size)
    trained = train(run.rung, data, run.seed, size)
    facts = trained._asdict()
    model, fed = facts.pop("model"), facts.pop("fed")
    return lambda texts: predict(model, fed(texts)) > 0, facts


def _bag(run: Run, data: str, size: int | None) -> tuple[Any, dict[str, Any]]:
    """Train a majority, naive Bayes or logistic regression model: its predictor, and facts."""
    from sklearn.dummy import DummyClassifier
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    learned = learned_from(data, size, run.seed)
    name, _, bag = run.rung.partition(", ")
    counting = CountVectorizer(
        analyzer=tokenize,
        binary=bag == "binary",
        min_df=fewer(MIN_COUNT[data], data, learned),
    )
    model = {
        "majority": DummyClassifier(),
        "naive Bayes": MultinomialNB(),
        "logistic regression": LogisticRegression(max_iter=3000),
    }[name]
    weighing = [TfidfTransformer()] if bag == "tf-idf" else []
    start = time.perf_counter(), time.process_time()
    X = counting.fit_transform(learned.texts)
    whole = make_pipeline(*weighing, model).fit(X.astype(float), learned.labels)
    words = X.shape[1]
    facts = {
        "words": words,
        # a weight per word and a bias; naive Bayes is a linear classifier, too
        "parameters": 1 if name == "majority" else words + 1,
        "seconds": time.perf_counter() - start[0],
        "processor_seconds": time.process_time() - start[1],
    }
    facts["trained_parameters"] = facts["parameters"]
    return lambda texts: whole.predict(counting.transform(texts.texts).astype(float)), facts


def from_classifiers(data: str, run: Run) -> dict[str, Any] | None:
    """The same run in the results of benchmarks/classifiers.py, if there is one."""
    measured = results("classifiers").get(data, {}).get(run.rung)
    if run.size != "all" or not measured:
        return None
    kept = ("seed", "accuracy", "correct", "seconds", "processor_seconds", "challenge")
    for other in measured["runs"]:
        if other["seed"] == run.seed:
            return {
                **{key: other[key] for key in kept if key in other},
                "words": measured["words"],
                "parameters": measured["parameters"],
                "trained_parameters": measured["parameters"],
                "from": "classifiers",
            }
    return None


def finished(ladder: dict[str, Any]) -> dict[Run, dict[str, Any]]:
    """The runs in a results file."""
    return {
        Run(rung, size, run["seed"]): run
        for rung, sizes in ladder.get("rungs", {}).items()
        for size, found in sizes.items()
        for run in found["runs"]
    }


def summary(data: str, runs: dict[Run, dict[str, Any]]) -> dict[str, Any]:
    """All runs, and for each rung and size the mean over the seeds with its 95% interval."""
    n = len(texts_of(data, JUDGED_ON[data]))
    kinds = Counter(texts_of("reviews", "challenge").phenomena)
    rungs: dict[str, Any] = {}
    keys = {(run.rung, run.size) for run in runs}
    order = sorted(keys, key=lambda p: (RUNGS.index(p[0]), p[1] == "all", len(p[1]), p[1]))
    for rung, size in order:
        here = [runs[run] for run in sorted(runs) if (run.rung, run.size) == (rung, size)]
        found: dict[str, Any] = {
            "labels": len(texts_of(data, "train")) if size == "all" else int(size),
            **interval([run["accuracy"] for run in here], n),
        }
        for key in ("words", "parameters", "trained_parameters", "seconds", "processor_seconds"):
            values = [run[key] for run in here if key in run]
            if values:
                found[key] = statistics.median(values)
        if all("challenge" in run for run in here):
            # accuracy, low, high, as phenomenon_bars and phenomenon_heatmap expect
            found["challenge"] = {
                kind: list(interval([run["challenge"][kind] for run in here], count).values())
                for kind, count in kinds.items()
            }
        rungs.setdefault(rung, {})[size] = {**found, "runs": here}
    return {"data": data, "judged_on": JUDGED_ON[data], "n": n, "rungs": rungs}


def interval(accuracies: Sequence[float], n: int) -> dict[str, float]:
    """The mean accuracy of the runs, and its Wilson interval for n texts."""
    mean = statistics.mean(accuracies)
    low, high = wilson_interval(round(mean * n), n)
    return {"accuracy": mean, "low": min(low, mean), "high": max(high, mean)}


def table(ladder: dict[str, Any]) -> str:
    """The mean accuracies in percent: one line per rung, one column per size."""
    rungs = ladder.get("rungs", {})
    sizes = [size for size in SIZES if any(size in found for found in rungs.values())]
    lines = [f"{'accuracy':32}" + "".join(f"{size:>8}" for size in sizes)]
    for rung, found in rungs.items():
        cells = [f"{found[s]['accuracy']:8.1%}" if s in found else " " * 8 for s in sizes]
        lines.append(f"{rung:32}" + "".join(cells))
    return "\n".join(lines)


if __name__ == "__main__":
    main()
