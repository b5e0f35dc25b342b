"""A causal pre-norm block: two updates that are added, the mask, and the keys of earlier tokens."""

from autograder.authoring.canvas import Canvas

_WORDS = ("the", "film", "was")


def draw() -> Canvas:
    canvas = Canvas(460, 400)
    x, width, middle = 144, 150, 219
    for number, word in enumerate(_WORDS):
        canvas.box(x + 51 * number, 360, 48, 28, word, fill="blue")
    parts = (
        (296, "norm_1", "gray"),
        (246, "masked self-attention", "orange"),
        (150, "norm_2", "gray"),
        (100, "feed-forward, GELU", "green"),
    )
    boxes = [canvas.box(x, y, width, 30, text, fill=fill) for y, text, fill in parts]
    plus = [canvas.circle(middle, y, 11, "+", fill="yellow") for y in (212, 66)]
    canvas.arrow((middle, 358), boxes[0].bottom)
    canvas.arrow(boxes[0].top, boxes[1].bottom)
    canvas.arrow(boxes[1].top, (middle, 225))
    canvas.arrow((middle, 200), boxes[2].bottom)
    canvas.arrow(boxes[2].top, boxes[3].bottom)
    canvas.arrow(boxes[3].top, (middle, 79))
    canvas.arrow((middle, 54), (middle, 22))
    # what is added to the updates never passes through a normalization
    canvas.line((middle, 346), (318, 346), (318, 212), (middle + 13, 212), head=True)
    canvas.line((middle, 192), (318, 192), (318, 66), (middle + 13, 66), head=True)
    canvas.text(middle, 12, "the next block", size=12)
    assert len(plus) == 2
    past = canvas.box(8, 236, 100, 50, "keys, values\nof the past", fill="white", dashed=True)
    canvas.arrow(past.right, boxes[1].left)
    canvas.text(416, 228, "mask", size=12)
    for row, word in enumerate(_WORDS):
        canvas.text(376, 256 + 24 * row, word, size=11, align="right")
        for column in range(3):
            fill = "orange" if column <= row else "white"
            canvas.box(
                382 + 24 * column, 244 + 24 * row, 22, 22, "1" if column <= row else "0", fill=fill
            )
    return canvas
