"""The deep averaging network: tokens, embeddings, their mean, hidden layers, a score."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("just", "great", "fun")
_DROPPED = "just"


def draw() -> Canvas:
    canvas = Canvas(440, 400)
    columns = [70 + 110 * number for number in range(len(_TOKENS))]
    mean = canvas.grid(132, 188, 1, 4, size=16, fill="green")
    for x, token in zip(columns, _TOKENS):
        dropped = token == _DROPPED
        fill = "gray" if dropped else "blue"
        word = canvas.box(x - 38, 356, 76, 30, token, fill=fill, dashed=dropped)
        vector = canvas.grid(x - 32, 280, 1, 4, size=16, fill=fill)
        canvas.arrow(word.top, vector.bottom, color="gray" if dropped else "black", dashed=dropped)
        if not dropped:
            canvas.arrow(vector.top, (164 + (x - 164) / 8, mean.bottom[1] + 2))
    canvas.text(columns[0], 262, "dropped", size=12, color="gray")
    canvas.text(340, 371, "tokens", align="left")
    canvas.text(340, 288, "embeddings\n$(L, d)$", align="left")
    canvas.text(340, 196, "mean $\\mathbf{z}_0$\n$(d,)$", align="left")
    below = mean
    for number, y in ((1, 128), (2, 76)):
        layer = canvas.box(99, y, 130, 34, f"linear $W_{number}$, relu", fill="orange")
        canvas.arrow(below.top, layer.bottom)
        canvas.text(340, y + 17, f"$\\mathbf{{z}}_{number}$ (hidden,)", align="left")
        below = layer
    score = canvas.box(114, 22, 100, 34, "linear $W_o$", fill="yellow")
    canvas.arrow(below.top, score.bottom)
    canvas.line(score.top, (164, 4), head=True)
    canvas.text(340, 39, "score (1)", align="left")
    return canvas
