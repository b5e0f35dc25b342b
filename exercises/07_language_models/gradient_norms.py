"""gradient_norms: cells given as functions, single and paired states, one word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import normal

POINTS = {"values": 3, "states": 1, "edges": 1}


#: Makes a tensor that refuses to require a gradient; its copies are ordinary ones.
_FIXED = (
    ".as_subclass((lambda refuse: type('Fixed', (torch.Tensor,), {'requires_grad_': refuse,"
    " 'requires_grad': property(lambda X: False, refuse),"
    " '__torch_function__': torch._C._disabled_torch_function_impl}))(lambda X, *_:"
    " (_ for _ in ()).throw(TypeError('the gradient should arrive in a copy of X'))))"
)


def _elman(rng: np.random.Generator, dim: int, hidden: int) -> codec.Source:
    W, U = (np.round(rng.normal(0, 0.7, (n, hidden)), 2).tolist() for n in (dim, hidden))
    return codec.Source(f"lambda x, h: torch.tanh(x @ torch.tensor({W}) + h @ torch.tensor({U}))")


def _paired(rng: np.random.Generator) -> codec.Source:
    """A state of two: the second one remembers slowly, the first one shows it."""
    keep = float(rng.integers(60, 90)) / 100
    text = f"lambda x, s: (lambda c: (torch.tanh(c - 0.3 * s[0]), c))({keep} * s[1] + torch.sin(x))"
    return codec.Source(text)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    judge = {"atol": 1e-5, "dtype": "family"}

    def elman(group: str, title: str, batch: int, T: int, dim: int, hidden: int, **other: Any):
        X, h = normal(rng, batch, T, dim), normal(rng, batch, hidden)
        return Case(group, [_elman(rng, dim, hidden), X, h], title=title, judge=judge, **other)

    yield elman("values", "one text", 1, 4, 2, 3)
    yield elman("values", "a batch of two texts", 2, int(rng.integers(5, 7)), 3, 2)
    yield elman("values", "a batch of three", 3, 3, 3, 3)
    yield elman("values", "a single word", 2, 1, 2, 2)
    for batch, T in ((1, 4), (2, int(rng.integers(3, 6)))):
        X = normal(rng, batch, T, 3)
        pair = (normal(rng, batch, 3), normal(rng, batch, 3))
        title = "a state of two tensors"
        yield Case("states", [_paired(rng), X, pair], title=title, judge=judge)
    yield elman("edges", "one component", 2, 3, 1, 1)
    loose = codec.Source(
        f"torch.tensor({normal(rng, 2, 3, 4).double().numpy().round(2).tolist()}).mT"
    )
    numbers = normal(rng, 1, 3, 2).double().numpy().round(2).tolist()
    fixed = codec.Source(f"torch.tensor({numbers}){_FIXED}")
    title = "X stays as it is"
    yield Case("edges", [_elman(rng, 2, 2), fixed, normal(rng, 1, 2)], title=title, judge=judge)
    title = "X is not contiguous"
    yield Case("edges", [_elman(rng, 3, 2), loose, normal(rng, 2, 2)], title=title, judge=judge)


WRONG = {
    "order_of_the_text": """
        The order is that of the text, from the first word to the last. Entry k belongs to the word
        k steps *before* the last: flip the T norms. (`flip(0)` of the gradient itself turns the batch
        around, not the text.)

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.norm(dim=(0, 2))
        """,
    "all_states": """
        You add up the hidden states of all positions. Only the last one is asked for: H[:, -1].

        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + (gradient,) = torch.autograd.grad(H.sum(), X)
        """,
    "sums_not_norms": """
        This is the plain sum of the gradient's components. Its norm is the root of the sum of their
        squares.

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.sum(dim=(0, 2)).flip(0)
        """,
    "mean_of_norms": """
        You take a norm for each text and average. The norm is over all numbers of the batch at a
        position, dim=(0, 2).

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.norm(dim=2).mean(dim=0).flip(0)
        """,
    "norm_over_time": """
        The norm runs over the positions. There should be one number for each of the T positions.

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.norm(dim=(0, 1)).flip(0)
        """,
    "changes_x": """
        The caller's X requires a gradient from now on. Let the gradient arrive in a copy:
        X.detach().clone().requires_grad_().

        raises TypeError

        - X = X.detach().clone().requires_grad_()
        + X.requires_grad_()
        """,
    "memory_not_state": """
        You differentiate the second tensor of the pair, the memory c. The last *hidden* state is
        H[:, -1], the first of the pair.

        - H, _ = unroll(cell, X, state)
        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + _, last = unroll(cell, X, state)
        + last = last[1] if isinstance(last, tuple) else last
        + (gradient,) = torch.autograd.grad(last.sum(), X)
        """,
    "pair_has_no_sum": """
        The last state may be a pair of tensors. `unroll` returns the hidden states of all positions
        as well, and the last of them is H[:, -1].

        raises AttributeError

        - H, _ = unroll(cell, X, state)
        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + _, last = unroll(cell, X, state)
        + (gradient,) = torch.autograd.grad(last.sum(), X)
        """,
    "last_of_the_batch": """
        H[-1] is the last text of the batch. The last position is H[:, -1].

        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + (gradient,) = torch.autograd.grad(H[-1].sum(), X)
        """,
    "squared_state": """
        You differentiate the sum of squares. The gradient of the plain sum is asked for.

        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + (gradient,) = torch.autograd.grad(H[:, -1].square().sum(), X)
        """,
    "norms_without_the_root": """
        These are the sums of squares. A norm is their square root.

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.square().sum(dim=(0, 2)).flip(0)
        """,
    "sum_of_norms": """
        You take a norm for each text and add them up. The norm is over all numbers of the batch at a
        position, dim=(0, 2).

        - return gradient.norm(dim=(0, 2)).flip(0)
        + return gradient.norm(dim=2).sum(dim=0).flip(0)
        """,
    "mean_of_the_state": """
        You differentiate the mean of the last hidden state. The gradient of its sum is asked for.

        - (gradient,) = torch.autograd.grad(H[:, -1].sum(), X)
        + (gradient,) = torch.autograd.grad(H[:, -1].mean(), X)
        """,
    "share_of_the_first": """
        The norms are divided by that for k = 0. Return them as they are.

        - return gradient.norm(dim=(0, 2)).flip(0)
        + norms = gradient.norm(dim=(0, 2)).flip(0)
        + return norms / norms[0]
        """,
}

RIGHT = {
    "backward": """
        def gradient_norms(cell, X, state):
            leaf = X.detach().clone()
            leaf.requires_grad = True
            H, _ = unroll(cell, leaf, state)
            H[:, -1].sum().backward()
            return leaf.grad.square().sum(dim=(0, 2)).sqrt().flip(0)
        """,
    "word_by_word": """
        def gradient_norms(cell, X, state):
            words = [x.detach().clone().requires_grad_() for x in X.unbind(dim=1)]
            for x in words:
                state = cell(x, state)
            h = state[0] if isinstance(state, tuple) else state
            gradients = torch.autograd.grad(h.sum(), words)
            return torch.stack([g.norm() for g in reversed(gradients)])
        """,
    "jacobian": """
        def gradient_norms(cell, X, state):
            def last(X):
                return unroll(cell, X, state)[0][:, -1].sum()

            gradient = torch.autograd.functional.jacobian(last, X)
            return gradient.transpose(0, 1).flatten(1).norm(dim=1).flip(0)
        """,
}

EQUIVALENT = {
    "double precision is welcome": "every edit: other dtype",
    "the gradient is that of a new tensor, and X stays as it is": """
        - X = X.detach().clone().requires_grad_()
        + X = X.detach().requires_grad_()

        - X = X.detach().clone().requires_grad_()
        + X = X.clone().requires_grad_()
        """,
}
