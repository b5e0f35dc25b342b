"""A gated recurrent unit: reset gate, update gate, candidate, and the way that copies."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 250)
    keep = canvas.box(75, 20, 34, 34, "×", fill="white")
    add = canvas.box(380, 20, 34, 34, "+", fill="white")
    canvas.line((40, 37), keep.left, head=True)
    canvas.arrow(keep.right, add.left)
    canvas.line(add.right, (450, 37), head=True)
    canvas.text(22, 37, "$\\mathbf{h}_{t-1}$")
    canvas.text(434, 16, "$\\mathbf{h}_t$")
    update = canvas.box(62, 120, 60, 36, "$\\mathbf{z}$", fill="orange")
    reset = canvas.box(152, 120, 60, 36, "$\\mathbf{r}$", fill="orange")
    candidate = canvas.box(280, 120, 76, 36, "tanh: $\\mathbf{n}$", fill="green")
    share = canvas.box(380, 121, 34, 34, "×", fill="white")
    canvas.arrow(update.top, keep.bottom)
    canvas.text(104, 90, "$\\mathbf{z}$", size=12)
    canvas.arrow(reset.right, candidate.left)
    canvas.text(245, 106, "$\\mathbf{r} \\circ \\mathbf{U}_n \\mathbf{h}_{t-1}$", size=12)
    canvas.arrow(candidate.right, share.left)
    canvas.arrow(share.top, add.bottom)
    canvas.line((92, 156), (92, 186))
    canvas.line((92, 186), (397, 186))
    canvas.line((397, 186), (397, 157), head=True)
    canvas.text(426, 172, "$1 - \\mathbf{z}$", size=12)
    canvas.text(
        230,
        226,
        "each of r, z and n also receives $\\mathbf{x}_t$ and $\\mathbf{h}_{t-1}$",
        size=12,
    )
    return canvas
