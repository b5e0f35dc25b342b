"""TextCNN: one width and several, padding with any vectors, biases that padding would win by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case

from ..draw import lengths_mask, normal, number
from .common import linear

POINTS = {"values": 2, "padding": 3, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        widths: list[int],
        title: str = "",
        longest: int | None = None,
        bias: float = 0.0,
        positive: bool = False,
        m: int | None = None,
        later: list[int] | None = None,
        **more: Any,
    ) -> Case:
        dim, m = number(rng, 2, 3), m or number(rng, 2, 4)
        state: dict[str, Any] = {}
        for i, n in enumerate(widths):
            state |= linear(rng, f"filters.{i}", n * dim, m)
            state[f"filters.{i}.bias"] += bias
        mask = lengths_mask(lengths, longest)
        X = normal(rng, *mask.shape, dim)
        if positive:
            state = {name: values.abs() + 0.1 for name, values in state.items()}
            X = X.abs() + 0.1
        then: list[tuple[Any, ...]] = [("__call__", X, mask), (".size",)]
        if later is not None:
            mask = lengths_mask(later, longest)
            then.append(("__call__", normal(rng, *mask.shape, dim), mask))
        return Case(group, [dim, m, widths], state=state, then=then, title=title, **more)

    yield case("values", [5, 5], [2], "one width")
    yield case("values", [number(rng, 5, 7)], [1, 3], "a batch of one text")
    yield case("values", [6, 6], [3, 2], "the wider one first")
    title = "all responses are below 0 before relu"
    yield case("values", [4, 4], [2, 1], title, bias=-9.0)
    title = "what training changes"
    yield case("values", [4, 4], [2, 3], title, positive=True, gradient="all")
    yield case("padding", [2, 6, number(rng, 1, 4)], [2, 3], "texts of several lengths")
    title = "two batches, one after the other"
    yield case("padding", [2, 5, 4], [2, 3], title, bias=1.0, later=[5, 1, 3])
    title = "large biases: a window of padding would win"
    yield case("padding", [3, 1, 5], [2], title, bias=2.0)
    title = "every text ends before the batch does"
    yield case("padding", [number(rng, 1, 2), 3], [3, 2], title, longest=6)
    title = "padding: what training changes"
    yield case("padding", [4, 3], [2, 3], title, positive=True, gradient="all")
    yield case("edges", [1, 1, 1], [2, 3], "texts of one token", positive=True)
    title = "one filter of each width"
    yield case("edges", [4, number(rng, 2, 3)], [2, 1], title, positive=True, m=1)
    yield case("edges", [2, 1], [6, number(rng, 3, 5)], "widths beyond the texts")
    yield case("edges", [0, number(rng, 2, 4)], [2, 3], "a text without tokens", bias=1.0)
    yield case("edges", [0], [2], "nothing but padding", longest=3, bias=1.0)
    then, m = [(".widths",), (".size",), (".filters.2.in_features",)], number(rng, 1, 4)
    yield Case("edges", [2, m], then=then, title="the default widths")
    widths, m = [2, number(rng, 3, 5)], number(rng, 1, 4)
    then = [(".widths",), (".size",)]
    yield Case("edges", [2, m, widths], then=then, title="the widths are kept as a tuple")


FURTHER = """
For each width: `ngram_windows` on X with zeros at padding, the linear layer, relu, then
`masked_fill` with 0 at padding, which is harmless after relu, and `amax` over the positions.
"""

WRONG = {
    "windows_of_padding_take_part": """
        Windows that begin at padding take part in the maximum, with the response relu(b). Leave
        them out: fill their responses with 0, which after relu never wins against a real one.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.amax(dim=1))
        """,
    "sees_padding": """
        The last windows of a text see the vectors at padding, so its result depends on what the
        batch has there. Set X to zeros at padding before you make the windows.

        - X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "minus_infinity_for_an_empty_text": """
        The maximum over no windows is minus infinity, which a text without tokens gets here. Its
        vector should be zeros: fill with 0 instead, which after relu never wins, or use max_pool.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.masked_fill(~mask.unsqueeze(-1), -torch.inf).amax(dim=1))
        """,
    "no_relu": """
        relu is missing. Without it a filter that nothing in the text excites has a negative
        response instead of 0.

        - responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + responses = layer(ngram_windows(X, n))
        + found.append(max_pool(responses, mask))
        """,
    "tanh_for_relu": """
        This is tanh, whose responses end at 1. The activation function here is relu.

        - responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
        + responses = torch.tanh(layer(ngram_windows(X, n)))
        """,
    "mean_over_time": """
        This is the mean of the responses over the text. Max over time keeps the largest of each
        filter.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(mean_pool(responses, mask))
        """,
    "only_complete_windows": """
        Only windows that lie in the text as a whole take part here. A text shorter than n then has
        none. A window takes part if it begins at a token; after the end it sees zeros.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + inside = ngram_windows(mask.unsqueeze(-1).float(), n).all(dim=-1, keepdim=True)
        + found.append(responses.masked_fill(~inside, 0.0).amax(dim=1))
        """,
    "plain_list": """
        The layers are in a plain list, so PyTorch does not register them and never trains them.
        Put them into an nn.ModuleList.

        raises AttributeError

        - self.filters = nn.ModuleList(nn.Linear(n * dim, n_filters) for n in widths)
        + self.filters = [nn.Linear(n * dim, n_filters) for n in widths]
        """,
    "filter_by_filter": """
        The results of the widths are interleaved. First come the maxima of all filters of the
        first width, then those of the second.

        - return torch.cat(found, dim=1)
        + return torch.stack(found, dim=2).flatten(1)
        """,
    "adds_widths": """
        The results of the widths are added up. Concatenate them.

        - return torch.cat(found, dim=1)
        + return torch.stack(found).sum(dim=0)
        """,
    "size_of_one_width": """
        `size` is the length of the vectors that the encoder returns: the number of filters of all
        widths.

        - self.size = n_filters * len(self.widths)
        + self.size = n_filters
        """,
    "padding_wins_but_in_empty_texts": """
        Windows that begin at padding take part in the maximum, with the response relu(b), except in
        texts without tokens. In every text, fill their responses with 0 before you take the
        maximum.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.amax(dim=1))
        ...
        - return torch.cat(found, dim=1)
        + return torch.cat(found, dim=1).masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        """,
    "ignores_the_mask": """
        The mask is not used: windows see the vectors at padding, and those that begin there take
        part in the maximum. Set X to zeros at padding first, and leave these windows out.

        - X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
        ...
        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.amax(dim=1))
        """,
    "sum_over_time": """
        This is the sum of the responses over the text. Max over time keeps the largest of each
        filter.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).sum(dim=1))
        """,
    "without_relu_but_zero_at_padding": """
        relu is missing: a filter may have a negative response. With relu, what no window of the
        text excites is 0.

        - responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
        + responses = layer(ngram_windows(X, n))  # (B, L, m)
        """,
    "maximum_over_filters": """
        The maximum is taken over the filters. Max over time runs over the positions, axis 1 of (B,
        L, m), and keeps a number for each filter.

        - found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
        + found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=2))
        """,
}

RIGHT = {
    "max_pool": """
        class TextCNN(nn.Module):
            def __init__(self, dim, n_filters, widths=(3, 4, 5)):
                super().__init__()
                self.widths = tuple(widths)
                self.filters = nn.ModuleList([nn.Linear(w * dim, n_filters) for w in self.widths])
                self.size = len(self.widths) * n_filters

            def forward(self, X, mask):
                X = torch.where(mask[..., None], X, 0.0)
                return torch.cat(
                    [
                        max_pool(F.relu(layer(ngram_windows(X, n))), mask)
                        for n, layer in zip(self.widths, self.filters)
                    ],
                    dim=-1,
                )
        """,
    "relu_last": """
        class TextCNN(nn.Module):
            def __init__(self, dim, n_filters, widths=(3, 4, 5)):
                super().__init__()
                self.widths = tuple(widths)
                self.filters = nn.ModuleList()
                for n in self.widths:
                    self.filters.append(nn.Linear(n * dim, n_filters))
                self.size = sum(layer.out_features for layer in self.filters)

            def forward(self, X, mask):
                X = X.masked_fill(~mask[:, :, None], 0)
                out = []
                for n, layer in zip(self.widths, self.filters):
                    scores = layer(ngram_windows(X, n))
                    scores = scores.masked_fill(~mask[:, :, None], float("-inf"))
                    out.append(scores.max(dim=1).values.relu())
                return torch.cat(out, dim=1)
        """,
    "convolution": """
        class TextCNN(nn.Module):
            def __init__(self, dim, n_filters, widths=(3, 4, 5)):
                super().__init__()
                self.widths = tuple(widths)
                self.filters = nn.ModuleList(nn.Linear(n * dim, n_filters) for n in widths)
                self.size = n_filters * len(self.filters)

            def forward(self, X, mask):
                X = X.masked_fill(~mask.unsqueeze(-1), 0.0).transpose(1, 2)
                out = []
                for n, layer in zip(self.widths, self.filters):
                    weight = layer.weight.view(-1, n, X.shape[1]).transpose(1, 2)
                    found = F.conv1d(F.pad(X, (0, n - 1)), weight, layer.bias).relu()
                    out.append((found * mask.unsqueeze(1)).amax(dim=2))
                return torch.cat(out, dim=1)
        """,
}

EQUIVALENT = {
    "Real tokens come before the padding.": """
             def forward(self, X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "A batch without any token has nothing to learn from.": "every edit: constant corner",
}
