"""sampling_probabilities: temperature, top-k, nucleus, each alone and together; limits of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import VALUE_ERROR

POINTS = {"temperature": 2, "top-k": 1, "nucleus": 2, "edges": 2}

_JUDGE = {"properties": {"sums_to_one": -1, "at_least": 0}, "dtype": "family"}


def _shuffled(rng: np.random.Generator, numbers: np.ndarray | list[float]) -> torch.Tensor:
    """The numbers in any order, but that in which sorting undoes itself."""
    while True:
        found = rng.permutation(numbers).astype(np.float32)
        order = np.argsort(-found)
        if len(found) < 3 or (order[order] != np.arange(len(found))).any():
            return torch.from_numpy(found)


def _logits(rng: np.random.Generator, n: int) -> torch.Tensor:
    """n different logits, at least 0.25 apart, in any order."""
    steps = rng.integers(25, 90, size=n).cumsum() / 100
    return _shuffled(rng, steps - steps.mean())


def _boundary(rng: np.random.Generator) -> tuple[torch.Tensor, float]:
    """Logits whose nucleus is well inside: p halfway into the share of the third word."""
    logits = _shuffled(rng, np.log(np.array([16, 8, 4, 2, 1]) / 31))
    return logits, float(rng.integers(80, 88)) / 100


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(group: str, title: str, logits: torch.Tensor, **options: float | None) -> Case:
        # whether a sum of rounded shares reaches 1 is up to the processor, unless one word has it all
        alone = (
            len(logits) == 1 or options.get("top_k") == 1 or options.get("temperature", 1) < 0.01
        )
        rounded = options.get("top_p", 1.0) == 1.0 and not alone
        undefined = ["nothing_is_left"] if rounded else []
        return Case(group, [logits], options, title, judge=_JUDGE, undefined=undefined)

    n = int(rng.integers(4, 7))
    yield case("temperature", "temperature 1", _logits(rng, n))
    for low in (True, False):
        t = float(rng.integers(30, 70)) / 100 if low else float(rng.integers(15, 30)) / 10
        title = "a low temperature" if low else "a high temperature"
        yield case("temperature", title, _logits(rng, n), temperature=t)
    title = "temperature 0: the most probable word, always"
    highest_first = _logits(rng, 5).sort(descending=True).values
    yield case("temperature", title, highest_first, temperature=0.0)
    title = "a temperature near 0, large logits"
    yield case("temperature", title, _logits(rng, 4) * 50, temperature=0.001)
    yield case("top-k", "the two most probable words", _logits(rng, n), top_k=2)
    k = int(rng.integers(3, 5))
    yield case("top-k", f"k = {k}, and a temperature", _logits(rng, 6), top_k=k, temperature=0.5)
    yield case("top-k", "k = 1", _logits(rng, n), top_k=1)
    tied = _logits(rng, 5)
    first, second = tied.topk(2).indices.tolist()
    tied[second] = tied[first]
    yield case("top-k", "two equally probable words, which both stay", tied, top_k=3)
    logits, p = _boundary(rng)
    yield case("nucleus", "three words together reach p", logits, top_p=p)
    yield case("nucleus", "the first word alone reaches p", logits, top_p=0.3)
    yield case("nucleus", "all but one word", logits, top_p=0.93)
    flat = _shuffled(rng, [0.01, 0.02, 0.03, 0.04])
    yield case("nucleus", "a flat distribution", flat, top_p=0.6)
    title = "a temperature first, then the nucleus"
    yield case("nucleus", title, logits, top_p=0.96, temperature=0.5)
    title = "top-k first: the nucleus is one of the words that are left"
    yield case("nucleus", title, logits, top_k=2, top_p=0.6)
    yield case("edges", "k larger than the vocabulary", _logits(rng, n), top_k=n + 3)
    yield case("edges", "p = 1 keeps every word", _logits(rng, n), top_p=1.0)
    yield case("edges", "one word", _logits(rng, 1), temperature=0.5, top_k=3, top_p=0.5)
    title = "temperature 0, with k and p"
    yield case("edges", title, _logits(rng, 7), temperature=0.0, top_k=2, top_p=0.5)
    yield case("edges", "one word, temperature 0", _logits(rng, 1), temperature=0.0)
    for bad in (
        *({"temperature": -0.5}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}),
        *({"temperature": 0.0, "top_k": 0}, {"temperature": 0.0, "top_p": 1.5}),
    ):
        title = ", ".join(f"{name} = {value}" for name, value in bad.items())
        judge = VALUE_ERROR
        yield Case("edges", [_logits(rng, n)], bad, title, judge=judge)


FURTHER = """
Sort the probabilities, highest first: `p, order = torch.softmax(...).sort(descending=True)`. Top-k sets
p[k:] to 0; divide by the sum. For the nucleus a word stays if the words *before* it together have less
than top_p: `p.cumsum(0) - p < top_p`. Divide by the sum again, and put the numbers back where they
belong: `result[order] = p`.
"""

WRONG = {
    "multiplies_by_temperature": """
        Temperature works the other way round: divide the logits by it, so that a low one makes the
        differences larger.

        - p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
        + p, order = torch.softmax(logits * temperature, dim=-1).sort(descending=True)
        """,
    "temperature_on_probabilities": """
        You divide the probabilities by the temperature, and the division by the sum undoes it. Divide
        the logits, before the softmax.

        - p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
        + p, order = (torch.softmax(logits, dim=-1) / temperature).sort(descending=True)
        + p = p / p.sum()
        """,
    "divides_by_zero": """
        At temperature 0 you divide by 0. The limit is known: the most probable word has the
        probability 1.

        - if temperature == 0:
        -     return nn.functional.one_hot(logits.argmax(), len(logits)).to(logits.dtype)
        """,
    "not_renormalized": """
        What is left does not sum to 1. Divide by the sum whenever words were taken out.

        - p[top_k:] = 0.0
        - p = p / p.sum()
        + p[top_k:] = 0.0
        ...
        - p = p / p.sum()
        - result = torch.empty_like(p)
        + result = torch.empty_like(p)
        """,
    "not_renormalized_after_nucleus": """
        After the nucleus what is left does not sum to 1. Divide by the sum again.

        - p[p.cumsum(0) - p >= top_p] = 0.0
        - p = p / p.sum()
        + p[p.cumsum(0) - p >= top_p] = 0.0
        """,
    "nothing_is_left": """
        0 / 0: all words were taken out, and you divide by their sum. The word with which the sum
        reaches p belongs to the nucleus, so a word stays if the words *before* it have less than p.

        - p[p.cumsum(0) - p >= top_p] = 0.0
        + p[p.cumsum(0) >= top_p] = 0.0
        """,
    "nucleus_stops_short": """
        The word with which the sum reaches p is missing. The nucleus is the smallest set whose sum is
        *at least* p, so that word belongs to it. Without it, nothing may be left.

        - p[p.cumsum(0) - p >= top_p] = 0.0
        + if top_p < 1:
        +     p[p.cumsum(0) > top_p] = 0.0
        + p[0] = p[0] if p[0] > 0 else 1.0
        """,
    "nucleus_by_threshold": """
        You keep the words whose own probability is at least p. It is the *sum* of the most probable
        words that should reach p.

        - p[p.cumsum(0) - p >= top_p] = 0.0
        + p[1:][p[1:] < top_p] = 0.0
        """,
    "keeps_the_order_of_sorting": """
        Your probabilities are sorted, so they belong to other words now. Put them back: with `order`
        from the sort, result[order] = p.

        - result = torch.empty_like(p)
        - result[order] = p
        - return result
        + return p
        """,
    "nucleus_before_top_k": """
        The nucleus is chosen by the probabilities from before top-k, so it has too many words. First
        top-k; divide what is left by its sum; then the nucleus of that.

        - p[top_k:] = 0.0
        - p = p / p.sum()
        - p[p.cumsum(0) - p >= top_p] = 0.0
        + p[p.cumsum(0) - p >= top_p] = 0.0
        + p[top_k:] = 0.0
        """,
    "k_too_large_fails": """
        k may be larger than the vocabulary; then every word stays. torch.topk wants
        min(k, len(logits)).

        raises RuntimeError

        - p[top_k:] = 0.0
        + p[p < p.topk(top_k).values[-1]] = 0.0
        """,
    "accepts_anything": """
        A negative temperature, k below 1, or p outside of (0, 1] make no sense: raise a ValueError.

        - if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        -     raise ValueError("temperature must be 0 or more, top_k 1 or more, top_p in (0, 1]")
        - if temperature == 0:
        + if temperature == 0:
        """,
    "smallest_stay": """
        The least probable words stay: `sort` is ascending unless you say `descending=True`.

        - p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
        + p, order = torch.softmax(logits / temperature, dim=-1).sort()
        """,
    "indexes_with_the_order": """
        p[order] sorts once more instead of undoing it. `order` says where each sorted probability came from:
        result[order] = p.

        - result = torch.empty_like(p)
        - result[order] = p
        - return result
        + return p[order]
        """,
    "one_word_too_many": """
        One word too many stays: a slice up to top_k has top_k words.

        - p[top_k:] = 0.0
        + p[top_k + 1 :] = 0.0
        """,
    "zero_is_a_logit": """
        The logits of the words that go are set to 0, and exp(0) is 1. Their probability should be 0: set them
        to minus infinity.

        - p[top_k:] = 0.0
        - p = p / p.sum()
        + scores = (logits / temperature)[order]
        + scores[top_k:] = 0.0
        + p = torch.softmax(scores, dim=-1)
        """,
    "temperature_comes_last": """
        The temperature is applied after top-k and nucleus. It comes first: it changes which words make up the
        nucleus.

        - p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
        + p, order = torch.softmax(logits, dim=-1).sort(descending=True)
        ...
        - p[p.cumsum(0) - p >= top_p] = 0.0
        - p = p / p.sum()
        + p[p.cumsum(0) - p >= top_p] = 0.0
        + p = torch.softmax(p.log() / temperature, dim=-1)
        """,
    "zero_before_the_tests": """
        With temperature 0 an impossible k or p is accepted. Test all three before anything else.

        - if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        + if temperature == 0:
        +     return nn.functional.one_hot(logits.argmax(), len(logits)).to(logits.dtype)
        + if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        """,
    "nucleus_without_its_last_word": """
        The word that makes the sum reach top_p is removed too (with top_p = 1 that is the last
        one, in every distribution). A word stays if the words *before* it sum to less than top_p.

        - p[p.cumsum(0) - p >= top_p] = 0.0
        + keep = p.cumsum(0) < top_p
        + keep[0] = True
        + p[~keep] = 0.0
        """,
    "zero_p_accepted": """
        top_p = 0 is accepted. No word would be left: top_p has to be above 0, or it is a
        ValueError.

        - if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        + if temperature < 0 or (top_k is not None and top_k < 1) or not 0 <= top_p <= 1:
        """,
}

RIGHT = {
    "masks_logits": """
        def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
            if temperature < 0:
                raise ValueError("temperature")
            if top_k is not None and top_k < 1:
                raise ValueError("top_k")
            if top_p <= 0 or top_p > 1:
                raise ValueError("top_p")
            if temperature == 0:
                p = torch.zeros_like(logits)
                p[logits.argmax()] = 1
                return p
            logits = logits / temperature
            if top_k is not None:
                lowest = torch.topk(logits, min(top_k, len(logits))).values[-1]
                logits = torch.where(logits < lowest, -torch.inf, logits)
            p = torch.softmax(logits, dim=0)
            higher = (p[None, :] > p[:, None]) * p[None, :]
            logits = torch.where(higher.sum(dim=1) < top_p, logits, -torch.inf)
            return torch.softmax(logits, dim=0)
        """,
    "word_by_word": """
        def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
            if temperature < 0 or top_p <= 0 or top_p > 1 or (top_k is not None and top_k <= 0):
                raise ValueError("impossible options")
            k = len(logits) if top_k is None else min(top_k, len(logits))
            if temperature == 0:
                k, temperature = 1, 1.0
            p = torch.softmax(logits / temperature, dim=-1)
            best = p.argsort(descending=True).tolist()[:k]
            whole = sum(float(p[i]) for i in best)
            kept, reached = [], 0.0
            for i in best:
                if reached >= top_p:
                    break
                kept.append(i)
                reached += float(p[i]) / whole
            result = torch.zeros_like(p)
            result[kept] = p[kept] / p[kept].sum()
            return result
        """,
    "scatter": """
        - p[top_k:] = 0.0
        + p = torch.where(torch.arange(len(p)) < (len(p) if top_k is None else top_k), p, 0.0)
          p = p / p.sum()
        - p[p.cumsum(0) - p >= top_p] = 0.0
        - p = p / p.sum()
        - result = torch.empty_like(p)
        - result[order] = p
        - return result
        + before = torch.cat([p.new_zeros(1), p.cumsum(0)[:-1]])
        + p = p * (before < top_p)
        + return torch.zeros_like(p).scatter(0, order, p / p.sum())
        """,
}

EQUIVALENT = {
    "any precision that gives the same probabilities": "every edit: other dtype, given dtype",
    "no model is trained through it": "every edit: detached, without gradient",
    "a negative temperature has raised an error": """
        - if temperature == 0:
        + if temperature <= 0:
        """,
    "a single probability is broadcast to the same shape": """
        - result[order] = p
        + result[order] = p.squeeze()
        """,
    "there are as many probabilities as logits": """
        - top_k = len(p)
        + top_k = len(logits)
        """,
    "nothing else uses the old probabilities": """
          p[top_k:] = 0.0
        - p = p / p.sum()
        + p /= p.sum()
          p[p.cumsum(0) - p >= top_p] = 0.0

          p[top_k:] = 0.0
        - p = p / p.sum()
        + p = p.div_(p.sum())
          p[p.cumsum(0) - p >= top_p] = 0.0

          p[p.cumsum(0) - p >= top_p] = 0.0
        - p = p / p.sum()
        + p /= p.sum()
          result = torch.empty_like(p)

          p[p.cumsum(0) - p >= top_p] = 0.0
        - p = p / p.sum()
        + p = p.div_(p.sum())
          result = torch.empty_like(p)
        """,
    "whether a sum is exactly top_p is decided by rounding": """
        - p[p.cumsum(0) - p >= top_p] = 0.0
        + p[p.cumsum(0) - p > top_p] = 0.0
        """,
    "all of it is overwritten": """
        - result = torch.empty_like(p)
        + result = torch.empty_like(logits)
        """,
}
