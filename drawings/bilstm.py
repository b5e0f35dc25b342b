"""A bidirectional LSTM: two passes over the real tokens, and the final state of each."""

import itertools

from autograder.authoring.canvas import Canvas

_TOKENS = ("not", "a", "good", "film", "padding")


def draw() -> Canvas:
    canvas = Canvas(460, 300)
    columns = [60 + 76 * number for number in range(len(_TOKENS))]
    forwards, backwards = [], []
    for x, token in zip(columns, _TOKENS):
        real = token != "padding"
        word = canvas.box(x - 31, 264, 62, 28, token, fill="blue" if real else "gray")
        if not real:
            continue
        last, first = token == "film", token == "not"
        forwards.append(
            canvas.box(x - 27, 184, 54, 32, "→", "green" if last else "white", bold=last)
        )
        backwards.append(
            canvas.box(x - 27, 124, 54, 32, "←", "green" if first else "white", bold=first)
        )
        canvas.arrow(word.top, forwards[-1].bottom)
        canvas.arrow(forwards[-1].top, backwards[-1].bottom, color="gray")
    for left, right in itertools.pairwise(forwards):
        canvas.arrow(left.right, right.left)
    for left, right in itertools.pairwise(backwards):
        canvas.arrow(right.left, left.right)
    text = canvas.box(98, 44, 152, 32, "[h of film; h of not]", fill="green")
    canvas.arrow(forwards[-1].top, (text.right[0] - 12, text.bottom[1]), color="black")
    canvas.arrow(backwards[0].top, (text.left[0] + 12, text.bottom[1]), color="black")
    canvas.text(174, 24, "the vector of the text", size=12)
    canvas.text(454, 200, "forward states", size=12, align="right")
    canvas.text(454, 140, "backward states", size=12, align="right")
    return canvas
