"""Three windows over a paragraph of ten pieces; one of them has the whole answer."""

from autograder.authoring.canvas import Canvas

_N, _SIZE, _STRIDE, _ANSWER = 10, 4, 3, (3, 4)


def draw() -> Canvas:
    canvas = Canvas(500, 210)
    canvas.text(92, 37, "paragraph", size=11, align="right")
    for i in range(_N):
        fill = "orange" if i in _ANSWER else "white"
        canvas.box(100 + 38 * i, 24, 34, 26, str(i), fill=fill)
    for number, first in enumerate(range(0, _N - _SIZE + 1, _STRIDE)):
        y = 70 + 40 * number
        inside = range(first, first + _SIZE)
        whole = all(i in inside for i in _ANSWER)
        canvas.text(92, y + 13, f"window {number + 1}", size=11, align="right")
        for i in inside:
            colored = "orange" if i in _ANSWER and whole else "blue"
            canvas.box(100 + 38 * i, y, 34, 26, str(i), fill=colored)
    canvas.text(
        270, 198, "orange is the answer; window 1 cuts it, window 2 has it, window 3 lacks it", size=11
    )
    return canvas
