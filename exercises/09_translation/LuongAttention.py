"""LuongAttention: the three scores, padding, one state; what training changes; bad input."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, normal
from .common import draw_lengths, linear, mask_of

POINTS = {"dot": 1, "general": 2, "concat": 2, "edges": 2}

#: What shows that "dot" has no layer, and the other kinds no bias. Other names for a layer are fine.
_LAYERS = {
    "dot": [("state_dict",)],
    "general": [(".W.weight",), (".W.bias",)],
    "concat": [(".W.bias",), (".v.bias",)],
}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    sizes = itertools.cycle(rng.permuted([(2, 3), (2, 4), (3, 5), (4, 5)], axis=1).tolist())

    def case(
        group: str, kind: str, steps: int, lengths: list[int], title: str, gap: bool = False, **more
    ) -> Case:
        """`later` has the lengths of a second batch, as long as the first."""
        d_s, d_h = next(sizes)
        state = {}
        if kind == "dot":
            d_h = d_s
        elif kind == "general":
            state = linear(rng, "W", d_h, d_s, False)
        else:
            state = linear(rng, "W", d_s + d_h, d_s, False) | linear(rng, "v", d_s, 1, False)
        then = []
        for batch in (lengths, more.pop("later", [])):
            if batch:
                S = normal(rng, len(batch), steps, d_s)
                H = normal(rng, len(batch), max(batch), d_h)
                then.append(("__call__", S, H, mask_of(batch, gap)))
        more = {"then": then} | more
        return Case(group, [d_s, d_h, kind], state=state, title=title, **more)

    n = int(rng.integers(3, 5))
    for kind in ("dot", "general", "concat"):
        yield case(kind, kind, 2, [n, n], "no padding")
        yield case(kind, kind, n, draw_lengths(rng, 3, n + 1), "padding")
        yield case(kind, kind, 3, [1, 3], "what training changes", gradient="all")
        yield case("edges", kind, 1, [n], f"{kind}: one state of the decoder")
        yield case("edges", kind, 1, [1], f"{kind}: one state each")
        title = f"{kind}: several sentences, one state of the decoder each"
        yield case("edges", kind, 1, [2, n, n], title)
        yield case("edges", kind, 2, [n, n + 1], f"{kind}: a mask with a gap", gap=True)
        yield case("edges", kind, 1, [1], f"{kind}: its layers", then=_LAYERS[kind])
    yield case("edges", "dot", 2, [2, n], "dot: one batch after another", later=[n, 1])
    d = int(rng.integers(2, 6))
    more = {"then": [("_get_name",)], "judge": VALUE_ERROR}
    title = "a dot product of states of different sizes"
    yield Case("edges", [d, d + 1, "dot"], title=title, **more)
    yield Case("edges", [d + 2, d, "dot"], title=title, **more)


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
    "divides_by_the_root": """
        The scores are divided by the square root of d. That is the scaled dot product of Vaswani et
        al.; Luong et al. do not divide.

        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + r = S @ (self.W(H) if self.kind == "general" else H).mT / math.sqrt(S.shape[-1])
        """,
    "divides_dot_by_the_root": """
        "dot" is divided by the square root of d. That is the scaled dot product of Vaswani et al.;
        Luong et al. do not divide.

        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + r = S @ self.W(H).mT if self.kind == "general" else S @ H.mT / math.sqrt(S.shape[-1])
        """,
    "general_projects_s": """
        In "general" W is applied to s. In s^T W h it acts on h: a layer from d_h to d_s, whose
        result is multiplied by s.

        raises ValueError

        - self.W = nn.Linear(d_h, d_s, bias=False)
        + self.W = nn.Linear(d_s, d_h, bias=False)
        ...
        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + r = self.W(S) @ H.mT if self.kind == "general" else S @ H.mT
        """,
    "general_ignores_W": """
        "general" does without W when the sizes allow it, or W is never used. Its score is s^T W h.

        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + r = S @ F.pad(H, (0, S.shape[-1] - H.shape[-1])).mT
        """,
    "general_with_tanh": """
        "general" has a tanh. Only "concat" has one.

        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + r = S @ (torch.tanh(self.W(H)) if self.kind == "general" else H).mT
        """,
    "concat_in_the_other_order": """
        "concat" puts h before s. The columns of W that belong to s come first: [s; h].

        - both = [S[:, :, None].expand(-1, -1, L, -1), H[:, None].expand(-1, T, -1, -1)]
        + both = [H[:, None].expand(-1, T, -1, -1), S[:, :, None].expand(-1, -1, L, -1)]
        """,
    "concat_without_tanh": """
        "concat" lacks its tanh. Without it the score is a sum in which s cancels in the softmax, so
        every target word attends to the same source words.

        - r = self.v(torch.tanh(self.W(torch.cat(both, dim=-1)))).squeeze(-1)
        + r = self.v(self.W(torch.cat(both, dim=-1))).squeeze(-1)
        """,
    "softmax_over_targets": """
        The softmax runs over the target words. For each target word, the weights of the source
        words sum to 1: the last axis.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=1)
        """,
    "context_of_projections": """
        The context is the weighted sum of W h. W is only for the score; add up the states h
        themselves.

        - return a @ H, a
        + return a @ (self.W(H) if self.kind == "general" else H), a
        """,
    "biases": """
        The layers have biases. The scores of Luong et al. have none.

        - self.W = nn.Linear(d_h, d_s, bias=False)
        + self.W = nn.Linear(d_h, d_s)
        ...
        - self.W = nn.Linear(d_s + d_h, d_s, bias=False)
        - self.v = nn.Linear(d_s, 1, bias=False)
        + self.W = nn.Linear(d_s + d_h, d_s)
        + self.v = nn.Linear(d_s, 1)
        """,
    "dot_of_any_sizes": """
        "dot" accepts states of different sizes and fails only later, in the product. Raise a
        ValueError when the layer is made.

        - if kind == "dot" and d_s != d_h:
        -     raise ValueError(f"a dot product needs equal sizes, but they are {d_s} and {d_h}")
        """,
    "masks_the_weights": """
        The weights of padding are set to 0 after the softmax, so the others no longer sum to 1.
        Mask the scores, before the softmax.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r, dim=-1) * mask[:, None]
        """,
    "concat_with_bias": """
        The layers of "concat" have a bias. Luong et al. have none: `bias=False`.

        - self.W = nn.Linear(d_s + d_h, d_s, bias=False)
        - self.v = nn.Linear(d_s, 1, bias=False)
        + self.W = nn.Linear(d_s + d_h, d_s)
        + self.v = nn.Linear(d_s, 1)
        """,
    "mask_inverted": """
        The mask is upside down: it is True at real tokens, and yours gives *them* the score -inf.
        Negate it: ~mask.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r.masked_fill(mask[:, None], -torch.inf), dim=-1)
        """,
    "infinity_times_zero": """
        All weights are NaN: the mask is multiplied by -inf, and where it is 0, at the real tokens,
        0 times infinity is NaN. Fill the scores of padding with `masked_fill`.

        - a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        + a = torch.softmax(r + (1 - mask[:, None].float()) * -torch.inf, dim=-1)
        """,
}

FURTHER = """
"dot" and "general" are one matrix product: S @ K.mT, where K is H or W(H). For "concat", expand S to
(B, T, L, d_s) and H to (B, T, L, d_h) and concatenate them on the last axis. The softmax and the
weighted sum of H are the same for all three.
"""

RIGHT = {
    "loop_over_steps": """
        -         if self.kind == "concat":
        -             T, L = S.shape[1], H.shape[1]
        -             both = [S[:, :, None].expand(-1, -1, L, -1), H[:, None].expand(-1, T, -1, -1)]
        -             r = self.v(torch.tanh(self.W(torch.cat(both, dim=-1)))).squeeze(-1)
        -         else:
        -             r = S @ (self.W(H) if self.kind == "general" else H).mT
        -         a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        -         return a @ H, a
        +         weights = []
        +         for t in range(S.shape[1]):
        +             s = S[:, t]
        +             if self.kind == "dot":
        +                 r = (H * s[:, None]).sum(dim=-1)
        +             elif self.kind == "general":
        +                 r = (self.W(H) @ s[..., None])[..., 0]
        +             else:
        +                 repeated = s[:, None].repeat(1, H.shape[1], 1)
        +                 r = self.v(self.W(torch.cat([repeated, H], dim=2)).tanh())[:, :, 0]
        +             weights.append(r.masked_fill(~mask, float("-inf")).softmax(dim=-1))
        +         a = torch.stack(weights, dim=1)
        +         return torch.bmm(a, H), a
        """,
    "general_from_the_other_side": """
        - r = S @ (self.W(H) if self.kind == "general" else H).mT
        + queries = S @ self.W.weight if self.kind == "general" else S
        + r = torch.einsum("btd,bld->btl", queries, H)
        """,
    "concat_as_a_sum": """
        -             both = [S[:, :, None].expand(-1, -1, L, -1), H[:, None].expand(-1, T, -1, -1)]
        -             r = self.v(torch.tanh(self.W(torch.cat(both, dim=-1)))).squeeze(-1)
        +             W_s, W_h = self.W.weight[:, : S.shape[-1]], self.W.weight[:, S.shape[-1] :]
        +             hidden = torch.tanh((S @ W_s.T)[:, :, None] + (H @ W_h.T)[:, None])
        +             r = (hidden @ self.v.weight.T)[..., 0]
        """,
}

EQUIVALENT = {
    "Every row of the mask has a real token.": "every edit: constant corner",
    '"general" is the last of the three in alphabetical order.': """
        -        if kind == "general":
        +        if kind >= "general":

        -            r = S @ (self.W(H) if self.kind == "general" else H).mT
        +            r = S @ (self.W(H) if self.kind >= "general" else H).mT
        """,
    '"concat" is the first of the three in alphabetical order.': """
        -        elif kind == "concat":
        +        elif kind <= "concat":

        -        if self.kind == "concat":
        +        if self.kind <= "concat":
        """,
    "No score comes near -1e9, so its exponential is 0 as well.": """
        -        a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
        +        a = torch.softmax(r.masked_fill(~mask[:, None], -1e9), dim=-1)
        """,
}
