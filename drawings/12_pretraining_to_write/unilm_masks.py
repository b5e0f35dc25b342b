"""The three masks of UniLM, for a first text of two tokens and a second one of two."""

from collections.abc import Callable

from autograder.authoring.canvas import Canvas

_WORDS = ("one", "two", "ein", "zwei")
_KINDS: dict[str, Callable[[int, int], bool]] = {
    "bidirectional": lambda row, column: True,
    "left to right": lambda row, column: column <= row,
    "sequence to sequence": lambda row, column: column <= row or column < 2,
}


def draw() -> Canvas:
    canvas = Canvas(460, 190)
    for number, (name, sees) in enumerate(_KINDS.items()):
        left = 50 + 141 * number
        canvas.text(left + 54, 14, name, size=12)
        for i, word in enumerate(_WORDS):
            canvas.text(left + 13 + 27 * i, 40, word, size=11)
            if number == 0:
                canvas.text(left - 8, 66 + 27 * i, word, size=11, align="right")
            for j in range(len(_WORDS)):
                colored = "blue" if j < 2 else "orange"
                fill = colored if sees(i, j) else "white"
                canvas.box(left + 27 * j, 53 + 27 * i, 25, 25, fill=fill)
    canvas.text(
        260,
        178,
        "rows attend, columns are seen; blue is the first text, orange the second",
        size=11,
    )
    return canvas
