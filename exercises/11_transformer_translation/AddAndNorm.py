"""AddAndNorm: made-up sublayers, in both orders; a dropout of 1 shows what is dropped, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import TO_EVAL, norm, normal, number

POINTS = {"post-LN": 2, "pre-LN": 2, "dropout": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def sublayer() -> codec.Source:
        """A function to the same shape, which mixes all tokens of the batch; 0 does not stay 0."""
        factor, shift = (float(x) for x in rng.uniform(0.5, 1.5, size=2).round(2))
        return codec.Source(
            f"lambda X: {factor} * X.flip(0, 1).tanh() - {shift} * X.square() + 0.5"
        )

    def case(
        group: str,
        X: torch.Tensor,
        dropout: float | None = 0.0,
        norm_first: bool | None = None,
        state: dict[str, Any] | None = None,
        more_calls: list[tuple] | None = None,
        **more: Any,
    ) -> Case:
        d = X.shape[-1]
        kwargs = {} if dropout is None else {"dropout": dropout}
        if norm_first is not None:
            kwargs["norm_first"] = norm_first
        weights = norm(rng, "norm", d) | (state or {})
        then = [("__call__", X, sublayer()), *(more_calls or [])]
        return Case(group, [d], kwargs, state=weights, then=then, **more)

    n = number(rng, 3, 5)
    yield case("post-LN", normal(rng, 2, n, 4))
    yield case("post-LN", normal(rng, 1, n, 3), norm_first=False, title="said explicitly")
    yield case("post-LN", normal(rng, 1, 1, 5), title="one token")
    yield case("post-LN", normal(rng, 1, 2, 4), title="what training changes", gradient="all")
    yield case("pre-LN", normal(rng, 2, n, 4), norm_first=True)
    yield case("pre-LN", normal(rng, 1, 1, 3), norm_first=True, title="one token")
    X, title = normal(rng, 1, 2, 4), "what training changes"
    yield case("pre-LN", X, norm_first=True, title=title, gradient="all")
    X = normal(rng, 1, n, 4, scale=1 / 128)
    yield case("pre-LN", X, norm_first=True, title="small numbers")
    for norm_first, name in ((False, "post-LN"), (True, "pre-LN")):
        X, title = normal(rng, 2, 3, 4), f"dropout 1 in training, {name}: the sublayer adds nothing"
        yield case("dropout", X, 1.0, norm_first, title=title)
    X, rate = normal(rng, 2, 2, 4), [(".dropout.p",)]
    title = "dropout 1 in evaluation: nothing is dropped"
    yield case("dropout", X, 1.0, state=TO_EVAL, more_calls=rate, title=title)
    X, title = normal(rng, 2, 2, 4), "the default dropout, in evaluation"
    yield case("dropout", X, None, True, state=TO_EVAL, more_calls=rate, title=title)


WRONG = {
    "always_post": """
        `norm_first` is ignored: it is always the sum that is normalized.

        - if self.norm_first:
        + if False:
        """,
    "always_pre": """
        `norm_first` is ignored: it is always the input of the sublayer that is normalized.

        - if self.norm_first:
        + if True:
        """,
    "norm_first_reversed": """
        The two orders are exchanged: norm_first=True is pre-LN, where the sublayer gets the
        normalized X.

        - if self.norm_first:
        + if not self.norm_first:
        """,
    "adds_the_normalized": """
        In pre-LN the residual connection adds the normalized X. It adds X itself: nothing may stand
        between the input and the output of a stack.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return self.norm(X) + self.dropout(sublayer(self.norm(X)))
        """,
    "normalizes_the_output": """
        In pre-LN the output of the sublayer is normalized. Its input is.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return X + self.norm(self.dropout(sublayer(X)))
        """,
    "normalizes_twice": """
        In pre-LN the sum is normalized, too. There is one normalization, before the sublayer.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return self.norm(X + self.dropout(sublayer(self.norm(X))))
        """,
    "without_residual": """
        The input is not added: the residual connection is missing.

        - return self.norm(X + self.dropout(sublayer(X)))
        + return self.norm(self.dropout(sublayer(X)))
        """,
    "drops_the_sum": """
        Dropout acts on the sum, so it drops the input, too. Apply it to the output of the sublayer.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return self.dropout(X + sublayer(self.norm(X)))
        ...
        - return self.norm(X + self.dropout(sublayer(X)))
        + return self.norm(self.dropout(X + sublayer(X)))
        """,
    "without_dropout": """
        Nothing is dropped in training: `dropout` is ignored.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return X + sublayer(self.norm(X))
        ...
        - return self.norm(X + self.dropout(sublayer(X)))
        + return self.norm(X + sublayer(X))
        """,
    "drops_the_sum_in_post_ln": """
        In post-LN dropout acts on the sum, so it drops the input, too. Apply it to the output of the
        sublayer, before that is added.

        - return self.norm(X + self.dropout(sublayer(X)))
        + return self.norm(self.dropout(X + sublayer(X)))
        """,
    "drops_the_input": """
        Dropout acts on the input of the sublayer. It acts on its output, before that is added.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return X + sublayer(self.dropout(self.norm(X)))
        ...
        - return self.norm(X + self.dropout(sublayer(X)))
        + return self.norm(X + sublayer(self.dropout(X)))
        """,
    "residual_after_the_norm": """
        In post-LN the output of the sublayer is normalized and then added. The sum is normalized.

        - return self.norm(X + self.dropout(sublayer(X)))
        + return X + self.norm(self.dropout(sublayer(X)))
        """,
    "without_dropout_in_pre_ln": """
        With norm_first there is no dropout. It comes right after the sublayer in both forms.

        - return X + self.dropout(sublayer(self.norm(X)))
        + return X + sublayer(self.norm(X))
        """,
}

RIGHT = {
    "one_formula": """
        - if self.norm_first:
        -     return X + self.dropout(sublayer(self.norm(X)))
        - return self.norm(X + self.dropout(sublayer(X)))
        + before, after = (self.norm, nn.Identity()) if self.norm_first else (nn.Identity(), self.norm)
        + return after(X + self.dropout(sublayer(before(X))))
        """,
    "functional_dropout": """
        - if self.norm_first:
        -     return X + self.dropout(sublayer(self.norm(X)))
        - return self.norm(X + self.dropout(sublayer(X)))
        + new = sublayer(self.norm(X) if self.norm_first else X)
        + total = F.dropout(new, self.dropout.p, self.training) + X
        + return total if self.norm_first else self.norm(total)
        """,
    "normalizes_by_hand": """
        - return self.norm(X + self.dropout(sublayer(X)))
        + Z = X + self.dropout(sublayer(X))
        + Z = (Z - Z.mean(-1, keepdim=True)) / (Z.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()
        + return Z * self.norm.weight + self.norm.bias
        """,
}
