"""soft_dictionary: soft and sharp look-ups, half precision, a dictionary without entries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from autograder.course.exercise import Case

from ..draw import EXACT, normal

POINTS = {"values": 1, "sharpness": 1, "edges": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for m, n, d, d_v in ((2, 3, 2, 1), (3, 5, 4, 2)):
        yield Case("values", [normal(rng, m, d), normal(rng, n, d), normal(rng, n, d_v)])
    n = int(rng.integers(3, 6))
    square = [normal(rng, n, n) for _ in range(3)]
    yield Case("values", square, title="as many queries as entries as dimensions")
    sharp = round(float(rng.uniform(2, 4)), 2)
    inputs = [normal(rng, 2, 3), normal(rng, 4, 3), normal(rng, 4, 2)]
    yield Case("sharpness", inputs, {"sharpness": sharp})
    inputs = [normal(rng, 2, 3), normal(rng, int(rng.integers(3, 6)), 3)]
    inputs.append(normal(rng, len(inputs[1]), 2))
    title = "sharpness 0: the mean of all values"
    divided = ("divides_by_sharpness",)  # by 0: NaN, or right for those who test for it
    yield Case("sharpness", inputs, {"sharpness": 0.0}, title=title, undefined=divided)
    keys = torch.from_numpy(rng.permutation(np.eye(4)).astype(np.float32)) * 2
    queries = keys[torch.from_numpy(rng.integers(4, size=3))]
    inputs = [queries, keys, normal(rng, 4, 2)]
    title = "very sharp: an ordinary dictionary"
    yield Case("sharpness", inputs, {"sharpness": 1000.0}, title=title)
    twice = torch.cat([keys, keys[:1]])
    inputs = [keys[:2].clone(), twice, normal(rng, 5, 2)]
    title = "very sharp, and two entries with the same key: the mean of both"
    yield Case("sharpness", inputs, {"sharpness": 1000.0}, title=title)
    # each product of 300 and 300 is more than float16 holds
    inputs = [150 * queries.half(), 150 * keys.half(), normal(rng, 4, 2).half()]
    title = "half precision and very sharp"
    judge = {**EXACT, "atol": 5e-3}
    yield Case("edges", inputs, {"sharpness": 1000.0}, title=title, judge=judge)
    inputs = [queries.half(), keys.half(), normal(rng, 4, 2)]
    yield Case("edges", inputs, title="queries and keys in half precision, values in float32")
    empty = [normal(rng, int(rng.integers(2, 4)), 3), torch.zeros(0, 3), torch.zeros(0, 2)]
    yield Case("edges", empty, title="a dictionary without entries")
    half = [empty[0], empty[1], empty[2].half()]
    yield Case("edges", half, title="without entries, values in half precision", judge=EXACT)
    single = [normal(rng, 1, 2), normal(rng, 1, 2), normal(rng, 1, 3)]
    yield Case("edges", single, title="one query, one entry")


FURTHER = """
The scores are one matrix product, (M, d) times (d, n), in float32. Multiply them by the sharpness
and divide by the square root of d before the softmax over the last axis; then a second product with
V in float32, and the dtype of V at the end.
"""

WRONG = {
    "dictionary_unscaled": """
        The scores are not scaled: divide them by the square root of d, the size of a key.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q.float() @ K.float().T)
        """,
    "scales_by_entries": """
        The scores are divided by the square root of the number of entries. A dot product adds up
        d terms, so the size of a key is what counts.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(len(K))
        """,
    "scales_by_value_size": """
        The scores are divided by the square root of the size of a value. A dot product of a query
        and a key adds up d terms, so the size of a key is what counts.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(V.shape[-1])
        """,
    "ignores_sharpness": """
        The sharpness plays no part: multiply the scores by it.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        """,
    "divides_by_sharpness": """
        The scores are divided by the sharpness. It should multiply them: 0 ignores the query,
        and larger is sharper. (A number that divides the scores is called a temperature.)

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = (Q.float() @ K.float().T) / math.sqrt(K.shape[-1]) / sharpness
        """,
    "multiplies_the_weights": """
        The weights are multiplied by the sharpness, so they no longer sum to 1. Multiply the
        scores, before the softmax.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + scores = (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + return (sharpness * torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        """,
    "softmax_over_queries": """
        The softmax runs over the queries. It should run over the keys: the weights of each query
        sum to 1.

        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + return (torch.softmax(scores, dim=0) @ V.float()).to(V.dtype)
        """,
    "overflows_in_half_precision": """
        In half precision the scores become infinite, and then NaN. Convert queries and keys to
        float32 before you multiply them, and the answer back to the dtype of V.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + scores = sharpness * (Q @ K.T) / math.sqrt(K.shape[-1])
        + return torch.softmax(scores, dim=-1) @ V
        """,
    "product_in_half_precision": """
        The product of queries and keys is computed in half precision, where it becomes infinite,
        and only then converted. Convert both to float32 before you multiply them.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q @ K.T).float() / math.sqrt(K.shape[-1])
        """,
    "answers_in_float32": """
        The answer is float32, but the values came in half precision. Convert it back at the end,
        with `.to(V.dtype)`.

        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + return torch.softmax(scores, dim=-1) @ V.float()
        """,
    "dictionary_scaled_by_d": """
        The scores are divided by d, not by its square root.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q.float() @ K.float().T) / K.shape[-1]
        """,
    "always_the_best_key": """
        Each query gets the value of its best key alone. That is the limit of a large sharpness; in general
        all values count, weighted by a softmax.

        def soft_dictionary(Q, K, V, sharpness=1.0):
            if len(K) == 0:
                return torch.zeros(len(Q), V.shape[-1], dtype=V.dtype)
            return V[(Q.float() @ K.float().T).argmax(dim=1)]
        """,
    "exp_of_large_scores": """
        exp of a large score is infinity, and infinity / infinity is NaN. `torch.softmax` subtracts the
        largest score first.

        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + e = torch.exp(scores)
        + return (e / e.sum(dim=-1, keepdim=True) @ V.float()).to(V.dtype)
        """,
    "compares_by_cosine": """
        Queries and keys are divided by their lengths: these are cosines. Here the score is the plain dot
        product, in which long keys count for more.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + q, k = nn.functional.normalize(Q.float(), dim=-1), nn.functional.normalize(K.float(), dim=-1)
        + scores = sharpness * (q @ k.T) / math.sqrt(K.shape[-1])
        """,
    "answers_in_the_queries_dtype": """
        The answers have the dtype of the queries. They are made of values: return the dtype of V.

        - return (torch.softmax(scores, dim=-1) @ V.float()).to(V.dtype)
        + return (torch.softmax(scores, dim=-1) @ V.float()).to(Q.dtype)
        """,
    "empty_in_float32": """
        The zeros of an empty dictionary are always float32. They should have the dtype of V, as all other
        answers have.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + if len(K) == 0:
        +     return torch.zeros(len(Q), V.shape[1])
        + scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        """,
    "no_answers": """
        An empty dictionary gives no rows. Each query gets an answer, and without entries that is a
        row of zeros: one row for each query.

        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + if len(K) == 0:
        +     return V.new_zeros(0, V.shape[1])
        + scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        """,
}

RIGHT = {
    "loop": """
        def soft_dictionary(Q, K, V, sharpness=1.0):
            answers = torch.zeros(len(Q), V.shape[-1])
            for answer, query in zip(answers, Q.float()):
                r = sharpness * (K.float() * query).sum(dim=-1) / len(query) ** 0.5
                for weight, value in zip(torch.softmax(r, dim=0), V.float()):
                    answer += weight * value
            return answers.to(V.dtype)
        """,
    "einsum": """
        def soft_dictionary(Q, K, V, sharpness=1.0):
            if not len(K):
                return torch.zeros(len(Q), V.shape[-1], dtype=V.dtype)
            scale = sharpness / math.sqrt(Q.shape[-1])
            r = torch.einsum("md,nd->mn", Q.double(), K.double()) * scale
            e = torch.exp(r - r.amax(dim=1, keepdim=True))
            return torch.einsum("mn,nv->mv", e / e.sum(dim=1, keepdim=True), V.double()).to(V.dtype)
        """,
}

EQUIVALENT = {
    "Converting to float32 twice, or from float64, changes nothing here.": """
          ) -> torch.Tensor:
        +     Q = Q.float()
              scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])

          ) -> torch.Tensor:
        +     Q = Q.double()
              scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])

          ) -> torch.Tensor:
        +     K = K.float()
              scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])

          ) -> torch.Tensor:
        +     K = K.double()
              scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        """,
    "Queries and keys have d numbers in the last of their two axes.": """
        - scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(K.shape[-1])
        + scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(Q.shape[-1])
        """,
    "no model of the course is trained through it": "every edit: detached, without gradient",
}
