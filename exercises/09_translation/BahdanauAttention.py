"""BahdanauAttention: sizes that all differ, padding, one state; what training changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import normal
from .common import draw_lengths, linear, mask_of

POINTS = {"values": 2, "masking": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, steps: int, lengths: list[int], title: str = "", gap: bool = False, **more
    ) -> Case:
        """`later` has the lengths of a second batch, as long as the first."""
        d_s, d_h, d_a = (int(n) for n in rng.permutation([2, 3, 4, 5])[:3])
        state = linear(rng, "W", d_s, d_a, False) | linear(rng, "U", d_h, d_a, False)
        state |= linear(rng, "v", d_a, 1, False)
        then = []
        for batch in (lengths, more.pop("later", [])):
            if batch:
                S = normal(rng, len(batch), steps, d_s)
                H = normal(rng, len(batch), max(batch), d_h)
                then.append(("__call__", S, H, mask_of(batch, gap)))
        more = {"then": then} | more
        return Case(group, [d_s, d_h, d_a], state=state, title=title, **more)

    n = int(rng.integers(3, 5))
    yield case("values", 2, [n, n], "no padding")
    yield case("values", 4, [3, 3], "what training changes", gradient="all")
    yield case("values", n, [n], "as many target words as source words")
    yield case("masking", 2, draw_lengths(rng, 3, n + 1), "padding")
    yield case("masking", 3, [1, n], "padding, what training changes", gradient="all")
    yield case("edges", 1, [n + 1], "one state of the decoder, as when decoding")
    yield case("masking", 2, [n, n + 1], "a mask with a gap", gap=True)
    yield case("masking", 2, [2, n], "one batch after another", later=[n, 1])
    yield case("edges", 1, [1], "one state each")
    yield case("edges", 1, [2, n, n], "several sentences, one state of the decoder each")
    biases = [(".W.bias",), (".U.bias",), (".v.bias",)]  # that of v does not change the weights
    yield case("edges", 1, [1], "no layer has a bias", then=biases)


WRONG = {
    "hides_the_real_words": """
        The large negative number is added at the real words, where the mask is True, and not at padding.
        Turn the mask round, `~mask`.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r + mask[:, None] * -1e9, dim=-1)
        """,
    "attends_to_padding": """
        Padding gets attention: the mask is not used. Set the scores of padding to -inf before the
        softmax.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r, dim=-1)
        """,
    "mask_inverted": """
        The mask is upside down: it is True at real tokens, and yours sets *their* scores to -inf
        (where a sentence has no padding, nothing is left, and the softmax gives NaN). Negate it:
        ~mask.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r.masked_fill(mask[:, None], -torch.inf), dim=-1)
        """,
    "masks_the_weights": """
        The weights of padding are set to 0 after the softmax, so the others no longer sum to 1.
        Mask the scores, before the softmax.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r, dim=-1) * mask[:, None]
        """,
    "masked_scores_are_0": """
        The scores of padding are set to 0. A score of 0 is not "no attention", since exp(0) is 1;
        use -inf.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r * mask[:, None], dim=-1)
        """,
    "softmax_over_targets": """
        The softmax runs over the target words. For each target word, the weights of the source
        words sum to 1: the last axis.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=1)
        """,
    "without_tanh": """
        The tanh is missing. Without it the score is a sum of a number that depends on s alone and
        one that depends on h alone, and the first cancels in the softmax: every target word would
        attend to the same source words.

        - hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
        + hidden = self.W(S)[:, :, None] + self.U(H)[:, None]
        """,
    "multiplies": """
        The two projections are multiplied. The additive score adds them, inside the tanh.

        - hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
        + hidden = torch.tanh(self.W(S)[:, :, None] * self.U(H)[:, None])
        """,
    "divides_by_the_root": """
        The scores are divided by the square root of d_a, as in scaled dot-product attention. The
        additive score is not divided.

        - r = self.v(hidden).squeeze(-1)
        + r = self.v(hidden).squeeze(-1) / hidden.shape[-1] ** 0.5
        """,
    "tanh_of_each": """
        The tanh is applied to each projection before they are added. It is tanh(W s + U h), of the
        sum.

        - hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
        + hidden = torch.tanh(self.W(S))[:, :, None] + torch.tanh(self.U(H))[:, None]
        """,
    "context_of_projections": """
        The context is the weighted sum of U h. The projection is only for the score; add up the
        states h themselves.

        - return a @ H, a
        + return a @ self.U(H), a
        """,
    "returns_scores": """
        These are scores, not weights: the second result should be the softmax.

        - return a @ H, a
        + return a @ H, r
        """,
    "biases": """
        The layers have biases. The score of Bahdanau et al. has none.

        - self.W = nn.Linear(d_s, d_a, bias=False)
        - self.U = nn.Linear(d_h, d_a, bias=False)
        - self.v = nn.Linear(d_a, 1, bias=False)
        + self.W = nn.Linear(d_s, d_a)
        + self.U = nn.Linear(d_h, d_a)
        + self.v = nn.Linear(d_a, 1)
        """,
    "infinity_times_zero": """
        All weights are NaN: the mask is multiplied by -inf, and where it is 0, at the real tokens,
        0 times infinity is NaN. Fill the scores of padding with `masked_fill`.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r + (1 - mask[:, None].float()) * -torch.inf, dim=-1)
        """,
}

FURTHER = """
Every decoder state meets every encoder state: give W(S) the shape (B, T, 1, d_a) and U(H) the shape
(B, 1, L, d_a), and their sum has the shape (B, T, L, d_a). After the tanh, v makes one number of the
last axis, which you drop. The mask needs an axis for the target words: (B, 1, L).
"""

RIGHT = {
    "loop_over_steps": """
        - hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
        - r = self.v(hidden).squeeze(-1)
        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        - return a @ H, a
        + U, weights = self.U(H), []
        + for t in range(S.shape[1]):
        +     r = self.v(torch.tanh(self.W(S[:, t]).unsqueeze(1) + U))[..., 0]
        +     weights.append(r.masked_fill(mask.logical_not(), float("-inf")).softmax(dim=1))
        + a = torch.stack(weights, dim=1)
        + return torch.bmm(a, H), a
        """,
    "einsum": """
        - r = self.v(hidden).squeeze(-1)
        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        - return a @ H, a
        + r = torch.einsum("btla,a->btl", hidden, self.v.weight[0])
        + a = torch.where(mask.unsqueeze(1), r, torch.full_like(r, -1e9)).softmax(dim=-1)
        + return torch.einsum("btl,bld->btd", a, H), a
        """,
    "one_layer_of_both": """
        - hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
        + T, L = S.shape[1], H.shape[1]
        + both = torch.cat([S[:, :, None].expand(-1, -1, L, -1), H[:, None].expand(-1, T, -1, -1)], -1)
        + hidden = torch.tanh(both @ torch.cat([self.W.weight, self.U.weight], dim=1).T)
        """,
}

EQUIVALENT = {
    "Every row of the mask has a real token.": "every edit: constant corner",
    "No score comes near -1e9, so its exponential is 0 as well.": """
        -        a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        +        a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=-1)
        """,
}
