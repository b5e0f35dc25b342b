"""A context autoencoder: a window of words to one vector, and back."""

from autograder.authoring.canvas import Canvas

_WORDS = ("on", "the", "bank", "of", "the")


def draw() -> Canvas:
    canvas = Canvas(460, 330)
    columns = [62 + 78 * number for number in range(len(_WORDS))]
    code = canvas.box(174, 150, 88, 30, "vector of\nthe token", fill="green", size=11)
    encoder = canvas.box(96, 204, 244, 30, "encoder", fill="gray")
    decoder = canvas.box(96, 96, 244, 30, "decoder", fill="gray")
    canvas.arrow(encoder.top, code.bottom)
    canvas.arrow(code.top, decoder.bottom)
    for number, (x, word) in enumerate(zip(columns, _WORDS, strict=True)):
        middle = word == "bank"
        fill = "orange" if middle else "blue"
        read = canvas.box(x - 32, 264, 64, 28, word, fill=fill, bold=middle)
        written = canvas.box(x - 32, 40, 64, 28, word, fill=fill, dashed=True, bold=middle)
        aim = 130 + 44 * number
        canvas.arrow(read.top, (aim, encoder.bottom[1]), color="gray")
        canvas.arrow((aim, decoder.top[1]), written.bottom, color="gray")
        canvas.text(x, 22, "2" if middle else "1", size=12)
    canvas.text(452, 22, "weight", size=12, align="right")
    canvas.text(218, 312, "word vectors of the window", size=12)
    canvas.text(352, 165, "the loss compares\nabove with below", size=11)
    return canvas
