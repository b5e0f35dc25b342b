"""The label of a word goes to its first piece; all other pieces are left out of the loss."""

from autograder.authoring.canvas import Canvas

_WORDS = (("moved", "O", 1), ("to", "O", 2), ("Tallinn", "B-place", 3))
_PIECES = ("[CLS]", "moved", "to", "tall", "##inn", "[SEP]")
_LABELS = ("−100", "O", "O", "B-place", "−100", "−100")


def draw() -> Canvas:
    canvas = Canvas(460, 190)
    places = [10 + 74 * i for i in range(len(_PIECES))]
    for word, label, piece in _WORDS:
        x = places[piece]
        fill = "orange" if label != "O" else "blue"
        box = canvas.box(x, 34, 68, 26, word, fill=fill)
        canvas.text(x + 34, 18, label, size=11)
        canvas.arrow(box.bottom, (x + 34, 96))
    for x, piece, label in zip(places, _PIECES, _LABELS, strict=True):
        counted = label != "−100"
        fill = ("orange" if label != "O" else "blue") if counted else "white"
        canvas.box(x, 100, 68, 26, piece, fill=fill)
        canvas.text(x + 34, 146, label, size=11)
    canvas.text(230, 174, "words above, pieces below; −100 is left out of the loss", size=11)
    return canvas
