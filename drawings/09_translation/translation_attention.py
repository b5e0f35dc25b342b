"""Attention between decoder and encoder: scores, weights, the context, the next word."""

from autograder.authoring.canvas import Canvas

_SOURCE = ("the", "white", "cat", ".")
_WEIGHTS = (0.02, 0.04, 0.93, 0.01)


def draw() -> Canvas:
    canvas = Canvas(460, 330)
    columns = [40 + 66 * number for number in range(len(_SOURCE))]
    context = canvas.grid(112, 36, 1, 4, size=14, fill="green")
    for x, word, weight in zip(columns, _SOURCE, _WEIGHTS):
        token = canvas.box(x - 28, 286, 56, 28, word, fill="blue")
        state = canvas.box(x - 28, 222, 56, 28, "$\\mathbf{h}_i$", fill="blue")
        strong = weight > 0.5
        share = canvas.box(x - 26, 132, 52, 28, f"{weight:.2f}", fill="orange", bold=strong)
        canvas.arrow(token.top, state.bottom)
        canvas.arrow(state.top, share.bottom)
        canvas.arrow(share.top, context.bottom, color="black" if strong else "gray")
    previous = canvas.box(366, 286, 64, 28, "le", fill="blue")
    s = canvas.box(366, 222, 64, 28, "$\\mathbf{s}_t$", fill="green")
    combined = canvas.box(360, 120, 76, 30, "combine", fill="gray")
    result = canvas.box(366, 30, 64, 28, "chat", fill="white", bold=True)
    canvas.arrow(previous.top, s.bottom)
    canvas.arrow(s.top, combined.bottom)
    canvas.arrow(combined.top, result.bottom)
    canvas.arrow(context.right, combined.left)
    canvas.arrow(s.left, (276, 152), color="gray")
    canvas.text(306, 208, "scores", size=12)
    canvas.text(140, 16, "context $\\mathbf{c}_t$", size=12)
    return canvas
