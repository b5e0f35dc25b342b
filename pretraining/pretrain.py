"""Train a WordPiece vocabulary and a BERT encoder on IMDb's reviews from scratch.

Two tasks at once, as in BERT (Devlin et al. 2019): predict masked tokens, and predict whether the
second part of a row follows the first. The text is IMDb's 25,000 training and 50,000 unlabelled
reviews; labels and test reviews are not used. The run saves its state in a folder; if it is
interrupted, the same command resumes it and gives bit-identical results. At the end the weights are
written in the format of Hugging Face's transformers.

    python pretraining/pretrain.py --folder .pretraining --tokens 45e6
    python pretraining/pretrain.py --folder .pretraining-gpu --layers 6 --width 384 --tokens 2e9
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from _text import CLS, MASK, PAD, SEP, SPECIAL, Corpus, Rows, encode, n_rows, rows, train_tokenizer
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.functional import cross_entropy
from tqdm.auto import tqdm
from transformers import BertConfig, BertForPreTraining, BertTokenizerFast

from autograder.course.reference import Solution
from coursekit import load, pick_device
from coursekit.data import DataError

SOLUTIONS = Path(__file__).parent.parent / "solutions"
SKIP_GRAM = SOLUTIONS / "02_word2vec/02_word2vec.ipynb"
BERT = SOLUTIONS / "06_bert/06_bert.ipynb"
#: The training texts, without IMDb's test reviews, on which classifiers are evaluated.
SPLITS = {"imdb": ["train", "unlabelled"], "almanac": ["train"], "reviews": ["train"]}


@dataclass
class Schedule:
    """How long a run is, and its learning rates."""

    tokens: float = 100e6
    tokens_per_step: int = 8_192
    lr: float = 2e-3  # for Muon
    adam_lr: float = 1e-3  # for AdamW
    weight_decay: float = 0.05
    warmup_steps: int = 300
    decay_share: float = (
        0.2  # share of the steps, at the end, in which the learning rate falls to 0
    )
    seed: int = 0

    @property
    def steps(self) -> int:
        return round(self.tokens / self.tokens_per_step)

    def rate(self, step: int) -> float:
        """The learning rate at a step, relative to its peak: warm-up, constant, decay to zero."""
        down = (self.steps - step) / max(1, self.decay_share * self.steps)
        return min(1.0, (step + 1) / self.warmup_steps, down)


@dataclass
class Settings(Schedule):
    """The settings of a run. All but `tokens` are fixed when it starts."""

    layers: int = 3
    width: int = 256
    heads: int = 4
    vocabulary: int = 8_000
    length: int = 64
    long_length: int = 128
    long_share: float = 0.25  # share of the tokens, at the end, in rows of `long_length`
    masked: float = 0.15
    skip_gram_epochs: int = 2  # for the initial token embeddings; 0: random
    data: str = "imdb"
    texts: int = 75_000  # at most

    @property
    def first_long_step(self) -> int:
        return math.ceil(self.steps * (1 - self.long_share))

    def shape(self, step: int) -> tuple[int, int]:
        """The number of rows, and of tokens per row, at a step."""
        length = self.length if step < self.first_long_step else self.long_length
        return max(1, self.tokens_per_step // length), length


def mask(
    ids: torch.Tensor, probability: float, vocab_size: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Mask tokens as in assignment 06: 80% of the selected become [MASK], 10% random, 10% stay.

    Returns the changed ids and the labels, -100 where nothing is to be predicted; both (R, L).
    """
    special = (ids == PAD) | (ids == CLS) | (ids == SEP)
    draws = [torch.rand(ids.shape, generator=generator) for _ in range(2)]
    random_ids = torch.randint(len(SPECIAL), vocab_size, ids.shape, generator=generator)
    mask_tokens = Solution(BERT).definitions["mask_tokens"]
    return mask_tokens(ids, special, MASK, *draws, random_ids, probability)


def batches(corpus: Corpus, settings: Settings, start: int) -> Iterator[dict[str, torch.Tensor]]:
    """The batches from step `start` on. Each depends only on the seed and the step."""
    held: tuple[int, int] | None = None
    current: Rows | None = None
    per_pass: dict[int, int] = {}
    begun: dict[int, int] = {}
    for step in range(settings.steps):
        n, length = settings.shape(step)
        begun.setdefault(length, step)
        if step < start:
            continue
        if length not in per_pass:
            per_pass[length] = n_rows(corpus, length) // n
        epoch, position = divmod(step - begun[length], max(1, per_pass[length]))
        if held != (length, epoch):
            current, held = rows(corpus, length, settings.seed, epoch), (length, epoch)
        assert current is not None
        part = slice(position * n, position * n + n)
        ids = torch.from_numpy(current.ids[part].astype(np.int64))
        generator = torch.Generator().manual_seed(settings.seed * 1_000_003 + step)
        inputs, labels = mask(ids, settings.masked, settings.vocabulary, generator)
        segments = torch.arange(ids.shape[1]) >= torch.from_numpy(current.first[part])[:, None]
        real = ids != PAD
        yield {
            "ids": inputs,
            "segments": (segments & real).long(),
            "real": real.long(),
            "labels": labels,
            "follows": torch.from_numpy(current.follows[part]),
        }


def losses(
    model: BertForPreTraining, batch: dict[str, torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The loss on masked tokens, the loss on pairs, and the accuracy on pairs."""
    everywhere = None if bool(batch["real"].all()) else batch["real"]
    output = model.bert(batch["ids"], attention_mask=everywhere, token_type_ids=batch["segments"])
    labels = batch["labels"].flatten()
    asked = (labels != -100).nonzero().squeeze(1)
    # pad to a multiple of 256 positions: a kernel is prepared and cached for each size
    asked = torch.nn.functional.pad(asked, (0, -len(asked) % 256))
    wanted_pieces = labels[asked]
    vectors = output.last_hidden_state.flatten(0, 1)[asked]
    guesses = model.cls.predictions(vectors).float()
    pairs = model.cls.seq_relationship(output.pooler_output).float()
    # transformers' class 0 is "B follows A"
    wanted = torch.where(batch["follows"] < 0, -100, 1 - batch["follows"])
    known = wanted >= 0
    right = (pairs.argmax(dim=1) == wanted)[known].float().mean()
    pair_loss = cross_entropy(pairs, wanted) if bool(known.any()) else pairs.sum() * 0
    return cross_entropy(guesses, wanted_pieces), pair_loss, right


def optimizers(model: nn.Module, settings: Schedule) -> list[torch.optim.Optimizer]:
    """Muon (Jordan et al. 2024) for the layers' matrices, AdamW for everything else."""
    matrices = [p for n, p in model.named_parameters() if ".layer." in n and p.ndim == 2]
    inside = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in inside]
    decay = settings.weight_decay
    steppers = [
        torch.optim.Muon(
            matrices, lr=settings.lr, weight_decay=decay, adjust_lr_fn="match_rms_adamw"
        ),
        torch.optim.AdamW(others, lr=settings.adam_lr, weight_decay=decay, betas=(0.9, 0.98)),
    ]
    for stepper in steppers:
        for group in stepper.param_groups:
            group["initial_lr"] = group["lr"]
    return steppers


def set_rate(steppers: list[torch.optim.Optimizer], rate: float) -> None:
    """Set the learning rates, relative to their peaks."""
    for stepper in steppers:
        for group in stepper.param_groups:
            group["lr"] = group["initial_lr"] * rate


def build(settings: Settings) -> BertForPreTraining:
    """The untrained model. Dropout is off in pretraining, and on again in fine-tuning."""
    torch.manual_seed(settings.seed)
    config = BertConfig(
        vocab_size=settings.vocabulary,
        hidden_size=settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=4 * settings.width,
        max_position_embeddings=settings.long_length,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="eager" if not torch.cuda.is_available() else "sdpa",
        pad_token_id=PAD,
    )
    return BertForPreTraining(config)


def begin(folder: Path, settings: Schedule) -> None:
    """Create the folder of a run and write its settings there.

    Raises
    ------
    DataError
        The folder contains a run whose settings differ in more than the number of tokens.
    """
    folder.mkdir(parents=True, exist_ok=True)
    described, now = folder / "settings.json", json.loads(json.dumps(asdict(settings)))
    if described.exists():
        begun = json.loads(described.read_text("utf-8"))
        changed = {name for name, value in now.items() if value != begun.get(name)}
        if changed - {"tokens"}:
            raise DataError(
                f"{folder} contains a run with other settings ({', '.join(sorted(changed))}); "
                "choose another --folder, or use the same settings."
            )
    described.write_text(json.dumps(now, indent=1) + "\n", "utf-8")


def keep(folder: Path, state: dict[str, Any]) -> None:
    """Save the state of a run; the previous one stays until the new one is complete."""
    fresh = folder / "state.new"
    torch.save(state, fresh)
    os.replace(fresh, folder / "state.pt")


def kept(folder: Path) -> dict[str, Any] | None:
    """The last saved state of a run, if there is one."""
    path = folder / "state.pt"
    return torch.load(path, weights_only=True) if path.exists() else None


class Run:
    """The folder of a run: settings, vocabulary, tokens and the last saved state."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        if settings.data not in SPLITS:
            raise DataError(
                f"There is no data set {settings.data!r}; choose {' or '.join(SPLITS)}."
            )
        begin(folder, settings)

    def corpus(self) -> Corpus:
        """The texts as tokens; vocabulary and tokens are created once."""
        path = self.folder / "tokens.npz"
        if not path.exists():
            data = self.settings.data
            texts = [text for split in SPLITS[data] for text in load(data, split).texts]
            texts = texts[: self.settings.texts]
            tokenizer = train_tokenizer(texts, self.settings.vocabulary)
            if tokenizer.get_vocab_size() != self.settings.vocabulary:
                raise DataError(
                    f"The texts give {tokenizer.get_vocab_size():,} tokens, not "
                    f"{self.settings.vocabulary:,}; ask for fewer with --vocabulary."
                )
            tokenizer.save_model(str(self.folder))
            fresh = self.folder / "tokens.new.npz"
            encode(texts, tokenizer).save(fresh)
            fresh.replace(path)
        return Corpus.load(path)

    def start(self, corpus: Corpus) -> torch.Tensor | None:
        """Piece vectors from the skip-gram of assignment 02, scaled to a deviation of 0.05."""
        settings, path = self.settings, self.folder / "start.safetensors"
        if not settings.skip_gram_epochs:
            return None
        if not path.exists():
            edges = corpus.sentences[corpus.texts]
            texts = [corpus.ids[begin:end].tolist() for begin, end in pairwise(edges)]
            counts = torch.from_numpy(np.bincount(corpus.ids, minlength=settings.vocabulary))
            train_skip_gram = Solution(SKIP_GRAM).definitions["train_skip_gram"]
            vectors, _ = train_skip_gram(
                texts,
                counts.clamp(min=1),
                dim=settings.width,
                epochs=settings.skip_gram_epochs,
                threshold=1e-4,
                seed=settings.seed,
            )
            vectors = 0.05 * vectors / vectors.std()
            unseen = counts == 0  # including the special tokens
            vectors[unseen] = 0.05 * torch.randn(
                int(unseen.sum()),
                settings.width,
                generator=torch.Generator().manual_seed(settings.seed),
            )
            save_file({"vectors": vectors}, path)
        return load_file(path)["vectors"]


def pretrain(
    run: Run, device: torch.device, keep_every: float = 120.0, compiled: bool = False
) -> BertForPreTraining:
    """Train, resuming from the last saved state if there is one; return the trained model."""
    settings, corpus = run.settings, run.corpus()
    model = build(settings)
    vectors = run.start(corpus)
    if vectors is not None:
        model.bert.embeddings.word_embeddings.weight.data.copy_(vectors)
    model.to(device).train()
    steppers = optimizers(model, settings)
    state: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "spread": False}
    saved = kept(run.folder)
    if saved is not None:
        model.load_state_dict(saved.pop("model"))
        for stepper, part in zip(steppers, saved.pop("steppers"), strict=True):
            stepper.load_state_dict(part)
        state |= saved

    if compiled:
        model.bert.compile()

    def save(step: int) -> None:
        done = {**state, "step": step, "seconds": state["seconds"] + time.perf_counter() - begun}
        parts = [stepper.state_dict() for stepper in steppers]
        keep(run.folder, {**done, "model": model.state_dict(), "steppers": parts})

    half = half_width(device)
    begun = last = time.perf_counter()
    window: list[tuple[float, float, float]] = []
    bar = tqdm(
        total=settings.steps * settings.tokens_per_step,
        initial=state["step"] * settings.tokens_per_step,
        unit="tok",
        unit_scale=True,
        desc="pretraining",
        mininterval=2,
    )
    for step, batch in enumerate(batches(corpus, settings, state["step"]), state["step"]):
        # once, even if a change of `tokens` has moved the first long step
        if step >= settings.first_long_step and not state["spread"]:
            spread_positions(model, settings)
            state["spread"] = True
        batch = {name: part.to(device) for name, part in batch.items()}
        set_rate(steppers, settings.rate(step))
        model.zero_grad()
        with torch.autocast(device.type, torch.bfloat16, enabled=half):
            masked, pairs, right = losses(model, batch)
        (masked + pairs).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
        window.append((masked.item(), pairs.item(), right.item()))
        bar.update(settings.tokens_per_step)
        if len(window) == 100 or step + 1 == settings.steps:
            means = np.nanmean(window, axis=0)
            names = ("masked", "pairs", "pairs_right")
            point = {name: round(float(mean), 4) for name, mean in zip(names, means)}
            state["curve"].append({"tokens": (step + 1) * settings.tokens_per_step, **point})
            bar.set_postfix(point)
            window = []
            if time.perf_counter() - last > keep_every or step + 1 == settings.steps:
                save(step + 1)
                last = time.perf_counter()
    bar.close()
    return model


def spread_positions(model: BertForPreTraining, settings: Settings) -> None:
    """Initialize the embeddings of positions beyond the short rows as copies of those within them.

    They do not occur in short rows, so they are still random when the long rows begin, which would
    spoil much of what the model has learned. Copies are a better start (Beltagy, Peters & Cohan
    2020). The first position, of [CLS], is not copied.
    """
    table = model.bert.embeddings.position_embeddings.weight.data
    learned = table[1 : settings.length]
    times = -(-len(table) // len(learned))
    table[settings.length :] = learned.repeat(times, 1)[: len(table) - settings.length]


def half_width(device: torch.device) -> bool:
    """Whether the hardware supports bfloat16."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def export(run: Run, model: BertForPreTraining, folder: Path) -> None:
    """Write weights (float16), configuration and vocabulary in the format of transformers.

    `training.json` in the same folder has the settings, the training time and the loss curves.
    """
    state = kept(run.folder)
    assert state is not None
    training = {
        "settings": asdict(run.settings),
        "tokens": run.settings.steps * run.settings.tokens_per_step,
        "hours": round(state["seconds"] / 3600, 2),
        "made_with": {name: version(name) for name in ("torch", "tokenizers", "transformers")},
        "curve": state["curve"],
    }
    model = model.cpu().half()
    model.config.hidden_dropout_prob = model.config.attention_probs_dropout_prob = 0.1
    model.config.dtype = "float16"
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    BertTokenizerFast(str(run.folder / "vocab.txt")).save_pretrained(folder)
    shutil.copy(run.folder / "vocab.txt", folder / "vocab.txt")
    text = json.dumps(training, indent=1)
    (folder / "training.json").write_text(text + "\n", "utf-8")
    (folder / "model.safetensors").chmod(0o644)  # the library makes it private


def argument_parser(doc: str | None, folder: Path, settings: Schedule) -> argparse.ArgumentParser:
    """The options of a run that can be resumed: its folder, the model's, and every setting."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--export", type=Path, help="folder of the model (default: FOLDER/model)")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--keep-every", type=float, default=120.0, help="seconds between saved states"
    )
    for name, default in asdict(settings).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return parser


def parsed(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """The options by name, with the threads already set."""
    options = vars(parser.parse_args())
    torch.set_num_threads(options.pop("threads"))
    return options


@contextlib.contextmanager
def stopping_plainly() -> Iterator[None]:
    """End the program with one sentence if its data are wrong or it is interrupted."""
    try:
        yield
    except DataError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Stopped; the same command resumes from the last saved state.")


def main() -> None:
    parser = argument_parser(__doc__, Path(".pretraining"), Settings())
    parser.add_argument(
        "--compile", action="store_true", help="fuse the encoder's steps (needs a C++ compiler)"
    )
    options = parsed(parser)
    folder, target = options.pop("folder"), options.pop("export")
    keep_every, compiled = options.pop("keep_every"), options.pop("compile")
    with stopping_plainly():
        run = Run(folder, Settings(**options))
        model = pretrain(run, pick_device("auto"), keep_every, compiled)
        export(run, model, target or folder / "model")


if __name__ == "__main__":
    main()
