"""Train a bidirectional language model, an ELMo in small, on IMDb's unlabelled reviews from scratch.

Words are read letter by letter, so every word has a vector; two layers of LSTMs read each row of words
forwards and two backwards; both predict the next word in their direction, with one output layer
(Peters et al. 2018). The network is that of assignment 10. Labels, training reviews and test reviews
are not used. Before the run starts, the vectors of words are drawn towards those of assignment 02
(Pinter et al. 2017). The run saves its state in a folder; if it is interrupted, the same command
resumes it with the same words in the same order. In the last fifth the learning rate falls to 0: to end
a run early, stop it and start it again with `--tokens` at 1.25 times what it has read.

    python pretraining/bilm.py --folder .pretraining-bilm --tokens 24e6
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pretrain import Schedule, argument_parser, begin, keep, kept, parsed, stopping_plainly
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import cross_entropy, linear, mse_loss
from tqdm.auto import tqdm

from autograder.course.reference import Solution
from coursekit import load, load_vectors, pick_device
from coursekit.data import DataError

NOTEBOOK = (
    Path(__file__).parent.parent / "solutions/10_contextual_vectors/10_contextual_vectors.ipynb"
)
#: Letter ids: padding, an unknown letter, and the marks around a word; then the letters.
LETTERS = ["<pad>", "<unk>", "<w>", "</w>"]
#: Word ids of the marks around a row, and of words outside the vocabulary.
WORDS = ["<unk>", "<s>", "</s>"]
LONGEST = 16  # letters of a word with its marks; what is longer is cut
_TOKEN = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\.\.\.|--|\w+(?:[-.,]\w+)*|[^\w\s]")
_END = {".", "!", "?"}


@dataclass
class Settings(Schedule):
    """The settings of a run. All but `tokens` are fixed when it starts."""

    tokens: float = 24e6
    tokens_per_step: int = 3_072
    adam_lr: float = 3e-3
    weight_decay: float = 0.01
    warmup_steps: int = 200
    length: int = 48  # words in a row, with its marks
    vocabulary: int = 10_000  # words that can be predicted, in lower case
    letters: int = 100
    dim: int = 128
    frequent: int = 300  # words that are in every softmax, ...
    drawn: int = 500  # ... and drawn ones that stand for the rest
    data: str = "imdb"
    split: str = "unlabelled"
    texts: int = 100_000  # at most


def split_words(text: str) -> list[str]:
    """Split a text into words and punctuation as treebanks do ("do", "n't"), with capitals."""
    text = re.sub(r"<br\s*/?>", " ", text).translate({0x2019: "'", 0x2018: "'"})
    return _TOKEN.findall(text)


@dataclass
class Corpus:
    """All words as ids of their forms, and what each form is.

    Attributes
    ----------
    forms : int32 array of shape (N,)
        The form of each word of all texts.
    rows : int64 array of shape (R, 2)
        Where each row starts and ends.
    letters : uint8 array of shape (F, LONGEST)
        The letters of each form, padded.
    words : int32 array of shape (F,)
        Each form in lower case as a word of the vocabulary.
    """

    forms: np.ndarray
    rows: np.ndarray
    letters: np.ndarray
    words: np.ndarray


def spell(form: str, letters: dict[str, int]) -> list[int]:
    """The letter ids of a form between its marks, padded to `LONGEST`."""
    ids = [letters.get(letter, 1) for letter in form[: LONGEST - 2]]
    return [2, *ids, 3] + [0] * (LONGEST - 2 - len(ids))


def read(folder: Path, settings: Settings) -> tuple[Corpus, list[str], list[str]]:
    """The corpus, its letters and its vocabulary; made once and kept in the folder."""
    path, named = folder / "words.npz", folder / "names.json"
    if not (path.exists() and named.exists()):
        texts = load(settings.data, settings.split).texts[: settings.texts]
        forms: dict[str, int] = {"<s>": 0, "</s>": 1}
        ids: list[np.ndarray] = []
        rows: list[tuple[int, int]] = []
        total, room = 0, settings.length - 2
        for text in tqdm(texts, desc="words", unit="texts"):
            words = split_words(text)
            if len(words) < 2:
                continue
            ids.append(np.array([forms.setdefault(w, len(forms)) for w in words], np.int32))
            start = 0
            while start < len(words):
                end = min(start + room, len(words))
                rows.append((total + start, total + end))
                # the next row starts at the last sentence of this one, if that is not far back
                starts = [i + 1 for i in range(end - room // 3, end) if words[i] in _END]
                start = end if end == len(words) or not starts else starts[-1]
            total += len(words)
        together = np.concatenate(ids)
        counts = np.bincount(together, minlength=len(forms))
        names = list(forms)
        by_letter: Counter[str] = Counter()
        by_word: Counter[str] = Counter()
        for form, count in zip(names[2:], counts[2:].tolist(), strict=True):
            by_word[form.lower()] += count
            for letter in form:
                by_letter[letter] += count
        n_letters = settings.letters - len(LETTERS)
        letters = LETTERS + [letter for letter, _ in by_letter.most_common(n_letters)]
        words = WORDS + [w for w, _ in by_word.most_common(settings.vocabulary - len(WORDS))]
        letter_ids = {letter: i for i, letter in enumerate(letters)}
        word_ids = {word: i for i, word in enumerate(words)}
        spelled = np.array([spell(form, letter_ids) for form in names], np.uint8)
        # the marks around a row are forms of no letters: only their signs
        spelled[:2] = 0
        spelled[0, :2], spelled[1, :2] = [2, 2], [3, 3]
        as_words = np.array([word_ids.get(form.lower(), 0) for form in names], np.int32)
        as_words[:2] = [1, 2]
        fresh = folder / "words.new.npz"
        np.savez(fresh, forms=together, rows=np.array(rows), letters=spelled, words=as_words)
        fresh.replace(path)
        named.write_text(json.dumps({"letters": letters, "words": words}), "utf-8")
    with np.load(path, allow_pickle=False) as file:
        corpus = Corpus(**{name: file[name] for name in ("forms", "rows", "letters", "words")})
    names = json.loads(named.read_text("utf-8"))
    return corpus, names["letters"], names["words"]


def batches(corpus: Corpus, settings: Settings, start: int) -> Iterator[np.ndarray]:
    """Rows of forms, -1 where a row is padded, (B, length). Each depends on seed and step only."""
    n = settings.tokens_per_step // settings.length
    per_pass = len(corpus.rows) // n
    order, epoch_of_order = np.empty(0), -1
    for step in range(start, settings.steps):
        epoch, position = divmod(step, per_pass)
        if epoch != epoch_of_order:
            order = np.random.default_rng([settings.seed, epoch]).permutation(len(corpus.rows))
            epoch_of_order = epoch
        batch = np.full((n, settings.length), -1, np.int64)
        for row, (begins, ends) in enumerate(corpus.rows[order[position * n : (position + 1) * n]]):
            part = corpus.forms[begins:ends]
            batch[row, 0], batch[row, 1 : len(part) + 1], batch[row, len(part) + 1] = 0, part, 1
        yield batch


def sampled_loss(
    model: nn.Module, Z: torch.Tensor, y: torch.Tensor, settings: Settings
) -> torch.Tensor:
    """The loss with a softmax over some words; the logits of drawn ones stand for all of the rest."""
    n_words = len(model.output.bias)
    certain = torch.zeros(n_words, dtype=torch.bool)
    certain[: settings.frequent] = certain[y] = True
    sure, rest = certain.nonzero()[:, 0], (~certain).nonzero()[:, 0]
    drawn = rest[torch.randperm(len(rest))[: settings.drawn]]
    words = torch.cat([sure, drawn])
    shift = torch.zeros(len(words))
    shift[len(sure) :] = math.log(len(rest) / max(1, len(drawn)))
    column = torch.zeros(n_words, dtype=torch.int64)
    column[sure] = torch.arange(len(sure))
    logits = linear(Z, model.output.weight[words], model.output.bias[words] + shift)
    return cross_entropy(logits, column[y])


def loss_of(
    model: nn.Module, corpus: Corpus, batch: np.ndarray, settings: Settings
) -> tuple[torch.Tensor, torch.Tensor]:
    """The losses of both directions on a batch of rows."""
    real = torch.as_tensor(batch >= 0)
    forms, place = np.unique(np.maximum(batch, 0), return_inverse=True)
    vectors = model.words(torch.as_tensor(corpus.letters[forms].astype(np.int64)))
    X = vectors[torch.as_tensor(place.reshape(batch.shape))]
    states = model.read(X, real)[-1]
    targets = torch.as_tensor(corpus.words[np.maximum(batch, 0)].astype(np.int64))
    before, after = states.chunk(2, dim=-1)
    next_real = real[:, 1:]
    forward = sampled_loss(model, before[:, :-1][next_real], targets[:, 1:][next_real], settings)
    backward = sampled_loss(model, after[:, 1:][next_real], targets[:, :-1][next_real], settings)
    return forward, backward


def draw_to_vectors(
    model: nn.Module, letters: dict[str, int], words: list[str], steps: int
) -> None:
    """Start from assignment 02's vectors: copied to the output, imitated by the letters' layer."""
    known = load_vectors("imdb")
    places = {word: i for i, word in enumerate(known.words)}
    shared = [(i, places[w]) for i, w in enumerate(words) if w in places]
    matrix = torch.as_tensor(known.matrix).float()
    matrix = matrix / matrix.std()
    rows = torch.tensor([i for i, _ in shared])
    width = min(matrix.shape[1], model.output.weight.shape[1])
    wanted = matrix[[j for _, j in shared]][:, :width]
    with torch.no_grad():
        model.output.weight[rows, :width] = 0.1 * wanted
    forms = [words[i] for i, _ in shared]
    forms += [form.capitalize() for form in forms]
    spelled = torch.tensor([spell(form, letters) for form in forms])
    wanted = torch.cat([wanted, wanted])
    stepper = torch.optim.Adam(model.words.parameters(), lr=3e-3)
    # frequent words come first and are drawn more often, by Zipf's law as often as their square root
    weights = torch.arange(1.0, len(shared) + 1).rsqrt().repeat(2)
    for step in tqdm(range(steps), desc="letters"):
        for group in stepper.param_groups:
            group["lr"] = 3e-3 * (1 - step / steps)
        some = torch.multinomial(weights, 256)
        stepper.zero_grad()
        loss = mse_loss(model.words(spelled[some])[:, :width], wanted[some])
        loss.backward()
        stepper.step()
    print(f"squared error of the imitated vectors: {loss.item():.2f} (1: nothing learned)")


def pretrain(
    folder: Path, settings: Settings, keep_every: float = 60.0
) -> tuple[nn.Module, list[str], list[str]]:
    """Train, resuming from the last saved state if there is one."""
    begin(folder, settings)
    corpus, letters, words = read(folder, settings)
    torch.manual_seed(settings.seed)
    model = Solution(NOTEBOOK).definitions["BidirectionalLanguageModel"](
        len(letters), len(words), settings.dim
    )
    stepper = torch.optim.AdamW(
        model.parameters(), lr=settings.adam_lr, weight_decay=settings.weight_decay
    )
    state: dict[str, Any] = {"step": 0, "seconds": 0.0, "curve": []}
    saved = kept(folder)
    if saved is None:
        draw_to_vectors(model, {letter: i for i, letter in enumerate(letters)}, words, 2_000)
    else:
        model.load_state_dict(saved.pop("model"))
        stepper.load_state_dict(saved.pop("stepper"))
        state |= saved
    begun = last = time.perf_counter()

    def save(step: int) -> None:
        seconds = state["seconds"] + time.perf_counter() - begun
        parts = {"model": model.state_dict(), "stepper": stepper.state_dict()}
        keep(folder, {**state, "step": step, "seconds": seconds, **parts})

    window: list[tuple[float, float]] = []
    bar = tqdm(
        total=settings.steps * settings.tokens_per_step,
        initial=state["step"] * settings.tokens_per_step,
        unit="tok",
        unit_scale=True,
        mininterval=10,
    )
    for step, batch in enumerate(batches(corpus, settings, state["step"]), state["step"]):
        torch.manual_seed(settings.seed * 1_000_003 + step)  # for the words that are drawn
        for group in stepper.param_groups:
            group["lr"] = settings.adam_lr * settings.rate(step)
        stepper.zero_grad()
        forward, backward = loss_of(model, corpus, batch, settings)
        (forward + backward).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        stepper.step()
        window.append((forward.item(), backward.item()))
        bar.update(settings.tokens_per_step)
        if len(window) == 100 or step + 1 == settings.steps:
            ahead, back = np.mean(window, axis=0).round(4).tolist()
            read_so_far = (step + 1) * settings.tokens_per_step
            state["curve"].append({"tokens": read_so_far, "forward": ahead, "backward": back})
            bar.set_postfix(forward=ahead, backward=back)
            window = []
        if time.perf_counter() - last > keep_every or step + 1 == settings.steps:
            save(step + 1)
            last = time.perf_counter()
    bar.close()
    return model, letters, words


def export(folder: Path, target: Path, settings: Settings) -> None:
    """Write the last saved state: weights in float16, letters and words in the file's header."""
    state = kept(folder)
    if state is None:
        raise DataError(f"{folder} contains no saved state yet.")
    names = json.loads((folder / "names.json").read_text("utf-8"))
    target.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.half().contiguous() for name, tensor in state["model"].items()}
    header = {name: json.dumps(names[name], ensure_ascii=False) for name in ("letters", "words")}
    save_file(weights, target / "bilm.safetensors", metadata=header)
    (target / "bilm.safetensors").chmod(0o644)  # the library makes it private
    training = {
        "settings": asdict(settings),
        "tokens": state["step"] * settings.tokens_per_step,
        "hours": round(state["seconds"] / 3600, 2),
        "made_with": {name: version(name) for name in ("torch",)},
        "curve": state["curve"],
    }
    (target / "training.json").write_text(json.dumps(training, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argument_parser(__doc__, Path(".pretraining-bilm"), Settings())
    parser.add_argument("--only-export", action="store_true", help="write the last saved state")
    parser.set_defaults(keep_every=60.0)
    options = parsed(parser)
    folder, target = options.pop("folder"), options.pop("export")
    keep_every, only_export = options.pop("keep_every"), options.pop("only_export")
    settings = Settings(**options)
    torch.set_default_device(pick_device("auto"))
    torch.set_float32_matmul_precision("high")
    with stopping_plainly():
        if not only_export:
            pretrain(folder, settings, keep_every)
        export(folder, target or folder / "model", settings)


if __name__ == "__main__":
    main()
