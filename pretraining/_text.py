"""Text for pretraining: a WordPiece vocabulary, and rows of tokens.

A row is one window of a text, split in two at a sentence boundary, as in BERT (Devlin et al. 2019):
`[CLS] A [SEP] B [SEP]`. In half of the rows B does not follow A but is a span of the same length
from another text, and the row is labelled accordingly. All randomness depends only on the seed and
the epoch, so a resumed run sees exactly the same rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from tokenizers import BertWordPieceTokenizer
from tqdm.auto import tqdm

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = range(len(SPECIAL))
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass
class Corpus:
    """All texts as one long sequence of token ids.

    Attributes
    ----------
    ids : uint16 array of shape (N,)
    sentences : int64 array
        The start of each sentence, followed by N.
    texts : int64 array
        The index of the first sentence of each text, followed by the number of sentences.
    """

    ids: np.ndarray
    sentences: np.ndarray
    texts: np.ndarray

    def save(self, path: Path) -> None:
        np.savez(path, ids=self.ids, sentences=self.sentences, texts=self.texts)

    @classmethod
    def load(cls, path: Path) -> Corpus:
        with np.load(path, allow_pickle=False) as file:
            return cls(file["ids"], file["sentences"], file["texts"])


@dataclass
class Rows:
    """The input of the model, before masking.

    Attributes
    ----------
    ids : uint16 array of shape (R, L)
        Padded with `PAD`.
    first : int64 array of shape (R,)
        The length of `[CLS] A [SEP]`, where segment 1 begins.
    follows : int64 array of shape (R,)
        1 if B follows A in the text, 0 if it comes from another text, -100 if there is no B.
    """

    ids: np.ndarray
    first: np.ndarray
    follows: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)


def sentences(text: str) -> list[str]:
    """The sentences of a text, roughly: split after . ! ? and at line ends."""
    return [part for part in (part.strip() for part in _SENTENCE_END.split(text)) if part]


def train_tokenizer(texts: list[str], size: int) -> BertWordPieceTokenizer:
    """A lower-case WordPiece vocabulary of `size` tokens, learned from the texts."""
    tokenizer = BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(
        texts,
        vocab_size=size,
        min_frequency=2,
        limit_alphabet=200,
        special_tokens=SPECIAL,
        show_progress=False,
    )
    return tokenizer


def encode(texts: list[str], tokenizer: BertWordPieceTokenizer) -> Corpus:
    """The texts as tokens, without special tokens; texts without words are dropped."""
    parts, lengths, starts = [], [], [0]
    for begin in tqdm(range(0, len(texts), 1000), desc="tokens", unit="k texts"):
        split = [sentences(text) for text in texts[begin : begin + 1000]]
        flat = [sentence for text in split for sentence in text]
        encoded = iter(tokenizer.encode_batch(flat, add_special_tokens=False))
        for text in split:
            found = [ids for ids in (next(encoded).ids for _ in text) if ids]
            if not found:
                continue
            parts.extend(np.asarray(ids, dtype=np.uint16) for ids in found)
            lengths.extend(len(ids) for ids in found)
            starts.append(starts[-1] + len(found))
    begins = np.concatenate([[0], np.cumsum(lengths)])
    return Corpus(np.concatenate(parts), begins.astype(np.int64), np.asarray(starts))


def rows(corpus: Corpus, length: int, seed: int, epoch: int) -> Rows:
    """One pass over the texts as rows of at most `length` tokens, in random order."""
    rng = np.random.default_rng([seed, epoch, length])
    windows = _windows(corpus, length - 3)
    windows = windows[rng.permutation(len(windows))]
    ids = np.full((len(windows), length), PAD, dtype=np.uint16)
    first = np.zeros(len(windows), dtype=np.int64)
    follows = np.full(len(windows), -100, dtype=np.int64)
    swapped = rng.random(len(windows)) < 0.5
    others = windows[rng.integers(len(windows), size=len(windows))]
    draws = rng.random(len(windows))
    ids[:, 0] = CLS
    for row, (begin, end, text) in enumerate(windows):
        cut = _cut(corpus.sentences, begin, end, draws[row])
        first[row] = cut - begin + 2
        ids[row, 1 : first[row] - 1] = corpus.ids[begin:cut]
        ids[row, first[row] - 1] = SEP
        if cut == end:
            continue
        part = corpus.ids[cut:end]
        follows[row] = 1
        other_begin, other_end, other_text = others[row]
        if swapped[row] and other_text != text:
            part = corpus.ids[other_begin : min(other_end, other_begin + end - cut)]
            follows[row] = 0
        ids[row, first[row] : first[row] + len(part)] = part
        ids[row, first[row] + len(part)] = SEP
    return Rows(ids, first, follows)


def n_rows(corpus: Corpus, length: int) -> int:
    """The number of rows of `length` tokens in one pass over the texts."""
    room, edges = length - 3, corpus.sentences[corpus.texts]
    return int((-(-np.diff(edges) // room)).sum())


def _windows(corpus: Corpus, room: int) -> np.ndarray:
    """Start, end and text of each window, (W, 3): texts are split every `room` tokens.

    The last window of a text starts earlier if necessary, so that it is full, too.
    """
    edges = corpus.sentences[corpus.texts]
    found = [
        (max(int(start), min(begin, int(end) - room)), min(begin + room, int(end)), text)
        for text, (start, end) in enumerate(pairwise(edges))
        for begin in range(int(start), int(end), room)
    ]
    return np.asarray(found)


def _cut(starts: np.ndarray, begin: int, end: int, draw: float) -> int:
    """A sentence start between `begin` and `end`, or `end` when there is none."""
    low, high = np.searchsorted(starts, [begin + 1, end])
    return int(starts[low + int(draw * (high - low))]) if low < high else end
