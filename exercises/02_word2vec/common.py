"""What the cases of 02_word2vec share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal

WORDS = (
    "king queen man woman film banana where walk walked by a great driver exceeded speed limit"
    " riveting movie interlink dog barked audio"
).split()


def aligned(v: torch.Tensor, score: float) -> torch.Tensor:
    """A multiple of `v` whose dot product with `v` is about `score`, the same on all machines."""
    return v * round(score / v.double().square().sum().item(), 3)


def until(draw: Callable[[], Any], good: Callable[[Any], bool], tries: int = 200_000) -> Any:
    """The first of many random draws that is as wanted."""
    for _ in range(tries):
        drawn = draw()
        if good(drawn):
            return drawn
    raise AssertionError("no draw was as wanted")


def letters(rng: np.random.Generator, n: int) -> str:
    """A word of different letters, so that no n-gram occurs twice."""
    return "".join(rng.choice(list("abcdefghijklmnop"), n, replace=False).tolist())


def counts_of_words(rng: np.random.Generator, n: int, low: int, high: int) -> torch.Tensor:
    """Different counts, the largest first."""
    return torch.from_numpy(np.sort(rng.choice(np.arange(low, high), n, replace=False))[::-1] + 0)


def vectors(rng: np.random.Generator, n: int, K: int) -> torch.Tensor:
    """Vectors of very different lengths."""
    return normal(rng, n, K) * torch.from_numpy(rng.uniform(0.3, 4, (n, 1)).astype(np.float32))


def apart(values: torch.Tensor, gap: float = 0.02) -> bool:
    """Whether all numbers differ so clearly that rounding does not change their order."""
    return len(values) < 2 or bool(values.sort().values.diff().min() > gap)


def window_cases(rng: np.random.Generator, judge: dict[str, str]) -> Iterator[Case]:
    def text(n: int) -> list[int]:
        """Different words, whose numbers say nothing about their positions."""
        return [int(i) for i in rng.choice(np.arange(1, 30), size=n, replace=False)]

    for n, window in ((5, 1), (7, 2), (int(rng.integers(8, 11)), 3)):
        yield Case("values", [text(n), window], judge=judge)
    a, b, c = text(3)
    title = "the same word several times within a window"
    yield Case("values", [[a, b, a, a, c, b], 2], title=title, judge=judge)
    d, _, e = text(3)
    title = "the id 0 is a word like any other"
    yield Case("values", [[0, d, 0, e, 0], 2], title=title, judge=judge)
    yield Case("edges", [text(3), 6], title="the window is longer than the text", judge=judge)
    yield Case("edges", [text(1), 2], title="a text of one word", judge=judge)
    yield Case("edges", [[], 2], title="an empty text", judge=judge)


def softmax_cases(rng: np.random.Generator, gradient: str = "") -> Iterator[Case]:
    """`gradient` is that of the case whose gradients are compared, if any."""

    def pair(D: int, K: int, scale: float = 1.0) -> list[Any]:
        return [normal(rng, K), normal(rng, D, K, scale=scale), int(rng.integers(D))]

    case = partial(Case, judge=EXACT)
    for D, K in ((3, 2), (6, 4), (int(rng.integers(8, 12)), 5)):
        yield case("values", pair(D, K))
    v_c, U, o = pair(5, 3)
    yield case("values", [v_c, U.T.contiguous().mT, o], title="a matrix that is not contiguous")
    v_c, U, o = pair(5, 3)
    U[(o + 2) % 5] = U[o]
    yield case("values", [v_c, U, o], title="two words with the same vector, one of them true")
    yield case("values", pair(1, 3), title="a single word: it is certain")
    yield case("values", pair(4, 1), title="vectors of one number")
    if gradient:
        yield case("values", pair(5, 3), title="what PyTorch derives", gradient=gradient)
    v_c, U, o = pair(4, 3, scale=0.1)
    U[o] += aligned(v_c, 1000)
    yield case("stability", [v_c, U, o], title="the true word has a score near 1000")
    yield case("stability", [v_c, U, (o + 1) % 4], title="another word has a score near 1000")
    if gradient:  # a loss: the rounding of such scores would show in the gradients
        v_c, U, o = pair(4, 3, scale=0.1)
        yield case("stability", [v_c, U - aligned(v_c, 120), o], title="all scores are near -120")
    v_c, U, o = pair(5, 4, scale=0.1)
    U[(o + 1) % 5] += aligned(v_c, 12.5)
    half = [v_c.half(), U.half(), o]
    yield case("stability", half, title="half precision, scores up to about 13")


def sampling_cases(rng: np.random.Generator, gradient: str = "") -> Iterator[Case]:
    """`gradient` is that of the case whose gradients are compared, if any."""

    def pair(K: int, k: int) -> list[torch.Tensor]:
        return [normal(rng, K), normal(rng, K), normal(rng, k, K)]

    case = partial(Case, judge=EXACT)
    for K, k in ((2, 2), (5, 3), (int(rng.integers(6, 9)), 5)):
        yield case("values", pair(K, k))
    v_c, u_o, U_neg = pair(4, 3)
    loose = U_neg.T.contiguous().mT
    yield case("values", [v_c, u_o, loose], title="negatives that are not contiguous")
    yield case("values", pair(1, 2), title="vectors of one number")
    v_c, u_o, U_neg = pair(3, 4)
    U_neg[3] = U_neg[1]
    yield case("values", [v_c, u_o, U_neg], title="the same negative twice")
    v_c, u_o, U_neg = pair(3, 2)
    U_neg[1] = u_o
    yield case("values", [v_c, u_o, U_neg], title="the true word is among the negatives")
    if gradient:
        yield case("values", pair(3, 2), title="what PyTorch derives", gradient=gradient)
    yield case("edges", pair(3, 0), title="no negatives")
    yield case("edges", pair(2, 1), title="one negative")
    v_c, u_o, U_neg = pair(3, 2)
    far = aligned(v_c, 1000)
    yield case("edges", [v_c, -far, U_neg.clone()], title="the true word has a score near -1000")
    U_neg[0] = far
    yield case("edges", [v_c, u_o, U_neg], title="a negative has a score near 1000")
    v_c, _, U_neg = pair(4, 3)
    U_neg[1] = aligned(v_c, 13)
    half = [v_c.half(), aligned(v_c, -12.5).half(), U_neg.half()]
    yield case("edges", half, title="half precision, scores up to about 13")
