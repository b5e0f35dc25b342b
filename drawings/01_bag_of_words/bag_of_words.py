"""From a review to a probability: bag of words and logistic regression."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 236)
    text = canvas.box(8, 14, 128, 42, "“a great cast ,\na great plot”", fill="gray")
    tokens = canvas.box(8, 96, 128, 42, "a · great · cast · ,\na · great · plot", fill="white")
    canvas.arrow(text.bottom, tokens.top, "tokenize")
    words = ["a", "awesome", "cast", "great", "plot", "the"]
    counts = [2, 0, 1, 2, 1, 0]
    x, y, size = 246, 14, 21
    canvas.grid(x, y, len(words), 1, size=size, fill="blue")
    for i, (word, count) in enumerate(zip(words, counts)):
        canvas.text(x - 6, y + (i + 0.5) * size, word, size=12, align="right")
        canvas.text(x + size / 2, y + (i + 0.5) * size, str(count), size=12)
    canvas.text(x + size / 2, y + len(words) * size + 16, "bag $\\mathbf{x}$", bold=True)
    canvas.arrow(tokens.right, (178, 117))
    canvas.text(157, 105, "count", size=12)
    score = canvas.box(
        312, 56, 140, 42, "score\n$s = w_0 + \\mathbf{w}^\\top \\mathbf{x}$", "green"
    )
    canvas.arrow((x + size, 77), score.left)
    weights = canvas.box(312, 8, 140, 28, "weights $\\mathbf{w}$, bias $w_0$", fill="orange")
    canvas.arrow(weights.bottom, score.top, color="orange")
    p = canvas.box(312, 132, 140, 28, "$p = \\sigma(s)$", fill="green")
    canvas.arrow(score.bottom, p.top, "sigmoid")
    label = canvas.box(312, 194, 140, 28, "class 1 if $p > 0.5$", fill="gray")
    canvas.arrow(p.bottom, label.top)
    canvas.text(8, 208, "Only the orange box is learned.", size=12, align="left", color="orange")
    return canvas
