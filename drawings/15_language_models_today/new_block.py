"""The block of today: two updates that are added, and what each part takes the place of."""

from autograder.authoring.canvas import Canvas

_WORDS = ("the", "film", "was")
_INSTEAD = (
    (298, "LayerNorm", "RMSNorm"),
    (252, "a key head each", "shared key heads"),
    (218, "positions added", "positions rotate"),
    (148, "LayerNorm", "RMSNorm"),
    (98, "GELU, 4 d wide", "SwiGLU, 8/3 d"),
)


def draw() -> Canvas:
    canvas = Canvas(460, 400)
    x, width, middle = 6, 130, 71
    for number, word in enumerate(_WORDS):
        canvas.box(x + 44 * number, 360, 42, 28, word, fill="blue")
    parts = (
        (296, 30, "RMSNorm", "gray"),
        (222, 52, "grouped-query\nattention, rotary", "orange"),
        (146, 30, "RMSNorm", "gray"),
        (96, 30, "SwiGLU", "green"),
    )
    boxes = [canvas.box(x, y, width, h, text, fill=fill) for y, h, text, fill in parts]
    for y in (200, 66):
        canvas.circle(middle, y, 11, "+", fill="yellow")
    canvas.arrow((middle, 358), boxes[0].bottom)
    canvas.arrow(boxes[0].top, boxes[1].bottom)
    canvas.arrow(boxes[1].top, (middle, 213))
    canvas.arrow((middle, 188), boxes[2].bottom)
    canvas.arrow(boxes[2].top, boxes[3].bottom)
    canvas.arrow(boxes[3].top, (middle, 79))
    canvas.arrow((middle, 54), (middle, 22))
    canvas.line((middle, 346), (150, 346), (150, 200), (middle + 13, 200), head=True)
    canvas.line((middle, 182), (150, 182), (150, 66), (middle + 13, 66), head=True)
    canvas.text(middle, 12, "the next block", size=12)
    canvas.text(229, 66, "2019", size=12)
    canvas.text(391, 66, "today", size=12)
    for y, old, new in _INSTEAD:
        canvas.box(166, y, 126, 26, old, fill="white", dashed=True)
        canvas.box(328, y, 126, 26, new, fill="blue")
        canvas.arrow((294, y + 13), (326, y + 13))
    return canvas
