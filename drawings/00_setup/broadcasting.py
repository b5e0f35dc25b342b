"""Broadcasting: a table minus one mean per column."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 176)
    size, y = 24, 44
    table = canvas.grid(16, y, 4, 3, size=size, fill="blue")
    canvas.text(16 + 1.5 * size, 24, "table")
    canvas.text(16 + 1.5 * size, y + 4 * size + 18, "(4, 3)")
    canvas.text(table.right[0] + 22, table.right[1], "−", size=18)
    x = 132
    canvas.grid(x, y, 4, 3, size=size, fill="gray")
    means = canvas.grid(x, y, 1, 3, size=size, fill="orange")
    canvas.text(x + 1.5 * size, 24, "means")
    canvas.text(x + 1.5 * size, y + 4 * size + 18, "(3,)")
    for i in range(3):
        top = (x + (i + 0.5) * size, y + size - 4)
        canvas.arrow(top, (top[0], y + 3.8 * size), color="orange", dashed=True)
    canvas.text(x + 3 * size + 8, y + 2.5 * size, "repeated\nfor each row", size=12, align="left")
    canvas.text(306, means.center[1] + 1.5 * size, "=", size=18)
    canvas.grid(340, y, 4, 3, size=size, fill="green")
    canvas.text(340 + 1.5 * size, 24, "result")
    canvas.text(340 + 1.5 * size, y + 4 * size + 18, "(4, 3)")
    return canvas
