"""From a question through two searches and a reader to an answer, or to none."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 190)
    canvas.box(8, 76, 74, 34, "question", fill="white")
    canvas.box(112, 40, 82, 34, "BM25", fill="blue")
    canvas.box(112, 112, 82, 34, "vectors", fill="blue")
    for y in (57, 129):
        canvas.arrow((84, 93), (110, y))
        canvas.arrow((196, y), (226, 93))
    for i in range(3):
        y = 30 + 44 * i
        canvas.box(228, y, 92, 34, f"paragraph {i + 1}", fill="white")
        canvas.arrow((322, y + 17), (348, 93))
    canvas.box(350, 76, 60, 34, "reader", fill="orange")
    canvas.arrow((412, 93), (432, 93))
    canvas.text(446, 97, "?", size=14)
    canvas.text(230, 182, "the best margin over “not here”, if it exceeds the threshold", size=11)
    return canvas
