"""Attention pooling: word vectors, scores, the softmax, and the weighted sum."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("I", "loved", "the", "movie", "!")
_SCORES = (2.7, 3.1, -1.4, -2.3, 0.7)
_WEIGHTS = (0.38, 0.56, 0.01, 0.00, 0.05)


def draw() -> Canvas:
    canvas = Canvas(450, 392)
    columns = [44 + 62 * number for number in range(len(_TOKENS))]
    softmax = canvas.box(16, 170, 304, 30, "softmax over the words", fill="orange")
    for x, token, score, weight in zip(columns, _TOKENS, _SCORES, _WEIGHTS):
        word = canvas.box(x - 28, 352, 56, 28, token, fill="blue")
        vector = canvas.grid(x - 24, 296, 1, 4, size=12, fill="blue")
        canvas.arrow(word.top, vector.bottom)
        shown = canvas.box(x - 25, 232, 50, 26, f"{score:.1f}", fill="white")
        canvas.arrow(vector.top, shown.bottom)
        canvas.arrow(shown.top, (x, softmax.bottom[1]))
        strong = weight > 0.3
        share = canvas.box(x - 25, 112, 50, 26, f"{weight:.2f}", "green", bold=strong)
        canvas.arrow((x, softmax.top[1]), share.bottom)
        canvas.arrow(share.top, (168 + (x - 168) / 6, 62), color="black" if strong else "gray")
    result = canvas.grid(144, 44, 1, 4, size=12, fill="green")
    canvas.arrow(result.top, (168, 18))
    canvas.text(168, 8, "to the linear layer", size=12)
    canvas.text(336, 366, "tokens", align="left")
    canvas.text(336, 302, "vectors $\\mathbf{x}_i$", align="left")
    canvas.text(336, 245, "scores\n$r_i = \\mathbf{x}_i^\\top \\mathbf{v}$", align="left")
    canvas.text(336, 125, "weights $a_i$", align="left")
    canvas.text(336, 50, "$\\mathbf{h} = \\sum_i a_i \\mathbf{x}_i$", align="left")
    return canvas
