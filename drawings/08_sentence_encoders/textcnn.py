"""TextCNN: windows of two and three words, filters, the maximum over time."""

from autograder.authoring.canvas import Canvas

_TOKENS = ("not", "a", "good", "film")
_TOP, _STEP = 52, 44


def draw() -> Canvas:
    canvas = Canvas(460, 372)
    for number, token in enumerate(_TOKENS):
        y = _TOP + _STEP * number
        canvas.box(176, y, 60, 30, token, fill="blue")
        canvas.grid(244, y + 8, 1, 2, size=14, fill="blue")
    for number in (4, 5):
        y = _TOP + _STEP * number
        canvas.text(206, y + 15, "zeros", size=12, color="gray")
        canvas.grid(244, y + 8, 1, 2, size=14, fill="white")
    canvas.text(224, 34, "word vectors", size=12)
    h = canvas.box(166, 330, 116, 30, "h = (1.2, 4.0)", fill="white")
    for n, x, color, responses in (
        (2, 54, "orange", ("1.2", "0.0", "0.7", "0.0")),
        (3, 362, "green", ("4.0", "0.5", "0.0", "0.0")),
    ):
        canvas.text(x + 22, 34, f"a filter of width {n}", size=12)
        first, *_ = (
            canvas.box(x, _TOP + _STEP * number, 44, 30, text, fill="white" if number else color)
            for number, text in enumerate(responses)
        )
        for number in range(n):
            start, end = (172, first.right[0]) if n == 2 else (276, first.left[0])
            y = first.center[1]
            canvas.arrow((start, y + _STEP * number), (end, y + 5 * number), color=color)
        best = canvas.box(x, 272, 44, 30, responses[0], fill=color, bold=True)
        canvas.text(x + 22, 246, "largest", size=12)
        outside = (x - 22, x) if n == 2 else (x + 66, x + 44)
        canvas.line(
            (outside[1], first.center[1]),
            (outside[0], first.center[1]),
            (outside[0], best.center[1]),
            (outside[1], best.center[1]),
            color=color,
            head=True,
        )
        canvas.line(best.bottom, (x + 22, 345), h.left if n == 2 else h.right, head=True)
    return canvas
