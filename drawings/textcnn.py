"""TextCNN: windows of two and three words, filters, the maximum over time."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("not", "a", "good", "film")
_RESPONSES = {2: ("1.2", "0.0", "0.7", "0.0"), 3: ("4.0", "0.5", "0.0", "0.0")}


def draw() -> Canvas:
    canvas = Canvas(460, 330)
    for number, token in enumerate(_TOKENS):
        y = 44 + 52 * number
        canvas.box(8, y, 52, 30, token, fill="blue")
        canvas.grid(72, y + 8, 1, 4, size=14, fill="blue")
    for y in (252, 288):
        canvas.text(34, y + 15, "0", size=12, color="gray")
        canvas.grid(72, y + 8, 1, 4, size=14, fill="white")
    canvas.text(100, 22, "word vectors", size=12)
    canvas.text(238, 22, "responses of one filter", size=12)
    for n, x, color in ((2, 192, "orange"), (3, 262, "green")):
        shown = [
            canvas.box(
                x - 22,
                44 + 52 * number,
                44,
                30,
                value,
                fill=color if value in ("1.2", "4.0") else "white",
            )
            for number, value in enumerate(_RESPONSES[n])
        ]
        canvas.text(x, 270, f"width {n}", size=12)
        best = canvas.box(
            376, 92 if n == 2 else 160, 44, 30, _RESPONSES[n][0], fill=color, bold=True
        )
        canvas.arrow(shown[0].right, best.left)
    canvas.arrow((132, 59), (170, 59), color="orange")
    canvas.arrow((132, 111), (170, 65), color="orange")
    canvas.arrow((132, 163), (240, 72), color="green")
    canvas.text(398, 74, "max over time", size=12)
    canvas.text(384, 216, "one number per filter,\nconcatenated to h", size=12)
    return canvas
