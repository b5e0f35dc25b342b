"""Code in the submission's kernel that runs the grader's cases and returns the outcomes.

It runs in the student's kernel and is not trusted: it has no expected outputs and decides nothing.
The grader compares the outcomes with the reference in another process.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from coursekit.checking.defined_state import DefinedState
from coursekit.checking.recording_format import Outcome, Question
from coursekit.checking.run_cases import run_cases
from coursekit.checking.running_threads import end_those_of_the_notebook

MIME = "application/vnd.coursekit.outcomes+json"
#: The key of a request's cases.
CASES = "coursekit_cases"
#: The most characters of outcomes in one message; a longer outcome gets its own message.
MESSAGE_LENGTH = 250_000


def answer(name: str) -> None:
    """Run the cases of the request on the global called `name`; display lists of outcomes.

    The cases come with the message that asks for it, as JSON under `CASES` in its metadata: in the
    code of a cell, the kernel would read them several times over.
    """
    from IPython import get_ipython
    from IPython.display import publish_display_data

    shell = get_ipython()
    scope: dict[str, Any] = shell.user_ns
    request: str = shell.kernel.get_parent("shell")["metadata"][CASES]
    absent: Outcome = {"status": "unwritten", "message": f"{name} is not defined"}
    end_those_of_the_notebook()
    with DefinedState():
        cases: list[Question] = json.loads(request)
        outcomes = [absent] * len(cases)
        if name in scope:
            outcomes = run_cases(scope[name], cases, name=name)
        for texts in _messages([json.dumps(outcome) for outcome in outcomes]):
            publish_display_data({MIME: f"[{', '.join(texts)}]"})


def _messages(texts: list[str]) -> Iterator[list[str]]:
    """Group the texts into messages, in order."""
    group: list[str] = []
    length = 0
    for text in texts:
        if group and length + len(text) > MESSAGE_LENGTH:
            yield group
            group, length = [], 0
        group.append(text)
        length += len(text)
    yield group
