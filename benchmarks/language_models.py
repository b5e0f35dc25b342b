"""Measures the language models of assignment 07 on real text, and trains the LSTMs that ship.

The classes are those of the solution notebook. `count` chooses the order of each counted model on
validation text and measures it on test text. `compare` sets Kneser-Ney against NLTK's, on the same
n-grams (`pip install -c constraints.txt nltk`): probabilities and speed. `train` trains an LSTM on one data set,
resumes after an interruption, writes its weights in half precision, and measures it. Results are in
`data/results/language_models.json`.

    python benchmarks/language_models.py count
    python benchmarks/language_models.py compare --data austen-fiction
    python benchmarks/language_models.py train --data austen-fiction
    python benchmarks/language_models.py train --data tatoeba-fra-eng
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path
from typing import Any

import torch
from _results import results, write
from safetensors.torch import save_file
from torch import nn

from autograder.course.reference import Solution
from coursekit import Vocabulary, set_seed

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/07_language_models/07_language_models.ipynb"
WEIGHTS = ROOT / "data" / "pretrained" / "language_models"
#: The name of the weights, and how they are trained.
RECIPES = {
    "austen-fiction": {"name": "austen", "dim": 128, "hidden": 200, "dropout": 0.2, "epochs": 3},
    "tatoeba-fra-eng": {
        "name": "tatoeba",
        "dim": 128,
        "hidden": 200,
        "dropout": 0.1,
        "epochs": 8,
        "shuffled": True,  # the file is sorted, so that a sentence's neighbors would give it away
    },
}
SAME = {"rows": 32, "length": 35, "lr": 4e-3, "weight_decay": 0.05, "warm_up": 0.05}
#: While training, the softmax of a large vocabulary runs over the most frequent words, the targets,
#: and words drawn from the rest, which stand for all of the rest.
FREQUENT, DRAWN = 1000, 800
NLTK_TOKENS = 100


def read(data: str) -> tuple[Vocabulary, dict[str, list[list[str]]]]:
    """The vocabulary, and the sentences of each split with unknown words replaced."""
    notebook = Solution(NOTEBOOK).definitions
    texts = notebook["load_sentences"](data)
    stopped = ([*sentence, notebook["STOP"]] for sentence in texts["train"])
    vocabulary = Vocabulary.build(stopped, max_size=notebook["SETTINGS"][data]["n_words"])
    words = vocabulary.words
    return vocabulary, {
        split: [[words[i] for i in vocabulary.encode(sentence)] for sentence in sentences]
        for split, sentences in texts.items()
    }


def counted(data: str) -> dict[str, Any]:
    """Perplexity of the counted models: by order on validation text, the best order on test text."""
    notebook = Solution(NOTEBOOK).definitions
    perplexity = notebook["perplexity"]
    vocabulary, texts = read(data)
    found: dict[str, dict[str, float]] = {}
    models = {}
    for n in (1, 2, 3, 4):
        for name, probability in counting_models(texts["train"], n, len(vocabulary)).items():
            models[name, n] = probability
            at = found.setdefault(name, {})
            at[str(n)] = perplexity(texts["validation"], probability, n)
    best = {name: min(at, key=at.get) for name, at in found.items()}
    tested = {
        name: perplexity(texts["test"], models[name, int(n)], int(n)) for name, n in best.items()
    }
    return {"validation": found, "order": best, "test": tested}


def counting_models(sentences: list[list[str]], n: int, size: int) -> dict[str, Any]:
    """The notebook's models of order n that only count, by name."""
    notebook = Solution(NOTEBOOK).definitions
    add_k, interpolated = notebook["add_k_probability"], notebook["interpolated_probability"]
    tables = [notebook["count_ngrams"](sentences, m) for m in range(1, n + 1)]
    return {
        "add-1": lambda word, context: add_k(tables[-1], word, context, size, 1),
        "add-0.01": lambda word, context: add_k(tables[-1], word, context, size, 0.01),
        "interpolated": lambda word, context: interpolated(tables, [1 / n] * n, word, context),
        "Kneser-Ney": notebook["KneserNey"](sentences, n, size).probability,
    }


def against_nltk(data: str, n: int = 3, n_sentences: int = 2000) -> dict[str, Any]:
    """Both Kneser-Ney models on the same n-grams: perplexity on the same tokens, and speed."""
    from nltk.lm import KneserNeyInterpolated
    from nltk.lm import Vocabulary as NltkVocabulary

    notebook = Solution(NOTEBOOK).definitions
    start, stop = notebook["START"], notebook["STOP"]
    vocabulary, texts = read(data)
    sentences = texts["train"][:n_sentences]

    def grams(sentence: list[str], m: int) -> list[tuple[str, ...]]:
        padded = [start] * (n - 1) + sentence + [stop]
        return [tuple(padded[i - m + 1 : i + 1]) for i in range(n - 1, len(padded))]

    known = {word for sentence in sentences for word in sentence}
    begun = time.perf_counter()
    # NLTK has no uniform distribution below the unigrams. It changes nothing if all words were seen.
    ours = notebook["KneserNey"](sentences, n, len(known) + 1)
    seconds = {"counting": time.perf_counter() - begun}
    theirs = KneserNeyInterpolated(
        n, discount=0.75, vocabulary=NltkVocabulary([*vocabulary.words, start])
    )
    begun = time.perf_counter()
    theirs.fit([[g for m in range(1, n + 1) for g in grams(s, m)] for s in sentences])
    seconds["NLTK counting"] = time.perf_counter() - begun
    tested = [s for s in texts["test"] if known.issuperset(s)]
    test = [gram for sentence in tested for gram in grams(sentence, n)][:NLTK_TOKENS]
    logs, each = {}, {}
    for name, score in (("ours", ours.probability), ("NLTK", theirs.score)):
        begun = time.perf_counter()
        logs[name] = [math.log(score(gram[-1], gram[:-1])) for gram in test]
        each[name] = len(test) / (time.perf_counter() - begun)
    perplexity = {name: math.exp(-sum(found) / len(test)) for name, found in logs.items()}
    return {
        "sentences": len(sentences),
        "tokens": len(test),
        "perplexity": perplexity,
        "largest_difference": max(abs(a - b) for a, b in zip(logs["ours"], logs["NLTK"])),
        "probabilities_per_second": each,
        "times_as_fast": each["ours"] / each["NLTK"],
        "seconds": seconds,
    }


def train(data: str, checkpoint: Path) -> dict[str, Any]:
    """Train, or go on training, the LSTM of a data set; write its weights; measure it."""
    notebook = Solution(NOTEBOOK).definitions
    recipe = RECIPES[data]
    vocabulary, texts = read(data)
    stop = notebook["STOP"]
    encoded = {
        split: [torch.tensor(vocabulary.encode([*s, stop])) for s in sentences]
        for split, sentences in texts.items()
    }
    ids = {split: torch.cat(sentences) for split, sentences in encoded.items()}
    set_seed(0)
    sizes = recipe["dim"], recipe["hidden"]
    model = notebook["RecurrentLanguageModel"](len(vocabulary), *sizes, "LSTM", recipe["dropout"])
    with torch.no_grad():  # a forget bias of 1
        model.rnn.bias_hh_l0.zero_()
        model.rnn.bias_ih_l0[sizes[1] : 2 * sizes[1]] = 1.0
    optimizer = torch.optim.AdamW(model.parameters(), weight_decay=SAME["weight_decay"])
    epochs: list[dict[str, float]] = []
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        epochs = kept["epochs"]
    evaluator = notebook["LanguageModelTrainer"](model, 0.0)
    windows_of = notebook["bptt_windows"]
    while len(epochs) < recipe["epochs"]:
        begun = time.process_time()
        # another beginning in each epoch, so that the windows' borders move
        offset = torch.Generator().manual_seed(len(epochs))
        first = int(torch.randint(SAME["length"], (1,), generator=offset))
        stream = ids["train"]
        if recipe.get("shuffled"):
            order = torch.randperm(len(encoded["train"]), generator=offset).tolist()
            stream = torch.cat([encoded["train"][i] for i in order])
        windows = windows_of(stream[first:], SAME["rows"], SAME["length"])
        sampled = len(vocabulary) > 2 * (FREQUENT + DRAWN)
        loss = train_epoch(
            model, optimizer, windows, len(epochs) / recipe["epochs"], recipe, sampled
        )
        found = {"training": math.exp(loss), "seconds": time.process_time() - begun}
        validation = windows_of(ids["validation"], 1, 500)
        epochs.append(found | {"validation": math.exp(evaluator.evaluate(validation))})
        print(epochs[-1], flush=True)
        kept = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}
        torch.save(kept, checkpoint)
    half = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    facts = {"kind": "LSTM", "words": "\n".join(vocabulary.words[2:])}
    save_file(half, WEIGHTS / f"{recipe['name']}.safetensors", facts)
    model.load_state_dict({name: tensor.float() for name, tensor in half.items()})
    tested = math.exp(evaluator.evaluate(windows_of(ids["test"], 1, 500)))
    parameters = sum(p.numel() for p in model.parameters())
    return {**recipe, **SAME, "parameters": parameters, "curve": epochs, "test": tested}


def train_epoch(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    windows: list[tuple[torch.Tensor, torch.Tensor]],
    done: float,
    recipe: dict[str, Any],
    sampled: bool,
) -> float:
    """One epoch with a learning rate that rises, then falls along a cosine; the mean loss."""
    detach = Solution(NOTEBOOK).definitions["detach"]
    model.train()
    total, n, state = 0.0, 0, None
    for number, (x, y) in enumerate(windows, start=1):
        share = done + number / len(windows) / recipe["epochs"]
        rate = min(share / SAME["warm_up"], 1) * (1 + math.cos(math.pi * share)) / 2
        for group in optimizer.param_groups:
            group["lr"] = SAME["lr"] * rate
        state = None if state is None else detach(state)
        optimizer.zero_grad()
        if sampled:
            loss, state = sampled_loss(model, x, y, state)
        else:
            logits, state = model(x, state)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total, n = total + loss.item() * y.numel(), n + y.numel()
    return total / n


def sampled_loss(
    model: nn.Module, x: torch.Tensor, y: torch.Tensor, state: Any
) -> tuple[torch.Tensor, Any]:
    """The loss with a softmax over some words; the logits of drawn ones stand for all of the rest."""
    H, state = model.rnn(model.dropout(model.embedding(x)), state)
    Z, y = model.dropout(model.projection(H)).flatten(0, 1), y.flatten()
    certain = torch.zeros(len(model.bias), dtype=torch.bool)
    certain[:FREQUENT] = certain[y] = True
    kept, rest = certain.nonzero()[:, 0], (~certain).nonzero()[:, 0]
    drawn = rest[torch.randperm(len(rest))[:DRAWN]]
    words = torch.cat([kept, drawn])
    shift = torch.zeros(len(words))
    shift[len(kept) :] = math.log(len(rest) / len(drawn))
    logits = nn.functional.linear(Z, model.embedding.weight[words], model.bias[words] + shift)
    column = torch.zeros(len(certain), dtype=torch.int64)
    column[kept] = torch.arange(len(kept))
    return nn.functional.cross_entropy(logits, column[y]), state


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["count", "compare", "train"])
    parser.add_argument("--data", choices=RECIPES, nargs="+", default=list(RECIPES))
    parser.add_argument("--checkpoint", type=Path, default=Path(".pretraining-language-model"))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for data in arguments.data:
        if arguments.what == "count":
            found: dict[str, Any] = {"counted": counted(data)}
        elif arguments.what == "compare":
            found = {"against NLTK": against_nltk(data)}
        else:
            arguments.checkpoint.mkdir(exist_ok=True)
            found = {"LSTM": train(data, arguments.checkpoint / f"{data}.pt")}
        measured = results("language_models")
        measured[data] = measured.get(data, {}) | found
        write("language_models", measured)


if __name__ == "__main__":
    main()
