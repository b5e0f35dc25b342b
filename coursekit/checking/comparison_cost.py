"""Cost of comparing plain data, estimated without decoding it: a submission may answer anything."""

from __future__ import annotations

from typing import Any

#: The cost of one value.
VALUE_COST = 16


def cost(data: Any, most: int) -> int:
    """Return a lower bound on the work of decoding and comparing plain data, without decoding it.

    Each value costs `VALUE_COST` and each character of a text 1, so that a list of numbers and the
    bytes of an array are measured alike. It stops counting above `most`.
    """
    total, left = 0, [data]
    while left and total <= most:
        value = left.pop()
        total += VALUE_COST
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, list):
            total += VALUE_COST * len(value)
            left += value[: most // VALUE_COST]
        elif isinstance(value, dict):
            total += VALUE_COST * len(value) + sum(map(len, value))
            left += list(value.values())[: most // VALUE_COST]
    return total
