"""The encoders that assignment 13 compares, all called with ids, segments and mask of WordPieces.

Each returns vectors, (B, L, 256), so that the notebook's heads fit every one. A head that reads the
first vector needs one that has seen the whole text: the backward LSTM's has, and a causal model's is
replaced by that of its last token.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import torch
from _pairs import with_cells
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from coursekit import load_pretrained, load_vectors

ROOT = Path(__file__).parent.parent
WIDTH = 256


class Lstm(nn.Module):
    """A bidirectional LSTM over vectors, (B, L, n) to (B, L, 256)."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(n, WIDTH // 2, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.2)

    def forward(self, X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        lengths = mask.sum(dim=1).cpu()
        packed = pack_padded_sequence(self.dropout(X), lengths, True, enforce_sorted=False)
        return pad_packed_sequence(self.lstm(packed)[0], True, total_length=X.shape[1])[0]


class VectorLstm(nn.Module):
    """A BiLSTM whose embeddings of WordPieces that are words begin as the vectors of 02."""

    def __init__(self) -> None:
        super().__init__()
        parts, vectors = load_pretrained("imdb"), load_vectors("imdb")
        place = {word: i for i, word in enumerate(vectors.words)}
        table = torch.as_tensor(vectors.matrix).float()
        self.tokens = nn.Embedding(len(parts.tokens), table.shape[1])
        nn.init.normal_(self.tokens.weight, std=float(table.std()))
        with torch.no_grad():
            for i, token in enumerate(parts.tokens):
                if token in place:
                    self.tokens.weight[i] = table[place[token]]
        self.segments = nn.Embedding(2, table.shape[1])
        nn.init.zeros_(self.segments.weight)
        self.reader = Lstm(table.shape[1])

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        found: torch.Tensor = self.reader(self.tokens(ids) + self.segments(segments), mask)
        return found


class BilmLstm(nn.Module):
    """A BiLSTM on the learned mix of the frozen layers of 10's biLM; a word's pieces share its vector."""

    def __init__(self) -> None:
        super().__init__()
        notebook = ROOT / "solutions/10_contextual_vectors/10_contextual_vectors.ipynb"
        scope = with_cells(notebook, "class Reader")
        self.frozen = [scope["bilm"]]  # in a list: its weights are not ours to train
        self.known: dict[tuple[str, ...], torch.Tensor] = {}
        self.tokens = load_pretrained("imdb").tokens
        self.mix = scope["ScalarMix"](3)
        self.segments = nn.Embedding(2, WIDTH)
        nn.init.zeros_(self.segments.weight)
        self.reader = Lstm(WIDTH)

    def _layers(self, ids: list[int]) -> torch.Tensor:
        words: list[str] = []
        where = []
        for i in ids:
            token = self.tokens[i]
            if token.startswith("##") and words:
                words[-1] += token[2:]
            else:
                words.append({"[CLS]": "<s>", "[SEP]": "</s>"}.get(token, token))
            where.append(len(words) - 1)
        key = tuple(words)
        if key not in self.known:
            self.known[key] = self.frozen[0].layers([words])[0]
        return self.known[key][:, where].transpose(0, 1)  # (L, 3, 256)

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        rows = [self._layers(row[real].tolist()) for row, real in zip(ids, mask, strict=True)]
        layers = pad_sequence(rows, True).permute(2, 0, 1, 3)
        found: torch.Tensor = self.reader(self.mix(layers, mask) + self.segments(segments), mask)
        return found


class Causal(nn.Module):
    """12's GPT; its first vector is that of the last token, which alone has seen the whole text."""

    def __init__(self) -> None:
        super().__init__()
        notebook = ROOT / "solutions/12_pretraining_to_write/12_pretraining_to_write.ipynb"
        self.gpt = with_cells(notebook, "encoder =", "SIZES =", "def load_gpt")["gpt"]

    def forward(
        self, ids: torch.Tensor, segments: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        H, _ = self.gpt.states(ids)
        last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
        return torch.cat([last[:, None], H[:, 1:]], dim=1)


@functools.cache
def scope_of_13() -> dict[str, Any]:
    """The definitions of assignment 13, with its encoder's tokens and its settings."""
    notebook = ROOT / "solutions/13_many_tasks/13_many_tasks.ipynb"
    return with_cells(notebook, "PARTS =", "PAIRS =", "QUESTIONS =")


def make(system: str) -> nn.Module:
    """A new encoder of a system of the table."""
    if system in ("BERT", "distilled"):
        name = "imdb" if system == "BERT" else "imdb-distilled"
        encoder: nn.Module = scope_of_13()["Encoder"](name)
        return encoder
    return {"BiLSTM": VectorLstm, "biLM": BilmLstm, "GPT": Causal}[system]()
