"""Measures what assignment 15 says about language models today, with the notebook's own classes.

- `key_heads`: tokens per second and bytes of the cache with 1, 2 and 4 key heads;
- `ablation`: the block of assignment 12 against the block of today, with the same tokens in the same
  order and nearly the same number of parameters, three seeds;
- `scaling`: the model with the block of today on five amounts of text, two seeds;
- `tuning`: the GPT of assignment 12 tuned on the almanac's questions, with LoRA of three ranks and
  in full, on questions about other countries;
- `dpo`: the fully tuned model on pairs of answers, about both countries of a paragraph;
- `rounding`: 06's encoder, fine-tuned on 1,000 of the course's reviews, three seeds, with rounded matrices.

Scores go to `data/results/language_models_today.json`, each as soon as it is there; an interrupted
command goes on where it stopped, and `--again` begins anew. `--share 0.2` takes a fifth of all training
steps, and the file says how many there were. No setting was searched.

    python benchmarks/language_models_today.py           # or: key_heads ablation ...
"""

from __future__ import annotations

import argparse
import copy
import functools
import random
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import torch
from _networks import texts_of, train
from _pairs import with_cells
from _results import results, store
from torch import nn

from coursekit import load, predict, set_seed
from coursekit.evaluation import accuracy_by, score

ROOT = Path(__file__).parent.parent
NOTEBOOK = ROOT / "solutions/15_language_models_today/15_language_models_today.ipynb"
NAME = "language_models_today"
#: The almanac in byte tokens: merges, tokens of a row, rows of a step, rows to validate on.
N_MERGES, LENGTH, BATCH, N_VALIDATION = 400, 64, 8, 160
#: Of both blocks; the widths of the networks make the models equally large, within a percent.
WIDTH, HEADS, LAYERS, HIDDEN, RATE = 96, 4, 2, 270, 3e-3
OLD, NEW = "block of 2019", "block of today"
SEEDS, ABLATION_STEPS, WATCHED = 3, 600, 50
AMOUNTS, SCALING_SEEDS = (60, 120, 240, 480, 960), 2
RANKS, TUNING_STEPS, N_ASKED = (1, 8, 32), 400, 100
DPO_STEPS, BETA = 60, 0.1
ROUNDING_SEEDS, ROUNDING_LABELS = 3, 1000
Kept = dict[str, Any]

_share = 1.0


def share_of(steps: int) -> int:
    """The training steps that were asked for."""
    return max(1, round(_share * steps))


@functools.cache
def notebook() -> dict[str, Any]:
    """The notebook's definitions, with its tokens and its examples."""
    return with_cells(NOTEBOOK, "almanac =", "def learn_byte_merges", "START, END", "def load_gpt")


def keep(kept: Kept, part: str, value: Any) -> None:
    kept[part] = value
    store(NAME, kept)
    print(part, value if len(str(value)) < 300 else "stored", flush=True)


def key_heads(kept: Kept) -> None:
    """The median of three."""
    if "key_heads" in kept:
        return
    scope = with_cells(NOTEBOOK)
    source = next(s for s in cell_sources() if s.startswith("@torch.no_grad()\ndef write_speed"))
    exec(source.partition("\n\n\nspeeds =")[0], scope)
    times: dict[int, list[float]] = {1: [], 2: [], 4: []}
    n_bytes = {}
    for _ in range(3):
        for groups in times:
            speed, n_bytes[groups] = scope["write_speed"](groups)
            times[groups].append(speed)
    found = {
        str(groups): {"tokens_per_second": median(speeds), "cache_bytes": n_bytes[groups]}
        for groups, speeds in times.items()
    }
    keep(kept, "key_heads", found)


def cell_sources() -> list[str]:
    from autograder.course.reference import read

    return [cell.source for cell in read(NOTEBOOK).cells if cell.cell_type == "code"]


@functools.cache
def almanac_rows() -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of LENGTH + 1 byte tokens, to learn from and to validate on, in random order."""
    scope = notebook()
    texts = load("almanac").texts
    tokenizer = scope["ByteBPE"](scope["learn_byte_merges"](texts[:2000], N_MERGES))
    known: dict[str, list[int]] = {}
    ids: list[int] = []
    for text in random.Random(0).sample(texts, 50_000):
        for word in text.split():
            if word not in known:
                known[word] = tokenizer.encode(f" {word}")
            ids += known[word]
        ids.append(10)  # a new line
    n = len(ids) // (LENGTH + 1)
    rows = torch.tensor(ids[: n * (LENGTH + 1)]).view(n, LENGTH + 1)
    return rows[N_VALIDATION:], rows[:N_VALIDATION]


def language_model(name: str, seed: int) -> nn.Module:
    """A model with one of the two blocks and small random weights."""
    scope = notebook()
    set_seed(seed)
    n_tokens = 256 + N_MERGES
    if name == OLD:
        model = scope["GPT"](n_tokens, WIDTH, HEADS, LAYERS, LENGTH, dropout=0.0)
    else:
        model = scope["Llama"](n_tokens, WIDTH, HEADS, HEADS, HIDDEN, LAYERS, LENGTH)
    for path, p in model.named_parameters():
        if p.dim() == 2:
            nn.init.normal_(p, std=0.02)
        elif path.endswith("bias"):
            nn.init.zeros_(p)
    return model


def loss_on(model: nn.Module, rows: torch.Tensor) -> torch.Tensor:
    logits = model(rows[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def learn(name: str, seed: int, steps: int) -> dict[str, Any]:
    """Train on the first rows, each once; the seed draws the weights and nothing else."""
    rows, validation = almanac_rows()
    model = language_model(name, seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.1)
    curve, started = [], time.process_time()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / 20, 1.02 - step / steps)
        loss = loss_on(model.train(), rows[step * BATCH : (step + 1) * BATCH])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % share_of(WATCHED) == 0 or step + 1 == steps:
            with torch.no_grad():
                curve.append([step + 1, loss_on(model.eval(), validation).item()])
    parameters = sum(p.numel() for p in model.parameters())
    seconds = time.process_time() - started
    print(name, seed, steps, parameters, f"{curve[-1][1]:.3f} {seconds:.0f} s", flush=True)
    return {
        "parameters": parameters,
        "seed": seed,
        "loss": curve[-1][1],
        "curve": curve,
        "processor_seconds": seconds,
    }


def begun(kept: Kept, part: str, **facts: Any) -> dict[str, Any]:
    """What is kept of a part that was measured with the same settings; the settings alone if not."""
    found = kept.get(part, {})
    if any(found.get(name) != value for name, value in facts.items()):
        found = kept[part] = dict(facts)
    return found


def ablation(kept: Kept) -> None:
    steps = share_of(ABLATION_STEPS)
    found = begun(kept, "ablation", steps=steps, tokens=steps * BATCH * LENGTH, rate=RATE)
    blocks = found.setdefault("blocks", {name: {"runs": []} for name in (OLD, NEW)})
    for seed in range(SEEDS):
        for name, of in blocks.items():
            if len(of["runs"]) > seed:
                continue
            run = learn(name, seed, steps)
            of["parameters"] = run.pop("parameters")
            of["runs"].append(run)
            keep(kept, "ablation", found)


def scaling(kept: Kept) -> None:
    amounts = [share_of(steps) * BATCH * LENGTH for steps in AMOUNTS]
    found = begun(kept, "scaling", block=NEW, amounts=amounts)
    runs = found.setdefault("runs", [])
    todo = [(tokens, seed) for seed in range(SCALING_SEEDS) for tokens in amounts]
    for tokens, seed in todo[len(runs) :]:
        runs.append([tokens, learn(NEW, seed, tokens // (BATCH * LENGTH))["loss"]])
        keep(kept, "scaling", found)


def tuned(prepare: Callable[[nn.Module], Any], rate: float, steps: int) -> nn.Module:
    scope = notebook()
    set_seed(0)
    model: nn.Module = scope["load_gpt"]()
    prepare(model)
    scope["tune"](model, scope["rows"], steps, rate)
    return model


@functools.cache
def fully_tuned() -> nn.Module:
    return tuned(lambda model: None, 5e-4, share_of(TUNING_STEPS))


def tuning(kept: Kept) -> None:
    scope, steps = notebook(), share_of(TUNING_STEPS)
    test, add_lora = scope["test"][:N_ASKED], scope["add_lora"]
    found = begun(kept, "tuning", steps=steps, questions=len(test), seed=0)
    models = found.setdefault("models", {})

    def measure(name: str, make: Callable[[], nn.Module], learned: bool = True) -> None:
        if name not in models:
            model = make().eval()
            sizes = [p.numel() for p in model.parameters() if p.requires_grad and learned]
            share = scope["exact_match"](model, test)
            models[name] = {"parameters": sum(sizes), "exact_match": share}
            keep(kept, "tuning", found)

    measure("as it comes", scope["load_gpt"], learned=False)
    for rank in RANKS:

        def prepare(model: nn.Module, rank: int = rank) -> None:
            add_lora(model, rank, 2 * rank)

        measure(f"LoRA, rank {rank}", functools.partial(tuned, prepare, 2e-3, steps))
    measure("all parameters", fully_tuned)


def other_answer(question: Any) -> str | None:
    """What the paragraph says about the other country; None if it says nothing of that kind."""
    right = question.answers[0][0]
    sentences = question.context.removesuffix(".").split(". ")
    about, answer = rf"\b{re.escape(question.title)}\b", rf"\b{re.escape(right)}\b"
    gold = next((s for s in sentences if re.search(about, s) and re.search(answer, s)), "")
    form = re.sub(answer, "(?P<answer>.+)", re.sub(about, "(?:.+)", gold))
    matches = (re.fullmatch(form, s) for s in sentences if s != gold)
    return next((found["answer"] for found in matches if found), None)


def log_p(model: nn.Module, rows: Sequence[tuple[list[int], list[bool]]]) -> torch.Tensor:
    """The log-probability of each answer, with its end."""
    scope = notebook()
    longest = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [scope["PAD"]] * (longest - len(ids)) for ids, _ in rows])
    counted = torch.tensor([c + [False] * (longest - len(c)) for _, c in rows])[:, 1:]
    H = model.states(ids)[0][:, :-1]  # type: ignore[operator]
    found = torch.zeros(counted.shape)
    logits = H[counted] @ model.tokens.weight.T  # type: ignore[union-attr,operator]
    picked = logits.log_softmax(dim=-1).gather(1, ids[:, 1:][counted][:, None])[:, 0]
    return found.masked_scatter(counted, picked).sum(dim=1)


def dpo(kept: Kept) -> None:
    scope, steps = notebook(), share_of(DPO_STEPS)
    if begun(kept, "dpo", steps=steps, tuned=share_of(TUNING_STEPS)).get("chosen"):
        return

    def pairs_of(split: Sequence[Any]) -> list[tuple[Any, Any]]:
        found = []
        for question in split:
            other = other_answer(question)
            if other is None or other == question.answers[0][0]:
                continue
            encoded = (scope["encode"](text) for text in (question.answers[0][0], other))
            asked = scope["asked"](question)
            both = [
                scope["chat_ids"]([asked, ("assistant", ids)], scope["MARKS"], scope["END"])
                for ids in encoded
            ]
            if max(len(ids) for ids, _ in both) <= 128:
                found.append((both[0], both[1]))
        return found

    train_pairs, test_pairs = pairs_of(scope["train"]), pairs_of(scope["test"][:N_ASKED])
    reference = fully_tuned().eval()
    model = copy.deepcopy(reference)
    before = scope["exact_match"](reference, scope["test"][:N_ASKED])
    optimizer, draw = torch.optim.AdamW(model.parameters(), lr=2e-5), random.Random(0)
    for _ in range(steps):
        batch = draw.sample(train_pairs, 8)
        chosen, rejected = zip(*batch, strict=True)
        with torch.no_grad():
            frozen = log_p(reference, chosen), log_p(reference, rejected)
        loss = scope["dpo_loss"](log_p(model, chosen), log_p(model, rejected), *frozen, BETA)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    chosen, rejected = zip(*test_pairs, strict=True)
    with torch.no_grad():
        found = {
            f"{name}{side}": log_p(of, rows).tolist()
            for name, of in (("", model.eval()), ("reference_", reference))
            for side, rows in (("chosen", chosen), ("rejected", rejected))
        }
    after = scope["exact_match"](model, scope["test"][:N_ASKED])
    exact = {"before": before, "after": after}
    facts = {"steps": steps, "tuned": share_of(TUNING_STEPS), "beta": BETA}
    keep(kept, "dpo", {**facts, "exact_match": exact, **found})


def rounded_to(model: nn.Module, bits: int, per_channel: bool) -> nn.Module:
    """A copy with all matrices rounded to the nearest of 2^bits - 1 numbers."""
    model, largest = copy.deepcopy(model), 2 ** (bits - 1) - 1
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 2:
                W = p if per_channel else p.reshape(1, -1)
                scale = W.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / largest
                p.copy_(((W / scale).round() * scale).reshape(p.shape))
    return model


def rounding(kept: Kept) -> None:
    judged, challenge = texts_of("reviews", "test"), texts_of("reviews", "challenge")
    kinds = {
        "float32": (0, True),
        "8 bits": (8, True),
        "8 bits per matrix": (8, False),
        "4 bits": (4, True),
        "3 bits": (3, True),
    }
    found = begun(kept, "rounding", data="reviews", labels=ROUNDING_LABELS)
    runs = found.setdefault("runs", [])
    for seed in range(len(runs), ROUNDING_SEEDS):
        learned = train("encoder, fine-tuned", "reviews", seed, ROUNDING_LABELS)
        run: dict[str, Any] = {}
        for name, (bits, per_channel) in kinds.items():
            model = rounded_to(learned.model, bits, per_channel) if bits else learned.model
            right = score(name, predict(model, learned.fed(judged)) > 0, judged.labels).accuracy
            decided = predict(model, learned.fed(challenge)) > 0
            by_kind = accuracy_by(challenge.phenomena, decided, challenge.labels)
            run[name] = {"accuracy": right, "challenge": {k.name: k.accuracy for k in by_kind}}
            found["texts"] = {kind.name: kind.n for kind in by_kind}
        runs.append(run)
        found["models"] = {
            name: {
                "accuracy": mean(run[name]["accuracy"] for run in runs),
                "challenge": {
                    kind: mean(run[name]["challenge"][kind] for run in runs)
                    for kind in found["texts"]
                },
            }
            for name in kinds
        }
        keep(kept, "rounding", found)


PARTS = {part.__name__: part for part in (key_heads, ablation, scaling, tuning, dpo, rounding)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which (default: all)")
    parser.add_argument("--again", action="store_true", help="repeat what is there")
    parser.add_argument("--share", type=float, default=1.0, help="of all training steps")
    options = parser.parse_args()
    global _share
    _share = options.share
    torch.set_num_threads(1)
    kept = results(NAME)
    for part in options.parts or PARTS:
        if options.again:
            kept.pop(part, None)
        PARTS[part](kept)


if __name__ == "__main__":
    main()
