"""The models of assignments 01 to 06, and what each adds to the one before."""

from autograder.authoring.canvas import Canvas

_STEPS = (
    ("01  bag of words", "one weight per word", "gray"),
    ("02  word vectors", "similar words, similar vectors", "blue"),
    ("03  deep averaging network", "pooling, hidden layers", "blue"),
    ("04  attention", "learned weights of tokens", "green"),
    ("05  transformer block", "contextual vectors, positions", "green"),
    ("06  BERT", "pretraining on unlabeled text", "orange"),
)


def draw() -> Canvas:
    canvas = Canvas(460, 350)
    below = None
    for number, (model, adds, fill) in enumerate(_STEPS):
        x, y = 6 + 34 * number, 294 - 56 * number
        box = canvas.box(x, y, 278, 46, fill=fill)
        canvas.text(x + 10, y + 15, model, 13, "left", bold=True)
        canvas.text(x + 10, y + 33, adds if below is None else f"+ {adds}", 12, "left")
        if below is not None:
            canvas.arrow((x + 18, below.y), (x + 18, box.y + box.height))
        below = box
    return canvas
