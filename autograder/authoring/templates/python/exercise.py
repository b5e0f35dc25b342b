"""average___TOPIC__: a mean of the scores that count; cases with some that do not, and with none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from autograder.course.exercise import Case

POINTS = {"values": 2, "none": 1}


def cases(rng: np.random.Generator) -> Iterator[Case]:
    for length in (4, 6):
        counting = int(rng.integers(1, length - 1))
        mask = rng.permutation([True] * counting + [False] * (length - counting)).tolist()
        yield Case("values", [rng.normal(size=length + 1).tolist(), [True, *mask]])
    yield Case("none", [rng.normal(size=3).tolist(), [False] * 3], title="no score counts")
    yield Case("none", [rng.normal(size=3).tolist(), [False, False, True]], title="one counts")


# name -> the hint, a blank line, and an edit of the solution: lines to remove (-) and to add (+)
WRONG = {
    "counts_all": """
        Scores that do not count are in the number you divide by: divide by how many count.

        - return sum(kept) / len(kept) if kept else 0.0
        + return sum(kept) / len(scores) if kept else 0.0
        """,
    "ignores_mask": """
        The mask is not used at all: a score where it is False must not count.

        def average___TOPIC__(scores, mask):
            return sum(scores) / len(scores)
        """,
    "divides_by_zero": """
        If no score counts, the sum is divided by 0: return 0.0 then.

        raises ZeroDivisionError

        - return sum(kept) / len(kept) if kept else 0.0
        + return sum(kept) / len(kept)
        """,
}

# a reason -> edits of the solution that are right, as `autograder audit` prints them
EQUIVALENT = {
    "An average does not depend on the order.": """
        - kept = [score for score, counts in zip(scores, mask) if counts]
        + kept = [score for score, counts in list(zip(scores, mask))[::-1] if counts]
        """,
}

# right answers in other styles, which must pass
RIGHT = {
    "loop": """
        def average___TOPIC__(scores, mask):
            total, count = 0.0, 0
            for score, counts in zip(scores, mask):
                if counts:
                    total, count = total + score, count + 1
            return total / count if count else 0.0
        """,
    "numpy": """
        def average___TOPIC__(scores, mask):
            import numpy as np

            weights = np.array(mask, dtype=float)
            return float(np.array(scores) @ weights / max(weights.sum(), 1.0))
        """,
}
