"""fit_scaling_law: exact laws, runs with noise, which alpha wins, a floor below 0, too few runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR, number

POINTS = {"values": 2, "floor": 1, "edges": 1}

_ALPHAS = [0.2, 0.4, 0.6, 0.8, 1.0]
_N = [1_000.0, 3_000.0, 10_000.0, 40_000.0, 100_000.0]


def law(E: float, A: float, alpha: float, N: list[float], noise: list[float]) -> torch.Tensor:
    """The losses of a law; a drawn number of at most 1 makes a change of 1%."""
    losses = [E + A * n**-alpha * (1 + 0.01 * z) for n, z in zip(N, noise, strict=True)]
    return torch.tensor(losses)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str, N: list[float], losses: torch.Tensor, alphas: list[float], title: str
    ) -> Case:
        rules = {"rtol": 1e-3, "atol": 1e-4}
        inputs = [torch.tensor(N), losses, torch.tensor(alphas)]
        return Case(group, inputs, title=title, judge=rules)

    def noise(n: int, size: float = 1.0) -> list[float]:
        return [size * float(z) for z in rng.uniform(-1, 1, size=n)]

    E, A = 1 + float(rng.random()), 20 + 10 * float(rng.random())
    yield case("values", _N, law(E, A, 0.4, _N, [0.0] * 5), _ALPHAS, "losses that follow a law")
    losses = law(E + 1, 4 * A, 0.6, _N, noise(5))
    yield case("values", _N, losses, _ALPHAS, "losses with noise")
    N = [_N[i] for i in (3, 0, 4, 2, 1, 0)]
    losses = law(E / 3, A, 0.4, N, noise(6))
    yield case("values", N, losses, _ALPHAS[::-1], "in any order, one N twice")
    losses = torch.tensor([3.6, 3.017, 2.747, 2.193, 2.188]) * (1 + float(rng.random())) + E
    yield case("values", _N, losses, _ALPHAS, "a few large errors or many small ones")
    losses = torch.tensor([100.0, 33.8, 14.7, 5.3, 2.1]) * (1 + float(rng.random()))
    yield case("values", _N, losses, _ALPHAS, "a small loss that the best law misses by far")
    losses = torch.tensor([5.13, 5.083, 5.05, 5.029, 5.02])
    yield case("values", _N, losses, _ALPHAS, "a small part above a large floor")
    losses = law(E, A, 0.4, _N[:3], noise(3))
    yield case("values", _N[:3], losses, [0.3], "a single alpha")

    losses = law(0.0, 3 * A, 0.4, _N, noise(5)) * torch.tensor([1.0, 1.0, 0.97, 0.9, 0.85])
    yield case("floor", _N, losses, [0.1, 0.2, 0.3], "a floor that would be below 0")
    losses = law(0.0, A, 0.6, _N, noise(5)) * torch.tensor([1.0, 0.98, 0.95, 0.9, 0.8])
    yield case("floor", _N, losses, [0.2], "below 0, with a single alpha")
    straight = torch.tensor([10.0, 8.81, 7.5, 5.99, 5.0]) * (1 + float(rng.random()))
    alphas = [0.1, 0.2, 0.3, 0.4]
    yield case("floor", _N, straight, alphas, "the smallest error with a floor below 0")
    losses = torch.tensor([10.0, 8.57, 7.0, 5.19, 4.0]) * (1 + float(rng.random()))
    yield case("floor", _N, losses, [0.05, 0.1, 0.15], "below 0, whatever alpha is")

    N = [1_000.0, 5_000.0, 20_000.0 + 1_000 * number(rng, 0, 50)]
    yield case("edges", N, law(E, A, 0.4, N, noise(3)), _ALPHAS, "three runs")
    refused: dict[str, Any] = {"judge": VALUE_ERROR}
    N = [1_000.0, 9_000.0, 1_000.0, 9_000.0]
    inputs = [torch.tensor(N), law(E, A, 0.4, N, noise(4)), torch.tensor(_ALPHAS)]
    yield Case("edges", inputs, title="four runs, two different N", **refused)
    inputs = [torch.tensor(N[:2]), law(E, A, 0.4, N[:2], noise(2)), torch.tensor(_ALPHAS)]
    yield Case("edges", inputs, title="two runs", **refused)


WRONG = {
    "first_alpha": """
        The first alpha is taken. Keep the one with the smallest error.

        - return best[1:]
        + return (E.item(), A.item(), alphas[0].item()) if len(alphas) == 1 else (best[1], best[2], alphas[0].item())
        """,
    "largest_error": """
        This is the law with the largest error.

        - best = (math.inf, 0.0, 0.0, 0.0)
        + best = (-math.inf, 0.0, 0.0, 0.0)
        ...
        - best = min(best, (error.item(), E.item(), A.item(), alpha))
        + best = max(best, (error.item(), E.item(), A.item(), alpha))
        """,
    "no_floor": """
        There is no floor: E is 0, as for a straight line on log-log axes.

        - E = losses.mean() - A * x.mean()
        + E = torch.tensor(-1.0)
        """,
    "negative_floor": """
        E is below 0 here, and no loss is. Where that happens E is 0, and A is fitted anew.

        -         if E < 0:
        -             E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        """,
    "floor_cut_off": """
        E is set to 0, but A stays what it was with the other E. Fit it anew, through 0.

        - E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        + E = torch.zeros(())
        """,
    "floor_after_the_choice": """
        alpha is chosen by errors with E below 0, and E becomes 0 only after that. Another alpha may
        be better then: correct E and A for each alpha first, and compare the errors after that.

        -         if E < 0:
        -             E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        ...
        - return best[1:]
        + E, A, alpha = best[1:]
        + if E < 0:
        +     x = tokens**-alpha
        +     E, A = 0.0, ((x * losses).sum() / x.pow(2).sum()).item()
        + return E, A, alpha
        """,
    "cut_off_after_the_choice": """
        alpha is chosen by errors with E below 0; then E becomes 0, and A stays that of the other E.
        For each alpha set E to 0 and fit A anew first, and compare the errors after that.

        -         if E < 0:
        -             E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        ...
        - return best[1:]
        + return max(best[1], 0.0), *best[2:]
        """,
    "errors_of_logarithms": """
        alpha is chosen by the errors of the logarithms. Compare the losses themselves: the error
        is the sum of the squares of E + A N^(-alpha) - L.

        - error = (E + A * x - losses).pow(2).sum()
        + error = ((E + A * x).log() - losses.log()).pow(2).sum()
        """,
    "grows": """
        The exponent has no minus: this law grows with N.

        - x = tokens**-alpha
        + x = tokens**alpha
        """,
    "of_logarithms": """
        A straight line through the logarithms has no floor. Fit the losses to N^(-alpha).

        - A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        - E = losses.mean() - A * x.mean()
        + A = ((x.log() - x.log().mean()) * (losses.log() - losses.log().mean())).sum()
        + A = A / (x.log() - x.log().mean()).pow(2).sum()
        + E = (losses.log().mean() - A * x.log().mean()).exp()
        """,
    "other_order": """
        The numbers come in the order A, E, alpha. Return E first.

        - return best[1:]
        + return best[2], best[1], best[3]
        """,
    "two_runs_are_enough": """
        Three numbers were fitted to fewer than three different N. That should be a ValueError.

        -     if len(tokens.unique()) < 3:
        -         raise ValueError("three numbers need runs with at least three different N")
        """,
    "counts_the_runs": """
        Four runs with two different N are not enough: count the different N, not the runs.

        - if len(tokens.unique()) < 3:
        + if len(tokens) < 3:
        """,
    "absolute_errors": """
        The errors are added without being squared, and another alpha wins. Square each error.

        - error = (E + A * x - losses).pow(2).sum()
        + error = (E + A * x - losses).abs().sum()
        """,
    "returns_tensors": """
        The three numbers come as tensors; `.item()` makes plain numbers of them.

        - return best[1:]
        + return tuple(torch.tensor(number) for number in best[1:])
        """,
    "negative_floors_skipped": """
        An alpha whose E would be below 0 is left out, and where this happens to all of them there
        is no law left. Set E to 0, fit A anew, and compare this law with the others.

        raises TypeError

        - best = (math.inf, 0.0, 0.0, 0.0)
        + best = None
        ...
        - E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        + continue
        ...
        - best = min(best, (error.item(), E.item(), A.item(), alpha))
        + if best is None or error < best[0]:
        +     best = (error.item(), E.item(), A.item(), alpha)
        """,
}

FURTHER = """
For each alpha: x = tokens ** -alpha; the least-squares line of the losses over x has slope A and
intercept E. If E is below 0, take E = 0 and A = (x * losses).sum() / (x * x).sum(). Only then compute
the error, ((E + A * x - losses) ** 2).sum(). Keep E, A and alpha of the smallest.
"""

RIGHT = {
    "lstsq": """
        def fit_scaling_law(tokens, losses, alphas):
            if len(set(tokens.tolist())) < 3:
                raise ValueError("too few")
            N, L = tokens.double(), losses.double()
            found = []
            for alpha in alphas:
                x = N ** (-alpha.double())
                size = x.max()
                M = torch.stack([torch.ones_like(x), x / size], dim=1)
                E, A = torch.linalg.lstsq(M, L).solution
                A = A / size
                if E < 0:
                    E, A = L.new_zeros(()), (x @ L) / (x @ x)
                found.append((((E + A * x - L) ** 2).sum().item(), E.item(), A.item(), alpha.item()))
            return min(found)[1:]
        """,
    "all_alphas_at_once": """
        def fit_scaling_law(tokens, losses, alphas):
            if tokens.unique().numel() < 3:
                raise ValueError("too few")
            N, L = tokens.double(), losses.double()
            x = N[None] ** -alphas.double()[:, None]
            xc, Lc = x - x.mean(1, keepdim=True), L - L.mean()
            A = (xc * Lc).sum(1) / (xc * xc).sum(1)
            E = L.mean() - A * x.mean(1)
            A = torch.where(E < 0, (x * L).sum(1) / (x * x).sum(1), A)
            E = E.clamp(min=0)
            error = ((E[:, None] + A[:, None] * x - L) ** 2).sum(1)
            k = int(error.argmin())
            return float(E[k]), float(A[k]), float(alphas[k])
        """,
}

EQUIVALENT = {
    "What it changes is far below the tolerance: the inputs are in single precision, and alpha has few digits.": """
         ) -> tuple[float, float, float]:
        +    tokens = tokens.float()
             if len(tokens.unique()) < 3:

         ) -> tuple[float, float, float]:
        +    tokens = tokens.double()
             if len(tokens.unique()) < 3:

         ) -> tuple[float, float, float]:
        +    losses = losses.double()
             if len(tokens.unique()) < 3:

         ) -> tuple[float, float, float]:
        +    alphas = alphas.double()
             if len(tokens.unique()) < 3:

         ) -> tuple[float, float, float]:
        +    alphas = alphas.half()
             if len(tokens.unique()) < 3:
        """,
    "Single precision is enough for these numbers of runs.": """
        -    tokens, losses = tokens.double(), losses.double()
        """,
    "Single precision is enough, and an error compares as a tensor, too.": """
        -    tokens, losses = tokens.double(), losses.double()
        +    tokens, losses = tokens, losses.double()

        -    tokens, losses = tokens.double(), losses.double()
        +    tokens, losses = tokens.double(), losses

        -        best = min(best, (error.item(), E.item(), A.item(), alpha))
        +        best = min(best, (error, E.item(), A.item(), alpha))
        """,
    "They have one axis, with at least three numbers.": """
        -    tokens, losses = tokens.double(), losses.double()
        +    tokens, losses = tokens.double().squeeze(), losses.double()

        -    tokens, losses = tokens.double(), losses.double()
        +    tokens, losses = tokens.double(), losses.double().squeeze()

        -        x = tokens**-alpha
        +        x = (tokens**-alpha).squeeze()
        """,
    "Infinity is larger than every error, so the rest is never looked at.": """
        -    best = (math.inf, 0.0, 0.0, 0.0)
        +    best = (math.inf, 0.0, 0.0)
        """,
    "A number stays the number in this form, and `item` takes it out.": """
        -    best = (math.inf, 0.0, 0.0, 0.0)
        +    best = (round(math.inf, 2), 0.0, 0.0, 0.0)

        -    best = (math.inf, 0.0, 0.0, 0.0)
        +    best = (torch.tensor(math.inf), 0.0, 0.0, 0.0)

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = (((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()).reshape(1)

        -        E = losses.mean() - A * x.mean()
        +        E = (losses.mean() - A * x.mean()).reshape(1)

        -            E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        +            E, A = torch.zeros(()).reshape(1), (x * losses).sum() / x.pow(2).sum()

        -            E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        +            E, A = torch.zeros(()), ((x * losses).sum() / x.pow(2).sum()).reshape(1)

        -        error = (E + A * x - losses).pow(2).sum()
        +        error = (E + A * x - losses).pow(2).sum().reshape(1)
        """,
    "Two alphas never have the same error here.": """
        -    for alpha in alphas.tolist():
        +    for alpha in list(alphas.tolist())[::-1]:
        """,
    "The deviations of the one add up to 0, so a constant beside the other does not count; and a square has no sign.": """
        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x + x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses + losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses)).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x.mean() - x).pow(2).sum()

        -        error = (E + A * x - losses).pow(2).sum()
        +        error = (losses - (E + A * x)).pow(2).sum()
        """,
    "The deviations of the one add up to 0, so a constant beside the other does not count; and mean or root of the errors are smallest where their sum is.": """
        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.sum()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.prod()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses - losses.sum())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses - losses.prod())).sum() / (x - x.mean()).pow(2).sum()

        -        error = (E + A * x - losses).pow(2).sum()
        +        error = (E + A * x - losses).pow(2).mean()

        -        error = (E + A * x - losses).pow(2).sum()
        +        error = (E + A * x - losses).pow(2).norm()
        """,
    "The deviations of the one add up to 0, so a constant beside the other does not count, whichever it is.": """
        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - tokens.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - losses.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses - tokens.mean())).sum() / (x - x.mean()).pow(2).sum()

        -        A = ((x - x.mean()) * (losses - losses.mean())).sum() / (x - x.mean()).pow(2).sum()
        +        A = ((x - x.mean()) * (losses - x.mean())).sum() / (x - x.mean()).pow(2).sum()
        """,
    "Half precision is within the tolerance for these numbers, or only compared.": """
        -        E = losses.mean() - A * x.mean()
        +        E = (losses.mean() - A * x.mean()).half()

        -            E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        +            E, A = torch.zeros(()).half(), (x * losses).sum() / x.pow(2).sum()

        -            E, A = torch.zeros(()), (x * losses).sum() / x.pow(2).sum()
        +            E, A = torch.zeros(()), ((x * losses).sum() / x.pow(2).sum()).half()

        -        error = (E + A * x - losses).pow(2).sum()
        +        error = (E + A * x - losses).pow(2).sum().half()
        """,
    "Where E is 0, a line through 0 is the same line.": """
        -        if E < 0:
        +        if E <= 0:
        """,
    "Two alphas never have the same error here, in whatever order.": """
        -        best = min(best, (error.item(), E.item(), A.item(), alpha))
        +        best = min((error.item(), E.item(), A.item(), alpha), best)
        """,
}
