"""From a question through two searches and a reader to an answer, or to none."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 190)
    canvas.box(4, 74, 62, 34, "question", fill="white")
    canvas.box(172, 74, 46, 34, "fused", fill="blue")
    for y, name in ((38, "BM25"), (110, "vectors")):
        canvas.box(90, y, 58, 34, name, fill="blue")
        canvas.arrow((68, 91), (88, y + 17))
        canvas.arrow((150, y + 17), (170, 91))
    for i in range(3):
        y = 30 + 44 * i
        canvas.box(246, y, 86, 34, f"paragraph {i + 1}", fill="white")
        canvas.arrow((220, 91), (244, y + 17))
        canvas.arrow((334, y + 17), (358, 91))
    canvas.box(360, 74, 54, 34, "reader", fill="orange")
    canvas.arrow((416, 91), (436, 91))
    canvas.text(448, 91, "?", size=14)
    canvas.text(
        230, 182, "the largest total of margin and search, if it exceeds the threshold", size=11
    )
    return canvas
