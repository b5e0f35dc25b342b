"""AttentionDecoder: with an attention of its own; one word or several; what training changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import draw_ids, normal
from .common import draw_lengths, linear, mask_of, recurrent

POINTS = {"logits": 2, "states": 1, "weights": 1, "edges": 1}

#: Scores s^T A h with a fixed matrix A: an attention that needs no other exercise.
_ATTENTION = (
    "lambda S, H, mask: (lambda a: (a @ H, a))("
    "(S @ torch.tensor({A}) @ H.mT).masked_fill(~mask[:, None], -torch.inf).softmax(dim=-1))"
)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = itertools.cycle(rng.permutation([(6, 2, 4), (7, 3, 5), (8, 2, 5)]).tolist())

    def case(
        group: str,
        steps: int,
        lengths: list[int],
        title: str = "",
        gradient: str = "",
        gap: bool = False,
        later: Sequence[int] = (),
    ) -> Case:
        """`later` has the lengths of a second batch, as long as the first."""
        n_words, d_e, d = next(sizes)
        A = rng.integers(-9, 10, size=(d, 2 * d)) / 10
        if gradient:  # without weights close to 0 or 1, through which no gradient flows
            A /= 20
        state = {"embedding.weight": normal(rng, n_words, d_e)}
        state |= recurrent(rng, "gru", d_e, d, 3) | linear(rng, "combine", 3 * d, d)
        state |= linear(rng, "output", d, n_words)
        then = []
        for batch in (lengths, later):
            if batch:
                H = normal(rng, len(batch), max(batch), 2 * d)
                y, s = draw_ids(rng, n_words, len(batch), steps), normal(rng, len(batch), d)
                then.append(("__call__", y, s, H, mask_of(list(batch), gap)))
        inputs = [n_words, d_e, d, codec.Source(_ATTENTION.format(A=A.tolist()))]
        near = {"atol": 1e-5}  # a logit near 0 is a sum of numbers that are not
        return Case(
            group, inputs, state=state, then=then, title=title, gradient=gradient, judge=near
        )

    n = int(rng.integers(3, 5))
    yield case("logits", n, [n, n], "no padding")
    yield case("logits", 2, draw_lengths(rng, 3, n + 1), "padding")
    yield case("logits", 2, [1, n], "what training changes", gradient="all")
    yield case("states", 1, [2, n], "one step, as when decoding")
    yield case("states", n + 1, [2, 2, 3], "several steps")
    yield case("weights", 3, [1, n, 2], "padding")
    yield case("weights", n, [n + 1], "one sentence")
    yield case("weights", 2, [n, n + 1], "a mask with a gap", gap=True)
    yield case("weights", 2, [2, n], "one batch after another", later=[n, 1])
    yield case("edges", 1, [1], "one step, a source of one token")
    yield case("edges", 1, [n], "one sentence, one step")


WRONG = {
    "ignores_the_mask": """
        The attention gets no mask, or one that is True everywhere, so the decoder attends to
        padding.

        - C, a = self.attention(S, H, mask)
        + C, a = self.attention(S, H, torch.ones_like(mask))
        """,
    "state_before_context": """
        State and context are concatenated in the wrong order: the context comes first, as in [c; s].

        - combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        + combined = torch.tanh(self.combine(torch.cat([S, C], dim=-1)))
        """,
    "without_tanh": """
        The tanh around `combine` is missing.

        - combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        + combined = self.combine(torch.cat([C, S], dim=-1))
        """,
    "relu_for_tanh": """
        The combined state passes through relu, which makes zeros of all that is negative. It is the
        tanh of `combine`.

        - combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        + combined = torch.relu(self.combine(torch.cat([C, S], dim=-1)))
        """,
    "output_without_context": """
        The logits come from the states alone: the context is computed, but never used.

        - return self.output(combined), last[0], a
        + return self.output(S), last[0], a
        """,
    "attends_with_embeddings": """
        The attention is asked with a state other than the current one. Run the GRU first: its states
        S are the queries.

        - C, a = self.attention(S, H, mask)
        + C, a = self.attention(torch.cat([s[:, None], S[:, :-1]], dim=1), H, mask)
        """,
    "starts_at_zeros": """
        The GRU starts at zeros: the state s is not used. Pass it as the GRU's first state, with an
        axis for the layers in front.

        - S, last = self.gru(self.embedding(y), s[None])
        + S, last = self.gru(self.embedding(y))
        """,
    "returns_the_combined_state": """
        The state that is returned is the combined one. It goes to the output layer only; the next
        step needs the GRU's own state.

        - return self.output(combined), last[0], a
        + return self.output(combined), combined[:, -1], a
        """,
    "attention_of_its_own": """
        The decoder makes an attention of its own. Use the one that is passed in: the caller chooses
        the score.

        - self.attention = attention
        + self.attention = LuongAttention(d, 2 * d, "general")
        """,
    "keeps_the_layer_axis": """
        The state has the shape (1, B, d). PyTorch puts an axis for the layers in front; drop it, so
        that the state can be fed in again.

        - return self.output(combined), last[0], a
        + return self.output(combined), last, a
        """,
    "weights_of_the_last_word": """
        Only the weights of the last word are returned. Return those of all words, (B, T, L).

        - return self.output(combined), last[0], a
        + return self.output(combined), last[0], a[:, -1:]
        """,
    "returns_the_context": """
        The third result should be the attention weights, not the context vectors.

        - return self.output(combined), last[0], a
        + return self.output(combined), last[0], C
        """,
    "returns_probabilities": """
        These are probabilities. Return logits: the loss applies the softmax itself.

        - return self.output(combined), last[0], a
        + return torch.softmax(self.output(combined), dim=-1), last[0], a
        """,
}

FURTHER = """
Four lines: the states S and the last state from the GRU, as in TranslationDecoder; C and a from
self.attention(S, H, mask); the tanh of combine applied to C and S, concatenated on the last axis; and
the output layer on top of that.
"""

RIGHT = {
    "step_by_step": """
        - S, last = self.gru(self.embedding(y), s[None])
        - C, a = self.attention(S, H, mask)
        - combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        - return self.output(combined), last[0], a
        + logits, weights = [], []
        + for t in range(y.shape[1]):
        +     step, last = self.gru(self.embedding(y[:, [t]]), s.unsqueeze(0))
        +     s = last.squeeze(0)
        +     c, a = self.attention(step, H, mask)
        +     logits.append(self.output(self.combine(torch.cat((c, step), 2)).tanh()))
        +     weights.append(a)
        + return torch.cat(logits, dim=1), s, torch.cat(weights, dim=1)
        """,
    "split_combine": """
        - combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        - return self.output(combined), last[0], a
        + W_c, W_s = self.combine.weight.split([C.shape[-1], S.shape[-1]], dim=1)
        + combined = torch.tanh(C @ W_c.T + S @ W_s.T + self.combine.bias)
        + return self.output(combined), S[:, -1], a
        """,
    "own_context": """
        - C, a = self.attention(S, H, mask)
        + a = self.attention(S, H, mask)[1]
        + C = torch.einsum("btl,bld->btd", a, H)
        """,
}

EQUIVALENT = {
    "Every row of the mask has a real token.": "every edit: constant corner",
    "There is one layer.": """
        -        return self.output(combined), last[0], a
        +        return self.output(combined), last[-1], a
        """,
}
