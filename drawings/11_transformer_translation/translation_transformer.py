"""The transformer as a translator: a stack that reads, a stack that writes."""

from autograder.authoring.canvas import Canvas

_SOURCE = ("the", "cat", "</s>")
_READ = ("<s>", "le", "chat")
_WRITTEN = ("le", "chat", "</s>")


def draw() -> Canvas:
    canvas = Canvas(460, 430)
    left, right, width = 18, 262, 160
    for x, words in ((left, _SOURCE), (right, _READ)):
        for number, word in enumerate(words):
            canvas.box(x + 54 * number, 384, 52, 28, word, fill="blue")
    read = canvas.box(left, 334, width, 28, "vectors + positions", fill="gray")
    written = canvas.box(right, 334, width, 28, "vectors + positions", fill="gray")
    for box in (read, written):
        x, y = box.bottom
        canvas.arrow((x, y + 22), (x, y))
    # what is repeated N times
    canvas.box(left - 9, 198, width + 18, 114, fill="white", dashed=True)
    canvas.box(right - 9, 138, width + 18, 174, fill="white", dashed=True)
    canvas.text(left + width + 24, 255, "× N", size=12)
    canvas.text(right + width + 24, 225, "× N", size=12)
    encoder = [
        canvas.box(left, 268, width, 34, "self-attention", fill="orange"),
        canvas.box(left, 208, width, 34, "feed-forward", fill="green"),
    ]
    decoder = [
        canvas.box(right, 268, width, 34, "masked self-attention", fill="orange"),
        canvas.box(right, 208, width, 34, "cross-attention", fill="orange"),
        canvas.box(right, 148, width, 34, "feed-forward", fill="green"),
    ]
    logits = canvas.box(right, 84, width, 28, "logits", fill="gray")
    for one, other in (
        (read, encoder[0]),
        (encoder[0], encoder[1]),
        (written, decoder[0]),
        (decoder[0], decoder[1]),
        (decoder[1], decoder[2]),
        (decoder[2], logits),
    ):
        canvas.arrow(one.top, other.bottom)
    M = canvas.box(left + 54, 134, 52, 28, "$M$", fill="yellow")
    canvas.arrow(encoder[1].top, M.bottom)
    x, y = M.right
    canvas.line((x, y), (226, y), (226, 225), decoder[1].left, head=True)
    canvas.text(200, 172, "keys,\nvalues", size=12)
    for number, word in enumerate(_WRITTEN):
        canvas.box(right + 54 * number, 22, 52, 28, word, fill="white")
    x, y = logits.top
    canvas.arrow((x, y), (x, y - 34))
    canvas.text(left + 80, 118, "encoder", size=12)
    canvas.text(228, 98, "decoder", size=12)
    return canvas
