"""Exam bank: questions with answers in Markdown, and the code that proves their numbers.

A file per assignment, `exam/NN_topic.md` in the guide's folder. A question is

    ## Gradient of the softmax loss
    *medium · 6 points*
    The question.
    ### Answer
    The steps.
    ### Marking
    Who gets which points.
    ### Check
    ```python
    says("0.69", math.log(2))
    ```

The check is run. `says(text, value)` demands that the answer has this text, and that it is the value to
the digits shown; `states(text)` demands the text alone, beside an `assert` on what it says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from autograder.errors import AuthorError

_HEAD = re.compile(r"\*(easy|medium|hard) · (\d+) points?\*\s*\n")
_PARTS = ("Answer", "Marking", "Check")
_FENCE = re.compile(r"```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class ExamQuestion:
    """Question of the bank, in Markdown.

    Attributes
    ----------
    check : str
        Python that proves what the answer states; "" where the answer has neither number nor formula.
    """

    assignment: str
    title: str
    level: str
    points: int
    text: str
    answer: str
    marking: str
    check: str


def read_bank(folder: Path) -> dict[str, list[ExamQuestion]]:
    """Return the questions by assignment, in the order of the files; {} if there are none.

    Raises
    ------
    AuthorError
        A question lacks a part, or two have one title.
    """
    found = {
        path.stem: [
            _question(path, text)
            for text in re.split(r"^## ", path.read_text("utf-8"), flags=re.M)[1:]
        ]
        for path in sorted((folder / "exam").glob("[0-9][0-9]_*.md"))
    }
    titles = [one.title for several in found.values() for one in several]
    for title in titles:
        if titles.count(title) > 1:
            raise AuthorError(f"the exam bank has two questions called {title!r}; rename one.")
    return found


def _question(path: Path, text: str) -> ExamQuestion:
    """Return the question that a section of a file states."""
    title, _, rest = text.partition("\n")
    where = f"{path.parent.name}/{path.name}, {title.strip()}"
    head = _HEAD.match(rest.lstrip())
    if head is None:
        raise AuthorError(f"{where}: below the title write a line such as *medium · 6 points*.")
    body = rest.lstrip()[head.end() :]
    parts = re.split(r"^### (\w+)\s*\n", body, flags=re.M)
    named = dict(zip(parts[1::2], parts[2::2]))
    for part in _PARTS[:2]:
        if not named.get(part, "").strip():
            raise AuthorError(f"{where}: there is no section ### {part}.")
    if unknown := [name for name in named if name not in _PARTS]:
        raise AuthorError(f"{where}: ### {unknown[0]} is none of {', '.join(_PARTS)}.")
    code = _FENCE.search(named.get("Check", ""))
    return ExamQuestion(
        path.stem,
        title.strip(),
        head[1],
        int(head[2]),
        parts[0].strip(),
        named["Answer"].strip(),
        named["Marking"].strip(),
        code[1] if code else "",
    )


def prove(where: str, stated: str, code: str) -> list[str]:
    """Run a check; return the texts that it has proved.

    Parameters
    ----------
    where : str
        For the message: which question it is.
    stated : str
        The text that the check is about.
    code : str
        The check: code of the course's author, which is run as it is.

    Raises
    ------
    AuthorError
        The text is not there, a value differs, or the check fails.
    """
    proved: list[str] = []

    def states(text: str) -> None:
        if text not in stated:
            raise AssertionError(f"the text {text!r} is not there")
        proved.append(text)

    def says(text: str, value: Any) -> None:
        states(text)
        shown, size = shown_number(text)
        if abs(float(value) * (100 if text.endswith("%") else 1) - shown) > size:
            raise AssertionError(f"{text} is {float(value):.6g}")

    scope: dict[str, Any] = {"says": says, "states": states}
    try:
        exec(compile(code, f"<check of {where}>", "exec"), scope)
    except Exception as error:
        raise AuthorError(f"{where}: the check fails: {error or type(error).__name__}.") from error
    return proved


def shown_number(text: str) -> tuple[float, float]:
    """Return a written number, and the largest distance of the true one that rounding allows.

    Parameters
    ----------
    text : str
        Such as "0.69", "1,024", "-3/8" or "12.5%".
    """
    plain = text.replace(",", "").replace("−", "-").rstrip("%")
    if "/" in plain:
        return float(Fraction(plain)), 1e-9
    digits = len(plain.partition(".")[2])
    return float(plain), 0.5 * 10.0**-digits * (1 + 1e-9)


def prove_bank(bank: dict[str, list[ExamQuestion]]) -> int:
    """Run every check of the bank; return their number.

    Raises
    ------
    AuthorError
        A check fails.
    """
    count = 0
    for several in bank.values():
        for one in several:
            if one.check:
                prove(f"exam/{one.assignment}.md, {one.title}", one.answer, one.check)
                count += 1
    return count
