"""Hierarchical attention: words are pooled to sentence vectors, and these to a text vector."""

from autograder.authoring.canvas import Canvas

_WORDS = (3, 4, 2)
_SIZE = 26


def draw() -> Canvas:
    canvas = Canvas(450, 340)
    centers = (60, 168, 268)
    level = canvas.box(
        16, 106, 304, 32, "attention over the sentences, query $\\mathbf{v}'$", "orange"
    )
    for number, (x, words) in enumerate(zip(centers, _WORDS), 1):
        left = x - words * _SIZE / 2
        pool = canvas.box(x - 44, 216, 88, 32, "attention, $\\mathbf{v}$", fill="orange")
        for word in range(words):
            box = canvas.box(left + word * _SIZE + 2, 288, _SIZE - 4, 24, fill="blue")
            canvas.arrow(box.top, (x + (box.top[0] - x) / 1.6, pool.bottom[1]))
        sentence = canvas.box(x - 22, 164, 44, 26, f"$\\mathbf{{h}}_{number}$", fill="green")
        canvas.arrow(pool.top, sentence.bottom)
        canvas.arrow(sentence.top, (x, level.bottom[1]))
        canvas.text(x, 326, f"sentence {number}", size=12)
    text = canvas.box(146, 54, 44, 26, "$\\mathbf{h}$", fill="green", bold=True)
    canvas.arrow(level.top, text.bottom)
    output = canvas.box(118, 6, 100, 26, "linear: logit", fill="yellow")
    canvas.arrow(text.top, output.bottom)
    canvas.text(336, 300, "words\n$(S, L, d)$", align="left")
    canvas.text(336, 177, "sentences\n$(S, d)$", align="left")
    canvas.text(336, 67, "text $(d,)$", align="left")
    return canvas
