"""The three splits of a data set and the one job of each."""

import itertools

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 176)
    width, y = 136, 12
    jobs = [
        ("training", "green", "finds the\nweights", "learned from,\nagain and again"),
        ("validation", "blue", "chooses the\nsettings", "looked at,\nas often as you like"),
        ("test", "orange", "gives the number\nto report", "opened once,\nat the very end"),
    ]
    boxes = []
    for i, (name, fill, job, use) in enumerate(jobs):
        x = 8 + i * (width + 18)
        box = canvas.box(x, y, width, 34, f"{name} split", fill=fill, bold=True)
        below = canvas.box(x, y + 66, width, 44, job, fill="white")
        canvas.arrow(box.bottom, below.top)
        canvas.text(x + width / 2, y + 136, use, size=12)
        boxes.append(below)
    for one, other in itertools.pairwise(boxes):
        canvas.arrow(one.right, other.left)
    return canvas
