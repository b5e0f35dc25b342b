"""Three windows over a paragraph of ten pieces; one of them has the whole answer."""

from autograder.authoring.canvas import Canvas

_N, _SIZE, _STRIDE, _ANSWER = 10, 4, 3, (3, 4)


def draw() -> Canvas:
    canvas = Canvas(460, 210)
    canvas.text(84, 37, "paragraph", size=11, align="right")
    for i in range(_N):
        fill = "orange" if i in _ANSWER else "white"
        canvas.box(92 + 36 * i, 24, 32, 26, str(i), fill=fill)
    for number, first in enumerate(range(0, _N - _SIZE + 1, _STRIDE)):
        y = 70 + 40 * number
        inside = range(first, first + _SIZE)
        whole = all(i in inside for i in _ANSWER)
        canvas.text(84, y + 13, f"window {number + 1}", size=11, align="right")
        for i in inside:
            colored = "orange" if i in _ANSWER and whole else "blue"
            canvas.box(92 + 36 * i, y, 32, 26, str(i), fill=colored)
    canvas.text(230, 198, "orange: the answer, cut by window 1, whole in 2, not in 3", size=11)
    return canvas
