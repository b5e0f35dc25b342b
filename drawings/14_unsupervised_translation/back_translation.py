"""Denoising and back-translation: the same model, and real sentences as targets."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 320)
    canvas.text(20, 24, "denoising", size=13, align="left", bold=True)
    noisy = canvas.box(60, 62, 130, 34, "chat le dort .", fill="orange")
    model = canvas.box(240, 56, 70, 46, "model", fill="gray", bold=True)
    right = canvas.box(340, 62, 112, 34, "le chat dort .", fill="green")
    canvas.arrow(noisy.right, model.left)
    canvas.arrow(model.right, right.left)
    canvas.text(125, 48, "with noise", size=12)
    canvas.text(275, 116, "<fr>", size=12)
    canvas.text(398, 48, "real text", size=12)

    canvas.text(20, 152, "back-translation", size=13, align="left", bold=True)
    real = canvas.box(240, 182, 206, 34, "le chat dort .", fill="green")
    back = canvas.box(90, 176, 70, 46, "model", fill="gray", bold=True)
    canvas.arrow(real.left, back.right)
    canvas.text(60, 199, "<en>", size=12)
    canvas.text(200, 186, "no gradient", size=12)
    canvas.text(343, 168, "real text", size=12)
    english = canvas.box(60, 262, 130, 34, "cat the sleeps .", fill="orange")
    canvas.arrow(back.bottom, (125, 262))
    forth = canvas.box(240, 256, 70, 46, "model", fill="gray", bold=True)
    again = canvas.box(340, 262, 112, 34, "le chat dort .", fill="green")
    canvas.arrow(english.right, forth.left)
    canvas.arrow(forth.right, again.left)
    canvas.text(275, 314, "<fr>", size=12)
    canvas.text(125, 308, "by the machine", size=12)
    return canvas
