"""LoRALinear: layers with and without bias, scale, zeros at first, what learns, merging, ranks below 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.exercise import Case
from coursekit.checking import codec

from ..draw import VALUE_ERROR, normal, number

POINTS = {"values": 1, "start": 1, "training": 1, "merged": 1, "edges": 1}


def layer(n_in: int, n_out: int, bias: bool = True) -> codec.Source:
    """A linear layer; the cases set its weights."""
    return codec.Source(f"torch.nn.Linear({n_in}, {n_out}, bias={bias})")


def cases(rng: np.random.Generator) -> Iterator[Case]:
    def case(
        group: str,
        sizes: tuple[int, int],
        rank: int,
        alpha: float,
        *then: tuple,
        bias: bool = True,
        changed: bool = True,
        **more: Any,
    ) -> Case:
        n_in, n_out = sizes
        state = {"linear.weight": normal(rng, n_out, n_in)}
        if bias:
            state["linear.bias"] = normal(rng, n_out)
        if changed:
            state["lora_A.weight"] = normal(rng, rank, n_in)
            state["lora_B.weight"] = normal(rng, n_out, rank)
        inputs = [layer(n_in, n_out, bias), rank, alpha]
        return Case(group, inputs, state=state, then=list(then), **more)

    n = number(rng, 3, 5)
    X = normal(rng, 2, n, 4)
    yield case("values", (4, 3), 2, 2, ("__call__", X), title="rank 2, alpha 2")
    yield case("values", (3, 5), 1, 4.0, ("__call__", normal(rng, n, 3)), title="rank 1, alpha 4")
    X = normal(rng, 2, 3)
    yield case("values", (3, 3), 4, 8, ("__call__", X), bias=False, title="a layer without bias")

    X = normal(rng, 2, n)
    yield case("start", (n, 4), 2, 6, ("__call__", X), changed=False, title="unchanged at first")
    X, title = normal(rng, 3, 4), "unchanged at first, a single output"
    yield case("start", (4, 1), 3, 1, ("__call__", X), changed=False, title=title)

    X, calls = normal(rng, 2, n), [("lora_A.weight.any",)]
    title = "unchanged at first, but not without numbers in A"
    yield case("start", (n, 3), 2, 6, ("__call__", X), *calls, changed=False, title=title)

    X, title = normal(rng, 2, 4), "what training changes"
    yield case("training", (4, 3), 2, 4, ("__call__", X), title=title, gradient="all")
    X, title = normal(rng, n, 3), "what training changes, without bias"
    yield case("training", (3, 4), 1, 3, ("__call__", X), bias=False, title=title, gradient="all")

    yield case("merged", (4, 3), 2, 4, ("merged",), title="the merged matrix")
    X, title = normal(rng, 2, n), "the merged matrix, and the layer after it"
    calls = ("merged",), ("__call__", X)
    yield case("merged", (n, 2), 3, 1, *calls, bias=False, title=title)
    yield case("merged", (3, 3), 1, 2, ("merged",), changed=False, title="merged at first")
    yield case("merged", (4, 1), 2, 3, ("merged",), title="the merged matrix of a single output")
    calls = ("merged",), ("linear.weight.data.zero_",)
    title = "the merged matrix, when the frozen one changes"
    yield case("merged", (2, n), 1, 3, *calls, title=title)

    X, title = normal(rng, 3, 2), "a rank above both sizes"
    yield case("edges", (2, 3), 5, n, ("__call__", X), title=title)
    for rank in (0, -number(rng, 1, 3)):
        yield Case("edges", [layer(3, 2), rank, 1.0], title=f"a rank of {rank}", judge=VALUE_ERROR)


WRONG = {
    "not_scaled": """
        The change is not multiplied by alpha / rank.

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear, self.scale = linear.requires_grad_(False), 1.0
        """,
    "not_divided_by_the_rank": """
        The change is multiplied by alpha alone. Divide by the rank.

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear, self.scale = linear.requires_grad_(False), alpha
        """,
    "upside_down": """
        The change is multiplied by rank / alpha. It should be alpha / rank.

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear, self.scale = linear.requires_grad_(False), rank / alpha
        """,
    "frozen_path_detached": """
        The output is right, but no gradient flows back through the frozen layer, so the layers before
        it learn the wrong thing. Freeze its parameters, and let it compute as usual: without
        `detach` or `no_grad`.

        - return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))
        + return self.linear(X).detach() + self.scale * self.lora_B(self.lora_A(X))
        """,
    "without_the_layer": """
        Only the change is returned. It is added to what the frozen layer computes.

        - return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))
        + return self.scale * self.lora_B(self.lora_A(X))
        """,
    "scales_everything": """
        The frozen layer's output is scaled, too. Only the change is.

        - return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))
        + return self.scale * (self.linear(X) + self.lora_B(self.lora_A(X)))
        """,
    "starts_changed": """
        Before any training the output differs from that of the layer. B begins with zeros.

        -         nn.init.zeros_(self.lora_B.weight)
        """,
    "both_zeros": """
        A begins with zeros here. Only B should: if both did, neither would ever get a gradient.

        - nn.init.zeros_(self.lora_B.weight)
        + nn.init.zeros_(self.lora_B.weight)
        + nn.init.zeros_(self.lora_A.weight)
        """,
    "layer_not_frozen": """
        The layer learns, too. Freeze its parameters with requires_grad_(False).

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear, self.scale = linear, alpha / rank
        """,
    "bias_not_frozen": """
        The layer's bias still learns. Freeze all of its parameters.

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + linear.weight.requires_grad_(False)
        + self.linear, self.scale = linear, alpha / rank
        """,
    "thin_layers_with_biases": """
        A and B have biases. Take bias=False, or there is no matrix that does the same.

        - self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        - self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        + self.lora_A = nn.Linear(linear.in_features, rank)
        + self.lora_B = nn.Linear(rank, linear.out_features)
        """,
    "merges_without_the_scale": """
        The merged matrix lacks the factor alpha / rank.

        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + return self.linear.weight + self.lora_B.weight @ self.lora_A.weight
        """,
    "merges_the_change_alone": """
        This is the change alone. Add it to the frozen matrix.

        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + return self.scale * self.lora_B.weight @ self.lora_A.weight
        """,
    "merges_in_place": """
        The frozen matrix itself has changed, so the layer adds the change twice from now on. Return
        a new one.

        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + self.linear.weight += self.scale * self.lora_B.weight @ self.lora_A.weight
        + return self.linear.weight.clone()
        """,
    "a_rank_of_0": """
        A rank of 0 leaves nothing to learn. A rank below 1 should be a ValueError.

        raises ZeroDivisionError

        - if rank < 1:
        + if rank < 0:
        """,
    "merges_into_the_weight": """
        The sum is written into the frozen matrix, and that matrix is returned. So the layer adds the
        change twice from now on, and what you returned changes again with the next merge. Leave the
        matrix alone (`+=` and `add_` do not), and return a new one.

        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + W = self.linear.weight.data
        + W += self.scale * self.lora_B.weight @ self.lora_A.weight
        + return W
        """,
    "returns_the_weight": """
        What you return is the frozen matrix itself, into which the sum was written: if one of them
        changes, so does the other. Leave the matrix alone, and return a new tensor.

        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + self.linear.weight += self.scale * self.lora_B.weight @ self.lora_A.weight
        + self.lora_B.weight.zero_()
        + return self.linear.weight.data
        """,
    "divided_by_the_root_of_the_rank": """
        The change is multiplied by alpha divided by the root of the rank. Divide by the rank
        itself.

        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear, self.scale = linear.requires_grad_(False), alpha / math.sqrt(rank)
        """,
}

FURTHER = """
lora_A goes from linear.in_features to rank, lora_B from rank to linear.out_features. The output is
linear(X) + (alpha / rank) * lora_B(lora_A(X)), and the merged matrix W + (alpha / rank) * B @ A with
the weights of the three layers.
"""

RIGHT = {
    "products_of_weights": """
        - return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))
        + thin = F.linear(X, self.lora_A.weight) * self.scale
        + return self.linear(X) + F.linear(thin, self.lora_B.weight)
        """,
    "a_loop_that_freezes": """
        - self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        + self.linear = linear
        + for p in linear.parameters():
        +     p.requires_grad = False
        + self.scale = alpha / rank
        ...
        - nn.init.zeros_(self.lora_B.weight)
        + with torch.no_grad():
        +     self.lora_B.weight.fill_(0)
        """,
    "merges_a_detached_copy": """
        - return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        + B, A = self.lora_B.weight.detach(), self.lora_A.weight.detach()
        + return self.linear.weight.detach().clone().add_(B @ A, alpha=self.scale)
        """,
}

EQUIVALENT = {
    "A tensor is multiplied by it, whichever it is.": """
        -        self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        +        self.linear, self.scale = linear.requires_grad_(False), torch.tensor(alpha / rank)
        """,
    "Nothing is trained there: zeros are written, or gradients are off.": """
        -        nn.init.zeros_(self.lora_B.weight)
        +        nn.init.zeros_(self.lora_B.weight).detach()

        -        nn.init.zeros_(self.lora_B.weight)
        +        nn.init.zeros_(self.lora_B.weight.detach())

        -        return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        +        return self.linear.weight + self.scale * self.lora_B.weight.detach() @ self.lora_A.weight

        -        return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        +        return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight.detach()
        """,
    "Gradients are off there already.": """
             @torch.no_grad()
        +    @torch.no_grad()
             def merged(self) -> torch.Tensor:
        """,
    "The decorator sets gradients back as they were.": """
             def merged(self) -> torch.Tensor:
        +        torch.set_grad_enabled(False)
                 return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        """,
}
