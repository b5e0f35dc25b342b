"""A bidirectional LSTM: two passes over the real tokens, and the final state of each."""

import itertools

from autograder.authoring.canvas import Canvas

_TOKENS = ("not", "a", "good", "film", "padding")


def draw() -> Canvas:
    canvas = Canvas(460, 284)
    columns = [74 + 76 * number for number in range(len(_TOKENS))]
    forwards, backwards = [], []
    for x, token in zip(columns, _TOKENS):
        real = token != "padding"
        word = canvas.box(x - 33, 178, 66, 28, token, fill="blue" if real else "gray")
        if not real:
            continue
        last, first = token == "film", token == "not"
        forwards.append(
            canvas.box(x - 27, 114, 54, 32, "→", "green" if last else "white", bold=last)
        )
        backwards.append(
            canvas.box(x - 27, 238, 54, 32, "←", "green" if first else "white", bold=first)
        )
        canvas.arrow(word.top, forwards[-1].bottom, color="gray")
        canvas.arrow(word.bottom, backwards[-1].top, color="gray")
    for left, right in itertools.pairwise(forwards):
        canvas.arrow(left.right, right.left)
    for left, right in itertools.pairwise(backwards):
        canvas.arrow(right.left, left.right)
    text = canvas.box(112, 38, 168, 32, "[→ at film; ← at not]", fill="green")
    canvas.arrow(forwards[-1].top, (text.right[0] - 14, text.bottom[1]))
    canvas.line(backwards[0].left, (22, 254), (22, 54), text.left, head=True)
    canvas.text(196, 20, "the vector of the text", size=12)
    canvas.text(456, 130, "forward states", size=12, align="right")
    canvas.text(456, 254, "backward states", size=12, align="right")
    return canvas
