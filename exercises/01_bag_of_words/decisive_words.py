"""The words with the largest and the smallest weights; k may be 0 or more than there are words."""

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from .common import draw_vocabulary

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def weights(n: int) -> torch.Tensor:
        """Distinct, n // 2 of them negative, more strongly so than the others are positive."""
        sizes = rng.permutation(np.arange(1, n + 1)) / 4 + rng.uniform(0, 0.2, size=n)
        signs = np.where(np.arange(n) < n // 2, -1.5, 1)
        return torch.from_numpy(rng.permutation(sizes * signs).astype(np.float32))

    for n, k in ((4, 1), (8, 3), (12, int(rng.integers(3, 6)))):
        yield Case("values", [weights(n), draw_vocabulary(rng, n), k])
    w = weights(4)
    i, j = sorted(rng.choice(4, size=2, replace=False).tolist())
    w[i], w[j] = 2.0 + 2.0**-12, 2.0  # the same in float16
    yield Case("edges", [w, draw_vocabulary(rng, 4), 2], title="almost equal weights")
    w = weights(3)
    w[w.argmin()] *= 4  # the strongest word is negative
    yield Case("edges", [w, draw_vocabulary(rng, 3), 8], title="fewer than k words")
    # A wrong length is reported before a wrong order; counting empty lists makes it a wrong value.
    title = "k is 0: both lists are empty"
    yield Case("edges", [weights(4), draw_vocabulary(rng, 4), 0], title=title, then=[("count", [])])


WRONG = {
    "swaps_the_lists": """
        The two lists are swapped: the first holds the words with the largest weights.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[:k], ranked[::-1][:k]
        """,
    "weakest_negative_first": """
        The second list is reversed: it should start with the most negative weight.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[::-1][:k], ranked[:k][::-1]
        """,
    "takes_all_for_zero": """
        With k = 0 a list contains all words: `[-0:]` is the whole list. Slice from the front.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[-k:][::-1], ranked[:k]
        """,
    "gives_word_indices": """
        These are indices. Return the words that the vocabulary maps to them.

        - ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]].item())
        + ranked = torch.argsort(w).tolist()
        """,
    "ignores_the_sign": """
        The words are sorted by absolute weight. A strongly negative word is not a positive one.

        - ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]].item())
        + ranked = sorted(vocabulary, key=lambda word: abs(w[vocabulary[word]].item()))
        """,
    "largest_and_smallest_size": """
        The words are sorted by absolute weight, so the second list has those with weights near 0.
        The strongest negative words are at the other end of the line: sort by the weight itself.

        - ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]].item())
        - return ranked[::-1][:k], ranked[:k]
        + ranked = sorted(vocabulary, key=lambda word: -abs(w[vocabulary[word]].item()))
        + return ranked[:k], ranked[-k:]
        """,
    "strongest_positive_last": """
        The first list is reversed: it should start with the largest weight.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[::-1][:k][::-1], ranked[:k]
        """,
    "ends_with_the_largest": """
        The first list is reversed: the end `[-k:]` of a list that starts with the smallest weight
        has the largest one last. And with k = 0, `[-0:]` is the whole list.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[-k:], ranked[:k]
        """,
    "keeps_to_one_sign": """
        A list holds only words whose weights have its sign. Take the k largest and the k smallest
        weights, whatever their signs: with few words they may overlap.

        - return ranked[::-1][:k], ranked[:k]
        + high = [word for word in ranked[::-1] if w[vocabulary[word]] > 0]
        + return high[:k], [word for word in ranked if w[vocabulary[word]] < 0][:k]
        """,
    "needs_k_words": """
        `topk` raises an error where the vocabulary has fewer than k words. Ask it for
        min(k, len(vocabulary)) of them.

        raises RuntimeError

        def decisive_words(w, vocabulary, k):
            words = list(vocabulary)
            high, low = w.topk(k).indices, (-w).topk(k).indices
            return [words[i] for i in high.tolist()], [words[i] for i in low.tolist()]
        """,
    "ends_with_the_strongest": """
        The second list is reversed: the end `[-k:]` of a list that starts with the largest weight
        has the most negative one last. And with k = 0, `[-0:]` is the whole list.

        - return ranked[::-1][:k], ranked[:k]
        + return ranked[::-1][:k], ranked[::-1][-k:]
        """,
}

RIGHT = {
    "topk": """
        def decisive_words(w, vocabulary, k):
            words, k = list(vocabulary), min(k, len(vocabulary))
            high, low = w.topk(k).indices, (-w).topk(k).indices
            return [words[i] for i in high.tolist()], [words[i] for i in low.tolist()]
        """,
    "pairs": """
        def decisive_words(w, vocabulary, k):
            pairs = sorted((w[index].item(), word) for word, index in vocabulary.items())
            return [word for _, word in reversed(pairs)][:k], [word for _, word in pairs[:k]]
        """,
}

EQUIVALENT = {
    "the order stays the same": """
         ) -> tuple[list[str], list[str]]:
        +    w = w.double()
             ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]].item())
        """,
    "tensors of one number are compared like numbers": """
        -    ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]].item())
        +    ranked = sorted(vocabulary, key=lambda word: w[vocabulary[word]])
        """,
}
