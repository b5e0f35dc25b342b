"""Pretrain a causal language model, a small GPT-2, on IMDb's reviews.

It predicts each token from those before it (Radford et al. 2018), with the WordPieces of the encoder
in `data/pretrained/imdb`. The text is IMDb's 25,000 training and 50,000 unlabelled reviews; labels
and test reviews are not used. The model begins with the encoder's weights (`--start encoder`), with
its embeddings only (`--start embeddings`), or with random numbers (`--start random`).

The run saves its state in a folder, and the same command resumes it. The learning rate is constant
until the last fifth of the run, in which it falls to 0. A running run is shortened by a file `finish`
in its folder, and an interrupted one by `--finish`: what is done is then four fifths of the whole. The
state before the decay stays as `before_decay.pt`; renamed to `state.pt`, it begins a longer run.

    python pretraining/causal.py --tokens 60e6
    touch .pretraining-causal/finish
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _text import CLS, PAD, SEP, Corpus, encode
from pretrain import (
    SPLITS,
    Schedule,
    argument_parser,
    begin,
    keep,
    kept,
    parsed,
    set_rate,
    stopping_plainly,
)
from safetensors.torch import load_file, save_file
from tokenizers import BertWordPieceTokenizer
from torch import nn
from torch.nn.functional import cross_entropy
from tqdm.auto import tqdm
from transformers import GPT2Config, GPT2LMHeadModel

from autograder.course.reference import Solution
from coursekit import load, load_pretrained, pick_device
from coursekit.data import DataError

ROOT = Path(__file__).parent.parent
ENCODER = ROOT / "data/pretrained/imdb"
NOTEBOOK = ROOT / "solutions/12_pretraining_to_write/12_pretraining_to_write.ipynb"


@dataclass
class Settings(Schedule):
    """The settings of a run. All but `tokens` are fixed when it starts."""

    tokens: float = 60e6
    tokens_per_step: int = 2_048
    warmup_steps: int = 50
    start: str = "encoder"
    layers: int = 3
    heads: int = 4
    length: int = 128
    texts: int = 75_000  # at most


def build(settings: Settings) -> nn.Module:
    """The notebook's GPT before training: random as GPT-2's, then with what the encoder has of it.

    Queries, keys and values are matrices of their own there, so Muon sees each alone.
    """
    encoder = load_pretrained(ENCODER)
    torch.manual_seed(settings.seed)
    sizes = (encoder.config["hidden_size"], settings.heads, settings.layers, settings.length)
    model: nn.Module = Solution(NOTEBOOK).definitions["GPT"](
        len(encoder.tokens), *sizes, dropout=0.0
    )
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2:
            deep = name.endswith(("W_O.weight", "W_2.weight"))
            nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * settings.layers if deep else 1))
        elif "norm" not in name:
            nn.init.zeros_(parameter)
    if settings.start in ("encoder", "embeddings"):
        take_embeddings(model, encoder.weights)
    if settings.start == "encoder":
        take_blocks(model, encoder.weights)
    elif settings.start not in ("embeddings", "random"):
        raise DataError(f"--start must be encoder, embeddings or random, not {settings.start}.")
    return model


def take_embeddings(model: Any, weights: dict[str, torch.Tensor]) -> None:
    """Tokens and positions from the encoder; the segment of a first text is added to positions."""
    tables = {
        name: weights[f"bert.embeddings.{name}_embeddings.weight"]
        for name in ("word", "position", "token_type")
    }
    model.tokens.weight.data.copy_(tables["word"])
    model.positions.weight.data.copy_(tables["position"][: len(model.positions.weight)])
    model.positions.weight.data += tables["token_type"][0]


def take_blocks(model: Any, weights: dict[str, torch.Tensor]) -> None:
    """Blocks from the encoder, whose normalizations come after each layer, not before.

    Each normalization moves to the layer that reads it. The encoder adds a layer's output to
    normalized vectors, and this model adds it to the embeddings, which are smaller: so the matrices
    that write are divided by the difference.
    """
    names = {f"W_{name[0].upper()}": f"attention.self.{name}" for name in ("query", "key", "value")}
    names |= {"W_O": "attention.output.dense", "W_1": "intermediate.dense", "W_2": "output.dense"}

    def copy(layer: nn.Module, name: str) -> None:
        layer.load_state_dict({part: weights[f"bert.{name}.{part}"] for part in ("weight", "bias")})

    before = "embeddings.LayerNorm"
    larger = weights[f"bert.{before}.weight"].abs().mean() / model.tokens.weight.std()
    for number, block in enumerate(model.blocks):
        path = f"encoder.layer.{number}"
        for own, name in names.items():
            layer = getattr(block, own)
            copy(layer, f"{path}.{name}")
            if own in ("W_O", "W_2"):
                layer.weight.data /= larger
                layer.bias.data /= larger
        copy(block.norm_1, before)
        copy(block.norm_2, f"{path}.attention.output.LayerNorm")
        before = f"{path}.output.LayerNorm"
    # how frequent a token is, which the encoder's head adds to its scores
    bias = weights["cls.predictions.bias"].unsqueeze(1)
    fitted = torch.linalg.lstsq(model.tokens.weight.data, bias).solution
    model.norm.bias.data.copy_(fitted.squeeze(1))


def rows(corpus: Corpus, length: int, rng: np.random.Generator) -> np.ndarray:
    """One pass over the texts, (R, length + 1), padded, in random order.

    `[CLS]` begins a text and `[SEP]` ends it. A row is a window of a text; the last one begins
    earlier if necessary, so that it is full.
    """
    edges = corpus.sentences[corpus.texts]
    starts = [
        (text, max(0, min(begin, size - length - 1)))
        for text, size in enumerate(np.diff(edges) + 2)
        for begin in range(0, max(1, int(size) - 1), length)
    ]
    found = np.full((len(starts), length + 1), PAD, dtype=np.uint16)
    for row, (text, at) in zip(rng.permutation(len(starts)), starts, strict=True):
        whole = np.concatenate([[CLS], corpus.ids[edges[text] : edges[text + 1]], [SEP]])
        part = whole[at : at + length + 1]
        found[row, : len(part)] = part
    return found


class Muon(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024) in float32; torch's computes in bfloat16.

    On processors without bfloat16, the ten products of matrices in a step would take more time
    than the model.
    """

    def __init__(self, parameters: list[nn.Parameter], lr: float, weight_decay: float) -> None:
        super().__init__(parameters, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 0.05)
                update = _orthogonal(p.grad.lerp(momentum, 0.95))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(update, alpha=-0.2 * group["lr"] * math.sqrt(max(p.shape)))


def _orthogonal(G: torch.Tensor) -> torch.Tensor:
    """Roughly the nearest matrix whose singular values are all 1, by five Newton-Schulz steps."""
    X = G.T if len(G) > G.shape[1] else G
    X = X / (X.norm() + 1e-7)
    for _ in range(5):
        A = X @ X.T
        X = 3.4445 * X + (-4.7750 * A + 2.0315 * A @ A) @ X
    return X.T if len(G) > G.shape[1] else X


def optimizers(model: Any, settings: Settings) -> list[torch.optim.Optimizer]:
    """Muon for the blocks' matrices, AdamW for everything else."""
    matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
    inside = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in inside]
    steppers: list[torch.optim.Optimizer] = [
        Muon(matrices, settings.lr, settings.weight_decay),
        torch.optim.AdamW(
            others, lr=settings.adam_lr, weight_decay=settings.weight_decay, betas=(0.9, 0.98)
        ),
    ]
    for stepper in steppers:
        for group in stepper.param_groups:
            group["initial_lr"] = group["lr"]
    return steppers


class Run:
    """The folder of a run: settings, tokens and the last saved state."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        begin(folder, settings)

    def corpus(self) -> Corpus:
        """The texts as tokens, made once."""
        path = self.folder / "tokens.npz"
        if not path.exists():
            texts = [text for split in SPLITS["imdb"] for text in load("imdb", split).texts]
            tokenizer = BertWordPieceTokenizer(str(ENCODER / "vocab.txt"), lowercase=True)
            fresh = self.folder / "tokens.new.npz"
            encode(texts[: self.settings.texts], tokenizer).save(fresh)
            fresh.replace(path)
        return Corpus.load(path)

    def batches(self, start: int) -> Iterator[torch.Tensor]:
        """The batches from step `start` on, without end; each depends on seed and step only."""
        settings, corpus = self.settings, self.corpus()
        n, step, epoch = settings.tokens_per_step // settings.length, 0, 0
        while True:
            whole = rows(corpus, settings.length, np.random.default_rng([settings.seed, epoch]))
            for at in range(0, len(whole) - n + 1, n):
                if step >= start:
                    yield torch.from_numpy(whole[at : at + n].astype(np.int64))
                step += 1
            epoch += 1

    def finish(self, step: int) -> None:
        """Shorten the run so that the decay begins now."""
        settings = self.settings
        settings.tokens = step * settings.tokens_per_step / (1 - settings.decay_share)
        begin(self.folder, settings)
        (self.folder / "finish").unlink(missing_ok=True)
        if (self.folder / "state.pt").exists():
            shutil.copy(self.folder / "state.pt", self.folder / "before_decay.pt")


def pretrain(run: Run, device: torch.device, keep_every: float, finish: bool) -> nn.Module:
    """Train, resuming from the last saved state if there is one; return the trained model."""
    settings = run.settings
    model = build(settings).to(device)
    steppers = optimizers(model, settings)
    state: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": []}
    saved = kept(run.folder)
    if saved is not None:
        model.load_state_dict(saved.pop("model"))
        for stepper, part in zip(steppers, saved.pop("steppers"), strict=True):
            stepper.load_state_dict(part)
        state |= saved
    if finish and state["step"]:
        run.finish(state["step"])
    begun = last = time.perf_counter()
    first, window = state["step"], []
    bar = tqdm(
        total=settings.tokens,
        initial=first * settings.tokens_per_step,
        unit="tok",
        unit_scale=True,
        mininterval=10,
    )

    def save(step: int) -> None:
        done = {**state, "step": step, "seconds": state["seconds"] + time.perf_counter() - begun}
        parts = [stepper.state_dict() for stepper in steppers]
        keep(run.folder, {**done, "model": model.state_dict(), "steppers": parts})

    for step, ids in enumerate(run.batches(first), first):
        if step >= settings.steps:
            break
        if (run.folder / "finish").exists():
            save(step)
            run.finish(step)
        ids = ids.to(device)
        set_rate(steppers, settings.rate(step))
        model.zero_grad()
        scores = model(ids[:, :-1])
        loss = cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PAD)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
        window.append(loss.item())
        bar.update(settings.tokens_per_step)
        if len(window) == 50 or step + 1 == settings.steps:
            point = {
                "tokens": (step + 1) * settings.tokens_per_step,
                "loss": round(float(np.mean(window)), 4),
            }
            state["curve"].append(point)
            bar.set_postfix(loss=point["loss"])
            window = []
            if time.perf_counter() - last > keep_every or step + 1 == settings.steps:
                save(step + 1)
                last = time.perf_counter()
    bar.close()
    return model


def as_gpt2(model: Any, settings: Settings) -> GPT2LMHeadModel:
    """The same model under the names of transformers' GPT-2."""
    vocabulary, width = model.tokens.weight.shape
    gpt2 = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=vocabulary,
            n_positions=settings.length,
            n_embd=width,
            n_layer=settings.layers,
            n_head=settings.heads,
            bos_token_id=CLS,
            eos_token_id=SEP,
            pad_token_id=PAD,
            resid_pdrop=0.1,
            embd_pdrop=0.1,
            attn_pdrop=0.1,
        )
    )
    body: Any = gpt2.transformer
    with torch.no_grad():
        body.wte.weight.copy_(model.tokens.weight)
        body.wpe.weight.copy_(model.positions.weight)
        body.ln_f.load_state_dict(model.norm.state_dict())
        for own, other in zip(model.blocks, body.h, strict=True):
            other.ln_1.load_state_dict(own.norm_1.state_dict())
            other.ln_2.load_state_dict(own.norm_2.state_dict())
            three = (own.W_Q, own.W_K, own.W_V)
            for layers, target in (
                (three, other.attn.c_attn),
                ((own.W_O,), other.attn.c_proj),
                ((own.W_1,), other.mlp.c_fc),
                ((own.W_2,), other.mlp.c_proj),
            ):
                target.weight.copy_(torch.cat([layer.weight.T for layer in layers], dim=1))
                target.bias.copy_(torch.cat([layer.bias for layer in layers]))
    return gpt2


def perplexity(model: nn.Module, texts: list[str], length: int = 128) -> dict[str, float]:
    """Perplexity per token and bits per character; each token sees at least half a window.

    A text is read in windows that overlap by half, and a token is predicted in the first that has
    it, or the second half. The end of the text counts, too.
    """
    tokenizer = BertWordPieceTokenizer(str(ENCODER / "vocab.txt"), lowercase=True)
    nats, tokens = 0.0, 0
    model.eval()
    for encoded in tokenizer.encode_batch(texts, add_special_tokens=False):
        ids = torch.tensor([CLS, *encoded.ids, SEP])
        done = 0  # predicted so far, of len(ids) - 1
        while done < len(ids) - 1:
            begin = 0 if done == 0 else done - length // 2
            part = ids[begin : begin + length + 1]
            with torch.no_grad():
                scores = model(part[None, :-1])
            losses = cross_entropy(getattr(scores, "logits", scores)[0], part[1:], reduction="none")
            nats += float(losses[done - begin :].sum())
            tokens += len(losses) - (done - begin)
            done = begin + len(losses)
    characters = sum(map(len, texts))
    return {
        "reviews": len(texts),
        "tokens": tokens,
        "characters": characters,
        "perplexity": round(math.exp(nats / tokens), 2),
        "bits_per_character": round(nats / math.log(2) / characters, 4),
    }


def export(run: Run, model: nn.Module, folder: Path, reviews: int) -> None:
    """Write weights (float16), configuration and vocabulary in the format of transformers.

    `imdb.safetensors` has the same weights, and the configuration in its metadata, for the notebook of
    12_pretraining_to_write. `training.json` has the settings, the time, the loss curve, and what
    held-out test reviews give.
    """
    state = kept(run.folder)
    assert state is not None
    gpt2 = as_gpt2(model.cpu(), run.settings).half()
    gpt2.config.dtype = "float16"
    folder.mkdir(parents=True, exist_ok=True)
    gpt2.save_pretrained(folder)
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
        shutil.copy(ENCODER / name, folder / name)
    weights = load_file(folder / "model.safetensors")
    config = json.dumps(json.loads((folder / "config.json").read_text("utf-8")), sort_keys=True)
    save_file(weights, folder / "imdb.safetensors", {"config": config})
    for name in ("model.safetensors", "imdb.safetensors"):
        (folder / name).chmod(0o644)  # the library makes them private
    texts = load("imdb", "test").texts
    chosen = np.random.default_rng(0).choice(len(texts), reviews, replace=False)
    training = {
        "settings": asdict(run.settings),
        "tokens": state["step"] * run.settings.tokens_per_step,
        "hours": round(state["seconds"] / 3600, 2),
        "made_with": {name: version(name) for name in ("torch", "tokenizers", "transformers")},
        "test": perplexity(gpt2.float(), [texts[i] for i in chosen]),
        "curve": state["curve"],
    }
    text = json.dumps(training, indent=1)
    (folder / "training.json").write_text(text + "\n", "utf-8")
    print(training["test"])


def main() -> None:
    parser = argument_parser(__doc__, Path(".pretraining-causal"), Settings())
    parser.add_argument("--reviews", type=int, default=1_000, help="test reviews to measure on")
    parser.add_argument("--finish", action="store_true", help="begin the decay now")
    options = parsed(parser)
    folder, target = options.pop("folder"), options.pop("export")
    keep_every, finish, reviews = (
        options.pop(name) for name in ("keep_every", "finish", "reviews")
    )
    torch.set_float32_matmul_precision("high")
    with stopping_plainly():
        run = Run(folder, Settings(**options))
        model = pretrain(run, pick_device("auto"), keep_every, finish)
        export(run, model, target or folder / "model", reviews)


if __name__ == "__main__":
    main()
