"""DeepAveragingNetwork: 0 to 3 hidden layers; dropout cases that allow any way to draw."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec
from coursekit.checking.codec import Source

from ..draw import normal
from .common import UNKNOWN, draw_gaps, draw_lengths, draw_texts

POINTS = {"layers": 2, "dropout": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, texts: list[torch.Tensor], n: int, rate: float, title: str, train: bool = False
    ) -> Case:
        dim, hidden = int(rng.integers(2, 4)), int(rng.integers(5, 8))
        sizes = [dim] + [hidden] * n
        state: dict[str, Any] = {"training": train, "R.weight": normal(rng, 9, dim) * 2}
        for i in range(n):
            state[f"layers.{i}.weight"] = normal(rng, hidden, sizes[i])
            state[f"layers.{i}.bias"] = normal(rng, hidden) / 3
        state |= {"W_o.weight": normal(rng, 1, sizes[-1]), "W_o.bias": normal(rng, 1)}
        then = [("__call__", *texts)]
        # which components a dropout leaves depends on the version of torch
        drawn = ("drops_components",) if train and 0 < rate < 1 else ()
        sizes = [9, dim, hidden, n, rate]
        return Case(group, sizes, {}, title, state, then, undefined=drawn)

    def draw(n: int, longest: int) -> list[torch.Tensor]:
        return draw_texts(rng, draw_lengths(rng, n, longest), 9)

    for n, layers in ((3, 1), (4, 2), (int(rng.integers(5, 8)), 3)):
        yield case("layers", draw(n, 5), layers, 0.0, f"hidden layers: {layers}")
    yield case("layers", draw(3, 4), 0, 0.0, "no hidden layer at all")
    yield case("layers", draw_gaps(rng, 3, 9), 1, 0.0, "the mask leaves out words in the middle")
    texts = draw_texts(rng, draw_lengths(rng, 3, 4), 7)
    yield _gradient_case(rng, "layers", texts, "what training changes")
    yield case("dropout", draw(5, 6), 1, 0.5, "in evaluation, no word is dropped")
    # At a rate of 1 every text would lose all its words, so all texts keep theirs.
    title = "in training, a text never loses all its words"
    yield case("dropout", draw(5, 5), 1, 1.0, title, train=True)
    yield _dropout_case(rng)
    yield _small_rate_case(rng)
    yield _other_words_case(rng)
    # Each text has one known word, which it keeps whatever is drawn for the others.
    ids, mask = draw_texts(rng, [4] * int(rng.integers(11, 14)), 9)
    known = torch.from_numpy(rng.integers(4, size=(len(ids), 1))) == torch.arange(4)
    title = "in training, texts with one known word keep it"
    yield case("dropout", [ids.where(known, UNKNOWN), mask], 1, 0.5, title, train=True)
    ids, mask = draw(3, 5)
    ids[0] = UNKNOWN * mask[0]
    ids[1, 0] = UNKNOWN
    yield case("edges", [ids, mask], 2, 0.3, "one text has only unknown words")
    ids, mask = draw(4, 6)
    ids[:, 0] = UNKNOWN
    yield case("edges", [ids, mask], 1, 0.3, "every text begins with an unknown word")
    texts = draw_texts(rng, [0, int(rng.integers(2, 5))], 9)
    yield case("edges", texts, 2, 0.3, "a text without words")
    empty = torch.zeros(2, 3, dtype=torch.long)
    yield case("edges", [empty, empty > 0], 1, 0.5, "texts without words, in training", train=True)
    title = "texts without words: what training changes"
    yield _gradient_case(rng, "edges", [empty, empty > 0], title)
    yield case("edges", draw_texts(rng, [1], 9), 1, 0.3, "one word")


def _gradient_case(
    rng: np.random.Generator, group: str, texts: list[torch.Tensor], title: str
) -> Case:
    """Everything is positive, so no relu stops a gradient."""
    state = {"training": False, "R.weight": normal(rng, 7, 2).abs() + 0.1}
    for i, size in enumerate((2, 3)):
        state[f"layers.{i}.weight"] = normal(rng, 3, size).abs() + 0.1
        state[f"layers.{i}.bias"] = normal(rng, 3).abs()
    state |= {"W_o.weight": normal(rng, 1, 3).abs() + 0.1, "W_o.bias": normal(rng, 1)}
    then = [("__call__", *texts)]
    return Case(group, [7, 2, 3, 2, 0.0], {}, title, state, then, gradient="all")


def _small_rate_case(rng: np.random.Generator) -> Case:
    """One word of -4095 and 4095 words of 1: any few that are dropped change the sum."""
    n, sign = 4096, int(rng.choice([-1, 1]))
    state = {
        "training": True,
        "R.weight": torch.tensor([[0.0], [0.0], [sign], [-sign * (n - 1)]]),
        "layers.0.weight": torch.tensor([[1.0], [-1.0]]),
        "layers.0.bias": torch.zeros(2),
        "W_o.weight": torch.full((1, 2), 1e4),
        "W_o.bias": torch.zeros(1),
    }
    ids = codec.Source(f"torch.tensor([[2] * {n - 1} + [3]])")
    mask = codec.Source(f"torch.ones(1, {n}, dtype=torch.bool)")
    judge = {"kind": "between", "low": 0.05, "high": 1e9}
    title = "a rate of 0.004: of 4096 words, some are dropped"
    then = [("__call__", ids, mask)]
    return Case("dropout", [4, 1, 2, 1, 0.004], state=state, then=then, judge=judge, title=title)


def _other_words_case(rng: np.random.Generator) -> Case:
    """Two calls with the same texts; a hook replaces each result by whether it is a new one.

    The chance that in all of 20 texts the same words are dropped again is one in 10 ** 30.
    """
    ids, mask = draw_texts(rng, [int(rng.integers(6, 9))] * 20, 9)
    compare = (
        "{0: lambda model, _, scores: (model.__dict__.setdefault('seen', []).append("
        "scores.detach().clone()), all(bool((scores != one).any()) for one in model.seen[:-1]))[1]}"
    )
    state = {"training": True, "R.weight": normal(rng, 9, 3), "_forward_hooks": Source(compare)}
    state["layers.0.weight"] = normal(rng, 4, 3)
    title = "in training, every call drops other words"
    then = [("__call__", ids, mask)] * 2
    return Case("dropout", [9, 3, 4, 1, 0.5], state=state, then=then, title=title)


def _dropout_case(rng: np.random.Generator) -> Case:
    """One text whose average is 0, but only with all its words: the score shows a dropped one.

    The words are 1, 2, 4, ... and minus their sum, so no other choice of them adds up to 0. The
    layer gives relu(z) and relu(-z), so the score is |z|. With 16 words all weights are exact, and
    a network that drops nothing gives exactly 0.
    """
    n, sign = 16, int(rng.choice([-1, 1]))
    powers = [sign * 2**i for i in range(n - 1)]
    words = rng.permutation([*powers, -sum(powers)])
    state = {
        "training": True,
        "R.weight": torch.tensor([0, 0, *words.tolist()])[:, None].float(),
        "layers.0.weight": torch.tensor([[1.0], [-1.0]]),
        "layers.0.bias": torch.zeros(2),
        "W_o.weight": torch.ones(1, 2),
        "W_o.bias": torch.zeros(1),
    }
    ids = torch.arange(2, n + 2)[None]
    judge = {"kind": "between", "low": 0.05, "high": 1e6}
    then = [("__call__", ids, ids > 0)]
    title = "in training, words are dropped: the score is 0 only with all of them"
    return Case("dropout", [n + 2, 1, 2, 1, 0.5], state=state, then=then, judge=judge, title=title)


FURTHER = """
The first layer maps dim to hidden, every other one hidden to hidden, and W_o maps whatever comes
last (dim, if there is no layer) to 1. In `forward`: the mask of known words, word dropout on that
mask, the mean, then a loop over the layers with relu, then W_o.
"""

WRONG = {
    "includes_unknown_words": """
        Unknown words take part with the vector of <unk>. As in your CBOW classifier they should
        not: drop words from, and average over, positions that are real and known.

        - known = mask & (ids != Vocabulary.unknown)
        + known = mask
        """,
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
    "always_drops": """
        Words are dropped in evaluation, too. Pass `self.training` to word_dropout, and leave it to
        train() and eval(), which the caller uses, to switch it.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        + z = mean_pool(self.R(ids), word_dropout(known, self.rate, True))
        """,
    "never_drops": """
        No word is ever dropped, not even in training. Before the average, apply your word_dropout
        with the model's `rate` and with `self.training`.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        + z = mean_pool(self.R(ids), known)
        """,
    "drops_components": """
        This is ordinary dropout: it sets single components to 0. Word dropout removes whole
        words from the mask, before the average, and changes nothing else.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        + z = mean_pool(self.R(ids), known)
        + z = nn.functional.dropout(z, self.rate, self.training)
        """,
    "drops_before_unknown": """
        Words are dropped first and unknown ones removed afterwards, so a text can lose all its
        known words without word_dropout noticing. Find the real and known words first and drop
        from those.

        - known = mask & (ids != Vocabulary.unknown)
        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        + kept = word_dropout(mask, self.rate, self.training)
        + z = mean_pool(self.R(ids), kept & (ids != Vocabulary.unknown))
        """,
    "layers_before_average": """
        Every word goes through the layers before the average is taken. Average first: the layers
        see one vector per text, (B, d).

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
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
    "output_from_hidden": """
        W_o has `hidden` inputs even if `n_layers` is 0. Then there is no hidden layer at all, and it
        gets the mean, a vector of size dim: it maps dim to 1.

        raises ValueError

        - self.W_o = nn.Linear(sizes[-1], 1)
        + self.W_o = nn.Linear(hidden, 1)
        """,
    "first_layer_from_hidden": """
        The first hidden layer gets the mean, a vector of size dim, not of size hidden: it is
        nn.Linear(dim, hidden), and only the layers after it are (hidden, hidden).

        raises ValueError

        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = nn.ModuleList(nn.Linear(hidden, hidden) for i in range(n_layers))
        """,
    "every_layer_from_dim": """
        Every hidden layer has dim inputs here. That is right for the first one only: each layer
        after it gets the vector of the layer before, of size hidden.

        raises ValueError

        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = nn.ModuleList(nn.Linear(dim, hidden) for i in range(n_layers))
        """,
    "drops_the_same_words": """
        The same positions are dropped in every step: the generator is made anew, with a fixed seed, each
        time. Every time the model sees a text, other words should be missing: leave the generator out.

        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        + draw = torch.Generator().manual_seed(0)
        + z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training, draw))
        """,
    "known_by_ids_alone": """
        The given mask is not used: the ids alone decide which positions count. The mask says which
        are real, whatever their ids; take the ids only to leave out unknown words.

        - known = mask & (ids != Vocabulary.unknown)
        + known = ids > Vocabulary.unknown
        """,
    "tanh_for_relu": """
        The hidden layers end in tanh. This network has relu, which keeps what is positive.

        - z = torch.relu(layer(z))
        + z = torch.tanh(layer(z))
        """,
    "sigmoid_for_relu": """
        The hidden layers end in a sigmoid. This network has relu, which keeps what is positive.

        - z = torch.relu(layer(z))
        + z = torch.sigmoid(layer(z))
        """,
    "relu_of_the_mean": """
        The mean goes through relu before the first layer. The activation comes after each hidden
        layer; the mean enters the first one as it is.

          for layer in self.layers:
        -     z = torch.relu(layer(z))
        +     z = torch.relu(layer(torch.relu(z)))
        """,
    "repeats_one_layer": """
        The hidden layers after the first are one and the same object with the same weights, for
        `[layer] * n` repeats it. Make a new layer for each.

        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + first = [nn.Linear(dim, hidden)] if n_layers else []
        + self.layers = nn.ModuleList(first + [nn.Linear(hidden, hidden)] * (n_layers - 1))
        """,
    "relu_before_the_layers": """
        The relu comes before each layer, so the mean loses its negative numbers and the last hidden
        layer has no activation. It is the output of a layer that goes through relu.

        - z = torch.relu(layer(z))
        + z = layer(torch.relu(z))
        """,
}

RIGHT = {
    "all_at_once": """
        - self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
        + self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        ...
        - known = mask & (ids != Vocabulary.unknown)
        - z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
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
        -     known = mask & (ids != Vocabulary.unknown)
        -     z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
        +     return torch.stack([self.score(words[real]) for words, real in zip(ids, mask)])
        + def score(self, words):
        +     words = [i for i in words.tolist() if i != 1]
        +     if self.training:
        +         words = [i for i in words if torch.rand(()) >= self.rate] or words
        +     z = torch.zeros(self.R.embedding_dim)
        +     for i in words:
        +         z = z + self.R.weight[i] / len(words)
        """,
}

EQUIVALENT = {
    "0 is padding, where the mask is False anyway.": """
          def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +     mask = mask & (ids != 0)

        - known = mask & (ids != Vocabulary.unknown)
        + known = mask & (ids > Vocabulary.unknown)
        """,
    "word_dropout and mean_pool take a mask of integers, too.": """
          def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        +     mask = mask.long()
        """,
    "A random number can be compared with a tensor.": """
        - self.rate = rate
        + self.rate = torch.tensor(rate)
        """,
}
