"""What the cases of 14_unsupervised_translation share: sentences, and a translator made of sums."""

from __future__ import annotations

import numpy as np

from coursekit.checking import codec

#: Moves every word by the language token, turns the sentence around, and tells whether gradients are on.
TRANSLATE = codec.Source(
    "lambda sentences, language: [[(3 * i + language) % 83 + 4 + 100 * torch.is_grad_enabled()"
    " for i in ids][::-1] for ids in sentences]"
)


def sentences(rng: np.random.Generator, *lengths: int) -> list[list[int]]:
    """Sentences of these lengths as ids of words."""
    return [rng.integers(4, 90, size=n).tolist() for n in lengths]


def languages(rng: np.random.Generator) -> tuple[int, int, int]:
    """Two language tokens and the id of </s>, in any order."""
    first, second, eos = rng.permutation(np.arange(90, 99))[:3].tolist()
    return first, second, eos
