"""RecurrentLanguageModel: three kinds of networks, states handed on, dropout, gradients."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec
from coursekit.checking.recording_format import Rules

from ..draw import TO_EVAL, draw_ids, normal

POINTS = {"values": 3, "state": 1, "training": 2}

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
#: A hook, set by a case's `state`, that replaces what the model returns by the number of parameters
#: that have a row for each word of the vocabulary.
_COUNT = {
    "_forward_hooks": codec.Source(
        "{0: lambda model, _, output: sum(p.dim() == 2 and len(p) == output[0].shape[-1]"
        " for p in model.parameters())}"
    )
}


def _weights(rng: np.random.Generator, n: int, dim: int, hidden: int, kind: str) -> dict[str, Any]:
    rows = _GATES[kind] * hidden
    return {
        "embedding.weight": normal(rng, n, dim),
        "rnn.weight_ih_l0": normal(rng, rows, dim),
        "rnn.weight_hh_l0": normal(rng, rows, hidden),
        "rnn.bias_ih_l0": normal(rng, rows),
        "rnn.bias_hh_l0": normal(rng, rows),
        "projection.weight": normal(rng, dim, hidden),
        "projection.bias": normal(rng, dim),
        "bias": normal(rng, n),
    }


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, title: str, kind: str, batch: int, length: int, state: Any = None, **other: Any
    ) -> Case:
        n, dim, hidden = int(rng.integers(5, 8)), int(rng.integers(2, 4)), other.pop("hidden", 4)
        options = {"kind": kind, **other.pop("options", {})}
        given = _weights(rng, n, dim, hidden, kind) | other.pop("given", {})
        ids = draw_ids(rng, n, batch, length)
        then = [("__call__", ids) if state is None else ("__call__", ids, state)]
        judge = {"atol": 1e-5}
        # the weights of a layer that the class should not have are random, but their number is not
        random = [] if "_forward_hooks" in given else ["output_layer_of_its_own"]
        settings = {"then": then, "judge": judge, "undefined": random}
        return Case(group, [n, dim, hidden], options, title, given, **settings, **other)

    yield case("values", "an RNN", "RNN", 2, 3)
    yield case("values", "a GRU", "GRU", 2, int(rng.integers(3, 5)))
    yield case("values", "an LSTM", "LSTM", 3, 2, hidden=5)
    yield case("values", "one text of one token", "LSTM", 1, 1)
    title = "the state of the text before"
    yield case("state", title, "GRU", 2, 3, normal(rng, 1, 2, 4))
    pair = (normal(rng, 1, 2, 4), normal(rng, 1, 2, 4))
    yield case("state", f"{title}: a pair", "LSTM", 2, 3, pair)
    yield case("training", "what training changes", "RNN", 2, 3, gradient="all")
    title = "dropout 1 in training: what is left are biases"
    yield case("training", title, "RNN", 2, 2, options={"dropout": 1.0})
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("training", title, "GRU", 2, 2, options={"dropout": 1.0}, given=TO_EVAL)
    title = "the number of matrices with a row for each word"
    yield case("values", title, "RNN", 2, 2, given=_COUNT, hidden=3)
    steps = [(".bias",), (".bias.requires_grad",), (".dropout.p",), (".rnn.mode",)]
    title, n = "a new model", int(rng.integers(5, 9))
    yield Case("training", [n, 2, 3], title=title, then=steps)
    yield Case("training", [n, 3, 2, "GRU"], {"dropout": 0.25}, title, then=steps)
    title, small = "a new model's embedding", {"kind": "between", "low": -0.1, "high": 0.1}
    then = [(".embedding.weight",)]
    yield Case("training", [n + 9, 4, 2], title=title, then=then, judge=small)
    yield _twice_dropped(rng)


def _twice_dropped(rng: np.random.Generator) -> Case:
    """All components of z are 1 before the dropout, which leaves 0 or 1 / (1 - rate); once more, and
    some are larger. The words do not reach the state, so what is dropped of them does not matter.
    """
    n, rate, bias = 6, float(rng.integers(40, 61)) / 100, float(rng.integers(5, 15)) / 10
    state = {
        "embedding.weight": torch.eye(n),
        "rnn.weight_ih_l0": torch.zeros(1, n),
        "rnn.weight_hh_l0": torch.zeros(1, 1),
        "rnn.bias_ih_l0": torch.tensor([bias]),
        "rnn.bias_hh_l0": torch.zeros(1),
        "projection.weight": torch.full((n, 1), 1 / math.tanh(bias)),
        "projection.bias": torch.zeros(n),
        "bias": torch.zeros(n),
    }
    title = "in training, a component is dropped or divided by 1 - dropout, once"
    judge: Rules = {"kind": "between", "low": 0.0, "high": 1.05 / (1 - rate)}
    then = [("__call__", draw_ids(rng, n, 4, 12))]
    options = {"kind": "RNN", "dropout": rate}
    random = ("output_layer_of_its_own",)  # its weights
    return Case("training", [n, n, 1], options, title, state, then, judge=judge, undefined=random)


FURTHER = """
`getattr(nn, kind)` is the class of this name. In `forward` the shapes are, one after the other:
(B, L) ids, (B, L, dim) from the embedding, (B, L, hidden) from the network, which also returns the
state, (B, L, dim) from the projection, and (B, L, n_words) from the product with the embedding's
weight, transposed, plus the bias.
"""

WRONG = {
    "returns_probabilities": """
        These are probabilities. Return the logits; the loss takes the softmax, in a way that is
        exact for any size of them.

        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + return nn.functional.linear(Z, self.embedding.weight, self.bias).softmax(dim=-1), state
        """,
    "no_bias": """
        The bias is not added to the logits. It is how the model knows frequent words.

        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + return nn.functional.linear(Z, self.embedding.weight), state
        """,
    "forgets_the_state": """
        The network always begins with zeros. Pass the state of the text before: self.rnn(X, state).

        - H, state = self.rnn(X, state)
        + H, state = self.rnn(X)
        """,
    "returns_the_old_state": """
        You return the state that came in, not the one after the last token.

        - H, state = self.rnn(X, state)
        + H, _ = self.rnn(X, state)
        """,
    "batch_second": """
        The network reads the batch as if it were time: it is made without batch_first=True.

        - self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        + self.rnn = getattr(nn, kind)(dim, hidden)
        """,
    "output_layer_of_its_own": """
        The model has a second matrix with a row for each word: an output layer of its own. Tied
        embeddings need none: the logits are products of Z with self.embedding.weight, transposed,
        plus self.bias.

        - self.dropout = nn.Dropout(dropout)
        + self.dropout = nn.Dropout(dropout)
        + self.output = nn.Linear(dim, n_words)
        ...
        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + return self.output(Z), state
        """,
    "dropout_before_projection": """
        The second dropout stands before the projection. It comes after P, so that it drops components
        of z: self.dropout(self.projection(H)).

        - Z = self.dropout(self.projection(H))
        + Z = self.projection(self.dropout(H))
        """,
    "no_dropout_after_projection": """
        Dropout is missing after the projection.

        - Z = self.dropout(self.projection(H))
        + Z = self.projection(H)
        """,
    "no_dropout_after_embedding": """
        Dropout is missing after the embedding.

        - X = self.dropout(self.embedding(ids))
        + X = self.embedding(ids)
        """,
    "output_not_tied_in_training": """
        The values are right, but the output layer has no gradient: a copy of the embedding
        (`detach`, `clone` at the start, `.data`) is not the embedding. Use self.embedding.weight
        itself.

        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + return nn.functional.linear(Z, self.embedding.weight.detach(), self.bias), state
        """,
    "drops_in_evaluation": """
        Dropout stays on after `model.eval()`. Make it an attribute, self.dropout = nn.Dropout(...),
        and call that: the model switches it off. nn.functional.dropout needs training=self.training.

        - X = self.dropout(self.embedding(ids))
        + X = nn.functional.dropout(self.embedding(ids), self.dropout.p)
        ...
        - Z = self.dropout(self.projection(H))
        + Z = nn.functional.dropout(self.projection(H), self.dropout.p)
        """,
    "bias_is_no_parameter": """
        The bias is a plain tensor, so the optimizer does not see it. Make it an nn.Parameter.

        - self.bias = nn.Parameter(torch.zeros(n_words))
        + self.bias = torch.zeros(n_words)
        """,
    "ignores_kind": """
        The network is an LSTM whatever kind was asked for.

        - self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        + self.rnn = nn.LSTM(dim, hidden, batch_first=True)
        """,
    "keeps_its_own_state": """
        The model remembers its state from the text before, although nobody passed it: without a state
        it begins with zeros.

        - H, state = self.rnn(X, state)
        + H, state = self.rnn(X, getattr(self, "kept", None) if state is None else state)
        + self.kept = state
        """,
    "initialization_deleted": """
        The embedding starts with PyTorch's large random numbers: the given line with
        `nn.init.uniform_`, below the TODO, is gone. Keep it as the last line of `__init__`.

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        """,
    "drops_the_states_too": """
        Dropout comes a third time, on the hidden states. It comes twice: after the embedding and after
        the projection.

        - Z = self.dropout(self.projection(H))
        + Z = self.dropout(self.projection(self.dropout(H)))
        """,
    "tanh_after_the_projection": """
        The projection goes through a tanh. It is a linear layer: what it gives is multiplied by the
        word vectors as it is.

        - Z = self.dropout(self.projection(H))
        + Z = self.dropout(self.projection(H).tanh())
        """,
    "scaled_by_the_root_of_dim": """
        The products with the word vectors are divided by the root of dim, as in attention. The
        logits are the products themselves, plus the bias.

        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + E = self.embedding.weight
        + return nn.functional.linear(Z, E / math.sqrt(E.shape[1]), self.bias), state
        """,
}

RIGHT = {
    "product_with_the_transpose": """
        - self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        + networks = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
        + self.rnn = networks[kind](input_size=dim, hidden_size=hidden, batch_first=True)
        ...
        - X = self.dropout(self.embedding(ids))
        - H, state = self.rnn(X, state)
        - Z = self.dropout(self.projection(H))
        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + H, new = self.rnn(self.dropout(self.embedding.weight[ids]), state)
        + Z = self.dropout(self.projection(H))
        + return Z @ self.embedding.weight.T + self.bias, new
        """,
    "token_by_token": """
        - X = self.dropout(self.embedding(ids))
        - H, state = self.rnn(X, state)
        - Z = self.dropout(self.projection(H))
        - return nn.functional.linear(Z, self.embedding.weight, self.bias), state
        + logits = []
        + for t in range(ids.shape[1]):
        +     h, state = self.rnn(self.dropout(self.embedding(ids[:, t : t + 1])), state)
        +     z = self.dropout(self.projection(h))
        +     logits.append(torch.einsum("bld,vd->blv", z, self.embedding.weight) + self.bias)
        + return torch.cat(logits, dim=1), state
        """,
    "batch_second_and_transposed": """
        - self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        + self.rnn = getattr(nn, kind)(dim, hidden)
        ...
        - H, state = self.rnn(X, state)
        + H, state = self.rnn(X.transpose(0, 1), state)
        + H = H.transpose(0, 1)
        """,
}

EQUIVALENT = {
    "the initial embeddings are given, and random": """
        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight, -0.1, 0.1).detach()  # small: they are the output layer, too

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight.detach(), -0.1, 0.1)  # small: they are the output layer, too

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight, -0.05, 0.1)  # small: they are the output layer, too

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight, 0.0, 0.1)  # small: they are the output layer, too

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight, -0.1, 0.05)  # small: they are the output layer, too

        - nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small: they are the output layer, too
        + nn.init.uniform_(self.embedding.weight, -0.1, 0.0)  # small: they are the output layer, too

        """,
}
