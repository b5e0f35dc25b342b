"""What the cases of several assignments draw: numbers, ids, words, masks and weights.

Every function that draws takes numpy's generator first and uses it in a fixed order, so that a seed
always gives the same cases. What only one assignment needs is in `common.py` beside its exercises.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from coursekit.checking import codec

#: How to judge: the dtype must be the reference's, not only one of the same family.
EXACT = {"dtype": "exact"}
#: How to judge half precision, which keeps three digits; sums in another order keep fewer.
HALF = {"dtype": "exact", "atol": 0.02}
#: How to judge an input that must be refused.
VALUE_ERROR = {"raises": "ValueError"}

#: Hooks for a case's `state`, since `then` can only call and read: they switch a module to
#: evaluation, or to half precision, before its first call.
TO_EVAL = {"_forward_pre_hooks": codec.Source("{0: lambda module, inputs: module.eval() and None}")}
TO_HALF = {"_forward_pre_hooks": codec.Source("{0: lambda module, inputs: module.half() and None}")}

#: Different words for sentences to translate.
ENGLISH = "she likes the white cat but he never sees a dog in our old garden".split()


def number(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    low, high : int
        The smallest and the largest number that it can be.

    Returns
    -------
    int
        A number from `low` up to and including `high`.
    """
    return int(rng.integers(low, high + 1))


def normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> torch.Tensor:
    """Normally distributed numbers around 0.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    *shape : int
        The shape of the tensor; without one, it holds a single number.
    scale : float
        The standard deviation.

    Returns
    -------
    torch.Tensor
        Numbers in float32, of the given shape.
    """
    return torch.from_numpy(np.asarray(rng.normal(scale=scale, size=shape), dtype=np.float32))


def draw_ids(rng: np.random.Generator, n_words: int, *shape: int, low: int = 0) -> torch.Tensor:
    """Ids of words or classes.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    n_words : int
        The size of the vocabulary; ids are below it.
    *shape : int
        The shape of the tensor, such as (B, L).
    low : int
        The smallest id: 1 if 0 stands for padding.

    Returns
    -------
    torch.Tensor
        Whole numbers in int64, of the given shape.
    """
    return torch.from_numpy(rng.integers(low, n_words, size=shape))


def draw_words(rng: np.random.Generator, words: list[str], n: int) -> list[str]:
    """Words in any order, some of them more than once.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    words : list of str
        What to draw from.
    n : int
        How many words to draw.

    Returns
    -------
    list of str
        `n` words.
    """
    return [words[int(i)] for i in rng.integers(0, len(words), size=n)]


def some_words(rng: np.random.Generator, words: list[str], n: int) -> list[str]:
    """Different words, in any order.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    words : list of str
        What to draw from, at least `n` words.
    n : int
        How many words to draw.

    Returns
    -------
    list of str
        `n` words.
    """
    return [str(word) for word in rng.choice(words, size=n, replace=False)]


def lengths_mask(lengths: list[int], longest: int | None = None) -> torch.Tensor:
    """A padding mask, as `coursekit.text.pad_batch` makes it.

    Parameters
    ----------
    lengths : list of int
        How many tokens each of B texts has.
    longest : int, optional
        The number of positions L; by default the length of the longest text, and at least 1.

    Returns
    -------
    torch.Tensor
        Booleans (B, L), True at tokens and False at padding.
    """
    return torch.arange(longest or max(1, *lengths)) < torch.tensor(lengths)[:, None]


def causal(length: int) -> torch.Tensor:
    """A mask that lets each position see itself and what comes before it.

    Parameters
    ----------
    length : int
        The number of positions L.

    Returns
    -------
    torch.Tensor
        Booleans (L, L), True at and below the diagonal.
    """
    return torch.ones(length, length, dtype=torch.bool).tril()


def linear(
    rng: np.random.Generator,
    path: str,
    into: int,
    out: int,
    bias: bool = True,
    *,
    gain: float = 1.2,
    shift: float = 0.3,
) -> dict[str, torch.Tensor]:
    """The weights of an nn.Linear, for a case's `state`.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    path : str
        Where the layer is in the module, such as "attention.W_Q".
    into, out : int
        How many numbers go in and come out.
    bias : bool
        Whether the layer has a bias.
    gain : float
        The standard deviation of the weights, times the root of `into`.
    shift : float
        The standard deviation of the bias.

    Returns
    -------
    dict of str to torch.Tensor
        The weight (out, into) and the bias (out,), by path.
    """
    state = {f"{path}.weight": normal(rng, out, into, scale=gain / math.sqrt(into))}
    return state | ({f"{path}.bias": normal(rng, out, scale=shift)} if bias else {})


def norm(rng: np.random.Generator, path: str, d_model: int) -> dict[str, torch.Tensor]:
    """The weights of an nn.LayerNorm, for a case's `state`.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    path : str
        Where the layer is in the module, such as "norm_1".
    d_model : int
        How many numbers it normalizes.

    Returns
    -------
    dict of str to torch.Tensor
        The weight around 1 and the bias around 0, both (d_model,), by path.
    """
    return {
        f"{path}.weight": 1 + normal(rng, d_model, scale=0.3),
        f"{path}.bias": normal(rng, d_model, scale=0.3),
    }


def attention_state(
    rng: np.random.Generator,
    d_model: int,
    keys: int | None = None,
    values: int | None = None,
    path: str = "",
) -> dict[str, torch.Tensor]:
    """The weights of multi-head attention, whose scores are so large that a wrong softmax shows.

    Parameters
    ----------
    rng : np.random.Generator
        Where the random numbers come from.
    d_model : int
        The size of the vectors that go in and come out.
    keys, values : int, optional
        The sizes of keys and of values, all heads together; by default `d_model`.
    path : str
        What the four layers' paths begin with, such as "attention.".

    Returns
    -------
    dict of str to torch.Tensor
        Weights and biases of W_Q, W_K (keys, d_model), W_V (values, d_model) and
        W_O (d_model, values), by path.
    """
    keys, values = keys or d_model, values or d_model
    state = linear(rng, f"{path}W_Q", d_model, keys) | linear(rng, f"{path}W_K", d_model, keys)
    state |= linear(rng, f"{path}W_V", d_model, values)
    return state | linear(rng, f"{path}W_O", values, d_model)
