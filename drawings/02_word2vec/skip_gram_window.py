"""The window around a center word, and the pairs that skip-gram makes of it."""

from autograder.authoring.canvas import Canvas

WORDS = ["the", "driver", "exceeded", "the", "speed", "limit"]
CENTER, WINDOW = 2, 2


def draw() -> Canvas:
    canvas = Canvas(460, 170)
    canvas.box(4, 84, 376, 52, dashed=True, fill="white")
    boxes = []
    for i, word in enumerate(WORDS):
        distance = abs(i - CENTER)
        fill = "orange" if not distance else "blue" if distance <= WINDOW else "gray"
        boxes.append(canvas.box(10 + 75 * i, 94, 66, 32, word, fill=fill))
    for i, box in enumerate(boxes):
        if 0 < abs(i - CENTER) <= WINDOW:
            bend = 0.42 if i > CENTER else -0.42
            canvas.arrow(boxes[CENTER].top, box.top, color="blue", bend=bend)
    canvas.text(192, 30, "predict each context word from the center word", color="blue")
    canvas.text(192, 152, "context window: 2 positions to either side", size=12, color="gray")
    canvas.text(418, 136, "not in it", size=12, color="gray")
    return canvas
