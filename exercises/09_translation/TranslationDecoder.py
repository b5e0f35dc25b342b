"""TranslationDecoder: one word or several, from any state; what training changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import draw_ids, normal
from .common import linear, recurrent

POINTS = {"logits": 2, "states": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = itertools.cycle(rng.permutation([(6, 2, 4), (7, 3, 5), (8, 2, 5)]).tolist())

    def case(group: str, batch: int, length: int, title: str = "", gradient: str = "") -> Case:
        n_words, d_e, d = next(sizes)
        state = {"embedding.weight": normal(rng, n_words, d_e)}
        state |= recurrent(rng, "gru", d_e, d, 3) | linear(rng, "output", d, n_words)
        then = [("__call__", draw_ids(rng, n_words, batch, length), normal(rng, batch, d))]
        return Case(
            group, [n_words, d_e, d], state=state, then=then, title=title, gradient=gradient
        )

    n = int(rng.integers(3, 5))
    yield case("logits", 2, n)
    yield case("logits", 3, 2, "three sentences")
    yield case("logits", 2, 2, "what training changes", gradient="all")
    yield case("states", 3, 1, "one step, as when decoding")
    yield case("states", 2, n + 1, "several steps")
    yield case("edges", 1, 1, "one sentence, one step")
    yield case("edges", 1, n, "one sentence")


WRONG = {
    "starts_at_zeros": """
        The GRU starts at zeros: the state s is not used, so the decoder knows nothing about the
        source. Pass it as the GRU's first state, with an axis for the layers in front.

        - S, last = self.gru(self.embedding(y), s[None])
        + S, last = self.gru(self.embedding(y))
        """,
    "relu_of_embeddings": """
        The embeddings pass through a relu before the GRU. It reads them as they are.

        - S, last = self.gru(self.embedding(y), s[None])
        + S, last = self.gru(torch.relu(self.embedding(y)), s[None])
        """,
    "keeps_the_layer_axis": """
        The state has the shape (1, B, d). PyTorch puts an axis for the layers in front; drop it, so
        that the state can be fed in again.

        - return self.output(S), last[0]
        + return self.output(S), last
        """,
    "only_the_last_word": """
        There are logits for the last position only. In training all positions are predicted at
        once: return (B, T, |V|).

        - return self.output(S), last[0]
        + return self.output(S[:, -1:]), last[0]
        """,
    "one_position": """
        The logits have the shape (B, |V|), for the last position only. In training all positions
        are predicted at once: pass all states S to the output layer, (B, T, d).

        - return self.output(S), last[0]
        + return self.output(S[:, -1]), last[0]
        """,
    "returns_the_first_state": """
        The state that is returned is the one that came in. Return the one after the last word;
        otherwise every step starts from the beginning.

        - return self.output(S), last[0]
        + return self.output(S), s
        """,
    "returns_probabilities": """
        These are probabilities. Return logits: the loss applies the softmax itself, and for the
        most likely word it is not needed.

        - return self.output(S), last[0]
        + return self.output(S).softmax(dim=-1), last[0]
        """,
    "returns_log_probabilities": """
        These are log-probabilities. Return logits, the output layer's numbers as they are: the
        loss applies the log-softmax itself.

        - return self.output(S), last[0]
        + return self.output(S).log_softmax(dim=-1), last[0]
        """,
    "squeezes_the_state": """
        With a single sentence the batch axis of the state is lost: `squeeze()` drops every axis of
        size 1. Name the axis you mean.

        - return self.output(S), last[0]
        + return self.output(S), last.squeeze()
        """,
    "returns_states": """
        The output layer is missing: these are states of size d, not one number per word of the
        vocabulary.

        - return self.output(S), last[0]
        + return S, last[0]
        """,
}

FURTHER = """
nn.GRU takes the embedded words, (B, T, d_e), and a first state with an axis for its layers, (1, B,
d): s[None]. It returns all states, (B, T, d), for the output layer, and the last one, (1, B, d).
"""

RIGHT = {
    "step_by_step": """
        - S, last = self.gru(self.embedding(y), s[None])
        - return self.output(S), last[0]
        + logits = []
        + for t in range(y.shape[1]):
        +     _, s = self.gru(self.embedding(y[:, t : t + 1]), s.unsqueeze(0))
        +     s = s.squeeze(0)
        +     logits.append(self.output(s))
        + return torch.stack(logits, dim=1), s
        """,
    "state_from_the_outputs": """
        - S, last = self.gru(self.embedding(y), s[None])
        - return self.output(S), last[0]
        + S, _ = self.gru(self.embedding(y), s.reshape(1, *s.shape))
        + return self.output(S), S[:, -1]
        """,
    "functional": """
        - S, last = self.gru(self.embedding(y), s[None])
        - return self.output(S), last[0]
        + S, last = self.gru(F.embedding(y, self.embedding.weight), s[None].contiguous())
        + return F.linear(S, self.output.weight, self.output.bias), last.squeeze(0)
        """,
}

EQUIVALENT = {
    "There is one layer.": """
        -        return self.output(S), last[0]
        +        return self.output(S), last[-1]
        """,
}
