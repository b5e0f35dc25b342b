"""The scores of four questions with their paragraphs, one of them repeated, and two hard negatives."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 220)
    names = ["p1", "p2", "p3", "p3"]
    for j, name in enumerate(names):
        canvas.text(86 + 48 * j, 26, name, size=12)
    for j in range(2):
        canvas.text(320 + 48 * j, 26, f"hard {j + 1}", size=11)
    for i in range(4):
        y = 40 + 38 * i
        canvas.text(44, y + 16, f"q{i + 1}", size=12)
        for j in range(4):
            same = i != j and names[i] == names[j]
            canvas.box(
                64 + 48 * j, y, 44, 32, "✗" if same else "", fill="orange" if i == j else "white"
            )
        for j in range(2):
            canvas.box(298 + 48 * j, y, 44, 32, "", fill="blue")
    canvas.text(230, 208, "orange: right · white, blue: wrong · ✗: left out", size=11)
    return canvas
