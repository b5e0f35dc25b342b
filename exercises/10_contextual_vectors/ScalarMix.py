"""ScalarMix: the mean at first, weights by softmax, gamma, NaN at padding, gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import lengths_mask, normal, number

POINTS = {"start": 1, "mix": 2, "padding": 1, "gradient": 1}
#: A hook that detaches the layers: only s and gamma learn, so nothing is asked of other gradients.
FROZEN = {
    "_forward_pre_hooks": codec.Source(
        "{0: lambda module, inputs: (inputs[0].detach(), *inputs[1:])}"
    )
}


def layers(
    rng: np.random.Generator, n: int, mask: torch.Tensor, value: float = 4.0
) -> torch.Tensor:
    """n layers (n, B, L, 2) with a number at padding."""
    return normal(rng, n, *mask.shape, 2).masked_fill(~mask.unsqueeze(-1), value)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, n: int, mask: torch.Tensor, title: str = "", **more: Any) -> Case:
        value = more.pop("value", 4.0)
        if "gradient" in more:
            more["state"] = FROZEN
        state = {
            "s": normal(rng, n, scale=1.5),
            "gamma": torch.tensor(float(rng.uniform(0.5, 3.0))),
        } | more.pop("state", {})
        then = [("__call__", layers(rng, n, mask, value), mask)]
        return Case(group, [n], state=state, then=then, title=title, **more)

    full = lengths_mask([3, 3])
    for n in (2, number(rng, 3, 5)):
        then = [("__call__", layers(rng, n, full), full), (".s",), (".gamma",)]
        yield Case("start", [n], then=then, title="at first the mean of the layers")
    yield case("mix", 2, full)
    yield case("mix", number(rng, 3, 5), lengths_mask([4]))
    yield case("mix", 1, full, "a single layer")
    yield case("padding", 3, lengths_mask([2, number(rng, 3, 4)]))
    yield case("padding", 3, lengths_mask([4, 2]).flip(1), "padding in front of the words")
    yield case("padding", 2, lengths_mask([1, 3]), "NaN at padding", value=float("nan"))
    yield case("padding", 2, lengths_mask([0, 2]), "a text without words")
    yield case("gradient", 3, full, gradient="all")
    then = [
        ("__call__", layers(rng, 2, mask), mask) for mask in map(lengths_mask, ([3, 1], [2, 3]))
    ]
    state = {"s": normal(rng, 2), "gamma": torch.tensor(0.5)}
    yield Case("padding", [2], state=state, then=then, title="a second call, with another mask")
    mask = lengths_mask([1, number(rng, 2, 4)])
    yield case("gradient", 2, mask, "with padding", gradient="all", value=0.5)
    state = {"s": normal(rng, 3), "gamma": torch.tensor(2.0)} | FROZEN
    mask = lengths_mask([2, 4])
    H = layers(rng, 3, mask, float("nan"))
    title = "NaN at padding must not reach the gradient of s"
    then = [("__call__", H, mask)]
    yield Case("gradient", [3], state=state, then=then, gradient="all", title=title)


WRONG = {
    "without_softmax": """
        The numbers s are used as weights as they are. Their softmax is: positive, and 1 in sum.

        - weights = self.s.softmax(dim=0).view(-1, 1, 1, 1)
        + weights = self.s.view(-1, 1, 1, 1)
        """,
    "mean_of_layers": """
        This is the plain mean of the layers. It is the start; then s says how much each counts.

        - weights = self.s.softmax(dim=0).view(-1, 1, 1, 1)
        + weights = torch.full_like(self.s, 1 / len(self.s)).view(-1, 1, 1, 1)
        """,
    "divided_by_the_layers": """
        The mix is divided by the number of layers once more. The weights sum to 1 already, so add the
        weighted layers up; their mean is too small.

        - return self.gamma * (weights * layers).sum(dim=0)
        + return self.gamma * (weights * layers).mean(dim=0)
        """,
    "without_gamma": """
        gamma is missing: the weighted mean is multiplied by it.

        - return self.gamma * (weights * layers).sum(dim=0)
        + return (weights * layers).sum(dim=0)
        """,
    "ones_at_first": """
        s begins with ones. The softmax makes equal weights of them, too, but s is wanted with zeros at
        first.

        - self.s = nn.Parameter(torch.zeros(n_layers))
        + self.s = nn.Parameter(torch.ones(n_layers))
        """,
    "shares_at_first": """
        s begins with 1 divided by the number of layers. That is what the weights are, and these the
        softmax makes of s: begin with zeros.

        - self.s = nn.Parameter(torch.zeros(n_layers))
        + self.s = nn.Parameter(torch.full((n_layers,), 1 / n_layers))
        """,
    "gamma_zero": """
        gamma begins at 0, so that the mix is zero and s gets no gradient. It begins at 1.

        - self.gamma = nn.Parameter(torch.ones(()))
        + self.gamma = nn.Parameter(torch.zeros(()))
        """,
    "padding_not_zero": """
        At padding the mix has numbers. It is to be zero there.

        - layers = layers.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "only_nan_replaced": """
        NaN becomes zero, but the other numbers at padding stay in the mix. Go by the mask and fill
        all of the padding with zeros.

        - layers = layers.masked_fill(~mask.unsqueeze(-1), 0.0)
        + layers = layers.nan_to_num(nan=0.0)
        """,
    "multiplied_mask": """
        NaN times 0 is NaN. Fill the padding of the layers with zeros before you multiply.

        - layers = layers.masked_fill(~mask.unsqueeze(-1), 0.0)
        + layers = layers * mask.unsqueeze(-1)
        """,
    "filled_too_late": """
        The result is right, but the gradient of s is NaN: the weights were multiplied by the NaN at
        padding before it was filled. Fill first.

        - layers = layers.masked_fill(~mask.unsqueeze(-1), 0.0)
        ...
        - return self.gamma * (weights * layers).sum(dim=0)
        + mixed = self.gamma * (weights * layers).sum(dim=0)
        + return mixed.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "filled_before_gamma": """
        The result is right, but the gradient of s is NaN: the padding is filled only after the layers were
        weighted, and by then NaN has met the weights. Fill the layers before you weigh them.

        - layers = layers.masked_fill(~mask.unsqueeze(-1), 0.0)
        ...
        - return self.gamma * (weights * layers).sum(dim=0)
        + mixed = (weights * layers).sum(dim=0)
        + return self.gamma * mixed.masked_fill(~mask.unsqueeze(-1), 0.0)
        """,
    "no_parameters": """
        s is a plain tensor, which no optimizer finds. Make it an nn.Parameter.

        - self.s = nn.Parameter(torch.zeros(n_layers))
        + self.s = torch.zeros(n_layers)
        """,
    "weights_detached": """
        The weights are detached, so s never learns.

        - weights = self.s.softmax(dim=0).view(-1, 1, 1, 1)
        + weights = self.s.detach().softmax(dim=0).view(-1, 1, 1, 1)
        """,
    "shares_without_softmax": """
        s begins with 1 / J and is used as it is. The weights are the softmax of s, and s begins
        with zeros.

        - self.s = nn.Parameter(torch.zeros(n_layers))
        + self.s = nn.Parameter(torch.full((n_layers,), 1 / n_layers))
        ...
        - weights = self.s.softmax(dim=0).view(-1, 1, 1, 1)
        + weights = self.s.view(-1, 1, 1, 1)
        """,
}

RIGHT = {
    "loop": """
        class ScalarMix(nn.Module):
            def __init__(self, n_layers):
                super().__init__()
                self.s = nn.Parameter(torch.zeros(n_layers))
                self.gamma = nn.Parameter(torch.tensor(1.0))

            def forward(self, layers, mask):
                total = 0
                for weight, layer in zip(F.softmax(self.s, dim=0), layers):
                    total = total + weight * torch.where(mask[..., None], layer, 0)
                return self.gamma * total
        """,
    "einsum": """
        class ScalarMix(nn.Module):
            def __init__(self, n_layers):
                super().__init__()
                self.s = nn.Parameter(torch.zeros(n_layers))
                self.gamma = nn.Parameter(torch.ones([]))

            def forward(self, layers, mask):
                H = layers.masked_fill(mask.logical_not()[None, :, :, None], 0)
                return torch.einsum("j,jbld->bld", self.gamma * torch.softmax(self.s, 0), H)
        """,
}

FURTHER = """
Reshape the J weights to (J, 1, 1, 1), multiply, and sum over the first axis. Fill the padding of the
layers before: then NaN never meets a weight.
"""

EQUIVALENT = {
    "The last two axes of the weights have one element each.": """
        -        weights = self.s.softmax(dim=0).view(-1, 1, 1, 1)
        +        weights = self.s.softmax(dim=0).view(-1, 1, 1, 1).mT
        """,
    "A batch without any word has nothing to learn from.": """
        -        return self.gamma * (weights * layers).sum(dim=0)
        +        return (self.gamma * (weights * layers).sum(dim=0)) if mask.any() else (self.gamma * (weights * layers).sum(dim=0)).detach()
        """,
}
