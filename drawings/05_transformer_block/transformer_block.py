"""The post-LN transformer block, with the shape of every tensor."""

from autograder.authoring.canvas import Canvas

_WIDTH = 210  # of the boxes
_LEFT = 130


def draw() -> Canvas:
    canvas = Canvas(460, 590)
    shape = "$(B, L, d_{model})$"
    middle = _LEFT + _WIDTH / 2

    def box(y: float, text: str, fill: str, height: float = 40) -> object:
        return canvas.box(_LEFT, y, _WIDTH, height, text, fill=fill)

    def skip(start: float, end: float) -> None:
        """A residual connection from height `start` to the sum at height `end`."""
        x = 96
        canvas.line((middle, start), (x, start), (x, end), color="orange")
        canvas.line((x, end), (middle - 12, end), color="orange", head=True)
        canvas.text(x - 7, (start + end) / 2, "residual\nconnection", 12, "right", "orange")

    canvas.text(middle, 16, "$X$  " + shape)
    attention = box(66, "multi-head attention", "blue")
    canvas.arrow((middle, 28), attention.top)
    mask = canvas.box(368, 66, 86, 40, "mask\n$(B, 1, L)$", fill="gray", size=12)
    canvas.arrow(mask.left, attention.right)
    drop = box(132, "dropout", "gray", 28)
    canvas.arrow(attention.bottom, drop.top, shape)
    plus = canvas.circle(middle, 198, 12, "+", fill="orange")
    canvas.arrow(drop.bottom, plus.top, shape)
    skip(44, 198)
    norm = box(232, "layer normalization", "green", 32)
    canvas.arrow(plus.bottom, norm.top, shape)

    first = box(312, "$W_1$, then ReLU or GELU", "yellow", 32)
    canvas.arrow(norm.bottom, first.top, "$Z$  " + shape)
    second = box(374, "$W_2$", "yellow", 32)
    canvas.arrow(first.bottom, second.top, "$(B, L, d_{ff})$")
    canvas.text(_LEFT + _WIDTH + 12, 344, "feed-forward\nnetwork", 12, "left")
    drop = box(430, "dropout", "gray", 26)
    canvas.arrow(second.bottom, drop.top, shape)
    plus = canvas.circle(middle, 492, 12, "+", fill="orange")
    canvas.arrow(drop.bottom, plus.top, shape)
    skip(276, 492)
    norm = box(528, "layer normalization", "green", 30)
    canvas.arrow(plus.bottom, norm.top, shape)
    canvas.arrow(norm.bottom, (middle, 588), shape)
    return canvas
