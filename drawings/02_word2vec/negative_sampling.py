"""Skip-gram with negative sampling: three pairs of one center word, each a logistic regression."""

from autograder.authoring.canvas import Canvas

# the outside word, its vector, the score, the sigmoid of the score, the label
PAIRS = [
    ("speed", "$u_o$", "2", "0.88", "1"),
    ("banana", "$u_1$", "−1", "0.27", "0"),
    ("the", "$u_2$", "1", "0.73", "0"),
]


def draw() -> Canvas:
    canvas = Canvas(460, 300)
    for x, title in ((48, "word"), (164, "vector"), (258, "dot\nproduct"), (318, "sigmoid")):
        canvas.text(x, 18, title, size=12, color="gray")
    canvas.text(408, 18, "is the pair real?\nmodel → label", size=12, color="gray")

    center = canvas.box(6, 46, 84, 32, "exceeded", fill="orange", bold=True)
    vector = canvas.grid(128, 56, 1, 6, size=12, fill="orange")
    canvas.arrow(center.right, vector.left)
    canvas.text(164, 44, "$v_c$, a row of $E$", size=12)
    canvas.line(vector.right, (258, 62), (258, 258))

    for i, (word, name, score, probability, label) in enumerate(PAIRS):
        y, fill = 118 + 70 * i, "green" if label == "1" else "pink"
        outside = canvas.box(6, y - 16, 84, 32, word, fill=fill)
        vector = canvas.grid(128, y - 6, 1, 6, size=12, fill=fill)
        canvas.arrow(outside.right, vector.left)
        canvas.text(164, y - 18, f"{name}, a row of $U$", size=12)
        product = canvas.circle(258, y, 13, "·")
        canvas.arrow(vector.right, product.left)
        sigmoid = canvas.circle(318, y, 14, r"$\sigma$", fill="yellow")
        canvas.arrow(product.right, sigmoid.left)
        canvas.text(287, y - 11, score, size=12)
        answer = canvas.box(356, y - 16, 98, 32, f"{probability} → {label}", fill=fill)
        canvas.arrow(sigmoid.right, answer.left)
        what = "context word, from the text" if label == "1" else "negative sample, drawn"
        canvas.text(6, y + 27, what, size=12, align="left", color="gray")
    return canvas
