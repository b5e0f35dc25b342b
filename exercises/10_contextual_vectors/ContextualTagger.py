"""ContextualTagger: frozen layers beside own vectors, packed texts, and the tagger without layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, draw_ids, lengths_mask, linear, normal, number

POINTS = {"scores": 2, "padding": 2, "frozen": 2, "alone": 1}

#: A hook that notes the largest number that the LSTM reads.
_LARGEST = {
    "lstm._forward_pre_hooks": codec.Source(
        "{0: lambda lstm, inputs: setattr(lstm, 'largest', inputs[0].data.abs().max().item())}"
    )
}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        lengths: list[int],
        title: str = "",
        n_layers: int = 2,
        dropout: float = 0.0,
        size: int | None = None,
        sizes: tuple[int, ...] = (8, 2, 3, 4, 5),
        hooks: dict[str, Any] | None = None,
        **more: Any,
    ) -> Case:
        n_words, dim, layer_dim, hidden, n_tags = sizes
        width = dim + (layer_dim if n_layers else 0)
        state = {"embedding.weight": normal(rng, n_words, dim)}
        state["embedding.weight"][0] = 0.0
        if n_layers:
            state |= {"mix.s": normal(rng, n_layers), "mix.gamma": torch.tensor(1.5)}
        for end in ("", "_reverse"):
            state |= {
                f"lstm.weight_ih_l0{end}": normal(rng, 4 * hidden, width),
                f"lstm.weight_hh_l0{end}": normal(rng, 4 * hidden, hidden),
                f"lstm.bias_ih_l0{end}": normal(rng, 4 * hidden, scale=0.5),
                f"lstm.bias_hh_l0{end}": normal(rng, 4 * hidden, scale=0.5),
            }
        state |= linear(rng, "output", 2 * hidden, n_tags, gain=2.0) | (hooks or {})
        mask = lengths_mask(lengths, size)
        ids = draw_ids(rng, n_words, *mask.shape, low=1).masked_fill(~mask, 0)
        layers = normal(rng, max(1, n_layers), *mask.shape, layer_dim)
        layers = layers.masked_fill(~mask.unsqueeze(-1), more.pop("value", 2.0))
        given = None if more.pop("none", False) else layers
        numbers = [n_words, dim, n_layers, layer_dim, hidden, n_tags]
        numbers += [dropout] if dropout else []
        then = [("__call__", ids, given, mask), *more.pop("then", [])]
        return Case(group, numbers, state=state, then=then, title=title, **more)

    other = (10, 3, 4, 2, 6)
    yield case("scores", [3, 3])
    yield case("scores", [2, number(rng, 3, 4)], "other sizes", sizes=other)
    yield case("scores", [number(rng, 4, 6)], n_layers=3)
    yield case("scores", [4, 4], "one layer", n_layers=1)
    yield case("scores", [3, 3], "all is dropped: the biases remain", dropout=1.0)
    title = "dropout 1: the largest number that the LSTM reads is 0"
    reads = [(".lstm.largest",)]
    yield case("scores", [3, 2], title, dropout=1.0, hooks=_LARGEST, then=reads)
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("scores", [3, number(rng, 3, 4)], title, dropout=1.0, hooks=TO_EVAL)
    yield case("padding", [2, 5, number(rng, 3, 4)])
    yield case("padding", [2, 1], "padding behind the longest text", size=number(rng, 3, 4))
    yield case("padding", [1, number(rng, 3, 5)], "a text of one word", value=9.0)
    yield case("padding", [number(rng, 3, 4), 2], "the longer text first")
    masks = [lengths_mask(lengths) for lengths in ([3, 1], [2, 3])]
    calls = [
        ("__call__", draw_ids(rng, 8, 2, 3, low=1) * mask, normal(rng, 2, 2, 3, 3), mask)
        for mask in masks
    ]
    yield case("padding", [3, 3], "further calls, with other masks", then=calls)
    title, reads = "row 0 is padding; the LSTM is batch first", (".embedding.padding_idx",)
    yield case("padding", [2, 3], title, then=[reads, (".lstm.batch_first",)])
    yield case("frozen", [3, 3], "no gradient into the layers", gradient="all")
    yield case("frozen", [4, 4], "but into s and gamma", n_layers=3, gradient="all")
    yield case("alone", [3, 3], "without layers", n_layers=0)
    yield case("alone", [4, 2], "without layers, other sizes", n_layers=0, sizes=other)
    yield case("alone", [2, number(rng, 3, 5)], "without layers, None", n_layers=0, none=True)
    yield case("alone", [3, 3], "its gradients", n_layers=0, gradient="all")


WRONG = {
    "layers_learn": """
        A gradient flows into the layers, which are frozen: they belong to a model that is not trained
        here. Detach them.

        - X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + X = torch.cat([X, self.mix(layers, mask)], dim=-1)
        """,
    "mix_detached": """
        The whole mix is detached, so its s and gamma never learn. Detach the layers only.

        - X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + X = torch.cat([X, self.mix(layers, mask).detach()], dim=-1)
        """,
    "backward_reads_padding": """
        The backward LSTM begins in the padding of short texts. Pack the texts before the LSTM.

        - lengths = mask.sum(dim=1).cpu()
        - packed = pack_padded_sequence(self.dropout(X), lengths, batch_first=True, enforce_sorted=False)
        - H, _ = pad_packed_sequence(self.lstm(packed)[0], True, total_length=ids.shape[1])
        + H, _ = self.lstm(self.dropout(X))
        """,
    "mix_first": """
        The mix stands before the word's own vector. The own vector comes first.

        - X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + X = torch.cat([self.mix(layers.detach(), mask), X], dim=-1)
        """,
    "last_layer_only": """
        Only the last layer is used. The mix decides how much each layer counts.

        - X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + X = torch.cat([X, self.mix.gamma * layers[-1].detach()], dim=-1)
        """,
    "mean_of_layers": """
        This is the mean of the layers, in which s has no say. Call the mix.

        - X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + X = torch.cat([X, self.mix.gamma * layers.detach().mean(dim=0)], dim=-1)
        """,
    "without_dropout": """
        There is no dropout before the output layer. Drop elements of the states, too, not only of the
        vectors.

        - return self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return self.output(H).masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "dropout_only_after": """
        There is no dropout before the BiLSTM. Drop elements of the vectors that it reads, too, not only of
        the states.

        - packed = pack_padded_sequence(self.dropout(X), lengths, batch_first=True, enforce_sorted=False)
        + packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        """,
    "always_drops": """
        Elements are dropped in evaluation, too. Use the nn.Dropout that is an attribute of the module: eval()
        switches it off.

        - packed = pack_padded_sequence(self.dropout(X), lengths, batch_first=True, enforce_sorted=False)
        + X = F.dropout(X, self.dropout.p)
        + packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        """,
    "order_lost": """
        The texts are sorted by length and not put back in their order. With enforce_sorted=False you need
        not sort.

        - packed = pack_padded_sequence(self.dropout(X), lengths, batch_first=True, enforce_sorted=False)
        + order = lengths.argsort(descending=True)
        + packed = pack_padded_sequence(self.dropout(X)[order], lengths[order], batch_first=True)
        """,
    "softmax": """
        These are probabilities. Return the scores; the loss computes the softmax itself.

        - return self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0)
        + P = self.output(self.dropout(H)).softmax(dim=-1)
        + return P.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "scores_at_padding": """
        At padding there are scores: the biases of the output layer. Give padding zeros.

        - return self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0)
        + return self.output(self.dropout(H))
        """,
    "always_a_mix": """
        With n_layers 0 the tagger has no mix and ignores the layers, which may be None.

        raises TypeError

        - if self.mix is not None:
        -     X = torch.cat([X, self.mix(layers.detach(), mask)], dim=-1)
        + frozen = None if layers is None else layers.detach()
        + X = torch.cat([X, self.mix(frozen, mask)], dim=-1)
        """,
}

RIGHT = {
    "sorts": """
        class ContextualTagger(nn.Module):
            def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
                self.mix = None
                if n_layers > 0:
                    self.mix, dim = ScalarMix(n_layers), dim + layer_dim
                self.lstm = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
                self.output = nn.Linear(hidden * 2, n_tags)
                self.dropout = nn.Dropout(p=dropout)

            def forward(self, ids, layers, mask):
                parts = [self.embedding(ids)]
                if self.mix is not None:
                    with torch.no_grad():
                        frozen = layers.clone()
                    parts.append(self.mix(frozen, mask))
                X = self.dropout(torch.cat(parts, dim=2))
                n = mask.sum(dim=1)
                order = n.argsort(descending=True)
                packed = pack_padded_sequence(X[order], n[order].tolist(), batch_first=True)
                H = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)[0]
                H = F.pad(H, (0, 0, 0, ids.shape[1] - H.shape[1]))[order.argsort()]
                return torch.where(mask[..., None], self.output(self.dropout(H)), 0)
        """,
    "text_by_text": """
        class ContextualTagger(nn.Module):
            def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
                super().__init__()
                self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
                self.mix = ScalarMix(n_layers) if n_layers != 0 else None
                width = dim if self.mix is None else dim + layer_dim
                self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
                self.output = nn.Linear(2 * hidden, n_tags)
                self.dropout = nn.Dropout(dropout)

            def forward(self, ids, layers, mask):
                X = self.embedding(ids)
                if self.mix is not None:
                    X = torch.cat((X, self.mix(layers.detach(), mask)), dim=2)
                X = self.dropout(X)
                rows = []
                for x, n in zip(X, mask.sum(dim=1).tolist()):
                    h = self.dropout(self.lstm(x[None, :n])[0][0])
                    rows.append(F.pad(self.output(h), (0, 0, 0, len(x) - n)))
                return torch.stack(rows)
        """,
}

FURTHER = """
The shapes: own vectors (B, L, dim), the mix (B, L, layer_dim), side by side along the last axis, packed,
through the LSTM, and back to (B, L, 2h). `layers.detach()` before the mix stops the gradient there, so
that s and gamma still get theirs.
"""

EQUIVALENT = {
    "Row 0 is padding, so that no real word has the id 0.": """
             ) -> torch.Tensor:
        +        mask = ids != 0
                 X = self.embedding(ids)

             ) -> torch.Tensor:
        +        mask = mask & (ids != 0)
                 X = self.embedding(ids)
        """,
    "Real words come before the padding.": """
             ) -> torch.Tensor:
        +        mask = torch.arange(mask.shape[-1]) < mask.sum(dim=-1, keepdim=True)
                 X = self.embedding(ids)
        """,
    "Each text has at least one word.": """
        -        return self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0)
        +        return self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0) if mask.any() else self.output(self.dropout(H)).masked_fill(~mask.unsqueeze(-1), 0.0).detach()
        """,
}
