"""A gated recurrent unit: reset gate, update gate, candidate, and the way that copies."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 260)
    keep = canvas.box(150, 20, 34, 34, "×", fill="white")
    add = canvas.box(350, 20, 34, 34, "+", fill="white")
    canvas.line((40, 37), keep.left, head=True)
    canvas.arrow(keep.right, add.left)
    canvas.line(add.right, (440, 37), head=True)
    canvas.text(22, 37, "$\\mathbf{h}_{t-1}$")
    canvas.text(424, 16, "$\\mathbf{h}_t$")
    update = canvas.box(137, 120, 60, 36, "$\\mathbf{z}$", fill="orange")
    canvas.box(40, 120, 60, 36, "$\\mathbf{r}$", fill="orange")
    candidate = canvas.box(240, 120, 80, 36, "tanh: $\\mathbf{n}$", fill="green")
    share = canvas.box(350, 121, 34, 34, "×", fill="white")
    canvas.arrow(update.top, keep.bottom)
    canvas.text(178, 90, "$\\mathbf{z}$", size=12)
    canvas.arrow(candidate.right, share.left)
    canvas.arrow(share.top, add.bottom)
    canvas.line((167, 156), (167, 178))
    canvas.line((167, 178), (367, 178))
    canvas.line((367, 178), (367, 157), head=True)
    canvas.text(392, 172, "$1 - \\mathbf{z}$", size=12)
    canvas.line((70, 156), (70, 196))
    canvas.line((70, 196), (265, 196))
    canvas.line((265, 196), (265, 158), head=True)
    canvas.text(224, 208, "$\\mathbf{r} \\circ \\mathbf{U}_n \\mathbf{h}_{t-1}$", size=12)
    canvas.text(
        230,
        240,
        "each of r, z and n also receives $\\mathbf{x}_t$ and $\\mathbf{h}_{t-1}$",
        size=12,
    )
    return canvas
