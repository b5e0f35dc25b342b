"""A recurrent language model, unrolled over the positions of a sentence."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("<s>", "the", "dog", "sleeps")
_NEXT = ("the", "dog", "sleeps", "</s>")


def draw() -> Canvas:
    canvas = Canvas(460, 300)
    canvas.line((4, 157), (28, 157), head=True)
    canvas.text(14, 140, "$\\mathbf{h}_0$", size=13)
    before = None
    for number, (token, following) in enumerate(zip(_TOKENS, _NEXT)):
        x = 30 + 112 * number
        word = canvas.box(x, 258, 78, 30, token, fill="white")
        vector = canvas.box(x + 14, 202, 50, 28, f"$\\mathbf{{x}}_{number + 1}$", fill="blue")
        cell = canvas.box(x, 138, 78, 38, "cell", fill="orange")
        output = canvas.box(x, 74, 78, 34, "output", fill="yellow")
        canvas.arrow(word.top, vector.bottom)
        canvas.arrow(vector.top, cell.bottom)
        canvas.arrow(cell.top, output.bottom)
        canvas.line(output.top, (x + 39, 44), head=True)
        canvas.text(x + 39, 30, following)
        if before is not None:
            canvas.arrow(before.right, cell.left)
            canvas.text(x - 17, 140, f"$\\mathbf{{h}}_{number}$", size=13)
        before = cell
    canvas.text(230, 8, "the next token, predicted at each position", size=12, color="gray")
    return canvas
