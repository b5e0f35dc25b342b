"""WordFromLetters: windows over the end, short words, padding, widths in order, no letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import draw_ids, linear, normal, number

POINTS = {"vectors": 2, "padding": 2, "gradient": 1, "edges": 1}


def words(rng: np.random.Generator, lengths: list[int], longest: int | None = None) -> torch.Tensor:
    """Words of these lengths, of letters from 1 on, padded with 0."""
    ids = draw_ids(rng, 9, len(lengths), longest or max(lengths), low=1)
    return ids.masked_fill(torch.arange(ids.shape[1]) >= torch.tensor(lengths)[:, None], 0)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        ids: torch.Tensor,
        title: str = "",
        widths: tuple[int, ...] = (1, 2, 3),
        shift: float = 0.5,
        row: torch.Tensor | None = None,
        sizes: tuple[int, ...] = (9, 4, 3, 2),
        **more: Any,
    ) -> Case:
        n_letters, dim, n_filters, letter_dim = sizes
        state = {"letters.weight": normal(rng, n_letters, letter_dim)}
        state["letters.weight"][0] = 0.0 if row is None else row
        for place, width in enumerate(widths):
            state |= linear(rng, f"filters.{place}", width * letter_dim, n_filters, shift=shift)
        state |= linear(rng, "project", n_filters * len(widths), dim)
        given = [n_letters, dim, list(widths), n_filters, letter_dim]
        then = more.pop("then", [("__call__", ids)])
        return Case(group, given, state=state, then=then, title=title, **more)

    yield case("vectors", words(rng, [5, 5]))
    yield case("vectors", words(rng, [number(rng, 6, 8)]), widths=(3,))
    ids = words(rng, [3, number(rng, 4, 6)])
    yield case("vectors", ids, "other sizes", sizes=(12, 3, 2, 4))
    yield case("vectors", words(rng, [6, 6, 6]), "widths in another order", widths=(3, 1))
    ids = words(rng, [4, 4])
    yield case("vectors", ids, "with the sizes kept", then=[("__call__", ids), (".widths",)])
    then = [(".widths",), (".filters.3.out_features",), (".letters.embedding_dim",)]
    then += [(".letters.padding_idx",)]
    sizes = [number(rng, 6, 9), 5]
    yield Case("vectors", sizes, then=then, title="the default sizes; letter 0 is padding")
    yield case("padding", words(rng, [2, 6, number(rng, 3, 5)]), shift=2.0)
    yield case("padding", words(rng, [4, number(rng, 2, 3)], 9), "padding for all", shift=2.0)
    yield case("padding", words(rng, [1, number(rng, 3, 5)]), "a word of one letter", shift=2.0)
    row = normal(rng, 2) + 3.0
    title = "the vector of the padding is not zero"
    yield case("padding", words(rng, [2, 5]), title, row=row)
    yield case("gradient", words(rng, [4, 3]), "what training changes", gradient="all")
    ids = words(rng, [3, number(rng, 4, 5)])
    yield case("gradient", ids, "and with one width", widths=(2,), gradient="all")
    yield case("edges", words(rng, [0, number(rng, 2, 4)]), "no letters", shift=2.0)
    ids = torch.from_numpy(rng.permutation(np.arange(1, 9))[:4, None])
    yield case("edges", ids, "four words of one letter, each another one")
    yield case("edges", words(rng, [2, 1]), "shorter than every filter", widths=(4, 3))
    yield case("edges", words(rng, [0, 0], 3), "two words without letters", shift=2.0)


WRONG = {
    "padding_takes_part": """
        Windows that begin at padding take part in the maximum: relu of the bias may well be the largest
        response, and a word's vector depends on its batch. Keep them out.

        - maxima.append((torch.relu(layer(windows)) * real).amax(dim=1))
        + maxima.append(torch.relu(layer(windows)).amax(dim=1))
        """,
    "padding_not_zero": """
        A window over a word's end sees the vector of the padding letter. It is to see zeros, whatever the
        embedding contains in row 0.

        - E = self.letters(letters) * real
        + E = self.letters(letters)
        """,
    "no_window_over_the_end": """
        Windows over the end are missing: a word of l letters has l windows of every width. Append n - 1
        positions of zeros.

        - windows = F.pad(E, (0, 0, 0, n - 1)).unfold(1, n, 1).transpose(2, 3).flatten(2)
        - maxima.append((torch.relu(layer(windows)) * real).amax(dim=1))
        + windows = E.unfold(1, n, 1).transpose(2, 3).flatten(2)
        + maxima.append((torch.relu(layer(windows)) * real[:, : windows.shape[1]]).amax(dim=1))
        """,
    "zeros_in_front": """
        The zeros are in front of the word. A window *begins* at its letter; append them behind.

        - windows = F.pad(E, (0, 0, 0, n - 1)).unfold(1, n, 1).transpose(2, 3).flatten(2)
        + windows = F.pad(E, (0, 0, n - 1, 0)).unfold(1, n, 1).transpose(2, 3).flatten(2)
        """,
    "centered": """
        The windows have their letter in the middle, with zeros on both sides of the word. A window
        *begins* at its letter: append all n - 1 positions of zeros behind the word.

        - windows = F.pad(E, (0, 0, 0, n - 1)).unfold(1, n, 1).transpose(2, 3).flatten(2)
        + both_ends = (0, 0, (n - 1) // 2, n // 2)
        + windows = F.pad(E, both_ends).unfold(1, n, 1).transpose(2, 3).flatten(2)
        """,
    "component_by_component": """
        The windows are in the wrong order: unfold puts the n positions last. A window is one letter's
        vector after another.

        - windows = F.pad(E, (0, 0, 0, n - 1)).unfold(1, n, 1).transpose(2, 3).flatten(2)
        + windows = F.pad(E, (0, 0, 0, n - 1)).unfold(1, n, 1).flatten(2)
        """,
    "without_relu": """
        relu is missing between the filters and the maximum.

        - maxima.append((torch.relu(layer(windows)) * real).amax(dim=1))
        + maxima.append(layer(windows).masked_fill(~real, -torch.inf).amax(dim=1).nan_to_num(neginf=0.0))
        """,
    "mean": """
        This is the mean over the places. A filter is to say how strongly it responds at its best place:
        take the maximum.

        - maxima.append((torch.relu(layer(windows)) * real).amax(dim=1))
        + total = (torch.relu(layer(windows)) * real).sum(dim=1)
        + maxima.append(total / real.sum(dim=1).clamp(min=1))
        """,
    "widths_reversed": """
        The maxima are concatenated in another order: those of the first width come first.

        - return self.project(torch.cat(maxima, dim=1))
        + return self.project(torch.cat(maxima[::-1], dim=1))
        """,
    "relu_at_the_end": """
        The vector of the word passes through relu once more. The last layer is linear.

        - return self.project(torch.cat(maxima, dim=1))
        + return torch.relu(self.project(torch.cat(maxima, dim=1)))
        """,
    "zeros_without_letters": """
        A word without letters gets zeros. Only its maxima are 0; the last layer makes its bias of
        them, as for any other word.

        - return self.project(torch.cat(maxima, dim=1))
        + return self.project(torch.cat(maxima, dim=1)) * real.any(dim=1)
        """,
    "plain_list": """
        The filters are in a plain list, where the module does not find their weights. Use nn.ModuleList.

        raises AttributeError

        - self.filters = nn.ModuleList(nn.Linear(n * letter_dim, n_filters) for n in widths)
        + self.filters = [nn.Linear(n * letter_dim, n_filters) for n in widths]
        """,
}

RIGHT = {
    "conv1d": """
        class WordFromLetters(nn.Module):
            def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
                super().__init__()
                self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
                self.filters = nn.ModuleList([nn.Linear(letter_dim * n, n_filters) for n in widths])
                self.project = nn.Linear(len(widths) * n_filters, dim)
                self.widths = tuple(widths)

            def forward(self, letters):
                mask = letters > 0
                X = torch.where(mask[:, :, None], self.letters(letters), 0).transpose(1, 2)
                found = []
                for n, layer in zip(self.widths, self.filters):
                    kernel = layer.weight.view(layer.out_features, n, X.shape[1]).transpose(1, 2)
                    Y = F.conv1d(F.pad(X, (0, n - 1)), kernel, layer.bias).relu()
                    found.append(Y.masked_fill(~mask[:, None], 0).max(dim=2)[0])
                return self.project(torch.cat(found, dim=1))
        """,
    "word_by_word": """
        class WordFromLetters(nn.Module):
            def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
                super().__init__()
                self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
                self.filters = nn.ModuleList()
                for n in widths:
                    self.filters.append(nn.Linear(n * letter_dim, n_filters))
                self.project = nn.Linear(n_filters * len(widths), dim)
                self.widths = tuple(widths)
                self.n_filters = n_filters

            def one(self, ids):
                E = self.letters(ids)
                parts = []
                for n, layer in zip(self.widths, self.filters):
                    best = torch.zeros(self.n_filters)
                    padded = torch.cat([E, torch.zeros(n - 1, E.shape[1])])
                    for t in range(len(ids)):
                        best = torch.maximum(best, layer(padded[t : t + n].flatten()))
                    parts.append(best)
                return self.project(torch.cat(parts))

            def forward(self, letters):
                return torch.stack([self.one(row[row != 0]) for row in letters])
        """,
}

FURTHER = """
Look at one width n: append n - 1 positions of zeros, so that there are as many windows as letters; the
linear layer takes n * letter_dim numbers. After relu nothing is below 0, so setting the windows that
begin at padding to 0 keeps them out of the maximum.
"""

EQUIVALENT = {
    "No letter has an id below 0.": """
        -        real = (letters != 0).unsqueeze(-1)
        +        real = (letters > 0).unsqueeze(-1)
        """,
}
