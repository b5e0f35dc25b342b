"""An LSTM cell: the cell state along the top, three gates and a candidate."""

from autograder.authoring.canvas import Canvas


def draw() -> Canvas:
    canvas = Canvas(460, 270)
    forget = canvas.box(80, 20, 34, 34, "×", fill="white")
    add = canvas.box(200, 20, 34, 34, "+", fill="white")
    write = canvas.box(200, 84, 34, 34, "×", fill="white")
    show = canvas.box(370, 150, 34, 34, "×", fill="white")
    squash = canvas.box(362, 84, 50, 32, "tanh", fill="green")
    canvas.line((42, 37), forget.left, head=True)
    canvas.arrow(forget.right, add.left)
    canvas.line(add.right, (440, 37), head=True)
    canvas.text(22, 37, "$\\mathbf{c}_{t-1}$")
    canvas.text(424, 18, "$\\mathbf{c}_t$")
    f = canvas.box(67, 150, 60, 36, "$\\mathbf{f}$", fill="orange")
    i = canvas.box(150, 150, 60, 36, "$\\mathbf{i}$", fill="orange")
    g = canvas.box(222, 150, 70, 36, "tanh: $\\mathbf{g}$", fill="green")
    canvas.box(300, 208, 60, 36, "$\\mathbf{o}$", fill="orange")
    canvas.arrow(f.top, forget.bottom)
    canvas.arrow(i.top, (210, 120))
    canvas.arrow(g.top, (224, 120))
    canvas.arrow(write.top, add.bottom)
    canvas.line((387, 37), squash.top, head=True)
    canvas.arrow(squash.bottom, show.top)
    canvas.line((360, 226), (387, 226))
    canvas.line((387, 226), (387, 186), head=True)
    canvas.line(show.right, (446, 167), head=True)
    canvas.text(430, 150, "$\\mathbf{h}_t$")
    canvas.text(
        150, 232, "f, i, g and o each receive\n$\\mathbf{x}_t$ and $\\mathbf{h}_{t-1}$", size=12
    )
    return canvas
