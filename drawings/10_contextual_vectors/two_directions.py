"""context2vec: the forward state before a word and the backward state after it."""

import itertools

from autograder.authoring.canvas import Canvas

_WORDS = ("the", "bank", "lends", "money")


def draw() -> Canvas:
    canvas = Canvas(460, 300)
    columns = [60 + 96 * number for number in range(len(_WORDS))]
    ahead, behind = [], []
    for x, word in zip(columns, _WORDS, strict=True):
        asked = word == "bank"
        middle = canvas.box(
            x - 34, 166, 68, 28, word, fill="orange" if asked else "blue", dashed=asked
        )
        ahead.append(canvas.box(x - 27, 98, 54, 32, "→", "green" if word == "the" else "white"))
        behind.append(canvas.box(x - 27, 230, 54, 32, "←", "green" if word == "lends" else "white"))
        canvas.arrow(middle.top, ahead[-1].bottom, color="gray")
        canvas.arrow(middle.bottom, behind[-1].top, color="gray")
        if asked:
            for box in (ahead[-1], behind[-1]):
                canvas.line((box.x, box.y), (box.x + box.width, box.y + box.height), color="orange")
                canvas.line((box.x, box.y + box.height), (box.x + box.width, box.y), color="orange")
    for left, right in itertools.pairwise(ahead):
        canvas.arrow(left.right, right.left)
    for left, right in itertools.pairwise(behind):
        canvas.arrow(right.left, left.right)
    context = canvas.box(80, 26, 190, 34, "[→ at the; ← at lends]", fill="green")
    canvas.arrow(ahead[0].top, (102, context.bottom[1]))
    canvas.line(behind[2].bottom, (252, 286), (16, 286), (16, 43), context.left, head=True)
    canvas.text(280, 43, "the context of bank", size=12, align="left")
    canvas.text(400, 114, "forward\nstates", size=12, align="left")
    canvas.text(400, 246, "backward\nstates", size=12, align="left")
    return canvas
