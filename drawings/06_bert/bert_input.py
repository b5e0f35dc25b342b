"""BERT's input: each position is the sum of a token, a position and a segment embedding."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("[CLS]", "the", "dog", "bark", "##ed", "[SEP]", "he", "was", "[SEP]")
_WIDTH, _LEFT = 41, 82


def draw() -> Canvas:
    canvas = Canvas(460, 300)
    names = ("token", "token\nembedding", "position\nembedding", "segment\nembedding")
    heights = (24, 72, 126, 180)
    for name, y in zip(names, heights):
        canvas.text(74, y + 15, name, 12, "right")
    for position, token in enumerate(_TOKENS):
        x = _LEFT + _WIDTH * position
        middle = x + (_WIDTH - 4) / 2
        canvas.text(middle, 39, token, 12, bold=token.startswith("["))
        segment = int(position > 5)
        short = token.strip("[]")
        canvas.box(x, 72, _WIDTH - 4, 30, rf"$e_\text{{{short}}}$", "blue", size=12)
        canvas.text(middle, 114, "+")
        canvas.box(x, 126, _WIDTH - 4, 30, f"$p_{{{position}}}$", "yellow", size=12)
        canvas.text(middle, 168, "+")
        fill = "pink" if segment else "green"
        canvas.box(x, 180, _WIDTH - 4, 30, f"$s_{{{segment}}}$", fill, size=12)
        canvas.arrow((middle, 212), (middle, 234))
    width = _WIDTH * len(_TOKENS) - 4
    canvas.box(_LEFT, 236, width, 28, "layer normalization, then dropout", fill="gray")
    canvas.text(_LEFT + width / 2, 284, "the input of block 1:  $(B, L, d)$")
    return canvas
