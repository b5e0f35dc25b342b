"""A node of the binary Tree-LSTM: five gates, two memories, one new state."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 330)
    left = canvas.box(20, 284, 150, 34, "left child: $\\mathbf{h}_l$, $\\mathbf{c}_l$", fill="blue")
    right = canvas.box(
        290, 284, 150, 34, "right child: $\\mathbf{h}_r$, $\\mathbf{c}_r$", fill="blue"
    )
    layer = canvas.box(140, 226, 180, 30, "gates: one linear layer", fill="orange")
    canvas.arrow(left.top, (layer.left[0] + 20, layer.bottom[1]))
    canvas.arrow(right.top, (layer.right[0] - 20, layer.bottom[1]))
    canvas.text(122, 262, "$\\mathbf{h}_l$", size=12)
    canvas.text(338, 262, "$\\mathbf{h}_r$", size=12)
    parts = (
        ("$\\mathbf{f}_l \\circ \\mathbf{c}_l$", 60),
        ("$\\mathbf{i} \\circ \\mathbf{u}$", 200),
        ("$\\mathbf{f}_r \\circ \\mathbf{c}_r$", 400),
    )
    memory = canvas.box(120, 92, 160, 32, "memory $\\mathbf{c}$: their sum", fill="green")
    for text, x in parts:
        part = canvas.box(x - 45, 160, 90, 32, text, fill="white")
        canvas.arrow((230 + (x - 230) * 0.48, 226), part.bottom)
        canvas.arrow(part.top, (200 + (x - 200) * 0.36, memory.bottom[1]))
    canvas.arrow((34, 284), (34, 192), color="gray")
    canvas.arrow((426, 284), (426, 192), color="gray")
    canvas.text(22, 240, "$\\mathbf{c}_l$", size=12, color="gray")
    canvas.text(440, 240, "$\\mathbf{c}_r$", size=12, color="gray")
    state = canvas.box(
        130,
        28,
        200,
        32,
        "state $\\mathbf{h} = \\mathbf{o} \\circ \\tanh(\\mathbf{c})$",
        fill="green",
    )
    canvas.arrow(memory.top, (memory.top[0], state.bottom[1]))
    canvas.arrow((294, 226), (294, state.bottom[1]), color="orange")
    canvas.text(306, 78, "$\\mathbf{o}$", size=12)
    canvas.arrow(state.top, (230, 6))
    return canvas
