"""pair_features: the order of the four parts, and signs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

from ..draw import EXACT, normal, number

POINTS = {"values": 2, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for batch, dim in ((2, 2), (3, number(rng, 3, 5))):
        yield Case("values", [normal(rng, batch, dim), normal(rng, batch, dim)])
    u = normal(rng, 2, 3)
    yield Case("values", [u, u + 1 + normal(rng, 2, 3).abs()], title="v is larger than u")
    title = "what training changes"
    yield Case("values", [normal(rng, 2, 2), normal(rng, 2, 2)], title=title, gradient="all")
    yield Case("edges", [normal(rng, 1, 3), normal(rng, 1, 3)], title="one pair")
    u = normal(rng, 2, number(rng, 2, 4))
    yield Case("edges", [u, u.clone()], title="two equal sentences")
    u, v = normal(rng, 3, 1), normal(rng, 3, 1)
    yield Case("edges", [u, v], title="one component")
    u, v = normal(rng, 2, 3).double() + 1e9, normal(rng, 2, 3).double() + 1e9
    title = "components of a billion, in double precision"
    yield Case("edges", [u, v], title=title, judge=EXACT)


WRONG = {
    "signed_difference": """
        The difference has a sign, so it depends on which sentence comes first. Take its absolute
        value.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, u - v, u * v], dim=-1)
        """,
    "difference_of_absolute_values": """
        This is |u| - |v|, which is 0 for 2 and -2. Subtract first, then take the absolute value.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, u.abs() - v.abs(), u * v], dim=-1)
        """,
    "squared_difference": """
        The difference is squared. Take its absolute value.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, (u - v) ** 2, u * v], dim=-1)
        """,
    "product_first": """
        The last two parts are in the wrong order: first |u - v|, then the product.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, u * v, (u - v).abs()], dim=-1)
        """,
    "dot_product": """
        The last part is the dot product, one number. Multiply component by component, without
        adding up.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, (u - v).abs(), (u * v).sum(dim=-1, keepdim=True)], dim=-1)
        """,
    "product_of_directions": """
        Before the product u and v are scaled to length 1, as for a cosine. Multiply them as they
        are.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + product = F.normalize(u, dim=-1) * F.normalize(v, dim=-1)
        + return torch.cat([u, v, (u - v).abs(), product], dim=-1)
        """,
    "stacked": """
        The parts are stacked along a new axis. Concatenate them: (B, 4 * D).

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.stack([u, v, (u - v).abs(), u * v], dim=1)
        """,
    "alternating_parts": """
        The four parts alternate, component by component. Concatenate them: all of u, then all of v,
        then the rest.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.stack([u, v, (u - v).abs(), u * v], dim=-1).flatten(1)
        """,
    "along_the_batch": """
        The parts are concatenated along the batch, (4 * B, D). Each pair is one row: (B, 4 * D).

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, (u - v).abs(), u * v], dim=0)
        """,
    "without_u_and_v": """
        The vectors themselves are missing: u and v come first.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([(u - v).abs(), u * v], dim=-1)
        """,
    "one_distance": """
        The third part is the distance of the vectors, one number. Take the absolute value of each
        component of the difference.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, (u - v).norm(dim=-1, keepdim=True), u * v], dim=-1)
        """,
    "sum_for_product": """
        The last part is the sum of the vectors. It should be their product, component by component.

        - return torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        + return torch.cat([u, v, (u - v).abs(), u + v], dim=-1)
        """,
}

RIGHT = {
    "hstack": """
        def pair_features(u, v):
            return torch.hstack((u, v, torch.abs(u - v), torch.mul(u, v)))
        """,
    "fills_a_tensor": """
        def pair_features(u, v):
            B, D = u.shape
            parts = torch.stack([u, v, torch.abs(v - u), v * u], dim=1)
            return parts.reshape(B, 4 * D)
        """,
    "pair_by_pair": """
        def pair_features(u, v):
            rows = [torch.cat([a, b, (a - b).abs(), a * b]) for a, b in zip(u, v)]
            return torch.stack(rows)
        """,
}
