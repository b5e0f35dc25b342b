"""The submission's side of grading: runs the cases that the grader sends and returns what came out.

It runs inside the student's kernel and is not trusted: it holds no expected output and decides
nothing. Whatever it answers is compared with the reference outside.
"""

from __future__ import annotations

import json
from typing import Any

from coursekit.running import run_cases

MIME = "application/vnd.coursekit.outcomes+json"


def answer(name: str, request: str) -> None:
    """Run the cases in `request` (JSON) on the global called `name`; display each outcome as JSON."""
    from IPython import get_ipython
    from IPython.display import publish_display_data

    scope: dict[str, Any] = get_ipython().user_ns
    cases = json.loads(request)
    if name in scope:
        outcomes = run_cases(scope[name], cases)
    else:
        outcomes = [{"status": "unwritten", "message": f"nothing is called {name}"}] * len(cases)
    for outcome in outcomes:
        publish_display_data({MIME: json.dumps(outcome)})
