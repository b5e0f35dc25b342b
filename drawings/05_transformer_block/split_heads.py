"""How multi-head attention splits the last axis into heads and concatenates their outputs."""

from autograder.authoring.canvas import Canvas

_SIZE = 15
_COLORS = ("blue", "orange")  # one for each of two heads


def draw() -> Canvas:
    canvas = Canvas(460, 470)

    def rows(x: float, y: float, fills: tuple[str, ...]) -> float:
        """Three tokens with two dimensions in each color; returns the x of the right edge."""
        for number, fill in enumerate(fills):
            canvas.grid(x + 2 * _SIZE * number, y, 3, 2, _SIZE, fill)
        return x + 2 * _SIZE * len(fills)

    for row, token in enumerate(("The", "dog", "barked")):
        canvas.text(138, 34 + _SIZE * (row + 0.5), token, 12, "right")
    rows(148, 34, ("gray", "gray", "gray"))
    canvas.text(250, 56, "$X$   $(B, L, d_{model})$", align="left")
    canvas.arrow((193, 82), (193, 112), "$W_Q$  (likewise $W_K$ and $W_V$)")
    rows(163, 116, _COLORS)
    canvas.text(250, 138, "$Q$   $(B, L, H \\cdot d_k)$,  here $H = 2$", align="left")

    canvas.arrow((178, 164), (110, 200))
    canvas.arrow((208, 164), (276, 200))
    canvas.text(300, 182, "split, transpose", 12, "left")
    for number, x in enumerate((95, 261)):
        rows(x, 204, (_COLORS[number],))
        canvas.text(x + 36, 226, f"head {number + 1}\n$(B, L, d_k)$", 12, "left")
        box = canvas.box(x - 35, 276, 130, 34, "attention", fill="green")
        canvas.arrow((x + 15, 252), (x + 15, 274))
        rows(x, 332, (_COLORS[number],))
        canvas.arrow((x + 15, box.bottom[1]), (x + 15, 330))
        canvas.text(x + 36, 354, "$(B, L, d_v)$", 12, "left")
    canvas.arrow((110, 380), (178, 406))
    canvas.arrow((276, 380), (208, 406))
    canvas.text(300, 392, "transpose, concatenate", 12, "left")
    rows(163, 410, _COLORS)
    canvas.text(20, 432, "$(B, L, H \\cdot d_v)$", align="left")
    canvas.arrow((228, 432), (282, 432), "$W_O$")
    rows(286, 410, ("gray", "gray", "gray"))
    canvas.text(418, 432, "$(B, L,$\n$d_{model})$", 12)
    return canvas
