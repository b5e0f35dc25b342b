"""The submission's side of grading: runs the cases that the grader sends and returns what came out.

It runs inside the student's kernel and is not trusted: it holds no expected output and decides
nothing. Whatever it answers is compared with the reference outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from coursekit.checking.run_cases import run_cases

MIME = "application/vnd.coursekit.outcomes+json"
#: Characters of outcomes that go into one message; a longer outcome has a message of its own.
MESSAGE_LENGTH = 250_000


def answer(name: str, request: str) -> None:
    """Run the cases in `request` (JSON) on the global called `name`; display lists of outcomes."""
    from IPython import get_ipython
    from IPython.display import publish_display_data

    scope: dict[str, Any] = get_ipython().user_ns
    cases = json.loads(request)
    if name in scope:
        outcomes = run_cases(scope[name], cases)
    else:
        outcomes = [{"status": "unwritten", "message": f"nothing is called {name}"}] * len(cases)
    for texts in _messages([json.dumps(outcome) for outcome in outcomes]):
        publish_display_data({MIME: f"[{', '.join(texts)}]"})


def _messages(texts: list[str]) -> Iterator[list[str]]:
    """The texts in order, as many together as one message takes."""
    together: list[str] = []
    length = 0
    for text in texts:
        if together and length + len(text) > MESSAGE_LENGTH:
            yield together
            together, length = [], 0
        together.append(text)
        length += len(text)
    yield together
