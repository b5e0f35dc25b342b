"""LoRA: a frozen square matrix and two thin ones beside it, whose outputs are added."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(430, 260)
    canvas.box(180, 222, 70, 28, "x", fill="blue")
    canvas.box(40, 84, 110, 110, "W\nfrozen", fill="gray")
    thin_a = canvas.box(262, 160, 110, 30, "A   (r, n_in)", fill="orange")
    thin_b = canvas.box(262, 88, 110, 30, "B   (n_out, r)", fill="orange")
    canvas.line((200, 222), (200, 208), (95, 208), (95, 195), head=True)
    canvas.line((230, 222), (230, 208), (317, 208), (317, 191), head=True)
    canvas.arrow(thin_a.top, thin_b.bottom)
    canvas.text(334, 139, "r numbers", size=11, align="left")
    canvas.circle(215, 50, 12, "+", fill="yellow")
    canvas.line((95, 84), (95, 50), (202, 50), head=True)
    canvas.line((317, 88), (317, 50), (228, 50), head=True)
    canvas.text(322, 68, "times alpha / r", size=11, align="left")
    canvas.arrow((215, 38), (215, 20))
    canvas.text(215, 10, "y", size=13)
    return canvas
