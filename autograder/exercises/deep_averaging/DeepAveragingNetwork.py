"""DeepAveragingNetwork: 0 to 3 hidden layers; word dropout is judged where its outcome does not depend on the draw."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch

from autograder.course.exercise import Case
from autograder.exercises.deep_averaging.common import (
    UNKNOWN,
    draw_ids,
    draw_lengths,
    draw_mask,
    draw_numbers,
    normal,
)

POINTS = {"layers": 2, "dropout": 2, "edges": 1}


def _dan(
    rng: np.random.Generator, v: int, dim: int, hidden: int, n: int
) -> dict[str, torch.Tensor]:
    sizes = [dim] + [hidden] * n
    state = {"R.weight": normal(rng, v, dim) * 2}
    for i, (before, after) in enumerate(pairwise(sizes)):
        state[f"layers.{i}.weight"] = normal(rng, after, before)
        state[f"layers.{i}.bias"] = normal(rng, after) / 3
    return {**state, "W_o.weight": normal(rng, 1, sizes[-1]), "W_o.bias": normal(rng, 1)}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        ids: torch.Tensor,
        mask: torch.Tensor,
        n: int,
        rate: float,
        training: bool = False,
        title: str = "",
    ) -> Case:
        v, dim, hidden = 9, int(rng.integers(2, 4)), int(rng.integers(5, 8))
        state = {**_dan(rng, v, dim, hidden, n), "training": training}
        then = [("__call__", ids, mask)]
        return Case(group, [v, dim, hidden, n, rate], state=state, then=then, title=title)

    def texts(n: int, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
        mask = draw_mask(draw_lengths(rng, n, longest))
        return draw_ids(rng, mask, 9), mask

    for n, layers in ((3, 1), (4, 2), (int(rng.integers(5, 8)), 3)):
        yield case("layers", *texts(n, 5), layers, 0.0, title=f"hidden layers: {layers}")
    yield case("layers", *texts(3, 4), 0, 0.0, title="no hidden layer at all")
    title = "in evaluation, no word is dropped"
    yield case("dropout", *texts(5, 6), 1, 0.5, title=title)
    # At a rate of 1 every text would lose all its words, so all texts keep theirs.
    title = "in training, a text never loses all its words"
    yield case("dropout", *texts(5, 5), 1, 1.0, training=True, title=title)
    yield _dropout_case(rng)
    # Each text has one known word, which it keeps however the others are drawn.
    mask = draw_mask([4] * int(rng.integers(11, 14)))
    ids = torch.full(mask.shape, UNKNOWN)
    place = torch.from_numpy(rng.integers(4, size=len(ids)))
    ids[torch.arange(len(ids)), place] = draw_numbers(rng, 2, 9, len(ids))
    title = "in training, texts with one known word keep it"
    yield case("dropout", ids, mask, 1, 0.5, training=True, title=title)
    ids, mask = texts(3, 5)
    ids[0] = UNKNOWN * mask[0]
    ids[1, 0] = UNKNOWN
    yield case("edges", ids, mask, 2, 0.3, title="one text has only unknown words")
    ids, mask = texts(4, 6)
    ids[:, 0] = UNKNOWN
    yield case("edges", ids, mask, 1, 0.3, title="every text begins with an unknown word")
    mask = draw_mask([0, int(rng.integers(2, 5))])
    yield case("edges", draw_ids(rng, mask, 9), mask, 2, 0.3, title="a text without words")
    title = "texts without words, in training"
    empty = torch.zeros(2, 3, dtype=torch.long)
    yield case("edges", empty, empty > 0, 1, 0.5, True, title)
    yield case("edges", draw_numbers(rng, 2, 9, 1, 1), draw_mask([1]), 1, 0.3, title="one word")


def _dropout_case(rng: np.random.Generator) -> Case:
    """One text whose average is 0, but only with all its words: the score shows a dropped one.

    The words are 1, 2, 4, ... and minus their sum, so no other choice of them adds up to 0. One
    layer, relu(z) and relu(-z), makes |z| of the average z. With 16 words all shares are exact, so
    that a network that drops nothing gives exactly 0.
    """
    n = 16
    powers = 2.0 ** torch.arange(n - 1) * float(rng.choice([-1, 1]))
    words = torch.cat([powers, -powers.sum()[None]])[torch.from_numpy(rng.permutation(n))]
    vectors = torch.cat([torch.zeros(2), words])[:, None]
    state = {
        "R.weight": vectors,
        "layers.0.weight": torch.tensor([[1.0], [-1.0]]),
        "layers.0.bias": torch.zeros(2),
        "W_o.weight": torch.ones(1, 2),
        "W_o.bias": torch.zeros(1),
        "training": True,
    }
    ids = torch.arange(2, n + 2)[None]
    judge = {"kind": "between", "low": 0.05, "high": 1e6}
    then = [("__call__", ids, ids > 0)]
    title = "in training, words are dropped: the score is 0 only with all of them"
    return Case("dropout", [n + 2, 1, 2, 1, 0.5], state=state, then=then, judge=judge, title=title)


WRONG = {
    "no_activation": """
        There is no activation function: several linear layers in a row are one linear layer, and
        depth gains nothing. Apply relu after each hidden layer.

        - z = torch.relu(layer(z))
        + z = layer(z)
        """,
    "relu_on_score": """
        The score goes through relu as well, so it is never negative and no text is ever
        classified as negative. The output layer, W_o, has no activation function.

        - return self.W_o(z).squeeze(-1)
        + return torch.relu(self.W_o(z)).squeeze(-1)
        """,
    "last_layer_linear": """
        The last hidden layer has no relu. Every layer in `self.layers` has one; only the output
        layer, W_o, has none.

        - for layer in self.layers:
        -     z = torch.relu(layer(z))
        + for i, layer in enumerate(self.layers):
        +     z = layer(z)
        +     if i < len(self.layers) - 1:
        +         z = torch.relu(z)
        """,
    "relu_before_layer": """
        relu comes before each layer instead of after it, which throws away all negative
        components of the average. z_1 = relu(W_1 z_0 + b_1).

        - z = torch.relu(layer(z))
        + z = layer(torch.relu(z))
        """,
    "drops_while_judging": """
        Words are dropped in evaluation, too. Pass `self.training` to word_dropout: PyTorch sets
        it to True in train() and to False in eval().

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + z = mean_pool(self.R(ids), word_dropout(known, self.rate, True))
        """,
    "never_drops": """
        No word is ever dropped, not even in training. Apply your word_dropout before the average
        and pass it `self.training`.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + z = mean_pool(self.R(ids), known)
        """,
    "drops_components": """
        This is ordinary dropout: it sets single components to 0. Word dropout removes whole
        words from the mask, before the average, and changes nothing else.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + z = mean_pool(self.R(ids), known)
        + z = nn.functional.dropout(z, self.rate, self.training)
        """,
    "includes_unknown": """
        Unknown words take part with the vector of <unk>. They should not count here either: drop
        and average only over positions that are real and known.

        - known = mask & (ids != Vocabulary.unknown)
        + known = mask
        """,
    "drops_before_unknown": """
        Words are dropped first and unknown ones removed afterwards, so a text can lose all its
        known words without word_dropout noticing. Find the real and known words first and drop
        from those.

        - known = mask & (ids != Vocabulary.unknown)
        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + kept = word_dropout(mask, self.rate, self.training)
        + z = mean_pool(self.R(ids), kept & (ids != Vocabulary.unknown))
        """,
    "layers_before_average": """
        Every word goes through the layers before the average is taken. Average first: the layers
        see one vector per text, (B, K).

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + z = self.R(ids)
          for layer in self.layers:
              z = torch.relu(layer(z))
        + z = mean_pool(z, word_dropout(known, self.rate, self.training))
        """,
    "plain_list": """
        The layers are in a plain list, so PyTorch does not register them: `model.parameters()`
        leaves them out, and they are never trained. Put them into an nn.ModuleList.

        raises AttributeError

        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = [nn.Linear(sizes[i], hidden) for i in range(n_layers)]
        """,
    "activations_in_layers": """
        `layers` should hold only the linear layers, but here layers[1] is an activation
        function. Apply relu in forward.

        raises AttributeError

        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = nn.Sequential()
        + for i in range(n_layers):
        +     self.layers.extend([nn.Linear(sizes[i], hidden), nn.ReLU()])
        ...
        - for layer in self.layers:
        -     z = torch.relu(layer(z))
        + z = self.layers(z)
        """,
}

RIGHT = {
    "all_at_once": """
        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        ...
        - known = mask & (ids != Vocabulary.unknown)
        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, K)
        + real = mask & (ids > 1)
        + if self.training and self.rate > 0:
        +     kept = real & (torch.rand(real.shape) >= self.rate)
        +     real = kept | (real & ~kept.any(dim=1, keepdim=True))
        + total = torch.einsum("blk,bl->bk", self.R(ids), real.float())
        + z = total / real.sum(dim=1)[:, None].clamp(min=1)
        ...
        - z = torch.relu(layer(z))
        + z = layer(z).clamp(min=0)
        """,
    "text_by_text": """
        class DeepAveragingNetwork(nn.Module):
            def __init__(self, n_words, dim, hidden, n_layers, rate):
                super().__init__()
                self.R, self.layers, self.rate = nn.Embedding(n_words, dim), nn.ModuleList(), rate
                for _ in range(n_layers):
                    self.layers.append(nn.Linear(dim, hidden))
                    dim = hidden
                self.W_o = nn.Linear(dim, 1)

            def forward(self, ids, mask):
                return torch.stack([self.score(words[real]) for words, real in zip(ids, mask)])

            def score(self, words):
                words = [i for i in words.tolist() if i != 1]
                if self.training:
                    words = [i for i in words if torch.rand(()) >= self.rate] or words
                z = torch.zeros(self.R.embedding_dim)
                for i in words:
                    z = z + self.R.weight[i] / len(words)
                for layer in self.layers:
                    z = torch.relu(layer(z))
                return self.W_o(z)[0]
        """,
}
