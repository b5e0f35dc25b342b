"""Encoder and decoder: a BiLSTM reads the source, a GRU writes the target."""

import itertools

from autograder.authoring.canvas import Canvas

_SOURCE = ("she", "sings", ".", "</s>")
_READ = ("<s>", "elle", "chante", ".")
_WRITTEN = ("elle", "chante", ".", "</s>")


def draw() -> Canvas:
    canvas = Canvas(460, 424)
    columns = [124 + 80 * number for number in range(4)]
    states, forward, backward = [], [], []
    for x, read, written in zip(columns, _READ, _WRITTEN, strict=True):
        token = canvas.box(x, 150, 62, 28, read, fill="blue")
        state = canvas.box(x, 82, 62, 28, "GRU", fill="green")
        result = canvas.box(x, 14, 62, 28, written, fill="white")
        canvas.arrow(token.top, state.bottom)
        canvas.arrow(state.top, result.bottom)
        states.append(state)
    for x, word in zip(columns, _SOURCE, strict=True):
        canvas.box(x, 378, 62, 28, word, fill="blue")
        forward.append(canvas.box(x, 318, 48, 26, "LSTM", fill="green"))
        backward.append(canvas.box(x, 262, 62, 26, "LSTM", fill="orange"))
        canvas.arrow((x + 24, 378), forward[-1].bottom)
        canvas.arrow((x + 55, 378), (x + 55, 288), color="gray")
    for one, other in itertools.pairwise(forward):
        canvas.arrow(one.right, other.left)
    for one, other in itertools.pairwise(backward):
        canvas.arrow(other.left, one.right)
    for one, other in itertools.pairwise(states):
        canvas.arrow(one.right, other.left)
    bridge = canvas.box(20, 208, 70, 28, "bridge", fill="gray")
    canvas.arrow(backward[0].left, bridge.bottom)
    x, y = columns[-1] + 76, forward[-1].right[1]
    canvas.line(forward[-1].right, (x, y), (x, 222), (90, 222), head=True)
    canvas.line(bridge.top, (55, 96), states[0].left, head=True)
    canvas.text(50, 392, "encoder", size=12)
    canvas.text(50, 28, "decoder", size=12)
    return canvas
